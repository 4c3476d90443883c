"""``pokerd rules``: the available games, and the definition and betting tree of one."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping

HELP = "list games, or show one's definition and count its betting tree"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_rules)
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    parser.add_argument(
        "game", nargs="?", metavar="GAME", help="a file, or the name of one in games/; without it, list these"
    )


def _rules(options: argparse.Namespace) -> int:
    from dealer.rules.games import game_descriptions, load_game, street_name
    from dealer.rules.tree import count_tree

    if options.game is None:
        _list_games(game_descriptions(), as_json=options.json)
        return 0
    game = load_game(options.game)
    counts = count_tree(game)
    streets = {street_name(game, street): decisions for street, decisions in enumerate(counts.streets)}
    if options.json:
        totals = {"decisions": counts.decisions, "folds": counts.folds, "showdowns": counts.showdowns}
        print(json.dumps({"game": game.name, "streets": streets, **totals}))
        return 0
    print(game.text())
    for street, decisions in streets.items():
        print(f"{street:12}{decisions:>12} decisions")
    print(f"{'in all':12}{counts.decisions:>12} decisions")
    print(f"{'':12}{counts.folds:>12} ends by folding")
    print(f"{'':12}{counts.showdowns:>12} showdowns")
    return 0


def _list_games(games: Mapping[str, str], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(games))
        return
    width = max(map(len, games))
    for name, description in games.items():
        print(f"{name:{width}}  {description}")
