"""The sessions of a competition that wait to be played, and which of them may begin."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from itertools import islice

from dealer.match import Session

__all__ = ["SessionQueue"]

#: How far ahead it is looked for a session that may begin.
LOOKAHEAD = 1000


class SessionQueue:
    """Sessions in order. While one is played, no other begins that has the same deals and the same one of the
    bots that could ``remember``: it waits, and those behind it go first.
    """

    def __init__(self, sessions: Iterable[Session], remember: Collection[str] = ()) -> None:
        self._left = dict.fromkeys(sessions)
        self._remember = frozenset(remember)
        self._busy: set[tuple[int, str]] = set()
        self._released = asyncio.Event()

    def __len__(self) -> int:
        return len(self._left)

    async def acquire(self) -> Session | None:
        """The next that may begin; ``over`` must follow. None: all have begun."""
        while self._left:
            for session in islice(self._left, LOOKAHEAD):
                exposed = self._conflicts(session)
                if not exposed & self._busy:
                    self._busy |= exposed
                    del self._left[session]
                    return session
            self._released.clear()
            await self._released.wait()
        return None

    def release(self, session: Session) -> None:
        """It is played no more."""
        self._busy -= self._conflicts(session)
        self._released.set()

    def _conflicts(self, session: Session) -> set[tuple[int, str]]:
        return {(session.match, bot) for bot in session.players if bot in self._remember}
