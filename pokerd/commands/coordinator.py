"""``pokerd coordinator``: run a competition on many machines."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from functools import partial
from pathlib import Path

from pokerd.options.arguments import declare
from pokerd.options.server import add_server_options, server_options

HELP = "run a competition on many machines"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_coordinator)
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE.toml|DIR",
        help="the competition (docs/competition.md), or the directory of one to resume",
    )
    add_database_option(parser)
    declare(
        parser,
        ("--out", "directory for results, as with compete (results/NAME)", Path, None, "DIR"),
        ("--node-timeout", "seconds without a heartbeat until a node's sessions are reassigned",
         _seconds, 15.0, "S"),
    )  # fmt: skip
    add_server_options(
        parser,
        port_help="port for remote bots (any free one)",
        pages="asked",
        log_level="info",
        log_file="logs/server.jsonl in DIR",
    )
    parser.set_defaults(sandbox="off")  # it starts no bots


def _coordinator(options: argparse.Namespace) -> int:
    verify_installed()
    import asyncio

    from server.commands.compete import compete
    from server.competition.resume import output_directory
    from server.fleet.coordinator import Coordinator, prepare_database
    from strategy.registry import parameters_of, strategy_names

    database = database_address(options.database)
    server = server_options(options)
    say = partial(print, file=sys.stderr, flush=True)
    out = output_directory(options.file, options.out)
    asyncio.run(prepare_database(database, say))
    return compete(
        options.file,
        out,
        server,
        house_bots=strategy_names(),
        verify_parameters=parameters_of,
        runner=partial(Coordinator, database=database, node_timeout=options.node_timeout, notify=say),
    )


def verify_installed() -> None:
    """Raise ``FleetError`` (``no_fleet``) if the libraries of the extra ``fleet`` are missing."""
    from server.fleet.errors import FleetError

    for library in ("procrastinate", "psycopg", "psycopg_pool"):
        if importlib.util.find_spec(library) is None:
            raise FleetError("no_fleet", f"{library} is missing: pip install 'pokerd[fleet]'")


def database_address(given: str | None) -> str:
    """Return the database of the option or the environment. Raises ``FleetError``."""
    from server.fleet.errors import FleetError

    url = os.environ.get("POKERD_DATABASE", "") if given is None else given
    if not url:
        raise FleetError("bad_database", "no database given: use --database URL, or POKERD_DATABASE")
    return url


def add_database_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--database``."""
    parser.add_argument(
        "--database", metavar="URL", help="PostgreSQL, such as postgresql://HOST/NAME (POKERD_DATABASE)"
    )


def _seconds(text: str) -> float:
    number = float(text)
    if not 2 <= number <= 86_400:
        raise argparse.ArgumentTypeError("must be from 2 to 86400")
    return number
