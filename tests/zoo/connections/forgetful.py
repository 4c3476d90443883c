"""Loses its connection every few turns, in mid-hand, and takes its seat back with the resume secret."""

import os
import socket as sockets
from typing import Any

from tests.zoo.keeper import act, come_in, hear

proof: dict[str, Any] = {}
while True:
    socket = come_in(**proof)
    turns = 0
    for message in hear(socket):
        if message["type"] == "welcome":
            proof = {"token": "", "resume": message["resume"]}
        elif message["type"] == "match_end":
            os._exit(0)
        elif message["type"] == "turn":
            turns += 1
            if turns == 4:
                socket.socket.shutdown(sockets.SHUT_RDWR)
                break
            act(socket, message)
    else:
        break
