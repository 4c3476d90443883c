"""What can be wrong with an environment, beside the errors of ``strategy.batch``."""

from __future__ import annotations

from dealer.rules.errors import CodedError


class EnvError(CodedError):
    """Base of the errors of environments."""


class MissingLibrary(EnvError):
    """A library that an environment is made for is not installed."""

    code = "missing_library"
    at_fault = "environment"


class BadAction(EnvError):
    """Actions that are no whole numbers, are of another shape than the space's, or are missing."""

    code = "bad_action"
    at_fault = "player"


class BadPlayer(EnvError):
    """A player that a game does not have, or that is asked when another is to act."""

    code = "bad_player"


class BadReset(EnvError):
    """Seeds, or a ``reset_mask``, that are not one for each table."""

    code = "bad_reset"


class ResetFirst(EnvError):
    """A step before the first hand, or after the end of one."""

    code = "reset_first"


class BadPolicy(EnvError):
    """A policy that cannot be imported or called, or whose answer is not one action for each observation."""

    code = "bad_policy"
    at_fault = "player"
