"""Options of the commands that listen, and of those that tell a broker."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server.public.mqtt import BrokerAddress

__all__ = ["add_library_option", "add_mqtt_option", "add_web_port_option", "broker_of", "port"]


def port(text: str) -> int:
    """The number of a port; 0 is any free one. Raises what argparse understands."""
    number = int(text)
    if not 0 <= number < 65536:
        raise argparse.ArgumentTypeError("must be from 0 to 65535")
    return number


def add_web_port_option(parser: argparse.ArgumentParser) -> None:
    """Where people come to."""
    parser.add_argument(
        "--web-port", type=port, default=8080, help="port for people's browsers, 0 for any (%(default)s)"
    )


def add_mqtt_option(parser: argparse.ArgumentParser) -> None:
    """Which broker is told."""
    parser.add_argument(
        "--mqtt", metavar="URL", help="MQTT broker that public events go to (POKERD_MQTT, else none)"
    )


def broker_of(options: argparse.Namespace) -> BrokerAddress | None:
    """The broker of the option or the environment. Raises ``BrokerError``."""
    from server.public.mqtt import parse_broker

    url = os.environ.get("POKERD_MQTT", "") if options.mqtt is None else options.mqtt
    return parse_broker(url) if url else None


def add_library_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--library``."""
    parser.add_argument(
        "--library",
        choices=("picows", "websockets"),
        default="picows",
        help="websocket library to listen with (%(default)s)",
    )
