"""``pokerd serve``: open tables."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pokerd.options.arguments import positive, whole
from pokerd.options.server import add_sandbox_option, add_server_options, server_options

if TYPE_CHECKING:
    from protocol.people import BotValue
    from server.bots.offered import OfferedBot
    from server.net.batch_room import BatchRequest, BatchTables

HELP = "open tables that bots can join"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_serve)
    parser.add_argument("--tables", type=positive, default=2, metavar="N", help="open tables (%(default)s)")
    parser.add_argument(
        "--seats",
        type=int,
        choices=range(2, 11),
        default=3,
        metavar="2-10",
        help="seats per table (%(default)s)",
    )
    parser.add_argument(
        "--bots", default="fair,call", metavar="A,B", help="house bots at each table (%(default)s)"
    )
    parser.add_argument(
        "--competition",
        type=Path,
        metavar="FILE.toml",
        help="open the tables of a competition file instead, with a free seat at each",
    )
    betting = parser.add_mutually_exclusive_group()
    betting.add_argument("--limit", action="store_true", help="limit hold'em instead of no-limit")
    betting.add_argument("--push-fold", action="store_true", help="no-limit hold'em, all-in or fold")
    parser.add_argument("--small-blind", type=positive, default=5, metavar="CHIPS", help="(%(default)s)")
    parser.add_argument("--big-blind", type=positive, default=10, metavar="CHIPS", help="(%(default)s)")
    parser.add_argument(
        "--stack", type=positive, default=1000, metavar="CHIPS", help="starting stack (%(default)s)"
    )
    parser.add_argument(
        "--stack-bb",
        type=_depth,
        metavar="N|N-N",
        help="instead of --stack: start every hand with N big blinds, or a random number in the range",
    )
    parser.add_argument(
        "--decision-time",
        type=float,
        default=10.0,
        metavar="S",
        help="seconds for each decision (%(default)s)",
    )
    parser.add_argument(
        "--time-bank", type=float, default=60.0, metavar="S", help="seconds of time bank (%(default)s)"
    )
    parser.add_argument("--url-only", action="store_true", help="print only the browser URL")
    parser.add_argument(
        "--bot-logs", type=Path, metavar="DIR", help="directory for the output of house bots (discarded)"
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=Path("var"),
        metavar="DIR",
        help="directory for hands and secrets (%(default)s)",
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("results"),
        metavar="DIR",
        help="directory of competitions to show (%(default)s)",
    )
    parser.add_argument(
        "--guests",
        choices=("auto", "yes", "no"),
        default="auto",
        metavar="WHO",
        help="allow guests without a token: yes, no, or auto: only on localhost (%(default)s)",
    )
    parser.add_argument(
        "--workers",
        type=whole(1, 256),
        default=1,
        metavar="N",
        help="server processes that play these tables, beside this one if N > 1 (%(default)s); programs"
        " are told by go_to where; not with --mqtt",
    )
    _add_batch_options(parser)
    add_server_options(
        parser,
        port=8000,
        port_help="port to listen on, 0 for any (%(default)s)",
        pages="always",
        log_level="warning",
    )
    add_sandbox_option(parser, "auto")


def _add_batch_options(parser: argparse.ArgumentParser) -> None:
    """What bots that play very many tables may do."""
    parser.add_argument(
        "--batches",
        type=whole(0, 64),
        default=4,
        metavar="N",
        help="bots that play in batches at once, half of them from one address (%(default)s)",
    )
    parser.add_argument(
        "--batch-seeds", action="store_true", help="let them choose the seed of their cards, to repeat a run"
    )
    parser.add_argument(
        "--batch-records", type=Path, metavar="DIR", help="let them have their hands recorded there"
    )


def _serve(options: argparse.Namespace) -> int:
    from dealer.formats.format import Stakes
    from dealer.table import Clock
    from server.commands.serve import ServeOptions, serve
    from server.errors import ServerError
    from server.net.batch_room import BatchLimits
    from strategy.registry import UnknownStrategy, parameters_of, strategy_names

    bots = tuple(filter(None, options.bots.split(",")))
    for bot in bots:
        if bot not in strategy_names():
            raise UnknownStrategy(f"no house bot is called {bot!r}; known: {', '.join(strategy_names())}")
    server = server_options(options)
    if options.workers > 1 and server.broker is not None:
        raise ServerError("no_broker", "several workers (--workers) publish nothing to an MQTT broker")
    rules = "pushfold" if options.push_fold else "standard"
    blinds = options.small_blind, options.big_blind
    return serve(
        ServeOptions(
            tables=options.tables,
            seats=options.seats,
            bots=bots,
            competition=options.competition,
            stakes=Stakes(*blinds, 0, options.limit, options.stack, rules, options.stack_bb),
            clock=Clock(options.decision_time, options.time_bank),
            logs=options.bot_logs,
            house_bots=offered_bots(),
            verify_parameters=parameters_of,
            data=options.data,
            results=options.results,
            url_only=options.url_only,
            guests=options.guests,
            make_batch=make_batch,
            batches=BatchLimits(
                options.batches, options.decision_time, options.batch_seeds, options.batch_records
            ),
            server=server,
            workers=options.workers,
        )
    )


def offered_bots() -> dict[str, OfferedBot]:
    """Return the house bots with the parameters that strangers may set."""
    from server.bots.offered import BotParameter, OfferedBot
    from strategy.parameters import changed_values, plain_value, settings_of
    from strategy.registry import house_bots, parameters_of, parameters_type

    def changes(name: str, values: Mapping[str, BotValue]) -> dict[str, BotValue]:
        return changed_values(parameters_of(name, values, stranger=True))

    offered = {}
    for bot in house_bots():
        kind = parameters_type(bot.name)
        settings = {} if kind is None else settings_of(kind, stranger=True)
        parameters = [
            BotParameter(
                name,
                setting.meaning,
                setting.kind,
                plain_value(setting.default),
                setting.least,
                setting.most,
                setting.choices,
                setting.lengths,
            )
            for name, setting in settings.items()
            if setting.kind != "path"
        ]
        offered[bot.name] = OfferedBot(bot.does, tuple(parameters), partial(changes, bot.name))
    return offered


def make_batch(request: BatchRequest) -> BatchTables:
    """Make the tables of a batch, in compiled loops. Raises the errors of ``ServedTables``."""
    from strategy.batch.service import Recording, ServedTables

    return ServedTables(
        request.game,
        request.tables,
        request.opponents,
        limit=request.limit,
        history=request.history,
        entropy=request.entropy,
        seed=request.seed,
        hands=request.hands,
        recording=None if request.write is None else Recording(request.write, request.names),
    )


def _depth(text: str) -> tuple[int, int]:
    least, _, most = text.partition("-")
    depth = int(least), int(most or least)
    if not 1 <= depth[0] <= depth[1] <= 1000:
        raise argparse.ArgumentTypeError("must be a number from 1 to 1000, or a range of two")
    if depth[1] < 2:
        raise argparse.ArgumentTypeError("must be at least 2, to leave chips after the blinds")
    return depth
