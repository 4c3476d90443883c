"""``pokerd ladder``: rate bots round the clock."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from functools import partial
from pathlib import Path

from pokerd.commands.coordinator import add_database_option, database_address, verify_installed
from pokerd.options.arguments import positive
from pokerd.options.server import add_sandbox_option, add_server_options, server_options

HELP = "rate the bots that are pushed or connect, round the clock"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    init = actions.add_parser("init", help="make the directory of a ladder")
    init.set_defaults(run=_init)
    serve = actions.add_parser("serve", help="take versions, play matches and show the ratings")
    serve.set_defaults(run=_serve)
    roster = actions.add_parser("roster", help="add authors from a CSV file and print their tokens")
    roster.set_defaults(run=_roster)
    show = actions.add_parser("show", help="print the ratings")
    show.set_defaults(run=_show)
    grades = actions.add_parser("grades", help="print a CSV with the rating and the grades of each author")
    grades.set_defaults(run=_grades)
    freeze = actions.add_parser("freeze", help="take no more versions")
    freeze.set_defaults(run=_freeze)
    admin = actions.add_parser("admin", help="print a new token for the organiser's page")
    admin.set_defaults(run=_admin)
    screen = actions.add_parser("screen", help="print pairs that may play softly or be copies")
    screen.set_defaults(run=_screen)
    final = actions.add_parser("final", help="play everybody against everybody until the order is decided")
    final.set_defaults(run=_final)
    for action in (init, admin, serve, roster, show, grades, freeze, screen, final):
        action.add_argument("folder", type=Path, metavar="DIR", help="the directory of the ladder")
    roster.add_argument("file", type=Path, metavar="FILE.csv", help="a name and a group on each line")
    show.add_argument("--json", action="store_true", help="as JSON")
    freeze.add_argument("--undo", action="store_true", help="take versions again")
    serve.add_argument(
        "--matches", type=positive, metavar="N", help="end after so many matches (without end)"
    )
    add_database_option(serve)
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
        add_sandbox_option(action, None)
    push = actions.add_parser("push", help="send a version of a bot to a ladder and wait until it is rated")
    push.set_defaults(run=_push)
    push.add_argument("bot", type=Path, metavar="BOT", help="the bot's folder, or a zip or tar file of it")
    push.add_argument("--url", default="http://127.0.0.1:8080", help="address of the ladder (%(default)s)")
    push.add_argument("--token", help="the author's token (POKERD_TOKEN)")


def _init(options: argparse.Namespace) -> int:
    from server.commands.ladder import init

    init(options.folder)
    return 0


def _admin(options: argparse.Namespace) -> int:
    from server.commands.ladder import admin

    admin(options.folder)
    return 0


def _serve(options: argparse.Namespace) -> int:
    from server.commands.ladder import serve

    server = server_options(options)
    if options.database is None and not os.environ.get("POKERD_DATABASE"):
        return serve(options.folder, server, matches=options.matches)
    verify_installed()
    from server.fleet.coordinator import Coordinator, prepare_database

    database = database_address(options.database)
    say = partial(print, file=sys.stderr, flush=True)
    asyncio.run(prepare_database(database, say))
    runner = partial(Coordinator, database=database, notify=say, brief=True)
    return serve(options.folder, server, matches=options.matches, runner=runner)


def _roster(options: argparse.Namespace) -> int:
    from server.commands.ladder import roster

    roster(options.folder, options.file)
    return 0


def _show(options: argparse.Namespace) -> int:
    from server.commands.ladder import show

    show(options.folder, as_json=options.json)
    return 0


def _grades(options: argparse.Namespace) -> int:
    from server.commands.ladder import grades

    grades(options.folder)
    return 0


def _freeze(options: argparse.Namespace) -> int:
    from server.commands.ladder import freeze

    freeze(options.folder, undo=options.undo)
    return 0


def _screen(options: argparse.Namespace) -> int:
    from server.commands.ladder import screen

    screen(options.folder)
    return 0


def _final(options: argparse.Namespace) -> int:
    from server.commands.ladder import final

    out = options.out or options.folder / "final"
    return final(options.folder, out, server_options(options), hands=options.hands)


def _push(options: argparse.Namespace) -> int:
    from server.commands.ladder import push

    return push(options.bot, options.url, (options.token or os.environ.get("POKERD_TOKEN", "")).strip())
