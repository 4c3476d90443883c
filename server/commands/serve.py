"""``pokerd serve``: a house with open tables."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from dealer.formats.format import Stakes
from dealer.table import Clock
from server.auth.policy import AdmissionPolicy, GuestMode, admission_policy
from server.auth.tokens import load_access, polling_access
from server.bots.offered import HouseBots
from server.bots.processes import ProcessManager
from server.bots.sandbox import Limits, Sandbox
from server.commands.competition_tables import table_configs
from server.commands.runtime import (
    EVERYWHERE,
    ServerOptions,
    address_of,
    connect_broker,
    doors_of,
    run_guarded,
    serve_metrics,
    warn,
    web_address_text,
)
from server.competition.file import VerifyParameters, load_competition
from server.fleet.table_processes import Worker, Workers, WorkerSetup
from server.house.admin import Administration, wait_first
from server.house.house import House
from server.house.lobby import Lobby, TablePlan
from server.house.restore import recorder_for, restore_for_workers, restore_tables
from server.net import gateway
from server.net.batch_room import BatchLimits, BatchMaker, BatchRoom
from server.net.listener import limiter_for
from server.people.results import PeopleResults
from server.people.same_deals import SameDeals
from server.public.bus import EventBus
from server.public.feed import OpenTableFeed
from server.storage.hand_db import HAND_DB_NAME
from server.storage.hand_store import HandStore
from server.tables.config import TableConfig
from server.telemetry.logger import get_logger
from server.tournaments.desk import TournamentDesk
from server.web.competitions.reader import CompetitionCatalog
from server.web.health_checks import HealthMonitor
from server.web.identity import load_secret
from server.web.people.push_fold import PushFoldSolver
from server.web.site import serve_web

log = get_logger("pokerd.app")

#: Seconds between hands at the tables that are always open, while people are watching.
PAUSE: Final = 2.5
#: The name of the table at which only bots play.
SHOWCASE: Final = "Aquarium"

#: The command of a process that plays tables, whatever files the working directory has.
_TABLE_PROCESS: Final = (sys.executable, "-P", "-m", "pokerd.table_process")


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
    push_fold: PushFoldSolver
    workers: int = 1


def serve(options: ServeOptions) -> int:
    """Run a house with open cash tables until interrupted; house bots wait there for players.

    With ``competition`` the tables are those of that file (``server.commands.competition_tables``). Tables
    that were open when the last process ended are restored. Raises ``CompetitionError``, ``SandboxError``,
    ``AccessError`` and ``HandStoreError`` before anything is started, and ``HandStoreError`` (``not_stored``)
    when the archive can no longer be written.
    """
    configs = [*_table_configs(options), *exhibition_tables(options.exhibition, options.clock)]
    access = load_access(options.data)
    server = options.server
    sandbox = Sandbox(_hidden(options), strictness=server.sandbox)
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
        archive = HandStore(options.data / HAND_DB_NAME, shared=options.workers > 1)
        stack.push_async_callback(archive.close)
        results = PeopleResults(archive)
        same_deals = SameDeals(archive, load_secret(options.data, "deals.secret"))
        processes = ProcessManager(options.logs, guarded=True)
        stack.push_async_callback(processes.close)
        bus = EventBus()
        lobby = Lobby(
            processes,
            bots=options.house_bots,
            make_house=partial(House, admission=rules, storage=archive, durable=True),
            make_recorder=partial(recorder_for, archive),
            make_feed=lambda house, table: OpenTableFeed(bus, house, table.facts.table, len(table.players)),
            confinement=sandbox.for_house_bot(Limits()),
            people=results,
            same_deals=same_deals,
        )
        stack.push_async_callback(lobby.close)
        house = lobby.house
        await stack.enter_async_context(polling_access(options.data, house.apply_access))
        watch = HealthMonitor(house, options.data)
        await stack.enter_async_context(connect_broker(server.broker, bus, warn, watch))
        scraped = await stack.enter_async_context(serve_metrics(watch, server.metrics))
        administration = Administration(house, options.data)
        # Before anybody can connect, so that returning players find their seats.
        plan = restore_for_workers(lobby, archive, configs) if options.workers > 1 else None
        notes = restore_tables(lobby, archive, configs) if plan is None else plan.notes
        workers = None if plan is None else await _open_workers(stack, options, house, archive, plan)
        limiter = limiter_for(server.capacity)
        web = serve_web(
            house,
            server.host,
            server.web_port,
            options.data,
            archive=archive,
            people=results,
            same_deals=same_deals,
            push_fold=options.push_fold,
            hand_coach=lobby.hand_coach,
            desk=TournamentDesk(lobby, options.data / "tournaments"),
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
        lobby.house_bots.on_listening(entrance.internal_url or url)
        if workers is not None:
            # Before the house is closed, which would free the seats at their tables.
            stack.push_async_callback(workers.close)
            watch.checks |= {f"worker {one.number}": one.health for one in workers.workers}
        people = web_address_text(web, server.host)
        if not web.missing and any(grant.admin for grant in rules.access.tokens):
            people += "\n" + web_address_text(web, server.host, "/organiser", "organiser")
        if not options.url_only:
            _print_tables(options, house, url)
        print("\n".join(filter(None, [*notes, people, scraped])), flush=True)
        ends = [archive.wait_for_failure(), administration.wait_drained()]
        await wait_first(*ends, *([] if workers is None else [workers.wait_for_failure()]))


def _print_tables(options: ServeOptions, house: House, url: str) -> None:
    what = "" if options.competition else f" of {options.stakes.kind} hold'em"
    print(f"pokerd listens at {url}")
    tables = [listing.table for listing in house.listing()]
    print(f"{len(tables)} open table{'' if len(tables) == 1 else 's'}{what}: {', '.join(tables)}")
    print(_join_hint(house, url))


def _hidden(options: ServeOptions) -> list[Path]:
    """Return what no bot may read."""
    private = filter(None, [options.competition, options.logs, options.batches.records])
    return [options.data, options.results, *private, *options.server.key_files]


async def _open_workers(
    stack: contextlib.AsyncExitStack, options: ServeOptions, house: House, archive: HandStore, plan: TablePlan
) -> Workers:
    """Start the processes that play the tables of the options; ``stack`` ends them. They listen at the ports
    after that of this one, or at any if that does.
    """
    server = options.server
    if server.host in EVERYWHERE and not server.exposure.names:
        warn("bots of other machines cannot reach the workers: set --allow-host to our name")
    config = server.log_config
    setups = [
        WorkerSetup(
            number=number,
            archive=str(archive.path.absolute()),
            bot_logs="" if options.logs is None else str(options.logs.absolute()),
            secret=[str(path.absolute()) for path in _hidden(options)],
            sandbox=server.sandbox,
            log_level=config.level,
            log_file="" if config.file is None else str(config.file.absolute()),
            log_style=config.style,
            listen=doors_of(server),
            port=server.port + number if server.port else 0,
        )
        for number in range(1, options.workers + 1)
    ]
    workers = Workers(
        [Worker(house, _TABLE_PROCESS, setup, archive.lock, archive.count_hands) for setup in setups]
    )
    stack.push_async_callback(workers.close)
    await workers.open(plan.permanent)
    return workers


def _join_hint(house: House, url: str) -> str:
    if house.admission.guests:
        table = next((listing.table for listing in house.listing()), "TABLE")
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


def exhibition_tables(bots: Sequence[str], clock: Clock) -> list[TableConfig]:
    """Return the table at which only ``bots`` play no-limit with 100 big blinds; none without bots."""
    stakes = Stakes(5, 10, stack=1000)
    table = TableConfig(stakes, len(bots), clock, pause=PAUSE, bots=tuple(bots), name=SHOWCASE)
    return [table] if bots else []
