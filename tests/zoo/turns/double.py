"""Says everything twice."""

from tests.zoo.keeper import act, come_in, hear

socket = come_in()
for message in hear(socket):
    if message["type"] == "turn":
        act(socket, message)
        act(socket, message, action="fold")
