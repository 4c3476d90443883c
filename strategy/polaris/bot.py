"""``polaris``: heads-up, the near-equilibrium strategy or an adaptive one, whichever wins more.

Polaris of the University of Alberta played several strategies and moved among them during a match (Aceituno
2017, 2.3). Ours chooses one for each hand (``strategy.polaris.pool``); all of them observe every hand, and so
know the opponent when their turn comes.

What a strategy has won is corrected for luck as far as the player himself can know it (AIVAT, Burch et al.
2018): his own cards, and, where the strategy tells the chances of its actions, his own dice. Such a term has
mean 0 whatever the values are that it is made of, so that the winnings' mean stays. Cards of the board stay
in: their chances depend on cards that he does not see.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from dealer.rules.actions import Action
from dealer.rules.events import Event, HandEnded, HandStarted
from dealer.rules.games import Game
from strategy.adaptive.second import Adaptive2Bot
from strategy.baseline.fair import FairBot
from strategy.blueprint_bots.bot import CfrBot
from strategy.checks import require_holdem, verify_situation
from strategy.declared import Chances
from strategy.loki.bot import Loki2
from strategy.nolimit_bots.bot import NoLimitBot
from strategy.poker.preflop import preflop_equity
from strategy.poker.strength import hand_strength
from strategy.polaris.parameters import PolarisParameters
from strategy.polaris.pool import Belief, Pool
from strategy.registry import Strategy
from strategy.situation import Situation

_MBB: Final = 1000
CARDS_WORTH: Final = 6.0
"""Big blinds a hand for a whole point of equity before the flop."""
_DICE_WORTH: Final = 0.25
"""``action_worth`` is rough: with the whole of it, winnings at no-limit would scatter more than without."""
_NO_LIMIT: Final = 6.0
"""So many times as large are the winnings at no-limit, and what is believed of them."""


def members(game: Game) -> tuple[Callable[[int, Game], Strategy], ...]:
    """Return the strategies for a game; of the first it is believed that it cannot lose."""
    if not game.limit:
        return NoLimitBot, FairBot, Adaptive2Bot, Loki2
    return (CfrBot, FairBot, Adaptive2Bot, Loki2)[game.players > 2 :]


class PolarisBot:
    """Chooses a strategy for each hand. ``playing``: the number of the one in play. Raises UnplayableGame for
    games other than hold'em.
    """

    def __init__(self, seed: int, game: Game, parameters: PolarisParameters | None = None) -> None:
        require_holdem("polaris", game)
        parameters = parameters or PolarisParameters()
        self._seed = seed
        self.members = [make(seed, game) for make in members(game)]
        unit = 1 / _MBB if game.limit else _NO_LIMIT / _MBB
        doubt = parameters.doubt * unit
        others = [Belief(-parameters.caution * unit, doubt)] * (len(self.members) - 1)
        self.pool = Pool([Belief(0.0, doubt), *others])
        self.playing = 0
        self.chances: Chances = {}
        self._position = -1
        self._big_blind = 1
        self._luck = 0.0

    def observe(self, event: Event) -> None:
        """Let all strategies observe; choose one when a hand starts, and count what it has won."""
        for member in self.members:
            observe = getattr(member, "observe", None)
            if observe is not None:
                observe(event)
        if isinstance(event, HandStarted):
            self.playing = self.pool.choose(Random(f"polaris {self._seed} {event.hand}"))
            self._big_blind = max(1, *event.blinds)
            self._position = next((place for place, hole in enumerate(event.hole) if hole), -1)
            self._luck = 0.0
            if self._position >= 0:
                self._luck = cards_luck(event.hole[self._position], len(event.seats) - 1)
        elif isinstance(event, HandEnded) and self._position >= 0:
            won = event.values[self._position] / self._big_blind
            self.pool.add(self.playing, won - self._luck)

    def decide(self, situation: Situation) -> Action:
        """Act as the strategy in play does. Raises SituationError."""
        verify_situation(situation)
        member = self.members[self.playing]
        action = member.decide(situation)
        self.chances = getattr(member, "chances", {})
        if len(self.chances) > 1:
            worth = {one: action_worth(situation, one) for one in self.chances}
            expected = sum(chance * worth[one] for one, chance in self.chances.items())
            self._luck += _DICE_WORTH * (worth[action] - expected) / self._big_blind
        return action


def cards_luck(hole: tuple[int, ...], opponents: int) -> float:
    """Return how many big blinds better than an average hand a hand is, about."""
    return CARDS_WORTH * (preflop_equity(hole, opponents) - 1 / (opponents + 1))


def action_worth(situation: Situation, action: Action) -> float:
    """Return about how many chips the hand brings after an action, if a raise is called once and nothing is
    bet afterwards.
    """
    paid, call = situation.paid[situation.position], situation.to_call
    if action.kind == "fold":
        return -paid
    hole, board = situation.hole, situation.board
    opponents = max(1, situation.opponents)
    share = hand_strength(hole, board, None, opponents) if board else preflop_equity(hole, opponents)
    more = 0
    if action.kind == "raise":
        to = action.to or situation.legal.min_raise or 0
        more = max(0, to - situation.bets[situation.position] - call)
    return share * (situation.pot + call + 2 * more) - paid - call - more
