"""``pokerd bot``: one of the house bots."""

from __future__ import annotations

import argparse
import os

from pokerd.options.parser import CommandParser

__all__ = ["HELP", "PARSER", "add_options", "bot_parser"]

HELP = "run one of the house bots"
PARSER = {"add_help": False}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what ``bot`` takes; those of the bot itself are ``bot_parser``'s."""
    parser.set_defaults(run=_run_bot)
    parser.add_argument("name", metavar="NAME")
    parser.add_argument(
        "rest", nargs=argparse.REMAINDER, metavar="...", help="--url, --token and more; see bot NAME --help"
    )


def _run_bot(options: argparse.Namespace) -> int:
    from clients.strategy_bot import strategy_bot
    from pokerd import run
    from strategy.parameters import load_values
    from strategy.registry import UnknownStrategy, parameters_of, strategy_names

    if options.name not in strategy_names():
        raise UnknownStrategy(
            f"no house bot is called {options.name!r}; there are {', '.join(strategy_names())}"
        )
    asked = bot_parser(options.name).parse_args(options.rest)
    values = load_values(asked.parameters) if asked.parameters else {}
    if getattr(asked, "strategy", None):
        values["strategy"] = asked.strategy
    parameters = parameters_of(options.name, values) if values else None
    return run(
        strategy_bot(options.name, parameters),
        url=asked.url,
        token=asked.token,
        name=asked.name,
        tables=asked.tables,
        join=asked.join,
        json=asked.json,
        ca=asked.ca,
        label=options.name,
    )


def bot_parser(name: str) -> argparse.ArgumentParser:
    """The options of a house bot: those of every bot, and its parameters."""
    from clients.sdk.options import add_options

    parser = CommandParser(prog=f"pokerd bot {name}", description="One of the house bots.")
    add_options(parser)
    parser.add_argument(
        "--parameters",
        default=os.environ.get("POKERD_PARAMETERS", ""),
        metavar="FILE.toml",
        help="how it plays (docs/bots.md): a file, or a JSON object",
    )
    if name == "pushfold":
        parser.add_argument("--strategy", metavar="FILE", help="the strategy to play (the equilibria)")
    return parser
