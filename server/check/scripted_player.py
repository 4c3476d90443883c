"""The opponents: players in this process, on real connections without a socket."""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import cycle

from protocol.codec import JSON
from protocol.messages import Act, ClientMessage, Hello, Join, Leave, MatchStart, Ready, YourTurn
from server.house.house import House
from server.net.connection import Connection


class ScriptedPlayer:
    """A player that follows a script, as described for ``TableSetup``. It logs in with a token, or as a
    guest.
    """

    def __init__(self, house: House, name: str, word: str, token: str = "") -> None:
        self._letters = cycle(word)
        self._connection = Connection(self, JSON, house)
        house.connections.add(self._connection)
        self._submit(Hello(name, token))

    def join(self, table: str) -> None:
        """Take a seat at an open table."""
        self._submit(Join(table))

    def leave(self, table: str) -> None:
        """Give up the seat."""
        self._submit(Leave(table))

    def _submit(self, message: ClientMessage) -> None:
        self._connection.receive(JSON.encode(message), text=True)

    # The interface that ``Connection`` uses.

    def send(self, frame: bytes) -> None:
        """Receive one frame."""
        for message in JSON.decode_server(frame):
            answer = self._answer(message)
            if answer is not None:
                # Answer later: the house is still sending messages to others.
                asyncio.get_running_loop().call_soon(partial(self._submit, answer))

    def close(self, code: int, reason: str) -> None:
        """Do nothing: the house closes the connection."""

    def unsent_bytes(self) -> int:
        """Return 0: nothing is ever queued."""
        return 0

    def _answer(self, message: object) -> ClientMessage | None:
        if isinstance(message, MatchStart):
            return Ready(message.table)
        return self._act(message) if isinstance(message, YourTurn) else None

    def _act(self, turn: YourTurn) -> Act:
        letter = next(self._letters)
        if letter == "f" and turn.fold:
            return Act(turn.table, turn.turn, "fold")
        if letter in "ra" and turn.raise_to is not None:
            return Act(turn.table, turn.turn, "raise", turn.raise_to["ra".index(letter)])
        return Act(turn.table, turn.turn, "call")
