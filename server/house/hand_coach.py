"""What a strong house bot would have done in a hand that is over, for the replayer.

It is the bot that helps at practice tables (``coach``), in the same process, and it is told what the player
knew. Strangers may ask, so it is asked one question at a time, few wait, and answers are kept.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Container, Sequence
from typing import Final, NamedTuple

from dealer.rules.events import Event, start_of
from dealer.rules.games import Game
from protocol.base import Choice
from protocol.messages import Act
from server.house.coach import coach_for, coach_name, depth_of
from server.house.questions import Questions, betting_after, chances_of
from server.tables.player import Player
from server.telemetry.logger import get_logger

log = get_logger("pokerd.house")

#: Requests that are answered or wait, and those of one person's address.
MAX_WAITING: Final = 16
MAX_WAITING_PER_ADDRESS: Final = 4
#: Answers that are kept: those that were asked for last.
MAX_KEPT: Final = 4096
#: Seconds after which nobody waits for an answer any more.
PATIENCE: Final = 30.0
#: Seconds for which a bot waits for the next question.
_LINGER: Final = 60.0


class Decision(NamedTuple):
    """The decision ``number`` of a hand. ``events`` are those before it, with the cards of ``seat`` alone;
    ``names`` are by seat.
    """

    hand: str
    number: int
    game: Game
    mode: str
    names: Sequence[str]
    seat: int
    events: Sequence[Event]


class _Review(Questions):
    """Asks one house bot about one decision at a time; whoever asks holds ``turn``."""

    def __init__(self, player: Player, name: str) -> None:
        super().__init__(player, name, self._take, self._on_fault)
        self.turn = asyncio.Lock()
        self._number = 0
        self._answer: asyncio.Future[list[Choice]] | None = None
        self._leaving: asyncio.TimerHandle | None = None

    async def ask(self, decision: Decision, start: Callable[[Player], None]) -> list[Choice]:
        """Return what it would have done; empty if its process ends. ``start`` starts that if necessary."""
        loop = asyncio.get_running_loop()
        if self._leaving is not None:
            self._leaving.cancel()
        self.sit_down()
        self._number += 1
        self._answer = loop.create_future()
        seat, game, events = decision.seat, decision.game, decision.events
        match = self._start(seat, decision.names, game, decision.mode, start_of(events).hand)
        self._ask_once(self._number, match, betting_after(game, events), events)
        start(self._player)
        try:
            return await self._answer
        finally:
            self.drop()
            self._leaving = loop.call_later(_LINGER, self.close)

    def drop(self) -> None:
        super().drop()
        if self._answer is not None and not self._answer.done():
            self._answer.set_result([])

    def _on_fault(self, error: Exception) -> None:
        log.error("fault", player=self._player.name, table=self._name, exc_info=error)
        self.drop()

    def _take(self, message: Act) -> None:
        if message.turn == self._number and self._answer is not None and not self._answer.done():
            self._answer.set_result(chances_of(message))


class HandCoach:
    """Asks the house bots that are ``offered``. ``player_of`` and ``start``: as of ``Coaches``."""

    def __init__(
        self, offered: Container[str], player_of: Callable[[str], Player], start: Callable[[Player], None]
    ) -> None:
        self._offered = offered
        self._player_of = player_of
        self._start = start
        self._reviews: dict[str, _Review] = {}
        self._kept: OrderedDict[tuple[str, int], list[Choice]] = OrderedDict()
        #: Addresses of those who wait.
        self._waiting: list[str] = []

    def bot_for(self, game: Game) -> str:
        """Return the house bot that is asked about a game, or "" where none plays it: they play hold'em."""
        is_holdem = (game.suits, game.ranks, game.hole_cards, game.board_cards) == (4, 13, 2, (0, 3, 1, 1))
        bot = coach_for(game)
        return bot if is_holdem and bot in self._offered else ""

    def depth_of(self, decision: Decision) -> int:
        """Return for which stacks its strategy is, as ``coach.depth_of`` does."""
        return depth_of(decision.game, start_of(decision.events))

    async def ask(self, decision: Decision, address: str) -> list[Choice]:
        """Return what the bot for its game would have done. Empty if too many ask, or it does not answer."""
        key = decision.hand, decision.number
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if len(self._waiting) >= MAX_WAITING or self._waiting.count(address) >= MAX_WAITING_PER_ADDRESS:
            return []
        self._waiting.append(address)
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._ask(decision, key)
        except TimeoutError:
            return []
        finally:
            self._waiting.remove(address)

    async def _ask(self, decision: Decision, key: tuple[str, int]) -> list[Choice]:
        bot = self.bot_for(decision.game)
        if bot not in self._reviews:
            self._reviews[bot] = _Review(self._player_of(coach_name(bot)), f"replay-{bot}")
        review = self._reviews[bot]
        async with review.turn:
            if key not in self._kept:
                answer = await review.ask(decision, self._start)
                if not answer:
                    return []
                self._kept[key] = answer
                if len(self._kept) > MAX_KEPT:
                    self._kept.popitem(last=False)
        return self._kept[key]
