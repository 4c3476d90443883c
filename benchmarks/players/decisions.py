"""CPU milliseconds per decision of each house bot in a six-handed game of limit hold'em.

    python -m benchmarks.players.decisions [--hands 40] [name ...]

The bot has every second seat, Loki-1 the others; everything is compiled beforehand. Learning from the others'
actions counts towards the next decision.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from dealer.deck import secure_deals
from dealer.formats.fixed import FixedStacks
from dealer.rules.actions import Action
from dealer.rules.events import Event
from dealer.rules.games import Game, holdem
from strategy.registry import ObservingStrategy, Strategy, create_strategy, strategy_names
from strategy.situation import Situation
from studies.harness.session import play_session

PLAYERS = 6
DEFAULT = ("call", "fair", "loki1", "loki2-b", "loki2-r", "loki2-br", "loki2-s", "loki2")


class TimedStrategy:
    """A strategy whose CPU seconds are counted: ``took`` has an entry for every decision after the flop."""

    def __init__(self, inner: Strategy) -> None:
        self.took: list[float] = []
        self._inner = inner
        self._observe = inner.observe if isinstance(inner, ObservingStrategy) else None
        self._spent = 0.0

    def observe(self, event: Event) -> None:
        """Pass the event on."""
        if self._observe is not None:
            start = time.process_time()
            self._observe(event)
            self._spent += time.process_time() - start

    def decide(self, situation: Situation) -> Action:
        """Pass the situation on."""
        start = time.process_time()
        action = self._inner.decide(situation)
        if situation.street:
            self.took.append(self._spent + time.process_time() - start)
        self._spent = 0.0
        return action


def measure(name: str, game: Game, hands: int) -> list[float]:
    """Return the CPU seconds of the decisions after the flop, sorted."""
    took: list[float] = []
    # The first, shorter run compiles.
    for count in (3, hands):
        bots = [TimedStrategy(create_strategy(name, seat, game)) for seat in range(0, PLAYERS, 2)]
        seats: list[Strategy] = [create_strategy("loki1", seat, game) for seat in range(PLAYERS)]
        seats[::2] = bots
        play_session(FixedStacks(game, secure_deals(b"decisions".ljust(32), 0, game), count), seats)
        took = sorted(seconds for bot in bots for seconds in bot.took)
    return took


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="What a decision costs.")
    parser.add_argument("names", nargs="*", default=DEFAULT, help="of house bots")
    parser.add_argument("--hands", type=int, default=40)
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(strategy_names()):
        parser.error(f"no house bot is called {', '.join(sorted(unknown))}")
    game = holdem(PLAYERS, 5, 10, limit=True)
    print(f"{'CPU ms after the flop':<24}{'decisions':>10}{'median':>10}{'99 %':>10}{'longest':>10}")
    for name in options.names:
        took = measure(name, game, options.hands)
        figures = (took[len(took) // 2], took[len(took) * 99 // 100], took[-1])
        print(f"{name:<24}{len(took):>10}" + "".join(f"{1000 * seconds:>10.2f}" for seconds in figures))


if __name__ == "__main__":
    main()
