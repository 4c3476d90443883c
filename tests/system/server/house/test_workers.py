"""``pokerd serve --workers 2``: bots play where they are told to, and all is stored as by one process."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import sqlite3
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from dealer.rules.games import load_game
from pokerd.__main__ import main
from tests.acpc.player import PLAYERS, Seen
from tests.support.houses.acpc_client import joined
from tests.support.paced import PACED
from tests.support.programs import Program, eventually
from tests.support.served import Place

OPTIONS = ("--workers", "2", "--tables", "2", "--bots", "call", "--seats", "2")


def rows(data: Path, query: str) -> list[tuple[Any, ...]]:
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"file:{data}/hands.sqlite3?mode=ro", uri=True)) as db,
    ):
        return db.execute(query).fetchall()
    return []


def hands(data: Path, run: int) -> int:
    return len(rows(data, f"SELECT 1 FROM hands WHERE run = {run}"))


def nothing_missing(data: Path) -> bool:
    """Whether every hand of the first run is there."""
    numbers = rows(data, "SELECT number FROM hands WHERE run = 1 ORDER BY number")
    return numbers == [(number,) for number in range(1, len(numbers) + 1)]


def guest(place: Place, name: str, table: str) -> Program:
    return Program(*PACED, "--url", place.bots, "--name", name, "--join", table)


def workers(place: Place) -> list[psutil.Process]:
    """The processes that play its tables, in the order in which they were started."""
    found = psutil.Process(place.server.process.pid).children(recursive=True)
    ours = [one for one in found if "pokerd.table_process" in one.cmdline()]
    return sorted(ours, key=psutil.Process.create_time)


def started(place: Place) -> list[psutil.Process]:
    chief = psutil.Process(place.server.process.pid)
    return [chief, *chief.children(recursive=True)]


def gone(processes: Sequence[psutil.Process]) -> bool:
    return not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in processes)


def asked(place: Place, path: str, told: bytes | None = None, **headers: str) -> Any:
    url = place.people.replace("ws:", "http:").removesuffix("/ws") + path
    with urllib.request.urlopen(urllib.request.Request(url, told, headers)) as answer:
        return json.load(answer)


def test_two_tables_are_played_by_two_processes_and_an_administrator_rules_over_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    assert main(["token", "issue", "--admin", "root", "--data", str(data)]) == 0
    token = capsys.readouterr().out.strip()

    def order(action: str, **body: str) -> Any:
        told = json.dumps(body).encode() if action else None
        return asked(place, f"/api/admin/{action}".rstrip("/"), told, Authorization=f"Bearer {token}")

    with (
        Place(data, *OPTIONS) as place,
        guest(place, "one", "table-1") as one,
        guest(place, "two", "table-2") as two,
    ):
        assert place.server.said("^2 open tables of no-limit hold'em: table-1, table-2$")
        urls = {bot.says(r"^table-\d: at (ws://\S+)$")[1] for bot in (one, two)}
        assert len(urls) == 2
        assert place.bots not in urls
        eventually(lambda: all(hands(data, run) > 20 for run in (1, 2)))
        # Each has house bots of its own, and a port that the other does not know.
        assert len(workers(place)) == 2
        assert rows(data, "SELECT table_name FROM runs ORDER BY run") == [("table-1",), ("table-2",)]
        # The pages of the parent know it all.
        eventually(lambda: all(table["hands"] > 20 for table in asked(place, "/api/tables")["tables"]))
        listed = [table["table"] for table in asked(place, "/api/tables")["tables"]]
        assert listed == ["table-1", "table-2"]
        [last] = asked(place, "/api/tables/table-2/hands?limit=1")["hands"]
        assert sorted(last["players"]) == ["call-1", "two"]
        assert asked(place, "/healthz")["status"] == "ok"
        assert order("pause", table="table-1") == {"action": "pause", "target": "table-1"}
        eventually(lambda: [table["paused"] for table in order("")["tables"]] == [True, False])
        before = hands(data, 1)
        order("resume", table="table-1")
        eventually(lambda: hands(data, 1) > before + 5)
        order("ban", name="one")
        eventually(lambda: order("")["tables"][0]["players"] == ["call-1", ""])
        assert one.end() == 1
        assert order("end", table="table-1") == {"action": "end", "target": "table-1"}
        eventually(lambda: [table["table"] for table in order("")["tables"]] == ["table-2"])
        everything = started(place)
        order("drain")
        assert place.server.end() == 0
        assert gone(everything)
    # At the other one somebody sits, who finds it again.
    assert rows(data, "SELECT table_name FROM runs WHERE seed <> ''") == [("table-1",)]


def test_a_worker_that_is_killed_is_started_again_and_tables_go_on_with_any_number_of_workers(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    with (
        Place(data, *OPTIONS) as place,
        guest(place, "one", "table-1") as one,
        guest(place, "two", "table-2") as two,
    ):
        for bot in (one, two):
            bot.says(r"^table-\d: .* seat ")
        eventually(lambda: hands(data, 1) > 5)
        victim = next(process for process in workers(place) if hands_of(place, process))
        before = hands(data, 1)
        victim.kill()
        eventually(lambda: hands(data, 1) > before + 5)
        assert len(one.said("^table-1: .* seat ")) == 1, "its memory was not reset"
        assert len(two.said("^connected to pokerd")) == 2, "the other process was not disturbed"
        for number in ("1", "3"):
            everything = started(place)
            place.server.stop(signal.SIGKILL)
            eventually(lambda: gone(everything))  # noqa: B023
            place._options = ("--workers", number, *OPTIONS[2:])
            place.begin()
            before = hands(data, 1)
            eventually(lambda: hands(data, 1) > before + 5)  # noqa: B023
        one.stop()
        two.stop()
        eventually(lambda: [table["free"] for table in asked(place, "/api/tables")["tables"]] == [1, 1])
        place.end(signal.SIGTERM)
    assert nothing_missing(data)
    assert rows(data, "SELECT count(*) FROM runs") == [(2,)]
    # Nobody was there any more, so the tables were closed and their seeds published.
    assert rows(data, "SELECT count(*) FROM runs WHERE seed <> ''") == [(2,)]
    seated = rows(data, "SELECT DISTINCT seated FROM hands WHERE run = 1")
    assert {name for (text,) in seated for name, _ in json.loads(text)} == {"call-1", "one"}


def hands_of(place: Place, process: psutil.Process) -> bool:
    """Whether this is the worker that plays table-1: the first."""
    return any(file.path.endswith("hands.course.1") for file in process.open_files())


def test_the_records_are_those_of_one_process(tmp_path: Path) -> None:
    """The same seeds, the same players and the same actions."""
    first, options = tmp_path / "first", OPTIONS[2:]
    # A copy of tables that nobody has played at.
    with Place(first, *options) as place:
        eventually(lambda: len(rows(first, "SELECT 1 FROM tables")) == 2)
        place.end(signal.SIGKILL)
    found = []
    for number in ("1", "2"):
        data = tmp_path / number
        shutil.copytree(first, data)
        with (
            Place(data, "--workers", number, *options) as place,
            guest(place, "one", "table-1"),
            guest(place, "two", "table-2"),
        ):
            eventually(lambda: all(hands(data, run) >= 20 for run in (1, 2)))  # noqa: B023
            place.end(signal.SIGKILL)
        query = "SELECT run, number, game, game_text, seated, events FROM hands WHERE number <= 20"
        eventually(lambda: len(rows(data, query)) == 40)  # noqa: B023
        found.append(sorted(rows(data, query)))
    assert found[0] == found[1]


def test_people_play_and_watch_at_the_tables_of_workers_and_go_on_when_one_is_killed(tmp_path: Path) -> None:
    place = Place(tmp_path / "data", *OPTIONS, "--limit")
    with place, at_page(place, "ann") as ann, at_page(place, "bob") as bob:
        start = ann.hears("match_start", {"type": "join", "table": "table-1"})
        assert (start["table"], start["players"][1]) == ("table-1", "ann")
        bob.hears("match_start", {"type": "watch", "table": "table-1"})
        assert bob.hears("error", {"type": "join", "table": "table-1"})["code"] == "no_seat"
        turn = ann.hears("turn", {"type": "ready", "table": "table-1"})
        ann.hears("said", {"type": "say", "table": "table-1", "text": "good luck"})
        assert bob.hears("said")["text"] == "good luck"
        assert ann.ends_hand(turn)["table"] == "table-1"
        turn = ann.hears("turn")
        next(process for process in workers(place) if hands_of(place, process)).kill()
        assert ann.hears("match_start")["resumed"]
        again = ann.hears("turn")
        assert (again["turn"], again["table"]) == (turn["turn"], "table-1")
        ann.ends_hand(again)
        bob.hears("match_start")
        bob.hears("hand_end")
        for person in (ann, bob):
            person.hears("match_end", {"type": "leave", "table": "table-1"})
        asyncio.run(by_acpc(place))
        # A table of their own is played by the parent.
        created = ann.hears("created", {"type": "create", "bots": ["call"], "seats": 2})
        assert created["table"] == "table-3"
        assert ann.hears("match_start", {"type": "join", "table": "table-3"})["table"] == "table-3"
        everything = started(place)
        place.end(signal.SIGTERM)
        assert gone(everything)


async def by_acpc(place: Place) -> None:
    """An ACPC program plays at the table of a worker: it cannot go elsewhere, so its lines are passed on."""
    game = load_game("holdem.limit.2p.reverse_blinds")
    async with joined(place.bots, name="old", table="table-2") as socket:
        while hands(place.data, 2) < 3:
            for line in str(await asyncio.wait_for(socket.recv(), 60)).split("\r\n")[:-1]:
                if not line.startswith("#") and (seen := Seen(game, line)).mine:
                    await socket.send("".join(PLAYERS["call"](seen)))


class Person:
    """Somebody at a page."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self._heard: list[dict[str, Any]] = []

    def hears(self, kind: str, message: dict[str, Any] | None = None) -> dict[str, Any]:
        """Say something, and wait for a message of a kind, or of one of several."""
        if message is not None:
            self.socket.send(json.dumps(message))
        while True:
            while self._heard:
                if (one := self._heard.pop(0))["type"] in kind.split():
                    return one
            news = json.loads(self.socket.recv(60))
            self._heard += news if isinstance(news, list) else [news]

    def ends_hand(self, news: dict[str, Any]) -> dict[str, Any]:
        """Call from this turn to the end of the hand, and return what is told of that."""
        while news["type"] == "turn":
            act = {"type": "act", "table": news["table"], "turn": news["turn"], "action": "call"}
            news = self.hears("turn hand_end", act)
        return news


@contextmanager
def at_page(place: Place, name: str) -> Iterator[Person]:
    protocols = [Subprotocol("pokerd.v1.json")]
    # Who does not read for a while is not gone.
    with connect(place.people, subprotocols=protocols, ping_interval=None, max_queue=None) as socket:
        person = Person(socket)
        person.hears("welcome", {"type": "hello", "name": name, "person": True, "tables": 4})
        yield person


def test_what_several_workers_cannot_do_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--workers", "2", "--mqtt", "mqtt://127.0.0.1", "--data", str(tmp_path))
    assert main(["serve", *words]) == 2
    assert capsys.readouterr().err.endswith("[no_broker]\n")
