"""A competition that was begun before: gone on with, extended, or scored anew."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from server.competition.file import (
    BotEntry,
    Competition,
    DivisionEntry,
    VerifyParameters,
    load_competition,
    name_of,
)
from server.competition.progress import Progress
from server.competition.store import Store, StoreError, free_directory
from server.storage.sqlite import NAME

__all__ = ["Plan", "out_of", "plan", "rescore", "verify_extends"]


class Plan(NamedTuple):
    """What is to be played. ``store``: of a competition that was begun before, loaded; ``missing`` are the
    sessions that it still lacks.
    """

    competition: Competition
    text: str
    out: Path
    store: Store | None
    missing: int

    @property
    def finished(self) -> bool:
        """Nothing is left to do."""
        return (
            self.store is not None
            and not self.missing
            and "finished" in self.store.state.facts()
            and (self.out / "standings.md").is_file()
        )


def out_of(file: Path, given: Path | None, *, another: bool = False) -> Path:
    """Where results go: where that was ``given``, or ``results/NAME`` by the competition's name, with
    ``another`` one that does not exist yet; of one that was begun before, into ``file``, its own directory.
    Raises ``CompetitionError`` if the file cannot be read, and ``StoreError`` (``two_directories``) if
    another directory was ``given``.
    """
    if not file.is_dir():
        if given is not None:
            return given
        usual = Path("results") / name_of(file)
        return free_directory(usual) if another else usual
    if given is not None and given.resolve() != file.resolve():
        raise StoreError("two_directories", f"{file} goes on where it is, not in {given}: leave out --out")
    return file


def plan(
    file: Path,
    out: Path,
    house_bots: Collection[str] = (),
    verify_parameters: VerifyParameters | None = None,
) -> Plan:
    """The competition of ``file``, to be played into ``out``; what was played there is gone on with. ``file``
    may be a competition's directory itself.

    Raises ``CompetitionError``, ``StoreError`` and ``StateError``; then nothing was changed. If the plan has
    a store, that must be closed.
    """
    again = file.is_dir()
    store = Store(file if again else out)
    if not again and not (out / NAME).is_file():
        competition, text = load_competition(file, house_bots, verify_parameters)
        store.verify_free()
        return Plan(competition, text, out, None, len(competition.sessions))
    before, text = store.load()
    competition = before
    try:
        if not again:
            competition, text = load_competition(file, house_bots, verify_parameters, seed=before.seed)
            verify_extends(before, competition, out)
        progress = Progress(competition)
        progress.restore(competition, store.state)
        missing = len(competition.sessions) - len(progress.results)
        return Plan(competition, text, store.out, store, missing)
    except BaseException:
        store.close()
        raise


def verify_extends(before: Competition, after: Competition, out: Path) -> None:
    """Raises ``StoreError`` unless ``after`` is ``before``, or the same with more to be played: other bots
    behind those that there are, more matches, more divisions. ``other_competition``; ``chosen_line_ups``
    where a bot is added among which not all line-ups play: others would be chosen.
    """
    if after.given_seed not in (None, before.seed):
        raise _other(out, "the seed")
    for part in ("name", "deck", "anonymous", "time"):
        if getattr(before.entry, part) != getattr(after.entry, part):
            raise _other(out, part)
    for bot in before.entry.bots:
        if bot.name not in after.bots or _plain(after.bots[bot.name]) != _plain(bot):
            raise _other(out, f"the bot {bot.name}")
    for name, game in before.games.items():
        same = name in after.games and after.games[name] == game
        if not same or _bare(before.division(name)) != _bare(after.division(name)):
            raise _other(out, f"the division {name}")
        division = before.divisions[name]
        if division.chosen is not None and division.bots != after.divisions[name].bots:
            raise StoreError(
                "chosen_line_ups",
                f"{out}: the bots of {name} must stay, for whom {division.chosen} line_ups were chosen",
            )
    if not set(before.sessions) <= set(after.sessions):
        raise _other(out, "the bots or hands of a division; new bots belong behind those that there are")


def _other(out: Path, what: str) -> StoreError:
    return StoreError("other_competition", f"{out} has another competition: {what} differs")


def _plain(bot: BotEntry) -> BotEntry:
    """Without what may differ: a remote bot's secret and what it may do, what a managed one may take."""
    if bot.remote:
        bot = structs.replace(bot, token="", tables=None, rate=None)
    return structs.replace(bot, token_hash=None, limits=None)


def _bare(division: DivisionEntry) -> DivisionEntry:
    """Without what the sessions tell, or the game."""
    return structs.replace(division, bots=None, matches=1, game=None, rules=None)


def rescore(out: Path) -> int:
    """Make every record and the standings of a finished competition anew from its state. Returns the number
    of sessions. Raises ``StoreError`` (also ``unfinished``) and ``StateError``.
    """
    store = Store(out)
    competition, text = store.load()
    try:
        progress = Progress(competition)
        progress.restore(competition, store.state)
        if not progress.done:
            played, planned = len(progress.results), len(competition.sessions)
            raise StoreError("unfinished", f"{out} has {played} of {planned} sessions: nothing to score yet")
        store.go_on(competition, text)
        store.finish(competition, progress.incidents, progress.places)
    finally:
        store.close()
    return len(competition.sessions)
