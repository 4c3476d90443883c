"""Stop a bot in the Python debugger at a chosen decision."""

from __future__ import annotations

import bdb
import inspect
import pdb
import re
import sys
from collections.abc import Callable
from types import CoroutineType
from typing import Any

from pokerd_bot.bot import Bot
from pokerd_bot.hand import Match
from pokerd_bot.turn import Turn


class _Debugger(pdb.Pdb):
    """Remembers whether its user quit: ``runcall`` sets ``quitting`` in any case, and a bot may catch the
    exception.
    """

    left = False

    def set_quit(self) -> None:
        self.left = True
        super().set_quit()

    def answer(self, act: Callable[[Turn], Any], turn: Turn) -> Any:
        """Stop at the first line of ``act``; return its answer. Raises ``SystemExit`` if the user quits."""
        print(turn.text(), flush=True)
        answer = self.runcall(act, turn)
        if self.left:
            raise SystemExit(0)
        return answer

    async def answer_async(self, act: Callable[[Turn], CoroutineType[Any, Any, Any]], turn: Turn) -> Any:
        """Like ``answer``, for a coroutine."""
        print(turn.text(), flush=True)
        coroutine = act(turn)
        assert coroutine.cr_frame is not None
        self.reset()
        self.botframe = inspect.currentframe()
        self.set_next(coroutine.cr_frame)
        sys.settrace(self.trace_dispatch)
        try:
            return await coroutine
        except bdb.BdbQuit:
            return None
        finally:
            sys.settrace(None)
            if self.left:
                raise SystemExit(0)


def with_breakpoint(factory: Callable[[Match], Bot], where: str) -> Callable[[Match], Bot]:
    """Return a factory of bots that stop in the debugger at the first line of ``act``, at ``where``: ``HAND``
    (every turn of that hand) or ``HAND:TURN``.

    Quitting the debugger ends the program with 0. Raises ``ValueError`` if ``where`` is neither.
    """
    found = re.fullmatch(r"([0-9]+)(?::([0-9]+))?", where, re.ASCII)
    if found is None:
        raise ValueError(f"POKERD_DEBUG is HAND or HAND:TURN, not {where!r}")
    hand, number = int(found[1]), found[2] and int(found[2])

    def is_it(turn: Turn) -> bool:
        return turn.hand.number == hand and number in (None, turn.message.turn)

    def create(match: Match) -> Bot:
        bot = factory(match)
        act: Callable[[Turn], Any] = bot.act
        debugger = _Debugger(nosigint=True)

        def stopped(turn: Turn) -> Any:
            return debugger.answer(act, turn) if is_it(turn) else act(turn)

        async def stopped_async(turn: Turn) -> Any:
            return await (debugger.answer_async(act, turn) if is_it(turn) else act(turn))

        bot.act = stopped_async if inspect.iscoroutinefunction(act) else stopped  # type: ignore[method-assign]
        return bot

    return create
