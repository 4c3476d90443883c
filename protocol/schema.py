"""The messages for other languages: JSON Schema, TypeScript types and Go types, all generated from the
classes in ``protocol.messages``, ``protocol.people`` and ``protocol.tournament``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, get_args

import msgspec
from msgspec import inspect

from protocol.messages import ClientMessage, ServerMessage

_UNIONS: Final = {"ClientMessage": ClientMessage, "ServerMessage": ServerMessage}
_TYPESCRIPT: Final = {
    inspect.StrType: "string",
    inspect.IntType: "number",
    inspect.FloatType: "number",
    inspect.BoolType: "boolean",
    inspect.NoneType: "null",
    inspect.AnyType: "unknown",
}
_GO: Final = {
    inspect.StrType: "string",
    inspect.IntType: "int64",
    inspect.FloatType: "float64",
    inspect.BoolType: "bool",
    inspect.AnyType: "any",
}


def json_schema() -> dict[str, Any]:
    """Return a JSON Schema (draft 2020-12) for the frames of both sides.

    Its ``$defs`` contain every message by class name; ``ClientMessage`` and ``ServerMessage`` (any message of
    a side); ``ClientFrame`` and ``ServerFrame`` (a message or an array of them).
    """
    unions, definitions = msgspec.json.schema_components(_UNIONS.values(), ref_template="#/$defs/{name}")
    for name, union in zip(_UNIONS, unions, strict=True):
        definitions[name] = {"anyOf": union["anyOf"]}
        message = {"$ref": f"#/$defs/{name}"}
        frame = {"anyOf": [message, {"type": "array", "items": message}]}
        definitions[name.replace("Message", "Frame")] = frame
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "pokerd.v1.json",
        "description": "Unknown fields and message types may occur and must be ignored.",
        "anyOf": [{"$ref": "#/$defs/ClientFrame"}, {"$ref": "#/$defs/ServerFrame"}],
        "$defs": definitions,
    }


def typescript_types() -> str:
    """Return TypeScript declarations: an interface for each message and a union for each side."""
    parts = [_interface(struct) for struct in _structs()]
    for name, union in _UNIONS.items():
        kinds = "".join(f"\n  | {kind.__name__}" for kind in get_args(union))
        parts.append(f"export type {name} ={kinds};\n")
    return "\n".join(parts)


def go_types() -> str:
    """Return Go types: a struct for each message. To decode, read the type first."""
    return "package pokerd\n\n" + "\n".join(map(_go_struct, _structs()))


def _structs() -> list[inspect.StructType]:
    """Return all messages and the structs in them, innermost first."""
    found: dict[type, inspect.StructType] = {}
    for union in _UNIONS.values():
        for info in inspect.multi_type_info(get_args(union)):
            for struct in _inner_structs(info):
                found.setdefault(struct.cls, struct)
    return list(found.values())


def _inner_structs(info: inspect.Type) -> Iterator[inspect.StructType]:
    for child in _children(info):
        yield from _inner_structs(child)
    if isinstance(info, inspect.StructType):
        yield info


def _children(info: inspect.Type) -> list[inspect.Type]:
    match info:
        case inspect.StructType(fields=fields):
            return [field.type for field in fields]
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            return [item]
        case inspect.TupleType(item_types=items) | inspect.UnionType(types=items):
            return list(items)
        case inspect.Metadata(type=inner):
            return [inner]
    return []


def _is_optional(struct: inspect.StructType, field: inspect.Field) -> bool:
    """Return whether a field may be missing: its default is left out, or an older server does not know it."""
    return not field.required and bool(struct.cls.__struct_config__.omit_defaults or struct.tag)


def _interface(struct: inspect.StructType) -> str:
    lines = [f'  {struct.tag_field}: "{struct.tag}";'] if struct.tag_field else []
    for field in struct.fields:
        optional = "?" if _is_optional(struct, field) else ""
        lines.append(f"  {field.encode_name}{optional}: {_typescript(field.type)};")
    return f"export interface {struct.cls.__name__} {{\n" + "\n".join(lines) + "\n}\n"


def _typescript(info: inspect.Type) -> str:
    match info:
        case inspect.StructType(cls=cls):
            return str(cls.__name__)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            word = _typescript(item)
            return f"({word})[]" if " | " in word else f"{word}[]"
        case inspect.TupleType(item_types=items):
            return "[" + ", ".join(map(_typescript, items)) + "]"
        case inspect.UnionType(types=items):
            return " | ".join(dict.fromkeys(map(_typescript, items)))
        case inspect.LiteralType(values=values):
            return " | ".join(msgspec.json.encode(value).decode() for value in values)
        case inspect.Metadata(type=inner):
            return _typescript(inner)
        case inspect.DictType(value_type=value):
            return f"Record<string, {_typescript(value)}>"
    return _TYPESCRIPT[type(info)]


def _go_struct(struct: inspect.StructType) -> str:
    fields = [("Type", "string", struct.tag_field)] if struct.tag_field else []
    for field in struct.fields:
        name = "".join(part.capitalize() for part in field.encode_name.split("_"))
        kind, tag = _go(field.type), field.encode_name
        if _is_optional(struct, field):
            tag += ",omitempty"
            # A missing field means the default, so a zero that differs from the default must be sent.
            if field.default not in (msgspec.NODEFAULT, "", 0, False, None) and not kind.startswith("*"):
                kind = f"*{kind}"
        fields.append((name, kind, tag))
    names, kinds = (max(len(one[column]) for one in fields) for column in (0, 1))
    lines = [f'\t{name:{names}} {kind:{kinds}} `json:"{tag}"`' for name, kind, tag in fields]
    comment = f"// {struct.cls.__name__} has the type {struct.tag!r}.\n" if struct.tag_field else ""
    return f"{comment}type {struct.cls.__name__} struct {{\n" + "\n".join(lines) + "\n}\n"


def _go(info: inspect.Type) -> str:
    match info:
        case inspect.StructType(cls=cls):
            return str(cls.__name__)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            return f"[]{_go(item)}"
        case inspect.TupleType(item_types=items):
            kinds = {_go(item) for item in items}
            return f"[{len(items)}]{kinds.pop()}" if len(kinds) == 1 else "[]any"
        case inspect.UnionType(types=items):
            kinds = {_go(item) for item in items if not isinstance(item, inspect.NoneType)}
            if kinds <= {"int64", "float64"} and len(kinds) == 2:
                kinds = {"float64"}
            if len(kinds) > 1:
                return "any"
            can_be_null = any(isinstance(item, inspect.NoneType) for item in items)
            return "*" * can_be_null + kinds.pop()
        case inspect.LiteralType(values=values):
            return "string" if isinstance(values[0], str) else "int64"
        case inspect.Metadata(type=inner):
            return _go(inner)
        case inspect.DictType(value_type=value):
            return f"map[string]{_go(value)}"
    return _GO[type(info)]
