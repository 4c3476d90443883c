"""Who can sit and watch: a name, what proves it, and where it is."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from server.auth.policy import RateLimiter
from server.auth.tokens import hash_token
from server.telemetry.metrics import DECISION_TIMES

if TYPE_CHECKING:
    from protocol.messages import Act
    from server.auth.tokens import Grant
    from server.net.connection import Connection
    from server.telemetry.incidents import Incident

__all__ = ["SeatedTable", "Player", "WatchedTable"]


class WatchedTable(Protocol):
    """A table as somebody needs it who only watches."""

    def detach(self, connection: Connection) -> None:
        """Forget a lost connection; the seat stays, and its clock runs."""

    def add_spectator(self, connection: Connection) -> None:
        """Tell a spectator's connection all, and what happens from now on."""

    def unwatch(self, player: Player) -> None:
        """Somebody has seen enough."""


class SeatedTable(Protocol):
    """A table as somebody needs it who holds a ``seat`` there. ``TableActor`` says what is refused."""

    def act(self, seat: int, message: Act, now: float) -> None:
        """Carry out an answer to a turn."""

    def set_ready(self, seat: int) -> None:
        """The player has taken note of ``match_start``."""

    def sit_in(self, seat: int) -> None:
        """The player returns from sitting out."""

    def leave(self, seat: int) -> None:
        """Give the seat up."""

    def give_up_seat(self, seat: int) -> None:
        """The player will not come back in time."""

    def unseat(self, seat: int) -> None:
        """Take the seat back."""

    def attach(self, seat: int, connection: Connection) -> None:
        """Bind the seat to a connection."""

    def detach(self, connection: Connection) -> None:
        """Forget a lost connection."""

    def count(self, seat: int, kind: Incident) -> None:
        """Note an incident of the seat."""

    def refuse(self, seat: int, code: str) -> None:
        """Note that something was refused that the seat's player said."""

    def fail(self, error: Exception) -> None:
        """Stop after a fault of ours."""


class Player:
    """Somebody who can sit: a name, the secret that proves it, the seats held, the tables watched, and at
    most one connection.

    ``guest``: came from outside without a token. ``identity``: of the cookie he came with, if any.
    ``is_house_bot``: a house bot, which sits where it is told to. ``managed``: a bot that this server starts.
    """

    __slots__ = (
        "_resume_digest",
        "aborted_tables",
        "address",
        "capacity",
        "chat_limiter",
        "connection",
        "decisions",
        "ended",
        "grace",
        "grace_timer",
        "grant",
        "guest",
        "held_for",
        "identity",
        "incidents",
        "is_house_bot",
        "is_person",
        "name",
        "on_hello",
        "resume",
        "seats",
        "token",
        "token_hash",
        "visit_limiter",
        "watching",
    )

    def __init__(
        self,
        name: str,
        token: str = "",
        *,
        guest: bool = False,
        token_hash: str = "",
        identity: str = "",
        is_house_bot: bool = False,
        managed: bool = False,
    ) -> None:
        self.name = name
        self.token = token
        #: What is known of a token that somebody else keeps; of our own it is made.
        self.token_hash = hash_token(token) if token else token_hash
        self.guest = guest
        self.identity = identity
        self.is_house_bot = is_house_bot
        #: Empty: only its digest is known.
        self.resume = secrets.token_urlsafe(24)
        self._resume_digest = ""
        self.capacity = 1
        #: Of the token that was issued to him, if there is one.
        self.grant: Grant | None = None
        #: How long he takes; counted together with all of his kind.
        self.decisions = DECISION_TIMES["house" if is_house_bot or managed else "program"]
        self.connection: Connection | None = None
        #: From where his last connection came.
        self.address = ""
        #: His last connection is, or was, a person's.
        self.is_person = False
        #: Matches that the server ended in the middle: what he still says there crossed with that.
        self.aborted_tables: set[str] = set()
        #: His process has ended or could not be started: he will not come (back).
        self.ended = False
        self.seats: dict[str, tuple[SeatedTable, int]] = {}
        self.watching: dict[str, WatchedTable] = {}
        self.incidents: Counter[str] = Counter()
        #: Seconds for which his seats are held, where that is not for the house to say.
        self.grace: float | None = None
        self.grace_timer: asyncio.TimerHandle | None = None
        #: Whose limit of spectators that are held counts him, if any does.
        self.held_for: tuple[str, str] | None = None
        self.on_hello: Callable[[], None] | None = None
        #: Of lines of chat, and of coming and going.
        self.chat_limiter = RateLimiter(5, 5.0)
        self.visit_limiter = RateLimiter(64, 16.0)

    def tables(self) -> list[SeatedTable | WatchedTable]:
        """Where he sits or looks on."""
        return [*(actor for actor, _ in self.seats.values()), *self.watching.values()]

    @property
    def ours(self) -> bool:
        """Told a secret by this server itself, and not let in as a guest or by a token that was issued."""
        return not self.guest and self.grant is None

    @property
    def stranger(self) -> bool:
        """Let in without a token of any kind."""
        return self.guest and self.grant is None

    @property
    def kind(self) -> str:
        """``person`` or ``bot``, as in the message ``seats``."""
        return "person" if self.is_person else "bot"

    @property
    def resume_digest(self) -> str:
        """The digest of his resume secret."""
        return hash_token(self.resume) if self.resume else self._resume_digest

    def set_resume_digest(self, resume_digest: str) -> None:
        """He had a resume secret before, of which this is known."""
        self.resume = ""
        self._resume_digest = resume_digest

    def is_same(self, other: Player) -> bool:
        """Whether both are the same somebody, who may have been gone and forgotten in between: by his cookie,
        or without one by name.
        """
        return self.identity == other.identity and (bool(self.identity) or self.name == other.name)
