"""``pokerd serve``: open tables."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pokerd.options.arguments import declare, positive, whole
from pokerd.options.server import add_sandbox_option, add_server_options, server_options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from protocol.people import BotValue
    from server.bots.offered import OfferedBot
    from server.net.batch_room import BatchRequest, BatchTables
    from server.web.schemas import PushFoldResponse

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
    declare(
        parser,
        ("--bots", "house bots at each table", str, "fair,call", "A,B"),
        ("--exhibition", "house bots that also play at a table of their own, face up, while somebody watches",
         _full_table, None, "A,B"),
        ("--competition", "open the tables of a competition file instead, with a free seat at each",
         Path, None, "FILE.toml"),
    )  # fmt: skip
    betting = parser.add_mutually_exclusive_group()
    betting.add_argument("--limit", action="store_true", help="limit hold'em instead of no-limit")
    betting.add_argument("--push-fold", action="store_true", help="no-limit hold'em, all-in or fold")
    declare(
        parser,
        ("--small-blind", "", positive, 5, "CHIPS"),
        ("--big-blind", "", positive, 10, "CHIPS"),
        ("--stack", "starting stack", positive, 1000, "CHIPS"),
        ("--stack-bb", ("instead of --stack: start every hand with N big blinds, or a random number in the "
                        "range"), _depth, None, "N|N-N"),
        ("--decision-time", "seconds for each decision", float, 10.0, "S"),
        ("--time-bank", "seconds of time bank", float, 60.0, "S"),
        ("--url-only", "print only the browser URL"),
        ("--bot-logs", "directory for the output of house bots (discarded)", Path, None, "DIR"),
        ("--data", "directory for hands and secrets", Path, Path("var"), "DIR"),
        ("--results", "directory of competitions to show", Path, Path("results"), "DIR"),
        ("--guests", "allow guests without a token: yes, no, or auto: only on localhost",
         ("auto", "yes", "no"), "auto", "WHO"),
        ("--workers", ("server processes that play these tables, beside this one if N > 1; programs are told "
                       "by go_to where; not with --mqtt"), whole(1, 256), 1, "N"),
    )  # fmt: skip
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
    declare(
        parser,
        ("--batches", "bots that play in batches at once, half of them from one address",
         whole(0, 64), 4, "N"),
        ("--batch-seeds", "let them choose the seed of their cards, to repeat a run"),
        ("--batch-records", "let them have their hands recorded there", Path, None, "DIR"),
    )  # fmt: skip


def _serve(options: argparse.Namespace) -> int:
    from dealer.formats.format import Stakes
    from dealer.table import Clock
    from server.commands.serve import ServeOptions, serve
    from server.errors import ServerError
    from server.net.batch_room import BatchLimits
    from strategy.registry import UnknownStrategy, parameters_of, strategy_names

    bots = tuple(filter(None, options.bots.split(",")))
    exhibition = options.exhibition or ()
    for bot in (*bots, *exhibition):
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
            exhibition=exhibition,
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
            push_fold=push_fold_tables,
            server=server,
            workers=options.workers,
        )
    )


def _full_table(text: str) -> tuple[str, ...]:
    bots = tuple(filter(None, text.split(",")))
    if not 2 <= len(bots) <= 10:
        raise argparse.ArgumentTypeError("2 to 10 bots play at a table")
    return bots


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


def push_fold_tables(stack: float) -> PushFoldResponse:
    """Return the equilibrium of push or fold heads-up for an effective stack in big blinds that the shipped
    chart has.
    """
    from server.web.schemas import PushFoldResponse
    from strategy.poker.combos import format_range, per_class
    from strategy.pushfold.files import shipped_chart
    from strategy.pushfold.game import call_gain, jam_gain, percent_played

    def rounded(values: NDArray[np.float64], digits: int) -> list[float]:
        return [round(value, digits) + 0.0 for value in values.tolist()]

    jam, call = shipped_chart().pair(stack)
    return PushFoldResponse(
        stack=stack,
        jam=rounded(jam, 4),
        call=rounded(call, 4),
        # What is less than a thousandth of a thousandth is a rounding error.
        jam_gain=rounded(1000 * jam_gain(call, stack), 3),
        call_gain=rounded(1000 * call_gain(jam, stack), 3),
        jam_percent=round(percent_played(jam), 2),
        call_percent=round(percent_played(call), 2),
        jam_range=format_range(per_class(jam.round(2))),
        call_range=format_range(per_class(call.round(2))),
    )


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
