"""When a person has played a challenge or a series of tournaments alone against house bots, he is scored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from dealer.rules.events import HandStarted
from protocol.people import PersonScore, SeriesMatch
from server.tables.config import TableConfig
from server.tables.player import Player

#: Big blinds of the deepest stack in hands that leaders are compared by.
_DEEPEST: Final = 500


class Scoring:
    """The score at one table. ``on_played`` is called once with the person when all matches are over, and
    leads to ``OpenTable.show_score``; None: nobody is scored. ``runs``: numbers of the finished matches'
    records.
    """

    def __init__(self, on_played: Callable[[Player], None] | None = None) -> None:
        self._on_played = on_played
        self.runs: list[int] = []
        self.score: PersonScore | None = None
        self._pending = False

    def start(self, player: Player | None) -> bool:
        """Let the score of this person be computed if there is none; return whether to wait for it."""
        if player is None or self._on_played is None or self.score is not None:
            return False
        if not self._pending:
            self._pending = True
            self._on_played(player)
        return True

    def finish(self, player: Player, score: PersonScore | None) -> None:
        """Send the person his score, if there is one."""
        self._pending = False
        self.score = score
        if score is not None and player.connection is not None:
            player.connection.send(score, urgent=True)


def lone_person(
    config: TableConfig,
    owner: Player | None,
    players: Sequence[Player | None],
    results: Sequence[SeriesMatch],
) -> Player | None:
    """Return the table's ``owner`` if he has played all matches there, alone against house bots. ``results``:
    those of tournaments.
    """
    *bots, player = players
    if not (config.one_person and owner is not None and player is not None and player.is_person):
        return None
    alone = all(result.players[-1] == player.name for result in results)
    served = all(bot is not None and bot.is_house_bot for bot in bots)
    return player if owner.is_same(player) and alone and served else None


def is_against_house(dealt: Sequence[Player | None], started: HandStarted, big_blind: int) -> bool:
    """Return whether one person plays with house bots as they are, and nobody has a very large stack: the
    hands that leaders are compared by.
    """
    people = [player for player in dealt if player is not None and player.identity]
    bots = [player for player in dealt if player is not None and player.is_house_bot]
    usual = [bot for bot in bots if not bot.parameters]
    deep = max(started.stacks) > _DEEPEST * big_blind
    return len(people) == 1 and len(usual) == len(dealt) - 1 and not deep
