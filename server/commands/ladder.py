"""``pokerd ladder`` without a match: its folder, roster and tables, its end and verification, and a push."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from server.auth.tokens import hash_token, new_token
from server.bots.program_files import files_of_folder
from server.bots.unpack import MAX_ARCHIVE
from server.competition.verify import Difference
from server.ladder.config import CONFIG_FILE, TEMPLATE, load_config
from server.ladder.errors import LadderError
from server.ladder.field import field_of, ratings_of, table_data, untrue_text
from server.ladder.grading import grade_cells, grade_columns, grade_rows
from server.ladder.roster import read_roster
from server.ladder.screens import alike_pairs, soft_pairs
from server.ladder.store import ORGANISER, LadderStore
from server.ladder.verify import verify_ladder

_TIMEOUT: Final = 60.0


def init(folder: Path) -> None:
    """Make the directory of a ladder. Raises ``LadderError`` (``ladder_exists``)."""
    path = folder / CONFIG_FILE
    if path.exists():
        raise LadderError("ladder_exists", f"{path} exists already")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = re.sub("[^A-Za-z0-9_-]+", "-", folder.absolute().name).strip("-_")[:64]
    path.write_text(TEMPLATE.format(name=name or "ladder"), encoding="utf-8")
    print(f"wrote {path}; change it as you like, then start: python -m pokerd ladder serve {folder}")


@contextlib.contextmanager
def opened(folder: Path, *, make: bool = True) -> Iterator[LadderStore]:
    """Provide the store of a ladder that exists; without ``make`` no database is made for it."""
    store = LadderStore(folder, load_config(folder).season, make=make)
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
    with opened(folder) as store:
        taken = [*load_config(folder).house, *store.house_bots()]
        enrolled = read_roster(text, store.authors(), taken)
        store.put_authors([one.author for one in enrolled])
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("name", "token"))
    writer.writerows((author.name, token) for author, token in enrolled if token)


def show(folder: Path, *, as_json: bool = False) -> None:
    """Print the table."""
    data = _table(folder)
    if as_json:
        print(json.dumps(data, indent=1))
        return
    from rich.console import Console
    from rich.table import Table

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
    console.print(
        f"season {data['season']}, luck is taken out by value function {data['value_function'][:12]}"
    )
    for row in data["bots"]:
        told = row["declared"]
        if told is not None and not told["believed"]:
            console.print(untrue_text(row["bot"], told["p"]))
    found = data["interaction"]
    if found is not None and found["p_value"] is not None:
        console.print(
            f"interaction: {found['share']:.0%} of the differences depend on who meets whom"
            f" (p = {found['p_value']:g})"
        )


def _table(folder: Path) -> dict[str, Any]:
    config = load_config(folder)
    game = config.load_game(folder)
    with opened(folder, make=False) as store:
        field = field_of(
            store.versions(), store.results(), store.last_matches(), game.players, store.chances()
        )
        season = {"season": store.season, "value_function": store.value_function}
    return {**table_data(field, ratings_of(field), config.hands_of_set(game)), **season}


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:+.1f}"


def grades(folder: Path) -> None:
    """Print a CSV with a row for each author and deadline: the version that counts, its rating, and what it
    has passed.
    """
    config = load_config(folder)
    with opened(folder, make=False) as store:
        value_function = store.value_function
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
    writer.writerows(grade_cells(config, rows, value_function))


def admin(folder: Path) -> None:
    """Print a new token for the organiser's page; the one before it is no longer valid."""
    token = new_token()
    with opened(folder) as store:
        store.set_fact(ORGANISER, hash_token(token))
    print(token)


def screen(folder: Path) -> None:
    """Print which pairs may play softly against each other, and which bots may be copies."""
    config = load_config(folder)
    with opened(folder, make=False) as store:
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


def freeze(folder: Path, *, undo: bool = False) -> None:
    """Take no more versions this season, or take them again."""
    with opened(folder) as store:
        store.freeze(undo=undo)
    done = "new versions are taken again" if undo else "frozen: no more versions are taken"
    print(f"{done} in season {store.season}")


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
    other = f"; {found.other:,} matches of seasons with another value function" if found.other else ""
    unverified = f"{other}: not verified" if other else ""
    print(
        f"{folder}: {found.matches:,} matches, {found.hands:,} hands: every number is right{gone}{unverified}"
    )
    return 0


def push(folder: Path, url: str, token: str) -> int:
    """Send a bot's folder, or an archive of it, to a ladder, and print its course until it is rated or
    refused. Return the exit code: 0, or 1 if it was refused. Raises ``LadderError``.
    """
    if not (token.isascii() and token.isprintable()):
        raise LadderError("bad_token", "a token has letters, digits and signs of ASCII alone")
    version = _ask(url, "/api/ladder/push", token, _archive(folder))
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


def _archive(path: Path) -> bytes:
    """Return a file, or a folder as a zip file. Raises ``LadderError`` (``no_command``, ``too_large``)."""
    data = _zipped(path) if not path.is_file() else None
    size = path.stat().st_size if data is None else len(data)
    if size > MAX_ARCHIVE:
        # The server would only cut the connection.
        raise LadderError("too_large", f"the archive of {path} has more than {MAX_ARCHIVE:,} bytes")
    return path.read_bytes() if data is None else data


def _zipped(folder: Path) -> bytes:
    if not folder.is_dir():
        raise LadderError("no_command", f"there is no folder or archive {folder}")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files_of_folder(folder).items():
            archive.writestr(path, data)
    return out.getvalue()


def _ask(url: str, path: str, token: str, body: bytes | None = None) -> Any:
    try:
        return json.loads(_ask_text(url, path, token, body))
    except json.JSONDecodeError:
        raise LadderError("unreachable", f"{url} is no ladder") from None


def _ask_text(url: str, path: str, token: str, body: bytes | None = None) -> str:
    if not url.startswith(("http://", "https://")):
        raise LadderError("bad_url", f"the address of a ladder begins with http:// or https://, not {url!r}")
    # Of the pages' address, which ``serve`` prints, the server's is what comes before.
    address = url.rstrip("/").removesuffix("/ladder") + path
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/zip"}
    try:
        request = Request(address, body, headers)  # noqa: S310 (checked above)
        with urlopen(request, timeout=_TIMEOUT) as answer:  # noqa: S310
            return str(answer.read().decode())
    except HTTPError as error:
        try:
            with error:
                refusal = json.loads(error.read())
            code, text = refusal["code"], refusal["message"]
        except (ValueError, KeyError, TypeError):
            code, text = "unreachable", str(error)
        raise LadderError(code, text) from None
    except (URLError, OSError, HTTPException) as error:
        raise LadderError("unreachable", f"{url} does not answer: {error}") from None
    except ValueError as error:
        raise LadderError("bad_url", f"{url!r} is no address: {error}") from None
