from __future__ import annotations

from itertools import combinations
from math import sqrt
from random import Random

import pytest
from phevaluator import evaluate_cards

from dealer.rules.cards import CARD_TEXTS, parse_cards
from dealer.rules.games import load_game
from strategy.poker.equity import (
    EXACT_LIMIT,
    HOLDEM,
    CardSetup,
    card_setup,
    equity,
    exact_equity,
    expected_share,
    sampled_equity,
    showdowns,
)

KUHN3 = card_setup(load_game("kuhn.limit.3p"))
LEDUC = card_setup(load_game("leduc.limit.2p"))


def test_the_cards_of_the_games() -> None:
    assert card_setup(load_game("holdem.nolimit.6p")) == HOLDEM
    assert CardSetup(parse_cards("JsQsKsAs"), 1, 0) == KUHN3
    assert CardSetup(parse_cards("QhQsKhKsAhAs"), 1, 1) == LEDUC


@pytest.mark.parametrize("seed", range(3))
def test_a_heads_up_river_agrees_with_another_evaluator(seed: int) -> None:
    hole, board = split(Random(seed).sample(range(52), 7))
    rest = [card for card in range(52) if card not in (*hole, *board)]

    def rank(cards: tuple[int, ...]) -> int:
        return int(evaluate_cards(*(CARD_TEXTS[card] for card in cards)))  # lower is better

    own = rank((*hole, *board))
    others = [rank((*hand, *board)) for hand in combinations(rest, 2)]
    share = sum(1.0 if own < other else 0.5 if own == other else 0.0 for other in others) / len(others)
    assert showdowns(HOLDEM, 5, 1) == len(others) == 990 <= EXACT_LIMIT
    assert exact_equity(hole, board, 1) == pytest.approx(share, abs=1e-12)
    assert equity(hole, board, 1, random=Random(0), samples=1) == pytest.approx(share, abs=1e-12)


def split(cards: list[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(cards[:2]), tuple(cards[2:])


def test_papps_example_of_hand_strength() -> None:
    # Papp 1998: with AdQc on 3h4cJh there are 628 worse, 9 equal and 444 better hands.
    flop_only = HOLDEM._replace(board=3)
    strength = exact_equity(parse_cards("AdQc"), parse_cards("3h4cJh"), 1, cards=flop_only)
    assert strength == pytest.approx((628 + 9 / 2) / 1081, abs=1e-12)


@pytest.mark.parametrize(
    ("hole", "expected"), [("Js", 0.0), ("Qs", 0.0), ("Ks", 1 / 3), ("As", 1.0)], ids=["J", "Q", "K", "A"]
)
def test_kuhn_with_three_players(hole: str, expected: float) -> None:
    assert exact_equity(parse_cards(hole), (), 2, cards=KUHN3) == pytest.approx(expected)


def test_leduc() -> None:
    # A king meets Q, Q, K, A, A; without a pair on the board the higher card wins, the other king ties.
    king = parse_cards("Kh")
    assert exact_equity(king, parse_cards("Ks"), 1, cards=LEDUC) == 1.0
    assert exact_equity(king, parse_cards("Ah"), 1, cards=LEDUC) == pytest.approx((2 + 1 / 2 + 0) / 4)
    boards = [exact_equity(king, (card,), 1, cards=LEDUC) for card in LEDUC.deck if card not in king]
    assert exact_equity(king, (), 1, cards=LEDUC) == pytest.approx(sum(boards) / 5)


def test_a_tie_of_all_is_shared_by_all() -> None:
    royal = parse_cards("ThJhQhKhAh")
    assert sampled_equity(parse_cards("2c2d"), royal, 4, random=Random(1), samples=20) == pytest.approx(1 / 5)
    assert exact_equity(parse_cards("2c2d"), royal, 1) == 0.5


@pytest.mark.parametrize(("worse", "tied", "better"), [(3, 0, 0), (2, 2, 1), (0, 3, 2), (4, 1, 0), (1, 4, 3)])
@pytest.mark.parametrize("opponents", [1, 2, 3])
def test_the_expected_share_is_the_mean_over_all_choices(
    worse: int, tied: int, better: int, opponents: int
) -> None:
    others = "w" * worse + "t" * tied + "b" * better
    shares = [
        0.0 if "b" in chosen else 1 / (1 + chosen.count("t")) for chosen in combinations(others, opponents)
    ]
    assert expected_share(worse, tied, better, opponents) == pytest.approx(sum(shares) / len(shares))


@pytest.mark.parametrize(("hole", "board"), [("8s8d", "Ac7c2h"), ("QhJh", "Th9h2c"), ("7c2d", "AhKhQs4c")])
def test_samples_agree_with_enumeration(hole: str, board: str) -> None:
    # Three cards to come would be a million showdowns: the game is cut to one card more than there are.
    cards = HOLDEM._replace(board=len(parse_cards(board)) + 1)
    samples = 4_000
    exact = exact_equity(parse_cards(hole), parse_cards(board), 1, cards=cards)
    sampled = sampled_equity(
        parse_cards(hole), parse_cards(board), 1, cards=cards, random=Random(8), samples=samples
    )
    assert abs(sampled - exact) < 4 * 0.5 / sqrt(samples)
    assert 0 < exact < 1


def test_three_opponents_agree_with_enumeration() -> None:
    kings = parse_cards("KhKs")
    small = CardSetup(parse_cards("TsTdJsJdQsQdKhKsAsAd"), 2, 0)
    exact = exact_equity(kings, (), 3, cards=small)
    sampled = sampled_equity(kings, (), 3, cards=small, random=Random(8), samples=4_000)
    assert abs(sampled - exact) < 4 * 0.5 / sqrt(4_000)


def test_more_opponents_win_more() -> None:
    values = [
        sampled_equity(parse_cards("AhKh"), parse_cards("2c7dTs"), count, random=Random(1), samples=1_000)
        for count in (1, 2, 4, 9)
    ]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("cards", [KUHN3, LEDUC], ids=["kuhn", "leduc"])
def test_too_many_opponents_for_the_deck_are_refused(cards: CardSetup) -> None:
    with pytest.raises(ValueError, match="6"):
        exact_equity(cards.deck[:1], (), 6, cards=cards)
    with pytest.raises(ValueError, match="6"):
        sampled_equity(cards.deck[:1], (), 6, cards=cards, random=Random(1), samples=1)
