"""``make system``: installs what the tests need of the operating system, or says what it is."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tests.support.programs import ROOT

SCRIPT = ROOT / ".ci" / "system"


def run(*programs: str, root: bool = False) -> subprocess.CompletedProcess[str]:
    """Run it as somebody who may not install anything, or as whoever we are."""
    user = None if root or os.geteuid() else "nobody"
    # It is read by us: he need not be allowed to look into this directory.
    return subprocess.run(
        ["bash", "-s", "--", *programs],
        input=SCRIPT.read_text("utf-8"),
        cwd="/",
        user=user,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_all_is_there_and_nothing_is_said() -> None:
    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_who_cannot_install_is_told_what_to_install() -> None:
    done = run("bash:bash", "no-such-program:one-package", "nor-this:another-package")
    assert (done.returncode, done.stdout) == (1, "")
    assert "apt-get install --no-install-recommends one-package another-package\n" in done.stderr


def test_the_programs_are_what_the_tests_start() -> None:
    """Every program that the list names is used, so that nobody installs what nothing needs."""
    (listed,) = re.findall(r"^programs=\((.*?)^\)", SCRIPT.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    names = [pair.split(":")[0] for pair in listed.split()]
    assert len(names) == len(set(names))
    tests = "".join(path.read_text("utf-8") for path in Path(ROOT / "tests").rglob("*.py"))
    pages = "".join(path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md"))
    for name in names:
        assert name in tests + pages, name
