"""A fleet in a new database."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.postgres import Postgres
from tests.system.server.fleet.ledger import HOLD, TEXT, Fleet


@pytest.fixture
async def fleet(postgres: Postgres) -> AsyncIterator[Fleet]:
    fleet = Fleet(postgres.migrated())
    await fleet.database.open()
    await fleet.queue.open()
    await fleet.ledger.claim_competition(HOLD, fleet.competition, TEXT, [])
    assert await fleet.ledger.enqueue("key", 2) == 2
    yield fleet
    await fleet.database.close()
