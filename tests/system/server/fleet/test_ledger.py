"""What a fleet's database lets happen to a session: it counts once, whoever says what, and how often."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Awaitable
from functools import partial
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest

from server.auth.policy import AdmissionPolicy
from server.bots.sandbox import Sandbox
from server.competition.file import parse_competition
from server.fleet.database import Database
from server.fleet.errors import FleetError
from server.fleet.ledger import PART, FleetLedger
from server.fleet.node import Node, NodeAddress
from server.fleet.node_registry import NodeRegistry
from server.fleet.schema import STEPS
from server.storage.competition_state import SessionOutcome, journal_digest
from tests.support.bot_programs import until
from tests.support.competitions.arena import ROOT
from tests.support.postgres import Postgres, rows, running
from tests.support.programs import eventually
from tests.system.server.fleet.ledger import HALF_REPORTED, HOLD, NODE, REPORTING, TEXT, Fleet, execute

LINES = [f"[{number}]\n" for number in range(PART + 3)]
OUTCOME = SessionOutcome(2, (1.5, -1.5), ({}, {"timeout": 1}), journal_digest(LINES))
OTHER = HOLD._replace(coordinator="two")


async def test_a_session_is_played_and_taken(fleet: Fleet) -> None:
    ordered = await fleet.take()
    started = await fleet.begin(ordered)
    assert (started.competition, started.session, started.attempt) == ("key", "duel/m0000-l000-s0", 1)
    assert fleet.states()[0] == ("playing", 1)
    assert await fleet.ledger.report_attempt(started, [OUTCOME], {"call": {"bad_token": 2}}, LINES)
    await fleet.queue.finish_job(ordered.job)
    [result] = await fleet.ledger.pending_results("key")
    assert (result.session, result.outcomes, result.incidents) == (
        "duel/m0000-l000-s0",
        [OUTCOME],
        {"call": {"bad_token": 2}},
    )
    assert await fleet.ledger.journal_lines(result) == LINES
    await fleet.ledger.mark_taken(HOLD, result)
    assert await fleet.ledger.pending_results("key") == []
    # The rest is ordered in its turn; two are in the queue or played at most.
    assert await fleet.ledger.count_queued("key") == (1, 0)
    assert await fleet.ledger.enqueue("key", 10) == 2
    assert await fleet.ledger.requeue_orphaned("key") == 0


async def test_who_is_cancelled_ends_also_when_a_library_loses_that(fleet: Fleet) -> None:
    begun = asyncio.Event()

    async def deaf() -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "never mind"
        return ""

    waiting = asyncio.create_task(fleet.database.retry(deaf))
    await begun.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


#: Connections that were told of jobs, or will be.
LISTENING = "SELECT pid FROM pg_stat_activity WHERE query ~ '^LISTEN'"


async def test_an_idle_node_is_told_of_a_job(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would look again in an hour by itself; and it is told, too, when it had to listen anew."""
    monkeypatch.setattr("server.fleet.node.QUEUE_POLL", 3600.0)
    node = Node(fleet.database, AdmissionPolicy(), tmp_path, 1, Sandbox, tmp_path / "programs")
    looked = asyncio.Event()

    async def take(worker: int) -> None:
        looked.set()

    monkeypatch.setattr(node.queue, "take", take)
    await node.register(NodeAddress("n", "k", "ws://n", "ws://n"))
    running = asyncio.create_task(node.run())
    try:
        listening: list[tuple[int]] = []
        for _ in range(2):
            await until(lambda: bool(set(rows(fleet.url, LISTENING)) - set(listening)))  # noqa: B023
            listening = rows(fleet.url, LISTENING)
            await until(looked.is_set)
            looked.clear()
            assert await fleet.ledger.enqueue("key", 1) == 1
            await until(looked.is_set)
            execute(
                fleet.url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^LISTEN'"
            )
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_a_report_that_is_repeated_is_one(fleet: Fleet) -> None:
    """When a connection is lost nobody knows what became of the last word: it is said again."""
    started = await fleet.begin(await fleet.take())
    for _ in range(2):
        assert await fleet.ledger.report_attempt(started, [OUTCOME], {}, LINES)
    assert rows(fleet.url, "SELECT count(*) FROM pokerd.journals") == [(2,)]


@pytest.mark.parametrize(
    "lock", ["LOCK TABLE pokerd.journals IN SHARE MODE", "SELECT FROM pokerd.attempts FOR UPDATE"]
)
async def test_a_process_that_is_stopped_within_a_report(
    lock: LiteralString, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL gives its locks to others, and it reports once more."""
    monkeypatch.setattr("server.fleet.database.TIMEOUT", 1)
    stopped = Database(fleet.url)
    await stopped.open()
    started = await fleet.begin(await fleet.take())
    ledger = FleetLedger(stopped, fleet.queue)
    with psycopg.connect(fleet.url) as gate:
        gate.execute(lock)
        report = partial(ledger.report_attempt, started, [OUTCOME], {}, LINES)
        reporting = asyncio.create_task(stopped.retry(report))
        await until(lambda: bool(rows(fleet.url, REPORTING)))
    # Nothing runs in this process while it waits here.
    eventually(lambda: rows(fleet.url, HALF_REPORTED))
    eventually(lambda: not rows(fleet.url, HALF_REPORTED))
    assert fleet.states()[0] == ("playing", 1)
    assert await reporting
    assert fleet.states()[0] == ("done", 1)
    await stopped.close()


async def test_a_late_report_changes_nothing(fleet: Fleet) -> None:
    old = await fleet.take()
    zombie = await fleet.begin(old)
    await fleet.queue.finish_job(old.job)
    assert await fleet.ledger.requeue_orphaned("key") == 1
    assert await fleet.ledger.enqueue("key", 1) == 1
    # While it waits, while it is played again, and when that is done.
    wrong = SessionOutcome(9, (9, -9), ({}, {}), journal_digest([]))
    assert not await fleet.ledger.report_attempt(zombie, [wrong], {}, [])
    new = await fleet.take()
    assert new.session == old.session
    started = await fleet.begin(new)
    assert started.attempt == 2
    assert not await fleet.ledger.report_attempt(zombie, [wrong], {}, [])
    assert await fleet.ledger.current_attempts([zombie.id]) == {zombie.id: 2}
    await fleet.ledger.release_attempt(zombie)
    assert fleet.states()[0] == ("playing", 2)
    assert await fleet.ledger.report_attempt(started, [OUTCOME], {}, LINES)
    assert not await fleet.ledger.report_attempt(zombie, [wrong], {}, [])
    [result] = await fleet.ledger.pending_results("key")
    assert result.outcomes == [OUTCOME]
    # Nor can it do anything to the job that took the place of its own, or begin once more.
    await fleet.queue.finish_job(old.job)
    assert await fleet.ledger.begin_attempt(old.session, old.job, *NODE) is None
    assert rows(fleet.url, "SELECT state FROM pokerd.attempts ORDER BY attempt") == [("cut",), ("done",)]


async def test_a_session_that_is_over_is_not_begun_again(fleet: Fleet) -> None:
    ordered = await fleet.take()
    assert await fleet.ledger.report_attempt(await fleet.begin(ordered), [OUTCOME], {}, LINES)
    assert await fleet.ledger.begin_attempt(ordered.session, ordered.job, *NODE) is None
    assert fleet.states()[0] == ("done", 1)


async def test_what_is_given_back_goes_first(fleet: Fleet) -> None:
    ordered = await fleet.take()
    await fleet.ledger.release_attempt(await fleet.begin(ordered))
    await fleet.queue.finish_job(ordered.job)
    await fleet.ledger.requeue_orphaned("key")
    await fleet.ledger.enqueue("key", 1)
    assert (await fleet.take()).session == ordered.session


async def test_who_signs_off_or_is_silent_loses_his_jobs(fleet: Fleet) -> None:
    gone, silent = [await fleet.queue.register() for _ in range(2)]
    first, second = [await fleet.queue.take(worker) for worker in (gone, silent)]
    assert first is not None
    assert second is not None
    await fleet.queue.unregister(gone)
    assert [one.worker for one in await fleet.queue.stalled_jobs(60)] == [None]
    aged = (
        "UPDATE procrastinate.procrastinate_workers SET last_heartbeat = now() - interval '1 h' RETURNING id"
    )
    rows(fleet.url, aged)
    assert {one.job for one in await fleet.queue.stalled_jobs(60)} == {first.job, second.job}
    await fleet.queue.heartbeat(silent)
    assert [one.job for one in await fleet.queue.stalled_jobs(60)] == [first.job]


async def test_of_a_competition_that_failed_nothing_is_begun(fleet: Fleet) -> None:
    first, second = await fleet.take(), await fleet.take()
    await fleet.ledger.fail_competition(await fleet.begin(first), "why")
    assert await fleet.ledger.renew_lease(HOLD) == "why"
    assert await fleet.ledger.begin_attempt(second.session, second.job, *NODE) is None
    assert await fleet.ledger.unfinished_competitions(["key"]) == set()
    # Started again, it goes on.
    await fleet.ledger.claim_competition(HOLD, fleet.competition, TEXT, [])
    assert await fleet.ledger.renew_lease(HOLD) == ""
    await fleet.begin(second)


async def test_a_competition_that_is_entered_again_keeps_what_was_played(fleet: Fleet) -> None:
    assert await fleet.ledger.report_attempt(await fleet.begin(await fleet.take()), [OUTCOME], {}, LINES)
    longer = parse_competition(TEXT.replace("matches = 2", "matches = 3"), ROOT, seed=fleet.competition.seed)
    known = [session.name for session in longer.sessions[1:2]]
    await fleet.ledger.claim_competition(HOLD, longer, TEXT, known)
    assert len(fleet.states()) == 6
    # The result that the directory does not have is taken again, though it once was.
    [result] = await fleet.ledger.pending_results("key")
    await fleet.ledger.mark_taken(HOLD, result)
    await fleet.ledger.claim_competition(HOLD, longer, TEXT, [])
    assert [one.session for one in await fleet.ledger.pending_results("key")] == [result.session]


# Coordinators.

WAITS = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
SILENT = "UPDATE pokerd.competitions SET seen = now() - interval '16 s' RETURNING competition"


async def in_use(asked: Awaitable[object]) -> str:
    """What is said of a competition that another coordinator has."""
    with pytest.raises(FleetError) as refused:
        await asked
    assert refused.value.code == "competition_in_use"
    return str(refused.value)


async def test_a_competition_is_one_coordinator_s_until_it_is_silent(fleet: Fleet) -> None:
    before = rows(fleet.url, "SELECT * FROM pokerd.competitions"), fleet.states()
    longer = parse_competition(TEXT.replace("matches = 2", "matches = 3"), ROOT, seed=fleet.competition.seed)
    assert re.search(r"\bone\b", await in_use(fleet.ledger.claim_competition(OTHER, longer, "x", [])))
    assert (rows(fleet.url, "SELECT * FROM pokerd.competitions"), fleet.states()) == before
    # The same one, started again, need not wait.
    await fleet.ledger.claim_competition(HOLD, fleet.competition, TEXT, [])
    assert await fleet.ledger.report_attempt(await fleet.begin(await fleet.take()), [OUTCOME], {}, LINES)
    rows(fleet.url, SILENT)
    assert await fleet.ledger.renew_lease(HOLD) == ""
    await in_use(fleet.ledger.claim_competition(OTHER, fleet.competition, TEXT, []))
    [result] = await fleet.ledger.pending_results("key")
    rows(fleet.url, SILENT)
    await fleet.ledger.claim_competition(OTHER, fleet.competition, TEXT, [])
    # What the first one takes now, the second would wait for in vain.
    await in_use(fleet.ledger.renew_lease(HOLD))
    await in_use(fleet.ledger.mark_taken(HOLD, result))
    await fleet.ledger.finish_competition(HOLD)
    assert await fleet.ledger.pending_results("key") == [result]
    await fleet.ledger.mark_taken(OTHER, result)
    await fleet.ledger.finish_competition(OTHER)
    await in_use(fleet.ledger.renew_lease(HOLD))
    await fleet.ledger.claim_competition(HOLD, fleet.competition, TEXT, [])
    assert await fleet.ledger.pending_results("key") == [result]


async def test_a_competition_that_is_taken_in_this_moment(fleet: Fleet) -> None:
    """The word of the one who has lost it waits, and then changes nothing."""
    assert await fleet.ledger.report_attempt(await fleet.begin(await fleet.take()), [OUTCOME], {}, LINES)
    [result] = await fleet.ledger.pending_results("key")
    async with await psycopg.AsyncConnection.connect(fleet.url) as taking:
        await taking.execute("UPDATE pokerd.competitions SET coordinator = 'two'")
        late = asyncio.create_task(fleet.ledger.mark_taken(HOLD, result))
        await until(lambda: bool(rows(fleet.url, WAITS)))
        assert not late.done()
    await in_use(late)
    assert await fleet.ledger.pending_results("key") == [result]


async def test_a_name_is_one_node_s(fleet: Fleet) -> None:
    worker = await fleet.roll.register("one", "key", "ws://one")
    with pytest.raises(FleetError) as refused:
        await fleet.roll.register("one", "other", "ws://other")
    assert refused.value.code == "node_in_use"
    await fleet.roll.heartbeat("one", "key", worker)
    # Itself, started again: what it had is free.
    again = await fleet.roll.register("one", "key", "ws://one")
    assert again != worker
    aged = (
        "UPDATE procrastinate.procrastinate_workers SET last_heartbeat = now() - interval '1 h' RETURNING id"
    )
    assert rows(fleet.url, aged) == [(again,)]
    await fleet.roll.register("one", "other", "ws://other")
    with pytest.raises(FleetError) as lost:
        await fleet.roll.heartbeat("one", "key", again)
    assert lost.value.code == "node_in_use"


async def test_who_was_away_for_a_day_signs_on_again(fleet: Fleet) -> None:
    """The queue forgets workers that were silent for long; their node may only have been paused."""
    worker = await fleet.roll.register("one", "key", "ws://one")
    assert await fleet.roll.heartbeat("one", "key", worker)
    execute(fleet.url, "DELETE FROM procrastinate.procrastinate_workers")
    assert await fleet.queue.take(worker) is None
    assert not await fleet.roll.heartbeat("one", "key", worker)
    again = await fleet.roll.register("one", "key", "ws://one")
    assert await fleet.queue.take(again) is not None
    assert await fleet.roll.heartbeat("one", "key", again)
    # Meanwhile another took the name: it stays his.
    execute(fleet.url, "DELETE FROM procrastinate.procrastinate_workers")
    await fleet.roll.register("one", "other", "ws://other")
    with pytest.raises(FleetError) as lost:
        await fleet.roll.heartbeat("one", "key", again)
    assert lost.value.code == "node_in_use"


async def test_a_database_that_starts_is_waited_for() -> None:
    """As after a crash, or when all machines are switched on at once."""
    said: list[str] = []
    with running() as server:
        url = server.database()
        for number in (signal.SIGQUIT, signal.SIGINT):
            server.stop(number)
            database = Database(url, notify=said.append)
            opening = asyncio.create_task(database.open())
            await until(lambda: bool(said))
            await asyncio.to_thread(server.start)
            await opening
            await database.close()
            assert len(said) == 2
            said.clear()


@pytest.mark.parametrize("patient", [False, True])
async def test_a_database_is_waited_for_as_long_as_it_takes(
    patient: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replaying a log may take minutes. One that does not answer at all is given up, but not between the
    matches of a ladder.
    """
    monkeypatch.setattr("server.fleet.database.STARTING", 0.0)
    said: list[str] = []
    with running() as server:
        url = server.database()
        server.stop()
        if not patient:
            server.start_recovery()
        database = Database(url, notify=said.append, patient=patient)
        opening = asyncio.create_task(database.open())
        await until(lambda: bool(said) or opening.done())
        await asyncio.to_thread(server.start if patient else server.end_recovery)
        await opening
        await database.close()
    assert len(said) == 2


async def test_a_stop_while_the_pool_opens_leaves_nothing_running(postgres: Postgres) -> None:
    """A task of the pool that misses its cancellation would keep the process from ending."""
    url = postgres.database()
    loop, before = asyncio.get_running_loop(), asyncio.all_tasks()
    database = Database(url)
    opening = asyncio.create_task(database.open())

    def stop_at_once() -> None:
        """A wait between two looks could be longer than the rest of the opening."""
        if database.pool.closed:
            loop.call_soon(stop_at_once)
        else:
            opening.cancel()

    stop_at_once()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert database.pool.closed
    assert asyncio.all_tasks() == before


async def test_a_database_of_another_encoding(postgres: Postgres) -> None:
    url = postgres.database("ENCODING SQL_ASCII LOCALE 'C' TEMPLATE template0")
    database = Database(f"{url}?client_encoding=SQL_ASCII")
    try:
        await database.open()
    finally:
        await database.close()


@pytest.mark.parametrize("name", ["", "a/b", "a b", "-x", "x" * 65, "ä"])
def test_names_that_no_node_has(name: str) -> None:
    with pytest.raises(FleetError) as refused:
        NodeRegistry.verify_name(name)
    assert refused.value.code == "bad_node"


async def test_a_database_of_a_later_version(postgres: Postgres) -> None:
    url = postgres.database()
    for _ in range(2):  # the second time all is there already
        database = Database(url)
        await database.open()
        await database.close()
    assert rows(url, "SELECT version FROM pokerd.schema") == [(len(STEPS),)]
    rows(url, "UPDATE pokerd.schema SET version = version + 1 RETURNING version")
    with pytest.raises(FleetError) as refused:
        await Database(url).open()
    assert refused.value.code == "newer_database"


async def test_a_database_of_an_earlier_version(fleet: Fleet) -> None:
    """It had one outcome for each session, and no programs."""
    assert await fleet.ledger.report_attempt(await fleet.begin(await fleet.take()), [OUTCOME], {}, LINES)
    execute(fleet.url, "UPDATE pokerd.sessions SET outcome = substr(outcome, 2, length(outcome) - 2)")
    execute(fleet.url, "ALTER TABLE pokerd.competitions DROP COLUMN brief")
    execute(fleet.url, "DROP TABLE pokerd.programs")
    execute(fleet.url, "UPDATE pokerd.schema SET version = 2")
    with pytest.raises(FleetError):
        await fleet.ledger.pending_results("key")
    database = Database(fleet.url)
    await database.open()
    await database.close()
    [result] = await fleet.ledger.pending_results("key")
    assert result.outcomes == [OUTCOME]


@pytest.mark.parametrize(
    "what",
    [
        *("SCHEMA pokerd CASCADE", "SCHEMA procrastinate CASCADE", "TABLE pokerd.schema"),
        *("TABLE pokerd.tickets", "TABLE procrastinate.procrastinate_workers CASCADE"),
    ],
)
async def test_a_database_in_which_something_is_missing(what: LiteralString, fleet: Fleet) -> None:
    execute(fleet.url, f"DROP {what}")
    with pytest.raises(FleetError) as refused:
        await Database(fleet.url).open()
    assert refused.value.code == "bad_tables"


@pytest.mark.parametrize(
    "what",
    [
        "ALTER TABLE pokerd.sessions DROP COLUMN outcome",
        "DROP FUNCTION procrastinate.procrastinate_fetch_job_v2",
        "DROP SCHEMA pokerd CASCADE; DROP SCHEMA procrastinate CASCADE",
    ],
)
async def test_what_is_missing_is_found_when_it_is_used(what: LiteralString, fleet: Fleet) -> None:
    worker = await fleet.queue.register()
    execute(fleet.url, what)

    async def use() -> None:
        await fleet.queue.take(worker)
        await fleet.ledger.pending_results("key")

    with pytest.raises(FleetError) as refused:
        await fleet.database.retry(use)
    assert refused.value.code == "bad_tables"


async def test_what_may_not_be_read(fleet: Fleet) -> None:
    """That is no database for us, like one that lets us not in at all."""
    execute(fleet.url, "CREATE ROLE stranger LOGIN")
    try:
        with pytest.raises(FleetError) as refused:
            await Database(fleet.url.replace("pokerd@", "stranger@")).open()
        assert refused.value.code == "no_database"
    finally:
        execute(fleet.url, "DROP ROLE stranger")


async def test_a_result_that_cannot_be_read(fleet: Fleet) -> None:
    assert await fleet.ledger.report_attempt(await fleet.begin(await fleet.take()), [OUTCOME], {}, LINES)
    for column, wrong in (
        ("outcome", "'{}'"),
        ("outcome", "'x'"),
        ("outcome", "NULL"),
        ("incidents", "'[]'"),
    ):
        with psycopg.connect(fleet.url) as connection:
            connection.execute(f"UPDATE pokerd.sessions SET {column} = {wrong} WHERE state = 'done'")
            connection.commit()
            with pytest.raises(FleetError) as refused:
                await fleet.ledger.pending_results("key")
        assert refused.value.code == "bad_result"


async def test_what_was_played_elsewhere_and_is_lost_is_played_again(fleet: Fleet) -> None:
    longer = parse_competition(TEXT.replace("matches = 2", "matches = 3"), ROOT, seed=fleet.competition.seed)
    [_, *_, last] = [session.name for session in longer.play_order]
    await fleet.ledger.claim_competition(HOLD, longer, TEXT, [last])
    assert ("done", 0) in fleet.states()
    # The directory is an older copy: the database never had the hands.
    await fleet.ledger.claim_competition(HOLD, longer, TEXT, [])
    assert fleet.states() == [("waiting", 0)] * 6
    assert await fleet.ledger.pending_results("key") == []


@pytest.mark.parametrize("url", ["nonsense", "http://127.0.0.1/x", "postgresql://\udcff@127.0.0.1/x"])
def test_what_is_no_database(url: str) -> None:
    with pytest.raises(FleetError) as refused:
        Database(url)
    assert refused.value.code == "bad_database"
    assert url not in str(refused.value)


async def test_a_competition_that_nobody_knows(fleet: Fleet) -> None:
    for asked in (
        fleet.ledger.load_competition("other"),
        fleet.ledger.renew_lease(HOLD._replace(key="other")),
    ):
        with pytest.raises(FleetError) as refused:
            await asked
        assert refused.value.code == "unknown_competition"
    assert not await fleet.ledger.has_competition("other")


def test_a_key_is_one_process_s(tmp_path: Path) -> None:
    from server.fleet.node_registry import NodeKey

    key = NodeKey(tmp_path)
    with pytest.raises(FleetError) as refused:
        NodeKey(tmp_path)
    assert refused.value.code == "node_in_use"
    key.close()
    again = NodeKey(tmp_path)
    assert again.text == key.text
    again.close()


@pytest.mark.parametrize("junk", [b"\xff\xfe", b"a\0b", b"short"])
def test_a_damaged_key_is_drawn_anew(junk: bytes, tmp_path: Path) -> None:
    from server.fleet.node_registry import NodeKey

    key = NodeKey(tmp_path)
    key.close()
    [file] = tmp_path.iterdir()
    file.write_bytes(junk)
    for _ in range(2):
        again = NodeKey(tmp_path)
        again.close()
        assert file.read_text("ascii") == again.text != key.text
