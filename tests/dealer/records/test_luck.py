"""All-ins paid by equity: exact where all boards are counted, without bias, and with less spread."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from dealer.deck import secure_deals
from dealer.intervals import mean_interval
from dealer.records.luck import adjusted_net, boards_for, needs_random_boards
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.cards import parse_cards
from dealer.rules.evaluation import rank_hand
from dealer.rules.events import Event, HandEnded
from dealer.rules.games import holdem
from dealer.rules.hand import HandState

SEED = bytes(range(32))


class Cards:
    """Cards as they are told: hole cards by position, and the board."""

    def __init__(self, hole: str, board: str) -> None:
        self.hole = tuple(tuple(parse_cards(cards)) for cards in hole.split())
        self._board = tuple(parse_cards(board))

    def board(self, street: int) -> tuple[int, ...]:
        return self._board[:3] if street == 1 else self._board[street + 1 : street + 2]


def played(hand: HandState, *actions: Action) -> list[Event]:
    for action in actions:
        hand.act(action)
    assert hand.over
    return hand.events


def all_in_on(street: int, hole: str, board: str) -> list[Event]:
    """Heads-up, 20 chips each: checks up to the street, then both are all-in."""
    hand = HandState(holdem(2, 5, 10, stack=200), Cards(hole, board))
    while hand.betting.street < street:
        hand.act(CALL)
    return played(hand, raise_to(200 if street == 0 else 190), CALL)


class TestOneHand:
    def test_without_an_all_in_it_is_the_result(self) -> None:
        game = holdem(2, 5, 10, stack=200)
        cards = Cards("AhAd 7c2s", "Ks Qs Js 3d 4d".replace(" ", ""))
        shown = played(HandState(game, cards), *[CALL] * 8)
        folded = played(HandState(game, cards), raise_to(200), FOLD)
        for events in (shown, folded):
            ended = events[-1]
            assert isinstance(ended, HandEnded)
            assert tuple(adjusted_net(events, seat) for seat in (0, 1)) == ended.values
            assert ended.values != (0, 0)

    def test_on_the_river_it_is_the_result(self) -> None:
        events = all_in_on(3, "AhAd 7c2s", "7s7d3c4d9h")
        assert adjusted_net(events, 0) == -200

    @pytest.mark.parametrize("street", [1, 2])
    @pytest.mark.parametrize("board", ["KsQs2h7d8d", "KsQs2h3s4s"])
    def test_after_the_flop_it_is_the_mean_over_all_boards(self, street: int, board: str) -> None:
        events = all_in_on(street, "AsJs QhQd", board)
        known = [*parse_cards(board)[: street + 2]]
        mine, theirs = parse_cards("AsJs"), parse_cards("QhQd")
        rest = [card for card in range(52) if card not in {*known, *mine, *theirs}]
        boards = list(combinations(rest, 3 - street))
        points = [
            (rank_hand([*mine, *known, *more]) > rank_hand([*theirs, *known, *more]))
            - (rank_hand([*mine, *known, *more]) < rank_hand([*theirs, *known, *more]))
            for more in boards
        ]
        assert adjusted_net(events, 0) == float(200 * Fraction(sum(points), len(boards)))
        assert adjusted_net(events, 1) == -adjusted_net(events, 0)

    def test_before_the_flop_the_board_that_came_does_not_matter(self) -> None:
        won, lost = (all_in_on(0, "AhAd KcKs", board) for board in ("2c7d8d9s3h", "2cKd8d9s3h"))
        assert adjusted_net(won, 0) == adjusted_net(lost, 0)
        # Aces win 81.9 % against these kings and tie 0.5 %.
        assert adjusted_net(won, 0) == pytest.approx(200 * (0.8195 - 0.1759), abs=8)

    def test_folded_cards_are_not_dealt_and_every_pot_is_paid_by_itself(self) -> None:
        holes = "AsKs QhQd 7c7d Js9s"
        hand = HandState(
            holdem(4, 5, 10, stack=1000), Cards(holes, "7sQc2h3d4d"), stacks=[1000, 1000, 300, 1000]
        )
        # The flush draw of position 3 is folded; the set of sevens has 290 more chips, the others 990.
        play = [CALL] * 4 + [raise_to(990), CALL, CALL, FOLD]
        events = played(hand, *play)
        hands = [parse_cards(cards) for cards in holes.split()]
        flop = parse_cards("7sQc2h")
        rest = [card for card in range(52) if card not in {*flop, *sum(hands, ())}]
        won = [Fraction(0)] * 3
        boards = list(combinations(rest, 2))
        for more in boards:
            ranks = [rank_hand([*cards, *flop, *more]) for cards in hands[:3]]
            for pot, players in ((910, (0, 1, 2)), (1400, (0, 1))):
                best = max(ranks[player] for player in players)
                winners = [player for player in players if ranks[player] == best]
                assert len(winners) == 1
                won[winners[0]] += pot
        expected = [won[player] / len(boards) - paid for player, paid in enumerate((1000, 1000, 300))]
        assert [adjusted_net(events, seat) for seat in range(3)] == pytest.approx(list(map(float, expected)))
        assert adjusted_net(events, 3) == -10


def wild_hands(players: int, hands: int) -> list[list[Event]]:
    """Hands in which everybody often goes all-in, with the better cards a little more often."""
    game = holdem(players, 5, 10, stack=300)
    deals = secure_deals(SEED, 0, game)
    random = Random(7)
    found = []
    for number in range(hands):
        hand = HandState(game, deals.deal(number), number=number)
        while not hand.over:
            legal = hand.legal()
            high = max(card // 4 for card in hand.hole[hand.betting.to_act])
            if legal.max_raise is not None and random.random() < 0.1 + high / 50:
                hand.act(raise_to(legal.max_raise))
            else:
                hand.act(CALL if not legal.call or random.random() < 0.2 + high / 30 else FOLD)
        found.append(hand.events)
    return found


@pytest.mark.parametrize("players", [2, 4])
def test_the_mean_is_the_same_and_the_spread_is_smaller(players: int) -> None:
    """Sampled boards are without bias however few they are."""
    raw, adjusted = [], []
    for events in wild_hands(players, 3000):
        ended = events[-1]
        assert isinstance(ended, HandEnded)
        raw.append(ended.values[0])
        adjusted.append(adjusted_net(events, 0, 20))
    luck = mean_interval(a - b for a, b in zip(raw, adjusted, strict=True))
    assert luck.half is not None
    assert abs(luck.mean) < luck.half * 1.5
    assert luck.half > 3
    spread = [mean_interval(values).half for values in (raw, adjusted)]
    assert spread[0] is not None
    assert spread[1] is not None
    assert spread[1] < 0.8 * spread[0]


def test_the_boards_of_a_result_are_bounded() -> None:
    assert [boards_for(hands) for hands in (0, 1, 20, 21, 500, 2000, 10_000)] == [
        10_000,
        10_000,
        10_000,
        9523,
        400,
        100,
        100,
    ]


def test_a_hand_needs_random_boards_if_their_number_matters() -> None:
    needed = 0
    for events in wild_hands(3, 300):
        for seat in range(3):
            values = {adjusted_net(events, seat, boards) for boards in (1, 2, 3, 50)}
            if needs_random_boards(events, seat):
                needed += 1
            else:
                assert len(values) == 1
    assert needed > 30
