"""The fields of messages: as a page's tables tell them, and as the program has them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import msgspec
from msgspec import inspect

from tests.docs.kinds import kind_text
from tests.docs.pages import code, rows


class Documented(msgspec.Struct, frozen=True):
    """A field as the page tells it, or as the program has it: both in the words of the page."""

    owner: str
    field: str
    kind: str
    default: str


def fields_of(owner: str, cls: type, names: Mapping[type, str]) -> Iterator[Documented]:
    """The fields of a message or object as the program has them; ``names`` are those of objects."""
    struct = inspect.type_info(cls)
    assert isinstance(struct, inspect.StructType)
    for field in struct.fields:
        default = ""
        if not field.required:
            value = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
            default = f"`{json.dumps(value)}`"
        yield Documented(owner, field.encode_name, kind_text(field.type, names), default)


def documented(text: str) -> Iterator[Documented]:
    """The fields that the tables of a text tell of; an empty first cell means the owner of the line above."""
    owner = ""
    for first, fields, kind, default, _ in rows(text):
        owner = first.strip("`") or owner
        for field in code(fields):
            yield Documented(owner, field, kind, default)


def tag(cls: type) -> str:
    name = cls.__struct_config__.tag  # type: ignore[attr-defined]
    assert isinstance(name, str)
    return name


def ordered(fields: Iterator[Documented] | list[Documented]) -> list[tuple[str, str, str, str]]:
    return sorted((one.owner, one.field, one.kind, one.default) for one in fields)
