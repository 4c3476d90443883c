"""Programs that are checked as processes of their own, each by its own server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence

from server.check.acpc.scenarios import ACPC_BASE, ACPC_SCENARIOS
from server.check.scenarios import SCENARIOS, Scenario
from server.check.suite import CheckReport, check_acpc, check_bot, select_scenarios
from tests.server.check.dialogues import SECONDS, Told, told
from tests.server.check.guilt import ACPC_GUILT, GAMES, NATIVE_GUILT

#: Programs that run at the same time: they wait more than they compute.
CROWD = 10
#: What one process is enough for.
QUICK: Sequence[Scenario] = [scenario for scenario in SCENARIOS if not scenario.new_process]
#: Some of that, where every kind of turn comes up.
SHORT: Sequence[Scenario] = [
    scenario
    for scenario in QUICK
    if scenario.id
    in ("plays", "next-match", "no-limit", "side-pots", "unknown-types", "late", "resume", "goodbye")
]
#: Those whose fault shows only in a process of its own; the others are spared those scenes, and those whose
#: fault shows anywhere most of the rest.
ALL_SCENES = {
    "Right", "Duellist", "Dealt", "Lingering", "Homeless", "Loner", "Shy", "Fighter", "Stormer", "Survivor",
}  # fmt: skip
ANYWHERE = list(NATIVE_GUILT)[3 : list(NATIVE_GUILT).index("OneMatch")]
#: Matches that each ACPC program plays; without an entry the two that show most.
MATCHES = {
    "Right": {scenario.id for scenario in ACPC_SCENARIOS},
    "Narrow": {"large-hands"},
    "Witness": {"mid-hand"},
    "Duellist": {*GAMES, "one-card"},
    "Lingering": {"cut-off"},
    "Parent": {"plays"},
}
WRONG = ("-m", "tests.system.server.check.wrong")
WRONG_ACPC = ("-m", "tests.system.server.check.wrong_acpc")


async def native(*command: str, script: Sequence[Scenario] = SCENARIOS) -> CheckReport:
    return await check_bot(["{python}", *command], seconds=SECONDS, scenarios=script)


async def acpc(*command: str, matches: Collection[str] = ()) -> CheckReport:
    """Those matches, and the one that comes first; all of them if none are named."""
    script = [scenario for scenario in ACPC_SCENARIOS if not matches or scenario.id in {*matches, ACPC_BASE}]
    return await check_acpc(["{python}", *command], seconds=SECONDS, scenarios=script)


async def wrong(name: str) -> CheckReport:
    """One of ``wrong.py``, in the scenes that show its fault; without one in all of them."""
    if name == "Dealt":  # It does wrong when it has seen others.
        return await wrong_everywhere(name)
    # Mender does what Right does, but where an action is refused.
    brief = name == "Mender" or name in ANYWHERE
    script = SHORT if brief else select_scenarios(set().union(*NATIVE_GUILT[name]), SCENARIOS)
    return await native(*WRONG, name, script=script)


async def wrong_everywhere(name: str) -> CheckReport:
    """The same, also in scenes that do not show its fault."""
    script = SCENARIOS if name in ALL_SCENES else SHORT if name in ANYWHERE else QUICK
    return await native(*WRONG, name, script=script)


async def wrong_acpc(name: str) -> CheckReport:
    """One of ``wrong_acpc.py``, in the matches that it needs."""
    matches = MATCHES.get(name, {"limit", "three-players"}) if name in ACPC_GUILT else {"plays"}
    return await acpc(*WRONG_ACPC, name, "{host}", "{port}", "{game}", matches=matches)


async def at_once(
    names: Collection[str], check: Callable[[str], Awaitable[CheckReport]]
) -> dict[str, CheckReport]:
    """Some programs, several at a time."""
    room = asyncio.Semaphore(CROWD)

    async def one(name: str) -> CheckReport:
        async with room:
            return await check(name)

    return dict(zip(names, await asyncio.gather(*map(one, names)), strict=True))


async def all_told(names: Collection[str], check: Callable[[str], Awaitable[CheckReport]]) -> dict[str, Told]:
    """What is told of each of these."""
    return {name: told(report.results) for name, report in (await at_once(names, check)).items()}


def asked(report: CheckReport) -> list[int]:
    """The turns of each scenario that was played."""
    kinds = [[one.message for one in scenario.entries if one.who == "S"] for scenario in report.played]
    return [sum(one.get("type") == "turn" or bool(one.get("asked")) for one in said) for said in kinds]
