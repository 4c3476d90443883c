"""``Dockerfile`` and ``docker-compose.yml`` say what the command line understands, and the club night that
they start is played: by plain processes, with a real broker.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from clients.bot import _options
from pokerd.__main__ import _parser
from protocol.public import STATUS, Hand, ServerStatus, Tables
from server.app import ServeOptions
from server.mqtt import parse_broker
from strategy.registry import names
from tests.docs.pages import ROOT
from tests.programs import Program
from tests.server.broker import Broker, listening_to, retained

pytestmark = pytest.mark.usefixtures("no_process_left")

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
COMPOSE = (ROOT / "docker-compose.yml").read_text("utf-8")


@pytest.fixture(scope="module")
def services() -> Mapping[str, dict[str, Any]]:
    """The services, as Compose understands the file where it is installed, and as YAML has it elsewhere."""
    docker = shutil.which("docker")
    compose = [docker, "compose"] if docker else []
    if compose and subprocess.run([*compose, "version"], capture_output=True, check=False).returncode == 0:
        done = subprocess.run(
            [*compose, "config", "--format", "json"], cwd=ROOT, capture_output=True, check=True, text=True
        )
        found: Mapping[str, dict[str, Any]] = json.loads(done.stdout)["services"]
    else:
        found = yaml.safe_load(COMPOSE)["services"]
    return found


def guests(services: Mapping[str, dict[str, Any]]) -> Iterator[tuple[str, list[str]]]:
    """The bots in containers of their own, and their commands."""
    for name, service in services.items():
        command = service.get("command") or []
        if command[:1] == ["bot"]:
            yield name, command


def test_these_are_the_services(services: Mapping[str, dict[str, Any]]) -> None:
    assert {"server", "mosquitto", "spectator", *dict(guests(services))} == set(services)
    assert not any("profiles" in service for service in services.values())
    for service in services.values():
        assert service["restart"] == "unless-stopped"
        assert set(service.get("depends_on", ())) <= set(services)


def test_the_server_s_command_is_understood_and_its_port_is_published(
    services: Mapping[str, dict[str, Any]],
) -> None:
    options = _parser().parse_args(services["server"]["command"])
    assert options.command == "serve"
    assert parse_broker(options.mqtt).host == "mosquitto"
    (image,) = [json.loads(line) for line in re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)]
    standing = _parser().parse_args(image)
    assert standing.port == options.port == ServeOptions().port
    assert standing.web_port == options.web_port == ServeOptions().web_port
    for port in (options.port, options.web_port):
        assert f"EXPOSE {port}\n" in DOCKERFILE
        assert f'"127.0.0.1:{port}:{port}"' in COMPOSE
    # What is to be kept lies on volumes.
    volumes = [volume.split(":")[1] for volume in services["server"]["volumes"]]
    for folder in (standing.data, standing.results):
        assert str(folder) in volumes
    assert (options.data, options.results) == (standing.data, standing.results)


def test_the_guests_are_house_bots_that_join_a_table_of_that_server(
    services: Mapping[str, dict[str, Any]],
) -> None:
    server = _parser().parse_args(services["server"]["command"])
    found = dict(guests(services))
    assert found
    for service, command in found.items():
        options = _parser().parse_args(command)
        assert options.name == service
        assert options.name in names()
        bot = _options(options.rest)
        assert bot.url == f"ws://server:{server.port}"
        assert bot.token == ""
        assert bot.join in {f"table-{number + 1}" for number in range(server.tables)}
    house = len(list(filter(None, server.bots.split(","))))
    assert house + len(found) <= server.seats


def test_only_the_server_and_who_watches_can_reach_the_broker(services: Mapping[str, dict[str, Any]]) -> None:
    def networks(name: str) -> set[str]:
        return set(services[name]["networks"])

    assert not services["mosquitto"].get("ports")
    (events,) = networks("mosquitto")
    assert {name for name in services if events in networks(name)} == {"server", "mosquitto", "spectator"}
    for name, _ in guests(services):
        assert networks(name) <= networks("server")


def test_the_image_holds_every_room_and_what_they_need_beside_them() -> None:
    lines = re.findall(r"^COPY (.*)$", DOCKERFILE, re.MULTILINE)
    copied = {name for line in lines for name in line.split()[:-1]}
    assert all((ROOT / name).exists() for name in copied)
    rooms = {path.parent.name for path in ROOT.glob("*/py.typed")}
    assert rooms | {"games", "pyproject.toml", "constraints.txt", "README.md", "LICENSE"} <= copied


def test_no_host_of_a_registry_is_named() -> None:
    assert re.search(r"^FROM python:[\d.]+-slim$", DOCKERFILE, re.MULTILINE)
    assert re.search(r"^    image: eclipse-mosquitto:\d+$", COMPOSE, re.MULTILINE)
    assert not re.search(r"https?://", DOCKERFILE + COMPOSE)


def test_the_broker_s_settings_are_where_it_looks(services: Mapping[str, dict[str, Any]]) -> None:
    assert "./mosquitto.conf:/mosquitto/config/mosquitto.conf:ro" in COMPOSE
    assert "listener 1883" in settings()


def settings() -> list[str]:
    """What the broker is told, without comments."""
    lines = (ROOT / "mosquitto.conf").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


async def test_a_club_night(services: Mapping[str, dict[str, Any]], tmp_path: Path) -> None:
    """The same commands and settings, as processes of this machine and at free ports."""
    rest = [line for line in settings() if not line.startswith(("listener", "log_dest", "persistence"))]
    pokerd = (sys.executable, "-m", "pokerd")
    with ExitStack() as stack:
        broker = stack.enter_context(Broker(tmp_path, *rest))
        python, *script = replaced(services["spectator"]["entrypoint"], {"mqtt://mosquitto": broker.url})
        assert python == "python"
        spectator = stack.enter_context(Program(sys.executable, *script))
        moved = {"0.0.0.0": "127.0.0.1", "8000": "0", "mqtt://mosquitto": broker.url}
        moved |= {folder: f"{tmp_path}{folder}" for folder in ("/data", "/results")}
        command = [*replaced(services["server"]["command"], moved), "--web-port", "0"]
        server = stack.enter_context(Program(*pokerd, *command))
        url = server.says(r"pokerd listens at (ws://\S+)")[1]
        running = {
            name: stack.enter_context(Program(*pokerd, *replaced(command, {"ws://server:8000": url})))
            for name, command in guests(services)
        }
        async with listening_to(broker.url) as ears:
            tables = await ears.hear(Tables, lambda event: all_sit(event, set(running)))
            hand = await ears.hear(Hand, lambda event: len(event.players) == 2 + len(running))
        assert {player.name for player in hand.players} == {"fair-1", "call-2", *running}
        table = next(table for table in tables.tables if table.table == "table-2")
        assert {one.name for one in table.seated if not one.bot} == set(running)
        spectator.says(r"^table-2, hand \d+, button ")
        spectator.says(r"^standings of table-2$")
        assert server.stop() == 130
        status = (await retained(broker.url, STATUS))[STATUS]
        assert isinstance(status, ServerStatus)
        assert status.status == "offline"
        spectator.says("is offline")
    for program in (server, spectator, *running.values()):
        assert not program.said("Traceback")


def all_sit(event: Tables, guests: set[str]) -> bool:
    return any(guests <= {one.name for one in table.seated} for table in event.tables)


def replaced(words: list[str], moved: Mapping[str, str]) -> list[str]:
    """A command with other addresses in it; each must be there."""
    assert set(moved) <= set(words)
    return [moved.get(word, word) for word in words]
