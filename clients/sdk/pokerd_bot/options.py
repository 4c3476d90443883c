"""The command-line options of a bot: where to connect, and as whom."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Final

_LEVELS: Final = ("debug", "info", "warning", "error")


def parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a bot's command line. Exits with code 2 if it is invalid."""
    parser = argparse.ArgumentParser(description="A pokerd bot.")
    add_options(parser)
    return parser.parse_args(arguments)


def _tables(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 4096:
        raise argparse.ArgumentTypeError("must be from 1 to 4096")
    return number


def _level(text: str) -> str:
    """Unlike ``choices``, this also looks at the default."""
    if text not in _LEVELS:
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(_LEVELS)}")
    return text


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where to connect, and as whom."""
    env = os.environ.get
    parser.add_argument(
        "--url", default=env("POKERD_URL", "ws://127.0.0.1:8000"), help="the server (%(default)s)"
    )
    parser.add_argument("--token", default=env("POKERD_TOKEN", ""), help="the token the organiser gave you")
    parser.add_argument("--name", default=env("POKERD_NAME", ""), help="your name at the table")
    parser.add_argument(
        "--tables",
        type=_tables,
        default=env("POKERD_TABLES", "1"),
        help="tables at once, 1 to 4096 (%(default)s)",
    )
    parser.add_argument(
        "--join", default="", metavar="TABLE", help="open table to join (the first with a free seat)"
    )
    parser.add_argument("--json", action="store_true", help="speak JSON instead of MessagePack")
    parser.add_argument(
        "--ca",
        default=env("POKERD_CA_FILE", ""),
        metavar="FILE",
        help="CA certificates for wss:// (the system's)",
    )
    parser.add_argument("--trace", default="", metavar="FILE", help="append all frames to FILE as JSON lines")
    parser.add_argument(
        "--log-level",
        type=_level,
        choices=_LEVELS,
        default=env("POKERD_LOG_LEVEL", "info"),
        help="minimum level to log to standard error (%(default)s)",
    )
