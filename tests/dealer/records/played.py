"""Hands played at random, to write down and to read back."""

from __future__ import annotations

import random
from collections.abc import Iterator

from dealer.deck import secure_deals
from dealer.rules.actions import CALL, FOLD, Action
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.hand import HandState


def random_hand(game: Game, source: random.Random, number: int = 0, *, muck: bool = False) -> HandState:
    """A hand in which everybody folds little and raises often, a quarter of the raises for everything."""
    seats = list(range(game.players))
    source.shuffle(seats)
    deal = secure_deals(source.randbytes(32), 0, game).deal(number)
    hand = HandState(game, deal, number=number, seats=seats, muck=muck)
    while not hand.over:
        hand.act(random_action(hand, source), forced=source.choice(["", "", "", "timeout"]))
    return hand


def random_action(hand: HandState, source: random.Random) -> Action:
    legal = hand.legal()
    drawn = source.random()
    if legal.fold and drawn < 0.12:
        return FOLD
    if legal.min_raise is None or legal.max_raise is None or drawn < 0.6:
        return CALL
    most = legal.max_raise if drawn > 0.9 else min(legal.max_raise, 3 * legal.min_raise)
    return Action("raise", source.randint(legal.min_raise, most))


def random_holdem(source: random.Random, *, limit: bool, players: int | None = None) -> Game:
    """A table under the standard rules with uneven stacks and often an ante."""
    count = players or source.randint(2, 9)
    return holdem(
        count,
        5,
        10,
        ante=source.choice([0, 0, 1, 3]),
        limit=limit,
        stack=[source.randint(15, 400) for _ in range(count)],
    )


def all_kinds(source: random.Random, each: int) -> Iterator[HandState]:
    """Hands of every game there is a file for, and of the standard rules with and without mucking."""
    games = [
        "custom.nolimit.4p.uneven",
        "holdem.limit.3p",
        "holdem.nolimit.6p",
        "kuhn.limit.3p",
        "leduc.limit.2p",
    ]
    for number in range(each):
        for name in games:
            yield random_hand(load_game(name), source, number)
        for limit in (True, False):
            yield random_hand(
                random_holdem(source, limit=limit), source, number, muck=limit == (number % 2 == 0)
            )
