"""Administration of a running house: list connections, disconnect, ban, pause and close.

An action is executed completely, or refused with a code and without any effect. Executed actions are logged
with the name of the token. ``server/web/admin_api.py`` is the HTTP side.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import structlog

from server.auth.addresses import parse_network
from server.auth.confusables import name_keys
from server.auth.text_rules import is_valid_name
from server.auth.tokens import AccessList, edit_access
from server.errors import ServerError
from server.house.house import House
from server.tables.open_table import OpenTable

log = structlog.get_logger("pokerd.administration")

#: Seconds between two checks whether the last hand is over.
_POLL_INTERVAL: Final = 0.1
#: Codes of refusals, with the HTTP status.
CODES: Final[Mapping[str, int]] = {
    "no_token": 401,
    "bad_token": 401,
    "not_admin": 403,
    "bad_order": 400,
    "bad_address": 400,
    "unknown_action": 404,
    "unknown_connection": 404,
    "unknown_table": 404,
    "unknown_ban": 404,
    "not_bannable": 409,
}


class AdminRefusal(ServerError):
    """A refusal with one of ``CODES``; nothing has changed."""


class AdminRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The target of an action. Fields that the action does not need must be missing."""

    connection: int | None = None
    name: str | None = None
    address: str | None = None
    table: str | None = None


class ConnectionInfo(msgspec.Struct, frozen=True):
    """A connection: its number, name ("" before hello), address, kind of access, and tables."""

    connection: int
    name: str
    address: str
    kind: Literal["", "guest", "token", "house"]
    tables: list[str]


class BanEntry(msgspec.Struct, frozen=True):
    """A ban of a name or an address: by whom, and since when."""

    kind: Literal["name", "address"]
    value: str
    by: str
    at: str


class Overview(msgspec.Struct, frozen=True):
    """The connections, bans and open tables, which tables are paused, and whether the server is draining."""

    connections: list[ConnectionInfo]
    bans: list[BanEntry]
    tables: list[str]
    held: list[str]
    closing: bool


class Administration:
    """Administers ``house``, whose tokens and bans are stored in ``folder``."""

    def __init__(self, house: House, folder: Path) -> None:
        self._house = house
        self._folder = folder
        self._draining = asyncio.Event()
        self._actions: Mapping[str, Callable[[str, AdminRequest], Awaitable[str]]] = {
            "close": self._disconnect,
            "ban": self._ban,
            "unban": self._unban,
            "pause": self._pause,
            "resume": self._resume,
            "end": self._end_table,
            "drain": self._drain,
        }

    @property
    def actions(self) -> list[str]:
        """Return the names of all actions."""
        return list(self._actions)

    def authenticate(self, token: str) -> str:
        """Return the name of the administrator with this token. Raises ``AdminRefusal``."""
        if not token:
            raise AdminRefusal("no_token", "administration needs a token: Authorization: Bearer TOKEN")
        grant = self._house.admission.access.find_grant(token)
        if grant is None:
            raise AdminRefusal("bad_token", "this server does not know this token")
        if not grant.admin:
            raise AdminRefusal("not_admin", f"the token of {grant.name} is for playing")
        return grant.name

    def overview(self) -> Overview:
        """Return the current state."""
        house = self._house
        connections = []
        for one in sorted(house.connections, key=lambda one: one.number):
            player = one.player
            kind: Literal["", "guest", "token", "house"] = ""
            if player is not None:
                kind = "token" if player.grant is not None else "guest" if player.guest else "house"
            tables = [] if player is None else [*player.seats, *player.watching]
            name = "" if player is None else player.name
            connections.append(ConnectionInfo(one.number, name, one.address, kind, tables))
        held = [name for name, table in house.open_tables.items() if table.paused]
        bans = [BanEntry(ban.kind, ban.value, ban.by, ban.at) for ban in house.admission.access.bans]
        return Overview(connections, bans, list(house.open_tables), held, house.admission.closing)

    async def execute(self, action: str, request: AdminRequest, by: str) -> str:
        """Execute an action, return its target. Raises ``AdminRefusal``, ``AccessError`` and ``OSError``."""
        if action not in self._actions:
            raise AdminRefusal("unknown_action", f"there is no action {action[:40]!r}")
        target = await self._actions[action](by, request)
        log.warning("administration", by=by, action=action, target=target)
        return target

    # Actions.

    async def _disconnect(self, _: str, order: AdminRequest) -> str:
        number = _single_field(order, "connection")
        for connection in self._house.connections:
            if connection.number == number:
                connection.close_with_error("expelled")
                return str(number)
        raise AdminRefusal("unknown_connection", f"there is no connection {number}")

    async def _ban(self, by: str, order: AdminRequest) -> str:
        kind, value = _ban_target(order)
        if kind == "address" and parse_network(value) is None:
            raise AdminRefusal(
                "bad_address", f"{value!r} is not an IP address, nor a network such as 192.0.2.0/24"
            )
        if kind == "name":
            self._verify_bannable(value)

        def ban(access: AccessList) -> str:
            owner = access.owner_of_name(value) if kind == "name" else None
            if owner is not None and owner.admin:
                raise AdminRefusal(
                    "not_bannable", f"{owner.name} does not play: revoke the token (pokerd token revoke)"
                )
            return access.ban(kind, value, by)

        return f"{kind} {await self._edit_access(ban)}"

    def _verify_bannable(self, name: str) -> None:
        """Refuse the names of house bots, and names that nobody could have."""
        if not is_valid_name(name):
            raise AdminRefusal("bad_order", "no player can have this name")
        known = map(self._house.players.by_key.get, name_keys(name))
        if any(player is not None and player.issued_by_server for player in known):
            raise AdminRefusal(
                "not_bannable", f"{name} is a house bot: end its table, or serve without it (--bots)"
            )

    async def _unban(self, _: str, order: AdminRequest) -> str:
        kind, value = _ban_target(order)

        def unban(access: AccessList) -> str:
            kept = access.unban(kind, value)
            if not kept:
                raise AdminRefusal("unknown_ban", f"the {kind} {value} is not banned")
            return kept

        return f"{kind} {await self._edit_access(unban)}"

    async def _edit_access(self, change: Callable[[AccessList], str]) -> str:
        """Change tokens and bans, apply them, and return what changed. Raises what ``change`` raises."""

        def work() -> tuple[AccessList, str]:
            with edit_access(self._folder) as access:
                done = change(access)
            return access, done

        access, done = await asyncio.to_thread(work)
        self._house.apply_access(access)
        return done

    async def _pause(self, _: str, order: AdminRequest) -> str:
        return self._set_paused(order, held=True)

    async def _resume(self, _: str, order: AdminRequest) -> str:
        return self._set_paused(order, held=False)

    def _set_paused(self, order: AdminRequest, *, held: bool) -> str:
        table = self._find_table(order)
        table.set_paused(held)
        return table.facts.table

    async def _end_table(self, _: str, order: AdminRequest) -> str:
        table = self._find_table(order)
        table.stop("closed")
        return table.facts.table

    def _find_table(self, order: AdminRequest) -> OpenTable:
        name = _single_field(order, "table")
        table = self._house.open_tables.get(str(name))
        if table is None:
            raise AdminRefusal("unknown_table", f"there is no open table {str(name)[:64]!r}")
        return table

    async def _drain(self, _: str, order: AdminRequest) -> str:
        _single_field(order)
        self._house.admission.closing = True
        for table in list(self._house.open_tables.values()):
            table.set_paused(True)
        self._draining.set()
        return ""

    async def wait_drained(self) -> None:
        """Wait until the server was told to drain and the hands in progress are over."""
        await self._draining.wait()
        # Hands end in many ways; polling is simpler, and this happens once per server.
        while any(table.table.hand is not None for table in self._house.open_tables.values()):  # noqa: ASYNC110
            await asyncio.sleep(_POLL_INTERVAL)


def _single_field(order: AdminRequest, *wanted: str) -> object:
    """Return the only field that an order needs, if any. Raises ``AdminRefusal``."""
    named = {
        field: value for field in order.__struct_fields__ if (value := getattr(order, field)) is not None
    }
    if set(named) != set(wanted):
        raise AdminRefusal("bad_order", f"name {' and '.join(wanted) or 'nothing'}, and nothing else")
    return next(iter(named.values()), None)


def _ban_target(order: AdminRequest) -> tuple[Literal["name", "address"], str]:
    """Return the target of a ban. Raises ``AdminRefusal``."""
    kind: Literal["name", "address"] = "address" if order.name is None else "name"
    value = str(_single_field(order, kind))
    if not 1 <= len(value) <= 64:
        raise AdminRefusal("bad_order", f"a {kind} has 1 to 64 characters")
    return kind, value


async def wait_first(*ends: Coroutine[Any, Any, None]) -> None:
    """Wait for the first of these awaitables, and raise what it raises."""
    tasks = [asyncio.ensure_future(end) for end in ends]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        done.pop().result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
