"""The claims of the analyses of 5.2: diagrams 1 and 2, table 6, and histories without an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf, sqrt

import numpy as np

from dealer.intervals import Interval, Ratio, mean_interval, ratio_interval
from studies.gloeckner.actions import distance_row, shares_distance
from studies.gloeckner.document import (
    DISTANCES,
    FIRST,
    NAN,
    NEAREST,
    NEIGHBOURS,
    SIZES,
    STREETS,
    WEIGHTED,
    mbb,
)
from studies.gloeckner.jobs import ASKED, KINDS, LONGEST
from studies.gloeckner.plan import ANALYSED, MAPPED, Array, GloecknerResults
from studies.harness.report import Row
from studies.harness.verdicts import claim_row, judge_figure, judged_row, no_claim, unjudged_row

_RARE = 0.0005
# A share of mappings that matters: half of the document's.
_SLIGHT = 0.005
# The limit for no relation: ten actions more change the deviation by less than a twentieth.
_ALWAYS = 0.01
# A part of the mappings that would be an exception.
_HEIGHT = 0.05
# What matters of a deviation.
_RAISES = "Chances of a raise, of mappings whose mean is 0.6 to 0.8."


def analysis_rows(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield from _variances(done)
    for bot in MAPPED:
        yield from _unanswered(done, bot)
    yield from _distances(done)
    yield from _answers(done)


def sense_rows(done: GloecknerResults) -> Iterator[Row]:
    """Yield what 4.6 supposes to make sense."""
    yield unjudged_row(
        "position",
        "4.6",
        "to act after an opponent is an advantage",
        None,
        "The document tells it as what is generally thought. Nothing that is played here can judge it: seats "
        "differ by their blinds, too.",
    )
    nearest = ANALYSED[0]
    means = {bot: _mean_variance(done, bot, nearest, range(3)).interval().mean for bot in MAPPED}
    least, most = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    place = NEIGHBOURS.index(nearest)
    lead = done.ahead(f"fair/{least}-{nearest}", f"fair/{most}-{nearest}")
    other = done.ahead(f"nearest/{least}-{nearest}", f"nearest/{most}-{nearest}", least, most)
    yield judged_row(
        "variance-sense",
        "4.6",
        f"less variance would make more sense: what {least}, whose {nearest} nearest vary least here, wins "
        f"more than {most}, whose vary most, against two fair players, mbb/hand",
        round(mbb(WEIGHTED[least][place] - WEIGHTED[most][place], 3000), 1),
        lead,
        no_claim(lead),
        "No verdict: these are two of three bots, picked by the variances seen here, and they differ in much "
        "else. The document's figure is from table 5. Against akuma and ownbot (table 3) it is here "
        f"{other.mean:+.0f} ± {other.half or 0:.0f}, in the document "
        f"{mbb(NEAREST[least][place] - NEAREST[most][place], 6000):+.0f}"
        f"{_other_sign(lead, other)}.",
        1,
    )


def _other_sign(lead: Interval, other: Interval) -> str:
    if lead.mean * other.mean >= 0:
        return ""
    return f": here the sign is the other way{'' if other.decided else ', though not surely'}"


def distance_counts(done: GloecknerResults, bot: str, nearest: int) -> Array:
    """Return table 6: the number of histories by distance, float64[distances]."""
    found: Array = _blocks(done, bot, nearest)[:, :, 0].sum(axis=0)
    return found


def deviations(done: GloecknerResults, bot: str, nearest: int) -> list[Interval]:
    """Return diagram 2: by distance, how far the raise probability of histories is from the mean; with no
    units where there are none.
    """
    return [_deviation(rows) for rows in _blocks(done, bot, nearest).transpose(1, 0, 2)]


def _deviation(rows: Array) -> Interval:
    """Return the mean of float64[blocks, 2], the number of histories and the sum of their deviations."""
    counts, sums = rows.T.tolist()
    return ratio_interval(sums, counts).interval() if sum(counts) else Interval(0.0, None, 0)


def _blocks(done: GloecknerResults, bot: str, nearest: int) -> Array:
    """Return by block and distance: float64[blocks, distances, 2]."""
    return done.summed(f"analysis/{bot}-{nearest}", "distances")


def variances(done: GloecknerResults, bot: str, nearest: int) -> dict[int, Array]:
    """Return diagram 1 and appendix C, by the number of nearest histories: float64[blocks, 4].

    The columns are the mappings, and the sums of the variances of their chances to fold, call and raise.
    """
    found: dict[int, Array] = {}
    for one in done.sessions(f"analysis/{bot}-{nearest}"):
        for size, rows in one["variances"].items():
            found[int(size)] = found.get(int(size), np.zeros(1)) + np.array(rows)
    return dict(sorted(found.items()))


def _variances(done: GloecknerResults) -> Iterator[Row]:
    """Yield diagram 1."""
    yield _expected_sizes(done)
    for nearest in ANALYSED:
        yield _least_variance(done, nearest)
        for bot in MAPPED:
            yield _flat_row(
                f"diagram-1-trend-{bot}" + _suffix(nearest),
                f"no trend of variance with the number of histories, {bot}, of {nearest} wanted: change with "
                "each history",
                _by_size(done, bot, nearest),
                "All actions together, where there is more than one history.",
            )


def _suffix(nearest: int) -> str:
    return "" if nearest == ANALYSED[0] else f"-{nearest}"


def _by_size(done: GloecknerResults, bot: str, nearest: int) -> Array:
    """Return by block and number of histories, of more than one: float64[blocks, numbers, 2], the mappings
    and the sum of their variances.
    """
    found = variances(done, bot, nearest)
    table = np.zeros((len(next(iter(found.values()))), nearest + 1, 2))
    for size, rows in found.items():
        if size > 1:
            table[:, size] = np.stack([rows[:, 0], rows[:, 1:].sum(axis=1)], axis=1)
    return table


def _expected_sizes(done: GloecknerResults) -> Row:
    """Return how often hbb2 finds as many histories as the document says."""
    found = [(size, rows[:, 0]) for near in ANALYSED for size, rows in variances(done, "hbb2", near).items()]
    total: Array = np.sum([counts for _, counts in found], axis=0)
    expected: Array = np.sum([counts for size, counts in found if size in SIZES], axis=0)
    part = ratio_interval(expected.tolist(), total.tolist()).interval()
    sizes = ", ".join(map(str, sorted({size for size, _ in found})))
    return judged_row(
        "diagram-1-hbb2",
        "5.2",
        "part of the mappings in which hbb2 finds 8, 10 or 15 histories, of 10 or 15 wanted",
        1,
        part,
        judge_figure(1.0, part, _ALWAYS),
        f"Within {_ALWAYS:g}. Here it finds {sizes}. Before the flop there are 8 histories. The blueprint "
        "never reaches some of them with a given hand; these are passed over.",
        3,
    )


def _least_variance(done: GloecknerResults, nearest: int) -> Row:
    means = {bot: _mean_variance(done, bot, nearest, range(3)) for bot in MAPPED}
    best = min((bot for bot in MAPPED if bot != "hbb3"), key=lambda bot: means[bot].mean)
    told = [f"{bot} {_said(one.interval())}" for bot, one in means.items()]
    leads = []
    for kind, action in enumerate(KINDS):
        theirs, its = (_mean_variance(done, bot, nearest, [kind]) for bot in (best, "hbb3"))
        leads.append(f"{action} {_said(theirs.difference(its))}")
    return claim_row(
        "diagram-1-least" + _suffix(nearest),
        "5.2, appendix C",
        f"hbb3 varies least: how much less its {nearest} nearest vary, all actions together, than those of "
        "the best other",
        means[best].difference(means["hbb3"]),
        (0, inf),
        f"Mean variance where there is more than one: {', '.join(told)}. How much less by action, {best}: "
        f"{', '.join(leads)}. Of 15 nearest the document prints one diagram, we cannot see of which action.",
    )


def _said(interval: Interval) -> str:
    return f"{interval.mean:.4f} ± {interval.half or 0:.4f}"


def _mean_variance(done: GloecknerResults, bot: str, nearest: int, kinds: Sequence[int]) -> Ratio:
    """Return the mean variance of these actions together; single answers do not vary, and are left out."""
    found = [rows for size, rows in variances(done, bot, nearest).items() if size > 1]
    total: Array = np.sum(found, axis=0, dtype=np.float64)
    return ratio_interval(total[:, [1 + kind for kind in kinds]].sum(axis=1).tolist(), total[:, 0].tolist())


def _unanswered(done: GloecknerResults, bot: str) -> Iterator[Row]:
    mappings, unanswered, seen, nan = done.summed(f"analysis/{bot}-15", "counts").T.tolist()
    none, of = NAN[bot]
    found, total = sum(unanswered), sum(mappings)
    rate = ratio_interval(unanswered, mappings).interval()
    if not found:
        # There may still be 3 in this many (95 %).
        rate = rate._replace(half=3 / total)
    # Of so few the noise is that of a count; if there are none, 3 in as many would still fit.
    noise = max(3.0, 1.96 * sqrt(none)) / of
    row = judged_row(
        f"nan-{bot}-none",
        "5.2",
        f"mappings of {bot} that find no history with an answer",
        round(none / of, 5),
        rate,
        judge_figure(none / of, rate, _RARE, noise),
        f"Within {_RARE:g}. {found} of {total:,}; there {none} of {of:,}. A history without an answer is one "
        "that the blueprint never comes to; ours is rounded to 255ths.",
        5,
    )
    yield replace(row, low=max(0.0, row.low or 0.0))
    yield claim_row(
        f"nan-{bot}-part",
        "5.2",
        f"histories without an answer, of those that the filter of {bot} leaves",
        ratio_interval(nan, seen).interval(),
        (1 / 4, 1 / 3),
        "The blueprint is another one, and has no chances below 1/510.",
        3,
        paper="1/4 to 1/3",
    )


def _distances(done: GloecknerResults) -> Iterator[Row]:
    """Yield table 6 and diagram 2, of the 10 and of the 15 nearest: the document does not say of which it is.

    Table 6 tells which reading fits better, so that it cannot judge it, too; diagram 2 is judged in that one.
    """
    fits = min(ANALYSED, key=lambda nearest: _away(_blocks(done, "hbb3", nearest)).mean)
    (other,) = set(ANALYSED) - {fits}
    for nearest in ANALYSED:
        for row in (*_readings(done, nearest), *_flat_rows(done, nearest)):
            whole = replace(row, id=row.id + _suffix(nearest), claim=f"{row.claim}, {nearest} nearest")
            if row.id.startswith("table-6"):
                why = f"No verdict: that it is of the {fits} nearest is inferred, from what fits it better."
                yield replace(whole, verdict="beyond", bound="", needed=None, note=f"{row.note} {why}")
            elif nearest == fits:
                worse = f"the {other} nearest fit table 6 worse (`table-6-shares{_suffix(other)}`)"
                why = f"The document does not say of how many: {worse}."
                yield replace(whole, note=f"{row.note} {why}")
            else:
                why = f"No verdict: the {fits} nearest fit table 6 better, and are judged."
                yield replace(whole, verdict="beyond", bound="", needed=None, note=f"{row.note} {why}")


def _flat_rows(done: GloecknerResults, nearest: int) -> Iterator[Row]:
    for bot in MAPPED:
        yield _flat_row(
            f"diagram-2-{bot}",
            f"no relation between distance and deviation, {bot}: change of the deviation with each action",
            _blocks(done, bot, nearest),
            _RAISES,
        )


def _away(blocks: Array) -> Interval:
    """Return how far the shares of the distances are from table 6."""
    paper = np.array(DISTANCES)
    counts = blocks[:, :, 0]
    shares = np.pad(paper / paper.sum(), (0, counts.shape[1] - len(paper)))
    return shares_distance(counts, shares, float(counts.sum() / paper.sum()))


def _flat_row(key: str, claim: str, blocks: Array, note: str) -> Row:
    """Return the row of a claim that something does not change with the column of ``blocks``."""
    change = mean_interval(slopes(blocks))
    note = f"Within {_SLIGHT:g} of none. {note}"
    return claim_row(key, "5.2", claim, change, (-_SLIGHT, _SLIGHT), note, paper="none")


def _readings(done: GloecknerResults, nearest: int) -> Iterator[Row]:
    """Yield the rows of table 6, and of the bar of diagram 2 that is told, for so many nearest."""
    blocks = _blocks(done, "hbb3", nearest)
    counts = blocks[:, :, 0]
    yield _mode(counts)
    totals = counts.sum(axis=1).tolist()
    away = ratio_interval((counts @ np.arange(LONGEST + 1)).tolist(), totals).interval()
    paper = np.array(DISTANCES)
    mean = float(paper @ np.arange(len(paper)) / paper.sum())
    noise = (away.half or 0.0) * sqrt(float(counts.sum() / paper.sum()))
    yield judged_row(
        "table-6-mean",
        "table 6",
        "the mean distance of a history",
        round(mean, 2),
        away,
        judge_figure(mean, away, 0.3, noise),
        "Within 0.3.",
        2,
    )
    yield distance_row(
        "table-6-shares",
        "table 6",
        "how far the shares of the distances are from the document's, of 1",
        _away(blocks),
        float(counts.sum() / paper.sum()),
        f"Within a tenth. {counts.sum():,.0f} histories, in the document {paper.sum():,}.",
    )
    at_once = _deviation(blocks[:, 0])
    noise_of_first = (at_once.half or 0.0) * sqrt(float(counts[:, 0].sum() / DISTANCES[0]))
    yield judged_row(
        "diagram-2-first",
        "5.2",
        "how far histories at distance 0 are from the mean, hbb3",
        FIRST,
        at_once,
        judge_figure(FIRST, at_once, _HEIGHT, noise_of_first),
        f"Within {_HEIGHT:g}. {_RAISES}",
        3,
    )


def answers(done: GloecknerResults) -> Array:
    """Return how far the mappings are from hbb6 at its decisions: as in ``compare_answers``, float64[blocks,
    mapping, active 2 or 3, street, 5].
    """
    return done.summed("answers/hbb6", "answers")


def _answers(done: GloecknerResults) -> Iterator[Row]:
    """Yield how far each mapping is from a player trained with three, and where most."""
    found = answers(done)
    for number, bot in enumerate(ASKED):
        rows = found[:, number].reshape(len(found), -1, 5)
        away = ratio_interval(rows[..., 1].sum(axis=1).tolist(), rows[..., 0].sum(axis=1).tolist())
        counts, sums = rows[..., 0].sum(axis=0), rows[..., 1].sum(axis=0)
        part = sums / sums.sum()
        worst = [
            f"{2 + place // 4} active, {STREETS[place % 4]}: {sums[place] / counts[place]:.2f} away, "
            f"{part[place]:.0%} of all"
            for place in np.argsort(-sums)[:3]
            if counts[place]
        ]
        yield unjudged_row(
            f"answers-{bot}",
            "6, 7, our measurement",
            f"how far the chances of {bot} are from those of hbb6 at the same decisions, of 1",
            away.interval(),
            f"{counts.sum():,.0f} decisions of hbb6 against akuma and ownbot. Most: {'; '.join(worst)}.",
            3,
        )


def _mode(counts: Array) -> Row:
    paper = int(np.argmax(DISTANCES))
    sums = counts.sum(axis=0)
    rival = int(np.argmax(np.where(np.arange(len(sums)) == paper, -1, sums)))
    totals = counts.sum(axis=1).tolist()
    lead = ratio_interval((counts[:, paper] - counts[:, rival]).tolist(), totals).interval()
    second = sorted(DISTANCES)[-2]
    return claim_row(
        "table-6-mode",
        "table 6",
        f"most histories are at distance {paper}: by how much of all more than at any other",
        lead,
        (0, inf),
        f"{sums[paper]:,.0f} histories are at distance {paper}, {sums[rival]:,.0f} at {rival}.",
        3,
        paper=round((max(DISTANCES) - second) / sum(DISTANCES), 3),
        noise=(lead.half or 0.0) * sqrt(float(counts.sum() / sum(DISTANCES))),
    )


def slopes(blocks: Array) -> list[float]:
    """Return the least-squares slope of the deviation over the distance, for each block that has one.

    ``blocks``: by block and distance, the number, and the sum of the deviations.
    """
    away = np.arange(blocks.shape[1])
    found = []
    for counts, sums in blocks.transpose(0, 2, 1):
        if (counts > 0).sum() > 1:
            centred = away - counts @ away / counts.sum()
            found.append(float(centred @ sums / (counts @ centred**2)))
    return found or [0.0]
