"""``pokerd compete``: a competition from its file."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import msgspec
import structlog
from rich.console import Console

from dealer.errors import DealerError
from dealer.interleave import spacing
from dealer.intervals import FEWEST
from server.auth.hosts import USUALLY, Exposure
from server.auth.policy import USUAL, Admission, Capacity, members_only
from server.bots.sandbox import Sandbox, Strictness
from server.commands.progress_display import follow
from server.commands.runtime import DATA, address_of, people_at, public, run_guarded, watched
from server.competition.file import Competition, VerifyParameters
from server.competition.progress import Progress
from server.competition.resume import Plan, plan
from server.competition.runner import CompetitionFault, Runner
from server.competition.store import Store
from server.house.house import House
from server.net import gateway
from server.net.gateway import Gateway, Library
from server.net.listener import Places, places_of
from server.net.tls import Tls
from server.public.bus import Bus
from server.public.feed import Announcer, final_of, progress_of
from server.public.mqtt import ENDING, Broker, MqttLink
from server.telemetry import logging_setup as logs
from server.telemetry.logging_setup import JOURNAL, Journal
from server.web.competitions.reader import Contests
from server.web.health import MetricsPort
from server.web.health_checks import Watch
from server.web.site import serve_web

__all__ = ["compete", "private_paths", "show_standings"]

#: Exit code when all is played and a bot is marked in the standings.
MARKED: Final = 4

log = structlog.get_logger("pokerd.app")


class _Division(msgspec.Struct):
    division: str
    #: An earlier pokerd marked nobody.
    marked: list[str] = []
    decisions: dict[str, dict[str, int]] = {}


class _Standings(msgspec.Struct):
    divisions: list[_Division]


@contextlib.asynccontextmanager
async def _shown(
    contests: Contests,
    runner: Runner,
    watch: Watch,
    host: str,
    port: int | None,
    tls: Tls | None,
    places: Places,
) -> AsyncIterator[str]:
    """A competition for people to look at, unless ``port`` is None: where, in words."""
    if port is None:
        yield ""
        return
    home = f"/competition/{quote(runner.store.out.name)}"
    web = serve_web(
        runner.house, host, port, contests=contests, watch=watch, tls=tls, places=places, home=home
    )
    try:
        yield people_at(web, host, home)
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
    journal: Journal = JOURNAL,
    sandbox: Strictness | None = None,
    tls: Tls | None = None,
    capacity: Capacity = USUAL,
    exposure: Exposure = USUALLY,
    runner: Callable[..., Runner] = Runner,
) -> int:
    """Play the competition of ``file`` into the directory ``out``, show progress, print the standings.
    Returns the exit code: 0, or ``MARKED``.

    What was begun in ``out`` before, or in ``file`` if that is a directory, is gone on with.
    ``house_bots``: the names that the file may run; ``verify_parameters`` as in ``parse_competition``.
    ``web_port``: where people may look on (0: any), also when it is over, until the process is told to stop;
    not if it is None. ``metrics``: where those who operate it may ask. ``journal``: its
    log, which goes to ``logs/server.jsonl`` in ``out`` if not elsewhere. ``sandbox`` goes before what the
    file says. ``capacity``: for connections from outside; ``exposure``: how they reach it. ``runner`` makes
    what plays it. Raises ``CompetitionError``, ``StoreError``, ``StateError``, ``SandboxError`` and
    ``ListenError`` before anything is started.
    """
    planned = plan(file, out, house_bots, verify_parameters)
    out = planned.out
    with contextlib.ExitStack() as held:
        if planned.store is not None:
            held.callback(planned.store.close)
        if planned.finished:
            print(f"{planned.competition.name} is finished; nothing is missing in {out}")
            code = show_standings(out)
            if broker is not None:
                asyncio.run(_told_again(planned, broker))
            return code
        hidden = [file, *private_paths(planned.out), *([] if tls is None else tls.files)]
        box = Sandbox(hidden, strictness=sandbox)
        options: dict[str, Any] = {"workers": workers, "store": planned.store, "sandbox": box}
        make = partial(runner, planned.competition, planned.text, **options)
        # Until there is a directory to log to.
        logs.configure(None, level=journal.level, style=journal.style)
        return _played(
            planned,
            held,
            make,
            host,
            port,
            library,
            broker,
            web_port,
            metrics,
            journal,
            box,
            tls,
            places_of(capacity),
            members_only(capacity, exposure),
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
    journal: Journal,
    sandbox: Sandbox,
    tls: Tls | None,
    places: Places,
    rules: Admission,
) -> int:
    """Play what is missing; ``held`` is let go of afterwards."""
    competition, out = planned.competition, planned.out
    seen = sandbox.missing(competition.managed_limits())
    console = Console(highlight=False, soft_wrap=True)
    runners: list[Runner] = []
    usual = out / "logs" / "server.jsonl"

    async def main() -> int:
        house = House(grace=competition.entry.time.grace_ms / 1000, admission=rules)
        entrance = await gateway.serve(house, host, port, library, tls, places)
        url = address_of(host, entrance.port, secure=entrance.secure)
        runner = make(house, entrance.inside or url, out)
        contests = Contests(runner=runner)
        watch = Watch(house, out, runner)
        try:
            async with (
                watched(watch, metrics) as scraped,
                _shown(contests, runner, watch, host, web_port, tls, places) as people,
            ):
                # Not before: what cannot be played leaves nothing in the way of the next attempt.
                runner.open()
                runners.append(runner)
                async with _displayed(runner, console):
                    held.enter_context(journal.opened(usual))
                    others = host != "127.0.0.1" or port or any(bot.remote for bot in competition.entry.bots)
                    bots = _door(host, entrance) if others else ""
                    for line in filter(None, [*_promised(planned), seen, bots, people, scraped]):
                        console.print(line)
                    async with public(broker, console.print, watch, unheard=_unheard(out)) as bus:
                        await _announced(runner, bus)
                code = show_standings(out)
                print(f"all of it: {out}; check it: python -m pokerd verify {out}", flush=True)
                if people:
                    contests.finish()
                    await _lingering(out, people)
        except asyncio.CancelledError:
            console.print(_stopped(runner, out))
            raise
        except ExceptionGroup as group:
            return _failed(group, journal.file or usual, console)
        finally:
            await entrance.close()
        return code

    async def wind_down() -> None:
        console.print("stopping when the hands in progress are over; Ctrl-C stops at once")
        for runner in runners:
            await runner.wind_down()

    return run_guarded(main(), wind_down)


def show_standings(out: Path) -> int:
    """Print the standings of a finished competition, and who is marked in them. Returns the exit code: 0, or
    ``MARKED`` if somebody is. Raises ``StoreError``.
    """
    print((out / "standings.md").read_text(encoding="utf-8", errors="replace"))
    code = 0
    for division in Store(out).read("standings.json", _Standings).divisions:
        for bot in division.marked:
            made = division.decisions[bot]
            print(
                f"{bot} did not play by itself in {division.division}: the table made {made['forced']:,} of"
                f" its {made['all']:,} decisions"
            )
            code = MARKED
    sys.stdout.flush()
    return code


def private_paths(out: Path, data: Path = DATA) -> list[Path]:
    """What no bot may read: results, of this competition and those beside it, and the server's data."""
    beside = out.absolute().parent
    return [out, data, *([beside] if beside != Path.cwd() and beside.is_relative_to(Path.cwd()) else [])]


def _door(host: str, entrance: Gateway) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"bots connect to {entrance.scheme}://{name}:{entrance.port}"


def _stopped(runner: Runner, out: Path) -> str:
    done, planned = len(runner.progress.results), len(runner.competition.sessions)
    command, options = runner.again
    again = f"python -m pokerd {command} {out}{options}"
    return f"stopped: {done} of {planned} sessions are played; go on with: {again}"


def _failed(group: ExceptionGroup[Exception], journal: Path, console: Console) -> int:
    """Say what ended a competition; ``journal``: its log. Raises what is not known to."""
    known = group.subgroup(DealerError)
    if known is not None:
        raise known.exceptions[0] from None
    faults = group.subgroup(CompetitionFault)
    if faults is None:
        raise group
    log.error("competition failed", exc_info=group)
    console.print(f"a fault of pokerd at {faults.exceptions[0]} ended it; see {journal}")
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
        *_undecided(competition),
    ]


def _close(competition: Competition) -> list[str]:
    """What is said where bots that could remember see the same deals again soon."""
    steps = spacing(competition.order, competition.remember)
    if steps is None or steps >= competition.entry.interleave:
        return []
    again = "in the very next session" if steps == 1 else f"after {steps} sessions"
    return [f"bots that could remember may see the same deals again {again}: more matches would part them"]


def _undecided(competition: Competition) -> list[str]:
    """What is said of divisions that will have no intervals, as their matches are too few."""
    return [
        f"division {name} can decide nothing: its intervals need {FEWEST} matches, as stacks go on"
        for name, division in competition.divisions.items()
        if division.carry and division.matches < FEWEST
    ]


async def _lingering(out: Path, people: str) -> None:
    """All is played and written: who looked on goes on looking, until the process is told to stop."""
    print(f"{people.partition(chr(10))[0]} until you press Ctrl-C", flush=True)
    print(f"later: python -m pokerd serve --results {out.parent}", flush=True)
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


def _unheard(out: Path) -> str:
    return f"the broker has not heard how it ended; python -m pokerd compete {out} --mqtt ... tells it"


async def _told_again(planned: Plan, broker: Broker) -> None:
    """Tell a broker how a competition ended that is finished: it was away then, or has forgotten."""
    assert planned.store is not None
    played = Progress(planned.competition)
    played.restore(planned.competition, planned.store.state)
    bus = Bus()
    bus.publish(progress_of(planned.competition, played))
    bus.publish(final_of(msgspec.json.decode((planned.out / "standings.json").read_bytes())))
    link = MqttLink(broker, bus, partial(print, flush=True))
    link.start()
    if not await link.close(ENDING):
        print(_unheard(planned.out), flush=True)


async def _announced(runner: Runner, bus: Bus) -> None:
    """Play a competition, and tell of it in public."""
    announcer = Announcer(bus, runner)
    try:
        await runner.run()
        await announcer.finish(msgspec.json.decode((runner.store.out / "standings.json").read_bytes()))
    finally:
        await announcer.close()
