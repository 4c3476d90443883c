"""Calls everything, as it should."""

from tests.zoo.keeper import come_in, play

play(come_in())
