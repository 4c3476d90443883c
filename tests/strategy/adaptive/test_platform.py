"""The platform that the document asks for, sentence by sentence (Aceituno 2017, 3.1.4, 4.1 and 6.1)."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from random import Random

import pytest

from dealer.deck import Deal, parse_deal, secure_deals
from dealer.formats.carry_over import first_button
from dealer.formats.cash import Cash
from dealer.formats.format import Stakes
from dealer.formats.tournament import Level, Tournament
from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.cards import parse_cards
from dealer.rules.errors import GameError
from dealer.rules.evaluation import best_cards, hand_label, rank_hand
from dealer.rules.events import BoardDealt, Event, HandEnded, HandStarted, Shown
from dealer.rules.games import Game, holdem
from dealer.rules.hand import HandState
from strategy.registry import create_strategy
from studies.harness.session import play_session
from tests.dealer.rules.play import cards

SEED = sha256(b"platform").digest()
BOARD = "7h8h9h/Ts/2c"
AK, QJ, TWOS, JUNK = "AsKd", "QcJd", "2d2s", "4c3d"
#: Seats 0 to 3: small blind, big blind, the first to speak, the dealer.
FOUR = (AK, QJ, TWOS, JUNK)


def dealt(hole: Sequence[str] = FOUR, board: str = BOARD, *, muck: bool = False) -> HandState:
    """A hand at blinds of 5 and 10, stacks of 1,000, and the document's rule for raises."""
    game = holdem(len(hole), 5, 10, stack=1000, rules="bb")
    return HandState(game, cards("|".join(hole), board), muck=muck)


def act(hand: HandState, text: str) -> HandState:
    for word in text.split():
        hand.act({"f": FOLD, "c": CALL}.get(word) or raise_to(int(word[1:])))
    return hand


def shown(hand: HandState) -> list[tuple[int, bool]]:
    """Who showed (True) or mucked (False), in order."""
    (event,) = [event for event in hand.events if isinstance(event, Shown)]
    return [(seat, bool(hole)) for seat, hole in event.hands]


class Chosen:
    """The same cards for every hand."""

    def __init__(self, text: str, game: Game) -> None:
        self._deal = parse_deal(text, game)

    def deal(self, hand: int) -> Deal:
        return self._deal

    def draw(self, hand: int, choices: int) -> int:
        return hand % choices


# 3.1.4, the table.


@pytest.mark.parametrize("players", [1, 11])
def test_a_table_has_two_to_ten_players_and_no_more(players: int) -> None:
    with pytest.raises(GameError):
        holdem(players, 5, 10)


def test_the_highest_card_makes_the_first_dealer() -> None:
    game = Stakes(5, 10).game(4)
    deals = Chosen("9c2d|8d2c|AhKh|QsTs/6d7d8h/9h/Th", game)
    assert first_button(deals, (0, 1, 2, 3)) == 2


def test_the_dealer_s_left_neighbour_is_the_next_dealer() -> None:
    cash = Cash(4, Stakes(5, 10), lambda game: secure_deals(SEED, 0, game), all_seated=True)
    buttons = []
    for _ in range(5):
        hand = cash.next_hand()
        assert hand is not None
        buttons.append(hand.button)
        while not hand.over:
            hand.act(CALL)
        cash.finish_hand(hand)
    assert buttons == [(buttons[0] + step) % 4 for step in range(5)]


def test_the_blinds_are_posted_left_of_the_dealer() -> None:
    hand = dealt()
    started = hand.events[0]
    assert isinstance(started, HandStarted)
    assert (started.button, started.blinds) == (3, (5, 10, 0, 0))


def test_heads_up_the_dealer_posts_the_small_blind_speaks_first_and_then_last() -> None:
    """The exception that 3.1.4 does not mention."""
    hand = dealt((AK, QJ))
    started = hand.events[0]
    assert isinstance(started, HandStarted)
    dealer = started.button
    assert started.blinds[started.seats.index(dealer)] == 5
    assert hand.to_act == dealer
    act(hand, "c c")
    assert hand.to_act == 1 - dealer


# 3.1.4, betting.


def test_left_of_the_big_blind_speaks_first_and_has_three_options() -> None:
    hand = dealt()
    assert hand.to_act == 2
    legal = hand.legal()
    assert (legal.fold, legal.call, legal.min_raise, legal.max_raise) == (True, 10, 20, 1000)


def test_a_raise_is_one_big_blind_over_the_bet_at_least_and_all_in_at_most() -> None:
    """The example: 20 are bet; to fold, to pay 20, or to raise from 30 on."""
    legal = act(dealt(), "r20").legal()
    assert (legal.fold, legal.call, legal.min_raise, legal.max_raise) == (True, 20, 30, 1000)
    # Its rule and the usual one part ways after a larger raise.
    assert act(dealt(), "r100").legal().min_raise == 110


def test_who_folds_can_win_no_more() -> None:
    hand = act(dealt(), "c c c c r40 f c c c c c c c c")  # queen-jack would have the straight
    assert hand.over
    assert hand.values == (-50, -10, 110, -50)


def test_the_turn_passes_to_the_left() -> None:
    hand = dealt()
    spoken = []
    for _ in range(8):
        spoken.append(hand.to_act)
        hand.act(CALL)
    assert spoken == [2, 3, 0, 1, 0, 1, 2, 3]


def test_a_round_ends_when_all_have_spoken_and_paid_the_same() -> None:
    hand = act(dealt(), "c c c")
    assert hand.board == ()  # the big blind has not spoken yet
    act(hand, "r30 c c")
    assert hand.board == ()  # one has not paid the same
    act(hand, "f")
    assert len(hand.board) == 3


def test_three_cards_and_one_and_one_with_four_rounds() -> None:
    hand = act(dealt(), "c " * 16)
    assert hand.over
    assert [len(event.cards) for event in hand.events if isinstance(event, BoardDealt)] == [3, 1, 1]


def test_from_the_flop_on_left_of_the_dealer_speaks_first_and_may_check() -> None:
    hand = act(dealt(), "c c c c")
    legal = hand.legal()
    assert (hand.to_act, legal.fold, legal.call) == (0, False, 0)
    # Any other small bet is one big blind (4.2.2, case A: from the big blind to the own stack).
    assert (legal.min_raise, legal.max_raise) == (10, 990)


def test_nobody_pays_a_raise_and_the_hand_is_over() -> None:
    hand = act(dealt(), "c c c c r40 f f f")
    assert hand.over
    assert hand.values == (30, -10, -10, -10)
    assert not any(isinstance(event, Shown) for event in hand.events)


@pytest.mark.parametrize(
    ("stacks", "call"),
    [
        ((1000, 1000, 1000), 5),  # the small blind has paid half of it
        ((1000, 3, 1000), 5),
        ((8, 1000, 1000), 3),  # the rest of a stack
    ],
)
def test_what_is_to_be_paid_may_be_less_than_a_big_blind(stacks: tuple[int, ...], call: int) -> None:
    """4.2.2 says that it never is."""
    hand = HandState(
        holdem(3, 5, 10, stack=1000, rules="bb"), cards(f"{AK}|{QJ}|{TWOS}", BOARD), stacks=stacks
    )
    act(hand, "c")
    assert (hand.to_act, hand.legal().call) == (0, call)


@pytest.mark.parametrize("seed", range(4))
def test_the_bet_to_pay_is_never_above_the_pot(seed: int) -> None:
    """4.2.1, B, as its words have it; its formula says the contrary. A big blind posted short is the only
    exception, as its whole amount is called.
    """
    form = Cash(
        5, Stakes(5, 10, stack=200), lambda game: secure_deals(SEED, seed, game), hands=40, all_seated=True
    )
    random = Random(seed)
    while (hand := form.next_hand()) is not None:
        least = 10 if max(hand.betting.blinds) < 10 else 0
        while not hand.over:
            legal = hand.legal()
            assert legal.call <= max(sum(hand.betting.spent), least)
            most = legal.max_raise if random.random() < 0.3 else None
            hand.act(CALL if most is None else raise_to(most))
        form.finish_hand(hand)


# 3.1.4, showdown.


def test_the_best_five_of_seven_win_everything() -> None:
    assert act(dealt(), "c " * 16).values == (-10, 30, -10, -10)


def test_a_tie_is_divided_equally() -> None:
    assert act(dealt(("AsKd", "AcKc", JUNK, "5s4d")), "c " * 16).values == (10, 10, -10, -10)


def test_who_bet_the_river_shows_first_and_a_beaten_hand_need_not() -> None:
    hand = act(dealt(muck=True), "c " * 12 + "c c r50 c c c")
    assert shown(hand) == [(2, True), (3, False), (0, False), (1, True)]


def test_else_left_of_the_dealer_shows_first() -> None:
    assert [seat for seat, _ in shown(act(dealt(), "c " * 16))] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("hole", "board", "used"),
    [("4c3d", "AhKhQhJhTh", 0), ("Th3d", "AhKhQhJh2c", 1), ("ThJh", "AhKhQh2c3d", 2)],
)
def test_none_one_or_both_of_the_own_cards_are_used(hole: str, board: str, used: int) -> None:
    own, table = parse_cards(hole), parse_cards(board)
    assert hand_label((*own, *table)) == "royal flush"
    assert len(set(best_cards((*own, *table))) & set(own)) == used


def test_the_other_two_cards_do_not_count() -> None:
    board = parse_cards("AhAdKcKsQh")
    assert rank_hand((*parse_cards("Js9d"), *board)) == rank_hand((*parse_cards("3s2d"), *board))


def test_without_a_combination_the_highest_card_wins_from_the_ace_down() -> None:
    board = parse_cards("2c4d6h8sTc")
    order = [rank_hand((*parse_cards(f"{rank}h3s"), *board)) for rank in "AKQJ9"]
    assert order == sorted(order, reverse=True)
    assert len(set(order)) == 5


@pytest.mark.parametrize("hand", ["A{0}K{0}Q{0}J{0}9{0}", "9{0}8{0}7{0}6{0}5{0}"])
def test_no_suit_is_worth_more(hand: str) -> None:
    assert len({rank_hand(parse_cards(hand.format(suit))) for suit in "cdhs"}) == 1


def test_the_ten_combinations_are_ordered() -> None:
    """Figure 9."""
    best_first = [
        "AhKhQhJhTh",
        "KhQhJhTh9h",
        "AhAdAcAs2s",
        "AhAdAcKsKh",
        "AhKhQhJh9h",
        "AhKdQcJsTh",
        "AhAdAcKsQh",
        "AhAdKcKsQh",
        "AhAdKcQsJh",
        "AhKdQcJs9h",
    ]
    ranks = [rank_hand(parse_cards(text)) for text in best_first]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == 10


# 4.1 and 6.1: two modes, for two to ten players.


def hands_of(players: int, form: Cash | Tournament) -> list[list[Event]]:
    """All hands of a table at which only adaptive players sit."""
    hands: list[list[Event]] = []
    strategies = [create_strategy("adaptive", seat, form.game) for seat in range(players)]
    play_session(form, strategies, lambda events: hands.append(list(events)))
    return hands


def ends(hand: list[Event]) -> tuple[HandStarted, HandEnded]:
    started, ended = hand[0], hand[-1]
    assert isinstance(started, HandStarted)
    assert isinstance(ended, HandEnded)
    return started, ended


@pytest.mark.parametrize("players", range(2, 11))
def test_in_the_simple_mode_who_has_lost_all_gets_a_new_stack_and_plays_on(players: int) -> None:
    stakes = Stakes(5, 10, stack=1000)
    form = Cash(players, stakes, lambda game: secure_deals(SEED, players, game), hands=40, all_seated=True)
    hands = [ends(hand) for hand in hands_of(players, form)]
    assert len(hands) == 40
    total, refills = players * 1000, 0
    had = dict.fromkeys(range(players), 1000.0)
    for started, ended in hands:
        assert sorted(started.seats) == list(range(players))
        for seat, stack in zip(started.seats, started.stacks, strict=True):
            refills += had[seat] == 0
            assert stack == (had[seat] or 1000)
        assert sum(started.stacks) == sum(ended.stacks) == total + refills * 1000
        had = dict(zip(started.seats, ended.stacks, strict=True))
    assert refills > 0


@pytest.mark.parametrize("players", range(2, 11))
def test_in_the_tournament_mode_nobody_gets_chips_and_the_last_one_has_all(players: int) -> None:
    form = Tournament(players, (Level(5, 10),), 1000, lambda game: secure_deals(SEED, players, game))
    hands = [ends(hand) for hand in hands_of(players, form)]
    out: list[int] = []
    for started, ended in hands:
        # Who loses chips in a hand begins the next with as many fewer; who has none is out.
        assert sorted([*started.seats, *out]) == list(range(players))
        assert sum(started.stacks) == sum(ended.stacks) == players * 1000
        # Of two who go at once the one who began the hand with less goes first (6.1 does not say).
        stacks = sorted(zip(started.stacks, started.seats, ended.stacks, strict=True))
        out += [seat for _, seat, left in stacks if left == 0]
    assert len(out) == players - 1
    (winner,) = set(range(players)) - set(out)
    assert form.places[winner] == 1
    assert max(hands[-1][1].stacks) == players * 1000
    # The order in which they went out is kept: the first has the last place.
    places = [form.places[seat] for seat in out]
    assert places == sorted(places, reverse=True)
