"""New projects for authors of bots: a bot that plays, its test, a competition, and a page that says how."""

from __future__ import annotations

import re
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

from clients.errors import ClientError

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")


class NewBotError(ClientError):
    """No project is made: ``bad_name``, ``already_there`` or ``not_written``; nothing was changed."""


class Language(NamedTuple):
    """How bots are written in a language: ``source`` is one of ``clients/examples``, empty for the SDK;
    ``build`` and ``command`` are shell words with ``NAME`` for the bot's name.
    """

    source: str
    build: str
    command: tuple[str, ...]


LANGUAGES: Final = {
    "python": Language("", "", ("{python}", "NAME.py")),
    "javascript": Language("bot.mjs", "npm install ws", ("node", "NAME.mjs")),
    "go": Language(
        "bot.go", "GO111MODULE=off GOPATH=/usr/share/gocode go build -o NAME NAME.go", ("./NAME",)
    ),
    "cpp": Language("bot.cpp", "g++ -std=c++17 -Wall -Wextra -O1 NAME.cpp -pthread -o NAME", ("./NAME",)),
}

_BOT: Final = '''\
"""NAME: plays when its chance to win is worth the price."""

from pokerd_bot import Action, Bot, Turn, equity, run


class Player(Bot):
    def act(self, turn: Turn) -> Action:
        hand = turn.hand
        players = len(hand.opponents)
        chance = equity(hand.hole, hand.board, opponents=players, rng=self.match.rng, samples=100)
        if chance > 0.65:
            return turn.raise_pot(0.75)
        if chance > turn.pot_odds:
            return turn.call()
        return turn.check_or_fold()


if __name__ == "__main__":
    raise SystemExit(run(Player))
'''

_TEST: Final = '''\
"""Tests of NAME: no server is needed."""

from NAME import Player
from pokerd_bot.testing import decide, play


def test_it_raises_with_aces() -> None:
    assert decide(Player, "hole=AhAd actions=r300").kind == "raise"


def test_it_beats_a_bot_that_calls_everything() -> None:
    won, half_width = play([Player, "call"], hands=300).mbb()
    assert won > half_width
'''

_COMPETITION: Final = """\
name = "NAME"

[[divisions]]
name = "heads-up"
game = "holdem.nolimit.2p.reverse_blinds"
hands = 100

[[divisions]]
name = "three"
game = "holdem.nolimit.3p"
hands = 50

[[bots]]
name = "NAME"
command = [COMMAND]

[[bots]]
name = "fair"
run = "fair"

[[bots]]
name = "call"
run = "call"
"""


#: Keeps out the settings of a checkout around the folder, and the warnings of libraries of house bots.
_PYTEST: Final = """\
[pytest]
addopts = -p no:asyncio
filterwarnings = ignore::DeprecationWarning
"""


def create_project(folder: Path, language: str) -> list[str]:
    """Write a project into the new ``folder``, whose name is the bot's. Returns the commands to run next,
    inside of it. Raises ``NewBotError``.
    """
    name, kind = folder.name, LANGUAGES[language]
    if not _NAME.fullmatch(name):
        wanted = "use up to 32 lower-case letters, digits and '_', beginning with a letter"
        raise NewBotError("bad_name", f"{name!r} is not a name for a bot: {wanted}")
    command = [word.replace("NAME", name) for word in kind.command]
    start = " ".join(command).replace("{python}", "python")
    commands = [
        *([kind.build] if kind.build else [f"python -m pytest -q test_{name}.py"]),
        f"python -m pokerd check-bot --quick -- {start}",
        f"python -m pokerd compete {name}.toml",
        f"python -m pokerd replay results/{name} --session heads-up/m0000-l000-s0 --hand 1",
    ]
    commands = [command.replace("NAME", name) for command in commands]
    words = ", ".join(f'"{word}"' for word in command)
    texts = {f"{name}.toml": _COMPETITION.replace("COMMAND", words), "README.md": _readme(commands)}
    if kind.source:
        source = files("clients") / "examples" / kind.source
        texts[f"{name}{Path(kind.source).suffix}"] = source.read_text("utf-8")
    else:
        texts |= {f"{name}.py": _BOT, f"test_{name}.py": _TEST, "pytest.ini": _PYTEST}
    _write(
        folder,
        {file: text.replace("NAME", name) if not _is_source(file) else text for file, text in texts.items()},
    )
    return commands


def _is_source(file: str) -> bool:
    """Whether a file is an example as it is, in which ``NAME`` may mean something."""
    return Path(file).suffix in (".mjs", ".go", ".cpp")


def _readme(commands: list[str]) -> str:
    *first, check, compete, replay = commands
    return "\n".join(
        [
            "# NAME",
            "",
            "A bot for pokerd. Inside this folder:",
            "",
            *(f"    {command}" for command in first),
            f"    {check}",
            f"    {compete}",
            "",
            "The last one plays `NAME.toml` and writes hands and standings to `results/NAME`. To see what",
            "the bot did in a hand, and whether it would do the same again:",
            "",
            f"    {replay}",
            "",
        ]
    )


def _write(folder: Path, texts: dict[str, str]) -> None:
    """All files or none."""
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise NewBotError("already_there", f"{folder} exists; choose another name") from None
    except OSError as error:
        raise NewBotError("not_written", f"{folder}: {error.strerror}") from None
    try:
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise NewBotError("not_written", f"{folder}: {error.strerror}") from None
