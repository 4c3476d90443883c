"""The claims of Peña 1999 and Papp 1998, and their verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealer.intervals import Interval, mean_interval, ratio_interval
from dealer.rules.cards import parse_cards
from strategy.loki.model import reweight
from strategy.loki.odds import pot_odds
from strategy.loki.preflop import choose
from strategy.poker.combos import uniform
from strategy.poker.income import income_rate, income_rates
from strategy.poker.strength import field, optimistic_ehs, potential
from studies.harness.report import Row
from studies.harness.verdicts import (
    beyond_row,
    claim_row,
    exact_row,
    gain_row,
    jackknife,
    judge_claim,
    judge_exact,
    judge_figure,
    judged_row,
    source_noise,
    unjudged_row,
)
from studies.loki.errata import errata_rows
from studies.loki.jobs import LIKELIEST
from studies.loki.plan import ALWAYS_CALL, DUELS, FIELDS, MODELLED, STYLES, VARIANTS, LokiPlan
from studies.loki.style import styles

_SECTIONS = {
    "B": "Peña 1999, 4.3",
    "R": "Peña 1999, 4.3",
    "BR": "Peña 1999, 4.3",
    "S": "Peña 1999, 5.3; summary, 5.4.1",
}
_OURS = "our measurement"
_LARGE = 0.05
_STYLES = 400
# Hands in which the style of B is looked at.
_SMALL = 0.02
_DEALS = 2500
# Of each experiment of the document.
_CALLING = 0.057
_CALLING_READ = (
    "Within half of the figure. Field and deals are not told in what we have: we take those of 4.3, and for "
    "Loki-2 Loki-1 with S. That it runs 2.5 times faster is not measured: our trials with calls still "
    "evaluate hands, though nothing depends on it."
)
_HOMOGENEOUS = "No verdict: said of the homogeneous field."
_IMAGES = "No verdict: the figures are images in our copy, and no text says how each style does."
_TITLES = {
    "B": "betting by triples gains",
    "R": "reweighting by triples gains",
    "BR": "both gain together",
    "S": "simulation gains",
    "BRS": "all three gain together",
}

_CRUSHES = {"loki2-b": "summary, 1.2", "loki2": "summary, 7"}
"""Who is said to beat Loki-1, and where."""

_LEVELS = {
    ("loki1", "fair"): "The summary (1.1) calls Loki-1 an intermediate player.",
    (
        "loki2",
        "akuma",
    ): "The summary (7) says that Loki-2 is not of championship level. Heads-up cfr wins from it "
    "(study gloeckner, `cfr-loki2`).",
}
"""Rows that bear on what is said of strength."""

_UNEXPLAINED = (
    "None of them surely gains more, so neither how often weak hands are bet nor how hard the edges are "
    "explains what is missing among ten, as far as these intervals reach."
)
_TRIALS = {
    "seldom": "when it bets few weak hands",
    "example": "with the triples of 4.1's example (its third row mended to .50, .40, .10)",
    "example-call": "with the same triples, the row mended to .50, .50, 0",
    "example-fold": "with the same triples, the row mended to .60, .40, 0",
    "hard": "with hard edges between actions",
    "seldom-hard": "with few weak bets and hard edges",
    "unlearning": "where nobody learns how the others play",
}


def all_rows(plan: LokiPlan, done: Mapping[str, Any]) -> list[Row]:
    """Return the rows of the report, in the order of the document."""
    rows = list(_exact())
    for name in FIELDS:
        rows += _gains(plan, name, done)
    rows += [*_comparisons(plan, done), *_always_call(plan, done)]
    rows += [*_trials_of_b(plan, done), *_play_of_b(plan, done)]
    return [*rows, *_duels(plan, done), *_modelling(plan, done)]


def _exact() -> Iterator[Row]:
    """Yield the rows that can be computed without a game."""
    hole, board = parse_cards("AdQc"), parse_cards("3h4cJh")
    known = field(hole, board)
    one, two = potential(hole, board, 1), potential(hole, board, 2)
    odds, ace_eight = pot_odds(4, 20), income_rate(parse_cards("Ah8h"), 4)
    for key, source, claim, paper, measured, digits in (
        ("hs", "Papp 1998, 5.2", "HS of Ad Qc on 3h 4c Jh", 0.585, known.strength, 3),
        ("hs-5", "Papp 1998, 5.2", "HS of the same against five", 0.069, known.strength**5, 3),
        ("ppot-2", "Papp 1998, 5.3", "PPot of the same, two cards", 0.208, two.ppot, 3),
        ("npot-2", "Papp 1998, 5.3", "NPot of the same, two cards", 0.274, two.npot, 3),
        ("pot-odds", "Peña 1999, 3.2.2", "the chance needed to call 4 for a pot of 20", 0.167, odds, 3),
        ("income-low", "Papp 1998, app. A", "least income rate, 7 players", -495, _income(0.0), 0),
        ("income-5", "Papp 1998, 7.2.2", "income rate that 5 % of hands are below", -433, _income(0.05), 0),
        ("income-70", "Papp 1998, 7.2.2", "income rate that 70 % of hands are below", 118, _income(0.7), 0),
        ("income-a8", "Peña 1999, 3.2.1", "income rate of suited A-8, 4 players", 338, ace_eight, 0),
    ):
        tolerance = 0.001 if digits else 5
        yield Row(
            key,
            source,
            claim,
            paper,
            round(measured, digits),
            judge_exact(abs(measured - paper) <= tolerance),
            "" if digits else "Within 5: both tables are simulated.",
        )
    yield unjudged_row(
        "ehs",
        "summary, 3.2.2",
        "EHS of the same, the next card: the chance that it is the best, or becomes it",
        round(optimistic_ehs(known.strength, one.ppot), 3),
        "No verdict: by the formulas of 3.2.2 EHS is that chance, term by term, and no figure is printed. It "
        "leaves out that a hand that is ahead may fall behind.",
    )
    for key, measured in (("ppot-1", one.ppot), ("npot-1", one.npot)):
        claim = f"{'PP' if key[0] == 'p' else 'NP'}ot of the same, the next card"
        note = "The summary has the formula, and leaves its example to the thesis."
        if key == "npot-1":
            note += " Its words for NPot, that a hand is bad, are not its formula."
        yield unjudged_row(key, "summary, 3.2.2", claim, round(measured, 3), note)
    hands = round(known.ahead + known.tied + known.behind)
    claim = "hands of an opponent in a table of weights after the flop"
    yield exact_row("weights", "summary, 3.3", claim, 1081, hands)
    yield from _beaten_hands()
    yield exact_row(
        "plan-a8",
        "Peña 1999, 3.2.1",
        "strategy for suited A-8 as dealer",
        "Make2",
        choose(338, 4, 0, "moderate").name.capitalize(),
        "The thresholds are the section's: 50, 200 and 580.",
    )
    table, factor = uniform() * 0.9, uniform()
    factor[-1] = 0.2
    weight = round(float(reweight(table, factor)[-1]), 6)
    claim = "new weight of AA (.90) after a call, if AA calls with .2"
    yield exact_row("triple-weight", "Peña 1999, 4.2.2", claim, 0.18, weight)
    yield from errata_rows()
    played = styles(_STYLES)
    alike = [kinds for kinds in played if len(set(kinds)) == 1]
    bets = sum("raise" in kinds for kinds in alike)
    yield unjudged_row(
        "number-style",
        "summary, 4.2.1",
        f"one random number for a hand keeps its style: of {len(played)} hands those in which B, with the "
        "same chances on flop, turn and river, does the same on all three",
        len(alike),
        "No verdict, as it cannot be otherwise. It checks or bets with a half each. It always bets in "
        f"{bets} and always checks in {len(alike) - bets}; with a number for each decision about "
        f"{len(played) // 4} hands would be of one style. Whether it is good to keep it, nothing here tells.",
    )
    yield unjudged_row(
        "triple-doubt",
        "summary, 4.2.2",
        "the values of the triple let Loki-2 cope with doubtful information from an opponent",
        None,
        "No verdict: the summary does not say what is doubtful, nor how well Loki-1 copes, whose reweighting "
        "has soft edges, too (3.3). What reweighting by triples gains: `homogeneous-R`, `mixed-R`.",
    )


def _beaten_hands() -> Iterator[Row]:
    """Yield the example of a pair of eights on the flop."""
    known = field(parse_cards("Ah8h"), parse_cards("9h8c2c"))
    here = " ".join(f"{one:.0f}" for one in known)
    claim = "hands that A-8 of hearts on 9h 8c 2c beats, ties and loses to"
    yield exact_row("hs-counts", "Peña 1999, 3.2.2", claim, "903 6 172", here)
    three = round(known.strength**3, 2)
    yield exact_row("hs-3", "Peña 1999, 3.2.2", "HS of the same against three", 0.59, three)


def _income(part: float) -> float:
    rates = sorted(income_rates(7))
    return float(rates[int(part * len(rates))])


def _gains(plan: LokiPlan, name: str, done: Mapping[str, Any]) -> Iterator[Row]:
    for letters in VARIANTS:
        interval = plan.gain(name, letters, done)
        yield claim_row(
            f"{name}-{letters}",
            _SECTIONS.get(letters, "Peña 1999, 5.3 and 7"),
            f"{_TITLES[letters]} in a {name} field, sb/hand",
            interval,
            (0, inf),
            "More than .05 small bets a hand, a large improvement in the document's words."
            if (interval.low or 0) > _LARGE
            else "",
            paper="> 0",
        )
    if name == "mixed":
        for letters in ("B", "R", "BR"):
            for style in STYLES:
                yield unjudged_row(
                    f"{name}-{letters}-{''.join(word[0] for word in style.split(', '))}",
                    "Peña 1999, 4.3, figures 4.4 to 4.6",
                    f"what {'+'.join(letters)} wins more than a {style} Loki-1, being so too, sb/hand",
                    mean_interval(plan.style_gains(letters, style, done)),
                    _IMAGES,
                )


def _comparisons(plan: LokiPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    for name in FIELDS:
        for key, claim, more, less in (
            ("S-B", "simulation gains more than B", "S", "B"),
            ("S-R", "simulation gains more than R", "S", "R"),
            ("S-BR", "simulation gains more than B+R", "S", "BR"),
            ("BRS-BR", "simulation in the place of B gains more than B+R", "BRS", "BR"),
        ):
            yield claim_row(
                f"{name}-{key}",
                "Peña 1999, 5.4.4",
                f"{claim}, {name}, sb/hand",
                _difference(plan, name, done, more, less),
                (0, inf),
                paper="> 0",
            )
        yield from _together(plan, name, done)
        for less in ("S", "R", "B"):
            yield beyond_row(
                f"{name}-BRS-{less}",
                "summary, 7",
                f"all three gain more than {less} alone, {name}, sb/hand",
                _difference(plan, name, done, "BRS", less),
                "Said of play against people.",
            )


def _together(plan: LokiPlan, name: str, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield what is said of B and R together, of the homogeneous field alone."""
    for key, claim, less, bounds, paper, note in (
        ("BR-B", "R is a win in combination with B", ("B",), (0, inf), "> 0", ""),
        ("BR-R", "B is a win in combination with R", ("R",), (0, inf), "> 0", ""),
        (
            "additive",
            "B+R gains nearly what B and R gain together",
            ("B", "R"),
            (-_SMALL, _SMALL),
            "about 0",
            f"Within {_SMALL} of 0: a margin of ours, below the {_LARGE:g} that the document calls large.",
        ),
    ):
        row, source, told = f"{name}-{key}", "Peña 1999, 4.3", f"{claim}, {name}, sb/hand"
        found = _difference(plan, name, done, "BR", *less)
        if name == "homogeneous":
            yield claim_row(row, source, told, found, bounds, note, paper=paper)
        else:
            yield beyond_row(row, source, told, found, _HOMOGENEOUS)


def _always_call(plan: LokiPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield what simulation gains if all only call in its trials."""
    won = plan.wins(ALWAYS_CALL, done)
    gain = mean_interval(won)
    source, who = "Peña 1999, 5.4.2", "simulation in whose trials all only call"
    yield claim_row("always-call", source, f"{who} gains, homogeneous, sb/hand", gain, (0, inf), paper="> 0")
    judged = judge_figure(_CALLING, gain, _CALLING / 2, source_noise(gain, _DEALS))
    claim = f"what {who} gains, homogeneous, sb/hand"
    yield judged_row("always-call-gain", source, claim, _CALLING, gain, judged, _CALLING_READ)
    lead = [one - other for one, other in zip(plan.wins("homogeneous/S", done), won, strict=True)]
    claim = "how much more simulation gains with trials by triples, homogeneous, sb/hand"
    yield gain_row("always-call-less", _OURS, claim, mean_interval(lead), "The same deals.")


def _difference(plan: LokiPlan, field: str, done: Mapping[str, Any], more: str, *less: str) -> Interval:
    """Return what ``more`` gains in a field less what all of ``less`` gain, deal by deal."""
    gains = (plan.wins(f"{field}/{letters}", done) for letters in (more, *less))
    return mean_interval([first - sum(others) for first, *others in zip(*gains, strict=True)])


def _trials_of_b(plan: LokiPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    for name, how in _TRIALS.items():
        gain = mean_interval(plan.wins(f"trial/{name}", done))
        lead = _lead_of_trial(plan, name, done)
        claim = f"betting by triples gains {how}, homogeneous, sb/hand"
        yield gain_row(f"B-{name}-more", _OURS, f"how much more {claim}", lead, "The same deals.")
        yield gain_row(f"B-{name}", _OURS, claim, gain)


def _play_of_b(plan: LokiPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield what the summary says of how B plays, and of what chance is good for."""
    counts = plan.counted(done)
    b, loki_1 = (
        ratio_interval(one[..., 2].sum(axis=(1, 2)).tolist(), one.sum(axis=(1, 2, 3)).tolist())
        for one in (counts[:, 0], counts[:, 1])
    )
    yield unjudged_row(
        "B-aggressive",
        "summary, 4.2.1",
        "B is more aggressive: bets and raises, as a part of its actions after the flop, less Loki-1's, "
        "six-handed",
        b.difference(loki_1),
        f"{b.mean:.3f} and {loki_1.mean:.3f}. No verdict, as it cannot be otherwise: the document's rows of "
        "triples we do not have, and ours are written to bet weak hands much more than Loki-1 does.",
    )
    for row, source, claim, interval, note in (
        (
            "B-unpredictable",
            "4.2.1",
            "B is harder to predict: entropy of its actions, by street and bets so far, less Loki-1's, bits",
            jackknife(counts, lambda total: entropy(total[0]) - entropy(total[1])),
            "As seen without their cards; with them Loki-1's actions are certain, and B's are not.",
        ),
        (
            "B-random",
            "4.1",
            "three B against three that always take the likeliest action of the triple, sb/hand",
            mean_interval(plan.wins(f"loki2-b/{LIKELIEST}", done)),
            "The summary says it of a simpler version of the triples.",
        ),
    ):
        yield claim_row(
            row, f"summary, {source}", f"{claim}, six-handed", interval, (0, inf), note, paper="> 0"
        )


def entropy(counts: NDArray[np.int64]) -> float:
    """Return the entropy of the kind (last axis) where all else is known, in bits; 0 without counts."""
    if not counts.any():
        return 0.0
    sums = np.broadcast_to(counts.sum(axis=-1, keepdims=True), counts.shape)
    seen = counts > 0
    return float((counts[seen] * np.log2(sums[seen] / counts[seen])).sum() / counts.sum())


def _modelling(plan: LokiPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield what its model gains Loki-1 against who only calls, and against who always raises."""
    gains = {}
    for other in MODELLED:
        pairs = zip(plan.wins(f"loki1/{other}", done), plan.wins(f"unmodelled/{other}", done), strict=True)
        gains[other] = [one - two for one, two in pairs]
        yield beyond_row(
            f"model-{other}",
            _OURS,
            f"what its model of opponents gains Loki-1 against {other}, six-handed, sb/hand",
            mean_interval(gains[other]),
            "The same deals.",
        )
    yield beyond_row(
        "model-aggressive",
        "summary, 3.1",
        "the model is worse against aggressive opponents: how much more it gains against raise than against "
        "call, sb/hand",
        mean_interval([one - two for two, one in zip(*gains.values(), strict=True)]),
        "No verdict: the same deals, but pots against raise are larger, so the same part of a pot is more "
        "small bets there. Whether it is worse in parts of the pot, this does not tell.",
    )


def why_b(plan: LokiPlan, done: Mapping[str, Any]) -> str:
    """Return the conclusion on why betting by triples gains what it gains, a paragraph."""
    found = {name: plan.gain(name, "B", done) for name in FIELDS}
    gains = " and ".join(f"{_said(gain)} in the {name} field" for name, gain in found.items())
    needed = " and ".join(
        f"{_deals_that_decide(gain)} ({name})" for name, gain in found.items() if not gain.decided
    )
    wanted = f"Were it what it seems, to tell it from nothing would take {needed} deals." if needed else ""
    leads = {name: _lead_of_trial(plan, name, done) for name in _TRIALS}
    alone = {name: mean_interval(plan.wins(f"trial/{name}", done)) for name in _TRIALS}
    trials = ", ".join(f"`B-{name}` {_said(lead)}" for name, lead in leads.items())
    six = _said(mean_interval(plan.wins("loki2-b/loki1", done)))
    mends = ", ".join(_said(one) for name, one in alone.items() if "example" in name)
    more = _gaining(leads)
    explained = f"Surely more than B gain: {more}." if more else _UNEXPLAINED
    text = f"""
    Conclusion on B: it gains {gains}, small bets a hand, where the document calls {_LARGE:g} large. At
    a table of six, three with it win {six} from three Loki-1. {wanted} The trials, compared with it on
    the same deals: {trials}. {explained} {_told_of_learning(leads, alone)} Loki-1 reads every action as a
    range of hands with soft edges in any case (3.3), so it may lose little to one who is hard to predict;
    and our triples are its own rules with soft edges and more weak bets. {_told_beside_r(plan, done)} The
    document's rows of triples we do not have. `B-example` plays by the only ones that it prints; with each
    of three mends of their third row they gain {mends}.
    """
    return " ".join(text.split())


def _gaining(gains: Mapping[str, Interval]) -> str:
    """Return the trials of B whose whole interval is above 0, for people; empty if there is none."""
    sure = {name: one for name, one in gains.items() if one.decided and one.mean > 0}
    return ", ".join(f"`B-{name}` ({_said(one)})" for name, one in sure.items())


def _told_of_learning(leads: Mapping[str, Interval], alone: Mapping[str, Interval]) -> str:
    """Return which trials gain at all, and what follows from the one in which nobody learns."""
    if not (gaining := _gaining(alone)):
        return "No trial by itself surely gains anything."
    told = f"Of the {len(alone)} trials these by themselves surely gain: {gaining}."
    if _gaining({"unlearning": leads["unlearning"]}):
        return f"{told} So what is missing goes to opponents who learn whom they play with."
    if _gaining({"unlearning": alone["unlearning"]}):
        told += " So B may lose its gain to opponents who learn whom they play with. It is no proof, as what "
        told += f"`B-unlearning` gains more than B is not sure, and one of {len(alone)} may be luck."
    return told


def _told_beside_r(plan: LokiPlan, done: Mapping[str, Any]) -> str:
    """Return what B adds beside R, and where it surely loses."""
    added = {name: _difference(plan, name, done, "BR", "R") for name in FIELDS}
    losing = " and ".join(f"`{name}-BR-R`" for name, one in added.items() if one.decided and one.mean < 0)
    told = f"Beside R, B adds {' and '.join(f'{_said(one)} ({name})' for name, one in added.items())}"
    told += f": it surely loses ({losing})." if losing else "."
    return f"{told} No trial was played with R, so the cause there is not known."


def _deals_that_decide(gain: Interval) -> str:
    """Return how many deals make an undecided interval exclude 0, if the mean stays what it is."""
    needed = judge_claim(gain, low=0).needed
    return "no number of" if needed is None else f"{needed:,}"


def _said(interval: Interval) -> str:
    """Return a mean and half its interval, for people."""
    half = "" if interval.half is None else f" ± {interval.half:.3f}"
    # No -0.
    return f"{round(interval.mean, 3) + 0.0:.3f}{half}"


def _lead_of_trial(plan: LokiPlan, name: str, done: Mapping[str, Any]) -> Interval:
    """Return how much more a trial of B gains than B, deal by deal, on the deals of both."""
    pairs = zip(plan.wins(f"trial/{name}", done), plan.wins("homogeneous/B", done), strict=True)
    return mean_interval([one - other for one, other in pairs])


def _duels(plan: LokiPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    for hero, other in DUELS:
        interval = mean_interval(plan.wins(f"{hero}/{other}", done))
        source = _CRUSHES.get(hero) if other == "loki1" else None
        crushed = hero == "loki2-b"
        judged = judge_claim(interval, low=_LARGE if crushed else 0)
        if source is None:
            judged = judged._replace(verdict="beyond", bound="")
        yield judged_row(
            f"{hero}-{other}",
            source or _OURS,
            f"three {hero} against three {other}, six-handed, sb/hand",
            f"> {_LARGE:g}" if crushed else "> 0" if source else None,
            interval,
            judged,
            f'The summary says "crushed" and no figure: more than {_LARGE:g}, which Peña calls large.'
            if crushed
            else _LEVELS.get((hero, other), ""),
        )
    for other in sorted({other for hero, other in DUELS if hero == "loki2" and other != "loki1"}):
        pairs = zip(plan.wins(f"loki2/{other}", done), plan.wins(f"loki1/{other}", done), strict=True)
        lead = mean_interval([one - two for one, two in pairs])
        yield gain_row(
            f"loki2-loki1-{other}",
            _OURS,
            f"how much more loki2 than loki1 wins from {other}, six-handed, sb/hand",
            lead,
            "The same deals. That Loki-2 wins more than older versions (summary, 7) we read as: from them, "
            "whom it meets in the experiments (4.3.1), not from bots like this one.",
        )
