"""The admission policy: who may join, how fast clients may send, and the limits of an address.

Nothing here knows sockets or tables. ``House`` asks, and enforces the answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from protocol.errors import Refused
from server.auth.addresses import Network, client_key
from server.auth.hosts import DEFAULT_HOST_CONFIG, HostConfig, is_loopback
from server.auth.tokens import AccessList, Grant, Quota

#: Limits of guests: all those of one address together; tables are per guest.
GUEST_QUOTA: Final = Quota(rate=100_000, connections=1000, tables=256)
#: Whether players without a token are admitted; ``auto``: only if the server is reachable from this machine
#: alone.
GuestMode = Literal["auto", "yes", "no"]


class Capacity(NamedTuple):
    """Limits of connections: in all, and per address (0: unlimited). Connections from ``proxies`` count for
    the forwarded address.
    """

    connections: int = 10_000
    per_address: int = 1000
    proxies: tuple[Network, ...] = ()


DEFAULT_CAPACITY: Final = Capacity()


class RateLimiter:
    """A limit of ``limit`` actions per ``seconds``: a token bucket."""

    __slots__ = ("_every", "_full_at", "_seconds", "limit")

    def __init__(self, limit: int, seconds: float = 1.0) -> None:
        self.limit = limit
        self._seconds = seconds
        self._every = seconds / limit
        self._full_at = 0.0

    def spend(self, now: float, count: int = 1) -> bool:
        """Return whether ``count`` actions are allowed now, and count them. ``now``: seconds, never
        decreasing.
        """
        full_at = max(now, self._full_at) + count * self._every
        if full_at - now > self._seconds:
            return False
        self._full_at = full_at
        return True


class AdmissionPolicy:
    """``guests``: whether players without a token are admitted; ``guest_quota``: their limits, None for none;
    ``per_address``: connections per address, 0 for unlimited; ``proxies``: trusted proxies, whose clients
    have the forwarded address; ``host_config``: how others reach the server.
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
        #: Nobody new is admitted.
        self.closing = False
        self._connection_counts: Counter[str] = Counter()
        self._rate_limiters: dict[tuple[str, str], RateLimiter] = {}

    # Connections.

    def admit_connection(self, address: str, *, is_local: bool = False) -> str:
        """Count a new connection; return the code why it is refused, or "". Call ``release_connection``
        later. ``is_local``: from this machine; house bots are identified later, at hello.
        """
        who = client_key(address)
        self._connection_counts[who] += 1
        if not is_local and self.access.is_address_banned(address):
            return "banned"
        if self.per_address and self._connection_counts[who] > self.per_address:
            return "too_many_connections"
        return ""

    def release_connection(self, address: str) -> None:
        """Count a closed connection."""
        who = client_key(address)
        self._connection_counts[who] -= 1
        if self._connection_counts[who] <= 0:
            del self._connection_counts[who]
            self._rate_limiters.pop(("guest", who), None)

    # Players.

    def find_grant(self, token: str) -> Grant:
        """Return the token's owner. Raises ``Refused``, which is fatal."""
        grant = self.access.find_grant(token)
        if grant is None or grant.admin:
            raise Refused("bad_token", fatal=True)
        if self.access.is_banned(grant.name, grant):
            raise Refused("banned", fatal=True)
        return grant

    def verify_guest(self, name: str) -> None:
        """Raise ``Refused``, which is fatal, unless a guest may have this name."""
        if not self.guests:
            raise Refused("bad_token", "this server admits only players with a token", fatal=True)
        if self.access.is_banned(name):
            raise Refused("banned", fatal=True)
        if self.access.owner_of_name(name):
            raise Refused("name_taken", "this name belongs to a token", fatal=True)

    def verify_address(self, address: str) -> None:
        """Raise ``Refused``, which is fatal, unless players of this address are admitted."""
        if self.access.is_address_banned(address):
            raise Refused("banned", fatal=True)

    def verify_open(self) -> None:
        """Raise ``Refused``, which is fatal, if nobody new is admitted."""
        if self.closing:
            raise Refused("closing", fatal=True)

    def removal_reason(self, name: str, grant: Grant | None) -> str:
        """Return why a player must go after ``access`` has changed, or ""."""
        if grant is not None and self.access.by_hash(grant.hash) is None:
            return "revoked"
        if self.access.is_banned(name, grant):
            return "banned"
        if grant is None and self.access.owner_of_name(name):
            return "name_taken"
        return ""

    # Limits.

    def quota_key(self, address: str, grant: Grant | None) -> tuple[str, str]:
        """Return the key of the limits: a token for all its connections, or an address for guests."""
        return ("token", grant.hash) if grant is not None else ("guest", client_key(address))

    def rate_limiter(self, address: str, grant: Grant | None) -> RateLimiter | None:
        """Return the rate limiter: of a token for all its connections, or of an address for guests."""
        quota = grant.quota if grant is not None else self.guest_quota
        if quota is None:
            return None
        key = self.quota_key(address, grant)
        rate = self._rate_limiters.get(key)
        if rate is None or rate.limit != quota.rate:
            rate = self._rate_limiters[key] = RateLimiter(quota.rate)
        return rate

    def table_limit(self, requested: int, grant: Grant | None, *, guest: bool) -> int:
        """Return the number of tables at once for a client that asks for ``requested``."""
        quota = grant.quota if grant is not None else self.guest_quota if guest else None
        return requested if quota is None else min(requested, quota.tables)


def admission_policy(
    access: AccessList, host: str, guests: GuestMode, capacity: Capacity, host_config: HostConfig
) -> AdmissionPolicy:
    """Return the policy of a server that listens at ``host``."""
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
    """Return the policy of a server that admits only clients with a secret."""
    return AdmissionPolicy(
        per_address=capacity.per_address, proxies=capacity.proxies, host_config=host_config
    )
