"""The root of the errors of the server and of the commands that start one."""

from __future__ import annotations

from dealer.rules.errors import CodedError

__all__ = ["ServerError"]


class ServerError(CodedError):
    """Base of what this room refuses or cannot do."""
