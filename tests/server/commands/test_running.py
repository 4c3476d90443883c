"""Where a server is."""

from __future__ import annotations

import pytest

from server.commands.runtime import address_of


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "ws://127.0.0.1:8000"),
        ("0.0.0.0", "ws://127.0.0.1:8000"),
        ("", "ws://127.0.0.1:8000"),
        ("::", "ws://127.0.0.1:8000"),
        ("::1", "ws://[::1]:8000"),
        ("poker.example", "ws://poker.example:8000"),
    ],
)
def test_bots_that_we_start_find_us(host: str, address: str) -> None:
    assert address_of(host, 8000) == address
    assert address_of(host, 8000, secure=True) == address.replace("ws", "wss", 1)
