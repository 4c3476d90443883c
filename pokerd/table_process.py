"""What ``serve --workers`` starts: ``python -m pokerd.table_process DESCRIPTOR``."""

from __future__ import annotations

import sys

from pokerd.commands.serve import offered_bots
from server.commands.table_process import table_process

if __name__ == "__main__":
    table_process(int(sys.argv[1]), offered_bots())
