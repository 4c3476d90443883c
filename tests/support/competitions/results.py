"""A directory of results, made in a moment: sessions played at random instead of by processes."""

from __future__ import annotations

import random
from pathlib import Path

from dealer.formats.tournament import Tournament
from dealer.table import default_action
from server.competition.file import Competition, parse_competition
from server.competition.progress import CompetitionProgress
from server.competition.store import CompetitionStore
from server.storage.competition_state import SessionOutcome
from tests.dealer.records.played import random_action
from tests.support.competitions.arena import ROOT, bot, competition, division

#: Every mode, and two divisions that share deals; in "same" bob is absent.
TEXT = competition(
    [bot(name, run="call") for name in ("ann", "bob", "cleo")],
    [
        division("duel", game="holdem.limit.2p.reverse_blinds", hands=12, matches=2),
        division("same", game="holdem.limit.2p.reverse_blinds", hands=3, matches=1, bots=["ann", "bob"]),
        division("kuhn", game="kuhn.limit.3p", hands=4, seatings="rotations"),
        division("cash", table={"mode": "cash", "players": 2, "stack": 200}, hands=5, bots=["ann", "cleo"]),
        division(
            "cup", table={"mode": "tournament", "players": 3, "stack": 100}, matches=2, seatings="rotations"
        ),
    ],
    name="spring",
    seed="spring",
)


def make(out: Path, text: str = TEXT, *, finish: bool = True) -> Competition:
    """Play the competition into ``out``; without ``finish`` as if stopped after the last hand."""
    planned = parse_competition(text, ROOT)
    store = CompetitionStore(out)
    store.open(planned, text)
    source = random.Random(3)
    progress = CompetitionProgress(planned)
    for session in planned.sessions:
        play = planned.format(session)
        recorder = store.begin_session(session, play.game)
        totals: list[float] = [0] * len(session.players)
        hands = 0
        while (hand := play.next_hand()) is not None:
            while (seat := hand.to_act) is not None:
                if session.division == "same" and session.players[seat] == "bob":
                    hand.act(default_action(hand.legal()), "absent")
                else:
                    hand.act(random_action(hand, source))
            play.finish_hand(hand)
            recorder.record_hand(hand.events)
            for seat, value in zip(hand.seats, hand.events[-1].values, strict=True):  # type: ignore[union-attr]
                totals[seat] += value
            hands += 1
        places = tuple(play.places) if isinstance(play, Tournament) else None
        lost = session.name == "duel/m0000-l000-s0"
        incidents = tuple({"disconnect": 2} if lost and bot == "bob" else {} for bot in session.players)
        outcome = SessionOutcome(hands, tuple(totals), incidents, recorder.close(), places)
        store.state.finish_attempts({recorder.attempt: outcome}, {})
        progress.finish(session, outcome)
    if finish:
        store.finish(planned, progress)
    store.close()
    return planned
