"""Akuma, a bot that learns its opponents' habits and simulates the outcome of its actions.

Czarny and Schumann 2009 gave their agent this name: opponents modelled by ranges of hands and by frequencies
of actions, Monte Carlo simulation, learning at the table. No more is known of it; everything else here is our
own. It is made for limit hold'em. At no-limit tables it plays limit hold'em at no-limit sizes: a call is
counted in bets by its price, and raises, its own and those of its trials, are three quarters of the pot after
the call.
"""

from __future__ import annotations

from math import exp2

import numpy as np

from dealer.rules import actions
from dealer.rules.actions import Action, raise_to
from dealer.rules.events import Event
from dealer.rules.games import Game
from strategy.akuma.habits import BettingTracker, Habits, choices
from strategy.akuma.parameters import AkumaParameters
from strategy.akuma.ranges import infer_ranges, range_percentiles
from strategy.akuma.simulate import RAISE_POTS, AkumaEstimate, AkumaSpot, simulate
from strategy.checks import require_holdem, verify_situation
from strategy.playout.betting import first_players, make_opening
from strategy.poker.combos import HANDS, Weights, combo_index
from strategy.poker.dealing import cumulative, stratified_sample
from strategy.poker.kernels import keys_of, rng
from strategy.poker.strength import field
from strategy.situation import Situation

_SAMPLES = 512
# Hands sampled from a range; a trial uses some of them.
_WEAK = -0.1
# Big blinds per hand.
_MAX_RAISES = 4
# Raises per street in a no-limit trial; after them players have the frequencies of players who may not raise.


class Akuma:
    """A hold'em player; ``habits`` are what it has learned, and are kept from hand to hand.

    Raises UnplayableGame for another game.
    """

    def __init__(self, seed: int, game: Game, parameters: AkumaParameters | None = None) -> None:
        require_holdem("akuma", game)
        self.parameters = AkumaParameters() if parameters is None else parameters
        self.habits = Habits(game, self.parameters.prior)
        self._seed = seed

    def observe(self, event: Event) -> None:
        """Observe an event, and learn."""
        self.habits.observe(event)

    def decide(self, situation: Situation) -> Action:
        """Fold, call or raise, whichever wins most in trials. Raises SituationError."""
        verify_situation(situation)
        found = self.estimate(situation)
        fold, _, least, most = situation.legal
        if least is not None and most is not None and found.raise_ > found.call:
            kind, value = raise_to(min(most, max(least, _raise_size(situation)))), found.raise_
        else:
            kind, value = actions.CALL, found.call
        if fold and situation.to_call and value < -self._call_bonus(situation):
            return actions.FOLD
        # A call that does not pay yet is cheaper than a raise that does not.
        return actions.CALL if value < 0 else kind

    def estimate(self, situation: Situation) -> AkumaEstimate:
        """Return the mean chips won from now on after a call and after a raise; a fold wins 0. Raises
        SituationError.
        """
        blinds, antes, sizes = make_opening(situation, self.habits.started)
        own, board = situation.position, situation.board
        opponents = [i for i, folded in enumerate(situation.folded) if not folded and i != own]
        game, parameters = situation.game, self.parameters
        rates = np.array([self.habits.rates(seat) for seat in situation.seats])
        start = [paid + stack for paid, stack in zip(situation.paid, situation.stacks, strict=True)]
        behind = [has - ante - blind for has, ante, blind in zip(start, antes, blinds, strict=True)]
        now = BettingTracker(game.max_raises, blinds, None if game.limit else behind, sum(antes))
        tables = infer_ranges(
            list(choices(situation, now)), rates, board, own, parameters.blur, parameters.noise
        )[opponents]
        hand = combo_index(*situation.hole)
        others = situation.players - 1
        sums = cumulative(tables, (*situation.hole, *board))
        deal = AkumaSpot(
            players=np.array(
                [
                    situation.stacks,
                    situation.paid,
                    situation.bets,
                    now.level,
                    now.led,
                    situation.folded,
                    _positions_to_act(situation),
                ],
                np.int64,
            ),
            now=np.array([situation.street, now.bets, now.raises, own]),
            opponents=np.array(opponents),
            sums=sums,
            samples=np.array([stratified_sample(row, _SAMPLES) for row in sums]),
            parts=np.array([range_percentiles(table, board, others) for table in tables]),
            ahead=np.array([_range_beaten(situation, table) for table in tables]),
            own=hand,
            own_part=float(range_percentiles(np.ones(HANDS), (), others)[hand]),
            board_key=keys_of(board)[0],
            board_mask=keys_of(board)[1],
            rates=rates,
            first=np.array(first_players(situation)),
            sizes=np.array(sizes if game.limit else (0,) * 4),
            caps=np.array(game.max_raises if game.limit else (_MAX_RAISES,) * 4),
            blur=parameters.blur,
            noise=parameters.noise,
        )
        state = rng("akuma", self._seed, situation.hand, len(situation.history))
        return simulate(state, deal, parameters.trials)

    def _call_bonus(self, situation: Situation) -> float:
        """Return the chips that a call may seem to lose, to see more of losing players while little is known
        about them.
        """
        habits, parameters = self.habits, self.parameters
        big_blind = max(situation.big_blind, *make_opening(situation, habits.started).blinds)
        weak = _WEAK * habits.hands * big_blind
        if not any(
            habits.won.get(seat, 0) < weak
            for seat, folded in zip(situation.seats, situation.folded, strict=True)
            if not folded and seat != situation.seat
        ):
            return 0.0
        return parameters.explore * big_blind * exp2(-habits.hands / parameters.explore_hands)


def _positions_to_act(situation: Situation) -> list[bool]:
    """Return who can still act on this street if nobody raises; the player's own turn is now."""
    acted = {situation.seat}
    for step in situation.history:
        if step.street == situation.street:
            acted = {situation.seat, step.seat} if step.kind == "raise" else acted | {step.seat}
    return [
        not folded and stack > 0 and seat not in acted
        for seat, folded, stack in zip(situation.seats, situation.folded, situation.stacks, strict=True)
    ]


def _raise_size(situation: Situation) -> int:
    """Return the first raise of a no-limit trial, as a total of the street."""
    called = situation.bets[situation.position] + situation.to_call
    return called + int(RAISE_POTS * (situation.pot + situation.to_call))


def _range_beaten(situation: Situation, table: Weights) -> float:
    """Return the share of a range that the player's hand beats; not used before the flop."""
    return field(situation.hole, situation.board, table).strength if situation.board else 0.5
