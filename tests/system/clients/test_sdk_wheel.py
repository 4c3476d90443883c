"""The SDK as its own distribution: small, complete, and unmoved by what an author calls his own files."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest

from server.tables.player import Player
from tests.support.houses.open_house import come, opened, until
from tests.support.houses.people import at_table
from tests.support.programs import PYTHON, ROOT, Program

#: The libraries that it needs.
NEEDED = ("msgspec", "websockets")
OWN_FILES = (
    "protocol",
    "dealer",
    "server",
    "clients",
    "strategy",
    "pokerd",
    "games",
    "hand",
    "bot",
    "client",
)
BOT = """
import {own}
from pokerd_bot import Action, Bot, Turn, equity, hand_rank, run
from pokerd_bot.testing import play

assert all(module.MINE for module in ({own}))


class Mine(Bot):
    def act(self, turn: Turn) -> Action:
        assert 0 <= equity(turn.hand.hole, turn.hand.board, samples=10) <= 1
        assert turn.match.game.players == len(turn.hand.players) == 2
        return turn.raise_pot(0.5) if turn.hand.number % 3 == 0 else turn.call()


assert hand_rank("AhKhQhJhTh2c3d") > hand_rank("AhAdAcAsKd")
assert play([Mine, "call"], hands=5).hands == 5
raise SystemExit(run(Mine))
"""
PIP = (PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdk")
    # With the setuptools that are here: that needs no network.
    build = (*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder)
    subprocess.run([*build, ROOT / "clients" / "sdk"], check=True, timeout=300)
    (wheel,) = folder.glob("pokerd_bot-*-py3-none-any.whl")
    return wheel


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A bot beside files of the author's own that have names of ours."""
    for name in OWN_FILES:
        (tmp_path / f"{name}.py").write_text("MINE = True\n")
    (tmp_path / "mine.py").write_text(BOT.format(own=", ".join(OWN_FILES)))
    return tmp_path / "mine.py"


async def play_at_a_server(python: str | Path, script: Path, **variables: str) -> None:
    async with opened() as (house, url), come(url) as opponent:
        players = [Player("mine", "my token"), Player("bob", "bob's token")]
        actor = at_table(house, players, hands=20)
        await opponent.say("hello", name="bob", token="bob's token")
        words = (script.name, "--url", url, "--token", "my token")
        with Program(python, *words, cwd=script.parent, variables=variables) as program:
            await opponent.play(hands=20)
            await until(lambda: actor.table.over)
            house.remove_player(players[0])
            await until(lambda: program.process.poll() is not None)
            assert program.end() == 0, program.lines
        assert not actor.seats[0].incidents


@pytest.fixture
def light(wheel: Path, tmp_path: Path) -> Path:
    """The Python of an environment with nothing but the SDK and what it needs; nothing was compiled."""
    folder = tmp_path / "environment"
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", folder], check=True, timeout=300)
    (packages,) = folder.glob("lib/python*/site-packages")
    for needed in NEEDED:
        for file in metadata.files(needed) or ():
            if ".." not in file.parts:  # a command of the library lies elsewhere
                (packages / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.locate(), packages / file)
    python = folder / "bin" / "python"
    # Refused if it needs more than what is there.
    install = (*PIP, "--python", python, "install", "--no-index", wheel)
    subprocess.run(install, check=True, timeout=300)
    return python


async def test_it_is_small_and_plays_beside_any_file(light: Path, script: Path) -> None:
    (packages,) = light.parents[1].glob("lib/python*/site-packages")
    (sdk,) = metadata.distributions(name="pokerd-bot", path=[str(packages)])
    needed = [re.match(r"[\w-]+", one) for one in sdk.requires or () if "extra ==" not in one]
    assert {one[0] for one in needed if one} == set(NEEDED)
    files = [path for path in packages.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 10_000_000
    assert (packages / "pokerd_bot" / "py.typed") in files
    assert not [path for path in (packages / "pokerd_bot").rglob("*") if path.suffix in (".so", ".pyd")]
    await play_at_a_server(light, script)


@pytest.fixture
def beside_pokerd(wheel: Path, tmp_path: Path) -> dict[str, str]:
    """Variables with which the wheel comes first in the environment of pokerd."""
    folder = tmp_path / "packages"
    with ZipFile(wheel) as packed:
        packed.extractall(folder)
    return {"PYTHONPATH": str(folder)}


async def test_it_may_lie_in_the_environment_of_pokerd(beside_pokerd: dict[str, str], script: Path) -> None:
    """Then house bots use it, too."""
    await play_at_a_server(PYTHON, script, **beside_pokerd)
    async with opened() as (house, url):
        players = [Player("fair", "f"), Player("call", "c")]
        actor = at_table(house, players, hands=20)
        options = ("--url", url, "--token")
        with (
            Program(PYTHON, "-m", "pokerd", "bot", "fair", *options, "f", variables=beside_pokerd) as fair,
            Program(PYTHON, "-m", "pokerd", "bot", "call", *options, "c", variables=beside_pokerd) as call,
        ):
            await until(lambda: actor.table.over)
            assert fair.stop() == call.stop() == 130
        assert not any(seat.incidents for seat in actor.seats)
