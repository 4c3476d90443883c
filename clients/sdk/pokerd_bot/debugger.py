"""Stop a bot in the Python debugger at a chosen decision."""

from __future__ import annotations

import bdb
import inspect
import pdb
import re
from collections.abc import Callable
from typing import Any

from pokerd_bot.bot import Bot
from pokerd_bot.hand import Match
from pokerd_bot.turn import Turn


def with_breakpoint(factory: Callable[[Match], Bot], where: str) -> Callable[[Match], Bot]:
    """Return a factory of bots that stop in the debugger at ``where``: ``HAND`` (every turn of that hand) or
    ``HAND:TURN``.

    A plain ``act`` stops at its first line; with an ``async`` one, use ``step`` to enter it. Leaving the
    debugger ends the program with 0. Raises ``ValueError`` if ``where`` is neither.
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

        def stopped(turn: Turn) -> Any:
            if not is_it(turn):
                return act(turn)
            print(turn.text(), flush=True)
            debugger = pdb.Pdb(nosigint=True)
            answer = debugger.runcall(act, turn)
            if debugger.quitting:
                raise SystemExit(0)
            return answer

        async def stopped_async(turn: Turn) -> Any:
            try:
                if is_it(turn):
                    print(turn.text(), flush=True)
                    pdb.Pdb(nosigint=True).set_trace()
                return await act(turn)
            except bdb.BdbQuit:
                raise SystemExit(0) from None

        bot.act = stopped_async if inspect.iscoroutinefunction(act) else stopped  # type: ignore[method-assign]
        return bot

    return create
