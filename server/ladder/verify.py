"""Verifies a ladder: its matches from their records, and its results from the matches."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from dealer.deck import commitment
from dealer.luck.declared import ChanceSums
from dealer.luck.value import shipped_value
from server.competition.store import CompetitionStore, StoreError
from server.competition.verify import Difference, verify_directory
from server.ladder.config import load_config
from server.ladder.matches import (
    competition_text,
    match_directory,
    match_seed,
    match_value_function,
    read_deal_sets,
)
from server.ladder.store import LadderStore


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
    and its number, replayed and added up, and must be that of the versions that the ladder names. What the
    versions declare must add up, too, unless matches are gone.

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
            try:
                _, count = verify_directory(out)
            except (Difference, StoreError) as error:
                raise Difference(f"match {match.number}: {error}") from None
            text = (out / "competition.toml").read_text(encoding="utf-8")
            versions = [store.version(name) for name in match.line_up]
            wanted = competition_text(config, match.number, versions, players, hashes)
            if lasting_lines(text) != lasting_lines(wanted):
                raise Difference(
                    f"match {match.number}: its file is of other bots or settings than the ladder's"
                )
            competition = CompetitionStore(out).competition()
            if competition.commitment != commitment(match_seed(key, match.number)):
                raise Difference(f"match {match.number}: its cards do not follow from the ladder's key")
            played, known = read_deal_sets(out, competition), match.result
            if known is None or known != (played.raw() if known.chances is None else played.result):
                raise Difference(f"match {match.number}: the ladder has another result than its hands")
            matches, hands = matches + 1, hands + count
        _verify_chances(store)
    finally:
        store.close()
    return Verified(matches, hands, results, other)


def _verify_chances(store: LadderStore) -> None:
    """Check that what the ladder judges declared chances by is what its matches brought."""
    while True:
        store.others_wrote()
        matches, declared = store.matches(), store.chances()
        # In between, a ladder at work may have stored a match.
        if not store.others_wrote():
            break
    if len(matches) < max((match.number for match in matches), default=0):
        return
    found: dict[str, ChanceSums] = {}
    for match in matches:
        told = match.result.chances if match.result is not None else None
        for name, sums in (told or {}).items():
            found[name] = found.get(name, ChanceSums()).plus(sums)
    if found != declared:
        raise Difference("the ladder has other sums of what versions declare than its matches")


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
