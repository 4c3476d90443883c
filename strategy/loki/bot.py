"""Loki: the expert system before the flop; after it Loki-1's rules, triples, or simulation.

The three enhancements of Loki-2 are independent: ``B`` chooses by triples, with one random number per hand;
``R`` reweights the opponents' tables by triples; ``S`` simulates and takes the most profitable action.

For no-limit tables this is our own adaptation: bets are counted by price (``strategy.playout.betting``),
raises are three quarters of the pot, up to the whole pot with better hands, and before the flop a call of
many big blinds requires a hand that is good enough (``preflop.deep_enough``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.events import Chips, Event, HandStarted
from dealer.rules.games import Game
from strategy.checks import require_holdem, verify_situation
from strategy.loki import model, preflop, simulate
from strategy.loki.boards import fast_ppots
from strategy.loki.odds import BET_AT, RAISE_AT, BettingThresholds, HandValue, decide, showdown_odds
from strategy.loki.parameters import LokiParameters
from strategy.loki.tables import ActionModel, ThresholdPair, WeightTables
from strategy.loki.triples import EXAMPLE, OTHERS, ROWS, Rows, Triple, choose, triple
from strategy.loki.views import BettingReplay, View, replay
from strategy.playout.betting import Opening, first_players, make_opening, pot_raise
from strategy.poker.batch import all_strengths
from strategy.poker.combos import HANDS, Weights, combo_index, uniform
from strategy.poker.dealing import cumulative, stratified_sample
from strategy.poker.income import income_rate, income_rates
from strategy.poker.kernels import keys_of, rng
from strategy.poker.kernels import uniform as random_number
from strategy.poker.strength import hand_strength, potential
from strategy.situation import Situation

_RIVALS = 512
# Sampled hands that trials compare with.
_MAX_RAISES = 4
# Raises per street in a no-limit trial.


class Loki:
    """A hold'em player; ``enhancements`` are letters of ``BRS``.

    Frequencies of the opponents' actions are kept from hand to hand, weight tables within a hand.
    """

    enhancements: ClassVar[str] = ""

    def __init__(self, seed: int, game: Game, parameters: LokiParameters | None = None) -> None:
        require_holdem("loki", game)
        self.parameters = LokiParameters() if parameters is None else parameters
        self.frequencies = model.Frequencies()
        self._seed = seed
        self._started: HandStarted | None = None
        self._tables = WeightTables()
        self._reading = ActionModel(self._rates, self._thresholds, "R" in self.enhancements)
        self._bluffed = -1

    def observe(self, event: Event) -> None:
        """Observe an event, and count actions."""
        if isinstance(event, HandStarted):
            self._started = event
            self._tables = WeightTables()
        self.frequencies.observe(event)

    def decide(self, situation: Situation) -> Action:
        """Fold, call or raise. Raises SituationError."""
        verify_situation(situation)
        opening = make_opening(situation, self._started)
        now, views = replay(situation, opening)
        view = now.view(situation.position)
        if situation.street == 0:
            kind, size = self._preflop(situation, opening, now, view), 1.0
        else:
            if not self._tables.same_hand(situation):
                self._tables, self._bluffed = WeightTables(situation), -1
            if self.parameters.model != "none":
                self._tables.update(situation, views, self._reading)
            kind, size = self._postflop(situation, opening, now, view)
        return _legal(situation, kind, size)

    # Opponents

    def _rates(self, seat: int, street: int, to_call: int) -> model.ActionRates:
        if self.parameters.model == "generic":
            return model.DEFAULTS[min(2, to_call)]
        return self.frequencies.rates(seat, street, to_call)

    def _thresholds(self, seat: int) -> ThresholdPair:
        """Return an opponent's thresholds: the defaults, moved by how much more or less that player folds and
        raises.
        """
        if self.parameters.model != "specific":
            return BET_AT, RAISE_AT
        folds, raises = self.frequencies.tendencies(seat)
        return min(0.8, BET_AT * folds), min(0.97, max(0.2, 1 - (1 - RAISE_AT) * raises))

    @property
    def _own_thresholds(self) -> ThresholdPair:
        """Return the thresholds of Loki's own triples.

        Their soft edges lie below, so that Loki always bets what Loki-1 bets.
        """
        own = self.parameters
        return own.bet_at - own.soft, own.raise_at - own.soft / 2

    @property
    def _own_rows(self) -> Rows:
        return ROWS if self.parameters.triples == "bluffing" else OTHERS

    # Before the flop

    def _preflop(self, situation: Situation, opening: Opening, now: BettingReplay, view: View) -> str:
        own = [place for place, step in enumerate(situation.history) if step.seat == situation.seat]
        first = replay(situation, opening, own[0])[0] if own else now
        tightness = self.parameters.tightness
        plan = preflop.preflop_strategy(situation.hole, first, situation.position, opening, tightness)
        kind = preflop.act(plan, view)
        if situation.game.limit or kind == "fold" or not situation.to_call:
            return kind
        players = preflop.rate_group(first, situation.position)
        percentile = float(np.mean(income_rates(players) < income_rate(situation.hole, players)))
        if not preflop.deep_enough(percentile, situation.to_call / max(1, *opening.blinds)):
            return "fold"
        return kind

    # After the flop

    def _postflop(
        self, situation: Situation, opening: Opening, now: BettingReplay, view: View
    ) -> tuple[str, float]:
        """Return the action and, for no-limit, the size of a raise in pots."""
        hand = self._value(situation)
        size = 0.75 + 0.25 * max(0.0, hand.ehs - 0.5) * 2
        if "S" in self.enhancements:
            found = self._best_by_simulation(situation, opening, now, hand, size)
            if found is not None:
                return found, size
        if "B" in self.enhancements:
            return choose(self.probabilities(hand, view), self.random_number(situation.hand)), size
        kind, bluff = decide(
            hand,
            view,
            BettingThresholds(self.parameters.bet_at, self.parameters.raise_at),
            self._showdown_odds(situation, opening),
            bluffing=self._bluffed == view.street - 1 > 0,
        )
        if bluff:
            self._bluffed = view.street
        return kind, size

    def random_number(self, hand: int) -> float:
        """Return the random number of a hand, in [0, 1)."""
        return random_number(rng("loki", self._seed, hand))

    def probabilities(self, hand: HandValue, view: View) -> Triple:
        """Return Loki's own triple."""
        if self.parameters.triples == "example":
            return EXAMPLE.at(hand.ehs)
        return Triple(
            *triple(
                self._own_rows,
                hand.strength,
                hand.ppot,
                *view.facts,
                *self._own_thresholds,
                self.parameters.soft,
            )
        )

    def _opponents(self, situation: Situation) -> list[int]:
        return [i for i, folded in enumerate(situation.folded) if not folded and i != situation.position]

    def _value(self, situation: Situation) -> HandValue:
        opponents = self._opponents(situation)
        hole, board = situation.hole, situation.board
        strength = hand_strength(hole, board, self._tables.weights[opponents], len(opponents))
        if len(board) == 5:
            return HandValue(strength, 0.0, 0.0)
        look = potential(hole, board, 1, self._tables.field(opponents))
        return HandValue(strength, look.ppot, look.npot)

    def _showdown_odds(self, situation: Situation, opening: Opening) -> float:
        """Return the showdown odds, if one bet is made on each later street."""
        streets = range(situation.street + 1, 4)
        later: Chips = (
            sum(opening.sizes[street] for street in streets)
            if opening.sizes
            else situation.pot * len(streets)
        )
        later = min(later, situation.stacks[situation.position] - situation.to_call)
        return showdown_odds(situation.to_call, situation.pot_in_reach, later)

    def _best_by_simulation(
        self, situation: Situation, opening: Opening, now: BettingReplay, hand: HandValue, size: float
    ) -> str | None:
        """Return the most profitable action in trials; None if there are none."""
        state = rng("trials", self._seed, situation.hand, len(situation.history))
        deal = self._spot(situation, opening, now, hand)
        least = situation.legal.min_raise
        to = 0 if least is None else pot_raise(situation, size)
        found = simulate.simulate(state, deal, to, self.parameters.trials)
        if not found.trials:
            return None
        best = "call"
        if least is not None and found.raise_ > found.call:
            best = "raise"
        if situation.to_call and max(found.call, found.raise_ if best == "raise" else found.call) < 0:
            return "fold"
        return best

    def _spot(
        self, situation: Situation, opening: Opening, now: BettingReplay, hand: HandValue
    ) -> simulate.LokiSpot:
        opponents, board = self._opponents(situation), situation.board
        own = combo_index(*situation.hole)
        strengths = np.zeros((2, situation.players, HANDS))
        rivals = np.zeros((2, situation.players, _RIVALS), np.int64)
        players = (*opponents, situation.position)

        def look(branch: int, tables: Sequence[Weights], positions: Sequence[int]) -> None:
            for position in positions:
                field = model.mean_table([tables[i] for i in players if i != position])
                strengths[branch, position] = all_strengths(board, field)
                rivals[branch, position] = stratified_sample(np.cumsum(field * uniform(board)), _RIVALS)

        tables = list(self._tables.weights)
        look(0, tables, players)
        strengths[1], rivals[1] = strengths[0], rivals[0]
        # Others respect a hand more after a bet. With raises the tables overdo it.
        if not situation.to_call and self.parameters.model != "none":
            view = now.view(situation.position)
            tables[situation.position] = self._tables.table_after("raise", situation, view, self._reading)
            look(1, tables, opponents)
        ppots = fast_ppots(board).copy()
        # Loki's own hand needs no table, and blocks its cards.
        strengths[:, situation.position, own], ppots[own] = hand.strength ** (1 / len(opponents)), hand.ppot
        limit = situation.game.limit
        return simulate.LokiSpot(
            players=np.array(
                [
                    situation.stacks,
                    situation.paid,
                    situation.bets,
                    now.level,
                    now.called,
                    now.folded,
                    now.needs,
                ],
                np.int64,
            ),
            now=np.array([situation.street, now.bets, now.raises, situation.position]),
            opponents=np.array(opponents),
            sums=cumulative(self._tables.weights[opponents], (*situation.hole, *board)),
            own=own,
            board_key=keys_of(board)[0],
            board_mask=keys_of(board)[1],
            strengths=strengths,
            ppots=ppots,
            rivals=rivals,
            thresholds=self._all_thresholds(situation),
            first=np.array(first_players(situation)),
            sizes=np.array(opening.sizes if limit else (0,) * 4),
            caps=np.array(situation.game.max_raises if limit else (_MAX_RAISES,) * 4),
            rows=self._rows(situation),
        )

    def _all_thresholds(self, situation: Situation) -> Weights:
        thresholds = np.array([self._thresholds(seat) for seat in situation.seats])
        thresholds[situation.position] = self._own_thresholds
        return thresholds

    def _rows(self, situation: Situation) -> Weights:
        rows = np.array([OTHERS] * situation.players)
        rows[situation.position] = self._own_rows
        return rows


def _legal(situation: Situation, kind: str, size: float) -> Action:
    """Return the nearest legal action: an illegal raise becomes a call, a fold for nothing a check."""
    fold, _, least, _ = situation.legal
    if kind == "raise" and least is not None:
        return raise_to(pot_raise(situation, size))
    return FOLD if kind == "fold" and fold and situation.to_call else CALL


class Loki1(Loki):
    """Loki-1."""


class Loki2(Loki):
    """Loki-2 with all enhancements."""

    enhancements = "BRS"


class Loki2B(Loki):
    """Loki-1 with actions chosen by triples."""

    enhancements = "B"


class Loki2R(Loki):
    """Loki-1 with reweighting by triples."""

    enhancements = "R"


class Loki2S(Loki):
    """Loki-1 with simulation."""

    enhancements = "S"


class Loki2BR(Loki):
    """Loki-2 without simulation."""

    enhancements = "BR"
