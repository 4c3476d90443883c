"""The pages' modules without a browser: their tests, their types, and what npm may install."""

from __future__ import annotations

import gzip
import json
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from protocol.schema import typescript_types
from strategy.registry import strategy_names
from tests.web.commands import ROOT, run


def test_modules_do_what_they_say() -> None:
    run("node", "--test", "--test-reporter=spec", *map(str, (ROOT / "tests/web").glob("*.test.mjs")))


def test_modules_have_the_types_they_say() -> None:
    declarations = ROOT / "clients" / "web" / "lib" / "messages.d.ts"
    declarations.write_text(typescript_types(), encoding="utf-8")
    run("node_modules/.bin/tsc", "--project", ".")


WEB = ROOT / "clients" / "web"
#: Whatever names another module: imports of values and of types.
IMPORTED = re.compile(r"""(?:from|import\() ?["'](\.[^"']+\.js)["']""")


def imports() -> dict[Path, set[Path]]:
    """What each module of the pages imports, types included."""
    paths = [path for path in WEB.glob("*/*.js") if path.parent.name != "vendor"]
    return {
        path: {(path.parent / name).resolve() for name in IMPORTED.findall(path.read_text("utf-8"))}
        for path in paths
    }


def test_no_modules_import_each_other() -> None:
    found = imports()
    assert sum(map(len, found.values())) > len(found)
    graph = {path: sorted(names & found.keys()) for path, names in found.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError with the modules of the circle


def test_the_library_imports_no_page() -> None:
    for path, names in imports().items():
        if path.parent.name in {"lib", "look"}:
            assert {name.parent for name in names} <= {
                WEB / "lib",
                WEB / "look",
                WEB / "vendor" / "lit-html",
                WEB / "vendor" / "uplot",
            }, path


def test_basic_bots_are_house_bots() -> None:
    code = "import { BASIC_BOTS } from './clients/web/lib/bots.js'; console.log(JSON.stringify(BASIC_BOTS))"
    assert set(json.loads(run("node", "--input-type=module", "--eval", code))) <= set(strategy_names())


def test_every_house_bot_has_a_character() -> None:
    names = "console.log(JSON.stringify(Object.keys(CHARACTERS)))"
    code = f"import {{ CHARACTERS }} from './clients/web/look/characters.js'; {names}"
    assert set(json.loads(run("node", "--input-type=module", "--eval", code))) == set(strategy_names())


def test_the_lock_holds_hashes_and_no_addresses() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages
    for name, package in packages.items():
        assert "resolved" not in package, name
        assert package["integrity"].startswith("sha512-"), name
    assert "://" not in json.dumps(packages)


def test_what_is_served_of_npm_is_not_kept_here() -> None:
    assert run("git", "ls-files", "clients/web/vendor", "node_modules") == ""


@pytest.mark.parametrize("page", sorted(WEB.glob("*/*.html")), ids=lambda page: page.stem)
def test_a_page_loads_in_a_moment(page: Path) -> None:
    """All that a visitor's browser gets before it draws, packed as the server sends it."""
    graph = imports()
    found = {page}
    left = [WEB / name for name in re.findall(r"/static/([\w./-]+)", page.read_text("utf-8"))]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left.extend(graph.get(path, ()))
    catalogue = max(len(gzip.compress(path.read_bytes())) for path in (WEB / "locales").glob("*.po"))
    assert sum(len(gzip.compress(path.read_bytes())) for path in found) + catalogue < 250_000


def test_no_module_is_long() -> None:
    paths = [path for path in (ROOT / "clients/web").glob("[!v]*/*.*") if path.suffix != ".po"]
    lengths = {path.name: len(path.read_text().splitlines()) for path in paths}
    assert {
        name: length for name, length in lengths.items() if length > 500 and not name.endswith(".d.ts")
    } == {}
