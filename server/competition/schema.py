"""The keys of a competition file and their types. ``docs/competition.md`` is the reference."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from dealer.formats.format import Stakes
from dealer.formats.tournament import Level
from server.auth.tokens import Grant, Quota, hash_token
from server.bots.sandbox import Limits

Count = Annotated[int, Meta(ge=1, le=10_000_000)]
Millis = Annotated[int, Meta(ge=0, le=86_400_000)]
Chips = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class _Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    pass


class TimeEntry(_Entry, frozen=True):
    """The ``[time]`` section. Milliseconds: per decision, the time bank of a session, the time to start, and
    the grace period after a lost connection. ``max_missed_turns``: timeouts in a row until a bot is absent.
    """

    decision_ms: Annotated[int, Meta(ge=1, le=86_400_000)] = 5_000
    bank_ms: Millis = 60_000
    start_ms: Millis = 30_000
    grace_ms: Millis = 10_000
    max_missed_turns: Annotated[int, Meta(ge=1)] = 3


class BotEntry(_Entry, frozen=True):
    """A ``[[bots]]`` entry.

    Exactly one of these says where the bot comes from: ``run`` (a house bot), ``command`` (another program),
    or ``token`` or its SHA-256 ``token_hash`` (a remote bot). ``folder`` has the files of a stranger's
    ``command``: it starts there, isolated, and sees nothing else. ``parameters`` configure a house bot;
    ``limits`` replace those of the whole file. ``tables`` is the number of sessions that a managed bot plays,
    or a remote bot may play, at once; ``rate`` limits a remote bot's messages per second.
    """

    name: str
    run: str | None = None
    parameters: dict[str, Any] | None = None
    command: Annotated[list[str], Meta(min_length=1)] | None = None
    folder: str | None = None
    token: Annotated[str, Meta(min_length=8, max_length=256)] | None = None
    token_hash: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None = None
    protocol: Literal["pokerd", "acpc"] = "pokerd"
    reset: Literal["process", "message"] = "process"
    tables: Annotated[int, Meta(ge=1, le=4096)] | None = None
    rate: Annotated[int, Meta(ge=1, le=10_000_000)] | None = None
    limits: Limits | None = None

    @property
    def remote(self) -> bool:
        """Whether somebody else starts the bot, elsewhere."""
        return self.token is not None or self.token_hash is not None

    @property
    def could_remember(self) -> bool:
        """Whether the bot could remember earlier sessions: it is remote, or a foreign program that is not
        restarted.
        """
        return self.remote or (self.command is not None and self.reset == "message")

    @property
    def secret(self) -> str:
        """The SHA-256 of a remote bot's token; empty for other bots."""
        return self.token_hash or (hash_token(self.token) if self.token is not None else "")

    @property
    def grant(self) -> Grant | None:
        """The permissions of a remote bot; None for other bots."""
        if not self.remote:
            return None
        usual = Quota()
        quota = Quota(rate=self.rate or usual.rate, tables=self.tables or usual.tables)
        return Grant(name=self.name, hash=self.secret, issued="", quota=quota)


class DivisionTableEntry(_Entry, frozen=True):
    """A ``[divisions.table]`` section: table settings instead of a game file. ``levels`` are [small blind,
    big blind, ante, hands]. ``depth`` is the smallest and largest stack, in big blinds, that a hand starts
    with.
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
        """Return the blind levels: ``levels``, or a single one made of the blinds and the ante."""
        return [Level(*level) for level in self.levels] or [
            Level(self.small_blind, self.big_blind, self.ante)
        ]

    def stakes(self) -> Stakes:
        """Return the stakes of the first hand."""
        first = self.schedule()[0]
        return Stakes(
            first.small_blind, first.big_blind, first.ante, self.limit, self.stack, self.rules, self.depth
        )


class DivisionEntry(_Entry, frozen=True):
    """A ``[[divisions]]`` entry: one game, played by all line-ups of its bots (by default all bots), or by
    ``line_ups`` of them. ``series``: matches in a row until bots forget.
    """

    name: str
    game: str | None = None
    table: DivisionTableEntry | None = None
    rules: Literal["acpc", "bb", "pushfold", "standard"] | None = None
    bots: list[str] | None = None
    hands: Count = 100
    matches: Count = 1
    series: Count = 1
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


#: The keys of each section, by the name of the key that holds the section ("": the file itself).
KEYS: dict[str, tuple[str, ...]] = {
    "": CompetitionEntry.__struct_fields__,
    "time": TimeEntry.__struct_fields__,
    "limits": Limits.__struct_fields__,
    "bots": BotEntry.__struct_fields__,
    "divisions": DivisionEntry.__struct_fields__,
    "table": DivisionTableEntry.__struct_fields__,
}
#: How the file begins each of them.
HEADINGS = {
    "": "the top of the file",
    "time": "[time]",
    "limits": "[limits]",
    "bots": "[[bots]]",
    "divisions": "[[divisions]]",
    "table": "[divisions.table]",
}
