"""Administrators act on a house that runs; everybody else is refused with a code, and nothing changes."""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import LogCapture

from clients.admin import AdminError, call_admin
from pokerd.commands.admin import add_options
from protocol.codec import JSON
from server.auth.policy import AdmissionPolicy
from server.auth.tokens import ACCESS_FILE, AccessList, edit_access, load_access, make_quota
from server.bots.offered import OfferedBot
from server.bots.processes import ProcessManager
from server.house.admin import CODES, Administration
from server.house.house import House
from server.house.lobby import ADMIN_SOURCE, MAX_TABLES, Lobby
from server.tables.config import TableConfig
from server.tables.player import Player
from server.web.admin_api import MAX_BODY
from server.web.site import serve_web
from tests.support.houses.http_client import PATIENCE, pages
from tests.support.houses.people import PATIENT, STAKES, Memory


class Office:
    """A house with a table and an administrator, behind a real port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "data"
        with edit_access(self.folder) as access:
            self.root = access.issue("root", make_quota(), admin=True)
            self.player = access.issue("player", make_quota())
            self.gone = access.issue("gone", make_quota(), admin=True)
            access.revoke("gone")
        admission = AdmissionPolicy(access, guests=True)
        self.lobby = Lobby(
            ProcessManager(),
            bots={"fair": OfferedBot("plays well"), "raise": OfferedBot(changes=dict)},
            make_house=partial(House, admission=admission),
        )
        self.house = self.lobby.house
        self.table = self.lobby.open(TableConfig(STAKES, 3, PATIENT))
        self.administration = Administration(self.house, self.folder)
        self.web = serve_web(
            self.house, "127.0.0.1", 0, administration=self.administration, folder=pages(folder / "pages")
        )
        self.url = f"http://127.0.0.1:{self.web.port}"

    async def ask(self, action: str = "", token: str | None = None, **order: Any) -> Any:
        token = self.root if token is None else token
        return await asyncio.to_thread(call_admin, self.url, token, action, order)

    async def refusal(self, action: str = "", token: str | None = None, **order: Any) -> str:
        before = self.state()
        with pytest.raises(AdminError) as refusal:
            await self.ask(action, token, **order)
        assert self.state() == before
        return refusal.value.code

    async def raw(
        self, method: str, path: str, body: bytes, headers: list[tuple[str, bytes]]
    ) -> tuple[int, bytes]:
        def work() -> tuple[int, bytes]:
            connection = http.client.HTTPConnection("127.0.0.1", self.web.port, timeout=PATIENCE)
            try:
                connection.putrequest(method, path)
                for name, value in [*headers, ("Content-Length", str(len(body)).encode())]:
                    connection.putheader(name, value)
                connection.endheaders(body)
                with connection.getresponse() as answer:
                    try:
                        return answer.status, answer.read()
                    except ConnectionResetError:  # it was refused before all of it had been read
                        return answer.status, b""
            finally:
                connection.close()

        return await asyncio.to_thread(work)

    def state(self) -> tuple[Any, ...]:
        house = self.house
        return (
            (self.folder / ACCESS_FILE).read_bytes(),
            set(house.connections),
            set(house.players),
            {name: (table.paused, *table.facts.names) for name, table in house.open_tables.items()},
            house.admission.closing,
        )

    def come(self, name: str, token: str = "", *, person: bool = False) -> Memory:
        one = Memory(self.house, JSON)
        one.connection.address = "192.0.2.7"
        self.house.on_connected(one.connection)
        one.say("hello", name=name, token=token, person=person)
        return one


@asynccontextmanager
async def office(folder: Path) -> AsyncIterator[Office]:
    one = Office(folder)
    try:
        yield one
    finally:
        await one.web.close()


def dealt(here: Office) -> bool:
    return here.table.table.hand is not None


def last(one: Memory) -> str:
    return str(one.news()[-1].get("code", ""))


async def test_who_is_there_is_shown(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        ann, _ = here.come("ann"), here.come("x", here.player)
        ann.say("join", table="table-1")
        told = await here.ask()
        rows = [(one["name"], one["kind"], one["address"], one["tables"]) for one in told["connections"]]
        assert rows == [("ann", "guest", "192.0.2.7", ["table-1"]), ("player", "token", "192.0.2.7", [])]
        (table,) = told["tables"]
        assert (table["table"], table["mode"], table["phase"]) == ("table-1", "cash", "playing")
        assert (table["players"], table["kinds"]) == (["ann", "", ""], ["bot", "", ""])
        assert (table["hands"], table["spectators"], table["paused"]) == (0, 0, False)
        assert [(one["name"], one["admin"]) for one in told["tokens"]] == [("root", True), ("player", False)]
        assert (told["bans"], told["closing"]) == ([], False)


async def test_a_connection_is_closed_and_its_seat_kept(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        ann, bob = here.come("ann"), here.come("bob")
        ann.say("join", table="table-1")
        (number,) = [one["connection"] for one in (await here.ask())["connections"] if one["name"] == "ann"]
        assert await here.ask("close", connection=number) == {"action": "close", "target": str(number)}
        assert last(ann) == "expelled"
        assert "ann" in here.house.players
        assert bob.closed is None
        assert await here.refusal("close", connection=number) == "unknown_connection"


@pytest.mark.parametrize(("kind", "value"), [("name", "ANN"), ("address", "192.0.2.7")])
async def test_who_is_banned_goes_and_comes_again_when_he_may(kind: str, value: str, tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        ann = here.come("ann")
        await here.ask("ban", **{kind: value})
        assert last(ann) == "banned"
        assert here.come("ann").heard[-1]["code"] == "banned" if kind == "name" else True
        (ban,) = (await here.ask())["bans"]
        assert (ban["kind"], ban["value"], ban["by"]) == (kind, value, "root")
        assert load_access(here.folder).bans
        await here.ask("unban", **{kind: value})
        assert here.come("ann").closed is None
        assert await here.refusal("unban", **{kind: value}) == "unknown_ban"


async def test_what_is_banned_is_told_as_it_is_kept(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        ann = here.come("ann")
        done = await here.ask("ban", address="::ffff:192.0.2.0/120")
        assert done == {"action": "ban", "target": "address 192.0.2.0/24"}
        assert last(ann) == "banned"
        await here.ask("ban", address="192.0.2.0/24")
        assert [ban["value"] for ban in (await here.ask())["bans"]] == ["192.0.2.0/24"]
        with edit_access(here.folder) as access:
            many = access.issue("rob", make_quota(connections=2))
        here.house.admission.access = access
        await here.ask("unban", address="::FFFF:192.0.2.0/120")
        one, two = here.come("rob", many), here.come("rob", many)
        assert await here.ask("ban", name="ROB-2") == {"action": "ban", "target": "name rob"}
        assert (last(one), last(two)) == ("banned", "banned")
        assert await here.ask("unban", name="rob-2") == {"action": "unban", "target": "name rob"}


@pytest.mark.parametrize("address", ["", "here", "1.2.3", "10.0.0.1/8", "x" * 65])
async def test_what_is_no_address_is_not_banned(address: str, tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        assert await here.refusal("ban", address=address) in ("bad_address", "bad_order")


async def test_house_bots_and_administrators_are_not_banned(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        here.house.players.add(Player("call-1", "secret", is_house_bot=True))
        for name in ("call-1", "CALL-1", "\u0441\u0430ll-1", "root"):
            code = await here.refusal("ban", name=name)
            assert code == ("not_bannable" if name.isascii() else "bad_order")


async def test_a_table_is_held_and_let_go(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        people = [here.come(name) for name in ("ann", "bob")]
        await here.ask("pause", table="table-1")
        for one in people:
            one.say("join", table="table-1")
            one.say("ready", table="table-1")
        assert [one["paused"] for one in (await here.ask())["tables"]] == [True]
        assert not dealt(here)
        await here.ask("resume", table="table-1")
        assert dealt(here)
        await here.ask("end", table="table-1")
        assert not here.house.open_tables
        assert await here.refusal("pause", table="table-1") == "unknown_table"


async def test_a_table_is_opened_and_stays_until_it_is_closed(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        asked = {"name": "Friday", "seats": 4, "bots": ["fair"], "small_blind": 1, "big_blind": 2}
        name = (await here.ask("open", create=asked))["target"]
        table = here.house.open_tables[name]
        assert (table.config.name, table.facts.names) == ("Friday", ["fair-1", "", "", ""])
        assert table.snapshot().permanent
        await here.ask("invite", table=name, bot="fair")
        tuned = {"bot": "raise", "parameters": {"often": True}}
        done = await here.ask("invite", table=name, bot=tuned)
        assert done["target"] == f"{name} raise[often=true]"
        assert table.facts.names == ["fair-1", "fair-2", "raise-11", ""]
        assert await here.refusal("invite", table=name, bot={**tuned, "seat": 4}) == "bad_order"
        assert await here.refusal("open", create={"seats": 1}) == "bad_table"
        assert await here.refusal("open", create={"bots": ["shark"]}) == "bad_table"
        challenge = {"mode": "challenge", "seats": 2, "bots": ["fair"], "rival": "fair"}
        assert await here.refusal("open", create=challenge) == "bad_table"
        kept = {"mode": "tournament", "seats": 2, "bots": ["fair"], "research": True}
        assert await here.refusal("open", create=kept) == "bad_table"
        assert await here.refusal("open", create={"seat": 4}) == "bad_order"
        assert await here.refusal("invite", table=name, bot="shark") == "bad_table"
        assert await here.refusal("invite", table="table-99", bot="fair") == "unknown_table"
        await here.ask("end", table=name)
        assert name not in here.house.open_tables


async def test_a_table_of_an_administrator_outlasts_the_server_unchanged(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        name = (await here.ask("open", create={"name": "Friday", "seats": 3}))["target"]
        snapshot = here.house.open_tables[name].snapshot()
    later = Lobby(ProcessManager(), bots={"fair": OfferedBot("plays well")}, make_house=House)
    assert later.restore({name: snapshot}, [], 60.0) == []
    assert later.house.open_tables[name].config.name == "Friday"
    assert later.house.open_tables[name].source == ADMIN_SOURCE


async def test_a_server_has_so_many_tables_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with office(tmp_path) as here:
        assert len(here.house.open_tables) < MAX_TABLES
        monkeypatch.setattr("server.house.lobby.MAX_TABLES", len(here.house.open_tables) + 1)
        await here.ask("open", create={})
        assert await here.refusal("open", create={}) == "server_full"


async def test_who_is_removed_from_a_table_loses_the_seat_and_stays_connected(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        ann, carl = here.come("ann"), here.come("carl")
        for one in (ann, here.come("bob")):
            one.say("join", table="table-1")
            one.say("ready", table="table-1")
        carl.say("watch", table="table-1")
        assert dealt(here)
        await here.ask("remove", table="table-1", name="ann")
        assert "ann" not in here.table.facts.names
        (left,) = [one for one in ann.news() if one["type"] == "match_end"]
        assert left["reason"] == "removed"
        assert ann.closed is None
        await here.ask("remove", table="table-1", name="carl")
        assert not here.table.spectators
        assert await here.refusal("remove", table="table-1", name="carl") == "unknown_player"
        assert await here.refusal("remove", table="table-1", name="nobody") == "unknown_player"
        ann.say("join", table="table-1")
        assert "ann" in here.table.facts.names


async def test_people_at_the_tables_hear_the_administrator(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        other = (await here.ask("open", create={}))["target"]
        ann, bob, bot = here.come("ann", person=True), here.come("bob", person=True), here.come("bot")
        for one, table in ((ann, "table-1"), (bob, other), (bot, other)):
            one.say("join", table=table)
        await here.ask("say", text="The break begins at nine.")
        await here.ask("say", text="Only here.", table=other)
        heard = {
            one: [
                (line["name"], line["text"], line["organiser"])
                for line in one.news()
                if line["type"] == "said"
            ]
            for one in (ann, bob, bot)
        }
        everywhere, there = ("root", "The break begins at nine.", True), ("root", "Only here.", True)
        assert heard == {ann: [everywhere], bob: [everywhere, there], bot: []}
        for text in ("", "x" * 201, "two\nlines"):
            assert await here.refusal("say", text=text) == "bad_text"
        assert await here.refusal("say", text="x", table="table-99") == "unknown_table"


async def test_tokens_for_playing_are_issued_and_revoked(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        done = await here.ask("issue", name="zoe", quota={"connections": 2})
        zoe = here.come("zoe", done["token"])
        assert zoe.closed is None
        (token,) = [one for one in (await here.ask())["tokens"] if one["name"] == "zoe"]
        assert (token["admin"], token["quota"]["connections"]) == (False, 2)
        assert done["token"] not in json.dumps(await here.ask())
        assert await here.refusal("issue", name="ZOE") == "name_issued"
        for name in ("fair-1", "fair-11", "FAIR-99"):
            assert await here.refusal("issue", name=name) == "name_issued"
            assert await here.refusal("ban", name=name) == "not_bannable"
            assert here.administration.is_house_bot(name)
        assert not here.administration.is_house_bot("zoe-11")
        assert await here.refusal("issue", name="a b") == "bad_name"
        assert await here.refusal("issue", name="x", quota={"connections": 0}) == "bad_order"
        await here.ask("revoke", name="zoe")
        assert last(zoe) == "revoked"
        assert await here.refusal("revoke", name="zoe") == "unknown_name"


async def test_no_token_of_an_administrator_is_made_or_revoked_here(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        token = (await here.ask("issue", name="zoe"))["token"]
        assert await here.refusal(token=token) == "not_admin"
        assert await here.refusal("revoke", name="root") == "admin_token"


async def test_a_house_that_drains_waits_for_the_hands(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        ann, bob = here.come("ann"), here.come("bob")
        for one in (ann, bob):
            one.say("join", table="table-1")
            one.say("ready", table="table-1")
        assert dealt(here)
        waiting = asyncio.create_task(here.administration.wait_drained())
        await here.ask("drain")
        assert here.house.admission.closing
        stranger = here.come("carl")
        assert [one["code"] for one in stranger.heard if one["type"] == "error"] == ["closing"]
        assert not waiting.done()
        # Nothing makes the server deal again: it would never stop.
        assert await here.refusal("resume", table="table-1") == "closing"
        assert await here.refusal("open", create={}) == "closing"
        ann.news()
        assert [(one["type"], one.get("code")) for one in ann.say("create")] == [("error", "closing")]
        assert ann.closed is None
        assert [one["paused"] for one in (await here.ask())["tables"]] == [True]
        for one in (ann, bob):
            one.say("act", table="table-1", turn=here.table.table.turn, action="fold")
        assert not dealt(here)
        assert not here.table.paused  # The next start deals again.
        async with asyncio.timeout(PATIENCE):
            await waiting


async def test_what_is_done_is_in_the_log_with_who_did_it(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        logged = LogCapture()
        structlog.configure(
            processors=[logged], wrapper_class=structlog.make_filtering_bound_logger(logging.INFO)
        )
        await here.ask("pause", table="table-1")
        await here.refusal("pause", table="table-1", token=here.player)
        done, refused = [one for one in logged.entries if one["event"].startswith("administration")]
        assert (done["by"], done["action"], done["target"]) == ("root", "pause", "table-1")
        assert refused["code"] == "not_admin"
        assert here.root not in repr(logged.entries)
        assert here.player not in repr(logged.entries)


async def test_every_misuse_has_its_code(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        here.come("ann")
        seen = {
            await here.refusal("drain", token=""),
            await here.refusal("drain", token="wrong"),
            await here.refusal("", token="wrong"),
            await here.refusal("drain", token=here.player),
            await here.refusal("drain", table="table-1"),
            await here.refusal("close", table="table-1"),
            await here.refusal("ban", name="x", address="y"),
            await here.refusal("ban", name=""),
            await here.refusal("ban", name="x" * 65),
            await here.refusal("ban", name="\u202e"),
            await here.refusal("ban", address="10.0.0.1/8"),
            await here.refusal("ban", name="ROOT"),
            await here.refusal("burn"),
            await here.refusal("close", connection=77),
            await here.refusal("pause", table="x"),
            await here.refusal("unban", name="x"),
            await here.refusal("open", create={"seats": 1}),
            await here.refusal("open", create={"bots": [{"bot": "fair", "parameters": {"x": 1}}]}),
            await here.refusal("say", text=""),
            await here.refusal("remove", table="table-1", name="x"),
            await here.refusal("issue", name="player"),
            await here.refusal("issue", name="?"),
            await here.refusal("revoke", name="x"),
            await here.refusal("revoke", name="root"),
            *[await full(here)],
        }
        await here.ask("drain")
        seen.add(await here.refusal("resume", table="table-1"))
        assert seen == set(CODES) - {"server_full"}
        assert await here.refusal("drain", token=here.gone) == "bad_token"


async def full(here: Office) -> str:
    """The code for a bot that finds no seat; the one for too many tables has a test of its own."""
    name = (await here.ask("open", create={"seats": 2, "bots": ["fair", "fair"]}))["target"]
    return await here.refusal("invite", table=name, bot="fair")


async def test_without_administration_there_is_nothing(tmp_path: Path) -> None:
    house = House(guests=True)
    web = serve_web(house, "127.0.0.1", 0, folder=pages(tmp_path))
    with pytest.raises(AdminError) as refusal:
        await asyncio.to_thread(call_admin, f"http://127.0.0.1:{web.port}", "x", "drain")
    assert refusal.value.code == "not_found"
    await web.close()
    for url in (f"http://127.0.0.1:{web.port}", "ftp://x", "nonsense", "http://["):
        with pytest.raises(AdminError) as refusal:
            await asyncio.to_thread(call_admin, url, "x")
        assert refusal.value.code == "unreachable"


@pytest.mark.parametrize("token", ["abc\ndef", "abc\r", "\u20ac"])
async def test_what_cannot_be_a_token_is_told_without_it(token: str) -> None:
    with pytest.raises(AdminError) as refusal:
        await asyncio.to_thread(call_admin, "http://127.0.0.1:1", token)
    assert refusal.value.code == "bad_token"
    assert not any(part in str(refusal.value) for part in (token, repr(token)[1:-1], "abc"))


@pytest.mark.parametrize("text", ["nonsense", "[]", "4", "[" * 100_000])
def test_settings_of_a_table_are_an_object(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_options(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(["open", text])
    said = capsys.readouterr().err
    assert "JSON object" in said
    assert len(said) < 600
    assert parser.parse_args(["open", '{"seats": 4}']).create == {"seats": 4}


# Whatever is sent.

BODIES = st.one_of(
    st.binary(max_size=200),
    st.sampled_from([b"", b"{}", b"[]", b"null", b"{" * 2000, b'"x"', b'{"a":' * 600]),
    st.dictionaries(
        st.sampled_from(["connection", "name", "address", "table", "create", "bot", "text", "quota", "x"]),
        st.one_of(
            st.none(),
            st.integers(),
            st.text(max_size=80),
            st.lists(st.integers(), max_size=2),
            st.dictionaries(
                st.sampled_from(["seats", "bots", "rate", "mode"]), st.integers(0, 9), max_size=2
            ),
        ),
    ).map(lambda order: json.dumps(order).encode()),
    st.just(b" " * (MAX_BODY + 1)),
)
WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="#?"), max_size=20)
ACTIONS = st.one_of(
    st.sampled_from(["close", "ban", "unban", "issue", "revoke", "open", "invite", "remove", "say"]),
    st.sampled_from(["pause", "resume", "end", "drain", "players", "statistics?player=ann", ""]),
    WORDS,
)
SECRETS = st.one_of(
    st.sampled_from([b"", b"Bearer", b"Bearer ", b"Basic cm9vdDpyb290", b"bearer PLAYER", b"Bearer GONE"]),
    st.binary(max_size=60).map(lambda data: bytes(byte for byte in data if byte not in b"\r\n\0")),
)


async def test_whatever_a_stranger_sends_is_refused_and_changes_nothing(
    tmp_path: Path, no_error_logged: list[str]
) -> None:
    async with office(tmp_path) as here:
        here.come("ann")
        before = here.state()

        async def stranger(method: str, action: str, secrets: list[bytes], body: bytes) -> None:
            given = [one.replace(b"PLAYER", here.player.encode()) for one in secrets]
            headers = [("Authorization", one.replace(b"GONE", here.gone.encode())) for one in given]
            status, said = await here.raw(method, f"/api/admin/{action}".rstrip("/"), body, headers)
            assert 400 <= status < 500, (status, said)
            if method != "HEAD" and said.startswith(b"{"):
                assert set(json.loads(said)) == {"code", "message"}
            assert here.state() == before

        loop = asyncio.get_running_loop()

        @settings(max_examples=80, suppress_health_check=list(HealthCheck))
        @given(
            st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH"]),
            ACTIONS,
            st.lists(SECRETS, max_size=2),
            BODIES,
        )
        def run(method: str, action: str, secrets: list[bytes], body: bytes) -> None:
            asyncio.run_coroutine_threadsafe(stranger(method, action, secrets, body), loop).result(PATIENCE)

        await asyncio.to_thread(run)
        assert not no_error_logged


async def test_whatever_an_administrator_sends_is_done_or_refused(
    tmp_path: Path, no_error_logged: list[str]
) -> None:
    async with office(tmp_path) as here:
        here.come("ann")

        async def send(action: str, body: bytes) -> None:
            before = here.state()
            secret = [("Authorization", f"Bearer {here.root}".encode())]
            status, said = await here.raw("POST", f"/api/admin/{action}", body, secret)
            assert status == 200 or 400 <= status < 500, (status, said)
            if status != 200:
                assert here.state() == before
                assert json.loads(said)["code"] in {*CODES, "not_found", "method_not_allowed"}

        loop = asyncio.get_running_loop()

        @settings(max_examples=80, suppress_health_check=list(HealthCheck))
        @given(ACTIONS, BODIES)
        def run(action: str, body: bytes) -> None:
            asyncio.run_coroutine_threadsafe(send(action, body), loop).result(PATIENCE)

        await asyncio.to_thread(run)
        assert not no_error_logged
        assert isinstance(load_access(here.folder), AccessList)
