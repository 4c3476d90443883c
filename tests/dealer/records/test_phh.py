"""PHH files are read by PokerKit, which plays the hands again by its own rules."""

import random
import re
import tomllib
from collections.abc import Callable

import pytest
from pokerkit import HandHistory

from dealer.deck import parse_deal
from dealer.errors import RecordError
from dealer.records.phh import phh_hand, verify_phh
from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.events import HandEnded, HandStarted, Shown
from dealer.rules.games import Game, holdem, load_game, parse_game
from dealer.rules.hand import HandState
from tests.dealer.records.played import random_hand, random_holdem

NAMES = tuple(f"Player {seat}" for seat in range(10))


def read_by_pokerkit(text: str) -> list[list[int]]:
    """Final stacks of every hand of a file, p1 first, as PokerKit works them out from the actions."""
    stacks = []
    for history in HandHistory.loads_all(text):
        states = list(history)
        assert not states[-1].status
        stacks.append(list(states[-1].stacks))
    return stacks


def has_odd_chips(hand: HandState) -> bool:
    """PokerKit adds up side pots with the same winners before it splits them: odd chips fall otherwise."""
    ended = hand.events[-1]
    assert isinstance(ended, HandEnded)
    return any(len({chips for _, chips in pot.wins}) > 1 for pot in ended.pots)


@pytest.mark.parametrize("limit", [True, False], ids=["limit", "no-limit"])
def test_random_hands_of_two_to_nine_players_end_alike_in_pokerkit(limit: bool) -> None:
    source = random.Random(20)
    hands = [
        random_hand(random_holdem(source, limit=limit), source, number, muck=number % 2 == 0)
        for number in range(60)
    ]
    hands = [hand for hand in hands if not has_odd_chips(hand)]
    text = "".join(phh_hand(number, hand.events, hand.game, NAMES) for number, hand in enumerate(hands, 1))

    assert len(hands) >= 50
    # Position 0 is the first left of the button, p1 of PHH, also heads-up.
    assert read_by_pokerkit(text) == [list(hand.final_stacks) for hand in hands]
    assert any(isinstance(event, Shown) for hand in hands for event in hand.events)


@pytest.mark.parametrize("name", ["holdem.limit.2p.reverse_blinds", "holdem.limit.2p.liu", "holdem.limit.3p"])
def test_acpc_games_without_short_all_ins_end_alike_in_pokerkit(name: str) -> None:
    source = random.Random(21)
    game = load_game(name)
    hands = [random_hand(game, source, number) for number in range(12)]
    hands = [hand for hand in hands if all(isinstance(value, int) for value in hand.values)]
    text = "".join(phh_hand(number, hand.events, game) for number, hand in enumerate(hands, 1))

    swapped = name.endswith("liu")  # there position 0 has the button
    assert read_by_pokerkit(text) == [list(hand.final_stacks)[:: -1 if swapped else 1] for hand in hands]


def test_heads_up_lists_the_big_blind_first_and_its_blind_last() -> None:
    game = holdem(2, 50, 100, stack=1000)
    hand = HandState(game, parse_deal("5d5c|9hQd/8dAs8s/4h/6d", game), number=4, seats=(1, 0))
    for action in (raise_to(300), CALL, CALL, raise_to(100), FOLD):
        hand.act(action)
    record = tomllib.loads(phh_hand(1, hand.events, game, ("Ann", "Bob"), table="t/1"))["1"]

    assert record == {
        "variant": "NT",
        "antes": [0, 0],
        "blinds_or_straddles": [50, 100],
        "min_bet": 100,
        "starting_stacks": [1000, 1000],
        "actions": [
            "d dh p1 5d5c", "d dh p2 9hQd", "p2 cbr 300", "p1 cc",
            "d db 8dAs8s", "p1 cc", "p2 cbr 100", "p1 f",
        ],
        "table": "t/1",
        "hand": 4,
        "seats": [2, 1],
        "players": ["Bob", "Ann"],
        "finishing_stacks": [700, 1300],
    }  # fmt: skip


@pytest.mark.parametrize("muck", [True, False])
def test_all_in_hands_are_shown_before_the_board_is_run_out(muck: bool) -> None:
    game = holdem(2, 50, 100, stack=1000)
    hand = HandState(game, parse_deal("5d5c|9hQd/8dAs8s/4h/6d", game), muck=muck)
    hand.act(raise_to(1000))
    hand.act(CALL)
    actions = tomllib.loads(phh_hand(1, hand.events, game))["1"]["actions"]

    assert actions[2:4] == ["p2 cbr 1000", "p1 cc"]
    assert sorted(actions[4:6]) == ["p1 sm 5d5c", "p2 sm 9hQd"]
    assert actions[6:] == ["d db 8dAs8s", "d db 4h", "d db 6d"]


def test_names_of_all_kinds_can_be_read() -> None:
    game = holdem(2, 5, 10, limit=True)
    hand = HandState(game, parse_deal("5d5c|9hQd/8dAs8s/4h/6d", game))
    hand.act(FOLD)
    names = ('"quoted\\', "tab\tnew\nline\x7f ü 🂡")
    record = tomllib.loads(phh_hand(1, hand.events, game, names))["1"]

    assert record["players"] == list(names)
    assert (record["variant"], record["small_bet"], record["big_bet"]) == ("FT", 10, 20)


def odd(change: Callable[[str], str], name: str = "holdem.limit.3p") -> Game:
    return parse_game(change(load_game(name).text()), "odd")


@pytest.mark.parametrize(
    "game",
    [
        load_game("kuhn.limit.3p"),
        load_game("kuhn.limit.2p"),
        load_game("leduc.limit.2p"),
        odd(lambda text: text.replace("raiseSize = 10 10 20 20", "raiseSize = 10 20 30 40")),
        odd(lambda text: text.replace("firstPlayer = 3 1 1 1", "firstPlayer = 1 1 1 1")),
        odd(lambda text: text.replace("blind = 5 10 0", "blind = 5 10 20")),
        odd(lambda text: text.replace("blind = 5 10 0", "blind = 0 0 0")),
        odd(lambda text: text.replace("numHoleCards = 2", "numHoleCards = 3")),
        odd(lambda text: text.replace("blind = 10 5", "blind = 5 10"), "holdem.limit.2p.reverse_blinds"),
    ],
    ids=lambda game: game.name,
)
def test_games_that_phh_does_not_know_are_refused(game: Game) -> None:
    hand = random_hand(game, random.Random(1))
    for refused in (lambda: verify_phh(game), lambda: phh_hand(1, hand.events, game)):
        with pytest.raises(RecordError) as error:
            refused()
        assert error.value.code == "not_in_phh"


def test_an_unfinished_hand_is_refused() -> None:
    game = holdem(2, 5, 10)
    hand = random_hand(game, random.Random(1))
    for events in ([], hand.events[:-1], hand.events[1:]):
        with pytest.raises(RecordError) as error:
            phh_hand(1, events, game)
        assert error.value.code == "not_a_hand"


def test_hole_cards_that_are_left_out_are_unknown_to_pokerkit() -> None:
    source = random.Random(23)
    hands = [random_hand(random_holdem(source, limit=False), source, number) for number in range(150)]
    folded = [hand for hand in hands if not any(isinstance(event, Shown) for event in hand.events)]
    assert len(folded) > 5
    for hand in folded:
        started = hand.events[0]
        assert isinstance(started, HandStarted)
        hidden = [started._replace(hole=((),) * len(started.seats)), *hand.events[1:]]
        text = phh_hand(1, hidden, hand.game, NAMES)
        assert text.count("????") == len(started.seats)
        assert read_by_pokerkit(text) == [list(hand.final_stacks)]
        one = started._replace(hole=tuple(cards[:1] for cards in started.hole))
        text = phh_hand(1, [one, *hand.events[1:]], hand.game, NAMES)
        assert len(re.findall(r"d dh p\d+ \w\w\?\?\"", text)) == len(started.seats)
        assert read_by_pokerkit(text) == [list(hand.final_stacks)]
