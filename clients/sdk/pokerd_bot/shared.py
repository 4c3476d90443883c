"""Imports ``dealer`` and ``protocol``, which the SDK shares with pokerd in its environment; the distribution
``pokerd-bot`` has copies.

A bot's folder may have files of these names, which Python would import in place of pokerd's packages. A
warning tells of them. Raises ``ImportError`` if the program has imported such a file already.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path


def _load() -> None:
    advice = "rename it, or use the SDK without pokerd: docs/sdk.md, Install"
    folder, sys.path[:1] = sys.path[:1], []
    try:
        for name in ("dealer", "protocol"):
            own = Path(*folder, f"{name}.py")
            if not hasattr(sys.modules.setdefault(name, import_module(name)), "__path__"):
                raise ImportError(f"{name}.py has the name of a package of pokerd; {advice}")
            if own.is_file():
                warnings.warn(f"import {name} imports pokerd's package, not {own}; {advice}", stacklevel=4)
    finally:
        sys.path[:0] = folder


if find_spec("pokerd_bot._dealer") is None:
    _load()
