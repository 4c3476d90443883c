"""``pokerd node``: play sessions for a coordinator."""

from __future__ import annotations

import argparse
from pathlib import Path

from pokerd.commands.coordinator import add_database_option, database_address, verify_installed
from pokerd.options.network import add_mqtt_option, broker_of, port
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

HELP = "play sessions for a coordinator"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what ``node`` takes."""
    parser.set_defaults(run=_node)
    add_database_option(parser)
    parser.add_argument("--name", required=True, help="its name, which no other node has")
    parser.add_argument(
        "--workers", type=_count, default=4, metavar="N", help="sessions played at once (%(default)s)"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (%(default)s)")
    parser.add_argument("--port", type=port, default=0, help="port that bots come to (any free one)")
    parser.add_argument("--url", help="where remote bots reach it, as ws://HOST:PORT (its host and port)")
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="keep hands and logs there, for this node alone (var/NAME)"
    )
    add_log_options(parser, "warning")
    add_metrics_options(parser)
    add_tls_options(parser)
    add_capacity_options(parser)
    add_exposure_options(parser)
    add_sandbox_option(parser, None)
    add_mqtt_option(parser)


def _node(options: argparse.Namespace) -> int:
    verify_installed()
    from server.commands.node import NodeOptions, node
    from server.net.tls import load_tls

    return node(
        NodeOptions(
            database=database_address(options.database),
            name=options.name,
            workers=options.workers,
            host=options.host,
            port=options.port,
            url=options.url or "",
            data=options.data or Path("var") / options.name,
            journal=journal(options),
            metrics=metrics_port(options),
            broker=broker_of(options),
            sandbox=options.sandbox,
            tls=load_tls(options.tls_cert, options.tls_key),
            capacity=capacity(options),
            exposure=exposure(options),
        )
    )


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 4096:
        raise argparse.ArgumentTypeError("must be from 1 to 4096")
    return number
