"""``pokerd evaluate``: play a policy against house bots and print what it wins."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from pokerd.options.arguments import declare, positive, whole

if TYPE_CHECKING:
    from pokerd.env.evaluation import Evaluation

HELP = "play a learner's policy against house bots, in duplicate"

_SEEDS = (1 << 32) - 1


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_evaluate)
    parser.add_argument("policy", metavar="POLICY", help="module:function or file.py:NAME")
    parser.add_argument(
        "--game",
        default="holdem.limit.2p.reverse_blinds",
        metavar="GAME",
        help="a file, or the name of one in games/ (%(default)s)",
    )
    parser.add_argument(
        "--against",
        action="append",
        metavar="BOT",
        help="a house bot or compiled opponent, at every other seat; repeatable (call and fair)",
    )
    declare(
        parser,
        ("--matches", "matches against each bot", positive, 10, "N"),
        ("--hands", "deals of a match, each played at every seat", positive, 100, "N"),
        ("--seed", "random seed", whole(0, _SEEDS), 0, "N"),
        ("--sizes", "raises of the policy's menu, as fractions of the pot", _sizes, "0.5,1,2", "F,F"),
        ("--history", "actions that its observations hold", positive, 32, "N"),
        ("--json", "print the numbers as JSON"),
    )


def _sizes(text: str) -> tuple[float, ...]:
    return tuple(float(word) for word in text.split(",") if word)


def _evaluate(options: argparse.Namespace) -> int:
    """Run the command. Raises BadPolicy, GameError and the errors of ``pokerd.env.evaluation.evaluate``."""
    from pokerd.env.evaluation import evaluate, load_policy

    results = evaluate(
        load_policy(options.policy),
        options.game,
        options.against or ("call", "fair"),
        matches=options.matches,
        hands=options.hands,
        seed=options.seed,
        sizes=options.sizes,
        history=options.history,
    )
    if options.json:
        print(json.dumps([_data(result) for result in results]))
        return 0
    titles = ("mbb/hand", "+- 95 %", "raw", "+- 95 %", "hands", "illegal")
    print(f"{'against':<16}" + "".join(f"{title:>10}" for title in titles))
    for result in results:
        figures = "".join(
            f"{interval.mean:>10.1f}{'' if interval.half is None else f'{interval.half:.1f}':>10}"
            for interval in (result.won, result.raw)
        )
        print(f"{result.against:<16}{figures}{result.hands:>10,}{result.illegal:>10,}")
    return 0


def _data(result: Evaluation) -> dict[str, object]:
    return {
        "against": result.against,
        "hands": result.hands,
        "deals": result.deals,
        "mbb": result.won.mean,
        "mbb_error": result.won.half,
        "raw_mbb": result.raw.mean,
        "raw_mbb_error": result.raw.half,
        "decisions": result.decisions,
        "illegal": result.illegal,
    }
