"""A ladder in fast motion that is killed again and again, as
``python -m tests.support.ladder_kills DIR LAST KILLS``.

It plays in DIR up to match number LAST. So many times a process of it is killed (SIGKILL) at a random moment;
then one plays on to the end. Prints as JSON at which match each process was killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final

from server.competition.persistent_bot import PersistentBot
from server.ladder.ladder import Ladder
from server.ladder.matches import MatchEnd, MatchPlace
from server.ladder.records import Match, Version
from server.ladder.store import LadderStore
from tests.support.ladders import Client, Field, fast_ladder, in_fast_motion, packed

#: All moves of a version, and everything that is removed when it is old, happen on the way.
CONFIG: Final = """
name = "killed"
house = ["call", "fair", "random", "loki1"]
deal_sets = 20
keep_hands = 10
keep_results = 30
keep_versions = 2
"""
#: At which matches versions are pushed, by whom, and what they are.
PUSHES: Final = (
    *((1, "ann", "good 3"), (1, "bob", "broken 4"), (1, "cal", "marked 5"), (10, "bob", "good 30")),
    *((20, "ann", "good 12"), (30, "cal", "fails 9"), (40, "ann", "good 13"), (60, "ann", "good 14")),
    *((80, "cal", "good 44"), (90, "ann", "broken 7"), (100, "bob", "good 50"), (120, "ann", "good 22")),
    *((150, "cal", "marked 8"), (180, "bob", "good 9"), (210, "cal", "good 18"), (240, "ann", "good 40")),
)


def prepare(folder: Path) -> None:
    """Make the ladder, whose cards are known."""
    folder.mkdir()
    (folder / "ladder.toml").write_text(CONFIG, encoding="utf-8")
    store = LadderStore(folder, "1")
    store.set_fact("key", "07" * 32)
    store.put_authors([Client(name).author for name in ("ann", "bob", "cal")])
    store.close()


class _Field(Field):
    """Ends the process when it should play more than the last match; or waits, to be killed."""

    ladder: Ladder

    def __init__(self, last: int, *, ends: bool) -> None:
        super().__init__(1000.0)
        self.last = last
        self.ends = ends

    async def play(
        self,
        place: MatchPlace,
        match: Match,
        versions: Sequence[Version],
        hashes: Mapping[str, str],
        lent: Mapping[str, PersistentBot],
    ) -> MatchEnd:
        if match.number > self.last:
            if self.ends:
                os._exit(0)
            signal.pause()
        pushed = {bot: len(self.ladder.store.versions(bot)) for bot in ("ann", "bob", "cal")}
        for count, (number, bot, text) in enumerate(PUSHES):
            earlier = sum(one == bot for _, one, _ in PUSHES[:count])
            if match.number >= number and pushed[bot] <= earlier:
                await self.ladder.push(Client(bot).author, packed(text))
                pushed[bot] += 1
        for version in versions:
            if version.kind == "pushed":  # as its check has found, maybe in another process
                self.read(version, place.programs)
        return await super().play(place, match, versions, hashes, lent)


async def _run(folder: Path, last: int, *, ends: bool) -> None:
    field = _Field(last, ends=ends)
    async with fast_ladder(folder, field) as (ladder, _):
        field.ladder = ladder
        await ladder.run()


def started(folder: Path, last: int, *, ends: bool = True) -> int:
    """Start a process that plays up to a match and ends, or waits, and return its id."""
    process = os.fork()
    if not process:
        try:
            in_fast_motion(lambda: _run(folder, last, ends=ends))
        except BaseException:  # noqa: BLE001 (an exit code is all that the parent sees)
            traceback.print_exc()
        os._exit(1)
    return process


def ended(process: int) -> int:
    """Wait for its end: its exit code, or the number of the signal that ended it, below 0."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _newest(folder: Path) -> int:
    store = LadderStore(folder, "1")
    try:
        return max((match.number for match in store.matches()), default=0)
    finally:
        store.close()


def main(folder: Path, last: int, kills: int) -> None:
    """Play and kill."""
    Field(1.0).exact.draw(0, 1, 1, 1)  # compiled before the first process is started
    prepare(folder)
    began = time.perf_counter()
    assert ended(started(folder, 0)) == 0
    start = time.perf_counter() - began
    pace = 0.0
    if kills:
        rehearsal = folder.with_name(f"{folder.name}-rehearsal")
        prepare(rehearsal)
        began = time.perf_counter()
        assert ended(started(rehearsal, last)) == 0
        pace = (time.perf_counter() - began - start) / last
    random = Random(7)
    places: list[int] = []
    while len(places) < kills:
        # So that something is left to be played when the last one is killed.
        each = 0.7 * (last - _newest(folder)) / (kills - len(places))
        process = started(folder, last, ends=False)
        time.sleep(random.uniform(0, 2) * (start + each * pace))
        os.kill(process, signal.SIGKILL)
        code = ended(process)
        assert code == -signal.SIGKILL, code
        places.append(_newest(folder))
    assert ended(started(folder, last)) == 0
    print(json.dumps(places))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
