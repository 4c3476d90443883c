"""``pokerd rules``: a game's definition, and how large its betting tree is."""

from __future__ import annotations

import argparse
import json

__all__ = ["HELP", "add_options"]

HELP = "show a game's definition and count its betting tree"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.set_defaults(run=_rules)
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    parser.add_argument("game", metavar="GAME", help="a file, or the name of one in games/")


def _rules(options: argparse.Namespace) -> int:
    from dealer.rules.games import load_game, street_name
    from dealer.rules.tree import count_tree

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
