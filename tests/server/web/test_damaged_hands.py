"""Whatever is in any column of the hands of open tables: pages tell them, or a code, and it is no fault."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from dealer.deck import commitment
from dealer.rules.games import holdem
from tests.dealer.records.played import random_hand
from tests.support.houses.http_client import site

GAME: Final = holdem(3, 5, 10, stack=300)
JUNK: Final[tuple[Any, ...]] = (
    *(
        None,
        -1,
        2**62,
        1.5,
        b"\xff",
        "",
        "junk",
        "null",
        "[]",
        "{}",
        "[[]]",
        '[["x"]]',
        "[[1,[99]]]",
        "[" * 3000,
    ),
)
PATHS: Final = ("hands/table-1.1.0", "tables/table-1/hands", "tables/table-1.1", "challenges/table-1.1")


async def test_junk_in_any_column_is_no_fault(tmp_path: Path, no_error_logged: list[str]) -> None:
    source = random.Random(9)
    codes = set()
    async with site(tmp_path) as place:
        hand = random_hand(GAME, random.Random(1))
        recorder = place.archive.open_table(
            "table-1", mode="cash", game=GAME, seats=3, commitment=commitment(bytes(32))
        )
        recorder.begin(GAME, [(f"player {seat}", "") for seat in range(3)])
        recorder.record_hand(hand.events)
        assert f"{recorder.run}.{hand.number}" == "table-1.1.0"
        place.archive.queue_write("challenge", (1, 7, "{}"))
        place.archive.checkpoint()
        browser = place.browser()
        with closing(sqlite3.connect(place.archive.path, isolation_level=None)) as db:
            for table in ("runs", "hands", "challenges"):
                columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
                (kept,) = db.execute(f"SELECT * FROM {table}").fetchall()
                for place_of, column in enumerate(columns):
                    for junk in (*source.sample(JUNK, 3), "[" * 3000):
                        spoiled = [*kept[:place_of], junk, *kept[place_of + 1 :]]
                        marks = ", ".join("?" * len(kept))
                        db.execute(f"DELETE FROM {table}")
                        try:
                            db.execute(f"INSERT INTO {table} VALUES ({marks})", spoiled)
                        except sqlite3.Error:  # what this column may not have
                            continue
                        for path in PATHS:
                            answer = await browser.get(f"/api/{path}")
                            code = "" if answer.status == 200 else answer.json()["code"]
                            assert code in ("", "not_found", "bad_archive"), (column, junk, path, code)
                            codes.add(code)
                db.execute(f"DELETE FROM {table}")
                db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(kept))})", kept)
        assert (await browser.get(f"/api/{PATHS[0]}")).status == 200
    logged = list(no_error_logged)
    no_error_logged.clear()
    assert codes == {"", "not_found", "bad_archive"}
    assert all("'event': 'the archive cannot be read'" in line for line in logged)
