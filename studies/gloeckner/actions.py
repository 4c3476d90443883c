"""The claims about how often the bots fold, call and raise: tables 7 to 10 and appendix B."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealer.intervals import MIN_UNITS, Interval, ratio_interval
from strategy.mapping_bots.bias import REFERENCE, preflop_tables
from strategy.poker.preflop import HAND_CLASSES, class_combinations
from studies.gloeckner.comparisons import undecided_note
from studies.gloeckner.document import ACTIVE, STREETS, TRIPLES
from studies.gloeckner.jobs import KINDS
from studies.gloeckner.plan import COUNTED, MAPPED, Array, GloecknerResults, line_up_name
from studies.harness.report import Row
from studies.harness.verdicts import claim_row, jackknife, judge_claim, judged_row, unjudged_row

_TABLES = {"hbb2": 8, "hbb3": 9, "hbb4": 10}
CLOSE = 0.1
"""What matters of shares."""

_ANSWERED = "Ours have an answer everywhere; we infer that the document's passed over histories without one."


def action_rows(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield from _three_trained(triples(done, "hbb6"))
    for bot in MAPPED:
        counts = triples(done, bot)
        yield from _cells(bot, counts, times_printed(done, bot))
    for bot in COUNTED:
        yield _folds(bot, triples(done, bot), times_printed(done, bot))
    for bot in MAPPED:
        yield _clear(bot, triples(done, bot), times_printed(done, bot))
    for bot in COUNTED:
        yield _appendix(bot, _classes(done, bot), 0)
    for bot in MAPPED:
        yield _appendix(bot, _classes(done, bot), 2)


def triples(done: GloecknerResults, bot: str) -> NDArray[np.int64]:
    """Return the actions of a bot against akuma and ownbot: int64[blocks, active 2 or 3, street, kind]."""
    return done.summed(line_up_name((bot, "akuma", "ownbot")), "actions")


def times_printed(done: GloecknerResults, bot: str) -> int:
    """Return how many times as many hands these are as the document's."""
    return done.plan.contests[line_up_name((bot, "akuma", "ownbot"))].division.matches


def class_table(done: GloecknerResults, bot: str) -> Array:
    """Return how often a bot folds, calls and raises with each of ``HAND_CLASSES``, float64[169, 3] (appendix
    B); NaN for classes that were not dealt.
    """
    return parts(_classes(done, bot).sum(axis=0))


def _classes(done: GloecknerResults, bot: str) -> NDArray[np.int64]:
    return done.summed(line_up_name((bot, "akuma", "ownbot")), "classes")


def parts(counts: NDArray[np.int64]) -> Array:
    """Return the share of each kind (last axis); NaN if there was no decision."""
    sums = counts.sum(axis=-1, keepdims=True)
    table: Array = np.divide(counts, sums, out=np.full(counts.shape, np.nan), where=sums > 0)
    return table


def part_of(row: NDArray[np.int64], kind: int) -> Interval:
    """Return the share of this kind among the decisions int64[blocks, kind]; unknown if there are none."""
    if not row.sum():
        return Interval(0.0, None, 0)
    return ratio_interval(row[:, kind].tolist(), row.sum(axis=1).tolist()).interval()


def _three_trained(counts: NDArray[np.int64]) -> Iterator[Row]:
    """Yield table 7, beside our own player trained with three players."""
    for active in ACTIVE:
        for street, paper in enumerate(TRIPLES[REFERENCE][active]):
            row = counts[:, active - 2, street]
            yield Row(
                f"table-7-{active}-{STREETS[street]}",
                "table 7, our measurement",
                f"hyperborean, and here hbb6, folds, calls, raises: {active} active, {STREETS[street]}",
                _triple_text(paper),
                _triple_text(_shares(row)),
                "beyond",
                f"{row.sum():,} decisions of hbb6.",
            )


def _shares(row: NDArray[np.int64]) -> tuple[float, ...]:
    return tuple((row.sum(axis=0) / max(1, row.sum())).tolist())


def _triple_text(triple: tuple[float, ...]) -> str:
    return " ".join(f"{one:.3f}" for one in triple)


def _cells(bot: str, counts: NDArray[np.int64], times: int) -> Iterator[Row]:
    """Yield tables 8 to 10, first lines."""
    for active in ACTIVE:
        for street, paper in enumerate(TRIPLES[bot][active]):
            row = counts[:, active - 2, street]
            yield distance_row(
                f"table-{_TABLES[bot]}-{active}-{STREETS[street]}",
                f"table {_TABLES[bot]}",
                f"how far {bot}'s folds, calls and raises are from the document's, of 1: {active} active, "
                f"{STREETS[street]}",
                shares_distance(row, paper, times),
                times,
                f"Document {_triple_text(paper)}, here {_triple_text(_shares(row))} in {row.sum():,} "
                f"decisions. Within a tenth. {_ANSWERED}",
            )


def distance_row(key: str, source: str, claim: str, away: Interval, times: float, note: str) -> Row:
    """Return the row of a ``shares_distance``: it is close. However much we play, the document's part of its
    noise stays.
    """
    row = claim_row(key, source, claim, away, (-inf, CLOSE), note, 3)
    if row.verdict != "undecided" or away.units < MIN_UNITS:
        return row
    own = (away.half or 0.0) ** 2 / (1 + times)
    left = (away.mean - CLOSE) ** 2 - times * own
    return replace(row, needed=ceil(away.units * own / left) if left > 0 else None)


def shares_distance(row: NDArray[Any], paper: Sequence[float] | Array, times: float = 1.0) -> Interval:
    """Return how far the shares of all kinds, of counts [blocks, kind], are from the document's: the part of
    the decisions that differs (total variation). The document's noise, which is in the interval, is taken to
    be ours with as many counts; we have ``times`` as many.
    """
    seen = row[row.sum(axis=1) > 0]
    if len(seen) < 2:
        return Interval(0.0, None, len(seen))
    away = jackknife(seen, lambda total: float(np.abs(parts(total) - paper).sum() / 2))
    return away._replace(half=(away.half or 0.0) * sqrt(1 + times))


def _folds(bot: str, counts: NDArray[np.int64], times: int) -> Row:
    """Return the folds before the flop with three active, the one large difference to hyperborean."""
    reference = TRIPLES[REFERENCE][3][0][0]
    part = part_of(counts[:, 1, 0], 0)
    folds = part._replace(mean=part.mean - reference)
    claim = f"how much more often than hyperborean {bot} folds before the flop with three active"
    if bot not in TRIPLES:
        note = f"Trained for three, hbb6 has no bias. {undecided_note(folds)}".strip()
        return unjudged_row(f"folds-{bot}", "our measurement", claim, folds, note, 3)
    paper = round(TRIPLES[bot][3][0][0] - reference, 3)
    noise = (folds.half or 0.0) * sqrt(times)
    return claim_row(f"folds-{bot}", "5.3", claim, folds, (-inf, 0), digits=3, paper=paper, noise=noise)


def _clear(bot: str, counts: NDArray[np.int64], times: int) -> Row:
    """Return how much the difference to hyperborean is larger before the flop with three active than it is
    anywhere else.
    """
    reference = np.array([TRIPLES[REFERENCE][active] for active in ACTIVE])

    def lead(total: NDArray[Any]) -> float:
        largest = np.abs(total - reference).max(axis=2)
        return float(largest[1, 0] - np.delete(largest.ravel(), len(STREETS)).max())

    # Without any block, there must be decisions everywhere.
    known = (counts.sum(axis=0) - counts).sum(axis=-1).all()
    here = jackknife(counts, lambda total: lead(parts(total))) if known else Interval(0.0, None, 0)
    return claim_row(
        f"clear-{bot}",
        "5.3",
        f"{bot} differs most from hyperborean with three active before the flop: how much more than anywhere "
        "else, by the largest difference of one chance",
        here,
        (0, inf),
        f"That it differs there alone does not follow from its tables (`table-7-difference`). {_ANSWERED}",
        3,
        paper=round(lead(np.array([TRIPLES[bot][active] for active in ACTIVE])), 3),
        noise=(here.half or 0.0) * sqrt(times),
    )


def _appendix(bot: str, classes: NDArray[np.int64], kind: int) -> Row:
    """Return the folds or raises of appendix B."""
    tables = preflop_tables()
    other = bot if bot in tables else REFERENCE
    paper = np.array([tables[other][name] for name in HAND_CLASSES])
    away = jackknife(classes, partial(_distance, paper, kind))
    never = _distance(paper, kind, np.ones_like(classes[0]) * [kind != 0, 0, kind == 0])
    known = int(((classes.sum(axis=(0, 2)) > 0) & (paper.sum(axis=1) > 0)).sum())
    action = KINDS[kind]
    claim = f"how far the {action}s of {bot} before the flop are from those of the document's {other}"
    note = (
        f"Mean difference over the {known} classes that both were dealt, each counted by its combinations; "
        f"what our noise adds is taken off. Who never {action}s is {never:.2f} away."
    )
    row = f"appendix-b-{bot}" + ("" if kind == 0 else f"-{action}s")
    if bot not in tables:
        return unjudged_row(row, "our measurement", claim, away, note, 3)
    margin = min(CLOSE, never / 3)
    note += f" Within {margin:.3f}: a tenth, or a third of that if it is less. {_ANSWERED}"
    return judged_row(row, "appendix B", claim, None, away, judge_claim(away, high=margin), note, 4)


def _distance(paper: Array, kind: int, counts: NDArray[np.int64]) -> float:
    weights = np.array([class_combinations(name) for name in HAND_CLASSES], float)
    here = parts(counts)[:, kind]
    known = ~np.isnan(here) & (paper.sum(axis=1) > 0)
    away = np.abs(here[known] - paper[known, kind])
    return float((away * weights[known]).sum() / weights[known].sum()) if known.any() else 1.0
