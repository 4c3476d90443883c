"""A competition's last step: the results are written whatever happens, and then a stop is a stop."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any, cast

import pytest

from server.competition.file import parse_competition
from server.competition.progress import CompetitionProgress
from server.competition.runner import stop_if_cancelled, write_results
from server.competition.store import CompetitionStore
from tests.support.competitions.arena import bot, competition, division


class SlowStore:
    """A store that writes for as long as it is told to."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.written = False

    def finish(self, *_: Any) -> None:
        self.begun.set()
        self.written = self.go_on.wait(60)


async def test_a_stop_while_results_are_written_waits_for_them_and_is_not_forgotten() -> None:
    store, went_on = SlowStore(), []
    text = competition([bot("call"), bot("random")], [division("duel", game="kuhn.limit.2p", hands=2)])
    planned = parse_competition(text, Path())

    async def play() -> None:
        await write_results(cast(CompetitionStore, store), planned, CompetitionProgress(planned))
        went_on.append("results")
        stop_if_cancelled()
        went_on.append("next match")

    task = asyncio.create_task(play())
    await asyncio.to_thread(store.begun.wait, 60)
    for _ in range(2):
        task.cancel()
        await asyncio.sleep(0)
    store.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert store.written
    assert went_on == ["results"]
