from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from strategy.jit import jit


def test_a_function_that_cannot_be_kept_is_compiled_all_the_same() -> None:
    # It has no file, so there is none to keep it beside.
    names: dict[str, Callable[[int], int]] = {}
    exec("def twice(number):\n    return 2 * number", names)
    assert jit(names["twice"])(4) == 8


def test_cheap_bots_start_without_the_compiler() -> None:
    code = (
        "import sys\n"
        "import strategy.registry, strategy.baseline.fair, strategy.baseline.simple\n"
        "import strategy.poker.combos, strategy.poker.income\n"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
