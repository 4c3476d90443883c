"""Issued tokens and bans, in one small file in the server's data directory.

A token is 256 random bits and is shown once; only its SHA-256 is stored. As it is random, it needs neither
salt nor a slow hash. Commands change the file while the server runs, which checks it twice a second. It is
replaced atomically, by one process at a time.
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
from msgspec import Meta

from server.auth.addresses import in_network, normalize_address, parse_network
from server.auth.confusables import fold_name, name_keys
from server.errors import ServerError
from server.storage.locks import open_locked
from server.telemetry.logger import get_logger

log = get_logger("pokerd.access")

#: The file in the data directory.
ACCESS_FILE: Final = "access.json"
#: Seconds between two checks of the file.
POLL_INTERVAL: Final = 0.5
_TOKEN_BYTES: Final = 32
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class AccessError(ServerError):
    """A request that cannot be fulfilled: ``bad_access`` (the file is damaged), ``bad_name``, ``bad_limit``,
    ``name_issued`` (the name has a token, or is a house bot's) or ``unknown_name`` (it has none).
    """


class Quota(msgspec.Struct, frozen=True):
    """Limits: messages per second, connections, and tables per connection. The defaults are twice what two
    bots need for six thousand hands per second.
    """

    rate: Annotated[int, Meta(ge=1, le=10_000_000)] = 100_000
    connections: Annotated[int, Meta(ge=1, le=1000)] = 1
    tables: Annotated[int, Meta(ge=1, le=4096)] = 4096


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """An issued token; ``hash`` is its SHA-256. ``admin``: for administration only."""

    name: str
    hash: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    issued: str
    admin: bool = False
    quota: Quota = Quota()

    @property
    def names(self) -> list[str]:
        """Return the names of its players, one for each connection that it may have."""
        return [self.name, *(f"{self.name}-{number}" for number in range(2, self.quota.connections + 1))]


class Ban(msgspec.Struct, frozen=True):
    """A ban of a name, in any spelling, or of an address or network: by whom, and since when."""

    kind: Literal["name", "address"]
    value: str
    by: str
    at: str


class AccessList(msgspec.Struct):
    """The content of the file."""

    version: Literal[1] = 1
    tokens: list[Grant] = []
    bans: list[Ban] = []

    def find_grant(self, token: str) -> Grant | None:
        """Return the entry of a token. Comparing hashes makes the time independent of the token."""
        hashed = hash_token(token)
        return next((one for one in self.tokens if secrets.compare_digest(one.hash, hashed)), None)

    def by_hash(self, hashed: str) -> Grant | None:
        """Return the entry with this hash."""
        return next((one for one in self.tokens if one.hash == hashed), None)

    def by_name(self, name: str) -> Grant | None:
        """Return the entry of that name, in any spelling."""
        return next((one for one in self.tokens if fold_name(one.name) == fold_name(name)), None)

    def owner_of_name(self, name: str) -> Grant | None:
        """Return the entry that owns a name: its own, or that of one of its other players."""
        known = name_keys(name)
        # Their names are ASCII; this is called for every guest whenever something changes.
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
        """Return whether a name is banned, or the owner of a token by any name of his players."""
        bans = [ban.value for ban in self.bans if ban.kind == "name"]
        if not bans:
            return False
        known = name_keys(name) if grant is None else frozenset(map(str.lower, grant.names))
        return any(not known.isdisjoint(name_keys(ban)) for ban in bans)

    def is_address_banned(self, address: str) -> bool:
        """Return whether an address is banned."""
        networks = (parse_network(ban.value) for ban in self.bans if ban.kind == "address")
        return any(network is not None and in_network(address, network) for network in networks)

    # Changes.

    def issue(
        self,
        name: str,
        quota: Quota,
        *,
        admin: bool = False,
        is_house_bot: Callable[[str], bool] = lambda _: False,
    ) -> str:
        """Create a token and return it. No player of it may have a name that is a house bot's. Raises
        ``AccessError``.
        """
        if not _NAME.fullmatch(name):
            raise AccessError("bad_name", f"{name!r} is no name: letters, digits, '_', '-', '.', 64 at most")
        token = new_token()
        grant = Grant(name=name, hash=hash_token(token), issued=timestamp(), admin=admin, quota=quota)
        if any(self.owner_of_name(one) for one in grant.names):
            raise AccessError("name_issued", f"{name} already has a token; revoke it first")
        reserved = next(filter(is_house_bot, grant.names), None)
        if reserved is not None:
            raise AccessError("name_issued", f"{reserved} is a house bot")
        self.tokens.append(grant)
        return token

    def revoke(self, name: str) -> None:
        """Revoke a token. Raises ``AccessError``."""
        grant = self.by_name(name)
        if grant is None:
            raise AccessError("unknown_name", f"{name!r} has no token")
        self.tokens.remove(grant)

    def ban(self, kind: Literal["name", "address"], value: str, by: str) -> str:
        """Ban an address, a network or a name; a name of a token's player bans its owner. Returns the stored
        value.
        """
        value = self._normalized(kind, value)
        self.unban(kind, value)
        self.bans.append(Ban(kind, value, by, timestamp()))
        return value

    def unban(self, kind: Literal["name", "address"], value: str) -> str:
        """Lift a ban. Returns the stored value, or "" if there was no ban."""
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
    """Return a new secret of 256 bits. It never starts with ``-``, which a command line would read as an
    option.
    """
    while (token := secrets.token_urlsafe(_TOKEN_BYTES)).startswith("-"):
        pass
    return token


def hash_token(token: str) -> str:
    """Return the hash that is stored of a token."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def timestamp() -> str:
    """Return the time, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def load_access(folder: Path) -> AccessList:
    """Read the file in ``folder``; a missing file is empty. Raises ``AccessError`` and ``OSError``."""
    path = folder / ACCESS_FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=AccessList)
    except FileNotFoundError:
        return AccessList()
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AccessError("bad_access", f"{path} is damaged: {error}") from None


@contextmanager
def edit_access(folder: Path) -> Iterator[AccessList]:
    """Change the file, unless an exception is raised meanwhile. Other processes wait. Raises ``AccessError``
    and ``OSError``.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Not the folder itself: a running server locks that.
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
    """Replace the file atomically, readable by its owner only."""
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
    """Call ``on_changed`` with the content of the file, and again whenever it changes, forever. An unreadable
    file changes nothing.
    """
    seen = None
    while True:
        await asyncio.sleep(POLL_INTERVAL)
        stamp = file_stamp(folder / ACCESS_FILE)
        if stamp != seen:
            seen = stamp
            try:
                on_changed(load_access(folder))
            except (AccessError, OSError) as error:
                log.warning("cannot read tokens", error=str(error))


@asynccontextmanager
async def polling_access(folder: Path, on_changed: Callable[[AccessList], None]) -> AsyncIterator[None]:
    """Run ``poll_access`` meanwhile."""
    task = asyncio.create_task(poll_access(folder, on_changed), name="tokens")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


def file_stamp(path: Path) -> tuple[int, int, int] | None:
    """Return what changes with a file; None if there is none."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_ino, facts.st_size


def make_quota(**given: int | None) -> Quota:
    """Return the default quota with some values changed. Raises ``AccessError`` (``bad_limit``)."""
    try:
        return msgspec.convert({name: value for name, value in given.items() if value is not None}, Quota)
    except msgspec.ValidationError as error:
        raise AccessError("bad_limit", f"no such limit: {error}") from None
