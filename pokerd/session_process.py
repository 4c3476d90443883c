"""What ``compete --processes`` starts: ``python -m pokerd.session_process DESCRIPTOR``."""

from __future__ import annotations

import sys

from server.commands.session_process import session_process

if __name__ == "__main__":
    session_process(int(sys.argv[1]))
