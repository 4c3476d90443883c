"""``pokerd admin``: administer a running server."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

HELP = "administer a running server, with an admin token"


def _settings(text: str, example: str = '{"seats": 4}') -> dict[str, Any]:
    """Read the settings of a table. Raises ``ArgumentTypeError``."""
    try:
        settings = json.loads(text)
    except (ValueError, RecursionError):
        settings = None
    if not isinstance(settings, dict):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no JSON object such as {example}")
    return settings


def _bot(text: str) -> str | dict[str, Any]:
    """Read a house bot: its name, or a bot choice. Raises ``ArgumentTypeError``."""
    example = '{"bot": "raise", "parameters": {"often": true}}'
    return _settings(text, example) if text.startswith("{") else text


#: Each action: the fields of its order, and its help.
_ACTIONS: Final = {
    "close": (["connection"], "close a connection by number; its seats are reserved for a while"),
    "ban": (["name"], "ban a name, or an address with --address, and disconnect it at once"),
    "unban": (["name"], "lift a ban"),
    "issue": (["name"], "create a token for playing and print it once"),
    "revoke": (["name"], "revoke a token for playing and disconnect its user"),
    "open": (["create"], "open a table that stays open; SETTINGS: JSON as in the message create"),
    "invite": (["table", "bot"], "seat a house bot; BOT: its name, or JSON as in the message invite"),
    "remove": (["table", "name"], "remove a player from a table, even in the middle of a hand"),
    "say": (["text"], "send a line of chat to the people at all tables, or at one with --table"),
    "pause": (["table"], "stop dealing at a table after the hand in progress"),
    "resume": (["table"], "resume a paused table"),
    "end": (["table"], "close a table, even in the middle of a hand"),
    "drain": ([], "refuse new players, and stop the server after the hands in progress"),
}
_METAVARS: Final = {"create": "SETTINGS"}
_TYPES: Final[dict[str, Callable[[str], object]]] = {"connection": int, "create": _settings, "bot": _bot}
_RESULT: Final = "{:32} {:>8} {:>12} {:>22}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options; those for the server may come before or after the action."""
    _add_server_options(parser, "http://127.0.0.1:8080", os.environ.get("POKERD_ADMIN_TOKEN"), None)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, run, text in (
        ("show", _show, "show tables, connections, bans and tokens"),
        ("players", _players, "list who played lately"),
        ("statistics", _statistics, "show what a player won, by game and by day"),
    ):
        question = actions.add_parser(name, help=text)
        question.set_defaults(run=run)
        _add_server_options(question)
        if name != "show":
            question.add_argument(
                "--days", type=int, default=30, metavar="N", help="how far to look back (30)"
            )
        if name == "statistics":
            question.add_argument("--mode", help="only cash, tournament or challenge")
            question.add_argument("name", metavar="NAME")
    for name, (fields, text) in _ACTIONS.items():
        action = actions.add_parser(name, help=text)
        action.set_defaults(run=_act)
        _add_server_options(action)
        if name in ("ban", "unban"):
            action.add_argument(
                "--address", action="store_true", help="NAME is an address or a network, such as 192.0.2.0/24"
            )
        if name == "say":
            action.add_argument("--table", metavar="TABLE", help="the table; default: all")
        for field in fields:
            metavar = _METAVARS.get(field, field.upper())
            action.add_argument(field, metavar=metavar, type=_TYPES.get(field, str))


def _add_server_options(parser: argparse.ArgumentParser, *defaults: str | None) -> None:
    """Add the options for the server and the token. Without ``defaults``, values given before the action
    apply.
    """
    url, token, ca = defaults or (argparse.SUPPRESS,) * 3
    parser.add_argument("--url", default=url, help="browser URL of the server (http://127.0.0.1:8080)")
    parser.add_argument("--token", default=token, help="admin token; safer in POKERD_ADMIN_TOKEN")
    parser.add_argument("--ca", default=ca, metavar="FILE", help="CA certificates for https (the system's)")


def _call(options: argparse.Namespace, action: str = "", order: dict[str, Any] | None = None) -> Any:
    """Raises AdminError."""
    from clients.admin import call_admin

    return call_admin(options.url, options.token or "", action, order, ca=options.ca)


def _act(options: argparse.Namespace) -> int:
    """Raises AdminError."""
    fields, _ = _ACTIONS[options.action]
    order = {field: getattr(options, field) for field in fields}
    if getattr(options, "address", False):
        order = {"address": options.name}
    if options.action == "say" and options.table is not None:
        order["table"] = options.table
    done = _call(options, options.action, order)
    if "token" in done:
        print(f"the token of {done['target']}; it cannot be shown again:", file=sys.stderr)
        print(done["token"])
    else:
        print(f"{done['action']}: {done['target'] or 'done'}")
    return 0


def _show(options: argparse.Namespace) -> int:
    """Raises AdminError."""
    state: dict[str, Any] = _call(options)
    for one in state["connections"]:
        who = one["name"] or "(not logged in)"
        print(
            f"{one['connection']:>6}  {one['kind']:6} {who:24} {one['address']:40} {', '.join(one['tables'])}"
        )
    for ban in state["bans"]:
        print(f"banned: {ban['kind']} {ban['value']}, by {ban['by']} at {ban['at']}")
    for one in state["tokens"]:
        print(
            f"token of {one['name']}{', for administration' if one['admin'] else ''}, since {one['issued']}"
        )
    for table in state["tables"]:
        players = ", ".join(filter(None, table["players"])) or "nobody"
        paused = ", paused" if table["paused"] else ""
        print(
            f"table {table['table']}: {table['stakes']}, {table['mode']}, {table['phase']}{paused},"
            f" {table['hands']} hands, {players}"
        )
    if state["closing"]:
        print("the server refuses new players and stops after the hands in progress")
    return 0


def _players(options: argparse.Namespace) -> int:
    """Raises AdminError."""
    for one in _call(options, f"players?{urlencode({'days': options.days})}")["players"]:
        print(f"{one['player']:32} {one['hands']:>8} hands")
    return 0


def _statistics(options: argparse.Namespace) -> int:
    """Raises AdminError."""
    query = {"player": options.name, "days": options.days, "mode": options.mode or ""}
    found = _call(options, f"statistics?{urlencode(query)}")
    print(_RESULT.format(found["player"], "hands", "big blinds", "bb/100"))
    for one in (*found["games"], *found["days"], found["total"]):
        label = f"{one['label']} {one['mode']}".strip() or "all"
        half = "" if one["half"] is None else f" ± {one['half']:.1f}"
        print(_RESULT.format(label, one["hands"], f"{one['won']:+.1f}", f"{one['rate']:+.1f}{half}"))
    if not found["complete"]:
        print(f"only the last {found['looked_at']} hands of all players were looked at")
    return 0
