"""``pokerd token``: manage player tokens."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

HELP = "manage player tokens"


_COLUMNS: Final = "{:20} {:6} {:26} {:>10} {:>11} {:>6}  {}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options; ``--data`` may come before or after the action."""
    add_data_option(parser)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    issue = actions.add_parser("issue", help="create a token and print it once")
    issue.set_defaults(run=_issue)
    issue.add_argument("name", metavar="NAME", help="the owner; nobody else may use this name")
    issue.add_argument("--admin", action="store_true", help="for administration instead of playing")
    for option, what in (
        ("--rate", "messages per second"),
        ("--connections", "simultaneous connections"),
        ("--tables", "simultaneous tables per connection"),
    ):
        issue.add_argument(option, type=int, metavar="N", help=f"{what} (docs/security.md)")
    listing = actions.add_parser("list", help="list tokens by name; secrets are not stored")
    listing.set_defaults(run=_list)
    revoke = actions.add_parser("revoke", help="revoke a token and disconnect its user")
    revoke.set_defaults(run=_revoke)
    revoke.add_argument("name", metavar="NAME")
    for action in (issue, listing, revoke):
        add_data_option(action, argparse.SUPPRESS)


def add_data_option(parser: argparse.ArgumentParser, default: Path | str = Path("var")) -> None:
    """Add ``--data``, the server's data directory."""
    parser.add_argument("--data", type=Path, default=default, metavar="DIR", help="the server's --data (var)")


def _issue(options: argparse.Namespace) -> int:
    """Raises AccessError."""
    from server.auth.tokens import edit_access, hash_token, make_quota
    from server.bots.offered import is_reserved
    from strategy.registry import strategy_names

    bots = strategy_names()
    given = make_quota(rate=options.rate, connections=options.connections, tables=options.tables)
    with edit_access(options.data) as access:
        token = access.issue(
            options.name, given, admin=options.admin, is_house_bot=lambda name: is_reserved(name, bots)
        )
    # Alone on standard output, so that it can be redirected without being seen.
    print(f"the token of {options.name}; it is not stored and cannot be shown again:", file=sys.stderr)
    print(token, flush=True)
    print(f"token_hash: {hash_token(token)}", file=sys.stderr)
    return 0


def _list(options: argparse.Namespace) -> int:
    """Raises AccessError."""
    from server.auth.tokens import load_access

    print(_COLUMNS.format("name", "for", "issued", "messages/s", "connections", "tables", "token_hash"))
    for grant in load_access(options.data).tokens:
        what = "admin" if grant.admin else "play"
        limits = grant.quota.rate, grant.quota.connections, grant.quota.tables
        print(_COLUMNS.format(grant.name, what, grant.issued, *limits, grant.hash))
    return 0


def _revoke(options: argparse.Namespace) -> int:
    """Raises AccessError."""
    from server.auth.tokens import edit_access

    with edit_access(options.data) as access:
        access.revoke(options.name)
    print(f"revoked the token of {options.name}")
    return 0
