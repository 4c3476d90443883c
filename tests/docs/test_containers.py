"""``Dockerfile`` and ``docker-compose.yml`` say what the command line understands."""

from __future__ import annotations

import json
import re

from clients.bot import _options
from pokerd.__main__ import _parser
from server.app import ServeOptions
from strategy.registry import names
from tests.docs.pages import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
COMPOSE = (ROOT / "docker-compose.yml").read_text("utf-8")


def commands() -> dict[str, list[str]]:
    """The services and their commands."""
    found = re.findall(r"^  (\w+):\n(?:    .*\n)*?    command: (\[.*\])$", COMPOSE, re.MULTILINE)
    return {name: json.loads(command) for name, command in found}


def test_the_server_s_command_is_understood_and_its_port_is_published() -> None:
    options = _parser().parse_args(commands()["server"])
    assert options.command == "serve"
    (image,) = [json.loads(line) for line in re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)]
    assert _parser().parse_args(image).port == options.port == ServeOptions().port
    assert f"EXPOSE {options.port}\n" in DOCKERFILE
    assert f'"127.0.0.1:{options.port}:{options.port}"' in COMPOSE


def test_the_guests_are_house_bots_that_join_a_table_of_that_server() -> None:
    server = _parser().parse_args(commands()["server"])
    guests = {name: command for name, command in commands().items() if name != "server"}
    assert guests
    for service, command in guests.items():
        options = _parser().parse_args(command)
        assert options.name == service
        assert options.name in names()
        bot = _options(options.rest)
        assert bot.url == f"ws://server:{server.port}"
        assert bot.token == ""
        assert bot.join in {f"table-{number + 1}" for number in range(server.tables)}
    house = len(list(filter(None, server.bots.split(","))))
    assert house + len(guests) <= server.seats


def test_the_image_holds_every_room_and_what_they_need_beside_them() -> None:
    lines = re.findall(r"^COPY (.*)$", DOCKERFILE, re.MULTILINE)
    copied = {name for line in lines for name in line.split()[:-1]}
    assert all((ROOT / name).exists() for name in copied)
    rooms = {path.parent.name for path in ROOT.glob("*/py.typed")}
    assert rooms | {"games", "pyproject.toml", "constraints.txt", "README.md", "LICENSE"} <= copied


def test_no_host_of_a_registry_is_named() -> None:
    assert re.search(r"^FROM python:[\d.]+-slim$", DOCKERFILE, re.MULTILINE)
    assert not re.search(r"https?://", DOCKERFILE + COMPOSE)
