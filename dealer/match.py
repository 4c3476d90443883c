"""The plan of a competition division: who plays whom, where, how often, and with which cards.

Duplicate play: the bots of a line-up meet in ``matches`` matches. Match k is played once in every seating,
always with the deals of match k, and every such *session* starts with bots that remember nothing. All
line-ups of a division play match k with the same deals (common seeds), so that luck affects all alike.

Seats are numbered from 0 and fixed; positions move: at hand h, seat i has position (i - h) mod n, where
position 0 is first to the left of the button (ACPC reference dealer 1.0.42).
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import comb, factorial
from typing import Literal

from dealer.errors import MatchError
from dealer.intervals import MIN_UNITS
from dealer.line_ups import balanced_line_ups
from dealer.rules.games import MAX_PLAYERS

#: Beyond 5 players (120 seatings) "all" is refused; play rotations.
MAX_PLAYERS_ALL_SEATINGS = 5
#: A division with more sessions is assumed to be a mistake.
MAX_SESSIONS = 1_000_000

# Names are parts of file paths and of ACPC log lines, so they contain no separators of either.
NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.@-]{0,62}[A-Za-z0-9_-])?")

# Birds, so that names say nothing: they depend on session and seat alone.
_ALIASES = (
    "avocet", "bittern", "bunting", "buzzard", "chough", "condor", "coot", "cormorant", "crake", "crane",
    "curlew", "dipper", "dotterel", "dunlin", "eider", "falcon", "finch", "flicker", "gannet", "godwit",
    "goshawk", "grebe", "grouse", "gull", "harrier", "heron", "hoopoe", "ibis", "jackdaw", "kestrel", "kite",
    "kittiwake", "knot", "lapwing", "lark", "linnet", "magpie", "martin", "merlin", "nuthatch", "oriole",
    "osprey", "ouzel", "owl", "petrel", "pipit", "plover", "puffin", "quail", "raven", "redstart", "robin",
    "rook", "ruff", "serin", "shrike", "siskin", "skua", "snipe", "starling", "stork", "swift", "tern",
    "wren",
)  # fmt: skip


def seatings(players: int, how: str = "all") -> tuple[tuple[int, ...], ...]:
    """The seatings of one match: ``seating[seat]`` is the player (by number) who sits there.

    ``all``: every permutation, in the order of Gloeckner 2013, section 4.5, steps 1-11: first the rotations
    of the given order (everyone moves to the seat on the right, so that player 0 comes to the button first),
    then those of the next order. With three players that is the given order and its mirror image; every
    player gets every seat's cards twice, against both orders of the others. ``rotations``: those of the given
    order alone. Heads-up there are two seatings either way.

    Raises ``MatchError``: ``bad_table_size``, ``bad_seatings``, ``too_many_seatings`` (``all`` with more than
    5 players).
    """
    _check_seatings(players, how)
    orders = permutations(range(1, players)) if how == "all" else iter([tuple(range(1, players))])
    found = []
    for others in orders:
        order = (0, *others)
        found += [order[turn:] + order[:turn] for turn in range(players)]
    return tuple(found)


def position_of(seat: int, hand: int, players: int) -> int:
    """Position of a seat at a hand."""
    return (seat - hand) % players


def seat_at(position: int, hand: int, players: int) -> int:
    """Seat that has a position at a hand."""
    return (position + hand) % players


def line_ups(bots: Sequence[str], players: int, count: int | None = None) -> tuple[tuple[str, ...], ...]:
    """Every choice of ``players`` bots, each in the order of ``bots``; those without the last bot come first,
    so that one more bot leaves the numbers of all others as they are. Or ``count`` of them, chosen so that
    all bots play, and all pairs meet, about equally often (``dealer.line_ups``): one more bot changes all.

    Raises ``MatchError``: ``bad_table_size``, ``too_few_bots``, ``bad_line_ups`` (a count below 1, or of more
    than there are).
    """
    _check_bots(bots, players)
    if count is None:
        found = sorted(combinations(range(len(bots)), players), key=lambda line_up: line_up[::-1])
    else:
        _check_count(bots, players, count)
        found = list(balanced_line_ups(len(bots), players, count))
    return tuple(tuple(bots[player] for player in line_up) for line_up in found)


@dataclass(frozen=True, slots=True)
class Division:
    """What is to be played: every line-up of ``players`` of the ``bots`` plays ``matches`` matches of
    ``hands`` hands a seating. ``chosen``: only so many line-ups, see ``line_ups``. ``series``: matches that
    the same players in the same seats play in a row before they forget.

    Raises ``MatchError``: ``bad_name``, ``duplicate_name``, ``bad_count``, ``bad_series``,
    ``bad_table_size``, ``too_few_bots``, ``bad_seatings``, ``too_many_seatings``, ``bad_line_ups``,
    ``too_many_sessions``.
    """

    name: str
    bots: tuple[str, ...]
    players: int
    matches: int
    hands: int
    seating: str = "all"
    line_up_count: int | None = None
    carry: bool = False
    series: int = 1

    def __post_init__(self) -> None:
        for name in (self.name, *self.bots):
            if not NAME.fullmatch(name):
                raise MatchError(
                    "bad_name",
                    f"{name!r} is not a name: 1 to 64 letters, digits, '_', '-', '.' and '@', as in 'call-2'",
                )
        # Also when they differ in case only: not every file system would tell their files apart.
        if len({bot.casefold() for bot in self.bots}) < len(self.bots):
            raise MatchError("duplicate_name", f"two bots of {self.name} have the same name")
        if self.matches < 1 or self.hands < 1:
            raise MatchError("bad_count", f"{self.name} needs at least one match and one hand")
        if self.series < 1 or self.matches % self.series:
            raise MatchError(
                "bad_series",
                f"{self.name}: {self.matches} matches cannot be divided into series of {self.series}",
            )
        _check_bots(self.bots, self.players)
        _check_seatings(self.players, self.seating)
        if self.line_up_count is not None:
            _check_count(self.bots, self.players, self.line_up_count)
        if self.sessions > MAX_SESSIONS:
            raise MatchError(
                "too_many_sessions",
                f"{self.name} would be {self.sessions} sessions; at most {MAX_SESSIONS} are planned",
            )

    @property
    def seatings(self) -> int:
        """Number of seatings of each match, that is, of sessions."""
        return factorial(self.players) if self.seating == "all" else self.players

    @property
    def line_ups(self) -> tuple[tuple[str, ...], ...]:
        """The line-ups that play, in order."""
        return line_ups(self.bots, self.players, self.line_up_count)

    @property
    def interval_unit(self) -> Literal["deal", "match", "series"]:
        """What is independent, and so the unit of all intervals, each time with all its seatings and
        line-ups. Memories are reset between series, by default of one match; within one, hands depend on each
        other by their stacks where these carry over, and by what bots have learned. Where every hand begins
        anew, and there are too few matches for an interval, deals are taken for independent: they are unless
        bots learn.
        """
        if self.series > 1:
            return "series"
        return "match" if self.carry or self.matches >= MIN_UNITS else "deal"

    @property
    def sessions(self) -> int:
        """Number of sessions of the whole division."""
        return (self.line_up_count or comb(len(self.bots), self.players)) * self.matches * self.seatings


@dataclass(frozen=True, slots=True)
class Session:
    """One stretch of play: ``hands`` hands of one line-up at one seating, after a reset unless it goes on
    with a series. ``players`` are named by seat.
    """

    division: str
    line_up: int
    match: int
    seating: int
    players: tuple[str, ...]
    hands: int

    @property
    def name(self) -> str:
        """Unique within a competition and usable as a relative path: ``three/m0000-l004-s5``."""
        return f"{self.division}/m{self.match:04d}-l{self.line_up:03d}-s{self.seating}"


def plan_sessions(division: Division) -> tuple[Session, ...]:
    """All sessions of a division, in a fixed order: match by match, within it line-up by line-up, seating by
    seating.

    Matches come first so that standings during a competition compare bots that played the same cards.
    """
    orders = seatings(division.players, division.seating)
    return tuple(
        Session(
            division=division.name,
            line_up=number,
            match=match,
            seating=index,
            players=tuple(line_up[player] for player in order),
            hands=division.hands,
        )
        for match in range(division.matches)
        for number, line_up in enumerate(division.line_ups)
        for index, order in enumerate(orders)
    )


def play_key(seed: bytes) -> bytes:
    """Key for ``bot_seed`` and ``pseudonyms`` that belongs to a competition's seed and gives nothing of it
    away.

    With a 256-bit seed that is so; a key made from a 32-bit ACPC seed can be guessed, as can that seed's
    deals.
    """
    return hashlib.sha256(b"pokerd play key 1\x00" + seed).digest()


def bot_seed(key: bytes, session: Session, seat: int) -> int:
    """Seed for the own randomness of the bot at that seat, 0 to 2**48 - 1; another one in every session.

    It has nothing to do with the deals. ``key`` must stay secret while bots may not know whom they play
    (``play_key``).
    """
    text = f"seed {session.name} {seat} {' '.join(session.players)}"
    return int.from_bytes(keyed_digest(key, text)[:6], "big")


def pseudonyms(key: bytes, session: Session) -> tuple[str, ...]:
    """Names by seat under which players may be shown to each other, drawn anew for every session
    (``guest-heron``).

    They are all different and do not depend on who sits there, so nothing can be learned from them.
    """
    ranked = sorted(_ALIASES, key=lambda alias: keyed_digest(key, f"alias {session.name} {alias}"))
    return tuple(f"guest-{alias}" for alias in ranked[: len(session.players)])


def masked_name(key: bytes, session: Session) -> str:
    """Name of a session that tells its division and no more, where ``Session.name`` tells the line-up and the
    seating.
    """
    return f"{session.division}/{keyed_digest(key, f'session {session.name}')[:8].hex()}"


def keyed_digest(key: bytes, text: str) -> bytes:
    """Return what nobody without the key can compute: the HMAC-SHA256 of a text."""
    return hmac.digest(key, text.encode(), "sha256")


def _check_players(players: int) -> None:
    if not 2 <= players <= MAX_PLAYERS:
        raise MatchError("bad_table_size", f"a table has 2 to {MAX_PLAYERS} players, not {players}")


def _check_bots(bots: Sequence[str], players: int) -> None:
    _check_players(players)
    if len(bots) < players:
        raise MatchError(
            "too_few_bots",
            f"{players} players at a table need at least {players} bots; there are {len(bots)}",
        )


def _check_count(bots: Sequence[str], players: int, count: int) -> None:
    most = comb(len(bots), players)
    if not 1 <= count <= most:
        raise MatchError("bad_line_ups", f"{len(bots)} bots have 1 to {most} line-ups, not {count}")


def _check_seatings(players: int, how: str) -> None:
    _check_players(players)
    if how not in ("all", "rotations"):
        raise MatchError("bad_seatings", f"seatings are 'all' or 'rotations', not {how!r}")
    if how == "all" and players > MAX_PLAYERS_ALL_SEATINGS:
        raise MatchError(
            "too_many_seatings",
            f"all seatings of {players} players are {factorial(players)} sessions a match; "
            f"play 'rotations' with more than {MAX_PLAYERS_ALL_SEATINGS}",
        )
