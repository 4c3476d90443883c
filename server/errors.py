"""The root of the errors of the server and its commands."""

from __future__ import annotations

from dealer.rules.errors import CodedError


class ServerError(CodedError):
    """Base of the server's errors."""


def known_error(group: ExceptionGroup[Exception]) -> CodedError | None:
    """Return the first error in the group that has a code and is not an internal error."""
    for error in group.exceptions:
        known = known_error(error) if isinstance(error, ExceptionGroup) else error
        if isinstance(known, CodedError) and known.at_fault != "pokerd":
            return known
    return None
