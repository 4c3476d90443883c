"""Whole competitions: a real server on a real port in this process, real bot processes, real directories."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from server.competition.file import Competition, load_competition, parse_competition
from server.competition.runner import Runner
from server.competition.store import CompetitionStore
from server.competition.verify import verify_directory
from server.house.house import House
from strategy.registry import parameters_of, strategy_names
from tests.support.houses.people import Entrance, opened

ROOT = Path(__file__).resolve().parents[3]
#: Folders of ``tests/zoo``, by the names of the bots in them.
ANIMALS = {path.stem: path.parent.name for path in (ROOT / "tests/zoo").glob("*/*.py")}


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def _section(head: str, fields: Mapping[str, Any]) -> str:
    plain = {key: value for key, value in fields.items() if not isinstance(value, dict)}
    text = f"\n{head}\n" + "".join(f"{key} = {toml(value)}\n" for key, value in plain.items())
    for key, value in fields.items():
        if isinstance(value, dict):
            text += _section(f"[{head.strip('[]')}.{key}]", value)
    return text


def bot(name: str, **fields: Any) -> dict[str, Any]:
    """An entry of ``[[bots]]``; without more it is the house bot of that name."""
    return {"name": name, **(fields or {"run": name})}


def animal(name: str, **fields: Any) -> dict[str, Any]:
    """An entry of ``[[bots]]`` for one of ``tests/zoo``."""
    return bot(name, command=["{python}", "-m", f"tests.zoo.{ANIMALS[name]}.{name}"], **fields)


def division(name: str = "duel", **fields: Any) -> dict[str, Any]:
    """An entry of ``[[divisions]]``."""
    game = {} if "table" in fields else {"game": "holdem.limit.2p.reverse_blinds"}
    return {"name": name, **game, **fields}


def competition(
    bots: Sequence[Mapping[str, Any]],
    divisions: Sequence[Mapping[str, Any]],
    *,
    time: Mapping[str, int] | None = None,
    **fields: Any,
) -> str:
    """The text of a competition file."""
    text = "".join(
        f"{key} = {toml(value)}\n" for key, value in {"name": "test", "seed": "test", **fields}.items()
    )
    text += _section("[time]", {"decision_ms": 20_000, "bank_ms": 20_000, "start_ms": 30_000, **(time or {})})
    text += "".join(_section("[[bots]]", one) for one in bots)
    return text + "".join(_section("[[divisions]]", one) for one in divisions)


def all_families() -> Competition:
    """That of the file with every family of bots."""
    return load_competition(ROOT / "games" / "all-families.toml", strategy_names(), parameters_of)[0]


#: A competition to look at while it is played.
LIVE = competition(
    [bot("me", token="the token of me"), bot("call", reset="message", tables=2, run="call")],
    [division("duel", hands=3, matches=2), division("same", hands=2, matches=1)],
    workers=1,
    # One match after the other: then it can be written down what is released when.
    interleave=0,
    name="live",
)


class Played:
    """What a competition left behind."""

    def __init__(self, out: Path, runner: Runner) -> None:
        self.out = out
        self.runner = runner
        self.standings: dict[str, Any] = json.loads((out / "standings.json").read_text())
        self.incidents: dict[str, dict[str, dict[str, int]]] = json.loads(
            (out / "incidents.json").read_text()
        )

    def files(self) -> dict[str, bytes]:
        """Everything but the logs and the state, by name."""
        paths = (path for path in sorted(self.out.rglob("*")) if path.is_file())
        names = {path.relative_to(self.out): path for path in paths}
        private = ("logs", "state.db")
        return {str(name): path.read_bytes() for name, path in names.items() if name.parts[0] not in private}

    def logs(self, name: str) -> str:
        """What the bot wrote, over all its processes."""
        return "".join(path.read_text() for path in sorted((self.out / "logs" / "bots").glob(f"*{name}.log")))


@asynccontextmanager
async def hosted(
    text: str, out: Path, *, workers: int | None = None, library: Entrance = "picows"
) -> AsyncIterator[Runner]:
    """A runner at a listening house."""
    planned: Competition = parse_competition(text, ROOT)
    store = CompetitionStore(out)
    house = House(grace=planned.entry.time.grace_ms / 1000, storage=store.open_states)
    entrance = await opened(house, library)
    try:
        yield Runner(planned, text, house, f"ws://127.0.0.1:{entrance.port}/ws", store, workers=workers)
    finally:
        await entrance.close()
    assert not house.players
    assert not house.connections


async def run(
    text: str, out: Path, *, workers: int | None = None, library: Entrance = "picows", seconds: float = 60.0
) -> Played:
    """Play a competition to its end, and check every record of it."""
    async with hosted(text, out, workers=workers, library=library) as runner, asyncio.timeout(seconds):
        await runner.run()
    assert runner.progress.done
    sessions, hands = verify_directory(out)
    assert sessions == len(runner.competition.sessions)
    assert hands == sum(runner.progress.hands_done.values())
    played = Played(out, runner)
    # What the tables counted is what follows from the hands.
    assert played.incidents == runner.progress.incidents
    return played


PYTHON = sys.executable
