"""A competition on many machines: whatever happens to them, its records are those of one machine."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from pokerd.__main__ import main
from tests.support.competitions.arena import bot, competition, division
from tests.support.competitions.continued import CUP, TRIO, records, written
from tests.support.competitions.fleet import check, coordinator, finished, kept, long_text, mid_match, node
from tests.support.competitions.plain import by_plain_calls
from tests.support.paced import PACED
from tests.support.postgres import Postgres, rows, running, until
from tests.support.programs import eventually
from tests.support.telemetry import health, scraped

#: Attempts that were begun at sessions that were played more than once.
AGAIN = "SELECT session FROM pokerd.sessions WHERE attempt > 1"

#: Sessions that were taken from the node "paused" and begun elsewhere.
MOVED = (
    "SELECT before.session FROM pokerd.attempts AS before JOIN pokerd.sessions ON before.session = id"
    " WHERE before.node = 'paused' AND sessions.attempt > before.attempt"
)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return records(by_plain_calls(long_text(), tmp_path_factory.mktemp("undisturbed") / "out"))


def test_a_node_that_is_killed_and_one_that_was_only_paused(
    postgres: Postgres, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    """What they played runs again elsewhere; the late report of the one that comes back changes nothing."""
    url, out = postgres.migrated(), tmp_path / "out"
    file = written(tmp_path, long_text())
    with ExitStack() as stack:
        chief = stack.enter_context(coordinator(url, file, out))
        killed = stack.enter_context(node(url, "killed", tmp_path))
        mid_match(tmp_path / "killed")
        killed.stop(signal.SIGKILL)
        paused = stack.enter_context(node(url, "paused", tmp_path))
        # A bot that has not come yet would give a deaf node up.
        paused.says('"event":"hello"', times=len(TRIO))
        mid_match(tmp_path / "paused")
        paused.process.send_signal(signal.SIGSTOP)
        cut = kept(tmp_path / "killed")
        stack.enter_context(node(url, "third", tmp_path))
        until(url, MOVED)
        paused.process.send_signal(signal.SIGCONT)
        finished(chief)
        paused.says('"event":"fenced: ')
    check(url, out, undisturbed)
    assert rows(url, "SELECT attempt FROM pokerd.attempts WHERE state = 'cut' AND node = 'killed'")
    # The hands that were cut are kept where they were played, and brought to light when it starts again.
    with node(url, "killed", tmp_path) as again:
        again.says("^node killed plays")
    assert kept(tmp_path / "killed") == cut > 0


def test_the_coordinator_is_killed_again_and_again_and_the_competition_extended(
    postgres: Postgres, tmp_path: Path
) -> None:
    """The node stays, and learns of it: what is missing is played with the bots that the file has now."""
    url, out = postgres.migrated(), tmp_path / "out"
    divisions = [division(hands=60), division("cup", table={**CUP, "players": 2})]
    first, extended = (competition(bots, divisions) for bots in (TRIO[:2], TRIO))
    alone = records(by_plain_calls(extended, tmp_path / "alone"))
    taken = "SELECT session FROM pokerd.sessions WHERE taken"
    file = written(tmp_path, first)
    with node(url, "one", tmp_path):
        with coordinator(url, file, out) as chief:
            eventually((out / "commitment.json").exists)
            chief.stop(signal.SIGKILL)
        with coordinator(url, file, out) as chief:
            finished(chief)
        with coordinator(url, written(tmp_path, extended), out) as chief:
            until(url, f"{taken} OFFSET 4")
            chief.stop(signal.SIGKILL)
        # With the directory alone, and stopped politely in between.
        with coordinator(url, out, out) as chief:
            chief.says("are played already")
            assert chief.stop() in (0, 130)
        with coordinator(url, out, out) as chief:
            finished(chief)
    check(url, out, alone)


def test_a_database_that_crashes_is_waited_for(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    """What was committed is there when it is back: this one waits for the disk. Nodes say how they are, and
    coordinators count.
    """
    out, counted = tmp_path / "out", ("--metrics-port", "0")
    file = written(tmp_path, long_text())
    with running(durable=True) as server:
        url = server.database()
        with node(url, "one", tmp_path, *counted) as one, coordinator(url, file, out, *counted) as chief:
            here, there = (program.says(r"metrics: (http://\S+)/metrics")[1] for program in (one, chief))
            assert scraped(there)["pokerd_connections"] == 0
            mid_match(tmp_path / "one")
            eventually(lambda: scraped(there)["pokerd_sessions{state=running}"] > 0)
            found = scraped(there)
            states = ("waiting", "running", "done")
            planned = len(rows(url, "SELECT id FROM pokerd.sessions"))
            assert sum(found[f"pokerd_sessions{{state={state}}}"] for state in states) == planned
            assert health(here) == (200, {"event_loop": "ok", "store": "ok", "database": "ok"})
            server.stop(signal.SIGQUIT)
            one.says("^no database: waiting for it")
            before = kept(tmp_path / "one")
            eventually(lambda: health(here)[1]["database"] == "not reached")
            assert health(here)[0] == 503
            server.start()
            one.says("^the database is back")
            finished(chief)
            assert scraped(here)["pokerd_hands_total"] >= kept(tmp_path / "one") > 0
        assert before > 0
        check(url, out, undisturbed)


def test_a_node_that_is_stopped_gives_back_what_it_plays(postgres: Postgres, tmp_path: Path) -> None:
    """At once, after the hand, and another one goes on; then the first comes back under its name."""
    url, out = postgres.migrated(), tmp_path / "out"
    bots = [bot(name, command=["{python}", *PACED[1:]]) for name in ("one", "two")]
    file = written(tmp_path, competition(bots, [division(hands=300)]))
    with node(url, "one", tmp_path) as one, coordinator(url, file, out, "--node-timeout", "600") as chief:
        mid_match(tmp_path / "one")
        assert one.stop() == 130
        assert one.said("^stopping when the hands in progress are over")
        assert not rows(url, "SELECT id FROM pokerd.sessions WHERE state = 'playing'")
        with node(url, "two", tmp_path) as two:
            until(url, AGAIN + " AND node = 'two'")
            # A crash, after which the same node comes back: nobody waits until it counts as silent.
            two.stop(signal.SIGKILL)
        with node(url, "two", tmp_path):
            # It waits to be begun again; its workers may have taken other sessions before.
            until(url, "SELECT session FROM pokerd.attempts WHERE node = 'two' AND state = 'cut'")
        assert chief.stop() == 130
        assert chief.said("python -m pokerd coordinator")


#: Who plays the competition.
HELD = "SELECT competition FROM pokerd.competitions WHERE coordinator LIKE '%{}%'"


def test_two_coordinators_of_one_competition(
    postgres: Postgres, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    """One plays it. The other, with a copy of its directory, is refused as long as the first gives signs of
    life; then it goes on, and the first, if it was only paused, ends.
    """
    url, out, copy = postgres.migrated(), tmp_path / "out", tmp_path / "copy"
    file = written(tmp_path, long_text())
    with ExitStack() as stack:
        first = stack.enter_context(coordinator(url, file, out))
        one = stack.enter_context(node(url, "one", tmp_path))
        mid_match(tmp_path / "one")
        # Nobody plays meanwhile, so that the first is not done before the other is there.
        one.process.send_signal(signal.SIGSTOP)
        copy.mkdir()
        assert main(["backup", str(out), str(copy / "state.db")]) == 0
        with coordinator(url, copy, copy) as second:
            assert second.end() == 2
            assert second.said(rf"{out} .*\[competition_in_use\]$")
        first.process.send_signal(signal.SIGSTOP)
        one.process.send_signal(signal.SIGCONT)
        until(url, "SELECT name FROM pokerd.competitions WHERE seen < now() - interval '4 s'")
        second = stack.enter_context(coordinator(url, copy, copy))
        until(url, HELD.format("/copy "))
        first.process.send_signal(signal.SIGCONT)
        assert first.end() == 2
        assert first.said(r"\[competition_in_use\]$")
        finished(second)
        # Nothing is lost for the one that was too late: all of it is in the database.
        with coordinator(url, out, out) as again:
            finished(again)
        assert one.stop() == 130
    for folder in (copy, out):
        check(url, folder, undisturbed)
