"""Authentication of players who send hello."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Final, Protocol

from protocol.errors import Refused
from protocol.messages import Hello
from server.auth.confusables import name_keys
from server.auth.policy import AdmissionPolicy
from server.auth.text_rules import is_valid_name
from server.auth.tokens import Grant, hash_token
from server.bots.offered import HouseBots, is_reserved
from server.house.roster import Roster
from server.net.connection import Connection
from server.tables.player import Player

_BOTS_NAME: Final = "this name belongs to a house bot"


class Tickets(Protocol):
    """Tokens that are valid once, for one seat."""

    def admit(self, ticket: str, now: float) -> Player | None:
        """Return the player admitted by a ticket, if any, and use it up."""


class Authenticator:
    """Authenticates players, at most ``max_players`` at once. ``clock``: seconds. ``tickets`` are asked once
    per hello about tokens that no player has. No guest may have a name of ``house_bots``.
    """

    def __init__(
        self,
        players: Roster,
        admission: AdmissionPolicy,
        max_players: int,
        clock: Callable[[], float],
        tickets: Tickets | None = None,
        house_bots: HouseBots = MappingProxyType({}),
    ) -> None:
        self.players = players
        self.admission = admission
        self._max_players = max_players
        self._clock = clock
        self._tickets = tickets
        self._house_bots = house_bots

    def authenticate(self, connection: Connection, message: Hello) -> Player:
        """Return the player who sends hello. Raises ``Refused``, always fatal: no player could continue."""
        known = self._find_known(message)
        if known is None or not known.issued_by_server:
            self.admission.verify_address(connection.address)
        if known is not None:
            return known
        if message.token:
            return self._admit_member(self.admission.find_grant(message.token))
        self.admission.verify_guest(message.name)
        return self._admit_guest(connection, message.name)

    def _find_known(self, message: Hello) -> Player | None:
        """Return a player who reconnects or got his secret from this server. Raises ``Refused``."""
        if message.resume:
            player = self.players.by_resume.get(hash_token(message.resume))
            if player is None:
                raise Refused("bad_resume", fatal=True)
            player.resume = message.resume
            return player
        if message.token:
            known = self.players.by_token.get(hash_token(message.token))
            if known is None and self._tickets is not None:
                known = self._tickets.admit(message.token, self._clock())
            return known
        return None

    def _admit_guest(self, connection: Connection, name: str) -> Player:
        """Admit a player without a token. He may be known by his cookie or, without one, by name and address
        if his connection was lost: a program that restarts need not wait for itself.
        """
        identity = connection.identity
        known = self.players.by_identity.get(identity) if identity else self.players.get(name)
        if not identity and known is not None and not _is_same_guest(known, connection):
            known = None
        if known is not None and not identity:
            # Others may share the address; who has the seat now shares no secret with them.
            self.players.renew_resume(known)
        # At a table where he sits, others know him by his name.
        if known is not None and (name == known.name or known.seats):
            return known
        others = {self.players.by_key.get(key) for key in name_keys(name)} - {None, known}
        if others:
            raise Refused("name_taken", self._name_taken_reason(others.pop()), fatal=True)
        if is_reserved(name, self._house_bots):
            raise Refused("name_taken", _BOTS_NAME, fatal=True)
        if not is_valid_name(name):
            raise Refused("bad_name", fatal=True)
        if known is not None:
            self.players.release_name(known)
            known.name = name
            return self.players.add(known)
        self._verify_new()
        return self.players.add(Player(name, guest=True, identity=connection.identity))

    def _name_taken_reason(self, player: Player | None) -> str:
        """Return why a name is not available."""
        assert player is not None
        if player.is_house_bot:
            return _BOTS_NAME
        if player.connection is not None or player.grace_timer is None:
            return "somebody plays under this name, or a similar-looking one"
        wait = max(0.0, player.grace_timer.when() - self._clock())
        return (
            f"the connection of the player of this name was lost, and his seats are held for {wait:.0f} s"
            " more: if it is you, come back with your resume secret, or from the same address"
        )

    def _admit_member(self, grant: Grant) -> Player:
        """Return one of the players of an issued token: the first that nobody plays. If there is only one,
        the new connection takes over.
        """
        for name in grant.names:
            player = self.players.by_key.get(name.lower())
            if player is None and is_reserved(name, self._house_bots):
                raise Refused("name_taken", _BOTS_NAME, fatal=True)
            if player is None:
                self._verify_new()
                player = self.players.add(Player(name, guest=True))
            elif player.grant is None:
                raise Refused("name_taken", fatal=True)
            elif player.connection is not None and len(grant.names) > 1:
                continue
            player.grant = grant
            return player
        raise Refused("too_many_connections", fatal=True)

    def _verify_new(self) -> None:
        self.admission.verify_open()
        if len(self.players) >= self._max_players:
            raise Refused("server_full", fatal=True)


def _is_same_guest(player: Player, connection: Connection) -> bool:
    """Return whether this is a guest without a cookie, of the same address, whose connection was lost."""
    alone = player.is_anonymous and not player.identity
    return alone and player.connection is None and player.address == connection.address != ""
