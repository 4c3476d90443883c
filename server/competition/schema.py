"""What a competition file may say, key by key. ``docs/competition.md`` is its reference."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from dealer.formats.format import Stakes
from dealer.formats.tournament import Level
from server.auth.tokens import Grant, Quota, hash_token
from server.bots.sandbox import Limits

__all__ = ["BotEntry", "CompetitionEntry", "DivisionEntry", "DivisionTableEntry", "TimeEntry"]

Count = Annotated[int, Meta(ge=1, le=10_000_000)]
Millis = Annotated[int, Meta(ge=0, le=86_400_000)]
Chips = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class _Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    pass


class TimeEntry(_Entry, frozen=True):
    """``[time]``: milliseconds for each decision, of time bank a session, for starting, and a lost
    connection's grace.
    """

    decision_ms: Annotated[int, Meta(ge=1, le=86_400_000)] = 5_000
    bank_ms: Millis = 60_000
    start_ms: Millis = 30_000
    grace_ms: Millis = 10_000
    patience: Annotated[int, Meta(ge=1)] = 3


class BotEntry(_Entry, frozen=True):
    """``[[bots]]``: ``run`` names a house bot, ``command`` starts another program, ``token`` or its SHA-256
    ``token_hash`` admits a remote one. ``parameters`` say how a house bot plays; ``limits`` count instead of
    the file's. ``tables`` are sessions at once: those that a managed bot plays, or a remote one may play, who
    may say ``rate`` messages a second.
    """

    name: str
    run: str | None = None
    parameters: dict[str, Any] | None = None
    command: Annotated[list[str], Meta(min_length=1)] | None = None
    token: Annotated[str, Meta(min_length=8, max_length=256)] | None = None
    token_hash: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None = None
    protocol: Literal["pokerd", "acpc"] = "pokerd"
    reset: Literal["process", "message"] = "process"
    tables: Annotated[int, Meta(ge=1, le=4096)] | None = None
    rate: Annotated[int, Meta(ge=1, le=10_000_000)] | None = None
    limits: Limits | None = None

    @property
    def remote(self) -> bool:
        """It is started by somebody else, elsewhere."""
        return self.token is not None or self.token_hash is not None

    @property
    def could_remember(self) -> bool:
        """It could remember earlier sessions: it is remote, or a foreign program that stays."""
        return self.remote or (self.command is not None and self.reset == "message")

    @property
    def secret(self) -> str:
        """The SHA-256 of a remote bot's token; of others it is empty."""
        return self.token_hash or (hash_token(self.token) if self.token is not None else "")

    @property
    def grant(self) -> Grant | None:
        """What a remote bot may do at the door."""
        if not self.remote:
            return None
        usual = Quota()
        quota = Quota(rate=self.rate or usual.rate, tables=self.tables or usual.tables)
        return Grant(name=self.name, hash=self.secret, issued="", quota=quota)


class DivisionTableEntry(_Entry, frozen=True):
    """``[divisions.table]``: a table from settings instead of a game file. ``levels`` are [small, big, ante,
    hands], ``depth`` the least and the most big blinds that a hand is begun with.
    """

    mode: Literal["cash", "tournament"]
    players: Annotated[int, Meta(ge=2, le=10)]
    stack: Annotated[int, Meta(ge=1, le=2**31 - 1)] = 1000
    small_blind: Chips = 5
    big_blind: Annotated[int, Meta(ge=1, le=2**31 - 1)] = 10
    ante: Chips = 0
    limit: bool = False
    levels: list[tuple[Chips, Chips, Chips, Count]] = []
    rules: Literal["bb", "pushfold", "standard"] = "standard"
    depth: tuple[int, int] | None = None

    def schedule(self) -> list[Level]:
        """The levels; without ``levels`` there is but one."""
        return [Level(*level) for level in self.levels] or [
            Level(self.small_blind, self.big_blind, self.ante)
        ]

    def stakes(self) -> Stakes:
        """What the first hand is played for."""
        first = self.schedule()[0]
        return Stakes(
            first.small_blind, first.big_blind, first.ante, self.limit, self.stack, self.rules, self.depth
        )


class DivisionEntry(_Entry, frozen=True):
    """``[[divisions]]``: one game, played by every line-up of its bots (all bots when not named), or by
    so many of the ``line_ups``.
    """

    name: str
    game: str | None = None
    table: DivisionTableEntry | None = None
    rules: Literal["acpc", "bb", "pushfold", "standard"] | None = None
    bots: list[str] | None = None
    hands: Count = 100
    matches: Count = 1
    seatings: Literal["all", "rotations"] = "all"
    line_ups: Literal["all"] | Annotated[int, Meta(ge=1, le=1000)] = "all"


class CompetitionEntry(_Entry, frozen=True):
    """The whole file."""

    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
    bots: Annotated[list[BotEntry], Meta(min_length=2)]
    divisions: Annotated[list[DivisionEntry], Meta(min_length=1)]
    deck: Literal["secure", "acpc"] = "secure"
    seed: str | int | None = None
    workers: Annotated[int, Meta(ge=1, le=4096)] = 4
    anonymous: bool = False
    interleave: Annotated[int, Meta(ge=0, le=1_000_000)] = 16
    time: TimeEntry = TimeEntry()
    limits: Limits = Limits()
