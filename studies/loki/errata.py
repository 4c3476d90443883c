"""Where the document, a French summary of Peña 1999, is in error."""

from __future__ import annotations

from collections.abc import Iterator

from strategy.loki.triples import EXAMPLE, BadTriple, choose, make_triple
from studies.harness.report import Row
from studies.harness.verdicts import exact_row

_THIRD_ROW = (0.5, 0.4, 0.0)
# Of formula 1, as printed.


def errata_rows() -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield _read(
        "reweighting",
        "3.1",
        "when the table of weights of an opponent changes",
        "if all have only checked or called",
        "after each action",
        "Two sentences have run together. The next one, 3.3 and the thesis (3.3.1) change the table after "
        "each action.",
    )
    try:
        make_triple(_THIRD_ROW)
        refused = False
    except BadTriple:
        refused = True
    yield Row(
        "triple-sum",
        "summary, formula 1",
        "f + c + r = 1 in each row of the example",
        1.0,
        sum(_THIRD_ROW),
        "document in error" if refused else "reproduced",
        "The third row, (.50, .40, 0), sums to .9.",
    )
    yield _number()
    yield _read(
        "trials",
        "5.1",
        "how often a trial is played with a check or call, and with a bet or raise",
        "at least twice, and once",
        "once, and once",
        "In the thesis (5.1) each trial is played exactly twice, once for either.",
    )
    yield _read(
        "fold",
        "5.1",
        "what a fold counts as in a simulation",
        "0 % of chances",
        "0 small bets",
        "In the thesis (5.1) it has an expected value of zero: nothing more is won or lost. Were chances "
        "compared, 0 % would be the least, and nobody would ever fold.",
    )


def _number() -> Row:
    """Return what a random number below a tenth draws from each row of the example, in thousandths."""
    drawn = [{choose(row, number / 1000) for number in range(100)} for row in EXAMPLE]
    first, second, third = (" or ".join(sorted(kinds)) for kinds in drawn)
    return exact_row(
        "number",
        "summary, 4.2.1",
        "a random number from 0 to 0.1 draws the action: rows of the example with more than one",
        len(EXAMPLE),
        sum(len(kinds) > 1 for kinds in drawn),
        f"With every thousandth below .1 the first row says {first}, the second {second}, the third {third}: "
        "nothing is drawn, yet the section calls this play harder to predict. It takes numbers up to 1.",
        otherwise="document in error",
    )


def _read(row: str, section: str, claim: str, paper: str, right: str, note: str) -> Row:
    """Return the row of an error that reading tells."""
    return exact_row(row, f"summary, {section}", claim, paper, right, note, otherwise="document in error")
