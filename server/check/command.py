"""What ``pokerd check-bot`` starts."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from typing import NamedTuple

from rich.console import Console
from rich.status import Status

from server import logs
from server.app import run_guarded
from server.check.acpc_checks import ACPC_CHECKS
from server.check.checks import CHECKS
from server.check.findings import CheckError
from server.check.report import listing, report_data, show
from server.check.run import ACPC_GAME, Report, check_acpc, check_bot

__all__ = ["CheckOptions", "check"]

#: Seconds for an answer below which a busy machine looks like a slow program.
LEAST = 0.2


class CheckOptions(NamedTuple):
    """Settings of ``pokerd check-bot``."""

    command: Sequence[str]
    acpc: bool = False
    game: str = ACPC_GAME
    timeout: float = 5.0
    only: Collection[str] = ()
    list: bool = False
    json: bool = False
    verbose: bool = False


def check(options: CheckOptions) -> int:
    """Check a program and print what was found. Exit code 1 when there are faults.

    Raises CheckError ``no_command``, ``bad_timeout``, ``unknown_check`` and ``cannot_start``, and GameError.
    """
    console = Console(highlight=False)
    if options.list:
        listing(ACPC_CHECKS if options.acpc else CHECKS, console)
        return 0
    if not options.command:
        raise CheckError("no_command", "say what to start after --, as in: check-bot -- ./mybot")
    if options.timeout < LEAST:
        raise CheckError("bad_timeout", f"an answer takes {LEAST} s at least")
    logs.configure(None, level="critical")
    # What the websocket library has to say of the program is told by the checks.
    logging.getLogger().addHandler(logging.NullHandler())
    status = Console(stderr=True).status("starting") if sys.stderr.isatty() else nullcontext()

    async def main() -> int:
        with status as shown:
            report = await _report(options, _teller(shown))
        if options.json:
            sys.stdout.write(report_data(report, verbose=options.verbose) + "\n")
        else:
            show(report, console, verbose=options.verbose)
        return 1 if report.faults else 0

    return run_guarded(main())


def _teller(status: Status | None) -> Callable[[str], None]:
    def tell(scene: str) -> None:
        if status is not None:
            status.update(scene)

    return tell


async def _report(options: CheckOptions, tell: Callable[[str], None]) -> Report:
    command, only, seconds = options.command, options.only, options.timeout
    if options.acpc:
        return await check_acpc(command, seconds=seconds, game=options.game, only=only, tell=tell)
    return await check_bot(command, seconds=seconds, only=only, tell=tell)
