"""What is stored of hands, and their ids: ``table-1.7`` is a run, ``table-1.7.33`` one of its hands."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

from dealer.rules.events import Event, HandStarted, start_of
from dealer.rules.games import Game
from protocol.people import ChallengeResult


class StoredSeat(NamedTuple):
    """The player in a seat: the displayed name, and the identity of the cookie (empty for bots and unknown
    players).
    """

    name: str
    identity: str = ""


class OwnHand(NamedTuple):
    """A hand of a person; ``against_house``: he alone played against house bots as they are, at a cash table
    that is not for practice.
    """

    run: int
    number: int
    against_house: bool


class HandSums(NamedTuple):
    """A person's hands against the same bots (``opponents``, such as ``fair``): how many, what he won in all,
    in big blinds, the sum of its squares, and the time of the last one, when he had this ``name``.
    """

    identity: str
    name: str
    hands: int
    won: float
    squares: float
    at: int
    opponents: frozenset[str]


class PlayedDay(NamedTuple):
    """What somebody (``player_key``) won with the hands of a day, and when, in milliseconds since 1970."""

    who: str
    at: int
    day: str
    result: ChallengeResult


class StoredRun(NamedTuple):
    """A table from its opening to its closing. ``seed`` is empty until then; times are milliseconds since
    1970. ``kind`` is ``exhibition`` if only house bots played, ``practice`` if the player could ask for
    hints, ``rival`` for the other run of a challenge; with the hands of a day it is ``day 2025-11-25`` or
    ``rival 2025-11-25``, and ``seed`` stays empty.
    """

    number: int
    table: str
    mode: str
    game: Game
    seats: int
    commitment: str
    seed: str
    opened_at: int
    closed_at: int | None
    kind: str = ""

    @property
    def secret(self) -> bool:
        """Return whether it must stay secret, because somebody may still play its deals."""
        return self.is_rival and self.closed_at is None

    @property
    def is_rival(self) -> bool:
        """Return whether it is the other run of a challenge."""
        return self.kind.startswith("rival")

    @property
    def day(self) -> str:
        """Return the day whose hands were played, or ""."""
        return self.kind.partition(" ")[2]

    @property
    def id(self) -> str:
        """Return the id, such as ``table-1.7``."""
        return f"{self.table}.{self.number}"


class StoredChallenge(NamedTuple):
    """The result of a challenge. ``at``: when it ended; ``setup``: its table as JSON, "" in older files."""

    run: StoredRun
    at: int
    result: ChallengeResult
    setup: str


class StoredHand(NamedTuple):
    """A finished hand. ``seated`` is by seat; ``showed`` has seats and cards shown afterwards by choice;
    ``before`` and ``after`` are the numbers of its neighbours, or None.
    """

    run: StoredRun
    number: int
    played_at: int
    game: Game
    seated: tuple[StoredSeat, ...]
    events: tuple[Event, ...]
    showed: tuple[tuple[int, tuple[int, ...]], ...]
    before: int | None = None
    after: int | None = None

    @property
    def started(self) -> HandStarted:
        """Return its first event."""
        return start_of(self.events)

    @property
    def id(self) -> str:
        """Return the id, such as ``table-1.7.33``."""
        return f"{self.run.id}.{self.number}"


def archived_name(table: str) -> str:
    """Return by what name a table's runs are stored: as ids of hands are passed on, that of a private table
    does not tell the secret name that leads to it.
    """
    if not table.startswith("private-"):
        return table
    digest = sha256(b"pokerd private table 1\x00" + table.encode()).hexdigest()[:20]
    return f"private-{digest}-{table.rpartition('-')[2]}"


def split_run(text: str) -> tuple[str, int] | None:
    """Return table and number of a run's id, or None if it is not one."""
    table, dot, number = text.rpartition(".")
    return (table, int(number)) if dot and _is_number(number) else None


def split_hand(text: str) -> tuple[str, int, int] | None:
    """Return table, run and number of a hand's id, or None if it is not one."""
    run, dot, number = text.rpartition(".")
    found = split_run(run)
    return (*found, int(number)) if dot and found is not None and _is_number(number) else None


def player_key(identity: str) -> str:
    """Return what stands for the identity of a cookie where its player must be recognised, not named."""
    return sha256(b"pokerd player 1\x00" + identity.encode()).hexdigest()[:32]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 15
