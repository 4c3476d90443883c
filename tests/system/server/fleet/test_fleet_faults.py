"""What a fleet does when its database says what cannot be, or nobody is there: it ends, or says so."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg

from server.competition.verify import verify_directory
from tests.support.competitions.arena import competition, division
from tests.support.competitions.continued import TRIO, written
from tests.support.competitions.fleet import coordinator, finished, long_text, mid_match, node
from tests.support.postgres import Postgres, until
from tests.support.programs import Program
from tests.system.server.fleet.ledger import HALF_REPORTED, REPORTING, execute

SMALL = competition(TRIO[:2], [division(hands=2)])


def ended(program: Program, code: str) -> None:
    """A program has told what is wrong, in one line."""
    assert program.end() == 2, program.lines
    [told] = program.said(r"^pokerd: ")
    assert told.string.endswith(f"[{code}]")
    assert not program.said("^Traceback")


def test_a_coordinator_without_nodes_says_so_and_a_database_that_is_wiped_ends_all_of_it(
    postgres: Postgres, tmp_path: Path
) -> None:
    url = postgres.migrated()
    file = written(tmp_path, long_text(hands=3000))
    with coordinator(url, file, tmp_path / "out") as chief:
        chief.says("^no node available: waiting for one$")
        with node(url, "one", tmp_path) as one:
            chief.says("^a node is available$")
            mid_match(tmp_path / "one")
            assert len(chief.said("no node available")) == 1
            execute(url, "DROP SCHEMA pokerd CASCADE")
            for program in (one, chief):
                ended(program, "bad_tables")


def test_a_node_that_is_stopped_within_a_transaction(postgres: Postgres, tmp_path: Path) -> None:
    """It holds the lock of its session's row: PostgreSQL ends the transaction, and others play the session.
    The node, when it comes back, goes on.
    """
    url, out = postgres.migrated(), tmp_path / "out"
    with ExitStack() as stack:
        one = stack.enter_context(node(url, "one", tmp_path, workers=1))
        chief = stack.enter_context(coordinator(url, written(tmp_path, SMALL), out))
        one.says("^node one plays")
        with psycopg.connect(url) as gate:
            gate.execute("LOCK TABLE pokerd.journals IN SHARE MODE")
            until(url, REPORTING)
            one.process.send_signal(signal.SIGSTOP)
        until(url, HALF_REPORTED)
        stack.enter_context(node(url, "two", tmp_path))
        finished(chief)
        one.process.send_signal(signal.SIGCONT)
        one.says("^the database is back")
        one.says('"event":"fenced: ')
        assert one.stop() == 130
        assert not one.said("Traceback")
    verify_directory(out)


@contextmanager
def played(url: str, file: Path, out: Path, folder: Path) -> Iterator[Program]:
    """A coordinator that was killed when nodes have played a session, which it has not taken yet."""
    with node(url, "one", folder) as one:
        with coordinator(url, file, out) as chief:
            chief.says("deals are committed to")
            until(url, "SELECT id FROM pokerd.sessions WHERE state = 'playing'")
            chief.process.kill()
            chief.process.wait()
        until(url, "SELECT id FROM pokerd.sessions WHERE state = 'done' AND NOT taken")
        yield one


def test_hands_that_somebody_changed_are_not_taken(postgres: Postgres, tmp_path: Path) -> None:
    url, out = postgres.migrated(), tmp_path / "out"
    file = written(tmp_path, competition(TRIO[:2], [division(hands=60, matches=2)]))
    with played(url, file, out, tmp_path):
        # In one moment: the node plays on.
        execute(
            url,
            "BEGIN; LOCK TABLE pokerd.journals; CREATE TABLE kept AS SELECT * FROM pokerd.journals;"
            " UPDATE pokerd.journals SET lines = '[]' || lines; COMMIT",
        )
        with coordinator(url, file, out) as chief:
            ended(chief, "bad_result")
        assert not (out / "standings.json").exists()
        # Put right, it goes on.
        execute(
            url,
            "UPDATE pokerd.journals SET lines = kept.lines FROM kept"
            " WHERE journals.session = kept.session AND journals.part = kept.part",
        )
        with coordinator(url, file, out) as chief:
            finished(chief)
    verify_directory(out)


def test_a_fault_at_a_node_ends_the_competition_everywhere(postgres: Postgres, tmp_path: Path) -> None:
    """The node stays, for others; started again, the competition goes on."""
    url, out = postgres.migrated(), tmp_path / "out"
    file = written(tmp_path, SMALL)
    with coordinator(url, file, out) as chief:
        chief.says("deals are committed to")
        until(url, "SELECT id FROM pokerd.sessions WHERE job IS NOT NULL")
        execute(url, "UPDATE pokerd.competitions SET file = 'this is no competition'")
        with node(url, "one", tmp_path) as one:
            ended(chief, "node_failed")
            assert chief.said(r"node one .*: CompetitionError")
            one.says('"event":"session failed"')
            until(url, "SELECT name FROM pokerd.competitions WHERE state = 'failed'")
            assert not (out / "standings.json").exists()
            with coordinator(url, file, out) as again:
                finished(again)
            assert one.stop() == 130
    verify_directory(out)
