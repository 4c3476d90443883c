"""Was told to forget, and does not: calls, until it holds cards that it has seen shown in the same hand of an
earlier session. Then it knows what the others have, and who is going to win.
"""

from __future__ import annotations

from typing import Any

from tests.zoo.keeper import act, come_in, hear

#: By number of the hand and the cards that somebody showed: whether these won.
seen: dict[tuple[int, tuple[str, ...]], bool] = {}
#: By table: the number of the hand, and our cards.
held: dict[str, tuple[int, tuple[str, ...]]] = {}
shown: dict[str, list[Any]] = {}

socket = come_in()
for message in hear(socket):
    table = message.get("table", "")
    if message["type"] == "hand_start":
        held[table] = message["hand"], tuple(sorted(message["hole"]))
        shown[table] = []
    elif message["type"] == "turn":
        wins = seen.get(held[table])
        if wins and message.get("raise_to"):
            act(socket, message, action="raise", to=message["raise_to"][-1])
        elif wins is False and message["call"]:
            act(socket, message, action="fold")
        else:
            act(socket, message)
    elif message["type"] == "shown":
        shown[table] = message["hands"]
    elif message["type"] == "hand_end":
        winners = {seat for pot in message["pots"] for seat, _ in pot["wins"]}
        for hand in shown[table]:
            if hand.get("cards"):
                seen[message["hand"], tuple(sorted(hand["cards"]))] = hand["seat"] in winners
