"""Tries what the rules forbid, then calls."""

from tests.zoo.keeper import act, come_in, hear

socket = come_in()
for message in hear(socket):
    if message["type"] == "turn":
        act(socket, message, action="raise", to=1)
        act(socket, message, action="raise", to=2**53 - 1)
        act(socket, message, action="check" if message["call"] else "fold")
        act(socket, message)
