"""What can be wrong with an environment, beside the errors of ``strategy.batch``."""

from __future__ import annotations

from dealer.rules.errors import CodedError


class EnvError(CodedError):
    """Base of the errors of environments."""


class MissingLibrary(EnvError):
    """A library that an environment is made for is not installed."""

    code = "missing_library"
    at_fault = "environment"


class BadPolicy(EnvError):
    """A policy that cannot be imported or called, or whose answer is not one action for each observation."""

    code = "bad_policy"
    at_fault = "player"
