"""The types of fields and keys in the words of the documents."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import inspect

_SIMPLE: Mapping[type, str] = {
    inspect.FloatType: "number",
    inspect.BoolType: "bool",
    inspect.NoneType: "null",
    inspect.AnyType: "any",
}
#: The largest whole number that every JSON library reads exactly: no limit, for the reader.
_LARGEST = 2**53 - 1


def kind_text(kind: inspect.Type, structs: Mapping[type, str]) -> str:
    """A type as a document tells it; ``structs`` are the names of objects."""
    match kind:
        case inspect.IntType(ge=least, le=most):
            return _range_text(least, most)
        case inspect.StrType(min_length=least, max_length=most):
            return _length_text(least, most)
        case inspect.LiteralType(values=values):
            return ", ".join(f'`"{value}"`' for value in values)
        case inspect.UnionType(types=types):
            texts = list(dict.fromkeys(kind_text(one, structs) for one in types))
            if len(texts) > 3:
                return "any"
            return "number" if set(texts) == {"int", "number"} else " or ".join(texts)
        case inspect.TupleType(item_types=types):
            return f"[{', '.join(kind_text(one, structs) for one in types)}]"
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            return f"[{kind_text(item, structs)}, ...]"
        case inspect.DictType(value_type=value):
            return f"{{text: {kind_text(value, structs)}}}"
        case inspect.StructType(cls=cls):
            return structs[cls]
    return _SIMPLE[type(kind)]


def _range_text(least: float | None, most: float | None) -> str:
    if least is None or least == -_LARGEST:
        return "int"
    if most is None:
        return f"int, from {least}"
    return f"int ≥ {least}" if most == _LARGEST else f"int, {least} to {most}"


def _length_text(least: int | None, most: int | None) -> str:
    if most is None:
        return "text"
    return f"text, up to {most}" if least is None else f"text, {least} to {most}"
