"""People at the tables of a competition: every family is there, and plays."""

from __future__ import annotations

import pytest

from dealer.formats.format import Stakes
from dealer.table import Clock
from protocol.people import BotChoice
from server.bots.offered import bot_name
from server.commands.competition_tables import table_configs
from server.competition.file import CompetitionError, parse_competition
from tests.support.competitions.arena import all_families, bot, competition, division

CLOCK = Clock(60.0, 60.0)
FIVE = [bot(f"b{number}", run="call") for number in range(5)]


#: Of the relatives in a family one is enough.
FAMILIES = {entry.name for entry in all_families().entry.bots}


def test_everybody_meets_everybody() -> None:
    planned = all_families()
    assert [entry.run for entry in planned.entry.bots] == [entry.name for entry in planned.entry.bots]
    assert {game.limit for game in planned.games.values()} == {True, False}
    for each in planned.divisions.values():
        assert {*each.bots} == FAMILIES
        assert each.players == 6
        met = [
            sum({one, other} <= {*line_up} for line_up in each.line_ups)
            for one in FAMILIES
            for other in FAMILIES - {one}
        ]
        assert min(met) >= 1
        assert max(met) - min(met) <= 1
        assert {sum(one in line_up for line_up in each.line_ups) for one in FAMILIES} == {10}


def test_the_tables_of_all_families() -> None:
    configs = list(table_configs(all_families(), CLOCK, 2.5))
    assert [(config.stakes.limit, config.name) for config in configs] == [(True, "")] * 3 + [(False, "")] * 3
    for limit in (True, False):
        some = [config for config in configs if config.stakes.limit == limit]
        assert {bot_name(who) for config in some for who in config.bots} == FAMILIES
        assert BotChoice("akuma", {"trials": 50}) in [who for config in some for who in config.bots]
        assert {(len(config.bots), config.seats, config.exhibition) for config in some} == {(5, 6, False)}
    assert {config.stakes for config in configs} == {
        Stakes(5, 10, 0, True, 1000),
        Stakes(50, 100, 0, False, 20000),
    }
    assert {(config.clock, config.pause) for config in configs} == {(CLOCK, 2.5)}


def test_the_last_table_fills_up_with_the_first_bots() -> None:
    table = {"mode": "cash", "players": 4, "ante": 2}
    text = competition([*FIVE, bot("far", token="secret of far")], [division(table=table)])
    (first, second) = table_configs(parse_competition(text), CLOCK, 0)
    assert (first.bots, second.bots) == (("call",) * 3, ("call",) * 3)
    assert first.stakes.ante == 2


@pytest.mark.parametrize(
    "wrong",
    [
        division(game="kuhn.limit.3p"),
        division(game="custom.nolimit.4p.uneven"),
        division(table={"mode": "tournament", "players": 4}),
        division(bots=["far", "near"]),
    ],
)
def test_divisions_that_no_open_table_has(wrong: dict[str, object]) -> None:
    remote = [bot(name, token=f"secret of {name}") for name in ("far", "near")]
    planned = parse_competition(competition([*FIVE, *remote], [wrong]))
    with pytest.raises(CompetitionError) as refusal:
        list(table_configs(planned, CLOCK, 0))
    assert refusal.value.code == "bad_field"
