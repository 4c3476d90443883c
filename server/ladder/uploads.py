"""From a pushed archive to a program that may play: its files, and how it is started."""

from __future__ import annotations

import asyncio
import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, NamedTuple, Protocol

import msgspec
from msgspec import Meta

from server.bots.sandbox import Limits, Sandbox, SandboxError
from server.bots.unpack import hash_of_files, read_archive, unpack
from server.check.model import CheckError
from server.check.report import report_text
from server.check.suite import check_bot
from server.competition.runner import stop_if_cancelled
from server.ladder.errors import LadderError
from server.ladder.records import Version

#: Seconds that check-bot may take in all, and that a program has for an answer in it.
CHECK_SECONDS: Final = 45.0
ANSWER_SECONDS: Final = 2.0

#: Folders that are no part of a program.
_LEFT_OUT: Final = frozenset({"__pycache__", ".git", ".venv", "node_modules"})
#: The file of a pushed folder that says how to start it.
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


class Upload(NamedTuple):
    """A program that was unpacked: the ``hash`` of its files, which is its folder's name, and the ``command``
    that starts it there.
    """

    hash: str
    command: tuple[str, ...]


def take_upload(archive: bytes, folder: Path) -> Upload:
    """Unpack an archive below ``folder``. Raises ``UnpackError`` and ``LadderError`` (``no_command``) before
    anything is written.
    """
    command = start_command(read_archive(archive))
    return Upload(unpack(archive, folder, _executable(command)).name, command)


def _executable(command: Sequence[str]) -> str:
    """Return the file of a program that its command executes, or ""."""
    return command[0].removeprefix("./") if command[0].startswith("./") else ""


def start_command(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the command that starts a program in its folder: that of its ``bot.toml``, or the usual one for
    ``bot.py``, ``main.py``, ``bot.mjs``, ``bot`` or ``run.sh``. Raises ``LadderError`` (``no_command``).
    """
    given = files.get(COMMAND_FILE)
    words: Sequence[str]
    if given is not None:
        try:
            words = msgspec.convert(tomllib.loads(given.decode()), _Command).command
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            raise LadderError("no_command", f"{COMMAND_FILE} cannot be used: {error}") from None
    else:
        words = next((command for name, command in _USUAL if name in files), ())
    if not words:
        names = ", ".join(name for name, _ in _USUAL)
        raise LadderError(
            "no_command", f"the folder has no {COMMAND_FILE} that says how to start it, and none of {names}"
        )
    return tuple(words)


def command_of_folder(folder: Path) -> tuple[str, ...]:
    """Return the command that starts the program in a folder. Raises ``LadderError`` (``no_command``)."""
    names = [COMMAND_FILE, *(name for name, _ in _USUAL)]
    return start_command({name: (folder / name).read_bytes() for name in names if (folder / name).is_file()})


def files_of_folder(folder: Path, without: Path | None = None) -> dict[str, bytes]:
    """Return the files of the program in a folder, by path, ``without`` those in another folder inside."""
    found = {}
    top, left_out = folder.resolve(), without and without.resolve()
    for root, folders, files in os.walk(top):
        folders[:] = [one for one in sorted(set(folders) - _LEFT_OUT) if Path(root) / one != left_out]
        for file in sorted(files):
            path = Path(root) / file
            if path.is_file() and not path.is_symlink():
                found[path.relative_to(top).as_posix()] = path.read_bytes()
    return found


def hash_of_folder(folder: Path, without: Path | None = None) -> str:
    """Return the hash that the program in a folder would have if these files were pushed. Raises
    ``LadderError`` (``no_command``).
    """
    files = files_of_folder(folder, without)
    return hash_of_files(files, _executable(start_command(files)))


class CheckEnd(NamedTuple):
    """What check-bot found in a version: the ``text`` for its author, and why it is refused, or ""."""

    text: str
    reason: str


class Check(Protocol):
    """Checks a pushed version, as ``check_version`` does."""

    async def __call__(
        self, version: Version, programs: Path, sandbox: Sandbox, limits: Limits
    ) -> CheckEnd: ...


async def check_version(version: Version, programs: Path, sandbox: Sandbox, limits: Limits) -> CheckEnd:
    """Check whether a pushed version can play. ``programs``: the folder of all pushed ones."""
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            report = await check_bot(
                version.command,
                seconds=ANSWER_SECONDS,
                quick=True,
                confine=lambda command: sandbox.for_upload(programs / version.hash, command, limits),
            )
    except TimeoutError:
        text = f"check-bot did not end within {CHECK_SECONDS:g} seconds"
        return CheckEnd(text, text)
    except (CheckError, SandboxError) as error:
        return CheckEnd(str(error), str(error))
    reason = ""
    if report.ended == "failed":
        reason = "check-bot could not finish"
    elif report.ended == "interrupted":
        # check-bot swallows what interrupts it: the end of the ladder, or of the time.
        stop_if_cancelled()
        reason = f"check-bot did not end within {CHECK_SECONDS:g} seconds"
    elif report.faults:
        reason = f"check-bot found {report.faults} fault{'s' if report.faults > 1 else ''}"
    return CheckEnd(report_text(report), reason)
