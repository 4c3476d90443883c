"""``pokerd replay``: plays a recorded session again with the current version of a bot."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from server.commands.runtime import run_guarded
from server.competition.replay import (
    Decision,
    RecordedSession,
    RecordedSituation,
    ReplayResult,
    SessionReplayError,
    load_session,
    replay_session,
)
from server.competition.session_host import bot_command
from server.competition.store import Store
from server.telemetry import logging_setup as logs


class ReplayOptions(NamedTuple):
    """Options of ``pokerd replay``. ``bot``: a Python file or a command line; None: as in the competition
    file.
    """

    results: Path
    session: str
    player: str | None = None
    bot: str | None = None
    hand: int | None = None
    acpc: bool = False
    debug: bool = False


def replay(options: ReplayOptions) -> int:
    """Replay and print the differences. Return 0 if every decision equals the recorded one, 1 if one differs
    or the bot ended, 130 if interrupted.

    Raises ``SessionReplayError``, ``StoreError``, ``RecordError`` and ``CompetitionError``.
    """
    logs.configure(None, level="critical")
    recorded = load_session(Store(options.results), options.session, options.player)
    if options.hand is not None and not 1 <= options.hand <= len(recorded.hands):
        raise SessionReplayError("unknown_hand", f"{options.session} has hands 1 to {len(recorded.hands)}")
    return run_guarded(_replay(recorded, options))


class _Watcher:
    """Decides where a replay stops and what is printed. ``hand``: show every decision of this hand and ignore
    differences before it; None: stop at the first difference.
    """

    def __init__(self, hand: int | None) -> None:
        self._hand = hand
        self.stopped_at: RecordedSituation | None = None
        self.shown = 0

    def see(self, decision: Decision) -> bool:
        """Process a decision and return whether the replay continues."""
        situation = decision.situation
        if self._hand is None:
            if not decision.same:
                self.stopped_at = situation
                _show(decision)
            return decision.same
        if situation.hand == self._hand:
            self.shown += 1
            _show(decision)
        return True


def _show(decision: Decision) -> None:
    mark = "" if decision.same else "   <- differs"
    print(f"\n{decision.situation.text}\n  recorded: {decision.recorded}\n  now:      {decision.now}{mark}")


async def _replay(recorded: RecordedSession, options: ReplayOptions) -> int:
    command = _command(recorded, options)
    hand = options.hand
    watcher = _Watcher(hand)
    if options.debug and hand is not None:
        settings = {"POKERD_DEBUG": str(hand)}
        result = await replay_session(
            recorded, command, watcher.see, settings, last_hand=hand, interactive=True
        )
    else:
        result = await replay_session(recorded, command, watcher.see, last_hand=hand)
    _report(recorded, result, options)
    at = watcher.stopped_at or result.unanswered
    if options.debug and hand is None and at is not None:
        print(f"replaying to hand {at.hand}, turn {at.turn}, in the debugger:", flush=True)
        settings = {"POKERD_DEBUG": f"{at.hand}:{at.turn}"}
        await replay_session(
            recorded, command, _Watcher(None).see, settings, last_hand=at.hand, interactive=True
        )
    return 1 if result.differences or result.exit_code is not None else 0


def _report(recorded: RecordedSession, result: ReplayResult, options: ReplayOptions) -> None:
    name, where = recorded.player, options.session
    last = options.hand or len(recorded.hands)
    if result.exit_code is not None:
        if result.unanswered is not None:
            print(f"\n{result.unanswered.text}")
        print(f"\n{name} ended with code {result.exit_code}", end="")
        print(f" in hand {result.unanswered.hand}" if result.unanswered else "", end="")
        print(f", after {result.decisions:,} decisions")
    elif not result.differences:
        print(f"{where}, hands 1 to {last:,}: all {result.decisions:,} decisions of {name} are as recorded")
    elif options.hand is not None:
        print(
            f"\n{where}, hands 1 to {last:,}: {result.differences:,} of {result.decisions:,} decisions of"
            f" {name} differ"
        )
    else:
        print(
            f"\n{where}: the first {result.decisions - 1:,} decisions of {name} are as recorded, this differs"
        )
    for code, number in sorted(result.refused.items()):
        print(f"the server refused messages of {name}: {code}, {number} times")


def _command(recorded: RecordedSession, options: ReplayOptions) -> list[str]:
    """Return the command that starts the bot. Raises ``SessionReplayError``."""
    entry = recorded.competition.bots[recorded.player]
    if options.bot:
        python = options.bot.endswith(".py") and Path(options.bot).is_file()
        try:
            words = [sys.executable, options.bot] if python else shlex.split(options.bot)
        except ValueError as error:
            raise SessionReplayError("no_command", f"--bot {options.bot}: {error}") from None
        entry = replace(entry, run=None, command=words, protocol="acpc" if options.acpc else "pokerd")
    if not (entry.run or entry.command):
        raise SessionReplayError("no_command", f"use --bot to say how to start {recorded.player}")
    return bot_command(entry, recorded.competition.entry.time.start_ms / 1000)
