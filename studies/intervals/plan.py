"""The competitions of the study, between identical players, and their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from math import exp
from random import Random
from typing import Any, Literal, NamedTuple

from dealer.curves import Point, WinningsCurves
from dealer.formats.format import Stakes
from dealer.formats.tournament import Level
from dealer.match import Division, Session, bot_seed
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.events import Event, HandEnded, HandStarted
from dealer.rules.games import Game, load_game
from dealer.standings import standings_data
from strategy.registry import Strategy
from strategy.situation import Situation
from studies.harness.arena import CashTable, Contest, ContestEntry, FixedTable, TournamentTable
from studies.harness.work import Unit

#: Competitions of each format, and of a quick run, and how many of them make one unit.
COMPETITIONS = 2000
QUICK = 2
_TOGETHER = 20

_STAKES = Stakes(5, 10)
_DEPTH = Stakes(5, 10, depth=(5, 100))
_NO_LIMIT = FixedTable(load_game("holdem.nolimit.2p.reverse_blinds"))
_LIMIT = FixedTable(load_game("holdem.limit.2p.reverse_blinds"))
_NO_LIMIT_3 = FixedTable(load_game("holdem.nolimit.3p"))
_LIMIT_3 = FixedTable(load_game("holdem.limit.3p"))
_LEVELS = (Level(5, 10, 0, 10), Level(20, 40, 0, 10), Level(100, 200, 0, 10))


class TestDivision(NamedTuple):
    """A division of ``bots`` players who all play ``strategy``; ``learner`` is the one of this module.

    ``bound``: whether its intervals must have exactly the stated coverage, at least that, or may be too
    narrow (for learning bots in a single match).
    """

    name: str
    about: str
    table: FixedTable | CashTable | TournamentTable
    bots: int
    matches: int
    hands: int
    seating: str = "all"
    strategy: str = "random"
    chosen: int | None = None
    bound: Literal["both", "below", "none"] = "both"

    def contest(self, seed: int, number: int) -> Contest:
        """Return one of its competitions."""
        names = tuple("abcdefghij"[: self.bots])
        division = Division(
            self.name, names, self.table.game.players, self.matches, self.hands, self.seating, self.chosen
        )
        text = f"intervals {seed} {self.name} {number}"
        kind = _LearnerContest if self.strategy == "learner" else Contest
        return kind(
            division,
            self.table,
            dict.fromkeys(names, ContestEntry(self.strategy)),
            sha256(text.encode()).digest(),
        )

    @property
    def weight(self) -> float:
        """Return the relative duration of a competition."""
        division = self.contest(0, 0).division
        each = {"cup": 30, "adaptive": 10}.get(self.name.partition("-")[0], 1)
        return division.sessions * division.hands * each


class PrintedInterval(NamedTuple):
    """A printed interval.

    ``chosen``: it belongs to neighbours in a ranking, who are selected by the same results that are compared;
    among more than two bots they are closer to each other than a random pair.
    """

    name: str
    about: str
    chosen: bool = False


PRINTED_INTERVALS = (
    PrintedInterval("rate", "mbb/hand of a bot"),
    PrintedInterval("cell", "cell of the crosstable"),
    PrintedInterval("pair", "difference of two bots that are named beforehand"),
    PrintedInterval("ahead", "ahead of the next in the ranking", chosen=True),
    PrintedInterval("margin", "margin of a run-off round", chosen=True),
    PrintedInterval("last-round", "ahead of the next in the last round of the run-off", chosen=True),
    PrintedInterval("raw", "band at the end of the curve of a seating"),
    PrintedInterval("on-the-way", "band at seven tenths of the duplicate curve"),
    PrintedInterval("end", "band at the end of the duplicate curve"),
)


DIVISIONS = (
    TestDivision("heads-up", "no-limit, fixed stacks", _NO_LIMIT, 2, 1, 60),
    TestDivision("heads-up-limit", "limit, fixed stacks", _LIMIT, 2, 1, 60),
    TestDivision("round-robin", "limit, fixed stacks, four bots heads-up", _LIMIT, 4, 1, 30),
    TestDivision("few-deals", "no-limit, fixed stacks, ten deals", _NO_LIMIT, 2, 1, 10, bound="below"),
    TestDivision("matches", "no-limit, fixed stacks, ten matches", _NO_LIMIT, 2, 10, 10),
    TestDivision("three", "no-limit, three players, all seatings", _NO_LIMIT_3, 3, 1, 60),
    TestDivision("three-limit", "limit, three players, all seatings", _LIMIT_3, 3, 1, 60),
    TestDivision("three-rotations", "no-limit, three players, rotations, four bots",
                 _NO_LIMIT_3, 4, 1, 30, "rotations"),
    TestDivision("three-chosen", "limit, three players, rotations, six bots in ten of twenty line-ups",
                 _LIMIT_3, 6, 1, 21, "rotations", chosen=10),
    TestDivision("depth", "cash with depth, heads-up", CashTable(2, _DEPTH), 2, 1, 60),
    TestDivision("depth-three", "cash with depth, three players, rotations",
                 CashTable(3, _DEPTH), 3, 1, 60, "rotations"),
    TestDivision("cash", "cash without depth, heads-up", CashTable(2, _STAKES), 2, 16, 40),
    TestDivision("cash-few", "cash without depth, heads-up, ten matches", CashTable(2, _STAKES), 2, 10, 40),
    TestDivision("cash-three", "cash without depth, three players, rotations",
                 CashTable(3, _STAKES), 3, 10, 20, "rotations"),
    TestDivision("cup", "tournaments, heads-up", TournamentTable(2, _LEVELS), 2, 30, 1),
    TestDivision("cup-few", "tournaments, heads-up, ten matches",
                 TournamentTable(2, _LEVELS), 2, 10, 1, bound="below"),
    TestDivision("cup-three", "tournaments, three players, all seatings",
                 TournamentTable(3, _LEVELS), 3, 12, 1),
    TestDivision("cup-rotations", "tournaments, three players, rotations, four bots",
                 TournamentTable(3, _LEVELS), 4, 10, 1, "rotations"),
    TestDivision("learning", "limit, fixed stacks, ten matches, bots that play what has won",
                 _LIMIT, 2, 10, 20, strategy="learner"),
    TestDivision("learning-cash", "cash without depth, ten matches, bots that play what has won",
                 CashTable(2, _STAKES), 2, 10, 20, strategy="learner"),
    TestDivision("adaptive", "no-limit, fixed stacks, ten matches, adaptive2",
                 _NO_LIMIT, 2, 10, 10, strategy="adaptive2"),
    TestDivision("adaptive-single", "no-limit, fixed stacks, a single match, adaptive2",
                 _NO_LIMIT, 2, 1, 60, strategy="adaptive2"),
    TestDivision("learning-single", "limit, fixed stacks, a single match, bots that play what has won",
                 _LIMIT, 2, 1, 100, strategy="learner", bound="none"),
)  # fmt: skip


class _StyleLearner:
    """Plays each hand in one of three styles: folds to most bets, calls, or raises.

    The style is drawn with weights that grow with its past winnings. So two equal learners soon play
    differently, and continue to do so to the end of the session.
    """

    def __init__(self, seed: int, game: Game) -> None:
        self._random = Random(seed)
        self._unit = 2 * max(game.blinds)
        self._won = [0.0, 0.0, 0.0]
        self._style = 0
        self._position = 0

    def observe(self, event: Event) -> None:
        """Draw a style before the hand, and update its weight after it."""
        if isinstance(event, HandStarted):
            self._position = next(number for number, hole in enumerate(event.hole) if hole)
            most = max(self._won)
            self._style = self._random.choices(range(3), [exp(won - most) for won in self._won])[0]
        elif isinstance(event, HandEnded):
            self._won[self._style] += max(-1.0, min(1.0, event.values[self._position] / self._unit))

    def decide(self, situation: Situation) -> Action:
        """Return a legal action in the style of the hand."""
        fold, _, least, _ = situation.legal
        often = self._random.random() < 0.6
        if self._style == 0:
            return FOLD if fold and often else CALL
        return raise_to(least) if self._style == 2 and least is not None and often else CALL


@dataclass(frozen=True)
class _LearnerContest(Contest):
    """A contest of ``_StyleLearner``."""

    def strategies(self, session: Session, game: Game) -> list[Strategy]:
        seats = range(len(session.players))
        return [_StyleLearner(bot_seed(self._key, session, seat), game) for seat in seats]


def units(quick: bool, seed: int) -> list[Unit]:
    """Return the work: several competitions of a format per unit."""
    count = QUICK if quick else COMPETITIONS
    return [
        Unit(
            f"{one.name}/{first}",
            excluded_shares,
            (one, seed, first, min(count, first + _TOGETHER)),
            one.weight,
        )
        for one in DIVISIONS
        for first in range(0, count, _TOGETHER)
    ]


def excluded_shares(played: TestDivision, seed: int, first: int, end: int) -> dict[str, list[float]]:
    """Return, by figure, the share of intervals that contain the truth, 0.

    One value for each competition from ``first`` to before ``end``. A figure without printed intervals is
    missing.
    """
    found: dict[str, list[float]] = {}
    for number in range(first, end):
        covers: dict[str, list[bool]] = {}
        for name, covered in _covers(played.contest(seed, number)):
            covers.setdefault(name, []).append(covered)
        for name, each in covers.items():
            found.setdefault(name, []).append(sum(each) / len(each))
    return found


def _covers(contest: Contest) -> Iterator[tuple[str, bool]]:
    """Yield the printed intervals of a competition by figure, and whether they contain 0."""
    played = list(map(contest.play, contest.sessions))
    results, scores = {one.session: one.nets for one in played}, contest.scores(played)
    standings = standings_data(scores)
    for name, estimate in _estimates(standings):
        if estimate is not None and estimate["ci95"] is not None:
            yield name, not estimate["decided"]
    pair = scores.difference(*contest.division.bots[:2])
    if pair is not None and pair.half is not None:
        yield "pair", not pair.decided
    winnings = WinningsCurves(contest.division, contest.sessions)
    sessions, total = winnings.update_released(lambda session: True)
    for _ in range(sessions, total):
        winnings.add_session(results.__getitem__)
    for name, (mean, half) in _points(winnings, contest.division):
        if half is not None:
            yield name, abs(mean) <= half


def _estimates(standings: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    for place in standings["ranking"]:
        yield "rate", place["rate"]
        yield "ahead", place["ahead"]
    for row in standings["crosstable"].values():
        for estimate in row.values():
            yield "cell", estimate
    if standings["run_off"] and len(standings["run_off"]["rounds"]) > 1:
        for place in standings["run_off"]["ranking"]:
            yield "last-round", place["ahead"]
        for played in standings["run_off"]["rounds"]:
            yield "margin", played["margin"]


def _points(winnings: WinningsCurves, division: Division) -> Iterator[tuple[str, Point]]:
    on_the_way = 7 * len(winnings.deal_counts()) // 10 - 1
    for seating in range(division.seatings):
        for curves in winnings.curves(seating):
            yield "raw", curves.raw[-1]
    for curves in winnings.curves(0):
        yield "on-the-way", curves.duplicate[on_the_way]
        yield "end", curves.duplicate[-1]
