"""The root of the errors of studies."""

from __future__ import annotations

from dealer.rules.errors import CodedError


class StudyError(CodedError):
    """Base of the errors of this package."""
