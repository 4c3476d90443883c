"""Tables at which a person meets the house bots of a competition: the same games, and one seat left free."""

from __future__ import annotations

from collections.abc import Iterator

from dealer.formats.format import Stakes
from dealer.rules.games import Game
from dealer.table import Clock
from server.competition.file import Competition, CompetitionError
from server.tables.config import MAX_NAME, TableConfig

__all__ = ["table_configs"]


def table_configs(competition: Competition, clock: Clock, pause: float) -> Iterator[TableConfig]:
    """Cash tables for every division in turn, as many as its house bots need to sit at one each, in the order
    of the file; the last table fills up with the first of them. They play as they do by default.

    Programs and remote bots are left out. A game file is played by the rules of open tables. Raises
    CompetitionError ``bad_field`` for a division without house bots, for one of tournaments, and for a game
    that no open table has: other than hold'em, with other blinds, or with stacks of different sizes.
    """
    for name, division in competition.divisions.items():
        runs = [competition.bots[bot].run for bot in division.bots]
        bots = [run for run in runs if run is not None]
        if not bots or competition.is_tournament(name):
            raise CompetitionError(
                "bad_field", f"division {name} is not a cash game of house bots, which --competition needs"
            )
        table = competition.division_entry(name).table
        stakes = _stakes(name, competition.games[name]) if table is None else table.stakes()
        room = division.players - 1
        tables = -(-len(bots) // room)
        seats = [bots[place % len(bots)] for place in range(tables * room)]
        for number in range(tables):
            sitting = tuple(seats[number * room : (number + 1) * room])
            title = f"{name} {number + 1}"[-MAX_NAME:]
            yield TableConfig(stakes, division.players, clock, pause=pause, bots=sitting, name=title)


def _stakes(division: str, game: Game) -> Stakes:
    """What an open table of this game is played for."""
    small, big = sorted(game.blinds)[-2:]
    rules = "pushfold" if game.rules == "pushfold" else "standard"
    stakes = Stakes(small, big, game.ante, game.limit, game.stacks[0], rules)
    table = stakes.game(game.players)
    if (*_shape(table), set(table.stacks)) != (*_shape(game), set(game.stacks)):
        raise CompetitionError("bad_field", f"division {division}: no open table has the game {game.name}")
    return stakes


def _shape(game: Game) -> tuple[object, ...]:
    return game.blinds, game.raise_sizes, game.first_player, game.max_raises, game.ranks, game.board_cards
