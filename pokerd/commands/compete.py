"""``pokerd compete``: play a competition."""

from __future__ import annotations

import argparse
from pathlib import Path

from pokerd.options.arguments import positive
from pokerd.options.network import add_library_option, add_mqtt_option, add_web_port_option, broker_of, port
from pokerd.options.operating import add_log_options, add_metrics_options, journal, metrics_port
from pokerd.options.security import (
    add_capacity_options,
    add_exposure_options,
    add_sandbox_option,
    add_tls_options,
    capacity,
    exposure,
)

__all__ = ["HELP", "add_options"]

HELP = "play a competition of bot processes and print its standings"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what ``compete`` takes."""
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
    add_library_option(parser)
    parser.add_argument("--serve", action="store_true", help="let people look on in a browser, until Ctrl-C")
    add_web_port_option(parser)
    add_metrics_options(parser)
    add_log_options(parser, "info", "logs/server.jsonl in DIR")
    add_tls_options(parser)
    add_capacity_options(parser)
    add_exposure_options(parser)
    add_sandbox_option(parser, None)
    add_mqtt_option(parser)


def _compete(options: argparse.Namespace) -> int:
    from server.commands.compete import compete, show_standings
    from server.competition.resume import output_directory, rescore
    from server.net.tls import load_tls
    from strategy.registry import parameters_of, strategy_names

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
        house_bots=strategy_names(),
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
