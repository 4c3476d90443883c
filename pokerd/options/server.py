"""Options of the commands that keep a server running."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from pokerd.options.arguments import declare, whole

if TYPE_CHECKING:
    from server.auth.addresses import Network
    from server.commands.runtime import ServerOptions

#: The number of a port; 0 is any free one.
_PORT: Final = whole(0, 65535)


def add_server_options(
    parser: argparse.ArgumentParser,
    *,
    port: int = 0,
    port_help: str,
    pages: Literal["always", "asked", "never"],
    log_level: str,
    log_file: str = "standard error",
) -> None:
    """Add them. ``pages``: whether people have a port; ``log_level`` and ``log_file``: the log, if not told
    otherwise.
    """
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument("--port", type=_PORT, default=port, help=port_help)
    parser.set_defaults(serve=pages == "always", web_port=None)
    if pages == "asked":
        parser.add_argument(
            "--serve", action="store_true", help="show the competition in a browser until Ctrl-C"
        )
    if pages != "never":
        says = "port for browsers, 0 for any free one (%(default)s)"
        parser.add_argument("--web-port", type=_PORT, default=8080, help=says)
    declare(
        parser,
        ("--metrics-port", "port for /metrics and /healthz only, 0 for any free one", _PORT, None, "PORT"),
        ("--metrics-host", "address of that port", str, "127.0.0.1", "HOST"),
    )
    levels = ("debug", "info", "warning", "error")
    parser.add_argument("--log-level", default=log_level, choices=levels, help="minimum level (%(default)s)")
    parser.add_argument("--log-file", type=Path, metavar="FILE", help=f"append the log there ({log_file})")
    parser.add_argument(
        "--log-format", default="json", choices=("json", "console"), help="format of the log (%(default)s)"
    )
    _add_outside_options(parser)
    parser.add_argument(
        "--mqtt", metavar="URL", help="publish public events to this MQTT broker (POKERD_MQTT, else none)"
    )


def _add_outside_options(parser: argparse.ArgumentParser) -> None:
    """How others reach the server, and how many of them."""
    for option, what in (("--tls-cert", "certificate and its chain"), ("--tls-key", "certificate's key")):
        parser.add_argument(option, type=Path, metavar="FILE", help=f"use TLS: PEM file with the {what}")
    declare(
        parser,
        ("--max-connections-per-ip", "maximum connections from one IP address, 0 for no limit",
         whole(0, 1_000_000), 1000, "N"),
        ("--max-connections", "maximum open connections, capped by the file-descriptor limit",
         whole(1, 1_000_000), 10_000, "N"),
    )  # fmt: skip
    for name, kind, value, says in (
        ("--proxy", _network, "ADDRESS",
         "address or network of a reverse proxy whose X-Forwarded-For is trusted"),
        ("--allow-host", _server_name, "NAME",
         "host name of the server; requests for other names are refused"),
        ("--allow-origin", _origin, "ORIGIN",
         "origin, such as https://poker.example, whose pages may connect as bots"),
    ):  # fmt: skip
        parser.add_argument(name, type=kind, action="append", metavar=value, help=f"{says}; repeatable")


def add_sandbox_option(parser: argparse.ArgumentParser, default: str | None) -> None:
    """Whether bots that the server starts are kept from its files. ``default`` None: a file says it."""
    says = "the file's" if default is None else "%(default)s"
    parser.add_argument(
        "--sandbox",
        choices=("auto", "require", "strict", "off"),
        default=default,
        metavar="HOW",
        help=f"confine bots: auto (where the system can), require, strict (nor any network), off ({says})",
    )


def server_options(options: argparse.Namespace) -> ServerOptions:
    """What these options, and the environment, say. Raises ``BrokerError`` and ``TlsError``."""
    from server.auth.hosts import HostConfig
    from server.auth.policy import Capacity
    from server.commands.runtime import ServerOptions
    from server.net.tls import load_tls
    from server.public.mqtt import parse_broker
    from server.telemetry.logging_setup import LogConfig
    from server.web.health import MetricsPort

    metrics = MetricsPort(options.metrics_host, options.metrics_port)
    broker = os.environ.get("POKERD_MQTT", "") if options.mqtt is None else options.mqtt
    return ServerOptions(
        options.host,
        options.port,
        options.web_port if options.serve else None,
        LogConfig(options.log_level, options.log_file, options.log_format),
        None if options.metrics_port is None else metrics,
        parse_broker(broker) if broker else None,
        options.sandbox,
        load_tls(options.tls_cert, options.tls_key),
        Capacity(options.max_connections, options.max_connections_per_ip, tuple(options.proxy or ())),
        HostConfig(tuple(options.allow_host or ()), tuple(options.allow_origin or ())),
    )


def _server_name(text: str) -> str:
    from server.auth.hosts import parse_server_name

    try:
        return parse_server_name(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _origin(text: str) -> str:
    from server.auth.hosts import parse_origin

    try:
        return parse_origin(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _network(text: str) -> Network:
    from server.auth.addresses import parse_network

    network = parse_network(text)
    if network is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no IP address, and no network as 192.0.2.0/24")
    return network
