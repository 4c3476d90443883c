"""Open tables with the games and house bots of a competition, and one free seat each."""

from __future__ import annotations

from collections.abc import Iterator

from dealer.formats.format import Stakes
from dealer.rules.games import Game
from dealer.table import Clock
from protocol.people import BotChoice
from server.competition.file import Competition, CompetitionError
from server.tables.config import TableConfig


def table_configs(competition: Competition, clock: Clock, pause: float) -> Iterator[TableConfig]:
    """Yield cash tables for each division in turn: as many as its house bots need to sit at one each, in the
    order of the file, with its parameters. The last table is filled up with the first bots again.

    Programs and remote bots are left out. A game from a file is played by the rules of open tables. Raises
    CompetitionError ``bad_field`` for a division without house bots, for tournaments, and for a game that
    open tables do not support: other than hold'em, with other blinds, or with unequal stacks.
    """
    for name, division in competition.divisions.items():
        entries = [competition.bots[bot] for bot in division.bots]
        bots = [
            BotChoice(entry.run, entry.parameters) if entry.parameters else entry.run
            for entry in entries
            if entry.run is not None
        ]
        if not bots or competition.is_tournament(name):
            raise CompetitionError(
                "bad_field", f"division {name} is not a cash game with house bots; --competition needs one"
            )
        table = competition.division_entry(name).table
        stakes = _stakes(name, competition.games[name]) if table is None else table.stakes()
        room = division.players - 1
        tables = -(-len(bots) // room)
        seats = [bots[place % len(bots)] for place in range(tables * room)]
        for number in range(tables):
            sitting = tuple(seats[number * room : (number + 1) * room])
            # The pages name it: people do not know the names of divisions.
            yield TableConfig(stakes, division.players, clock, pause=pause, bots=sitting)


def _stakes(division: str, game: Game) -> Stakes:
    """Return the stakes of an open table with this game."""
    small, big = sorted(game.blinds)[-2:]
    rules = "pushfold" if game.rules == "pushfold" else "standard"
    stakes = Stakes(small, big, game.ante, game.limit, game.stacks[0], rules)
    table = stakes.game(game.players)
    if (*_shape(table), set(table.stacks)) != (*_shape(game), set(game.stacks)):
        raise CompetitionError(
            "bad_field", f"division {division}: open tables do not support the game {game.name}"
        )
    return stakes


def _shape(game: Game) -> tuple[object, ...]:
    return game.blinds, game.raise_sizes, game.first_player, game.max_raises, game.ranks, game.board_cards
