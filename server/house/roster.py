"""The players whom a server knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from secrets import token_urlsafe

from server.auth.confusables import keys
from server.tables.player import Player

__all__ = ["Roster"]


class Roster(Mapping[str, Player]):
    """Players by name, and by all that proves who they are.

    Read freely: ``named`` (by what their names are known by, whatever their case), ``tokens`` (by the hash of
    their token), ``resumes`` (by the digest of the resume secret), ``identities`` (by that of their cookie).
    """

    def __init__(self) -> None:
        self._players: dict[str, Player] = {}
        self.named: dict[str, Player] = {}
        self.tokens: dict[str, Player] = {}
        self.resumes: dict[str, Player] = {}
        self.identities: dict[str, Player] = {}

    def __getitem__(self, name: str) -> Player:
        return self._players[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._players)

    def __len__(self) -> int:
        return len(self._players)

    def add(self, player: Player) -> Player:
        """Know a player: by token or identity if it has one, by resume secret in any case."""
        self._players[player.name] = player
        self.named |= dict.fromkeys(keys(player.name), player)
        self.resumes[player.resume_digest] = player
        if player.identity:
            self.identities[player.identity] = player
        if player.token_hash:
            self.tokens[player.token_hash] = player
        return player

    def remove(self, player: Player) -> None:
        """Know a player no more."""
        self.free_name(player)
        self.resumes.pop(player.resume_digest, None)
        self.tokens.pop(player.token_hash, None)
        self.identities.pop(player.identity, None)

    def free_name(self, player: Player) -> None:
        """His name is free again."""
        if self._players.get(player.name) is player:
            del self._players[player.name]
        for key in keys(player.name):
            if self.named.get(key) is player:
                del self.named[key]

    def renew(self, player: Player) -> None:
        """Give a player another resume secret; the one before is good for nothing any more."""
        self.resumes.pop(player.resume_digest, None)
        player.resume = token_urlsafe(24)
        self.resumes[player.resume_digest] = player
