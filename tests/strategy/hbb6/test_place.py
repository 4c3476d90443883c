"""Where situations are in the graph of three players."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest

from dealer.rules.games import Game, holdem
from strategy.cfr.graph import BettingGraph, compile_graph
from strategy.registry import create_strategy
from strategy.three_player.locate_node import find_node, find_subgame
from strategy.three_player.policy import THREE_PLAYERS
from tests.strategy.play import at, decisions, shuffled

FLOP, TURN = "2c7dTs", "2c7dTsJh"
SIX = holdem(6, 5, 10, limit=True)
FOUR = holdem(4, 5, 10, limit=True)


@cache
def graph() -> BettingGraph:
    return compile_graph(THREE_PLAYERS)


def place(game: Game, actions: str, board: str = "") -> int:
    return find_node(graph(), at(game, actions, "AhAd", board))


def test_at_a_table_of_three_it_is_the_same_betting() -> None:
    random = Random(4)
    players = [create_strategy("random", seat, THREE_PLAYERS) for seat in range(3)]
    streets = set()
    for number in range(60):
        for _, situation in decisions(THREE_PLAYERS, players, shuffled(THREE_PLAYERS, random), number=number):
            node = find_node(graph(), situation)
            assert graph().player[node] == situation.position
            assert graph().street[node] == situation.street
            assert graph().paid[node].tolist() == list(situation.paid)
            assert graph().live[node].tolist() == [not folded for folded in situation.folded]
            assert (graph().child[node, 0] >= 0) == situation.legal.fold
            assert (graph().child[node, 2] >= 0) == (situation.legal.min_raise is not None)
            streets.add(situation.street)
    assert streets == {0, 1, 2, 3}


def test_bets_are_counted_and_not_chips() -> None:
    other = holdem(3, 50, 100, limit=True)
    assert place(other, "r c f r", FLOP) == place(THREE_PLAYERS, "r c f r", FLOP) > 0


def test_raises_beyond_the_number_are_calls() -> None:
    many = replace(THREE_PLAYERS, max_raises=(5, 4, 4, 4))
    assert place(many, "r r r r") == place(THREE_PLAYERS, "r r r c") > 0


def test_with_more_players_it_waits_for_a_street_of_three() -> None:
    assert place(SIX, "f f f f") == -1
    assert place(SIX, "f f c c c c c", FLOP) == -1
    assert place(FOUR, "c c c c r f", FLOP) == -1
    # Under the gun, button and big blind see the flop; the raiser is third among the live.
    node = place(SIX, "c f f r f c c", FLOP)
    assert graph().player[node] == 0
    assert graph().opens[node]
    assert graph().live[node].all()
    assert graph().raiser[node] == 2
    assert graph().paid[node].sum() == 60


def test_with_more_players_later_actions_are_followed() -> None:
    start = place(SIX, "c f f r f c c", FLOP)
    node = place(SIX, "c f f r f c c c r", FLOP)
    assert node == graph().child[graph().child[start, 1], 2]
    # Four saw the flop and three the turn, with a bet of the first on the flop.
    turn = place(FOUR, "c c c c r c f c", TURN)
    assert graph().opens[turn]
    assert graph().street[turn] == 2
    assert (graph().raiser[turn], graph().quiet[turn], graph().player[turn]) == (0, False, 0)
    assert graph().live[turn].all()


def test_two_of_many_are_any_two_of_three_with_such_a_pot() -> None:
    node = place(SIX, "r f f f f c", FLOP)  # under the gun raised, the big blind called: 45
    assert graph().live[node].sum() == 2
    assert graph().paid[node].sum() == 45
    positions = np.flatnonzero(graph().live[node])
    assert graph().player[node] == positions[0]
    assert graph().raiser[node] == positions[1]


def test_two_who_began_the_flop() -> None:
    found = find_subgame(graph(), at(THREE_PLAYERS, "r f c c r", "AhAd", FLOP))
    assert found is not None
    node, seats = found
    assert node == place(THREE_PLAYERS, "r f c", FLOP)
    assert seats == {1: 0, 2: 1}
    # The same two, whatever has happened since.
    assert find_subgame(graph(), at(THREE_PLAYERS, "r f c c r c r", "AhAd", TURN)) == found
    many = find_subgame(graph(), at(SIX, "r f f f f c c", "AhAd", FLOP))
    assert many is not None
    assert many == (place(SIX, "r f f f f c", FLOP), {1: 0, 2: 1})


@pytest.mark.parametrize(
    ("game", "actions", "board"),
    [
        (THREE_PLAYERS, "r f", ""),
        (THREE_PLAYERS, "c c c", FLOP),
        (THREE_PLAYERS, "c c c r f", FLOP),
        (SIX, "c f f r f c c", FLOP),
        (holdem(2, 5, 10, limit=True), "c c", FLOP),
    ],
)
def test_where_no_two_began_the_flop(game: Game, actions: str, board: str) -> None:
    assert find_subgame(graph(), at(game, actions, "AhAd", board)) is None


@pytest.mark.parametrize(
    ("game", "actions", "board"),
    [
        (holdem(2, 5, 10, limit=True), "c", ""),
        (holdem(3, 5, 10, limit=True, stack=(10, 500, 500)), "c c c", FLOP),  # the small blind is all-in
    ],
)
def test_where_there_is_no_place(game: Game, actions: str, board: str) -> None:
    assert place(game, actions, board) == -1
