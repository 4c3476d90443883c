"""A real port for people, and somebody who asks it for things, one plain request at a time."""

from __future__ import annotations

import asyncio
import csv
import http.client
import io
import json
import re
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from server.house.hand_coach import HandCoach
from server.house.house import House
from server.people.results import PeopleResults
from server.people.same_deals import SameDeals
from server.storage.hand_store import HandStore
from server.tournaments.desk import TournamentDesk
from server.web.competitions.reader import CompetitionCatalog
from server.web.people.push_fold import PushFoldSolver
from server.web.site import WebServer, serve_web

PATIENCE = 60.0
#: Not the loop's own threads: those are the server's.
_POOL = ThreadPoolExecutor(50, thread_name_prefix="browser")


class Answer(NamedTuple):
    """A response; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        assert self.headers["content-type"] == "application/json", self.headers
        return json.loads(self.body)

    def rows(self) -> list[dict[str, str]]:
        assert self.headers["content-type"].startswith("text/csv"), self.headers
        return list(csv.DictReader(io.StringIO(self.text, newline="")))


class Browser:
    """Asks a port, and keeps the cookie that it is given."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie = ""

    async def get(self, path: str, method: str = "GET", **headers: str) -> Answer:
        """Ask for a path exactly as it is written here."""
        return await self._request(method, path, headers)

    async def post(self, path: str, body: bytes, **headers: str) -> Answer:
        """Send a body to a path."""
        return await self._request("POST", path, {**headers, "Content-Length": str(len(body))}, body)

    async def _request(self, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> Answer:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookie:
            sent.setdefault("Cookie", self.cookie)
        async with asyncio.timeout(PATIENCE):
            answer = await asyncio.get_running_loop().run_in_executor(
                _POOL, self._ask, method, path, sent, body
            )
        given = re.match(r"[^;]*", answer.headers.get("set-cookie", ""))
        if given is not None and given[0]:
            self.cookie = given[0]
        return answer

    def _ask(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders(body or None)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read())
        finally:
            connection.close()


def pages(folder: Path) -> Path:
    """A small set of pages in a new folder."""
    for name, text in {
        "lobby/index.html": '<!doctype html><script type=module src="/static/lobby/lobby.js"></script>',
        "table/table.html": '<!doctype html><script type=module src="/static/table/table.js"></script>',
        "lobby/lobby.js": 'import "../vendor/lit-html/lit-html.js";',
        "table/table.js": "export {};",
        "lib/style.css": "body {}",
        "notes.txt": "not for others",
        ".hidden.js": "not for others",
        "vendor/lit-html/lit-html.js": "export {};",
        "vendor/uplot/uPlot.esm.js": "export {};",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


class Place(NamedTuple):
    """An open port and what is behind it."""

    house: House
    archive: HandStore
    people: PeopleResults
    web: WebServer
    data: Path
    same_deals: SameDeals

    @property
    def port(self) -> int:
        return self.web.port

    def browser(self) -> Browser:
        return Browser(self.port)


@asynccontextmanager
async def site(
    folder: Path,
    *,
    catalog: CompetitionCatalog | None = None,
    house: House | None = None,
    home: str = "",
    clock: Callable[[], float] = time.time,
    push_fold: PushFoldSolver | None = None,
    desk: TournamentDesk | None = None,
    hand_coach: HandCoach | None = None,
) -> AsyncIterator[Place]:
    """A house with a port for people; it keeps its things in ``folder``."""
    house = house or House(guests=True)
    archive = HandStore(folder / "data" / "hands.sqlite3")
    people = PeopleResults(archive)
    same_deals = SameDeals(archive, bytes(32), clock)
    web = serve_web(
        house,
        "127.0.0.1",
        0,
        folder / "data",
        archive=archive,
        people=people,
        same_deals=same_deals,
        push_fold=push_fold,
        desk=desk,
        hand_coach=hand_coach,
        competitions=catalog,
        home=home,
        folder=pages(folder / "pages"),
    )
    try:
        yield Place(house, archive, people, web, folder / "data", same_deals)
    finally:
        async with asyncio.timeout(PATIENCE):
            await web.close()
            await archive.close()
    assert not house.connections
