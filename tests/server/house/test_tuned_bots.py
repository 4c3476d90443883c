"""House bots with parameters of their own at open tables: what may be set, how many there are, their end."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pokerd.commands.serve import offered_bots
from protocol.codec import JSON
from protocol.errors import MalformedFrame, Refused
from protocol.people import BotChoice, CreateTable, Invite
from server.auth.tokens import Quota
from server.bots.processes import ProcessManager
from server.house.bot_manager import (
    MAX_SHARED_BOTS,
    MAX_SHARED_BOTS_PER_ADDRESS,
    MAX_TUNED_BOTS,
    MAX_TUNED_BOTS_PER_CLIENT,
    MAX_TUNED_BOTS_PER_TABLE,
)
from server.house.house import House
from server.house.lobby import Lobby
from server.tables.config import config_from_request
from server.tables.player import Player
from strategy.registry import strategy_names
from tests.server.house.lasting import DUEL, Guest, Houses
from tests.support.houses.open_house import until
from tests.support.houses.people import Memory, Message

OFFERED = offered_bots()
BOLD: dict[str, Any] = {"bot": "adaptive", "parameters": {"raise_at": 0.4}}


def test_every_house_bot_is_offered_with_what_strangers_may_set() -> None:
    assert set(OFFERED) == set(strategy_names())
    for name, bot in OFFERED.items():
        for one in bot.parameters:
            # The default is allowed, and no change.
            assert bot.changes({one.name: one.default}) == {}, (name, one)
            if one.kind in ("number", "whole"):
                assert one.least <= one.default <= one.most  # type: ignore[operator]
            elif one.kind == "numbers":
                assert len(one.default) in one.lengths  # type: ignore[arg-type]
            elif one.kind == "choice":
                assert one.default in one.choices
    names = {one.name for bot in OFFERED.values() for one in bot.parameters}
    assert not names & {"blueprint", "strategy"}


def test_only_what_differs_from_the_defaults_is_kept() -> None:
    bots: list[Any] = [
        "fair",
        BotChoice("adaptive", {"raise_at": 0.55}),
        BotChoice("adaptive", {"raise_at": 0.6, "gap": 0.01, "mu": [0.5]}),
    ]
    config = config_from_request(CreateTable(bots=bots), OFFERED)
    assert config.bots == ("fair", "adaptive", BotChoice("adaptive", {"raise_at": 0.6, "mu": [0.5]}))
    assert config.tuned_bots == 1


@pytest.mark.parametrize(
    ("bot", "parameters", "code", "named"),
    [
        ("shark", {}, "bad_table", "shark"),
        ("call", {"raise_at": 1}, "bad_parameters", "call"),
        ("adaptive", {"raise_at": 1.5}, "bad_parameters", "raise_at"),
        ("adaptive", {"raise_at": "high"}, "bad_parameters", "raise_at"),
        ("adaptive", {"raise_at": True}, "bad_parameters", "raise_at"),
        ("adaptive", {"raise_at": 0.1}, "bad_parameters", "fold_below"),
        ("adaptive", {"weight_v": 0.7}, "bad_parameters", "weight_v"),
        ("adaptive", {"mu": [0.1, 0.1]}, "bad_parameters", "mu"),
        ("adaptive", {"bluff": 0.1}, "bad_parameters", "bluff"),
        ("loki2", {"trials": 1_000_000}, "bad_parameters", "trials"),
        ("akuma", {"trials": 100_000}, "bad_parameters", "trials"),
        ("cfr+river", {"iterations": 1_000_000}, "bad_parameters", "iterations"),
        ("hbb4", {"nearest": 1000}, "bad_parameters", "nearest"),
        ("cfr", {"blueprint": "/etc/passwd"}, "bad_parameters", "blueprint"),
        ("pushfold", {"strategy": "mine.json"}, "bad_parameters", "strategy"),
    ],
)
def test_what_a_stranger_may_not_set_is_refused_by_name(
    bot: str, parameters: dict[str, Any], code: str, named: str
) -> None:
    choice = BotChoice(bot, parameters)
    duel: dict[str, Any] = {"mode": "challenge", "seats": 2, "bots": ["call"]}
    for field, asked in {"bots": {"bots": [choice]}, "rival": {**duel, "rival": choice}}.items():
        with pytest.raises(Refused) as refusal:
            config_from_request(CreateTable(**asked), OFFERED)
        assert (refusal.value.code, refusal.value.field) == (code, field)
        assert named in str(refusal.value)


@pytest.mark.parametrize(
    "order",
    [
        {"type": "create", "bots": [{**BOLD, "param": {}}]},
        {"type": "create", "mode": "challenge", "seats": 2, "bots": ["call"], "rival": {**BOLD, "param": {}}},
        {"type": "invite", "table": "table-1", "bot": {**BOLD, "param": {}}},
    ],
    ids=["bots", "rival", "invite"],
)
def test_a_misspelled_field_of_a_choice_is_refused(order: dict[str, Any]) -> None:
    with pytest.raises(MalformedFrame, match="param") as refusal:
        JSON.decode_client(json.dumps(order).encode())
    assert refusal.value.code == "malformed_frame"


def test_of_a_bot_without_parameters_none_are_promised() -> None:
    plain = [name for name, bot in OFFERED.items() if not bot.parameters]
    assert plain
    for name in plain:
        with pytest.raises(ValueError, match=r"\w") as refusal:
            OFFERED[name].changes({"x": 1})
        assert "there are" not in str(refusal.value)


class Guests:
    """Clients without sockets, and a lobby whose bots are not started."""

    def __init__(self, folder: Path, idle: float = 1000.0) -> None:
        self.lobby = Lobby(
            ProcessManager(folder), bots=OFFERED, make_house=partial(House, guests=True), idle=idle
        )
        self.house = self.lobby.house

    def come(self, name: str, address: str = "192.0.2.1") -> Memory:
        client = Memory(self.house)
        client.connection.address = address
        client.say("hello", name=name, person=True, tables=100)
        return client

    def bots(self, table: str) -> dict[str, dict[str, Any]]:
        """The house bots at a table by name, with their own parameters."""
        players = self.house.open_tables[table].players
        return {one.name: one.parameters for one in players if one is not None and one.is_house_bot}


def answer(news: list[Message]) -> str:
    """The table that was opened, or the code of the refusal."""
    [message] = [one for one in news if one["type"] in ("created", "error")]
    return str(message.get("code") or message["table"])


async def test_each_has_its_own_name_and_everybody_sees_its_parameters(tmp_path: Path) -> None:
    guests = Guests(tmp_path)
    ann = guests.come("ann")
    assert answer(ann.say("create", bots=["adaptive", BOLD, BOLD], seats=4)) == "table-1"
    bold = BOLD["parameters"]
    assert guests.bots("table-1") == {"adaptive-1": {}, "adaptive-11": bold, "adaptive-12": bold}
    ann.say("watch", table="table-1")
    seats = next(one for one in ann.news() + ann.heard if one["type"] == "seats")
    assert [one.get("parameters") for one in seats["seats"]] == [None, bold, bold, None]
    guests.house.close()


async def test_nobody_plays_under_a_name_that_a_bot_may_get(tmp_path: Path) -> None:
    guests = Guests(tmp_path)
    for name in ("adaptive-11", "ADAPTIVE-200", "\u0430daptive-12", "cfr+river-11"):
        client = Memory(guests.house)
        assert client.say("hello", name=name)[0]["code"] == "name_taken", name
    for name in ("adaptive", "adaptive-x", "adaptive-11-x", "nobody-11"):
        assert guests.come(name).closed is None
    guests.house.close()


async def test_one_is_invited(tmp_path: Path) -> None:
    guests = Guests(tmp_path)
    ann = guests.come("ann")
    ann.say("create", seats=MAX_TUNED_BOTS_PER_TABLE + 2)
    ann.say("watch", table="table-1")
    for parameters, code in (({"raise_at": 2}, "bad_parameters"), ({"x": 1}, "bad_parameters")):
        refused = ann.say("invite", table="table-1", bot={"bot": "adaptive", "parameters": parameters})[-1]
        assert (refused["code"], refused["field"]) == (code, "bot")
    assert guests.bots("table-1") == {}
    for _ in range(MAX_TUNED_BOTS_PER_TABLE):
        ann.say("invite", table="table-1", bot=BOLD)
    assert len(guests.bots("table-1")) == MAX_TUNED_BOTS_PER_TABLE
    assert answer(ann.say("invite", table="table-1", bot=BOLD)) == "bad_table"
    ann.say("invite", table="table-1", bot="adaptive")
    ann.say("invite", table="table-1", bot="adaptive")
    known = len(guests.house.players)
    assert answer(ann.say("invite", table="table-1", bot=BOLD)) == "no_seat"
    assert len(guests.house.players) == known
    guests.house.close()


async def test_a_table_a_client_and_the_server_have_so_many(tmp_path: Path) -> None:
    guests = Guests(tmp_path)
    known = len(guests.house.players)

    def opened(client: Memory, many: int) -> str:
        return answer(client.say("create", seats=10, bots=[BOLD] * many))

    ann = guests.come("ann")
    assert opened(ann, MAX_TUNED_BOTS_PER_TABLE + 1) == "bad_table"
    assert opened(ann, MAX_TUNED_BOTS_PER_TABLE) == "table-1"
    bots: list[Any] = [BotChoice(**BOLD)] * (MAX_TUNED_BOTS_PER_TABLE + 1)
    with pytest.raises(Refused) as refusal:
        guests.lobby.open_permanent(CreateTable(seats=10, bots=bots))
    assert (refusal.value.code, refusal.value.field) == ("bad_table", "bots")
    # Others of the same address share the limit; the rival of a challenge counts before he comes.
    bob = guests.come("bob")
    rest = MAX_TUNED_BOTS_PER_CLIENT - MAX_TUNED_BOTS_PER_TABLE
    duel = {"mode": "challenge", "seats": rest, "bots": [BOLD] * (rest - 1), "rival": BOLD}
    assert answer(bob.say("create", **duel)) == "table-2"
    assert opened(ann, 1) == opened(bob, 1) == "server_full"
    assert opened(bob, 0) == "table-3"
    assert answer(bob.say("invite", table="table-3", bot=BOLD)) == "server_full"
    left = MAX_TUNED_BOTS - MAX_TUNED_BOTS_PER_CLIENT
    for number in range(2, 200):
        client = guests.come(f"guest {number}", f"192.0.2.{number}")
        many = min(left, MAX_TUNED_BOTS_PER_TABLE)
        if not many:
            assert opened(client, 1) == "server_full"
            break
        assert opened(client, many).startswith("table-")
        left -= many
    # All have names of their own, and the one rival is to come.
    assert sum(bool(one.parameters) for one in guests.house.players.values()) == MAX_TUNED_BOTS - 1
    guests.house.close()
    assert len(guests.house.players) < known


async def test_they_end_with_their_table_and_count_a_little_longer(tmp_path: Path) -> None:
    guests = Guests(tmp_path, idle=0.05)
    ann = guests.come("ann")
    for _ in range(2):
        ann.say("create", seats=10, bots=[BOLD] * MAX_TUNED_BOTS_PER_TABLE)
    assert "adaptive-11" in guests.house.players
    for name in list(guests.house.open_tables):
        guests.house.open_tables[name].stop("closed")
    assert not any(one.parameters for one in guests.house.players.values())
    assert answer(ann.say("create", bots=[BOLD])) == "server_full"
    await until(lambda: not guests.lobby.house_bots._tuned)
    table = answer(ann.say("create", bots=[BOLD]))
    assert list(guests.bots(table)) == ["adaptive-11"]
    guests.house.close()


async def test_there_are_so_many_without_parameters_at_the_tables_of_players(tmp_path: Path) -> None:
    guests = Guests(tmp_path)
    kinds = iter(sorted(OFFERED))
    left, number = MAX_SHARED_BOTS, 0
    while left:
        ann = guests.come(f"guest {number}", f"192.0.2.{number}")
        # A rival counts before he comes.
        kind, many = next(kinds), min(left, 10)
        duel = {"mode": "challenge", "seats": many, "bots": [kind] * (many - 1), "rival": kind}
        assert answer(ann.say("create", **duel)).startswith("table-")
        left, number = left - many, number + 1
    bob = guests.come("bob", "192.0.2.200")
    other = next(kinds)
    assert answer(bob.say("create", bots=[other])) == "server_full"
    # Bots that play already are no more processes.
    first = sorted(OFFERED)[0]
    table = answer(bob.say("create", bots=[first]))
    assert answer(bob.say("invite", table=table, bot=other)) == "server_full"
    bob.say("invite", table=table, bot=first)
    assert list(guests.bots(table)) == [f"{first}-1", f"{first}-2"]
    # The tables of the operator have no such limit.
    guests.lobby.open(config_from_request(CreateTable(bots=[other]), OFFERED))
    for name in list(guests.house.open_tables):
        guests.house.open_tables[name].stop("closed")
    assert answer(bob.say("create", bots=[other])).startswith("table-")
    guests.house.close()


async def test_the_guests_of_an_address_start_so_many_without_parameters(tmp_path: Path) -> None:
    guests = Guests(tmp_path)

    def opened(client: Memory, kind: str, many: int) -> str:
        return answer(client.say("create", seats=10, bots=[kind] * many))

    ann, bob = guests.come("ann"), guests.come("bob")
    most = MAX_SHARED_BOTS_PER_ADDRESS
    assert opened(ann, "fair", 10) == "table-1"
    assert opened(bob, "call", most - 10 + 1) == "server_full"
    assert opened(bob, "call", most - 10 - 1) == "table-2"
    assert opened(bob, "raise", 1) == "table-3"
    assert answer(bob.say("invite", table="table-2", bot="adaptive")) == "server_full"
    # Those that play already are no more processes, whoever started them.
    zoe = guests.come("zoe", "192.0.2.2")
    assert opened(zoe, "random", 10) == "table-4"
    assert opened(bob, "random", 10) == "table-5"
    # They count for the address that started them until they end, wherever they play meanwhile.
    guests.house.open_tables["table-4"].stop("closed")
    assert opened(zoe, "loki1", most - 10 + 1) == "server_full"
    guests.house.open_tables["table-5"].stop("closed")
    running = {guests.house.players[f"random-{number}"] for number in range(1, 11)}
    guests.lobby.house_bots._running |= running
    assert opened(zoe, "loki1", most - 10 + 1) == "server_full"
    guests.lobby.house_bots._running -= running
    assert opened(zoe, "loki1", most - 10 + 1) == "table-6"
    # Neither the owner of a token nor an administrator is limited so.
    rob = Memory(guests.house)
    token = guests.house.admission.access.issue("rob", Quota())
    rob.say("hello", name="rob", token=token, person=True, tables=100)
    assert opened(rob, "sartre", 10) == "table-7"
    assert opened(rob, "akuma", 10) == "table-8"
    guests.lobby.invite(None, Invite("table-2", "adaptive"))
    assert "adaptive-1" in guests.bots("table-2")
    guests.house.close()


async def test_who_started_them_is_known_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    houses = Houses(tmp_path, monkeypatch)
    houses.begin()
    houses.lobby.bots = OFFERED
    ann = Guest("ann", person=True, identity="i1")
    ann.come(houses.house)
    assert answer(ann.say("create", seats=10, bots=["fair"] * 9)) == "table-1"
    ann.say("join", table="table-1")
    houses.archive.commit()
    houses.kill()
    houses.begin()
    houses.lobby.bots = OFFERED
    bob = Guest("bob", person=True, identity="i2")
    bob.come(houses.house)
    most = MAX_SHARED_BOTS_PER_ADDRESS
    assert answer(bob.say("create", seats=10, bots=["call"] * (most - 9 + 1))) == "server_full"
    assert answer(bob.say("create", seats=10, bots=["call"] * (most - 9))) == "table-2"
    houses.kill()


async def test_after_a_restart_they_have_the_same_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    houses = Houses(tmp_path, monkeypatch)
    houses.begin()
    mild: dict[str, Any] = {"raise_at": 0.9, "mu": [0.1, 0.2, 0.3, 0.4]}
    config = DUEL._replace(bots=("a", BotChoice("b", mild)), rival=BotChoice("c", BOLD["parameters"]))
    houses.lobby.open(config, idle=60.0, owner=Player("ann", identity="i1"))
    ann = Guest("ann", person=True, identity="i1")

    def found() -> dict[str, Any]:
        """The house bots of the table, and their parameters."""
        return {name: one.parameters for name, one in houses.house.players.items() if one.is_house_bot}

    def come() -> list[Guest]:
        ann.come(houses.house)
        return [ann, *(houses.servant(name) for name in found())]

    known = {"a-1": {}, "b-11": mild}
    guests = come()
    ann.say("join", table="table-1")
    assert found() == known
    for _ in range(3):
        # He comes when Ann is ready.
        for guest in guests:
            guest.step()
        houses.tick()
    known["c-11"] = BOLD["parameters"]
    assert found() == known
    for _ in range(2):
        houses.archive.commit()
        houses.kill()
        houses.begin()
        assert found() == known
        come()
        seats = next(one for one in reversed(ann.inbox) if one["type"] == "seats")
        assert [one.get("parameters") for one in seats["seats"]] == [None, mild, None]
    houses.house.open_tables["table-1"].stop("closed")
    assert found() == {"a-1": {}}
    houses.kill()
