"""Plays the script from its beginning to its end, and leaves out what cannot be played with this program."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from dealer.rules.games import Game, load_game
from server.check.acpc_checks import ACPC_CHECKS
from server.check.acpc_judge import judge_acpc
from server.check.acpc_script import ACPC_BASE, ACPC_SCENES, AcpcScene
from server.check.acpc_stage import AcpcStage
from server.check.checks import CHECKS
from server.check.findings import Check, CheckError, Finding, Played, Result, results, short
from server.check.hearing import Memory
from server.check.judge import judge
from server.check.program import Program
from server.check.script import BASE, SCENES, Scene
from server.check.stage import Stage

__all__ = ["ACPC_GAME", "Report", "check_acpc", "check_bot"]

#: Checks that are made in the scene of another one.
_MADE_IN = {"join": "company", "orphans": "goodbye"}
#: Checks that every connection makes.
_BEGINNING = ("connect", "subprotocol", "token", "hello-first", "hello-once")


class Report(NamedTuple):
    """How every check came out, and the conversations."""

    results: Sequence[Result]
    played: Sequence[Played]

    @property
    def faults(self) -> int:
        """How many checks found a fault."""
        return sum(result.status == "fault" for result in self.results)


def chosen(checks: Sequence[Check], only: Collection[str]) -> list[Check]:
    """The checks to tell of. Raises CheckError ``unknown_check``."""
    known = [check.id for check in checks]
    for name in only:
        if name not in known:
            raise CheckError("unknown_check", f"no check is called {name!r}; --list shows all")
    return [check for check in checks if not only or check.id in only]


def scenes(only: Collection[str], script: Sequence[Scene]) -> list[Scene]:
    """The scenes that these checks need; all of them for a check of what is said anywhere."""
    ids = {scene.id for scene in SCENES}
    wanted = {_MADE_IN.get(name, BASE if name in _BEGINNING else name) for name in only}
    if not wanted or wanted - ids:
        return list(script)
    return [scene for scene in script if scene.id in wanted | {BASE}]


async def check_bot(
    command: Sequence[str],
    *,
    seconds: float,
    only: Collection[str] = (),
    tell: Callable[[str], None] = lambda _: None,
    script: Sequence[Scene] = SCENES,
) -> Report:
    """Check a program that speaks the websocket protocol. ``tell`` is called with the scene that begins, as
    ``3 of 36: no-limit``.

    Raises CheckError ``unknown_check`` and ``cannot_start``.
    """
    checks = chosen(CHECKS, only)
    skipped: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="pokerd-check-") as folder:
        program = Program(command, Path(folder))
        stage = Stage(program, seconds)
        playing = _Script(stage, program)
        try:
            planned = scenes(only, script)
            for number, scene in enumerate(planned, 1):
                why = _why_not(scene, stage, playing.played)
                if why:
                    skipped[scene.id] = why
                    continue
                tell(f"{number} of {len(planned)}: {scene.id}")
                await playing.play(scene)
        finally:
            await stage.stop()
            await program.close()
    skipped |= {check: skipped[scene] for check, scene in _MADE_IN.items() if scene in skipped}
    return _report(CHECKS, checks, playing.played, skipped)


class _Script:
    """Plays native scenes one after the other, and judges them."""

    def __init__(self, stage: Stage, program: Program) -> None:
        self.played: list[Played] = []
        self._stage = stage
        self._program = program
        self._memory = Memory()

    async def play(self, scene: Scene) -> None:
        stage = self._stage
        await stage.play(scene)
        silent = stage.fell_silent()
        if silent is None:
            self.played.append(self._judge(scene))
            return
        # What it was told at the end of the last scene may have done it, or this scene: it is played again.
        stage.one_match |= silent.get("code") == 0
        await stage.play(scene)
        again = self._judge(scene)
        if scene.id in again.reached and silent.get("code") != 0:
            self._blame(silent)
        self.played.append(again)

    def _judge(self, scene: Scene) -> Played:
        stage = self._stage
        return judge(scene, stage.seconds, stage.entries, self._memory, self._program.last_words())

    def _blame(self, silent: dict[str, Any]) -> None:
        """The last scene ended, and with it the program."""
        last = self.played.pop()
        how = f"ended with exit code {silent['code']}" if "code" in silent else "said no more"
        sent = next((short(entry.message) for entry in reversed(last.entries) if entry.who == "S"), "")
        finding = Finding(last.scene, f"It {how} when that match was over.", sent)
        self.played.append(last._replace(findings=[*last.findings, finding]))


#: What a program plays that is told no game, unless its author says otherwise.
ACPC_GAME: Final = "holdem.nolimit.2p.reverse_blinds"


async def check_acpc(
    command: Sequence[str],
    *,
    seconds: float,
    game: str = ACPC_GAME,
    only: Collection[str] = (),
    tell: Callable[[str], None] = lambda _: None,
    script: Sequence[AcpcScene] = ACPC_SCENES,
) -> Report:
    """Check a program that speaks the ACPC protocol, as ``check_bot`` does; ``game`` is what it plays.

    Raises also GameError.
    """
    checks = chosen(ACPC_CHECKS, only)
    own = load_game(game)
    if not any("{port}" in word for word in command):
        command = [*command, "{host}", "{port}"]
    told = any("{game}" in word for word in command)
    played: list[Played] = []
    skipped: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="pokerd-check-") as folder:
        program = Program(command, Path(folder))
        stage = AcpcStage(program, seconds, Path(folder))
        try:
            planned = _acpc_scenes(only, script)
            for number, scene in enumerate(planned, 1):
                if scene.game is not None and not told:
                    skipped[scene.id] = "the command has no {game}"
                elif scene.id != ACPC_BASE and not any(ACPC_BASE in one.reached for one in played):
                    skipped[scene.id] = f"{ACPC_BASE} comes first"
                else:
                    tell(f"{number} of {len(planned)}: {scene.id}")
                    await stage.play(scene, _of(scene, own))
                    played.append(judge_acpc(scene, seconds, stage.entries, program.last_words()))
        finally:
            await program.close()
    return _report(ACPC_CHECKS, checks, played, skipped)


def _report(
    known: Sequence[Check], told: Sequence[Check], played: Sequence[Played], skipped: dict[str, str]
) -> Report:
    return Report([one for one in results(known, played, skipped) if one.check in told], played)


def _of(scene: AcpcScene, own: Game) -> Game:
    return own if scene.game is None else scene.game


def _acpc_scenes(only: Collection[str], script: Sequence[AcpcScene]) -> list[AcpcScene]:
    ids = {scene.id for scene in ACPC_SCENES}
    if not only or set(only) - ids:
        return list(script)
    return [scene for scene in script if scene.id in {*only, ACPC_BASE}]


def _why_not(scene: Scene, stage: Stage, played: Sequence[Played]) -> str:
    if scene.id != BASE and not any(one.scene == BASE and BASE in one.reached for one in played):
        return f"{BASE} comes first"
    if scene.tables > 1 and stage.tables == 1:
        return "hello.tables is 1"
    if scene.id == "reset" and stage.one_match:
        return "it ends after a match"
    return ""
