"""A websocket using ``picows``, which is written in C."""

from __future__ import annotations

import ssl

import picows
from picows import WSCloseCode, WSFrame, WSListener, WSMsgType, WSTransport

from pokerd_bot.net.channel import MAX_INBOUND, ConnectError, OnFrame, set_keep_alive
from protocol.codec import Codec


class PicowsChannel(WSListener):
    """Implements ``pokerd_bot.net.channel.Channel``."""

    def __init__(self, codec: Codec, on_frame: OnFrame) -> None:
        self._kind = WSMsgType.TEXT if codec.text else WSMsgType.BINARY
        self._on_frame = on_frame
        self._parts: list[bytes] = []
        self.close_code = 1006

    def send(self, frame: bytes) -> None:
        self._transport.send(self._kind, frame)

    def close(self) -> None:
        self._transport.send_close(WSCloseCode.OK)
        self._transport.disconnect()

    async def wait_closed(self) -> None:
        await self._transport.wait_disconnected()

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._transport = transport
        set_keep_alive(transport.underlying_transport.get_extra_info("socket"))

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        kind = frame.msg_type
        if kind == WSMsgType.CLOSE:
            self.close_code = frame.get_close_code().value
            transport.send_close(WSCloseCode.OK)
            transport.disconnect()
        elif kind == self._kind and frame.fin:
            self._on_frame(frame.get_payload_as_bytes(), self.send)
        elif kind in (WSMsgType.TEXT, WSMsgType.BINARY, WSMsgType.CONTINUATION):
            self._parts.append(frame.get_payload_as_bytes())
            if frame.fin:
                whole, self._parts = b"".join(self._parts), []
                self._on_frame(whole, self.send)


async def open_channel(
    url: str, codec: Codec, on_frame: OnFrame, secure: ssl.SSLContext | None
) -> PicowsChannel:
    """Connect, with TLS if ``secure`` is given. Raises ``ConnectError``."""
    channel = PicowsChannel(codec, on_frame)
    try:
        _, listener = await picows.ws_connect(
            lambda: channel,
            url,
            ssl_context=secure,
            max_frame_size=MAX_INBOUND,
            extra_headers={"Sec-WebSocket-Protocol": codec.subprotocol},
        )
    except (TimeoutError, OSError, picows.WSError, ValueError) as error:
        raise ConnectError(f"cannot connect to {url}: {error}") from error
    if listener is None:  # picows: the connection broke during the handshake
        raise ConnectError(f"cannot connect to {url}: the connection was closed")
    return channel
