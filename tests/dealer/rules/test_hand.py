from __future__ import annotations

import pytest

from dealer.rules.actions import CALL, FOLD, RAISE, raise_to
from dealer.rules.cards import parse_cards
from dealer.rules.errors import GameError
from dealer.rules.events import Acted, BoardDealt, HandEnded, HandStarted, PotAward, Shown
from dealer.rules.games import holdem, load_game
from dealer.rules.hand import HandState
from tests.dealer.rules.play import Cards, cards

BOARD = "7h8h9h/Ts/2c"
AK, QJ, TWOS, JUNK = "AsKd", "QcJd", "2d2s", "4c3d"
# On this board queen-jack has a straight to the queen, the pair of deuces a set, the others a high card.


def hand_of(
    *hole: str, stacks: tuple[int, ...] | None = None, muck: bool = False, board: str = BOARD
) -> HandState:
    game = holdem(len(hole), 50, 100, stack=1000)
    return HandState(game, cards("|".join(hole), board), stacks=stacks, muck=muck)


def act(hand: HandState, text: str) -> HandState:
    for word in text.split():
        hand.act({"f": FOLD, "c": CALL}.get(word) or raise_to(int(word[1:])))
    return hand


def kinds(hand: HandState) -> list[str]:
    return [event.kind for event in hand.events if event.kind != "acted"]


def shown(hand: HandState) -> list[tuple[int, bool]]:
    """Who showed (True) or mucked (False), in order."""
    (event,) = [event for event in hand.events if isinstance(event, Shown)]
    return [(seat, bool(hole)) for seat, hole in event.hands]


def test_a_hand_starts_with_blinds_and_hole_cards() -> None:
    hand = HandState(
        holdem(3, 50, 100, ante=10, stack=1000),
        cards(f"{AK}|{QJ}|{TWOS}", BOARD),
        number=7,
        seats=(4, 0, 2),
        stacks=(1000, 80, 5),
    )
    assert hand.events == [
        HandStarted(
            hand=7,
            seats=(4, 0, 2),
            button=2,
            stacks=(1000, 80, 5),
            antes=(10, 10, 5),
            blinds=(50, 70, 0),
            hole=(parse_cards(AK), parse_cards(QJ), parse_cards(TWOS)),
        )
    ]
    assert hand.to_act == 4


def test_the_last_position_has_the_button_unless_the_table_says_otherwise() -> None:
    game = holdem(2, 50, 100, stack=1000)
    assert HandState(game, cards(f"{AK}|{QJ}", BOARD), seats=(5, 3)).button == 3
    assert HandState(game, cards(f"{AK}|{QJ}", BOARD), seats=(5, 3), button=9).button == 9


@pytest.mark.parametrize("seats", [(), (0,), (0, 0), (0, 1, 2), (0, 1, 1)])
def test_every_position_has_a_seat_of_its_own(seats: tuple[int, ...]) -> None:
    with pytest.raises(GameError) as caught:
        HandState(holdem(2, 50, 100), cards(f"{AK}|{QJ}", BOARD), seats=seats)
    assert caught.value.code == "bad_seats"


def test_an_action_is_an_event_with_its_chips() -> None:
    hand = hand_of(AK, QJ, TWOS)
    assert hand.act(raise_to(300)) == [Acted(2, "raise", to=300, paid=300, all_in=False, forced="")]
    assert hand.act(FOLD, "timeout") == [Acted(0, "fold", to=0, paid=0, all_in=False, forced="timeout")]
    assert hand.act(raise_to(1000)) == [Acted(1, "raise", to=1000, paid=900, all_in=True)]
    assert hand.act(CALL)[0] == Acted(2, "call", to=1000, paid=700, all_in=True)


def test_a_street_begins_with_its_cards() -> None:
    hand = act(hand_of(AK, QJ), "c")
    assert hand.act(CALL) == [
        Acted(0, "call", to=100, paid=0, all_in=False),
        BoardDealt(1, parse_cards("7h8h9h")),
    ]
    hand.act(raise_to(200))
    assert hand.act(CALL) == [
        Acted(1, "call", to=200, paid=200, all_in=False),
        BoardDealt(2, parse_cards("Ts")),
    ]
    assert hand.board == parse_cards("7h8h9hTs")


def test_when_all_others_fold_nothing_is_shown() -> None:
    hand = hand_of(AK, QJ, TWOS)
    act(hand, "r300 f")
    assert hand.act(FOLD) == [
        Acted(1, "fold", to=0, paid=0, all_in=False),
        HandEnded(0, (2, 200), (PotAward(250, (2,), ((2, 250),)),), (-50, -100, 150), (950, 900, 1150)),
    ]
    assert hand.over
    assert hand.to_act is None


def test_a_hand_ends_with_a_showdown() -> None:
    hand = act(hand_of(AK, QJ, TWOS), "c c c c c c c c c c c c")
    assert kinds(hand) == ["hand_started", "board_dealt", "board_dealt", "board_dealt", "shown", "hand_ended"]
    assert hand.events[-2] == Shown(((0, parse_cards(AK)), (1, parse_cards(QJ)), (2, parse_cards(TWOS))))
    assert hand.events[-1] == HandEnded(
        0, None, (PotAward(300, (0, 1, 2), ((1, 300),)),), (-100, 200, -100), (900, 1200, 900)
    )
    assert (hand.values, hand.final_stacks) == ((-100, 200, -100), (900, 1200, 900))


def test_a_tie_splits_the_pot() -> None:
    hand = act(hand_of("AsKd", "AcKc", JUNK), "c c c c c c c c c c c c")
    assert hand.values == (50, 50, -100)


def test_side_pots_go_to_whom_they_belong() -> None:
    hand = act(hand_of(QJ, TWOS, AK, stacks=(200, 600, 1000)), "r1000 c c")
    ended = hand.events[-1]
    assert isinstance(ended, HandEnded)
    assert ended.returned == (2, 400)
    assert ended.pots == (PotAward(600, (0, 1, 2), ((0, 600),)), PotAward(800, (1, 2), ((1, 800),)))
    assert ended.values == (400, 200, -600)


# Who shows first, and who may muck


def test_first_left_of_the_button_shows_first_when_the_river_was_checked() -> None:
    hand = act(hand_of(AK, QJ, TWOS, muck=True), "r300 c c c c c c c c c c c")
    assert shown(hand) == [(0, True), (1, True), (2, False)]


def test_the_last_to_bet_the_river_shows_first() -> None:
    hand = act(hand_of(AK, QJ, TWOS, muck=True), "c c c c c c c c c c c r100 c c")
    assert shown(hand) == [(2, True), (0, False), (1, True)]
    hand = act(hand_of(AK, QJ, TWOS, muck=True), "c c c c c c c c c r100 r200 c c")
    assert shown(hand) == [(1, True), (2, False), (0, False)]


def test_a_bet_before_the_river_does_not_count() -> None:
    hand = act(hand_of(AK, QJ, TWOS, muck=True), "c c c c c c c c r100 c c c c c")
    assert shown(hand) == [(0, True), (1, True), (2, False)]


def test_who_folded_has_no_turn_to_show() -> None:
    hand = act(hand_of(AK, QJ, TWOS, muck=True), "c c c c c c r100 f c c c")
    assert shown(hand) == [(0, True), (2, True)]


def test_an_equal_hand_is_shown() -> None:
    hand = act(hand_of("AsKd", "AcKc", muck=True), "c c c c c c c c")
    assert shown(hand) == [(0, True), (1, True)]


def test_mucked_cards_are_not_in_the_event() -> None:
    hand = act(hand_of(QJ, AK, muck=True), "c c c c c c c c")
    (event,) = [event for event in hand.events if isinstance(event, Shown)]
    assert event.hands == ((0, parse_cards(QJ)), (1, ()))


def test_without_mucking_everybody_shows() -> None:
    hand = act(hand_of(QJ, AK, TWOS), "c c c c c c c c c c c r100 c c")
    assert shown(hand) == [(2, True), (0, True), (1, True)]


def test_all_in_hands_are_shown_before_the_rest_of_the_board() -> None:
    # Tournament Directors Association 2024, rule 16.
    hand = act(hand_of(QJ, AK, muck=True), "c c r900 c")
    assert kinds(hand) == ["hand_started", "board_dealt", "shown", "board_dealt", "board_dealt", "hand_ended"]
    assert shown(hand) == [(0, True), (1, True)]


def test_all_in_before_the_river_nobody_bet_the_river() -> None:
    hand = act(hand_of(QJ, AK, TWOS), "r1000 c c")
    assert shown(hand) == [(0, True), (1, True), (2, True)]


def test_nobody_mucks_once_somebody_is_all_in() -> None:
    hand = act(hand_of(QJ, AK, TWOS, stacks=(1000, 300, 1000), muck=True), "r300 c c c c c c c c")
    assert kinds(hand)[-2:] == ["shown", "hand_ended"]
    assert shown(hand) == [(0, True), (1, True), (2, True)]


def test_without_mucking_the_board_is_dealt_first() -> None:
    hand = act(hand_of(QJ, AK), "c c r900 c")
    assert kinds(hand) == ["hand_started", "board_dealt", "board_dealt", "board_dealt", "shown", "hand_ended"]


def test_all_in_from_the_blinds_the_hand_plays_itself() -> None:
    hand = hand_of(QJ, AK, stacks=(100, 50))
    assert hand.over
    assert kinds(hand) == ["hand_started", "board_dealt", "board_dealt", "board_dealt", "shown", "hand_ended"]
    assert hand.values == (50, -50)
    hand = hand_of(QJ, AK, stacks=(100, 50), muck=True)
    assert kinds(hand) == ["hand_started", "shown", "board_dealt", "board_dealt", "board_dealt", "hand_ended"]


# Other games


def test_kuhn_poker() -> None:
    game = load_game("kuhn.limit.2p")
    deal = Cards((parse_cards("Qs"), parse_cards("Ks")), ((),))
    for text, values in [
        ("c c", (-1, 1)),
        ("r c", (-2, 2)),
        ("r f", (1, -1)),
        ("c r f", (-1, 1)),
        ("c r c", (-2, 2)),
    ]:
        hand = HandState(game, deal)
        for word in text.split():
            hand.act({"f": FOLD, "c": CALL, "r": RAISE}[word])
        assert hand.over
        assert hand.values == values
        assert hand.board == ()


def test_leduc_holdem() -> None:
    game = load_game("leduc.limit.2p")
    deal = Cards((parse_cards("Kh"), parse_cards("Qs")), ((), parse_cards("Qh")))
    hand = HandState(game, deal)
    for action in (RAISE, RAISE, CALL):
        hand.act(action)
    assert hand.events[-1] == BoardDealt(1, parse_cards("Qh"))
    for action in (CALL, RAISE, RAISE, CALL):
        hand.act(action)
    assert hand.values == (-13, 13)
