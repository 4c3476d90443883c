"""A client's session: its requests, one at a time, and its connection to the pokerd server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, NamedTuple
from uuid import uuid4

from clients.slumbot.hands import PlayedHand, Record
from clients.slumbot.notation import SlumbotError, describe, read_increment
from clients.slumbot.player import Player
from pokerd_bot.running import play
from protocol import messages

#: Seconds for a decision at a table that is opened for a session.
DECISION_TIME: Final = 60.0


class SessionSettings(NamedTuple):
    """Where sessions play: ``url`` and ``ca`` as for every bot. ``wait``: seconds until a request that waits
    for the server is refused.
    """

    url: str
    ca: str
    wait: float


class Session:
    """A session: ``token`` names it. ``rival`` is the house bot to play at an open server; where the server
    seats its players itself, in a competition, it is of no use.

    A request that is cancelled, because its client has gone, has told nothing: the next one gets the same
    hand as it stands then.
    """

    def __init__(self, settings: SessionSettings, hello: messages.Hello, rival: str) -> None:
        self.token = str(uuid4())
        #: How many requests are being answered, or wait for that.
        self.requests = 0
        self._settings = settings
        self._rival = rival
        self._record = Record()
        self._player = Player(self._record)
        self._lock = asyncio.Lock()
        self._playing = asyncio.ensure_future(play(self._player, settings.url, hello, settings.ca))
        self._playing.add_done_callback(lambda _: self._record.news.set())

    @property
    def is_over(self) -> bool:
        """Whether the session has left the server, or the server has closed its connection."""
        return self._playing.done()

    async def close(self) -> None:
        """Leave the server."""
        self._player.leave_tables()
        self._playing.cancel()
        await asyncio.gather(self._playing, return_exceptions=True)

    async def connect(self) -> None:
        """Wait until the server has let the session in. Raises ``SlumbotError``."""
        async with self._lock:
            await self._wait_until(self._is_welcome)

    async def new_hand(self) -> dict[str, Any]:
        """Return the next hand, or the one in progress, once it is the client's turn or it is over.

        Raises ``SlumbotError``.
        """
        async with self._lock:
            await self._wait_until(self._is_welcome)
            await self._wait_until(self._has_hand)
            return self._tell(self._record.hands[0])

    async def act(self, increment: str) -> dict[str, Any]:
        """Do what the client says at the turn that it was told of, and return the hand once it is its turn
        again or it is over. If that turn has passed, because the server's clock ran out, nothing is done: the
        client learns of it from the hand. Raises ``SlumbotError``.
        """
        async with self._lock:
            hands = self._record.hands
            if not hands or hands[0].told is None:
                raise SlumbotError("No hand is in progress: ask for a new one")
            played = hands[0]
            if played.turn is not None and played.turn.turn == played.told_turn:
                action = read_increment(increment, played.turn)
                if self._player.act(played.turn, action):
                    played.turn = None
            await self._wait_until(lambda: played.is_ready or played not in hands)
            if played not in hands:
                raise SlumbotError("The server gave the hand up: ask for a new one")
            return self._tell(played)

    def _tell(self, played: PlayedHand) -> dict[str, Any]:
        self._player.come_back()
        answer = describe(played, self.token)
        played.told = answer["action"]
        played.told_turn = -1 if played.turn is None else played.turn.turn
        if played.end is not None:
            self._record.hands.remove(played)
        return answer

    def _is_welcome(self) -> bool:
        return self._player.welcome is not None

    def _has_hand(self) -> bool:
        """Return whether there is a hand to tell of. If none is coming, open a table: but a competition has
        no open tables, and seats its players itself.
        """
        hands, player = self._record.hands, self._player
        player.come_back()
        open_server = player.welcome is not None and bool(player.welcome.tables)
        if open_server and not (hands or player.is_seated or self._record.refusal):
            player.open_table(self._rival, DECISION_TIME)
        return bool(hands) and hands[0].is_ready

    async def _wait_until(self, what: Callable[[], bool]) -> None:
        """Raise ``SlumbotError`` if the server refuses something, is gone, or keeps the client waiting."""
        record = self._record
        try:
            async with asyncio.timeout(self._settings.wait):
                while not what():
                    refusal, record.refusal = record.refusal, ""
                    if refusal:
                        raise SlumbotError(refusal)
                    if self._playing.done():
                        raise SlumbotError("The server has no more hands, or cannot be reached")
                    record.news.clear()
                    await record.news.wait()
        except TimeoutError:
            raise SlumbotError("No hand yet: ask again") from None
