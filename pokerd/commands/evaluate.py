"""``pokerd evaluate``: play a policy against house bots and print what it wins."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from pokerd.options.arguments import declare, positive, whole

if TYPE_CHECKING:
    from pokerd.env.evaluation import Evaluation

HELP = "play a learner's policy against house bots, in duplicate"

_SEEDS = (1 << 32) - 1
_FRAMES = 10

_N = TypeVar("_N", int, float)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_evaluate)
    parser.add_argument(
        "policy", metavar="POLICY", help="module:function or file.py:NAME; it returns actions of the menu"
    )
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
        ("--stacks", "chips by position (the game's)", _each(int), None, "N,N"),
        ("--sizes", "raises of the menu, as fractions of the pot", _each(float), "0.5,1,2", "F,F"),
        ("--history", "actions that its observations hold", positive, 32, "N"),
        ("--json", "print the numbers as JSON"),
    )


def _each(kind: Callable[[str], _N]) -> Callable[[str], tuple[_N, ...]]:
    def numbers(text: str) -> tuple[_N, ...]:
        return tuple(kind(word) for word in text.split(",") if word)

    return numbers


def _evaluate(options: argparse.Namespace) -> int:
    """Run the command. Raises BadPolicy, once the policy's author has been told where his code failed,
    GameError and the errors of ``pokerd.env.evaluation.evaluate``.
    """
    from pokerd.env.errors import BadPolicy
    from pokerd.env.evaluation import evaluate, load_policy

    try:
        results = evaluate(
            load_policy(options.policy),
            options.game,
            options.against or ("call", "fair"),
            matches=options.matches,
            hands=options.hands,
            seed=options.seed,
            stacks=options.stacks,
            sizes=options.sizes,
            history=options.history,
        )
    except BadPolicy as error:
        if error.__cause__:
            print(_where(error.__cause__), end="", file=sys.stderr)
        raise
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


def _where(error: BaseException) -> str:
    """Return the end of the traceback, from where the policy's own code begins; "" if none of it ran."""
    from pokerd.env import evaluation

    told = traceback.TracebackException.from_exception(error)
    others = ("<frozen importlib", importlib.__file__, evaluation.__file__)
    own = [frame for frame in told.stack if not frame.filename.startswith(others)]
    if not own and not isinstance(error, SyntaxError):
        return ""
    told.stack = traceback.StackSummary.from_list(own[-_FRAMES:])
    return "".join(told.format())


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
