"""What both kinds of websockets have in common: limits of time and size, subprotocols, and the connection
that follows a handshake.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from protocol.codec import CODECS
from server.auth.addresses import client_address, normalize_address
from server.net.acpc_codec import ACPC
from server.net.acpc_connection import AcpcConnection
from server.net.batch_connection import BatchConnection, BinaryWire
from server.net.batch_room import BatchRoom
from server.net.connection import Connection, ConnectionHandler
from server.telemetry import logging_setup as logs

#: Seconds for a handshake.
HANDSHAKE_TIMEOUT: Final = 10.0
#: Maximum bytes of a handshake.
MAX_HANDSHAKE: Final = 16 * 1024
#: Seconds for the peer to read pending data and answer the close frame; an earlier close would reset the
#: socket and lose our last message. Then it is closed in any case: slow readers must neither hold memory nor
#: delay the shutdown.
CLOSE_TIMEOUT: Final = 5.0

#: In order of preference.
SUBPROTOCOLS: Final = (*CODECS, ACPC)
NO_SUBPROTOCOL: Final = "subprotocols spoken here: " + ", ".join(SUBPROTOCOLS) + "\n"


def choose_subprotocol(offered: str, spoken: Sequence[str] = SUBPROTOCOLS) -> str | None:
    """Return the first offered subprotocol that is spoken; JSON for clients that offer none."""
    names = [name.strip() for name in offered.split(",") if name.strip()]
    if not names:
        return "pokerd.v1.json"
    return next((name for name in names if name in spoken), None)


def make_connection(
    house: ConnectionHandler,
    wire: BinaryWire,
    subprotocol: str,
    path: str,
    transport: Any,
    forwarded: Sequence[str],
    *,
    internal: bool = False,
    batches: BatchRoom | None = None,
) -> Connection:
    """Return a connection after its handshake; call ``ConnectionHandler.on_connected`` next. ``forwarded``:
    the values of ``X-Forwarded-For``. ``internal``: it came by the internal port. ``batches``: for a batch.
    """
    if subprotocol == ACPC:
        connection: Connection = AcpcConnection(wire, house, path)
    elif batches is not None:
        connection = BatchConnection(wire, house, batches)
    else:
        connection = Connection(wire, CODECS[subprotocol], house)
    peer, here = map(transport.get_extra_info, ("peername", "sockname"))
    if isinstance(peer, tuple):
        connection.address = client_address(peer[0], forwarded, house.admission.proxies)
        connection.is_local = peer[0] == here[0] and connection.address == normalize_address(peer[0])
    logs.CLIENT_ADDRESS.set(connection.address)
    connection.internal = internal
    return connection
