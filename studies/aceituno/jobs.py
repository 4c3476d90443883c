"""The work of the study: tournaments of five players with 1,000 chips each and constant blinds of 5 and 10.

The document gives neither blinds nor seats. The blinds are those of its example (3.1.4), a hundredth of a
stack, as it recommends; they do not rise, since it does not mention it. Seats are drawn for every tournament,
so that no player gains from the neighbours. A raise may be as small as one big blind (3.1.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import Any

from dealer.deck import secure_deals
from dealer.formats.tournament import Level, Tournament
from dealer.rules.actions import Action
from dealer.rules.games import Game
from strategy.adaptive.bot import AdaptiveBot
from strategy.adaptive.decision import action_for
from strategy.adaptive.parameters import AdaptiveParameters
from strategy.adaptive.value import value
from strategy.registry import Strategy, create_strategy
from strategy.situation import Situation
from studies.harness.arena import ContestEntry, TournamentTable, play_session

TABLE = TournamentTable(5, (Level(5, 10),), stack=1000, rules="bb")

LOOSE = ContestEntry("adaptive", AdaptiveParameters(raise_at=0.4, fold_below=0.15))
"""Bets with weak hands: whom an observer of showdowns should recognise."""

PATIENT = ContestEntry("patient")
"""Not a house bot: the way in which the person in 6.3 reports having won."""


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


class FixedBlindsAdaptiveBot(AdaptiveBot):
    """The document's player: its blinds are constant, and so is its least intended raise, even when blinds
    here double to end a stalemate.
    """

    def big_blind(self, situation: Situation) -> int:
        """Return the big blind of the game."""
        return situation.big_blind


def play_tournaments(
    entries: Sequence[ContestEntry], seed: str, first: int, count: int, points: int = 0
) -> dict[str, Any]:
    """Play tournaments ``first``, ``first + 1``, ... with the same players, who keep what they have learned.

    ``winners`` are the players who won, in order; ``hands`` is the number played. With ``points`` above 0,
    ``paths`` are the thresholds of the players, ``[raise, fold]`` each, at this many equal distances,
    including the start and the end.
    """
    key = sha256(seed.encode()).digest()
    players = [_make_player(entry, f"{seed} {number}", TABLE.game) for number, entry in enumerate(entries)]
    winners, hands = [], 0
    marks = {count * point // points for point in range(points + 1)} if points else set()
    paths = [_thresholds(players)] if points else []
    for number in range(first, first + count):
        seats = Random(f"{seed} seats {number}").sample(range(len(players)), len(players))
        form = Tournament(
            TABLE.players,
            TABLE.levels,
            TABLE.stack,
            lambda game, number=number: secure_deals(key, number, game),  # type: ignore[misc]
            rules=TABLE.rules,
        )
        play_session(form, [players[player] for player in seats])
        winners.append(seats[form.places.index(1)])
        hands += form.hand
        if number - first + 1 in marks:
            paths.append(_thresholds(players))
    return {"winners": winners, "hands": hands, "paths": paths}


def _make_player(entry: ContestEntry, seed: str, game: Game) -> Strategy:
    if entry == PATIENT:
        return PatientPlayer()
    number = int.from_bytes(sha256(seed.encode()).digest()[:6], "big")
    if isinstance(entry.parameters, AdaptiveParameters):
        return FixedBlindsAdaptiveBot(number, game, entry.parameters)
    return create_strategy(entry.strategy, number, game, entry.parameters)


def _thresholds(players: Sequence[Strategy]) -> list[list[float]]:
    return [list(player.thresholds) for player in players if isinstance(player, AdaptiveBot)]
