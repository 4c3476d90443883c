"""``pokerd replay``: plays recorded sessions again with the current version of a bot."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from server.commands.runtime import run_guarded
from server.competition.file import Competition
from server.competition.replay import (
    Decision,
    RecordedSession,
    RecordedSituation,
    ReplayResult,
    SessionReplayError,
    find_sessions,
    load_session,
    replay_session,
)
from server.competition.session_host import bot_command
from server.competition.store import CompetitionStore
from server.telemetry import logging_setup as logs

#: Hands of a session that are listed for each error.
SHOWN_HANDS: Final = 20


class ReplayOptions(NamedTuple):
    """Options of ``pokerd replay``. ``session`` None: all sessions; ``bot``: a Python file or a command
    line, None: as in the competition file.
    """

    results: Path
    session: str | None = None
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
    store = CompetitionStore(options.results)
    competition = store.competition()
    if options.hand is not None and options.session is None:
        raise SessionReplayError("no_session", "--hand needs --session: each session has such a hand")
    player, sessions = find_sessions(store, competition, options.session, options.player)
    command = _command(competition, player, options)
    recorded = (load_session(store, competition, session, player) for session in sessions)
    return run_guarded(_replay_all(recorded, len(sessions), command, options))


async def _replay_all(
    sessions: Iterable[RecordedSession], total: int, command: Sequence[str], options: ReplayOptions
) -> int:
    """Replay sessions up to the first one with a difference."""
    decisions = 0
    for done, recorded in enumerate(sessions):
        numbers = recorded.numbers
        if options.hand is not None and options.hand not in numbers:
            known = f"{options.session} has hands {numbers[0]:,} to {numbers[-1]:,}"
            raise SessionReplayError("unknown_hand", f"{known}, not {options.hand}")
        result = await _replay(recorded, command, options)
        if result.differences or (result.exit_code is not None and not result.left):
            if options.session is None:
                before = f"{_count(done, 'session')}, {_count(decisions, 'decision')}"
                more = f"; as recorded before it: {before}" if done else ""
                print(f"stopped in session {done + 1:,} of {total:,}{more}")
            return 1
        if result.left:
            return 0
        decisions += result.decisions
    if options.session is None:
        print(f"{_count(total, 'session')}, {_count(decisions, 'decision')}: all are as recorded")
    return 0


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _hands(numbers: Sequence[int]) -> str:
    """Return some hands, in words."""
    different = list(dict.fromkeys(numbers))
    shown = ", ".join(f"{number:,}" for number in different[:SHOWN_HANDS])
    more = f" and {len(different) - SHOWN_HANDS:,} more" if len(different) > SHOWN_HANDS else ""
    return f"hand{'' if len(different) == 1 else 's'} {shown}{more}"


class _Watcher:
    """Decides where a replay stops and what is printed. ``hand``: show this hand with every decision and
    ignore differences before it; None: stop at the first difference.
    """

    def __init__(self, hand: int | None) -> None:
        self._hand = hand
        #: How much of the story of ``hand`` is printed.
        self._printed = 0
        self._printed_turn = -1
        self.stopped_at: RecordedSituation | None = None

    def see(self, decision: Decision) -> bool:
        """Process a decision and return whether the replay continues."""
        situation = decision.situation
        if self._hand is None:
            if not decision.same:
                self.stopped_at = situation
                self._show(decision)
            return decision.same
        if situation.hand == self._hand:
            self._show(decision)
        return True

    def ask(self, situation: RecordedSituation) -> None:
        """Print a turn of ``hand`` that the bot is about to get."""
        if situation.hand == self._hand:
            self.print_situation(situation)

    def _show(self, decision: Decision) -> None:
        self.print_situation(decision.situation)
        mark = "" if decision.same else "   <- differs"
        if decision.refused:
            mark += "   (the server refused what it tried first)"
        print(f"  recorded: {decision.recorded}\n  now:      {decision.now}{mark}", flush=True)

    def print_situation(self, situation: RecordedSituation) -> None:
        """Print what happened in the hand since the last decision shown, and the legal actions; once."""
        if situation.turn == self._printed_turn:
            return
        if situation.hand != self._hand:
            self._printed = 0
        self.print_rest(situation.story)
        print(situation.choices, flush=True)
        self._printed, self._printed_turn = len(situation.story), situation.turn

    def print_rest(self, story: str) -> None:
        """Print what happened in the hand since the last decision shown."""
        start = "" if self._printed else "\n"
        print(f"{start}{story[self._printed :]}", end="")


async def _replay(recorded: RecordedSession, command: Sequence[str], options: ReplayOptions) -> ReplayResult:
    hand = options.hand
    watcher = _Watcher(hand)
    if options.debug and hand is not None:
        settings = {"POKERD_DEBUG": str(hand)}
        result = await replay_session(
            *(recorded, command, watcher.see, settings), on_turn=watcher.ask, last_hand=hand, interactive=True
        )
    else:
        result = await replay_session(recorded, command, watcher.see, last_hand=hand)
    if result.left:
        print("left the debugger")
        return result
    if hand is not None and result.exit_code is None:
        watcher.print_rest(result.story)
    _report(recorded, result, watcher, options)
    at = watcher.stopped_at or result.unanswered
    if options.debug and hand is None and at is not None:
        print(f"replaying to hand {at.hand}, turn {at.turn}, in the debugger:", flush=True)
        settings = {"POKERD_DEBUG": f"{at.hand}:{at.turn}"}
        debugged = await replay_session(
            recorded, command, _Watcher(None).see, settings, last_hand=at.hand, interactive=True
        )
        if debugged.left:
            print("left the debugger")
    return result


def _report(
    recorded: RecordedSession, result: ReplayResult, watcher: _Watcher, options: ReplayOptions
) -> None:
    name, where, numbers = recorded.player, recorded.session.name, recorded.numbers
    last = numbers[-1] if options.hand is None else options.hand
    hands = f"hand {last:,}" if last == numbers[0] else f"hands {numbers[0]:,} to {last:,}"
    if result.exit_code is not None:
        if result.unanswered is not None:
            watcher.print_situation(result.unanswered)
        print(f"\n{name} ended with code {result.exit_code}", end="")
        print(f" in hand {result.unanswered.hand}" if result.unanswered else "", end="")
        print(f", after {_count(result.decisions, 'decision')}")
    elif not result.differences:
        empty = "" if options.hand is None else "\n"
        summary = f"{empty}{where}, {hands}: all {result.decisions:,} decisions of {name} are as recorded"
        print(summary, flush=True)
    elif options.hand is not None:
        print(
            f"\n{where}, {hands}: {result.differences:,} of {result.decisions:,} decisions of {name} differ"
        )
    else:
        before = _count(result.decisions - 1, "decision")
        print(f"\n{where}: the first {before} of {name} are as recorded, this differs")
    for code, refused in sorted(result.refused.items()):
        print(f"{where}: the server refused what {name} sent: {code} in {_hands(refused)}")
    for reason, forced in sorted(result.forced.items()):
        print(f"{where}: the table acted for {name} when it was recorded: {reason} in {_hands(forced)}")


def _command(competition: Competition, player: str, options: ReplayOptions) -> list[str]:
    """Return the command that starts the bot. Raises ``SessionReplayError``."""
    entry = competition.bots[player]
    if options.bot:
        python = options.bot.endswith(".py") and Path(options.bot).is_file()
        try:
            words = [sys.executable, options.bot] if python else shlex.split(options.bot)
        except ValueError as error:
            raise SessionReplayError("no_command", f"--bot {options.bot}: {error}") from None
        entry = replace(entry, run=None, command=words, protocol="acpc" if options.acpc else "pokerd")
    if not (entry.run or entry.command) or entry.folder is not None:
        raise SessionReplayError("no_command", f"use --bot to say how to start {player}")
    return bot_command(entry, competition.entry.time.start_ms / 1000)
