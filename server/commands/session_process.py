"""A server process that plays sessions of a competition for its parent, ``server.fleet.processes``. If the
parent ends, so does the process, at once, and its bots.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from dealer.match import Session
from server.auth.hosts import HostConfig
from server.auth.policy import DEFAULT_CAPACITY, members_only_policy
from server.bots.processes import ProcessManager
from server.bots.sandbox import Sandbox
from server.commands.runtime import address_of, how_to_listen, run_for_parent
from server.competition.runner import play_seated
from server.competition.session_host import SessionHost
from server.competition.store import CompetitionStore
from server.fleet.process_messages import (
    Close,
    Closed,
    Hands,
    Link,
    Played,
    Ready,
    RemoteBots,
    Seated,
    Setup,
    WindDown,
    WoundDown,
    decode_order,
    decode_setup,
)
from server.house.house import House
from server.net import gateway
from server.net.gateway import Gateway
from server.net.listener import limiter_for
from server.telemetry.logger import get_logger

log = get_logger("pokerd.fleet")

#: Seconds between two reports of hands.
_REPORT_INTERVAL: Final = 0.25


class SessionWorker:
    """Plays the series that the parent orders, and reports them over ``link``."""

    def __init__(self, link: Link, host: SessionHost, store: CompetitionStore) -> None:
        self._link = link
        self._host = host
        self._store = store
        self._sessions = {session.name: session for session in host.competition.sessions}

    async def run(self) -> Close:
        """Play until the parent says that this is over, and return how. Raises, in a group,
        ``CompetitionFault`` and ``StateError``.
        """
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(self._store.wait_for_failure(), name="state")
            playing: list[asyncio.Task[None]] = []
            while not isinstance(order := await self._link.receive(decode_order), Close):
                if order is None:
                    # The parent has ended. The guard of the bots stops them.
                    os._exit(1)
                if isinstance(order, WindDown):
                    # Cancelled with the sessions: it would wait for their hands.
                    task = group.create_task(self._wind_down(), name="winding down")
                else:
                    session = self._sessions[order.session]
                    task = group.create_task(self._play(session, order.present), name=session.name)
                playing = [*(one for one in playing if not one.done()), task]
            for task in (watching, *playing):
                task.cancel()
        return order

    def connections(self) -> dict[str, dict[str, int]]:
        """Return the incidents that belong to no session, by bot."""
        return {bot: dict(counts) for bot, counts in self._host.connections().items() if counts}

    async def _play(self, first: Session, present: Collection[str]) -> None:
        await self._host.block_if_winding_down()
        remote = self._host.remote_bots(first)
        async with self._host.seat_bots(first) as seated:
            tokens = {one.name: one.token for one in seated.session_only if one.name in remote}
            if tokens:
                self._link.send(Seated(first.name, tokens))
            outcomes = await play_seated(self._host, self._store, first, seated, remote - {*present})
            if self._store.state.commit():
                self._link.send(Played(first.name, outcomes, self.connections()))

    async def report_hands(self) -> None:
        """Report the hands of sessions in progress, forever."""
        while True:
            hands = {name: actor.hands for name, (_, actor) in self._host.running.items()}
            self._link.send(Hands(hands))
            await asyncio.sleep(_REPORT_INTERVAL)

    async def _wind_down(self) -> None:
        await self._host.wind_down()
        self._link.send(WoundDown())


async def _listen(store: CompetitionStore, grace: float, remote: RemoteBots | None) -> tuple[House, Gateway]:
    """Open the port. Raises ``ListenError`` and ``TlsError``."""
    capacity, hosts, tls = how_to_listen(remote) if remote else (DEFAULT_CAPACITY, HostConfig(), None)
    house = House(grace=grace, admission=members_only_policy(capacity, hosts), storage=store.open_states)
    if remote is None:
        return house, await gateway.serve(house, "127.0.0.1", 0)
    return house, await gateway.serve(house, remote.host, 0, tls, limiter_for(capacity))


async def _serve(link: Link, setup: Setup) -> None:
    out = Path(setup.out)
    async with AsyncExitStack() as stack:
        store = CompetitionStore(out)
        competition = store.join()
        stack.callback(store.close)
        house, entrance = await _listen(store, competition.entry.time.grace_ms / 1000, setup.remote)
        stack.push_async_callback(entrance.close)
        port = entrance.port
        inside = entrance.internal_url or address_of("127.0.0.1", port)
        outside = ""
        if setup.remote is not None:
            name = setup.remote.names[0] if setup.remote.names else setup.remote.host
            outside = address_of(name, port, secure=entrance.secure)
        processes = ProcessManager(out / "logs" / "bots", guarded=True)
        sandbox = Sandbox(map(Path, setup.secret), strictness=setup.sandbox)
        host = SessionHost(competition, house, inside, processes, sandbox)
        worker = SessionWorker(link, host, store)
        reporting = asyncio.create_task(worker.report_hands(), name="report")
        stack.callback(reporting.cancel)
        close = Close(at_once=True)
        try:
            await host.open()
            link.send(Ready(outside))
            close = await worker.run()
        finally:
            await host.close(at_once=close.at_once)
        link.send(Closed(worker.connections()))


def _log_fault(fault: BaseException) -> None:
    log.error("competition failed", exc_info=fault)


def session_process(descriptor: int) -> None:
    """Play until the parent says otherwise; ``descriptor`` is one end of a socket pair."""
    run_for_parent(descriptor, decode_setup, _serve, _log_fault)
