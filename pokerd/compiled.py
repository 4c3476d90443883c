"""The modules that run as machine code, which mypyc makes of the same sources.

``python -m pokerd.compile`` makes it in the ``build`` folder of a checkout. It belongs to the sources that it
was made from, and to those that they import, whose constants are a part of it: when one of them changes, all
run as Python until they are compiled again. A wheel carries it beside the sources. With ``POKERD_PURE`` in
the environment all run as Python.

Modules of errors are not compiled: a class that is also an ``OSError`` could not inherit from theirs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Final

MODULES: Final = (
    *("dealer.deck", "dealer.recorded_table", "dealer.table", "dealer.records.journal"),
    *("dealer.formats.carry_over", "dealer.formats.cash", "dealer.formats.part_of_tournament"),
    "dealer.formats.tournament",
    *("dealer.ratings.matrix", "dealer.ratings.model", "dealer.ratings.results", "dealer.ratings.schedule"),
    "dealer.ratings.style",
    *("dealer.rules.actions", "dealer.rules.betting", "dealer.rules.cards"),
    *("dealer.rules.equity", "dealer.rules.evaluation", "dealer.rules.events", "dealer.rules.games"),
    *("dealer.rules.hand", "dealer.rules.legal", "dealer.rules.notation", "dealer.rules.pots"),
    *("dealer.rules.tree",),
    *("dealer.records.acpc", "protocol.acpc"),
    *("server.acpc_dealer.dealer", "server.acpc_dealer.play", "server.acpc_dealer.seats"),
    *("server.net.connection", "server.net.acpc_connection", "server.net.batch_connection"),
    *("server.net.gallery",),
    *("server.tables.actor", "server.tables.audience", "server.tables.challenge"),
    *("server.tables.joinable_table", "server.tables.open_table", "server.tournaments.table", "server.view"),
    *("strategy.adaptive.bot", "strategy.adaptive.decision", "strategy.adaptive.learning"),
    *("strategy.adaptive.value", "strategy.observer", "strategy.poker.equity"),
    "studies.harness.session",
    # The last two inherit from compiled classes.
    *("pokerd_bot.client", "pokerd_bot.seat", "clients.acpc.bridge", "clients.slumbot.player"),
)
"""What is compiled: where the time of a hand is spent."""

PACKAGES: Final = ("clients", "dealer", "games", "protocol", "server", "strategy", "studies")
"""pokerd's own packages beside this one and the SDK."""
ROOT: Final = Path(__file__).resolve().parents[1]
_SUFFIX: Final = EXTENSION_SUFFIXES[0]
BUILD: Final = ROOT / "build" / f"compiled{_SUFFIX}".removesuffix(".so")
"""Machines of several kinds, and a container, may share a checkout."""
MADE_FROM: Final = BUILD / "made_from.json"


def source(module: str) -> Path:
    """Return the file of a module of ``MODULES``."""
    sdk = ROOT / "clients" / "sdk"
    folder = sdk if module.startswith("pokerd_bot.") and sdk.is_dir() else ROOT
    return folder.joinpath(*module.split(".")).with_suffix(".py")


def digest(name: str) -> str:
    """Return the SHA-256 of a file, by its name from ``ROOT`` on. Raises OSError."""
    return sha256((ROOT / name).read_bytes()).hexdigest()


def stamp(name: str) -> list[int]:
    """Return what the system changes with a file that is written to or replaced: times, size and number.
    Raises OSError.
    """
    found = os.stat(f"{ROOT}/{name}")  # noqa: PTH116 (a path costs three times as much)
    return [found.st_ctime_ns, found.st_mtime_ns, found.st_size, found.st_ino]


def state() -> str:
    """Return ``compiled``, ``python`` (nothing is compiled), or ``stale`` (sources have changed since)."""
    try:
        made_from = json.loads(MADE_FROM.read_bytes())
    except (OSError, ValueError):
        return "python"
    try:
        # Every start asks. To read all of them takes ten times as long, and only copies need it.
        same = all(stamp(name) == seen or digest(name) == told for name, (told, seen) in made_from.items())
    except OSError:
        return "stale"
    return "compiled" if same else "stale"


def describe() -> str:
    """Return which modules run, and what to do where they could be faster."""
    from dealer.rules import betting

    if betting.__file__.endswith(_SUFFIX):
        return "compiled"
    if os.environ.get("POKERD_PURE"):
        return "pure Python, as POKERD_PURE asks"
    if state() == "stale":
        return "pure Python: sources have changed since they were compiled; make install compiles them"
    return "pure Python: make install compiles what is slow, if there is a C compiler"


class _Finder:
    """Finds pokerd's own packages, whatever else has their names in the folder of a program. Finds the
    sources of ``MODULES``, or what is in ``BUILD``: these modules and the library they share.
    """

    def __init__(self, *, pure: bool, built: bool) -> None:
        self._pure = pure
        self._built = built

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> ModuleSpec | None:
        if name in PACKAGES:
            return spec_from_file_location(name, ROOT / name / "__init__.py")
        if not self._pure and not self._built:
            return None
        built = BUILD.joinpath(*name.split(".")).with_name(name.rpartition(".")[2] + _SUFFIX)
        if name not in MODULES and (self._pure or not name.endswith("__mypyc") or not built.exists()):
            return None  # mypy has such a library, too
        if path is not None and not source(name).parent.samefile(path[0]):
            return None  # of the distribution pokerd-bot, which is installed beside
        return spec_from_file_location(name, source(name) if self._pure else built)


def use() -> None:
    """Let what is compiled from the present sources be imported in their place; with ``POKERD_PURE`` let the
    sources be imported, in a wheel too. A program that has imported one of them as Python stays with that:
    compiled code takes no objects of a class of the same name.
    """
    pure = bool(os.environ.get("POKERD_PURE"))
    built = not pure and not any(name in sys.modules for name in MODULES) and state() == "compiled"
    sys.meta_path.insert(0, _Finder(pure=pure, built=built))
