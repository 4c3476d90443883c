"""Compile what a strategy, or a batch, needs before it begins, because decisions have a clock.

python -m strategy.precompile

compiles for all strategies and for batches of tables, which takes a minute. The result is cached
(``strategy.jit``); until compiled functions or what they import change the command does nothing more.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from dealer.rules.actions import CALL, raise_to
from dealer.rules.events import Event, HandStarted
from dealer.rules.games import Game, holdem
from strategy.observer import Observer
from strategy.registry import ObservingStrategy, Strategy, create_strategy, parameters_of, strategy_names
from strategy.sources import digest

# All of them play these games, and compile nothing more for others. Streets are only solved heads-up.
_GAMES = (holdem(3, 5, 10, limit=True), holdem(2, 5, 10, limit=True), holdem(2, 5, 10), holdem(3, 5, 10))
# A solver compiles as much for one iteration as for all of them, which take seconds.
_BRIEFLY = {"nolimit+search": {"iterations": 1, "turn_iterations": 1}}


class _FixedCards(NamedTuple):
    hole: tuple[tuple[int, ...], ...] = ((48, 44), (50, 37), (29, 25))
    streets: tuple[tuple[int, ...], ...] = ((), (4, 19, 34), (13,), (40,))

    def board(self, street: int) -> tuple[int, ...]:
        return self.streets[street]


def precompile(name: str) -> None:
    """Let the strategy called ``name`` make the decisions of a hand at each table, if it uses the compiler.

    Raises UnknownStrategy.
    """
    brief = parameters_of(name, _BRIEFLY[name]) if name in _BRIEFLY else None
    for game in _GAMES:
        players = [create_strategy(name, seat, game, brief) for seat in range(game.players)]
        if "numba" in sys.modules:
            _play_hand(game, players)


def precompile_batches() -> None:
    """Serve a batch of one table (``strategy.batch``): whoever asks for the first one would wait."""
    from strategy.batch.service import ServedTables

    game = _GAMES[1]
    tables = ServedTables(game, 1, ["call"], limit=1.0, history=8, entropy=os.urandom, hands=1)
    tables.begin(time.monotonic)
    tables.finish()


def _play_hand(game: Game, players: Sequence[Strategy]) -> None:
    """Play a hand with a check, a raise and calls on each street, whatever the players decide."""
    # Most bots need no evaluator, and hundreds of them are started.
    from dealer.rules.hand import HandState

    cards = _FixedCards()
    hand = HandState(game, cards._replace(hole=cards.hole[: game.players]))
    observer = Observer(game, -1)
    observed = 0
    while True:
        for event in hand.events[observed:]:
            observer.observe(event)
            for own, player in enumerate(players):
                if isinstance(player, ObservingStrategy):
                    player.observe(_hide_hole_cards(event, own))
        observed = len(hand.events)
        seat = hand.to_act
        if seat is None:
            return
        situation = observer.situation_of(seat, hand.hole[seat], hand.legal())
        players[seat].decide(situation)
        least = situation.legal.min_raise
        first = all(step.street < situation.street for step in situation.history)
        hand.act(CALL if least is None or first or situation.raises else raise_to(least))


def _hide_hole_cards(event: Event, seat: int) -> Event:
    """Return the event without the hole cards of others."""
    if not isinstance(event, HandStarted):
        return event
    return event._replace(hole=tuple(cards if seat == own else () for own, cards in enumerate(event.hole)))


def main() -> None:
    """Compile for all strategies and for batches, unless that was done from the present sources."""
    room = Path(__file__).resolve().parent
    kernels = [path for path in room.rglob("*.py") if b"from strategy.jit import" in path.read_bytes()]
    present = {str(path.relative_to(room)): digest(path) for path in kernels}
    # Another numba uses nothing that this one has compiled.
    present["numba"] = version("numba")
    stamp = room / "__pycache__" / f"compiled-{sys.implementation.cache_tag}.json"
    before: dict[str, str] = {}
    with suppress(OSError, ValueError):
        before = json.loads(stamp.read_bytes())
    if before == present:
        return
    sys.stdout.write("compiling what house bots and batches need: a minute\n")
    sys.stdout.flush()
    # Nothing uses these any more.
    for path in kernels:
        name = str(path.relative_to(room))
        if before.get(name) != present[name]:
            for cached in (path.parent / "__pycache__").glob(f"{path.stem}.*.nb[ci]"):
                cached.unlink()
    for name in strategy_names():
        precompile(name)
    precompile_batches()
    with suppress(OSError):
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(json.dumps(present))


if __name__ == "__main__":
    main()
