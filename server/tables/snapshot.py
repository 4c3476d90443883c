"""What is kept of an open table, so that it can be taken up by another process: plain data, written as JSON.

Facts alone: cards follow from the seed and the number of the hand, and a hand in progress from its events
(``dealer.snapshot``). Who holds a seat is told by name and by what proves it: the identity of his cookie, or
the secret whose SHA-256 is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import msgspec
from msgspec import structs

from dealer.errors import RecordError
from dealer.snapshot import SavedTable
from protocol.people import SeriesMatch
from server.tables.config import TableConfig
from server.tables.player import Player

__all__ = [
    "SeatHolder",
    "MatchSnapshot",
    "TableSnapshot",
    "ChallengeSnapshot",
    "decode",
    "encode",
    "apply_steps",
]


_T = TypeVar("_T")


class SeatHolder(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player as far as he must be known again. ``resume``: the SHA-256, in hex, of his secret; ``token``:
    that of the token which was issued to him, if there is one; ``address``: from where he came last.
    """

    name: str
    identity: str = ""
    resume: str = ""
    servant: bool = False
    guest: bool = False
    person: bool = False
    token: str = ""
    address: str = ""

    @classmethod
    def of(cls, player: Player) -> SeatHolder:
        """This player."""
        if player.is_house_bot:
            return cls(player.name, servant=True)
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
    """The course of a match, by seat where not said otherwise. ``events``: of the hand in progress, as in a
    journal, and ``first`` the number of the first of them; ``dealt``: whose cards in it they are who hold the
    seats.
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
    """What a challenge has besides. ``nets`` and ``rival_nets``: won or lost, hand by hand; ``run`` of the
    rival's record; ``play`` of his run while it lasts.
    """

    player: str
    nets: list[int | float]
    rival: str = ""
    rival_nets: list[int | float] = []
    over: bool = False
    run: int = 0
    play: MatchSnapshot | None = None


class TableSnapshot(msgspec.Struct, frozen=True, omit_defaults=True):
    """An open table. ``seed`` in hex; ``run``: number of its record; ``resting``: the match is over, and its
    result stands on the table; ``seated``: name and identity by seat when the hand in progress began;
    ``standing``: opened by the command line, and not for somebody, its ``owner``; ``source``: to whose limit
    of open tables it counts.
    """

    plan: TableConfig
    seed: str
    match: int
    run: int
    play: MatchSnapshot
    resting: bool = False
    results: list[SeriesMatch] = []
    seated: list[tuple[str, str]] = []
    standing: bool = False
    owner: SeatHolder | None = None
    source: tuple[str, str] | None = None
    rivalry: ChallengeSnapshot | None = None

    @property
    def has_guests(self) -> bool:
        """Whether somebody from outside has a seat."""
        return any(holder is not None and not holder.servant for holder in self.play.holders)


class _Step(msgspec.Struct, frozen=True, array_like=True):
    """What a hand at a table went on by: events up to number ``seq`` (not included), and how it stands since
    with the ``seat`` that acted first.
    """

    table: str
    run: int
    seq: int
    seat: int
    bank: float
    missed: int
    absent: bool
    events: list[list[Any]]


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(TableSnapshot).decode
_step = msgspec.json.Decoder(_Step).decode


def encode(table: TableSnapshot) -> bytes:
    """As it is written."""
    return _encode(table)


def decode(text: str) -> TableSnapshot:
    """As it was. Raises ``RecordError`` (``bad_table``)."""
    try:
        return _decode(text)
    except msgspec.DecodeError as error:
        raise RecordError("bad_table", f"this is no table: {error}") from None


def apply_steps(name: str, was: TableSnapshot, lines: Iterable[bytes]) -> TableSnapshot:
    """The table as the lines say that its hand went on. Those that say nothing of it are passed over: lines
    of other tables and other matches, and older ones. Raises ``RecordError`` (``bad_table``): something is
    missing between them.
    """
    events, table = msgspec.json.decode(was.play.events), was.play.table
    for line in lines:
        if not line:
            continue
        try:
            step = _step(line)
        except ValueError as error:
            raise RecordError("bad_table", f"this is no step of a hand: {error}") from None
        if (step.table, step.run) != (name, was.run) or step.seq <= table.seq:
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
    if table is was.play.table:
        return was
    play = structs.replace(was.play, table=table, events=msgspec.Raw(msgspec.json.encode(events)))
    return structs.replace(was, play=play)


def _with(values: tuple[_T, ...], seat: int, value: _T) -> tuple[_T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
