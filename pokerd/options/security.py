"""Options of the commands that let others in, for what they may do."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from server.auth.addresses import Network
    from server.auth.hosts import HostConfig
    from server.auth.policy import Capacity

__all__ = [
    "add_capacity_options",
    "add_exposure_options",
    "add_guests_option",
    "add_sandbox_option",
    "add_tls_options",
    "capacity",
    "exposure",
]

_STRICTNESS: Final = ("auto", "require", "off")
_GUESTS: Final = ("auto", "yes", "no")


def add_sandbox_option(parser: argparse.ArgumentParser, default: str | None) -> None:
    """Whether bots that the server starts are kept from its files. ``default`` None: a file says it."""
    says = "the file's" if default is None else "%(default)s"
    parser.add_argument(
        "--sandbox",
        choices=_STRICTNESS,
        default=default,
        metavar="HOW",
        help=f"keep bots from the server's files: auto (where the system can), require, off ({says})",
    )


def add_guests_option(parser: argparse.ArgumentParser) -> None:
    """Whether one may come in without a token."""
    parser.add_argument(
        "--guests",
        choices=_GUESTS,
        default="auto",
        metavar="WHO",
        help="let in who has no token: auto (if it listens at this machine alone), yes, no (%(default)s)",
    )


def add_capacity_options(parser: argparse.ArgumentParser) -> None:
    """How many connections there may be."""
    parser.add_argument(
        "--max-connections-per-ip",
        type=_at_least(0),
        default=1000,
        metavar="N",
        help="connections of one address, 0 for any number (%(default)s)",
    )
    parser.add_argument(
        "--max-connections",
        type=_at_least(1),
        default=10_000,
        metavar="N",
        help="connections of all together, as far as the system has descriptors (%(default)s)",
    )
    parser.add_argument(
        "--proxy",
        type=_network,
        action="append",
        metavar="ADDRESS",
        help="address or network of a reverse proxy whose X-Forwarded-For is trusted; repeatable",
    )


def add_exposure_options(parser: argparse.ArgumentParser) -> None:
    """How others reach the server."""
    parser.add_argument(
        "--allow-host",
        type=_server_name,
        action="append",
        metavar="NAME",
        help="a name by which the server is called; others are refused then; repeatable",
    )
    parser.add_argument(
        "--allow-origin",
        type=_origin,
        action="append",
        metavar="ORIGIN",
        help="an origin, as https://poker.example, whose web pages may play as bots; repeatable",
    )


def exposure(options: argparse.Namespace) -> HostConfig:
    """What these options say."""
    from server.auth.hosts import HostConfig

    return HostConfig(tuple(options.allow_host or ()), tuple(options.allow_origin or ()))


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


def capacity(options: argparse.Namespace) -> Capacity:
    """What these options say."""
    from server.auth.policy import Capacity

    return Capacity(options.max_connections, options.max_connections_per_ip, tuple(options.proxy or ()))


def _network(text: str) -> Network:
    from server.auth.addresses import parse_network

    network = parse_network(text)
    if network is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no IP address, and no network as 192.0.2.0/24")
    return network


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        found = int(text)
        if not least <= found <= 1_000_000:
            raise argparse.ArgumentTypeError(f"must be from {least} to 1000000")
        return found

    return number


def add_tls_options(parser: argparse.ArgumentParser) -> None:
    """Certificate and key."""
    for option, what in (("--tls-cert", "certificate, with its chain"), ("--tls-key", "key of that")):
        parser.add_argument(option, type=Path, metavar="FILE", help=f"use TLS: PEM file with the {what}")
