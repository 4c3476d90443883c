"""Every command in the documents is run; every option, variable and target is told, and no other."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from pokerd.commands.bot import bot_parser
from pokerd_bot.options import parse_options
from protocol.schema import typescript_types
from studies.harness.runner import study_names
from tests.docs.commands import BRIDGE, DEALER, REDEAL, subcommands
from tests.docs.pages import (
    COMMANDS,
    COMPETITION,
    PAGES,
    README,
    ROOT,
    WALKED,
    Block,
    blocks,
    code,
    command_lines,
    read,
    rows,
    section,
)
from tests.docs.workspace import environment, lay, shell
from tests.support.programs import eventually

#: Commands that take long or change the environment: make is asked whether and how it would run them.
PLANNED = {
    "make check": ["ruff check", "ruff format", "mypy", "lint-imports"],
    "make test": ["pytest"],
    "make test-all": ["pytest", "--ignore tests/chaos"],
    "make compete": ["-m pokerd compete games/example.toml"],
    # Played in ``tests/browser/real_server/test_real_play.py``.
    "make play": ["-m pokerd serve --url-only"],
}
#: Run with their output by ``test_made.py``.
MADE = {
    "python -m pokerd compete mine.toml",
    "python -m pokerd verify results/mine",
    "python -m pokerd rules kuhn.limit.2p",
    "python -m pokerd strength AdQc 3h4cJh",
    "python -m pokerd pushfold --stack 10",
    "python -m pokerd pushfold-match 59/37 games/pushfold/evolved.json --stack 10 --matches 4 --hands 50000",
    "python -m pokerd check-bot -- python mybot.py",
}
ACTIVATE = "source .venv/bin/activate"
SERVE = "python -m pokerd serve --tables 4"
#: Run by ``tests/system/pokerd/test_tokens.py`` and ``tests/browser/real_server/test_organiser.py``.
ADMIN_TOKEN = "python -m pokerd token issue --admin NAME"
SEAT = "python -m pokerd bot loki2"
STUDIES = "python -m pokerd study"
SCHEMA = "python -m pokerd schema --format typescript"
#: What ``make install`` runs, too.
RECOMPILE = {"python -m pokerd.compile", "python -m strategy.precompile"}
JOIN = {"python clients/examples/caller.py", "python clients/examples/json_bot.py table-2"}
#: Run by ``test_mqtt.py``, with a broker of their own.
WATCH = {
    "python -m pokerd serve --mqtt mqtt://127.0.0.1",
    "mosquitto_sub -V mqttv5 -v -t 'pokerd/v1/#'",
    "python clients/examples/mqtt_spectator.py mqtt://127.0.0.1",
}
#: Where there is no container engine they can only be read: see ``test_containers.py``.
READ = {
    "docker compose up --build",
    "docker compose --profile fleet up --build coordinator node-1 node-2 guest-1 guest-2",
}
#: How versions are moved; shown in CONTRIBUTING.md, and harmless to run up to the pipe.
FREEZE = re.compile(r"\.venv/bin/python -m pip freeze .*> constraints\.txt")


def commands() -> Iterator[tuple[Block, str]]:
    for page in set(PAGES) - set(WALKED):
        for block in blocks(page, "sh"):
            for line in command_lines(block):
                yield block, line


def test_every_command_is_run_by_a_test() -> None:
    # test_fleet.py runs all of its page, as another user, beside a database; so does test_environment.py.
    here = [line for block, line in commands() if block.page.name not in ("fleet.md", "environment.md")]
    told = {line for line in here if not FREEZE.fullmatch(line)}
    alone = {ACTIVATE, SERVE, ADMIN_TOKEN, SEAT, STUDIES, SCHEMA, BRIDGE, DEALER, REDEAL}
    assert told == {*PLANNED, *MADE, *RECOMPILE, *JOIN, *WATCH, *READ, *alone}


@pytest.mark.parametrize("command", PLANNED)
def test_make_knows_the_target_and_what_it_would_run(command: str, tmp_path: Path) -> None:
    plan = shell(f"{command.replace('make', 'make --dry-run')}", lay(tmp_path))
    for part in PLANNED[command]:
        assert part in plan
    for program in re.findall(r"\.venv/bin/[\w-]+", plan):
        assert (tmp_path / program).exists(), program


def test_make_compete_plays_a_competition(tmp_path: Path) -> None:
    place = lay(tmp_path)
    shorter = re.sub(r"hands = \d+", "hands = 2", (ROOT / "games" / "example.toml").read_text("utf-8"))
    shorter = shorter.replace('name = "example"', 'name = "short"')
    # Its house bots would be started anew for each of the sessions.
    shorter = re.sub(r'(run = "\w+")', r'\1\nreset = "message"\ntables = 4', shorter)
    for bot in ("fair", "raise"):
        shorter = re.sub(rf'\[\[bots\]\]\nname = "{bot}".*?\n\n', "", shorter, flags=re.DOTALL)
    (place / "short.toml").write_text(shorter, encoding="utf-8")
    told = shell("make --old-file=.venv/.installed compete COMPETITION=short.toml", place)
    assert "limit-3p" in told
    assert "nolimit-2p" in told
    assert (place / "results" / "short" / "standings.json").is_file()


def test_the_versions_can_be_listed(tmp_path: Path) -> None:
    (line,) = [line for _, line in commands() if FREEZE.fullmatch(line)]
    assert "picows==" in shell(line.replace("> constraints.txt", ""), lay(tmp_path))


Text = subprocess.Popen[str]


@contextmanager
def running(command: str, place: Path, **variables: str) -> Iterator[Text]:
    """A program that runs until it is stopped; what it says can be read."""
    with subprocess.Popen(
        shlex.split(command),
        cwd=place,
        env=environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)


def address(server: Text) -> tuple[str, str]:
    """Where a server listens, once it does, and what it printed until then."""
    assert server.stdout is not None
    first = server.stdout.readline()
    found = re.search(r"ws://\S+", first)
    assert found, first
    return found[0], first + server.stdout.readline()


def shown(words: str) -> str:
    """The block of output in the README that holds these words."""
    (block,) = [block for block in blocks(README, "text") if words in block.text]
    return block.text


def test_the_bots_of_the_readme_join_the_server_of_the_readme(tmp_path: Path) -> None:
    place = lay(tmp_path)
    caller, plain = sorted(JOIN)
    log = place / "server.jsonl"
    with running(f"{SERVE} --port 0 --web-port 0 --log-level info --log-file {log}", place) as server:
        url, lines = address(server)
        assert lines.replace(url, "ws://127.0.0.1:8000") == shown("ws://127.0.0.1:8000")
        with running(caller, place, POKERD_URL=url) as bot:
            assert bot.stderr is not None
            said = list(takewhile(lambda line: "10 hands" not in line, bot.stderr))
            assert "".join(said).startswith(shown("holdem.nolimit.3p"))
            assert bot.poll() is None
        assert bot.returncode == 130
        # Without the SDK.
        with running(plain, place, POKERD_URL=url):
            eventually(lambda: hands(log, "table-2"))
            assert 2 in hands(log, "table-2")[0]["seats"]
        # A house bot, where the caller has left.
        with running(SEAT, place, POKERD_URL=url) as bot:
            assert bot.stderr is not None
            said = list(takewhile(lambda line: "1 hand" not in line, bot.stderr))
            seated = ("table-1", "holdem.nolimit.3p", "fair-1", "call-2", "loki2")
            assert any(all(word in line for word in seated) for line in said)
            assert bot.poll() is None
        assert bot.returncode == 130
    assert server.returncode == 130


def hands(log: Path, table: str) -> list[dict[str, Any]]:
    """What a log tells of the hands of a table."""
    told = map(json.loads, log.read_text("utf-8").rpartition("\n")[0].splitlines())
    return [event for event in told if event["event"] == "hand" and event["table"] == table]


def test_the_messages_are_printed(tmp_path: Path) -> None:
    assert shell(SCHEMA, lay(tmp_path)) == typescript_types()


def test_the_studies_are_listed(tmp_path: Path) -> None:
    assert [line.split()[0] for line in shell(STUDIES, lay(tmp_path)).splitlines()] == list(study_names())


def test_where_nothing_has_changed_nothing_is_compiled(tmp_path: Path) -> None:
    place = lay(tmp_path)
    for command in sorted(RECOMPILE):
        assert shell(command, place) == ""


def test_the_environment_can_be_activated(tmp_path: Path) -> None:
    told = shell(f"{ACTIVATE} && command -v python && command -v pokerd", lay(tmp_path))
    assert len(told.splitlines()) == 2


# Options, variables and targets.


def options_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The options of a command, and of all that it can be told to do."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from options_of(below)
        elif action.option_strings:
            yield action


def documented(heading: str) -> dict[str, tuple[str, str]]:
    """Options in the table under a heading: the option, what follows it, and its default."""
    found = {}
    for option, default, *_ in rows(section(COMMANDS, heading)):
        name, _, value = option.strip("`").partition(" ")
        if name.startswith("-"):
            found[name] = (value, default)
    return found


#: What several commands take; their own tables hold what is different for them.
SHARED = "## Server options"


def test_every_command_has_a_section_and_no_other() -> None:
    headings = re.findall(r"^## ([a-z-]+)$", COMMANDS.read_text("utf-8"), re.MULTILINE)
    assert set(headings) - {"make"} == set(subcommands())


@pytest.mark.parametrize("command", sorted(set(subcommands()) - {"bot", "dealer"}))
def test_every_option_is_told_with_its_default(command: str) -> None:
    told = documented(f"## {command}")
    shared = vars(parse_options([])) if command == "bridge" else {}
    known = {
        action.option_strings[-1]: action
        for action in options_of(subcommands()[command])
        # Options that may stand before and after the action have their default where they stand before.
        if action.dest not in ("help", *shared) and action.default is not argparse.SUPPRESS
    }
    if "(#server-options)" in section(COMMANDS, f"## {command}"):
        told = {name: row for name, row in documented(SHARED).items() if name in known} | told
    assert set(told) == set(known)
    for name, action in known.items():
        value, default = told[name]
        if action.nargs == 0:
            assert (value, default) == ("", "off"), name
        else:
            assert value, name
            if action.default not in (None, ""):
                parts = action.default if isinstance(action.default, tuple) else (action.default,)
                written = " ".join(f"{part:g}" if isinstance(part, float) else str(part) for part in parts)
                assert default in (f"`{written}`", f"`{action.default}`"), name
        for choice in action.choices or ():
            if isinstance(choice, str):
                assert f"`{choice}`" in section(COMMANDS, SHARED) + section(COMMANDS, f"## {command}")


def test_the_options_of_a_bot_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("POKERD_")]:
        monkeypatch.delenv(name)
    known = vars(bot_parser("fair").parse_args([]))
    told = documented("## bot")
    assert {name.removeprefix("--").replace("-", "_") for name in told} == set(known)
    for name, (_, default) in told.items():
        value = known[name.removeprefix("--").replace("-", "_")]
        if value not in ("", False):
            assert default.endswith(f"`{value}`"), name


def test_the_house_bots_are_told() -> None:
    # ``test_bots.py`` holds that page against the registry.
    for text in (section(COMMANDS, "## bot"), README.read_text("utf-8"), read(COMPETITION)):
        assert "bots.md)" in text


def test_every_environment_variable_is_told_and_no_other() -> None:
    read: set[str] = set()
    for room in ("clients", "dealer", "pokerd", "protocol", "server", "strategy", "studies"):
        for path in (ROOT / room).rglob("*.py"):
            read |= set(re.findall(r"\bPOKERD_[A-Z_]+", path.read_text("utf-8")))
    told = {code(first)[0] for first, *_ in rows(section(COMMANDS, "## Environment variables"))}
    assert told == read
    mentioned = {name for page in PAGES for name in re.findall(r"\bPOKERD_[A-Z_]+", page.read_text("utf-8"))}
    assert mentioned == read


def test_every_target_of_make_is_told_and_no_other() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE)) - {"help"}
    told = {code(first)[0].removeprefix("make ") for first, *_ in rows(section(COMMANDS, "## make"))}
    assert told == targets
    everywhere = "".join(page.read_text("utf-8") for page in PAGES)
    assert set(re.findall(r"`make ([a-z-]+)", everywhere)) <= targets


def test_the_readme_names_the_tests_and_what_they_need() -> None:
    named = set(re.findall(r"`(make [a-z-]+)`", read(README)))
    assert {"make test", "make test-all", "make system"} <= named


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_the_text_exist(page: Path) -> None:
    known = subcommands()
    for command, rest in re.findall(r"`(?:python -m )?pokerd ([a-z-]+)([^`]*)`", page.read_text("utf-8")):
        assert command in known, command
        options = re.findall(r"--[a-z-]+", rest)
        assert set(options) <= {text for one in options_of(known[command]) for text in one.option_strings}
