"""The command line: finds the command, and says what went wrong."""

from __future__ import annotations

import argparse
import gc
import io
import os
import select
import sys
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from typing import NoReturn

from dealer.rules.errors import CodedError
from pokerd.compiled import describe
from pokerd.options.parser import CommandParser

#: In the order of the help. Each is a module of ``pokerd.commands``, which has ``HELP`` and ``add_options``.
COMMANDS = (
    *("compete", "serve", "ladder", "coordinator", "node", "bot", "dealer", "bridge", "slumbot", "rules"),
    *("verify", "audit", "replay", "backup", "token", "admin", "check-bot", "new-bot", "strength"),
    *("sprt", "pushfold", "pushfold-match", "evolve", "train", "exploitability", "evaluate"),
    *("convert", "study", "schema"),
)


class _Version(argparse.Action):
    """Prints the version and ends; finds it out only if it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:  # noqa: A002 (argparse)
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from server.telemetry.version import VERSION

        print(f"pokerd {VERSION}, {describe()}")
        parser.exit()


def command_parser(names: Sequence[str] = COMMANDS) -> CommandParser:
    """What reads the arguments of these commands; ``run`` of what it returns is the command."""
    parser = CommandParser(prog="pokerd", description="A poker dealer for programs and people.")
    parser.add_argument(
        "--version", action=_Version, help="print the version, and whether compiled code runs"
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in names:
        module = import_module(f"pokerd.commands.{name.replace('-', '_')}")
        module.add_options(commands.add_parser(name, help=module.HELP, **getattr(module, "PARSER", {})))
    return parser


#: The exit code of a program that SIGPIPE ends.
READER_GONE = 141


def _reader_gone() -> bool:
    """Return whether nobody reads standard output any more: its pipe is closed at the other end."""
    poll = select.poll()
    poll.register(sys.stdout, 0)
    return any(happened & select.POLLERR for _, happened in poll.poll(0))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Errors with a code go to standard error; the exit code is then 2. If the reader of
    standard output is gone, as in ``pokerd rules | head``, nothing is said (``READER_GONE``).
    """
    # What is imported stays: to look through it for garbage again and again is a tenth of a server's start.
    gc.set_threshold(50_000)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # File names need not be text, nor need a terminal know every sign.
        with suppress(OSError):
            sys.stdout.reconfigure(errors="backslashreplace")
    words = list(sys.argv[1:] if arguments is None else arguments)
    # The modules of all the other commands would double the time until a bot is there.
    named = [name for name in words[:1] if name in COMMANDS]
    parser = command_parser(named or COMMANDS)
    if words and not named and not words[0].startswith("-"):
        near = get_close_matches(words[0], COMMANDS, 1)
        hint = f"did you mean {near[0]}?" if near else "pokerd --help lists the commands"
        parser.error(f"there is no command {words[0]!r}; {hint}")
    options = parser.parse_args(words)
    try:
        code: int = options.run(options)
        if sys.stdout is not None:  # it may be closed
            sys.stdout.flush()
    except CodedError as error:
        print(f"pokerd: {error} [{error.code}]", file=sys.stderr)
        return 2
    except OSError as error:
        if isinstance(error, BrokenPipeError) and _reader_gone():
            # Python would try to write the rest when it ends, and complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return READER_GONE
        print(f"pokerd: {error} [os_error]", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return code


if __name__ == "__main__":
    sys.exit(main())
