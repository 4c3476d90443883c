"""``Dockerfile`` and ``docker-compose.yml`` say what the command line understands, and the club night that
they start is played: by plain processes, with a real broker.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from psycopg.conninfo import conninfo_to_dict

from pokerd.__main__ import command_parser
from pokerd_bot.options import parse_options
from protocol.public import (
    STATUS,
    CompetitionStandings,
    FinishedHand,
    NodeStatus,
    ProgressReport,
    ServerStatus,
    TableList,
)
from server.competition.file import load_competition
from server.competition.verify import verify_directory
from server.public.mqtt import parse_broker
from strategy.registry import strategy_names
from tests.docs.pages import ROOT
from tests.support.broker import Broker, Ears, listening_to, retained
from tests.support.ports import free_port
from tests.support.postgres import Postgres
from tests.support.programs import Program, eventually, outcome

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
COMPOSE = (ROOT / "docker-compose.yml").read_text("utf-8")


#: Checks a file against the specification, fills it in and prints it; needs no engine for that.
CHECKER = shutil.which("docker-compose")
#: What is wrong in each of these ways is refused: what is there, what stands in its place, and what is said.
WRONG = {
    "a key that does not exist": ("restart: on-failure", "restrt: on-failure", "restrt"),
    "a key at the top": ("networks:\n  tables:", "nets:\n  tables:", "nets"),
    "a service that does not exist": ("    server: {condition", "    servant: {condition", "servant"),
    "a condition that does not exist": ("service_healthy", "service_up", "condition"),
    "a health check that does not exist": ("  retries: 12", "  retrys: 12", "retrys"),
    "profiles that are no list": ("profiles: [fleet]", "profiles: fleet", "profiles"),
    "a variable that must be set": ("POSTGRES_USER: pokerd", "POSTGRES_USER: ${NOBODY:?who?}", "who?"),
}


def compose(*words: str, file: Path = ROOT / "docker-compose.yml") -> subprocess.CompletedProcess[str]:
    """What Compose says of the file."""
    assert CHECKER, "make system installs it"
    return outcome(CHECKER, "--file", file, "--project-directory", ROOT, *words)


@cache
def understood(*profiles: str) -> Mapping[str, dict[str, Any]]:
    """The services that are started with these profiles, as Compose has filled them in."""
    done = compose(*(word for profile in profiles for word in ("--profile", profile)), "config")
    assert done.returncode == 0, done.stderr
    # The versions written in Python print services of all profiles.
    return {
        name: service
        for name, service in yaml.safe_load(done.stdout)["services"].items()
        if not service.get("profiles") or set(service["profiles"]) & set(profiles)
    }


@pytest.fixture(scope="module")
def services() -> Mapping[str, dict[str, Any]]:
    """The club night."""
    return understood()


@pytest.fixture(scope="module")
def fleet(services: Mapping[str, dict[str, Any]]) -> Mapping[str, dict[str, Any]]:
    """What the profile adds."""
    return {name: service for name, service in understood("fleet").items() if name not in services}


def guests(services: Mapping[str, dict[str, Any]]) -> Iterator[tuple[str, list[str]]]:
    """The bots in containers of their own, and their commands."""
    for name, service in services.items():
        command = service.get("command") or []
        if command[:1] == ["bot"]:
            yield name, command


@pytest.mark.parametrize("wrong", WRONG)
def test_compose_refuses_what_is_wrong(wrong: str, tmp_path: Path) -> None:
    right, instead, said = WRONG[wrong]
    assert right in COMPOSE
    (tmp_path / "wrong.yml").write_text(COMPOSE.replace(right, instead), encoding="utf-8")
    done = compose("config", file=tmp_path / "wrong.yml")
    assert done.returncode != 0
    assert said in done.stderr


@pytest.mark.parametrize("profiles", [(), ("fleet",)])
def test_what_is_started_together_has_all_that_it_names(profiles: tuple[str, ...]) -> None:
    started = understood(*profiles)
    known = yaml.safe_load(COMPOSE)
    written = {
        name
        for name, service in known["services"].items()
        if set(service.get("profiles", profiles)) <= set(profiles)
    }
    assert set(started) == written
    for service in started.values():
        assert set(service.get("depends_on", ())) <= set(started)
        assert set(service["networks"]) <= set(known["networks"])
        sources = {source_of(one) for one in service.get("volumes", ())}
        assert {one for one in sources if not Path(one).is_absolute()} <= set(known["volumes"])
        assert all(Path(one).is_file() for one in sources if Path(one).is_absolute())


@pytest.mark.parametrize("profiles", [(), ("fleet",)])
def test_who_needs_another_to_start_waits_until_that_is_healthy(profiles: tuple[str, ...]) -> None:
    """Nobody needs a broker but those who only listen to it."""
    started = understood(*profiles)
    for name, service in started.items():
        for other, how in service.get("depends_on", {}).items():
            listens = name == "spectator" or not other.endswith("mosquitto")
            assert how["condition"] == ("service_healthy" if listens else "service_started"), (name, other)
            assert started[other]["healthcheck"]["test"][0] == "CMD"


def healthy(service: Mapping[str, Any], moved: Mapping[str, str], *more: str, **variables: str) -> bool:
    """Whether the health check of a service that runs on this machine, at other ports, says so."""
    kind, *command = service["healthcheck"]["test"]
    assert kind == "CMD"
    # Compose prints what it would have to be given: a dollar is two.
    words = [word.replace("$$", "$") for word in command]
    for old, new in moved.items():
        assert any(old in word for word in words)
        words = [word.replace(old, new) for word in words]
    program, *rest = words
    done = outcome(sys.executable if program == "python" else program, *rest, *more, variables=variables)
    return done.returncode == 0


async def becomes_healthy(
    service: Mapping[str, Any], moved: Mapping[str, str], *more: str, **variables: str
) -> None:
    """Wait for it, as Compose does."""
    await asyncio.to_thread(eventually, lambda: healthy(service, moved, *more, **variables))


def test_these_are_the_services(services: Mapping[str, dict[str, Any]]) -> None:
    assert {"server", "mosquitto", "spectator", *dict(guests(services))} == set(services)
    assert not any("profiles" in service for service in services.values())
    for service in services.values():
        assert service["restart"] == "unless-stopped"


def test_the_server_s_command_is_understood_and_its_port_is_published(
    services: Mapping[str, dict[str, Any]],
) -> None:
    options = command_parser().parse_args(services["server"]["command"])
    assert options.command == "serve"
    assert parse_broker(options.mqtt).host == "mosquitto"
    (image,) = [json.loads(line) for line in re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)]
    standing = command_parser().parse_args(image)
    usual = command_parser().parse_args(["serve"])
    assert standing.port == options.port == usual.port
    assert standing.web_port == options.web_port == usual.web_port
    for port in (options.port, options.web_port):
        assert f"EXPOSE {port}\n" in DOCKERFILE
        assert f'"127.0.0.1:{port}:{port}"' in COMPOSE
    # What is to be kept lies on volumes.
    volumes = [volume_of(one) for one in services["server"]["volumes"]]
    for folder in (standing.data, standing.results):
        assert str(folder) in volumes
    assert (options.data, options.results) == (standing.data, standing.results)


def test_the_guests_are_house_bots_that_join_a_table_of_that_server(
    services: Mapping[str, dict[str, Any]],
) -> None:
    server = command_parser().parse_args(services["server"]["command"])
    found = dict(guests(services))
    assert found
    for service, command in found.items():
        options = command_parser().parse_args(command)
        assert options.name == service
        assert options.name in strategy_names()
        bot = parse_options(options.rest)
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
    images = set(re.findall(r"^    image: (.*)$", COMPOSE, re.MULTILINE))
    assert all(re.fullmatch(r"(eclipse-mosquitto|postgres):\d+", image) for image in images)
    assert not re.search(r"https?://(?!127\.0\.0\.1)", DOCKERFILE + COMPOSE)


def test_the_broker_s_settings_are_where_it_looks(services: Mapping[str, dict[str, Any]]) -> None:
    assert "./mosquitto.conf:/mosquitto/config/mosquitto.conf:ro" in COMPOSE
    assert "listener 1883" in settings()


def test_the_fleet_is_a_coordinator_nodes_and_bots_from_elsewhere(
    fleet: Mapping[str, dict[str, Any]],
) -> None:
    commands = {
        name: command_parser().parse_args(one["command"]) for name, one in fleet.items() if "command" in one
    }
    kinds = Counter(options.command for options in commands.values())
    assert kinds == {"coordinator": 1, "node": 2, "bot": 2}
    assert set(fleet) == {*commands, "postgres", "fleet-mosquitto"}
    chief = commands["coordinator"]
    competition, _ = load_competition(ROOT / chief.file, strategy_names())
    tokens = {bot.name: bot.token for bot in competition.entry.bots if bot.token}
    for name, options in commands.items():
        networks = set(fleet[name]["networks"])
        if options.command == "bot":
            bot = parse_options(options.rest)
            assert (bot.url, bot.token) == (f"ws://coordinator:{chief.port}", tokens[name])
            assert networks == {"seats"}
            continue
        assert parse_broker(options.mqtt).host == "fleet-mosquitto"
        assert urlsplit(fleet[name]["environment"]["POKERD_DATABASE"]).hostname == "postgres"
        assert networks == {"fleet", "seats"}
        folder = options.out.parent if options.command == "coordinator" else options.data
        assert str(folder) in [volume_of(one) for one in fleet[name]["volumes"]]
        if options.command == "node":
            assert (options.name, options.url) == (name, f"ws://{name}:{options.port}")
    for name in ("postgres", "fleet-mosquitto"):
        assert set(fleet[name]["networks"]) == {"fleet"}
        assert not fleet[name].get("ports")


def nodes(ears: Ears, status: str) -> set[str]:
    """The nodes that have said so, or of which it was said."""
    events = [heard.event for heard in ears.heard]
    return {event.node for event in events if isinstance(event, NodeStatus) and event.status == status}


def volume_of(one: Any) -> str:
    """Where a volume is seen, in the short form and in the long one."""
    return str(one["target"] if isinstance(one, dict) else one.split(":")[1])


def source_of(one: Any) -> str:
    """What is seen there: a volume's name, or a file."""
    return str(one["source"] if isinstance(one, dict) else one.split(":")[0])


async def test_a_fleet_s_night(
    fleet: Mapping[str, dict[str, Any]], postgres: Postgres, tmp_path: Path
) -> None:
    """The same commands, as processes of this machine: with a real database and a real broker, which is
    started anew in between.
    """
    database = {"POKERD_DATABASE": postgres.database()}
    text = re.sub(
        r"hands = \d+\nmatches = \d+", "hands = 20", (ROOT / "games" / "fleet.toml").read_text("utf-8")
    )
    (tmp_path / "fleet.toml").write_text(text, encoding="utf-8")
    port = free_port()
    moved = {"games/fleet.toml": f"{tmp_path}/fleet.toml", "/results/fleet": f"{tmp_path}/out", "8000": "0"}
    moved |= {"0.0.0.0": "127.0.0.1", "ws://coordinator:8000": f"ws://127.0.0.1:{port}"}
    pokerd = (sys.executable, "-m", "pokerd")
    fields = conninfo_to_dict(database["POKERD_DATABASE"])
    await becomes_healthy(fleet["postgres"], {}, PGPORT=str(fields["port"]))
    assert not healthy(fleet["postgres"], {}, PGPORT=str(free_port()))
    with ExitStack() as stack:
        broker = stack.enter_context(Broker(tmp_path, "allow_anonymous true"))
        moved["mqtt://fleet-mosquitto"] = broker.url
        running: dict[str, Program] = {}
        health: dict[str, dict[str, str]] = {}

        def start(name: str, **more: str) -> None:
            health[name] = {"9090": str(free_port())}
            words = [({**moved, **health[name], **more}).get(word, word) for word in fleet[name]["command"]]
            if "--url" in words and name.startswith("node"):
                del words[words.index("--url") : words.index("--url") + 2]
            words = [word.replace("/data", f"{tmp_path}/{name}") for word in words]
            running[name] = stack.enter_context(Program(*pokerd, *words, variables=database))

        async with listening_to(broker.url) as ears:
            start("node-1")
            start("node-2")
            await ears.until(lambda _: nodes(ears, "online") == {"node-1", "node-2"})
            start("coordinator", **{"8000": str(port)})
            for name in ("node-1", "node-2", "coordinator"):
                await becomes_healthy(fleet[name], health[name])
            start("guest-1")
            start("guest-2")
            progress = await ears.hear(ProgressReport, lambda event: event.divisions[0].done > 0)
        assert progress.competition == "fleet"
        # All that says how things stand is there again, though the broker remembers nothing.
        broker.stop()
        broker.start()
        async with listening_to(broker.url) as ears:
            final = await ears.hear(CompetitionStandings, lambda event: event.final)
        for name in ("coordinator", "guest-1", "guest-2"):
            assert running[name].end() == 0, running[name].lines
        assert {one.name for one in final.divisions[0].ranking} == {"fair", "call", "guest-1", "guest-2"}
        status = "pokerd/v1/nodes/node-1/status"
        assert isinstance(event := (await retained(broker.url, status))[status], NodeStatus)
        assert event.status == "online"
        async with listening_to(broker.url) as ears:
            running["node-1"].stop(signal.SIGKILL)
            running["node-2"].stop()
            await ears.until(lambda _: nodes(ears, "offline") == {"node-1", "node-2"})
    verify_directory(tmp_path / "out")
    for program in running.values():
        assert not program.said("Traceback")


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
        assert not healthy(services["mosquitto"], {}, "--port", str(free_port()))
        await becomes_healthy(services["mosquitto"], {}, "--port", str(broker.port))
        web = {"8080": str(free_port())}
        assert not healthy(services["server"], web)
        command = [*replaced(services["server"]["command"], moved), "--web-port", web["8080"]]
        server = stack.enter_context(Program(*pokerd, *command))
        url = server.says(r"pokerd listens at (ws://\S+)")[1]
        await becomes_healthy(services["server"], web)
        running = {
            name: stack.enter_context(Program(*pokerd, *replaced(command, {"ws://server:8000": url})))
            for name, command in guests(services)
        }
        async with listening_to(broker.url) as ears:
            tables = await ears.hear(TableList, lambda event: all_sit(event, set(running)))
            hand = await ears.hear(FinishedHand, lambda event: len(event.players) == 2 + len(running))
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


def all_sit(event: TableList, guests: set[str]) -> bool:
    return any(guests <= {one.name for one in table.seated} for table in event.tables)


def replaced(words: list[str], moved: Mapping[str, str]) -> list[str]:
    """A command with other addresses in it; each must be there."""
    assert set(moved) <= set(words)
    return [moved.get(word, word) for word in words]
