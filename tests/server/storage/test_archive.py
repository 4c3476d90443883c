"""The archive: what was handed over is there, in any order of events, and the file is always whole."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from dealer.deck import commitment
from dealer.rules.events import event_to_data
from dealer.rules.games import load_game, parse_game
from dealer.rules.hand import replay
from server.storage import hand_db as archive_file
from server.storage import hand_store as module
from server.storage.hand_db import HandStoreError
from server.storage.hand_schema import HAND_SCHEMA, STATEMENTS
from server.storage.hand_store import HandStore, TableRecorder
from server.storage.sqlite import migrate
from server.storage.stored_hands import StoredSeat, split_hand, split_run
from tests.dealer.records.played import all_kinds
from tests.support.archives import GAME, SEED, numbered, opened
from tests.support.bot_programs import until
from tests.support.programs import ROOT


def seated(players: int) -> list[tuple[str, str]]:
    return [(f"player {seat}", f"identity-{seat}" if seat else "") for seat in range(players)]


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


async def test_hands_of_every_game_are_there_again_exactly(tmp_path: Path) -> None:
    archive = HandStore(tmp_path / "hands.sqlite3")
    hands = list(all_kinds(random.Random(1), 3))
    recorders: list[TableRecorder] = []
    for hand in hands:
        recorder = opened(archive, f"t-{len(recorders)}", hand.game)
        recorder.begin(hand.game, seated(hand.game.players))
        recorder.record_hand(hand.events)
        recorders.append(recorder)
    for hand, recorder in zip(hands, recorders, strict=True):
        stored = await archive.find_hand(recorder.number, hand.number)
        assert stored is not None
        assert stored.events == tuple(hand.events)
        assert stored.game == hand.game
        assert stored.id == f"{recorder.run}.{hand.number}"
        assert stored.seated == tuple(StoredSeat(*one) for one in seated(hand.game.players))
        assert replay(stored.game, stored.events, muck=hand._muck).over
    await archive.close()


async def test_the_oldest_hands_of_a_run_go(tmp_path: Path) -> None:
    archive = HandStore(tmp_path / "hands.sqlite3", max_per_run=150)
    busy, quiet = opened(archive), opened(archive, "table-2")
    for recorder, hands in ((quiet, 3), (busy, 400)):
        for number in range(1, hands + 1):
            recorder.begin(GAME, seated(3))
            recorder.record_hand(numbered(number))
    kept = [hand.number for hand in await archive.hands(busy.number, None, 1000)]
    assert kept == list(range(400, 250, -1))
    assert len(await archive.hands(quiet.number, None, 10)) == 3
    await archive.close()


async def test_the_oldest_hands_of_all_go_whatever_the_number_of_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count(1)
    monkeypatch.setattr(module, "_now", lambda: next(clock))
    path = tmp_path / "hands.sqlite3"
    for _ in range(6):
        archive = HandStore(path, max_per_run=150, max_hands=400)
        recorder = opened(archive)
        for number in range(1, 201):
            recorder.record_hand(numbered(number))
            assert archive.commit()
        await archive.close()
    archive = HandStore(path)
    kept = [len(await archive.hands(run, None, 1000)) for run in range(1, 7)]
    # They go a hundred hands after there are too many, when those of their own run have.
    assert kept == [0, 0, 0, 149, 150, 150]
    await archive.close()


async def test_a_hand_is_there_as_soon_as_somebody_asks(tmp_path: Path) -> None:
    archive = HandStore(tmp_path / "hands.sqlite3")
    recorder = opened(archive)
    for number in range(1, 2000):
        recorder.record_hand(numbered(number))
        if number % 100 == 0:
            found = await archive.find_hand(recorder.number, number)
            assert found is not None
            assert (found.before, found.after) == (number - 1, None)
    await archive.close()


async def test_nothing_is_lost_by_an_orderly_stop(tmp_path: Path) -> None:
    archive = HandStore(tmp_path / "hands.sqlite3")
    recorder = opened(archive)
    for number in range(1, 501):
        recorder.record_hand(numbered(number))
    recorder.close(SEED)
    await archive.close()
    again = HandStore(tmp_path / "hands.sqlite3")
    hands = await again.hands(recorder.number, None, 1000)
    assert [hand.number for hand in hands] == list(range(500, 0, -1))
    run = await again.latest_run("table-1")
    assert run is not None
    assert run.seed == SEED.hex()
    await again.close()
    assert set(content(tmp_path)) == {"hands.sqlite3", "hands.course"}


async def test_a_file_from_before_there_were_challenges_is_used_on(tmp_path: Path) -> None:
    path = tmp_path / "hands.sqlite3"
    archive = HandStore(path)
    recorder = opened(archive)
    recorder.record_hand(numbered(1))
    await archive.close()
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "ALTER TABLE runs DROP COLUMN kind; DROP TABLE challenges; DROP TABLE tables; DROP TABLE course;"
            "DROP TABLE people; DROP TABLE plays; DROP TABLE own_hands; DROP TRIGGER hand_deleted;"
            "PRAGMA user_version = 0; PRAGMA application_id = 0"
        )
    again = HandStore(path)
    stored = await again.find_hand(recorder.number, 1)
    assert stored is not None
    assert (stored.run.kind, stored.run.secret) == ("", False)
    assert await again.challenge(recorder.number) is None
    assert again.open_table("t", mode="cash", game=GAME, seats=3, commitment="", kind="rival").number == 2
    other = await again.latest_run("t")
    assert other is not None
    assert other.secret
    await again.close()


async def test_a_file_from_before_hands_had_rowids_is_used_on(tmp_path: Path) -> None:
    path = tmp_path / "hands.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        migrate(db, HAND_SCHEMA._replace(migrations=HAND_SCHEMA.migrations[:8]))
        game = GAME.text()
        db.execute(STATEMENTS["run"], (1, "t", "cash", "g", game, 3, "", 1, ""))
        for number in (2, 1, 3):
            events = json.dumps([event_to_data(event) for event in numbered(number)])
            db.execute(
                STATEMENTS["hand"], (1, number, 100 - number, "g", game, json.dumps(seated(3)), events)
            )
            db.execute(STATEMENTS["own_hand"], ("identity-1", 100 - number, 1, number))
        db.commit()
    archive = HandStore(path)
    assert [hand.number for hand in await archive.hands(1, None, 9)] == [3, 2, 1]
    assert [list(hand.events) for hand in await archive.hands(1, 3, 1)] == [numbered(2)]
    await archive.close()
    with closing(sqlite3.connect(path)) as db:
        db.execute(STATEMENTS["old_of_run"], (1, 2))
        assert db.execute("SELECT number FROM own_hands").fetchall() == [(3,)]
        with pytest.raises(sqlite3.IntegrityError):
            db.execute("INSERT INTO hands SELECT * FROM hands")


async def test_pages_of_hands_newest_first(tmp_path: Path) -> None:
    archive = HandStore(tmp_path / "hands.sqlite3")
    recorder, other = opened(archive), opened(archive, "table-2")
    for number in range(1, 11):
        recorder.record_hand(numbered(number))
        other.record_hand(numbered(number))
    assert [hand.number for hand in await archive.hands(recorder.number, None, 3)] == [10, 9, 8]
    assert [hand.number for hand in await archive.hands(recorder.number, 8, 3)] == [7, 6, 5]
    assert [hand.number for hand in await archive.hands(recorder.number, 3, 5)] == [2, 1]
    middle = await archive.find_hand(recorder.number, 5)
    assert middle is not None
    assert (middle.before, middle.after) == (4, 6)
    assert await archive.find_hand(recorder.number, 11) is None
    assert await archive.find_hand(99, 1) is None
    assert await archive.hands(99, None, 5) == []
    assert await archive.latest_run("nothing") is None
    await archive.close()


async def test_the_seed_comes_into_the_file_when_the_table_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "hands.sqlite3"
    archive = HandStore(path)
    recorder = opened(archive)
    recorder.record_hand(numbered(1))
    run = await archive.run(recorder.number)
    assert run is not None
    assert (run.seed, run.closed_at) == ("", None)
    assert run.commitment == commitment(SEED)
    everything = b"".join(content(tmp_path).values())
    assert SEED.hex().encode() not in everything
    assert SEED not in everything
    recorder.close(SEED)
    run = await archive.run(recorder.number)
    assert run is not None
    assert run.seed == SEED.hex()
    assert run.closed_at is not None
    await archive.close()


async def test_cards_shown_afterwards(tmp_path: Path) -> None:
    archive = HandStore(tmp_path / "hands.sqlite3")
    recorder = opened(archive)
    recorder.record_hand(numbered(1))
    recorder.record_cards_shown(1, 2, (3, 4))
    recorder.record_cards_shown(1, 0, (7,))
    stored = await archive.find_hand(recorder.number, 1)
    assert stored is not None
    assert stored.showed == ((2, (3, 4)), (0, (7,)))
    await archive.close()


async def test_a_table_that_opens_again_is_another_run(tmp_path: Path) -> None:
    for expected in ("table-1.1", "table-1.2"):
        archive = HandStore(tmp_path / "hands.sqlite3")
        recorder = opened(archive)
        assert recorder.run == expected
        run = await archive.latest_run("table-1")
        assert run is not None
        assert run.id == expected
        await archive.close()


async def test_what_cannot_be_written_is_said_once_and_nobody_may_be_told(
    tmp_path: Path, no_error_logged: list[str]
) -> None:
    archive = HandStore(tmp_path / "hands.sqlite3")
    recorder = opened(archive)
    assert archive.commit()
    archive.checkpoint()
    archive._db.execute("PRAGMA max_page_count=1")
    for number in (1, 2):
        recorder.record_hand(numbered(number) * 50)
        archive.checkpoint()
        assert not archive.commit()
    with pytest.raises(HandStoreError, match="full") as refused:
        await archive.wait_for_failure()
    assert refused.value.code == "not_stored"
    # What was written before is there.
    run = await archive.latest_run("table-1")
    assert run is not None
    assert await archive.hands(run.number, None, 9) == []
    await archive.close()
    assert len(no_error_logged) == 1
    assert "full" in no_error_logged.pop()


async def test_tables_and_their_hands_are_written_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "hands.sqlite3"
    archive = HandStore(path)
    recorder = opened(archive)
    states = iter([b"one", b"two"])
    archive.save_table("table-1", lambda: next(states))
    archive.save_table("table-2", lambda: b"other")
    recorder.record_hand(numbered(1))
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT count(*) FROM runs, tables, hands").fetchone() == (0,)
        archive.checkpoint()
        assert other.execute("SELECT * FROM tables").fetchall() == [("table-1", "one"), ("table-2", "other")]
        assert other.execute("SELECT number FROM hands").fetchall() == [(1,)]
        archive.save_table("table-1", lambda: next(states))
        archive.save_table("table-2", lambda: b"never")
        archive.delete_table("table-2")
        # Nobody asks: it is written when what is going on now is done, and carried over later.
        monkeypatch.setattr(archive_file, "_CHECKPOINT_DELAY", 0.0)
        await until(lambda: other.execute("SELECT * FROM tables").fetchall() == [("table-1", "two")])
    assert archive.table_states() == {"table-1": "two"}
    await archive.close()


async def test_what_happens_within_a_hand_is_in_the_course_until_that_is_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "hands.sqlite3"
    archive = HandStore(path)
    archive.save_table("table-1", lambda: b"one")
    archive.append_line("table-2", lambda: b"two", b'["a line"]\n')
    assert archive.log_lines() == [b""]
    assert archive.commit()
    assert archive.table_states() == {}
    assert archive.log_lines() == [b"", b'["a line"]']
    assert (tmp_path / "hands.course").stat().st_mode & 0o777 == 0o600
    await archive.close()
    # Killed while it wrote: the last line is not whole, and the next one is.
    with (tmp_path / "hands.course").open("ab") as file:
        file.write(b'["half a li')
    archive = HandStore(path)
    assert archive.table_states() == {"table-1": "one"}
    archive.append_line("table-2", lambda: b"three", b'["another"]\n')
    archive.append_line("table-3", lambda: b"four", b'["of a table that is over"]\n')
    archive.append_line("table-4", lambda: b"five", b'["of one that is left"]\n')
    assert archive.commit()
    assert archive.log_lines()[:4] == [b"", b'["a line"]', b"", b'["another"]']
    monkeypatch.setattr(archive_file, "_MAX_LOG_BYTES", 50)
    archive.delete_table("table-3")
    archive.discard_changes("table-4")
    archive.append_line("table-2", lambda: b"six", b"x" * 100 + b"\n")
    assert archive.commit()
    assert archive.log_lines() == []
    assert archive.table_states() == {"table-1": "one", "table-2": "six"}
    archive.append_line("table-2", lambda: b"seven", b"next\n")
    assert archive.commit()
    assert archive.log_lines() == [b"next"]
    assert archive._db.execute("PRAGMA synchronous").fetchone() == (1,)
    await archive.close()


async def test_a_run_goes_on_and_a_hand_that_is_played_again_replaces_itself(tmp_path: Path) -> None:
    path = tmp_path / "hands.sqlite3"
    archive = HandStore(path)
    recorder = opened(archive)
    recorder.record_hand(numbered(1))
    await archive.close()
    archive = HandStore(path)
    again = archive.open_table(
        "table-1", mode="cash", game=GAME, seats=3, commitment=commitment(SEED), run=recorder.number
    )
    assert again.run == recorder.run
    for number in (1, 2):
        again.begin(GAME, seated(3))
        again.record_hand(numbered(number))
    assert [hand.number for hand in await archive.hands(again.number, None, 9)] == [2, 1]
    assert opened(archive, "table-2").number == recorder.number + 1
    await archive.close()


async def test_no_two_processes_use_it(tmp_path: Path) -> None:
    archive = HandStore(tmp_path / "hands.sqlite3")
    with pytest.raises(HandStoreError) as refused:
        HandStore(tmp_path / "hands.sqlite3")
    assert refused.value.code == "in_use"
    await archive.close()
    await HandStore(tmp_path / "hands.sqlite3").close()


async def test_several_processes_store_their_hands_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "hands.sqlite3"
    parent = HandStore(path, shared=True, max_hands=300)
    workers = [HandStore(path, worker=number, max_hands=10**9) for number in (1, 2)]
    recorders = [opened(archive, f"table-{number}") for number, archive in enumerate((*workers, parent), 1)]
    assert [recorder.number for recorder in recorders] == [1, 2, 3]
    for recorder in recorders:
        for number in range(1, 151):
            recorder.record_hand(numbered(number))
    workers[0].append_line("table-1", lambda: b"", b'["table-1",1,2,0,1.0,0,false,[]]\n')
    # All are killed: nothing is closed, and nothing is copied into the database any more.
    for archive in (*workers, parent):
        archive.commit()
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path, copy, ignore=shutil.ignore_patterns("copy"))
    again = HandStore(copy / "hands.sqlite3")
    assert [len(await again.hands(run, None, 1000)) for run in (1, 2, 3)] == [150, 150, 150]
    assert b'["table-1",1,2,0,1.0,0,false,[]]' in again.log_lines()
    await again.close()
    for archive in workers:
        await archive.close()
    # The parent deletes the oldest of all of them.
    parent.count_hands(300)
    assert len(await parent.hands(1, None, 1000)) == 0
    assert parent.query_number("SELECT count(*) FROM hands") == 300
    await parent.close()


async def test_a_newer_file_and_one_of_others_are_refused_and_left_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "hands.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE notes (text TEXT)")
    before = content(tmp_path)
    with pytest.raises(HandStoreError) as refused:
        HandStore(path)
    assert refused.value.code == "bad_archive"
    assert content(tmp_path) == before
    path.unlink()
    await HandStore(path).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    before = content(tmp_path)
    with pytest.raises(HandStoreError) as refused:
        HandStore(path)
    assert refused.value.code == "newer_archive"
    assert content(tmp_path) == before


def test_a_file_of_others_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "hands.sqlite3"
    path.write_text("this is no database, and it is longer than a header of one would be" * 20)
    with pytest.raises(HandStoreError) as refused:
        HandStore(path)
    assert refused.value.code == "bad_archive"


@pytest.mark.parametrize(
    ("text", "run", "hand"),
    [
        ("table-1.7", ("table-1", 7), None),
        ("table-1.7.33", ("table-1.7", 33), ("table-1", 7, 33)),
        ("a.b.1.2", ("a.b.1", 2), ("a.b", 1, 2)),
        ("table-1", None, None),
        ("table-1.", None, None),
        ("table-1.x.3", ("table-1.x", 3), None),
        ("t.1.\u0663", None, None),
        ("t.1." + "9" * 30, None, None),
        ("", None, None),
    ],
)
def test_the_ids(text: str, run: tuple[str, int] | None, hand: tuple[str, int, int] | None) -> None:
    assert split_run(text) == run
    assert split_hand(text) == hand


def test_the_library_of_games_can_be_stored() -> None:
    # What is stored of a game is its file: what the file does not say would be lost.
    for path in sorted((ROOT / "games").glob("*.game")):
        game = load_game(path)
        assert parse_game(game.text(), game.name) == game


async def test_what_was_not_carried_over_is_there_for_the_next_process(tmp_path: Path) -> None:
    path = tmp_path / "hands.sqlite3"
    archive = HandStore(path)
    recorder = opened(archive)
    for number in range(1, 100):
        recorder.record_hand(numbered(number))
        archive.save_table("table-1", lambda: b"as it stands")
        assert archive.commit()
    recorder.record_cards_shown(99, 0, (1, 2))
    assert archive.commit()
    copies = [tmp_path / name for name in ("killed", "again", "cut")]
    for copy in copies:
        # As it lies there now: with the write-ahead log of the database.
        shutil.copytree(tmp_path, copy, ignore=shutil.ignore_patterns("killed", "again"))
    await archive.close()
    course = copies[2] / "hands.course"
    course.write_bytes(course.read_bytes()[:-4])
    for copy, shown in zip(copies, (1, 1, 0), strict=True):
        for _ in range(2):
            again = HandStore(copy / "hands.sqlite3")
            found = await again.hands(recorder.number, None, 1000)
            assert [hand.number for hand in found] == list(range(99, 0, -1))
            assert len(found[0].showed) == shown
            assert again.table_states() == {"table-1": "as it stands"}
            await again.close()


async def test_a_question_that_was_given_up_does_not_end_the_reader(tmp_path: Path) -> None:
    archive = HandStore(tmp_path / "hands.sqlite3")
    begun, go_on = threading.Event(), threading.Event()

    def slow(_: sqlite3.Connection) -> None:
        begun.set()
        go_on.wait(10)

    questions = [asyncio.create_task(archive.query(slow)) for _ in range(2)]
    await asyncio.to_thread(begun.wait, 10)
    # One is being answered, the other waits.
    for question in questions:
        question.cancel()
    await asyncio.wait(questions)
    go_on.set()
    assert await archive.query(lambda db: db.execute("SELECT 7").fetchone()) == (7,)
    await archive.close()
