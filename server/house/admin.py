"""Administration of a running house: its tables, connections, bans and tokens.

An action is executed completely, or refused with a code and without any effect. Executed actions are logged
with the name of the token. ``server/web/admin_api.py`` is the HTTP side.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec

from protocol.errors import Refused
from protocol.people import BotChoice, CreateTable, Invite
from server.auth.addresses import parse_network
from server.auth.confusables import name_keys
from server.auth.text_rules import MAX_TEXT, is_plain_text, is_valid_name
from server.auth.tokens import AccessError, AccessList, Ban, Quota, edit_access
from server.bots.offered import bot_text, is_reserved
from server.errors import ServerError
from server.house.house import House
from server.house.remote_tables import Administer, Drain, TableProcess
from server.house.table_report import TableStatus, status_of
from server.tables.open_table import OpenTable
from server.telemetry.logger import get_logger

log = get_logger("pokerd.administration")

#: Seconds between two checks whether the last hand is over.
_POLL_INTERVAL: Final = 0.1
#: Codes of refusals, with the HTTP status.
CODES: Final[Mapping[str, int]] = {
    "no_token": 401, "bad_token": 401, "not_admin": 403,
    "bad_order": 400, "bad_address": 400, "bad_name": 400, "bad_table": 400, "bad_text": 400,
    "bad_parameters": 400,
    "unknown_action": 404, "unknown_connection": 404, "unknown_table": 404, "unknown_player": 404,
    "unknown_ban": 404, "unknown_name": 404,
    "not_bannable": 409, "name_issued": 409, "admin_token": 409, "no_seat": 409,
    "server_full": 409, "closing": 409,
}  # fmt: skip


class AdminRefusal(ServerError):
    """A refusal with one of ``CODES``; nothing has changed."""


class _NewTable(CreateTable, frozen=True, tag="create", forbid_unknown_fields=True):
    """The table to open. A misspelled setting is refused, not ignored."""


class AdminRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The target of an action. Fields that the action does not need must be missing."""

    connection: int | None = None
    name: str | None = None
    address: str | None = None
    table: str | None = None
    create: _NewTable | None = None
    bot: str | BotChoice | None = None
    text: str | None = None
    quota: Quota | None = None


class Done(NamedTuple):
    """What an action was applied to, and the token that it made, if any."""

    target: str
    token: str = ""


class ConnectionInfo(msgspec.Struct, frozen=True):
    """A connection: its number, name ("" before hello), address, kind of access, whether a person plays, and
    tables.
    """

    connection: int
    name: str
    address: str
    kind: Literal["", "guest", "token", "house"]
    person: bool
    tables: list[str]


class TokenInfo(msgspec.Struct, frozen=True):
    """An issued token, without its secret: its owner, whether it is for administration, since when, and its
    limits.
    """

    name: str
    admin: bool
    issued: str
    quota: Quota


class Overview(msgspec.Struct, frozen=True):
    """The open tables, connections, bans and tokens, and whether the server is draining."""

    tables: list[TableStatus]
    connections: list[ConnectionInfo]
    bans: list[Ban]
    tokens: list[TokenInfo]
    closing: bool


class Administration:
    """Administers ``house``, whose tokens and bans are stored in ``folder``."""

    def __init__(self, house: House, folder: Path) -> None:
        self._house = house
        self._folder = folder
        self._draining = asyncio.Event()
        self._actions: Mapping[str, Callable[[str, AdminRequest], Awaitable[Done]]] = {
            "close": self._disconnect,
            "ban": self._ban,
            "unban": self._unban,
            "issue": self._issue,
            "revoke": self._revoke,
            "open": self._open_table,
            "invite": self._invite,
            "remove": self._remove,
            "say": self._say,
            "pause": partial(self._set_paused, held=True),
            "resume": partial(self._set_paused, held=False),
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
            connections.append(ConnectionInfo(one.number, name, one.address, kind, one.person, tables))
        access = house.admission.access
        return Overview(
            tables=[
                *(table.report.status for table in house.remote_tables.values()),
                *(status_of(table) for table in house.open_tables.values()),
            ],
            connections=connections,
            bans=access.bans,
            tokens=[TokenInfo(one.name, one.admin, one.issued, one.quota) for one in access.tokens],
            closing=house.admission.closing,
        )

    def is_house_bot(self, name: str) -> bool:
        """Return whether this is the name of a house bot."""
        player = self._house.players.get(name)
        served = player is not None and player.is_house_bot
        return served or is_reserved(name, self._house.house_bots)

    async def execute(self, action: str, request: AdminRequest, by: str) -> Done:
        """Execute an action. Raises ``AdminRefusal``, ``AccessError`` and ``OSError``."""
        if action not in self._actions:
            raise AdminRefusal("unknown_action", f"there is no action {action[:40]!r}")
        try:
            done = await self._forward(action, request, by) or await self._actions[action](by, request)
        except (AccessError, Refused) as refusal:
            if refusal.code not in CODES:
                raise
            raise AdminRefusal(refusal.code, refusal.detail or str(refusal)) from None
        log.warning("administration", by=by, action=action, target=done.target)
        return done

    # Tables of other processes.

    def _processes(self) -> set[TableProcess]:
        return {table.process for table in self._house.remote_tables.values()}

    async def _forward(self, action: str, request: AdminRequest, by: str) -> Done | None:
        """Have the process of a table execute an action. None: it is for this process; what is said to all
        is for all.
        """
        remote = None if request.table is None else self._house.remote_tables.get(request.table)
        if remote is None and action != "say":
            return None
        body = msgspec.Raw(msgspec.json.encode(request))
        processes = [remote.process] if remote is not None else self._processes()
        answers = await asyncio.gather(*(one.ask(Administer(action, body, by)) for one in processes))
        for answer in answers:
            if answer.code:
                raise AdminRefusal(answer.code, answer.text)
        return None if remote is None else Done(answers[0].text)

    # Connections, bans and tokens.

    async def _disconnect(self, _: str, order: AdminRequest) -> Done:
        (number,) = _fields(order, ["connection"])
        for connection in self._house.connections:
            if str(connection.number) == number:
                connection.close_with_error("expelled")
                return Done(str(number))
        raise AdminRefusal("unknown_connection", f"there is no connection {number}")

    async def _ban(self, by: str, order: AdminRequest) -> Done:
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

        return Done(f"{kind} {await self._edit_access(ban)}")

    def _verify_bannable(self, name: str) -> None:
        """Refuse the names of house bots, and names that nobody could have."""
        if not is_valid_name(name):
            raise AdminRefusal("bad_order", "no player can have this name")
        if self._is_reserved(name):
            raise AdminRefusal(
                "not_bannable", f"{name} is a house bot: end its table, or serve without it (--bots)"
            )

    def _is_reserved(self, name: str) -> bool:
        """Return whether a house bot has the name or may get it, in any spelling."""
        known = map(self._house.players.by_key.get, name_keys(name))
        served = any(player is not None and player.issued_by_server for player in known)
        return served or is_reserved(name, self._house.house_bots)

    async def _unban(self, _: str, order: AdminRequest) -> Done:
        kind, value = _ban_target(order)

        def unban(access: AccessList) -> str:
            lifted = access.unban(kind, value)
            if not lifted:
                raise AdminRefusal("unknown_ban", f"the {kind} {value} is not banned")
            return lifted

        return Done(f"{kind} {await self._edit_access(unban)}")

    async def _issue(self, _: str, order: AdminRequest) -> Done:
        name = _fields(order, ["name"], ["quota"])[0]
        quota = order.quota or Quota()

        def issue(access: AccessList) -> str:
            return access.issue(name, quota, is_house_bot=self._is_reserved)

        return Done(name, await self._edit_access(issue))

    async def _revoke(self, _: str, order: AdminRequest) -> Done:
        (name,) = _fields(order, ["name"])

        def revoke(access: AccessList) -> str:
            grant = access.by_name(name)
            if grant is not None and grant.admin:
                # Whoever has stolen a token must not be able to lock the others out.
                raise AdminRefusal(
                    "admin_token", f"only the command line revokes the token of {grant.name} (pokerd token)"
                )
            access.revoke(name)
            return name

        return Done(await self._edit_access(revoke))

    async def _edit_access(self, change: Callable[[AccessList], str]) -> str:
        """Change tokens and bans, apply them, and return what changed. Raises what ``change`` raises."""

        def work() -> tuple[AccessList, str]:
            with edit_access(self._folder) as access:
                done = change(access)
            return access, done

        access, done = await asyncio.to_thread(work)
        self._house.apply_access(access)
        return done

    # Tables.

    async def _open_table(self, _: str, order: AdminRequest) -> Done:
        _fields(order, ["create"])
        assert order.create is not None
        return Done(self._house.opener.open_permanent(order.create).facts.table)

    async def _invite(self, _: str, order: AdminRequest) -> Done:
        table = _fields(order, ["table", "bot"])[0]
        assert order.bot is not None
        self._house.opener.invite(None, Invite(self._find_table(table).facts.table, order.bot))
        return Done(f"{table} {bot_text(order.bot)}")

    async def _remove(self, _: str, order: AdminRequest) -> Done:
        name, place = _fields(order, ["name", "table"])
        table, player = self._find_table(place), self._house.players.get(name)
        if player is not None and place in player.seats:
            # His messages that are on their way are no fault of his.
            player.aborted_tables.add(place)
            table.leave(player.seats[place][1], "removed")
        elif player is not None and place in player.watching:
            table.unwatch(player, "removed")
        else:
            raise AdminRefusal("unknown_player", f"{name[:64]!r} is not at {place}")
        return Done(f"{place} {name}")

    async def _say(self, by: str, order: AdminRequest) -> Done:
        text = _fields(order, ["text"], ["table"])[0]
        house = self._house
        tables = list(house.open_tables.values()) if order.table is None else [self._find_table(order.table)]
        if not is_plain_text(text):
            raise AdminRefusal("bad_text", f"a message is one line of 1 to {MAX_TEXT} characters")
        for table in tables:
            table.chat.announce(by, text)
        return Done(order.table or "")

    async def _set_paused(self, _: str, order: AdminRequest, *, held: bool) -> Done:
        table = self._find_table(*_fields(order, ["table"]))
        if self._house.closing and not held:
            raise AdminRefusal("closing", "the server is about to stop: no more hands are dealt")
        table.set_paused(held)
        return Done(table.facts.table)

    async def _end_table(self, _: str, order: AdminRequest) -> Done:
        table = self._find_table(*_fields(order, ["table"]))
        table.stop("closed")
        return Done(table.facts.table)

    def _find_table(self, name: str) -> OpenTable:
        table = self._house.open_tables.get(name)
        if table is None:
            raise AdminRefusal("unknown_table", f"there is no open table {name[:64]!r}")
        return table

    async def _drain(self, _: str, order: AdminRequest) -> Done:
        _fields(order, [])
        self._house.admission.closing = True
        for table in list(self._house.open_tables.values()):
            table.reevaluate()
        self._draining.set()
        return Done("")

    async def wait_drained(self) -> None:
        """Wait until the server was told to drain and the hands in progress are over."""
        await self._draining.wait()
        await asyncio.gather(*(process.ask(Drain()) for process in self._processes()))
        # Hands end in many ways; polling is simpler, and this happens once per server.
        while any(table.table.hand is not None for table in self._house.open_tables.values()):  # noqa: ASYNC110
            await asyncio.sleep(_POLL_INTERVAL)


def _fields(order: AdminRequest, wanted: Sequence[str], optional: Sequence[str] = ()) -> list[str]:
    """Return the wanted fields of an order as text. Raises ``AdminRefusal`` if one is missing, or if there is
    one that is neither wanted nor optional.
    """
    named = {field for field in order.__struct_fields__ if getattr(order, field) is not None}
    if not set(wanted) <= named <= {*wanted, *optional}:
        raise AdminRefusal("bad_order", f"name {' and '.join(wanted) or 'nothing'}, and nothing else")
    return [str(getattr(order, field)) for field in wanted]


def _ban_target(order: AdminRequest) -> tuple[Literal["name", "address"], str]:
    """Return the target of a ban. Raises ``AdminRefusal``."""
    kind: Literal["name", "address"] = "address" if order.name is None else "name"
    (value,) = _fields(order, [kind])
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
