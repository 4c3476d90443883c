"""The wheel is complete: installed outside of the checkout, every command does its work."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import site
import subprocess
import sys
import sysconfig
from pathlib import Path
from urllib.request import urlopen

import pytest

from pokerd.__main__ import command_parser
from tests.support.postgres import Postgres
from tests.support.programs import PYTHON, ROOT, Program, outcome, quick_compiler

COMPETITION = """name = "mine"
seed = "first try"
divisions = [{ name = "heads-up", game = "kuhn.limit.2p", hands = 4 }]
bots = [{ name = "one", run = "call" }, { name = "two", run = "random" }]
"""

#: To compile all modules takes most of a minute, and every checkout does it. These are used by the commands
#: below, lie in all kinds of places, and two inherit from others.
COMPILED = (
    *("dealer.rules.actions", "dealer.rules.betting", "dealer.rules.cards", "dealer.rules.legal"),
    *("pokerd_bot.client", "pokerd_bot.seat", "clients.acpc.bridge", "clients.slumbot.player"),
)
EACH = """
import json, sys
from pokerd.__main__ import main
for words in json.loads(sys.argv[1]):
    assert main(words) == 0, words
    print(end="\\f", flush=True)
"""


class Installed:
    """pokerd installed from its wheel; ``folder`` is where its commands run. Only libraries are shared with
    the environment of the tests.
    """

    def __init__(self, folder: Path) -> None:
        source = folder / "source"
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file() and not name.startswith(("tests/", "docs/")):
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, source / name)
        shutil.copytree(ROOT / "clients/web/vendor", source / "clients/web/vendor")
        listing = source / "pokerd" / "compiled.py"
        text, count = re.subn(
            r"(?s)(MODULES: Final = )\(\n.*?\n\)", rf"\g<1>{COMPILED!r}", listing.read_text("utf-8")
        )
        assert count == 1
        listing.write_text(text, encoding="utf-8")
        built = f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
        for left in ("build/lib", f"build/{built}"):
            (source / left / "dealer").mkdir(parents=True)
            (source / left / "dealer" / "left_over.py").touch()
        subprocess.run([PYTHON, "-m", "venv", "--without-pip", folder / "env"], check=True, timeout=300)
        self.python = folder / "env" / "bin" / "python"
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        packages = folder / "env" / "lib" / version / "site-packages"
        pip = (PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        # It makes the wheel, with the setuptools and the mypy that are here: that needs no network.
        subprocess.run(
            [*pip, "--no-deps", "--no-build-isolation", "--no-compile", "--target", packages, source],
            env={**os.environ, "CC": str(quick_compiler(folder, "cc", "-w"))},
            check=True,
            timeout=300,
        )
        shutil.rmtree(source)
        (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()))
        self.folder = folder / "elsewhere"
        self.folder.mkdir()
        (self.folder / "mine.toml").write_text(COMPETITION)

    def words(self, *words: object) -> list[str]:
        return [str(self.python), "-m", "pokerd", *map(str, words)]

    def run(self, *words: object, **variables: str) -> str:
        """Run a command to its good end: what it prints."""
        done = outcome(*self.words(*words), cwd=self.folder, variables=variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run_each(self, *commands: tuple[object, ...], **variables: str) -> list[str]:
        """Run commands in one process, which loads their libraries once: what each prints."""
        words = json.dumps([[*map(str, command)] for command in commands])
        done = outcome(self.python, "-c", EACH, words, cwd=self.folder, variables=variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.split("\f")[:-1]

    def start(self, *words: object) -> Program:
        return Program(*self.words(*words), cwd=self.folder)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("wheel"))


def test_it_is_the_installed_one_that_runs(installed: Installed) -> None:
    code = "import dealer, games, pokerd, server; print(dealer.__file__, games.__file__, server.__file__)"
    places = outcome(installed.python, "-c", code, cwd=installed.folder).stdout.split()
    assert len(places) == 3
    assert all(Path(place).is_relative_to(installed.python.parents[1]) for place in places)


def test_what_is_compiled_runs(installed: Installed) -> None:
    assert installed.run("--version").strip().endswith("compiled")
    code = "import pokerd, sys; from importlib.util import find_spec\n"
    code += "print(*(find_spec(name).origin for name in sys.argv[1:]))"
    places = outcome(installed.python, "-c", code, *COMPILED, cwd=installed.folder).stdout.split()
    assert len(places) == len(COMPILED)
    assert all(place.endswith(".so") for place in places)


def test_nothing_that_was_built_before_is_in_it(installed: Installed) -> None:
    code = "from importlib.util import find_spec; print(find_spec('dealer.left_over'))"
    assert outcome(installed.python, "-c", code, cwd=installed.folder).stdout.strip() == "None"


def test_every_file_of_games_is_in_it(installed: Installed) -> None:
    code = "import games; print(games.__path__[0])"
    folder = Path(outcome(installed.python, "-c", code, cwd=installed.folder).stdout.strip())
    ours = {path.relative_to(ROOT / "games") for path in (ROOT / "games").rglob("*.*")}
    theirs = {path.relative_to(folder) for path in folder.rglob("*.*")}
    assert {path for path in ours ^ theirs if "__pycache__" not in path.parts} == set()


def compete(pokerd: Installed) -> None:
    assert "| one " in pokerd.run("compete", "mine.toml")
    [journal, *_] = (pokerd.folder / "results" / "mine" / "hands").rglob("*.jsonl")
    name = "/".join(journal.with_suffix("").parts[-2:])
    _, audited, replayed, copied = pokerd.run_each(
        ("verify", "results/mine"),
        ("audit", "results/mine", "--json"),
        ("replay", "results/mine", "--session", name, "--player", "one"),
        ("backup", "results/mine", "copy.db"),
    )
    assert json.loads(audited)
    assert "as recorded" in replayed
    assert "sha256" in copied


def serve(pokerd: Installed) -> None:
    issued, made = pokerd.run_each(
        ("token", "issue", "boss", "--admin", "--data", "data"), ("new-bot", "shark", "--language", "go")
    )
    token = issued.split()[-1]
    assert "pokerd compete" in made
    options = ("--port", 0, "--web-port", 0, "--data", "data", "--tables", 1, "--bots", "call")
    with pokerd.start("serve", *options) as server:
        url = server.says(r"listens at (ws://\S+)")[1]
        advice = server.says(r"join one: python -m pokerd (.*)")[1].split()
        page = server.says(r"(http://[^\s/]+)")[1]
        with urlopen(page) as answer:
            html = answer.read().decode()
        script = re.search(r'src="(/static/[^"]+\.js)"', html)
        assert script is not None, html
        with urlopen(page + script[1]) as answer:
            assert answer.status == 200
        with pokerd.start(*advice) as bot:
            bot.says("table-1: .* seat")
        player = [sys.executable, ROOT / "benchmarks" / "acpc_player.py", "{port}"]
        with pokerd.start("bridge", "--url", url, "--any-stacks", "--", *player) as bridge:
            bridge.says("table-1: .* seat")
            assert "table table-1" in pokerd.run("admin", "--url", page, "--token", token, "show")
        with pokerd.start("slumbot", "--url", url, "--port", 0) as api:
            address = api.says(r"Slumbot's API: (\S+)")[1]
            with urlopen(f"{address}/new_hand", b"{}") as answer:
                assert json.load(answer)["hole_cards"]
        checked = pokerd.words("bot", "call")
    assert json.loads(pokerd.run("check-bot", "--only", "connect", "--json", "--", *checked))


def ladder(pokerd: Installed) -> None:
    pokerd.run("ladder", "init", "ladder")
    config = pokerd.folder / "ladder" / "ladder.toml"
    text = config.read_text().replace("deal_sets = 50", "deal_sets = 10")
    # The simulating bots are compiled at their first hand, which takes a minute beside other tests.
    assert '"random", "loki1", "akuma"]' in text
    config.write_text(text.replace('"random", "loki1", "akuma"]', '"random"]'))
    told = outcome(
        *pokerd.words("ladder", "serve", "ladder", "--matches", 1, "--port", 0, "--web-port", 0),
        cwd=pokerd.folder,
    )
    assert told.returncode == 0, told.stderr
    assert len(json.loads(pokerd.run("ladder", "show", "ladder", "--json"))["bots"]) > 1
    options = ("--game", "kuhn.limit.2p", "--deal-sets", 2, "--most", 4)
    assert "undecided" in outcome(*pokerd.words("sprt", "call", "random", *options), cwd=pokerd.folder).stdout


def dealer(pokerd: Installed) -> None:
    game = "holdem.limit.2p.reverse_blinds"
    with pokerd.start("dealer", "match", game, 3, 1, "A", "B", "-q", "--host", "127.0.0.1") as held:
        ports = held.says(r"^\d+ \d+$")[0].split()
        player = ROOT / "benchmarks" / "acpc_player.py"
        with Program(PYTHON, player, ports[0]), Program(PYTHON, player, ports[1]):
            assert held.end() == 0
    assert "PokerStars Hand #" in pokerd.run(
        "convert", "--game", game, "--to", "pokerstars", "--from", "acpc", "match.log", "-"
    )
    assert '"hand_start"' in pokerd.run("schema")


def fleet(pokerd: Installed, database: str) -> None:
    with pokerd.start("node", "--name", "one", "--database", database, "--port", 0) as node:
        with pokerd.start(
            "coordinator", "mine.toml", "--out", "fleet", "--database", database
        ) as coordinator:
            assert coordinator.end() == 0
        node.stop()
    pokerd.run("verify", "fleet")


def studies(pokerd: Installed) -> None:
    policy = "def first_legal(seen, mask):\n    return mask.argmax(axis=1)\n"
    (pokerd.folder / "policy.py").write_text(policy)
    told = pokerd.run_each(
        ("rules", "kuhn.limit.2p"),
        ("strength", "AdQc", "3h4cJh"),
        ("pushfold", "--stack", 10),
        ("pushfold-match", "40/30", "57/37", "--stack", 10, "--matches", 1, "--hands", 10),
        ("evolve", "--generations", 1, "--population", 4, "--stack", 2),
        ("train", "cfr", "kuhn.limit.2p", "--iterations", 50, "--out", "kuhn.cfr"),
        ("exploitability", "kuhn.limit.2p", "kuhn.cfr"),
        ("evaluate", "policy.py:first_legal", "--against", "call", "--matches", 2, "--hands", 2),
        ("study",),
        # To compile once more what these need would take most of a minute.
        NUMBA_DISABLE_JIT="1",
    )
    assert len(told) == 9
    assert all(told)
    assert "4 decisions" in told[0]
    assert "equity" in told[1]
    assert "gloeckner" in told[-1]


def commands() -> set[str]:
    """All that the command line knows."""
    [action] = [one for one in command_parser()._actions if isinstance(one, argparse._SubParsersAction)]
    return set(action.choices)


RUNS = {
    compete: {"compete", "verify", "audit", "backup", "replay"},
    serve: {"serve", "token", "admin", "bot", "bridge", "slumbot", "check-bot", "new-bot"},
    ladder: {"ladder", "sprt"},
    dealer: {"dealer", "convert", "schema"},
    studies: {
        *("rules", "strength", "pushfold", "pushfold-match", "evolve", "train", "exploitability", "study"),
        "evaluate",
    },
}


@pytest.mark.parametrize("run", RUNS, ids=lambda run: str(run.__name__))
def test_commands(installed: Installed, run: object) -> None:
    assert callable(run)
    run(installed)


def test_commands_of_a_fleet(installed: Installed, postgres: Postgres) -> None:
    fleet(installed, postgres.database())


def test_no_command_was_forgotten() -> None:
    assert commands() == {"coordinator", "node"}.union(*RUNS.values())
