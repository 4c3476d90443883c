"""``pokerd serve``: a house with open tables."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from dealer.formats.format import Stakes
from dealer.table import Clock
from server.auth.hosts import USUALLY, Exposure
from server.auth.policy import USUAL, Capacity, Guests, admission
from server.auth.tokens import following
from server.auth.tokens import load as load_access
from server.bots.processes import Processes
from server.bots.sandbox import Limits, Sandbox, Strictness
from server.commands.competition_tables import plans_of
from server.commands.runtime import DATA, address_of, people_at, public, run_guarded, watched
from server.competition.file import load_competition
from server.house.admin import Administration, first_of
from server.house.house import House
from server.house.lobby import Lobby
from server.house.restore import lasting, record_of, taken_up
from server.net import gateway
from server.net.gateway import Library
from server.net.listener import places_of
from server.net.tls import Tls
from server.public.bus import Bus
from server.public.feed import OpenTableFeed
from server.public.mqtt import Broker
from server.tables.config import TablePlan
from server.tables.open_table import OpenTable
from server.telemetry.logging_setup import Journal
from server.web.competitions.reader import Contests
from server.web.health import MetricsPort
from server.web.health_checks import Watch
from server.web.site import serve_web

__all__ = ["ServeOptions", "serve"]

log = structlog.get_logger("pokerd.app")

#: Seconds between the hands of the tables that are always open, while people look on.
PAUSE: Final = 2.5


class ServeOptions(NamedTuple):
    """Settings of ``pokerd serve``."""

    host: str = "127.0.0.1"
    port: int = 8000
    tables: int = 2
    seats: int = 3
    bots: Sequence[str] = ("fair", "call")
    competition: Path | None = None
    house_bots: Collection[str] = ()
    limit: bool = False
    push_fold: bool = False
    depth: tuple[int, int] | None = None
    small_blind: int = 5
    big_blind: int = 10
    stack: int = 1000
    decision: float = 10.0
    bank: float = 60.0
    library: Library = "picows"
    journal: Journal = Journal()
    logs: Path | None = None
    broker: Broker | None = None
    web_port: int = 8080
    metrics: MetricsPort | None = None
    data: Path = DATA
    results: Path = Path("results")
    brief: bool = False
    sandbox: Strictness = "auto"
    guests: Guests = "auto"
    capacity: Capacity = USUAL
    exposure: Exposure = USUALLY
    tls: Tls | None = None


def serve(options: ServeOptions) -> int:
    """Keep a house with open cash tables until interrupted; house bots wait there for company.

    With ``competition`` they are those of that file (``server.commands.competition_tables``). Tables that
    were open when the last process ended go on. Raises ``CompetitionError``, ``SandboxError``,
    ``AccessError`` and ``ArchiveError`` before anything is started, and ``ArchiveError`` (``not_stored``)
    when the archive can be written no more.
    """
    plans = _plans(options)
    access = load_access(options.data)
    private = [options.data, options.results, *filter(None, [options.competition, options.logs])]
    private += [] if options.tls is None else options.tls.files
    sandbox = Sandbox(private, strictness=options.sandbox)
    missing = sandbox.missing([Limits()])
    if missing:
        print(missing, file=sys.stderr, flush=True)

    async def main() -> int:
        rules = admission(access, options.host, options.guests, options.capacity, options.exposure)
        house = House(admission=rules)
        watch = Watch(house, options.data)
        say = partial(print, file=sys.stderr, flush=True)
        async with public(options.broker, say, watch) as bus, watched(watch, options.metrics) as scraped:
            await _serve(options, plans, house, bus, watch, scraped, sandbox)
        return 0

    with options.journal.opened():
        if missing:
            log.warning("no sandbox", reason=missing)
        return run_guarded(main())


async def _serve(
    options: ServeOptions,
    plans: Sequence[TablePlan],
    house: House,
    bus: Bus,
    watch: Watch,
    scraped: str,
    sandbox: Sandbox,
) -> None:
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(following(options.data, house.obey))
        archive = lasting(house, options.data)
        stack.push_async_callback(archive.close)
        processes = Processes(options.logs, guarded=True)
        stack.push_async_callback(processes.close)
        lobby = Lobby(
            house,
            processes,
            bots=options.house_bots,
            keeper=partial(record_of, archive),
            confinement=sandbox.house(Limits()),
        )
        stack.push_async_callback(lobby.close)
        lobby.on_open.append(partial(_announce, bus, house))
        administration = Administration(house, options.data)
        # Before anybody can come: who comes back finds his seat.
        said = taken_up(lobby, archive, plans)
        places = places_of(options.capacity)
        web = serve_web(
            house,
            options.host,
            options.web_port,
            options.data,
            archive=archive,
            contests=Contests(options.results),
            watch=watch,
            administration=administration,
            tls=options.tls,
            places=places,
        )
        stack.push_async_callback(web.close)
        entrance = await gateway.serve(
            house, options.host, options.port, options.library, options.tls, places
        )
        stack.push_async_callback(entrance.close)
        url = address_of(options.host, entrance.port, secure=entrance.secure)
        lobby.listen(entrance.inside or url)
        people = people_at(web, options.host)
        if not options.brief:
            kind = "limit" if options.limit else "push/fold" if options.push_fold else "no-limit"
            what = "" if options.competition else f" of {kind} hold'em"
            print(f"pokerd listens at {url}")
            print(f"{len(house.open_tables)} open tables{what}: " + ", ".join(house.open_tables))
            print(_invitation(house, url))
        print("\n".join(filter(None, [*said, people, scraped])), flush=True)
        await first_of(archive.broken(), administration.drained())


def _invitation(house: House, url: str) -> str:
    if house.admission.guests:
        return f"join one: python -m pokerd bot call --url {url} --join table-1"
    return "it takes a token to play here (pokerd token issue NAME); --guests yes lets anybody in"


def _plans(options: ServeOptions) -> list[TablePlan]:
    """What is played at the tables that the command opens."""
    clock = Clock(options.decision, options.bank)
    if options.competition is not None:
        competition, _ = load_competition(options.competition, options.house_bots)
        return list(plans_of(competition, clock, PAUSE))
    rules = "pushfold" if options.push_fold else "standard"
    stakes = Stakes(
        options.small_blind, options.big_blind, 0, options.limit, options.stack, rules, options.depth
    )
    bots = tuple(options.bots[: options.seats - 1])
    return [TablePlan(stakes, options.seats, clock, pause=PAUSE, bots=bots)] * options.tables


def _announce(bus: Bus, house: House, table: OpenTable) -> None:
    """Tell of an open table in public."""
    feed = OpenTableFeed(bus, house, table.facts.table, len(table.players))
    table.recorders.append(feed)
    feed.watch(table)
