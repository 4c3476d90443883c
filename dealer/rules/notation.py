"""A betting as the ACPC writes it, as in ``cr200c/r300``: amounts are totals of the hand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dealer.rules.actions import Action, parse_action
from dealer.rules.betting import Betting
from dealer.rules.errors import ActionError
from dealer.rules.games import Game

_WORD = re.compile(r"[^0-9][0-9]*|[0-9]+")


def format_betting(betting: Betting) -> str:
    """Its text; limit raises have no amount."""
    limit = betting.game.limit
    streets: list[list[str]] = [[] for _ in range(betting.street + 1)]
    start = betting.game.ante
    level = start + max(betting.game.posts)
    current = 0
    for street, _, action in betting.history:
        if street != current:
            current, start = street, level
        if action.kind == "raise" and not limit:
            level = start + action.to
            streets[street].append(f"r{level}")
        else:
            streets[street].append(action.kind[0])
    return "/".join(map("".join, streets))


def parse_betting(game: Game, text: str, stacks: Sequence[int] | None = None) -> Betting:
    """The betting that ``text`` describes: the way back.

    Raises ActionError when it is not the text of a betting, IllegalAction when an action in it is not legal,
    and GameError as ``Betting`` does.
    """
    betting = Betting(game, stacks)
    for street, actions in enumerate(text.split("/")):
        for word in _WORD.findall(actions):
            if betting.street != street:
                raise ActionError("wrong_street", f"{text[:80]!r}: a street ends before its betting does")
            action = parse_action(word)
            if action.to:
                if game.limit:
                    raise ActionError("bad_amount", f"{text[:80]!r}: a limit raise has no amount")
                action = Action("raise", action.to - betting.street_start)
            betting.act(action)
    if format_betting(betting) != text:
        raise ActionError("wrong_street", f"{text[:80]!r}: the streets are not those of the betting")
    return betting
