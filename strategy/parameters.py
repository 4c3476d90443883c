"""Parameters of a strategy: frozen dataclasses, read from plain values with strict checks.

Fields are made with ``number_field``, ``numbers_field``, ``int_field``, ``bool_field``, ``choice_field`` or
``path_field``, which define the allowed values; conditions on several fields are checked in
``__post_init__``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn, TypeVar

from strategy.errors import StrategyError

T = TypeVar("T")


class BadParameters(StrategyError):
    """Parameters that a strategy cannot use: which ``key``, its ``value``, and what is ``allowed``."""

    code = "bad_parameters"

    def __init__(self, key: str, value: object, allowed: str) -> None:
        shown = repr(value)
        super().__init__(f"{key} = {shown if len(shown) <= 80 else f'{shown[:77]}...'}: {allowed}")
        self.key = key
        self.value = value
        self.allowed = allowed


class Setting(NamedTuple):
    """A field: what it means, its default, and in words what is allowed. ``convert`` returns the value to
    store, or raises ValueError.

    For forms: its ``kind``; ``least`` and ``most`` of a number; the ``choices`` of words; the possible
    ``lengths`` of a list.
    """

    kind: Literal["number", "whole", "numbers", "switch", "choice", "path"]
    meaning: str
    default: object
    allowed: str
    convert: Callable[[object], object]
    least: float = 0
    most: float = 0
    choices: tuple[str, ...] = ()
    lengths: tuple[int, ...] = ()


def _field(setting: Setting, *, stranger: Setting | None) -> Any:
    """Return a field; ``stranger`` is what somebody may set who is not trusted with our time and files."""
    return dataclasses.field(default=setting.default, metadata={"setting": setting, "stranger": stranger})


def _plain_field(setting: Setting) -> Any:
    return _field(setting, stranger=setting)


def _if(holds: Callable[[Any], bool]) -> Callable[[object], object]:
    """What takes the values for which this holds as they are."""

    def convert(value: object) -> object:
        if not holds(value):
            raise ValueError
        return value

    return convert


def _real(value: object, low: float, high: float) -> float:
    # A bool is an int in Python, and NaN is in no range.
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError
    return float(value)


def number_field(meaning: str, default: float, low: float, high: float) -> Any:
    """Return a field for a number from ``low`` to ``high``."""
    allowed = f"a number from {low:g} to {high:g}"
    return _plain_field(
        Setting("number", meaning, default, allowed, lambda v: _real(v, low, high), low, high)
    )


def numbers_field(
    meaning: str, default: tuple[float, ...], lengths: tuple[int, ...], low: float, high: float
) -> Any:
    """Return a field for a tuple of numbers whose length is one of ``lengths``; if 1 is among them, a plain
    number is a tuple of one.
    """

    def convert(value: object) -> object:
        if 1 in lengths and isinstance(value, int | float):
            value = (value,)
        if not isinstance(value, list | tuple) or len(value) not in lengths:
            raise ValueError
        return tuple(_real(one, low, high) for one in value)

    many = " or ".join(map(str, lengths))
    allowed = f"{many} numbers from {low:g} to {high:g}"
    return _plain_field(Setting("numbers", meaning, default, allowed, convert, low, high, lengths=lengths))


def int_field(meaning: str, default: int, low: int, high: int, *, stranger_high: int | None = None) -> Any:
    """Return a field for a whole number from ``low`` to ``high``; up to ``stranger_high`` if a stranger sets
    it, because it costs us time.
    """

    def setting(most: int) -> Setting:
        convert = _if(lambda value: type(value) is int and low <= value <= most)
        return Setting("whole", meaning, default, f"a whole number from {low} to {most}", convert, low, most)

    return _field(setting(high), stranger=setting(high if stranger_high is None else stranger_high))


def bool_field(meaning: str, default: bool) -> Any:
    """Return a field that is on or off."""
    convert = _if(lambda value: type(value) is bool)
    return _plain_field(Setting("switch", meaning, default, "true or false", convert))


def path_field(meaning: str, default: str) -> Any:
    """Return a field for a file name, or "" for none. Strangers name no files of ours."""
    convert = _if(lambda value: isinstance(value, str) and "\0" not in value)
    return _field(Setting("path", meaning, default, "the path of a file", convert), stranger=None)


def choice_field(meaning: str, default: str, *values: str) -> Any:
    """Return a field for one of several words."""
    convert = _if(lambda value: value in values)
    allowed = " or ".join(f'"{one}"' for one in values)
    return _plain_field(Setting("choice", meaning, default, allowed, convert, choices=values))


def settings_of(kind: type, *, stranger: bool = False) -> dict[str, Setting]:
    """Return the settings of a parameters type by name; only those that a ``stranger`` may set, within his
    limits.
    """
    key = "stranger" if stranger else "setting"
    return {
        field.name: field.metadata[key]
        for field in dataclasses.fields(kind)
        if field.metadata[key] is not None
    }


def plain_value(value: Any) -> Any:
    """Return a value as JSON has it."""
    return list(value) if isinstance(value, tuple) else value


def changed_values(parameters: Any) -> dict[str, Any]:
    """Return the plain values that differ from the defaults."""
    found = {
        field.name: (getattr(parameters, field.name), field.default)
        for field in dataclasses.fields(parameters)
    }
    return {name: plain_value(value) for name, (value, default) in found.items() if value != default}


def verify_fields(parameters: Any) -> None:
    """Check each field on its own, for ``__post_init__``; numbers become floats. Raises BadParameters."""
    for field in dataclasses.fields(parameters):
        value = getattr(parameters, field.name)
        object.__setattr__(parameters, field.name, _converted(field.name, field.metadata["setting"], value))


def _converted(name: str, setting: Setting, value: object) -> object:
    try:
        return setting.convert(value)
    except ValueError:
        raise BadParameters(name, value, f"must be {setting.allowed}") from None


def read_parameters(kind: type[T], values: Mapping[str, object], *, stranger: bool = False) -> T:
    """Return parameters of type ``kind`` from plain values; missing ones keep their defaults.

    Raises BadParameters for an unknown key, a wrong type, a value out of range, or what a ``stranger`` may
    not set.
    """
    known = settings_of(kind, stranger=stranger)
    for key, value in values.items():
        if key not in known:
            what = f"there are {', '.join(known)}" if known else "this bot has no parameters"
            raise BadParameters(key, value, f"unknown; {what}")
        _converted(key, known[key], value)
    return kind(**values)


def load_values(given: str) -> dict[str, object]:
    """Return the values in the TOML file of that name, or in ``given`` itself if that is a JSON object.

    Raises BadParameters if it is neither. Text that is JSON, or begins like an object or a list, is not a
    file name.
    """
    import json
    import tomllib

    try:
        values = json.loads(given)
    except ValueError as error:
        if given.lstrip().startswith(("{", "[")):
            _bad_file(given, f"not JSON: {error}")
    else:
        if not isinstance(values, dict):
            _bad_file(given, "not a JSON object, nor the name of a file")
        return values
    try:
        return tomllib.loads(Path(given).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        _bad_file(given, f"not TOML: {error}")
    except (OSError, UnicodeDecodeError) as error:
        _bad_file(given, f"cannot be read: {error}")


def _bad_file(given: str, why: str) -> NoReturn:
    raise BadParameters("parameters", given, why)
