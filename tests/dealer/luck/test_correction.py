"""The correction for luck is right on average, exactly, for any value function: every deal and action."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from random import Random

import pytest

from dealer.deck import Deal
from dealer.luck.correction import hand_luck
from dealer.luck.value import TERMS
from dealer.rules.actions import CALL, FOLD, RAISE, Action, parse_action
from dealer.rules.betting import Betting
from dealer.rules.events import Event, HandEnded, Policy
from dealer.rules.games import Game, load_game
from dealer.rules.hand import HandState


class Players:
    """Two players who draw every action, with chances that depend on all that each of them sees."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._known: dict[str, Policy] = {}

    def policy(self, betting: Betting, hole: tuple[int, ...], board: tuple[int, ...]) -> Policy:
        actions = [action for action in (FOLD, CALL, RAISE) if betting.can(action)]
        seen = f"{self._seed} {betting.to_act} {hole} {board} {betting.history}"
        if seen not in self._known:
            weights = [Random(f"{seen} {action}").random() for action in actions]
            self._known[seen] = tuple(
                (action.text(), weight / sum(weights))
                for action, weight in zip(actions, weights, strict=True)
            )
        return self._known[seen]


def all_hands(game: Game, players: Players, told: bool) -> Iterator[tuple[float, list[Event]]]:
    """Every deal with every course of the betting, each with its probability."""
    size = game.hole_cards
    needed = 2 * size + sum(game.board_cards)
    deals = list(permutations(game.deck, needed))
    for cards in deals:
        rest = cards[2 * size :]
        streets = tuple(
            rest[sum(game.board_cards[:street]) : sum(game.board_cards[: street + 1])]
            for street in range(game.rounds)
        )
        deal = Deal((cards[:size], cards[size : 2 * size]), streets)
        for chance, actions in courses(game, deal, players, Betting(game)):
            hand = HandState(game, deal)
            for action, policy in actions:
                hand.act(action, "", policy if told else ())
            yield chance / len(deals), hand.events


def courses(
    game: Game, deal: Deal, players: Players, betting: Betting
) -> Iterator[tuple[float, list[tuple[Action, Policy]]]]:
    if betting.to_act < 0:
        yield 1.0, []
        return
    board = tuple(card for street in deal.streets[: betting.street + 1] for card in street)
    policy = players.policy(betting, deal.hole[betting.to_act], board)
    for text, chance in policy:
        after = betting.copy()
        after.act(parse_action(text))
        for later, actions in courses(game, deal, players, after):
            yield chance * later, [(parse_action(text), policy), *actions]


def won(events: list[Event]) -> float:
    ended = events[-1]
    assert isinstance(ended, HandEnded)
    return ended.values[0]


@pytest.mark.parametrize(("name", "max_raises"), [("kuhn.limit.2p", (1,)), ("leduc.limit.2p", (1, 1))])
@pytest.mark.parametrize("told", [False, True])
def test_the_mean_is_exact_for_any_value_function(name: str, max_raises: tuple[int, ...], told: bool) -> None:
    # One raise a street: with more there are no other kinds of hands.
    game, random = replace(load_game(name), max_raises=max_raises), Random(1)
    # None, small ones, and ones that are far from any sense.
    functions = [[], *([random.gauss(0, scale) for _ in range(TERMS)] for scale in (0.1, 1000.0))]
    mean = total = 0.0
    corrected = [0.0] * len(functions)
    largest = 0.0
    for chance, events in all_hands(game, Players(2), told):
        luck = hand_luck(game, events, hole=True)
        total += chance
        mean += chance * won(events)
        for number, weights in enumerate(functions):
            values = luck.without(weights)
            assert sum(values) == pytest.approx(0, abs=1e-6)
            corrected[number] += chance * values[0]
            largest = max(largest, abs(values[0]))
    assert total == pytest.approx(1, abs=1e-9)
    # The last function's corrections are up to a million chips, which sum to a few digits less.
    for value, tolerance in zip(corrected, (1e-9, 1e-9, 1e-6), strict=True):
        assert value == pytest.approx(mean, rel=0, abs=tolerance)
    # Without a board and without dice there is nothing to value.
    assert (largest > 1000) == (told or sum(game.board_cards) > 0)
