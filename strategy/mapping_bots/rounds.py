"""Rounds of betting as words of ``f``, ``c`` and ``r``: their number, and Glöckner's first mapping.

Rounds depend on each other only through the number of players left, so whole hands are counted without
listing them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

CAPS = (3, 4, 4, 4)
"""Raises per street in the limit games of the ACPC, blinds not counted."""


class ActionSequence(NamedTuple):
    """A round of betting, over or not: its ``actions``, how many are ``live`` after them, and whether it is
    ``closed``. With one live player the hand is over.
    """

    actions: str
    live: int
    closed: bool


def rounds(
    players: int, cap: int, *, free_folds: bool = False, blinds: bool = False, least: int = 0
) -> Iterator[ActionSequence]:
    """Yield every round of ``players``, depth-first in the order fold, call, raise.

    ``cap``: maximum number of raises. ``free_folds``: a fold is legal when a check is free. ``blinds``: it is
    the first round, in which all but the last player have something to call from the start. ``least``: a
    round with fewer actions stays open. That is not a rule of poker, but part of the count of histories in
    Glöckner 2013, 4.1.
    """
    stack = [("", players, players, 0)]
    while stack:
        actions, live, unanswered, raises = stack.pop()
        closed = live > 1 and unanswered == 0 and len(actions) >= least
        yield ActionSequence(actions, live, closed)
        if closed or live == 1:
            continue
        if raises < cap:
            stack.append((f"{actions}r", live, live - 1, raises + 1))
        rest = max(0, unanswered - 1)
        stack.append((f"{actions}c", live, rest, raises))
        to_pay = unanswered > 0 and (raises > 0 or (blinds and len(actions) < players - 1))
        if free_folds or to_pay:
            stack.append((f"{actions}f", live - 1, rest, raises))


def count_histories(
    players: int, *, caps: Sequence[int] = CAPS, free_folds: bool = False, least: int = 0
) -> tuple[int, ...]:
    """Return per street the number of action sequences of a limit game after which a player has to act.

    Heads-up it is 8, 70, 630 and 5,670, in all 6,378. For three players it is 9,711,806 in all, and
    10,611,306 with ``free_folds``; Glöckner 2013, 4.1, gives 12,827,520, which results from ``free_folds``
    and ``least=3``: two players' rounds then stay open after two actions.
    """
    ways = Counter({players: 1})
    counts = []
    for street, cap in enumerate(caps):
        after: Counter[int] = Counter()
        decisions = 0
        for live, many in ways.items():
            for one in rounds(live, cap, free_folds=free_folds, blinds=street == 0, least=least):
                if one.closed:
                    after[one.live] += many
                elif one.live > 1:
                    decisions += many
        counts.append(decisions)
        ways = after
    return tuple(counts)


# Rounds with limits are few; those without are infinitely many.
@lru_cache(maxsize=1 << 12)
def map_street(actions: str, players: int, *, closed: bool | None = None, cap: int = CAPS[1]) -> str:
    """Map one round to a round of two players with FirstTry (Glöckner 2013, 4.2 and listing 1).

    ``players`` were active at its beginning; a round of two is not changed. Otherwise as few actions as
    possible are deleted, so that the resulting round of two players is closed if and only if this one is; of
    several possibilities the one that deletes the earliest actions. ``closed``: whether the round is; by
    default that follows from the document's rules. ``cap``: maximum number of raises in a round of two; one
    with more is shortened like others. If no deletion works, for example after an all-in, a closed round
    becomes two checks.

    Raises ValueError for a round that ends the hand, or is invalid.
    """
    if closed is None:
        closed = _is_closed(actions, players)
    targets = _targets(closed, cap)
    if players == 2 and actions in targets:
        return actions
    best: tuple[int, list[int], str] | None = None
    for target in targets:
        deleted = _deletion(actions, target)
        if deleted is not None and (best is None or (len(deleted), deleted) < best[:2]):
            best = len(deleted), deleted, target
    return best[2] if best else "cc"


@cache
def _targets(closed: bool, cap: int) -> tuple[str, ...]:
    return tuple(one.actions for one in rounds(2, cap) if one.live == 2 and one.closed == closed)


def _deletion(actions: str, target: str) -> list[int] | None:
    """Return the actions to delete to get ``target``, at the earliest places possible; None if there is no
    way.
    """
    deleted = []
    left = len(target)
    for place in range(len(actions) - 1, -1, -1):
        if left and actions[place] == target[left - 1]:
            left -= 1
        else:
            deleted.append(place)
    return None if left else deleted[::-1]


def _is_closed(actions: str, players: int) -> bool:
    live = unanswered = players
    for action in actions:
        if unanswered == 0 or live == 1 or action not in "fcr":
            raise ValueError(f"no round of {players} players: {actions[:40]!r}")
        live -= action == "f"
        unanswered = live - 1 if action == "r" else unanswered - 1
    if live == 1:
        raise ValueError(f"the hand is over: {actions[:40]!r}")
    return unanswered == 0
