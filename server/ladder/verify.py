"""Verifies a ladder: its matches from their records, and its results from the matches."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from dealer.deck import commitment
from dealer.luck.declared import ChanceSums
from dealer.luck.value import shipped_value
from dealer.ratings.results import Results
from server.bots.program_files import executable
from server.bots.unpack import hash_of_files
from server.competition.store import CompetitionStore, StoreError
from server.competition.verify import Difference, verify_directory
from server.ladder.config import load_config
from server.ladder.matches import (
    competition_text,
    kept_matches,
    match_directory,
    match_seed,
    match_value_function,
    read_deal_sets,
    read_incidents,
)
from server.ladder.records import Match
from server.ladder.store import LadderStore
from server.storage.sqlite import StateError


class Verified(NamedTuple):
    """What was verified: ``matches`` with their ``hands``. Not verified: ``results`` whose hands are gone;
    matches of ``other`` seasons, which only a pokerd with their value function can verify.
    """

    matches: int
    hands: int
    results: int
    other: int


def verify_ladder(folder: Path) -> Verified:
    """Verify the ladder in ``folder``: every match that has its hands is dealt again from the ladder's key
    and its number, replayed and added up, and must be that of the versions that the ladder names, whose files
    must be those that were pushed. Results and what the versions declare must add up, too, unless matches are
    gone.

    Raises ``Difference`` at the first that is wrong, and ``LadderError`` if there is no ladder.
    """
    config = load_config(folder)
    players = config.load_game(folder).players
    store = LadderStore(folder, config.season, make=False)
    matches = hands = results = other = 0
    try:
        key = bytes.fromhex(store.fact("key") or "")
        hashes = {author.name: author.hash for author in store.authors()}
        season = set(store.season_matches())
        _verify_programs(folder, store)
        _verify_known(folder, store)
        for match in store.matches("done"):
            out = match_directory(folder, match.number)
            if not out.is_dir():
                results += 1
                continue
            value_function = match_value_function(folder, match.number)
            if match.number in season:
                if value_function not in (None, store.value_function):
                    raise Difference(f"match {match.number}: it has another value function than its season")
            elif value_function not in (None, shipped_value().digest):
                other += 1
                continue
            versions = [store.version(name) for name in match.line_up]
            wanted = competition_text(config, match.number, versions, players, hashes)
            try:
                count = _verify_match(out, match, wanted, match_seed(key, match.number))
            except (Difference, StoreError, StateError) as error:
                raise Difference(f"match {match.number}: {error}") from None
            matches, hands = matches + 1, hands + count
        _verify_sums(store)
    finally:
        store.close()
    return Verified(matches, hands, results, other)


def _verify_match(out: Path, match: Match, wanted: str, seed: bytes) -> int:
    """Verify a match in its directory, whose competition file is ``wanted``, and return its hands. Raises
    ``Difference``, ``StoreError`` and ``StateError``.
    """
    _, hands = verify_directory(out)
    text = (out / "competition.toml").read_text(encoding="utf-8")
    if lasting_lines(text) != lasting_lines(wanted):
        raise Difference("its file is of other bots or settings than the ladder's")
    competition = CompetitionStore(out).competition()
    if competition.commitment != commitment(seed):
        raise Difference("its cards do not follow from the ladder's key")
    played, known = read_deal_sets(out, competition), match.result
    if known is None or known != (played.raw() if known.chances is None else played.result):
        raise Difference("the ladder has another result than its hands")
    if match.incidents != read_incidents(out) or not (match.counts or match.why == "challenge"):
        raise Difference("the ladder has other facts of it than its records")
    return hands


def _verify_known(folder: Path, store: LadderStore) -> None:
    """Check that the ladder knows every match that has hands."""
    # These before the matches: a ladder at work adds to both.
    there = kept_matches(folder)
    unknown = there.keys() - {match.number for match in store.matches()}
    if unknown:
        raise Difference(f"match {min(unknown)}: it has hands, and the ladder does not know it")


def _verify_programs(folder: Path, store: LadderStore) -> None:
    """Check that the files of each version are those that were pushed."""
    for version in store.versions():
        path = folder / "versions" / version.hash
        if version.kind == "pushed" and path.is_dir():
            files = {
                file.relative_to(path).as_posix(): file.read_bytes()
                for file in path.rglob("*")
                if file.is_file() or file.is_symlink()
            }
            if hash_of_files(files, executable(version.command)) != version.hash:
                raise Difference(f"the files of {version.name} are not those that were pushed")


def _verify_sums(store: LadderStore) -> None:
    """Check that results, and what the ladder judges declared chances by, are what its matches brought."""
    while True:
        store.others_wrote()
        matches, declared, results = store.matches(), store.chances(), store.results()
        season, untrue = set(store.season_matches()), store.untrue
        # In between, a ladder at work may have stored a match.
        if not store.others_wrote():
            break
    if len(matches) < max((match.number for match in matches), default=0):
        return
    found: dict[str, ChanceSums] = {}
    counted = Results()
    for match in matches:
        if match.result is None:
            continue
        for name, sums in (match.result.chances or {}).items():
            found[name] = found.get(name, ChanceSums()).plus(sums)
        if match.counts and match.number in season:
            counted.merge(Results({match.line_up: match.result.sums.with_dice_of(untrue)}))
    if found != declared:
        raise Difference("the ladder has other sums of what versions declare than its matches")
    if counted != results:
        raise Difference("the ladder has other results than those of its matches")


def lasting_lines(text: str) -> list[str]:
    """Return the lines of a match's competition file without times, limits, tokens and whether it was blind:
    an organiser may change these.
    """
    lines, heading = [], ""
    for line in text.splitlines():
        if line.startswith(("[", "#")):
            heading = line
        if heading not in ("[time]", "[limits]") and not line.startswith(("token_hash = ", "anonymous = ")):
            lines.append(line)
    return lines
