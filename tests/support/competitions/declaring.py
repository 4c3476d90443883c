"""Hands of players that draw their actions, of whom some tell the chances of their draws."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from dealer.match import Session
from dealer.rules.actions import parse_action
from dealer.rules.events import Event
from dealer.rules.legal import Legal
from server.competition.file import Competition


def drawn_hands(
    competition: Competition, session: Session, lies: Mapping[str, float], *, push: bool = False
) -> list[list[Event]]:
    """The hands of a session. All draw alike; those in ``lies`` say with which chances, wrong by so much for
    the first two actions. ``push``: the others always bet all, and they call that or fold.
    """
    table, random, hands = competition.format(session), Random(session.name), []
    while (hand := table.next_hand()) is not None:
        while hand.to_act is not None:
            bot = session.players[hand.to_act]
            texts = _texts(hand.legal(), pushes=push and bot not in lies, calls=push and bot in lies)
            if len(texts) == 1:
                hand.act(parse_action(texts[0]))
                continue
            lie = lies.get(bot, 0.0)
            chances = [1 / len(texts)] * len(texts)
            real = [chances[0] - lie, chances[1] + lie, *chances[2:]]
            policy = tuple(zip(texts, chances, strict=True)) if bot in lies else ()
            hand.act(parse_action(random.choices(texts, real)[0]), "", policy)
        table.finish_hand(hand)
        hands.append(hand.events)
    return hands


def _texts(legal: Legal, *, pushes: bool, calls: bool) -> list[str]:
    if pushes:
        return ["c" if legal.max_raise is None else f"r{legal.max_raise}"]
    if calls and legal.max_raise is not None:
        return ["c"]
    raises = [] if legal.min_raise is None else [f"r{legal.min_raise}"]
    return [*(["f"] if legal.fold else []), "c", *raises]
