"""The claims of Aceituno 2017 that can be checked without playing, and its contradictions."""

from __future__ import annotations

from collections.abc import Iterator

from studies.aceituno.document import HUMAN, TESTS, TOURNAMENTS, PrintedTest, chi_squared
from studies.harness.report import Row

SIGNIFICANT = 0.05
"""Players whose wins are less likely than this among equals are not equal."""

_ERRATA = (
    (
        "preflop-classes",
        "4.2.1, figure 12",
        "every starting hand is listed once",
        "169 classes",
        "167 classes",
        "J10s is printed as numbers 16 and 47, 32s as 105 and 159; JTo and 32o are missing: 47 and 159.",
    ),
    (
        "bet-and-pot",
        "4.2.1, B",
        "the bet to pay beside the pot",
        ">=",
        "<=",
        "The text before it says never above it: so it is but for short big blinds, as the pot has it in it.",
    ),
    (
        "fold-called-flop",
        "4.2.2, 4.3.4",
        "what is done below the second threshold",
        "Flop",
        "Fold",
        "A slip that runs through both sections; the street of that name is another thing.",
    ),
    (
        "least-raise",
        "4.2.2, case B",
        "the least raise",
        "W + BB >= Z",
        "W >= Z + BB",
        "3.1.4 has it right: the bet before and one big blind.",
    ),
    (
        "least-bet",
        "4.2.2, case B",
        "the least bet to pay, at blinds of 5 and 10",
        10,
        5,
        "The small blind pays 5 to call, and a short all-in may leave less.",
    ),
    (
        "heads-up-blinds",
        "3.1.4",
        "who posts the small blind when two play",
        "left of the dealer",
        "the dealer",
        "The exception is missing: the dealer speaks first before the flop and last after it.",
    ),
    (
        "four-hands",
        "4.3.2, 4.3.3",
        "the flop of the second of the four hands",
        "Raise and Call",
        "Raise",
        "The two tables differ; the sum of -50 is the same.",
    ),
    (
        "fold-results",
        "4.3.4, 4.3.2",
        "results of hands that were folded",
        "always below 0",
        "0 or below",
        "Who folds before the flop without a blind loses nothing: so does the third of his four hands.",
    ),
    ("hundred-hands", "4.3.4", "the example adds up 100 hands", 100, 85, "10 folds, 70 calls, 5 raises."),
    (
        "mu-by-street",
        "4.3.4, 6.2",
        "different mu that a player has for the four streets in the tests",
        4,
        1,
        "It is announced and never done: the tables have one mu for each player.",
    ),
    (
        "references",
        "3.1.4, 4.1, 4.2",
        "figures with the number 9",
        1,
        2,
        "The ranking of hands and the table. 4.2 means figure 10, and 4.2.2 cites 4.2.1 as section 2.3.",
    ),
)
"""Id, section, claim, the document's value, the right one, and why."""


def document_rows() -> Iterator[Row]:
    """Yield the rows of all errata."""
    yield Row(
        "preflop-table",
        "4.2.1, figure 12",
        "V of the 169 starting hands",
        "169 values",
        "169 values",
        "reproduced",
        "V = (168 - n) / 168 for number n, but 1 for the first and 0 for the last; all to four digits.",
    )
    for name, section, claim, paper, right, note in _ERRATA:
        yield Row(name, section, claim, paper, right, "document in error", note)
    tables = [(one.wins, one.balance, TOURNAMENTS) for test in TESTS.values() for one in test.outcomes]
    tables += [(wins, balance, 10) for wins, balance in zip(*HUMAN, strict=True)]
    holding = sum(balance == 5 * wins - played for wins, balance, played in tables)
    yield Row(
        "identity",
        "6.2, 6.3",
        "balance in thousands = 5 x wins - tournaments, row by row",
        len(tables),
        holding,
        "reproduced" if holding == len(tables) else "document in error",
        "A winner gains 4,000 chips, a loser pays 1,000.",
    )
    for number, test in TESTS.items():
        yield _significance(number, test)


def _significance(number: int, test: PrintedTest) -> Row:
    chance = chi_squared(tuple(one.wins for one in test.outcomes))
    fixed = test.players[0].learn_every == 0
    return Row(
        f"test-{number}-significance",
        test.section,
        f"400 tournaments show that player {test.best + 1} is the best"
        if fixed
        else "400 tournaments show that some win more than others",
        "best" if fixed else "more",
        f"p = {chance:.2g}",
        "reproduced" if chance < SIGNIFICANT else "document in error",
        "The chance that five equal players win so unevenly (chi-squared)"
        + (": too large to name a best." if chance >= SIGNIFICANT else "."),
    )
