"""Runs all scenarios, except those that cannot be played with this program."""

from __future__ import annotations

import asyncio
import tempfile
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from dealer.rules.games import Game, load_game
from server.check.acpc.checks import ACPC_CHECKS
from server.check.acpc.rules import AcpcEvaluation
from server.check.acpc.scenario_runner import AcpcScenarioRunner
from server.check.acpc.scenarios import ACPC_BASE, ACPC_QUICK, ACPC_SCENARIOS, AcpcScenario
from server.check.checks import CHECKS
from server.check.final_rules import WholeEvaluation
from server.check.forecast import Forecast, time_left_text
from server.check.live_rules import TurnHistory
from server.check.model import (
    Check,
    CheckError,
    CheckFinding,
    CheckResult,
    ScenarioResult,
    Transcript,
    TranscriptEntry,
    collect_results,
    shorten,
)
from server.check.program import CheckedProgram, Confiner
from server.check.scenario_runner import ScenarioRunner
from server.check.scenarios import BASE, QUICK, SCENARIOS, Scenario

Ended = Literal["complete", "interrupted", "failed"]
S = TypeVar("S", Scenario, AcpcScenario)

#: Checks that are made in the scenario of another check.
_MADE_IN_SCENARIO = {"join": "company", "orphans": "goodbye"}
#: Checks that every connection makes.
_CONNECTION_CHECKS = ("connect", "subprotocol", "token", "hello-first", "hello-once")


class CheckReport(NamedTuple):
    """The result of every check, and the transcripts.

    ``ended``: the check was completed or interrupted, or pokerd itself failed, with ``failure`` as the
    traceback. ``done`` of ``planned`` scenarios were over by then.
    """

    results: Sequence[CheckResult]
    played: Sequence[ScenarioResult]
    planned: int = 0
    done: int = 0
    ended: Ended = "complete"
    failure: str = ""

    @property
    def faults(self) -> int:
        """The number of checks that found a fault."""
        return sum(result.status == "fault" for result in self.results)


def select_checks(checks: Sequence[Check], only: Collection[str]) -> list[Check]:
    """Return the checks to report. Raises CheckError ``unknown_check``."""
    known = [check.id for check in checks]
    for name in only:
        if name not in known:
            raise CheckError("unknown_check", f"no check is called {name!r}; --list shows all")
    return [check for check in checks if not only or check.id in only]


def select_scenarios(only: Collection[str], scenarios: Sequence[Scenario]) -> list[Scenario]:
    """Return the scenarios that these checks need; all of them for a check that any scenario may reach."""
    ids = {scenario.id for scenario in SCENARIOS}
    wanted = {_MADE_IN_SCENARIO.get(name, BASE if name in _CONNECTION_CHECKS else name) for name in only}
    if not wanted or wanted - ids:
        return list(scenarios)
    wanted |= {scenario.after for scenario in scenarios if scenario.id in wanted} | {BASE}
    return [scenario for scenario in scenarios if scenario.id in wanted]


async def check_bot(
    command: Sequence[str],
    *,
    seconds: float,
    only: Collection[str] = (),
    quick: bool = False,
    on_progress: Callable[[str], None] = lambda _: None,
    confine: Confiner | None = None,
    scenarios: Sequence[Scenario] = SCENARIOS,
) -> CheckReport:
    """Check a program that speaks the websocket protocol.

    ``quick``: play only the scenarios that find the most in little time. ``on_progress`` is called with the
    scenario that begins, as ``3 of 36: no-limit, about 2 min left``. ``confine``: what the program may use.
    If this is cancelled, it returns what was found so far.

    Raises CheckError ``unknown_check`` and ``cannot_start``.
    """
    checks = select_checks(CHECKS, only)
    with tempfile.TemporaryDirectory(prefix="pokerd-check-") as folder:
        playing = _NativeSuite(CheckedProgram(command, Path(folder), confine), seconds)
        return await _run_suite(
            playing, select_scenarios(only, scenarios), checks, on_progress, QUICK if quick else None
        )


class _ScenarioSuite(ABC, Generic[S]):
    """Plays scenarios one after the other and evaluates them."""

    checks: Sequence[Check]

    def __init__(self, program: CheckedProgram, transcript: Transcript) -> None:
        self.played: list[ScenarioResult] = []
        self._program = program
        self._transcript = transcript
        self._scenario: S | None = None
        self._forecast = Forecast()

    async def play(self, scenario: S) -> None:
        """Play a scenario to its end."""
        loop = asyncio.get_running_loop()
        self._scenario = scenario
        began = loop.time()
        await self._play(scenario)
        self._forecast.add(self._turns(scenario), loop.time() - began, self._transcript.entries)
        self._scenario = None

    def time_left(self, scenarios: Sequence[S]) -> float | None:
        """Return the seconds that these scenarios will take; None if nothing is known yet."""
        left = [scenario for scenario in scenarios if not self.why_not(scenario)]
        return self._forecast.estimate(
            sum(map(self._turns, left)), sum(scenario.new_process for scenario in left)
        )

    def abort(self) -> None:
        """Keep the transcript of an unfinished scenario, if any."""
        if self._scenario is not None:
            self.played.append(ScenarioResult(self._scenario.id, (), (), self._transcript.entries))
            self.played[-1] = self._evaluate(self._scenario, whole=False)

    async def close(self) -> None:
        """Stop the program."""
        await self._program.close()

    @abstractmethod
    def why_not(self, scenario: S) -> str:
        """Return why a scenario cannot be played with this program, or an empty string."""

    def _turns(self, scenario: S) -> int:
        """Return the number of turns in a scenario for a program that always calls."""
        return scenario.turns

    @abstractmethod
    async def _play(self, scenario: S) -> None: ...

    @abstractmethod
    def _evaluate(self, scenario: S, *, whole: bool = True) -> ScenarioResult: ...


async def _run_suite(
    suite: _ScenarioSuite[S],
    planned: Sequence[S],
    reported: Sequence[Check],
    on_progress: Callable[[str], None],
    quick: Collection[str] | None = None,
) -> CheckReport:
    """Play the scenarios, or those of them that are ``quick``. Return the findings, even if it is interrupted
    or pokerd fails.
    """
    skipped: dict[str, str] = {}
    if quick is not None:
        skipped = {scenario.id: "left out by --quick" for scenario in planned if scenario.id not in quick}
        planned = [scenario for scenario in planned if scenario.id in quick]
    ended: Ended = "complete"
    failure = ""
    left = list(planned)
    try:
        try:
            while left:
                scenario = left[0]
                why = suite.why_not(scenario)
                if why:
                    skipped[scenario.id] = why
                else:
                    number = f"{len(planned) - len(left) + 1} of {len(planned)}"
                    on_progress(f"{number}: {scenario.id}{time_left_text(suite.time_left(left))}")
                    await suite.play(scenario)
                left.pop(0)
        finally:
            await suite.close()
    except CheckError:
        raise
    except asyncio.CancelledError:
        ended = "interrupted"
    except Exception:  # noqa: BLE001 (a fault of pokerd must not lose the findings so far)
        ended, failure = "failed", traceback.format_exc()
    if ended != "complete":
        with suppress(Exception):
            suite.abort()
        skipped |= {scenario.id: f"the check was {ended}" for scenario in left}
    skipped |= {
        check: skipped[scenario] for check, scenario in _MADE_IN_SCENARIO.items() if scenario in skipped
    }
    outcome = [one for one in collect_results(suite.checks, suite.played, skipped) if one.check in reported]
    return CheckReport(outcome, suite.played, len(planned), len(planned) - len(left), ended, failure)


class _NativeSuite(_ScenarioSuite[Scenario]):
    """The scenarios of the websocket protocol."""

    checks = CHECKS

    def __init__(self, program: CheckedProgram, seconds: float) -> None:
        self._runner = ScenarioRunner(program, seconds)
        super().__init__(program, self._runner.transcript)
        self._history = TurnHistory()

    def why_not(self, scenario: Scenario) -> str:
        runner = self._runner
        for first in (BASE, scenario.after):
            if scenario.id != first and not _reached(first, self.played):
                return f"requires {first}"
        if scenario.tables > 1 and runner.tables == 1:
            return "hello.tables is 1"
        if runner.single and (scenario.tables > 1 or scenario.variant.alone):
            return "it does not read arrays"
        if scenario.id == "reset" and runner.one_match:
            return "it exits after a match"
        return ""

    def _turns(self, scenario: Scenario) -> int:
        return scenario.turns * scenario.rounds * min(scenario.tables, self._runner.tables)

    async def close(self) -> None:
        try:
            await self._runner.stop()
        finally:
            await super().close()

    async def _play(self, scenario: Scenario) -> None:
        runner = self._runner
        await runner.play(scenario)
        silent = None if scenario.setup is None else self._transcript.silent_exit()
        if silent is None:
            played = self._evaluate(scenario)
            self.played.append(played)
            if scenario.id == BASE and BASE not in played.reached and "token" in played.reached:
                await self._retry_without_arrays(scenario)
            return
        # The end of the previous scenario may have caused it, or this scenario: play this one again.
        runner.one_match |= silent.get("code") == 0
        await runner.play(scenario)
        again = self._evaluate(scenario)
        if scenario.id in again.reached and silent.get("code") != 0:
            self._blame_previous(silent)
        self.played.append(again)

    async def _retry_without_arrays(self, scenario: Scenario) -> None:
        """Play the last scenario again with every message in its own frame. If the program needs that, use
        the new result, and play the other scenarios the same way.
        """
        runner = self._runner
        runner.single = True
        await runner.stop()
        await runner.play(scenario)
        again = self._evaluate(scenario)
        if scenario.id not in again.reached:
            runner.single = False
            await runner.stop()
            return
        what = (
            "It plays if every message comes in its own frame, but not if several come in an array. "
            "The other checks were made with frames of one message."
        )
        arrays = CheckFinding("arrays", what, _last_array(self.played[-1].entries))
        self.played[-1] = again._replace(findings=[*again.findings, arrays])

    def _evaluate(self, scenario: Scenario, *, whole: bool = True) -> ScenarioResult:
        evaluation = WholeEvaluation(scenario, self._runner.seconds, self._history)
        return evaluation.evaluate(self._transcript.entries, self._program.last_words(), whole=whole)

    def _blame_previous(self, silent: dict[str, Any]) -> None:
        """Report that the program ended at the end of the previous scenario."""
        last = self.played.pop()
        how = f"ended with exit code {silent['code']}" if "code" in silent else "sent nothing more"
        sent = next((shorten(entry.message) for entry in reversed(last.entries) if entry.who == "S"), "")
        finding = CheckFinding(last.scenario, f"It {how} after that match.", sent)
        self.played.append(last._replace(findings=[*last.findings, finding]))


#: The game of a program that is not told one, unless --game names another.
ACPC_GAME: Final = "holdem.nolimit.2p.reverse_blinds"


async def check_acpc(
    command: Sequence[str],
    *,
    seconds: float,
    game: str = ACPC_GAME,
    only: Collection[str] = (),
    quick: bool = False,
    on_progress: Callable[[str], None] = lambda _: None,
    confine: Confiner | None = None,
    scenarios: Sequence[AcpcScenario] = ACPC_SCENARIOS,
) -> CheckReport:
    """Check a program that speaks the ACPC protocol, as ``check_bot`` does; ``game`` is the game it plays.

    Also raises GameError.
    """
    checks = select_checks(ACPC_CHECKS, only)
    own = load_game(game)
    if not any("{port}" in word for word in command):
        command = [*command, "{host}", "{port}"]
    knows_game = any("{game}" in word for word in command)
    with tempfile.TemporaryDirectory(prefix="pokerd-check-") as folder:
        runner = AcpcScenarioRunner(CheckedProgram(command, Path(folder), confine), seconds, Path(folder))
        playing = _AcpcSuite(runner, own, knows_game=knows_game)
        planned = _select_acpc_scenarios(only, scenarios)
        return await _run_suite(playing, planned, checks, on_progress, ACPC_QUICK if quick else None)


class _AcpcSuite(_ScenarioSuite[AcpcScenario]):
    """Matches with an ACPC program. ``knows_game``: its command has a placeholder for the game."""

    checks = ACPC_CHECKS

    def __init__(self, runner: AcpcScenarioRunner, own: Game, *, knows_game: bool) -> None:
        super().__init__(runner.program, runner.transcript)
        self._runner = runner
        self._own = own
        self._knows_game = knows_game

    def why_not(self, scenario: AcpcScenario) -> str:
        if scenario.game is not None and not self._knows_game:
            return "the command has no {game}"
        if scenario.id != ACPC_BASE and not _reached(ACPC_BASE, self.played):
            return f"requires {ACPC_BASE}"
        return ""

    async def _play(self, scenario: AcpcScenario) -> None:
        await self._runner.play(scenario, scenario.game or self._own)
        self.played.append(self._evaluate(scenario))

    def _evaluate(self, scenario: AcpcScenario, *, whole: bool = True) -> ScenarioResult:
        evaluation = AcpcEvaluation(scenario, self._runner.seconds)
        return evaluation.evaluate(self._transcript.entries, self._program.last_words(), whole=whole)


def _last_array(entries: Sequence[TranscriptEntry]) -> str:
    """Return the last frame with several messages that was sent to the program."""
    frames = [list(frame) for _, frame in groupby(entries, lambda entry: (entry.who, entry.at))]
    sent = [[one.message for one in frame] for frame in frames if frame[0].who == "S" and len(frame) > 1]
    return shorten(sent[-1]) if sent else ""


def _reached(check: str, played: Sequence[ScenarioResult]) -> bool:
    return any(one.scenario == check and check in one.reached for one in played)


def _select_acpc_scenarios(only: Collection[str], scenarios: Sequence[AcpcScenario]) -> list[AcpcScenario]:
    ids = {scenario.id for scenario in ACPC_SCENARIOS}
    if not only or set(only) - ids:
        return list(scenarios)
    return [scenario for scenario in scenarios if scenario.id in {*only, ACPC_BASE}]
