"""A challenge without sockets: the bots are those of the house, in this process."""

from __future__ import annotations

from typing import Any

from clients.strategy_bot import strategy_bot
from pokerd_bot.client import Client
from protocol.codec import JSON
from server.house.house import House
from server.tables.challenge import ChallengeTable
from server.tables.config import TableConfig
from server.tables.player import Player
from tests.support.deals import SEED
from tests.support.houses.people import PATIENT, STAKES, Memory, Message
from tests.support.houses.people_table import come


class Served:
    """A client that a strategy answers for."""

    def __init__(self, house: House, strategy: str, memory: Memory) -> None:
        self.memory = memory
        self.client = Client(strategy_bot(strategy), JSON)
        self.heard: list[Message] = []
        self._read = 0
        player = memory.connection.player
        assert isinstance(player, Player)
        self.player = player

    @classmethod
    def servant(cls, house: House, strategy: str, number: int) -> Served:
        """A house bot."""
        player = house.players.add(Player(f"{strategy}-{number}", f"token {number}", is_house_bot=True))
        memory = Memory(house)
        memory.say("hello", name=player.name, token=player.token)
        return cls(house, strategy, memory)

    def pump(self) -> bool:
        """Answer what was asked; whether there was anything new."""
        self.memory.connection.flush()
        fresh = self.memory.frames[self._read :]
        self._read += len(fresh)
        for frame in fresh:
            self.client.handle(frame, lambda answer: self.memory.connection.receive(answer, text=True))
        return bool(fresh)


class Duel:
    """``ann`` and a rival; she calls, unless a strategy answers for her."""

    def __init__(self, *bots: str, rival: str = "fair", hands: int = 10, **settings: Any) -> None:
        self.house: House = settings.pop("house", None) or House(guests=True, grace=1000.0)
        self.ann = come(self.house, settings.pop("player", "ann"), identity=settings.pop("identity", ""))
        seed, given = settings.pop("seed", SEED), settings.pop("given", None)
        name = self.name = settings.pop("table", "table-1")
        bots = bots or ("call", "random")
        make_recorder = settings.pop("make_recorder", None)
        seats = len(bots) + 1
        config = TableConfig(
            STAKES, seats, PATIENT, mode="challenge", bots=bots, rival=rival, hands=hands, **settings
        )
        self.bots = [Served.servant(self.house, bot, number) for number, bot in enumerate(bots, 1)]
        self.rival = Served.servant(self.house, rival, seats)
        self.seat = seats - 1
        self.table = ChallengeTable(
            self.house,
            config,
            name,
            owner=self.ann.connection.player,
            send_rival=lambda table: table.start_rival(self.rival.player),
            seed=seed,
            given=given,
            make_recorder=make_recorder,
        )
        self.house.open_tables[name] = self.table
        for bot in self.bots:
            self.table.join(bot.player, -1)
        self.played: Served | None = None

    def sit(self, strategy: str = "") -> None:
        """Ann sits down, and a strategy may answer for her."""
        self.ann.say("join", table=self.name)
        if strategy:
            self.played = Served(self.house, strategy, self.ann)
        else:
            self.ann.say("ready", table=self.name)
        self.settle()

    @property
    def served(self) -> list[Served]:
        return [*self.bots, self.rival, *([self.played] if self.played else [])]

    def settle(self) -> None:
        """Let the bots answer until they have nothing more to say."""
        while sum(bot.pump() for bot in self.served):
            pass

    def step(self, action: str = "call") -> None:
        """Ann's answer if she is asked; else time goes on."""
        table = self.table.table
        if table.turn_seat == self.seat and self.played is None and self.ann.connection.open:
            self.ann.say("act", table=self.name, turn=table.turn, action=action)
        elif table.deadline is not None:
            self.table.tick(table.deadline)
        self.settle()

    def play(self, hands: int | None = None, action: str = "call") -> None:
        """Until so many hands are over, or all and the table is closed."""
        for _ in range(20_000):
            if self.table.hands == hands or self.name not in self.house.open_tables:
                return
            self.step(action)
        raise AssertionError("this never comes")

    def told(self, kind: str) -> list[Message]:
        """What Ann was told of that kind."""
        self.ann.news()
        return [message for message in self.ann.heard if message["type"] == kind]
