"""What the command line starts: a competition from its file, or a house with open tables."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import sys
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import msgspec
import structlog
import uvloop
from rich.console import Console

from dealer.errors import DealerError
from dealer.formats import Stakes
from dealer.interleave import spacing
from dealer.table import Clock
from server import gateway, logs
from server.access import following
from server.access import load as load_access
from server.administration import Administration, first_of
from server.admission import PER_ADDRESS, Guests, admission
from server.announce import Announcer, OpenTableFeed
from server.bus import Bus
from server.competition import CompetitionFault, Runner
from server.competition_file import Competition, VerifyParameters, load_competition
from server.display import follow
from server.entrance import obey
from server.families import plans_of
from server.gateway import Library
from server.house import House
from server.lobby import Lobby
from server.managed import Processes
from server.mqtt import Broker, MqttLink
from server.open_table import OpenTable
from server.resume import Plan, plan
from server.sandbox import Limits, Sandbox, Strictness
from server.table_plan import TablePlan
from server.taking_up import lasting, record_of, taken_up
from server.tls import Tls
from server.watch import Watch
from server.web.contests import Contests
from server.web.health import MetricsPort, serve_health
from server.web.site import Web, serve_web

__all__ = [
    "ServeOptions",
    "address_of",
    "compete",
    "private_paths",
    "run_guarded",
    "serve",
    "tune_collector",
    "watched",
]


log = structlog.get_logger("pokerd.app")

#: Seconds between the hands of the tables that are always open, while people look on.
PAUSE: Final = 2.5
#: Where ``serve`` keeps what must stay, if it is not told otherwise.
DATA: Final = Path("var")


def tune_collector() -> None:
    """Nearly all that a hand makes dies with it, without cycles: look for them less often than by default."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def run_guarded(
    main: Coroutine[Any, Any, int], wind_down: Callable[[], Coroutine[Any, Any, None]] | None = None
) -> int:
    """Run under uvloop, with SIGINT, SIGTERM and SIGHUP cancelling it so that everything is cleaned up.

    ``wind_down``: carried out before that; whoever cannot wait for it signals once more.
    """

    async def guarded() -> int:
        tune_collector()
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(main)
        winding: list[asyncio.Task[None]] = []

        def cancel(_: object = None) -> None:
            # Once: a second one would break off the cleaning up, and leave bots behind.
            if not task.cancelling():
                task.cancel()

        def stop() -> None:
            if winding or wind_down is None:
                cancel()
            else:
                winding.append(loop.create_task(wind_down(), name="winding down"))
                winding[0].add_done_callback(cancel)

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, stop)
        try:
            return await task
        except asyncio.CancelledError:
            return 130

    return uvloop.run(guarded())


@contextlib.asynccontextmanager
async def watched(watch: Watch, at: MetricsPort | None) -> AsyncIterator[str]:
    """A port for those who operate the server, unless ``at`` is None: where, in words. Raises
    ``ListenError``.
    """
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(watch.close)
        if at is None:
            yield ""
            return
        port = serve_health(watch, at)
        stack.push_async_callback(port.close)
        yield f"metrics: {address_of(at.host, port.port).replace('ws:', 'http:')}/metrics"


@contextlib.asynccontextmanager
async def _public(broker: Broker | None, say: Callable[[str], None], watch: Watch) -> AsyncIterator[Bus]:
    """The bus of a server, forwarded to a broker if there is one."""
    bus = Bus()
    if broker is None:
        yield bus
        return
    link = MqttLink(broker, bus, say)
    watch.link = link
    link.start()
    try:
        yield bus
    finally:
        await link.close()


@contextlib.asynccontextmanager
async def _shown(
    contests: Contests, runner: Runner, watch: Watch, host: str, port: int | None, tls: Tls | None
) -> AsyncIterator[str]:
    """A competition for people to look at, unless ``port`` is None: where, in words."""
    if port is None:
        yield ""
        return
    home = f"/competition/{quote(runner.store.out.name)}"
    web = serve_web(runner.house, host, port, contests=contests, watch=watch, tls=tls, home=home)
    try:
        yield _people(web, host, home)
    finally:
        await web.close()


@contextlib.asynccontextmanager
async def _displayed(runner: Runner, console: Console) -> AsyncIterator[None]:
    """The progress of a competition in the terminal."""
    display = asyncio.create_task(follow(runner.progress, console), name="display")
    try:
        yield
    finally:
        display.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await display


def compete(
    file: Path,
    out: Path,
    *,
    workers: int | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    library: Library = "picows",
    house_bots: Collection[str] = (),
    verify_parameters: VerifyParameters | None = None,
    broker: Broker | None = None,
    web_port: int | None = None,
    metrics: MetricsPort | None = None,
    log_level: str = "info",
    sandbox: Strictness | None = None,
    tls: Tls | None = None,
    runner: Callable[..., Runner] = Runner,
) -> int:
    """Play the competition of ``file`` into the directory ``out``, show progress, print the standings. Exit
    code 0.

    What was begun in ``out`` before, or in ``file`` if that is a directory, is gone on with.
    ``house_bots``: the names that the file may run; ``verify_parameters`` as in ``parse_competition``.
    ``web_port``: where people may look on (0: any), also when it is over, until the process is told to stop;
    not if it is None. ``metrics``: where those who operate it may ask. ``sandbox`` goes before what the file
    says. ``runner`` makes what plays it. Raises ``CompetitionError``, ``StoreError``, ``StateError``,
    ``SandboxError`` and ``ListenError`` before anything is started.
    """
    planned = plan(file, out, house_bots, verify_parameters)
    out = planned.out
    with contextlib.ExitStack() as held:
        if planned.store is not None:
            held.callback(planned.store.close)
        if planned.finished:
            print(f"{planned.competition.name} is finished; nothing is missing in {out}")
            print((out / "standings.md").read_text(encoding="utf-8"), flush=True)
            return 0
        hidden = [file, *private_paths(planned.out), *([] if tls is None else tls.files)]
        box = Sandbox(hidden, strictness=sandbox)
        options: dict[str, Any] = {"workers": workers, "store": planned.store, "sandbox": box}
        make = partial(runner, planned.competition, planned.text, **options)
        return _played(
            planned, held, make, host, port, library, broker, web_port, metrics, log_level, box, tls
        )


def _played(
    planned: Plan,
    held: contextlib.ExitStack,
    make: Callable[[House, str, Path], Runner],
    host: str,
    port: int,
    library: Library,
    broker: Broker | None,
    web_port: int | None,
    metrics: MetricsPort | None,
    log_level: str,
    sandbox: Sandbox,
    tls: Tls | None,
) -> int:
    """Play what is missing; ``held`` is let go of afterwards."""
    competition, out = planned.competition, planned.out
    seen = sandbox.missing(competition.managed_limits())
    console = Console(highlight=False, soft_wrap=True)
    runners: list[Runner] = []

    async def main() -> int:
        house = House(grace=competition.entry.time.grace_ms / 1000)
        entrance = await gateway.serve(house, host, port, library, tls)
        url = address_of(host, entrance.port, secure=entrance.secure)
        runner = make(house, entrance.inside or url, out)
        contests = Contests(runner=runner)
        watch = Watch(house, out, runner)
        try:
            async with (
                watched(watch, metrics) as scraped,
                _shown(contests, runner, watch, host, web_port, tls) as people,
            ):
                # Not before: what cannot be played leaves nothing in the way of the next attempt.
                runner.open()
                runners.append(runner)
                async with _displayed(runner, console):
                    journal = logs.configure(out / "logs" / "server.jsonl", level=log_level)
                    held.enter_context(contextlib.closing(journal))
                    others = host != "127.0.0.1" or port or any(bot.remote for bot in competition.entry.bots)
                    bots = f"bots connect to {entrance.scheme}://{host}:{entrance.port}" if others else ""
                    for line in filter(None, [*_promised(planned), seen, bots, people, scraped]):
                        console.print(line)
                    async with _public(broker, console.print, watch) as bus:
                        await _announced(runner, bus)
                print((out / "standings.md").read_text(encoding="utf-8"))
                print(f"all of it: {out}; check it: python -m pokerd verify {out}", flush=True)
                if people:
                    contests.finish()
                    await _lingering(out, people)
        except asyncio.CancelledError:
            console.print(_stopped(runner, out))
            raise
        except ExceptionGroup as group:
            return _failed(group, out, console)
        finally:
            await entrance.close()
        return 0

    async def wind_down() -> None:
        console.print("stopping when the hands in progress are over; Ctrl-C stops at once")
        for runner in runners:
            await runner.wind_down()

    return run_guarded(main(), wind_down)


def private_paths(out: Path, data: Path = DATA) -> list[Path]:
    """What no bot may read: results, of this competition and those beside it, and the server's data."""
    beside = out.absolute().parent
    return [out, data, *([beside] if beside != Path.cwd() and beside.is_relative_to(Path.cwd()) else [])]


def _stopped(runner: Runner, out: Path) -> str:
    done, planned = len(runner.progress.results), len(runner.competition.sessions)
    command, options = runner.again
    again = f"python -m pokerd {command} {out}{options}"
    return f"stopped: {done} of {planned} sessions are played; go on with: {again}"


def _failed(group: ExceptionGroup[Exception], out: Path, console: Console) -> int:
    """Say what ended a competition. Raises what is not known to."""
    known = group.subgroup(DealerError)
    if known is not None:
        raise known.exceptions[0] from None
    faults = group.subgroup(CompetitionFault)
    if faults is None:
        raise group
    log.error("competition failed", exc_info=group)
    console.print(f"a fault of pokerd at {faults.exceptions[0]} ended it; see {out}/logs/server.jsonl")
    return 1


def _promised(planned: Plan) -> list[str]:
    """What is said before the first card."""
    competition = planned.competition
    sessions = len(competition.sessions)
    before = f"; {sessions - planned.missing} are played already" if planned.store else ""
    return [
        f"{competition.name}: {sessions} sessions, records in {planned.out}{before}",
        f"deals are committed to: sha256 {competition.commitment}",
        *_close(competition),
    ]


def _close(competition: Competition) -> list[str]:
    """What is said where bots that could remember see the same deals again soon."""
    steps = spacing(competition.order, competition.remember)
    if steps is None or steps >= competition.entry.interleave:
        return []
    again = "in the very next session" if steps == 1 else f"after {steps} sessions"
    return [f"bots that could remember may see the same deals again {again}: more matches would part them"]


async def _lingering(out: Path, people: str) -> None:
    """All is played and written: who looked on goes on looking, until the process is told to stop."""
    print(f"{people.partition(chr(10))[0]} until you press Ctrl-C", flush=True)
    print(f"later: python -m pokerd serve --results {out.parent}", flush=True)
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


async def _announced(runner: Runner, bus: Bus) -> None:
    """Play a competition, and tell of it in public."""
    announcer = Announcer(bus, runner)
    try:
        await runner.run()
        await announcer.finish(msgspec.json.decode((runner.store.out / "standings.json").read_bytes()))
    finally:
        await announcer.close()


def address_of(host: str, port: int, *, secure: bool = False) -> str:
    """Where the bots that we start find us."""
    everywhere = host in ("", "0.0.0.0", "::")  # noqa: S104 (compared with, not bound to)
    return f"{'wss' if secure else 'ws'}://{'127.0.0.1' if everywhere else host}:{port}"


def _people(web: Web, host: str, path: str = "") -> str:
    """One address for people, and what to do first if the pages cannot be shown."""
    address = address_of(host, web.port, secure=web.secure).replace("ws", "http", 1)
    return "\n".join([f"people: {address}{path}", *filter(None, [web.missing])])


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
    log_level: str = "info"
    log_file: Path | None = None
    log_format: logs.Format = "json"
    logs: Path | None = None
    broker: Broker | None = None
    web_port: int = 8080
    metrics: MetricsPort | None = None
    data: Path = DATA
    results: Path = Path("results")
    brief: bool = False
    sandbox: Strictness = "auto"
    guests: Guests = "auto"
    per_address: int = PER_ADDRESS
    tls: Tls | None = None


def serve(options: ServeOptions) -> int:
    """Keep a house with open cash tables until interrupted; house bots wait there for company.

    With ``competition`` they are those of that file (``server.families``). Tables that were open when the
    last process ended go on. Raises ``CompetitionError``, ``SandboxError``, ``AccessError`` and
    ``ArchiveError`` before anything is started, and ``ArchiveError`` (``not_stored``) when the archive can be
    written no more.
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
        house = House(admission=admission(access, options.host, options.guests, options.per_address))
        watch = Watch(house, options.data)
        say = partial(print, file=sys.stderr, flush=True)
        async with _public(options.broker, say, watch) as bus, watched(watch, options.metrics) as scraped:
            await _serve(options, plans, house, bus, watch, scraped, sandbox)
        return 0

    journal = logs.configure(options.log_file, level=options.log_level, style=options.log_format)
    if missing:
        log.warning("no sandbox", reason=missing)
    with contextlib.closing(journal) if options.log_file else contextlib.nullcontext():
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
        await stack.enter_async_context(following(options.data, partial(obey, house)))
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
        )
        stack.push_async_callback(web.close)
        entrance = await gateway.serve(house, options.host, options.port, options.library, options.tls)
        stack.push_async_callback(entrance.close)
        url = address_of(options.host, entrance.port, secure=entrance.secure)
        lobby.listen(entrance.inside or url)
        people = _people(web, options.host)
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
        return f"join one: python clients/examples/caller.py --url {url} --join table-1"
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
