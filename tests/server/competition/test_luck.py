"""Results without luck: a bot whose declared chances are not true keeps the luck of its dice."""

from __future__ import annotations

from typing import Any

import pytest

from dealer.scoring import Scores, net_by_seat
from server.competition.file import parse_competition
from server.competition.luck import UNTRUE_POLICY, DivisionLuck
from tests.support.competitions.declaring import drawn_hands

FILE = """
name = "luck"
seed = "luck"
bots = [{name = "drawing", run = "random"}, {name = "silent", run = "random"}]
divisions = [{name = "d", game = "holdem.nolimit.2p.reverse_blinds", hands = 150}]
"""


def results(lie: float) -> tuple[DivisionLuck, dict[str, Any]]:
    competition = parse_competition(FILE)
    luck = DivisionLuck(competition, "d")
    raw = Scores(competition.divisions["d"], competition.chips_per_unit("d"))
    for session in competition.sessions:
        hands = drawn_hands(competition, session, {"drawing": lie})
        luck.add(session, hands)
        raw.add(session, [net_by_seat(events, 2) for events in hands])
    return luck, luck.data(raw)


@pytest.mark.parametrize(("lie", "believed"), [(0.0, True), (0.25, False)])
def test_who_is_believed(lie: float, believed: bool) -> None:
    luck, data = results(lie)
    assert list(data["declared"]) == ["drawing"]
    assert data["declared"]["drawing"]["believed"] is believed
    assert luck.incidents("drawing") == ({} if believed else {UNTRUE_POLICY: 1})
    assert luck.incidents("silent") == {}
    rates = {entry["bot"]: entry["rate"]["mbb"] for entry in data["ranking"]}
    # What one wins the other loses, without luck, too.
    assert rates["drawing"] == pytest.approx(-rates["silent"])


def test_dice_are_taken_out_only_of_those_who_are_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    half = results(0.0)[1]["crosstable"]["drawing"]["silent"]
    monkeypatch.setattr("dealer.luck.declared.LIE", 2.0)
    other = results(0.0)[1]["crosstable"]["drawing"]["silent"]
    assert other["mbb"] != half["mbb"]
