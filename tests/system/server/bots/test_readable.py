"""A program that looks for what it must not read."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.cage import CONFINED, cage, lay

THIEF = """
import json, os, sys
def tried(path):
    try:
        return open(path).read()
    except OSError:
        return ""
found = {path: tried(os.path.join(sys.argv[1], path)) for path in json.loads(sys.argv[2])}
import helper
print(json.dumps(sorted(path for path, text in found.items() if text)))
"""


async def test_a_thief_finds_no_secret_beside_his_program(tmp_path: Path) -> None:
    """Data of other servers, keys, environments; he reads what is nobody's secret, and his own program."""
    secret = [
        "old/access.json",
        "old/cookie.secret",
        "deep/er/state.db",
        "deep/er/notes",
        "key.pem",
        "bots/mine.key",
    ]
    start = lay(tmp_path / "start", *secret, ".env", "plain/file", "bots/table.csv")
    (start / "key.pem").chmod(0o600)
    (start / "bots" / "mine.key").chmod(0o600)
    (start / "bots" / "helper.py").write_text("")
    program = start / "bots" / "thief.py"
    program.write_text(THIEF)
    program.chmod(0o600)  # it is named: so it may be read
    wanted = [*secret, ".env", "plain/file", "bots/table.csv"]
    async with cage(tmp_path) as one:
        assert await one.run([str(program), str(start), json.dumps(wanted)]) == 0, one.said()
        found = json.loads(one.said())
    open_ones = ["bots/table.csv", "plain/file"]
    assert found == (open_ones if CONFINED else sorted(wanted))
