"""The study ``ladder``: are the ratings true, and how many hands do they take? ``field`` and ``pools`` have
the players.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from dealer.intervals import Interval, mean_interval
from studies.harness.report import Figure as Picture
from studies.harness.report import Row, StudyReport
from studies.harness.runner import Study
from studies.harness.verdicts import claim_row
from studies.harness.work import Unit
from studies.ladder.courses import DEAL_SETS, LONGEST, TAU, Curve, best_allocation, course, hands, schedule
from studies.ladder.pools import BOTS, names_of, pool
from studies.ladder.rivals import RIVALS
from studies.ladder.simulate import (
    PLANTED,
    calibration,
    circles,
    predicted_deal_sets,
    same_twice,
    sequential_tests,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

_TITLE = "The ladder: ratings of players whose values are known exactly"
_SOURCE = "docs/ladder.md"
#: Sizes: ladders, tests and courses, in full and in a quick run.
_LADDERS, _TWICE, _CIRCLES = (1000, 2), (1000, 1), (400, 1)
_TESTS, _POWER, _COURSES = (10_000, 2), (10_000, 1), (10, 1)
#: The house bots of a field, and the deal sets that each pair of them plays.
_BOTS, _POOL = (99, 4), (1000, 20)
#: How many of them make a unit.
_LADDERS_TOGETHER, _TESTS_TOGETHER = 10, 100
#: The most matches of a course of the ratings.
_MOST = (50_000, 100)
#: Kinds of fields: what they are called, and how many times as many hands others should take.
_KINDS: Final = {"pushfold": ("push/fold", 5.0), "limit": ("limit", 10.0), "nolimit": ("no-limit", 5.0)}
#: The deviation of a deal set of a typical pair, for the best allocation (mbb/hand).
_DEVIATION = 680.0
_COLOURS = ("#1f4e79", "#c55a11", "#548235", "#7f6000", "#7030a0", "#808080")


def _chunks(name: str, function: Any, count: int, together: int, *arguments: Any) -> Iterator[Unit]:
    for begin in range(0, count, together):
        numbers = range(begin, min(count, begin + together))
        yield Unit(f"{name}/{begin}", function, (*arguments, tuple(numbers)), len(numbers))


def _units(quick: bool, seed: int) -> list[Unit]:
    units = [
        *_chunks("calibration", calibration, _LADDERS[quick], _LADDERS_TOGETHER, seed),
        *_chunks("twice", same_twice, _TWICE[quick], _LADDERS_TOGETHER, seed),
        *_chunks("circles", circles, _CIRCLES[quick], _LADDERS_TOGETHER, seed, PLANTED),
        *_chunks("no-circles", circles, _CIRCLES[quick], _LADDERS_TOGETHER, seed, 0.0),
        *_chunks("equal", sequential_tests, _TESTS[quick], _TESTS_TOGETHER, seed, "equal", 0.0),
        *_chunks("better", sequential_tests, _POWER[quick], _TESTS_TOGETHER, seed, "better", 20.0),
    ]
    for kind in _KINDS:
        pools = list(_pools(kind, quick, seed)) if kind in BOTS else []
        needs = tuple(unit.key for unit in pools)
        units += pools
        for number in range(_COURSES[quick]):
            units += [
                Unit(f"{name}/{kind}/{number}", function, (seed, kind, number, _MOST[quick]), 100, needs)
                for name, function in (("course", course), ("schedule", schedule))
            ]
    return [
        *units,
        Unit("predicted", predicted_deal_sets, (20.0,)),
        Unit("best", best_allocation, (_DEVIATION,)),
    ]


def _pools(kind: str, quick: bool, seed: int) -> Iterator[Unit]:
    deal_sets = _POOL[quick]
    for one, two in combinations(names_of(kind, _BOTS[quick]), 2):
        yield Unit(f"pool/{kind}/{one}/{two}", pool, (seed, kind, one, two, deal_sets), deal_sets / 50)


def _values(done: Mapping[str, Any], name: str) -> list[Any]:
    return [value for values in _courses(done, name) for value in values]


def _courses(done: Mapping[str, Any], name: str) -> list[Any]:
    return [found for key, found in done.items() if key.rpartition("/")[0] == name]


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
    for kind in _KINDS:
        yield from _thrift_rows(done, kind)


def _thrift_rows(done: Mapping[str, Any], kind: str) -> Iterator[Row]:
    """Yield how many hands others, and the schedule, take in a kind of fields."""
    label, wanted = _KINDS[kind]
    courses = _courses(done, f"course/{kind}")
    ours = [hands(one["ratings"]) for one in courses]
    for name in RIVALS:
        reached = sum(one[name]["tau"][-1] >= TAU for one in courses)
        yield _row(
            f"thrift-{kind}-{name.split(',')[0].lower()}",
            f"{label}: times as many hands until tau {TAU:g} with {name} as with the ratings, same cards",
            wanted,
            mean_interval([hands(one[name]) / mine for one, mine in zip(courses, ours, strict=True)]),
            (wanted, float("inf")),
            note=f"Reached in {reached} of {len(courses)} ladders; the others are stopped after {LONGEST}"
            " times the hands of the ratings, so that the figure is the least that they take.",
        )
    chosen = [hands(one) for one in _courses(done, f"schedule/{kind}")]
    uniform, best = done["best"]
    yield _row(
        f"schedule-{kind}",
        f"{label}: times fewer hands until tau {TAU:g} with the schedule than with a round robin",
        3.0,
        mean_interval([mine / other for mine, other in zip(ours, chosen, strict=True)]),
        (3.0, float("inf")),
        note=""
        if kind != "pushfold"
        else (
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
        settings={
            "seed": seed,
            "push/fold players": 60,
            "push/fold stack": 10,
            "deal sets of a match": DEAL_SETS,
        },
        method=[" ".join(paragraph.split()) for paragraph in _method(quick).split("\n\n")],
        rows=list(_rows(done)),
        figures=[
            Picture(
                f"hands-{kind}",
                f"{label}: Kendall's tau of the ranking by hands played, medians; dotted: {TAU:g}.",
                partial(_draw, done, kind),
            )
            for kind, (label, _) in _KINDS.items()
        ],
    )


def _draw(done: Mapping[str, Any], kind: str, canvas: Canvas) -> None:
    axes = canvas.subplots()
    played: list[Mapping[str, Curve]] = _courses(done, f"course/{kind}")
    courses: dict[str, list[Curve]] = {
        "ratings, round robin": [one["ratings"] for one in played],
        "ratings, schedule": _courses(done, f"schedule/{kind}"),
        **{name: [one[name] for one in played] for name in RIVALS},
    }
    for colour, (name, found) in zip(_COLOURS, courses.items(), strict=True):
        longest = max((one["hands"] for one in found), key=len)
        taus = [
            median(one["tau"][min(place, len(one["tau"]) - 1)] for one in found)
            for place in range(len(longest))
        ]
        axes.plot(longest, taus, color=colour, label=name, linewidth=1.6)
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
the same board. Ratings use all-ins by equity; the rival methods rate the winner of each
match of a hundred hands, with the boards that were dealt.

House bots play heads-up limit hold'em ({limit}) and no-limit hold'em with 200 big blinds ({nolimit}). None of
them remembers a hand. Each pair plays {pool} deal sets once; their luck is taken out as the ladder does it.
Matches of simulated ladders are drawn from these with replacement, so that their means are the true values.

Calibration: in each ladder a random part of all pairs has met, each pair 20 to 100 deal sets.

Circles are planted into fields of twelve players whose own interactions were taken out.

Tests run between 0 and 20 mbb/hand with both errors at 5 %. Their players throw dice for every class of
hands, so that two that are equal do not play alike; the better one is mixed with the equilibrium until it
wins exactly 20 mbb/hand.

Hands until an order is known are counted in ladders that play all pairs again and again in random order, with
the same cards for all methods, up to {longest} times the hands that the ratings take. Whoever rates winners
orders players by how often they win and not by how much, and may never reach tau {tau:g}. The schedule plays
where the chance of a wrong order falls most.
"""


def _method(quick: bool) -> str:
    bots = {kind: ", ".join(names_of(kind, _BOTS[quick])) for kind in BOTS}
    return _METHOD.strip().format(**bots, pool=_POOL[quick], longest=LONGEST, tau=TAU)


STUDY = Study(_TITLE, _units, _report)
"""The study, as the runner needs it."""
