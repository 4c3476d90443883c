"""Whatever is in any column of ``state.db``: it is used, or refused with a code, and never a fault."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dealer.luck.value import shipped_value
from dealer.rules.errors import CodedError
from pokerd.__main__ import main
from server.competition.audit import audit_directory
from server.competition.progress import CompetitionProgress
from server.competition.resume import plan_competition, rescore
from server.competition.verify import Difference, verify_directory
from server.storage import hand_db as archive_file
from server.storage.hand_schema import HAND_SCHEMA
from server.storage.sqlite import STATE_DB_NAME, STATE_SCHEMA, Schema, StateError, backup, migrate
from tests.support.competitions.arena import bot, competition, division
from tests.support.competitions.results import make

TEXT = competition(
    [bot("ann", run="call"), bot("bob", token="secret-of-bob"), bot("cleo", run="call")],
    [
        division("duel", game="leduc.limit.2p", hands=3, bots=["ann", "bob"]),
        division("cup", table={"mode": "tournament", "players": 3, "stack": 60}, seatings="rotations"),
    ],
    name="damaged",
)
#: Of every kind that SQLite keeps, and JSON of every shape.
JUNK: tuple[Any, ...] = (
    *(None, 0, -1, 7, 2**62, 1.5, float("inf"), b"\xff\x00", "", "junk", "é\u0000", "done", "cut", "1"),
    *(
        "null",
        "[]",
        "{}",
        "[[]]",
        '{"a": 1}',
        '{"ann": {"crash": -1}}',
        '{"ann": "x"}',
        '{"x": {"crash": 1}}',
    ),
    *(
        '{"crash": 1}',
        "{" * 3000,
        "9" * 5000,
        '"\\ud800"',
        '{"hands":1,"totals":[],"incidents":[],"digest":""}',
    ),
)


def columns(path: Path) -> Iterator[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for _, column, *_ in db.execute(f"PRAGMA table_info({table})"):
                yield table, column


def spoil(path: Path, table: str, column: str, row: int, junk: Any) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        rows = [number for (number,) in db.execute(f"SELECT rowid FROM {table} ORDER BY rowid")]
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (junk, rows[row % len(rows)]))


def halved(path: Path, table: str, column: str, row: int) -> str:
    """What stands there, as far as the middle."""
    with closing(sqlite3.connect(path)) as db:
        found = [str(value) for (value,) in db.execute(f"SELECT {column} FROM {table} ORDER BY rowid")]
    return found[row % len(found)][: len(found[row % len(found)]) // 2]


def gone_on_with(out: Path) -> None:
    planned = plan_competition(out, out)
    assert planned.store is not None
    try:
        planned.store.resume(planned.competition, planned.text)
        CompetitionProgress(planned.competition).restore(planned.competition, planned.store.state)
    finally:
        planned.store.close()


USES: dict[str, Callable[[Path], object]] = {
    "compete": gone_on_with,
    "rescore": rescore,
    "verify": verify_directory,
    "audit": audit_directory,
    "backup": lambda out: backup(out / STATE_DB_NAME, out.with_name("copy")),
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    for name, finish in (("whole", True), ("stopped", False)):
        make(folder / name, TEXT, finish=finish)
        with closing(sqlite3.connect(folder / name / STATE_DB_NAME)) as db, db:
            db.execute("INSERT INTO connections VALUES ('ann', '{\"malformed_frame\": 1}')")
            db.execute("INSERT INTO attempts VALUES (90, 'duel/m0000-l000-s0', 'cut', NULL)")
    return folder


def refusal(use: Callable[[Path], object], out: Path) -> str:
    """The code with which a directory is refused, or nothing."""
    try:
        use(out)
    except CodedError as error:
        return error.code
    return ""


#: The codes that ``docs/competition.md`` has for a directory that is not as it should be.
CODES = {
    *("", "bad_state", "difference", "unfinished", "not_a_competition", "newer_state"),
    *("not_toml", "bad_field", "bad_name", "duplicate_name", "unreadable", "bad_seed"),
}


@pytest.mark.parametrize("use", USES)
def test_junk_in_any_column_is_refused_with_a_code(use: str, played: Path, tmp_path: Path) -> None:
    source = random.Random(use)
    found = set()
    for table, column in columns(played / "whole" / STATE_DB_NAME):
        for junk in (*source.sample(JUNK, 3), ...):
            kept = source.choice(("whole", "stopped"))
            out = tmp_path / "out"
            shutil.copytree(played / kept, out)
            row = source.randrange(20)
            there = halved(out / STATE_DB_NAME, table, column, row) if junk is ... else junk
            try:
                spoil(out / STATE_DB_NAME, table, column, row, there)
            except sqlite3.Error:
                pass  # a column that may not have this
            else:
                before = (out / STATE_DB_NAME).read_bytes()
                code = refusal(USES[use], out)
                assert code in CODES, (table, column, there, kept)
                if code:
                    assert (out / STATE_DB_NAME).read_bytes() == before, (table, column, there, kept)
                found.add(code)
            shutil.rmtree(out)
            (tmp_path / "copy").unlink(missing_ok=True)
    assert ("bad_state" if use != "verify" else "difference") in found or use in ("backup",)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE connections SET incidents = 'x'",
        "UPDATE connections SET incidents = '[]'",
        'UPDATE connections SET incidents = \'{"timeout": "x"}\'',
        "UPDATE connections SET bot = 'nobody'",
        "UPDATE attempts SET session = 'duel/none' WHERE attempt = 1",
        "UPDATE attempts SET session = (SELECT session FROM attempts WHERE attempt = 2) WHERE attempt = 1",
        "UPDATE attempts SET state = 'ready' WHERE attempt = 1",
        "UPDATE attempts SET outcome = NULL WHERE attempt = 1",
        "UPDATE attempts SET outcome = json_set(outcome, '$.totals', json('[1]')) WHERE attempt = 1",
        "UPDATE attempts SET outcome = json_set(outcome, '$.incidents', json('[]')) WHERE attempt = 1",
        "UPDATE attempts SET outcome = json_set(outcome, '$.hands', 2) WHERE attempt = 1",
        "UPDATE hands SET line = CAST(line AS BLOB)",
        "DELETE FROM facts WHERE name = 'file'",
        "DELETE FROM facts WHERE name = 'games'",
        "DELETE FROM facts WHERE name = 'token_hashes'",
        "UPDATE facts SET value = '{}' WHERE name = 'games'",
        "UPDATE facts SET value = '[]' WHERE name = 'games'",
        "UPDATE facts SET value = '{\"bob\": \"x\"}' WHERE name = 'token_hashes'",
        "UPDATE facts SET value = '17' WHERE name = 'seed'",
        f"UPDATE facts SET value = '{'00' * 32}' WHERE name = 'seed'",
        "UPDATE facts SET value = 'acpc' WHERE name = 'deck'",
    ],
)
def test_what_a_competition_cannot_go_on_from_is_refused(change: str, played: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(played / "stopped", out)
    with closing(sqlite3.connect(out / STATE_DB_NAME)) as db, db:
        assert db.execute(change).rowcount
    before = (out / STATE_DB_NAME).read_bytes()
    assert refusal(gone_on_with, out) == "bad_state"
    assert (out / STATE_DB_NAME).read_bytes() == before


# The file as a whole, and its copy.


def hands_too_many(path: Path) -> None:
    """A page in the middle is another one's."""
    data = bytearray(path.read_bytes())
    data[4096:8192] = data[8192:12288]
    path.write_bytes(data)


WHOLES: dict[str, tuple[str, Callable[[sqlite3.Connection], object] | None]] = {
    "later": ("newer", lambda db: db.execute("PRAGMA user_version = 99")),
    "never": ("bad", lambda db: db.execute("PRAGMA user_version = 0")),
    "before": ("bad", lambda db: db.execute("PRAGMA user_version = -7")),
    "other": ("bad", lambda db: db.execute("PRAGMA application_id = 7")),
    "no hands": ("bad", lambda db: db.execute("DROP TABLE hands")),
    "pages": ("bad", None),
}


@pytest.mark.parametrize("kind", WHOLES)
@pytest.mark.parametrize("schema", [STATE_SCHEMA, HAND_SCHEMA], ids=["state", "archive"])
def test_a_copy_of_what_cannot_be_used_is_refused_by_its_name(
    kind: str, schema: Schema, played: Path, tmp_path: Path
) -> None:
    path = tmp_path / (STATE_DB_NAME if schema is STATE_SCHEMA else archive_file.HAND_DB_NAME)
    if schema is STATE_SCHEMA:
        shutil.copy(played / "whole" / STATE_DB_NAME, path)
    else:
        with closing(sqlite3.connect(path)) as db:
            migrate(db, schema)
    code, change = WHOLES[kind]
    if change is None:
        hands_too_many(path)
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA user_version = 99")
    else:
        with closing(sqlite3.connect(path)) as db, db:
            change(db)
    with pytest.raises(StateError, match=re.escape(str(path))) as refused:
        archive_file.backup_folder(tmp_path, tmp_path / "copy")
    assert refused.value.code == f"{code}_{'state' if schema is STATE_SCHEMA else 'archive'}"
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_of_nothing_there_is_no_copy(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(StateError, match=r"state\.db.*hands\.sqlite3"):
            archive_file.backup_folder(folder, tmp_path / "copy")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("gone", ["file", "games", "deck", "finished", "seed"])
def test_a_state_that_lacks_a_fact_is_not_right(gone: str, played: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(played / "whole", out)
    with closing(sqlite3.connect(out / STATE_DB_NAME)) as db, db:
        db.execute("DELETE FROM connections")
        db.execute("DELETE FROM attempts WHERE attempt = 90")
    assert refusal(verify_directory, out) == ""
    with closing(sqlite3.connect(out / STATE_DB_NAME)) as db, db:
        assert db.execute("DELETE FROM facts WHERE name = ?", (gone,)).rowcount
    with pytest.raises(Difference, match=gone):
        verify_directory(out)


def test_incidents_that_the_state_does_not_have_are_found(played: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(played / "whole", out)
    with pytest.raises(Difference, match=r"incidents\.json.*malformed_frame.*ann"):
        verify_directory(out)


@pytest.mark.parametrize("command", ["compete", "rescore", "coordinator"])
def test_a_competition_goes_on_where_it_is(
    command: str, played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    shutil.copytree(played / "whole", out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    words = [command] if command != "rescore" else ["compete", "--rescore"]
    words += ["--database", "postgresql://127.0.0.1:1/none"] if command == "coordinator" else []
    assert main([*words, str(out), "--out", str(tmp_path / "other")]) == 2
    assert capsys.readouterr().err.endswith("[two_directories]\n")
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    if command == "compete":
        assert main(["compete", str(out), "--out", str(out / ".." / "out")]) == 0


@pytest.mark.parametrize("use", ["compete", "rescore"])
def test_luck_is_taken_out_by_the_value_function_that_was_committed_to(
    use: str, played: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(played / ("whole" if use == "rescore" else "stopped"), out)
    published = out / "commitment.json"
    text = published.read_text(encoding="utf-8")
    assert refusal(USES[use], out) == ""
    published.write_text(text.replace(shipped_value().digest, "f" * 64), encoding="utf-8")
    assert published.read_text(encoding="utf-8") != text
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert refusal(USES[use], out) == "other_value_function"
    assert before == {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_standings_that_were_deleted_are_made_again(played: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(played / "whole", out)
    (out / "standings.md").unlink()
    planned = plan_competition(out, out)
    assert planned.store is not None
    assert (planned.sessions_left, planned.finished) == (0, False)
    planned.store.close()
