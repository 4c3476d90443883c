"""Plays properly, but does not go: it ignores SIGTERM and the end of its connection."""

import signal

from tests.zoo.keeper import come_in, play

signal.signal(signal.SIGTERM, signal.SIG_IGN)
play(come_in())
while True:
    signal.pause()
