"""Many programs checked at once, each by its own server and its own processes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence

from server.check.acpc.scenarios import ACPC_BASE, ACPC_SCENARIOS
from server.check.run import CheckReport, check_acpc, check_bot
from server.check.scenarios import SCENARIOS, Scenario

__all__ = ["QUICK", "SHORT", "Told", "acpc", "all_of", "native", "told"]

#: Faults and advice, by id.
Told = tuple[set[str], set[str]]
#: Programs that run at the same time: they wait more than they compute.
CROWD = 10
#: Seconds for an answer.
SECONDS = 3.0
#: What one process is enough for.
QUICK: Sequence[Scenario] = [scene for scene in SCENARIOS if not scene.new_process]
#: Some of that, where every kind of turn comes up.
SHORT: Sequence[Scenario] = [
    scene
    for scene in QUICK
    if scene.id
    in ("plays", "next-match", "no-limit", "side-pots", "unknown-types", "late", "resume", "goodbye")
]


def told(report: CheckReport) -> Told:
    """Without the advice to think less: on a busy machine everybody is given it."""
    faults = {result.check.id for result in report.results if result.status == "fault"}
    hints = {result.check.id for result in report.results if result.status == "advice"}
    return faults, hints - {"thinking"}


async def native(*command: str, script: Sequence[Scenario] = SCENARIOS) -> CheckReport:
    return await check_bot(["{python}", *command], seconds=SECONDS, scenarios=script)


async def acpc(*command: str, matches: Collection[str] = ()) -> CheckReport:
    """Those matches, and the one that comes first; all of them if none are named."""
    script = [scene for scene in ACPC_SCENARIOS if not matches or scene.id in {*matches, ACPC_BASE}]
    return await check_acpc(["{python}", *command], seconds=SECONDS, scenarios=script)


async def all_of(names: Collection[str], check: Callable[[str], Awaitable[CheckReport]]) -> dict[str, Told]:
    """What is told of each of these."""
    room = asyncio.Semaphore(CROWD)

    async def one(name: str) -> Told:
        async with room:
            return told(await check(name))

    return dict(zip(names, await asyncio.gather(*map(one, names)), strict=True))
