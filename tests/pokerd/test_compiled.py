"""Compiled modules: used if they are of the present sources, and never otherwise."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from setuptools.command.build_ext import build_ext
from setuptools.errors import LinkError

from pokerd import compile as compiling
from pokerd import compiled
from pokerd.compiled import MODULES, PACKAGES, ROOT, source
from strategy import sources

_ASK = "import pokerd; from dealer.rules import betting; print(betting.__file__)"

#: Everything of some hands of all rules, as text: 200 is not 200.0 there.
_PLAY = """
import pokerd
from tests.dealer.rules.play import any_hand
for seed in range(400):
    hand = any_hand(seed)
    print(hand.events, hand.values, hand.final_stacks)
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout of its own, compiled if this one is."""
    folder = tmp_path / "checkout"
    for name in (*PACKAGES, "pokerd", "build"):
        if (ROOT / name).exists():
            copytree(
                ROOT / name, folder / name, ignore=ignore_patterns("__pycache__", "vendor", "c", "objects")
            )
    return folder


def run(folder: Path, *words: str, **variables: str) -> str:
    """Return what a Python process in a checkout prints."""
    clean = {name: value for name, value in os.environ.items() if name != "POKERD_PURE"}
    environment = {**clean, "PYTHONPATH": str(folder), **variables}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_every_compiled_module_has_a_source() -> None:
    assert all(source(module).is_file() for module in MODULES)


def test_changes_in_every_package_are_noticed() -> None:
    assert {*PACKAGES, "pokerd", "pokerd_bot"} <= sources.PACKAGES


def test_compiled_code_runs_until_a_source_changes(copy: Path) -> None:
    assert run(copy, "-c", _ASK).endswith(".so")
    assert run(copy, "-m", "pokerd", "--version").endswith("compiled")
    with (copy / "dealer" / "rules" / "pots.py").open("a") as changed:
        changed.write("\n")
    assert run(copy, "-c", _ASK) == str(copy / "dealer" / "rules" / "betting.py")
    assert "have changed" in run(copy, "-m", "pokerd", "--version")


def test_what_was_written_is_noticed_whatever_its_time_and_what_was_only_touched_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, made_from = tmp_path / "a.py", tmp_path / "made_from.json"
    file.write_text("A = 1\n")
    monkeypatch.setattr(compiled, "ROOT", tmp_path)
    monkeypatch.setattr(compiled, "MADE_FROM", made_from)
    digest, stamp = compiled.digest("a.py"), compiled.stamp("a.py")
    made_from.write_text(json.dumps({"a.py": ["not read", stamp]}))
    assert compiled.state() == "compiled"
    made_from.write_text(json.dumps({"a.py": [digest, stamp]}))
    os.utime(file, ns=(0, 0))
    assert compiled.state() == "compiled"
    file.write_text("A = 2\n")
    os.utime(file, ns=(stamp[1], stamp[1]))
    while compiled.stamp("a.py") == stamp:  # the clock of a file system ticks now and then
        os.utime(file, ns=(stamp[1], stamp[1]))
    assert compiled.stamp("a.py")[1:] == stamp[1:]
    assert compiled.state() == "stale"


def test_constants_of_what_compiled_modules_import_belong_to_them(copy: Path) -> None:
    codec = copy / "protocol" / "codec.py"
    assert "protocol.codec" not in MODULES
    text, count = re.subn(r"(?m)^(MAX_MESSAGES.*) = .*", r"\1 = 7", codec.read_text())
    assert count == 1
    codec.write_text(text)
    ask = "import pokerd; from server.net import connection as seen; print(seen.__file__, seen.MAX_MESSAGES)"
    assert run(copy, "-c", ask).split() == [str(copy / "server" / "net" / "connection.py"), "7"]
    codec.unlink()
    assert "have changed" in run(copy, "-m", "pokerd", "--version")


def test_a_list_of_other_modules_is_not_what_was_compiled(copy: Path) -> None:
    listing = copy / "pokerd" / "compiled.py"
    listing.write_text(listing.read_text().replace('"dealer.deck", ', ""))
    assert "have changed" in run(copy, "-m", "pokerd", "--version")


@pytest.mark.parametrize("pure", ["", "1"])
def test_the_libraries_of_others_are_left_to_them(copy: Path, tmp_path: Path, pure: str) -> None:
    (tmp_path / "abc__mypyc.py").write_text("")
    path = f"{copy}:{tmp_path}"
    run(copy, "-c", "import pokerd, abc__mypyc", PYTHONPATH=path, POKERD_PURE=pure)


def test_a_program_that_imported_python_before_stays_with_it(copy: Path) -> None:
    late = "from dealer.rules.games import holdem\n"
    late += _ASK + "; print(betting.Betting(holdem(2, 5, 10)).over)"
    assert run(copy, "-c", late).split() == [str(copy / "dealer" / "rules" / "betting.py"), "False"]


def test_python_runs_where_it_is_asked_for(copy: Path) -> None:
    assert run(copy, "-c", _ASK, POKERD_PURE="1").endswith("betting.py")
    assert "POKERD_PURE" in run(copy, "-m", "pokerd", "--version", POKERD_PURE="1")


def test_python_runs_where_nothing_is_compiled(tmp_path: Path, copy: Path) -> None:
    (copy / "build").rename(tmp_path / "elsewhere")
    assert run(copy, "-c", _ASK).endswith("betting.py")
    assert "make install" in run(copy, "-m", "pokerd", "--version")


def test_what_another_kind_of_machine_compiled_is_left_to_it(copy: Path) -> None:
    """As where a container for one processor and a computer with another share a checkout."""
    other = "from importlib.machinery import EXTENSION_SUFFIXES as names; names.insert(0, '.of-another.so')\n"
    assert run(copy, "-c", other + _ASK).endswith("betting.py")
    assert "make install" in run(copy, "-c", f"{other}import pokerd.compiled as own; print(own.describe())")


def test_without_a_c_compiler_it_says_so_and_goes_on(tmp_path: Path, copy: Path) -> None:
    (copy / "build").rename(tmp_path / "elsewhere")
    assert "no C compiler" in run(copy, "-m", "pokerd.compile", CC="no-such-compiler")


def test_what_cannot_be_linked_runs_as_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        raise LinkError("no linker")

    monkeypatch.setattr(compiling, "state", lambda: "stale")
    monkeypatch.setattr(compiling, "BUILD", tmp_path)
    monkeypatch.setattr(compiling, "MADE_FROM", tmp_path / "made_from.json")
    monkeypatch.setattr("mypyc.build.mypycify", lambda *_, **__: [])
    monkeypatch.setattr(build_ext, "run", fail)
    assert compiling.main() == 0
    assert "no linker" in capsys.readouterr().out
    assert not (tmp_path / "made_from.json").exists()


def test_compiled_code_and_python_deal_and_pay_the_same_to_the_letter() -> None:
    assert run(ROOT, "-c", _PLAY) == run(ROOT, "-c", _PLAY, POKERD_PURE="1")
