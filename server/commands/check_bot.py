"""``pokerd check-bot``: checks a bot and prints a report."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final, NamedTuple

from rich.console import Console

from server.bots.sandbox import Confinement, Limits, Sandbox, Strictness
from server.check.acpc.checks import ACPC_CHECKS
from server.check.checks import CHECKS
from server.check.model import CheckError
from server.check.report import print_checks, print_report, report_data
from server.check.suite import ACPC_GAME, check_acpc, check_bot
from server.commands.runtime import run_guarded
from server.telemetry import logging_setup as logs

#: Exit codes of an incomplete check.
FAILED: Final = 3
INTERRUPTED: Final = 130
#: A shorter time for an answer would blame the program for a busy machine.
MIN_TIMEOUT = 0.2


class CheckOptions(NamedTuple):
    """Options of ``pokerd check-bot``."""

    command: Sequence[str]
    acpc: bool = False
    game: str = ACPC_GAME
    timeout: float = 5.0
    sandbox: Strictness = "off"
    only: Collection[str] = ()
    quick: bool = False
    list: bool = False
    json: bool = False
    verbose: bool = False
    quiet: bool = False


def check(options: CheckOptions) -> int:
    """Check a program and print the findings. Return 1 if there are faults, 3 if pokerd itself failed, 130 if
    interrupted; in the last two cases the findings so far are printed.

    Raises CheckError ``no_command``, ``bad_timeout``, ``unknown_check`` and ``cannot_start``,
    ``SandboxError``, and GameError.
    """
    console = Console(highlight=False)
    if options.list:
        print_checks(ACPC_CHECKS if options.acpc else CHECKS, console)
        return 0
    if not options.command:
        raise CheckError("no_command", "give the program to start after --, as in: check-bot -- ./mybot")
    if not MIN_TIMEOUT <= options.timeout < math.inf:
        raise CheckError("bad_timeout", f"--timeout must be at least {MIN_TIMEOUT} seconds")
    # The report has everything about the program; suppress the log messages of libraries.
    logs.configure(None, level="critical")

    confine = None
    if options.sandbox != "off":
        box, limits = Sandbox(strictness=options.sandbox), Limits()
        _print_line(box.explain_missing([limits]) or f"confined by: {box.describe([limits])}")

        def confine(command: Sequence[str]) -> Confinement:
            return box.for_program(command, limits)

    async def main() -> int:
        with _progress_display(quiet=options.quiet) as show_progress:
            run = partial(check_acpc, game=options.game) if options.acpc else check_bot
            report = await run(
                options.command,
                seconds=options.timeout,
                only=options.only,
                quick=options.quick,
                on_progress=show_progress,
                confine=confine,
            )
        if options.json:
            sys.stdout.write(report_data(report, verbose=options.verbose) + "\n")
        else:
            print_report(report, console, verbose=options.verbose)
        _print_line(report.failure)
        codes = {"failed": FAILED, "interrupted": INTERRUPTED}
        return codes.get(report.ended, 1 if report.faults else 0)

    return run_guarded(main())


@contextmanager
def _progress_display(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Provide a function that shows progress on standard error: in place in a terminal, elsewhere line by
    line.
    """
    if quiet or sys.stderr is None:
        yield lambda _: None
    elif sys.stderr.isatty():
        with Console(stderr=True).status("starting") as status:
            yield status.update
    else:
        yield _print_line


def _print_line(text: str) -> None:
    if text and sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(text.rstrip() + "\n")
            sys.stderr.flush()
