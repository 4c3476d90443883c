"""Lines of chat: what may be said, and the last that were; and what people may be called."""

from __future__ import annotations

import unicodedata
from typing import Final

from server.auth.confusables import is_one_script

__all__ = ["MAX_CHAT_LINES", "MAX_TEXT", "is_valid_name", "is_plain_text"]

#: Characters in a line.
MAX_TEXT: Final = 200
#: Lines that whoever comes is told.
MAX_CHAT_LINES: Final = 50

#: Control characters, surrogates, private ones, ends of lines and of paragraphs.
_UNPRINTABLE: Final = frozenset({"Cc", "Cs", "Co", "Zl", "Zp"})
#: What cannot be seen although it is no blank to ``strip``, such as U+200B.
_INVISIBLE: Final = frozenset({"Cf", "Mn", "Me", "Zs"})
#: They would turn round the text that stands beside it.
_BIDI_CONTROLS: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


#: Letters and signs that look like a blank.
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def is_plain_text(text: str, max_length: int = MAX_TEXT) -> bool:
    """Whether a text is one line of 1 to ``most`` characters that nobody can be deceived with."""
    return (
        len(text) <= max_length
        and not _INVISIBLE.issuperset(map(unicodedata.category, text))
        and _BIDI_CONTROLS.isdisjoint(text)
        and _UNPRINTABLE.isdisjoint(map(unicodedata.category, text))
    )


def is_valid_name(text: str) -> bool:
    """Whether somebody may be called so: a plain text of one script in which nothing hides, and that no other
    name with something unseen in it looks like.
    """
    kinds = set(map(unicodedata.category, text))
    return (
        is_plain_text(text)
        and text == text.strip()
        and not kinds & {"Cf"}
        and _BLANK.isdisjoint(text)
        and not any(unicodedata.category(sign) == "Zs" and sign != " " for sign in text)
        and is_one_script(text)
    )
