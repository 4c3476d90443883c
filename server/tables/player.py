"""Players: a name, its proof, and the tables where they sit or watch."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from protocol.people import BotValue
from server.auth.policy import RateLimiter
from server.auth.tokens import hash_token
from server.telemetry.metrics import DECISION_TIMES

if TYPE_CHECKING:
    from protocol.messages import Act
    from server.auth.tokens import Grant
    from server.net.connection import Connection
    from server.telemetry.incidents import Incident


class WatchedTable(Protocol):
    """A table, from the point of view of a spectator."""

    def detach(self, connection: Connection) -> None:
        """Drop a lost connection. A seat is kept, and its clock runs."""

    def add_spectator(self, connection: Connection) -> None:
        """Send a spectator the state of the table, and everything from now on."""

    def unwatch(self, player: Player) -> None:
        """Remove a spectator."""


class SeatedTable(Protocol):
    """A table, from the point of view of the player in ``seat``. See ``TableActor`` for refusals."""

    def act(self, seat: int, message: Act, now: float) -> None:
        """Execute the answer to a turn."""

    def set_ready(self, seat: int) -> None:
        """Note that the player has handled ``match_start``."""

    def sit_in(self, seat: int) -> None:
        """Return the player from sitting out."""

    def leave(self, seat: int) -> None:
        """Give up the seat."""

    def give_up_seat(self, seat: int) -> None:
        """Let the default policy play the seat; the player will not return in time."""

    def unseat(self, seat: int) -> None:
        """Free the seat."""

    def attach(self, seat: int, connection: Connection) -> None:
        """Connect the seat."""

    def detach(self, connection: Connection) -> None:
        """Drop a lost connection."""

    def count(self, seat: int, kind: Incident) -> None:
        """Count an incident of the seat."""

    def count_refusal(self, seat: int, code: str) -> None:
        """Count a refused message of the seat's player."""

    def fail(self, error: Exception) -> None:
        """Stop after an internal error."""


class Player:
    """A player: a name, the secret that proves it, his seats, the tables he watches, and at most one
    connection.

    ``guest``: joined without a token. ``identity``: from his cookie, if any. ``is_house_bot``: a house bot,
    which sits where it is told to. ``managed``: a bot that this server starts. ``on_hello`` is called after
    every ``welcome`` to him.
    """

    __slots__ = (
        "_resume_digest", "aborted_tables", "address", "capacity", "chat_limiter", "connection",
        "decisions", "ended", "grace", "grace_timer", "grant", "guest", "held_for", "identity",
        "incidents", "is_house_bot", "is_person", "name", "on_hello", "parameters", "resume", "seats",
        "token", "token_hash", "visit_limiter", "watching",
    )  # fmt: skip

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
        on_hello: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self.token = token
        #: Its hash if somebody else keeps the token; bots of our own get a new token.
        self.token_hash = hash_token(token) if token else token_hash
        self.guest = guest
        self.identity = identity
        self.is_house_bot = is_house_bot
        #: Empty if only its digest is known.
        self.resume = secrets.token_urlsafe(24)
        self._resume_digest = ""
        self.capacity = 1
        #: Of his issued token, if any.
        self.grant: Grant | None = None
        #: Decision times, counted with all players of his kind.
        self.decisions = DECISION_TIMES["house" if is_house_bot or managed else "program"]
        self.connection: Connection | None = None
        #: The address of his last connection.
        self.address = ""
        #: Whether his last connection is, or was, a person's.
        self.is_person = False
        #: Matches that the server ended early: his messages about them may still arrive.
        self.aborted_tables: set[str] = set()
        #: His process ended or could not be started: he will not return.
        self.ended = False
        self.seats: dict[str, tuple[SeatedTable, int]] = {}
        self.watching: dict[str, WatchedTable] = {}
        self.incidents: Counter[str] = Counter()
        #: Seconds for which his seats are reserved, if not the house's default.
        self.grace: float | None = None
        self.grace_timer: asyncio.TimerHandle | None = None
        #: The limit of spectators with reserved places that counts him, if any.
        self.held_for: tuple[str, str] | None = None
        self.on_hello = on_hello
        #: Of a house bot: its parameters that differ from the defaults.
        self.parameters: dict[str, BotValue] = {}
        #: Rate limits of chat, and of joining and leaving.
        self.chat_limiter = RateLimiter(5, 5.0)
        self.visit_limiter = RateLimiter(64, 16.0)

    def tables(self) -> list[SeatedTable | WatchedTable]:
        """Return the tables where he sits or watches."""
        return [*(actor for actor, _ in self.seats.values()), *self.watching.values()]

    @property
    def issued_by_server(self) -> bool:
        """Return whether this server itself gave him his secret, so that he is neither a guest nor has an
        issued token.
        """
        return not self.guest and self.grant is None

    @property
    def is_anonymous(self) -> bool:
        """Return whether he has no token of any kind."""
        return self.guest and self.grant is None

    @property
    def kind(self) -> str:
        """Return ``person`` or ``bot``, as in the message ``seats``."""
        return "person" if self.is_person else "bot"

    @property
    def resume_digest(self) -> str:
        """Return the digest of his resume secret."""
        return hash_token(self.resume) if self.resume else self._resume_digest

    def set_resume_digest(self, resume_digest: str) -> None:
        """Set the digest of the resume secret that he got from an earlier process."""
        self.resume = ""
        self._resume_digest = resume_digest

    def is_same(self, other: Player) -> bool:
        """Return whether both are the same player, who may have left and returned: same cookie, or without
        cookies the same name.
        """
        return self.identity == other.identity and (bool(self.identity) or self.name == other.name)
