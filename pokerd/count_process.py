"""What counts the hands of an archive: ``python -m pokerd.count_process FILE SINCE UNTIL PART PARTS``."""

from __future__ import annotations

import sys

from server.people.player_styles import count_process

if __name__ == "__main__":
    count_process(sys.argv[1:])
