"""numba's compiler with a type: a compiled function is called as it was written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

__all__ = ["jit"]

_Function = TypeVar("_Function", bound=Callable[..., object])


def jit(function: _Function) -> _Function:
    """Compile at the first call for each set of argument types.

    The result is kept in ``__pycache__``, or where else numba may write, until the function's own file
    changes. That a compiled function it calls changed in another file is not noticed: delete ``__pycache__``
    then.
    """
    try:
        return cast(_Function, njit(cache=True)(function))
    except RuntimeError:
        # There is no place that may be written to.
        return cast(_Function, njit(function))
