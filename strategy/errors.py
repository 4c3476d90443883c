"""The root of the errors of strategies, solvers and their files."""

from __future__ import annotations

from dealer.rules.errors import CodedError


class StrategyError(CodedError):
    """Base of the errors of strategies and solvers."""
