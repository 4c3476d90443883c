"""Starts two children and leaves them behind: one in its process group, one in a session of its own."""

import subprocess
import sys

from tests.zoo.keeper import come_in, play

WAIT = [sys.executable, "-c", "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"]

socket = come_in()
play(socket, turns=3)
subprocess.Popen(WAIT)
subprocess.Popen(WAIT, start_new_session=True)
raise SystemExit(0)
