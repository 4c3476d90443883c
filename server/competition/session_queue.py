"""The sessions that have not begun, and which of them may begin next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice

from dealer.match import Session

#: How many sessions to search for one that may begin.
LOOKAHEAD = 1000


class SessionQueue:
    """A queue of sessions. A bot of ``remember`` never plays two sessions with the same deals at once: the
    later one waits, and sessions behind it go first. ``series_from`` returns what is played with a session.
    """

    def __init__(
        self,
        sessions: Iterable[Session],
        remember: Collection[str] = (),
        series_from: Callable[[Session], Sequence[Session]] = lambda session: (session,),
    ) -> None:
        self._series_from = series_from
        self._left = dict.fromkeys(sessions)
        self._remember = frozenset(remember)
        self._busy: set[tuple[int, str]] = set()
        self._released = asyncio.Event()

    def __len__(self) -> int:
        return len(self._left)

    async def acquire(self) -> Session | None:
        """Wait for a session that may begin and return it, or None if all have begun. ``release`` must
        follow.
        """
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
        """Mark a session as over."""
        self._busy -= self._conflicts(session)
        self._released.set()

    def _conflicts(self, session: Session) -> set[tuple[int, str]]:
        bots = self._remember.intersection(session.players)
        return {(one.match, bot) for one in self._series_from(session) for bot in bots} if bots else set()
