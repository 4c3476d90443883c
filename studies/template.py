"""The study ``template``, a starting point for others: plan, units of work, rows with intervals, report.

A copy at ``studies/NAME.py`` is the study NAME; it needs no registration.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from math import inf
from typing import Any

from dealer.intervals import mean_interval
from dealer.match import Division
from dealer.rules.games import load_game
from studies.harness.arena import Contest, ContestEntry, FixedTable, deal_totals
from studies.harness.report import Row, StudyReport
from studies.harness.runner import Study
from studies.harness.verdicts import claim_row
from studies.harness.work import Unit, contest_results, contest_units

_TITLE = "Template: who plays well wins from who plays at random"
_METHOD = """`fair` and `random` play heads-up. Every deal is played from both seats, and is one unit of the
interval. The claim is reproduced if the interval lies above zero."""
_GAMES = {"limit": "holdem.limit.2p.reverse_blinds", "no-limit": "holdem.nolimit.2p.reverse_blinds"}
_BOTS = {name: ContestEntry(name) for name in ("fair", "random")}


def _contest(game: str, quick: bool, seed: int) -> Contest:
    matches, hands = (2, 5) if quick else (10, 30)
    division = Division(game, tuple(_BOTS), 2, matches, hands)
    cards = sha256(f"template {seed}".encode()).digest()
    return Contest(division, FixedTable(load_game(_GAMES[game])), _BOTS, cards)


def _units(quick: bool, seed: int) -> list[Unit]:
    return [unit for game in _GAMES for unit in contest_units(game, _contest(game, quick, seed))]


def _row(game: str, contest: Contest, done: Mapping[str, Any]) -> Row:
    chips = deal_totals(contest, contest_results(game, contest, done), ["fair"])
    wins = mean_interval(chips).scaled(1000 / (contest.unit * contest.division.seatings))
    claim = f"{game}: fair wins, mbb/hand"
    return claim_row(f"wins-{game}", "docs/bots.md, fair", claim, wins, (0, inf), digits=1)


def _report(quick: bool, seed: int, done: Mapping[str, Any]) -> StudyReport:
    rows = [_row(game, _contest(game, quick, seed), done) for game in _GAMES]
    return StudyReport("template", _TITLE, quick, {"seed": seed}, [_METHOD.replace("\n", " ")], rows)


STUDY = Study(_TITLE, _units, _report)
