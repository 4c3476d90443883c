"""Blinds, bets and prices of a hand, in the units of strategies with play-outs.

No-limit bets have no fixed size, so the count there is our own: a call of up to a pot-sized bet is one bet,
more is two, and more than about four pots is three.
"""

from __future__ import annotations

from typing import NamedTuple

from dealer.rules.events import HandStarted
from strategy.situation import Situation, SituationError

POT_BET_PRICE = 1 / 3
OVERBET_PRICE = 0.45
NO_LIMIT_BET = 0.75
"""The usual no-limit bet, in pots."""


class Opening(NamedTuple):
    """The posts by position, and the size of a bet by street: none in no-limit games."""

    blinds: tuple[int, ...]
    antes: tuple[int, ...]
    sizes: tuple[int, ...]


def make_opening(situation: Situation, started: HandStarted | None) -> Opening:
    """Return the opening of the hand from ``started``, or from the game if that is None or of another hand.

    Raises SituationError if the game is for another number of players.
    """
    game, players = situation.game, situation.players
    if started is not None and (started.hand, started.seats) == (situation.hand, situation.seats):
        blinds, antes = started.blinds, started.antes
    elif game.players != players:
        raise SituationError(f"a game for {game.players} with {players} players, and no word of blinds")
    else:
        blinds, antes = game.blinds, (game.ante,) * players
    # Blinds may have risen since the game was announced; bet sizes rise with them.
    scale = max(1, *blinds) / max(1, *game.blinds)
    sizes = tuple(max(1, round(size * scale)) for size in game.raise_sizes)
    return Opening(tuple(blinds), tuple(antes), sizes)


def first_players(situation: Situation) -> tuple[int, ...]:
    """Return the position that acts first, by street."""
    game = situation.game
    # If players have left, position 0 is left of the button and, heads-up, the big blind.
    return game.first_player if game.players == situation.players else (0,) * 4


def bets_to_call(limit: bool, behind: int, bets: int, price: float, street: int) -> int:
    """Return how many bets a player has to call who is behind by ``behind`` of the street's ``bets``."""
    if limit or not behind:
        return behind
    if (street == 0 and bets == 1) or price <= POT_BET_PRICE + 1e-9:
        return 1
    return 2 if price <= OVERBET_PRICE else 3


def pot_raise(situation: Situation, pots: float = 1.0) -> int:
    """Return the legal raise nearest to ``pots`` pots after the call, as a total of the street.

    In a limit game it is the only one. Some raise must be legal.
    """
    least, most = situation.legal.min_raise, situation.legal.max_raise
    assert least is not None
    assert most is not None
    called = situation.bets[situation.position] + situation.to_call
    return min(most, max(least, round(called + pots * (situation.pot + situation.to_call))))
