"""The messages in TypeScript: ``python -m tests.web.types`` writes ``clients/web/lib/messages.d.ts``.

Editors and the test of types read that file; it is not kept in the repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
from msgspec import inspect

from protocol.messages import ClientMessage, ServerMessage

DECLARATIONS = Path(__file__).parents[2] / "clients" / "web" / "lib" / "messages.d.ts"
_WORDS = {
    inspect.StrType: "string",
    inspect.IntType: "number",
    inspect.FloatType: "number",
    inspect.BoolType: "boolean",
    inspect.NoneType: "null",
    inspect.AnyType: "unknown",
}


def declarations() -> str:
    """The text of ``messages.d.ts``."""
    unions = {"ClientMessage": get_args(ClientMessage), "ServerMessage": get_args(ServerMessage)}
    structs: dict[type, inspect.StructType] = {}
    for kinds in unions.values():
        for info in inspect.multi_type_info(kinds):
            for struct in _structs(info):
                structs.setdefault(struct.cls, struct)
    parts = ["// made by: python -m tests.web.types\n"]
    parts += [_interface(struct) for struct in structs.values()]
    for name, kinds in unions.items():
        parts.append(f"export type {name} =" + "".join(f"\n  | {kind.__name__}" for kind in kinds) + ";\n")
    return "\n".join(parts)


def _structs(info: inspect.Type) -> Iterator[inspect.StructType]:
    """The struct and those inside it, innermost first."""
    for child in _children(info):
        yield from _structs(child)
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


def _interface(struct: inspect.StructType) -> str:
    config = struct.cls.__struct_config__
    lines = [f'  {struct.tag_field}: "{struct.tag}";'] if struct.tag_field else []
    for field in struct.fields:
        # A field may be missing on the wire when its default is left out, or not known to an older server.
        optional = "" if field.required or not (config.omit_defaults or struct.tag) else "?"
        lines.append(f"  {field.encode_name}{optional}: {_word(field.type)};")
    return f"export interface {struct.cls.__name__} {{\n" + "\n".join(lines) + "\n}\n"


def _word(info: inspect.Type) -> str:
    match info:
        case inspect.StructType(cls=cls):
            return str(cls.__name__)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            word = _word(item)
            return f"({word})[]" if " | " in word else f"{word}[]"
        case inspect.TupleType(item_types=items):
            return "[" + ", ".join(map(_word, items)) + "]"
        case inspect.UnionType(types=items):
            return " | ".join(dict.fromkeys(map(_word, items)))
        case inspect.LiteralType(values=values):
            return " | ".join(msgspec.json.encode(value).decode() for value in values)
        case inspect.Metadata(type=inner):
            return _word(inner)
        case inspect.DictType(value_type=value):
            return f"Record<string, {_word(value)}>"
    return _WORDS[type(info)]


def write_declarations() -> None:
    """Write ``messages.d.ts``."""
    DECLARATIONS.write_text(declarations(), encoding="utf-8")


if __name__ == "__main__":
    write_declarations()
