"""The claims about how often the bots fold, call and raise: tables 7 to 10 and appendix B."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dealer.intervals import Interval, ratio_interval
from strategy.mapping_bots.bias import REFERENCE, preflop_tables
from strategy.poker.preflop import HAND_CLASSES, class_combinations
from studies.gloeckner.comparisons import (
    UNDECIDED,
    is_decided,
    jackknife,
    undecided_note,
    verdict_of,
    verdict_within,
)
from studies.gloeckner.document import ACTIVE, DIFFERENCES, STREETS, TRIPLES
from studies.gloeckner.jobs import KINDS
from studies.gloeckner.plan import COUNTED, MAPPED, Array, GloecknerResults, line_up_name
from studies.harness.report import Row, Verdict, interval_row

_TABLES = {"hbb2": 8, "hbb3": 9, "hbb4": 10}
_CLOSE = 0.1
_ROUNDING = 0.0021
# Three figures, each truncated after three decimals.


def action_rows(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield from _three_trained(triples(done, "hbb6"))
    for bot in MAPPED:
        counts = triples(done, bot)
        yield from _cells(bot, counts)
        yield signs(bot, counts)
    for bot in COUNTED:
        yield _folds(bot, triples(done, bot))
    for bot in COUNTED:
        yield _appendix(bot, _classes(done, bot))


def triples(done: GloecknerResults, bot: str) -> NDArray[np.int64]:
    """Return the actions of a bot against akuma and ownbot: int64[blocks, active 2 or 3, street, kind]."""
    return _summed(done, bot, "actions")


def class_table(done: GloecknerResults, bot: str) -> Array:
    """Return how often a bot folds, calls and raises with each of ``HAND_CLASSES``, float64[169, 3] (appendix
    B); NaN for classes that were not dealt.
    """
    return parts(_classes(done, bot).sum(axis=0))


def _classes(done: GloecknerResults, bot: str) -> NDArray[np.int64]:
    return _summed(done, bot, "classes")


def _summed(done: GloecknerResults, bot: str, key: str) -> NDArray[np.int64]:
    found: NDArray[np.int64] = np.sum(
        [one[key] for one in done.sessions(line_up_name((bot, "akuma", "ownbot")))], axis=0, dtype=np.int64
    )
    return found


def parts(counts: NDArray[np.int64]) -> Array:
    """Return the share of each kind (last axis); NaN if there was no decision."""
    sums = counts.sum(axis=-1, keepdims=True)
    table: Array = np.divide(counts, sums, out=np.full(counts.shape, np.nan), where=sums > 0)
    return table


def _part(row: NDArray[np.int64], kind: int) -> Interval:
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
                _said(paper),
                _said(_shares(row)),
                "beyond",
                f"{row.sum():,} decisions of hbb6.",
            )


def _shares(row: NDArray[np.int64]) -> tuple[float, ...]:
    return tuple((row.sum(axis=0) / max(1, row.sum())).tolist())


def _said(triple: tuple[float, ...]) -> str:
    return " ".join(f"{one:.3f}" for one in triple)


def _cells(bot: str, counts: NDArray[np.int64]) -> Iterator[Row]:
    """Yield tables 8 to 10, first lines."""
    for active in ACTIVE:
        for street, paper in enumerate(TRIPLES[bot][active]):
            row = counts[:, active - 2, street]
            verdict, note = cell(row, paper)
            yield Row(
                f"table-{_TABLES[bot]}-{active}-{STREETS[street]}",
                f"table {_TABLES[bot]}",
                f"{bot} folds, calls, raises: {active} active, {STREETS[street]}",
                _said(paper),
                _said(_shares(row)),
                verdict,
                f"{row.sum():,} decisions. Reproduced if surely no part differs by more than a tenth. "
                f"{note}".strip(),
            )


def cell(row: NDArray[np.int64], paper: tuple[float, ...]) -> tuple[Verdict, str]:
    """Return whether the shares of int64[blocks, kind] decisions are close to the document's."""
    found = [verdict_within(_part(row, kind), one - _CLOSE, one + _CLOSE) for kind, one in enumerate(paper)]
    if all(verdict == "reproduced" for verdict, _ in found):
        return "reproduced", ""
    return "not reproduced", "" if ("not reproduced", "") in found else UNDECIDED


def signs(bot: str, counts: NDArray[np.int64]) -> Row:
    """Return tables 8 to 10, second lines: differences to hyperborean."""
    found: dict[str, list[str]] = {"": [], "The other way round": [], "Undecided here": []}
    for active, street, kind in product(ACTIVE, range(len(STREETS)), range(len(KINDS))):
        paper = DIFFERENCES[bot][active][street][kind]
        if abs(paper) > _ROUNDING:
            part = _part(counts[:, active - 2, street], kind)
            here = part._replace(mean=TRIPLES[REFERENCE][active][street][kind] - part.mean)
            alike = "" if (here.mean > 0) == (paper > 0) else "The other way round"
            found[alike if is_decided(here) else "Undecided here"].append(
                f"{KINDS[kind]}s, {active} active, {STREETS[street]}"
            )
    told = [f"{label}: {'; '.join(cells)}." for label, cells in found.items() if label and cells]
    return Row(
        f"table-{_TABLES[bot]}-differences",
        f"table {_TABLES[bot]}",
        f"differences of {bot} to hyperborean that have the same sign here, clear of zero",
        sum(map(len, found.values())),
        len(found[""]),
        verdict_of(not told),
        " ".join(["Those that the document has beyond its rounding.", *told]),
    )


def _folds(bot: str, counts: NDArray[np.int64]) -> Row:
    """Return the folds before the flop with three active, the one large difference to hyperborean."""
    reference = TRIPLES[REFERENCE][3][0][0]
    part = _part(counts[:, 1, 0], 0)
    folds = part._replace(mean=part.mean - reference)
    mapped = bot in TRIPLES
    return interval_row(
        f"folds-{bot}",
        "5.3" if mapped else "our measurement",
        f"{bot} folds before the flop with three active, beyond hyperborean",
        round(TRIPLES[bot][3][0][0] - reference, 3) if mapped else None,
        folds,
        verdict_of(is_decided(folds) and folds.mean < 0) if mapped else "beyond",
        undecided_note(folds)
        if mapped
        else f"Trained for three, hbb6 has no bias. {undecided_note(folds)}".strip(),
        3,
    )


def _appendix(bot: str, classes: NDArray[np.int64]) -> Row:
    """Return appendix B."""
    tables = preflop_tables()
    other = bot if bot in tables else REFERENCE
    paper = np.array([tables[other][name] for name in HAND_CLASSES])
    away = jackknife(classes, partial(_fold_distance, paper))
    verdict, note = verdict_within(away, -1, _CLOSE)
    known = int((classes.sum(axis=(0, 2)) > 0).sum())
    return interval_row(
        f"appendix-b-{bot}",
        "appendix B" if bot in tables else "our measurement",
        f"how far the folds of {bot} before the flop are from those of the document's {other}",
        None,
        away,
        verdict if bot in tables else "beyond",
        f"Mean difference over the {known} classes that were dealt, each counted by its combinations; what "
        "our noise adds is taken off."
        + (f" Reproduced if surely below a tenth. {note}".rstrip() if bot in tables else ""),
        3,
    )


def _fold_distance(paper: Array, counts: NDArray[np.int64]) -> float:
    weights = np.array([class_combinations(name) for name in HAND_CLASSES], float)
    here = parts(counts)[:, 0]
    known = ~np.isnan(here) & (paper.sum(axis=1) > 0)
    away = np.abs(here[known] - paper[known, 0])
    return float((away * weights[known]).sum() / weights[known].sum()) if known.any() else 1.0
