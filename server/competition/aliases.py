"""What files are called while a competition is played.

Files that cannot be read still tell something by their names, and whether there is a file of some name can be
found out by any program of the same user. So where bots do not know whom they play against, or could remember
what was dealt before in a match, names of journals and logs do not tell it either, until all is over.
"""

from __future__ import annotations

import hmac
from pathlib import Path

from dealer.match import Session
from server.competition.file import Competition

__all__ = ["journal_name", "log_name", "reveal_names"]


def journal_name(competition: Competition, session: Session) -> str:
    """What the journal of a session is called while it is played, in ``hands``, without its suffix."""
    return competition.public_names(session)[0]


def log_name(competition: Competition, bot: str, session: Session | None = None) -> str:
    """What the log of a bot is called, without its suffix: of its process for a session, or of one that stays
    (None).
    """
    if session is not None:
        table, names = competition.public_names(session)
        return f"{table.replace('/', '.')}.{names[session.players.index(bot)]}"
    if competition.entry.anonymous:
        return hmac.digest(competition.key, f"log {bot}".encode(), "sha256")[:8].hex()
    return bot


def reveal_names(competition: Competition, out: Path) -> None:
    """All is played: call journals and logs by the names of their sessions and players. Files that are called
    so already, and those that are missing, are passed over.
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
