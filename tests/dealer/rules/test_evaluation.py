"""The evaluation against its definition, by brute force, and against eval7 and phevaluator."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations, pairwise
from random import Random

import eval7
import pytest
from hypothesis import given
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from dealer.rules.cards import CARD_TEXTS, parse_cards
from dealer.rules.errors import CardError
from dealer.rules.evaluation import best_cards, hand_label, hand_labels, rank_hand
from dealer.rules.games import load_game

Strength = tuple[int, list[int]]


def strength(cards: Sequence[int]) -> Strength:
    """The definition, for at most five cards: category, then the ranks in the order in which they decide."""
    ranks = sorted(
        (card // 4 for card in cards), key=lambda r: (sum(c // 4 == r for c in cards), r), reverse=True
    )
    counts = sorted((ranks.count(rank) for rank in set(ranks)), reverse=True)
    flush = len(cards) == 5 and len({card % 4 for card in cards}) == 1
    wheel = sorted(ranks) == [0, 1, 2, 3, 12]
    straight = len(cards) == 5 and len(counts) == 5 and (wheel or max(ranks) - min(ranks) == 4)
    top = [3] if wheel else [max(ranks)]
    if flush and straight:
        return 8, top
    if counts[0] == 4:
        return 7, ranks
    if counts[:2] == [3, 2]:
        return 6, ranks
    if flush:
        return 5, ranks
    if straight:
        return 4, top
    if counts[0] == 3:
        return 3, ranks
    if counts[:2] == [2, 2]:
        return 2, ranks
    return int(counts[0] == 2), ranks


def best(cards: Sequence[int]) -> Strength:
    """The strength of the best five."""
    return max(map(strength, combinations(cards, min(5, len(cards)))))


FACES = [eval7.Card(text) for text in CARD_TEXTS]


def by_eval7(cards: Sequence[int]) -> int:
    return int(eval7.evaluate([FACES[card] for card in cards]))


def fewest_suits(cards: Sequence[int]) -> list[int]:
    """The suits, those first that fewest of the cards have."""
    suits = [card % 4 for card in cards]
    return sorted(range(4), key=suits.count)


def same_order(hands: Sequence[Sequence[int]]) -> None:
    """The hands have the same order by rank as by definition."""
    ordered = sorted(hands, key=best)
    for worse, better in pairwise(ordered):
        if best(worse) == best(better):
            assert rank_hand(worse) == rank_hand(better)
        else:
            assert rank_hand(worse) < rank_hand(better)


@pytest.mark.parametrize("count", range(1, 11))
def test_hands_of_any_number_of_cards_have_the_defined_order(count: int) -> None:
    rng = Random(count)
    # Few ranks make for many pairs, straights and full houses; two suits for many flushes.
    for deck in (range(52), range(20, 52), [card for card in range(52) if card % 4 > 1]):
        same_order([rng.sample(deck, count) for _ in range(100 if count < 8 else 40)])


def test_every_hand_of_one_or_two_cards_has_the_defined_order() -> None:
    for count in (1, 2):
        same_order(list(combinations(range(52), count)))


@pytest.mark.parametrize("name", ["kuhn.limit.2p", "kuhn.limit.3p", "leduc.limit.2p"])
def test_every_hand_of_a_small_game_has_the_defined_order(name: str) -> None:
    game = load_game(name)
    same_order(list(combinations(game.deck, game.hole_cards + sum(game.board_cards))))


def test_every_five_cards_of_a_short_deck_have_the_defined_order() -> None:
    # Nine to ace in three suits: the ace is not low next to the nine.
    same_order(list(combinations([card for card in range(28, 52) if card % 4], 5)))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_every_hand_of_fewer_than_five_cards_has_eval7s_rank(count: int) -> None:
    assert all(rank_hand(hand) == by_eval7(hand) for hand in combinations(range(52), count))


def test_every_set_of_ranks_of_up_to_seven_cards_has_eval7s_rank() -> None:
    hands: list[tuple[int, ...]] = [()]
    for rank in range(13):
        # Cards of the suits that the hand has fewest of: no five are of one suit.
        hands += [
            hand + tuple(rank * 4 + suit for suit in fewest_suits(hand)[:count])
            for hand in hands
            for count in range(1, min(4, 7 - len(hand)) + 1)
        ]
    assert len(hands[1:]) == 76_154
    assert list(map(rank_hand, hands[1:])) == list(map(by_eval7, hands[1:]))


def test_every_flush_of_up_to_seven_cards_has_eval7s_rank() -> None:
    for suited in chain.from_iterable(combinations(range(13), count) for count in (5, 6, 7)):
        for suit in range(4):
            hand = [rank * 4 + suit for rank in suited]
            # The other cards pair the lowest: no pairs are worth more than a flush.
            hand += [card ^ 1 for card in hand[: 7 - len(hand)]]
            assert rank_hand(hand) == by_eval7(hand)


def test_phevaluator_gives_the_same_order() -> None:
    rng = Random(8)
    for count in (5, 6, 7):
        hands = [rng.sample(range(52), count) for _ in range(10_000)]
        ours = [rank_hand(hand) for hand in hands]
        # Its ranks fall as hands get better.
        theirs = [-evaluate_cards(*hand) for hand in hands]
        pairs = sorted(zip(theirs, ours, strict=True))
        for (their, our), (their_next, our_next) in pairwise(pairs):
            assert (our == our_next) == (their == their_next)
            assert our <= our_next


@given(st.permutations(range(52)), st.integers(1, 10))
def test_the_order_of_the_cards_does_not_matter(deck: list[int], count: int) -> None:
    assert rank_hand(deck[:count]) == rank_hand(sorted(deck[:count]))


@given(st.permutations(range(52)), st.integers(5, 9))
def test_another_card_never_hurts(deck: list[int], count: int) -> None:
    assert rank_hand(deck[: count + 1]) >= rank_hand(deck[:count])


@pytest.mark.parametrize("cards", [(), range(11)])
def test_a_hand_has_1_to_10_cards(cards: Sequence[int]) -> None:
    with pytest.raises(CardError) as caught:
        rank_hand(cards)
    assert caught.value.code == "bad_card_count"


@pytest.mark.parametrize(
    ("cards", "label"),
    [
        ("Kh", "high card, king"),
        ("KhKd", "pair, kings"),
        ("KhKd6c6d", "two pair, kings and sixes"),
        ("AhKdQcJc9s7h2d", "high card, ace"),
        ("2h2dQcJc9s7h3d", "pair, deuces"),
        ("KhKdTcTd6s6h3d", "two pair, kings and tens"),
        ("4h4d4cTd6s7hKd", "three of a kind, fours"),
        ("Ah2d3c4d5s9hKd", "straight, five high"),
        ("Ah2h3h7hJh9cKd", "flush, ace high"),
        ("KhKdKcTdTs9h9d", "full house, kings over tens"),
        ("AhAdAcAs2s9h9d", "four of a kind, aces"),
        ("9h8h7h6h5h4h2d", "straight flush, nine high"),
        ("AhKhQhJhTh4h2d", "royal flush"),
        ("5h4h3h2hAh9s9d", "straight flush, five high"),
    ],
)
def test_hands_have_the_names_players_use(cards: str, label: str) -> None:
    assert hand_label(parse_cards(cards)) == label


@pytest.mark.parametrize(
    ("hands", "labels"),
    [
        ("QhKd QcJc", ["pair, queens, king kicker", "pair, queens, jack kicker"]),
        ("QhKd QcKc", ["pair, queens", "pair, queens"]),
        ("QhKd QcKc Qd2c", ["pair, queens, king kicker"] * 2 + ["pair, queens, eight kicker"]),
        ("QhKd JhJd", ["pair, queens", "pair, jacks"]),
        (
            "AhKd AcJc AdTd",
            [
                "high card, ace, king kicker",
                "high card, ace, queen and jack kickers",
                "high card, ace, queen and ten kickers",
            ],
        ),
    ],
)
def test_kickers_are_named_where_they_decide(hands: str, labels: list[str]) -> None:
    board = parse_cards("Qs8h7d3c4s")
    assert hand_labels([parse_cards(hand) + board for hand in hands.split()]) == labels


@given(st.permutations(range(52)), st.integers(2, 6))
def test_hands_have_the_same_label_when_they_are_worth_the_same(deck: list[int], count: int) -> None:
    board, rest = deck[:5], deck[5:]
    hands = [board + rest[2 * number : 2 * number + 2] for number in range(count)]
    labels, ranks = hand_labels(hands), [rank_hand(hand) for hand in hands]
    for one, other in combinations(range(count), 2):
        assert (labels[one] == labels[other]) == (ranks[one] == ranks[other])
    assert all(label.startswith(hand_label(hand)) for label, hand in zip(labels, hands, strict=True))


def test_with_more_than_seven_cards_the_best_pair_fills_the_house() -> None:
    assert hand_label(parse_cards("AhAdAc3h3d3cKhKd")) == "full house, aces over kings"
    assert hand_label(parse_cards("AhAdAcAs3h3d3c3sKh")) == "four of a kind, aces"
    assert hand_label(parse_cards("2h3h4h5h9hTcJcQcKc7c")) == "flush, king high"


@given(st.lists(st.integers(0, 51), min_size=1, max_size=7, unique=True))
def test_the_best_cards_are_worth_what_all_are(cards: list[int]) -> None:
    best = best_cards(cards)
    assert len(best) == min(5, len(cards))
    assert set(best) <= set(cards)
    assert rank_hand(best) == rank_hand(cards)
    assert hand_label(best) == hand_label(cards)


def test_of_no_cards_there_are_no_best() -> None:
    with pytest.raises(CardError):
        best_cards([])
