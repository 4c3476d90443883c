"""The command line: arguments and help; every command's work is done in its room."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]


def _compete(options: argparse.Namespace) -> int:
    from server.app import compete
    from server.store import free_directory
    from strategy.registry import names

    out = options.out or free_directory(Path("results"), options.file.stem)
    return compete(
        options.file,
        out,
        workers=options.workers,
        host=options.host,
        port=options.port,
        library=options.library,
        house_bots=names(),
    )


def _serve(options: argparse.Namespace) -> int:
    from server.app import ServeOptions, serve
    from strategy.registry import UnknownStrategy, names

    bots = tuple(filter(None, options.bots.split(",")))
    for bot in bots:
        if bot not in names():
            raise UnknownStrategy(f"no house bot is called {bot!r}; there are {', '.join(names())}")
    return serve(
        ServeOptions(
            host=options.host,
            port=options.port,
            tables=options.tables,
            seats=options.seats,
            bots=bots,
            limit=options.limit,
            small_blind=options.small_blind,
            big_blind=options.big_blind,
            stack=options.stack,
            decision=options.decision,
            bank=options.bank,
            library=options.library,
            log_level=options.log_level,
            logs=options.logs,
        )
    )


def _bot(options: argparse.Namespace) -> int:
    from clients.brain import strategy_bot
    from pokerd import run
    from strategy.registry import UnknownStrategy, names

    if options.name not in names():
        raise UnknownStrategy(f"no house bot is called {options.name!r}; there are {', '.join(names())}")
    return run(strategy_bot(options.name), label=options.name, arguments=options.rest)


def _dealer(options: argparse.Namespace) -> int:
    from pokerd.dealer import main as dealer

    return dealer(options.rest)


def _rules(options: argparse.Namespace) -> int:
    from dealer.rules.games import load_game, street_name
    from dealer.rules.tree import count_tree

    game = load_game(options.game)
    counts = count_tree(game)
    streets = {street_name(game, street): decisions for street, decisions in enumerate(counts.streets)}
    if options.json:
        totals = {"decisions": counts.decisions, "folds": counts.folds, "showdowns": counts.showdowns}
        print(json.dumps({"game": game.name, "streets": streets, **totals}))
        return 0
    print(game.text())
    for street, decisions in streets.items():
        print(f"{street:12}{decisions:>12} decisions")
    print(f"{'in all':12}{counts.decisions:>12} decisions")
    print(f"{'':12}{counts.folds:>12} ends by folding")
    print(f"{'':12}{counts.showdowns:>12} showdowns")
    return 0


def _verify(options: argparse.Namespace) -> int:
    from server.verify import verify

    return verify(options.directory)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pokerd", description="A poker dealer for programs and people.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    compete = commands.add_parser(
        "compete", help="play a competition of bot processes and print its standings"
    )
    compete.set_defaults(run=_compete)
    compete.add_argument("file", type=Path, metavar="FILE.toml", help="the competition (docs/competition.md)")
    compete.add_argument(
        "--out", type=Path, metavar="DIR", help="where results go; must be new or empty (results/NAME)"
    )
    compete.add_argument(
        "--workers", type=_positive, metavar="N", help="sessions played at once (the file's workers)"
    )
    compete.add_argument("--host", default="127.0.0.1", help="address to listen at (%(default)s)")
    compete.add_argument("--port", type=_port, default=0, help="port to listen at (any free one)")
    _library(compete)

    serve = commands.add_parser("serve", help="open tables that bots can join")
    serve.set_defaults(run=_serve)
    serve.add_argument("--host", default="127.0.0.1", help="address to listen at (%(default)s)")
    serve.add_argument("--port", type=_port, default=8000, help="port to listen at, 0 for any (%(default)s)")
    serve.add_argument("--tables", type=_positive, default=2, metavar="N", help="open tables (%(default)s)")
    serve.add_argument(
        "--seats", type=int, choices=range(2, 11), default=3, metavar="2-10", help="seats (%(default)s)"
    )
    serve.add_argument(
        "--bots", default="fair,call", metavar="A,B", help="house bots at each table (%(default)s)"
    )
    serve.add_argument("--limit", action="store_true", help="limit hold'em instead of no-limit")
    serve.add_argument("--small-blind", type=_positive, default=5, metavar="CHIPS", help="(%(default)s)")
    serve.add_argument("--big-blind", type=_positive, default=10, metavar="CHIPS", help="(%(default)s)")
    serve.add_argument(
        "--stack", type=_positive, default=1000, metavar="CHIPS", help="stack of everybody (%(default)s)"
    )
    serve.add_argument(
        "--decision", type=float, default=10.0, metavar="S", help="seconds a decision (%(default)s)"
    )
    serve.add_argument(
        "--bank", type=float, default=60.0, metavar="S", help="seconds of time bank (%(default)s)"
    )
    serve.add_argument("--logs", type=Path, metavar="DIR", help="keep what house bots say there (not kept)")
    serve.add_argument(
        "--log-level", default="warning", choices=("debug", "info", "warning", "error"), help="(%(default)s)"
    )
    _library(serve)

    bot = commands.add_parser("bot", help="run one of the house bots", add_help=False)
    bot.set_defaults(run=_bot)
    bot.add_argument("name", metavar="NAME")
    bot.add_argument(
        "rest", nargs=argparse.REMAINDER, metavar="...", help="--url, --token and more; see bot NAME --help"
    )

    commands.add_parser("dealer", help="hold one match between ACPC programs over TCP; see dealer --help")

    rules = commands.add_parser("rules", help="show a game's definition and count its betting tree")
    rules.set_defaults(run=_rules)
    rules.add_argument("--json", action="store_true", help="print the counts as JSON")
    rules.add_argument("game", metavar="GAME", help="a file, or the name of one in games/")

    verify = commands.add_parser(
        "verify", help="re-deal and replay a finished competition, recompute every number"
    )
    verify.set_defaults(run=_verify)
    verify.add_argument("directory", type=Path, metavar="DIR", help="the directory that compete wrote")
    return parser


def _library(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--library",
        choices=("picows", "websockets"),
        default="picows",
        help="websocket library to listen with (%(default)s)",
    )


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number < 65536:
        raise argparse.ArgumentTypeError("must be from 0 to 65535")
    return number


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Errors with a code go to standard error; the exit code is then 2."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    # Its options may stand anywhere among its arguments, which argparse allows no subcommand.
    options = (
        argparse.Namespace(run=_dealer, rest=given[1:])
        if given[:1] == ["dealer"]
        else _parser().parse_args(given)
    )
    try:
        code: int = options.run(options)
    except ValueError as error:
        stable = getattr(error, "code", None)
        if stable is None:
            raise
        print(f"pokerd: {error} [{stable}]", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"pokerd: {error} [os_error]", file=sys.stderr)
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
