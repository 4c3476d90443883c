"""Answers the first turns properly, then every turn with garbage, until it is thrown out."""

import os

from tests.zoo.keeper import come_in, hear, play, send

socket = come_in()
play(socket, turns=4)
for message in hear(socket):
    if message["type"] in {"turn", "error"}:
        for _ in range(50):
            send(socket, os.urandom(40))
            send(socket, "{" * 40)
