"""The registry of house bots: one entry each, read by the command line, the lobby and the tests.

A strategy with parameters has the class attribute ``Parameters``, a dataclass as in ``strategy.parameters``,
and takes an object of it as its third argument.

Modules are imported on demand: a competition starts hundreds of bot processes, and most need none of the
heavy ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple, Protocol, runtime_checkable

from dealer.rules.actions import Action
from dealer.rules.events import Event
from dealer.rules.games import Game
from strategy.errors import StrategyError
from strategy.parameters import BadParameters, read_parameters
from strategy.situation import Situation


class Strategy(Protocol):
    """A player's decisions. All its memory is in the object; a reset creates a new one."""

    def decide(self, situation: Situation) -> Action:
        """Return a legal action: a function of the seed, the situation and what was observed before."""
        ...


@runtime_checkable
class ObservingStrategy(Protocol):
    """A strategy that also observes events, including its own actions.

    It gets every event that its seat may see, in order, from ``HandStarted`` to ``HandEnded``; hidden cards
    are left out (an empty tuple in ``HandStarted.hole``). ``Shown`` comes directly before ``HandEnded``, even
    if players show before the rest of the board is dealt.
    """

    def observe(self, event: Event) -> None:
        """Observe ``event``."""
        ...


Factory = Callable[..., Strategy]
"""Called with seed and game, and with parameters if the strategy has some and they are given."""


class UnknownStrategy(StrategyError):
    """No strategy has this name; the message lists the known ones."""

    code = "unknown_strategy"


class HouseBot(NamedTuple):
    """A registered strategy: ``factory`` as "module:class", and what it ``does`` in a few words, for people
    who choose a bot. With ``any_game`` it plays every game, otherwise hold'em only.
    """

    name: str
    factory: str
    does: str
    any_game: bool = False


#: In the order in which they are offered.
_HOUSE_BOTS = (
    HouseBot("fair", "strategy.baseline.fair:FairBot", "plays well", any_game=True),
    HouseBot("call", "strategy.baseline.simple:CallBot", "always calls", any_game=True),
    HouseBot("raise", "strategy.baseline.simple:RaiseBot", "always raises", any_game=True),
    HouseBot("random", "strategy.baseline.simple:RandomBot", "acts at random", any_game=True),
    HouseBot("adaptive", "strategy.adaptive.bot:AdaptiveBot", "weighs cards, position and price"),
    HouseBot("learner", "strategy.adaptive.bot:LearningBot", "adaptive, and learns from its losses"),
    HouseBot("adaptive2", "strategy.adaptive.second:Adaptive2Bot", "profiles opponents and bluffs"),
    HouseBot("akuma", "strategy.akuma.bot:Akuma", "simulates and learns"),
    HouseBot("loki1", "strategy.loki.bot:Loki1", "estimates your cards"),
    HouseBot("loki2", "strategy.loki.bot:Loki2", "estimates your cards and simulates"),
    HouseBot("loki2-b", "strategy.loki.bot:Loki2B", "plays like loki1, varies its bets"),
    HouseBot("loki2-r", "strategy.loki.bot:Loki2R", "plays like loki1, estimates better"),
    HouseBot("loki2-br", "strategy.loki.bot:Loki2BR", "plays like loki2, never simulates"),
    HouseBot("loki2-s", "strategy.loki.bot:Loki2S", "plays like loki1, and simulates"),
    HouseBot("cfr", "strategy.blueprint_bots.bot:CfrBot", "plays near an equilibrium"),
    HouseBot("cfr+river", "strategy.blueprint_bots.river_bot:RiverBot", "plays like cfr, solves the river"),
    HouseBot("hbb6", "strategy.three_player.bot:Hbb6", "plays a strategy for three"),
    HouseBot("ownbot", "strategy.mapping_bots.bots:OwnBot", "plays like cfr when two are left"),
    HouseBot("sartre", "strategy.mapping_bots.bots:SartreBot", "plays like cfr when two see the flop"),
    HouseBot("pushfold", "strategy.pushfold.bot:PushFoldBot", "moves all-in or folds"),
    HouseBot("hbb1", "strategy.mapping_bots.bots:Hbb1", "plays like cfr, through mapping 1"),
    HouseBot("hbb2", "strategy.mapping_bots.bots:Hbb2", "plays like cfr, through mapping 2"),
    HouseBot("hbb3", "strategy.mapping_bots.bots:Hbb3", "plays like cfr, through mapping 3"),
    HouseBot("hbb4", "strategy.mapping_bots.bots:Hbb4", "plays like cfr, through mapping 4"),
    HouseBot("hbb5", "strategy.mapping_bots.bots:Hbb5", "plays like cfr, through mapping 5"),
    HouseBot("hbb5-max", "strategy.mapping_bots.bots:Hbb5Max", "plays the likeliest action of hbb5"),
    HouseBot("hybrid-hbb1", "strategy.mapping_bots.bots:HybridHbb1", "plays like fair, hbb1 after a fold"),
    HouseBot("hybrid-hbb2", "strategy.mapping_bots.bots:HybridHbb2", "plays like fair, hbb2 after a fold"),
    HouseBot("hybrid-hbb3", "strategy.mapping_bots.bots:HybridHbb3", "plays like fair, hbb3 after a fold"),
    HouseBot("hybrid-hbb4", "strategy.mapping_bots.bots:HybridHbb4", "plays like fair, hbb4 after a fold"),
    HouseBot("hybrid-hbb5", "strategy.mapping_bots.bots:HybridHbb5", "plays like fair, hbb5 after a fold"),
)  # fmt: skip
_BY_NAME = {bot.name: bot for bot in _HOUSE_BOTS}


def house_bots() -> tuple[HouseBot, ...]:
    """Return all registered strategies, in the order in which they are offered."""
    return _HOUSE_BOTS


def strategy_names() -> tuple[str, ...]:
    """Return all names that ``create_strategy`` knows, sorted."""
    return tuple(sorted(_BY_NAME))


def bot_descriptions() -> dict[str, str]:
    """Return what each registered strategy does, by name, in the order of ``house_bots``."""
    return {bot.name: bot.does for bot in _HOUSE_BOTS}


def create_strategy(name: str, seed: int, game: Game, parameters: object = None) -> Strategy:
    """Return a new strategy for ``game``, whose randomness follows from ``seed`` alone.

    ``parameters``: an object of the strategy's ``Parameters``, or None for its defaults. Raises
    UnknownStrategy; BadParameters for parameters of another type; UnplayableGame for an unsupported game.
    """
    factory = _factory(name)
    if parameters is None:
        return factory(seed, game)
    kind = parameters_type(name)
    if kind is None or not isinstance(parameters, kind):
        raise BadParameters(name, parameters, "not the parameters of this strategy")
    return factory(seed, game, parameters)


def parameters_of(name: str, values: Mapping[str, object]) -> object:
    """Return the parameters of the strategy ``name`` from plain ``values``, checked.

    Raises UnknownStrategy, and BadParameters for unknown or illegal values, which are all if the strategy has
    no parameters.
    """
    kind = parameters_type(name)
    if kind is None:
        raise BadParameters("parameters", dict(values), f"{name} has none")
    return read_parameters(kind, values)


def parameters_type(name: str) -> type[Any] | None:
    """Return the dataclass of the strategy's parameters; None if it has none. Raises UnknownStrategy."""
    kind: type[Any] | None = getattr(_factory(name), "Parameters", None)
    return kind


def _factory(name: str) -> Factory:
    bot = _BY_NAME.get(name)
    if bot is None:
        raise UnknownStrategy(f"no strategy is called {name[:64]!r}; there are {', '.join(strategy_names())}")
    module, _, attribute = bot.factory.partition(":")
    factory: Factory = getattr(import_module(module), attribute)
    return factory
