"""A trace file of all frames of a connection, for debugging."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from protocol.codec import Codec

#: Fields that would let somebody else play under this name.
_SECRETS: Final = ("token", "resume", "ticket")
_Send = Callable[[bytes], None]
_Handle = Callable[[bytes, _Send], None]


class Trace:
    """Append a JSON line for each frame: ``time`` (seconds since 1970), ``from`` (``server`` or ``bot``) and
    ``frame`` (its messages). Secrets are left out. Raises ``OSError`` if the file cannot be written.
    """

    def __init__(self, path: str | Path) -> None:
        self._file = Path(path).open("ab", buffering=0)  # noqa: SIM115 (closed by ``close``)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def handler(self, handle: _Handle, codec: Codec) -> _Handle:
        """Wrap ``handle`` to also record the server's frames and the answers."""

        def traced(frame: bytes, send: _Send) -> None:
            self._write("server", frame, codec)
            handle(frame, self.sender(send, codec))

        return traced

    def sender(self, send: _Send, codec: Codec) -> _Send:
        """Wrap ``send`` to also record the frames."""

        def traced(frame: bytes) -> None:
            self._write("bot", frame, codec)
            send(frame)

        return traced

    def _write(self, source: str, frame: bytes, codec: Codec) -> None:
        read = msgspec.json.decode if codec.text else msgspec.msgpack.decode
        decoded = read(frame)
        messages: list[Any] = decoded if isinstance(decoded, list) else [decoded]
        for message in messages:
            for key in _SECRETS:
                if isinstance(message, dict) and message.get(key):
                    message[key] = "(secret)"
        line = {"time": round(time.time(), 6), "from": source, "frame": messages}
        self._file.write(msgspec.json.encode(line) + b"\n")
