"""``pokerd ladder``: a ladder from the command line."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import io
import json
import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

import structlog
from rich.console import Console
from rich.table import Table

from server.auth.tokens import hash_token, new_token
from server.bots.sandbox import Sandbox, SandboxError
from server.commands.bot_port import open_bot_port
from server.commands.runtime import ServerOptions, address_of, run_guarded, serve_metrics, web_address_text
from server.competition.runner import Runner
from server.competition.verify import Difference
from server.ladder.config import CONFIG_FILE, TEMPLATE, load_config
from server.ladder.errors import LadderError
from server.ladder.field import field_of, ratings_of, table_data
from server.ladder.final import FinalStage, play_final
from server.ladder.grading import grade_cells, grade_columns, grade_rows
from server.ladder.ladder import Ladder
from server.ladder.matches import MatchPlace, play_match
from server.ladder.roster import read_roster
from server.ladder.screens import alike_pairs, soft_pairs
from server.ladder.store import FINAL, LADDER_DB_NAME, ORGANISER, LadderStore
from server.ladder.uploads import files_of_folder
from server.ladder.verify import verify_ladder
from server.net.listener import limiter_for
from server.storage.locks import open_locked
from server.web.health_checks import HealthMonitor
from server.web.site import serve_web

log = structlog.get_logger("pokerd.app")

_TIMEOUT: Final = 60.0


def init(folder: Path) -> None:
    """Make the directory of a ladder. Raises ``LadderError`` (``ladder_exists``)."""
    path = folder / CONFIG_FILE
    if path.exists():
        raise LadderError("ladder_exists", f"{path} exists already")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(TEMPLATE.format(name=folder.absolute().name), encoding="utf-8")
    print(f"wrote {path}; change it as you like, then start: python -m pokerd ladder serve {folder}")


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[LadderStore]:
    """Provide the store of a ladder that exists."""
    store = LadderStore(folder, load_config(folder).season)
    try:
        yield store
    finally:
        store.close()


def roster(folder: Path, file: Path) -> None:
    """Add the authors of a CSV file (``read_roster``) and print their tokens as CSV. Whoever is there already
    keeps his token and gets no new one. Raises ``LadderError`` (``bad_roster``).
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LadderError("bad_roster", f"{file} cannot be read: {error}") from None
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("name", "token"))
    with _opened(folder) as store:
        taken = [*load_config(folder).house, *store.house_bots()]
        enrolled = read_roster(text, store.authors(), taken)
        store.put_authors([one.author for one in enrolled])
        for author, token in enrolled:
            if token:
                writer.writerow((author.name, token))


def show(folder: Path, *, as_json: bool = False) -> None:
    """Print the table."""
    data = _table(folder)
    if as_json:
        print(json.dumps(data, indent=1))
        return
    table = Table(box=None)
    for title in (
        "rank",
        "bot",
        "mbb/hand",
        "+- 95 %",
        "deal sets",
        "ahead of next",
        "worst opponent",
        "Elo",
    ):
        table.add_column(title, justify="left" if title in ("bot", "worst opponent") else "right")
    for row in data["bots"]:
        best, worst = row["ranks"]
        against = row["worst"]
        table.add_row(
            f"{best}" if best == worst else f"{best}-{worst}",
            f"{row['bot']} {row['hash'][:6]}".rstrip(),
            _figure(row["rating"]),
            _figure(row["half"]),
            str(row["deal_sets"]),
            "" if row["ahead"] is None else f"{row['ahead']:.0%}",
            "" if against is None else f"{against['bot']} ({against['mean']:+.0f})",
            "" if row["elo"] is None else f"{row['elo']:+d}",
        )
    console = Console(highlight=False)
    console.print(table)
    for row in data["bots"]:
        told = row["declared"]
        if told is not None and not told["believed"]:
            console.print(
                f"{row['bot']} does not play with the chances that it declares (p = {told['p']:g}):"
                " the luck of its dice is in its results"
            )
    found = data["interaction"]
    if found is not None and found["p_value"] is not None:
        console.print(
            f"interaction: {found['share']:.0%} of the differences depend on who meets whom"
            f" (p = {found['p_value']:g})"
        )


def _table(folder: Path) -> dict[str, Any]:
    config = load_config(folder)
    game = config.load_game(folder)
    with _opened(folder) as store:
        field = field_of(
            store.versions(), store.results(), store.last_matches(), game.players, store.chances()
        )
    return table_data(field, ratings_of(field), config.hands_of_set(game))


def grades(folder: Path) -> None:
    """Print a CSV with a row for each author and deadline: the version that counts, its rating, and what it
    has passed.
    """
    config = load_config(folder)
    with _opened(folder) as store:
        rows = grade_rows(
            config,
            config.load_game(folder),
            store.authors(),
            store.versions(),
            store.results(),
            store.work(),
            store.chances(),
        )
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(grade_columns(config))
    writer.writerows(grade_cells(config, rows))


def admin(folder: Path) -> None:
    """Print a new token for the organiser's page; the one before it is no longer valid."""
    token = new_token()
    with _opened(folder) as store:
        store.set_fact(ORGANISER, hash_token(token))
    print(token)


def screen(folder: Path) -> None:
    """Print which pairs may play softly against each other, and which bots may be copies."""
    config = load_config(folder)
    with _opened(folder) as store:
        versions = store.versions()
        field = field_of(versions, store.results(), store.last_matches(), config.load_game(folder).players)
    ratings = ratings_of(field)
    if ratings is None:
        print("there are too few bots")
        return
    files = {one.name: folder / "versions" / one.hash for one in field.versions if one.kind == "pushed"}
    soft, alike = soft_pairs(ratings), alike_pairs(ratings, files)
    for pair in soft:
        print(
            f"{' '.join(pair.line_up)}: {pair.bot} wins {pair.missing:.0f} mbb/hand less than its strength"
            f" ({pair.errors:.1f} standard errors)"
        )
    for two in alike:
        even = "; every deal set between them came out even" if two.even else ""
        print(f"{' '.join(two.bots)}: {two.share:.0%} of the text is the same{even}")
    if not soft and not alike:
        print("nothing stands out")


def final(
    folder: Path, out: Path, server: ServerOptions, *, hands: int, runner: Callable[..., Runner] = Runner
) -> int:
    """Play the final of a frozen ladder into ``out``, or go on with it, and print the order. Return 0, or 3
    if neighbours are undecided. ``runner`` makes what plays it. Raises ``LadderError`` (``not_frozen``,
    ``too_few_hands``) and what a competition raises.
    """
    config, absolute = load_config(folder), folder.absolute()
    lock = open_locked(folder, LadderError("ladder_in_use", f"another process runs the ladder in {folder}"))
    console = Console(highlight=False, soft_wrap=True, markup=False)
    with _opened(folder) as store:
        if store.fact("frozen") is None:
            raise LadderError("not_frozen", f"first freeze it: python -m pokerd ladder freeze {folder}")
        versions = store.playing()
        hashes = {author.name: author.hash for author in store.authors()}

    def say(stage: FinalStage) -> None:
        console.print(
            f"{stage.hands:,} hands, {stage.matches} of each line-up: "
            + (
                f"{len(stage.open)} pairs of neighbours are undecided"
                if stage.open
                else "the order is decided"
            )
        )

    async def main() -> int:
        limiter = limiter_for(server.capacity)
        async with open_bot_port(server, config.time.grace_ms / 1000, limiter) as port:
            sandbox = Sandbox([*_secret(folder), out], strictness=server.sandbox)
            # A final has a seed of its own, not the ladder's key.
            place = MatchPlace(absolute, b"", port.house, port.url, sandbox, port.open_states, config)
            stage = await play_final(place, versions, hashes, out, hands, say, runner)
        with _opened(folder) as store:
            store.set_fact(FINAL, config.season)
        undecided = set(stage.open)
        console.print("by winnings without luck:")
        for place_number, bot in enumerate(stage.ranking, 1):
            after = stage.ranking[place_number] if place_number < len(stage.ranking) else ""
            mark = "  (not surely ahead of the next)" if (bot, after) in undecided else ""
            console.print(f"{place_number:>3}  {bot}{mark}")
        console.print(f"records are in {out}; verify them with: python -m pokerd verify {out}")
        return 3 if undecided else 0

    try:
        with server.log_config.activate(folder / "logs" / "final.jsonl"):
            return run_guarded(main())
    finally:
        os.close(lock)


def _secret(folder: Path) -> list[Path]:
    return [folder / name for name in (LADDER_DB_NAME, "matches", "checks", "logs")]


def verify(folder: Path) -> int:
    """Verify a ladder and print the result as one line. Return 0, or 1 at the first difference. Raises
    ``LadderError``.
    """
    try:
        found = verify_ladder(folder)
    except Difference as difference:
        print(f"{folder}: {difference}")
        return 1
    gone = f"; the hands of {found.results:,} older matches are gone" if found.results else ""
    print(f"{folder}: {found.matches:,} matches, {found.hands:,} hands: every number is right{gone}")
    return 0


def freeze(folder: Path, *, undo: bool = False) -> None:
    """Take no more versions, or take them again."""
    with _opened(folder) as store:
        store.freeze(undo=undo)
    print("new versions are taken again" if undo else "frozen: no more versions are taken")


def push(folder: Path, url: str, token: str) -> int:
    """Send a bot's folder, or an archive of it, to a ladder, and print its course until it is rated or
    refused. Return the exit code: 0, or 1 if it was refused. Raises ``LadderError``.
    """
    data = folder.read_bytes() if folder.is_file() else _zipped(folder)
    version = _ask(url, "/api/ladder/push", token, data)
    name = version["name"]
    print(f"{name} {version['hash'][:6]}: {version['state']}", flush=True)
    state = version["state"]
    while state not in ("rated", "refused", "replaced"):
        asyncio.run(asyncio.sleep(0.5))
        versions = _ask(url, "/api/ladder/mine", token)["versions"]
        version = next(one for one in versions if one["name"] == name)
        if version["state"] != state:
            state = version["state"]
            reason = f": {version['reason']}" if version["reason"] else ""
            print(f"{name}: {state}{reason}", flush=True)
    if state == "refused":
        print(_ask_text(url, f"/api/ladder/mine/{quote(name)}/log", token))
        return 1
    rating = _ask(url, f"/api/ladder/bots/{quote(version['bot'])}", token)["rating"]
    if rating is not None and rating["half"] is not None:
        best, worst = rating["ranks"]
        print(f"{name}: {rating['rating']:+.0f} +- {rating['half']:.0f} mbb/hand, rank {best} to {worst}")
    return 0


def _zipped(folder: Path) -> bytes:
    if not folder.is_dir():
        raise LadderError("no_command", f"there is no folder or archive {folder}")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files_of_folder(folder):
            archive.write(folder / path, path)
    return out.getvalue()


def _ask(url: str, path: str, token: str, body: bytes | None = None) -> Any:
    return json.loads(_ask_text(url, path, token, body))


def _ask_text(url: str, path: str, token: str, body: bytes | None = None) -> str:
    if not url.startswith(("http://", "https://")):
        raise LadderError("bad_url", f"the address of a ladder begins with http:// or https://, not {url!r}")
    request = Request(  # noqa: S310 (checked above)
        url.rstrip("/") + path, body, {"Authorization": f"Bearer {token}", "Content-Type": "application/zip"}
    )
    try:
        with urlopen(request, timeout=_TIMEOUT) as answer:  # noqa: S310
            return str(answer.read().decode())
    except HTTPError as error:
        try:
            refusal = json.loads(error.read())
            code, text = refusal["code"], refusal["message"]
        except (ValueError, KeyError, TypeError):
            code, text = "unreachable", str(error)
        raise LadderError(code, text) from None
    except (URLError, OSError) as error:
        raise LadderError("unreachable", f"{url} does not answer: {error}") from None


def serve(
    folder: Path, server: ServerOptions, *, matches: int | None = None, runner: Callable[..., Runner] = Runner
) -> int:
    """Run a ladder until interrupted, or until so many ``matches`` have ended. ``runner`` makes what plays a
    match. Raises ``LadderError``, ``StateError``, ``SandboxError`` and ``ListenError``.
    """
    config = load_config(folder)
    lock = open_locked(folder, LadderError("ladder_in_use", f"another process runs the ladder in {folder}"))
    store = LadderStore(folder, config.season)
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
            bots = f"bots connect to {address_of(server.host, port.gateway.port, secure=port.gateway.secure)}"
            print("\n".join(filter(None, [bots, people, scraped, pushed])), flush=True)
            await ladder.run(matches)
        return 0

    try:
        with server.log_config.activate(folder / "logs" / "server.jsonl"):
            return run_guarded(main())
    finally:
        store.close()
        os.close(lock)


def _confined(sandbox: Sandbox) -> str:
    """Return what confines pushed programs, or that they are refused, in a line."""
    try:
        return f"pushed programs are confined by: {sandbox.describe_uploads()}"
    except SandboxError as error:
        return f"pushed programs are refused: {error}; --sandbox require takes them without isolation"


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:+.1f}"
