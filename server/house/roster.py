"""The players known to a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from secrets import token_urlsafe

from server.auth.confusables import name_keys
from server.tables.player import Player


class Roster(Mapping[str, Player]):
    """Players by name and by their proofs of identity.

    Read freely: ``by_key`` (keys of names, in any case), ``by_token`` (hash of the token), ``by_resume``
    (digest of the resume secret), ``by_identity`` (identity in the cookie).
    """

    def __init__(self) -> None:
        self._players: dict[str, Player] = {}
        self.by_key: dict[str, Player] = {}
        self.by_token: dict[str, Player] = {}
        self.by_resume: dict[str, Player] = {}
        self.by_identity: dict[str, Player] = {}

    def __getitem__(self, name: str) -> Player:
        return self._players[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._players)

    def __len__(self) -> int:
        return len(self._players)

    def add(self, player: Player) -> Player:
        """Add a player under his token or identity, if any, and his resume secret."""
        self._players[player.name] = player
        self.by_key |= dict.fromkeys(name_keys(player.name), player)
        self.by_resume[player.resume_digest] = player
        if player.identity:
            self.by_identity[player.identity] = player
        if player.token_hash:
            self.by_token[player.token_hash] = player
        return player

    def remove(self, player: Player) -> None:
        """Remove a player."""
        self.release_name(player)
        self.by_resume.pop(player.resume_digest, None)
        self.by_token.pop(player.token_hash, None)
        self.by_identity.pop(player.identity, None)

    def release_name(self, player: Player) -> None:
        """Free a player's name."""
        if self._players.get(player.name) is player:
            del self._players[player.name]
        for key in name_keys(player.name):
            if self.by_key.get(key) is player:
                del self.by_key[key]

    def renew_resume(self, player: Player) -> None:
        """Give a player a new resume secret; the old one is invalid from now on."""
        self.by_resume.pop(player.resume_digest, None)
        player.resume = token_urlsafe(24)
        self.by_resume[player.resume_digest] = player
