"""What one random number for a hand does to the style of a hand (summary, 4.2.1)."""

from __future__ import annotations

from dealer.rules.actions import CALL
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import holdem
from strategy.loki.bot import Loki2B
from strategy.loki.odds import HandValue
from strategy.loki.parameters import LokiParameters
from strategy.loki.triples import Triple
from strategy.loki.views import View
from strategy.situation import situation_at

_HOLE, _BOARD = parse_cards("AhKd"), parse_cards("2c7d9hJsQs")
# Any cards will do: its triple does not depend on them.
_CARDS = (0, 3, 4, 5)
# On the board, by street.


class _EvenB(Loki2B):
    """B whose chances are the same in all situations."""

    def probabilities(self, hand: HandValue, view: View) -> Triple:
        """Return even chances to check or call, and to bet or raise."""
        return Triple(0, 0.5, 0.5)


def styles(hands: int) -> list[list[str]]:
    """Return what B does first on flop, turn and river in each of so many hands in which it checks or bets
    with even chances: it acts first, and who plays against it only calls.
    """
    game = holdem(2, 5, 10, limit=True)
    bot = _EvenB(1, game, LokiParameters(model="none"))
    found = []
    for hand in range(hands):
        betting, kinds = Betting(game), []
        first = game.first_player[1]
        while betting.to_act >= 0:
            action = CALL
            if betting.street and betting.to_act == first:
                board = _BOARD[: _CARDS[betting.street]]
                action = bot.decide(situation_at(betting, _HOLE, board, hand=hand))
                kinds.append(action.kind)
            betting.act(action)
        found.append(kinds)
    return found
