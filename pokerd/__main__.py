"""The command line: arguments and help; every command's work is done in its room."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from clients.acpc.bridge import add_bridge_options
from pokerd.commands.admin import add_admin_options
from pokerd.commands.audit import add_audit_options
from pokerd.commands.check_bot import add_check_options
from pokerd.commands.convert import add_convert_options
from pokerd.commands.evolve import add_evolve_options
from pokerd.commands.fleet import add_coordinator_options, add_node_options
from pokerd.commands.pushfold import add_pushfold_options
from pokerd.commands.rules import add_rules_options
from pokerd.commands.solve import add_exploitability_options, add_train_options
from pokerd.commands.strength import add_strength_options
from pokerd.commands.tokens import add_token_options
from pokerd.options.arguments import positive
from pokerd.options.network import add_mqtt_option, add_web_port_option, broker_of, port
from pokerd.options.operating import add_log_options, add_metrics_options, journal, metrics_port
from pokerd.options.security import (
    add_capacity_options,
    add_exposure_options,
    add_guests_option,
    add_sandbox_option,
    add_tls_options,
    capacity,
    exposure,
)

__all__ = ["main"]


def _compete(options: argparse.Namespace) -> int:
    from server.commands.compete import compete, show_standings
    from server.competition.resume import output_directory, rescore
    from server.net.tls import load_tls
    from strategy.registry import names, parameters_of

    out = output_directory(options.file, options.out, another=True)
    if options.rescore:
        sessions = rescore(options.file)
        code = show_standings(options.file)
        print(f"{options.file}: scored anew from the hands of {sessions} sessions")
        return code
    return compete(
        options.file,
        out,
        workers=options.workers,
        host=options.host,
        port=options.port,
        library=options.library,
        house_bots=names(),
        verify_parameters=parameters_of,
        broker=broker_of(options),
        web_port=options.web_port if options.serve else None,
        metrics=metrics_port(options),
        journal=journal(options),
        sandbox=options.sandbox,
        tls=load_tls(options.tls_cert, options.tls_key),
        capacity=capacity(options),
        exposure=exposure(options),
    )


def _serve(options: argparse.Namespace) -> int:
    from server.commands.serve import ServeOptions, serve
    from server.net.tls import load_tls
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
            competition=options.competition,
            limit=options.limit,
            push_fold=options.push_fold,
            depth=options.depth,
            small_blind=options.small_blind,
            big_blind=options.big_blind,
            stack=options.stack,
            decision=options.decision,
            bank=options.bank,
            library=options.library,
            journal=journal(options),
            logs=options.logs,
            house_bots=names(),
            broker=broker_of(options),
            web_port=options.web_port,
            metrics=metrics_port(options),
            data=options.data,
            results=options.results,
            brief=options.brief,
            sandbox=options.sandbox,
            guests=options.guests,
            capacity=capacity(options),
            exposure=exposure(options),
            tls=load_tls(options.tls_cert, options.tls_key),
        )
    )


def _run_bot(options: argparse.Namespace) -> int:
    from clients.strategy_bot import strategy_bot
    from pokerd import run
    from strategy.parameters import load_values
    from strategy.registry import UnknownStrategy, names, parameters_of

    if options.name not in names():
        raise UnknownStrategy(f"no house bot is called {options.name!r}; there are {', '.join(names())}")
    asked = _bot_parser(options.name).parse_args(options.rest)
    values = load_values(asked.parameters) if asked.parameters else {}
    if getattr(asked, "strategy", None):
        values["strategy"] = asked.strategy
    parameters = parameters_of(options.name, values) if values else None
    return run(
        strategy_bot(options.name, parameters),
        url=asked.url,
        token=asked.token,
        name=asked.name,
        tables=asked.tables,
        join=asked.join,
        json=asked.json,
        ca=asked.ca,
        label=options.name,
    )


def _bot_parser(name: str) -> argparse.ArgumentParser:
    """The options of a house bot: those of every bot, and its parameters."""
    from clients.sdk.options import add_options

    parser = _CommandParser(prog=f"pokerd bot {name}", description="One of the house bots.")
    add_options(parser)
    parser.add_argument(
        "--parameters",
        default=os.environ.get("POKERD_PARAMETERS", ""),
        metavar="FILE.toml",
        help="how it plays (docs/bots.md): a file, or a JSON object",
    )
    if name == "pushfold":
        parser.add_argument("--strategy", metavar="FILE", help="the strategy to play (the equilibria)")
    return parser


def _run_study(options: argparse.Namespace) -> int:
    from studies.harness.runner import names, run_study, study_of

    if options.name is None:
        for name in names():
            print(f"{name:12}{study_of(name).title}")
        return 0
    out = options.out or Path("results", "studies", f"{options.name}{'-quick' if options.quick else ''}")
    return run_study(options.name, out, quick=options.quick, seed=options.seed, workers=options.workers)


def _run_dealer(options: argparse.Namespace) -> int:
    from pokerd.commands.dealer import main as dealer

    return dealer(options.rest)


def _run_bridge(options: argparse.Namespace) -> int:
    from clients.acpc.bridge import run_bridge

    return run_bridge(options)


def _verify(options: argparse.Namespace) -> int:
    from server.competition.verify import verify

    return verify(options.directory)


def _backup(options: argparse.Namespace) -> int:
    from server.storage.hand_db import backup_folder

    checksum = backup_folder(options.directory, options.file)
    print(f"{options.file}: sha256 {checksum}")
    return 0


class _CommandParser(argparse.ArgumentParser):
    """Tells a wrong option with a code, as all else that is wrong is told."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Everywhere a value: -1/50 and -1e9 too, which argparse takes for options that do not exist.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"pokerd: {message} [bad_arguments]\n")


def _parser() -> argparse.ArgumentParser:
    parser = _CommandParser(prog="pokerd", description="A poker dealer for programs and people.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    _compete_arguments(
        commands.add_parser("compete", help="play a competition of bot processes and print its standings")
    )
    _serve_arguments(commands.add_parser("serve", help="open tables that bots can join"))

    add_coordinator_options(
        commands.add_parser("coordinator", help="have a competition played by many machines")
    )
    add_node_options(commands.add_parser("node", help="play sessions for a coordinator"))

    bot = commands.add_parser("bot", help="run one of the house bots", add_help=False)
    bot.set_defaults(run=_run_bot)
    bot.add_argument("name", metavar="NAME")
    bot.add_argument(
        "rest", nargs=argparse.REMAINDER, metavar="...", help="--url, --token and more; see bot NAME --help"
    )

    commands.add_parser("dealer", help="hold one match between ACPC programs over TCP; see dealer --help")

    bridge = commands.add_parser("bridge", help="let an ACPC program play at a server's tables")
    bridge.set_defaults(run=_run_bridge)
    add_bridge_options(bridge)

    add_rules_options(
        commands.add_parser("rules", help="show a game's definition and count its betting tree")
    )

    verify = commands.add_parser(
        "verify", help="re-deal and replay a finished competition, recompute every number"
    )
    verify.set_defaults(run=_verify)
    verify.add_argument("directory", type=Path, metavar="DIR", help="the directory that compete wrote")

    add_audit_options(
        commands.add_parser("audit", help="look for bots that do better on deals they have seen before")
    )

    kept = commands.add_parser(
        "backup", help="copy what must not be lost of a competition or of open tables, at any time"
    )
    kept.set_defaults(run=_backup)
    kept.add_argument("directory", type=Path, metavar="DIR", help="what compete writes, or serve's --data")
    kept.add_argument("file", type=Path, metavar="FILE", help="the copy; must not exist")

    add_token_options(commands.add_parser("token", help="say who may come in, by secret tokens"))

    add_admin_options(commands.add_parser("admin", help="look after a server that runs, with an admin token"))

    add_check_options(commands.add_parser("check-bot", help="find out what a bot does wrong"))

    add_strength_options(commands.add_parser("strength", help="say what a hand is worth"))

    add_pushfold_options(
        commands.add_parser("pushfold", help="solve push/fold, and answer a player of it, exactly")
    )

    add_evolve_options(commands.add_parser("evolve", help="let push/fold players evolve"))

    add_train_options(commands.add_parser("train", help="compute a strategy for a game"))

    add_exploitability_options(
        commands.add_parser("exploitability", help="say how much can be won from a computed strategy")
    )

    add_convert_options(
        commands.add_parser("convert", help="convert hand records from one format to another")
    )

    _study_arguments(commands.add_parser("study", help="repeat what a document found, and write a report"))
    return parser


def _compete_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_compete)
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE.toml|DIR",
        help="the competition (docs/competition.md), or the directory of one that is to go on",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where results go: new, empty, or with this competition in it, which goes on (results/NAME)",
    )
    parser.add_argument(
        "--rescore", action="store_true", help="play nothing: make records and standings of DIR anew"
    )
    parser.add_argument(
        "--workers", type=positive, metavar="N", help="sessions played at once (the file's workers)"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (%(default)s)")
    parser.add_argument("--port", type=port, default=0, help="port to listen at (any free one)")
    _add_library_option(parser)
    parser.add_argument("--serve", action="store_true", help="let people look on in a browser, until Ctrl-C")
    add_web_port_option(parser)
    add_metrics_options(parser)
    add_log_options(parser, "info", "logs/server.jsonl in DIR")
    add_tls_options(parser)
    add_capacity_options(parser)
    add_exposure_options(parser)
    add_sandbox_option(parser, None)
    add_mqtt_option(parser)


def _serve_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_serve)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (%(default)s)")
    parser.add_argument("--port", type=port, default=8000, help="port to listen at, 0 for any (%(default)s)")
    parser.add_argument("--tables", type=positive, default=2, metavar="N", help="open tables (%(default)s)")
    parser.add_argument(
        "--seats", type=int, choices=range(2, 11), default=3, metavar="2-10", help="seats (%(default)s)"
    )
    parser.add_argument(
        "--bots", default="fair,call", metavar="A,B", help="house bots at each table (%(default)s)"
    )
    parser.add_argument(
        "--competition",
        type=Path,
        metavar="FILE.toml",
        help="open the tables of a competition instead, with its house bots and a free seat at each",
    )
    betting = parser.add_mutually_exclusive_group()
    betting.add_argument("--limit", action="store_true", help="limit hold'em instead of no-limit")
    betting.add_argument("--push-fold", action="store_true", help="no-limit hold'em, all-in or fold")
    parser.add_argument("--small-blind", type=positive, default=5, metavar="CHIPS", help="(%(default)s)")
    parser.add_argument("--big-blind", type=positive, default=10, metavar="CHIPS", help="(%(default)s)")
    parser.add_argument(
        "--stack", type=positive, default=1000, metavar="CHIPS", help="stack of everybody (%(default)s)"
    )
    parser.add_argument(
        "--depth",
        type=_depth,
        metavar="N|N-N",
        help="instead of --stack: begin every hand with so many big blinds, or a number drawn for each hand",
    )
    parser.add_argument(
        "--decision", type=float, default=10.0, metavar="S", help="seconds a decision (%(default)s)"
    )
    parser.add_argument(
        "--bank", type=float, default=60.0, metavar="S", help="seconds of time bank (%(default)s)"
    )
    parser.add_argument("--brief", action="store_true", help="print only where people go")
    parser.add_argument("--logs", type=Path, metavar="DIR", help="keep what house bots say there (not kept)")
    add_log_options(parser, "warning")
    _add_library_option(parser)
    add_web_port_option(parser)
    add_metrics_options(parser)
    _add_folder_options(parser)
    add_tls_options(parser)
    add_guests_option(parser)
    add_capacity_options(parser)
    add_exposure_options(parser)
    add_sandbox_option(parser, "auto")
    add_mqtt_option(parser)


def _study_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_run_study)
    parser.add_argument("name", nargs="?", metavar="NAME", help="the study; without it, list them")
    parser.add_argument("--quick", action="store_true", help="a short run, to see that everything works")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where the report goes (results/studies/NAME)"
    )
    parser.add_argument(
        "--workers", type=positive, default=2, metavar="N", help="processes at once (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=2017, metavar="N", help="of all randomness (%(default)s)")


def _add_library_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--library",
        choices=("picows", "websockets"),
        default="picows",
        help="websocket library to listen with (%(default)s)",
    )


def _add_folder_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        default=Path("var"),
        metavar="DIR",
        help="keep hands and a secret there (%(default)s)",
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("results"),
        metavar="DIR",
        help="show competitions there (%(default)s)",
    )


def _depth(text: str) -> tuple[int, int]:
    least, _, most = text.partition("-")
    depth = int(least), int(most or least)
    if not 1 <= depth[0] <= depth[1] <= 1000:
        raise argparse.ArgumentTypeError("must be a number from 1 to 1000, or two such in order")
    if depth[1] < 2:
        raise argparse.ArgumentTypeError("somebody must have chips left after the blinds: at least 2")
    return depth


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Errors with a code go to standard error; the exit code is then 2."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # File names need not be text, nor need a terminal know every sign.
        with suppress(OSError):
            sys.stdout.reconfigure(errors="backslashreplace")
    # Its options may stand anywhere among its arguments, which argparse allows no subcommand.
    options = (
        argparse.Namespace(run=_run_dealer, rest=given[1:])
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
    except KeyboardInterrupt:
        return 130
    return code


if __name__ == "__main__":
    sys.exit(main())
