"""Answers every turn twice: first the one before, then the right one."""

from tests.zoo.keeper import act, come_in, hear

socket = come_in()
for message in hear(socket):
    if message["type"] == "turn":
        act(socket, message, turn=message["turn"] - 1)
        act(socket, message)
