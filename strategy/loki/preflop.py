"""The expert system before the flop (Papp 1998, 5.1 and appendix B; Peña 1999, 3.2.1).

A strategy is chosen at the first decision and kept for the round: the most aggressive one whose threshold the
hand's income rate reaches. A threshold is ``base + increment * position``, in milli-bets.

Known are, for three or four players: tight, Make2: 200 and 50 (Papp); moderate, for the dealer: 50, 200 and
580 (Peña). The others are ours. Bases are at percentiles of our income rates, so that among ten players some
18 % (tight), 24 % (moderate) and 30 % (loose) of all hands are played in middle position; with fewer players
more are, as with Papp's threshold.
"""

from __future__ import annotations

from enum import IntEnum
from math import sqrt

from strategy.loki.views import BettingReplay, View
from strategy.playout.betting import Opening
from strategy.poker.income import income_rate


class PreflopStrategy(IntEnum):
    """The six strategies, from the most passive to the most aggressive; Call1 and Call2 are the small
    blind's, for whom a call is half a bet.
    """

    MAKE0 = 0
    CALL1 = 1
    MAKE1 = 2
    CALL2 = 3
    MAKE2 = 4
    MAKE4 = 5


_PLANS = (PreflopStrategy.MAKE1, PreflopStrategy.MAKE2, PreflopStrategy.MAKE4)
_ROWS = {
    "tight": {
        2: ((-60, 0), (80, 0), (280, 0)),
        4: ((90, 30), (200, 50), (640, 50)),
        7: ((220, 20), (420, 30), (900, 40)),
    },
    "moderate": {
        2: ((-110, 0), (30, 0), (230, 0)),
        4: ((50, 30), (200, 45), (580, 50)),
        7: ((100, 15), (330, 25), (760, 40)),
    },
    "loose": {
        2: ((-160, 0), (-20, 0), (180, 0)),
        4: ((-60, 25), (100, 40), (400, 50)),
        7: ((40, 10), (260, 20), (640, 30)),
    },
}
THRESHOLDS = {
    tightness: {players: dict(zip(_PLANS, row, strict=True)) for players, row in rows.items()}
    for tightness, rows in _ROWS.items()
}
"""Base and increment by tightness, players and strategy."""

_SMALL_BLIND = {PreflopStrategy.CALL1: -140, PreflopStrategy.CALL2: 120}
# The small blind's own strategies, from the base of Make1.

_YET_TO_ACT = 0.6
_RAISES = {PreflopStrategy.MAKE2: 2, PreflopStrategy.MAKE4: 4}


def expected_players(now: BettingReplay, position: int) -> float:
    """Return the number of players in the pot, including this one, and 0.6 for each who has yet to act."""
    others = [i for i, folded in enumerate(now.folded) if not folded and i != position]
    waiting = sum(now.needs[i] for i in others)
    return 1 + len(others) - waiting + _YET_TO_ACT * waiting


def rate_players(expected: float) -> int:
    """Return which income rates apply to this many expected players: those for 2, 4 or 7."""
    return 2 if expected < 2.5 else 4 if expected < 4.5 else 7


def rate_group(now: BettingReplay, position: int) -> int:
    """Return ``rate_players`` for this player's decision."""
    return rate_players(expected_players(now, position))


def small_blind(opening: Opening) -> int:
    """Return the position of the smallest blind, or 0 if there is no smaller one."""
    posted = [blind for blind in opening.blinds if blind]
    return opening.blinds.index(min(posted)) if len(set(posted)) > 1 else 0


def position_of(now: BettingReplay, position: int, opening: Opening) -> int:
    """Return how many players act before the small blind's next turn: 0 for the button."""
    count, first = len(now.folded), small_blind(opening)
    between = range(1, (first - position) % count or count)
    return sum(not now.folded[(position + step) % count] for step in between)


def choose(
    rate: float, players: int, position: int, tightness: str, *, in_small_blind: bool = False
) -> PreflopStrategy:
    """Return the most aggressive strategy whose threshold ``rate`` reaches."""
    row = THRESHOLDS[tightness][players]
    best = PreflopStrategy.MAKE0
    if in_small_blind:
        for plan, offset in _SMALL_BLIND.items():
            if rate >= row[PreflopStrategy.MAKE1][0] + offset:
                best = max(best, plan)
    for plan, (base, increment) in row.items():
        if rate >= base + increment * position:
            best = max(best, plan)
    return best


def preflop_strategy(
    hole: tuple[int, ...], now: BettingReplay, position: int, opening: Opening, tightness: str
) -> PreflopStrategy:
    """Return the strategy of a hand at its first decision."""
    players = rate_group(now, position)
    return choose(
        income_rate(hole, players),
        players,
        position_of(now, position, opening),
        tightness,
        in_small_blind=position == small_blind(opening) and now.level[position] == 0,
    )


def act(strategy: PreflopStrategy, view: View) -> str:
    """Return ``fold``, ``call`` or ``raise`` by the strategy; a free fold is a check."""
    if strategy is PreflopStrategy.MAKE0:
        return "fold" if view.to_call else "call"
    if strategy in {PreflopStrategy.CALL1, PreflopStrategy.MAKE1}:
        if view.to_call >= 2 and not view.called:
            return "fold"
        return "raise" if strategy is PreflopStrategy.MAKE1 and not view.bets else "call"
    if strategy is PreflopStrategy.CALL2:
        return "call"
    return "raise" if view.bets < _RAISES[strategy] else "call"


def deep_enough(percentile: float, big_blinds: float) -> bool:
    """Return whether a hand of this percentile may call ``big_blinds`` big blinds in no-limit; our own rule.

    The best half of the hands for one big blind, a fifth for six, and one in 28 for two hundred.
    """
    return 1 - percentile <= 1 / (2 * sqrt(max(1.0, big_blinds)))
