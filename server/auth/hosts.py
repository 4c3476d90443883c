"""Host names of a server, and the web pages that may connect to it.

A page of any site can make its visitor's browser connect to his own machine and network. The browser names
the site in ``Origin``; and if the site makes its own name resolve to such an address (DNS rebinding), that
name is also in ``Host``. A name is safe if no stranger controls what it resolves to: names configured by the
operator, ``localhost``, and IP addresses.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final, NamedTuple

from server.errors import ServerError

_LOCAL: Final = "localhost"
_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")
_ORIGIN: Final = re.compile(r"null|[a-z][a-z0-9+.-]*://[^/?#@\s]+")
_USUAL_PORTS: Final = {"http": ":80", "https": ":443"}
_UNKNOWN_HOST: Final = (
    "unknown_host: this server does not accept that host name; start it with --allow-host NAME"
)
_FOREIGN_ORIGIN: Final = (
    "foreign_origin: web pages of that origin may not connect here; allow them with --allow-origin ORIGIN"
)


class RequestRejected(ServerError):
    """A request that is answered with an HTTP ``status`` and a line of text."""

    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(code, text)
        self.status = status


def is_loopback(host: str) -> bool:
    """Return whether a server that listens at ``host`` is reachable from this machine only."""
    try:
        found = socket.getaddrinfo(host, None) if host else []
    except (OSError, UnicodeError):
        return False
    addresses = [ip_address(str(address[0]).partition("%")[0]) for *_, address in found]
    return bool(addresses) and all(
        (getattr(one, "ipv4_mapped", None) or one).is_loopback for one in addresses
    )


def parse_server_name(text: str) -> str:
    """Parse a server name as in ``Host``, without a port. Raises ``ValueError``."""
    try:
        name = text.removesuffix(".").encode("idna").decode().lower()
    except UnicodeError:
        name = ""
    if _NAME.fullmatch(name) is None:
        raise ValueError(f"{text!r} is not a host name: write it as poker.example, without a port")
    return name


def parse_origin(text: str) -> str:
    """Parse an origin as browsers write it: ``https://poker.example``, or ``null``. Raises ``ValueError``."""
    origin = text.lower().removesuffix("/")
    if _ORIGIN.fullmatch(origin) is None:
        raise ValueError(f"{text!r} is not an origin: write it as https://poker.example:8443")
    return origin.removesuffix(_USUAL_PORTS.get(origin.partition(":")[0], " "))


class HostConfig(NamedTuple):
    """How others reach a server. ``names``: its allowed names, if configured (``parse_server_name``);
    ``origins``: those of web pages that may connect to the port for bots (``parse_origin``).
    """

    names: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    def policy_for(self, host: str, *, secure: bool) -> HostPolicy:
        """Return the rules for a port at ``host``. Unknown names are refused if names are configured or the
        port is local; but not for the latter reason with TLS (``secure``), where a browser checks the name
        itself.
        """
        strict = bool(self.names) or (is_loopback(host) and not secure)
        return HostPolicy([host, *self.names], self.origins, strict=strict)


class HostPolicy:
    """The rules of a port. ``strict``: names that are not in ``names`` are refused."""

    def __init__(
        self, names: Sequence[str] = (), origins: Sequence[str] = (), *, strict: bool = False
    ) -> None:
        self._names = frozenset({_LOCAL, *map(str.lower, names)})
        self._origins = frozenset(origins)
        self._strict = strict

    def verify_host(self, hosts: Sequence[str]) -> None:
        """Check the values of ``Host`` in a request. Raises ``RequestRejected`` for unsafe names. Requests
        without any are not from browsers.
        """
        if self._strict and (len(hosts) > 1 or not all(map(self._is_safe, hosts))):
            raise RequestRejected(421, "unknown_host", _UNKNOWN_HOST)

    def verify(self, hosts: Sequence[str], origins: Sequence[str]) -> None:
        """Check ``Host`` and ``Origin`` in a handshake at the port for bots. Raises ``RequestRejected``
        unless the origin is allowed, or safe and the server's own, which some libraries send.
        """
        self.verify_host(hosts)
        for origin in map(str.lower, origins):
            own = is_same_origin([host.lower() for host in hosts], [origin]) and all(
                map(self._is_safe, hosts)
            )
            if not own and origin not in self._origins:
                raise RequestRejected(403, "foreign_origin", _FOREIGN_ORIGIN)

    def _is_safe(self, host: str) -> bool:
        name = host.rpartition(":")[0] if re.search(r":\d*$", host) else host
        name = name.lower().removesuffix(".")
        try:
            ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return name in self._names
        return True


#: No configuration.
DEFAULT_HOST_CONFIG: Final = HostConfig()
#: Any name is accepted.
ANY_HOST: Final = HostPolicy()


def is_same_origin(hosts: Sequence[str], origins: Sequence[str]) -> bool:
    """Return whether the origin of a page is the host that it contacts."""
    return len(hosts) == 1 and list(origins) in ([f"http://{hosts[0]}"], [f"https://{hosts[0]}"])
