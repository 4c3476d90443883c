"""A competition that was begun before: extended, scored anew, copied, refused."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pokerd.__main__ import main
from server.competition.file import parse_competition
from server.competition.resume import rescore, verify_extends
from server.competition.store import CompetitionStore, StoreError
from server.competition.verify import Difference, verify_directory
from tests.support.called import called
from tests.support.competitions.arena import ROOT, bot, competition, division
from tests.support.competitions.continued import (
    POKERD,
    TRIO,
    attempts,
    compete,
    hands_logged,
    played,
    records,
    text_of,
    written,
)
from tests.support.competitions.plain import by_plain_calls
from tests.support.competitions.results import TEXT, make
from tests.support.programs import Program, eventually

FOURTH = bot("another", run="random", reset="message", tables=4)


def test_one_more_bot_plays_what_is_missing_and_no_more(tmp_path: Path) -> None:
    """And the records are those of a competition in which he played from the start."""
    out = played(written(tmp_path, text_of(hands=5)), tmp_path / "out")
    before = hands_logged(out)
    extended = text_of((*TRIO, FOURTH), hands=5)
    with compete(written(tmp_path, extended), out) as program:
        assert program.end() == 0, program.lines
    # Three new pairs, two divisions, two seatings.
    assert hands_logged(out) == before + 3 * 2 * 2 * 5
    verify_directory(out)
    assert records(out) == records(by_plain_calls(extended, tmp_path / "at-once"))


def test_scored_anew_without_a_card_being_played(tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(out)
    before = records(out)
    (out / "standings.json").write_text("{}")
    (out / "incidents.json").unlink()
    (out / "hands" / "duel" / "m0000-l000-s0.jsonl").write_text("")
    (out / "hands" / "cup" / "m0000-l000-s0.log").unlink()
    assert rescore(out) == 25
    assert records(out) == before
    verify_directory(out)
    done = called("compete", out, "--rescore")
    assert (done.returncode, done.stderr) == (4, "")  # somebody is marked
    assert "Total bankroll" in done.stdout
    assert records(out) == before


def test_what_is_not_finished_is_not_scored(tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(out, finish=False)
    with closing(sqlite3.connect(out / "state.db")) as db, db:
        db.execute("UPDATE attempts SET state = 'playing', outcome = NULL WHERE attempt = 3")
    before = records(out)
    with pytest.raises(StoreError) as refusal:
        rescore(out)
    assert refusal.value.code == "unfinished"
    assert records(out) == before


def test_a_copy_made_in_the_middle_goes_on_to_the_same_end(tmp_path: Path) -> None:
    file = written(tmp_path, text_of(hands=20))
    out, copy, restored = tmp_path / "out", tmp_path / "copy.db", tmp_path / "restored"
    with compete(file, out) as program:
        eventually(lambda: hands_logged(out) > 50)
        saved = called("backup", out, copy)
        assert saved.returncode == 0, saved.stderr
        assert program.end() == 0, program.lines
    restored.mkdir()
    shutil.copy(copy, restored / "state.db")
    with Program(*POKERD, "compete", restored) as program:
        assert program.end() == 0, program.lines
    assert records(restored) == records(out)
    verify_directory(restored)
    again = called("backup", out, copy)
    assert again.returncode == 2
    assert again.stderr.endswith("[os_error]\n")


# Refusals.


def refused(before: str, after: str) -> str:
    """The part that differs, if the second competition is not the first with more in it."""
    old = parse_competition(before, ROOT)
    with pytest.raises(StoreError) as refusal:
        verify_extends(old, parse_competition(after, ROOT, seed=old.seed), Path("out"))
    assert refusal.value.code == "other_competition"
    return str(refusal.value)


PAIR = [bot("call", run="call"), bot("far", token="far-away-token")]
DUEL = division(hands=5)


@pytest.mark.parametrize(
    ("after", "part"),
    [
        (competition(PAIR, [DUEL], name="other"), "name"),
        (competition(PAIR, [DUEL], seed="other"), "seed"),
        (competition(PAIR, [DUEL], anonymous=True), "anonymous"),
        (competition(PAIR, [DUEL], time={"decision_ms": 7}), "time"),
        (competition([PAIR[0], bot("far", run="raise")], [DUEL]), "bot far"),
        (competition([PAIR[0], bot("near", token="far-away-token")], [DUEL]), "bot far"),
        (competition(PAIR, [division("other", hands=5)]), "division duel"),
        (competition(PAIR, [division(hands=6)]), "division duel"),
        (competition(PAIR, [division(hands=5, game="kuhn.limit.2p")]), "division duel"),
        (competition(PAIR[::-1], [DUEL]), "bots or hands"),
        (competition([bot("new", run="raise"), *PAIR], [DUEL]), "bots or hands"),
    ],
)
def test_another_competition_is_refused(after: str, part: str) -> None:
    assert part in refused(competition(PAIR, [DUEL]), after)


def test_no_bot_is_added_where_line_ups_were_chosen() -> None:
    """Others would be chosen with him; more matches have the same, and elsewhere he may play."""
    bots = [bot(name, run="call") for name in "abcd"]
    more = [*bots, bot("e", run="call")]

    def chosen(names: str, matches: int = 1) -> dict[str, Any]:
        return division(hands=5, matches=matches, line_ups=3, bots=list(names))

    old = parse_competition(competition(bots, [chosen("abcd")]), ROOT)
    new = parse_competition(competition(more, [chosen("abcde")]), ROOT, seed=old.seed)
    with pytest.raises(StoreError) as refusal:
        verify_extends(old, new, Path("out"))
    assert refusal.value.code == "chosen_line_ups"
    both = [chosen("abcd", matches=2), division("other", hands=5)]
    verify_extends(old, parse_competition(competition(more, both), ROOT, seed=old.seed), Path("out"))


def test_more_of_everything_and_another_secret_extend_it() -> None:
    more: list[dict[str, Any]] = [PAIR[0], bot("far", token="another-token"), bot("new", run="raise")]
    divisions = [division(hands=5, matches=3), division("kuhn", game="kuhn.limit.3p", hands=2)]
    old = parse_competition(competition(PAIR, [DUEL]), ROOT)
    new = parse_competition(competition(more, divisions, workers=9), ROOT, seed=old.seed)
    verify_extends(old, new, Path("out"))


def test_a_refusal_leaves_the_directory_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    make(out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    other = written(tmp_path, TEXT.replace("hands = 12", "hands = 13"))
    is_refused(capsys, "other_competition", "compete", other, "--out", out)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    (out / "state.db").write_bytes(b"no database at all" * 500)
    before[out / "state.db"] = (out / "state.db").read_bytes()
    for command in (("compete", out), ("compete", out, "--rescore"), ("backup", out, tmp_path / "copy")):
        is_refused(capsys, "bad_state", *command)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def is_refused(capsys: pytest.CaptureFixture[str], code: str, *command: str | Path) -> None:
    assert main([str(word) for word in command]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.endswith(f"[{code}]\n")


def test_a_directory_without_a_state_cannot_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    is_refused(capsys, "not_a_competition", "compete", tmp_path)


# What verify says of the state.


#: A second attempt at the session of the first, and a hand of it.
AGAIN = "INSERT INTO attempts SELECT 99, session, 'cut', NULL FROM attempts WHERE attempt = 1;"
TWICE = "INSERT INTO attempts SELECT 99, session, state, outcome FROM attempts WHERE attempt = 1;"
COPIED = "INSERT INTO hands SELECT 99, line FROM hands WHERE"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("UPDATE facts SET value = '00' WHERE name = 'seed'", "another seed"),
        ("UPDATE hands SET line = line || ' ' WHERE rowid = 1", "damaged"),
        ("UPDATE attempts SET state = 'cut' WHERE attempt = 1", "no finished attempt"),
        ("UPDATE attempts SET session = 'x/y' WHERE attempt = 1", "no session"),
        (f"{TWICE} {COPIED} attempt = 1", "another attempt"),
        (f"{AGAIN} {COPIED} rowid = 2", "must be"),
        (f"{AGAIN} INSERT INTO hands VALUES (99, 'nothing')", "attempt 99"),
    ],
)
def test_verify_sees_what_is_wrong_with_the_state(change: str, what: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(out)
    verify_directory(out)
    with closing(sqlite3.connect(out / "state.db")) as db:
        db.executescript(change)
    with pytest.raises(Difference) as difference:
        verify_directory(out)
    assert what in str(difference.value)


def test_hands_of_a_cut_session_that_follow_from_the_seed_are_right(tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(out)
    with closing(sqlite3.connect(out / "state.db")) as db:
        db.executescript(f"{AGAIN} {COPIED} attempt = 1 LIMIT 5")
    verify_directory(out)
    assert ("duel/m0000-l000-s0", "cut", 5) in attempts(out)
    rescore(out)
    # They can be read in the audit trail, and are in no journal.
    cut = (out / "logs" / "cut" / "duel" / "m0000-l000-s0-99.jsonl").read_text("utf-8")
    assert len(cut.splitlines()) == 6
    verify_directory(out)


def test_killed_between_the_last_card_and_the_last_file(tmp_path: Path) -> None:
    """Nothing is left to be played, and yet something to be done."""
    out = tmp_path / "out"
    make(out)
    before = records(out)
    with closing(sqlite3.connect(out / "state.db")) as db, db:
        db.execute("DELETE FROM facts WHERE name = 'finished'")
    (out / "standings.md").unlink()
    with Program(*POKERD, "compete", out) as program:
        assert program.end() == 4, program.lines  # somebody is marked
    assert records(out) == before


def test_a_directory_from_before_there_was_a_state_is_still_verified(tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(out)
    (out / "state.db").unlink()
    assert verify_directory(out)[0] == 25


def test_the_lock_is_let_go_of(tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(out)
    first = CompetitionStore(out)
    first.load()
    with pytest.raises(StoreError) as refusal:
        CompetitionStore(out).load()
    assert refusal.value.code == "in_use"
    first.close()
    second = CompetitionStore(out)
    second.load()
    second.close()
