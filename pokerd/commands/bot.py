"""``pokerd bot``: run a house bot."""

from __future__ import annotations

import argparse
import json
import os
from functools import partial

from pokerd.options.arguments import options_as
from pokerd.options.parser import CommandParser

HELP = "run a house bot"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options; ``bot_parser`` has those of the bot."""
    parser.set_defaults(run=_run_bot)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "\n  ".join(["bots:", *_bot_lines()])
    parser.add_argument("name", nargs="?", metavar="NAME", help="the bot; without it, list them")
    parser.add_argument(
        "rest", nargs=argparse.REMAINDER, metavar="...", help="--url, --token and more; see bot NAME --help"
    )


def _run_bot(options: argparse.Namespace) -> int:
    if options.name is None:
        print("\n".join(_bot_lines()))
        return 0
    from clients.strategy_bot import strategy_bot
    from pokerd_bot import run
    from strategy.parameters import load_values
    from strategy.registry import UnknownStrategy, parameters_of, strategy_names

    if options.name not in strategy_names():
        raise UnknownStrategy(
            f"no house bot is called {options.name!r}; known: {', '.join(strategy_names())}"
        )
    arguments = bot_parser(options.name).parse_args(options.rest)
    values = load_values(arguments.parameters) if arguments.parameters else {}
    if getattr(arguments, "strategy", None):
        values["strategy"] = arguments.strategy
    parameters = parameters_of(options.name, values) if values else None
    return options_as(partial(run, strategy_bot(options.name, parameters), label=options.name), arguments)


def _bot_lines() -> list[str]:
    from strategy.registry import house_bots

    games = {True: "any game", False: "hold'em"}
    return [f"{bot.name:12} {games[bot.any_game]:9} {bot.does}" for bot in house_bots()]


def bot_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser for a house bot's options and parameters."""
    from pokerd_bot.options import add_options
    from strategy.registry import bot_descriptions

    parser = CommandParser(
        prog=f"pokerd bot {name}",
        description=f"The house bot {name}: {bot_descriptions()[name]}.",
        epilog=_parameters_text(name),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    parser.add_argument(
        "--parameters",
        default=os.environ.get("POKERD_PARAMETERS", ""),
        metavar="FILE.toml",
        help="its parameters (docs/bots.md): a file, or a JSON object",
    )
    if name == "pushfold":
        parser.add_argument("--strategy", metavar="FILE", help="the strategy to play (the equilibria)")
    return parser


def _parameters_text(name: str) -> str:
    """Return the part of the help about the parameters of a house bot."""
    from strategy.parameters import settings_of
    from strategy.registry import parameters_type

    kind = parameters_type(name)
    if kind is None:
        return "It has no parameters."
    settings = [
        f"  {key} = {json.dumps(setting.default)}: {setting.allowed}; {setting.meaning}"
        for key, setting in settings_of(kind).items()
    ]
    return "\n".join(["parameters, with their defaults, allowed values and meaning:", *settings])
