"""A bot for tests in which somebody plays and nobody is in a hurry, as ``python -m tests.support.paced``
with the options of every bot. Where only programs sit there is no pause between hands: a table with a faster
one keeps the machine busy for as long as a test looks on.
"""

from __future__ import annotations

import sys
import time

from clients.examples.caller import Caller
from pokerd_bot import Action, Turn, run

#: The command that starts it.
PACED = (sys.executable, "-m", "tests.support.paced")


class Paced(Caller):
    """Acts as the first bot of the tutorial does, a moment later."""

    def act(self, turn: Turn) -> Action:
        time.sleep(0.005)
        return super().act(turn)


if __name__ == "__main__":
    raise SystemExit(run(Paced))
