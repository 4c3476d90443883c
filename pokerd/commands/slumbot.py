"""``pokerd slumbot``: let clients of Slumbot's HTTP API play at a server."""

from __future__ import annotations

import argparse
import os

from pokerd.options.arguments import above_zero, declare, positive, whole

HELP = "serve Slumbot's HTTP API, for its clients to play at a server"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_run_slumbot)
    env = os.environ.get
    declare(
        parser,
        ("--url", "the server", str, env("POKERD_URL", "ws://127.0.0.1:8000"), "URL"),
        ("--token", "play all sessions, one at a time, as the player of this token", str,
         env("POKERD_TOKEN"), "TOKEN"),
        ("--name", "beginning of the names of guests", str, env("POKERD_NAME", "slumbot"), "NAME"),
        ("--rival", "house bot to play at open tables, if the path names none", str, "fair", "BOT"),
        ("--host", "address to listen at", str, "127.0.0.1", "HOST"),
        ("--port", "port to listen at, 0 for any", whole(0, 65535), 8050, "PORT"),
        ("--sessions", "sessions at once", positive, 16, "N"),
        ("--idle", "seconds without a request after which a session ends", above_zero, 120.0, "S"),
        ("--wait", "seconds after which a client that waits for a hand must ask again",
         above_zero, 600.0, "S"),
        ("--ca", "CA certificates for wss://", str, env("POKERD_CA_FILE"), "FILE"),
        ("--log-level", "least important lines to log", ("debug", "info", "warning", "error"), "warning",
         "LEVEL"),
    )  # fmt: skip


def _run_slumbot(options: argparse.Namespace) -> int:
    from clients.slumbot.bridge import BridgeSettings, run_slumbot
    from pokerd.options.arguments import options_as

    settings = options_as(BridgeSettings, options)
    return run_slumbot(settings, options.host, options.port, options.log_level, print)
