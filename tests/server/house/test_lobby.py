"""Opening tables: what may be asked for, how many, and that bots come to them."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer.formats.tournament import Tournament
from dealer.rules.games import Game
from protocol.codec import JSON
from protocol.errors import Refused
from protocol.people import BotChoice, CreateTable
from server.auth.policy import RateLimiter
from server.auth.text_rules import is_plain_text
from server.auth.tokens import AccessList, Quota
from server.bots.processes import BotProcess, ProcessManager
from server.house.house import House
from server.house.lobby import MAX_OWN_TABLES, MAX_TABLES_PER_CLIENT, Lobby
from server.house.restore import recorder_for
from server.people.same_deals import MAX_TRIES_PER_DAY, SameDeals
from server.storage.hand_store import HandStore
from server.tables.config import BOUNDS, LEVELS, config_from_request
from tests.protocol.generate import messages
from tests.support.houses.challenges import Duel
from tests.support.houses.lobby import BOTS, opened
from tests.support.houses.open_house import until
from tests.support.houses.people import Memory, Message


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("name", "x" * 41),
        ("name", "\u202eevil"),
        ("name", " "),
        ("game", "omaha"),
        ("mode", "sit and go"),
        ("deck", "acpc"),
        ("levels", "slow"),
        ("small_blind", 0),
        ("small_blind", 11),
        ("big_blind", 1_000_001),
        ("ante", -1),
        ("ante", 11),
        ("stack", 19),
        ("stack", 200_000_001),
        ("seats", 1),
        ("seats", 11),
        ("decision_ms", 999),
        ("bank_ms", 3_600_001),
        ("pause_ms", 60_001),
        ("matches", 0),
        ("matches", 101),
        ("matches", 2),
        ("bots", ["nobody"]),
        ("bots", ["fair"] * 7),
        ("hands", 9),
        ("hands", 501),
        ("rival", "fair"),
        ("depth", [10]),
        ("depth", [0, 10]),
        ("depth", [10, 9]),
        ("depth", [1, 1001]),
        ("depth", [1, 1]),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(field: str, wrong: Any) -> None:
    with pytest.raises(Refused) as refusal:
        config_from_request(CreateTable(**{field: wrong}), BOTS)
    assert refusal.value.code == "bad_table"
    assert refusal.value.field == field
    assert field in str(refusal.value)
    # What is written by hand is not said back in the signs of programs.
    assert "\\u" not in str(refusal.value)


def test_levels_are_for_tournaments() -> None:
    with pytest.raises(Refused) as refusal:
        config_from_request(CreateTable(levels="turbo"), BOTS)
    assert refusal.value.field == "levels"
    for levels, hands in LEVELS.items():
        config = config_from_request(CreateTable(mode="tournament", levels=levels, matches=10), BOTS)
        assert {level.hands for level in config.levels} == {hands or 1}
        assert len({level.big_blind for level in config.levels}) == (len(config.levels) if hands else 1)


def test_the_least_raise_is_a_choice_of_no_limit_games() -> None:
    rules = {"": "standard", "last_raise": "standard", "bb": "bb"}
    for asked, found in rules.items():
        assert config_from_request(CreateTable(min_raise=asked), BOTS).stakes.rules == found
    for wrong in (CreateTable(game="limit", min_raise="bb"), CreateTable(min_raise="half")):
        with pytest.raises(Refused) as refusal:
            config_from_request(wrong, BOTS)
        assert (refusal.value.code, refusal.value.field) == ("bad_table", "min_raise")


def test_all_in_or_fold_with_stacks_that_are_drawn() -> None:
    config = config_from_request(CreateTable(game="pushfold", depth=[1, 10], bots=["fair", "call"]), BOTS)
    assert config.stakes.title == "push/fold hold'em 5/10, 1-10 big blinds"
    for mode in ("tournament", "challenge"):
        with pytest.raises(Refused) as refusal:
            config_from_request(CreateTable(depth=[1, 10], mode=mode, bots=["call"] * 5, rival="fair"), BOTS)
        assert refusal.value.field == "depth"
    tournament = config_from_request(CreateTable(game="pushfold", mode="tournament"), BOTS).make_format(
        bytes(32)
    )
    assert tournament.game.rules == "pushfold"


def test_a_tournament_as_in_the_study() -> None:
    asked = CreateTable(mode="tournament", seats=5, bots=["fair"] * 4, stack=1000, matches=10)
    config = config_from_request(asked, BOTS)
    play = config.make_format(bytes(32))
    assert isinstance(play, Tournament)
    assert play.stacks == [1000] * 5
    assert (config.matches, config.bots) == (10, ("fair",) * 4)
    blinds = [(level.small_blind, level.big_blind) for level in config.levels]
    assert blinds == sorted(blinds)
    assert blinds[0] == (5, 10)


@settings(max_examples=300)
@given(
    st.one_of(
        messages(CreateTable),
        st.builds(
            CreateTable,
            game=st.sampled_from(["limit", "nolimit", "pushfold"]),
            mode=st.sampled_from(["cash", "tournament"]),
            depth=st.one_of(st.just([]), st.lists(st.integers(0, 1001), max_size=2)),
            bots=st.lists(
                st.sampled_from([*BOTS, BotChoice("fair", {"preflop": "odds"}), BotChoice("call", {"x": 1})]),
                max_size=9,
            ),
            levels=st.sampled_from(["", "turbo"]),
            **{field: st.integers(low, high) for field, (low, high) in BOUNDS.items()},
        ),
    )
)
def test_whatever_is_asked_for_can_be_played_or_is_refused(asked: CreateTable) -> None:
    refused, config = "", None
    try:
        config = config_from_request(asked, BOTS)
    except Refused as refusal:
        refused = f"{refusal.code} {refusal.field}"
    if config is None:
        assert refused in {f"bad_table {field}" for field in CreateTable.__struct_fields__} | {
            "bad_parameters bots",
            "bad_parameters rival",
        }
        return
    play = config.make_format(bytes(32))
    for level in config.levels:
        assert isinstance(level.stakes(config.stakes.limit, config.stakes.stack).game(config.seats), Game)
    for seat in range(config.seats):
        if config.mode == "cash":
            play.sit_in(seat)
    hand = play.next_hand()
    assert hand is not None
    assert len(hand.seats) == config.seats


@given(st.text(max_size=210))
def test_chat_is_one_line(text: str) -> None:
    if is_plain_text(text):
        assert 0 < len(text) <= 200
        assert len(text.splitlines()) == 1
        assert JSON.encode(CreateTable(name=text[:40]))


def test_a_rate_limit_is_a_burst_and_then_a_rate() -> None:
    budget = RateLimiter(3, 6.0)
    assert [budget.spend(10.0) for _ in range(5)] == [True, True, True, False, False]
    assert [budget.spend(now) for now in (11.9, 12.0, 13.0, 14.0, 14.0)] == [False, True, False, True, False]
    assert [budget.spend(100.0) for _ in range(4)] == [True, True, True, False]


class Guests:
    """Clients without sockets, and a lobby whose tables have no bots."""

    def __init__(self, tmp_path: Path, url: str = "ws://127.0.0.1:1", **options: Any) -> None:
        make_house = partial(House, guests=True)
        self.lobby = Lobby(ProcessManager(tmp_path), url, BOTS, make_house=make_house, **options)
        self.house = self.lobby.house

    def come(self, name: str, address: str = "", identity: str = "") -> Memory:
        client = Memory(self.house)
        client.connection.address, client.connection.identity = address, identity
        client.say("hello", name=name, person=True, tables=100)
        return client


def one(news: list[Message]) -> Message:
    [message] = news
    return message


async def test_a_player_opens_a_few_tables_and_the_server_has_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 4 * MAX_OWN_TABLES + 1
    monkeypatch.setattr("server.house.lobby.MAX_TABLES", most)
    guests = Guests(tmp_path)
    ann = guests.come("ann")
    tables = [one(ann.say("create"))["table"] for _ in range(MAX_OWN_TABLES)]
    assert tables == ["table-1", "table-2", "table-3", "table-4"]
    assert one(ann.say("create"))["code"] == "server_full"
    assert one(ann.say("create", seats=99))["field"] == "seats"
    # Who closes one may open another; its name is not used again.
    guests.house.open_tables["table-2"].stop("closed")
    assert one(ann.say("create"))["table"] == "table-5"
    number = 0
    while len(guests.house.open_tables) < most:
        number += 1
        other = guests.come(f"other {number}", f"192.0.2.{number}")
        for _ in range(min(MAX_OWN_TABLES, most - len(guests.house.open_tables))):
            assert one(other.say("create"))["type"] == "created"
    late = guests.come("late")
    assert one(late.say("create"))["code"] == "server_full"
    assert late.closed is None
    assert len(guests.house.open_tables) == most
    guests.house.close()
    assert not guests.house.open_tables


async def test_a_private_table_is_found_by_its_name_alone(tmp_path: Path) -> None:
    guests = Guests(tmp_path, url="")
    ann, bob = guests.come("ann"), guests.come("bob")
    public, secret = (one(ann.say("create", seats=2, private=private))["table"] for private in (False, True))
    assert re.fullmatch(r"private-[0-9a-f]{20}-2", secret)
    assert [entry.table for entry in guests.house.listing()] == [public]
    late = guests.come("eve")
    assert one(late.say("join", table="private-2"))["code"] == "unknown_table"
    assert late.say("watch", table=secret)[0]["type"] == "match_start"
    assert bob.say("join", table=secret)[0]["seat"] == 0
    assert one(ann.say("create", seats=2, private=True))["table"] != secret
    guests.house.close()


async def test_who_opened_a_table_seats_bots_there(tmp_path: Path) -> None:
    guests = Guests(tmp_path, url="")
    ann, bob = guests.come("ann"), guests.come("bob")
    table = one(ann.say("create", seats=3))["table"]
    for client in (ann, bob):
        client.say("watch", table=table)
    bob.say("join", table=table)

    def seated() -> list[str]:
        return [player.name for player in guests.house.open_tables[table].players if player is not None]

    def refused(client: Memory, **asked: str) -> str:
        return str(client.say("invite", **({"table": table, "bot": "call"} | asked))[-1]["code"])

    assert refused(bob) == "not_owner"
    assert refused(ann, bot="nobody") == "bad_table"
    assert refused(ann, table="none") == "unknown_table"
    assert seated() == ["bob"]
    seats = [news for news in ann.say("invite", table=table, bot="call") if news["type"] == "seats"]
    assert [(seat.get("name"), seat.get("kind")) for seat in seats[-1]["seats"][:2]] == [
        ("bob", "person"),
        ("call-1", "bot"),
    ]
    assert seats[-1]["owner"] == "ann"
    ann.say("invite", table=table, bot="call")
    assert seated() == ["bob", "call-1", "call-2"]
    assert refused(ann) == "no_seat"
    table = one(ann.say("create", seats=10, bots=["call"] * 10))["table"]
    assert refused(ann) == "no_seat"
    guests.house.close()


async def test_the_guests_of_one_address_open_so_many_tables_together(tmp_path: Path) -> None:
    guests = Guests(tmp_path)

    def opened(number: int, address: str) -> int:
        """How many of them one more guest opens from there."""
        client = guests.come(f"guest {number}", address)
        answers = [one(client.say("create")) for _ in range(MAX_OWN_TABLES)]
        return sum(answer["type"] == "created" for answer in answers)

    # Of IPv6 a network of 64 bits counts as one address.
    told = [opened(number, f"2001:db8::{number}") for number in range(10)]
    assert sum(told) == len(guests.house.open_tables) == MAX_TABLES_PER_CLIENT
    assert opened(10, "2001:db8:0:1::1") == MAX_OWN_TABLES
    guests.house.open_tables["table-1"].stop("closed")
    assert opened(11, "2001:db8::1") == 1
    guests.house.close()


async def test_the_players_of_one_token_open_so_many_tables_together(tmp_path: Path) -> None:
    guests = Guests(tmp_path)
    access = AccessList()
    token = access.issue("many", Quota(connections=10, tables=10))
    guests.house.admission.access = access
    created = 0
    for _ in range(10):
        client = Memory(guests.house)
        client.say("hello", name="many", token=token, tables=10)
        created += sum(one(client.say("create"))["type"] == "created" for _ in range(MAX_OWN_TABLES))
    assert created == MAX_TABLES_PER_CLIENT
    assert one(guests.come("guest").say("create"))["type"] == "created"
    guests.house.close()


async def test_who_comes_back_with_his_cookie_has_opened_no_fewer_tables(tmp_path: Path) -> None:
    """The page says goodbye after ``create``, and hello again at the table."""
    guests = Guests(tmp_path)

    def asked(cookie: str, name: str) -> str:
        client = Memory(guests.house)
        client.connection.identity = cookie
        client.say("hello", name=name, person=True)
        answer = one(client.say("create"))
        client.break_off()
        return str(answer.get("code", answer["type"]))

    told = [asked("cookie", f"ann {number}") for number in range(MAX_OWN_TABLES + 1)]
    assert told == ["created"] * MAX_OWN_TABLES + ["server_full"]
    assert asked("another", "ann") == "created"
    guests.house.close()


async def test_the_names_of_house_bots_are_taken(tmp_path: Path) -> None:
    guests = Guests(tmp_path)
    client = Memory(guests.house)
    assert one(client.say("hello", name="fair-3"))["code"] == "name_taken"
    guests.house.close()


async def test_a_house_bot_without_a_seat_ends_and_comes_again(tmp_path: Path) -> None:
    async with opened(tmp_path, idle=0.2) as (lobby, door), door() as ann:
        await ann.say("hello", name="ann", person=True, tables=3)
        bot = lobby.house.players["call-1"]
        now = asyncio.get_running_loop().time

        def is_over(process: BotProcess) -> bool:
            return process.process.returncode is not None

        def is_past(time: float) -> bool:
            return now() > time

        for _ in range(2):
            await ann.say("create", bots=["call"], seats=2)
            table = (await ann.hear("created"))["table"]
            await ann.say("watch", table=table)
            await until(lambda: bot in lobby.house_bots._bot_processes and bot.connection is not None)
            process = lobby.house_bots._bot_processes[bot]
            # As long as it has a seat it is kept.
            await until(partial(is_past, now() + 0.5))
            assert not is_over(process)
            lobby.house.open_tables[table].stop("closed")
            await until(lambda: not lobby.house_bots._running)
            assert is_over(process)
            assert not lobby.house_bots._bot_processes


async def test_everybody_gets_the_same_table_on_one_day(tmp_path: Path) -> None:
    archive = HandStore(tmp_path / "hands.sqlite3")
    same = SameDeals(archive, bytes(32))
    make_recorder = partial(recorder_for, archive)
    # Their hands are told to no broker.
    more = {"make_feed": lambda *_: pytest.fail("somebody follows the table")}
    guests = Guests(tmp_path, url="", same_deals=same, make_recorder=make_recorder, **more)
    tables = []
    asked = {"seats": 3, "hands": 500, "bots": ["call"], "research": True}
    clients = [guests.come(name, identity=name) for name in ("ann", "bob")]
    for client in clients:
        number = one(client.say("create", deals="today", pause_ms=0, **asked))["table"]
        tables.append(guests.house.open_tables[number])
    ann, bob = tables
    assert ann.config == bob.config
    assert (ann.config.hands, ann.config.seats, ann.config.pause, ann.config.research) == (20, 6, 0, False)
    assert ann.config.day == same.today()
    assert ann.seed == bob.seed == same.seed(same.today())
    assert ann.facts.seeds == bob.facts.seeds
    assert ann.commitment == same.commitment(same.today())
    assert guests.house.listing() == []
    # At a second table one would see cards that are still to come at the first.
    assert one(clients[0].say("create", deals="today"))["table"] == ann.facts.table
    assert len(guests.house.open_tables) == 2
    nobody = guests.come("nobody")
    for deals in ("today", "table-1.1.x"):
        refusal = one(nobody.say("create", deals=deals))
        assert (refusal["code"], refusal["field"]) == ("bad_table", "deals")
    carol = guests.come("carol", identity="carol")
    assert one(carol.say("create", deals="table-1.1.x"))["field"] == "deals"
    assert one(carol.say("create", deals="today", pause_ms=-1))["field"] == "pause_ms"
    with pytest.raises(Refused) as refused:
        guests.lobby.open_permanent(CreateTable(deals="today"))
    assert refused.value.field == "deals"
    guests.house.close()
    await archive.close()


async def test_a_link_opens_the_table_of_the_friend(tmp_path: Path) -> None:
    archive = HandStore(tmp_path / "hands.sqlite3")
    same = SameDeals(archive, bytes(32))
    make_recorder = partial(recorder_for, archive)
    duel = Duel("call", "raise", identity="ann", make_recorder=make_recorder, research=True)
    duel.sit()
    duel.play()
    [first] = duel.told("challenge")
    guests = Guests(tmp_path, url="", same_deals=same, make_recorder=make_recorder)
    bob = guests.come("bob", identity="bob")
    number = one(bob.say("create", deals=same.link(first["run"]), pause_ms=0))["table"]
    table = guests.house.open_tables[number]
    assert table.config == duel.table.config._replace(deals=first["run"], research=False, pause=0.0)
    assert (table.seed, table.facts.seeds) == (duel.table.seed, duel.table.facts.seeds)
    # The rival has played already.
    bob.say("join", table=number)
    bob.say("ready", table=number)
    assert table.table.deadline is not None
    table.tick(table.table.deadline)
    assert table.hands == 0
    assert table.started
    assert [actor.facts.table for actor in guests.house._running] == [number]
    assert bob.say("create", deals=same.link(first["run"]))[-1]["table"] == number
    assert list(guests.house.open_tables) == [number]
    table.stop("closed")
    assert bob.say("create", deals=same.link(first["run"]))[-1]["field"] == "deals"
    # A bot that is not on offer any more does not come.
    guests.lobby.bots = {"call": BOTS["call"]}
    assert (
        one(guests.come("carol", identity="c").say("create", deals=same.link(first["run"])))["field"]
        == "deals"
    )
    guests.house.close()
    await archive.close()


async def test_so_many_tables_with_the_same_deals_a_day(tmp_path: Path) -> None:
    archive = HandStore(tmp_path / "hands.sqlite3")
    guests = Guests(tmp_path, url="", same_deals=SameDeals(archive, bytes(32)))
    ann = guests.come("ann", identity="ann")
    for _ in range(MAX_TRIES_PER_DAY):
        number = one(ann.say("create", deals="today"))["table"]
        guests.house.open_tables[number].stop("closed")
    assert one(ann.say("create", deals="today"))["code"] == "server_full"
    assert one(ann.say("create"))["type"] == "created"
    guests.house.close()
    await archive.close()
