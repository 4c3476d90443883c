"""All-ins paid by equity: exact where all boards are counted, without bias, and with less spread."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from dealer.deck import secure_deals
from dealer.intervals import mean_interval
from dealer.luck.adjusted import adjusted_net, all_in_net, boards_for
from dealer.luck.value import TERMS, ValueFunction
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.cards import parse_cards
from dealer.rules.evaluation import rank_hand
from dealer.rules.events import Acted, Event, HandEnded, HandStarted
from dealer.rules.games import holdem
from dealer.rules.hand import HandState

SEED = bytes(range(32))
DUEL = holdem(2, 5, 10, stack=200)
#: The share of the pot alone.
PLAIN = ValueFunction((0.0,) * TERMS, (0.0,) * TERMS, "plain")
#: Far from any sense.
NONSENSE = tuple(Random(1).gauss(0, 1) for _ in range(TERMS))
WILD = ValueFunction(NONSENSE, NONSENSE, "wild")


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


def mean_won(hole: str, board: str, pot: int, paid: int, out: int = 0) -> float:
    """What the first of two hands wins on average if ``pot`` is shown down; ``paid`` is his own part.
    ``out``: hands that folded, which are the last.
    """
    hands, known = [parse_cards(cards) for cards in hole.split()], parse_cards(board)
    rest = [card for card in range(52) if card not in {*known, *sum(hands, ())}]
    won, boards = Fraction(0), list(combinations(rest, 5 - len(known)))
    for more in boards:
        mine, *others = (rank_hand([*cards, *known, *more]) for cards in hands[: len(hands) - out])
        best = max(others)
        won += Fraction(pot, 1 + others.count(mine)) if mine >= best else 0
    return float(won / len(boards)) - paid


def hole_luck(hole: str, boards: int) -> float:
    """What these hole cards bring position 0, where the blinds contest 10 chips each."""
    events = played(HandState(holdem(2, 5, 10, stack=200), Cards(hole, "KsQs2h7d8d")), FOLD)
    ended = events[-1]
    assert isinstance(ended, HandEnded)
    return ended.values[0] - adjusted_net(DUEL, events, 0, boards, PLAIN)


class TestOneHand:
    @pytest.mark.parametrize(("hole", "good"), [("AhAd 7c2s", True), ("7c2s AhAd", False)])
    def test_good_hole_cards_are_luck(self, hole: str, good: bool) -> None:
        # The blinds contest 10 chips; aces win 88 % of them, which is 3.8 more than half.
        assert hole_luck(hole, 300) == pytest.approx(3.8 if good else -3.8, abs=0.4)

    def test_what_one_wins_by_luck_another_loses(self) -> None:
        for events in wild_hands(4, 30):
            ended = events[-1]
            assert isinstance(ended, HandEnded)
            game = holdem(4, 5, 10, stack=300)
            for value in (PLAIN, WILD, None):
                nets = [adjusted_net(game, events, seat, 20, value) for seat in range(4)]
                assert sum(nets) == pytest.approx(0, abs=1e-6)

    @pytest.mark.parametrize("street", [1, 2, 3])
    @pytest.mark.parametrize("board", ["KsQs2h7d8d", "KsQs2h3s4s"])
    def test_an_all_in_is_paid_by_equity(self, street: int, board: str) -> None:
        """Until then both have paid 10, and each deal moves the chances in these."""
        hole, boards = "AsJs QhQd", 1000
        seen = board[: 2 * (street + 2)]
        luck = hole_luck(hole, boards)
        before_the_flop = (adjusted_net(DUEL, all_in_on(0, hole, board), 0, boards, PLAIN) + luck) / 20
        assert adjusted_net(DUEL, all_in_on(street, hole, board), 0, boards, PLAIN) == pytest.approx(
            mean_won(hole, seen, 400, 200) - luck - (mean_won(hole, seen, 20, 10) - before_the_flop)
        )

    @pytest.mark.parametrize("street", [1, 2, 3])
    def test_of_an_all_in_alone_the_cards_before_it_are_no_luck(self, street: int) -> None:
        hole, board = "AsJs QhQd", "KsQs2h7d8d"
        for seat, hands in enumerate((hole, " ".join(reversed(hole.split())))):
            assert all_in_net(DUEL, all_in_on(street, hole, board), seat) == pytest.approx(
                mean_won(hands, board[: 2 * (street + 2)], 400, 200)
            )

    def test_whoever_folded_is_dealt_no_known_cards(self) -> None:
        """What he had changes nothing if it is not told; with it, his cards are no longer in the deck."""
        three = holdem(3, 5, 10, stack=200)
        play = (FOLD, CALL, CALL, raise_to(190), CALL)
        one, other = (
            played(HandState(three, Cards(f"AsJs QhQd {folded}", "KsQs2h7d8d")), *play)
            for folded in ("Th9h", "2c2d")
        )
        seen = []
        for events in (one, other):
            started = events[0]
            assert isinstance(started, HandStarted)
            seen.append([started._replace(hole=(*started.hole[:2], ())), *events[1:]])
        nets = [all_in_net(three, events, 0) for events in seen]
        assert nets[0] == nets[1] == pytest.approx(mean_won("AsJs QhQd", "KsQs2h", 400, 200))
        assert all_in_net(three, one, 0) != nets[0]

    def test_declared_chances_change_nothing(self) -> None:
        events = all_in_on(1, "AsJs QhQd", "KsQs2h7d8d")
        told = [
            one._replace(policy=(("c", 0.5), ("r200", 0.5))) if isinstance(one, Acted) else one
            for one in events
        ]
        assert all_in_net(DUEL, told, 0) == all_in_net(DUEL, events, 0)

    def test_cards_that_nobody_showed_leave_the_hand_as_it_was(self) -> None:
        events = all_in_on(1, "AsJs QhQd", "KsQs2h7d8d")
        started, ended = events[0], events[-1]
        assert isinstance(started, HandStarted)
        assert isinstance(ended, HandEnded)
        seen = [started._replace(hole=(started.hole[0], ())), *events[1:]]
        assert all_in_net(DUEL, seen, 0) == ended.values[0] != all_in_net(DUEL, events, 0)

    def test_before_the_flop_the_board_that_came_does_not_matter(self) -> None:
        won, lost = (all_in_on(0, "AhAd KcKs", board) for board in ("2c7d8d9s3h", "2cKd8d9s3h"))
        assert adjusted_net(DUEL, won, 0) == pytest.approx(adjusted_net(DUEL, lost, 0))
        # Aces win 81.9 % against these kings and tie 0.5 %.
        assert adjusted_net(DUEL, won, 0) == pytest.approx(197 * (0.8195 - 0.1759), abs=8)

    def test_folded_cards_are_not_dealt_and_every_pot_is_paid_by_itself(self) -> None:
        holes, board = "AsKs QhQd 7c7d Js9s", "7sQc2h3d4d"
        game, stacks = holdem(4, 5, 10, stack=1000), [1000, 1000, 300, 1000]

        def adjusted(*play: Action) -> list[float]:
            events = played(HandState(game, Cards(holes, board), stacks=stacks), *play)
            return [adjusted_net(game, events, seat, 2000, PLAIN) for seat in range(4)]

        # The flush draw of position 3 is folded; the set of sevens has 290 more chips, the others 990.
        all_in = adjusted(*[CALL] * 4, raise_to(990), CALL, CALL, FOLD)
        # The same until then, but nobody bets: both have the luck of the hole cards and of the flop.
        folds = adjusted(*[CALL] * 4, raise_to(990), FOLD, FOLD, FOLD)
        side = "AsKs QhQd 7c7d Js9s"
        main = mean_won(side, board[:6], 910, 300, out=1)
        rest = mean_won("AsKs QhQd Js9s 7c7d", board[:6], 1400, 700, out=2)
        assert all_in[0] - folds[0] == pytest.approx(main + rest - 30, abs=1e-6)
        assert all_in[3] == pytest.approx(folds[3])


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
    game = holdem(players, 5, 10, stack=300)
    raw, adjusted = [], []
    for events in wild_hands(players, 1500):
        ended = events[-1]
        assert isinstance(ended, HandEnded)
        raw.append(ended.values[0])
        adjusted.append(adjusted_net(game, events, 0, 20))
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
