"""How the dealer waits for its players."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from server.acpc_dealer import seats
from server.acpc_dealer.seats import SeatConnection, SeatFault


@pytest.fixture
def pair() -> Iterator[tuple[SeatConnection, socket.socket]]:
    """A seat and its player."""
    listeners = seats.listen("127.0.0.1", [0], 1)
    with socket.create_connection(listeners[0].getsockname()) as player:
        [seat] = seats.accept_seats(listeners, 1.0, None)
        yield seat, player
        seat.close()


def test_a_line_arrives_however_long_it_takes(pair: tuple[SeatConnection, socket.socket]) -> None:
    """Also after fast answers, while the dealer does not sleep: what waits is sent even then."""
    seat, player = pair

    def answer() -> None:
        player.sendall(b"MATCHSTATE\r\n")

    for slow in (False, False, True, False, True, True):
        if not slow:
            answer()
        assert seat.receive(time.monotonic() + 10, answer if slow else pytest.fail) == b"MATCHSTATE\r\n"


def test_a_fast_player_that_stops_answering_runs_out_of_time(
    pair: tuple[SeatConnection, socket.socket],
) -> None:
    seat, player = pair
    for _ in range(3):
        player.sendall(b"MATCHSTATE\r\n")
        seat.receive(time.monotonic() + 10, lambda: None)
    used = time.process_time()
    with pytest.raises(SeatFault) as fault:
        seat.receive(time.monotonic() + 0.2, lambda: None)
    assert fault.value.code == "out_of_time"
    # It waits without sleep for much less than it waits.
    assert time.process_time() - used < 0.1 + 100 * seats.BUSY_WAIT
