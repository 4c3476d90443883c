"""``pokerd convert``: convert hand records from one format to another."""

from __future__ import annotations

import argparse

from pokerd.options.arguments import options_as

HELP = "convert hand records from one format to another"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_convert)
    parser.add_argument("source", metavar="IN", help="the records, - for standard input (docs/formats.md)")
    parser.add_argument("target", metavar="OUT", help="the file to write, - for standard output")
    formats = ("acpc", "phh", "phhs", "ohh", "pokerstars", "journal")
    parser.add_argument("--from", dest="before", choices=formats, help="format of IN (its suffix)")
    parser.add_argument("--to", dest="after", choices=formats, help="format of OUT (its suffix)")
    parser.add_argument("--game", metavar="GAME", help="the game: a file, or the name of one in games/")
    parser.add_argument("--currency", metavar="CODE", help="currency of cash hands without one, such as USD")
    parser.add_argument("--tournament", metavar="ID", help="tournament of hands without one")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")


def _convert(options: argparse.Namespace) -> int:
    import signal

    from server.commands.convert import ConvertOptions, convert_file

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        hands = convert_file(options_as(ConvertOptions, options))
    except KeyboardInterrupt:
        return 130
    if options.target != "-":
        print(f"{hands:,} hands in {options.target}")
    return 0
