from __future__ import annotations

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from dealer.rules.games import holdem
from strategy.loki.boards import all_ehs, fast_ppots
from strategy.loki.model import DEFAULTS, ActionRates
from strategy.loki.tables import ActionModel, WeightTables
from strategy.loki.views import replay
from strategy.playout.betting import make_opening
from strategy.poker.batch import all_potentials, all_strengths
from strategy.poker.combos import combo_index, live
from tests.strategy.loki.situations import BOARD, at

GAME = holdem(3, 5, 10, limit=True)
SETS = combo_index(*parse_cards("TcTd"))
AIR = combo_index(*parse_cards("5h3d"))


def rates(seat: int, street: int, to_call: int) -> ActionRates:
    return DEFAULTS[min(2, to_call)]


def after(actions: str, *, triples: bool = False, tables: WeightTables | None = None) -> WeightTables:
    situation = at(GAME, actions)
    tables = WeightTables(situation) if tables is None else tables
    assert tables.same_hand(situation)
    _, views = replay(situation, make_opening(situation, None))
    tables.update(situation, views, ActionModel(rates, lambda seat: (0.5, 0.85), triples))
    return tables


def ratio(tables: WeightTables, position: int) -> float:
    """How much likelier three tens are than nothing."""
    return float(tables.weights[position, SETS] / tables.weights[position, AIR])


@pytest.mark.parametrize("board", [BOARD[:6], BOARD[:8], "AhKhQh", "2c2d2h9s"])
def test_the_fast_potential_is_near_the_exact_one(board: str) -> None:
    cards = parse_cards(board)
    free = live(cards)
    exact, fast, strengths = (
        all_potentials(cards)[0][free],
        fast_ppots(cards)[free],
        all_strengths(cards)[free],
    )
    # What counts is how much EHS is above HS.
    gains = (1 - strengths) * exact
    assert np.corrcoef((1 - strengths) * fast, gains)[0, 1] > 0.98
    assert np.abs(all_ehs(cards)[free] - strengths - gains).mean() < 0.01


def test_nothing_comes_after_the_river() -> None:
    assert not fast_ppots(parse_cards(BOARD)).any()


@pytest.mark.parametrize("triples", [False, True])
def test_a_bet_speaks_for_a_hand_and_a_raise_more_so(triples: bool) -> None:
    before = after("c c c", triples=triples)
    bet = after("c c c r", triples=triples)
    raised = after("c c c c r r", triples=triples)
    assert ratio(bet, 0) > 2 * ratio(before, 0)
    assert ratio(raised, 2) > ratio(before, 2)
    assert ratio(bet, 1) == ratio(before, 1)
    assert ratio(bet, 2) == ratio(before, 2)


def test_a_check_says_nothing_by_default_frequencies() -> None:
    assert ratio(after("c c c c"), 0) == ratio(after("c c c"), 0)


@pytest.mark.parametrize("triples", [False, True])
@pytest.mark.parametrize("kind", ["raise", "call"])
def test_what_an_action_will_say_is_what_it_says_when_done(triples: bool, kind: str) -> None:
    tables = after("c c c", triples=triples)
    situation = at(GAME, "c c c")
    now, _ = replay(situation, make_opening(situation, None))
    reading = ActionModel(rates, lambda seat: (0.5, 0.85), triples)
    then = tables.table_after(kind, situation, now.view(0), reading)
    done = after(f"c c c {kind[0]}", triples=triples)
    assert then == pytest.approx(done.weights[0])
    assert tables.weights[0] == pytest.approx(after("c c c", triples=triples).weights[0])


def test_before_the_flop_income_speaks() -> None:
    aces, rags = combo_index(*parse_cards("AcAd")), combo_index(*parse_cards("8c3h"))
    tables = after("r c c")
    assert tables.weights[2, aces] / tables.weights[2, rags] > 20
    # Two bets cold: more than half of all hands are folded, fewer than by the raise.
    assert 1 < tables.weights[0, aces] / tables.weights[0, rags] <= 100


def test_the_stronger_action_of_a_street_replaces_the_weaker() -> None:
    # The seat that bets and then raises ends where one ends that check-raises: its bet is forgotten.
    bet_and_raise, check_and_raise = after("c c c r r r r"), after("c c c c r r r")
    assert np.allclose(bet_and_raise.weights[0], check_and_raise.weights[0])
    weaker_later = after("c c c r r r r c")
    assert np.allclose(weaker_later.weights[1], after("c c c r r").weights[1])


def test_triples_multiply_over_actions() -> None:
    once, twice = after("c c c r", triples=True), after("c c c r c c r", triples=True)
    pair = combo_index(*parse_cards("Td5c"))

    def weight(tables: WeightTables) -> float:
        return float(tables.weights[0, pair] / tables.weights[0].max())

    assert weight(twice) < weight(once)


def test_step_by_step_is_as_at_once() -> None:
    for triples in (False, True):
        at_once = after("c c c r c c r c", triples=triples)
        first = after("c c c r c", triples=triples)
        step_by_step = after("c c c r c c r c", triples=triples, tables=first)
        assert np.allclose(at_once.weights, step_by_step.weights)


def test_another_hand_does_not_go_on() -> None:
    tables = after("c c c r")
    assert not tables.same_hand(at(GAME, "c c c c"))
    assert not tables.same_hand(at(GAME, "c c c r c")._replace(hand=7))
    assert not tables.same_hand(at(GAME, "c c c r c", "2d2h"))


def test_those_who_folded_are_passed_over() -> None:
    tables = after("c c c r f")
    assert np.all(tables.weights[1] == 1)
