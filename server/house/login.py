"""Who it is that says hello."""

from __future__ import annotations

from collections.abc import Callable

from protocol.errors import Refused
from protocol.messages import Hello
from server.auth.confusables import keys
from server.auth.policy import Admission
from server.auth.text_rules import is_name
from server.auth.tokens import Grant, digest
from server.house.roster import Roster
from server.net.connection import Connection
from server.tables.player import Player

__all__ = ["Login"]


class Login:
    """The rules at the door, for the players of a server: ``most`` of them. ``clock``: seconds.

    ``ticket`` may be set: it tells whom a token that no player has lets in, if anybody, and is asked once for
    each hello.
    """

    def __init__(self, players: Roster, admission: Admission, most: int, clock: Callable[[], float]) -> None:
        self.players = players
        self.admission = admission
        self.ticket: Callable[[str], Player | None] = lambda token: None
        self._most = most
        self._clock = clock

    def identify(self, connection: Connection, message: Hello) -> Player:
        """The player who says hello. Raises ``Refused``, always fatal: nobody is there to continue with."""
        known = self._known(message)
        if known is None or not known.ours:
            self.admission.verify_address(connection.address)
        if known is not None:
            return known
        if message.token:
            return self._member(self.admission.grant(message.token))
        self.admission.verify_guest(message.name)
        return self._guest(connection, message.name)

    def _known(self, message: Hello) -> Player | None:
        """Who comes back, or was told a secret by this server. Raises ``Refused``."""
        if message.resume:
            player = self.players.resumes.get(digest(message.resume))
            if player is None:
                raise Refused("bad_resume", fatal=True)
            player.resume = message.resume
            return player
        if message.token:
            return self.players.tokens.get(digest(message.token)) or self.ticket(message.token)
        return None

    def _guest(self, connection: Connection, name: str) -> Player:
        """Somebody without a token, whom we may know by his cookie; or without one by his name and address,
        if his connection was lost: a program that is started again need not wait for itself.
        """
        identity = connection.identity
        known = self.players.identities.get(identity) if identity else self.players.get(name)
        if not identity and known is not None and not _may_be(known, connection):
            known = None
        if known is not None and not identity:
            # Others may come from the same address: whoever has the seat now shares no secret with them.
            self.players.renew(known)
        if known is not None and (name == known.name or known.tables()):
            return known
        others = {self.players.named.get(key) for key in keys(name)} - {None, known}
        if others:
            raise Refused("name_taken", self._who_has_it(others.pop()), fatal=True)
        if not is_name(name):
            raise Refused("bad_name", fatal=True)
        if known is not None:
            self.players.free_name(known)
            known.name = name
            return self.players.add(known)
        self._verify_new()
        return self.players.add(Player(name, guest=True, identity=connection.identity))

    def _who_has_it(self, player: Player | None) -> str:
        """Why a name cannot be had."""
        assert player is not None
        if player.servant:
            return "this name belongs to a house bot"
        if player.connection is not None or player.grace_timer is None:
            return "somebody plays under this name, or one that looks like it"
        wait = max(0.0, player.grace_timer.when() - self._clock())
        return (
            f"the connection of the player of this name was lost, and his seats are held for {wait:.0f} s"
            " more: if it is you, come back with your resume secret, or from the same address"
        )

    def _member(self, grant: Grant) -> Player:
        """One of the players of a token that was issued: the first that nobody plays. If it has but one, a
        new connection takes over.
        """
        for name in grant.names:
            player = self.players.named.get(name.lower())
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
        self.admission.verify_new()
        if len(self.players) >= self._most:
            raise Refused("server_full", fatal=True)


def _may_be(player: Player, connection: Connection) -> bool:
    """Whether this is a guest who was lost, and came without a cookie from where the connection comes."""
    alone = player.stranger and not player.identity
    return alone and player.connection is None and player.address == connection.address != ""
