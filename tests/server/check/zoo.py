"""Many programs checked at once, each by its own server and its own processes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence

from server.check.acpc.scenarios import ACPC_BASE, ACPC_SCENES
from server.check.run import Report, check_acpc, check_bot
from server.check.scenarios import SCENES, Scene

__all__ = ["QUICK", "SHORT", "Told", "acpc", "all_of", "native", "told"]

#: Faults and advice, by id.
Told = tuple[set[str], set[str]]
#: Programs that run at the same time: they wait more than they compute.
CROWD = 10
#: Seconds for an answer.
SECONDS = 3.0
#: What one process is enough for.
QUICK: Sequence[Scene] = [scene for scene in SCENES if not scene.fresh]
#: Some of that, where every kind of turn comes up.
SHORT: Sequence[Scene] = [
    scene
    for scene in QUICK
    if scene.id
    in ("plays", "next-match", "no-limit", "side-pots", "unknown-types", "late", "resume", "goodbye")
]


def told(report: Report) -> Told:
    """Without the advice to think less: on a busy machine everybody is given it."""
    faults = {result.check.id for result in report.results if result.status == "fault"}
    hints = {result.check.id for result in report.results if result.status == "advice"}
    return faults, hints - {"thinking"}


async def native(*command: str, script: Sequence[Scene] = SCENES) -> Report:
    return await check_bot(["{python}", *command], seconds=SECONDS, script=script)


async def acpc(*command: str, matches: Collection[str] = ()) -> Report:
    """Those matches, and the one that comes first; all of them if none are named."""
    script = [scene for scene in ACPC_SCENES if not matches or scene.id in {*matches, ACPC_BASE}]
    return await check_acpc(["{python}", *command], seconds=SECONDS, script=script)


async def all_of(names: Collection[str], check: Callable[[str], Awaitable[Report]]) -> dict[str, Told]:
    """What is told of each of these."""
    room = asyncio.Semaphore(CROWD)

    async def one(name: str) -> Told:
        async with room:
            return told(await check(name))

    return dict(zip(names, await asyncio.gather(*map(one, names)), strict=True))
