"""``pokerd serve``: a house with open tables."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from dealer.formats.format import Stakes
from dealer.table import Clock
from server.auth.policy import AdmissionPolicy, GuestMode, admission_policy
from server.auth.tokens import load_access, polling_access
from server.bots.offered import HouseBots
from server.bots.processes import ProcessManager
from server.bots.sandbox import Limits, Sandbox
from server.commands.competition_tables import table_configs
from server.commands.runtime import (
    ServerOptions,
    address_of,
    connect_broker,
    run_guarded,
    serve_metrics,
    web_address_text,
)
from server.competition.file import VerifyParameters, load_competition
from server.house.admin import Administration, wait_first
from server.house.house import House
from server.house.lobby import Lobby
from server.house.restore import recorder_for, restore_tables
from server.net import gateway
from server.net.batch_room import BatchLimits, BatchMaker, BatchRoom
from server.net.listener import limiter_for
from server.people.results import PeopleResults
from server.public.bus import EventBus
from server.public.feed import OpenTableFeed
from server.storage.hand_db import HAND_DB_NAME
from server.storage.hand_store import HandStore
from server.tables.config import TableConfig
from server.tables.open_table import OpenTable
from server.web.competitions.reader import CompetitionCatalog
from server.web.health_checks import HealthMonitor
from server.web.site import serve_web

log = structlog.get_logger("pokerd.app")

#: Seconds between hands at the tables that are always open, while people are watching.
PAUSE: Final = 2.5
#: The name of the table at which only bots play.
SHOWCASE: Final = "Aquarium"


class ServeOptions(NamedTuple):
    """Options of ``pokerd serve``."""

    server: ServerOptions
    tables: int
    seats: int
    bots: Sequence[str]
    exhibition: Sequence[str]
    competition: Path | None
    house_bots: HouseBots
    verify_parameters: VerifyParameters
    stakes: Stakes
    clock: Clock
    logs: Path | None
    data: Path
    results: Path
    url_only: bool
    guests: GuestMode
    make_batch: BatchMaker
    batches: BatchLimits


def serve(options: ServeOptions) -> int:
    """Run a house with open cash tables until interrupted; house bots wait there for players.

    With ``competition`` the tables are those of that file (``server.commands.competition_tables``). Tables
    that were open when the last process ended are restored. Raises ``CompetitionError``, ``SandboxError``,
    ``AccessError`` and ``HandStoreError`` before anything is started, and ``HandStoreError`` (``not_stored``)
    when the archive can no longer be written.
    """
    configs = [*_table_configs(options), *_exhibition(options)]
    access = load_access(options.data)
    server = options.server
    private = filter(None, [options.competition, options.logs, options.batches.records])
    hidden = [options.data, options.results, *private, *server.key_files]
    sandbox = Sandbox(hidden, strictness=server.sandbox)
    missing = sandbox.explain_missing([Limits()])
    if missing:
        print(missing, file=sys.stderr, flush=True)

    async def main() -> int:
        rules = admission_policy(access, server.host, options.guests, server.capacity, server.exposure)
        await _serve(options, configs, rules, sandbox)
        return 0

    with server.log_config.activate():
        if missing:
            log.warning("no sandbox", reason=missing)
        return run_guarded(main())


async def _serve(
    options: ServeOptions, configs: Sequence[TableConfig], rules: AdmissionPolicy, sandbox: Sandbox
) -> None:
    server = options.server
    assert server.web_port is not None
    async with contextlib.AsyncExitStack() as stack:
        archive = HandStore(options.data / HAND_DB_NAME)
        stack.push_async_callback(archive.close)
        results = PeopleResults(archive)
        processes = ProcessManager(options.logs, guarded=True)
        stack.push_async_callback(processes.close)
        bus = EventBus()
        lobby = Lobby(
            processes,
            bots=options.house_bots,
            make_house=partial(House, admission=rules, storage=archive, durable=True),
            make_recorder=partial(recorder_for, archive),
            make_feed=partial(_feed_for, bus),
            confinement=sandbox.for_house_bot(Limits()),
            people=results,
        )
        stack.push_async_callback(lobby.close)
        house = lobby.house
        await stack.enter_async_context(polling_access(options.data, house.apply_access))
        watch = HealthMonitor(house, options.data)
        say = partial(print, file=sys.stderr, flush=True)
        await stack.enter_async_context(connect_broker(server.broker, bus, say, watch))
        scraped = await stack.enter_async_context(serve_metrics(watch, server.metrics))
        administration = Administration(house, options.data)
        # Before anybody can connect, so that returning players find their seats.
        notes = restore_tables(lobby, archive, configs)
        limiter = limiter_for(server.capacity)
        web = serve_web(
            house,
            server.host,
            server.web_port,
            options.data,
            archive=archive,
            people=results,
            competitions=CompetitionCatalog(options.results),
            monitor=watch,
            administration=administration,
            tls=server.tls,
            limiter=limiter,
        )
        stack.push_async_callback(web.close)
        batches = BatchRoom(options.make_batch, options.batches) if options.batches.connections else None
        entrance = await gateway.serve(house, server.host, server.port, server.tls, limiter, batches)
        stack.push_async_callback(entrance.close)
        url = address_of(server.host, entrance.port, secure=entrance.secure)
        lobby.on_listening(entrance.internal_url or url)
        people = web_address_text(web, server.host)
        if not web.missing and any(grant.admin for grant in rules.access.tokens):
            people += "\n" + web_address_text(web, server.host, "/organiser", "organiser")
        if not options.url_only:
            what = "" if options.competition else f" of {options.stakes.kind} hold'em"
            print(f"pokerd listens at {url}")
            number = len(house.open_tables)
            print(f"{number} open table{'' if number == 1 else 's'}{what}: {', '.join(house.open_tables)}")
            print(_join_hint(house, url))
        print("\n".join(filter(None, [*notes, people, scraped])), flush=True)
        await wait_first(archive.wait_for_failure(), administration.wait_drained())


def _join_hint(house: House, url: str) -> str:
    if house.admission.guests:
        table = next(iter(house.open_tables), "TABLE")
        return f"join one: python -m pokerd bot call --url {url} --join {table}"
    return "players need a token (pokerd token issue NAME); --guests yes admits anybody"


def _table_configs(options: ServeOptions) -> list[TableConfig]:
    """Return the tables to open."""
    if options.competition is not None:
        competition, _ = load_competition(options.competition, options.house_bots, options.verify_parameters)
        return list(table_configs(competition, options.clock, PAUSE))
    bots = tuple(options.bots[: options.seats - 1])
    return [
        TableConfig(options.stakes, options.seats, options.clock, pause=PAUSE, bots=bots)
    ] * options.tables


def _exhibition(options: ServeOptions) -> list[TableConfig]:
    """Return the table at which only bots play, with 100 big blinds, unless there is none."""
    bots = tuple(options.exhibition)
    stakes = Stakes(5, 10, 0, limit=False, stack=1000)
    table = TableConfig(stakes, len(bots), options.clock, pause=PAUSE, bots=bots, name=SHOWCASE)
    return [table] if bots else []


def _feed_for(bus: EventBus, house: House, table: OpenTable) -> OpenTableFeed:
    """Return what publishes the events of an open table."""
    return OpenTableFeed(bus, house, table.facts.table, len(table.players))
