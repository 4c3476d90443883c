"""A ladder in this process: real files, real matches, and a port for people."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from server.auth.tokens import hash_token
from server.bots.sandbox import Sandbox
from server.house.house import House
from server.ladder.config import load_config
from server.ladder.ladder import ORGANISER, Ladder
from server.ladder.roster import read_roster
from server.ladder.store import LadderStore
from server.net import gateway
from server.storage.competition_state import OpenStates
from server.web.site import serve_web
from tests.support.houses.http_client import Browser, pages

PATIENCE = 60.0
CONFIG = """\
name = "spring"
house = ["call", "random", "raise"]
baselines = 2
deal_sets = 10
{more}
[[grades]]
name = "beats call"
beats = "call"
"""
#: A deadline in the future.
DEADLINE = '[[deadlines]]\nname = "hand-in"\nat = 2099-01-31T23:59:00+01:00\n'
#: A program that calls whatever happens.
CALLER = b"""\
from pokerd_bot import Bot, run


class Caller(Bot):
    def act(self, turn):
        return turn.call()


raise SystemExit(run(Caller))
"""


class Place(NamedTuple):
    """A ladder with the authors ann, bob and cleo, their tokens, and that of the organiser."""

    ladder: Ladder
    port: int
    tokens: dict[str, str]

    def browser(self) -> Browser:
        return Browser(self.port)


def write_ladder(folder: Path, more: str = "") -> dict[str, str]:
    """Write the directory of a ladder, and return the tokens."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ladder.toml").write_text(CONFIG.format(more=more), encoding="utf-8")
    store = LadderStore(folder, "1")
    enrolled = read_roster("name,group\nann,A\nbob,A\ncleo,B\n", store.authors(), [])
    store.put_authors([one.author for one in enrolled])
    store.set_fact(ORGANISER, hash_token("the-organisers-token"))
    store.close()
    return {**{one.author.name: one.token for one in enrolled}, "organiser": "the-organisers-token"}


def zipped(**files: bytes) -> bytes:
    """Return an archive of files; ``bot_py`` is ``bot.py``."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("_", "."), data)
    return out.getvalue()


@asynccontextmanager
async def ladder_place(folder: Path, more: str = "") -> AsyncIterator[Place]:
    """A ladder in ``folder`` that plays nothing until ``ladder.run`` is called."""
    async with reopened_place(folder, write_ladder(folder / "ladder", more)) as place:
        yield place


@asynccontextmanager
async def reopened_place(folder: Path, tokens: dict[str, str]) -> AsyncIterator[Place]:
    """The ladder that is in ``folder`` already."""
    config = load_config(folder / "ladder")
    store = LadderStore(folder / "ladder", config.season)
    open_states = OpenStates()
    house = House(grace=2.0, storage=open_states)
    entrance = await gateway.serve(house, "127.0.0.1", 0)
    url = f"ws://127.0.0.1:{entrance.port}"
    ladder = Ladder(folder / "ladder", config, store, house, url, Sandbox((), strictness="off"), open_states)
    web = serve_web(house, "127.0.0.1", 0, home="/ladder", ladder=ladder, folder=pages(folder / "pages"))
    try:
        yield Place(ladder, web.port, tokens)
    finally:
        async with asyncio.timeout(PATIENCE):
            await web.close()
            await entrance.close()
            store.close()
