"""Gives its seat up in the middle of the match."""

from tests.zoo.keeper import come_in, hear, play, say

socket = come_in()
turn = play(socket, turns=5)
if turn is not None:
    say(socket, "leave", table=turn["table"])
for _ in hear(socket):
    pass
