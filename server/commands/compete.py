"""``pokerd compete``: plays the competition of a file."""

from __future__ import annotations

import asyncio
import contextlib
import glob
import sys
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import msgspec

from dealer.intervals import MIN_UNITS
from dealer.play_order import smallest_gap
from server.auth.policy import members_only_policy
from server.bots.sandbox import Sandbox
from server.commands.progress_display import Display
from server.commands.runtime import (
    DATA,
    EVERYWHERE,
    ServerOptions,
    address_of,
    connect_broker,
    doors_of,
    run_guarded,
    serve_metrics,
    web_address_text,
)
from server.competition.file import Competition, VerifyParameters
from server.competition.progress import CompetitionProgress
from server.competition.resume import CompetitionPlan, plan_competition
from server.competition.runner import Runner
from server.competition.session_host import CompetitionFault
from server.competition.store import CompetitionStore
from server.errors import known_error
from server.fleet.process_messages import Setup
from server.fleet.processes import ProcessRunner
from server.house.house import House
from server.net import gateway
from server.net.gateway import Gateway
from server.net.listener import ConnectionLimiter, limiter_for
from server.public.bus import EventBus
from server.public.feed import CompetitionFeed, final_standings, progress_event
from server.telemetry import logging_setup as logs
from server.telemetry.logger import get_logger
from server.web.competitions.reader import CompetitionCatalog
from server.web.health_checks import HealthMonitor

if TYPE_CHECKING:
    from server.public.mqtt import BrokerAddress

#: Exit code if everything is played but a bot is marked in the standings.
MARKED: Final = 4

#: The command of a process that plays sessions, whatever files the working directory has.
_SESSION_PROCESS: Final = (sys.executable, "-P", "-m", "pokerd.session_process")

log = get_logger("pokerd.app")


class _Division(msgspec.Struct):
    division: str
    #: Earlier versions have no marks.
    marked: list[str] = []
    decisions: dict[str, dict[str, int]] = {}


class _Standings(msgspec.Struct):
    divisions: list[_Division]


@contextlib.asynccontextmanager
async def _serve_pages(
    competitions: CompetitionCatalog,
    runner: Runner,
    monitor: HealthMonitor,
    options: ServerOptions,
    limiter: ConnectionLimiter,
) -> AsyncIterator[str]:
    """Serve the pages of a competition if there is a web port; provide the text that gives its address."""
    if options.web_port is None:
        yield ""
        return
    from server.web.site import serve_web

    home = f"/competition/{quote(runner.store.out.name)}"
    web = serve_web(
        runner.house,
        options.host,
        options.web_port,
        competitions=competitions,
        monitor=monitor,
        tls=options.tls,
        limiter=limiter,
        home=home,
    )
    try:
        yield web_address_text(web, options.host, home)
    finally:
        await web.close()


@contextlib.asynccontextmanager
async def _display_progress(runner: Runner, display: Display) -> AsyncIterator[None]:
    """Show the progress of a competition in the terminal."""
    showing = asyncio.create_task(display.show_progress(runner.progress), name="display")
    try:
        yield
    finally:
        showing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await showing


def compete(
    file: Path,
    out: Path,
    server: ServerOptions,
    *,
    workers: int | None = None,
    processes: int = 1,
    house_bots: Collection[str] = (),
    verify_parameters: VerifyParameters | None = None,
    runner: Callable[..., Runner] = Runner,
) -> int:
    """Play the competition of ``file`` into the directory ``out``, show progress and print the standings.
    Return the exit code: 0, or ``MARKED``.

    A competition that was begun in ``out``, or in ``file`` if that is a directory, is resumed. ``house_bots``
    are the names that the file may run; ``verify_parameters`` is as in ``parse_competition``. With several
    ``processes``, those play the sessions instead of this one. If there is a web port, the pages remain
    available until the process is stopped. The log goes to ``logs/server.jsonl`` in ``out`` by default.
    ``runner`` creates the runner of one process. Raises ``CompetitionError``, ``StoreError``, ``StateError``,
    ``SandboxError`` and ``ListenError`` before anything is started.
    """
    planned = plan_competition(file, out, house_bots, verify_parameters)
    out = planned.output
    with contextlib.ExitStack() as held:
        held.callback(planned.store.close)
        if planned.finished:
            print(f"{planned.competition.name} is finished; {out} is complete")
            code = show_standings(out)
            if server.broker is not None:
                asyncio.run(_announce_again(planned, server.broker))
            return code
        box = Sandbox([file, *private_paths(out), *server.key_files], strictness=server.sandbox)
        warnings = []
        if processes > 1:
            setup = _process_setup(planned, [file, *private_paths(out), *server.key_files], server)
            if setup.remote is not None and server.host in EVERYWHERE and not server.exposure.names:
                warnings.append(
                    "bots of other machines cannot reach the processes: set --allow-host to our name"
                )
            runner = partial(ProcessRunner, processes=processes, command=_SESSION_PROCESS, setup=setup)
        make = partial(runner, planned.competition, planned.text, workers=workers, sandbox=box)
        # Until the directory for the log exists.
        logs.configure(None, level=server.log_config.level, style=server.log_config.style)
        limits = planned.competition.managed_limits()
        warnings += [box.explain_missing(limits)]
        if any(one.sandbox == "strict" for one in limits) or server.sandbox == "strict":
            warnings += [f"bots are confined by: {box.describe(limits)}"]
        return _play(planned, held, make, server, warnings)


def _play(
    plan: CompetitionPlan,
    resources: contextlib.ExitStack,
    make: Callable[[House, str, CompetitionStore], Runner],
    server: ServerOptions,
    warnings: Sequence[str],
) -> int:
    """Play what is missing and release ``resources``. ``warnings`` are printed first."""
    competition, out = plan.competition, plan.output
    limiter, host = limiter_for(server.capacity), server.host
    display = Display()
    runners: list[Runner] = []
    usual = out / "logs" / "server.jsonl"

    async def main() -> int:
        house = House(
            grace=competition.entry.time.grace_ms / 1000,
            admission=members_only_policy(server.capacity, server.exposure),
            storage=plan.store.open_states,
        )
        entrance = await gateway.serve(house, host, server.port, server.tls, limiter)
        url = entrance.internal_url or address_of(host, entrance.port, secure=entrance.secure)
        runner = make(house, url, plan.store)
        catalog = CompetitionCatalog(runner=runner)
        watch = HealthMonitor(house, out, runner)
        try:
            async with (
                serve_metrics(watch, server.metrics) as scraped,
                _serve_pages(catalog, runner, watch, server, limiter) as people,
            ):
                runner.verify_programs()
                # Only now: what cannot be played must leave nothing that blocks the next attempt.
                runner.open()
                runners.append(runner)
                async with _display_progress(runner, display):
                    resources.enter_context(server.log_config.activate(usual))
                    bots = _bot_address(server, entrance, competition)
                    for line in filter(None, [*_opening_lines(plan), *warnings, bots, people, scraped]):
                        display.say(line)
                    async with connect_broker(
                        server.broker, EventBus(), display.say, watch, undelivered=_broker_hint(out)
                    ) as bus:
                        await _run_with_feed(runner, bus)
                code = show_standings(out)
                print(f"results are in {out}; verify them with: python -m pokerd verify {out}", flush=True)
                if people:
                    catalog.mark_finished()
                    await _wait_for_stop(out, people)
        except asyncio.CancelledError:
            display.say(_stopped_text(runner, out))
            raise
        except ExceptionGroup as group:
            return _report_failure(group, server.log_config.file or usual, display)
        finally:
            await entrance.close()
        return code

    async def wind_down() -> None:
        display.say("stopping when the hands in progress are over; Ctrl-C stops at once")
        for runner in runners:
            await runner.wind_down()

    return run_guarded(main(), wind_down)


def _process_setup(plan: CompetitionPlan, secret: Sequence[Path], server: ServerOptions) -> Setup:
    """Return the first order to the processes of a competition."""
    remote = None
    if any(bot.remote for bot in plan.competition.entry.bots):
        remote = doors_of(server)
    config = server.log_config
    return Setup(
        out=str(plan.output.absolute()),
        secret=[str(path.absolute()) for path in secret],
        sandbox=server.sandbox,
        log_level=config.level,
        log_file=str((config.file or plan.output / "logs" / "server.jsonl").absolute()),
        log_style=config.style,
        remote=remote,
    )


def show_standings(out: Path) -> int:
    """Print the standings of a finished competition and the marked bots. Return the exit code: 0, or
    ``MARKED`` if there are any. Raises ``StoreError``.
    """
    print((out / "standings.md").read_text(encoding="utf-8", errors="replace"))
    code = 0
    for division in CompetitionStore(out).read_json("standings.json", _Standings).divisions:
        for bot in division.marked:
            made = division.decisions[bot]
            print(
                f"{bot} is marked in {division.division}: the server made {made['forced']:,} of"
                f" its {made['all']:,} decisions{_log_hint(out, bot)}"
            )
            code = MARKED
    sys.stdout.flush()
    return code


def _log_hint(out: Path, bot: str) -> str:
    """Return where to read what a bot printed last, or an empty string if it printed nothing."""
    name = glob.escape(bot)
    folder = out / "logs" / "bots"
    files = [*folder.glob(f"{name}.log"), *folder.glob(f"*.{name}.log")]
    written = [path for path in files if path.stat().st_size]
    return f"; see {max(written, key=lambda path: path.stat().st_mtime)}" if written else ""


def private_paths(out: Path, data: Path = DATA) -> list[Path]:
    """Return what no bot may read: the results, of this competition and those beside it, and the server's
    data.
    """
    beside = out.absolute().parent
    return [out, data, *([beside] if beside != Path.cwd() and beside.is_relative_to(Path.cwd()) else [])]


def _bot_address(options: ServerOptions, entrance: Gateway, competition: Competition) -> str:
    """Return the text with the address for bots, or an empty string if only bots started here connect."""
    host = options.host
    if host == "127.0.0.1" and not options.port and not any(bot.remote for bot in competition.entry.bots):
        return ""
    name = f"[{host}]" if ":" in host else host
    return f"bots connect to {entrance.scheme}://{name}:{entrance.port}"


def _stopped_text(runner: Runner, out: Path) -> str:
    done, planned = len(runner.progress.results), len(runner.competition.sessions)
    command, options = runner.resume_command
    again = f"python -m pokerd {command} {out}{options}"
    return f"stopped: {done} of {planned} sessions are played; resume with: {again}"


def _report_failure(group: ExceptionGroup[Exception], log_path: Path, display: Display) -> int:
    """Print what ended a competition; ``log_path`` is its log. Return the exit code, or raise the error."""
    known = known_error(group)
    if known is not None:
        raise known from None
    faults = group.subgroup(CompetitionFault)
    if faults is None:
        raise group
    log.error("competition failed", exc_info=group)
    display.say(f"internal error at {faults.exceptions[0]}: the competition is over; see {log_path}")
    return 1


def _opening_lines(planned: CompetitionPlan) -> list[str]:
    """Return the lines printed before the first card."""
    competition = planned.competition
    sessions = len(competition.sessions)
    before = f"; {sessions - planned.sessions_left} are played already" if planned.resumed else ""
    return [
        f"{competition.name}: {sessions} sessions, records in {planned.output}{before}",
        f"deals are committed to: sha256 {competition.commitment}",
        *_repeat_warnings(competition),
        *_interval_warnings(competition),
    ]


def _repeat_warnings(competition: Competition) -> list[str]:
    """Warn if bots that could remember meet the same deals again soon."""
    steps = smallest_gap(competition.play_order, competition.remembering_bots)
    if steps is None or steps >= competition.entry.interleave:
        return []
    again = "in the very next session" if steps == 1 else f"after {steps} sessions"
    return [
        f"warning: bots that may keep memory can meet the same deals {again}; add matches to separate them"
    ]


def _interval_warnings(competition: Competition) -> list[str]:
    """Warn about divisions with too few matches for intervals."""
    found = []
    for name, division in competition.divisions.items():
        unit, why = ("series", "bots remember") if division.series > 1 else ("matches", "stacks carry over")
        depends = division.carry or division.series > 1
        if depends and division.matches // division.series < MIN_UNITS:
            found.append(
                f"warning: division {name} will have no intervals: it needs {MIN_UNITS} {unit}, as {why}"
            )
    return found


async def _wait_for_stop(out: Path, people: str) -> None:
    """Keep the pages available until the process is stopped."""
    print(f"{people.partition(chr(10))[0]} until you press Ctrl-C", flush=True)
    print(f"later: python -m pokerd serve --results {out.parent}", flush=True)
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


def _broker_hint(out: Path) -> str:
    return (
        f"the broker has not heard how it ended; publish it with: python -m pokerd compete {out} --mqtt ..."
    )


async def _announce_again(planned: CompetitionPlan, broker: BrokerAddress) -> None:
    """Send the result of a finished competition to a broker that was unavailable then, or has lost it."""
    from server.public.mqtt import DELIVERY_TIMEOUT, MqttLink

    played = CompetitionProgress(planned.competition)
    played.restore(planned.competition, planned.store.state)
    bus = EventBus()
    bus.publish(progress_event(planned.competition, played))
    bus.publish(final_standings(msgspec.json.decode((planned.output / "standings.json").read_bytes())))
    link = MqttLink(broker, bus, partial(print, flush=True))
    link.start()
    if not await link.close(DELIVERY_TIMEOUT):
        print(_broker_hint(planned.output), flush=True)


async def _run_with_feed(runner: Runner, bus: EventBus) -> None:
    """Play a competition and publish its events."""
    announcer = CompetitionFeed(bus, runner)
    try:
        await runner.run(announcer.on_session)
        await announcer.finish(msgspec.json.decode((runner.store.out / "standings.json").read_bytes()))
    finally:
        await announcer.close()
