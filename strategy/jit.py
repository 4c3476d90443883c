"""A typed wrapper of numba's compiler."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit
from numba.core.dispatcher import Dispatcher

from strategy.sources import digest

_Function = TypeVar("_Function", bound=Callable[..., object])


def jit(function: _Function) -> _Function:
    """Compile at the first call for each set of argument types.

    The result is cached in ``__pycache__``, or in numba's other directory, until the function's own file or
    one that it imports changes.
    """
    return _compiled(function)


def lean_jit(function: _Function) -> _Function:
    """As ``jit``, for functions that make no arrays: without numba's counting of references (its runtime,
    "NRT"), which costs more than what such small functions do with the rows that they are given.
    """
    return _compiled(function, _nrt=False)


def jit_nogil(function: _Function) -> _Function:
    """As ``jit``, but release the GIL while the function runs."""
    return _compiled(function, nogil=True)


def vector_jit(function: _Function) -> _Function:
    """As ``jit``, for loops over vectors and for threads: without checks for division by zero, which prevent
    vector instructions, and without Python's lock.
    """
    return _compiled(function, error_model="numpy", nogil=True)


def _compiled(function: _Function, **options: Any) -> _Function:
    try:
        compiled = njit(cache=True, **options)(function)
    except RuntimeError:
        # No cache directory is writable.
        return cast(_Function, njit(**options)(function))
    if isinstance(compiled, Dispatcher):  # it is not with NUMBA_DISABLE_JIT
        # Numba compares the function's own file alone, and has no setting for more.
        index = cast(Any, compiled)._cache._cache_file  # noqa: SLF001
        whole = digest(Path(inspect.getfile(function)))
        index._source_stamp = (index._source_stamp, whole)  # noqa: SLF001
    return cast(_Function, compiled)
