"""Rules for lines of chat and for names."""

from __future__ import annotations

import unicodedata
from typing import Final

from server.auth.confusables import is_one_script

#: Maximum length of a line.
MAX_TEXT: Final = 200
#: Number of past lines that a newcomer gets.
MAX_CHAT_LINES: Final = 50

#: Control characters, surrogates, private use, line and paragraph separators.
_UNPRINTABLE: Final = frozenset({"Cc", "Cs", "Co", "Zl", "Zp"})
#: Invisible characters that ``strip`` keeps, such as U+200B.
_INVISIBLE: Final = frozenset({"Cf", "Mn", "Me", "Zs"})
#: Characters that reverse the direction of text beside them.
_BIDI_CONTROLS: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


#: Letters and signs that look like a space.
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def is_plain_text(text: str, max_length: int = MAX_TEXT) -> bool:
    """Return whether a text is one line of 1 to ``max_length`` characters without deceptive ones."""
    return (
        len(text) <= max_length
        and not _INVISIBLE.issuperset(map(unicodedata.category, text))
        and _BIDI_CONTROLS.isdisjoint(text)
        and _UNPRINTABLE.isdisjoint(map(unicodedata.category, text))
    )


def is_valid_name(text: str) -> bool:
    """Return whether a name is valid: plain text of one script, without hidden characters."""
    kinds = set(map(unicodedata.category, text))
    return (
        is_plain_text(text)
        and text == text.strip()
        and not kinds & {"Cf"}
        and _BLANK.isdisjoint(text)
        and not any(unicodedata.category(sign) == "Zs" and sign != " " for sign in text)
        and is_one_script(text)
    )
