"""A ladder in fast motion: what becomes of versions and matches."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from dealer.luck.value import shipped_value
from server.house.house import House
from server.ladder.errors import LadderError
from server.ladder.ladder import PATIENCE, Ladder
from server.ladder.records import Version
from server.ladder.uploads import CheckEnd
from tests.support.ladders import Client, Field, fast_ladder, in_fast_motion, packed

CONFIG = """
name = "small"
house = ["call", "fair", "random"]
deal_sets = 20
keep_versions = 2
pushes = 5
"""
MATCH = 10.0


async def until(ladder: Ladder, what: Callable[[], object]) -> None:
    """Wait until a change of the ladder makes something so."""
    while not what():
        await ladder._wait_change(ladder._changes)


async def pass_time(ladder: Ladder, seconds: float) -> None:
    """Wait until so much time has passed on the ladder's clock, whatever it does meanwhile."""
    end = ladder.clock() + seconds
    await until(ladder, lambda: ladder.clock() >= end)


@contextlib.asynccontextmanager
async def running(folder: Path, more: str, match: float) -> AsyncIterator[tuple[Ladder, House, Client]]:
    (folder / "ladder.toml").write_text(CONFIG + more, encoding="utf-8")
    async with fast_ladder(folder, field := Field(match)) as (ladder, house):
        client = Client("ann")
        field.players["ann"] = 20
        ladder.enrol([client.author])
        run = asyncio.create_task(ladder.run())
        try:
            yield ladder, house, client
        finally:
            run.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await run


def played(
    folder: Path,
    what: Callable[[Ladder, House, Client], Awaitable[None]],
    more: str = "",
    match: float = MATCH,
) -> None:
    async def main() -> None:
        async with running(folder, more, match) as (ladder, house, client):
            await what(ladder, house, client)

    in_fast_motion(main)


@pytest.mark.parametrize(
    ("kind", "state"), [("good", "rated"), ("broken", "refused"), ("fails", "refused"), ("marked", "refused")]
)
def test_a_pushed_version_ends_in_a_state_with_a_reason(tmp_path: Path, kind: str, state: str) -> None:
    async def push(ladder: Ladder, _: House, client: Client) -> None:
        version = await ladder.push(client.author, packed(f"{kind} 20"))
        await until(ladder, lambda: ladder.store.version(version.name).state in ("rated", "refused"))
        found = ladder.store.version(version.name)
        assert (found.state, bool(found.reason)) == (state, state == "refused")
        assert not any(version.name in match.line_up for match in ladder.waiting() if match.why == "first")
        # The others play on.
        last = ladder.store.matches("done")[-1].number
        await until(ladder, lambda: ladder.store.matches("done")[-1].number > last)

    played(tmp_path, push)


def test_authors_that_a_command_adds_beside_are_admitted(tmp_path: Path) -> None:
    async def add(ladder: Ladder, house: House, _: Client) -> None:
        late = Client("late")
        ladder.store.put_authors([late.author])
        await pass_time(ladder, 10)
        late.connect(house)
        await until(ladder, lambda: ladder.store.version("late@1").state == "ready")
        late.break_off()

    played(tmp_path, add)


def test_a_version_that_is_replaced_while_it_plays_stays_replaced(tmp_path: Path) -> None:
    async def push(ladder: Ladder, _: House, client: Client) -> None:
        old = (await ladder.push(client.author, packed("good 20"))).name
        await until(ladder, lambda: ladder.store.version(old).state == "ready")
        # Its first matches take longer than the check of the next.
        new = (await ladder.push(client.author, packed("good 20 # newer"))).name
        await until(ladder, lambda: ladder.store.version(new).state == "rated")
        assert ladder.store.version(old).state == "replaced"

    played(tmp_path, push)


def test_versions_are_checked_in_the_order_of_their_pushes_and_the_newest_plays(tmp_path: Path) -> None:
    async def push(ladder: Ladder, _: House, client: Client) -> None:
        checked: list[str] = []

        async def check(version: Version, *_: object) -> CheckEnd:
            checked.append(version.name)
            # The first takes longer than all others together.
            await asyncio.sleep(300 if version.name == "ann@9" else 20)
            return CheckEnd("", "" if version.bot == "ann" else "it is a stranger's")

        ladder._check_version = check  # type: ignore[assignment]
        for _number in range(8):
            ladder.store.add_version("ann", "pushed", "f", (), "refused", 0.0)
        late = Client("aaron")
        ladder.enrol([late.author])
        names = []
        for number, author in enumerate([client.author] * 5 + [late.author]):
            names.append((await ladder.push(author, packed(f"good {number}"))).name)
            await asyncio.sleep(1)  # in fast motion
        await until(ladder, lambda: ladder.store.version("ann@9").state == "replaced")
        assert checked == names
        assert ladder.store.version("ann@9").reason == "ann@13 plays in its place"
        await until(ladder, lambda: ladder.store.version("ann@13").state == "rated")
        assert {ladder.store.version(name).state for name in names[:4]} == {"replaced"}

    played(tmp_path, push)


def test_a_new_version_is_rated_before_challenges_that_others_have_queued(tmp_path: Path) -> None:
    async def push(ladder: Ladder, _: House, client: Client) -> None:
        rich = Client("rich")
        ladder.enrol([rich.author])
        first = await ladder.push(rich.author, packed("good 20"))
        await until(ladder, lambda: ladder.store.version(first.name).state == "rated")
        for _number in range(20):
            ladder.challenge(rich.author, ["fair"], counts=False)
        version = await ladder.push(client.author, packed("good 20 # mine"))
        await until(ladder, lambda: ladder.store.version(version.name).state == "ready")
        assert [match.why for match in ladder.waiting() if match.state == "queued"][:3] == ["first"] * 3
        await until(ladder, lambda: ladder.store.version(version.name).state == "rated")
        assert any(match.why == "challenge" for match in ladder.waiting())

    played(tmp_path, push)


def test_files_of_old_versions_and_of_refused_archives_go(tmp_path: Path) -> None:
    async def push(ladder: Ladder, _: House, client: Client) -> None:
        for number in range(5):
            version = await ladder.push(client.author, packed(f"good 20 # {number}"))
            await until(ladder, lambda: ladder.store.version(version.name).state == "rated")  # noqa: B023
        hashes = [version.hash for version in ladder.store.versions("ann")]
        assert {path.name for path in (tmp_path / "versions").iterdir()} == set(hashes[-2:])
        assert len(list((tmp_path / "checks").iterdir())) == 2
        with pytest.raises(LadderError) as refused:
            await ladder.push(client.author, packed("good 20 # again"))
        assert refused.value.code == "push_limit"
        assert len(list((tmp_path / "versions").iterdir())) == 2

    played(tmp_path, push)


def test_a_version_whose_first_match_takes_too_long_is_refused(tmp_path: Path) -> None:
    async def push(ladder: Ladder, _: House, client: Client) -> None:
        version = await ladder.push(client.author, packed("good 20"))
        await until(ladder, lambda: ladder.store.version(version.name).state == "refused")
        assert "longer than 9 s" in ladder.store.version(version.name).reason
        # Matches that are not its first ones may take their time.
        await until(ladder, lambda: any(one.why == "rated" for one in ladder.store.matches("done")))

    played(tmp_path, push, f"first_match_s = {MATCH - 1:.0f}\n")


#: Half an hour after fast motion begins.
DEADLINE = """
keep_hands = 10
keep_results = 10
[[grades]]
name = "beats call"
beats = "call"
[[deadlines]]
name = "hand-in"
at = 2027-01-01T00:30:00Z
"""


def test_a_version_that_counts_at_a_deadline_keeps_files_results_and_grade(tmp_path: Path) -> None:
    async def push(ladder: Ladder, _: House, client: Client) -> None:
        async def push_rated(*numbers: int) -> None:
            for number in numbers:
                name = (await ladder.push(client.author, packed(f"good 20 # {number}"))).name
                await until(ladder, lambda: ladder.store.version(name).state == "rated")  # noqa: B023

        await push_rated(0, 1)
        await pass_time(ladder, 1800)
        (before,) = await ladder.grades()
        await push_rated(2, 3, 4)
        await pass_time(ladder, 1000)
        hashes = [version.hash for version in ladder.store.versions("ann")]
        assert {path.name for path in (tmp_path / "versions").iterdir()} == {*hashes[-2:], hashes[1]}
        assert len(list((tmp_path / "checks").iterdir())) == 3
        (row,) = await ladder.grades()
        assert row.version == ladder.store.version("ann@2")
        assert row.row is not None
        assert before.row is not None
        assert row.row["deal_sets"] >= before.row["deal_sets"] > 400
        assert row.grades[0].passed is not None
        # Those in memory are those that are stored.
        names = [*ladder._field().names, "ann@2"]
        assert ladder._results.among(names) == ladder.store.results().among(names)
        assert ladder.store.results().among(["ann@1", *names]) == ladder.store.results().among(names)

    played(tmp_path, push, DEADLINE)


def test_a_remote_bot_that_stays_away_is_given_up_and_comes_back_as_a_new_version(tmp_path: Path) -> None:
    async def come_and_go(ladder: Ladder, house: House, client: Client) -> None:
        client.connect(house)
        client.break_off()
        await pass_time(ladder, PATIENCE / 2)
        assert ladder.store.version("ann@1").state == "ready"
        await until(ladder, lambda: ladder.store.version("ann@1").state == "refused")
        assert {match.state for match in ladder.store.matches_of("ann")} == {"failed"}
        client.connect(house)
        await until(ladder, lambda: ladder.store.version("ann@2").state == "rated")
        client.break_off()
        # Who has been rated may be away for as long as it likes.
        await pass_time(ladder, 3 * PATIENCE)
        assert ladder.store.version("ann@2").state == "rated"
        found: list[Version] = ladder.store.playing()
        assert "ann@2" in [version.name for version in found]

    # The longer the others' matches, the sooner hours are over.
    played(tmp_path, come_and_go, f"first_match_s = {PATIENCE:.0f}\n", PATIENCE / 12)


async def test_a_season_goes_on_with_its_value_function_alone(tmp_path: Path) -> None:
    (tmp_path / "ladder.toml").write_text(CONFIG, encoding="utf-8")
    async with fast_ladder(tmp_path, Field(MATCH)) as (ladder, _):
        ladder.store.set_fact("value function of 1", "f" * 64)
    with pytest.raises(LadderError) as refused:
        async with fast_ladder(tmp_path, Field(MATCH)):
            pass
    assert refused.value.code == "other_value_function"
    (tmp_path / "ladder.toml").write_text(f'{CONFIG}season = "2"\n', encoding="utf-8")
    async with fast_ladder(tmp_path, Field(MATCH)) as (ladder, _):
        assert ladder.store.value_function == shipped_value().digest
