"""Slumbot's notation: hands as its HTTP API tells them, and what its clients answer. Pure.

The action strings are those of ``sample_api.py`` on slumbot.com: ``k`` check, ``c`` call, ``f`` fold, ``bN``
bet or raise to N chips on this street (blinds included), ``/`` where a street begins. The fields of a
finished hand are those that public clients read.
"""

from __future__ import annotations

import re
from typing import Any, Final

from clients.errors import ClientError
from clients.slumbot.hands import PlayedHand
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from pokerd_bot.hand import Hand
from protocol import messages

#: The one game of the API: heads-up no-limit hold'em; stacks are reset before every hand.
SMALL_BLIND: Final = 50
BIG_BLIND: Final = 100
STACK: Final = 20_000
_BET: Final = re.compile(r"b([0-9]{1,6})", re.ASCII)


class SlumbotError(ClientError):
    """What a client gets as ``error_msg``; nothing has changed."""

    code = "slumbot"
    at_fault = "player"


def is_slumbots_game(hand: Hand) -> bool:
    """Return whether the hand has the blinds, stacks and rules of the API."""
    game, start = hand.match.info.game, hand.start
    return (
        hand.match.seat in hand.seats
        and (game.betting, game.hole_cards, game.board_cards) == ("nolimit", 2, [0, 3, 1, 1])
        and (game.suits, game.ranks, game.rules == "pushfold") == (4, 13, False)
        and (start.blinds, start.antes) == ((BIG_BLIND, SMALL_BLIND), (0, 0))
        and start.stacks == (STACK, STACK)
    )


def action_text(hand: Hand) -> str:
    """Return the actions so far, such as ``b200c/kb400``. An all-in called before the river ends with a slash
    for every street that is dealt without betting (``b20000c///``).
    """
    streets = [""] * (hand.street + 1)
    for street, acted in hand.actions:
        if acted.action == "raise":
            streets[street] += f"b{acted.to}"
        elif acted.action == "call":
            streets[street] += "c" if acted.paid else "k"
        else:
            streets[street] += "f"
    return "/".join(streets)


def read_increment(text: str, turn: messages.YourTurn) -> Action:
    """Return the action that a client sends as ``incr`` at its turn. Raises ``SlumbotError``."""
    bet = _BET.fullmatch(text)
    if bet is not None:
        return _read_bet(int(bet[1]), turn)
    if text == "k":
        if turn.call:
            raise SlumbotError(f"Illegal check: a call costs {turn.call}")
        return CALL
    if text in ("c", "f"):
        if not turn.call:
            raise SlumbotError(
                f"Illegal {'call' if text == 'c' else 'fold'}: there is no bet, send k to check"
            )
        return CALL if text == "c" else FOLD
    raise SlumbotError(f"Illegal action {text[:20]!r}: send k, c, f or b and the chips on this street")


def _read_bet(to: int, turn: messages.YourTurn) -> Action:
    if turn.raise_to is None:
        raise SlumbotError("Illegal bet: no raise is allowed")
    least, most = turn.raise_to
    if to < least:
        raise SlumbotError(f"Bet too small: at least b{least}")
    if to > most:
        raise SlumbotError(f"Bet too big: at most b{most}")
    return raise_to(to)


def describe(played: PlayedHand, token: str) -> dict[str, Any]:
    """Return the answer about a hand; ``old_action`` is the action of the answer before.

    ``winnings`` and what follows it are in the answer once the hand is over. ``won_pot`` is all chips that
    were put in, negative for a loss, 0 for a split pot. ``bot_hole_cards`` are there if the opponent showed
    them. The baseline, in Slumbot what its own bot would have won with the client's cards, is 0: nobody plays
    them again. ``token`` comes last, where programs without a JSON parser look for it.
    """
    hand = played.hand
    answer: dict[str, Any] = {
        "old_action": played.told or "",
        "action": action_text(hand),
        "client_pos": played.position,
        "hole_cards": list(hand.hole),
        "board": list(hand.board),
    }
    if played.end is not None:
        shown = [] if played.shown is None else played.shown.hands
        for one in shown:
            if one.cards and one.seat != hand.match.seat:
                answer["bot_hole_cards"] = list(one.cards)
        pot = sum(player.paid for player in hand.players)
        won = played.winnings
        answer |= {
            "winnings": won,
            "won_pot": pot if won > 0 else -pot if won < 0 else 0,
            "session_num_hands": played.number,
            "baseline_winnings": 0,
            "session_total": played.total,
            "session_baseline_total": 0,
        }
    return answer | {"token": token}
