"""What the command line starts: a competition from its file, or a house with open tables."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import secrets
import signal
from collections.abc import Collection, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import structlog
import uvloop
from rich.console import Console

from dealer.deck import SEED_BYTES, SecureDeals
from dealer.formats import Cash, Deals, Stakes
from dealer.rules.games import Game
from dealer.table import Clock, Table
from server import gateway, logs
from server.actor import TableActor, TableFacts
from server.competition import CompetitionFault, Runner
from server.competition_file import load_competition
from server.display import follow
from server.gateway import Library
from server.house import House, Player
from server.managed import Processes, builtin_command
from server.store import Store

__all__ = ["ServeOptions", "compete", "run_guarded", "serve", "tune_collector"]


log = structlog.get_logger("pokerd.app")


def tune_collector() -> None:
    """Nearly all that a hand makes dies with it, without cycles: look for them less often than by default."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def run_guarded(main: Coroutine[Any, Any, int]) -> int:
    """Run under uvloop, with SIGINT, SIGTERM and SIGHUP cancelling it so that everything is cleaned up."""

    async def guarded() -> int:
        tune_collector()
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(main)

        def stop() -> None:
            # Once: a second one would break off the cleaning up, and leave bots behind.
            if not task.cancelling():
                task.cancel()

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, stop)
        try:
            return await task
        except asyncio.CancelledError:
            return 130

    return uvloop.run(guarded())


def compete(
    file: Path,
    out: Path,
    *,
    workers: int | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    library: Library = "picows",
    house_bots: Collection[str] = (),
) -> int:
    """Play the competition of ``file`` into the directory ``out``, show progress, print the standings. Exit
    code 0.

    ``house_bots``: the names that the file may run. Raises ``CompetitionError``, ``StoreError`` and
    ``ListenError`` before anything is started.
    """
    competition, text = load_competition(file, house_bots)
    Store(out).verify_free()
    console = Console(highlight=False, soft_wrap=True)
    log_file = contextlib.ExitStack()

    async def main() -> int:
        house = House(grace=competition.entry.time.grace_ms / 1000)
        entrance = await gateway.serve(house, host, port, library)
        runner = Runner(competition, text, house, _url(host, entrance.port), out, workers=workers)
        display = asyncio.create_task(follow(runner.progress, console), name="display")
        try:
            # Not before: what cannot be played leaves nothing in the way of the next attempt.
            log_file.enter_context(contextlib.closing(logs.configure(out / "logs" / "server.jsonl")))
            console.print(f"{competition.name}: {len(competition.sessions)} sessions, records in {out}")
            if host != "127.0.0.1" or port or any(bot.token for bot in competition.entry.bots):
                console.print(f"bots connect to ws://{host}:{entrance.port}")
            console.print(f"deals are committed to: sha256 {competition.commitment}")
            await runner.run()
        except asyncio.CancelledError:
            console.print(f"stopped: nothing is scored; the hands played so far are in {out}")
            raise
        except ExceptionGroup as group:
            faults = group.subgroup(CompetitionFault)
            if faults is None:
                raise
            log.exception("competition failed")
            console.print(
                f"a fault of pokerd at {faults.exceptions[0]} ended it; see {out}/logs/server.jsonl"
            )
            return 1
        finally:
            display.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await display
            await entrance.close()
        print((out / "standings.md").read_text(encoding="utf-8"))
        print(f"all of it: {out}; check it: python -m pokerd verify {out}")
        return 0

    with log_file:
        return run_guarded(main())


def _url(host: str, port: int) -> str:
    """Where the bots that we start find us."""
    everywhere = host in ("", "0.0.0.0", "::")  # noqa: S104 (compared with, not bound to)
    return f"ws://{'127.0.0.1' if everywhere else host}:{port}"


class ServeOptions(NamedTuple):
    """Settings of ``pokerd serve``."""

    host: str = "127.0.0.1"
    port: int = 8000
    tables: int = 2
    seats: int = 3
    bots: Sequence[str] = ("fair", "call")
    limit: bool = False
    small_blind: int = 5
    big_blind: int = 10
    stack: int = 1000
    decision: float = 10.0
    bank: float = 60.0
    library: Library = "picows"
    log_level: str = "info"
    logs: Path | None = None


def serve(options: ServeOptions) -> int:
    """Keep a house with open cash tables until interrupted; house bots wait there for company."""

    async def main() -> int:
        house = House(guests=True)
        entrance = await gateway.serve(house, options.host, options.port, options.library)
        url = _url(options.host, entrance.port)
        processes = Processes(options.logs)
        try:
            for number in range(1, options.tables + 1):
                await _open_table(house, processes, url, f"table-{number}", options)
            kind = "limit" if options.limit else "no-limit"
            print(f"pokerd listens at {url}", flush=True)
            print(
                f"{options.tables} open tables of {kind} hold'em: " + ", ".join(house.open_tables), flush=True
            )
            print(f"join one: python clients/examples/caller.py --url {url} --join table-1", flush=True)
            await asyncio.Event().wait()
        finally:
            await entrance.close()
            await processes.close()
        return 0

    logs.configure(None, level=options.log_level)
    return run_guarded(main())


async def _open_table(house: House, processes: Processes, url: str, name: str, options: ServeOptions) -> None:
    seed = secrets.token_bytes(SEED_BYTES)

    def deals_for(game: Game) -> Deals:
        return SecureDeals(seed, 0, game)

    stakes = Stakes(options.small_blind, options.big_blind, 0, options.limit, options.stack)
    cash = Cash(options.seats, stakes, deals_for)
    table = Table(cash, options.seats, Clock(options.decision, options.bank))
    seeds = [secrets.randbits(48) for _ in range(options.seats)]
    actor = TableActor(house, table, TableFacts(name, name, [""] * options.seats, seeds))
    house.open_tables[name] = actor
    house.run(actor)
    actor.started = True
    for number, bot in enumerate(options.bots[: options.seats - 1]):
        player = house.admit(Player(f"{bot}-{number + 1}", secrets.token_urlsafe(24)))
        actor.join(player, -1)
        settings = {"POKERD_URL": url, "POKERD_TOKEN": player.token, "POKERD_NAME": player.name}
        ended = partial(_house_bot_ended, house, player)
        await processes.start(f"{name}.{player.name}", builtin_command(bot), settings, ended)


def _house_bot_ended(house: House, player: Player, code: int) -> None:
    """Nobody should wait for it: the policy plays its seat."""
    log.warning("house bot ended", player=player.name, code=code)
    if player.connection is not None:
        player.connection.lost()
    house.expire(player)
