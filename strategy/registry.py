"""The strategies by name.

A strategy that has settings says so with the class attribute ``Parameters``, a dataclass in the manner of
``strategy.parameters``, and takes an object of it as its third argument.

A strategy's module is imported when it is asked for: a competition starts hundreds of bot processes, and most
need none of the heavy ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from dealer.rules.actions import Action
from dealer.rules.events import Event
from dealer.rules.games import Game
from strategy.parameters import BadParameters, read_parameters
from strategy.situation import Situation

__all__ = [
    "Factory",
    "ObservingStrategy",
    "Strategy",
    "UnknownStrategy",
    "create_strategy",
    "strategy_names",
    "parameters_of",
]


class Strategy(Protocol):
    """A brain for one seat. All its memory is in the object; a reset makes a new one."""

    def decide(self, situation: Situation) -> Action:
        """A legal action. Must be a function of the seed, the situation and what was observed before."""
        ...


@runtime_checkable
class ObservingStrategy(Protocol):
    """A strategy that also wants to hear what happens, its own actions included.

    It is told every event its seat may see, in order, from ``HandStarted`` to ``HandEnded``; cards it may not
    see yet are left out (an empty tuple in ``HandStarted.hole``). ``Shown`` comes directly before
    ``HandEnded``, also where players show before the rest of the board is dealt.
    """

    def observe(self, event: Event) -> None:
        """Take note of ``event``."""
        ...


Factory = Callable[..., Strategy]
"""Called with seed and game, and with the parameters where the strategy has some and they are given."""


class UnknownStrategy(ValueError):
    """No strategy has this name; the message lists those there are."""

    code = "unknown_strategy"


_FACTORIES = {
    "adaptive2": "strategy.adaptive.second:Adaptive2Bot",
    "adaptive": "strategy.adaptive.bot:AdaptiveBot",
    "akuma": "strategy.akuma.bot:Akuma",
    "call": "strategy.baseline.simple:CallBot",
    "cfr": "strategy.blueprint_bots.bot:CfrBot",
    "cfr+river": "strategy.blueprint_bots.river_bot:RiverBot",
    "fair": "strategy.baseline.fair:FairBot",
    "hbb1": "strategy.mapping_bots.bots:Hbb1",
    "hbb2": "strategy.mapping_bots.bots:Hbb2",
    "hbb3": "strategy.mapping_bots.bots:Hbb3",
    "hbb4": "strategy.mapping_bots.bots:Hbb4",
    "hbb5": "strategy.mapping_bots.bots:Hbb5",
    "hbb5-max": "strategy.mapping_bots.bots:Hbb5Max",
    "hbb6": "strategy.three_player.bot:Hbb6",
    "hybrid-hbb1": "strategy.mapping_bots.bots:HybridHbb1",
    "hybrid-hbb2": "strategy.mapping_bots.bots:HybridHbb2",
    "hybrid-hbb3": "strategy.mapping_bots.bots:HybridHbb3",
    "hybrid-hbb4": "strategy.mapping_bots.bots:HybridHbb4",
    "hybrid-hbb5": "strategy.mapping_bots.bots:HybridHbb5",
    "loki1": "strategy.loki.bot:Loki1",
    "loki2": "strategy.loki.bot:Loki2",
    "loki2-b": "strategy.loki.bot:Loki2B",
    "loki2-br": "strategy.loki.bot:Loki2BR",
    "loki2-r": "strategy.loki.bot:Loki2R",
    "loki2-s": "strategy.loki.bot:Loki2S",
    "ownbot": "strategy.mapping_bots.bots:OwnBot",
    "pushfold": "strategy.pushfold.bot:PushFoldBot",
    "raise": "strategy.baseline.simple:RaiseBot",
    "random": "strategy.baseline.simple:RandomBot",
    "sartre": "strategy.mapping_bots.bots:SartreBot",
}


def strategy_names() -> tuple[str, ...]:
    """All names that ``create`` knows, sorted."""
    return tuple(sorted(_FACTORIES))


def create_strategy(name: str, seed: int, game: Game, parameters: object = None) -> Strategy:
    """A fresh strategy for ``game``, whose randomness follows from ``seed`` alone.

    ``parameters``: an object of the strategy's ``Parameters``, else its defaults. Raises UnknownStrategy;
    BadParameters for parameters of another type; UnplayableGame for a game that the strategy does not know.
    """
    factory = _factory(name)
    if parameters is None:
        return factory(seed, game)
    kind = getattr(factory, "Parameters", None)
    if kind is None or not isinstance(parameters, kind):
        raise BadParameters(name, parameters, "not the parameters of this strategy")
    return factory(seed, game, parameters)


def parameters_of(name: str, values: Mapping[str, object]) -> object:
    """The parameters of the strategy ``name`` that plain ``values`` say, checked.

    Raises UnknownStrategy, and BadParameters for what is unknown or not allowed, which is everything where
    the strategy has no parameters.
    """
    kind: type[Any] | None = getattr(_factory(name), "Parameters", None)
    if kind is None:
        raise BadParameters("parameters", dict(values), f"{name} has none")
    return read_parameters(kind, values)


def _factory(name: str) -> Factory:
    path = _FACTORIES.get(name)
    if path is None:
        raise UnknownStrategy(f"no strategy is called {name[:64]!r}; there are {', '.join(strategy_names())}")
    module, _, attribute = path.partition(":")
    factory: Factory = getattr(import_module(module), attribute)
    return factory
