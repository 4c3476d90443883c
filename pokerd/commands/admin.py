"""``pokerd admin``: what an administrator may do to a server that runs."""

from __future__ import annotations

import argparse
import os
from typing import Any, Final

__all__ = ["HELP", "add_options"]

HELP = "administer a running server, with an admin token"


#: Each action, what it is about, and what it does.
_ACTIONS: Final = {
    "close": ("connection", "close a connection, by its number; its seats are kept for a while"),
    "ban": ("name", "keep somebody out, by name or with --address, who goes at once"),
    "unban": ("name", "let him in again"),
    "pause": ("table", "deal no more hands at a table, after the one in progress"),
    "resume": ("table", "deal there again"),
    "end": ("table", "close a table; a hand in progress is broken off"),
    "drain": ("", "take nobody new, and end the server when the hands in progress are over"),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes: where the server is, before or behind the action."""
    _add_server_options(parser, "http://127.0.0.1:8080", os.environ.get("POKERD_ADMIN_TOKEN"), None)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    show = actions.add_parser("show", help="say who is connected, who is kept out, and which tables are open")
    show.set_defaults(run=_show)
    _add_server_options(show)
    for name, (target, text) in _ACTIONS.items():
        action = actions.add_parser(name, help=text)
        action.set_defaults(run=_act)
        _add_server_options(action)
        if target == "name":
            action.add_argument(
                "--address", action="store_true", help="TARGET is an address or a network, as 192.0.2.0/24"
            )
        if target:
            action.add_argument("target", metavar="TARGET", type=int if target == "connection" else str)


def _add_server_options(parser: argparse.ArgumentParser, *defaults: str | None) -> None:
    """Where the server is, and by what right; without ``defaults`` what was said before the action holds."""
    url, token, ca = defaults or (argparse.SUPPRESS,) * 3
    parser.add_argument("--url", default=url, help="browser URL of the server (http://127.0.0.1:8080)")
    parser.add_argument("--token", default=token, help="admin token; safer in POKERD_ADMIN_TOKEN")
    parser.add_argument("--ca", default=ca, metavar="FILE", help="CA certificates for https (the system's)")


def _act(options: argparse.Namespace) -> int:
    """Raises AdminError."""
    from clients.admin import call_admin

    target, _ = _ACTIONS[options.action]
    if getattr(options, "address", False):
        target = "address"
    order = {target: options.target} if target else {}
    done = call_admin(options.url, options.token or "", options.action, order, ca=options.ca)
    print(f"{done['action']}: {done['target'] or 'done'}")
    return 0


def _show(options: argparse.Namespace) -> int:
    """Raises AdminError."""
    from clients.admin import call_admin

    state: dict[str, Any] = call_admin(options.url, options.token or "", ca=options.ca)
    for one in state["connections"]:
        who = one["name"] or "(has not said hello)"
        print(
            f"{one['connection']:>6}  {one['kind']:6} {who:24} {one['address']:40} {', '.join(one['tables'])}"
        )
    for ban in state["bans"]:
        print(f"kept out: {ban['kind']} {ban['value']}, by {ban['by']} at {ban['at']}")
    for table in state["tables"]:
        print(f"table {table}{', held' if table in state['held'] else ''}")
    if state["closing"]:
        print("it takes nobody new, and ends when the hands in progress are over")
    return 0
