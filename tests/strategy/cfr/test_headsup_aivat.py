"""Heads-up hands valued by who sees all cards: against every card that could have come, and free of bias."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from benchmarks.players.full_information_value import (
    EXCHANGED,
    SIGNS,
    FullInformationValues,
    facts_on,
    mean_facts,
    pairs_of_hands,
)
from benchmarks.players.headsup_aivat import (
    HeadsUpAivat,
    RevealedHand,
    fit_values,
    load_value_fits,
    measure,
    play_hand,
)
from dealer.rules.cards import parse_cards
from strategy.blueprint.blueprint import Blueprint, load_blueprint
from strategy.blueprint.endgame import Floats
from strategy.cfr.aivat import AivatError
from strategy.cfr.tree import find_node
from strategy.poker.combos import combo_index

HOLES = tuple((cards[0], cards[1]) for cards in map(parse_cards, ("AhKd", "9s9c")))
HANDS = combo_index(*HOLES[0]), combo_index(*HOLES[1])
BOARD = parse_cards("2h7hTc3d9h")
FREE = [card for card in range(52) if card not in (*HOLES[0], *HOLES[1])]


@pytest.fixture(scope="module")
def blueprint() -> Blueprint:
    return load_blueprint()


@pytest.fixture(scope="module")
def foresight(blueprint: Blueprint) -> FullInformationValues:
    return FullInformationValues(blueprint)


@pytest.fixture(scope="module")
def aivat(blueprint: Blueprint) -> HeadsUpAivat:
    return HeadsUpAivat(blueprint=blueprint)


@pytest.fixture
def states_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card state takes milliseconds, and at every node of a board it is the same."""
    find, found = Blueprint.card_state, dict[tuple[int, ...], int]()

    def once(blueprint: Blueprint, hole: Sequence[int], board: Sequence[int]) -> int:
        key = (*hole, *board)
        if key not in found:
            found[key] = find(blueprint, hole, board)
        return found[key]

    monkeypatch.setattr(Blueprint, "card_state", once)


def played(kinds: str, board: tuple[int, ...] = BOARD) -> RevealedHand:
    return RevealedHand((HOLES[0], HOLES[1]), board, kinds)


def worth(aivat: HeadsUpAivat, foresight: FullInformationValues, kinds: str, board: tuple[int, ...]) -> float:
    """Position 0's mean over everything that can happen, the board of the street being known."""
    tree, node = foresight.blueprint.tree, find_node(foresight.blueprint.tree, kinds)
    if tree.player[node] < 0:
        return aivat.payoff(played(kinds, board))
    player, total = int(tree.player[node]), 0.0
    chances = foresight.chances(node, HOLES[player], board)
    for action, child in enumerate(tree.child[node].tolist()):
        if chances[action] > 0:
            after = kinds + "fcr"[action]
            boards = [board]
            if tree.street[child] > tree.street[node]:
                boards = [(*board, card) for card in FREE if card not in board]
            values = [worth(aivat, foresight, after, one) for one in boards]
            total += chances[action] * sum(values) / len(values)
    return total


@pytest.mark.usefixtures("states_once")
@pytest.mark.parametrize("players", [("cfr", "cfr"), ("random", "cfr"), ("raise", "call")])
def test_values_are_means_over_all_that_can_happen(
    aivat: HeadsUpAivat, blueprint: Blueprint, players: tuple[str, str]
) -> None:
    foresight = FullInformationValues(blueprint, players)
    root = find_node(blueprint.tree, "rc")
    found = foresight.flop_values(root, HANDS, BOARD)
    for kinds, cards in (("rcccrc", 5), ("rcrcccrr", 5), ("rccc", 4), ("rcrcr", 4)):
        node = find_node(blueprint.tree, kinds)
        exact = worth(aivat, foresight, kinds, BOARD[:cards])
        assert found.values[node - root] == pytest.approx(exact, abs=1e-4)


def test_values_before_a_card_are_means_over_it(
    blueprint: Blueprint, foresight: FullInformationValues
) -> None:
    root, turn = find_node(blueprint.tree, "rc"), find_node(blueprint.tree, "rccrc")
    turns = [card for card in FREE if card not in BOARD[:3]]
    streets = [foresight.flop_values(root, HANDS, (*BOARD[:3], card)) for card in turns]
    mean = np.mean([street.values[turn - root] for street in streets])
    assert streets[0].before[turn - root] == pytest.approx(mean)
    assert all(street.values[0] == pytest.approx(streets[0].values[0]) for street in streets)


def test_facts_before_the_flop_are_means_over_it() -> None:
    random = Random(1)
    facts = np.array([facts_on(HANDS, random.sample(FREE, 3)) for _ in range(100)])
    mean, error = facts.mean(axis=0), facts.std(axis=0) / 100**0.5
    assert np.all(np.abs(mean - mean_facts(HANDS)) <= 4 * error)
    assert facts[0, 0] == 1


def test_after_the_flop_no_luck_is_left_between_two_blueprints(
    aivat: HeadsUpAivat, blueprint: Blueprint
) -> None:
    chances = (blueprint.policy, blueprint.policy)
    found: dict[str, list[tuple[float, float]]] = {}
    later = [card for card in FREE if card not in BOARD[:3]]
    for number in range(24):
        draw = Random(f"after {number}")
        cards = (*HOLES[0], *HOLES[1], *BOARD[:3], *draw.sample(later, 2))
        one = play_hand(blueprint, cards, chances, draw)
        before = next(n for n in range(len(one.kinds) + 1) if not one.kinds[n:] or goes_on(blueprint, one, n))
        found.setdefault(one.kinds[:before], []).append((aivat.payoff(one), aivat.estimate(one, chances)))
    won, estimates = np.array(max(found.values(), key=len)).T
    assert len(won) > 5
    assert won.std() > 10
    assert estimates == pytest.approx(estimates[0], abs=1e-4)


def goes_on(blueprint: Blueprint, one: RevealedHand, actions: int) -> bool:
    """Whether the flop has come after so many actions."""
    return bool(blueprint.tree.street[find_node(blueprint.tree, one.kinds[:actions])] > 0)


def test_strategies_that_are_not_told_change_nothing_but_the_noise(
    aivat: HeadsUpAivat, blueprint: Blueprint
) -> None:
    chances = (blueprint.policy, blueprint.policy)
    draws = [Random(f"test {number}") for number in range(40)]
    hands = [play_hand(blueprint, draw.sample(range(52), 9), chances, draw) for draw in draws]
    won = np.array([aivat.payoff(hand) for hand in hands])
    nothing = np.array([aivat.estimate(hand, (None, None)) for hand in hands])
    everything = np.array([aivat.estimate(hand, chances) for hand in hands])
    for estimates in (nothing, everything):
        difference = won - estimates
        assert abs(difference.mean()) < 4 * difference.std() / len(won) ** 0.5
    assert everything.std() < nothing.std() < won.std()


def test_a_fold_before_the_flop_costs_the_blind(aivat: HeadsUpAivat, blueprint: Blueprint) -> None:
    assert aivat.payoff(played("f", ())) == 5
    assert aivat.payoff(played("rf", ())) == -10
    value = root_value(
        FullInformationValues(blueprint), load_value_fits()["cfr", "cfr"].slopes, mean_facts(HANDS), HANDS
    )
    mean = load_value_fits()["cfr", "cfr"].mean
    assert aivat.estimate(played("f", ()), (None, None)) == pytest.approx(5 + mean - value)


def root_value(
    foresight: FullInformationValues, slopes: Floats, facts: Floats, hands: tuple[int, int]
) -> float:
    """What hands are expected to win before anybody has acted, by the estimate of the flop's worth."""
    tree = foresight.blueprint.tree
    start = (tree.street == 1) & (tree.street[tree.parent] == 0)
    per_chip, chips = slopes @ facts
    return float(foresight.preflop_values(hands, np.where(start, per_chip * tree.paid[:, 0] + chips, 0.0))[0])


def test_the_mean_over_all_hole_cards_is_kept(blueprint: Blueprint) -> None:
    draw = Random(2)
    cards = [draw.sample(range(52), 4) for _ in range(100)]
    pairs = [(combo_index(a, b), combo_index(c, d)) for a, b, c, d in cards]
    facts = [mean_facts(hands) for hands in pairs]
    for players in (("cfr", "cfr"), ("cfr", "random"), ("call", "cfr")):
        foresight, expected = FullInformationValues(blueprint, players), load_value_fits()[players]
        values = [
            root_value(foresight, expected.slopes, known, hands)
            for known, hands in zip(facts, pairs, strict=True)
        ]
        error = float(np.std(values)) / len(values) ** 0.5
        assert abs(np.mean(values) - expected.mean) < 4 * error


@pytest.mark.parametrize("name", ["cfr", "call", "random"])
def test_most_of_the_luck_is_gone_whoever_plays(blueprint: Blueprint, name: str) -> None:
    found = measure(blueprint, name, 15, seed=5)
    assert found["duplicate_aivat"] < 0.3 * found["single"]
    assert found["single_aivat"] < 0.5 * found["single"]
    luck = 4 * found["duplicate"] / 30**0.5
    assert abs(found["mean"] - found["mean_aivat"]) < luck


def test_what_is_never_played_is_refused(aivat: HeadsUpAivat) -> None:
    with pytest.raises(AivatError):
        aivat.estimate(played("f", ()), (None, lambda *_: (0.0, 0.0, 1.0)))


def test_the_slopes_are_fitted(blueprint: Blueprint) -> None:
    found = fit_values(blueprint, ("call", "cfr"), 20)
    assert found.shape == load_value_fits()["call", "cfr"].slopes.shape
    assert np.isfinite(found).all()


def test_every_pair_of_hands_counts_once() -> None:
    pairs = pairs_of_hands()
    assert len(pairs) == 47_008  # Heads-up match-ups but for suits, as is well known.
    assert sum(times for _, _, times in pairs) == 1326 * 1225 // 2


def test_facts_when_the_hands_change_places() -> None:
    found = np.array([mean_facts(pair) for pair in [HANDS, HANDS[::-1]]])
    assert found[1] == pytest.approx(found[0][EXCHANGED] * SIGNS)
