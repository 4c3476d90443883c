"""A ladder in this process: real files, real matches, and a port for people."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from dealer.ratings.dice import DiceSums
from dealer.ratings.results import Results
from server.auth.tokens import hash_token
from server.bots.sandbox import Sandbox
from server.bots.unpack import hash_of_files
from server.house.house import House
from server.ladder.config import load_config
from server.ladder.ladder import Ladder
from server.ladder.records import Author, MatchResult
from server.ladder.roster import read_roster
from server.ladder.store import ORGANISER, LadderStore
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


def prepared(
    folder: Path, config: str, house: Sequence[str], line_ups: Iterable[Sequence[str]], **programs: str
) -> Path:
    """Write a ladder with a known key, house bots and pushed programs by author, all of them rated, in which
    matches of these line-ups wait.
    """
    folder.mkdir()
    (folder / "ladder.toml").write_text(config, encoding="utf-8")
    store = LadderStore(folder, "1")
    store.set_fact("key", "07" * 32)
    store.put_authors([Author(author, hash_token(author), "") for author in programs])
    for bot in house:
        store.add_version(bot, "house", "", (), "rated", 0.0)
    for author, text in programs.items():
        files = folder / "versions" / hash_of_files({"bot.py": text.encode()})
        files.mkdir(parents=True)
        (files / "bot.py").write_text(text, encoding="utf-8")
        store.add_version(author, "pushed", files.name, ("{python}", "bot.py"), "rated", 0.0)
    for line_up in line_ups:
        store.add_match(line_up, "rated", 0.0)
    store.close()
    return folder


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


def add_version(ladder: Ladder, bot: str, at: float, state: str = "rated") -> str:
    """A version as if it had been pushed, checked and rated."""
    store = ladder.store
    name = store.add_version(bot, "pushed", "4f21c0", ("{python}", "bot.py"), "received", at).name
    for step in {"rated": ("checking", "ready", "rated"), "refused": ("checking", "refused")}[state]:
        store.set_state(name, step, at, "check-bot found 2 faults" if step == "refused" else "")  # type: ignore[arg-type]
    return name


def add_result(ladder: Ladder, line_up: Sequence[str], mbb: Sequence[float], at: float) -> int:
    """A match as if it had been played: ``mbb`` are the first one's results by deal set."""
    match = ladder.store.add_match(line_up, "rated", at)
    results = Results()
    for value in mbb:
        results.add(list(line_up), [value, -value])
    sums = results.sums(line_up)
    assert sums is not None
    ladder.store.start_match(match.number)
    result = MatchResult(DiceSums((), sums), {})
    ladder.store.end_match(match.number, at, 3.6, result, {line_up[0]: {"timeout": 2}} if mbb[0] < 0 else {})
    return match.number


async def reopened(place: Place) -> None:
    """Let the ladder see what was written past it."""
    ladder = place.ladder
    ladder._results = ladder.store.results()
    ladder._last = ladder.store.last_matches()
    ladder._report_change()


async def filled(place: Place) -> None:
    """Ann beats everybody, bob loses; a minute passes from match to match."""
    ladder = place.ladder
    ann, bob = add_version(ladder, "ann", 10.0), add_version(ladder, "bob", 20.0)
    for number in range(40):
        at = 100.0 + 60 * number
        wobble = 40.0 * (number % 3 - 1)
        add_result(ladder, [ann, ("call", "random")[number % 2]], [500 + wobble, 400.0, 450.0], at)
        add_result(ladder, [bob, ("call", "random")[number % 2]], [-300 + wobble, -280.0, -310.0], at)
    await reopened(place)
