"""A ladder whose matches are played by the nodes of a fleet."""

from __future__ import annotations

import json
import shutil
import signal
from contextlib import ExitStack
from pathlib import Path

from server.ladder.records import Author
from server.ladder.store import LadderStore
from server.ladder.verify import verify_ladder
from tests.support.competitions.continued import POKERD, records
from tests.support.competitions.fleet import node
from tests.support.postgres import Postgres, rows, until
from tests.support.programs import PYTHON, ROOT, Program, eventually, outcome

CONFIG = """
name = "course"
house = ["call", "fair"]
deal_sets = 20
matches = 3
[time]
decision_ms = 10000
"""
TOKEN = "a token of bob"
HASH = "0123456789abcdef" * 4
PORTS = ("--port", "0", "--web-port", "0")


def prepared(folder: Path) -> Path:
    """A ladder with a known key, a pushed version, and six matches that wait."""
    folder.mkdir()
    (folder / "ladder.toml").write_text(CONFIG, encoding="utf-8")
    files = folder / "versions" / HASH
    files.mkdir(parents=True)
    shutil.copy(ROOT / "clients" / "examples" / "caller.py", files / "bot.py")
    store = LadderStore(folder, "1")
    store.set_fact("key", "07" * 32)
    store.put_authors([Author("ann", "1" * 64, "")])
    for bot in ("call", "fair"):
        store.add_version(bot, "house", "", (), "rated", 0.0)
    store.add_version("ann", "pushed", HASH, ("{python}", "bot.py"), "rated", 0.0)
    for number in range(6):
        store.add_match((("call", "fair"), ("ann@1", "call"), ("ann@1", "fair"))[number % 3], "rated", 0.0)
    store.close()
    return folder


def test_three_nodes_leave_the_bytes_of_one_machine(postgres: Postgres, tmp_path: Path) -> None:
    alone, spread = prepared(tmp_path / "alone"), prepared(tmp_path / "spread")
    serve = (*POKERD, "ladder", "serve")
    done = outcome(*serve, alone, "--matches", "6", *PORTS)
    assert done.returncode == 0, done.stderr
    url = postgres.database()
    with ExitStack() as stack:
        nodes = [
            stack.enter_context(node(url, name, tmp_path, workers=1)) for name in ("one", "two", "three")
        ]
        for program in nodes:
            program.says("^node ")
        with Program(*serve, str(spread), "--matches", "6", "--database", url, *PORTS) as ladder:
            assert ladder.end() == 0, ladder.lines
        played = [bool(program.said('"event":"session reported"')) for program in nodes]
        assert played == [True] * 3
        # Nothing is left of the matches, in the database and, soon, at the nodes.
        assert rows(url, "SELECT competition FROM pokerd.competitions") == []
        assert rows(url, "SELECT program FROM pokerd.programs") == [(HASH,)]
        eventually(lambda: not list(tmp_path.glob("*/*/state.db")))
    for number in range(1, 7):
        here, there = (folder / "matches" / "000" / f"{number}" for folder in (alone, spread))
        assert records(here) == records(there), number
        for name in ("competition.toml", "incidents.json", "standings.json"):
            assert (here / name).read_bytes() == (there / name).read_bytes(), name
    tables = [outcome(*POKERD, "ladder", "show", folder, "--json").stdout for folder in (alone, spread)]
    assert tables[0] == tables[1]
    assert json.loads(tables[0])["bots"][0]["half"] is not None
    assert verify_ladder(spread) == verify_ladder(alone)


def test_a_final_is_played_by_the_nodes_as_well_and_in_stages(postgres: Postgres, tmp_path: Path) -> None:
    folder = prepared(tmp_path / "ladder")
    outcome(*POKERD, "ladder", "freeze", folder)
    url = postgres.database()
    with node(url, "one", tmp_path, workers=1) as one:
        one.says("^node ")
        final = (*POKERD, "ladder", "final", str(folder), "--database", url, "--port", "0")
        # Two of its stages: one match of each of three line-ups, and another.
        with Program(*final, "--hands", "240") as played:
            assert played.end() in {0, 3}, played.lines
    stages = [line for line in played.lines if " hands, " in line]
    assert stages[0].startswith("120 hands, 1 of each line-up")
    assert outcome(*POKERD, "verify", folder / "final").returncode == 0
    assert rows(url, "SELECT competition FROM pokerd.competitions") == []
    # The rest is played here.
    done = outcome(*POKERD, "ladder", "final", folder, "--port", "0", "--hands", "480")
    assert done.returncode in {0, 3}, done.stderr
    assert outcome(*POKERD, "verify", folder / "final").returncode == 0


def test_a_ladder_that_is_killed_goes_on_even_if_the_database_has_forgotten(
    postgres: Postgres, tmp_path: Path
) -> None:
    alone, killed = prepared(tmp_path / "alone"), prepared(tmp_path / "killed")
    serve = (*POKERD, "ladder", "serve")
    assert outcome(*serve, alone, "--matches", "6", *PORTS).returncode == 0
    url = postgres.database()
    with node(url, "one", tmp_path) as one:
        one.says("^node ")
        with Program(*serve, str(killed), "--database", url, *PORTS) as ladder:
            one.says('"event":"session reported"')
            ladder.stop(signal.SIGKILL)
        rows(url, "WITH gone AS (DELETE FROM pokerd.competitions) SELECT")
        store = LadderStore(killed, "1")
        left = len(store.matches("queued", "playing"))
        store.close()
        with Program(*serve, str(killed), "--matches", str(left), "--database", url, *PORTS) as ladder:
            assert ladder.end() == 0, ladder.lines
    tables = [outcome(*POKERD, "ladder", "show", folder, "--json").stdout for folder in (alone, killed)]
    assert tables[0] == tables[1]
    assert verify_ladder(killed).matches == 6


def test_a_remote_bot_is_sent_to_the_nodes(postgres: Postgres, tmp_path: Path) -> None:
    folder = tmp_path / "ladder"
    folder.mkdir()
    (folder / "ladder.toml").write_text(CONFIG, encoding="utf-8")
    roster = tmp_path / "roster.csv"
    roster.write_text("name\nbob\n", encoding="utf-8")
    token = outcome(*POKERD, "ladder", "roster", folder, roster).stdout.split(",")[-1].strip()
    url = postgres.database()
    with ExitStack() as stack:
        stack.enter_context(node(url, "one", tmp_path)).says("^node ")
        serve = (*POKERD, "ladder", "serve", str(folder), "--database", url, *PORTS)
        ladder = stack.enter_context(Program(*serve))
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
