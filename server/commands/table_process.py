"""A server process that plays open tables for its parent, ``server.fleet.table_processes``. If the parent
ends, so does the process, at once, and its bots.
"""

from __future__ import annotations

import os
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Final

from server.auth.policy import admission_policy
from server.auth.tokens import load_access, polling_access
from server.bots.offered import HouseBots
from server.bots.processes import ProcessManager
from server.bots.sandbox import Limits, Sandbox
from server.commands.runtime import address_of, how_to_listen, run_for_parent
from server.fleet.process_messages import Link
from server.fleet.table_processes import WorkerSetup, decode_order, decode_worker_setup
from server.house.admin import Administration, wait_first
from server.house.house import House
from server.house.lobby import Lobby
from server.house.remote_tables import Close, Listening
from server.house.restore import recorder_for, stored_tables
from server.house.table_worker import TableWorker
from server.net import gateway
from server.net.listener import limiter_for
from server.storage.hand_store import HandStore
from server.tables.open_table import OpenTable
from server.telemetry.logger import get_logger

log = get_logger("pokerd.fleet")

#: Workers leave the deletion of the oldest hands to the parent, who knows how many there are.
_NO_LIMIT: Final = 2**62


class _SeatFeed:
    """Reports who sits at a table."""

    def __init__(self, workers: list[TableWorker], table: OpenTable) -> None:
        self._workers = workers
        self._table = table

    def update_seats(self, names: object) -> None:
        for worker in self._workers:
            worker.on_seats(self._table)

    def record_hand(self, events: object) -> None:
        """Do nothing: hands are reported from time to time."""


async def _serve(link: Link, setup: WorkerSetup, house_bots: HouseBots) -> None:
    path = Path(setup.archive)
    access = load_access(path.parent)
    capacity, hosts, tls = how_to_listen(setup.listen)
    rules = admission_policy(access, setup.listen.host, "no", capacity, hosts)
    sandbox = Sandbox(map(Path, setup.secret), strictness=setup.sandbox)
    workers: list[TableWorker] = []
    async with AsyncExitStack() as stack:
        archive = HandStore(path, worker=setup.number, max_hands=_NO_LIMIT)
        stack.push_async_callback(archive.close)
        processes = ProcessManager(Path(setup.bot_logs) if setup.bot_logs else None, guarded=True)
        stack.push_async_callback(processes.close)
        lobby = Lobby(
            processes,
            bots=house_bots,
            make_house=partial(House, admission=rules, storage=archive, durable=True),
            make_recorder=partial(recorder_for, archive),
            make_feed=lambda _, table: _SeatFeed(workers, table),
            confinement=sandbox.for_house_bot(Limits()),
        )
        stack.push_async_callback(lobby.close)
        house = lobby.house
        entrance = await gateway.serve(house, setup.listen.host, setup.port, tls, limiter_for(capacity))
        stack.push_async_callback(entrance.close)
        inside = entrance.internal_url or address_of("127.0.0.1", entrance.port)
        lobby.house_bots.on_listening(inside)
        name = setup.listen.names[0] if setup.listen.names else setup.listen.host
        await stack.enter_async_context(polling_access(path.parent, house.apply_access))
        worker = TableWorker(lobby, stored_tables(archive), Administration(house, path.parent), link.send)
        workers.append(worker)
        link.send(Listening(address_of(name, entrance.port, secure=entrance.secure), entrance.port))
        await wait_first(archive.wait_for_failure(), worker.run(), _receive(link, worker))


async def _receive(link: Link, worker: TableWorker) -> None:
    """Execute the parent's orders until it says that this is over."""
    while not isinstance(order := await link.receive(decode_order), Close):
        if order is None:
            # The parent has ended. The guard of the bots stops them.
            os._exit(1)
        worker.execute(order)


def _log_fault(fault: BaseException) -> None:
    log.error("server process failed", exc_info=fault)


def table_process(descriptor: int, house_bots: HouseBots) -> None:
    """Play until the parent says otherwise; ``descriptor`` is one end of a socket pair."""
    run_for_parent(descriptor, decode_worker_setup, partial(_serve, house_bots=house_bots), _log_fault)
