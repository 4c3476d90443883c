"""Situations after any actions, on one board."""

from __future__ import annotations

from dealer.rules.actions import parse_action
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import Game, holdem
from strategy.situation import Situation, situation_at

LIMIT = holdem(4, 5, 10, limit=True)
BOARD = "2c7dTsJh4c"


def at(game: Game, actions: str, hole: str = "AhKs") -> Situation:
    """What a player with these cards faces, on as much of ``BOARD`` as is dealt by then."""
    betting = Betting(game)
    for action in actions.split():
        betting.act(parse_action(action))
    board = parse_cards(BOARD)[: (0, 3, 4, 5)[betting.street]]
    return situation_at(betting, parse_cards(hole), board)
