"""Acts when it is the opponent's turn, in the opponent's name, and only then in its own."""

from tests.zoo.keeper import act, come_in, hear, say

socket = come_in()
for message in hear(socket):
    if message["type"] in {"acted", "board", "hand_start"}:
        say(socket, "act", table=message["table"], turn=message["seq"] + 1, action="fold")
        say(socket, "act", table=message["table"], turn=message["seq"] + 2, action="fold")
        say(socket, "act", table="another table", turn=0, action="fold")
    elif message["type"] == "turn":
        act(socket, message)
