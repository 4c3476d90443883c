"""The root of the errors of the SDK."""

from __future__ import annotations

from dealer.rules.errors import CodedError

__all__ = ["BotError"]


class BotError(CodedError):
    """Base of what the SDK refuses or cannot do; a ``ValueError`` with a ``code``."""
