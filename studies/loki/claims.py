"""The claims of Peña 1999 and Papp 1998, and their verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dealer.intervals import Interval, mean_interval
from dealer.rules.cards import parse_cards
from strategy.loki.model import linear_factor, reweight
from strategy.loki.odds import pot_odds
from strategy.loki.preflop import choose
from strategy.loki.triples import BadTriple, make_triple
from strategy.poker.combos import uniform
from strategy.poker.income import income_rate, income_rates
from strategy.poker.strength import field, potential
from studies.harness.report import Row
from studies.harness.verdicts import judge_claim, judge_exact, judged_row
from studies.loki.plan import DUELS, FIELDS, VARIANTS, LokiPlan

_SECTIONS = {"B": "Peña 1999, 4.3", "R": "Peña 1999, 4.3", "BR": "Peña 1999, 4.3", "S": "Peña 1999, 5.3"}
_LARGE = 0.05
_TITLES = {
    "B": "betting by triples gains",
    "R": "reweighting by triples gains",
    "BR": "both gain together",
    "S": "simulation gains",
    "BRS": "all three gain together",
}

_TRIALS = {
    "seldom": "when it bets few weak hands",
    "hard": "with hard edges between actions",
    "seldom-hard": "with both",
    "unlearning": "where nobody learns how the others play",
}


def all_rows(plan: LokiPlan, done: Mapping[str, Any]) -> list[Row]:
    """Return the rows of the report, in the order of the document."""
    rows = list(_exact())
    for name in FIELDS:
        rows += _gains(plan, name, done)
    return [*rows, *_comparisons(plan, done), *_trials_of_b(plan, done), *_duels(plan, done)]


def _exact() -> Iterator[Row]:
    """Yield the rows that can be computed without a game."""
    hole, board = parse_cards("AdQc"), parse_cards("3h4cJh")
    known = field(hole, board)
    two = potential(hole, board, 2)
    for key, source, claim, paper, measured, digits in (
        ("hs", "Papp 1998, 5.2.1", "HS of Ad Qc on 3h 4c Jh", 0.585, known.strength, 3),
        ("hs-5", "Papp 1998, 5.2.1", "HS of the same against five", 0.069, known.strength**5, 3),
        ("ppot-2", "Papp 1998, 5.2.2", "PPot of the same, two cards", 0.208, two.ppot, 3),
        ("npot-2", "Papp 1998, 5.2.2", "NPot of the same, two cards", 0.274, two.npot, 3),
        ("pot-odds", "Peña 1999, 3.2.2", "pot odds: 4 to call for a pot of 20", 0.167, pot_odds(4, 20), 3),
        ("income-low", "Papp 1998, app. A", "least income rate, 7 players", -495, _income(0.0), 0),
        ("income-5", "Papp 1998, 5.1", "income rate at 5 %", -433, _income(0.05), 0),
        ("income-70", "Papp 1998, 5.1", "income rate at 70 %", 118, _income(0.7), 0),
        ("income-a8", "Peña 1999, 3.2.1", "income rate of suited A-8, 4 players", 338, _ace_eight(), 0),
    ):
        tolerance = 0.001 if digits else 5
        yield Row(
            key,
            source,
            claim,
            paper,
            round(measured, digits),
            judge_exact(abs(measured - paper) <= tolerance),
        )
    plan = choose(338, 4, 0, "moderate").name.capitalize()
    yield Row(
        "plan-a8",
        "Peña 1999, 3.2.1",
        "the dealer's strategy with it",
        "Make2",
        plan,
        judge_exact(plan == "Make2"),
        "The thresholds of a moderate player are ours and were set with this example in mind.",
    )
    table, factor = uniform() * 0.9, uniform()
    factor[-1] = 0.2
    weight = round(float(reweight(table, factor)[-1]), 6)
    yield Row(
        "triple-weight",
        "Peña 1999, 4.2.2",
        "AA, weight .90, called with .2",
        0.18,
        weight,
        judge_exact(weight == 0.18),
    )
    middle = float(linear_factor(uniform() * 0.6, 0.6, 0.2)[0])
    yield Row(
        "linear",
        "Papp 1998, 7.2",
        "the factor at mu",
        0.5,
        round(middle, 6),
        judge_exact(abs(middle - 0.5) < 1e-9),
    )
    printed = (0.5, 0.4, 0.0)
    try:
        make_triple(printed)
        refused = False
    except BadTriple:
        refused = True
    yield Row(
        "triple-sum",
        "Peña 1999, 4.1, summary",
        "f + c + r = 1 in each row of the example",
        1.0,
        sum(printed),
        "document in error" if refused else "reproduced",
        "The third row, (.50, .40, 0), sums to .9 and is refused. No bot plays the example: rows are ours.",
    )
    yield Row(
        "number",
        "Peña 1999, 4.2.1, summary",
        "the random number is between 0 and",
        0.1,
        1.0,
        "document in error",
        "With numbers up to .1 hardly anything but the first action of a triple would ever be chosen.",
    )


def _income(part: float) -> float:
    rates = sorted(income_rates(7))
    return float(rates[int(part * len(rates))])


def _ace_eight() -> float:
    return income_rate(parse_cards("Ah8h"), 4)


def _gains(plan: LokiPlan, name: str, done: Mapping[str, Any]) -> Iterator[Row]:
    for letters in VARIANTS:
        interval = plan.gain(name, letters, done)
        judged = judge_claim(interval, low=0)
        if letters == "BRS":
            judged = judged._replace(verdict="beyond")
        large = judged.verdict != "undecided" and interval.mean > _LARGE
        yield judged_row(
            f"{name}-{letters}",
            _SECTIONS.get(letters, "Peña 1999, 5.3 and 7"),
            f"{_TITLES[letters]} in a {name} field, sb/hand",
            "> 0",
            interval,
            judged,
            "More than .05 small bets a hand, a large improvement in the document's words." if large else "",
        )


def _comparisons(plan: LokiPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    for name in FIELDS:
        gains = {letters: plan.gains(name, letters, done) for letters in VARIANTS}

        def difference(more: str, *less: str, gains: dict[str, list[float]] = gains) -> Interval:
            rows = zip(gains[more], *(gains[one] for one in less), strict=True)
            return mean_interval([row[0] - sum(row[1:]) for row in rows])

        for key, claim, more, less in (
            ("S-B", "simulation gains more than B", "S", "B"),
            ("S-R", "simulation gains more than R", "S", "R"),
            ("S-BR", "simulation gains more than B+R", "S", "BR"),
            ("BRS-BR", "simulation adds to B+R", "BRS", "BR"),
        ):
            lead = difference(more, less)
            yield judged_row(
                f"{name}-{key}",
                "Peña 1999, 5.3",
                f"{claim}, {name}, sb/hand",
                "> 0",
                lead,
                judge_claim(lead, low=0),
            )
        additive = difference("BR", "B", "R")
        yield judged_row(
            f"{name}-additive",
            "Peña 1999, 4.3",
            f"B+R gains about what B and R gain, {name}, sb/hand",
            "about 0",
            additive,
            judge_claim(additive, -_LARGE, _LARGE),
            f"Within {_LARGE} of 0.",
        )


def _trials_of_b(plan: LokiPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    for name, how in _TRIALS.items():
        gain = mean_interval(plan.wins(f"trial/{name}", done))
        yield judged_row(
            f"B-{name}",
            "our measurement",
            f"betting by triples gains {how}, homogeneous, sb/hand",
            None,
            gain,
            judge_claim(gain, low=0)._replace(verdict="beyond"),
        )


def _duels(plan: LokiPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    for hero, other in DUELS:
        interval = mean_interval(plan.wins(f"{hero}/{other}", done))
        claimed = (hero, other) == ("loki2", "loki1")
        judged = judge_claim(interval, low=0)
        if not claimed:
            judged = judged._replace(verdict="beyond")
        yield judged_row(
            f"{hero}-{other}",
            "Peña 1999, 1.2" if claimed else "our measurement",
            f"three {hero} against three {other}, six-handed, sb/hand",
            "> 0" if claimed else None,
            interval,
            judged,
        )
