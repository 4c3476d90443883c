"""The study ``ladder``: are the ratings true, and how many hands do they take? ``field`` has the players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from dealer.intervals import Interval, mean_interval
from studies.harness.report import Figure as Picture
from studies.harness.report import Row, StudyReport
from studies.harness.runner import Study
from studies.harness.verdicts import claim_row
from studies.harness.work import Unit
from studies.ladder.simulate import (
    DEAL_SETS,
    PLANTED,
    RIVALS,
    TAU,
    best_allocation,
    calibration,
    circles,
    hands_by_ratings,
    hands_by_rivals,
    hands_by_schedule,
    predicted_deal_sets,
    same_twice,
    sequential_tests,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

_TITLE = "The ladder: ratings of players whose values are known exactly"
_SOURCE = "docs/ladder.md"
#: Sizes: ladders, tests and courses, in full and in a quick run.
_LADDERS, _TWICE, _CIRCLES = (1000, 2), (100, 1), (100, 1)
_TESTS, _POWER, _COURSES = (10_000, 2), (2000, 1), (20, 1)
#: How many of them make a unit.
_LADDERS_TOGETHER, _TESTS_TOGETHER = 10, 100
#: The most matches of a course: rivals get five times as many as the ratings need.
_MOST = (150_000, 1000)
#: The deviation of a deal set of a typical pair, for the best allocation (mbb/hand).
_DEVIATION = 680.0
_COLOURS = ("#1f4e79", "#c55a11", "#548235", "#7f6000", "#7030a0", "#808080")


def _chunks(name: str, function: Any, count: int, together: int, *arguments: Any) -> Iterator[Unit]:
    for begin in range(0, count, together):
        numbers = range(begin, min(count, begin + together))
        yield Unit(f"{name}/{begin}", function, (*arguments, tuple(numbers)), len(numbers))


def _units(quick: bool, seed: int) -> list[Unit]:
    most = _MOST[quick]
    units = [
        *_chunks("calibration", calibration, _LADDERS[quick], _LADDERS_TOGETHER, seed),
        *_chunks("twice", same_twice, _TWICE[quick], _LADDERS_TOGETHER, seed),
        *_chunks("circles", circles, _CIRCLES[quick], _LADDERS_TOGETHER, seed, PLANTED),
        *_chunks("no-circles", circles, _CIRCLES[quick], _LADDERS_TOGETHER, seed, 0.0),
        *_chunks("equal", sequential_tests, _TESTS[quick], _TESTS_TOGETHER, seed, "equal", 0.0),
        *_chunks("better", sequential_tests, _POWER[quick], _TESTS_TOGETHER, seed, "better", 20.0),
    ]
    for number in range(_COURSES[quick]):
        units += [
            Unit(f"ratings/{number}", hands_by_ratings, (seed, number, most), 60),
            Unit(f"rivals/{number}", hands_by_rivals, (seed, number, most), 200),
            Unit(f"schedule/{number}", hands_by_schedule, (seed, number, most), 200),
        ]
    return [
        *units,
        Unit("predicted", predicted_deal_sets, (20.0,)),
        Unit("best", best_allocation, (_DEVIATION,)),
    ]


def _values(done: Mapping[str, Any], name: str) -> list[Any]:
    return [value for values in _courses(done, name) for value in values]


def _courses(done: Mapping[str, Any], name: str) -> list[Any]:
    return [found for key, found in done.items() if key.rpartition("/")[0] == name]


def _hands(course: Mapping[str, Sequence[float]]) -> float:
    """Return the hands until ``TAU`` was reached, or the hands played if it was not."""
    return course["hands"][-1]


def _rows(done: Mapping[str, Any]) -> Iterator[Row]:
    ladders = _values(done, "calibration")
    yield _row(
        "covered",
        "of 100 intervals of ratings contain the true value",
        95.0,
        mean_interval([100 * one["covered"] for one in ladders]),
        (93.0, 97.0),
        note="One ladder is one unit.",
    )
    yield _row(
        "ranks",
        "of 100 ladders, all sixty rank intervals hold at once in",
        95.0,
        mean_interval([100 * one["joint"] for one in ladders]),
        (95.0, 100.0),
        note=f"An interval has {sum(one['ranks'] for one in ladders) / len(ladders):.1f} ranks on average.",
    )
    twice = _values(done, "twice")
    yield _row(
        "twice",
        "of 100 bots that were pushed twice agree with themselves",
        95.0,
        mean_interval([100 * one for one in twice]),
        (93.0, 100.0),
    )
    for name, level, what, bounds in (
        ("circles", 0.01, "of 100 planted circles of 100 mbb/hand are reported with p < .01", (99.0, 100.0)),
        ("no-circles", 0.05, "of 100 fields without circles are reported with p < .05", (0.0, 10.0)),
    ):
        found = mean_interval([100.0 * (p < level) for p in _values(done, name)])
        yield _row(name, what, None, found, bounds)
    equal = mean_interval([100 * better for better, _ in _values(done, "equal")])
    yield _row("equal", "of 100 tests of equal players end in 'better'", 5.0, equal, (0.0, 5.0))
    better = _values(done, "better")
    yield _row(
        "power",
        "of 100 tests of a player that is 20 mbb/hand better end in 'better'",
        95.0,
        mean_interval([100 * found for found, _ in better]),
        (95.0, 100.0),
    )
    predicted = done["predicted"]
    yield _row(
        "length",
        "such a test takes these deal sets, of 100 that are predicted",
        100.0,
        mean_interval([100 * count / predicted for _, count in better]),
        (90.0, 110.0),
        note=f"{predicted:,.0f} deal sets are predicted.",
    )
    ours = [_hands(course) for course in _courses(done, "ratings")]
    rivals = _courses(done, "rivals")
    for name in RIVALS:
        ratios = [_hands(course[name]) / mine for course, mine in zip(rivals, ours, strict=True)]
        reached = sum(course[name]["tau"][-1] >= TAU for course in rivals)
        note = f"Reached in {reached} of {len(rivals)} ladders; in the others the hands played are counted."
        yield _row(
            f"thrift-{name.split(',')[0].lower()}",
            f"times as many hands until tau {TAU:g} with {name} as with the ratings, same cards",
            5.0,
            mean_interval(ratios),
            (5.0, float("inf")),
            note=note,
        )
    chosen = [_hands(course) for course in _courses(done, "schedule")]
    uniform, best = done["best"]
    yield _row(
        "schedule",
        f"times fewer hands until tau {TAU:g} with the schedule than with a round robin",
        3.0,
        mean_interval([mine / other for mine, other in zip(ours, chosen, strict=True)]),
        (3.0, float("inf")),
        note=(
            f"Whoever knows the truth beforehand needs {uniform / best:.2f} times fewer in this field:"
            " ratings are means over all opponents, and tau counts all pairs alike."
        ),
    )


def _row(
    name: str,
    claim: str,
    paper: float | None,
    interval: Interval,
    bounds: tuple[float, float],
    note: str = "",
) -> Row:
    return claim_row(name, _SOURCE, claim, interval, bounds, note, 2, paper=paper)


def _report(quick: bool, seed: int, done: Mapping[str, Any]) -> StudyReport:
    return StudyReport(
        study="ladder",
        title=_TITLE,
        quick=quick,
        settings={"seed": seed, "players": 60, "stack": 10, "deal sets of a match": DEAL_SETS},
        method=[" ".join(paragraph.split()) for paragraph in _METHOD.strip().split("\n\n")],
        rows=list(_rows(done)),
        figures=[
            Picture(
                "hands",
                f"Kendall's tau of the ranking by hands played, medians; dotted: {TAU:g}. Whatever rates the"
                " winners of matches stays below.",
                partial(_draw, done),
            )
        ],
    )


def _draw(done: Mapping[str, Any], canvas: Canvas) -> None:
    axes = canvas.subplots()
    courses: dict[str, list[Mapping[str, Sequence[float]]]] = {
        "ratings, round robin": _courses(done, "ratings"),
        "ratings, schedule": _courses(done, "schedule"),
        **{name: [course[name] for course in _courses(done, "rivals")] for name in RIVALS},
    }
    for colour, (name, found) in zip(_COLOURS, courses.items(), strict=True):
        hands = max((course["hands"] for course in found), key=len)
        taus = [
            median(course["tau"][min(place, len(course["tau"]) - 1)] for course in found)
            for place in range(len(hands))
        ]
        axes.plot(hands, taus, color=colour, label=name, linewidth=1.6)
    axes.axhline(TAU, color="#404040", linestyle=":", linewidth=0.9)
    axes.set(
        xscale="log",
        ylim=(0, 1),
        xlabel="hands of the whole ladder",
        ylabel="Kendall's tau with the true order",
    )
    axes.grid(alpha=0.25)
    axes.legend(loc="lower right", fontsize=8)


_METHOD: Final = """
Sixty push/fold players with ten big blinds: solutions for other stacks, tops of a ranking of hands, and the
equilibrium with mistakes. What each wins from each is computed exactly; a player's true rating is the mean
over all others. Deal sets are drawn by the probabilities of the deal, both seatings with the same cards and
the same board. Ratings use all-ins by equity, as the ladder does; the rival methods rate the winner of each
match of a hundred hands, with the boards that were dealt.

Calibration: in each ladder a random part of all pairs has met, each pair 20 to 100 deal sets.

Circles are planted into fields of twelve players whose own interactions were taken out.

Tests run between 0 and 20 mbb/hand with both errors at 5 %. Their players throw dice for every class of
hands, so that two that are equal do not play alike; the better one is mixed with the equilibrium until it
wins exactly 20 mbb/hand.

Hands until an order is known are counted in ladders that play all pairs again and again in random order, with
the same cards for all methods. The schedule plays where the chance of a wrong order falls most.
"""

STUDY = Study(_TITLE, _units, _report)
"""The study, as the runner needs it."""
