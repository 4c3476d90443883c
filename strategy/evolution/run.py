"""An evolution that is watched, can be interrupted, and is saved with its history."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from strategy.evolution.genetic import Generation
from strategy.evolution.plan import (
    TOURNAMENTS,
    EvolutionPlan,
    PlanError,
    best_chart,
    history_record,
    record,
    run_evolution,
)
from strategy.pushfold.files import refuse_directory, save_chart


def parse_tournament(words: Sequence[str]) -> tuple[str, tuple[float, float] | None]:
    """Return the tournament of words such as ``against 70/60``, and its opponent. Raises PlanError."""
    kind, *rest = words
    if kind not in TOURNAMENTS or len(rest) != (kind == "against"):
        raise PlanError("a tournament is round-robin, worst-case, or against R/C, such as against 70/60")
    if not rest:
        return kind, None
    try:
        jam, call = map(float, rest[0].split("/"))
    except ValueError:
        raise PlanError(f"an opponent is two percentages, such as 70/60, not {rest[0][:40]!r}") from None
    return kind, (jam, call)


def evolve_into(
    out: Path | None, plan: EvolutionPlan, on_generation: Callable[[dict[str, Any]], None]
) -> tuple[Generation | None, bool]:
    """Evolve a plan and pass on the ``record`` of each generation. Return the last one, and whether an
    interrupt ended the evolution. Either way the best player is saved in ``out``, and the history of the
    evolution beside it. Raises OSError.
    """
    if out is not None:
        refuse_directory(out)
    # Keep the files of an earlier evolution until this one has a result.
    part = None if out is None else out.with_name(f"{out.name}.history.part")
    last = None
    interrupted = False
    with nullcontext() if part is None else part.open("w", encoding="utf-8") as history:
        try:
            for last in run_evolution(plan):
                on_generation(record(plan, last))
                if history is not None:
                    history.write(json.dumps(history_record(plan, last)) + "\n")
                    history.flush()
        except KeyboardInterrupt:
            interrupted = True
    if out is not None and part is not None and last is not None:
        _save(plan, last, out)
        part.replace(part.with_suffix(""))
    return last, interrupted


def _save(plan: EvolutionPlan, generation: Generation, out: Path) -> None:
    settings = plan.genetic_settings()
    chosen = {name: getattr(settings, name) for name in ("size", "generations", "elite")}
    made = {**asdict(plan), **chosen, "matches": plan.repeats}
    # The key used in saved charts.
    made["literal"] = sorted(made.pop("as_printed"))
    made["generation"] = generation.number
    save_chart(out, best_chart(plan, generation), {"by": "pokerd evolve", **made})


def generation_line(now: dict[str, Any]) -> str:
    """Return the ``record`` of a generation as text."""
    return (
        f"generation {now['generation']:4}   best {now['best_score']:+9.4f}   "
        f"mean {now['mean_score']:+9.4f} bb/100   "
        f"jam {now['jam']:5.2f} %   call {now['call']:5.2f} %"
    )
