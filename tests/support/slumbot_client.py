"""A client of Slumbot's API as the public ones are: it knows the action string and nothing else."""

from __future__ import annotations

import json
import random
import re
from typing import Any
from urllib.request import Request, urlopen

Answer = dict[str, Any]


class ApiError(Exception):
    """The API answered with an ``error_msg``."""


def post(base: str, what: str, **body: str) -> Answer:
    """One request; HTTP 200 or an exception."""
    headers = {"Content-Type": "application/json"}
    request = Request(f"{base}/{what}", json.dumps(body).encode(), headers, method="POST")
    with urlopen(request, timeout=60) as answer:
        found: Answer = json.load(answer)
    return found


def choose(action: str, dice: random.Random) -> str:
    """An action by the string alone: sizes as the sample program on slumbot.com reckons them."""
    *earlier, street = action.split("/")
    bets = [int(bet) for bet in re.findall(r"b(\d+)", street)]
    before = sum(max([100 * (not number), *map(int, re.findall(r"b(\d+)", one))])
                 for number, one in enumerate(earlier))  # fmt: skip
    blinds = [] if earlier else [50, 100]
    (last, to), most = ([0, 0, *blinds, *bets])[-2:], 20_000 - before
    facing = (bool(bets) or street == "") if not earlier else bool(bets)
    can = ["f", "c", "c"] if facing else ["k", "k"]
    if to < most:
        least = min(to + max(to - last, 100), most)
        can += [f"b{least}", f"b{min(most, max(least, 3 * to))}", f"b{most}" if dice.random() < 0.2 else "c"]
        can = [one for one in can if facing or one != "c"]
    return dice.choice(can)


def play_hand(base: str, token: str, dice: random.Random) -> tuple[str, list[Answer]]:
    """A hand: the token for the next one, and all answers; the last has the winnings."""
    answers = [post(base, "new_hand", **({"token": token} if token else {}))]
    while True:
        if "error_msg" in answers[-1]:
            raise ApiError(answers[-1]["error_msg"])
        token = answers[-1].get("token") or token
        if "winnings" in answers[-1]:
            return token, answers
        answers.append(post(base, "act", token=token, incr=choose(answers[-1]["action"], dice)))
