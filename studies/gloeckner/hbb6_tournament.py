"""The second tournament: hbb6's lead over the five mappings, akuma and ownbot, in both rankings."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations

from dealer.intervals import Interval
from studies.gloeckner.comparisons import UNDECIDED, is_decided, undecided_note
from studies.gloeckner.plan import HBB6_TOURNAMENT
from studies.gloeckner.rankings import TournamentRankings
from studies.harness.report import Row
from studies.harness.verdicts import unjudged_row

_HERO = "hbb6"
_OTHERS = tuple(bot for bot in HBB6_TOURNAMENT if bot != _HERO)
_SOURCE = "7, our measurement"
_TOLD = 3
# The number of opponents with the largest parts of the lead that are named.


def hbb6_rows(found: TournamentRankings) -> Iterator[Row]:
    """Yield bankrolls, places, and hbb6's lead over each other bot."""
    for bot, interval in found.rates.items():
        claim = f"bankroll of {bot} among eight, mbb/hand over its 21 matches"
        yield unjudged_row(f"eight-{bot}", _SOURCE, claim, interval, undecided_note(interval), 1)
    for number, name, method, ranking in (
        (0, "bankroll", "total bankroll", found.by_bankroll),
        (1, "run-off", "instant run-off", found.by_run_off),
    ):
        first = found.first(number)[_HERO]
        yield unjudged_row(
            f"eight-{name}",
            _SOURCE,
            f"places among eight by {method}",
            ", ".join(ranking),
            f"{_HERO} is the first in {first:.0%} of the samples of a bootstrap over deals.",
        )
    yield from _leads(found)


def _leads(found: TournamentRankings) -> Iterator[Row]:
    for name, number, method in (("ahead", 0, "total bankroll"), ("run-off", 1, "instant run-off")):
        leads = {}
        for other in _OTHERS:
            left = found.last_together(_HERO, other) if number else HBB6_TOURNAMENT
            leads[other] = found.lead(_HERO, other, left)
            where = "among eight" if len(left) == len(HBB6_TOURNAMENT) else f"among the last {len(left)}"
            before = f"Before it in {found.chance_ahead(_HERO, other, number):.0%} of the samples."
            condition = f"With {', '.join(left)} left. " if number else ""
            yield unjudged_row(
                f"{_HERO}-{name}-{other}",
                _SOURCE,
                f"what {_HERO} wins more than {other} {where} ({method}), mbb/hand",
                leads[other],
                condition + before + _shortfall(found, other, leads[other], left),
                1,
            )
        yield _all_of_them(name, method, leads)


def _all_of_them(name: str, method: str, leads: dict[str, Interval]) -> Row:
    ahead = [bot for bot, lead in leads.items() if is_decided(lead) and lead.mean > 0]
    behind = [bot for bot, lead in leads.items() if is_decided(lead) and lead.mean < 0]
    unclear = [bot for bot, lead in leads.items() if not is_decided(lead)]
    groups = (("Clearly ahead of", ahead), ("clearly behind", behind), ("undecided against", unclear))
    listed = "; ".join(f"{label} {', '.join(bots)}" for label, bots in groups if bots)
    return unjudged_row(
        f"{_HERO}-{name}-all",
        _SOURCE,
        f"bots of the seven that {_HERO} is ahead of by {method}",
        sum(lead.mean > 0 for lead in leads.values()),
        f"{listed[:1].upper()}{listed[1:]}. The document cites that CFR does well with several players (1.1, "
        "3.2; its [9]).",
    )


def _shortfall(found: TournamentRankings, other: str, lead: Interval, left: Collection[str]) -> str:
    if is_decided(lead) and lead.mean > 0:
        return ""
    verdict = f"{other} is ahead." if is_decided(lead) else UNDECIDED
    return f" {verdict} {explain_lead(found, other, left)}".rstrip()


def explain_lead(found: TournamentRankings, other: str, left: Collection[str]) -> str:
    """Describe the main parts of hbb6's lead over another bot: at tables with both, or the opponents from
    whom each of them wins how much. Empty if there are none.
    """
    thirds = [bot for bot in left if bot not in (_HERO, other)]
    parts = []
    for third in thirds:
        mine, his = found.against(_HERO, (other, third)), found.against(other, (_HERO, third))
        parts.append((mine - his, f"at one table with {third}", mine, his))
    for pair in combinations(thirds, 2):
        mine, his = found.against(_HERO, pair), found.against(other, pair)
        parts.append((mine - his, f"against {' and '.join(pair)}", mine, his))
    worst = [part for part in sorted(parts) if part[0] < 0][:_TOLD]
    listed = "; ".join(f"{where} {mine:+.0f} and {his:+.0f}" for _, where, mine, his in worst)
    return f"{_HERO} and {other} win, where it falls behind most: {listed} mbb/hand." if listed else ""
