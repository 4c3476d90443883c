"""What Aceituno 2017 says of poker outside its tests: ties, positions, chips and styles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

from dealer.intervals import Interval, mean_interval
from strategy.poker.allin import BOARDS, all_in_table
from strategy.pushfold.ties import tie_table
from studies.aceituno.plan import AceitunoPlan
from studies.harness.report import Row
from studies.harness.verdicts import beyond_row, judge_exact, unjudged_row

_RARE = 0.1
"""A chance that is called low: our bound."""


def statement_rows(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows, in the order of the document."""
    ties = float(tie_table().sum() / (all_in_table().pairs.sum() * BOARDS))
    yield Row(
        "ties",
        "3.1.1",
        "ties are rare: chance that two players with any cards share the pot if neither folds",
        "rare",
        round(ties, 4),
        judge_exact(ties < _RARE),
        f"Below {_RARE:g}, a bound of ours. Over all cards of both and all boards.",
    )
    yield unjudged_row(
        "styles",
        "3.4.3",
        "a conservative style loses few chips and seldom wins great pots; a risky one wins and loses much",
        None,
        "No verdict: it describes two styles and gives no thresholds for them, nor what is great. What "
        "thresholds do to wins: `test-1-losers`, `test-1-configuration`.",
    )
    yield beyond_row(
        "position",
        "4.2.1",
        "the dealer, who speaks last, has the best place: what he wins more than the two who speak before "
        "him and post no blind, five at a table, mbb/hand",
        _lead_of_dealer(plan, done),
        "No verdict: it is said of the game, and this is measured of four bots, the best configuration at "
        "the table of `adaptive2-five`. Beside them sits `adaptive2`, whose numbers were searched against "
        "them; and the weight of P has a bot play worse hands as the dealer. All seatings of a deal have the "
        "same cards at each place, so luck weighs much.",
        0,
    )
    yield unjudged_row(
        "most-chips",
        "4.2.1, S",
        "who has the most chips usually has the advantage",
        None,
        "No verdict: in duplicate matches all hands begin with equal chips, and of tournaments only the "
        "winner is kept. What it gains to heed the own chips more: `test-5-best`.",
    )


def _lead_of_dealer(plan: AceitunoPlan, done: Mapping[str, Any]) -> Interval:
    """Return what the best configuration wins more as dealer than in the two places before, mbb/hand."""
    contest = plan.contests()["five"]
    players = contest.division.players
    won: dict[tuple[int, int], tuple[list[float], list[float]]] = {}
    for session, rows, _ in plan.results("five", done):
        for hand, row in enumerate(rows):
            dealer, earlier = won.setdefault((session.match, hand), ([], []))
            for place in range(2, players):
                seat = (place + hand) % players
                if session.players[seat] != "adaptive2":
                    (dealer if place == players - 1 else earlier).append(1000 * row[seat] / contest.unit)
    return mean_interval([fmean(dealer) - fmean(earlier) for dealer, earlier in won.values()])
