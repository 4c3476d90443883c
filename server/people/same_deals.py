"""The same deals for several people: today's hands for everybody, and for friends those of one challenge.

A day is a date in UTC. Its seed is HMAC-SHA256 (RFC 2104) of a secret in the data folder over the date, so
nobody can know it in advance; its commitment is public all day. The seed, the hands and the results by hand
are published ``GRACE`` seconds after the day has ended, until when tries that began in time may end.
"""

from __future__ import annotations

import hmac
import re
import sqlite3
import time
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import cycle
from typing import Final, NamedTuple

import msgspec

from dealer.deck import commitment
from dealer.intervals import mean_interval
from protocol.errors import Refused
from protocol.people import ChallengeResult, CreateTable, Estimate
from server.storage.hand_store import HandStore
from server.storage.stored_hands import (
    StoredChallenge,
    StoredHand,
    StoredRun,
    player_key,
    split_hand,
    split_run,
)

#: Hands of a day.
HANDS: Final = 20
BIG_BLIND: Final = 10
#: Seconds after the end of a day for which its cards stay secret.
GRACE: Final = 3600
#: The house bots of a day that are on offer, and who plays the same hands as the person: different ones that
#: play about equally well and fast. Others take the places of those that are missing.
BOTS: Final = ("hbb5", "loki2", "loki1", "pushfold", "cfr")
RIVAL: Final = "sartre"
#: Tables with today's hands, or of links, that are opened in a day for one address or token.
MAX_TRIES_PER_DAY: Final = 50
#: Addresses and tokens that are counted per day; others cannot open such tables then.
MAX_SOURCES: Final = 10_000
#: People whose result counts per day.
MAX_PLAYERS_PER_DAY: Final = 2000
#: People who can play the deals of one link, and days for which they can.
MAX_FRIENDS: Final = 20
LINK_DAYS: Final = 14
#: Days for which results of days are kept.
KEPT_DAYS: Final = 366

_SEED_DOMAIN: Final = b"pokerd daily deals 1\x00"
_LINK_DOMAIN: Final = b"pokerd challenge link 1\x00"
_LINK_BYTES: Final = 16
_DAY_SECONDS: Final = 86_400
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def day_of(now: float) -> str:
    """Return the date in UTC, as in ``2025-11-25``, ``now`` seconds after 1970."""
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def is_day(text: str) -> bool:
    """Return whether this is a date as ``day_of`` writes it."""
    try:
        return _DAY.fullmatch(text) is not None and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def publication_time(day: str) -> float:
    """Return when the seed of a day is published, in seconds since 1970."""
    begin = datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC)
    return begin.timestamp() + _DAY_SECONDS + GRACE


def day_seed(secret: bytes, day: str) -> bytes:
    """Return the seed of a day, 32 bytes."""
    return hmac.digest(secret, _SEED_DOMAIN + day.encode(), "sha256")


def link_token(secret: bytes, run: str) -> str:
    """Return the token of the link to the deals of a challenge: 22 characters that nobody can guess."""
    token = hmac.digest(secret, _LINK_DOMAIN + run.encode(), "sha256")[:_LINK_BYTES]
    return urlsafe_b64encode(token).decode().rstrip("=")


def streak(days: Collection[str], today: str) -> int:
    """Return how many days in a row were played, up to today, or to yesterday if today is still to come."""
    last = date.fromisoformat(today)
    if today not in days:
        last -= timedelta(days=1)
    count = 0
    while (last - timedelta(days=count)).isoformat() in days:
        count += 1
    return count


def worse(mine: float, others: Sequence[float]) -> int:
    """Return how many of the others won less."""
    return sum(other < mine for other in others)


def mean_of(nets: Sequence[float], big_blind: int) -> Estimate | None:
    """Return the mean of results in big blinds, or None without any."""
    if not nets:
        return None
    found = mean_interval([net / big_blind for net in nets]).if_enough_units()
    return Estimate(found.mean, found.low, found.high)


def day_request(day: str, offered: Iterable[str], pause_ms: int) -> CreateTable:
    """Return the table of a day. ``offered``: the house bots on offer, at least one."""
    offered = set(offered)
    wanted = (*BOTS, RIVAL)
    others = cycle(sorted(offered - set(wanted)) or sorted(offered))
    *bots, rival = [bot if bot in offered else next(others) for bot in wanted]
    return CreateTable(
        name=f"Hands of {day}",
        seats=len(bots) + 1,
        small_blind=BIG_BLIND // 2,
        big_blind=BIG_BLIND,
        stack=100 * BIG_BLIND,
        mode="challenge",
        bots=list(bots),
        rival=rival,
        hands=HANDS,
        decision_ms=30_000,
        bank_ms=300_000,
        pause_ms=pause_ms,
    )


class Result(NamedTuple):
    """What somebody won with deals that others play, too. ``who``: ``player_key`` of him; ``run``: the number
    of his run; ``net``: chips, None if he has not played all hands in time.
    """

    who: str
    run: int
    net: float | None


class Link(NamedTuple):
    """A link to the deals of a challenge. ``setup``: the table as JSON; ``until``: seconds since 1970;
    ``left``: people who can still play them.
    """

    result: ChallengeResult
    setup: bytes
    seed: bytes
    until: float
    left: int


class SameDeals:
    """What is played with the same deals, in an archive. ``secret``: of the seeds and links."""

    def __init__(self, archive: HandStore, secret: bytes, clock: Callable[[], float] = time.time) -> None:
        self._archive = archive
        self._secret = secret
        self.clock = clock
        self._day = ""
        self._tries: Counter[tuple[str, str]] = Counter()

    def today(self) -> str:
        """Return the current day."""
        return day_of(self.clock())

    def is_published(self, day: str) -> bool:
        """Return whether everybody may know the cards of a day."""
        return self.clock() >= publication_time(day)

    def is_sealed(self, run: StoredRun) -> bool:
        """Return whether only who played a run may see its hands, because others may play the same deals."""
        return bool(run.day) and not self.is_published(run.day)

    def seed(self, day: str) -> bytes:
        """Return the seed of a day, which may be secret."""
        return day_seed(self._secret, day)

    def commitment(self, day: str) -> str:
        """Return the commitment to the seed of a day."""
        return commitment(self.seed(day))

    def published_seed(self, day: str, committed: str = "") -> str:
        """Return the seed of a day in hex; "" if it is secret, or not what was ``committed`` to."""
        right = committed in {"", self.commitment(day)}
        return self.seed(day).hex() if right and self.is_published(day) else ""

    def admit(self, source: tuple[str, str]) -> None:
        """Count a table of this address or token. Raises ``Refused`` (``server_full``)."""
        today = self.today()
        if today != self._day:
            self._day = today
            self._tries.clear()
            # Once a day and after a start.
            self._archive.queue_write("old_plays", (day_of(self.clock() - KEPT_DAYS * _DAY_SECONDS),))
        known = source in self._tries or len(self._tries) < MAX_SOURCES
        if not known or self._tries[source] >= MAX_TRIES_PER_DAY:
            detail = f"at most {MAX_TRIES_PER_DAY} tables a day with the same deals for your address or token"
            raise Refused("server_full", detail)
        self._tries[source] += 1

    async def results(self, deals: str) -> list[Result]:
        """Return who has begun to play the deals of a day, or of a challenge: the first tries."""
        return await self._archive.query(lambda db: self._results(db, deals))

    def _results(self, db: sqlite3.Connection, deals: str) -> list[Result]:
        rows = db.execute("SELECT who, run, at, net FROM plays WHERE deals = ? ORDER BY run", (deals,))
        end = publication_time(deals) * 1000 if is_day(deals) else 2**62
        found = msgspec.convert(rows.fetchall(), list[tuple[str, int, int, float | None]])
        return [Result(who, run, net if at < end else None) for who, run, at, net in found]

    async def days_of(self, identity: str) -> set[str]:
        """Return the days whose hands somebody has played to their end."""

        def find(db: sqlite3.Connection) -> set[str]:
            rows = db.execute(
                "SELECT deals FROM plays WHERE who = ? AND net IS NOT NULL", (player_key(identity),)
            )
            return {deals for (deals,) in rows if is_day(deals)}

        return await self._archive.query(find) if identity else set()

    def find_hand(self, text: str) -> tuple[StoredHand, bytes]:
        """Return the stored hand with this id and the seed of its deck, at once. Raises ``Refused``
        (``bad_table``) if there is none, or not everybody may know its deck.
        """
        split = split_hand(text)
        hand = None if split is None else self._archive.hand_now(*split[1:])
        if hand is None or hand.id != text:
            raise _refusal("there is no such hand")
        run = hand.run
        seed = self.published_seed(run.day, run.commitment) if run.day else run.seed
        if not seed:
            raise _refusal("its deck is not published yet; a hand can be played on once its table is closed")
        return hand, bytes.fromhex(seed)

    # Links for friends.

    def link(self, run: str) -> str:
        """Return what stands in the link to the deals of a challenge."""
        return f"{run}.{link_token(self._secret, run)}"

    def is_open(self, challenge: StoredChallenge) -> bool:
        """Return whether friends can play the deals of a challenge: of one that was played to its end lately,
        and not with the deals of another.
        """
        result = challenge.result
        known = challenge.setup and challenge.run.seed and not result.deals
        return bool(known) and len(result.hands) == result.of and self.clock() < self.link_end(challenge.at)

    @staticmethod
    def link_end(ended_at: int) -> float:
        """Return until when a link is good, in seconds since 1970."""
        return ended_at / 1000 + LINK_DAYS * _DAY_SECONDS

    def find_link(self, link: str, identity: str) -> Link:
        """Return what a link leads to, at once. Raises ``Refused`` (``bad_table``) if it leads nowhere any
        more, or whoever asks has played those deals.
        """
        run, _, token = link.rpartition(".")
        split = split_run(run)
        good = hmac.compare_digest(token.encode(), link_token(self._secret, run).encode())
        if split is None or not good:
            raise _refusal("this link leads to no challenge")
        found = self._archive.query_now(lambda db: self._archive.find_challenge(db, split[1]))
        if found is None or found.run.id != run or not self.is_open(found):
            raise _refusal("this link has expired")
        players = self._archive.query_now(lambda db: self._results(db, run))
        if any(one.who == player_key(identity) for one in players):
            raise _refusal("you have played these hands: results count once")
        left = MAX_FRIENDS - sum(one.run != split[1] for one in players)
        if left <= 0:
            raise _refusal(f"{MAX_FRIENDS} people have played these hands, and no more can")
        return Link(
            found.result, found.setup.encode(), bytes.fromhex(found.run.seed), self.link_end(found.at), left
        )


def _refusal(detail: str) -> Refused:
    return Refused("bad_table", f"deals: {detail}", field="deals")
