"""Parameters of a strategy: frozen dataclasses, read from plain values with strict checks.

Fields are made with ``number_field``, ``numbers_field``, ``int_field``, ``bool_field``, ``choice_field`` or
``path_field``, which define the allowed values; conditions on several fields are checked in
``__post_init__``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

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


class _Domain(NamedTuple):
    """The values of a field: ``convert`` returns the value to store, or raises ValueError."""

    allowed: str
    convert: Callable[[object], object]


def _field(default: object, domain: _Domain) -> Any:
    return dataclasses.field(default=default, metadata={"domain": domain})


def _real(value: object, low: float, high: float) -> float:
    # A bool is an int in Python, and NaN is in no range.
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError
    return float(value)


def number_field(default: float, low: float, high: float) -> Any:
    """Return a field for a number from ``low`` to ``high``."""
    return _field(default, _Domain(f"a number from {low:g} to {high:g}", lambda v: _real(v, low, high)))


def numbers_field(default: tuple[float, ...], counts: tuple[int, ...], low: float, high: float) -> Any:
    """Return a field for a tuple of numbers whose length is one of ``counts``; if 1 is among them, a plain
    number is a tuple of one.
    """

    def convert(value: object) -> object:
        if 1 in counts and isinstance(value, int | float):
            value = (value,)
        if not isinstance(value, list | tuple) or len(value) not in counts:
            raise ValueError
        return tuple(_real(one, low, high) for one in value)

    many = " or ".join(map(str, counts))
    return _field(default, _Domain(f"{many} numbers from {low:g} to {high:g}", convert))


def int_field(default: int, low: int, high: int) -> Any:
    """Return a field for a whole number from ``low`` to ``high``."""

    def convert(value: object) -> object:
        if type(value) is not int or not low <= value <= high:
            raise ValueError
        return value

    return _field(default, _Domain(f"a whole number from {low} to {high}", convert))


def bool_field(default: bool) -> Any:
    """Return a field that is on or off."""

    def convert(value: object) -> object:
        if type(value) is not bool:
            raise ValueError
        return value

    return _field(default, _Domain("true or false", convert))


def path_field(default: str) -> Any:
    """Return a field for a file name, or "" for none."""

    def convert(value: object) -> object:
        if not isinstance(value, str) or "\0" in value:
            raise ValueError
        return value

    return _field(default, _Domain("the path of a file", convert))


def choice_field(default: str, *values: str) -> Any:
    """Return a field for one of several words."""

    def convert(value: object) -> object:
        if value not in values:
            raise ValueError
        return value

    return _field(default, _Domain(" or ".join(f'"{one}"' for one in values), convert))


def allowed_values(kind: type) -> dict[str, tuple[object, str]]:
    """Return for each field of a parameters type its default, and its allowed values in words."""
    return {
        field.name: (field.default, field.metadata["domain"].allowed) for field in dataclasses.fields(kind)
    }


def verify_fields(parameters: Any) -> None:
    """Check each field on its own, for ``__post_init__``; numbers become floats. Raises BadParameters."""
    for field in dataclasses.fields(parameters):
        value = getattr(parameters, field.name)
        domain: _Domain = field.metadata["domain"]
        try:
            kept = domain.convert(value)
        except ValueError:
            raise BadParameters(field.name, value, f"must be {domain.allowed}") from None
        object.__setattr__(parameters, field.name, kept)


def read_parameters(kind: type[T], values: Mapping[str, object]) -> T:
    """Return parameters of type ``kind`` from plain values; missing ones keep their defaults.

    Raises BadParameters for an unknown key, a wrong type, or a value out of range.
    """
    known = allowed_values(kind)
    for key, value in values.items():
        if key not in known:
            raise BadParameters(key, value, f"unknown; there are {', '.join(known)}")
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
