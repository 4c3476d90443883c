"""All-ins that are settled by equity, or on two boards."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.records.journal import hand_line
from dealer.rules import equity
from dealer.rules.actions import CALL, raise_to
from dealer.rules.cards import parse_cards
from dealer.rules.equity import POINTS, count_points
from dealer.rules.errors import ReplayError
from dealer.rules.events import BoardDealt, HandEnded, PotAward, Shown, event_from_data, event_to_data
from dealer.rules.games import holdem
from dealer.rules.hand import AllIns, HandState, replay
from dealer.rules.pots import settle_by_equity, settle_twice
from tests.dealer.rules.play import any_action, cards, deal

DECK = frozenset(range(52))
BOARD = "7h8h9h/Ts/2c"
seeds = st.integers(0, 10**6)


def shares(hands: str, board: str = "") -> list[Fraction]:
    holes = [parse_cards(part) for part in hands.split("|")]
    known = parse_cards(board)
    points = count_points(holes, known, 5, DECK.difference(known, *holes))
    return [Fraction(one, sum(points)) for one in points]


# Counted board by board, with an evaluator of seven cards.
@pytest.mark.parametrize(
    ("hands", "first"), [("AhAd|KhKd", 3565774800), ("AhKh|QsQd", 1994156640), ("8c8d|AsKs|JhTh", 1035722520)]
)
def test_equities_before_the_flop_are_exact(hands: str, first: int) -> None:
    count = len(hands.split("|"))
    found = shares(hands)
    assert sum(found) == 1
    assert found[0] * comb(52 - 2 * count, 5) * POINTS == first


@given(seeds)
def test_boards_counted_by_ranks_are_those_counted_one_by_one(seed: int) -> None:
    rng = Random(seed)
    some = rng.sample(range(52), 24)
    # Many cards of few suits or ranks, so that flushes and full houses come often.
    if rng.random() < 0.5:
        some = rng.sample([card for card in range(52) if card % 4 < 2 or card < 12], 22)
    players = rng.randint(2, 4)
    hands = [some[2 * one : 2 * one + 2] for one in range(players)]
    deck = some[2 * players :][:14]
    by_ranks = equity._count_by_ranks(hands, deck)
    assert {mask: boards for mask, boards in by_ranks.items() if boards} == equity._count_each(
        hands, (), 5, deck
    )


def test_a_hand_that_cannot_win_any_more_gets_nothing() -> None:
    assert shares("AhAd|KhKd", "AsAc2h") == [1, 0]
    assert shares("AhKd|AdKh", "2s3s4s7c") == [Fraction(1, 2)] * 2


def hand_of(holes: str, all_ins: AllIns | None, stacks: tuple[int, ...], board: str = BOARD) -> HandState:
    game = holdem(len(stacks), 50, 100, stack=1000)
    return HandState(game, cards(holes, board), stacks=stacks, muck=True, all_ins=all_ins)


def push(hand: HandState) -> HandEnded:
    while not hand.over:
        most = hand.legal().max_raise
        hand.act(CALL if most is None else raise_to(most))
    ended = hand.events[-1]
    assert isinstance(ended, HandEnded)
    return ended


def test_by_equity_the_board_is_not_dealt_and_every_chip_goes_by_the_odds() -> None:
    hand = hand_of("AhAd|KhKd", AllIns(equity=True), (1001, 1500))
    ended = push(hand)
    assert not any(isinstance(event, BoardDealt) for event in hand.events)
    assert isinstance(hand.events[-2], Shown)
    first = shares("AhAd|KhKd")[0] * 2002
    assert ended.equity
    assert ended.returned == (1, 499)
    (pot,) = ended.pots
    assert pot.wins == ((0, round(first)), (1, 2002 - round(first)))
    assert ended.values == (pot.wins[0][1] - 1001, pot.wins[1][1] - 1001)


def test_who_is_all_in_after_the_river_plays_for_the_whole_pot() -> None:
    for all_ins in (AllIns(equity=True), AllIns(agreed=(0, 1), spare=tuple)):
        hand = hand_of("AsAd|KhKd", all_ins, (1000, 1000))
        while len(hand.board) < 5:
            hand.act(CALL)
        ended = push(hand)
        assert not ended.equity
        assert ended.second == ()
        assert [pot.wins for pot in ended.pots] == [((0, 2000),)]


def test_side_pots_by_equity_go_to_those_who_can_win_them() -> None:
    ended = push(hand_of("AhAd|KhKd|2c7s", AllIns(equity=True), (1000, 500, 1000)))
    main, side = ended.pots
    assert (main.seats, side.seats) == ((0, 1, 2), (0, 2))
    assert sum(chips for _, chips in main.wins) == 1500
    assert sum(chips for _, chips in side.wins) == 1000
    # The side pot is played for with the same cards missing from the deck, but between two.
    holes = [parse_cards(part) for part in ("AhAd", "2c7s")]
    points = count_points(holes, (), 5, DECK.difference(*holes, parse_cards("KhKd")))
    assert side.wins[0] == (0, round(Fraction(1000 * points[0], sum(points))))


def test_odd_chips_by_equity_go_to_those_who_lost_most() -> None:
    settled = settle_by_equity((7, 7, 7, 0), [False, False, False, True], lambda _: (1, 1, 1), (4, 5, 6, 7))
    assert settled.pots == (PotAward(21, (4, 5, 6), ((4, 7), (5, 7), (6, 7))),)
    settled = settle_by_equity((5, 5, 5, 5), [False, False, False, True], lambda _: (1, 1, 1), (4, 5, 6, 7))
    assert settled.pots[0].wins == ((4, 7), (5, 7), (6, 6))
    settled = settle_by_equity((5, 5, 5, 5), [False, False, False, True], lambda _: (0, 7, 13), (4, 5, 6, 7))
    assert settled.pots[0].wins == ((5, 7), (6, 13))


def test_run_twice_there_are_two_boards_and_each_pot_is_halved() -> None:
    second = parse_cards("AcKc3d4d5s")
    hand = hand_of("AhAd|KhKs", AllIns(agreed={0, 1, 9}, spare=lambda: second), (1000, 1000), "KdQs2h/3s/7c")
    ended = push(hand)
    assert [event.cards for event in hand.events if isinstance(event, BoardDealt)] == [
        parse_cards(street) for street in ("KdQs2h", "3s", "7c")
    ]
    assert ended.second == second
    assert ended.pots == (PotAward(1000, (0, 1), ((1, 1000),), 0), PotAward(1000, (0, 1), ((0, 1000),), 1))
    assert ended.values == (0, 0)


def test_the_second_board_begins_where_the_players_stopped_acting() -> None:
    hand = hand_of("AhAd|KhKs", AllIns(agreed=(0, 1), spare=lambda: parse_cards("AcKc3d4d5s")), (1000, 1000))
    while len(hand.board) < 3:
        hand.act(CALL)
    ended = push(hand)
    assert ended.second == parse_cards("AcKc")
    assert [pot.board for pot in ended.pots] == [0, 1]


def test_it_is_run_once_if_somebody_who_is_left_does_not_agree() -> None:
    assert push(hand_of("AhAd|KhKs", AllIns(agreed=(0,), spare=tuple), (1000, 1000))).second == ()
    agreed = {0, 1}
    hand = hand_of(
        "AhAd|KhKs|2c3c", AllIns(agreed=agreed, spare=lambda: parse_cards("AcKc3d4d5s")), (1000, 1000, 1000)
    )
    hand.act(raise_to(300))
    agreed.clear()
    assert push(hand).second == ()


def test_odd_chips_and_pots_of_one_when_it_is_run_twice() -> None:
    settled = settle_twice((5, 5, 5), (-1, 3, 2), (-1, 2, 3), (0, 1, 2))
    assert [(pot.amount, pot.wins, pot.board) for pot in settled.pots] == [
        (8, ((1, 8),), 0),
        (7, ((2, 7),), 1),
    ]
    # Nobody else can win what a folded player paid above the short stack.
    settled = settle_twice((10, 5, 10), (1, 3, -1), (1, 3, -1), (0, 1, 2))
    assert [(pot.amount, pot.board) for pot in settled.pots] == [(8, 0), (10, 0), (7, 1)]


def any_settled_hand(seed: int) -> HandState:
    """A hand at random, with short stacks, settled in one of the ways."""
    rng = Random(seed)
    players = rng.randint(2, 6)
    game = holdem(players, 5, 10, limit=rng.random() < 0.3)
    dealt = deal(rng, game)
    used = {card for group in (*dealt.hole, *dealt.boards) for card in group}
    spare = tuple(rng.sample(sorted(set(game.deck) - used), 5))
    agreed = set(range(players)) if rng.random() < 0.8 else {0}
    # Few boards, so that a hundred hands do not take minutes.
    flops = rng.random() < 0.9
    all_ins = AllIns(agreed=agreed, spare=lambda: spare)
    hand = HandState(
        game,
        dealt,
        number=seed,
        stacks=[rng.randint(20, 120) for _ in range(players)],
        muck=rng.random() < 0.5,
        all_ins=all_ins,
    )
    if rng.random() < 0.5:
        while flops and not hand.over and not hand.board:
            hand.act(CALL)
        hand.all_ins = AllIns(equity=True)
    while not hand.over:
        hand.act(any_action(rng, hand.legal()))
    return hand


@given(seeds)
def test_hands_are_recorded_and_replayed_exactly(seed: int) -> None:
    hand = any_settled_hand(seed)
    ended = hand.events[-1]
    assert isinstance(ended, HandEnded)
    assert sum(hand.values) == 0
    assert all(type(chips) is int for chips in hand.final_stacks)
    assert sum(pot.amount for pot in ended.pots) == sum(chips for pot in ended.pots for _, chips in pot.wins)
    assert [event_from_data(event_to_data(event)) for event in hand.events] == hand.events
    assert [event_from_data(data) for data in json.loads(hand_line(hand.events))] == hand.events
    again = replay(hand.game, hand.events, muck=hand._muck)
    assert again.events == hand.events
    if ended.second:
        with pytest.raises(ReplayError):
            replay(hand.game, [*hand.events[:-1], ended._replace(second=ended.second[:-1])], muck=hand._muck)
        with pytest.raises(ReplayError):
            replay(hand.game, [*hand.events[:-1], ended._replace(second=())], muck=hand._muck)
    if ended.equity:
        with pytest.raises(ReplayError):
            replay(hand.game, [*hand.events[:-1], ended._replace(equity=False)], muck=hand._muck)


def test_an_old_hand_is_written_as_before() -> None:
    ended = push(hand_of("AhAd|KhKs", None, (1000, 1000)))
    assert event_to_data(ended) == [
        "hand_ended", 0, None, [[2000, [0, 1], [[0, 2000]]]], [1000, -1000], [2000, 0]
    ]  # fmt: skip
