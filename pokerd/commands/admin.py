"""``pokerd admin``: administer a running server."""

from __future__ import annotations

import argparse
import os
from typing import Any, Final

HELP = "administer a running server, with an admin token"


#: Each action: its kind of target, and its help.
_ACTIONS: Final = {
    "close": ("connection", "close a connection by number; its seats are reserved for a while"),
    "ban": ("name", "ban a name, or an address with --address, and disconnect it at once"),
    "unban": ("name", "lift a ban"),
    "pause": ("table", "stop dealing at a table after the hand in progress"),
    "resume": ("table", "resume a paused table"),
    "end": ("table", "close a table, even in the middle of a hand"),
    "drain": ("", "refuse new players, and stop the server after the hands in progress"),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options; those for the server may come before or after the action."""
    _add_server_options(parser, "http://127.0.0.1:8080", os.environ.get("POKERD_ADMIN_TOKEN"), None)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    show = actions.add_parser("show", help="show connections, bans and open tables")
    show.set_defaults(run=_show)
    _add_server_options(show)
    for name, (target, text) in _ACTIONS.items():
        action = actions.add_parser(name, help=text)
        action.set_defaults(run=_act)
        _add_server_options(action)
        if target == "name":
            action.add_argument(
                "--address",
                action="store_true",
                help="TARGET is an address or a network, such as 192.0.2.0/24",
            )
        if target:
            action.add_argument("target", metavar="TARGET", type=int if target == "connection" else str)


def _add_server_options(parser: argparse.ArgumentParser, *defaults: str | None) -> None:
    """Add the options for the server and the token. Without ``defaults``, values given before the action
    apply.
    """
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
        who = one["name"] or "(not logged in)"
        print(
            f"{one['connection']:>6}  {one['kind']:6} {who:24} {one['address']:40} {', '.join(one['tables'])}"
        )
    for ban in state["bans"]:
        print(f"banned: {ban['kind']} {ban['value']}, by {ban['by']} at {ban['at']}")
    for table in state["tables"]:
        print(f"table {table}{', paused' if table in state['held'] else ''}")
    if state["closing"]:
        print("the server refuses new players and stops after the hands in progress")
    return 0
