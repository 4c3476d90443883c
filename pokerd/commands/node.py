"""``pokerd node``: play sessions for a coordinator."""

from __future__ import annotations

import argparse
from pathlib import Path

from pokerd.commands.coordinator import add_database_option, database_address, verify_installed
from pokerd.options.arguments import declare, whole
from pokerd.options.server import add_sandbox_option, add_server_options, server_options

HELP = "play sessions for a coordinator"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_node)
    add_database_option(parser)
    parser.add_argument("--name", required=True, help="unique name of this node")
    declare(
        parser,
        ("--workers", "sessions played at once", whole(1, 4096), 4, "N"),
        ("--url", "URL where remote bots reach this node, such as ws://HOST:PORT (its host and port)", str),
        ("--data", "directory for this node's hands and logs (var/NAME)", Path, None, "DIR"),
    )
    add_server_options(parser, port_help="port for bots (any free one)", pages="never", log_level="warning")
    add_sandbox_option(parser, None)


def _node(options: argparse.Namespace) -> int:
    verify_installed()
    from server.commands.node import NodeOptions, node

    return node(
        NodeOptions(
            database=database_address(options.database),
            name=options.name,
            workers=options.workers,
            url=options.url or "",
            data=options.data or Path("var") / options.name,
            server=server_options(options),
        )
    )
