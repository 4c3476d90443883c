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
    """How bots are written in a language, with ``NAME`` for the bot's name.

    ``sources`` are the bot and its test in ``clients/examples``, none for the SDK; ``needs``: what must be
    installed; ``first``: shell commands that build and test it; ``command`` starts it.
    """

    sources: tuple[str, ...]
    needs: str
    first: tuple[str, ...]
    command: tuple[str, ...]


_GO: Final = "GO111MODULE=off GOPATH=/usr/share/gocode go"
_CPP: Final = "g++ -std=c++17 -Wall -Wextra -O1 {0}.cpp -pthread -o {0}"

LANGUAGES: Final = {
    "python": Language(
        (),
        "pokerd, in the active environment",
        ("python -m pytest -q test_NAME.py",),
        ("{python}", "NAME.py"),
    ),
    "javascript": Language(
        ("bot.mjs", "bot.test.mjs"),
        "Node.js 18 or later; from 22 on the package `ws` is not needed",
        ("npm install ws", "node --test NAME.test.mjs"),
        ("node", "NAME.mjs"),
    ),
    "go": Language(
        ("bot.go", "bot_test.go"),
        "on Debian and Ubuntu the packages `golang-go` and `golang-github-gorilla-websocket-dev`",
        (f"{_GO} build -o NAME NAME.go", f"{_GO} test NAME.go NAME_test.go"),
        ("./NAME",),
    ),
    "cpp": Language(
        ("bot.cpp", "bot_test.cpp"),
        "on Debian and Ubuntu the packages `g++`, `libboost-dev` and `nlohmann-json3-dev`",
        (_CPP.format("NAME"), f"{_CPP.format('NAME_test')} && ./NAME_test"),
        ("./NAME",),
    ),
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
        *kind.first,
        f"python -m pokerd check-bot --quick -- {start}",
        f"python -m pokerd compete {name}.toml",
        f"python -m pokerd replay results/{name} --session heads-up/m0000-l000-s0 --hand 1",
    ]
    commands = [command.replace("NAME", name) for command in commands]
    words = ", ".join(f'"{word}"' for word in command)
    texts = {f"{name}.toml": _COMPETITION.replace("COMMAND", words), "README.md": _readme(kind, commands)}
    if not kind.sources:
        texts |= {f"{name}.py": _BOT, f"test_{name}.py": _TEST, "pytest.ini": _PYTEST}
    texts = {file: text.replace("NAME", name) for file, text in texts.items()}
    for file in kind.sources:
        source = (files("clients") / "examples" / file).read_text("utf-8")
        texts[_named(file, name)] = _named(source, name)
    _write(folder, texts)
    return commands


def _named(text: str, name: str) -> str:
    """The names of the files of ``clients/examples`` in ``text`` with ``name`` for ``bot``."""
    return re.sub(r"\bbot(?=[._]test\b|\.(?:mjs|go|cpp)\b)", name, text)


def _readme(kind: Language, commands: list[str]) -> str:
    *first, check, compete, replay = commands
    advice = [
        "`check-bot` gives the advice to connect again when the connection breaks: this bot ends there.",
        "",
    ]
    return "\n".join(
        [
            "# NAME",
            "",
            f"A bot for pokerd. It needs {kind.needs}. Inside this folder:",
            "",
            *(f"    {command}" for command in first),
            f"    {check}",
            f"    {compete}",
            "",
            *(advice if kind.sources else []),
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
