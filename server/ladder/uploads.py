"""From a pushed archive to a program that may play."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from server.bots.program_files import executable, start_command, without_folder
from server.bots.sandbox import Limits, Sandbox, SandboxError
from server.bots.unpack import read_archive, store_files
from server.check.model import CheckError
from server.check.report import report_text
from server.check.suite import check_bot
from server.competition.runner import stop_if_cancelled
from server.ladder.records import Version

#: Seconds that check-bot may take in all, and that a program has for an answer in it.
CHECK_SECONDS: Final = 45.0
ANSWER_SECONDS: Final = 2.0


class Upload(NamedTuple):
    """A program that was unpacked: the ``hash`` of its files, which is its folder's name, and the ``command``
    that starts it there.
    """

    hash: str
    command: tuple[str, ...]


def take_upload(archive: bytes, folder: Path) -> Upload:
    """Unpack an archive below ``folder``. Raises ``UnpackError`` before anything is written."""
    files = without_folder(read_archive(archive))
    command = start_command(files)
    return Upload(store_files(files, folder, executable(command)).name, command)


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
