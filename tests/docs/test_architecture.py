"""``docs/architecture.md`` against the contracts on imports and the names in the program."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from typing import get_args

from dealer.rules.events import Event
from server.house.house import TICK_INTERVAL
from tests.docs.pages import ARCHITECTURE, ROOT, code, prose, read, rows, section


def test_the_table_of_rooms_is_what_the_contracts_say() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = {one["room"]: one for one in settings["tool"]["importlinter"]["contracts"] if "room" in one}
    told = {code(cells[0])[0]: cells for cells in rows(section(ARCHITECTURE, "## Rooms").split("###")[0])}
    assert set(told) == set(contracts)
    for room, (_, _, rooms, libraries, never) in told.items():
        contract = contracts[room]
        assert code(rooms) == contract["rooms"], room
        assert set(code(never)) == set(contract.get("never", ())), room
        if "libraries" in contract:
            assert set(code(libraries)) == set(contract["libraries"]), room
        else:
            assert libraries == "any", room


def test_the_rooms_of_the_server_stand_in_the_order_of_their_contract() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (layers,) = (one["layers"] for one in settings["tool"]["importlinter"]["contracts"] if "layers" in one)
    told = [code(cells[0]) for cells in rows(section(ARCHITECTURE, "### Rooms of the server"))]
    assert told == [layer.split(" | ") for layer in layers]


def test_every_room_is_in_the_picture() -> None:
    (picture, *_) = re.findall(r"```text\n(.*?)```", read(ARCHITECTURE), re.DOTALL)
    rooms = {path.parent.name for path in ROOT.glob("*/py.typed")}
    assert set(re.findall(r"(\w+)/", picture)) == rooms


def test_every_class_that_the_page_names_exists() -> None:
    names = [name for name in code(prose(ARCHITECTURE)) if re.fullmatch(r"[a-z_.]+\.[A-Z]\w+", name)]
    assert names
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert hasattr(import_module(module), attribute), name


def test_the_events_are_told() -> None:
    before = re.split(r"\bare\b", section(ARCHITECTURE, "## Events are the truth"))[0]
    told = {name for name in code(before) if name.isidentifier()}
    assert told == {event.__name__ for event in get_args(Event)}


def test_every_path_that_the_page_names_exists() -> None:
    paths = [name for name in code(prose(ARCHITECTURE)) if re.fullmatch(r"[a-z]+/[\w/.]*", name)]
    later = {"games/NAME.game", "clients/web/"}
    assert {path for path in paths if not (ROOT / path).exists()} <= later


def test_the_clock_ticks_as_told() -> None:
    (milliseconds,) = re.findall(r"every (\d+) ms", section(ARCHITECTURE, "## Clocks"))
    assert int(milliseconds) / 1000 == TICK_INTERVAL
