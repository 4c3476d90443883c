"""From a pushed archive to a program that may play: where its files are, and how it is started."""

from __future__ import annotations

import asyncio
import shutil
import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta

from server.bots.sandbox import Limits, Sandbox
from server.check.report import report_text
from server.check.suite import check_bot
from server.competition.file import CompetitionError
from server.competition.session_host import program_command
from server.ladder.errors import LadderError
from server.ladder.records import Version

#: Seconds that check-bot may take in all, and that a program has for an answer in it.
CHECK_SECONDS: Final = 45.0
ANSWER_SECONDS: Final = 2.0

#: The file in a pushed folder that says how to start it.
COMMAND_FILE: Final = "bot.toml"
#: Without it: the first of these files that is there, and its command.
_USUAL: Final = (
    ("bot.py", ("{python}", "bot.py")),
    ("main.py", ("{python}", "main.py")),
    ("bot.mjs", ("node", "bot.mjs")),
    ("bot", ("./bot",)),
    ("run.sh", ("sh", "run.sh")),
)


class _Command(msgspec.Struct, forbid_unknown_fields=True):
    command: Annotated[list[Annotated[str, Meta(min_length=1)]], Meta(min_length=1, max_length=64)]


def start_command(files: Path) -> tuple[str, ...]:
    """Return the command that starts the program in a folder: that of its ``bot.toml``, or the usual one for
    ``bot.py``, ``main.py``, ``bot.mjs``, ``bot`` or ``run.sh``. Words that name a file of the folder become
    ``{programs}/HASH/...``, which is the same on all machines. Raises ``LadderError`` (``no_command``).
    """
    given = files / COMMAND_FILE
    if given.is_file():
        try:
            words: Sequence[str] = msgspec.convert(
                tomllib.loads(given.read_text(encoding="utf-8")), _Command
            ).command
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            raise LadderError("no_command", f"{COMMAND_FILE} cannot be used: {error}") from None
    else:
        words = next((command for name, command in _USUAL if (files / name).is_file()), ())
    if not words:
        names = ", ".join(name for name, _ in _USUAL)
        raise LadderError(
            "no_command", f"the folder has no {COMMAND_FILE} that says how to start it, and none of {names}"
        )
    return tuple(_named(files, word) for word in words)


class CheckEnd(NamedTuple):
    """What check-bot found in a version: the ``text`` for its author, and why it is refused, or ""."""

    text: str
    reason: str


async def check_version(version: Version, programs: Path, sandbox: Sandbox, limits: Limits) -> CheckEnd:
    """Check whether a pushed version can play. ``programs``: the folder of all pushed ones."""
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            report = await check_bot(
                program_command(version.command, programs),
                seconds=ANSWER_SECONDS,
                quick=True,
                confine=lambda command: sandbox.for_program(command, limits),
            )
    except TimeoutError:
        text = f"check-bot did not end within {CHECK_SECONDS:g} seconds"
        return CheckEnd(text, text)
    except CompetitionError as error:
        return CheckEnd(str(error), str(error))
    reason = ""
    if report.ended == "failed":
        reason = "check-bot could not finish"
    elif report.faults:
        reason = f"check-bot found {report.faults} fault{'s' if report.faults > 1 else ''}"
    return CheckEnd(report_text(report), reason)


def _named(files: Path, word: str) -> str:
    path, root = (files / word).resolve(), files.resolve()
    inside = path.is_relative_to(root) and path.is_file()
    return f"{{programs}}/{files.name}/{path.relative_to(root)}" if inside else word


def remove_versions(folder: Path, keep: Collection[str]) -> None:
    """Remove the files of all versions in ``folder`` but those with these hashes, and what an interrupted
    upload has left.
    """
    for path in folder.glob("*"):
        if path.name not in keep:
            shutil.rmtree(path, ignore_errors=True)


def unpack(data: bytes, folder: Path) -> str:
    import hashlib
    import io
    import zipfile

    h = hashlib.sha256(data).hexdigest()
    out = folder / h
    if not out.exists():
        with zipfile.ZipFile(io.BytesIO(data)) as z:
            z.extractall(out)
    return h
