"""Which sessions run at once: those with the same deals do not, for bots that could remember."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from dealer.match import Division, Session, plan_sessions
from server.commands.compete import _repeat_warnings
from server.competition.file import parse_competition
from server.competition.session_queue import SessionQueue
from tests.support.competitions.arena import bot, competition, division


async def played(sessions: tuple[Session, ...], remember: set[str], workers: int, seed: int) -> int:
    """Play them for drawn times. Returns how many ran at once at most; checks that none did that must not."""
    draw = random.Random(seed)
    queue = SessionQueue(sessions, remember)
    running: list[Session] = []
    done: list[Session] = []
    most = 0

    async def work() -> None:
        nonlocal most
        while (session := await queue.acquire()) is not None:
            for other in running:
                shared = set(other.players) & set(session.players) & remember
                assert not (shared and other.match == session.match), (other, session)
            running.append(session)
            most = max(most, len(running))
            for _ in range(draw.randrange(20)):
                await asyncio.sleep(0)
            running.remove(session)
            queue.release(session)
            done.append(session)

    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work())
    assert sorted(done, key=lambda one: one.name) == sorted(sessions, key=lambda one: one.name)
    assert not len(queue)
    return most


@pytest.mark.parametrize("seed", range(10))
async def test_the_same_deals_are_never_played_at_once(seed: int) -> None:
    sessions = plan_sessions(Division("d", ("a", "b", "c", "d"), 2, 5, 10))
    assert await played(sessions, {"a", "b", "c", "d"}, 8, seed) == 8
    assert await played(sessions, {"a"}, 8, seed) == 8


async def test_with_one_match_two_bots_play_one_session_after_the_other() -> None:
    sessions = plan_sessions(Division("d", ("a", "b"), 2, 1, 10))
    assert await played(sessions, {"a"}, 4, 0) == 1
    assert await played(sessions, set(), 4, 0) == 2


async def test_a_session_waits_until_the_other_is_over() -> None:
    first, second = plan_sessions(Division("d", ("a", "b"), 2, 1, 10))
    queue = SessionQueue([first, second], {"b"})
    assert await queue.acquire() is first
    waiting = asyncio.create_task(queue.acquire())
    await asyncio.sleep(0)
    assert not waiting.done()
    queue.release(first)
    assert await waiting is second
    assert await queue.acquire() is None


@pytest.mark.parametrize(
    ("matches", "fields", "told"),
    [
        (1, {}, "in the very next session"),
        (4, {}, "after 4 sessions"),
        (16, {}, ""),
        (40, {"interleave": 30}, ""),
        (4, {"interleave": 0}, ""),
    ],
)
def test_a_competition_that_cannot_part_its_deals_is_told(
    matches: int, fields: dict[str, Any], told: str
) -> None:
    far = bot("far", token="the token of far")
    planned = parse_competition(competition([far, bot("call")], [division(matches=matches)], **fields))
    lines = _repeat_warnings(planned)
    assert [told in line for line in lines] == [True] * bool(told)
    assert _repeat_warnings(parse_competition(competition([bot("call"), bot("fair")], [division()]))) == []


@pytest.mark.parametrize(
    ("entry", "remembers"),
    [
        (bot("one", token="the token of one"), True),
        (bot("one", token_hash="0" * 64), True),
        (bot("one", command=["one"], reset="message"), True),
        (bot("one", command=["one"]), False),
        (bot("one", run="call", reset="message"), False),
    ],
)
def test_who_could_remember(entry: dict[str, object], remembers: bool) -> None:
    planned = parse_competition(competition([entry, bot("call")], [division(matches=3)]))
    assert planned.remembering_bots == ({"one"} if remembers else frozenset())
    assert (planned.play_order == planned.sessions) == (not remembers)
    assert sorted(planned.play_order, key=lambda one: one.name) == sorted(
        planned.sessions, key=lambda one: one.name
    )
