"""``pokerd evolve``: evolve push/fold players."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pokerd.options.arguments import declare

if TYPE_CHECKING:
    from strategy.evolution.plan import EvolutionPlan

HELP = "evolve push/fold players by a genetic algorithm"


_STACK = 10.0


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=evolve)
    parser.add_argument(
        "--players", choices=("simple", "complex", "variable"), default="simple", help="(%(default)s)"
    )
    parser.add_argument("--fitness", choices=("matches", "exact"), default="exact", help="(%(default)s)")
    parser.add_argument(
        "--tournament",
        nargs="+",
        metavar="KIND",
        help="round-robin, against R/C (a player who jams R %% and calls C %%), or worst-case (worst-case)",
    )
    parser.add_argument(
        "--stack", type=float, metavar="S", help=f"in big blinds ({_STACK:g}; not for variable players)"
    )
    declare(
        parser,
        ("--population", "players per generation (30; worst-case: 60)", int, None, "N"),
        ("--generations", "maximum number of generations (200; worst-case: 1200)", int, None, "N"),
        ("--elite", "best players that survive (0; against: 1; worst-case: 4)", int, None, "N"),
        ("--cross-rate", "pCross: probability that a cell is exchanged (0.5; not for simple players)",
         float, None, "P"),
        ("--mutation-rate", ("pMut: probability that a cell mutates, or a simple player (0.01; complex: "
                             "0.0005; worst-case: complex 0.002, variable 0.006)"), float, None, "P"),
        ("--patience", "generations without progress before it ends (20; worst-case: 200)", int, None, "N"),
        ("--hands", "maximum hands per match", int, 5000, "N"),
        ("--matches", "matches per pair (1; against: 10)", int, None, "N"),
    )  # fmt: skip
    parser.add_argument(
        "--as-printed",
        action="append",
        choices=("shift", "crossover", "clamp"),
        help="repeat an error of the paper as printed; repeatable (none)",
    )
    declare(
        parser,
        ("--workers", "threads", int, 2, "N"),
        ("--seed", "random seed", int, 0, "N"),
        ("--out", "save the best player there, and its history in FILE.history", Path, None, "FILE"),
        ("--pictures", "draw progress, population and a film there; open DIR/index.html while it runs",
         Path, None, "DIR"),
    )  # fmt: skip


def evolve(options: argparse.Namespace) -> int:
    """Run the command; Ctrl-C and SIGTERM end it and save what was found. Raises PlanError,
    MissingLibrary and OSError.
    """
    from strategy.evolution.run import evolve_into, generation_line

    plan = _plan(options)
    pictures = None
    if options.pictures is not None:
        from studies.harness.evolution_pictures import EvolutionPictures

        pictures = EvolutionPictures(plan, options.pictures)

    def show_generation(now: dict[str, Any]) -> None:
        print(generation_line(now), flush=True)
        if pictures is not None:
            pictures.add(now)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    last, interrupted = evolve_into(options.out, plan, show_generation)
    if last is not None and options.out is not None:
        print(f"saved in {options.out}", file=sys.stderr)
    if pictures is not None:
        pictures.finish()
        print(f"pictures are in {options.pictures}", file=sys.stderr)
    return 130 if interrupted else 0


def _plan(options: argparse.Namespace) -> EvolutionPlan:
    from strategy.evolution.plan import EvolutionPlan, PlanError
    from strategy.evolution.run import parse_tournament

    if options.players == "variable" and options.stack is not None:
        raise PlanError("variable players play stacks of 1 to 10 big blinds: leave out --stack")
    names = (
        *("players", "fitness", "generations", "elite", "cross_rate", "mutation_rate", "patience"),
        *("hands", "matches", "workers", "seed"),
    )
    tournament, opponent = parse_tournament(options.tournament or ["worst-case"])
    return EvolutionPlan(
        tournament=tournament,
        opponent=opponent,
        stack=_STACK if options.stack is None else options.stack,
        size=options.population,
        as_printed=frozenset(options.as_printed or ()),
        **{name: getattr(options, name) for name in names},
    )
