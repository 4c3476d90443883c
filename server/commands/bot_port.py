"""A house whose port is open for the bots of matches: what ``ladder`` and ``sprt`` have in common."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import NamedTuple

from server.auth.policy import members_only_policy
from server.commands.runtime import ServerOptions, address_of
from server.errors import known_error
from server.house.house import House
from server.net import gateway
from server.net.gateway import Gateway
from server.net.listener import ConnectionLimiter
from server.storage.competition_state import OpenStates


class BotPort(NamedTuple):
    """A house for the matches of bots, whose port is open; bots started here connect to ``url``."""

    house: House
    open_states: OpenStates
    gateway: Gateway
    url: str


@contextlib.asynccontextmanager
async def open_bot_port(
    server: ServerOptions, grace: float, limiter: ConnectionLimiter
) -> AsyncIterator[BotPort]:
    """Open a house and its port for bots; ``grace`` as in ``House``. Of several errors the first that has a
    code is raised. Raises ``ListenError``.
    """
    open_states = OpenStates()
    admission = members_only_policy(server.capacity, server.exposure)
    house = House(grace=grace, admission=admission, storage=open_states)
    port = await gateway.serve(house, server.host, server.port, server.tls, limiter)
    url = port.internal_url or address_of(server.host, port.port, secure=port.secure)
    try:
        yield BotPort(house, open_states, port, url)
    except ExceptionGroup as group:
        raise known_error(group) or group from None
    finally:
        await port.close()
