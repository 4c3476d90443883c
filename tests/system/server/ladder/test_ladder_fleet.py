"""A ladder whose matches are played by the nodes of a fleet."""

from __future__ import annotations

import json
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from server.bots.unpack import hash_of_files
from server.ladder.store import LadderStore
from server.ladder.verify import verify_ladder
from tests.support.called import called
from tests.support.competitions.continued import POKERD, records
from tests.support.competitions.fleet import node
from tests.support.ladder import CALLER, prepared
from tests.support.postgres import Postgres, rows, until
from tests.support.programs import PYTHON, Program, eventually, outcome

CONFIG = """
name = "course"
house = ["call", "random"]
deal_sets = 10
matches = 3
[time]
decision_ms = 10000
"""
HOUSE = ("call", "random")
LINE_UPS = (("call", "random"), ("ann@1", "call"), ("ann@1", "random"))
SERVE = (*POKERD, "ladder", "serve")
PORTS = ("--port", "0", "--web-port", "0")


def waiting(folder: Path) -> Path:
    """A ladder with a pushed version, in which three matches wait."""
    return prepared(folder, CONFIG, HOUSE, LINE_UPS, ann=CALLER.decode())


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its matches, played by one machine."""
    folder = waiting(tmp_path_factory.mktemp("alone") / "ladder")
    done = outcome(*SERVE, folder, "--matches", "3", *PORTS)
    assert done.returncode == 0, done.stderr
    return folder


def test_two_nodes_leave_the_bytes_of_one_machine(postgres: Postgres, tmp_path: Path, alone: Path) -> None:
    spread = waiting(tmp_path / "spread")
    url = postgres.migrated()
    with ExitStack() as stack:
        nodes = [stack.enter_context(node(url, name, tmp_path, workers=1)) for name in ("one", "two")]
        for program in nodes:
            program.says("^node ")
        with Program(*SERVE, str(spread), "--matches", "3", "--database", url, *PORTS) as ladder:
            assert ladder.end() == 0, ladder.lines
        played = [bool(program.said('"event":"session reported"')) for program in nodes]
        assert played == [True] * 2
        # Nothing is left of the matches, in the database and, soon, at the nodes.
        assert rows(url, "SELECT competition FROM pokerd.competitions") == []
        assert rows(url, "SELECT program FROM pokerd.programs") == [(hash_of_files({"bot.py": CALLER}),)]
        eventually(lambda: not list(tmp_path.glob("*/*/state.db")))
    for number in range(1, 4):
        here, there = (folder / "matches" / "000" / f"{number}" for folder in (alone, spread))
        assert records(here) == records(there), number
        for name in ("competition.toml", "incidents.json", "standings.json"):
            assert (here / name).read_bytes() == (there / name).read_bytes(), name
    tables = [called("ladder", "show", folder, "--json").stdout for folder in (alone, spread)]
    assert tables[0] == tables[1]
    assert json.loads(tables[0])["bots"][0]["half"] is not None
    assert verify_ladder(spread) == verify_ladder(alone)


def test_a_final_is_played_by_the_nodes_as_well_and_in_stages(postgres: Postgres, tmp_path: Path) -> None:
    # Two who do the same, so that the order is never decided.
    folder = prepared(tmp_path / "ladder", CONFIG, ("call",), (), ann=CALLER.decode())
    called("ladder", "freeze", folder)
    url = postgres.migrated()
    with node(url, "one", tmp_path, workers=1) as one:
        one.says("^node ")
        final = (*POKERD, "ladder", "final", str(folder), "--database", url, "--port", "0")
        # Two of its stages: one match, and another.
        with Program(*final, "--hands", "40") as played:
            assert played.end() == 3, played.lines
    stages = [line for line in played.lines if " hands, " in line]
    assert [line.partition(" of each line-up")[0] for line in stages] == ["20 hands, 1", "40 hands, 2"]
    assert called("verify", folder / "final").returncode == 0
    assert rows(url, "SELECT competition FROM pokerd.competitions") == []
    # The rest is played here.
    done = outcome(*POKERD, "ladder", "final", folder, "--port", "0", "--hands", "80")
    assert done.returncode == 3, done.stderr
    assert called("verify", folder / "final").returncode == 0
    # What is stopped says how to go on.
    with Program(*POKERD, "ladder", "final", str(folder), "--port", "0") as stopped:
        stopped.says(r"^160 hands, ")
        assert stopped.stop() == 130
    assert " hands, " not in stopped.lines[-1]


def test_a_ladder_that_is_killed_goes_on_even_if_the_database_has_forgotten(
    postgres: Postgres, tmp_path: Path, alone: Path
) -> None:
    killed = waiting(tmp_path / "killed")
    url = postgres.migrated()
    with node(url, "one", tmp_path) as one:
        one.says("^node ")
        with Program(*SERVE, str(killed), "--database", url, *PORTS) as ladder:
            one.says('"event":"session reported"')
            ladder.stop(signal.SIGKILL)
        rows(url, "WITH gone AS (DELETE FROM pokerd.competitions) SELECT")
        store = LadderStore(killed, "1")
        left = len(store.matches("queued", "playing"))
        store.close()
        with Program(*SERVE, str(killed), "--matches", str(left), "--database", url, *PORTS) as ladder:
            assert ladder.end() == 0, ladder.lines
    tables = [called("ladder", "show", folder, "--json").stdout for folder in (alone, killed)]
    assert tables[0] == tables[1]
    assert verify_ladder(killed).matches == 3


def test_a_remote_bot_is_sent_to_the_nodes(postgres: Postgres, tmp_path: Path) -> None:
    folder = tmp_path / "ladder"
    folder.mkdir()
    (folder / "ladder.toml").write_text(CONFIG, encoding="utf-8")
    roster = tmp_path / "roster.csv"
    roster.write_text("name\nbob\n", encoding="utf-8")
    token = called("ladder", "roster", folder, roster).stdout.split(",")[-1].strip()
    url = postgres.migrated()
    with ExitStack() as stack:
        stack.enter_context(node(url, "one", tmp_path)).says("^node ")
        ladder = stack.enter_context(Program(*SERVE, str(folder), "--database", url, *PORTS))
        bots = ladder.says(r"^bots connect to (\S+)")[1]
        bot = stack.enter_context(
            Program(PYTHON, "clients/examples/caller.py", "--url", bots, "--token", token, "--tables", "2")
        )

        def rated() -> bool:
            store = LadderStore(folder, "1")
            try:
                return any(version.state == "rated" for version in store.versions("bob"))
            finally:
                store.close()

        eventually(rated)
        until(url, "SELECT node FROM pokerd.nodes")
        bot.stop()
        ladder.stop()
    store = LadderStore(folder, "1")
    matches = [match for match in store.matches("done") if "bob@1" in match.line_up]
    store.close()
    assert len(matches) >= 2
    assert not any(match.incidents for match in matches)
    assert verify_ladder(folder).matches >= 2
