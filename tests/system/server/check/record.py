"""Records what wrong programs and the server say to each other, and keeps the scenes that show the fault:
``python -m tests.system.server.check.record``.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence

import structlog

from server.check.model import ScenarioResult
from server.check.suite import CheckReport
from tests.server.check.dialogues import ACPC, NATIVE, Judge, Told, load, save, told
from tests.server.check.guilt import ACPC_GUILT, LIVE, LIVE_ACPC, NATIVE_GUILT
from tests.system.server.check.zoo import at_once, wrong_acpc, wrong_everywhere


def telling(judge: Judge, played: Sequence[ScenarioResult], guilt: Told) -> list[ScenarioResult]:
    """The first scenes that tell all of it; without the others before them some would tell more."""
    kept: list[ScenarioResult] = []
    known: Told = (set(), set())
    for one in played:
        found = judge.told([*kept, one])
        if found != known and all(some <= whole for some, whole in zip(found, guilt, strict=True)):
            kept, known = [*kept, one], found
    return kept


async def record(
    judge: Judge, guilt: Mapping[str, Told], live: set[str], check: Callable[[str], Awaitable[CheckReport]]
) -> None:
    """Check the programs of one protocol, and write down what was said."""
    for name, report in (await at_once(guilt.keys() - live, check)).items():
        assert told(report.results) == guilt[name], (name, told(report.results))
        path = judge.folder / f"{name}.jsonl"
        save(path, telling(judge, report.played, guilt[name]))
        assert judge.told(load(path)) == guilt[name], name


async def main() -> None:
    await record(NATIVE, NATIVE_GUILT, LIVE, wrong_everywhere)
    await record(ACPC, ACPC_GUILT, LIVE_ACPC, wrong_acpc)


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    sys.exit(asyncio.run(main()))
