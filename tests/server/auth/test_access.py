"""Tokens: issued once, kept as hashes, taken back; and what the house makes of them."""

from __future__ import annotations

import asyncio
import re
import stat
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import JSON, MAX_MESSAGES
from server.auth.addresses import parse_network
from server.auth.policy import GUEST_QUOTA, AdmissionPolicy, RateLimiter
from server.auth.tokens import (
    ACCESS_FILE,
    AccessError,
    AccessList,
    Quota,
    edit_access,
    hash_token,
    load_access,
    make_quota,
    new_token,
    poll_access,
)
from server.house.house import House
from server.tables.player import Player
from tests.support.bot_programs import until
from tests.support.houses.people import Memory, each_library, listening, open_table, packed


def issued(folder: Path, name: str, **given: Any) -> str:
    admin = given.pop("admin", False)
    with edit_access(folder) as access:
        return access.issue(name, make_quota(**given), admin=admin)


def codes(messages: list[dict[str, Any]]) -> list[str]:
    return [message.get("code", message["type"]) for message in messages]


# The file.


def test_a_token_is_told_once_and_only_its_hash_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    token, other = issued(folder, "ann"), issued(folder, "bob")
    assert token != other
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", token)
    kept = (folder / ACCESS_FILE).read_text()
    assert token not in kept
    assert hash_token(token) in kept
    assert sorted(path.name for path in folder.iterdir()) == [f".{ACCESS_FILE}.lock", ACCESS_FILE]
    assert stat.S_IMODE((folder / ACCESS_FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    grant = load_access(folder).find_grant(token)
    assert grant is not None
    assert (grant.name, grant.admin, grant.quota) == ("ann", False, Quota())


def test_a_secret_is_no_option(monkeypatch: pytest.MonkeyPatch) -> None:
    """One in 64 would begin as an option does, and ``--token`` would not take it."""
    drawn = iter(["-" * 43, "-a" + "b" * 41, "a-" + "b" * 41])
    monkeypatch.setattr("server.auth.tokens.secrets.token_urlsafe", lambda _: next(drawn))
    assert new_token() == "a-" + "b" * 41


@given(st.text(max_size=50))
def test_no_text_is_a_token(text: str) -> None:
    access = AccessList()
    access.issue("ann", Quota())
    assert access.find_grant(text) is None


def test_a_hash_is_no_token(tmp_path: Path) -> None:
    token = issued(tmp_path, "ann")
    assert load_access(tmp_path).find_grant(hash_token(token)) is None
    assert load_access(tmp_path).find_grant(token + "x") is None
    assert load_access(tmp_path).find_grant(token[:-1]) is None


@pytest.mark.parametrize("name", ["", "a b", "a/b", "x" * 65, "é", "a\n"])
def test_a_name_that_is_none(name: str, tmp_path: Path) -> None:
    with pytest.raises(AccessError) as refusal:
        issued(tmp_path, name)
    assert refusal.value.code == "bad_name"
    assert not (tmp_path / ACCESS_FILE).exists()


@pytest.mark.parametrize("limit", [{"rate": 0}, {"connections": 1001}, {"tables": -1}, {"tables": 4097}])
def test_a_limit_that_is_none(limit: dict[str, int], tmp_path: Path) -> None:
    with pytest.raises(AccessError) as refusal:
        issued(tmp_path, "ann", **limit)
    assert refusal.value.code == "bad_limit"
    assert not (tmp_path / ACCESS_FILE).exists()


@pytest.mark.parametrize("name", ["ann", "ANN", "Ann-2"])
def test_a_name_is_issued_once(name: str, tmp_path: Path) -> None:
    issued(tmp_path, "Ann", connections=2)
    before = (tmp_path / ACCESS_FILE).read_bytes()
    with pytest.raises(AccessError) as refusal:
        issued(tmp_path, name)
    assert refusal.value.code == "name_issued"
    assert (tmp_path / ACCESS_FILE).read_bytes() == before


def test_a_token_that_was_taken_back_is_none(tmp_path: Path) -> None:
    token = issued(tmp_path, "ann")
    with edit_access(tmp_path) as access:
        access.revoke("ANN")
    assert load_access(tmp_path).find_grant(token) is None
    with pytest.raises(AccessError) as refusal, edit_access(tmp_path) as access:
        access.revoke("ann")
    assert refusal.value.code == "unknown_name"
    assert issued(tmp_path, "ann") != token


def test_many_who_change_it_at_once_lose_nothing(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        tokens = list(pool.map(lambda number: issued(tmp_path, f"bot{number}"), range(24)))
    access = load_access(tmp_path)
    assert len(access.tokens) == 24
    assert all(access.find_grant(token) for token in tokens)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"version":2}', '{"tokens":[{"name":"x"}]}', '{"tokens":[{"name":"x","hash":"y"}]}'],
)
def test_a_damaged_file_is_said_to_be_and_left(text: str, tmp_path: Path) -> None:
    (tmp_path / ACCESS_FILE).write_text(text)
    for attempt in (load_access, lambda folder: issued(folder, "ann")):
        with pytest.raises(AccessError) as refusal:
            attempt(tmp_path)
        assert refusal.value.code == "bad_access"
    assert (tmp_path / ACCESS_FILE).read_text() == text


async def test_whoever_follows_hears_of_changes_and_of_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.auth.tokens.POLL_INTERVAL", 0.01)
    heard: list[AccessList] = []
    task = asyncio.create_task(poll_access(tmp_path, heard.append))
    await asyncio.sleep(0)
    issued(tmp_path, "ann")
    await until(lambda: len(heard) == 1)
    (tmp_path / ACCESS_FILE).write_text("{")
    with edit_access(tmp_path / "elsewhere") as access:
        access.ban("name", "x", "me")
    (tmp_path / "elsewhere" / ACCESS_FILE).replace(tmp_path / ACCESS_FILE)
    await until(lambda: bool(heard[-1].bans))
    assert [one.name for one in heard[0].tokens] == ["ann"]
    task.cancel()
    await asyncio.wait([task])


# At the door.


class Door:
    """A house with a table of three, and tokens."""

    def __init__(self, *, guests: bool = True, **given: Any) -> None:
        self.access = AccessList()
        self.house = House(admission=AdmissionPolicy(self.access, guests=guests, **given))
        self.table = open_table(self.house)

    def issue(self, name: str, **given: Any) -> str:
        admin = given.pop("admin", False)
        return self.access.issue(name, make_quota(**given), admin=admin)

    def come(self, name: str, token: str = "", **fields: Any) -> tuple[Memory, list[str]]:
        one = Memory(self.house)
        return one, codes(one.say("hello", name=name, token=token, **fields))


@pytest.fixture
def door() -> Iterator[type[Door]]:
    made: list[House] = []

    class Made(Door):
        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            made.append(self.house)

    yield Made
    for house in made:
        house.close()


async def test_who_has_a_token_is_called_as_it_says(door: type[Door]) -> None:
    here = door()
    token = here.issue("ann")
    _, heard = here.come("somebody", token)
    assert heard == ["welcome"]
    assert set(here.house.players) == {"ann"}


async def test_its_name_is_nobody_else_s(door: type[Door]) -> None:
    here = door()
    here.issue("ann", connections=2)
    for name in ("ann", "ANN", "\uff41nn", "ann-2"):
        assert here.come(name)[1] == ["name_taken"]
    assert here.come("anna")[1] == ["welcome"]
    assert set(here.house.players) == {"anna"}


async def test_a_wrong_token_lets_nobody_in(door: type[Door]) -> None:
    here = door()
    token, admin = here.issue("ann"), here.issue("root", admin=True)
    for wrong in ("x", hash_token(token), token.lower(), admin):
        assert here.come("ann", wrong)[1] == ["bad_token"]
    assert not here.house.players


async def test_without_guests_it_takes_a_token(door: type[Door]) -> None:
    here = door(guests=False)
    token = here.issue("ann")
    assert here.come("bob")[1] == ["bad_token"]
    assert here.come("ann", token)[1] == ["welcome"]


async def test_a_new_connection_takes_over_and_with_more_each_is_a_player(door: type[Door]) -> None:
    here = door()
    token = here.issue("ann")
    first, _ = here.come("ann", token)
    assert here.come("ann", token)[1] == ["welcome"]
    assert codes(first.news()) == ["replaced"]
    many = here.issue("bot", connections=2)
    one, two = here.come("bot", many)[0], here.come("bot", many)[0]
    assert set(here.house.players) == {"ann", "bot", "bot-2"}
    assert here.come("bot", many)[1] == ["too_many_connections"]
    assert one.closed is None
    two.break_off()
    assert here.come("bot", many)[1] == ["welcome"]


async def test_a_token_taken_back_ends_its_connection_and_its_seat(door: type[Door]) -> None:
    here = door()
    token = here.issue("ann")
    ann, _ = here.come("ann", token)
    ann.say("join", table="table-1")
    resume = next(message["resume"] for message in ann.heard if message["type"] == "welcome")
    bob, _ = here.come("bob")
    bob.say("join", table="table-1")
    assert here.table.facts.names.count("") == 1
    here.access.revoke("ann")
    here.house.apply_access(here.access)
    assert codes(ann.news())[-1] == "revoked"
    assert ann.closed is not None
    assert here.table.facts.names.count("") == 2
    assert here.come("ann", token)[1] == ["bad_token"]
    back = Memory(here.house)
    assert codes(back.say("hello", name="ann", resume=resume)) == ["bad_resume"]
    assert bob.closed is None


async def test_a_seat_that_waits_for_its_owner_is_given_up_too(door: type[Door]) -> None:
    here = door()
    token = here.issue("ann")
    ann, _ = here.come("ann", token)
    ann.say("join", table="table-1")
    ann.break_off()
    here.access.revoke("ann")
    here.house.apply_access(here.access)
    assert not here.house.players
    assert here.table.facts.names.count("") == 3


async def test_a_guest_gives_way_when_his_name_is_issued(door: type[Door]) -> None:
    here = door()
    guest, _ = here.come("ann")
    other, _ = here.come("bob")
    token = here.issue("ANN")
    here.house.apply_access(here.access)
    assert codes(guest.news()) == ["name_taken"]
    assert other.closed is None
    assert here.come("x", token)[1] == ["welcome"]


async def test_who_is_banned_goes_and_stays_away(door: type[Door]) -> None:
    here = door()
    token = here.issue("ann")
    ann, bob = here.come("ann", token)[0], here.come("Bob")[0]
    for name in ("ANN", "bob"):
        here.access.ban("name", name, "root")
    here.house.apply_access(here.access)
    assert codes(ann.news()) == codes(bob.news()) == ["banned"]
    assert here.come("ann", token)[1] == here.come("BOB")[1] == ["banned"]
    assert here.access.unban("name", "Ann")
    assert not here.access.unban("name", "Ann")
    here.house.apply_access(here.access)
    assert here.come("ann", token)[1] == ["welcome"]


async def test_by_any_name_of_a_token_its_owner_is_kept_out(door: type[Door]) -> None:
    for banned in ("rob", "ROB-2", "rob-3"):
        here = door()
        token = here.issue("rob", connections=3)
        players = [here.come("rob", token)[0] for _ in range(2)]
        assert here.access.ban("name", banned, "root") == "rob"
        here.house.apply_access(here.access)
        assert [codes(one.news()) for one in players] == [["banned"], ["banned"]]
        assert here.come("rob", token)[1] == ["banned"]
        assert here.access.unban("name", "rob-2") == "rob"
        here.house.apply_access(here.access)
        assert here.come("rob", token)[1] == ["welcome"]


async def test_a_name_that_was_banned_before_it_was_issued_stays_out(door: type[Door]) -> None:
    here = door()
    here.access.ban("name", "rob-2", "root")
    token = here.issue("rob", connections=2)
    assert here.come("rob", token)[1] == ["banned"]
    assert here.access.unban("name", "rob") == "rob-2"
    assert here.come("rob", token)[1] == ["welcome"]


async def test_a_guest_with_a_number_is_somebody_else(door: type[Door]) -> None:
    here = door()
    guest = here.come("rob-2")[0]
    here.access.ban("name", "rob", "root")
    here.house.apply_access(here.access)
    assert guest.closed is None
    assert here.come("rob")[1] == ["banned"]


@pytest.mark.parametrize("name", ["r\u043eb", "\u0433\u043e\u042c", "R\u039fB"])
async def test_nobody_passes_as_another_by_letters_that_look_like_his(door: type[Door], name: str) -> None:
    here = door()
    here.issue("rob")
    here.come("call")
    assert here.come(name)[1] == ["name_taken"]
    assert here.come("\u0441\u0430ll")[1] == ["name_taken"]
    assert here.come("\u0418\u0432\u0430\u043d")[1] == ["welcome"]
    assert here.come("\u0418\u0432\u0430n")[1] == ["bad_name"]
    here.access.ban("name", "joe", "root")
    assert here.come("\u0458\u043e\u0435")[1] == ["banned"]


@pytest.mark.parametrize(
    ("banned", "address"),
    [
        ("192.0.2.7", "::ffff:192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("192.0.2.0/24", "192.0.2.7"),
        ("2001:0db8::0001", "2001:db8::1"),
        ("2001:db8::/32", "2001:db8:ffff::7"),
    ],
)
async def test_an_address_is_kept_out_in_any_spelling(door: type[Door], banned: str, address: str) -> None:
    here = door()

    def come() -> Memory:
        one = Memory(here.house)
        one.connection.address = address
        here.house.on_connected(one.connection)
        return one

    inside = come()
    assert codes(inside.say("hello", name="ann")) == ["welcome"]
    here.access.ban("address", banned, "root")
    here.house.apply_access(here.access)
    assert codes(inside.news()) == ["banned"]
    assert codes(come().news()) == ["banned"]
    assert here.access.unban("address", banned)
    assert codes(come().say("hello", name="ann")) == ["welcome"]


async def test_house_bots_stay_when_their_machine_is_banned(door: type[Door]) -> None:
    here = door()
    here.house.players.add(Player("call-1", "secret", is_house_bot=True))
    people = {}
    for name, token in (("call-1", "secret"), ("ann", "")):
        people[name] = Memory(here.house)
        people[name].connection.address, people[name].connection.is_local = "127.0.0.1", True
        here.house.on_connected(people[name].connection)
        assert codes(people[name].say("hello", name=name, token=token)) == ["welcome"]
    here.access.ban("address", "127.0.0.0/8", "root")
    here.house.apply_access(here.access)
    assert codes(people["ann"].news()) == ["banned"]
    assert people["call-1"].closed is None
    for name, token, code in (("call-1", "secret", "welcome"), ("ann", "", "banned")):
        one = Memory(here.house)
        one.connection.address, one.connection.is_local = "127.0.0.1", True
        here.house.on_connected(one.connection)
        assert one.closed is None
        assert codes(one.say("hello", name=name, token=token)) == [code]


async def test_a_house_that_closes_takes_nobody_new(door: type[Door]) -> None:
    here = door()
    token, other = here.issue("ann"), here.issue("bob")
    ann, _ = here.come("ann", token)
    ann.say("join", table="table-1")
    here.house.admission.closing = True
    assert here.come("carl")[1] == here.come("bob", other)[1] == ["closing"]
    ann.break_off()
    assert here.come("ann", token)[1][0] == "welcome"


async def test_tables_are_limited_by_the_token(door: type[Door]) -> None:
    here = door(guest_quota=Quota(tables=1))
    open_table(here.house, name="table-2")
    for name, token in (("ann", here.issue("ann", tables=1)), ("guest", "")):
        one, _ = here.come(name, token, tables=9)
        one.say("join", table="table-1")
        assert codes(one.say("join", table="table-2"))[-1] == "too_many_tables"
    free, _ = here.come("free", here.issue("free"), tables=9)
    free.say("join", table="table-1")
    assert "too_many_tables" not in codes(free.say("join", table="table-2"))


async def test_who_says_too_much_is_not_heard(door: type[Door]) -> None:
    here = door(guest_quota=Quota(rate=20))
    here.house.clock = lambda: 1000.0
    ann, _ = here.come("ann", here.issue("ann", rate=10))
    bob, _ = here.come("bob", here.issue("bob"))
    frame = packed(JSON, [{"type": "join", "table": "nowhere"}] * 8)
    assert codes(ann.throw(frame)) == ["unknown_table"] * 8
    before = here.table.facts.names[:]
    assert codes(ann.throw(packed(JSON, [{"type": "join", "table": "table-1"}] * 8))) == ["too_fast"]
    assert here.table.facts.names == before
    assert codes(bob.throw(packed(JSON, [{"type": "back", "table": "x"}] * 999))) == ["unknown_table"] * 999
    here.house.clock = lambda: 1001.0
    assert codes(ann.throw(frame)) == ["unknown_table"] * 8


@pytest.mark.parametrize(
    "addresses",
    [("192.0.2.1", "192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8::2:3", "2001:db8:0:1::1")],
    ids=["IPv4", "IPv6"],
)
async def test_guests_of_one_address_speak_together(door: type[Door], addresses: Sequence[str]) -> None:
    """Of one network in IPv6: who has one address there has all of a /64."""
    here = door(guest_quota=Quota(rate=10))
    here.house.clock = lambda: 1000.0
    places = dict(zip(("one", "two", "far"), addresses, strict=True))
    people = {name: Memory(here.house) for name in places}
    for name, one in people.items():
        one.connection.address = places[name]
        here.house.on_connected(one.connection)
        assert codes(one.say("hello", name=name)) == ["welcome"]
    frame = packed(JSON, [{"type": "join", "table": "nowhere"}] * 7)
    assert [codes(one.throw(frame))[-1] for one in people.values()] == [
        *("unknown_table", "too_fast", "unknown_table")
    ]


def test_a_rate_allows_what_it_says() -> None:
    rate = RateLimiter(100)
    assert rate.spend(0.0, 100)
    assert not rate.spend(0.0, 1)
    assert rate.spend(0.5, 50)
    assert not rate.spend(0.5, 1)
    assert not RateLimiter(100).spend(0.0, 101)
    assert RateLimiter(Quota().rate).spend(0.0, MAX_MESSAGES)


def test_a_network_of_ipv6_has_the_connections_of_one_address() -> None:
    admission = AdmissionPolicy(per_address=1)
    assert admission.admit_connection("2001:db8::1") == ""
    assert admission.admit_connection("2001:db8::2") == "too_many_connections"
    assert admission.admit_connection("2001:db8:0:1::2") == ""
    admission.release_connection("2001:db8::2")
    admission.release_connection("2001:db8::1")
    assert admission.admit_connection("2001:db8::3") == ""


@each_library
async def test_connections_of_one_address_are_counted(library: Any) -> None:
    admission = AdmissionPolicy(guests=True, per_address=2)
    async with listening(library, admission=admission) as (house, door):
        async with door() as one, door():
            async with door() as three:
                assert (await three.hear("error"))["code"] == "too_many_connections"
            await one.say("hello", name="one")
            await one.hear("welcome")
        await until(lambda: not house.connections)
        async with door() as again:
            await again.say("hello", name="two")
            await again.hear("welcome")
            access = AccessList()
            access.ban("address", "127.0.0.1", "root")
            house.apply_access(access)
            assert (await again.hear("error"))["code"] == "banned"
        async with door() as banned:
            await banned.say("hello", name="three")
            assert (await banned.hear("error"))["code"] == "banned"


@each_library
async def test_behind_a_proxy_limits_count_by_the_address_that_it_forwards(library: Any) -> None:
    proxy = parse_network("127.0.0.1")
    assert proxy is not None
    admission = AdmissionPolicy(guests=True, guest_quota=GUEST_QUOTA, per_address=1, proxies=[proxy])
    async with listening(library, admission=admission) as (house, door):

        def client(forwarded: str, **options: Any) -> Any:
            return door(additional_headers={"X-Forwarded-For": forwarded}, **options)

        async with client("192.0.2.1") as one, client("192.0.2.1, 192.0.2.2") as two:
            for number, remote in enumerate((one, two)):
                await remote.say("hello", name=f"guest {number}")
                await remote.hear("welcome")
            first, second = sorted(house.connections, key=lambda connection: connection.number)
            assert (first.address, second.address) == ("192.0.2.1", "192.0.2.2")
            assert first.rate_limiter is not second.rate_limiter
            async with client("192.0.2.2") as third:
                assert (await third.hear("error"))["code"] == "too_many_connections"
            # The word of anybody else counts for nothing.
            async with client("192.0.2.2", local_addr=("127.0.0.2", 0)) as other:
                await other.say("hello", name="other")
                await other.hear("welcome")
                assert {connection.address for connection in house.connections} >= {"127.0.0.2"}
            access = AccessList()
            access.ban("address", "192.0.2.2", "root")
            house.apply_access(access)
            assert (await two.hear("error"))["code"] == "banned"
        async with client("192.0.2.2") as banned:
            assert (await banned.hear("error"))["code"] == "banned"
