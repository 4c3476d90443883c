"""The work of the study: tournaments of five players with 1,000 chips each and constant blinds of 5 and 10.

The document gives neither blinds nor seats. The blinds are those of its example (3.1.4), a hundredth of a
stack, as it recommends; they do not rise, since it does not mention it. Seats are drawn for every tournament,
so that no player gains from the neighbours. A raise may be as small as one big blind (3.1.4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from random import Random
from typing import Any

from dealer.deck import secure_deals
from dealer.formats.tournament import Level, Tournament
from dealer.rules.actions import Action
from dealer.rules.events import Acted, Event, HandEnded, HandStarted
from dealer.rules.games import Game
from strategy.adaptive.bot import AdaptiveBot
from strategy.adaptive.decision import action_for, bet_share, position_share, stack_share
from strategy.adaptive.parameters import AdaptiveParameters
from strategy.adaptive.value import value
from strategy.registry import Strategy, create_strategy
from strategy.situation import Situation
from studies.harness.arena import ContestEntry, TournamentTable
from studies.harness.session import HandCallback, play_session

TABLE = TournamentTable(5, (Level(5, 10),), stack=1000, rules="bb")
HIGH_BLINDS = TABLE._replace(levels=(Level(50, 100),))
"""The blinds of the example in 4.3.2, if the 50 that are paid there are the small one."""

LOOSE = ContestEntry("adaptive", AdaptiveParameters(raise_at=0.4, fold_below=0.15))
"""Bets with weak hands: whom an observer of showdowns should recognise."""

PATIENT = ContestEntry("patient")
"""Not a house bot: the way in which the person in 6.3 reports having won."""

ALL_IN, BLUFF = ContestEntry("all-in"), ContestEntry("bluff")
SHY_BLUFF = ContestEntry("shy-bluff")
"""Not house bots either: simple players of 3.2."""

READABLE = 0.05
"""V is read from a raise if it is wrong by no more: half the width of a category of hands (4.2.1)."""


class PatientPlayer:
    """Waits for good cards and then bets everything; otherwise checks or folds.

    "Good" is the best tenth of the document's own table before the flop, and two pair or better after it.
    """

    def decide(self, situation: Situation) -> Action:
        """Go all-in, or check or fold."""
        good = 0.9 if not situation.board else 0.3
        if value(situation.hole, situation.board) >= good:
            return action_for(situation, "raise", situation.legal.max_raise or 0)
        return action_for(situation, "fold", 0)


class AllInPlayer:
    """Goes all-in with any cards."""

    def decide(self, situation: Situation) -> Action:
        """Go all-in, or call who is."""
        return action_for(situation, "raise", situation.legal.max_raise or 0)


class BluffPlayer:
    """Bets as if it had a good hand, whatever it has: the pot, at every turn. Who is ``shy`` folds to a bet
    of more than the pot.
    """

    def __init__(self, shy: bool = False) -> None:
        self.shy = shy

    def decide(self, situation: Situation) -> Action:
        """Raise by the pot as it is after a call."""
        price = situation.to_call
        if self.shy and price > situation.pot - price:
            return action_for(situation, "fold", 0)
        called = situation.bets[situation.position] + price
        return action_for(situation, "raise", called + situation.pot + price)


_OWN: Mapping[str, Callable[[], Strategy]] = {
    "patient": PatientPlayer,
    "all-in": AllInPlayer,
    "bluff": BluffPlayer,
    "shy-bluff": partial(BluffPlayer, shy=True),
}


class ReadBot:
    """The document's player, watched by one who knows how it sizes raises and solves for V.

    ``reads`` has the error of V for each of its raises.
    """

    def __init__(self, parameters: AdaptiveParameters) -> None:
        self.bot = _document_player(TABLE.game, parameters)
        self.reads: list[float] = []

    def decide(self, situation: Situation) -> Action:
        """Fold, call or raise. Raises SituationError."""
        action = self.bot.decide(situation)
        if action.kind == "raise":
            read = self.read_value(situation, action.to)
            self.reads.append(abs(read - value(situation.hole, situation.board)))
        return action

    def observe(self, event: Event) -> None:
        """Observe as the player does."""
        self.bot.observe(event)

    def read_value(self, situation: Situation, to: int) -> float:
        """Return V, from 0 to 1, as a raise to ``to`` chips tells it."""
        raise_at, most = self.bot.thresholds.raise_at, situation.legal.max_raise or 0
        called = situation.bets[situation.position] + situation.to_call
        least = min(most, called + self.bot.big_blind(situation))
        worth = raise_at + (to - least) / max(1, most - least) * (1 - raise_at)
        weight_v, weight_p, weight_b, weight_s = self.bot.parameters.weights
        others = (
            weight_p * position_share(situation)
            + weight_b * bet_share(situation.to_call, situation.pot)
            + weight_s * stack_share(situation.stacks[situation.position], situation.stacks)
        )
        return min(1.0, max(0.0, (worth - others) / weight_v))


def play_tournaments(
    entries: Sequence[ContestEntry],
    seed: str,
    first: int,
    count: int,
    points: int = 0,
    table: TournamentTable = TABLE,
) -> dict[str, Any]:
    """Play tournaments ``first``, ``first + 1``, ... with the same players, who keep what they have learned.

    ``winners`` are the players who won, in order; ``hands`` is the number played. With ``points`` above 0,
    ``paths`` are the thresholds of the players, ``[raise, fold]`` each, at this many equal distances,
    including the start and the end.
    """
    players = [_make_player(entry, f"{seed} {number}", table.game) for number, entry in enumerate(entries)]
    winners, hands = [], 0
    marks = {count * point // points for point in range(points + 1)} if points else set()
    paths = [_thresholds(players)] if points else []
    for number in range(first, first + count):
        seats = _seats(seed, number, len(players))
        form = _play(players, seats, seed, number, table)
        winners.append(seats[form.places.index(1)])
        hands += form.hand
        if number - first + 1 in marks:
            paths.append(_thresholds(players))
    return {"winners": winners, "hands": hands, "paths": paths}


def watch_tournaments(entries: Sequence[ContestEntry], seed: str, first: int, count: int) -> dict[str, Any]:
    """Play the tournaments of ``play_tournaments`` and watch the last player's all-ins.

    ``all_ins`` has for each tournament: his all-ins, those that somebody paid, those of them that won
    him chips; the others' answers to them, and their calls. ``raises`` has for each tournament the raises of
    the document's players, and those from whose size V can be read.
    """
    all_ins, raises = [], []
    for number in range(first, first + count):
        bots = [ReadBot(entry.parameters) for entry in entries[:-1]]  # type: ignore[arg-type]
        players = [*bots, _make_player(entries[-1], seed, TABLE.game)]
        seats = _seats(seed, number, len(players))
        counts = [0] * 5
        person = seats.index(len(bots))

        def note(events: Sequence[Event], counts: list[int] = counts, person: int = person) -> None:
            for place, seen in enumerate(_all_in(events, person)):
                counts[place] += seen

        _play(players, seats, seed, number, TABLE, note)
        all_ins.append(counts)
        reads = [read for bot in bots for read in bot.reads]
        raises.append([len(reads), sum(read <= READABLE for read in reads)])
    return {"all_ins": all_ins, "raises": raises}


def _all_in(events: Sequence[Event], person: int) -> tuple[int, int, int, int, int]:
    """Return for one hand the counts of ``watch_tournaments``; ``person`` is a seat."""
    answers: dict[int, bool] = {}
    pushed, result, position = False, 0.0, -1
    for event in events:
        match event:
            case HandStarted():
                position = event.seats.index(person) if person in event.seats else -1
            case Acted():
                if pushed and event.seat != person:
                    answers.setdefault(event.seat, event.action != "fold")
                pushed |= event.seat == person and event.action == "raise" and event.all_in
            case HandEnded() if position >= 0:
                result = event.values[position]
    paid = any(answers.values())
    return int(pushed), int(paid), int(paid and result > 0), len(answers), sum(answers.values())


def _seats(seed: str, number: int, players: int) -> list[int]:
    """Return the player in each seat."""
    return Random(f"{seed} seats {number}").sample(range(players), players)


def _play(
    players: Sequence[Strategy],
    seats: Sequence[int],
    seed: str,
    number: int,
    table: TournamentTable,
    recorder: HandCallback | None = None,
) -> Tournament:
    """Play one tournament and return it."""
    key = sha256(seed.encode()).digest()
    form = Tournament(
        table.players,
        table.levels,
        table.stack,
        lambda game: secure_deals(key, number, game),
        rules=table.rules,
    )
    play_session(form, [players[player] for player in seats], recorder)
    return form


def _make_player(entry: ContestEntry, seed: str, game: Game) -> Strategy:
    if entry.strategy in _OWN:
        return _OWN[entry.strategy]()
    if isinstance(entry.parameters, AdaptiveParameters):
        return _document_player(game, entry.parameters)
    number = int.from_bytes(sha256(seed.encode()).digest()[:6], "big")
    return create_strategy(entry.strategy, number, game, entry.parameters)


def _document_player(game: Game, parameters: AdaptiveParameters) -> AdaptiveBot:
    """Return the document's player, which draws nothing. Its blinds are constant, and so is its least
    intended raise, even when blinds here double to end a stalemate.
    """
    return AdaptiveBot(0, game, parameters, rising_blinds=False)


def _thresholds(players: Sequence[Strategy]) -> list[list[float]]:
    return [list(player.thresholds) for player in players if isinstance(player, AdaptiveBot)]
