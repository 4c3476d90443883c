"""What a strategy refuses: a game that it was not made for, a situation that cannot have come about."""

from __future__ import annotations

from dealer.rules.games import Game
from strategy.situation import Situation, SituationError

__all__ = ["UnplayableGame", "require_holdem", "verify_situation"]


class UnplayableGame(ValueError):
    """A strategy was asked to play a game that it does not know; the message says which it does."""

    code = "unplayable_game"


def require_holdem(name: str, game: Game) -> None:
    """Check that ``game`` is hold'em with the whole deck, limit or not. Raises UnplayableGame."""
    if (game.suits, game.ranks, game.hole_cards, game.board_cards) != (4, 13, 2, (0, 3, 1, 1)):
        raise UnplayableGame(f"{name} plays hold'em only, and {game.name} is not")


def verify_situation(situation: Situation) -> None:
    """Check what every decision in hold'em relies on: cards, seats, chips. Raises SituationError.

    It is cheap, as it stands before every decision; ``parse_situation`` checks all the rest.
    """
    hole, board, legal = situation.hole, situation.board, situation.legal
    cards = (*hole, *board)
    if not 0 <= situation.street < 4 or len(hole) != 2 or len(board) != (0, 3, 4, 5)[situation.street]:
        raise SituationError(
            f"{len(hole)} hole cards and {len(board)} board cards on street {situation.street}"
        )
    if len(set(cards)) < len(cards) or min(cards) < 0 or max(cards) > 51:
        raise SituationError(f"not different cards of the deck: {cards}")
    if situation.seat not in situation.seats:
        raise SituationError(f"seat {situation.seat} is not in the hand")
    position = situation.position
    if situation.folded[position] or situation.opponents < 1:
        raise SituationError(f"seat {situation.seat} has nothing to decide")
    stacks, paid, bets = situation.stacks, situation.paid, situation.bets
    if min(stacks) < 0 or stacks[position] == 0 or not 0 <= legal.call <= stacks[position]:
        raise SituationError(f"{legal.call} to call with a stack of {stacks[position]}")
    if min(paid) < 0 or sum(paid) < max(1, sum(bets)):
        raise SituationError(f"{paid} paid with bets of {bets}")
    if (legal.min_raise is None) != (legal.max_raise is None):
        raise SituationError(f"raises from {legal.min_raise} to {legal.max_raise}")
