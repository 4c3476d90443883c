"""The base class of the SDK's errors."""

from __future__ import annotations

from dealer.rules.errors import CodedError


class BotError(CodedError):
    """Base of all SDK errors; a ``ValueError`` with a ``code``."""
