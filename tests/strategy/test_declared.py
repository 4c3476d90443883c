"""House bots that draw by a table tell the chances, and draw with these."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dealer.luck.declared import LEAST_DECISIONS, DeclaredChances
from dealer.match import Division
from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.events import Acted, Event
from dealer.rules.games import holdem
from strategy.declared import chances_of
from studies.harness.arena import Contest, ContestEntry, FixedTable


def test_weights_become_probabilities() -> None:
    raised = raise_to(30)
    assert chances_of(1, 1, 2, raised) == {FOLD: 0.25, CALL: 0.25, raised: 0.5}
    assert chances_of(0, 3, 0, CALL) == {CALL: 1.0}
    # Where there is no raise, its weight is the call's.
    assert chances_of(1, 1, 2, CALL) == {FOLD: 0.25, CALL: 0.75}


@pytest.mark.parametrize(
    ("bot", "limit", "players", "hands"),
    [("cfr", True, 2, 150), ("cfr", False, 2, 150), ("hbb5", False, 3, 60), ("hbb6", True, 3, 60)],
)
def test_what_they_tell_is_true(bot: str, limit: bool, players: int, hands: int) -> None:
    names = (bot, "fair", "call")[:players]
    game = holdem(players, 50, 100, limit=limit, stack=None if limit else 10_000, rules="acpc")
    division = Division("d", names, players, 1, hands, "rotations")
    contest = Contest(division, FixedTable(game), {name: ContestEntry(name) for name in names}, 5)
    told, others = DeclaredChances(), 0
    for session in contest.sessions:
        seat = session.players.index(bot)

        def note(events: Sequence[Event], seat: int = seat) -> None:
            nonlocal others
            told.add(events, seat)
            for event in events:
                if isinstance(event, Acted) and event.policy:
                    others += event.seat != seat
                    # The table has checked that the action is among them.
                    assert sum(chance for _, chance in event.policy) == pytest.approx(1)

        contest.play(session, note)
    assert not others
    assert told.decisions > LEAST_DECISIONS / 2
    if told.p_value is not None:
        assert told.p_value > 0.001
