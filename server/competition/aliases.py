"""Names of journals and logs while a competition is played.

A file that cannot be read still leaks its name, and any program of the same user can test whether a file
exists. So if bots must not know their opponents, or could remember the deals of a match, the file names
reveal neither until everything has been played.
"""

from __future__ import annotations

import hmac
from pathlib import Path

from dealer.match import Session
from server.competition.file import Competition


def journal_name(competition: Competition, session: Session) -> str:
    """Return the name, without suffix, of a session's journal in ``hands`` during play."""
    return competition.public_names(session)[0]


def log_name(competition: Competition, bot: str, session: Session | None = None) -> str:
    """Return the name, without suffix, of a bot's log: that of its process for ``session``, or of a bot that
    plays many sessions (None).
    """
    if session is not None:
        table, names = competition.public_names(session)
        return f"{table.replace('/', '.')}.{names[session.players.index(bot)]}"
    if competition.entry.anonymous:
        return hmac.digest(competition.key, f"log {bot}".encode(), "sha256")[:8].hex()
    return bot


def reveal_names(competition: Competition, out: Path) -> None:
    """Rename journals and logs to the plain names of their sessions and players when everything has been
    played. Skip files that are missing or already renamed.
    """
    if not competition.names_hidden:
        return
    logs = out / "logs" / "bots"
    names = {logs / f"{log_name(competition, bot)}.log": logs / f"{bot}.log" for bot in competition.bots}
    for session in competition.sessions:
        hidden = out / "hands" / f"{journal_name(competition, session)}.jsonl"
        names[hidden] = out / "hands" / f"{session.name}.jsonl"
        for bot in session.players:
            plain = f"{session.name.replace('/', '.')}.{bot}.log"
            names[logs / f"{log_name(competition, bot, session)}.log"] = logs / plain
    for path, plain_path in names.items():
        if path.exists():
            path.replace(plain_path)
