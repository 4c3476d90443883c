"""Thinks longer than its time bank, then answers a turn that is over."""

import time

from tests.zoo.keeper import act, come_in, hear

socket = come_in()
for message in hear(socket):
    if message["type"] == "turn":
        time.sleep((message["time_ms"] + message["bank_ms"]) / 1000 + 0.1)
        act(socket, message)
