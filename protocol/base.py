"""The base class of all messages, and the field types they share."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

Name = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]+$")]
TableId = Annotated[str, Meta(min_length=1, max_length=64)]
Token = Annotated[str, Meta(max_length=256)]
Chips = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]

# The values that a form sends are validated one by one, so that it can point at the wrong field.
FormInt = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]
FormText = Annotated[str, Meta(max_length=256)]

Choice = tuple[Literal["fold", "check", "call", "raise"], Chips, Annotated[float, Meta(ge=0, le=1)]]
"""An action that a bot could have drawn: the action, the total of a raise (otherwise 0), its probability."""


class Message(Struct, tag_field="type", frozen=True, omit_defaults=True, gc=False):
    """A message: an object with a ``type``."""
