"""Messages of tournaments over several tables, for the web pages."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, field

from protocol.base import FormInt, FormText, Message, TableId

# From client to server.


class AnnounceTournament(Message, frozen=True, tag="announce"):
    """Open a no-limit tournament over several tables of ``seats``, for at most ``entrants``. ``house_bots``
    of the kinds ``bots`` fill it up when it starts: in ``minutes``, or, if that is 0, as soon as people have
    taken all other places. ``speed``: ``slow``, ``normal``, ``turbo`` or ``hyper``. Entries are taken until
    ``late_levels`` levels are over.
    """

    name: FormText = ""
    entrants: FormInt = 18
    seats: FormInt = 6
    stack: FormInt = 1500
    speed: FormText = "normal"
    minutes: FormInt = 10
    house_bots: FormInt = 0
    bots: Annotated[list[FormText], Meta(max_length=16)] = field(default_factory=list)
    late_levels: FormInt = 2


class Register(Message, frozen=True, tag="register"):
    """Enter a tournament, before its start or late."""

    tournament: TableId


class Unregister(Message, frozen=True, tag="unregister"):
    """Take back my entry before the start."""

    tournament: TableId


class CancelTournament(Message, frozen=True, tag="cancel"):
    """Take back a tournament that I opened, before its start."""

    tournament: TableId


# From server to client.


class Entry(Message, frozen=True, tag="entry"):
    """How you stand in a tournament over several tables. ``state``: ``open`` (you have opened it),
    ``registered``, ``unregistered``, ``seated`` at ``table`` (``reason``: ``start``, ``late``, ``balance``,
    ``broken`` or ``final``), ``out`` with your ``place`` of so many, or ``cancelled``. ``points`` may be
    shared with others of your place.
    """

    tournament: str
    state: str
    table: str = ""
    reason: str = ""
    place: int = 0
    of: int = 0
    points: float = 0.0
