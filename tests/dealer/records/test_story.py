"""A hand in sentences."""

from __future__ import annotations

import random

from dealer.deck import parse_deal
from dealer.records.sentences import hand_sentences
from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.events import HandStarted
from dealer.rules.games import holdem
from dealer.rules.hand import HandState
from tests.dealer.records.played import all_kinds

NAMES = ("ann", "bob", "cleo", "dan")


def test_a_hand_from_the_blinds_to_the_pot() -> None:
    game = holdem(3, 5, 10, stack=[100, 200, 60])
    hand = HandState(game, parse_deal("AhAd|KsKc|7c2d/Ac8s3h/9d/Th", game), muck=True)
    for action in (raise_to(60), CALL, raise_to(200), CALL):
        hand.act(action, forced="")
    assert hand_sentences("Hand x", hand.events, game, NAMES) == (
        "Hand x\n"
        "holdem.nolimit.3p (no-limit), blinds 5/10\n"
        "Seat 1: ann with 100, blind 5, Ah Ad\n"
        "Seat 2: bob with 200, blind 10, Ks Kc\n"
        "Seat 3: cleo with 60, button, 7c 2d\n"
        "cleo raises to 60 and is all-in\n"
        "ann calls 55\n"
        "bob raises to 200 and is all-in\n"
        "ann calls 40 and is all-in\n"
        "ann shows Ah Ad\n"
        "bob shows Ks Kc\n"
        "cleo shows 7c 2d\n"
        "Flop: Ac 8s 3h\n"
        "Turn: Ac 8s 3h 9d\n"
        "River: Ac 8s 3h 9d Th\n"
        "100 that nobody called go back to bob\n"
        "ann wins 180 from the main pot\n"
        "ann wins 80 from side pot 1\n"
        "Net: ann +160, bob -100, cleo -60\n"
    )


def test_a_kicker_that_decides_is_named() -> None:
    game = holdem(2, 5, 10, stack=100)
    hand = HandState(game, parse_deal("QhJd|QcKd/Qs8h7d/3c/4s", game))
    for _ in range(8):
        hand.act(CALL, forced="")
    told = hand_sentences("x", hand.events, game, NAMES).splitlines()
    assert [line for line in told if "shows" in line] == [
        "ann shows Qh Jd (pair, queens, jack kicker)",
        "bob shows Qc Kd (pair, queens, king kicker)",
    ]


def test_checks_bets_folds_and_what_the_table_did() -> None:
    game = holdem(2, 5, 10, stack=100)
    hand = HandState(game, parse_deal("AhAd|KsKc/Ac8s3h/9d/Th", game))
    for action, forced in ((CALL, ""), (CALL, ""), (CALL, "timeout"), (raise_to(20), ""), (FOLD, "absent")):
        hand.act(action, forced=forced)
    told = hand_sentences("x", hand.events, game, NAMES).splitlines()
    assert told[4:] == [
        "bob calls 5",
        "ann checks",
        "Flop: Ac 8s 3h",
        "ann checks (timeout)",
        "bob bets 20",
        "ann folds (absent)",
        "20 that nobody called go back to bob",
        "bob wins 20 from the pot",
        "Net: ann -10, bob +10",
    ]


def test_every_game_can_be_told_with_or_without_cards() -> None:
    for hand in all_kinds(random.Random(4), 4):
        names = [f"p{seat}" for seat in range(hand.game.players)]
        whole = hand_sentences("x", hand.events, hand.game, names)
        started = hand.events[0]
        assert isinstance(started, HandStarted)
        hidden = [started._replace(hole=((),) * len(started.seats)), *hand.events[1:]]
        less = hand_sentences("x", hidden, hand.game, names)
        assert len(less.splitlines()) == len(whole.splitlines())
        assert len(less) < len(whole)
