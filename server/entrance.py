"""Who it is that says hello, and who must go: what the rules at the door mean for the players of a house."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.errors import Refused
from protocol.messages import Hello
from server.access import Access, Grant, digest
from server.chat import is_name
from server.connection import Connection
from server.names import keys
from server.player import Player

if TYPE_CHECKING:
    from server.house import House

__all__ = ["expel", "identify", "obey"]


def identify(house: House, connection: Connection, message: Hello) -> Player:
    """The player who says hello. Raises ``Refused``, always fatal: nobody is there to continue with."""
    known = _known(house, message)
    if known is None or not known.ours:
        house.admission.verify_address(connection.address)
    if known is not None:
        return known
    if message.token:
        return _member(house, house.admission.grant(message.token))
    house.admission.verify_guest(message.name)
    return _guest(house, connection, message.name)


def _known(house: House, message: Hello) -> Player | None:
    """Who comes back, or was told a secret by this server. Raises ``Refused``."""
    if message.resume:
        player = house.resumes.get(digest(message.resume))
        if player is None:
            raise Refused("bad_resume", fatal=True)
        player.resume = message.resume
        return player
    if message.token:
        return house.tokens.get(digest(message.token)) or house.ticket(message.token)
    return None


def _guest(house: House, connection: Connection, name: str) -> Player:
    """Somebody without a token, whom we may know by his cookie; or without one by his name and address, if
    his connection was lost: a program that is started again need not wait for itself.
    """
    identity = connection.identity
    known = house.identities.get(identity) if identity else house.players.get(name)
    if not identity and known is not None and not _may_be(known, connection):
        known = None
    if known is not None and (name == known.name or house.tables_of(known)):
        return known
    others = {house.named.get(key) for key in keys(name)} - {None, known}
    if others:
        raise Refused("name_taken", _who_has_it(house, others.pop()), fatal=True)
    if not is_name(name):
        raise Refused("bad_name", fatal=True)
    if known is not None:
        house.unname(known)
        known.name = name
        return house.admit(known)
    _verify_new(house)
    return house.admit(Player(name, guest=True, identity=connection.identity))


def _may_be(player: Player, connection: Connection) -> bool:
    """Whether this is a guest who was lost, and came without a cookie from where the connection comes."""
    stranger = player.guest and player.grant is None and not player.identity
    return stranger and player.connection is None and player.address == connection.address != ""


def _who_has_it(house: House, player: Player | None) -> str:
    """Why a name cannot be had."""
    assert player is not None
    if player.servant:
        return "this name belongs to a house bot"
    if player.connection is not None or player.grace_timer is None:
        return "somebody plays under this name, or one that looks like it"
    wait = max(0.0, player.grace_timer.when() - house.clock())
    return (
        f"the connection of the player of this name was lost, and his seats are held for {wait:.0f} s more: "
        "if it is you, come back with your resume secret, or from the same address"
    )


def _member(house: House, grant: Grant) -> Player:
    """One of the players of a token that was issued: the first that nobody plays. If it has but one, a new
    connection takes over.
    """
    for name in grant.names:
        player = house.named.get(name.lower())
        if player is None:
            _verify_new(house)
            player = house.admit(Player(name, guest=True))
        elif player.grant is None:
            raise Refused("name_taken", fatal=True)
        elif player.connection is not None and len(grant.names) > 1:
            continue
        player.grant = grant
        return player
    raise Refused("too_many_connections", fatal=True)


def _verify_new(house: House) -> None:
    house.admission.verify_new()
    if len(house.players) >= house.max_players:
        raise Refused("server_full", fatal=True)


def obey(house: House, access: Access) -> None:
    """Other tokens and bans hold from now on: who may not stay is sent away."""
    house.admission.access = access
    for player in list(house.players.values()):
        if not player.ours:
            code = house.admission.may_stay(player.name, player.grant)
            if code:
                expel(house, player, code)
    for connection in list(house.connections):
        ours = connection.near if connection.player is None else connection.player.ours
        if not ours and access.banned_from(connection.address):
            connection.end("banned")


def expel(house: House, player: Player, code: str) -> None:
    """Send a player away, who loses his seats."""
    if player.connection is not None:
        player.connection.end(code)
    if player.grace_timer is not None:
        player.grace_timer.cancel()
    house.expire(player)
