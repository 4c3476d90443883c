"""``pokerd schema``: the messages as JSON Schema, or as types of another language."""

from __future__ import annotations

import argparse
import json

HELP = "print the protocol's messages as JSON Schema, or as TypeScript or Go types"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_schema)
    parser.add_argument(
        "--format", choices=("json", "typescript", "go"), default="json", help="output format (%(default)s)"
    )


def _schema(options: argparse.Namespace) -> int:
    from protocol.schema import go_types, json_schema, typescript_types

    if options.format == "json":
        print(json.dumps(json_schema(), indent=2))
    else:
        print(typescript_types() if options.format == "typescript" else go_types(), end="")
    return 0
