"""The work of the study that is more than a contest: changed players, and counts of actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dealer.match import Session, bot_seed
from dealer.rules.events import Acted, BoardDealt, Event
from dealer.rules.games import Game
from strategy.loki.bot import Loki2B, Loki2S
from strategy.loki.odds import HandValue
from strategy.loki.simulate import LokiSpot
from strategy.loki.triples import EXAMPLE, Triple, make_triple
from strategy.loki.views import BettingReplay, View
from strategy.playout.betting import Opening
from strategy.registry import Strategy
from strategy.situation import Situation
from studies.harness.arena import Contest

MENDS = {"example-call": make_triple((0.5, 0.5, 0)), "example-fold": make_triple((0.6, 0.4, 0))}
"""Other third rows of the example of 4.1, which sums to .9 there; ``EXAMPLE`` raises with the rest."""

LIKELIEST = "likeliest"
CALLS = "calls"

GROUPS = ("modified", "control")
KINDS = ("fold", "call", "raise")
_MOST_BETS = 2


@dataclass(frozen=True)
class ChangedContest(Contest):
    """The contest in which a group of players have a ``change``: they are ``loki2-s`` that ``CALLS``, or
    ``loki2-b`` with a mend, or ``LIKELIEST``.
    """

    change: str
    group: str

    def strategies(self, session: Session, game: Game) -> list[Strategy]:
        """Return new strategies for a session, by seat."""
        return [
            _changed(bot_seed(self._key, session, seat), game, self.change)
            if name.startswith(self.group)
            else bot
            for seat, (name, bot) in enumerate(
                zip(session.players, super().strategies(session, game), strict=True)
            )
        ]


def _changed(seed: int, game: Game, change: str) -> Strategy:
    return _CallingS(seed, game) if change == CALLS else _ChangedB(seed, game, change)


class _CallingS(Loki2S):
    """Simulation in whose trials all only call after its own action (Peña 1999, 5.4.2)."""

    def _spot(self, situation: Situation, opening: Opening, now: BettingReplay, hand: HandValue) -> LokiSpot:
        """Return a spot whose rows only call, and where nobody else may raise."""
        spot = super()._spot(situation, opening, now, hand)
        rows, caps = np.zeros_like(spot.rows), np.zeros_like(spot.caps)
        rows[..., KINDS.index("call")] = 1
        # What hands are worth on later streets changes nothing: one rival is enough.
        return spot._replace(rows=rows, caps=caps, rivals=spot.rivals[:, :, :1].copy())


class _ChangedB(Loki2B):
    def __init__(self, seed: int, game: Game, change: str) -> None:
        super().__init__(seed, game)
        self._change = change

    def probabilities(self, hand: HandValue, view: View) -> Triple:
        """Return Loki's own triple, changed."""
        if self._change != LIKELIEST:
            return EXAMPLE._replace(low=MENDS[self._change]).at(hand.ehs)
        own = super().probabilities(hand, view)
        best = max((1, 2, 0), key=own.__getitem__)
        return Triple(*(float(kind == best) for kind in range(3)))


def count_actions(contest: Contest, match: int) -> list[object]:
    """Play a match, and count the actions after the flop: by group (``GROUPS``), street, bets so far on it
    (0, 1, or more) and kind.
    """
    counts = np.zeros((len(GROUPS), 3, _MOST_BETS + 1, len(KINDS)), np.int64)

    for session in contest.match(match):
        group = [next(g for g, who in enumerate(GROUPS) if name.startswith(who)) for name in session.players]

        def note(events: Sequence[Event], group: list[int] = group) -> None:
            street = bets = 0
            for event in events:
                if isinstance(event, BoardDealt):
                    street, bets = event.street, 0
                elif isinstance(event, Acted) and street:
                    place = group[event.seat], street - 1, min(bets, _MOST_BETS), KINDS.index(event.action)
                    counts[place] += 1
                    bets += event.action == "raise"

        contest.play(session, note)
    found: list[object] = counts.tolist()
    return found
