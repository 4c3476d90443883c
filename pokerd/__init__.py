"""pokerd: a poker dealer for programs and people. ``from pokerd import Bot, run`` is all a bot needs."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clients.sdk.bot import Bot, run
    from clients.sdk.turn import Hand, Match, Turn
    from dealer.rules.actions import Action

__all__ = ["Action", "Bot", "Hand", "Match", "Turn", "run"]

_HOMES = {
    "Action": "dealer.rules.actions",
    "Bot": "clients.sdk.bot",
    "Hand": "clients.sdk.turn",
    "Match": "clients.sdk.turn",
    "Turn": "clients.sdk.turn",
    "run": "clients.sdk.bot",
}


def __getattr__(name: str) -> object:
    """Import what a bot asks for; commands that connect to nothing start in half the time without it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
