"""The study ``nolimit``: what the bots ``nolimit`` and ``nolimit+search`` are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from dealer.intervals import Interval, mean_interval
from strategy.lbr.response import FREEDOMS, RIVER, TURN, without_luck
from strategy.nolimit_bots.policy import DEPTHS
from studies.harness.report import COLOURS, Figure, Row, StudyReport
from studies.harness.runner import Study
from studies.harness.verdicts import claim_row, judge_exact, unjudged_row
from studies.nolimit.jobs import SEARCH
from studies.nolimit.plan import LBR_DEPTHS, OPPONENTS, PACE_DEPTH, PUSH_FOLD_DEPTH, sizes, units

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

_TITLE = "No-limit: what nolimit and nolimit+search are worth"
_ASKED = "asked"
_TABLE_3 = "Lisý and Bowling 2017, table 3"
_SLUMBOT: Final = {"fc": 522, "fcpa": 4020}
"""What LBR won from Slumbot 2016 at 200 big blinds, mbb/hand (Lisý and Bowling 2017, table 3)."""
_FOLDING: Final = {"fc": 250, "fcpa": 750, "56": 750}
"""What LBR wins from a bot that always folds."""
_SEARCH_MOST = 750.0
_WINS = 500
_NEAR = 5.0
_MOST_MILLISECONDS: Final = {"nolimit": 1.0, SEARCH: 100.0}
_MOST_MEGABYTES = 300.0
_STREETS: Final = {"river": 200.0, "turn": 3000.0}
"""Milliseconds of a decision there, by the search."""
_CLOCK_HANDS = 10_000
_SMALL: Final = {"river": 397.0, "turn": 124.0}
_LOSSES = "LBR wins, mbb/hand"


def _parts(done: Mapping[str, Any], name: str) -> list[Any]:
    """Return the results of a row's units that are there, in order."""
    found = [(int(key.partition("/")[2]), one) for key, one in done.items() if key.startswith(f"{name}/")]
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def _lbr(done: Mapping[str, Any], name: str) -> Interval | None:
    parts = _parts(done, name)
    if not parts:
        return None
    won, luck = ([one for part in parts for one in part[place]] for place in range(2))
    return mean_interval(without_luck(won, luck, steady=True))


def _lbr_rows(done: Mapping[str, Any]) -> Iterator[Row]:
    for depth in LBR_DEPTHS:
        for freedom in FREEDOMS:
            name, folding = f"lbr-{depth}-{freedom}", _FOLDING[freedom]
            found = _lbr(done, name)
            published = _SLUMBOT.get(freedom) if depth == 200 else None
            if found is not None:
                what = "less than from Slumbot 2016" if published else "less than from always folding"
                note = f"Always folding loses {folding}." if published else ""
                claim = f"nolimit, {depth} big blinds, {freedom}: {_LOSSES}, {what}"
                most = published or folding
                source = _TABLE_3 if depth == 200 else "docs/nolimit.md"
                yield claim_row(name, source, claim, found, (-inf, most), note, 0, paper=most)
    for depth in LBR_DEPTHS:
        for freedom in FREEDOMS:
            found = _lbr(done, f"search-lbr-{depth}-{freedom}")
            if found is not None:
                claim = (
                    f"{SEARCH}, {depth} big blinds, {freedom}: {_LOSSES}, the interval's upper end below 750"
                )
                name, slumbot = f"search-lbr-{depth}-{freedom}", _SLUMBOT.get(freedom)
                note = f"From Slumbot 2016, at 200 big blinds, it won {slumbot:,}." if slumbot else ""
                yield claim_row(name, _ASKED, claim, found, (-inf, _SEARCH_MOST), note, 0, paper=750)


def _duel_rows(done: Mapping[str, Any]) -> Iterator[Row]:
    for depth in DEPTHS:
        for other in OPPONENTS:
            raw, net = (
                [one for part in _parts(done, f"duel-{depth}-{other}") for one in part[kind]]
                for kind in ("raw", "net")
            )
            if net:
                found, with_luck = mean_interval(net), mean_interval(raw)
                clear = "Clear of zero" if (found.low or 0) > 0 else "Not clear of zero"
                note = f"{clear}. With the luck of the cards {_said(with_luck)}."
                claim = f"nolimit wins from {other}, {depth} big blinds, mbb/hand: at least {_WINS}"
                yield claim_row(
                    f"duel-{depth}-{other}", _ASKED, claim, found, (_WINS, inf), note, 0, paper=_WINS
                )
    net = [one for part in _parts(done, f"duel-{PUSH_FOLD_DEPTH}-pushfold") for one in part["net"]]
    if net:
        claim = (
            f"nolimit wins from pushfold, {PUSH_FOLD_DEPTH} big blinds, mbb/hand: ahead, or at most 5 behind"
        )
        row = claim_row(
            "duel-pushfold", _ASKED, claim, mean_interval(net), (-_NEAR, inf), "", 1, paper=-_NEAR
        )
        weak = row.detects is not None and row.detects > _NEAR
        hidden = f"A loss of less than {row.detects} may stay hidden from so few deals."
        yield replace(row, note=f"{hidden} {row.note}".strip()) if weak else row
    for depth in DEPTHS:
        parts = _parts(done, f"search-duel-{depth}")
        if parts:
            found = mean_interval([one for part in parts for one in part["won"]])
            lost = sum(part["lost"] for part in parts)
            note = f"Raises for which the trained strategy had no place: {lost}." if lost else ""
            claim = f"{SEARCH} wins from nolimit, {depth} big blinds, mbb/hand: clear of zero"
            yield claim_row(f"search-duel-{depth}", _ASKED, claim, found, (0, inf), note, 0)


def _said(found: Interval) -> str:
    return f"{found.mean:,.0f}" + ("" if found.half is None else f" ± {found.half:,.0f}")


def _pace_rows(done: Mapping[str, Any]) -> Iterator[Row]:
    for bot, most in _MOST_MILLISECONDS.items():
        found = done.get(f"pace/{bot}")
        if found is None:
            continue
        milliseconds = sorted(1000 * one for one in found["seconds"])
        middle, rare = median(milliseconds), milliseconds[int(0.99 * len(milliseconds))]
        about = f"{bot}, {len(milliseconds):,} decisions at {PACE_DEPTH} big blinds"
        note = f"The longest took {milliseconds[-1] / 1000:.1f} s, with what it loads and compiles."
        yield _at_most(f"{bot}-median", f"{about}: the median, milliseconds", middle, most, note)
        yield unjudged_row(
            f"{bot}-99", "docs/nolimit.md", f"{about}: 99 of 100, milliseconds", round(rare, 2)
        )
        if found["megabytes"] is not None:
            about = f"{bot}: peak memory of a process that plays it, MB"
            yield _at_most(f"{bot}-memory", about, found["megabytes"], _MOST_MEGABYTES)
        about = f"{bot}: time-outs in {found['hands']:,} hands, with the default clock"
        few = f"Asked for {_CLOCK_HANDS:,} hands." if found["hands"] < _CLOCK_HANDS else ""
        yield _at_most(f"{bot}-late", about, found["late"], 0, few)
        if bot == SEARCH:
            yield from _street_rows(found)


def _street_rows(found: Mapping[str, Any]) -> Iterator[Row]:
    for (name, most), street in zip(_STREETS.items(), (RIVER, TURN), strict=True):
        # The first decision loads and compiles.
        times = [one for one, at in zip(found["seconds"], found["streets"], strict=True) if at == street][1:]
        if times:
            about = f"{SEARCH}, {len(times):,} decisions on {name}s after the first: 99 of 100, milliseconds"
            note = f"The longest took {1000 * max(times):,.0f}."
            rare = 1000 * sorted(times)[int(0.99 * len(times))]
            yield _at_most(f"{SEARCH}-{name}", about, rare, most, note)


def _small_rows(done: Mapping[str, Any]) -> Iterator[Row]:
    found = done.get("small")
    if found is not None:
        game = "holdem5.nolimit.2p: exploitability, mbb/hand,"
        yield unjudged_row("small-trained", "docs/nolimit.md", f"{game} as trained", round(found["trained"]))
        for street, most in _SMALL.items():
            yield _at_most(f"small-{street}", f"{game} every {street} solved again", found[street], most)


def _at_most(name: str, claim: str, measured: float, most: float, note: str = "") -> Row:
    verdict = judge_exact(measured <= most)
    return Row(name, _ASKED, claim, most, round(measured, 2), verdict, note, bound=f"≤ {most:g}")


def _report(quick: bool, seed: int, done: Mapping[str, Any]) -> StudyReport:
    losses, duels = list(_lbr_rows(done)), list(_duel_rows(done))
    played = [f"{bot}: {hands:,}" for bot, hands in sizes(quick).pace]
    return StudyReport(
        study="nolimit",
        title=_TITLE,
        quick=quick,
        settings={"seed": seed, "hands of the pace": ", ".join(played)},
        method=[" ".join(paragraph.split()) for paragraph in _METHOD.strip().split("\n\n")],
        rows=[*losses, *duels, *_pace_rows(done), *_small_rows(done)],
        figures=[
            Figure(
                "lbr",
                "What a local best response wins, with 95 % intervals. Crosses: the bound of the row.",
                partial(_draw_rows, losses, "mbb/hand"),
                (8.0, 0.25 * len(losses) + 1),
            ),
            Figure(
                "duels",
                "What the bot that is named first wins, with 95 % intervals. Crosses: what was asked.",
                partial(_draw_rows, duels, "mbb/hand"),
                (8.0, 0.25 * len(duels) + 1),
            ),
            Figure(
                "pace",
                "How many of 100 decisions take more CPU time.",
                partial(
                    _draw_pace,
                    {
                        bot: done[f"pace/{bot}"]["seconds"]
                        for bot in _MOST_MILLISECONDS
                        if f"pace/{bot}" in done
                    },
                ),
            ),
        ],
        row_contests={
            row.id: [row.id if row.id != "duel-pushfold" else "duel-10-pushfold"] for row in [*losses, *duels]
        },
    )


def _draw_rows(rows: Sequence[Row], unit: str, canvas: Canvas) -> None:
    axes = canvas.subplots()
    axes.axvline(0, color="black", linewidth=0.8)
    for place, row in enumerate(rows):
        assert isinstance(row.measured, float)
        colour = COLOURS["search" in row.id]
        if row.low is not None and row.high is not None:
            axes.plot([row.low, row.high], [place, place], color=colour, linewidth=1.2)
        axes.plot(row.measured, place, "o", color=colour, markersize=4)
        if isinstance(row.paper, int | float):
            axes.plot(row.paper, place, "x", color=COLOURS[4], markersize=6)
    axes.set_yticks(range(len(rows)), [row.id for row in rows], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(unit)
    axes.grid(axis="x", alpha=0.25)


def _draw_pace(found: Mapping[str, Sequence[float]], canvas: Canvas) -> None:
    axes = canvas.subplots()
    for number, (bot, seconds) in enumerate(found.items()):
        times = sorted((1000 * one for one in seconds), reverse=True)
        shares = [100 * place / len(times) for place in range(1, len(times) + 1)]
        axes.step(times, shares, color=COLOURS[number], label=bot)
        axes.axvline(_MOST_MILLISECONDS[bot], color=COLOURS[number], linestyle=":", linewidth=1)
    axes.set(xscale="log", xlabel="milliseconds; dotted: asked for the median", ylabel="of 100 decisions")
    axes.legend()
    axes.grid(alpha=0.25)


_METHOD = """
A local best response (LBR) knows the strategy and plays a simple answer to it; what it wins is less than what
a best response would. Its settings are the published ones: `fc` folds and calls, `fcpa` also bets the pot and
all-in on turn and river, `56` has 56 sizes there. It was published for 200 big blinds: there the column
*document* has what it won from Slumbot 2016 (`fc` 522, `fcpa` 4,020); elsewhere, and for `56`, what it wins
from a bot that always folds. Against `nolimit` the strategy's actions are drawn 16 times a deal and position,
against `nolimit+search` once, as every turn has to be solved. The luck of the cards is taken out.

In the duels `nolimit` plays other bots in duplicate matches, with equal stacks. A deal in both seats is one
unit; the luck of the cards is taken out as in a competition. The column *document* has what was asked.
Another open solver, donksolver 0.1.0, cannot be met: in its trees for two the small blind acts first on every
street, which is another game.

`nolimit+search` and `nolimit` play alike before the turn, so they play each board once up to there and then
in both seats, 48 times each with the same dice. All hands that they may hold are played at once, weighted;
a board is one unit. A raise for which the trained strategy has no place is answered by checking and calling.

The pace is the CPU time of decisions, so what else the machine does is not in it; half of the hands are
against `nolimit`, half against `loki2`, whose bets have other sizes. The default clock gives ten seconds for
a decision and a minute of bank for a match.

The game with twenty cards is [small enough](../../nolimit.md#an-exact-game) for an exact best response.
"""

STUDY = Study(_TITLE, units, _report)
