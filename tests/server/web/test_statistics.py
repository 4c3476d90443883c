"""Statistics over the API: for administrators alone, and within bounds."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from dealer.rules.games import holdem
from server.auth.policy import AdmissionPolicy
from server.auth.tokens import edit_access, make_quota
from server.bots.offered import OfferedBot
from server.bots.processes import ProcessManager
from server.house.admin import Administration
from server.house.house import House
from server.house.lobby import Lobby
from server.storage.hand_store import HandStore
from server.web.admin_api import MAX_DAYS
from server.web.site import serve_web
from tests.dealer.records.played import random_hand
from tests.support.houses.http_client import Answer, Browser, pages

GAME = holdem(3, 5, 10, stack=300)


class Desk(NamedTuple):
    """A server with three hands in its archive, and its tokens."""

    browser: Browser
    root: str
    player: str

    async def ask(self, path: str, token: str | None = None) -> Answer:
        token = self.root if token is None else token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return await self.browser.get(f"/api/admin/{path}", **headers)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    with edit_access(tmp_path / "data") as access:
        root, player = access.issue("root", make_quota(), admin=True), access.issue("rob", make_quota())
    archive = HandStore(tmp_path / "data" / "hands.sqlite3")
    table = archive.open_table("table-1", mode="cash", game=GAME, seats=3, commitment="c")
    table.begin(GAME, [("ann", "secret of ann"), ("Zoë", "secret of zoe"), ("fair-1", "")])
    for number in (1, 2, 3):
        table.record_hand(random_hand(GAME, random.Random(number), number).events)
    rules = AdmissionPolicy(access, guests=True)
    lobby = Lobby(ProcessManager(), bots={"fair": OfferedBot()}, make_house=partial(House, admission=rules))
    web = serve_web(
        lobby.house,
        "127.0.0.1",
        0,
        archive=archive,
        administration=Administration(lobby.house, tmp_path / "data"),
        folder=pages(tmp_path / "pages"),
    )
    yield Desk(Browser(web.port), root, player)
    await web.close()
    await archive.close()


async def test_who_has_played_is_listed_and_has_results(desk: Desk) -> None:
    listed = (await desk.ask("players")).json()["players"]
    assert {(one["player"], one["hands"]) for one in listed} == {("ann", 3), ("Zoë", 3)}
    for name in ("ann", "Zo%C3%AB", "fair-1"):
        found = (await desk.ask(f"statistics?player={name}&days={MAX_DAYS}&mode=cash")).json()
        assert (found["total"]["hands"], found["looked_at"], found["complete"]) == (3, 3, True)
        assert (found["games"][0]["label"], found["sessions"][0]["label"]) == (GAME.name, "table-1.1")
    answer = await desk.ask("statistics?player=ann")
    assert answer.json()["browsers"] == 1
    assert "secret" not in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert (await desk.ask("statistics?player=nobody")).json()["total"]["hands"] == 0


@pytest.mark.parametrize("path", ["players", "statistics?player=ann", "statistics"])
async def test_strangers_and_players_learn_nothing(desk: Desk, path: str) -> None:
    for token, status, code in (
        ("", 401, "no_token"),
        ("x", 401, "bad_token"),
        (desk.player, 403, "not_admin"),
    ):
        answer = await desk.ask(path, token)
        assert (answer.status, answer.json()["code"]) == (status, code)
        assert "ann" not in answer.json()["message"].split()


@pytest.mark.parametrize(
    "path",
    [
        "statistics",
        "statistics?player=",
        f"statistics?player={'x' * 65}",
        "statistics?player=ann&days=0",
        f"statistics?player=ann&days={MAX_DAYS + 1}",
        "statistics?player=ann&days=x",
        "statistics?player=ann&mode=poker",
        "players?days=-1",
    ],
)
async def test_what_makes_no_sense_is_refused(desk: Desk, path: str) -> None:
    answer = await desk.ask(path)
    assert (answer.status, answer.json()["code"]) == (400, "bad_parameter")
