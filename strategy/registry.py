"""The registry of house bots: one entry each, read by the command line, the lobby and the tests.

A strategy with parameters takes an object of their class, a dataclass as in ``strategy.parameters``, as its
third argument. Their module is imported alone, and needs none of the strategy's libraries.

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
from strategy.declared import Chances
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


@runtime_checkable
class DeclaringStrategy(Protocol):
    """A strategy that tells the chances of its draws."""

    @property
    def chances(self) -> Chances:
        """Return those of the last decision; empty if it was not drawn, or if they are not told."""
        ...


Factory = Callable[..., Strategy]
"""Called with seed and game, and with parameters if the strategy has some and they are given."""


class UnknownStrategy(StrategyError):
    """No strategy has this name; the message lists the known ones."""

    code = "unknown_strategy"


class HouseBot(NamedTuple):
    """A registered strategy: its ``factory`` as "module:class", with a module in this package, and what it
    ``does`` in a few words, for people who choose a bot. ``parameters`` is ``Loki`` for a class
    ``LokiParameters`` in the module ``parameters`` beside it, and empty if it has none. With ``any_game`` it
    plays every game, otherwise hold'em only.
    """

    name: str
    factory: str
    does: str
    parameters: str = ""
    any_game: bool = False


#: In the order in which they are offered.
_HOUSE_BOTS = (
    HouseBot("fair", "baseline.fair:FairBot", "plays well", "Fair", any_game=True),
    HouseBot("call", "baseline.simple:CallBot", "always calls", any_game=True),
    HouseBot("raise", "baseline.simple:RaiseBot", "always raises", any_game=True),
    HouseBot("random", "baseline.simple:RandomBot", "acts at random", any_game=True),
    HouseBot("adaptive", "adaptive.bot:AdaptiveBot", "weighs cards, position and price", "Adaptive"),
    HouseBot("learner", "adaptive.bot:LearningBot", "adaptive, and learns from its losses", "Learning"),
    HouseBot("adaptive2", "adaptive.second:Adaptive2Bot", "profiles opponents and bluffs", "Adaptive2"),
    HouseBot("akuma", "akuma.bot:Akuma", "simulates and learns", "Akuma"),
    HouseBot("loki1", "loki.bot:Loki1", "estimates your cards", "Loki"),
    HouseBot("loki2", "loki.bot:Loki2", "estimates your cards and simulates", "Loki"),
    HouseBot("loki2-b", "loki.bot:Loki2B", "plays like loki1, varies its bets", "Loki"),
    HouseBot("loki2-r", "loki.bot:Loki2R", "plays like loki1, estimates better", "Loki"),
    HouseBot("loki2-br", "loki.bot:Loki2BR", "plays like loki2, never simulates", "Loki"),
    HouseBot("loki2-s", "loki.bot:Loki2S", "plays like loki1, and simulates", "Loki"),
    HouseBot("cfr", "blueprint_bots.bot:CfrBot", "plays near an equilibrium", "Blueprint"),
    HouseBot("cfr+river", "blueprint_bots.river_bot:RiverBot", "plays like cfr, solves the river", "River"),
    HouseBot("nolimit", "nolimit_bots.bot:NoLimitBot", "plays no-limit near an equilibrium", "NoLimit"),
    HouseBot("nolimit+search", "nolimit_bots.bot:NoLimitSearchBot", "nolimit that solves streets", "Search"),
    HouseBot("polaris", "polaris.bot:PolarisBot", "plays what wins, of four strategies", "Polaris"),
    HouseBot("hbb6", "three_player.bot:Hbb6", "plays a strategy for three", "Hbb6"),
    HouseBot("ownbot", "mapping_bots.bots:OwnBot", "plays like cfr when two are left", "Mapping"),
    HouseBot("sartre", "mapping_bots.bots:SartreBot", "plays like cfr when two see the flop", "Mapping"),
    HouseBot("pushfold", "pushfold.bot:PushFoldBot", "moves all-in or folds", "PushFold"),
    HouseBot("hbb1", "mapping_bots.bots:Hbb1", "plays like cfr, through mapping 1", "Hbb"),
    HouseBot("hbb2", "mapping_bots.bots:Hbb2", "plays like cfr, through mapping 2", "Hbb"),
    HouseBot("hbb3", "mapping_bots.bots:Hbb3", "plays like cfr, through mapping 3", "Hbb"),
    HouseBot("hbb4", "mapping_bots.bots:Hbb4", "plays like cfr, through mapping 4", "Hbb"),
    HouseBot("hbb5", "mapping_bots.bots:Hbb5", "plays like cfr, through mapping 5", "Hbb"),
    HouseBot("hbb5-max", "mapping_bots.bots:Hbb5Max", "plays the likeliest action of hbb5", "Max"),
    HouseBot("hybrid-hbb1", "mapping_bots.bots:HybridHbb1", "fair until a fold, then hbb1", "Hybrid"),
    HouseBot("hybrid-hbb2", "mapping_bots.bots:HybridHbb2", "fair until a fold, then hbb2", "Hybrid"),
    HouseBot("hybrid-hbb3", "mapping_bots.bots:HybridHbb3", "fair until a fold, then hbb3", "Hybrid"),
    HouseBot("hybrid-hbb4", "mapping_bots.bots:HybridHbb4", "fair until a fold, then hbb4", "Hybrid"),
    HouseBot("hybrid-hbb5", "mapping_bots.bots:HybridHbb5", "fair until a fold, then hbb5", "Hybrid"),
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

    ``parameters``: an object of the class of its parameters, or None for its defaults. Raises
    UnknownStrategy; BadParameters for parameters of another type; UnplayableGame for an unsupported game.
    """
    factory = _factory(name)
    if parameters is None:
        return factory(seed, game)
    kind = parameters_type(name)
    if kind is None or not isinstance(parameters, kind):
        raise BadParameters(name, parameters, "not the parameters of this strategy")
    return factory(seed, game, parameters)


def parameters_of(name: str, values: Mapping[str, object], *, stranger: bool = False) -> object:
    """Return the parameters of the strategy ``name`` from plain ``values``, checked.

    Raises UnknownStrategy, and BadParameters for unknown or illegal values, which are all if the strategy has
    no parameters, and for what a ``stranger`` may not set.
    """
    kind = parameters_type(name)
    if kind is None:
        raise BadParameters("parameters", dict(values), f"{name} has none")
    return read_parameters(kind, values, stranger=stranger)


def parameters_type(name: str) -> type[Any] | None:
    """Return the dataclass of the strategy's parameters; None if it has none. Raises UnknownStrategy."""
    bot = _house_bot(name)
    if not bot.parameters:
        return None
    package = bot.factory.partition(":")[0].rpartition(".")[0]
    kind: type[Any] = getattr(import_module(f"strategy.{package}.parameters"), f"{bot.parameters}Parameters")
    return kind


def _factory(name: str) -> Factory:
    module, _, attribute = _house_bot(name).factory.partition(":")
    factory: Factory = getattr(import_module(f"strategy.{module}"), attribute)
    return factory


def _house_bot(name: str) -> HouseBot:
    bot = _BY_NAME.get(name)
    if bot is None:
        raise UnknownStrategy(f"no strategy is called {name[:64]!r}; there are {', '.join(strategy_names())}")
    return bot
