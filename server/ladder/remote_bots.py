"""The remote bots of a ladder: one for every author of the roster, connected or not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from server.competition.persistent_bot import PersistentBot
from server.competition.schema import BotEntry
from server.house.house import House
from server.ladder.store import LadderStore

#: Seconds between two looks at the roster, to which a command beside may add.
_INTERVAL: Final = 5.0


class RemoteBots:
    """Who may connect to ``house`` with an author's token. ``on_hello`` hears whose bot has connected."""

    def __init__(self, house: House, store: LadderStore, key: bytes, on_hello: Callable[[str], None]) -> None:
        self._house = house
        self._store = store
        self._key = key
        self._on_hello = on_hello
        self._bots: dict[str, PersistentBot] = {}
        self.follow_roster()

    def bot(self, author: str) -> PersistentBot:
        """Return an author's bot."""
        return self._bots[author]

    def is_away(self, name: str) -> bool:
        """Return whether a version is a remote one that is not connected, or was replaced by a pushed one."""
        version = self._store.version(name)
        if version.kind != "remote":
            return False
        remote = self._bots.get(version.bot)
        return not version.plays or remote is None or remote.player.connection is None

    def follow_roster(self) -> None:
        """Admit authors who are new, or have new tokens: a bot with an old one is disconnected."""
        for author in self._store.authors():
            known = self._bots.get(author.name)
            if known is not None and known.entry.token_hash == author.hash:
                continue
            if known is not None:
                self._house.remove_player(known.player)
            entry = BotEntry(name=author.name, token_hash=author.hash)
            bot = PersistentBot(entry, self._key, on_hello=lambda bot: self._on_hello(bot.entry.name))
            self._bots[author.name] = bot
            self._house.players.add(bot.player)

    async def keep_following(self) -> None:
        """Follow the roster while the ladder runs: a command beside may add to it."""
        while True:
            await asyncio.sleep(_INTERVAL)
            if self._store.others_wrote():
                self.follow_roster()
