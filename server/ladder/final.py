"""The final of a season: everybody plays everybody with the same cards until the order is decided.

It is an ordinary competition that is continued with more matches, twice as many each time, until every bot is
surely ahead of the next, or the hands that may be played are used up. The order is that of the winnings
without the luck of the cards and of declared dice, which is decided with fewer hands; the standings have it
beside that of the chips.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from server.competition.file import parse_competition
from server.competition.luck import DivisionLuck
from server.competition.resume import verify_extends
from server.competition.runner import Runner, stop_if_cancelled
from server.competition.store import CompetitionStore
from server.ladder.config import LadderConfig
from server.ladder.errors import LadderError
from server.ladder.matches import MatchPlace, one_division_text
from server.ladder.records import Version
from server.storage.sqlite import STATE_DB_NAME

DIVISION: Final = "final"
#: Matches of each line-up in the first stage: fewer give no intervals with few deals.
_FIRST: Final = 1
#: The order is looked at after every stage; with this factor on the 95 % intervals (99 %), all looks together
#: are wrong in at most about 5 % of cases.
_STRICTER: Final = 2.5758 / 1.9600


class FinalStage(NamedTuple):
    """How it stands after a stage: ``matches`` of each line-up, all ``hands``, the ``ranking``, and the pairs
    of neighbours that are not decided.
    """

    matches: int
    hands: int
    ranking: tuple[str, ...]
    open: tuple[tuple[str, str], ...]


def final_text(
    config: LadderConfig, versions: Sequence[Version], matches: int, players: int, hashes: dict[str, str]
) -> str:
    """Return the competition file of a final with so many ``matches`` of each line-up."""
    head = [f'name = "{config.name}-final"', f"workers = {config.matches}"]
    return one_division_text(config, head, DIVISION, versions, players, hashes, f"matches = {matches}")


async def play_final(
    place: MatchPlace,
    versions: Sequence[Version],
    hashes: dict[str, str],
    out: Path,
    most: int,
    say: Callable[[FinalStage], None],
    runner: Callable[..., Runner] = Runner,
) -> FinalStage:
    """Play the final into ``out``, or go on with it, and return how it stands at the end. ``say`` is called
    after each stage; ``most``: hands that may be played; ``runner`` makes what plays a stage.

    Raises ``LadderError`` (``too_few_bots``; ``too_few_hands`` if not even the first stage is within
    ``most``), ``StoreError`` (``other_competition``) if ``out`` has the final of other bots, and what a
    competition raises.
    """
    config = place.config
    players = config.load_game(place.folder).players
    if len(versions) < players:
        raise LadderError(
            "too_few_bots",
            f"a final needs {players} bots, and {len(versions)} take part; bots enter while the ladder "
            f"serves: python -m pokerd ladder serve {place.folder}",
        )
    ordered = sorted(versions)
    stage = None
    matches = _FIRST
    store = CompetitionStore(out)
    if (out / STATE_DB_NAME).is_file():
        before, _ = store.load()
        matches = before.divisions[DIVISION].matches
        store.close()
    while True:
        text = final_text(config, ordered, matches, players, hashes)
        store = CompetitionStore(out, place.open_states)
        if (out / STATE_DB_NAME).is_file():
            before, _ = store.load()
            competition = parse_competition(text, place.folder, before.seed)
            verify_extends(before, competition, out)
        else:
            competition = parse_competition(text, place.folder)
        hands = len(competition.sessions) * config.deal_sets
        if hands > most:
            store.close()
            if stage is None:
                raise LadderError(
                    "too_few_hands", f"one match of each line-up takes {hands:,} hands, more than {most:,}"
                )
            return stage
        running = runner(
            competition, text, place.house, place.url, store,
            workers=config.matches, sandbox=place.sandbox, programs=place.programs,
        )  # fmt: skip
        running.open()
        await running.run()
        stop_if_cancelled()
        stage = await asyncio.to_thread(stage_of, out, matches, hands)
        say(stage)
        if not stage.open:
            return stage
        matches *= 2


def stage_of(out: Path, matches: int, hands: int) -> FinalStage:
    """Return how a final stands whose records are in ``out``."""
    store = CompetitionStore(out)
    competition = store.competition()
    luck = DivisionLuck(competition, DIVISION)
    for session in competition.sessions:
        luck.add(session, list(store.hands(session)))
    scores = luck.scores(competition.chips_per_unit(DIVISION))
    ranking = tuple(place.bot for place in scores.ranking())
    unsure = []
    for better, worse in pairwise(ranking):
        ahead = scores.difference(better, worse)
        if ahead is None or ahead.half is None or ahead.mean <= ahead.half * _STRICTER:
            unsure.append((better, worse))
    return FinalStage(matches, hands, ranking, tuple(unsure))
