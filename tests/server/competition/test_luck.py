"""Results without luck: a bot whose declared chances are not true keeps the luck of its dice."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from dealer.match import Session
from dealer.rules.actions import CALL, parse_action
from dealer.rules.events import Event
from dealer.scoring import Scores, net_by_seat
from server.competition.file import Competition, parse_competition
from server.competition.luck import UNTRUE_POLICY, DivisionLuck

FILE = """
name = "luck"
seed = "luck"
bots = [{name = "drawing", run = "random"}, {name = "silent", run = "random"}]
divisions = [{name = "d", game = "holdem.nolimit.2p.reverse_blinds", hands = 150}]
"""


def played(competition: Competition, session: Session, lie: float) -> list[list[Event]]:
    """Both draw at random; ``drawing`` says with which chances, wrong by ``lie`` for folds and calls."""
    table, random, hands = competition.format(session), Random(session.name), []
    while (hand := table.next_hand()) is not None:
        while not hand.over:
            legal = hand.legal()
            texts = [*(["f"] if legal.fold else []), "c"]
            if legal.min_raise is not None:
                texts.append(f"r{legal.min_raise}")
            if len(texts) == 1:
                hand.act(CALL)
                continue
            chances = [1 / len(texts)] * len(texts)
            real = [chances[0] - lie, chances[1] + lie, *chances[2:]]
            told = hand.to_act is not None and session.players[hand.to_act] == "drawing"
            policy = tuple(zip(texts, chances, strict=True)) if told else ()
            hand.act(parse_action(random.choices(texts, real)[0]), "", policy)
        table.finish_hand(hand)
        hands.append(hand.events)
    return hands


def results(lie: float) -> tuple[DivisionLuck, dict[str, Any]]:
    competition = parse_competition(FILE)
    luck = DivisionLuck(competition, "d")
    raw = Scores(competition.divisions["d"], competition.chips_per_unit("d"))
    for session in competition.sessions:
        hands = played(competition, session, lie)
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
