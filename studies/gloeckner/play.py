"""The work of the study: sessions, and what is written down of one player's decisions on the way.

Decisions are counted in blocks of consecutive deals: a block over all its seatings is a unit of statistics.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dealer.match import Session
from dealer.rules.actions import Action
from dealer.rules.games import Game
from strategy.cfr.blueprint import load_blueprint
from strategy.hbb.bot import MappedBot
from strategy.hbb.histories import histories
from strategy.hbb.mapping import Answer
from strategy.hbb.spot import spot_of
from strategy.poker.preflop import hand_class
from strategy.registry import Strategy
from strategy.situation import Situation
from studies.arena import Contest

__all__ = ["KINDS", "LONGEST", "NEAR", "analysed", "counted", "played"]

KINDS = ("fold", "call", "raise")
NEAR = (0.7, 0.1)
"""Mappings of diagram 2: the mean chance of a raise, and how far from it one may be."""

LONGEST = 30
"""Distances are counted up to here."""

_LOOKED_AT = 20
# Of the histories that a filter leaves, so many are looked at for whether they have an answer.


def played(contest: Contest, session: Session) -> dict[str, Any]:
    """``nets``: chips by hand and seat."""
    return {"nets": contest.play(session).nets}


def counted(contest: Contest, session: Session, hero: str, blocks: int) -> dict[str, Any]:
    """As ``played``, and of the player ``hero``: ``actions``, by block, number of active players (2, 3),
    street and kind; ``classes``, the same by class of hole cards for what appendix B counts, before the flop
    with three active and something to pay.
    """
    watch = _Count(session.hands, blocks)
    nets = _watched(contest, hero, watch).play(session).nets
    return {"nets": nets, "actions": watch.actions.tolist(), "classes": watch.classes}


def analysed(contest: Contest, session: Session, hero: str, blocks: int) -> dict[str, Any]:
    """What the analyses of 5.2 log of the mappings of ``hero``: see ``_Analysis``."""
    watch = _Analysis(session.hands, blocks)
    _watched(contest, hero, watch).play(session)
    return watch.result()


class _Watch(Protocol):
    def note(self, bot: Strategy, situation: Situation, action: Action) -> None: ...


class _Listening:
    """A player whose decisions are noted."""

    def __init__(self, bot: Strategy, watch: _Watch) -> None:
        self._bot = bot
        self._watch = watch

    def decide(self, situation: Situation) -> Action:
        action = self._bot.decide(situation)
        self._watch.note(self._bot, situation, action)
        return action


@dataclass(frozen=True)
class _Watched(Contest):
    """A contest in which one player's decisions are noted; he must be none who observes."""

    hero: str
    watch: _Watch

    def strategies(self, session: Session, game: Game) -> list[Strategy]:
        found = super().strategies(session, game)
        seat = session.players.index(self.hero)
        found[seat] = _Listening(found[seat], self.watch)
        return found


def _watched(contest: Contest, hero: str, watch: _Watch) -> Contest:
    return _Watched(contest.division, contest.table, contest.entries, contest.seed, hero, watch)


class _Count:
    def __init__(self, hands: int, blocks: int) -> None:
        self._hands, self._blocks = hands, blocks
        self.actions = np.zeros((blocks, 2, 4, 3), np.int64)
        self.classes: dict[str, list[int]] = {}

    def note(self, bot: Strategy, situation: Situation, action: Action) -> None:
        block = situation.hand * self._blocks // self._hands
        kind = KINDS.index(action.kind)
        self.actions[block, situation.opponents - 1, situation.street, kind] += 1
        if situation.street == 0 and situation.opponents == 2 and situation.to_call > 0:
            cells = self.classes.setdefault(hand_class(situation.hole), [0, 0, 0])
            cells[kind] += 1


class _Analysis:
    """The logs of 5.2, added up.

    * ``mappings``: how many there were; ``unanswered``: those that found no history with an answer; ``seen``
      and ``nan``: of histories that filters left, how many were looked at, and had none
    * ``variances``: by number of nearest histories, mappings and the summed variances of the three chances
    * ``distances``: by block and distance, for mappings with a mean chance of a raise as in ``NEAR``: how
      many histories, and the sum of how far their chance of a raise is from the mean
    """

    def __init__(self, hands: int, blocks: int) -> None:
        self._hands, self._blocks = hands, blocks
        self._counts: Counter[str] = Counter()
        self._variances: dict[int, NDArray[np.float64]] = {}
        self._distances = np.zeros((blocks, LONGEST + 1, 2))

    def note(self, bot: Strategy, situation: Situation, action: Action) -> None:
        assert isinstance(bot, MappedBot)
        spot = spot_of(situation)
        blueprint = load_blueprint()
        state = blueprint.card_state(situation.hole, situation.board)
        for one in bot.answers(situation, spot):
            ranked = bot.mapping.ranked(histories(), spot, one.opponent).rows
            nodes = histories().node[ranked[:: 1 + len(ranked) // _LOOKED_AT]]
            self._counts["seen"] += len(nodes)
            self._counts["nan"] += sum(not blueprint.reached(int(node), state) for node in nodes)
            self._add(one, situation.hand * self._blocks // self._hands)

    def _add(self, one: Answer, block: int) -> None:
        self._counts["mappings"] += 1
        if one.skipped == one.available:
            self._counts["unanswered"] += 1
            return
        row = self._variances.setdefault(len(one.rows), np.zeros(4))
        row += [1, *one.probabilities.var(axis=0)]
        raises = one.probabilities[:, 2]
        middle, width = NEAR
        if abs(raises.mean() - middle) <= width:
            places = np.minimum(one.distances, LONGEST).astype(int)
            np.add.at(self._distances[block, :, 0], places, 1)
            np.add.at(self._distances[block, :, 1], places, abs(raises - raises.mean()))

    def result(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            **{key: self._counts[key] for key in ("mappings", "unanswered", "seen", "nan")},
            "variances": {str(size): row.tolist() for size, row in sorted(self._variances.items())},
            "distances": self._distances.tolist(),
        }
