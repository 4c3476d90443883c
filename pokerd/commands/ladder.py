"""``pokerd ladder``: rate bots round the clock."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pokerd.commands.coordinator import add_database_option, database_address, verify_installed
from pokerd.options.arguments import positive
from pokerd.options.server import add_sandbox_option, add_server_options, server_options

if TYPE_CHECKING:
    from server.competition.runner import Runner

HELP = "rate the bots that are pushed or connect, round the clock"

#: The actions on a ladder's directory, and what they do.
_ACTIONS: Final = {
    "init": "make the directory of a ladder",
    "admin": "print a new token for the organiser's page",
    "serve": "take versions, play matches and show the ratings",
    "roster": "add authors from a CSV file and print their tokens",
    "show": "print the ratings",
    "grades": "print a CSV with the rating and the grades of each author",
    "freeze": "take no more versions",
    "screen": "print pairs that may play softly or be copies",
    "final": "play everybody against everybody until the order is decided",
}
#: The arguments of simple ones, besides the directory.
_ARGUMENTS: Final = {"roster": ("file",), "show": ("as_json",), "freeze": ("undo",)}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    parsers = {name: actions.add_parser(name, help=what) for name, what in _ACTIONS.items()}
    for name, action in parsers.items():
        action.set_defaults(run=partial(_run, name))
        action.add_argument("folder", type=Path, metavar="DIR", help="the directory of the ladder")
    roster, show, freeze, serve, final = (
        parsers[name] for name in ("roster", "show", "freeze", "serve", "final")
    )
    serve.set_defaults(run=_serve)
    final.set_defaults(run=_final)
    roster.add_argument("file", type=Path, metavar="FILE.csv", help="a name and a group on each line")
    show.add_argument("--json", action="store_true", dest="as_json", help="as JSON")
    parsers["grades"].add_argument("--csv", action="store_true", help="as CSV, as always")
    freeze.add_argument("--undo", action="store_true", help="take versions again")
    serve.add_argument(
        "--matches", type=positive, metavar="N", help="end after so many matches (without end)"
    )
    add_server_options(
        serve,
        port=8000,
        port_help="port for remote bots, 0 for any (%(default)s)",
        pages="always",
        log_level="info",
        log_file="DIR/logs/server.jsonl",
    )
    final.add_argument(
        "--hands", type=positive, default=1_000_000, metavar="N", help="hands at most (%(default)s)"
    )
    final.add_argument("--out", type=Path, metavar="DIR", help="directory of the records (DIR/final)")
    add_server_options(
        final,
        port=8000,
        port_help="port for remote bots, 0 for any (%(default)s)",
        pages="never",
        log_level="info",
        log_file="DIR/logs/final.jsonl",
    )
    for action in (serve, final):
        add_database_option(action)
        add_sandbox_option(action, None)
    push = actions.add_parser("push", help="send a version of a bot to a ladder and wait until it is rated")
    push.set_defaults(run=_push)
    push.add_argument("bot", type=Path, metavar="BOT", help="the bot's folder, or a zip or tar file of it")
    push.add_argument("--url", default="http://127.0.0.1:8080", help="address of the ladder (%(default)s)")
    push.add_argument("--token", help="the author's token (POKERD_TOKEN)")


def _run(action: str, options: argparse.Namespace) -> int:
    """Call the function of that name with the folder, and what else was given."""
    from server.commands import ladder

    own = {name: value for name, value in vars(options).items() if name in _ARGUMENTS.get(action, ())}
    getattr(ladder, action)(options.folder, **own)
    return 0


def _serve(options: argparse.Namespace) -> int:
    from server.commands.ladder_play import serve
    from strategy.registry import strategy_names

    return serve(
        options.folder,
        server_options(options),
        strategy_names(),
        matches=options.matches,
        runner=_runner(options),
    )


def _final(options: argparse.Namespace) -> int:
    from server.commands.ladder_play import final

    out = options.out or options.folder / "final"
    server = server_options(options)
    return final(options.folder, out, server, hands=options.hands, runner=_runner(options))


def _runner(options: argparse.Namespace) -> Callable[..., Runner]:
    """Return what makes those that play matches: here, or on nodes if a database is named."""
    from server.competition.runner import Runner

    if options.database is None and not os.environ.get("POKERD_DATABASE"):
        return Runner
    verify_installed()
    from server.fleet.coordinator import Coordinator, prepare_database

    database = database_address(options.database)
    say = partial(print, file=sys.stderr, flush=True)
    asyncio.run(prepare_database(database, say))
    return partial(Coordinator, database=database, notify=say, brief=True)


def _push(options: argparse.Namespace) -> int:
    from server.commands.ladder import push

    return push(options.bot, options.url, (options.token or os.environ.get("POKERD_TOKEN", "")).strip())
