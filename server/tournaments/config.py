"""The settings of a tournament over several tables, and their limits."""

from __future__ import annotations

from typing import Final, NamedTuple

from dealer.formats.format import Stakes
from dealer.formats.tournament import Level
from dealer.rules.games import MAX_PLAYERS
from dealer.table import Clock
from dealer.tournaments.multi_table import Structure
from protocol.errors import Refused
from protocol.tournament import AnnounceTournament
from server.auth.text_rules import is_plain_text
from server.bots.offered import HouseBots, check_choice
from server.tables.config import MAX_NAME, TableConfig

#: Minimum and maximum of the fields of ``announce``.
BOUNDS: Final[dict[str, tuple[int, int]]] = {
    "entrants": (2, 200),
    "seats": (2, MAX_PLAYERS),
    "stack": (100, 100_000),
    "minutes": (0, 24 * 60),
    "house_bots": (0, 64),
    "late_levels": (0, 10),
}
#: Big blinds of the levels; small blinds are half of them.
BIG_BLINDS: Final = (10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560)


class Speed(NamedTuple):
    """How long a level lasts, in seconds or, if those are 0, in hands, and what belongs to it: the clock, the
    ``pause`` after a hand in seconds, and a break of ``break_seconds`` after every ``break_every`` levels.
    """

    level_seconds: float
    hands: int
    clock: Clock
    pause: float
    break_every: int = 0
    break_seconds: float = 0.0


SPEEDS: Final[dict[str, Speed]] = {
    "slow": Speed(600, 1, Clock(30.0, 120.0), 3.0, 6, 300.0),
    "normal": Speed(300, 1, Clock(20.0, 60.0), 2.5, 8, 300.0),
    "turbo": Speed(120, 1, Clock(15.0, 30.0), 2.0, 15, 180.0),
    "hyper": Speed(0, 5, Clock(12.0, 15.0), 1.5),
}


class TournamentConfig(NamedTuple):
    """The settings of a tournament, stored in this order: new ones come last. ``entrants``: the most there
    may be; ``house_bots``: as many of the kinds ``bots`` take places that are free at the start; ``minutes``:
    from the opening to the start; 0: it starts when people have taken all other places.
    """

    name: str
    entrants: int
    seats: int
    stack: int
    speed: str
    minutes: int
    house_bots: int
    bots: tuple[str, ...]
    late_levels: int

    @property
    def structure(self) -> Structure:
        """Return the settings of the seating."""
        speed = SPEEDS[self.speed]
        levels = tuple(Level(big // 2, big, 0, speed.hands) for big in BIG_BLINDS)
        pauses = speed.break_every, speed.break_seconds
        return Structure(self.seats, self.stack, levels, speed.level_seconds, self.late_levels, *pauses)

    @property
    def tables(self) -> int:
        """Return how many tables it can need."""
        return -(-self.entrants // self.seats)

    def table(self, number: int) -> TableConfig:
        """Return the settings of one of its tables."""
        first, speed = self.structure.levels[0], SPEEDS[self.speed]
        return TableConfig(
            Stakes(first.small_blind, first.big_blind, stack=self.stack),
            self.seats,
            speed.clock,
            "tournament",
            pause=speed.pause,
            name=f"{self.name} · {number}",
        )

    @property
    def bot_names(self) -> list[str]:
        """Return the names of the house bots that may take part, the first of each kind before the second."""
        kinds = len(self.bots)
        return [f"{self.bots[bot % kinds]}-{bot // kinds + 1}" for bot in range(self.house_bots)]


def config_from_request(request: AnnounceTournament, offered: HouseBots) -> TournamentConfig:
    """Return the settings that a player asks for. Raises ``Refused`` (``bad_table``) with the ``field``."""
    for field, (least, most) in BOUNDS.items():
        if not least <= getattr(request, field) <= most:
            raise _bad(field, f"from {least} to {most}")
    # The number of a table is added.
    if not is_plain_text(request.name, MAX_NAME - 5):
        raise _bad("name", f"1 to {MAX_NAME - 5} letters")
    if request.speed not in SPEEDS:
        raise _bad("speed", f"one of {', '.join(SPEEDS)}")
    if request.house_bots >= request.entrants:
        raise _bad("house_bots", "there must be a place for people")
    bots = tuple(dict.fromkeys(request.bots))
    for bot in bots:
        check_choice("bots", bot, offered)
    if request.house_bots > len(bots) * MAX_PLAYERS:
        raise _bad("bots", f"at most {MAX_PLAYERS} house bots of a kind can play")
    return TournamentConfig(
        request.name,
        request.entrants,
        request.seats,
        request.stack,
        request.speed,
        request.minutes,
        request.house_bots,
        bots,
        request.late_levels,
    )


def _bad(field: str, detail: str) -> Refused:
    return Refused("bad_table", f"{field}: {detail}", field=field)
