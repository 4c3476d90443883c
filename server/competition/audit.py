"""Looks for bots that do better on deals they have seen before.

Applies ``dealer.audit`` to the directory of a finished competition; its state has the order of play.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from dealer.audit import ALPHA, Contrast, Finding, PlayedSession, contrasts, findings
from dealer.match import Session
from server.competition.file import Competition
from server.competition.results import net_chips
from server.competition.store import CompetitionStore, StoreError
from server.storage.competition_state import CompetitionState
from server.storage.sqlite import STATE_DB_NAME

_WORDS = {"better": "better on deals seen before", "undecided": "undecided", "not better": "not better"}


class Audit(NamedTuple):
    """The findings, in mbb/hand. ``left_out`` counts, by (division, bot), the matches that are left out
    because the bot saw some of their deals in sessions that were cut.
    """

    competition: str
    findings: list[Finding]
    left_out: dict[tuple[str, str], int]

    @property
    def better(self) -> list[Finding]:
        """The findings with the verdict ``better``."""
        return [one for one in self.findings if one.verdict == "better"]


class _PlayOrder(NamedTuple):
    """The order in which sessions were begun, and the (match, bot) pairs of sessions that were cut."""

    begun: dict[str, int]
    cut: set[tuple[int, str]]


def audit(out: Path, *, as_json: bool = False) -> int:
    """Audit a directory and print the findings. Return 1 if a bot does better on deals seen before, else 0.
    Raises ``StoreError`` and ``StateError``.
    """
    found = audit_directory(out)
    print(json.dumps(_data(found), indent=1) if as_json else "\n".join(_lines(out, found)))
    return 1 if found.better else 0


def audit_directory(out: Path) -> Audit:
    """Make all comparisons for a finished competition. Raises ``StoreError`` and ``StateError``."""
    store = CompetitionStore(out)
    competition = store.competition()
    order = _load_play_order(out, competition)
    units: dict[tuple[str, str], list[Contrast]] = {}
    left_out: dict[tuple[str, str], int] = defaultdict(int)
    for name, division in competition.divisions.items():
        scale = 1000 / competition.chips_per_unit(name)
        units |= {(name, bot): [] for bot in division.bots}
        for match, sessions in _matches(competition, name):
            played = [
                PlayedSession(
                    session, order.begun[session.name], _mean_net_by_seat(competition, store, session)
                )
                for session in sessions
            ]
            for bot, found in contrasts(played, random_order=bool(competition.remembering_bots)).items():
                if (match, bot) in order.cut:
                    left_out[name, bot] += 1
                else:
                    units[name, bot].append(found.scaled(scale))
    return Audit(competition.name, findings(units), dict(left_out))


def _load_play_order(out: Path, competition: Competition) -> _PlayOrder:
    if not (out / STATE_DB_NAME).is_file():
        raise StoreError("unfinished", f"{out} has no {STATE_DB_NAME}, so the order of play is unknown")
    state = CompetitionState(out / STATE_DB_NAME, read_only=True)
    try:
        attempts = state.attempts()
    finally:
        state.close()
    sessions = {session.name: session for session in competition.sessions}
    begun = {one.session: one.number for one in attempts if one.state == "done"}
    missing = sessions.keys() - begun.keys()
    if missing:
        raise StoreError("unfinished", f"{out / STATE_DB_NAME} has no finished attempt at {min(missing)}")
    cut = {
        (sessions[one.session].match, bot)
        for one in attempts
        if one.state != "done" and one.session in sessions
        for bot in sessions[one.session].players
    }
    return _PlayOrder(begun, cut)


def _matches(competition: Competition, division: str) -> Iterator[tuple[int, list[Session]]]:
    found: defaultdict[int, list[Session]] = defaultdict(list)
    for session in competition.sessions:
        if session.division == division:
            found[session.match].append(session)
    yield from found.items()


def _mean_net_by_seat(competition: Competition, store: CompetitionStore, session: Session) -> list[float]:
    """Return the mean net chips per hand, by seat."""
    rows = net_chips(competition, session, list(store.hands(session)))
    return [fmean(column) for column in zip(*rows, strict=True)]


def _lines(out: Path, found: Audit) -> Iterator[str]:
    compared = sum(one.p is not None for one in found.findings)
    for division in dict.fromkeys(one.division for one in found.findings):
        yield f"{division}: gain on deals seen before, in mbb/hand"
        yield f"  {'bot':24}{'more':>10}{'95 % interval':>24}{'matches':>9}{'p':>9}{'p of all':>9}"
        for one in found.findings:
            if one.division == division:
                yield f"  {one.bot:24}{_finding_columns(one)}  {_WORDS[one.verdict]}"
        for (where, bot), count in sorted(found.left_out.items()):
            if where == division:
                yield f"  {bot}: {count} matches left out, seen before in interrupted sessions"
    yield f"p of all: corrected for {compared} comparisons (Holm); better: at most {ALPHA:.0%}"
    if found.better:
        names = ", ".join(f"{one.bot} ({one.division})" for one in found.better)
        yield f"{out}: better on deals seen before: {names}"
    else:
        yield f"{out}: no bot is shown to do better on deals seen before"


def _finding_columns(one: Finding) -> str:
    if one.gain is None:
        return f"{'-':>10}{'':>24}{0:>9}{'':>18}"
    span = "" if one.gain.half is None else f"{one.gain.low:+.1f} to {one.gain.high:+.1f}"
    chances = "".join(f"{_p_text(p):>9}" for p in (one.p, one.corrected))
    return f"{one.gain.mean:>+10.1f}{span:>24}{one.gain.units:>9}{chances}"


def _p_text(p: float | None) -> str:
    return "" if p is None else "<0.0001" if p < 0.0001 else f"{p:.4f}"


def _data(found: Audit) -> dict[str, Any]:
    return {
        "competition": found.competition,
        "comparisons": sum(one.p is not None for one in found.findings),
        "alpha": ALPHA,
        "divisions": [
            {
                "division": division,
                "bots": [
                    {
                        "bot": one.bot,
                        "mbb": one.gain and one.gain.mean,
                        "ci95": one.gain and one.gain.half,
                        "matches": one.gain.units if one.gain else 0,
                        "p": one.p,
                        "corrected": one.corrected,
                        "verdict": one.verdict,
                        "left_out": found.left_out.get((division, one.bot), 0),
                    }
                    for one in found.findings
                    if one.division == division
                ],
            }
            for division in dict.fromkeys(one.division for one in found.findings)
        ],
    }
