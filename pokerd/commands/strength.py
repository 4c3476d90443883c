"""``pokerd strength``: the strength of a hand, as text or JSON."""

from __future__ import annotations

import argparse
import json

from pokerd.options.arguments import declare

HELP = "compute the strength of a hand"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=strength)
    parser.add_argument("hole", metavar="HOLE", help="two cards, such as AdQc")
    parser.add_argument(
        "board", metavar="BOARD", nargs="?", default="", help="3 to 5 cards, such as 3h4cJh (none)"
    )
    declare(
        parser,
        ("--opponents", "opponents with random hands, 1 to 9", int, 1, "N"),
        ("--json", "print the numbers as JSON"),
    )


def strength(options: argparse.Namespace) -> int:
    """Run the command. Raises CardError and MathError, which have codes."""
    from dealer.rules.cards import parse_cards
    from strategy.hand_report import hand_report, report_lines

    report = hand_report(parse_cards(options.hole), parse_cards(options.board), options.opponents)
    print(json.dumps(report) if options.json else "\n".join(report_lines(report)))
    return 0
