"""The stored state of an open table, from which another process continues: plain data, written as JSON.

Cards follow from the seed and the number of the hand, and the hand in progress from its events
(``dealer.snapshot``). Seats are held by name and proof: the identity of a cookie, or the SHA-256 of a secret.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, TypeVar

import msgspec
from msgspec import structs

from dealer.errors import RecordError
from dealer.snapshot import SavedTable
from protocol.people import BotValue, PersonScore, SeriesMatch
from server.tables.config import TableConfig
from server.tables.player import Player

_T = TypeVar("_T")


class SeatHolder(msgspec.Struct, frozen=True, omit_defaults=True):
    """What identifies a player. ``resume``: SHA-256 of his secret, in hex; ``token``: that of his issued
    token, if any; ``address``: of his last connection; ``parameters``: of a house bot that has its own.
    """

    name: str
    identity: str = ""
    resume: str = ""
    is_house_bot: bool = msgspec.field(default=False, name="servant")
    guest: bool = False
    person: bool = False
    token: str = ""
    address: str = ""
    parameters: dict[str, BotValue] = {}

    @classmethod
    def of(cls, player: Player) -> SeatHolder:
        """Return the record of this player."""
        if player.is_house_bot:
            return cls(player.name, is_house_bot=True, parameters=player.parameters)
        return cls(
            player.name,
            player.identity,
            player.resume_digest,
            guest=player.guest,
            person=player.is_person,
            token="" if player.grant is None else player.grant.hash,
            address=player.address,
        )


class MatchSnapshot(msgspec.Struct, frozen=True):
    """The state of a match, by seat unless stated otherwise. ``events``: of the hand in progress, as in a
    journal; ``first``: the number of the first event; ``dealt``: who was dealt into that hand.
    """

    table: SavedTable
    events: msgspec.Raw
    first: int
    started: bool
    ready: list[bool]
    totals: list[int | float]
    hands: int
    incidents: list[dict[str, int]]
    names: list[str]
    seeds: list[int]
    holders: list[SeatHolder | None]
    dealt: list[bool]


class ChallengeSnapshot(msgspec.Struct, frozen=True):
    """The additional state of a challenge. ``nets`` and ``rival_nets``: chips won, by hand; ``run``: number
    of the rival's record; ``match_state``: of his run in progress; ``rival_run``: the run of a friend's
    rival, whose result is known.
    """

    player: str
    nets: list[int | float]
    rival: str = ""
    rival_nets: list[int | float] = []
    over: bool = False
    run: int = 0
    match_state: MatchSnapshot | None = msgspec.field(default=None, name="play")
    rival_run: str = ""


class TableSnapshot(msgspec.Struct, frozen=True, omit_defaults=True):
    """An open table. ``seed`` in hex; ``run``: number of its record; ``resting``: the match is over and its
    result is displayed; ``seated``: name and identity by seat when the hand in progress began; ``permanent``:
    opened by the command line or an administrator, not by an ``owner``; ``source``: whose limit of open
    tables it counts against; ``paused``: by an administrator; ``result_runs``: numbers of the records of
    ``results``; ``score``: of the person who played alone; ``hints``: that he has had.
    """

    config: TableConfig = msgspec.field(name="plan")
    seed: str
    match: int
    run: int
    match_state: MatchSnapshot = msgspec.field(name="play")
    resting: bool = False
    results: list[SeriesMatch] = []
    seated: list[tuple[str, str]] = []
    permanent: bool = msgspec.field(default=False, name="standing")
    owner: SeatHolder | None = None
    source: tuple[str, str] | None = None
    paused: bool = False
    result_runs: list[int] = []
    score: PersonScore | None = None
    rivalry: ChallengeSnapshot | None = None
    hints: int = 0

    @property
    def has_guests(self) -> bool:
        """Return whether somebody other than a house bot has a seat."""
        return any(holder is not None and not holder.is_house_bot for holder in self.match_state.holders)


class _Step(msgspec.Struct, frozen=True, array_like=True):
    """A step of a hand: the events up to number ``seq`` (exclusive), and the state after them. The first
    event is an action of ``seat``.
    """

    table: str
    run: int
    seq: int
    seat: int
    bank: float
    missed: int
    absent: bool
    events: list[list[Any]]


#: Returns the stored form of a ``TableSnapshot``.
encode: Final = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(TableSnapshot).decode
_step = msgspec.json.Decoder(_Step).decode


def decode(text: str) -> TableSnapshot:
    """Read the stored form. Raises ``RecordError`` (``bad_table``)."""
    try:
        return _decode(text)
    except msgspec.DecodeError as error:
        raise RecordError("bad_table", f"this is no table: {error}") from None


def apply_steps(name: str, snapshot: TableSnapshot, lines: Iterable[bytes]) -> TableSnapshot:
    """Return the table after the steps in ``lines``. Lines of other tables, other matches and earlier hands
    are skipped. Raises ``RecordError`` (``bad_table``) if steps are missing.
    """
    events, table = msgspec.json.decode(snapshot.match_state.events), snapshot.match_state.table
    for line in lines:
        if not line:
            continue
        try:
            step = _step(line)
        except ValueError as error:
            raise RecordError("bad_table", f"this is no step of a hand: {error}") from None
        if (step.table, step.run) != (name, snapshot.run) or step.seq <= table.seq:
            continue
        if step.seq - len(step.events) != table.seq or not 0 <= step.seat < len(table.banks):
            raise RecordError("bad_table", f"what happened at {name} after event {table.seq} is missing")
        events += step.events
        table = replace(
            table,
            seq=step.seq,
            banks=_with(table.banks, step.seat, step.bank),
            missed=_with(table.missed, step.seat, step.missed),
            absent=_with(table.absent, step.seat, step.absent),
        )
    if table is snapshot.match_state.table:
        return snapshot
    match_state = structs.replace(
        snapshot.match_state, table=table, events=msgspec.Raw(msgspec.json.encode(events))
    )
    return structs.replace(snapshot, match_state=match_state)


def _with(values: tuple[_T, ...], seat: int, value: _T) -> tuple[_T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
