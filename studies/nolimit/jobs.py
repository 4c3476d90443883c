"""The work of the study: local best responses, duels, ranges, pace, and the game with twenty cards."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Sequence
from functools import cache, partial
from hashlib import sha256
from math import fsum
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from dealer.luck.correction import hand_luck
from dealer.luck.value import shipped_value
from dealer.match import Division
from dealer.rules.events import Event, start_of
from dealer.rules.games import Game, holdem, load_game
from dealer.table import Clock
from strategy.lbr.nolimit import NoLimitStrategy
from strategy.lbr.response import FREEDOMS, raw_deals
from strategy.lbr.search import SearchStrategy
from strategy.nolimit.exact import Resolving, exact_result
from strategy.nolimit.training import SMALL_MENU, NoLimitSolver, NoLimitTask
from strategy.nolimit_bots.parameters import SearchParameters
from strategy.nolimit_bots.policy import load_policy
from strategy.registry import Strategy
from strategy.situation import Situation
from studies.harness.arena import Contest, ContestEntry, FixedTable
from studies.nolimit.ranges import RangeDuel

SEARCH = "nolimit+search"
RIVALS = ("nolimit", "loki2")
"""Whom the bots play when their pace is measured: the second bets sizes that no trained strategy has."""

Wins = list[float]


def game_of(depth: int) -> Game:
    """Return heads-up hold'em with stacks of so many big blinds."""
    return holdem(2, 50, 100, stack=100 * depth)


def parameters_of(quick: bool) -> SearchParameters:
    """Return the bot's own settings; a quick run solves little."""
    return SearchParameters(iterations=5, turn_iterations=0) if quick else SearchParameters()


@cache
def _strategy(bot: str, depth: int, quick: bool) -> NoLimitStrategy:
    policy, game = load_policy(depth), game_of(depth)
    return (
        SearchStrategy(policy, game, parameters_of(quick)) if bot == SEARCH else NoLimitStrategy(policy, game)
    )


def best_responses(
    bot: str, depth: int, freedom: str, paths: int, seed: int, numbers: Sequence[int], quick: bool
) -> list[Any]:
    """Return ``raw_deals`` of a local best response."""
    strategy = _strategy(bot, depth, quick)
    won, luck = raw_deals(strategy, FREEDOMS[freedom], numbers, seed=seed, paths=paths, steady=True)
    # Such sums are read by people, too.
    return [[round(one, 3) for one in won], [[round(one, 5) for one in facts] for facts in luck]]


def duel(other: str, depth: int, seed: int, match: int, hands: int) -> dict[str, Wins]:
    """Return what ``nolimit`` wins at each deal set of a match against another bot, in mbb/hand: as it is,
    and without the luck of the cards.
    """
    game = game_of(depth)
    division = Division(other, ("nolimit", other), 2, match + 1, hands)
    cards = sha256(f"nolimit {seed} {other} {depth}".encode()).digest()
    entries = {name: ContestEntry(name) for name in division.bots}
    contest = Contest(division, FixedTable(game), entries, cards)
    weights = shipped_value().weights(limit=False)
    unit = 1000 / max(game.blinds)
    raw, net = [], []
    for session in contest.match(match):
        rows: list[tuple[float, float]] = []
        contest.play(session, partial(_add, rows, game, session.players.index("nolimit"), weights))
        raw.append([unit * won for won, _ in rows])
        net.append([unit * (won - luck) for won, luck in rows])
    return {name: _means(seatings) for name, seatings in (("raw", raw), ("net", net))}


def _add(
    rows: list[tuple[float, float]], game: Game, seat: int, weights: Sequence[float], events: Sequence[Event]
) -> None:
    luck, place = hand_luck(game, events), start_of(events).seats.index(seat)
    rows.append((luck.won[place], luck.of_cards(weights)[place]))


def _means(seatings: Sequence[Sequence[float]]) -> Wins:
    return [round(fsum(one) / len(one), 3) for one in zip(*seatings, strict=True)]


@cache
def _range_duel(depth: int, quick: bool) -> RangeDuel:
    return RangeDuel(load_policy(depth), game_of(depth), parameters_of(quick))


def search_duel(depth: int, seed: int, paths: int, numbers: Sequence[int], quick: bool) -> dict[str, Any]:
    """Return what ``nolimit+search`` wins from ``nolimit`` at each board, in mbb/hand, and how many raises
    one of them had no place for.
    """
    played = _range_duel(depth, quick)
    before, unit, won = played.lost, 1000 / max(game_of(depth).blinds), []
    for number in numbers:
        board = Random(f"board {seed} {depth} {number}").sample(range(52), 5)
        won.append(round(unit * played.deal(board, f"dice {seed} {depth} {number}", paths), 3))
    return {"won": won, "lost": played.lost - before}


class _Timed:
    """A bot whose decisions are timed: street, and seconds of CPU time."""

    def __init__(self, bot: Strategy, timed: list[tuple[int, float]]) -> None:
        self._bot, self._timed = bot, timed
        self.observe = getattr(bot, "observe", lambda event: None)

    def decide(self, situation: Situation) -> Any:
        """Decide as the bot does."""
        began = time.process_time()
        action = self._bot.decide(situation)
        self._timed.append((situation.street, time.process_time() - began))
        return action


class _TimedContest(Contest):
    """A contest of a bot against another; ``timed`` are the decisions of its first bot."""

    timed: list[tuple[int, float]]

    def strategies(self, session: Any, game: Game) -> list[Strategy]:
        """Return the strategies by seat."""
        found = super().strategies(session, game)
        seat = session.players.index(self.division.bots[0])
        found[seat] = _Timed(found[seat], self.timed)
        return found


def pace(bot: str, depth: int, seed: int, hands: int, quick: bool) -> dict[str, Any]:
    """Return the ``seconds`` of CPU time of each decision of a bot at the table, its street (``streets``),
    the hands that it played, in equal parts against ``RIVALS``, the peak of memory in MB, and how many
    decisions would have been too ``late`` for the default clock. In a process of its own, as memory is
    measured.
    """
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        found: dict[str, Any] = pool.apply(_pace, (bot, depth, seed, hands, quick))
    return found


def _pace(bot: str, depth: int, seed: int, hands: int, quick: bool) -> dict[str, Any]:
    parameters = parameters_of(quick) if bot == SEARCH else None
    cards = sha256(f"pace {seed} {depth}".encode()).digest()
    timed: list[tuple[int, float]] = []
    late = played = 0
    for rival in RIVALS:
        division = Division("pace", ("timed", "other"), 2, 1, max(1, hands // len(RIVALS)))
        entries = {"timed": ContestEntry(bot, parameters), "other": ContestEntry(rival)}
        contest = _TimedContest(division, FixedTable(game_of(depth)), entries, cards)
        object.__setattr__(contest, "timed", timed)
        for session in contest.sessions:
            already = len(timed)
            contest.play(session)
            late += _too_late([one for _, one in timed[already:]])
            played += division.hands
    return {
        "seconds": [round(one, 6) for _, one in timed],
        "streets": [street for street, _ in timed],
        "hands": played,
        "late": late,
        "megabytes": _peak(),
    }


def _too_late(seconds: Sequence[float]) -> int:
    """Return how many of a match's decisions the default clock, with its bank, would not have waited for."""
    clock, late = Clock(), 0
    bank = clock.bank
    for one in seconds:
        over = max(0.0, one - clock.decision)
        late += over > bank
        bank = max(0.0, bank - over)
    return late


def _peak() -> float | None:
    """Return the most memory that this process ever had, in MB; None where the system does not tell."""
    status = Path("/proc/self/status")
    if sys.platform != "linux" or not status.is_file():
        return None
    return round(int(status.read_text("ascii").split("VmHWM:")[1].split()[0]) / 1024, 1)


def small_game(batches: int, game: str) -> dict[str, float]:
    """Return the exploitability of a strategy of a small game in mbb/hand: ``trained``, and with its
    ``river`` and ``turn`` solved again.
    """
    solver = NoLimitSolver(NoLimitTask(load_game(game), SMALL_MENU))
    solver.iterate(batches)
    with TemporaryDirectory() as directory:
        file = Path(directory) / "base.npz"
        solver.save(file)
        ways = {"trained": None, "river": Resolving("river"), "turn": Resolving("turn")}
        return {name: float(exact_result(file, way)["exploitability_mbb"]) for name, way in ways.items()}
