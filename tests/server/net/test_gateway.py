"""All ways in over real sockets: the same promises whichever listens."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from protocol.codec import CODECS, JSON, MAX_FRAME, MSGPACK, Codec
from protocol.errors import CODES
from server.house.house import House
from server.net import handshake
from server.net.connection import CLOSE_TOO_BIG, Connection
from server.tables.player import Player
from tests.protocol.generate import any_frames
from tests.support.houses.open_house import until
from tests.support.houses.people import (
    PATIENCE,
    Entrance,
    Remote,
    at_table,
    each_library,
    listening,
    opened,
    packed,
    unpacked,
)
from tests.support.houses.raw_websocket import (
    BINARY,
    CLOSE,
    CONTINUED,
    PING,
    PONG,
    TEXT,
    buffers,
    deaf,
    entrance,
    raw,
)

each_codec = pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.subprotocol)


async def serves(port: int) -> None:
    """A newcomer is let in and answered."""
    async with connect(f"ws://127.0.0.1:{port}/ws", subprotocols=[Subprotocol(JSON.subprotocol)]) as socket:
        await socket.send(json.dumps({"type": "ready", "table": "none"}))
        async with asyncio.timeout(PATIENCE):
            [error] = unpacked(JSON, await socket.recv())
        assert error["code"] == "hello_first"


@each_library
class TestHandshake:
    @pytest.mark.parametrize(
        ("offered", "chosen"),
        [
            ([JSON], JSON),
            ([MSGPACK], MSGPACK),
            ([JSON, MSGPACK], JSON),
            ([MSGPACK, JSON], MSGPACK),
            (["x", MSGPACK], MSGPACK),
        ],
    )
    async def test_the_first_subprotocol_that_is_known_is_chosen(
        self, library: Entrance, offered: list[Codec | str], chosen: Codec
    ) -> None:
        names = [Subprotocol(one if isinstance(one, str) else one.subprotocol) for one in offered]
        async with (
            entrance(library) as (_, port),
            connect(f"ws://127.0.0.1:{port}/ws", subprotocols=names) as socket,
        ):
            assert socket.subprotocol == chosen.subprotocol
            await socket.send(packed(chosen, {"type": "hello", "name": "me"}), text=chosen.text)
            frame = await socket.recv()
            assert isinstance(frame, str) == chosen.text
            assert unpacked(chosen, frame)[0]["type"] == "welcome"

    async def test_without_a_subprotocol_it_is_json(self, library: Entrance) -> None:
        async with entrance(library) as (_, port), connect(f"ws://127.0.0.1:{port}/ws?and=query") as socket:
            assert socket.subprotocol is None
            await socket.send('{"type": "hello", "name": "me"}')
            assert json.loads(await socket.recv())["type"] == "welcome"

    async def test_an_unknown_subprotocol_is_refused(self, library: Entrance) -> None:
        async with entrance(library) as (_, port):
            with pytest.raises(InvalidStatus) as refusal:
                async with connect(f"ws://127.0.0.1:{port}/ws", subprotocols=[Subprotocol("chat")]):
                    pass
            assert refusal.value.response.status_code == 400
            assert b"pokerd.v1.json" in (refusal.value.response.body or b"")
            await serves(port)

    async def test_compression_is_not_used(self, library: Entrance) -> None:
        async with entrance(library) as (_, port), connect(f"ws://127.0.0.1:{port}/ws") as socket:
            assert socket.protocol.extensions == []
            await socket.send('{"type": "hello", "name": "me"}')
            await socket.recv()

    @pytest.mark.parametrize(
        "noise",
        [
            b"",
            b"\x00" * 100,
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
            b"GET / HTTP/1.0\r\n\r\n",
            b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5_000 + b"\r\n",
            b"GET /" + b"a" * 100_000,
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
            b"\xff" * 70_000,
        ],
        ids=lambda noise: repr(noise[:30]),
    )
    async def test_noise_instead_of_a_handshake(self, library: Entrance, noise: bytes) -> None:
        async with entrance(library) as (house, port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(noise)
            writer.write_eof()
            async with asyncio.timeout(PATIENCE):
                try:
                    answer = await reader.read()
                except ConnectionError:
                    answer = b""
            assert b" 101 " not in answer
            writer.transport.abort()
            assert not house.connections
            await serves(port)


@each_library
@each_codec
class TestFrames:
    async def test_fragments_are_put_together(self, library: Entrance, codec: Codec) -> None:
        hello = packed(codec, {"type": "hello", "name": "me"})
        kind = TEXT if codec.text else BINARY
        async with entrance(library) as (_, port), raw(port, codec) as wire:
            wire.put(kind, fin=False)
            for at in range(0, len(hello), 5):
                wire.put(CONTINUED, hello[at : at + 5], fin=False)
                wire.put(CONTINUED, b"", fin=False)
                wire.put(PING, b"still there?")
                assert await wire.get() == (PONG, b"still there?")
            wire.put(CONTINUED)
            opcode, payload = await wire.get()
            assert opcode == kind
            assert unpacked(codec, payload)[0]["type"] == "welcome"
            # The next frame begins afresh.
            wire.put(kind, hello)
            _, payload = await wire.get()
            assert unpacked(codec, payload)[0]["code"] == "hello_again"

    async def test_very_many_empty_fragments_cost_little(self, library: Entrance, codec: Codec) -> None:
        async with entrance(library) as (_, port), raw(port, codec) as wire:
            wire.put(TEXT if codec.text else BINARY, fin=False)
            empty = bytes([CONTINUED, 0x80, 0, 0, 0, 0])
            begun = os.times()
            for _ in range(100):
                wire.writer.write(empty * 1000)
                await wire.writer.drain()
            wire.put(PING, b"done?")
            while True:
                opcode, _ = await wire.get()
                if opcode in (PONG, -1):
                    break
            assert os.times().user - begun.user < 4.0
            await serves(port)

    async def test_the_wrong_kind_of_frame_is_refused_and_forgotten(
        self, library: Entrance, codec: Codec
    ) -> None:
        hello = packed(codec, {"type": "hello", "name": "me"})
        kind = TEXT if codec.text else BINARY
        async with entrance(library) as (_, port), raw(port, codec) as wire:
            wire.put(BINARY if codec.text else TEXT, b"{}")
            _, payload = await wire.get()
            assert unpacked(codec, payload)[0]["code"] == "wrong_frame_kind"
            wire.put(kind, hello)
            _, payload = await wire.get()
            assert unpacked(codec, payload)[0]["type"] == "welcome"

    @pytest.mark.parametrize("size", [MAX_FRAME + 1, MAX_FRAME + 2000, 500_000])
    async def test_a_frame_too_big(self, library: Entrance, codec: Codec, size: int) -> None:
        async with entrance(library) as (_, port), raw(port, codec) as wire:
            wire.put(TEXT if codec.text else BINARY, b" " * size)
            assert await wire.close_code() == CLOSE_TOO_BIG
            await serves(port)

    async def test_a_frame_as_big_as_allowed(self, library: Entrance, codec: Codec) -> None:
        frame = packed(codec, {"type": "hello", "name": "me", "later": "." * 60_000})
        async with entrance(library) as (_, port), raw(port, codec) as wire:
            wire.put(TEXT if codec.text else BINARY, frame)
            _, payload = await wire.get()
            assert unpacked(codec, payload)[0]["type"] == "welcome"

    async def test_fragments_that_grow_too_big(self, library: Entrance, codec: Codec) -> None:
        async with entrance(library) as (_, port), raw(port, codec) as wire:
            wire.put(TEXT if codec.text else BINARY, b" " * 30_000, fin=False)
            wire.put(CONTINUED, b" " * 30_000, fin=False)
            wire.put(CONTINUED, b" " * 30_000, fin=False)
            assert await wire.close_code() == CLOSE_TOO_BIG
            await serves(port)

    async def test_bad_utf8(self, library: Entrance, codec: Codec) -> None:
        async with entrance(library) as (_, port), raw(port, codec) as wire:
            wire.put(TEXT, b'{"type":"hello","name":"\xff\xfe"}')
            opcode, payload = await wire.get()
            expected = "malformed_frame" if codec.text else "wrong_frame_kind"
            assert unpacked(codec, payload)[0]["code"] == expected
            assert opcode != CLOSE
            await serves(port)

    @pytest.mark.parametrize(
        ("opcode", "how"),
        [
            (3, {}),
            (15, {}),
            (TEXT, {"rsv": 7}),
            (TEXT, {"masked": False}),
            (PING, {"fin": False}),
            (CONTINUED, {}),
        ],
        ids=str,
    )
    async def test_what_the_websocket_protocol_forbids(
        self, library: Entrance, codec: Codec, opcode: int, how: dict[str, Any]
    ) -> None:
        """The connection is closed, or the frame refused; either way nobody else notices."""
        async with entrance(library) as (house, port), raw(port, codec) as wire:
            wire.put(opcode, b"{}", **how)
            wire.put(CLOSE, struct.pack(">H", 1000))
            while True:
                opcode, payload = await wire.get()
                if opcode in (CLOSE, -1):
                    break
                assert unpacked(codec, payload)[0]["code"] in CODES
            await serves(port)
            assert len(house.connections) <= 1

    async def test_a_length_beyond_all_bounds(self, library: Entrance, codec: Codec) -> None:
        async with entrance(library) as (_, port), raw(port, codec) as wire:
            wire.writer.write(bytes([0x82, 0xFF]) + struct.pack(">Q", 2**62) + bytes(4) + b"x" * 1000)
            assert await wire.close_code() in (-1, 1002, CLOSE_TOO_BIG)
            await serves(port)

    async def test_random_bytes_after_the_handshake(self, library: Entrance, codec: Codec) -> None:
        source = random.Random(7)
        async with entrance(library) as (_, port):
            for _ in range(20):
                async with raw(port, codec) as wire:
                    wire.writer.write(source.randbytes(source.choice([1, 10, 200, 5000])))
                    wire.writer.write_eof()
                    await wire.close_code()
            await serves(port)

    async def test_the_closing_handshake(self, library: Entrance, codec: Codec) -> None:
        url_codec = Subprotocol(codec.subprotocol)
        async with entrance(library) as (house, port):
            async with connect(f"ws://127.0.0.1:{port}/ws", subprotocols=[url_codec]) as socket:
                await socket.send(packed(codec, {"type": "hello", "name": "me"}), text=codec.text)
                await socket.recv()
                assert len(house.connections) == 1
                await socket.close(1000)
                assert socket.close_code == 1000
            await serves(port)
            assert "me" not in house.players

    async def test_any_frames(self, library: Entrance, codec: Codec) -> None:
        """A sample of what ``test_border`` throws in memory, through the socket."""
        async with entrance(library, grace=1000.0) as (_, port):
            frames: list[bytes] = []

            @settings(max_examples=60, suppress_health_check=list(HealthCheck))
            @given(any_frames(codec))
            def collect(frame: bytes) -> None:
                frames.append(frame)

            collect()
            async with raw(port, codec) as wire:
                for number, frame in enumerate(frames):
                    wire.put(TEXT if codec.text else BINARY, frame)
                    wire.put(PING, b"%d" % number)
                    while True:
                        opcode, payload = await wire.get()
                        if opcode == PONG:
                            assert payload == b"%d" % number
                            break
                        if opcode in (CLOSE, -1):
                            break
                        for message in unpacked(codec, payload):
                            assert message["type"] != "error" or message["code"] in CODES
                    if opcode != PONG:
                        break
            await serves(port)


@each_library
class TestEnds:
    async def test_closing_the_house_tells_everybody(self, library: Entrance) -> None:
        async with (
            listening(library, guests=True) as (house, come),
            come(JSON) as remote,
            come(MSGPACK) as stranger,
        ):
            await remote.say("hello", name="me")
            await remote.hear("welcome")
            house.close()
            error = await remote.hear("error")
            assert (error["code"], error["fatal"]) == ("shutting_down", True)
            assert (await stranger.hear("error"))["code"] == "shutting_down"
            with pytest.raises(ConnectionClosed) as closed:
                await remote.socket.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1001

    async def test_last_words_are_heard_by_one_who_is_still_talking(self, library: Entrance) -> None:
        """A socket closed with something unread in it is reset, and what was sent before is lost."""
        house = House(guests=True)
        way_in = await opened(house, library)
        async with raw(way_in.port) as wire:
            wire.put(TEXT, b'{"type":"hello","name":"chatterbox"}')
            await wire.get()
            for _ in range(500):
                wire.put(TEXT, b'{"type":"back","table":"none"}')
            house.close()
            heard = b""
            while True:
                opcode, payload = await wire.get()
                if opcode != TEXT:
                    break
                heard += payload
            assert b'"shutting_down"' in heard
            assert (opcode, payload[:2]) == (CLOSE, struct.pack(">H", 1001))
            wire.put(CLOSE, payload[:2])
            assert await wire.get() == (-1, b"")
            async with asyncio.timeout(PATIENCE):
                await way_in.close()

    async def test_a_reader_that_is_too_slow_is_cut_off_and_keeps_its_seat(
        self, library: Entrance, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("server.net.backlog.MAX_UNSENT", 50_000)
        async with entrance(library) as (house, port):
            slow, quick = Player("slow", "s"), Player("quick", "q")
            actor = at_table(house, [slow, quick], hands=10**6)
            async with deaf(port) as wire:
                for message in (
                    {"type": "hello", "name": "slow", "token": "s"},
                    {"type": "ready", "table": "m"},
                ):
                    wire.put(TEXT, json.dumps(message).encode())
                async with listening_to(port) as remote:
                    await remote.say("hello", name="quick", token="q")
                    await remote.say("ready", table="m")
                    await remote.hear("hand_start")
                    # Hands go by without the one who does not read, and what he should read piles up: here
                    # and not in the system's buffers, which hold megabytes.
                    assert slow.connection is not None
                    buffers(slow.connection).setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
                    actor.give_up_seat(0)
                    while actor.seats[0].incidents["disconnect"] == 0:
                        turn = await remote.hear("turn")
                        await remote.say("act", table="m", turn=turn["turn"], action="call")
                    assert actor.seats[0].incidents["disconnect"] == 1
                    assert slow.seats
                    hands = actor.hands
                    await remote.play(hands=3)
                    assert actor.hands >= hands + 2
                    assert not actor.seats[1].incidents

    async def test_the_house_closes_although_somebody_does_not_read(
        self, library: Entrance, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(handshake, "CLOSE_TIMEOUT", 0.3)
        house = House(guests=True)
        way_in = await opened(house, library)
        async with deaf(way_in.port) as wire:
            wire.put(TEXT, json.dumps({"type": "hello", "name": "deaf"}).encode())
            while "deaf" not in house.players:
                await wire.get()
            connection = house.players["deaf"].connection
            assert connection is not None
            while connection.wire.unsent_bytes() < 100_000:
                connection.wire.send(b'"' + b"x" * 50_000 + b'"')
            async with asyncio.timeout(PATIENCE):
                await way_in.close()
        assert not house.connections


@asynccontextmanager
async def listening_to(port: int) -> AsyncIterator[Remote]:
    name = Subprotocol(JSON.subprotocol)
    async with connect(f"ws://127.0.0.1:{port}/ws", subprotocols=[name], compression=None) as socket:
        yield Remote(socket, JSON)


@each_library
async def test_whoever_has_left_is_forgotten_without_a_search(
    library: Entrance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that came with a connection waits for the garbage collector: it would be 20 KiB for each."""

    def late(house: House, delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(100 * delay, callback)

    # Of the house: a compiled module keeps to its own HELLO_TIMEOUT.
    monkeypatch.setattr(House, "call_later", late)
    gc.collect()
    gc.disable()
    try:
        async with entrance(library) as (house, port):
            for _ in range(5):
                async with connect(f"ws://127.0.0.1:{port}/ws") as socket:
                    await socket.send('{"type": "hello", "name": "me"}')
                    assert json.loads(await socket.recv())["type"] == "welcome"
                async with raw(port) as rude:
                    rude.put(TEXT, b"{}")
                    await rude.get()
                async with raw(port) as silent:
                    silent.put(TEXT, b"{" * 60_000, fin=False)
            await until(lambda: not house.connections)
            await until(lambda: not any(type(thing) is Connection for thing in gc.get_objects()))
    finally:
        gc.enable()
