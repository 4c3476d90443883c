"""The loggers of all modules: structlog's, without rich.

structlog imports rich where it can, for colourful tracebacks: a fourth of a server's start. Nor should a log
have what these show of local variables, which may be cards, seeds and tokens.
"""

from __future__ import annotations

import sys
from typing import Any

_rich = sys.modules.get("rich")
sys.modules["rich"] = None  # type: ignore[assignment]  # what cannot be imported
try:
    import structlog as structlog  # noqa: PLC0414 (for logging_setup, which configures it)
finally:
    del sys.modules["rich"]
    if _rich is not None:
        sys.modules["rich"] = _rich


def get_logger(name: str) -> Any:
    """Return the logger called ``name``, which begins with ``pokerd.``"""
    return structlog.get_logger(name)  # noqa: TID251 (here it is)
