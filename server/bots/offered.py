"""The house bots that may be seated at open tables, and what may be set for each."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from typing import Final, Literal, NamedTuple

from msgspec import Struct, json

from protocol.errors import Refused
from protocol.people import BotChoice, BotValue
from server.auth.confusables import name_keys

_NUMBER: Final = re.compile("[1-9][0-9]*")


class BotParameter(Struct, frozen=True):
    """A parameter of a house bot, as a form shows it: a ``number``, a ``whole`` number or ``numbers``, from
    ``least`` to ``most``; a ``switch``, which is true or false; or one of ``choices``. ``lengths``: how many
    numbers there may be.
    """

    name: str
    meaning: str
    kind: Literal["number", "whole", "numbers", "switch", "choice"]
    default: BotValue
    least: float = 0
    most: float = 0
    choices: tuple[str, ...] = ()
    lengths: tuple[int, ...] = ()


def _refuse(values: Mapping[str, BotValue]) -> dict[str, BotValue]:
    if values:
        raise ValueError("it has no parameters")
    return {}


class OfferedBot(NamedTuple):
    """A house bot: what it ``does``, and its ``parameters``. ``changes`` returns those of some values that
    differ from the defaults, and raises ``ValueError`` if a stranger may not set them.
    """

    does: str = ""
    parameters: tuple[BotParameter, ...] = ()
    changes: Callable[[Mapping[str, BotValue]], dict[str, BotValue]] = _refuse


HouseBots = Mapping[str, OfferedBot]
"""The house bots on offer, by name."""


def check_choice(field: str, choice: str | BotChoice, offered: HouseBots) -> str | BotChoice:
    """Return the bot that is asked for in ``field``: its name, if it has its default parameters.

    Raises ``Refused`` (``bad_table``, ``bad_parameters``).
    """
    name = bot_name(choice)
    bot = offered.get(name)
    if bot is None:
        detail = f"{field}: {name[:60]!r} is not one of {', '.join(sorted(offered))}"
        raise Refused("bad_table", detail, field=field)
    if isinstance(choice, str):
        return choice
    try:
        changes = bot.changes(choice.parameters)
    except ValueError as error:
        raise Refused("bad_parameters", f"{name}: {error}", field=field) from None
    return BotChoice(name, changes) if changes else name


def is_reserved(name: str, offered: Container[str]) -> bool:
    """Return whether a house bot may have this name, in any spelling: a bot's, and a number from 1."""
    parts = [key.rpartition("-") for key in name_keys(name)]
    return any(bot in offered and _NUMBER.fullmatch(number) is not None for bot, _, number in parts)


def bot_name(bot: str | BotChoice) -> str:
    """Return the name of the house bot."""
    return bot if isinstance(bot, str) else bot.bot


def bot_text(bot: str | BotChoice) -> str:
    """Return the bot as text without spaces, such as ``adaptive[fold_below=0.2;raise_at=0.45]``."""
    if isinstance(bot, str):
        return bot
    values = ";".join(f"{key}={json.encode(value).decode()}" for key, value in sorted(bot.parameters.items()))
    return f"{bot.bot}[{values}]"
