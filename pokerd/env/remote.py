"""``PokerVectorEnv`` at the tables of a server, which keeps the cards to itself: ``pokerd.v1.batch``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Final
from weakref import finalize

import msgspec
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.frames import CloseCode
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from dealer.rules.games import Game
from pokerd.env.errors import EnvError, ResetFirst
from pokerd.env.tables import DEFAULT_GAME, game_of, opponents_of
from pokerd.env.vector import PokerVectorEnv, Seen
from protocol.batch import BATCH, VERSION, Open
from protocol.codec import JSON
from protocol.messages import Hello
from strategy.batch.betting import CALL, FOLD, RAISE
from strategy.batch.learning import playable_stacks
from strategy.batch.menu import POT_SIZES, menu, menu_size
from strategy.batch.observation import HISTORY, fields, observation_size
from strategy.batch.wire import FORCED, LAST, UNKNOWN, ServerFrame, answer_frame, read_frame, row_type
from strategy.checks import require_holdem

Rows = NDArray[Any]


#: Seconds after which a server that answers nothing is given up, and those to part from it.
TIMEOUT: Final = 20.0
_FAREWELL: Final = 1.0


class RemoteError(EnvError):
    """The server refused, or is gone; ``code`` is one of the protocol's, or ``closed``."""

    at_fault = "environment"


class RemoteTables:
    """As ``strategy.batch.learning.LearningTables`` with ``last_seen``, at the tables of a server.
    ``rewards``, float64[size, 1], are the learner's own: nobody is told what others won.

    Raises UnplayableGame, BadMenu, BadHistory, GameError, and RemoteError once it is played.
    """

    def __init__(
        self,
        url: str,
        size: int,
        game: Game,
        opponents: Sequence[str],
        *,
        sizes: Sequence[float],
        history: int,
        name: str,
        token: str,
        records: bool,
        timeout: float,
    ) -> None:
        require_holdem("a batch", game)
        self._url, self._game, self._history, self._timeout = url, game, history, timeout
        self._hello = Hello(name, token, software="RemoteVectorEnv")
        self._open = Open(
            game.text(), list(opponents), size, history=history, records=records, version=VERSION
        )
        self._fields = {field.name: field.start for field in fields(game.players, history)}
        self._row = row_type(game.players, history)
        self._sizes = menu(sizes)
        self._connected = ExitStack()
        # Whoever forgets an environment, as in a notebook, has left the server all the same.
        finalize(self, self._connected.close)
        self._socket: ClientConnection | None = None
        length, actions = observation_size(game, history), menu_size(game, self._sizes)
        self.seeded = False
        self.seen = np.zeros((size, length), np.float32)
        self.finals = np.zeros((size, length), np.float32)
        self.mask = np.zeros((size, actions), np.int8)
        self.totals = np.zeros((size, actions), np.int64)
        self.rewards = np.zeros((size, 1))
        self.over = np.zeros(size, np.bool_)
        self.illegal = np.zeros(size, np.bool_)
        self.waits = np.zeros(size, np.bool_)

    def reset(self, seed: object, places: NDArray[np.int64] | None = None) -> None:
        """Open new tables; hands in progress end as when a connection breaks."""
        if places is not None:
            raise RemoteError("not_there", "tables of a server begin anew together")
        self.close()
        try:
            # A server that compiles its tables sends no frame, but still answers pings.
            opened = connect(
                self._url,
                subprotocols=[Subprotocol(BATCH)],
                compression=None,
                max_size=None,
                open_timeout=self._timeout,
                ping_interval=self._timeout / 2,
                ping_timeout=self._timeout / 2,
                close_timeout=min(_FAREWELL, self._timeout),
            )
        except (OSError, WebSocketException) as error:
            raise RemoteError("closed", f"{self._url}: {error}") from error
        self._socket = socket = self._connected.enter_context(opened)
        if socket.subprotocol != BATCH:
            self.close()
            raise RemoteError("closed", f"{self._url} plays no batches")
        socket.send(JSON.encode(self._hello), text=True)
        self._receive_text()
        opening = msgspec.structs.replace(self._open, seed=seed if self.seeded else None)
        socket.send(msgspec.json.encode(opening), text=True)
        self._receive_text()
        self.illegal[:] = False
        self._show(self._receive())
        self.over[:] = False
        self.rewards[:] = 0

    def choose(self, choices: NDArray[np.int64]) -> None:
        """Act at every table by numbers of the menu."""
        legal = (choices >= 0) & (choices < self.mask.shape[1])
        picked = np.where(legal, choices, 0)
        places = np.arange(len(choices))
        legal &= self.mask[places, picked] == 1
        self._act(legal, np.minimum(picked, RAISE), self.totals[places, picked])

    def act(self, kinds: NDArray[np.int8], to: NDArray[np.int64]) -> None:
        """Act at every table with any raise."""
        low, high = self._turns["min_raise"], self._turns["max_raise"]
        sized = self._game.limit | ((low <= to) & (to <= high))
        legal = (kinds == CALL) | ((kinds == FOLD) & (self.mask[:, FOLD] == 1))
        legal |= (kinds == RAISE) & (high > 0) & sized
        self._act(legal, kinds.astype(np.int64), to)

    def close(self) -> None:
        """Leave."""
        self._connected.close()
        self._socket = None

    def _act(self, legal: NDArray[np.bool_], kinds: NDArray[np.int64], to: NDArray[np.int64]) -> None:
        if self._socket is None:
            raise ResetFirst("the server's tables are closed: reset opens new ones")
        kinds = np.where(legal, kinds, np.where(self.mask[:, FOLD] == 1, FOLD, CALL))
        asked, to = ~self.waits, np.where(kinds == RAISE, to, 0)
        self.illegal[:] = ~legal & asked
        try:
            self._socket.send(
                answer_frame(self._number, self._turns["table"][asked], kinds[asked], to[asked])
            )
        except ConnectionClosed:
            pass  # why, it says in a frame that is yet to be read
        self._show(self._receive())

    def _receive_text(self) -> None:
        frame = self._next()
        if not isinstance(frame, str):
            raise RemoteError("closed", "the server speaks another version")

    def _receive(self) -> ServerFrame:
        frame = self._next()
        assert isinstance(frame, bytes)
        found = read_frame(frame, self._row)
        # A record that is full lets the tables end one after the other.
        if found.header["flags"] & LAST or len(found.turns) < len(self.seen):
            self.close()
            raise RemoteError("closed", "the server deals no more hands")
        if found.header["flags"] & FORCED:
            self.close()
            raise RemoteError("stale_turn", "time was over, and the policy acted")
        return found

    def _next(self) -> str | bytes:
        """Return the next frame. Raises RemoteError for an error."""
        assert self._socket is not None
        try:
            frame = self._socket.recv()
        except ConnectionClosed as error:
            silent = (
                error.rcvd is None and error.sent is not None and error.sent.code == CloseCode.INTERNAL_ERROR
            )
            why = f"the server does not answer (timeout={self._timeout:g})" if silent else str(error)
            raise RemoteError("closed", f"{self._url}: {why}") from error
        if isinstance(frame, str):
            decoded = msgspec.json.decode(frame)
            message = decoded[0] if isinstance(decoded, list) else decoded
            if message["type"] == "error":
                self.close()
                raise RemoteError(message["code"], message["message"])
        return frame

    def _show(self, frame: ServerFrame) -> None:
        self._number, self._turns = int(frame.header["frame"]), frame.turns
        # Hands in which the learner was never asked are left out.
        ended = frame.over[frame.over["answered"] > 0]
        self.over[:] = False
        self.rewards[:] = 0
        places = ended["table"].astype(np.int64)
        self.over[places] = True
        self.rewards[places, 0] = ended["value"] / self._game.min_bet
        if len(ended):
            self.finals[places] = self._seen(ended)
        self.seen[:] = self._seen(frame.turns)
        self._offer(frame.turns)

    def _seen(self, rows: Rows) -> NDArray[np.float32]:
        """Return the observations of rows, as ``strategy.batch.observation``."""
        game, at = self._game, self._fields
        players, scale = game.players, 1.0 / game.min_bet
        seen = np.zeros((len(rows), self.seen.shape[1]), np.float32)
        every = np.arange(len(rows))
        seen[every[:, None], at["own"] + rows["own"].astype(np.int64)] = 1
        for card, street in enumerate(("flop", "flop", "flop", "turn", "river")):
            board = rows["board"][:, card].astype(np.int64)
            dealt = board != UNKNOWN
            seen[every[dealt], at[street] + board[dealt]] = 1
        position = rows["position"].astype(np.int64)
        seen[every, at["street"] + rows["street"]] = 1
        seen[every, at["position"] + position] = 1
        asked = rows["over"] == 0
        seen[every[asked], at["to_act"] + position[asked]] = 1
        seen[:, at["price"]] = rows["call"] * scale
        for field in ("pot", "min_raise", "max_raise", "bet"):
            seen[:, at[field]] = rows[field] * scale
        for field in ("stacks", "bets", "paid"):
            seen[:, at[field] : at[field] + players] = rows[field] * scale
        bits = np.arange(players)
        for field in ("folded", "all_in"):
            seen[:, at[field] : at[field] + players] = rows[field][:, None] >> bits & 1
        actions = rows["actions"].astype(np.int64)
        seen[:, at["cut"]] = np.maximum(0, actions - self._history)
        where, slot = np.nonzero(np.arange(self._history) < actions[:, None])
        step = rows["history"].reshape(len(rows), -1)[where, slot].astype(np.int64)
        start = at["history"] + slot * (8 + players)
        seen[where, start + (step & 3)] = 1
        seen[where, start + 4 + (step >> 2 & 15)] = 1
        seen[where, start + 4 + players + (step >> 6 & 3)] = 1
        seen[where, start + 7 + players] = (step >> 8) / game.min_bet
        return seen

    def _offer(self, turns: Rows) -> None:
        """Write what is legal, as ``strategy.batch.menu``."""
        low, high, call = (turns[name].astype(np.int64) for name in ("min_raise", "max_raise", "call"))
        mask, totals = self.mask, self.totals
        mask[:], totals[:] = 0, 0
        mask[:, FOLD], mask[:, CALL] = call > 0, 1
        mask[:, -1], totals[:, -1] = high > 0, high
        if self._game.limit:
            return
        pot, least = turns["pot"] + call, low
        for action, size in enumerate(self._sizes.tolist(), RAISE):
            to = np.maximum(low, turns["bet"] + (size * pot + 0.5).astype(np.int64))
            open_ = (high > 0) & (least <= to) & (to < high)
            mask[:, action], totals[:, action] = open_, np.where(open_, to, 0)
            least = np.where(open_, to + 1, least)


class RemoteVectorEnv(PokerVectorEnv):
    """``PokerVectorEnv`` at the tables of a server at ``url``, with its compiled opponents: the same spaces,
    observations and rewards, and cards that only the server knows.

    ``name`` and ``token`` are as in ``hello``; ``records``: the server is to record the hands. The rest is as
    in ``PokerVectorEnv``, but nobody may have less than the blinds. A server that does not answer at all for
    ``timeout`` seconds is given up (RemoteError, ``closed``). Each reset opens a new connection, and with a
    seed needs a server that takes seeds; some tables alone cannot begin anew. A learner that thinks longer
    than the server's time for a decision loses the tables (RemoteError, ``stale_turn``) until the next reset.

    Raises RemoteError, and what ``PokerVectorEnv`` raises.
    """

    tables: RemoteTables

    def __init__(
        self,
        url: str,
        n: int = 1024,
        game: Game | str = DEFAULT_GAME,
        opponents: Sequence[str] | str = "quick",
        *,
        stacks: Sequence[int] | None = None,
        sizes: Sequence[float] = POT_SIZES,
        raise_to: bool = False,
        history: int = HISTORY,
        copy: bool = True,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        name: str = "learner",
        token: str = "",
        records: bool = False,
        timeout: float = TIMEOUT,
    ) -> None:
        definition = game_of(game)
        definition = replace(definition, stacks=playable_stacks(definition, stacks))
        tables = RemoteTables(
            url,
            n,
            definition,
            opponents_of(definition, opponents),
            sizes=sizes,
            history=history,
            name=name,
            token=token,
            records=records,
            timeout=timeout,
        )
        self._sit(tables, definition, stacks, raise_to=raise_to, copy=copy, autoreset_mode=autoreset_mode)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Open new tables; without a seed nobody can know the cards."""
        seed = self._one_seed(seed)
        self.tables.seeded = seed is not None
        self.closed = False
        return super().reset(seed=seed, options=options)

    def close_extras(self, **kwargs: Any) -> None:
        """Leave the server."""
        self.tables.close()
