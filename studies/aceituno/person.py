"""The claims of Aceituno 2017 about strategies that must fail (3.2), and about the person who won (6.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb
from typing import Any

import numpy as np

from dealer.intervals import Interval
from studies.aceituno.beyond import unjudged_part
from studies.aceituno.document import EQUAL, HUMAN
from studies.aceituno.jobs import READABLE
from studies.aceituno.plan import SIMPLE, AceitunoPlan, share
from studies.harness.report import Row
from studies.harness.verdicts import beyond_row, claim_of_part, clip, jackknife, source_noise

_HIS = HUMAN[0][4] / sum(HUMAN[0])
"""Part of the tournaments that the document's person won."""


def person_rows(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows, in the order of the document."""
    for rows in (_simple, _bluffed, _person, _person_watched):
        yield from rows(plan, done)


def _simple(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows of the strategies whose failure 3.2 calls certain."""
    descriptions = {
        "all-in": "always goes all-in",
        "call": "always calls",
        "bluff": "always bluffs (here: bets the pot with any cards)",
    }
    for name in SIMPLE:
        yield claim_of_part(
            f"always-{name}",
            "3.2",
            f"who {descriptions[name]} fails in the long run",
            "fails",
            share(plan.winners(f"simple/{name}", plan.sizes.test_chunks, done), 4),
            EQUAL,
            "Part of the tournaments won beside four of the best bots: less than an equal share, our bound. "
            "3.2 calls the failure guaranteed (garantizado).",
            above=False,
            most=1,
        )


def _bluffed(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows of who plays conservatively and meets one who bluffs."""
    for name, gives_up, note in (
        (
            "shy-bluff",
            "folds to more than that",
            "it could hardly be otherwise: to all-ins, its only bets, the other folds, unless they are small",
        ),
        (
            "bluff",
            "folds to nothing",
            "who always bluffs, 3.2 itself says, fails (`always-bluff`), so this is not who can bluff",
        ),
    ):
        yield unjudged_part(
            f"conservative-{name}",
            "3.2",
            "a conservative player loses to one who can bluff, heads-up: part of the tournaments won by the "
            f"program of `person` against one who bets the pot with any cards, and {gives_up}",
            "loses",
            share(plan.winners(f"patient-{name}", plan.sizes.test_chunks, done), 0),
            f"No verdict: {note}.",
            most=1,
        )


def _person(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    part = share(plan.winners("patient", plan.sizes.test_chunks, done), 4)
    within = (part.low or 0) <= _HIS <= (part.high or 1)
    chance = sum(comb(10, wins) * EQUAL**wins * (1 - EQUAL) ** (10 - wins) for wins in range(6, 11))
    yield claim_of_part(
        "person",
        "6.3",
        "whoever waits for good cards and then bets much beats four of the best bots",
        _HIS,
        part,
        EQUAL,
        f"Above an equal share, {EQUAL:g}. The {_HIS:g} itself is {'' if within else 'not '}in our interval. "
        f"His person won 6 of 10, which an equal player does with a chance of {chance:.3f}; the bots won one "
        "each; 6 of 10 has a 95 % interval of 0.26 to 0.88. In the chair sits a program that goes all-in "
        "with V of 0.9 or more (6 % of hands), or two pair, and gives up all others. No result of people is "
        "used; servers keep those of people who agree, and show them at `/people` (docs/people.md).",
        most=1,
        noise=source_noise(part, 10),
    )


def _person_watched(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows on what the document says of the bots that the person met."""

    def part(counts: Sequence[Sequence[int]], of: int, all_of: int) -> Interval:
        return jackknife(np.array(counts, float), lambda total: float(total[of] / max(1, total[all_of])))

    all_ins, raises = plan.watched("all_ins", done), plan.watched("raises", done)
    total = [sum(counts) for counts in zip(*all_ins, strict=True)]
    share_paid = total[4] / max(1, total[3])
    for name, claim, paper, interval, note in (
        (
            "paid",
            "part of the person's great raises that some bot pays",
            "often",
            part(all_ins, 1, 0),
            f"More than half of the program's {total[0]:,} all-ins. A bot pays {share_paid:.0%} of them.",
        ),
        (
            "paid-lost",
            "part of the paid ones that win the person chips",
            "normally",
            part(all_ins, 2, 1),
            "The bots have then lost: more than half. A split pot is no loss.",
        ),
    ):
        yield claim_of_part(f"person-{name}", "6.3, 7", claim, paper, interval, 0.5, note, most=1)
    yield clip(
        beyond_row(
            "person-predictable",
            "6.3, 7",
            "the bots are very predictable: part of their raises that tell their cards",
            part(raises, 1, 0),
            "Who knows the formulas and the settings computes V from the size of a raise. It tells the "
            f"cards if that V is off by no more than {READABLE:g}, half the width of a category. That sizes "
            "grow evenly is our reading, though 7, too, calls them proportional: so nothing is judged.",
        ),
        1,
    )
