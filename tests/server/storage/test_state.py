"""The file that must not be lost: whole or refused, migrated or refused, written before anyone hears."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from server.competition.file import parse_competition
from server.storage import competition_state as module
from server.storage.competition_state import CompetitionState, SessionOutcome, SessionRecorder, journal_digest
from server.storage.sqlite import STATE_DB_NAME, STATE_SCHEMA, StateError, backup, create
from tests.support.competitions.arena import ROOT, bot, competition, division

FACTS = {"seed": "00", "file": "text"}
[SESSION, *_] = parse_competition(competition([bot("a"), bot("b")], [division()]), ROOT).play_order
LINES = ["[1]\n", "[2]\n", "[3]\n"]
OUTCOME = SessionOutcome(3, (5, -5), ({"timeout": 1}, {}), journal_digest(LINES), (1, 2))


def made(folder: Path) -> Path:
    """A file with a session that is done and one that is played."""
    path = folder / STATE_DB_NAME
    create(path, FACTS)
    state = CompetitionState(path)
    state.prepare()
    first, second = state.begin_attempt("d/one"), state.begin_attempt("d/two")
    for line in LINES:
        state.add_hand(first, line)
        state.add_hand(second, line)
    state.finish_attempts({first: OUTCOME}, {"a": {"malformed_frame": 2}})
    state.close()
    return path


def everything(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_was_kept_is_read_again(tmp_path: Path) -> None:
    path = made(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    state = CompetitionState(path, read_only=True)
    assert state.facts() == FACTS
    assert state.connections() == {"a": {"malformed_frame": 2}}
    done, playing = state.attempts()
    assert (done.session, done.state, done.outcome) == ("d/one", "done", OUTCOME)
    assert (playing.session, playing.state, playing.outcome) == ("d/two", "playing", None)
    assert [(attempt.number, lines) for attempt, lines in state.journals()] == [(1, LINES), (2, LINES)]
    state.close()


def test_what_is_cut_stays_cut_and_another_attempt_begins(tmp_path: Path) -> None:
    state = CompetitionState(made(tmp_path))
    state.prepare()
    state.abort_unfinished()
    assert [attempt.state for attempt in state.attempts()] == ["done", "cut"]
    assert state.begin_attempt("d/two") == 3
    assert [len(lines) for _, lines in state.journals()] == [3, 3, 0]
    state.close()


def test_two_processes_write_to_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One waits for the other's transaction, and their attempts have numbers of their own."""
    path = made(tmp_path)
    owner = CompetitionState(path)
    owner.prepare()
    one, two = (CompetitionState(path, shared=True) for _ in range(2))
    assert [state.begin_attempt("d/more") for state in (one, two, one)] == [3, 4, 5]
    one.add_hand(3, LINES[0])
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waited = []

        def end_transaction() -> None:
            waited.append(other.execute("COMMIT"))

        monkeypatch.setattr(module, "_yield_core", end_transaction)
        assert one.commit()
    assert len(waited) == 1
    two.add_hand(4, LINES[1])
    owner.abort_session("d/more")
    for state in (two, one):
        state.close()
    assert [attempt.state for attempt in owner.attempts()] == ["done", "playing", "cut", "cut", "cut"]
    assert [lines for _, lines in owner.journals()][2:] == [LINES[:1], LINES[1:2], []]
    owner.close()


def test_what_is_forgotten_is_not_in_the_file_either(tmp_path: Path) -> None:
    path = made(tmp_path)
    state = CompetitionState(path)
    state.prepare()
    state.set_facts({"tokens": "a-very-secret-token"})
    state.close()
    assert b"a-very-secret-token" in path.read_bytes()
    state = CompetitionState(path)
    state.prepare()
    state.set_facts({"tokens": ""})
    state.close(single_file=True)
    assert b"a-very-secret-token" not in path.read_bytes()
    assert [one.name for one in tmp_path.iterdir()] == [STATE_DB_NAME]


def scribble(path: Path) -> None:
    path.write_bytes(b"this was a competition once" * 1000)


def other(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE mine (it TEXT)")


def halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def hole(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [scribble, other, halve, hole])
def test_a_damaged_file_is_refused_and_left_as_it_is(damage: Callable[[Path], None], tmp_path: Path) -> None:
    path = made(tmp_path)
    damage(path)
    before = everything(tmp_path)
    with pytest.raises(StateError) as refusal:
        CompetitionState(path)
    assert refusal.value.code == "bad_state"
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE hands SET line = '[4]' || char(10) WHERE rowid = 1",
        "DELETE FROM hands WHERE rowid = 1",
        "DELETE FROM hands WHERE attempt = 1",
        "INSERT INTO hands VALUES (1, '[4]')",
        "INSERT INTO hands VALUES (77, '[4]')",
        "UPDATE attempts SET outcome = '{}' WHERE attempt = 1",
    ],
)
def test_hands_that_are_not_those_that_were_played_are_noticed(change: str, tmp_path: Path) -> None:
    path = made(tmp_path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(change)
    state = CompetitionState(path)
    state.prepare()
    with pytest.raises(StateError) as refusal:
        list(state.journals())
    assert refusal.value.code == "bad_state"
    state.close()


def test_an_older_schema_is_brought_up_and_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path)
    later = (*STATE_SCHEMA.migrations, "ALTER TABLE attempts ADD COLUMN place TEXT NOT NULL DEFAULT 'here'")
    monkeypatch.setattr(module, "STATE_SCHEMA", STATE_SCHEMA._replace(migrations=later))
    CompetitionState(path).close()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(later),)
        assert db.execute("SELECT session, place FROM attempts").fetchall() == [
            ("d/one", "here"),
            ("d/two", "here"),
        ]
        assert db.execute("SELECT count(*) FROM hands").fetchone() == (6,)


def test_a_step_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path)
    before = everything(tmp_path)
    broken = (*STATE_SCHEMA.migrations, "CREATE TABLE more (it TEXT); DROP TABLE nowhere")
    monkeypatch.setattr(module, "STATE_SCHEMA", STATE_SCHEMA._replace(migrations=broken))
    with pytest.raises(StateError) as refusal:
        CompetitionState(path)
    assert refusal.value.code == "bad_state"
    assert everything(tmp_path) == before


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    before = everything(tmp_path)
    with pytest.raises(StateError) as refusal:
        CompetitionState(path)
    assert refusal.value.code == "newer_state"
    assert everything(tmp_path) == before


def test_a_copy_is_made_while_it_is_written_to(tmp_path: Path) -> None:
    path = made(tmp_path)
    state = CompetitionState(path)
    state.prepare()
    state.add_hand(2, "[4]\n")
    state.commit()
    copy = tmp_path / "copy.db"
    checksum = backup(path, copy)
    state.add_hand(2, "[5]\n")
    state.close()
    assert checksum == hashlib.sha256(copy.read_bytes()).hexdigest()
    assert copy.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(copy)) as db:
        assert db.execute("SELECT line FROM hands WHERE attempt = 2").fetchall()[-1] == ("[4]\n",)
    with pytest.raises(FileExistsError):
        backup(path, copy)
    assert hashlib.sha256(copy.read_bytes()).hexdigest() == checksum


def test_of_a_damaged_file_there_is_no_copy(tmp_path: Path) -> None:
    path = made(tmp_path)
    scribble(path)
    with pytest.raises(StateError):
        backup(path, tmp_path / "copy.db")
    with pytest.raises(StateError):
        backup(tmp_path / "nowhere.db", tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_a_journal_that_does_not_fit_is_a_failure_and_nobody_is_told(
    tmp_path: Path, no_error_logged: list[str]
) -> None:
    path = tmp_path / STATE_DB_NAME
    create(path, FACTS)
    state = CompetitionState(path)
    state.prepare()
    journal = tmp_path / "journal"
    journal.symlink_to("/dev/full")
    recorder = SessionRecorder(state, SESSION, journal, "header\n")
    assert not state.failure
    recorder.close()
    assert isinstance(state.failure, OSError)
    assert "cannot be written" in no_error_logged.pop()
    with pytest.raises(StateError) as refused:
        SessionRecorder(state, SESSION, tmp_path / STATE_DB_NAME / "below", "header\n")
    assert refused.value.code == "not_stored"
    state.close()


def test_it_is_closed_while_another_program_reads_it(tmp_path: Path) -> None:
    path = made(tmp_path)
    state = CompetitionState(path)
    state.prepare()
    with closing(sqlite3.connect(path)) as reader:
        hands = reader.execute("SELECT count(*) FROM hands").fetchone()
        state.add_hand(state.begin_attempt("d/three"), LINES[0])
        state.close(single_file=True)
        assert reader.execute("SELECT count(*) FROM hands").fetchone() == (hands[0] + 1,)
