"""Seven days of a ladder in fast motion, with fifty bots that come, go, crash and update."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median

import numpy as np
import pytest

from dealer.ratings.model import Ratings
from dealer.ratings.ranks import rank_intervals
from server.house.house import House
from server.ladder.errors import LadderError
from server.ladder.field import Field as LadderField
from server.ladder.ladder import Ladder
from server.ladder.records import Match, Version
from tests.support.ladders import HOUSE, Client, Field, fast_ladder, in_fast_motion, packed

PUSHERS, REMOTES = 35, 15
HOUR, DAY = 3600.0, 86_400.0
#: Seconds of a match, and how much is kept: little, so that a week is longer.
MATCH = 1000.0
KEEP_HANDS, KEEP_RESULTS, KEEP_VERSIONS = 50, 300, 3
CONFIG = f"""
name = "week"
house = {list(HOUSE)!r}
deal_sets = 100
matches = 2
first_match_s = {MATCH:.0f}0
keep_hands = {KEEP_HANDS}
keep_results = {KEEP_RESULTS}
keep_versions = {KEEP_VERSIONS}
""".replace("'", '"')
KINDS = ("good",) * 8 + ("broken", "fails", "marked")


class Week:
    """The authors, and what is seen of the ladder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.field = Field(MATCH)
        self.random = Random(21)
        self.pushers = [Client(f"push{number}") for number in range(PUSHERS)]
        self.remotes = [Client(f"far{number}") for number in range(REMOTES)]
        self.refusals: list[str] = []
        #: By day: rows of matches, their directories, those of versions, line-ups in memory, bytes of data.
        self.sizes: list[tuple[int, int, int, int, int]] = []
        self.restarts = 0
        self.ladder: Ladder
        self.house: House
        self.versions: list[Version]
        self.matches: list[Match]
        self.rated: tuple[LadderField, Ratings]

    async def run(self) -> None:
        """Seven days, on each of which the ladder is stopped in the middle of its matches and started again,
        and then some hours in which nobody does anything.
        """
        authors = [
            asyncio.create_task(task)
            for task in (*map(self._push, self.pushers), *map(self._come_and_go, self.remotes))
        ]
        for day in range(1, 9):
            await self._serve(day * DAY if day < 8 else 7 * DAY + 12 * HOUR, authors)
            if day == 7:
                for task in authors:
                    task.cancel()

    async def _serve(self, until: float, authors: list[asyncio.Task[None]]) -> None:
        async with fast_ladder(self.folder, self.field) as (self.ladder, self.house):
            store = self.ladder.store
            self.ladder.enrol([client.author for client in (*self.pushers, *self.remotes)])
            for client in self.remotes:
                if client.connected:
                    client.connect(self.house)
            run = asyncio.create_task(self.ladder.run())
            clock = asyncio.get_running_loop().time
            await asyncio.wait([run, *authors], timeout=until - clock(), return_when=asyncio.FIRST_EXCEPTION)
            failed = [one for one in (run, *authors) if one.done() and not one.cancelled()]
            for task in failed:
                task.result()
            self.sizes.append(self._sizes())
            self.versions, self.matches = store.versions(), store.matches()
            field, ratings = await self.ladder.ratings()
            assert ratings is not None
            self.rated = field, ratings
            run.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await run
            self.restarts += 1
            self.field.free_since.clear()

    def _sizes(self) -> tuple[int, int, int, int, int]:
        return (
            len(self.ladder.store.matches()),
            len(list((self.folder / "matches").glob("*/*"))),
            len(list((self.folder / "versions").iterdir())),
            len(self.ladder._results),
            (self.folder / "ladder.db").stat().st_size,
        )

    @property
    def played(self) -> int:
        """How many matches were played."""
        return max(match.number for match in self.matches)

    async def _push(self, client: Client) -> None:
        """Push a version now and then, most of them good; and challenge somebody."""
        random = Random(client.token)
        await asyncio.sleep(random.expovariate(1 / (6 * HOUR)))
        while True:
            kind = random.choice(KINDS)
            text = f"{kind} {random.randrange(len(self.field.exact.names))} # {random.random()}\n"
            with self._refused():
                await self.ladder.push(client.author, packed(text))
            await asyncio.sleep(random.expovariate(1 / (20 * HOUR)))
            with self._refused():
                opponent = random.choice([*HOUSE, *(one.author.name for one in self.remotes)])
                self.ladder.challenge(client.author, [opponent], counts=random.random() < 0.5)
            await asyncio.sleep(random.expovariate(1 / (20 * HOUR)))

    @contextlib.contextmanager
    def _refused(self) -> Iterator[None]:
        try:
            yield
        except LadderError as error:
            self.refusals.append(error.code)

    async def _come_and_go(self, client: Client) -> None:
        """Connect for some hours, vanish for some; one in five does not come back in the end."""
        random = Random(client.token)
        self.field.players[client.author.name] = random.randrange(len(self.field.exact.names))
        lasts = 3 * DAY if random.random() < 0.2 else 8 * DAY
        clock = asyncio.get_running_loop().time
        while clock() < lasts:
            await asyncio.sleep(random.expovariate(1 / (6 * HOUR)))
            client.connect(self.house)
            await asyncio.sleep(random.expovariate(1 / (20 * HOUR)))
            client.break_off()
            for name in [name for name in self.field.free_since if name.startswith(client.author.name + "@")]:
                del self.field.free_since[name]


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Week:
    folder = tmp_path_factory.mktemp("week")
    (folder / "ladder.toml").write_text(CONFIG, encoding="utf-8")
    found = Week(folder)
    with pytest.MonkeyPatch.context() as patch:
        # Every five seconds of a week are much for a clock that only counts: no command runs beside.
        patch.setattr("server.ladder.remote_bots._INTERVAL", 600.0)
        in_fast_motion(found.run)
    return found


def test_the_week_is_what_it_should_be(week: Week) -> None:
    kinds = {version.kind for version in week.versions}
    assert kinds == {"house", "pushed", "remote"}
    assert len(week.versions) > 3 * (PUSHERS + REMOTES)
    assert week.played > 1000
    assert week.restarts == 8
    # Now and then somebody challenges a bot that has gone, or has none; nothing else is refused.
    assert set(week.refusals) <= {"unknown_bot"}


def test_nobody_waits_longer_than_three_median_waits(week: Week) -> None:
    waits = week.field.waits
    assert len({name.partition("@")[0] for name, _ in waits}) > PUSHERS + len(HOUSE)
    longest = 3 * median(wait for _, wait in waits)
    assert [(name, wait) for name, wait in waits if wait > longest] == []


def test_everything_ends_in_a_state_with_a_reason(week: Week) -> None:
    states = Counter(version.state for version in week.versions)
    assert set(states) == {"rated", "refused", "replaced"}
    assert all(bool(one.reason) == (one.state != "rated") for one in week.versions)
    faulty = {one.state for one in week.versions if one.name in week.field.faults}
    assert faulty <= {"refused", "replaced"}
    assert all(one.reason for one in week.matches if one.state == "failed")
    # What cannot be played is given up; two are in progress.
    assert sum(one.state in ("playing", "queued") for one in week.matches) <= 2 + len(week.remotes)


def test_memory_and_disk_are_bounded(week: Week) -> None:
    pairs = (PUSHERS + REMOTES + len(HOUSE)) ** 2 / 2
    for rows, directories, versions, line_ups, data in week.sizes:
        # What waits is kept whatever its age.
        assert rows <= KEEP_RESULTS + 100
        assert directories <= KEEP_HANDS + 100
        assert versions <= KEEP_VERSIONS * PUSHERS
        assert line_ups <= 2 * pairs
        assert data < 1_000_000


def test_the_ratings_are_right_in_the_end(week: Week) -> None:
    field, ratings = week.rated
    assert len(field.names) >= PUSHERS
    players = [week.field.player(name) for name in field.names]
    truth = week.field.exact.truth[np.ix_(players, players)].sum(axis=1) / (len(players) - 1)
    found = [ratings.rating(name) for name in field.names]
    right = [abs(one.mean - value) <= (one.half or 0.0) for one, value in zip(found, truth, strict=True)]
    # If 95 % cover, fewer of some fifty do in 3 of 10,000 weeks.
    assert sum(right) >= 0.85 * len(right)
    order = np.argsort(np.argsort(-truth))
    ranks = rank_intervals(ratings)
    outside = [
        name
        for name, rank in zip(field.names, order, strict=True)
        if not ranks[name].best <= rank + 1 <= ranks[name].worst
    ]
    assert outside == []
