"""What the bots of a match may know, and what is kept of what they print."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from server.bots.unpack import hash_of_files
from server.competition.verify import Difference
from server.ladder.ladder import Ladder
from server.ladder.matches import match_directory
from server.ladder.verify import verify_ladder
from tests.support.ladder import CALLER, Place, ladder_place, reopened_place, zipped

#: A program that prints who is at its table, and plays on.
NOSY = """\
from pokerd_bot import Bot, run


class Nosy(Bot):
    def __init__(self, match):
        super().__init__(match)
        print("I meet", *match.players, flush=True)
        {more}

    def act(self, turn):
        return turn.call()


raise SystemExit(run(Nosy))
"""


def _bots(ladder: Ladder, more: str = "pass") -> None:
    """Versions of ann and bob."""
    text = NOSY.format(more=more)
    program = ladder.folder / "versions" / hash_of_files({"bot.py": text.encode()}) / "bot.py"
    program.parent.mkdir(parents=True)
    program.write_text(text, encoding="utf-8")
    for author in ("ann", "bob"):
        ladder.store.add_version(author, "pushed", program.parent.name, ("{python}", "bot.py"), "rated", 10.0)


def _log(place: Place, version: str) -> str:
    return place.ladder.files.log_text(place.ladder.store.version(version))


@pytest.mark.parametrize("blind", [True, False])
async def test_bots_of_a_blind_ladder_meet_guests(tmp_path: Path, blind: bool) -> None:
    async with ladder_place(tmp_path, f"blind = {str(blind).lower()}") as place:
        ladder = place.ladder
        _bots(ladder)
        ladder.store.add_match(["ann@1", "bob@1"], "rated", 10.0)
        await ladder.run(1)
        for mine, other in (("ann@1", "bob@1"), ("bob@1", "ann@1")):
            assert "I meet" in _log(place, mine)
            assert (other in _log(place, mine)) is not blind
    config = place.ladder.folder / "ladder.toml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace(f"blind = {str(blind).lower()}", ""), encoding="utf-8")
    # Whether it is blind may be changed, and takes nothing from what was played.
    async with reopened_place(tmp_path, place.tokens):
        assert verify_ladder(place.ladder.folder).matches == 1


async def test_a_match_that_takes_too_long_leaves_its_log(tmp_path: Path) -> None:
    async with ladder_place(tmp_path, "blind = true\nfirst_match_s = 8") as place:
        ladder = place.ladder
        _bots(ladder, "import threading; threading.Event().wait()")
        ladder.store.add_match(["ann@1", "call"], "first", 10.0)
        await ladder.run(1)
        assert ladder.store.matches("failed")
        assert "I meet guest-" in _log(place, "ann@1")


async def test_of_what_a_bot_prints_the_end_is_kept(tmp_path: Path) -> None:
    async with ladder_place(tmp_path) as place:
        ladder = place.ladder
        _bots(ladder, 'print("x" * 300_000, "the end")')
        ladder.store.add_match(["ann@1", "call"], "rated", 10.0)
        await ladder.run(1)
        logs = [*(match_directory(ladder.folder, 1) / "logs" / "bots").glob("*.ann@1.log")]
        assert logs
        assert all(1000 < log.stat().st_size < 100_000 for log in logs)
        assert "the end" in _log(place, "ann@1")


async def test_whoever_changes_what_a_ladder_knows_is_found_out(tmp_path: Path) -> None:
    async with ladder_place(tmp_path) as place:
        ladder = place.ladder
        version = await ladder.push(ladder.author(place.tokens["ann"]), zipped(bot_py=CALLER, notes=b"mine"))
        ladder.store.set_state(version.name, "checking", 1.0)
        ladder.store.set_state(version.name, "ready", 1.0)
        ladder.store.add_match(["ann@1", "call"], "rated", 10.0)
        await ladder.run(1)
    folder = place.ladder.folder
    assert verify_ladder(folder).matches == 1
    for statement in (
        "UPDATE matches SET counts = 0",
        """UPDATE matches SET incidents = '{"ann@1": {"timeout": 1}}'""",
        "DELETE FROM matches",
        """INSERT INTO sums VALUES ('1', '["ann@1", "call"]', '[1, [9, -9], [81, -81, 81]]', NULL)""",
    ):
        whole = (folder / "ladder.db").read_bytes()
        with closing(sqlite3.connect(folder / "ladder.db")) as db, db:
            db.execute(statement)
        with pytest.raises(Difference):
            verify_ladder(folder)
        (folder / "ladder.db").write_bytes(whole)
    assert verify_ladder(folder).matches == 1
    (folder / "versions" / version.hash / "notes").write_text("yours", encoding="utf-8")
    with pytest.raises(Difference, match="ann@1"):
        verify_ladder(folder)
