"""``pokerd evolve``: evolve push/fold players."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strategy.evolution.genetic import Generation
    from strategy.evolution.plan import EvolutionPlan
    from studies.harness.evolution_pictures import EvolutionPictures

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
    parser.add_argument(
        "--population", type=int, metavar="N", help="players per generation (30; worst-case: 60)"
    )
    parser.add_argument(
        "--generations", type=int, metavar="N", help="maximum number of generations (200; worst-case: 1200)"
    )
    parser.add_argument(
        "--elite", type=int, metavar="N", help="best players that survive (0; against: 1; worst-case: 4)"
    )
    parser.add_argument(
        "--cross-rate",
        type=float,
        metavar="P",
        help="pCross: probability that a cell is exchanged (0.5; not for simple players)",
    )
    parser.add_argument(
        "--mutation-rate",
        type=float,
        metavar="P",
        help="pMut: probability that a cell mutates, or a simple player (0.01; complex: 0.0005; worst-case: "
        "complex 0.002, variable 0.006)",
    )
    parser.add_argument(
        "--patience",
        type=int,
        metavar="N",
        help="generations without progress before it ends (20; worst-case: 200)",
    )
    parser.add_argument(
        "--hands", type=int, default=5000, metavar="N", help="maximum hands per match (%(default)s)"
    )
    parser.add_argument("--matches", type=int, metavar="N", help="matches per pair (1; against: 10)")
    parser.add_argument(
        "--as-printed",
        action="append",
        choices=("shift", "crossover", "clamp"),
        help="repeat an error of the paper as printed; repeatable (none)",
    )
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="threads (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (%(default)s)")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="save the best player there, and its history in FILE.history"
    )
    parser.add_argument(
        "--pictures",
        type=Path,
        metavar="DIR",
        help="draw progress, population and a film there; open DIR/index.html while it runs",
    )


def evolve(options: argparse.Namespace) -> int:
    """Run the command; Ctrl-C and SIGTERM end it and save what was found. Raises PlanError,
    MissingLibrary and OSError.
    """
    from strategy.evolution.plan import record, run_evolution
    from strategy.pushfold.files import refuse_directory

    plan = _plan(options)
    if options.out is not None:
        refuse_directory(options.out)
    # Keep the files of an earlier evolution until this one has a result.
    part = None if options.out is None else options.out.with_name(f"{options.out.name}.history.part")
    kept = None if part is None else part.open("w", encoding="utf-8")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    pictures = _pictures(plan, options.pictures)
    last = None
    code = 0
    try:
        for generation in run_evolution(plan):
            last = generation
            _tell(plan, generation, kept)
            if pictures is not None:
                pictures.add(record(plan, generation))
    except KeyboardInterrupt:
        code = 130
    finally:
        if kept is not None:
            kept.close()
    if last is not None and part is not None:
        _save(plan, last, options.out)
        part.replace(part.with_suffix(""))
    if pictures is not None:
        pictures.finish()
        print(f"pictures are in {options.pictures}", file=sys.stderr)
    return code


def _pictures(plan: EvolutionPlan, directory: Path | None) -> EvolutionPictures | None:
    if directory is None:
        return None
    from studies.harness.evolution_pictures import EvolutionPictures

    return EvolutionPictures(plan, directory)


def _plan(options: argparse.Namespace) -> EvolutionPlan:
    from strategy.evolution.plan import TOURNAMENTS, EvolutionPlan, PlanError

    kind, *rest = options.tournament or ["worst-case"]
    if kind not in TOURNAMENTS or len(rest) != (kind == "against"):
        raise PlanError("--tournament is round-robin, worst-case, or against R/C, such as against 70/60")
    if options.players == "variable" and options.stack is not None:
        raise PlanError("variable players play stacks of 1 to 10 big blinds: leave out --stack")
    names = (
        *("players", "fitness", "generations", "elite", "cross_rate", "mutation_rate", "patience"),
        *("hands", "matches", "workers", "seed"),
    )
    given: dict[str, Any] = {name: getattr(options, name) for name in names}
    given["size"] = options.population
    opponent = _shares(rest[0]) if rest else None
    given["stack"] = _STACK if options.stack is None else options.stack
    return EvolutionPlan(
        tournament=kind, opponent=opponent, as_printed=frozenset(options.as_printed or ()), **given
    )


def _shares(text: str) -> tuple[float, float]:
    from strategy.evolution.plan import PlanError

    try:
        jam, call = map(float, text.split("/"))
    except ValueError:
        raise PlanError(f"an opponent is two percentages, such as 70/60, not {text[:40]!r}") from None
    return jam, call


def _tell(plan: EvolutionPlan, generation: Generation, kept: Any) -> None:
    from strategy.evolution.plan import history_record

    now = history_record(plan, generation)
    print(
        f"generation {now['generation']:4}   best {now['best_score']:+9.4f}   "
        f"mean {now['mean_score']:+9.4f} bb/100   "
        f"jam {now['jam']:5.2f} %   call {now['call']:5.2f} %",
        flush=True,
    )
    if kept is not None:
        kept.write(json.dumps(now) + "\n")
        kept.flush()


def _save(plan: EvolutionPlan, generation: Generation, out: Path) -> None:
    from strategy.evolution.plan import best_chart
    from strategy.pushfold.files import save_chart

    settings = plan.genetic_settings()
    chosen = {name: getattr(settings, name) for name in ("size", "generations", "elite")}
    made = {**asdict(plan), **chosen, "matches": plan.repeats}
    # The key used in saved charts.
    made["literal"] = sorted(made.pop("as_printed"))
    made["generation"] = generation.number
    save_chart(out, best_chart(plan, generation), {"by": "pokerd evolve", **made})
    print(f"saved in {out}", file=sys.stderr)
