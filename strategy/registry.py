"""The strategies by name.

A strategy's module is imported when it is asked for: a competition starts hundreds of bot processes, and most
need none of the heavy ones.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Protocol, runtime_checkable

from dealer.rules.actions import Action
from dealer.rules.events import Event
from dealer.rules.games import Game
from strategy.situation import Situation

__all__ = ["Factory", "Observing", "Strategy", "UnknownStrategy", "create", "names"]


class Strategy(Protocol):
    """A brain for one seat. All its memory is in the object; a reset makes a new one."""

    def decide(self, situation: Situation) -> Action:
        """A legal action. Must be a function of the seed, the situation and what was observed before."""
        ...


@runtime_checkable
class Observing(Protocol):
    """A strategy that also wants to hear what happens, its own actions included.

    It is told every event its seat may see, in order, from ``HandStarted`` to ``HandEnded``; cards it may not
    see yet are left out (an empty tuple in ``HandStarted.hole``).
    """

    def observe(self, event: Event) -> None:
        """Take note of ``event``."""
        ...


Factory = Callable[[int, Game], Strategy]


class UnknownStrategy(ValueError):
    """No strategy has this name; the message lists those there are."""

    code = "unknown_strategy"


_FACTORIES = {
    "call": "strategy.simple:CallBot",
    "fair": "strategy.fair:FairBot",
    "raise": "strategy.simple:RaiseBot",
    "random": "strategy.simple:RandomBot",
}


def names() -> tuple[str, ...]:
    """All names that ``create`` knows, sorted."""
    return tuple(sorted(_FACTORIES))


def create(name: str, seed: int, game: Game) -> Strategy:
    """A fresh strategy for ``game``, whose randomness follows from ``seed`` alone.

    Raises UnknownStrategy.
    """
    path = _FACTORIES.get(name)
    if path is None:
        raise UnknownStrategy(f"no strategy is called {name[:64]!r}; there are {', '.join(names())}")
    module, _, attribute = path.partition(":")
    factory: Factory = getattr(import_module(module), attribute)
    return factory(seed, game)
