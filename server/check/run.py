"""Plays the script from its beginning to its end, and leaves out what cannot be played with this program."""

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
from server.check.acpc.rules import judge_acpc
from server.check.acpc.runner import AcpcStage
from server.check.acpc.scenarios import ACPC_BASE, ACPC_QUICK, ACPC_SCENES, AcpcScene
from server.check.checks import CHECKS
from server.check.evaluate import judge
from server.check.forecast import Forecast, in_words
from server.check.live_rules import Memory
from server.check.model import Check, CheckError, Entry, Finding, Played, Result, results, short
from server.check.program import Program
from server.check.runner import Stage
from server.check.scenarios import BASE, QUICK, SCENES, Scene

__all__ = ["ACPC_GAME", "Report", "check_acpc", "check_bot"]

Ended = Literal["complete", "interrupted", "failed"]
S = TypeVar("S", Scene, AcpcScene)

#: Checks that are made in the scene of another one.
_MADE_IN = {"join": "company", "orphans": "goodbye"}
#: Checks that every connection makes.
_BEGINNING = ("connect", "subprotocol", "token", "hello-first", "hello-once")


class Report(NamedTuple):
    """How every check came out, and the conversations.

    ``ended``: the check came to its end, was interrupted, or pokerd itself failed, with ``failure`` as the
    traceback; ``done`` of ``planned`` scenes were over then.
    """

    results: Sequence[Result]
    played: Sequence[Played]
    planned: int = 0
    done: int = 0
    ended: Ended = "complete"
    failure: str = ""

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
    wanted |= {scene.after for scene in script if scene.id in wanted} | {BASE}
    return [scene for scene in script if scene.id in wanted]


async def check_bot(
    command: Sequence[str],
    *,
    seconds: float,
    only: Collection[str] = (),
    quick: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    script: Sequence[Scene] = SCENES,
) -> Report:
    """Check a program that speaks the websocket protocol. ``quick``: play the scenes alone that find most
    in little time. ``tell`` is called with the scene that begins, as ``3 of 36: no-limit, about 2 min left``.
    Whoever cancels this is given what was found so far.

    Raises CheckError ``unknown_check`` and ``cannot_start``.
    """
    checks = chosen(CHECKS, only)
    with tempfile.TemporaryDirectory(prefix="pokerd-check-") as folder:
        playing = _Script(Program(command, Path(folder)), seconds)
        return await _report(playing, scenes(only, script), checks, tell, QUICK if quick else None)


class _Playing(ABC, Generic[S]):
    """Plays scenes one after the other, and judges them."""

    known: Sequence[Check]

    def __init__(self, program: Program) -> None:
        self.played: list[Played] = []
        self._program = program
        self._scene: S | None = None
        self._forecast = Forecast()

    async def play(self, scene: S) -> None:
        """Play a scene to its end."""
        loop = asyncio.get_running_loop()
        self._scene = scene
        began = loop.time()
        await self._play(scene)
        self._forecast.add(self._turns(scene), loop.time() - began, self._entries())
        self._scene = None

    def time_for(self, scenes: Sequence[S]) -> float | None:
        """Seconds that these scenes will take; None as long as nothing is known."""
        left = [scene for scene in scenes if not self.why_not(scene)]
        return self._forecast.seconds(sum(map(self._turns, left)), sum(scene.fresh for scene in left))

    def break_off(self) -> None:
        """Keep what there is of the scene that is not at its end, if any."""
        if self._scene is not None:
            self.played.append(Played(self._scene.id, (), (), self._entries()))
            self.played[-1] = self._judge(self._scene, whole=False)

    async def close(self) -> None:
        """End the program."""
        await self._program.close()

    @abstractmethod
    def why_not(self, scene: S) -> str:
        """Why a scene cannot be played with this program, if so."""

    @abstractmethod
    def _turns(self, scene: S) -> int:
        """How often a program that calls is asked in a scene."""

    @abstractmethod
    async def _play(self, scene: S) -> None: ...

    @abstractmethod
    def _entries(self) -> Sequence[Entry]: ...

    @abstractmethod
    def _judge(self, scene: S, *, whole: bool = True) -> Played: ...


async def _report(
    playing: _Playing[S],
    planned: Sequence[S],
    told: Sequence[Check],
    tell: Callable[[str], None],
    quick: Collection[str] | None = None,
) -> Report:
    """Play the scenes, or those of them that are ``quick``; what was found, also when that is interrupted or
    pokerd fails.
    """
    skipped: dict[str, str] = {}
    if quick is not None:
        skipped = {scene.id: "--quick leaves it out" for scene in planned if scene.id not in quick}
        planned = [scene for scene in planned if scene.id in quick]
    ended: Ended = "complete"
    failure = ""
    left = list(planned)
    try:
        try:
            while left:
                scene = left[0]
                why = playing.why_not(scene)
                if why:
                    skipped[scene.id] = why
                else:
                    number = f"{len(planned) - len(left) + 1} of {len(planned)}"
                    tell(f"{number}: {scene.id}{in_words(playing.time_for(left))}")
                    await playing.play(scene)
                left.pop(0)
        finally:
            await playing.close()
    except CheckError:
        raise
    except asyncio.CancelledError:
        ended = "interrupted"
    except Exception:  # noqa: BLE001 (what was found so far is not to be lost by a fault of ours)
        ended, failure = "failed", traceback.format_exc()
    if ended != "complete":
        with suppress(Exception):
            playing.break_off()
        skipped |= {scene.id: f"the check was {ended}" for scene in left}
    skipped |= {check: skipped[scene] for check, scene in _MADE_IN.items() if scene in skipped}
    outcome = [one for one in results(playing.known, playing.played, skipped) if one.check in told]
    return Report(outcome, playing.played, len(planned), len(planned) - len(left), ended, failure)


class _Script(_Playing[Scene]):
    """Native scenes."""

    known = CHECKS

    def __init__(self, program: Program, seconds: float) -> None:
        super().__init__(program)
        self._stage = Stage(program, seconds)
        self._memory = Memory()

    def why_not(self, scene: Scene) -> str:
        stage = self._stage
        for first in (BASE, scene.after):
            if scene.id != first and not _reached(first, self.played):
                return f"{first} comes first"
        if scene.tables > 1 and stage.tables == 1:
            return "hello.tables is 1"
        if stage.single and (scene.tables > 1 or scene.style.alone):
            return "it reads no arrays"
        if scene.id == "reset" and stage.one_match:
            return "it ends after a match"
        return ""

    def _turns(self, scene: Scene) -> int:
        return scene.turns * scene.rounds * min(scene.tables, self._stage.tables)

    async def close(self) -> None:
        try:
            await self._stage.stop()
        finally:
            await super().close()

    async def _play(self, scene: Scene) -> None:
        stage = self._stage
        await stage.play(scene)
        silent = stage.fell_silent()
        if silent is None:
            played = self._judge(scene)
            self.played.append(played)
            if scene.id == BASE and BASE not in played.reached and "token" in played.reached:
                await self._play_singly(scene)
            return
        # What it was told at the end of the last scene may have done it, or this scene: it is played again.
        stage.one_match |= silent.get("code") == 0
        await stage.play(scene)
        again = self._judge(scene)
        if scene.id in again.reached and silent.get("code") != 0:
            self._blame(silent)
        self.played.append(again)

    async def _play_singly(self, scene: Scene) -> None:
        """Play the last scene again with every message in a frame of its own. If that is what the program
        needs, this counts, and the other scenes are played so, too.
        """
        stage = self._stage
        stage.single = True
        await stage.stop()
        await stage.play(scene)
        again = self._judge(scene)
        if scene.id not in again.reached:
            stage.single = False
            await stage.stop()
            return
        what = (
            "It plays when every message comes in a frame of its own, and not when several come in an array. "
            "The other checks were made with frames of one message."
        )
        arrays = Finding("arrays", what, _last_array(self.played[-1].entries))
        self.played[-1] = again._replace(findings=[*again.findings, arrays])

    def _entries(self) -> Sequence[Entry]:
        return self._stage.entries

    def _judge(self, scene: Scene, *, whole: bool = True) -> Played:
        stage, last_words = self._stage, self._program.last_words()
        return judge(scene, stage.seconds, stage.entries, self._memory, last_words, whole=whole)

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
    quick: bool = False,
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
    with tempfile.TemporaryDirectory(prefix="pokerd-check-") as folder:
        stage = AcpcStage(Program(command, Path(folder)), seconds, Path(folder))
        playing = _AcpcScript(stage, own, told=told)
        planned = _acpc_scenes(only, script)
        return await _report(playing, planned, checks, tell, ACPC_QUICK if quick else None)


class _AcpcScript(_Playing[AcpcScene]):
    """Matches with an ACPC program. ``told``: it is told the game."""

    known = ACPC_CHECKS

    def __init__(self, stage: AcpcStage, own: Game, *, told: bool) -> None:
        super().__init__(stage.program)
        self._stage = stage
        self._own = own
        self._told = told

    def why_not(self, scene: AcpcScene) -> str:
        if scene.game is not None and not self._told:
            return "the command has no {game}"
        if scene.id != ACPC_BASE and not _reached(ACPC_BASE, self.played):
            return f"{ACPC_BASE} comes first"
        return ""

    def _turns(self, scene: AcpcScene) -> int:
        return scene.turns

    async def _play(self, scene: AcpcScene) -> None:
        await self._stage.play(scene, scene.game or self._own)
        self.played.append(self._judge(scene))

    def _entries(self) -> Sequence[Entry]:
        return self._stage.entries

    def _judge(self, scene: AcpcScene, *, whole: bool = True) -> Played:
        stage = self._stage
        return judge_acpc(scene, stage.seconds, stage.entries, self._program.last_words(), whole=whole)


def _last_array(entries: Sequence[Entry]) -> str:
    """The last frame that the program was sent with several messages."""
    frames = [list(frame) for _, frame in groupby(entries, lambda entry: (entry.who, entry.at))]
    sent = [[one.message for one in frame] for frame in frames if frame[0].who == "S" and len(frame) > 1]
    return short(sent[-1]) if sent else ""


def _reached(check: str, played: Sequence[Played]) -> bool:
    return any(one.scene == check and check in one.reached for one in played)


def _acpc_scenes(only: Collection[str], script: Sequence[AcpcScene]) -> list[AcpcScene]:
    ids = {scene.id for scene in ACPC_SCENES}
    if not only or set(only) - ids:
        return list(script)
    return [scene for scene in script if scene.id in {*only, ACPC_BASE}]
