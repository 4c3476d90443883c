"""``pokerd compete``: play a competition."""

from __future__ import annotations

import argparse
from pathlib import Path

from pokerd.options.arguments import declare, positive, whole
from pokerd.options.server import add_sandbox_option, add_server_options, server_options

HELP = "play a competition of bot processes and print its standings"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_compete)
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE.toml|DIR",
        help="the competition (docs/competition.md), or the directory of one to resume",
    )
    declare(
        parser,
        ("--out", "directory for results; a competition in it is resumed (results/NAME)", Path, None, "DIR"),
        ("--rescore", "play nothing: rebuild the records and standings in DIR"),
        ("--workers", "sessions to play at the same time (the file's workers)", positive, None, "N"),
        ("--processes", "server processes that play", whole(1, 256), 1, "N"),
    )
    add_server_options(
        parser,
        port_help="port to listen on (any free one)",
        pages="asked",
        log_level="info",
        log_file="logs/server.jsonl in DIR",
    )
    add_sandbox_option(parser, None)


def _compete(options: argparse.Namespace) -> int:
    from server.commands.compete import compete, show_standings
    from server.competition.resume import output_directory, rescore
    from strategy.registry import parameters_of, strategy_names

    out = output_directory(options.file, options.out, another=True)
    if options.rescore:
        sessions = rescore(options.file)
        code = show_standings(options.file)
        print(f"{options.file}: rescored from the hands of {sessions} sessions")
        return code
    return compete(
        options.file,
        out,
        server_options(options),
        workers=options.workers,
        processes=options.processes,
        house_bots=strategy_names(),
        verify_parameters=parameters_of,
    )
