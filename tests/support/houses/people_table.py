"""People at an open table, without sockets."""

from __future__ import annotations

from typing import Any

from dealer.formats.cash import Cash
from dealer.formats.tournament import Tournament
from dealer.rules.hand import HandState
from protocol.codec import JSON, Codec
from server.house.house import House
from server.tables.open_table import OpenTable
from tests.support.houses.people import Memory, Message, open_table


def kinds(news: list[Message]) -> list[str]:
    return [message["code"] if message["type"] == "error" else message["type"] for message in news]


def only(news: list[Message], kind: str) -> Message:
    [message] = [message for message in news if message["type"] == kind]
    return message


def come(house: House, name: str, *, person: bool = True, codec: Codec = JSON, identity: str = "") -> Memory:
    client = Memory(house, codec)
    client.connection.identity = identity
    client.say("hello", name=name, tables=4, person=person)
    return client


def sit(house: House, name: str, *, person: bool = True, seat: int = -1, codec: Codec = JSON) -> Memory:
    client = come(house, name, person=person, codec=codec)
    news = client.say("join", table="table-1", seat=seat)
    assert kinds(news)[0] in ("players", "match_start"), news
    client.say("ready", table="table-1")
    return client


class Game:
    """People at a table, by seat; they call when they are to act."""

    def __init__(self, *people: str, bots: int = 0, **settings: Any) -> None:
        self.house = House(guests=True, grace=1000.0)
        self.table = open_table(self.house, **{"seats": max(2, len(people) + bots), **settings})
        self.clients = {seat: sit(self.house, name) for seat, name in enumerate(people)}
        for number in range(bots):
            self.clients[len(self.clients)] = sit(self.house, f"bot {number}", person=False)
        for client in self.clients.values():
            client.news()

    @property
    def hand(self) -> HandState:
        hand = self.table.table.hand
        assert hand is not None
        return hand

    def waiting(self) -> bool:
        return self.table.table_format.paused

    def pause(self) -> float:
        return self.table.table.pause

    def deadline(self) -> float | None:
        return self.table.table.deadline

    def absent(self, seat: int) -> bool:
        return self.table.table.seats[seat].is_absent

    def act(self, action: str = "call", **fields: Any) -> list[Message]:
        table = self.table.table
        turn = {"turn": table.turn, "action": action, **fields}
        return self.clients[table.turn_seat].say("act", table="table-1", **turn)

    def until(self, done: Any, action: str = "call") -> None:
        for _ in range(5_000):
            if done():
                return
            if self.table.table.turn_seat >= 0:
                self.act(action)
            else:
                self.tick()
        raise AssertionError("this never comes")

    def tick(self) -> None:
        deadline = self.table.table.deadline
        assert deadline is not None
        self.table.tick(deadline)

    def finish_hand(self, action: str = "call") -> None:
        hands = self.table.hands
        self.until(lambda: self.table.hands > hands, action)

    def refused(self, client: Memory, code: str, kind: str, **fields: Any) -> None:
        """What is refused changes nothing."""
        before = standing(self.table)
        [error] = client.say(kind, table=fields.pop("table", "table-1"), **fields)
        assert error["code"] == code
        assert standing(self.table) == before
        for other in self.clients.values():
            assert other is client or not other.news()


def moving(table: OpenTable) -> Cash | Tournament:
    """What is played, where stacks carry over from hand to hand."""
    play = table.table_format
    assert isinstance(play, Cash | Tournament)
    return play


def standing(table: OpenTable) -> tuple[Any, ...]:
    play = moving(table)
    return (
        table.table.seq,
        table.table.turn_seat,
        table.table.deadline,
        [seat.is_absent for seat in table.table.seats],
        [seat.attendance for seat in table.table.seats],
        list(table.facts.names),
        list(table.players),
        [seat.ready for seat in table.seats],
        list(play.stacks),
        list(play.dealt),
        play.paused,
        list(table.chat.lines),
        len(table.progress.events),
        len(table.audience.spectators),
        list(table.audience.seats),
    )
