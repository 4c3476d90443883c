"""``python -m tests.chaos.small_disk FILE DISK COPY SIZE...``, in a mount namespace of its own: play FILE on
a disk of the first size, go on when it has the next, and so on; then the directory is copied to COPY.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.programs import PYTHON

if __name__ == "__main__":
    file, disk, copy = map(Path, sys.argv[1:4])
    options = ["-o", f"size={sys.argv[4]}"]
    subprocess.run(["mount", "-t", "tmpfs", *options, "tmpfs", str(disk)], check=True)
    for size in sys.argv[4:]:
        subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)
        command = [PYTHON, "-m", "pokerd", "compete", str(file), "--out", str(disk / "out")]
        played = subprocess.run(command, check=False)
        sys.stdout.write(f"{size}: {played.returncode}\n")
        sys.stdout.flush()
    shutil.copytree(disk / "out", copy)
