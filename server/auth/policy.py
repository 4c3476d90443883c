"""The rules at the door: who may come in as whom, how often one may speak, and how much one address may have.

Nothing here knows of sockets or tables. ``House`` asks, and carries out what is decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from protocol.errors import Refused
from server.auth.addresses import Network, client_key
from server.auth.hosts import DEFAULT_HOST_CONFIG, HostConfig, is_loopback
from server.auth.tokens import AccessList, Grant, Quota

__all__ = [
    "GUEST_QUOTA",
    "DEFAULT_CAPACITY",
    "AdmissionPolicy",
    "Capacity",
    "GuestMode",
    "RateLimiter",
    "admission_policy",
    "members_only_policy",
]

#: What guests may do, all those of one address together; tables are those of each.
GUEST_QUOTA: Final = Quota(rate=100_000, connections=1000, tables=256)
#: Whether one may come in without a token; ``auto``: only where nobody else can reach the server.
GuestMode = Literal["auto", "yes", "no"]


class Capacity(NamedTuple):
    """How many connections a server takes: in all, and of one address that may play (0: any number).
    ``proxies``: who comes from there counts by the address that is forwarded.
    """

    connections: int = 10_000
    per_address: int = 1000
    proxies: tuple[Network, ...] = ()


DEFAULT_CAPACITY: Final = Capacity()


class RateLimiter:
    """So many times in so many ``seconds``: all of them at once, and more as time goes by."""

    __slots__ = ("_every", "_full_at", "_seconds", "limit")

    def __init__(self, limit: int, seconds: float = 1.0) -> None:
        self.limit = limit
        self._seconds = seconds
        self._every = seconds / limit
        self._full_at = 0.0

    def spend(self, now: float, count: int = 1) -> bool:
        """Whether it may be done so often now; then it counts as done. ``now``: seconds, and never falls."""
        full_at = max(now, self._full_at) + count * self._every
        if full_at - now > self._seconds:
            return False
        self._full_at = full_at
        return True


class AdmissionPolicy:
    """``guests``: whether one may come in without a token. ``guest``: what those may do, and None for no
    limits; ``per_address``: how many connections one address may have, 0 for any number; ``proxies``: who
    comes from there has the address that is forwarded; ``exposure``: how others reach the server.
    """

    def __init__(
        self,
        access: AccessList | None = None,
        *,
        guests: bool = False,
        guest_quota: Quota | None = None,
        per_address: int = 0,
        proxies: Sequence[Network] = (),
        host_config: HostConfig = DEFAULT_HOST_CONFIG,
    ) -> None:
        self.access = access or AccessList()
        self.guests = guests
        self.guest_quota = guest_quota
        self.per_address = per_address
        self.proxies = proxies
        self.host_config = host_config
        #: Nobody new comes in any more.
        self.closing = False
        self._connection_counts: Counter[str] = Counter()
        self._rate_limiters: dict[tuple[str, str], RateLimiter] = {}

    # Connections.

    def admit_connection(self, address: str, *, is_local: bool = False) -> str:
        """A connection was opened from there: the code why it cannot stay, or nothing. ``left`` follows.
        ``near``: from this machine, where house bots come from: these are known when they have said hello.
        """
        who = client_key(address)
        self._connection_counts[who] += 1
        if not is_local and self.access.is_address_banned(address):
            return "banned"
        if self.per_address and self._connection_counts[who] > self.per_address:
            return "too_many_connections"
        return ""

    def release_connection(self, address: str) -> None:
        """A connection from there is gone."""
        who = client_key(address)
        self._connection_counts[who] -= 1
        if self._connection_counts[who] <= 0:
            del self._connection_counts[who]
            self._rate_limiters.pop(("guest", who), None)

    # Players.

    def grant(self, token: str) -> Grant:
        """The token's owner. Raises ``Refused``, which is fatal."""
        grant = self.access.grant(token)
        if grant is None or grant.admin:
            raise Refused("bad_token", fatal=True)
        if self.access.is_banned(grant.name, grant):
            raise Refused("banned", fatal=True)
        return grant

    def verify_guest(self, name: str) -> None:
        """Raises ``Refused``, which is fatal, unless somebody without a token may be called so."""
        if not self.guests:
            raise Refused("bad_token", "this server admits players by token only", fatal=True)
        if self.access.is_banned(name):
            raise Refused("banned", fatal=True)
        if self.access.owner_of_name(name):
            raise Refused("name_taken", "this name belongs to a token", fatal=True)

    def verify_address(self, address: str) -> None:
        """Raises ``Refused``, which is fatal, unless players may come from there."""
        if self.access.is_address_banned(address):
            raise Refused("banned", fatal=True)

    def verify_open(self) -> None:
        """Raises ``Refused``, which is fatal, where nobody new is taken."""
        if self.closing:
            raise Refused("closing", fatal=True)

    def may_stay(self, name: str, grant: Grant | None) -> str:
        """After ``access`` has changed: why who came in by this token or as a guest must go, or nothing."""
        if grant is not None and self.access.by_hash(grant.hash) is None:
            return "revoked"
        if self.access.is_banned(name, grant):
            return "banned"
        if grant is None and self.access.owner_of_name(name):
            return "name_taken"
        return ""

    # What one may do.

    def quota_key(self, address: str, grant: Grant | None) -> tuple[str, str]:
        """Whose limits count: those of a token on all its connections, or those of guests by address."""
        return ("token", grant.hash) if grant is not None else ("guest", client_key(address))

    def rate_limiter(self, address: str, grant: Grant | None) -> RateLimiter | None:
        """How often one may speak: a token's owner on all his connections, guests by address."""
        quota = grant.quota if grant is not None else self.guest_quota
        if quota is None:
            return None
        key = self.quota_key(address, grant)
        rate = self._rate_limiters.get(key)
        if rate is None or rate.limit != quota.rate:
            rate = self._rate_limiters[key] = RateLimiter(quota.rate)
        return rate

    def table_limit(self, asked: int, grant: Grant | None, *, guest: bool) -> int:
        """At how many tables one may play at once who can play at so many."""
        quota = grant.quota if grant is not None else self.guest_quota if guest else None
        return asked if quota is None else min(asked, quota.tables)


def admission_policy(
    access: AccessList, host: str, guests: GuestMode, capacity: Capacity, host_config: HostConfig
) -> AdmissionPolicy:
    """The rules of a server that listens at ``host``."""
    allowed = guests == "yes" or (guests == "auto" and is_loopback(host) and not capacity.proxies)
    return AdmissionPolicy(
        access,
        guests=allowed,
        guest_quota=GUEST_QUOTA,
        per_address=capacity.per_address,
        proxies=capacity.proxies,
        host_config=host_config,
    )


def members_only_policy(capacity: Capacity, host_config: HostConfig) -> AdmissionPolicy:
    """The rules of a server that lets nobody in but those who have a secret."""
    return AdmissionPolicy(
        per_address=capacity.per_address, proxies=capacity.proxies, host_config=host_config
    )
