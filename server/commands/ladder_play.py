"""``pokerd ladder`` at play: the ladder itself, and the final of a season."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from server.bots.sandbox import Sandbox, SandboxError
from server.commands.bot_port import open_bot_port
from server.commands.ladder import opened
from server.commands.runtime import ServerOptions, address_of, run_guarded, serve_metrics, web_address_text
from server.competition.runner import Runner
from server.ladder.config import CONFIG_FILE, load_config
from server.ladder.errors import LadderError
from server.ladder.final import FinalStage, play_final
from server.ladder.ladder import Ladder
from server.ladder.matches import MatchPlace, begin_season, play_match
from server.ladder.store import FINAL, LADDER_DB_NAME, LadderStore
from server.net.listener import limiter_for
from server.storage.locks import open_locked
from server.web.health_checks import HealthMonitor
from server.web.site import serve_web

#: Bytes after which the log begins anew: it has a line for each hand, and nobody looks after it for months.
LOG_BYTES: Final = 64 << 20


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let no other process run the ladder meanwhile. Raises ``LadderError`` (``ladder_in_use``)."""
    lock = open_locked(folder, LadderError("ladder_in_use", f"another process runs the ladder in {folder}"))
    try:
        yield
    finally:
        os.close(lock)


def final(
    folder: Path, out: Path, server: ServerOptions, *, hands: int, runner: Callable[..., Runner] = Runner
) -> int:
    """Play the final of a frozen ladder into ``out``, or go on with it, and print the order. Return 0, or 3
    if neighbours are undecided. ``runner`` makes what plays it. Raises ``LadderError`` (``not_frozen``,
    ``other_value_function``, ``too_few_bots``, ``too_few_hands``) and what a competition raises.
    """
    config, absolute = load_config(folder), folder.absolute()
    with _locked(folder):
        with opened(folder, make=False) as store:
            if not store.frozen:
                raise LadderError("not_frozen", f"first freeze it: python -m pokerd ladder freeze {folder}")
            begin_season(folder, store)
            versions = store.playing()
            hashes = {author.name: author.hash for author in store.authors()}

        def say(stage: FinalStage) -> None:
            undecided = len(stage.open)
            found = f"undecided pairs of neighbours: {undecided}" if undecided else "the order is decided"
            print(f"{stage.hands:,} hands, {stage.matches} of each line-up: {found}", flush=True)

        async def main() -> int:
            limiter = limiter_for(server.capacity)
            async with open_bot_port(server, config.time.grace_ms / 1000, limiter) as port:
                sandbox = Sandbox([*_secret(folder), out], strictness=server.sandbox)
                # A final has a seed of its own, not the ladder's key.
                place = MatchPlace(absolute, b"", port.house, port.url, sandbox, port.open_states, config)
                stage = await play_final(place, versions, hashes, out, hands, say, runner)
            with opened(folder) as store:
                store.set_fact(FINAL, config.season)
            undecided = set(stage.open)
            print("by winnings without luck:", flush=True)
            for place_number, bot in enumerate(stage.ranking, 1):
                after = stage.ranking[place_number] if place_number < len(stage.ranking) else ""
                mark = "  (not surely ahead of the next)" if (bot, after) in undecided else ""
                print(f"{place_number:>3}  {bot}{mark}", flush=True)
            print(f"records are in {out}; verify them with: python -m pokerd verify {out}", flush=True)
            return 3 if undecided else 0

        with server.log_config.activate(folder / "logs" / "final.jsonl", LOG_BYTES):
            code = run_guarded(main())
    if code == 130:
        print("stopped; the same command goes on", flush=True)
    return code


def _secret(folder: Path) -> list[Path]:
    return [folder / name for name in (LADDER_DB_NAME, "matches", "checks", "logs")]


def serve(
    folder: Path,
    server: ServerOptions,
    house_bots: Collection[str],
    *,
    matches: int | None = None,
    runner: Callable[..., Runner] = Runner,
) -> int:
    """Run a ladder until interrupted, or until so many ``matches`` have ended. ``house_bots``: those that
    there are. ``runner`` makes what plays a match. Raises ``LadderError``, ``StateError``, ``SandboxError``
    and ``ListenError``.
    """
    config = load_config(folder)
    with opened(folder, make=False) as known:
        authors = {author.name.casefold() for author in known.authors()}
    for bot in config.house:
        if bot not in house_bots:
            raise LadderError("bad_ladder_file", f"{folder / CONFIG_FILE}: no house bot is called {bot!r}")
        if bot.casefold() in authors:
            raise LadderError("bad_ladder_file", f"{folder / CONFIG_FILE}: an author is called {bot!r}, too")
    with _locked(folder), contextlib.closing(LadderStore(folder, config.season)) as store:
        sandbox = Sandbox([*_secret(folder), *server.key_files], strictness=server.sandbox)

        async def main() -> int:
            limiter = limiter_for(server.capacity)
            async with contextlib.AsyncExitStack() as stack:
                port = await stack.enter_async_context(
                    open_bot_port(server, config.time.grace_ms / 1000, limiter)
                )
                house = port.house
                play = partial(play_match, runner=runner)
                ladder = Ladder(folder, config, store, house, port.url, sandbox, port.open_states, play=play)
                watch = HealthMonitor(house, folder)
                scraped = await stack.enter_async_context(serve_metrics(watch, server.metrics))
                people = ""
                if server.web_port is not None:
                    web = serve_web(
                        house, server.host, server.web_port, monitor=watch, tls=server.tls, limiter=limiter,
                        home="/ladder", ladder=ladder,
                    )  # fmt: skip
                    stack.push_async_callback(web.close)
                    people = web_address_text(web, server.host, "/ladder")
                pushed = _confined(sandbox)
                door = address_of(server.host, port.gateway.port, secure=port.gateway.secure)
                lines = filter(None, [f"bots connect to {door}", people, scraped, pushed])
                print("\n".join(lines), flush=True)
                await ladder.run(matches)
            return 0

        with server.log_config.activate(folder / "logs" / "server.jsonl", LOG_BYTES):
            return run_guarded(main())


def _confined(sandbox: Sandbox) -> str:
    """Return what confines pushed programs, or that they are refused, in a line."""
    try:
        return f"pushed programs are confined by: {sandbox.describe_uploads()}"
    except SandboxError as error:
        return f"pushed programs are refused: {error}; --sandbox require takes them without isolation"
