"""Blind mode: pseudonyms for the bots of others. Pure."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import Final

_CONSONANTS: Final = "bdfghjklmnprstvz"
_VOWELS: Final = "aiou"


def pseudonym(key: bytes, bot: str) -> str:
    """Return what a bot is called in a blind ladder with this ``key``, such as ``lusab-babad``: 32 bits as a
    proquint (Wilkerson 2009, "A Proposal for Proquints", arXiv:0901.4016).
    """
    value = int.from_bytes(hmac.digest(key, f"pseudonym {bot}".encode(), "sha256")[:4])
    return "-".join(_word(part) for part in (value >> 16, value & 0xFFFF))


def _word(value: int) -> str:
    return "".join(
        letters[value >> shift & len(letters) - 1]
        for letters, shift in (
            (_CONSONANTS, 12),
            (_VOWELS, 10),
            (_CONSONANTS, 6),
            (_VOWELS, 4),
            (_CONSONANTS, 0),
        )
    )


class Names:
    """How one reader sees names. ``shown``: the bots whose names he may know; None for all of them."""

    def __init__(self, key: bytes, shown: Iterable[str] | None = None) -> None:
        self._key = key
        self._shown = None if shown is None else frozenset(shown)

    @property
    def hides_any(self) -> bool:
        """Whether there are names that the reader may not know."""
        return self._shown is not None

    def hides(self, bot: str) -> bool:
        """Return whether the reader may not know the name of a bot."""
        return self._shown is not None and bool(bot) and bot not in self._shown

    def of(self, name: str) -> str:
        """Return how a bot (``ann``) or version (``ann@7``) is called for the reader."""
        bot, at, number = name.partition("@")
        return f"{pseudonym(self._key, bot)}{at}{number}" if self.hides(bot) else name

    def real(self, name: str, bots: Iterable[str]) -> str | None:
        """Return the bot or version of ``bots`` that the reader calls so, or None."""
        called, at, number = name.partition("@")
        found = next((bot for bot in bots if self.of(bot) == called), None)
        return None if found is None else f"{found}{at}{number}"
