"""Environments for learners, on the compiled rules of ``strategy.batch``.

``PokerVectorEnv``, ``RemoteVectorEnv`` (at the tables of a server) and ``PokerEnv`` are Gymnasium's,
``PokerAECEnv`` and ``PokerParallelEnv`` PettingZoo's; they need the extra ``rl`` and are imported when they
are first asked for. ``pokerd.env.spiel`` is a game for OpenSpiel.
``evaluate`` needs none of these libraries.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pokerd.env.errors import MissingLibrary

if TYPE_CHECKING:
    from pokerd.env.evaluation import evaluate
    from pokerd.env.remote import RemoteVectorEnv
    from pokerd.env.single import PokerEnv
    from pokerd.env.vector import PokerVectorEnv
    from pokerd.env.zoo import PokerAECEnv, PokerParallelEnv

__all__ = ["PokerVectorEnv", "RemoteVectorEnv", "PokerEnv", "PokerAECEnv", "PokerParallelEnv", "evaluate"]

_MODULES = {
    "PokerVectorEnv": "vector",
    "RemoteVectorEnv": "remote",
    "PokerEnv": "single",
    "PokerAECEnv": "zoo",
    "PokerParallelEnv": "zoo",
    "evaluate": "evaluation",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for. Raises MissingLibrary without the extra ``rl``."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"pokerd.env.{_MODULES[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("gymnasium", "pettingzoo"):
            raise
        raise MissingLibrary(f"{error.name} is missing: pip install 'pokerd[rl]'") from error
