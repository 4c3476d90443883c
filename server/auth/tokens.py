"""Who may come in: tokens that were issued, and who is kept out. One small file in the server's data.

A token is 256 random bits and is told once; what is kept is its SHA-256, from which nobody gets it back.
Being random it needs no salt and no slow hash. The file is changed by commands beside the server, which looks
at it twice a second; it is replaced as a whole, by one at a time.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
import structlog
from msgspec import Meta

from server.auth.addresses import in_network, normalize_address, parse_network
from server.auth.confusables import fold_name, name_keys
from server.errors import ServerError
from server.storage.locks import open_locked

__all__ = [
    "ACCESS_FILE",
    "AccessList",
    "AccessError",
    "Ban",
    "Grant",
    "Quota",
    "edit_access",
    "hash_token",
    "new_token",
    "make_quota",
    "poll_access",
    "polling_access",
    "load_access",
]

log = structlog.get_logger("pokerd.access")

#: The file, in the folder of the server's data.
ACCESS_FILE: Final = "access.json"
#: Seconds between two looks at it.
POLL_INTERVAL: Final = 0.5
_TOKEN_BYTES: Final = 32
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class AccessError(ServerError):
    """What was asked for cannot be done: ``bad_access`` (the file is damaged), ``bad_name``, ``bad_limit``,
    ``name_issued`` (there is such a token) or ``unknown_name`` (there is none).
    """


class Quota(msgspec.Struct, frozen=True):
    """How much somebody may do: messages a second, connections at once, tables at once on each of them. The
    defaults let two bots play six thousand hands a second, with as much again to spare.
    """

    rate: Annotated[int, Meta(ge=1, le=10_000_000)] = 100_000
    connections: Annotated[int, Meta(ge=1, le=1000)] = 1
    tables: Annotated[int, Meta(ge=1, le=4096)] = 4096


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """A token that was issued to somebody; ``hash`` is its SHA-256. ``admin``: for administration alone."""

    name: str
    hash: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    issued: str
    admin: bool = False
    quota: Quota = Quota()

    @property
    def names(self) -> list[str]:
        """The names of its players: one for each connection that it may have."""
        return [self.name, *(f"{self.name}-{number}" for number in range(2, self.quota.connections + 1))]


class Ban(msgspec.Struct, frozen=True):
    """Who is kept out: a name, in any spelling, or an address or network. By whom, and since when."""

    kind: Literal["name", "address"]
    value: str
    by: str
    at: str


class AccessList(msgspec.Struct):
    """What the file says."""

    version: Literal[1] = 1
    tokens: list[Grant] = []
    bans: list[Ban] = []

    def grant(self, token: str) -> Grant | None:
        """Whose token this is. The time it takes tells nothing: what is compared is a hash of it."""
        hashed = hash_token(token)
        return next((one for one in self.tokens if secrets.compare_digest(one.hash, hashed)), None)

    def by_hash(self, hashed: str) -> Grant | None:
        """The token with this hash."""
        return next((one for one in self.tokens if one.hash == hashed), None)

    def by_name(self, name: str) -> Grant | None:
        """The token of that name, in any spelling."""
        return next((one for one in self.tokens if fold_name(one.name) == fold_name(name)), None)

    def owner_of_name(self, name: str) -> Grant | None:
        """The token to which this name belongs: its own, or one of the others that its players have."""
        known = name_keys(name)
        # Their own names are ASCII; this is asked for every guest when anything changes.
        return next(
            (
                one
                for one in self.tokens
                if one.name.lower() in known
                or (one.quota.connections > 1 and not known.isdisjoint(map(str.lower, one.names)))
            ),
            None,
        )

    def is_banned(self, name: str, grant: Grant | None = None) -> bool:
        """Whether somebody of this name is kept out, or the owner of a token: by any name of his players."""
        bans = [ban.value for ban in self.bans if ban.kind == "name"]
        if not bans:
            return False
        known = name_keys(name) if grant is None else frozenset(map(str.lower, grant.names))
        return any(not known.isdisjoint(name_keys(ban)) for ban in bans)

    def is_address_banned(self, address: str) -> bool:
        """Whether who comes from there is kept out."""
        networks = (parse_network(ban.value) for ban in self.bans if ban.kind == "address")
        return any(network is not None and in_network(address, network) for network in networks)

    # Changes.

    def issue(self, name: str, quota: Quota, *, admin: bool = False) -> str:
        """A new token. Raises ``AccessError``."""
        if not _NAME.fullmatch(name):
            raise AccessError("bad_name", f"{name!r} is no name: letters, digits, '_', '-', '.', 64 at most")
        token = new_token()
        grant = Grant(name=name, hash=hash_token(token), issued=timestamp(), admin=admin, quota=quota)
        if any(self.owner_of_name(one) for one in grant.names):
            raise AccessError("name_issued", f"there is a token of {name} already; revoke it first")
        self.tokens.append(grant)
        return token

    def revoke(self, name: str) -> None:
        """Take a token back. Raises ``AccessError``."""
        grant = self.by_name(name)
        if grant is None:
            raise AccessError("unknown_name", f"there is no token of {name!r}")
        self.tokens.remove(grant)

    def ban(self, kind: Literal["name", "address"], value: str, by: str) -> str:
        """Keep somebody out: an address or network, or a name, and by any name of a token its owner. Returns
        what is kept of it.
        """
        value = self._normalized(kind, value)
        self.unban(kind, value)
        self.bans.append(Ban(kind, value, by, timestamp()))
        return value

    def unban(self, kind: Literal["name", "address"], value: str) -> str:
        """Let him in again. Returns what was kept of the ban, and nothing if there was none."""
        value = self._normalized(kind, value)
        found = [
            ban
            for ban in self.bans
            if ban.kind == kind and _is_same_target(kind, self._normalized(kind, ban.value), value)
        ]
        self.bans = [ban for ban in self.bans if ban not in found]
        return found[0].value if found else ""

    def _normalized(self, kind: Literal["name", "address"], value: str) -> str:
        if kind == "address":
            return normalize_address(value)
        owner = self.owner_of_name(value)
        return value if owner is None else owner.name


def _is_same_target(kind: Literal["name", "address"], one: str, other: str) -> bool:
    if kind == "address":
        return normalize_address(one) == normalize_address(other)
    return not name_keys(one).isdisjoint(name_keys(other))


def new_token() -> str:
    """A new secret of 256 bits. It does not begin with ``-``: a command line would take it for an option."""
    while (token := secrets.token_urlsafe(_TOKEN_BYTES)).startswith("-"):
        pass
    return token


def hash_token(token: str) -> str:
    """What is kept of a token."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def timestamp() -> str:
    """The time, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def load_access(folder: Path) -> AccessList:
    """What the file in ``folder`` says; nothing, if there is none. Raises ``AccessError`` and ``OSError``."""
    path = folder / ACCESS_FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=AccessList)
    except FileNotFoundError:
        return AccessList()
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AccessError("bad_access", f"{path} is damaged: {error}") from None


@contextmanager
def edit_access(folder: Path) -> Iterator[AccessList]:
    """Change what the file says, unless something is raised meanwhile. Others wait. Raises ``AccessError``
    and ``OSError``.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Not the folder itself: that is held by the server as long as it runs.
    lock = open_locked(folder / f".{ACCESS_FILE}.lock", None, os.O_RDWR | os.O_CREAT)
    try:
        access = load_access(folder)
        before = msgspec.json.encode(access)
        yield access
        after = msgspec.json.format(msgspec.json.encode(access), indent=1)
        if after != msgspec.json.format(before, indent=1):
            _write_atomically(folder / ACCESS_FILE, after)
    finally:
        os.close(lock)


def _write_atomically(path: Path, data: bytes) -> None:
    """At no moment is there half a file, and nobody but its owner can read it."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


async def poll_access(folder: Path, on_changed: Callable[[AccessList], None]) -> None:
    """Tell what the file says, and again whenever it has changed, for ever. One that cannot be read changes
    nothing.
    """
    seen = None
    while True:
        await asyncio.sleep(POLL_INTERVAL)
        stamp = _file_stamp(folder / ACCESS_FILE)
        if stamp != seen:
            seen = stamp
            try:
                on_changed(load_access(folder))
            except (AccessError, OSError) as error:
                log.warning("tokens cannot be read", error=str(error))


@asynccontextmanager
async def polling_access(folder: Path, on_changed: Callable[[AccessList], None]) -> AsyncIterator[None]:
    """``follow`` meanwhile."""
    task = asyncio.create_task(poll_access(folder, on_changed), name="tokens")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


def _file_stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_ino, facts.st_size


def make_quota(**given: int | None) -> Quota:
    """The usual quota but for what is given. Raises ``AccessError`` (``bad_limit``)."""
    try:
        return msgspec.convert({name: value for name, value in given.items() if value is not None}, Quota)
    except msgspec.ValidationError as error:
        raise AccessError("bad_limit", f"no such limit: {error}") from None
