"""Convert between frames and messages: JSON in text frames, MessagePack in binary frames.

A frame carries one message or an array of messages. One bad message makes the whole frame invalid: decoding
then raises ``MalformedFrame``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, get_args

import msgspec

from protocol.base import Count, TableId
from protocol.errors import MalformedFrame
from protocol.messages import ClientMessage, ServerMessage

#: Maximum bytes per client frame. An answer to a turn takes about 60 bytes; the 1 MiB that websockets allows
#: by default would let a bot keep the server busy parsing.
MAX_FRAME: Final = 64 * 1024
#: Maximum messages per client frame.
MAX_MESSAGES: Final = 1024
#: Size in bytes up to which a refused frame is parsed again, to find the turn that stays open.
MAX_REREAD: Final = 16 * 1024

_Inbound = list[ClientMessage] | ClientMessage
_Outbound = list[ServerMessage] | ServerMessage
_SERVER_TYPES: Final = frozenset(kind.__struct_config__.tag for kind in get_args(ServerMessage))


def _is_unknown_type(item: object) -> bool:
    """Return whether this may be a message type of a newer server."""
    kind = item.get("type") if isinstance(item, dict) else None
    return isinstance(kind, str) and kind not in _SERVER_TYPES


def _convert_or(value: object, kind: Any, default: Any) -> Any:
    """Return a field of an invalid message, or ``default`` if the field itself is invalid."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return default


class Codec:
    """A websocket subprotocol: its name, whether its frames are ``text``, and the conversions."""

    __slots__ = ("_any", "_client", "_server", "encode", "subprotocol", "text")

    def __init__(self, subprotocol: str, module: Any, *, text: bool) -> None:
        self.subprotocol = subprotocol
        self.text = text
        self.encode = module.Encoder().encode
        self._client = module.Decoder(_Inbound).decode
        self._server = module.Decoder(_Outbound).decode
        self._any = module.Decoder().decode

    def decode_client(self, frame: bytes | str) -> Sequence[ClientMessage]:
        """Decode a client's frame.

        Raises only ``MalformedFrame``, with the table and turn of an invalid act if they can be read.
        """
        try:
            messages: Sequence[ClientMessage] = self._decode(frame, self._client)
        except MalformedFrame as error:
            error.table, error.turn = self._wrong_act(frame)
            raise
        return messages

    def _wrong_act(self, frame: bytes | str) -> tuple[str, int | None]:
        """Return table and turn of the first act in a refused frame that is invalid."""
        if len(frame) > MAX_REREAD:
            return "", None
        try:
            items = self._decode(frame, self._any)
        except MalformedFrame:
            return "", None
        for item in items:
            try:
                msgspec.convert(item, ClientMessage)
            except (msgspec.ValidationError, RecursionError):
                if isinstance(item, dict) and item.get("type") == "act":
                    return _convert_or(item.get("table"), TableId, ""), _convert_or(
                        item.get("turn"), Count, None
                    )
        return "", None

    def decode_server(self, frame: bytes | str) -> Sequence[ServerMessage]:
        """Decode a server's frame. Messages of unknown types are skipped, as a newer server may send them.

        Raises only ``MalformedFrame``.
        """
        try:
            messages: Sequence[ServerMessage] = self._decode(frame, self._server)
        except MalformedFrame:
            messages = self._decode_known(self._decode(frame, self._any))
        return messages

    def _decode_known(self, items: Sequence[Any]) -> list[ServerMessage]:
        known = [item for item in items if not _is_unknown_type(item)]
        try:
            return msgspec.convert(known, list[ServerMessage])
        except msgspec.ValidationError as error:
            raise MalformedFrame("malformed_frame", str(error)[:200]) from None

    def _decode(self, frame: bytes | str, decode: Any) -> Any:
        try:
            decoded = decode(frame)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise MalformedFrame("malformed_frame", str(error)[:200]) from None
        if type(decoded) is not list:
            return (decoded,)
        if len(decoded) > MAX_MESSAGES:
            raise MalformedFrame(
                "too_many_messages", f"{len(decoded)} messages in one frame; at most {MAX_MESSAGES}"
            )
        return decoded

    def join(self, parts: Sequence[bytes]) -> bytes:
        """Combine encoded messages into one frame."""
        if len(parts) == 1:
            return parts[0]
        if self.text:
            return b"[" + b",".join(parts) + b"]"
        count = len(parts)
        if count < 16:
            return bytes((0x90 | count,)) + b"".join(parts)
        if count < 65536:
            return b"\xdc" + count.to_bytes(2, "big") + b"".join(parts)
        return b"\xdd" + count.to_bytes(4, "big") + b"".join(parts)


JSON: Final = Codec("pokerd.v1.json", msgspec.json, text=True)
MSGPACK: Final = Codec("pokerd.v1.msgpack", msgspec.msgpack, text=False)
#: By subprotocol name, in the server's order of preference.
CODECS: Final[dict[str, Codec]] = {codec.subprotocol: codec for codec in (MSGPACK, JSON)}
