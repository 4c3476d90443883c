"""The root of the errors of clients: the bridge, the administrator's client."""

from __future__ import annotations

from dealer.rules.errors import CodedError


class ClientError(CodedError):
    """Base of what this room refuses or cannot do."""
