"""Is killed in the middle of a hand, with no chance to say anything."""

import os
import signal

from tests.zoo.keeper import come_in, play

play(come_in(), turns=5)
os.kill(os.getpid(), signal.SIGKILL)
