"""Folds in the first match that it remembers, and calls in all others."""

from __future__ import annotations

from pokerd_bot import Action, Bot, Turn, run
from pokerd_bot.hand import Match


class Grower(Bot):
    """Counts its matches."""

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.seen: set[str] = set()

    def act(self, turn: Turn) -> Action:
        self.seen.add(self.match.info.match)
        return turn.fold() if len(self.seen) == 1 and turn.can_fold else turn.call()


if __name__ == "__main__":
    raise SystemExit(run(Grower))
