"""The tables of the file of open tables, and the statements that write to it (``server.storage.hand_db``)."""

from __future__ import annotations

from typing import Final

from server.storage.sqlite import Schema

#: "pkrh". The first migration also upgrades files without a version. A table's ``state`` is JSON
#: (``server.tables.snapshot``); for ``people`` see ``server.people.results``, and for ``plays``
#: ``server.people.same_deals``.
HAND_SCHEMA: Final = Schema(
    "a file of hands of open tables",
    0x706B7268,
    (
        """
        CREATE TABLE IF NOT EXISTS runs (
            run INTEGER PRIMARY KEY,
            table_name TEXT NOT NULL, mode TEXT NOT NULL, game TEXT NOT NULL, game_text TEXT NOT NULL,
            seats INTEGER NOT NULL, commitment TEXT NOT NULL, seed TEXT NOT NULL DEFAULT '',
            opened_at INTEGER NOT NULL, closed_at INTEGER, kind TEXT NOT NULL DEFAULT ''
        );
        CREATE TABLE IF NOT EXISTS hands (
            run INTEGER NOT NULL, number INTEGER NOT NULL, played_at INTEGER NOT NULL,
            game TEXT NOT NULL, game_text TEXT NOT NULL, seated TEXT NOT NULL, events TEXT NOT NULL,
            showed TEXT NOT NULL DEFAULT '[]',
            PRIMARY KEY (run, number)
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS hands_by_age ON hands (played_at);
        CREATE INDEX IF NOT EXISTS runs_of_a_table ON runs (table_name, run);
        CREATE TABLE IF NOT EXISTS challenges (
            run INTEGER PRIMARY KEY, at INTEGER NOT NULL, result TEXT NOT NULL
        );
        """,
        "CREATE TABLE tables (name TEXT PRIMARY KEY, state TEXT NOT NULL)",
        "CREATE TABLE course (carried INTEGER NOT NULL); INSERT INTO course VALUES (0)",
        """
        CREATE TABLE people (
            result INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, day TEXT NOT NULL,
            hands INTEGER NOT NULL, setting TEXT NOT NULL, sums TEXT NOT NULL, matches TEXT NOT NULL
        )
        """,
        "ALTER TABLE course ADD COLUMN worker INTEGER NOT NULL DEFAULT 0",
        """
        ALTER TABLE challenges ADD COLUMN setup TEXT NOT NULL DEFAULT '';
        CREATE TABLE plays (
            deals TEXT NOT NULL, who TEXT NOT NULL, run INTEGER NOT NULL, at INTEGER NOT NULL DEFAULT 0,
            net REAL, PRIMARY KEY (deals, who)
        ) WITHOUT ROWID;
        CREATE INDEX plays_by_player ON plays (who, deals)
        """,
        # The hands of each person.
        """
        CREATE TABLE own_hands (
            identity TEXT NOT NULL, at INTEGER NOT NULL, run INTEGER NOT NULL, number INTEGER NOT NULL,
            PRIMARY KEY (identity, run, number)
        ) WITHOUT ROWID;
        CREATE INDEX own_hands_by_age ON own_hands (identity, at);
        CREATE INDEX owners_of_a_hand ON own_hands (run, number);
        CREATE TRIGGER hand_deleted AFTER DELETE ON hands BEGIN
            DELETE FROM own_hands WHERE run = OLD.run AND number = OLD.number;
        END;
        INSERT OR IGNORE INTO own_hands
            SELECT json_extract(seat.value, '$[1]'), played_at, run, number
            FROM hands JOIN runs USING (run), json_each(
                CASE WHEN json_valid(seated) AND json_valid(events) THEN seated ELSE '[]' END
            ) AS seat
            WHERE table_name NOT LIKE '%-rival' AND json_extract(seat.value, '$[1]') != ''
                AND seat.key IN (SELECT value FROM json_each(events, '$[0][2]'))
        """,
        # Who leads: hands of one person against bots alone, in big blinds.
        """
        ALTER TABLE own_hands ADD COLUMN name TEXT NOT NULL DEFAULT '';
        ALTER TABLE own_hands ADD COLUMN won REAL;
        CREATE INDEX hands_against_bots ON own_hands (at) WHERE won IS NOT NULL
        """,
        # Without rowids most of a hand stood on a page of its own, which took three times the space.
        """
        ALTER TABLE hands RENAME TO old_hands;
        CREATE TABLE hands (
            run INTEGER NOT NULL, number INTEGER NOT NULL, played_at INTEGER NOT NULL,
            game TEXT NOT NULL, game_text TEXT NOT NULL, seated TEXT NOT NULL, events TEXT NOT NULL,
            showed TEXT NOT NULL DEFAULT '[]'
        );
        INSERT INTO hands
            SELECT run, number, played_at, game, game_text, seated, events, showed
            FROM old_hands ORDER BY played_at, run, number;
        DROP TABLE old_hands;
        CREATE UNIQUE INDEX hands_by_number ON hands (run, number);
        CREATE INDEX hands_by_age ON hands (played_at);
        CREATE TRIGGER hand_deleted AFTER DELETE ON hands BEGIN
            DELETE FROM own_hands WHERE run = OLD.run AND number = OLD.number;
        END
        """,
    ),
)
#: What files lack that are older than challenges.
ADD_KIND_COLUMN: Final = "ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT ''"
#: The SQL for each kind of entry.
STATEMENTS: Final = {
    "run": "INSERT OR REPLACE INTO runs"
    " (run, table_name, mode, game, game_text, seats, commitment, opened_at, kind)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "over": "UPDATE runs SET seed = ?, closed_at = ? WHERE run = ? AND closed_at IS NULL",
    "hand": "INSERT OR REPLACE INTO hands (run, number, played_at, game, game_text, seated, events)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)",
    "own_hand": "INSERT OR REPLACE INTO own_hands (identity, at, run, number) VALUES (?, ?, ?, ?)",
    "hand_won": "INSERT OR REPLACE INTO own_hands (identity, at, run, number, name, won)"
    " VALUES (?, ?, ?, ?, ?, ?)",
    "showed": "UPDATE hands SET showed = json_insert(showed, '$[#]', json(?)) WHERE run = ? AND number = ?",
    "challenge": "INSERT OR REPLACE INTO challenges (run, at, result) VALUES (?, ?, ?)",
    "setup": "UPDATE challenges SET setup = ? WHERE run = ?",
    # The first try counts.
    "play": "INSERT OR IGNORE INTO plays (deals, who, run) SELECT ?1, ?2, ?3"
    " WHERE (SELECT count(*) FROM plays WHERE deals = ?1) < ?4",
    "played": "UPDATE plays SET at = ?, net = ? WHERE deals = ? AND who = ? AND run = ?",
    # Deals of challenges have names that come after all dates.
    "old_plays": "DELETE FROM plays WHERE deals < ?",
    "old_of_run": "DELETE FROM hands WHERE run = ? AND number <= ?",
    "oldest": "DELETE FROM hands WHERE (run, number) IN"
    " (SELECT run, number FROM hands ORDER BY played_at LIMIT ?)",
    "table": "INSERT INTO tables VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET state = excluded.state",
    "gone": "DELETE FROM tables WHERE name = ?",
    "person": "INSERT INTO people (key, day, hands, setting, sums, matches) VALUES (?, ?, ?, ?, ?, ?)",
    "person_gone": "DELETE FROM people WHERE key = ?",
}
INSERT_RUN: Final = (
    "INSERT INTO runs (table_name, mode, game, game_text, seats, commitment, opened_at, kind)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
