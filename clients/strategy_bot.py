"""A strategy as a bot: converts messages to a ``Situation``, and the strategy's decision to an act."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dealer.rules import events
from dealer.rules.actions import Action
from dealer.rules.cards import parse_card
from dealer.rules.games import parse_game
from dealer.rules.legal import Legal
from pokerd_bot.bot import Bot
from pokerd_bot.hand import Hand, Match
from pokerd_bot.turn import DrawnAction, Turn
from protocol import messages
from strategy.observer import Observer
from strategy.precompile import precompile
from strategy.registry import DeclaringStrategy, ObservingStrategy, create_strategy


class StrategyBot(Bot):
    """Plays the strategy called ``name``, seeded by the match, with ``parameters`` if given."""

    threaded = False

    def __init__(self, name: str, match: Match, *, parameters: object = None) -> None:
        super().__init__(match)
        info = match.info
        game = parse_game(info.game.text, info.game.name).with_rules(info.game.rules)
        self.strategy = create_strategy(name, info.seed, game, parameters)
        self.observer = Observer(game, match.seat)
        self._declares = self.strategy if isinstance(self.strategy, DeclaringStrategy) else None
        self._observe = self.strategy.observe if isinstance(self.strategy, ObservingStrategy) else None

    def act(self, turn: Turn) -> Action | DrawnAction:
        legal = Legal(turn.can_fold, turn.to_call, turn.min_raise, turn.max_raise)
        action = self.strategy.decide(self.observer.situation(legal))
        chances = self._declares.chances if self._declares is not None else None
        return turn.declare(action, chances) if chances else action

    def hand_started(self, hand: Hand) -> None:
        start = hand.start
        hole = tuple([parse_card(card) for card in start.hole])
        self.observer.hand_started(
            hand=start.hand,
            seats=start.seats,
            button=start.button,
            stacks=start.stacks,
            antes=start.antes,
            blinds=start.blinds,
            hole=hole,
        )
        if self._observe is not None:
            holes = tuple(hole if seat == self.match.seat else () for seat in start.seats)
            self._observe(
                events.HandStarted(
                    start.hand,
                    start.seats,
                    start.button,
                    start.stacks,  # type: ignore[arg-type]
                    start.antes,
                    start.blinds,
                    holes,
                )
            )

    def board_dealt(self, hand: Hand, board: messages.Board) -> None:
        cards = tuple([parse_card(card) for card in board.cards])
        self.observer.board_dealt(board.street, cards)
        if self._observe is not None:
            self._observe(events.BoardDealt(board.street, cards))

    def acted(self, hand: Hand, action: messages.PlayerActed) -> None:
        self.observer.acted(action.seat, action.action, action.to, action.paid)
        if self._observe is not None:
            self._observe(
                events.Acted(action.seat, action.action, action.to, action.paid, action.all_in, action.forced)
            )

    def hand_ended(self, hand: Hand, shown: messages.Showdown | None, end: messages.HandEnd) -> None:
        if self._observe is None:
            return
        if shown is not None:
            hands = tuple((one.seat, tuple(map(parse_card, one.cards))) for one in shown.hands)
            self._observe(events.Shown(hands))
        pots = tuple(events.PotAward(pot.amount, pot.seats, pot.wins) for pot in end.pots)  # type: ignore[arg-type]
        self._observe(events.HandEnded(end.hand, end.returned, pots, end.net, end.stacks))


def strategy_bot(name: str, parameters: object = None) -> Callable[[Match], Bot]:
    """Return a bot factory for ``run``. What the strategy compiles is compiled here, before connecting, not
    while a clock runs. ``parameters`` are checked at the first match; see ``strategy.registry``:
    ``strategy_names`` and ``parameters_of``. Raises UnknownStrategy.
    """
    precompile(name)
    return partial(StrategyBot, name, parameters=parameters)
