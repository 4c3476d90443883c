"""The programs that played the golden logs, playing again on our legal actions: they must decide as they did.

A log shows that what was done is legal. This shows that what *may* be done is the same as at the reference
dealer, to the smallest and largest raise: ``hash`` chooses by a hash of the line it sees among all that is
allowed, and what ``wild`` says regardless of the rules is mended as the reference mends it (an illegal fold
or raise is a call, a raise of the wrong size the nearest legal one).
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dealer.deck import acpc_deals
from dealer.match import seat_at
from dealer.records.acpc import AcpcLog
from dealer.rules.actions import CALL, FOLD, Action
from dealer.rules.cards import cards_text
from dealer.rules.games import load_game
from dealer.rules.hand import Hand

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
MATCHES = json.loads((GOLDEN / "manifest.json").read_text(encoding="ascii"))


def seen_line(hand: Hand) -> str:
    """The line that the reference dealer sends to the player to act."""
    position = hand.betting.to_act
    holes = "|".join(cards_text(cards) if p == position else "" for p, cards in enumerate(hand.hole))
    board = ""
    dealt = 0
    for count in hand.game.board_cards[1 : hand.betting.street + 1]:
        board += "/" + cards_text(hand.board[dealt : dealt + count])
        dealt += count
    return f"MATCHSTATE:{position}:{hand.number}:{hand.betting.text()}:{holes}{board}"


def raise_to_total(hand: Hand, total: int) -> Action:
    """A raise to so many chips of the whole hand, or to the nearest amount allowed; a call if no raise is
    allowed.
    """
    legal = hand.legal()
    if legal.min_raise is None or legal.max_raise is None:
        return CALL
    return Action("raise", min(max(total - hand.betting.street_start, legal.min_raise), legal.max_raise))


def call(hand: Hand) -> Action:
    return CALL


def smallest_raise(hand: Hand) -> Action:
    return raise_to_total(hand, 0)


def by_hash(hand: Hand) -> Action:
    digest = hashlib.sha256(seen_line(hand).encode()).digest()
    drawn = int.from_bytes(digest[1:9], "big")
    legal = hand.legal()
    if digest[0] < 16 and legal.fold:
        return FOLD
    if digest[0] < 136 or legal.min_raise is None or legal.max_raise is None:
        return CALL
    low = legal.min_raise + hand.betting.street_start
    high = legal.max_raise + hand.betting.street_start
    if digest[9] < 96:
        total = low
    elif digest[9] < 224:
        total = low + drawn % (min(high, 4 * low) - low + 1)
    elif digest[9] < 248:
        total = low + drawn % (high - low + 1)
    else:
        total = high
    return raise_to_total(hand, total)


def wild(hand: Hand) -> Action:
    digest = hashlib.sha256(seen_line(hand).encode()).digest()
    if digest[0] < 32:
        return FOLD if hand.legal().fold else CALL
    if digest[0] < 144 or digest[0] >= 250:
        return CALL
    return raise_to_total(hand, int.from_bytes(digest[1:9], "big") % 25000)


PLAYERS: dict[str, Callable[[Hand], Action]] = {
    "call": call,
    "raise": smallest_raise,
    "hash": by_hash,
    "wild": wild,
}


@pytest.mark.parametrize("match", MATCHES, ids=lambda match: str(match["name"]))
def test_the_players_of_the_log_decide_as_they_did(match: dict[str, Any]) -> None:
    lines = (GOLDEN / match["log"]).read_text(encoding="ascii").splitlines(keepends=True)[4:]
    game = load_game(match["game"])
    deals = acpc_deals(match["seed"], game)
    log = AcpcLog(game, match["seat_names"])

    for number in range(match["hands"]):
        seats = [seat_at(position, number, game.players) for position in range(game.players)]
        hand = Hand(game, deals.deal(number), number=number, seats=seats)
        while not hand.over:
            assert hand.to_act is not None
            hand.act(PLAYERS[match["players"][hand.to_act]](hand))
        assert log.hand(hand.events) == lines[number]
    assert log.score().text() == lines[-1]
