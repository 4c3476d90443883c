"""Spectators get every message once and in order, soon, and no more frames than they should."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable

import pytest

from protocol.codec import JSON, MAX_MESSAGES
from protocol.people import Heartbeat
from server.house.house import House
from server.net.gallery import BURST, INTERVAL, SLICE, Gallery
from tests.support.houses.people import Memory, unpacked


def part(number: int) -> bytes:
    return json.dumps({"type": "x", "number": number}).encode()


def heard(client: Memory) -> list[int]:
    """The numbers of all messages that a client was sent."""
    frames = [json.loads(frame) for frame in client.frames]
    messages = [one for frame in frames for one in (frame if isinstance(frame, list) else [frame])]
    return [message.get("number", -1) for message in messages]


class Watched:
    """A gallery with so many spectators, and a clock that the test sets."""

    def __init__(self, count: int) -> None:
        self.house = House(guests=True)
        self.flusher = self.house.flusher
        self.now = 100.0
        self.flusher.time = lambda: self.now
        self.gallery = Gallery(JSON, self.flusher)
        self.clients = [Memory(self.house) for _ in range(count)]
        for client in self.clients:
            self.gallery.add(client.connection)

    def send(self, *numbers: int) -> None:
        self.gallery.send_encoded([part(number) for number in numbers], urgent=False)


async def rounds(count: int) -> None:
    """Let the event loop go round so often."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_one_spectator_gets_a_message_at_once() -> None:
    watched = Watched(1)
    watched.send(1)
    await rounds(3)
    assert heard(watched.clients[0]) == [1]
    watched.house.close()


async def test_everybody_gets_everything_once_and_in_order_and_the_same_bytes() -> None:
    watched = Watched(3 * SLICE + 5)
    watched.send(1, 2)
    watched.send(3)
    await rounds(12)
    assert {tuple(client.frames) for client in watched.clients} == {
        (b"[" + b",".join(map(part, (1, 2, 3))) + b"]",)
    }
    watched.house.close()


async def test_thousands_hold_nobody_up_and_who_comes_late_gets_what_came_meanwhile() -> None:
    watched = Watched(4 * SLICE)
    watched.send(1)
    most = before = 0
    for number in range(2, 8):
        await rounds(1)
        served = sum(len(client.frames) for client in watched.clients)
        most, before = max(most, served - before), served
        watched.send(number)
    assert 0 < most <= 2 * SLICE
    await rounds(20)
    assert all(heard(client) == list(range(1, 8)) for client in watched.clients)
    # Not a frame for each of seven messages.
    assert sum(len(client.frames) for client in watched.clients) < 4 * len(watched.clients)
    watched.house.close()


async def test_at_a_table_of_quick_bots_frames_are_as_rare_as_they_should_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(2)
    waits: list[float] = []
    loop = asyncio.get_running_loop()
    call_later = loop.call_later

    def at_once(delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        waits.append(delay)
        return call_later(0.0, callback)

    monkeypatch.setattr(loop, "call_later", at_once)
    for number in range(2 * BURST):
        watched.send(number)
        await rounds(2)
    assert all(heard(client) == list(range(2 * BURST)) for client in watched.clients)
    assert all(wait == 0.0 for wait in waits[:BURST])
    assert waits[BURST + 1] == pytest.approx(INTERVAL)
    # And after a pause they may be as frequent as before.
    watched.now += 2 * BURST * INTERVAL
    waits.clear()
    watched.send(0)
    assert waits == [0.0]
    watched.house.close()


@pytest.mark.parametrize("seed", range(5))
async def test_who_comes_goes_and_hears_more_than_that_misses_nothing(seed: int) -> None:
    source, watched, number = random.Random(seed), Watched(SLICE + 9), 0
    expected: dict[Memory, list[int]] = {client: [] for client in watched.clients}
    watching = list(watched.clients)
    for _ in range(300):
        match source.randrange(5):
            case 0:
                client = Memory(watched.house)
                watched.gallery.add(client.connection)
                watching.append(client)
                expected[client] = []
            case 1 if len(watching) > 2:
                client = watching.pop(source.randrange(len(watching)))
                watched.gallery.remove(client.connection)
                assert not client.connection.galleries
            case 2:
                client = source.choice(watching)
                client.connection.send(Heartbeat(), urgent=source.random() < 0.5)
                expected[client].append(-1)
            case 3:
                await rounds(source.randrange(3))
            case _:
                number += 1
                watched.send(number)
                for client in watching:
                    expected[client].append(number)
    for client in expected:
        client.connection.flush()
    assert all(heard(client) == told for client, told in expected.items())
    await rounds(30)
    assert all(heard(client) == told for client, told in expected.items())
    assert watched.gallery._parts == []
    watched.house.close()


async def test_a_last_word_comes_after_what_was_said_before() -> None:
    watched = Watched(1)
    (client,) = watched.clients
    watched.send(1, 2)
    client.connection.close_with_error("closing")
    assert heard(client) == [1, 2, -1]
    assert client.closed is not None
    watched.house.close()


@pytest.mark.parametrize("durable", [False, True])
async def test_no_frame_has_more_messages_than_a_client_takes(durable: bool) -> None:
    house = House(guests=True)
    house.flusher.durable = durable
    client = Memory(house)
    client.connection.send_encoded([part(number) for number in range(3000)], urgent=False)
    client.connection.flush()
    assert heard(client) == list(range(3000))
    assert max(len(json.loads(frame)) for frame in client.frames) == MAX_MESSAGES
    # Nor has what a gallery has kept, as after a long wait for the disk.
    watched = Watched(2)
    watched.send(*range(3000))
    await rounds(3)
    for one in watched.clients:
        assert heard(one) == list(range(3000))
        assert max(len(unpacked(JSON, frame)) for frame in one.frames) == MAX_MESSAGES
    watched.house.close()
    # Nor has the last, with the reason of the end.
    client.frames.clear()
    client.connection._outbox += [part(number) for number in range(MAX_MESSAGES)]
    client.connection.close_with_error("banned")
    assert heard(client) == [*range(MAX_MESSAGES), -1]
    assert max(len(unpacked(JSON, frame)) for frame in client.frames) == MAX_MESSAGES
    assert client.closed is not None
