"""Hands of hold'em played side by side by our rules and by PokerKit, every number compared.

    python -m tests.oracle.pokerkit_oracle --hands 1000000 --processes 2 --seed 0

Each hand has 2 to 9 players, uneven stacks from one chip to 200 big blinds, antes or none, limit or
no-limit. Compared: who is to act, what calling costs, the smallest and the largest raise, the pot and all
stacks at every decision, the stacks at the end, and at every showdown the order of the hands by
phevaluator.

PokerKit 0.7 is right about nearly everything. Four of its answers are not those of the published rules, so
``Ruled`` corrects it where they come up, and nowhere else; how often is counted and reported:

``short_blind``
    With a big blind that its poster cannot pay in full PokerKit lets the others call the smaller amount.
    They must call the full big blind (and raise to at least two), as long as two players have chips left.
``short_all_in``
    PokerKit does not count the big blind (or, on later streets, the smallest bet) as the first full bet, so
    that any all-in above it reopens the betting; and it loses count when more than one all-in in a row is
    short. Robert's Rules of Poker 11, no-limit 3 and 5: who has acted may raise again only when he faces at
    least a full bet or raise more.
``no_question``
    PokerKit asks a player to check when everybody else is all-in and he has nothing to call.
``odd_chips``
    PokerKit gives all odd chips of a pot to one winner, and merges side pots that the same hands win.
    Robert's Rules of Poker 11, ties 3 and 5: nobody gets more than one, and every pot is split by itself.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from phevaluator import evaluate_cards
from pokerkit import (
    Automation,
    BettingStructure,
    ChipsPushing,
    Deck,
    Mode,
    Opening,
    Operation,
    StandardHighHand,
    State,
    Street,
)

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.cards import cards_text
from dealer.rules.evaluation import rank_hand
from dealer.rules.events import Shown
from dealer.rules.games import Game, holdem
from dealer.rules.hand import HandState
from dealer.rules.legal import Legal
from dealer.rules.notation import format_betting

_AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)


class Disagreement(AssertionError):
    """We and the oracle differ; the message says where, and how to play that hand again."""


class Deal(NamedTuple):
    """The cards of a hand."""

    hole: tuple[tuple[int, ...], ...]
    boards: tuple[tuple[int, ...], ...]

    def board(self, street: int) -> tuple[int, ...]:
        return self.boards[street]


@dataclass
class Report:
    """What was compared: hands, decisions, showdowns, and in how many hands each ruling was needed."""

    hands: int = 0
    decisions: int = 0
    showdowns: int = 0
    short_blind: int = 0
    short_all_in: int = 0
    no_question: int = 0
    odd_chips: int = 0

    def __iadd__(self, other: Report) -> Report:
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def text(self) -> str:
        return ", ".join(f"{name} {count:,}" for name, count in vars(self).items())


class Ruled(State):
    """PokerKit's hand, with the rulings ``short_blind``, ``short_all_in`` and ``odd_chips`` of this module.
    ``used`` are those that came up.
    """

    full = 0
    short = False
    odd = 0
    spoken: frozenset[int] = frozenset()
    used: frozenset[str] = frozenset()

    def level(self) -> int:
        """What must be matched on this street."""
        most = max(self.bets)
        big_blind = max(self.blinds_or_straddles)
        can_act = sum(
            bool(playing and stack) for playing, stack in zip(self.statuses, self.stacks, strict=True)
        )
        if self.street_index == 0 and can_act > 1 and most < big_blind:
            self.used |= {"short_blind"}
            return big_blind
        return most

    @property
    def checking_or_calling_amount(self) -> int | None:
        player = self.actor_index
        if super().checking_or_calling_amount is None or player is None:
            return None
        return min(self.stacks[player], self.level() - self.bets[player])

    @property
    def min_completion_betting_or_raising_to_amount(self) -> int | None:
        theirs = super().min_completion_betting_or_raising_to_amount
        player = self.actor_index
        if theirs is None or player is None or not self._needs_ruling():
            return theirs
        return min(self.stacks[player] + self.bets[player], self.level() + self.full)

    def complete_bet_or_raise_to(self, amount: int | None = None, *, commentary: str | None = None) -> object:  # type: ignore[override]
        amount = self.verify_completion_betting_or_raising_to(amount)
        player = self.actor_index
        assert player is not None
        size = amount - self.level()
        done = super().complete_bet_or_raise_to(amount, commentary=commentary)
        self.spoken |= {player}
        if size >= self.full:
            self.full = size
        else:
            self.short = True
        return done

    def verify_folding(self) -> None:
        player = self.actor_index
        if player is None or self.bets[player] >= self.level():
            super().verify_folding()

    def check_or_call(self, *, commentary: str | None = None) -> object:  # type: ignore[override]
        assert self.actor_index is not None
        self.spoken |= {self.actor_index}  # If this ends the street, the next one clears it.
        return super().check_or_call(commentary=commentary)

    def _begin_betting(self) -> None:
        assert self.street is not None
        self.full = self.street.min_completion_betting_or_raising_amount
        self.short = False
        self.spoken = frozenset()
        super()._begin_betting()

    def _begin_hand_killing(self) -> None:
        # Killing the losers' hands would merge pots that then have the same players left.
        self._end_hand_killing()

    def _update_chips_pushing(self, operation: Operation | None = None) -> None:
        if isinstance(operation, ChipsPushing):
            amounts = operation.amounts
            winners = [player for player in self.player_indices if amounts[player]]
            odd = sum(amounts) % len(winners)
            for player in winners[1:odd]:
                self.bets[winners[0]] -= 1
                self.bets[player] += 1
            self.odd += odd
            if self.odd > 1:
                self.used |= {"odd_chips"}
        super()._update_chips_pushing(operation)

    def _needs_ruling(self) -> bool:
        self.level()
        return self.short or (self.street_index == 0 and "short_blind" in self.used)

    def _verify_completion_betting_or_raising(self) -> None:
        if not self._needs_ruling():
            super()._verify_completion_betting_or_raising()
            return
        player = self.actor_index
        assert player is not None
        assert self.street is not None
        level = self.level()
        if self.short:
            self.used |= {"short_all_in"}
        if self.completion_betting_or_raising_count == self.street.max_completion_betting_or_raising_count:
            raise ValueError("the cap is reached")
        if player in self.spoken and level - self.bets[player] < self.full:
            raise ValueError("the betting is not open to this player")
        if self.stacks[player] + self.bets[player] <= level:
            raise ValueError("not enough chips to raise")
        if not any(
            self.statuses[i] and self.stacks[i] + self.bets[i] > level
            for i in self.player_indices
            if i != player
        ):
            raise ValueError("nobody could answer")


def _state(game: Game, stacks: tuple[int, ...]) -> Ruled:
    """PokerKit's state for the same table, before the cards."""
    big_blind = max(game.blinds)
    sizes = game.raise_sizes if game.limit else (big_blind,) * 4
    streets = tuple(
        Street(
            False,
            (False, False) if street == 0 else (),
            game.board_cards[street],
            False,
            Opening.POSITION,
            sizes[street],
            game.max_raises[street] if game.limit else None,
        )
        for street in range(4)
    )
    return Ruled(
        _AUTOMATIONS,
        Deck.STANDARD,
        (StandardHighHand,),
        streets,
        BettingStructure.FIXED_LIMIT if game.limit else BettingStructure.NO_LIMIT,
        True,
        game.ante,
        # PokerKit swaps the blinds itself when there are two players.
        tuple(sorted(game.blinds)) if game.players == 2 else game.blinds,
        0,
        stacks,
        game.players,
        mode=Mode.TOURNAMENT,
    )


def _table(rng: Random) -> tuple[Game, tuple[int, ...]]:
    """A random table: a game and the stacks of its players."""
    players = rng.randint(2, 9)
    big_blind = rng.choice((2, 3, 10, 20, 100))
    limit = rng.random() < 0.35
    game = holdem(
        players,
        rng.choice((big_blind // 2, max(1, big_blind // 3))),
        big_blind,
        ante=rng.choice((0, 0, 0, 1, max(1, big_blind // 5), big_blind)),
        limit=limit,
    )
    depths = rng.choice(((1,), (1, 3), (3, 20), (1, 3, 20, 200), (20, 200), (200,)))
    return game, tuple(rng.randint(1, rng.choice(depths) * big_blind) for _ in range(players))


def _deal(rng: Random, players: int) -> Deal:
    cards = rng.sample(range(52), 2 * players + 5)
    hole = tuple(tuple(cards[2 * i : 2 * i + 2]) for i in range(players))
    board = tuple(cards[2 * players :])
    return Deal(hole, ((), board[:3], board[3:4], board[4:]))


def _choose(rng: Random, legal: Legal, temper: tuple[float, float]) -> Action:
    """A random action; ``temper`` is how often this hand's players fold and raise."""
    fold, raises = temper
    x = rng.random()
    if legal.fold and x < fold:
        return FOLD
    if legal.min_raise is None or legal.max_raise is None or x > fold + raises:
        return CALL
    low, high = legal.min_raise, legal.max_raise
    sizes = (low, low, high, rng.randint(low, high), rng.randint(low, min(high, 3 * low)))
    return raise_to(rng.choice(sizes))


class _Match:
    """One hand on both sides."""

    def __init__(self, seed: str, report: Report) -> None:
        rng = Random(seed)
        self.seed = seed
        self.rng = rng
        self.report = report
        self.game, stacks = _table(rng)
        self.deal = _deal(rng, self.game.players)
        self.temper = rng.choice(((0.05, 0.3), (0.15, 0.15), (0.1, 0.5), (0.0, 0.1), (0.4, 0.3), (0.7, 0.2)))
        self.hand = HandState(self.game, self.deal, stacks=stacks, muck=rng.random() < 0.5)
        self.state = _state(self.game, stacks)
        for position, cards in enumerate(self.deal.hole):
            self.state.deal_hole(cards_text(cards), position)

    def same(self, what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            raise Disagreement(
                f"hand {self.seed}: {what}: ours {ours}, PokerKit's {theirs}\n{self.game}\n"
                f"stacks {self.hand.betting.stacks}, betting {format_betting(self.hand.betting)}, "
                f"deal {self.deal}"
            )

    def play(self) -> None:
        while not self.hand.over:
            self._deal_board()
            self._compare_decision()
            self._act(_choose(self.rng, self.hand.legal(), self.temper))
        self._finish()

    def _deal_board(self) -> None:
        while self.state.can_deal_board():
            assert self.state.street_index is not None
            self.state.deal_board(cards_text(self.deal.board(self.state.street_index)))

    def _compare_decision(self) -> None:
        betting, state = self.hand.betting, self.state
        legal = betting.legal()
        self.report.decisions += 1
        self.same("position to act", betting.to_act, state.actor_index)
        self.same("street", betting.street, state.street_index)
        self.same("chips to call", legal.call, state.checking_or_calling_amount)
        self.same("fold", legal.fold, bool(state.checking_or_calling_amount))
        self.same("smallest raise", legal.min_raise, state.min_completion_betting_or_raising_to_amount)
        self.same("largest raise", legal.max_raise, state.max_completion_betting_or_raising_to_amount)
        self._compare_chips()

    def _compare_chips(self) -> None:
        betting, state = self.hand.betting, self.state
        left = [stack - spent for stack, spent in zip(betting.stacks, betting.spent, strict=True)]
        # PokerKit returns the part of an ante that nobody could match at once, we do at the end of the hand.
        if min(betting.stacks) >= self.game.ante:
            self.same("chips left", left, state.stacks)
            self.same("pot", betting.pot, state.total_pot_amount)

    def _act(self, action: Action) -> None:
        self.hand.act(action)
        if action.kind == "fold":
            self.state.fold()
        elif action.kind == "call":
            self.state.check_or_call()
        else:
            self.state.complete_bet_or_raise_to(action.to)

    def _finish(self) -> None:
        state = self.state
        asked = False
        while state.status:
            if state.actor_index is not None:
                self.same("decision left to a player", 0, state.checking_or_calling_amount)
                self.same("raise left to a player", None, state.min_completion_betting_or_raising_to_amount)
                asked = True
                state.check_or_call()
            else:
                self._deal_board()
        self.same("final stacks", self.hand.final_stacks, tuple(state.stacks))
        self._compare_showdown()
        self.report.hands += 1
        self.report.no_question += asked
        self.report.odd_chips += "odd_chips" in state.used
        self.report.short_blind += "short_blind" in state.used
        self.report.short_all_in += "short_all_in" in state.used

    def _compare_showdown(self) -> None:
        if not any(isinstance(event, Shown) for event in self.hand.events):
            return
        self.report.showdowns += 1
        hands = [cards + self.hand.board for cards in self.hand.hole]
        ours = [rank_hand(hand) for hand in hands]
        # phevaluator numbers cards as we do; its ranks fall as hands get better.
        theirs = [evaluate_cards(*hand) for hand in hands]
        self.same("order of hands", _order(ours), _order([-rank for rank in theirs]))


def _order(ranks: list[int]) -> list[int]:
    return [sorted(set(ranks)).index(rank) for rank in ranks]


def run(hands: int, seed: int = 0) -> Report:
    """Play ``hands`` hands with both; the same seed is the same hands. Raises Disagreement."""
    report = Report()
    for hand in range(hands):
        _Match(f"{seed}:{hand}", report).play()
    return report


_CHUNK = 1000


def _run_parallel(hands: int, seed: int, processes: int) -> Iterator[Report]:
    """The reports of chunks of hands, as they are done. Chunk i has seed ``seed + i``."""
    chunks = [min(_CHUNK, hands - start) for start in range(0, hands, _CHUNK)]
    with ProcessPoolExecutor(processes) as pool:
        jobs = [pool.submit(run, chunk, seed + i) for i, chunk in enumerate(chunks)]
        try:
            for job in as_completed(jobs):
                yield job.result()
        except Disagreement:
            pool.shutdown(cancel_futures=True)
            raise


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare our rules with PokerKit's over random hands.")
    parser.add_argument("--hands", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    total = Report()
    start = time.monotonic()
    try:
        for report in _run_parallel(options.hands, options.seed, options.processes):
            total += report
            rate = total.hands / (time.monotonic() - start)
            sys.stdout.write(f"\r{total.hands:,} of {options.hands:,} hands, {rate:.0f}/s ")
            sys.stdout.flush()
    except Disagreement as error:
        sys.stdout.write(f"\nDISAGREEMENT\n{error}\n")
        return 1
    sys.stdout.write(f"\nno disagreement: {total.text()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
