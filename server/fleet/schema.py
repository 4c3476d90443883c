"""The tables that a fleet shares, in the schema ``pokerd``; those of the job queue are in ``procrastinate``.

``docs/fleet.md`` describes them; a test compares it with this file.
"""

from __future__ import annotations

from typing import Final

from server.storage.sqlite import Schema

#: The schema of the library's tables, used as the search path of every connection.
QUEUE_SCHEMA: Final = "procrastinate"

#: The migrations from each version of the schema to the next; ``pokerd.schema`` counts them.
STEPS: Final = (
    """
    CREATE TABLE pokerd.competitions (
        competition text PRIMARY KEY,
        name text NOT NULL,
        file text NOT NULL,
        games text NOT NULL,
        deck text NOT NULL,
        seed text NOT NULL,
        state text NOT NULL DEFAULT 'playing' CHECK (state IN ('playing', 'done', 'failed')),
        failure text NOT NULL DEFAULT '',
        begun timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE pokerd.sessions (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        competition text NOT NULL REFERENCES pokerd.competitions ON DELETE CASCADE,
        session text NOT NULL,
        place integer NOT NULL,
        remote boolean NOT NULL,
        state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'playing', 'done')),
        attempt integer NOT NULL DEFAULT 0,
        job bigint,
        node text,
        url text,
        present text[] NOT NULL DEFAULT '{}',
        outcome text,
        incidents text,
        taken boolean NOT NULL DEFAULT false,
        UNIQUE (competition, session)
    );
    CREATE INDEX sessions_waiting ON pokerd.sessions (competition, remote, place)
        WHERE state <> 'done' AND job IS NULL;
    CREATE INDEX sessions_queued ON pokerd.sessions (competition) WHERE state <> 'done' AND job IS NOT NULL;
    CREATE INDEX sessions_results ON pokerd.sessions (competition) WHERE state = 'done' AND NOT taken;
    CREATE TABLE pokerd.attempts (
        session bigint NOT NULL REFERENCES pokerd.sessions ON DELETE CASCADE,
        attempt integer NOT NULL,
        node text NOT NULL,
        state text NOT NULL DEFAULT 'playing' CHECK (state IN ('playing', 'cut', 'done')),
        begun timestamptz NOT NULL DEFAULT now(),
        ended timestamptz,
        PRIMARY KEY (session, attempt)
    );
    CREATE TABLE pokerd.journals (
        session bigint NOT NULL REFERENCES pokerd.sessions ON DELETE CASCADE,
        part integer NOT NULL,
        lines text NOT NULL,
        PRIMARY KEY (session, part)
    );
    CREATE TABLE pokerd.nodes (
        node text PRIMARY KEY,
        key text NOT NULL,
        worker bigint,
        url text NOT NULL,
        version text NOT NULL,
        since timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE pokerd.tickets (
        hash text PRIMARY KEY,
        session bigint NOT NULL REFERENCES pokerd.sessions ON DELETE CASCADE,
        attempt integer NOT NULL,
        bot text NOT NULL,
        expires timestamptz NOT NULL,
        known boolean NOT NULL DEFAULT false,
        used timestamptz
    );
    CREATE INDEX tickets_session ON pokerd.tickets (session, attempt);
    """,
    """
    ALTER TABLE pokerd.competitions
        ADD COLUMN coordinator text,
        ADD COLUMN seen timestamptz;
    """,
    """
    UPDATE pokerd.sessions SET outcome = '[' || outcome || ']' WHERE outcome IS NOT NULL;
    """,
    """
    ALTER TABLE pokerd.competitions ADD COLUMN brief boolean NOT NULL DEFAULT false;
    CREATE TABLE pokerd.programs (
        program text PRIMARY KEY,
        archive bytea NOT NULL,
        seen timestamptz NOT NULL DEFAULT now()
    );
    """,
)

#: The number, "pkrd", is that of the advisory lock that is held to create or migrate the tables.
FLEET_SCHEMA: Final = Schema("the tables of a fleet", 0x706B7264, STEPS)

#: The tables that must exist, ours and the library's.
TABLES: Final = (
    *FLEET_SCHEMA.tables,
    *("procrastinate.procrastinate_jobs", "procrastinate.procrastinate_workers"),
)
