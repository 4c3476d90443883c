"""A websocket using the sans-I/O core of ``websockets`` in an asyncio protocol; pure Python, portable."""

from __future__ import annotations

import asyncio
import ssl
from typing import Final, cast

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake, InvalidMessage, InvalidURI
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from pokerd_bot.net.channel import MAX_INBOUND, ConnectError, OnFrame, set_keep_alive
from protocol.codec import Codec

#: Seconds for TCP, TLS and handshake together.
CONNECT_TIMEOUT: Final = 10.0


class WebsocketsChannel(asyncio.Protocol):
    """Implements ``pokerd_bot.net.channel.Channel``. ``opened`` completes with the handshake."""

    def __init__(self, protocol: ClientProtocol, codec: Codec, on_frame: OnFrame) -> None:
        self._protocol = protocol
        self._text = codec.text
        self._on_frame = on_frame
        self._parts: list[bytes] = []
        self._closed = asyncio.Event()
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.close_code = 1006

    def send(self, frame: bytes) -> None:
        if self._protocol.state is not State.OPEN:
            return
        if self._text:
            self._protocol.send_text(frame)
        else:
            self._protocol.send_binary(frame)
        self._flush()

    def close(self) -> None:
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(CloseCode.NORMAL_CLOSURE)
            self._flush()
        self._transport.close()

    async def wait_closed(self) -> None:
        await self._closed.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        set_keep_alive(transport.get_extra_info("socket"))
        self._protocol.send_request(self._protocol.connect())
        self._flush()

    def data_received(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        self._read_events()

    def eof_received(self) -> None:
        self._protocol.receive_eof()
        self._read_events()

    def connection_lost(self, error: Exception | None) -> None:
        self._closed.set()
        if not self.opened.done():
            self.opened.set_exception(error or ConnectionResetError("the connection was closed"))

    def _read_events(self) -> None:
        events = self._protocol.events_received()
        self._flush()  # pongs and the reply to a close frame
        for event in events:
            if isinstance(event, Response):
                continue
            assert isinstance(event, Frame)
            if event.opcode is Opcode.CLOSE:
                assert self._protocol.close_rcvd is not None
                self.close_code = self._protocol.close_rcvd.code
            elif event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                self._read_frame(event)
        if not self.opened.done():
            if self._protocol.handshake_exc is not None:
                self.opened.set_exception(self._protocol.handshake_exc)
            elif self._protocol.state is State.OPEN:
                self.opened.set_result(None)
        if self._protocol.close_expected():
            self._transport.close()

    def _read_frame(self, frame: Frame) -> None:
        self._parts.append(bytes(frame.data))
        if frame.fin:
            whole, self._parts = b"".join(self._parts), []
            try:
                self._on_frame(whole, self.send)
            except Exception:  # noqa: BLE001 (the client keeps it, and raises it when the connection is gone)
                self.close()

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._transport.write(data)


async def open_channel(
    url: str, codec: Codec, on_frame: OnFrame, secure: ssl.SSLContext | None
) -> WebsocketsChannel:
    """Connect, with TLS if ``secure`` is given. Raises ``ConnectError``."""
    try:
        uri = parse_uri(url)
        protocol = ClientProtocol(uri, subprotocols=[Subprotocol(codec.subprotocol)], max_size=MAX_INBOUND)
        channel = WebsocketsChannel(protocol, codec, on_frame)
        async with asyncio.timeout(CONNECT_TIMEOUT):
            await asyncio.get_running_loop().create_connection(
                lambda: channel, uri.host, uri.port, ssl=secure, server_hostname=uri.host if secure else None
            )
            await channel.opened
    except (OSError, InvalidURI, InvalidHandshake, InvalidMessage, ValueError) as error:
        raise ConnectError(f"cannot connect to {url}: {error}") from error
    return channel
