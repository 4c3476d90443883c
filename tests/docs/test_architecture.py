"""The map of the code and the page on its inside against the contracts on imports and the program's names;
and that no test module imports another, of which the contracts say nothing.
"""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from typing import Any, get_args

from dealer.rules.events import Event
from tests.docs.pages import ARCHITECTURE, INTERNALS, ROOT, code, prose, read, rows, section, tables


def contracts() -> list[dict[str, Any]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    found: list[dict[str, Any]] = settings["tool"]["importlinter"]["contracts"]
    return found


def libraries() -> dict[str, set[str]]:
    """What the libraries that pokerd depends on are called when they are imported, by distribution."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["studies"]]
    needed += project["optional-dependencies"]["fleet"]
    names = {re.split(r"[<>=\[]", one)[0].replace("_", "-") for one in needed}
    imported: dict[str, set[str]] = {name: set() for name in names}
    for package, distributions in packages_distributions().items():
        for name in imported.keys() & {one.replace("_", "-") for one in distributions}:
            if not package.startswith("_"):
                imported[name].add(package)
    return imported


def test_the_table_of_rooms_is_what_the_contracts_say() -> None:
    """Every library that is not listed is refused by name, also one that is added later."""
    pure = {
        one["source_modules"][0]: set(one["forbidden_modules"])
        for one in contracts()
        if "asyncio" in one.get("forbidden_modules", ()) or "numpy" in one.get("forbidden_modules", ())
    }
    holds, may, never = (
        {room: cells[1] for cells in table[1:] for room in code(cells[0])}
        for table in tables(section(ARCHITECTURE, "## Rooms").split("###")[0])
    )
    assert set(holds) == set(may) >= set(pure) >= set(never)
    for room, allowed in may.items():
        if room not in pure:
            assert allowed == "any", room
            continue
        refused = pure[room]
        assert set(code(never.get(room, ""))) == refused & sys.stdlib_module_names, room
        for name, packages in libraries().items():
            assert bool(packages & refused) != bool(packages & set(code(allowed))), (room, name)


def test_the_order_of_the_rooms_is_that_of_their_contract() -> None:
    (layers,) = (one["layers"] for one in contracts() if "pokerd" in one.get("layers", ()))
    told = [
        code(line)
        for line in section(ARCHITECTURE, "## Rooms").splitlines()
        if line[:2].rstrip(".").isdigit()
    ]
    assert told == [layer.split(" | ") for layer in layers]


def test_the_rooms_of_the_server_stand_in_the_order_of_their_contract() -> None:
    (layers,) = (one["layers"] for one in contracts() if one.get("containers") == ["server"])
    told = [code(cells[0]) for cells in rows(section(ARCHITECTURE, "### Rooms of the server"))]
    assert told == [layer.split(" | ") for layer in layers]


def test_every_room_is_in_the_picture() -> None:
    (picture, *_) = re.findall(r"```text\n(.*?)```", read(ARCHITECTURE), re.DOTALL)
    rooms = {path.parent.name for path in ROOT.glob("*/py.typed")}
    assert set(re.findall(r"(\w+)/", picture)) == rooms


def test_the_events_are_told() -> None:
    told = set(code(section(INTERNALS, "## Events")))
    assert {event.__name__ for event in get_args(Event)} <= told


def test_every_path_that_the_pages_name_exists() -> None:
    paths = [
        name for name in code(prose(ARCHITECTURE) + prose(INTERNALS)) if re.fullmatch(r"[a-z]+/[\w/.]*", name)
    ]
    later = {"games/NAME.game", "clients/web/"}
    assert {path for path in paths if not (ROOT / path).exists()} <= later


def test_no_test_module_is_imported_by_another() -> None:
    """What several need is looked for in a module of helpers; and a test can be changed without another."""
    for path in (ROOT / "tests").rglob("*.py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        # Programs that tests write down as texts import too.
        named = re.findall(r"\btests(?:\.\w+)*(?:\.| import )test_\w+", path.read_text("utf-8"))
        assert {*named} <= {module}, path
