"""Competitions that were begun before: resume, extend or rescore them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from server.competition.file import Competition, VerifyParameters, load_competition, read_name
from server.competition.progress import CompetitionProgress
from server.competition.schema import BotEntry, DivisionEntry
from server.competition.store import CompetitionStore, StoreError, free_directory
from server.storage.sqlite import STATE_DB_NAME


class CompetitionPlan(NamedTuple):
    """What is to be played. ``store`` is already loaded if the competition is ``resumed``; ``sessions_left``
    is the number of sessions still to be played.
    """

    competition: Competition
    text: str
    store: CompetitionStore
    resumed: bool
    sessions_left: int

    @property
    def output(self) -> Path:
        """The competition's directory."""
        return self.store.out

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return (
            self.resumed
            and not self.sessions_left
            and "finished" in self.store.state.facts()
            and (self.output / "standings.md").is_file()
        )


def output_directory(file: Path, given: Path | None, *, another: bool = False) -> Path:
    """Return the directory for the results: ``given``, or by default ``results/NAME``. With ``another``, the
    default is one that does not exist yet. If ``file`` is the directory of a competition, return it.

    Raises ``CompetitionError`` if the file cannot be read, and ``StoreError`` (``two_directories``) if a
    different directory was ``given``.
    """
    if not file.is_dir():
        if given is not None:
            return given
        usual = Path("results") / read_name(file)
        return free_directory(usual) if another else usual
    if given is not None and given.resolve() != file.resolve():
        raise StoreError("two_directories", f"{file} is resumed in place, not in {given}: leave out --out")
    return file


def plan_competition(
    file: Path, out: Path, house_bots: Collection[str] = (), verify_parameters: VerifyParameters | None = None
) -> CompetitionPlan:
    """Plan the competition of ``file``, with ``out`` as its directory; resume what was played there. ``file``
    may itself be the directory of a competition.

    Raises ``CompetitionError``, ``StoreError`` and ``StateError`` and then changes nothing. The caller must
    close the plan's store.
    """
    again = file.is_dir()
    store = CompetitionStore(file if again else out)
    if not again and not (out / STATE_DB_NAME).is_file():
        competition, text = load_competition(file, house_bots, verify_parameters)
        store.verify_free()
        return CompetitionPlan(
            competition, text, store, resumed=False, sessions_left=len(competition.sessions)
        )
    before, text = store.load()
    competition = before
    try:
        if not again:
            competition, text = load_competition(file, house_bots, verify_parameters, seed=before.seed)
            verify_extends(before, competition, out)
        progress = CompetitionProgress(competition)
        progress.restore(competition, store.state)
        missing = len(competition.sessions) - len(progress.results)
        return CompetitionPlan(competition, text, store, resumed=True, sessions_left=missing)
    except BaseException:
        store.close()
        raise


def verify_extends(before: Competition, after: Competition, out: Path) -> None:
    """Raise ``StoreError`` unless ``after`` equals ``before`` or only adds to it: bots after the existing
    ones, matches, divisions.

    ``other_competition`` is the code, or ``chosen_line_ups`` if a bot is added to a division that plays only
    some line-ups: others would be chosen.
    """
    if after.file_seed not in (None, before.seed):
        raise _differs_error(out, "the seed")
    for part in ("name", "deck", "anonymous", "time"):
        if getattr(before.entry, part) != getattr(after.entry, part):
            raise _differs_error(out, part)
    for bot in before.entry.bots:
        if bot.name not in after.bots or _comparable_bot(after.bots[bot.name]) != _comparable_bot(bot):
            raise _differs_error(out, f"the bot {bot.name}")
    for name, game in before.games.items():
        same = name in after.games and after.games[name] == game
        if not same or _comparable_division(before.division_entry(name)) != _comparable_division(
            after.division_entry(name)
        ):
            raise _differs_error(out, f"the division {name}")
        division = before.divisions[name]
        if division.line_up_count is not None and division.bots != after.divisions[name].bots:
            raise StoreError(
                "chosen_line_ups",
                f"{out}: the bots of {name} cannot change, because {division.line_up_count} of their"
                " line-ups were chosen",
            )
    if not set(before.sessions) <= set(after.sessions):
        raise _differs_error(out, "the bots or hands of a division; add new bots after the existing ones")


def _differs_error(out: Path, what: str) -> StoreError:
    return StoreError("other_competition", f"{out} holds another competition: {what} differs")


def _comparable_bot(bot: BotEntry) -> BotEntry:
    """Return the entry without what may change: a remote bot's secret and quota, a managed bot's limits."""
    if bot.remote:
        bot = structs.replace(bot, token="", tables=None, rate=None)
    return structs.replace(bot, token_hash=None, limits=None)


def _comparable_division(division: DivisionEntry) -> DivisionEntry:
    """Return the entry without what is compared through the sessions or the game."""
    return structs.replace(division, bots=None, matches=1, game=None, rules=None)


def rescore(out: Path) -> int:
    """Rewrite all records and the standings of a finished competition from its state. Return the number of
    sessions. Raises ``StoreError`` (also ``unfinished``) and ``StateError``.
    """
    store = CompetitionStore(out)
    competition, text = store.load()
    try:
        progress = CompetitionProgress(competition)
        progress.restore(competition, store.state)
        if not progress.done:
            played, planned = len(progress.results), len(competition.sessions)
            raise StoreError("unfinished", f"{out} has {played} of {planned} sessions: nothing to score yet")
        store.resume(competition, text)
        store.finish(competition, progress)
    finally:
        store.close()
    return len(competition.sessions)
