import json
import re

import pytest

from dealer.errors import ScoreError
from dealer.match import Division, plan_sessions
from dealer.scoring import Scores
from dealer.standings import standings_data, standings_markdown
from tests.dealer.simulated import bots_division, simulate

SKILLS = {"call": 0.0, "fair": 80.0, "raise": -3.0, "random": -90.0}


def small_division() -> Scores:
    """Three bots heads-up, ten deals, the same at both seatings: a beats b and draws with c, c beats b."""
    division = Division("small", ("a", "b", "c"), players=2, matches=1, hands=10)
    scores = Scores(division, 10)
    wins = {("a", "b"): (15, 25) * 5, ("a", "c"): (-8, 8) * 5, ("b", "c"): (-10, -10.5) * 5}
    for session in plan_sessions(division):
        first, second = session.players
        swapped = (first, second) not in wins
        chips = wins[(second, first) if swapped else (first, second)]
        scores.add(session, [(-net, net) if swapped else (net, -net) for net in chips])
    return scores


MARKDOWN = """\
## small

Bots: 3, at tables of 2. Line-ups: 3, matches each: 1, seatings: 2, hands a seating: 10. Big blind: 10.

### Total bankroll

| place | bot | chips | hands |        mbb/hand | ahead of the next by |
| ----: | --- | ----: | ----: | --------------: | -------------------: |
|     1 | a   |  +400 |    40 | +1000.0 ± 490.1 |     +487.5 ± 782.3 ? |
|     2 | c   |  +205 |    40 |  +512.5 ± 292.2 |       +2025.0 ± 94.3 |
|     3 | b   |  -605 |    40 | -1512.5 ± 197.9 |                      |

### Bankroll instant run-off

| round |    a |    c |    b | out | behind the next by |
| ----: | ---: | ---: | ---: | --- | -----------------: |
|     1 | +400 | +205 | -605 | b   |     +2025.0 ± 94.3 |
|     2 |    0 |    0 |    - |     |                    |
| place |   1= |   1= |    3 |     |                    |

The last round (mbb/hand): a is level with c (± 1206.5).

### Crosstable: the row's mbb/hand

|     |               a |              c |               b |
| --- | --------------: | -------------: | --------------: |
| a   |                 |  0.0 ± 603.2 ? | +2000.0 ± 377.0 |
| c   |   0.0 ± 603.2 ? |                |  +1025.0 ± 18.9 |
| b   | -2000.0 ± 377.0 | -1025.0 ± 18.9 |                 |

Decided: 2 of 3 pairs. If all bots played alike, chance would decide 0.15 on average.

`±`: 95 % interval, from 10 units on; its unit is the deal in all seatings and line-ups.
`?`: undecided, it contains 0 or is not known. `=`: tied.
mbb/hand: thousandths of a big blind won per hand.

### Incidents

| bot | timeouts | refusals | disconnections | policy actions | garbage |
| --- | -------: | -------: | -------------: | -------------: | ------: |
| a   |        0 |        0 |              0 |              0 |       0 |
| b   |        3 |        0 |              0 |              3 |       1 |
| c   |        0 |        0 |              0 |              0 |       0 |
"""


def test_markdown_to_the_letter() -> None:
    data = standings_data(small_division(), {"b": {"timeouts": 3, "policy_actions": 3, "garbage": 1}})

    assert standings_markdown(data) == MARKDOWN


def test_data_says_all_there_is() -> None:
    data = standings_data(small_division(), {"b": {"timeouts": 3}})

    assert data["format"] == {"line_ups": 3, "matches": 1, "seatings": 2, "hands": 10}
    assert (data["hands"], data["complete"], data["big_blind"]) == (60, True, 10)
    assert data["ranking"][0] == {
        "place": 1,
        "tied": False,
        "bot": "a",
        "chips": 400,
        "hands": 40,
        "rate": {"mbb": 1000.0, "ci95": 490.134, "units": 10, "decided": True},
        "ahead": {"mbb": 487.5, "ci95": 782.329, "units": 10, "decided": False},
    }
    assert data["ranking"][2]["ahead"] is None
    assert data["run_off"]["rounds"][0]["bankrolls"] == {"a": 400, "c": 205, "b": -605}
    assert data["run_off"]["rounds"][0]["dropped"] == ["b"]
    assert data["crosstable"]["a"]["b"] == {"mbb": 2000.0, "ci95": 377.026, "units": 10, "decided": True}
    assert data["crosstable"]["b"]["c"] == {"mbb": -1025.0, "ci95": 18.851, "units": 10, "decided": True}
    assert data["crosstable_decided"] == {"cells": 3, "decided": 2, "by_chance": 0.15}
    assert data["interval_unit"] == "deal"
    assert data["incidents"] == {"a": {}, "b": {"timeouts": 3}, "c": {}}


@pytest.mark.parametrize(("players", "cells"), [(2, 6), (3, 12)])
def test_it_is_said_how_many_cells_chance_would_decide(players: int, cells: int) -> None:
    """Heads-up a cell and its mirror image are one; with more players both have an interval of their own."""
    data = standings_data(simulate(bots_division(SKILLS, players, matches=1, hands=10), SKILLS, 1))
    told = data["crosstable_decided"]

    assert (told["cells"], told["by_chance"]) == (cells, round(cells * 0.05, 2))
    decided = sum(cell["decided"] for row in data["crosstable"].values() for cell in row.values())
    assert told["decided"] == (decided // 2 if players == 2 else decided)
    assert f"{told['decided']} of {cells}" in standings_markdown(data)


def test_what_no_cell_can_tell_chance_cannot_decide() -> None:
    scores = simulate(bots_division(SKILLS, 2, matches=1, hands=9), SKILLS, 1)
    data = standings_data(scores)

    assert data["crosstable_decided"] == {"cells": 0, "decided": 0, "by_chance": 0}
    assert "chance" not in standings_markdown(data)


def test_who_hardly_played_himself_is_marked() -> None:
    decisions = {"a": {"all": 300, "forced": 3}, "b": {"all": 299, "forced": 3}, "c": {"all": 7, "forced": 7}}
    data = standings_data(small_division(), decisions=decisions)

    assert data["decisions"] == decisions
    assert data["marked"] == ["b", "c"]
    text = standings_markdown(data)
    assert "|     3 | b ! |  -605 |" in text
    assert "|     1 | a   |  +400 |" in text
    assert "b 3 of 299; c 7 of 7" in text
    assert "|     |               a |            c ! |             b ! |" in text


def test_of_nobody_without_decisions_is_anything_said() -> None:
    data = standings_data(small_division())

    assert data["decisions"] == {bot: {"all": 0, "forced": 0} for bot in "abc"}
    assert data["marked"] == []


def test_data_survives_json() -> None:
    data = standings_data(simulate(bots_division(SKILLS, 3, matches=2, hands=6), SKILLS, 1))

    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert standings_markdown(json.loads(json.dumps(data))) == standings_markdown(data)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_tables_are_straight(players: int) -> None:
    scores = simulate(bots_division(SKILLS, players, matches=1, hands=6), SKILLS, 2)
    text = standings_markdown(standings_data(scores, {"fair": {"refusals": 12}}))

    tables = [block.split("\n") for block in text.strip().split("\n\n") if block.startswith("|")]
    assert len(tables) == 4
    for table in tables:
        assert len({len(line) for line in table}) == 1
        assert len({line.count("|") for line in table}) == 1


def test_undecided_is_marked_and_decided_is_not() -> None:
    scores = simulate(bots_division(SKILLS, 2, matches=1, hands=40), SKILLS, 3)
    data = standings_data(scores)
    text = standings_markdown(data)

    ahead = {entry["bot"]: entry["ahead"] for entry in data["ranking"]}
    assert [entry["bot"] for entry in data["ranking"]][0::3] == ["fair", "random"]
    assert ahead["fair"]["decided"]
    assert not data["crosstable"]["call"]["raise"]["decided"]
    row = next(line for line in text.splitlines() if line.startswith("| call "))
    assert row.count(" ?") == 1


def test_ties_are_marked() -> None:
    division = Division("tie", ("a", "b"), players=2, matches=1, hands=1)
    scores = Scores(division, 2)
    for session in plan_sessions(division):
        scores.add(session, [(1, -1)])
    data = standings_data(scores)

    assert [(entry["place"], entry["tied"]) for entry in data["ranking"]] == [(1, True), (1, True)]
    assert "|    1= | a   |     0 |" in standings_markdown(data)
    # One deal decides nothing, and says so.
    assert data["crosstable"]["a"]["b"] == {"mbb": 0.0, "ci95": None, "units": 1, "decided": False}
    assert "| 0.0 ± ? ? |" in standings_markdown(data)


def test_nobody_is_ahead_of_his_equal() -> None:
    """Three who win back what they lose at every deal, in every table: level, with or without an interval."""
    for hands, half in ((9, "?"), (10, "0.0")):
        division = Division("tie", ("a", "b", "c"), players=2, matches=1, hands=hands)
        scores = Scores(division, 2)
        for session in plan_sessions(division):
            scores.add(session, [(1, -1)] * hands)
        text = standings_markdown(standings_data(scores))

        bankroll = text.partition("### Bankroll instant run-off")[0]
        assert bankroll.count(f" level ± {half} |") == 2
        assert (
            f"The last round (mbb/hand): a is level with b (± {half}); b is level with c (± {half})." in text
        )
        assert not re.search(r"[+-]0\.0|ahead of [abc]", text)


def test_who_is_ahead_is_said_with_its_doubt() -> None:
    division = Division("duel", ("a", "b"), players=2, matches=1, hands=12)
    for chips, told in (
        ((5, 5, 6) * 4, "a is +5333.3 ± 312.8 ahead of b."),
        ((5, -5, 6) * 4, "a is +2000.0 ± 3295.9 ahead of b (not decided)."),
    ):
        scores = Scores(division, 2)
        for session in plan_sessions(division):
            sign = 1 if session.players[0] == "a" else -1
            scores.add(session, [(sign * won, -sign * won) for won in chips])

        assert f"The last round (mbb/hand): {told}" in standings_markdown(standings_data(scores))


def test_unfinished_divisions_say_so() -> None:
    division = Division("three", ("a", "b", "c"), players=2, matches=1, hands=2)
    scores = Scores(division, 10)
    for session in plan_sessions(division)[:2]:
        scores.add(session, [(1, -1), (2, -2)])
    data = standings_data(scores)
    text = standings_markdown(data)

    assert not data["complete"]
    assert re.search(r"\b4\b", text)
    assert data["ranking"][-1]["rate"] is None
    assert data["crosstable"]["a"]["c"] is None


def test_nothing_played_has_no_standings() -> None:
    with pytest.raises(ScoreError) as error:
        standings_data(Scores(Division("d", ("a", "b"), 2, 1, 1), 10))

    assert error.value.code == "nothing_to_score"


def test_incidents_of_strangers_are_refused() -> None:
    with pytest.raises(ScoreError) as error:
        standings_data(small_division(), {"nobody": {"timeouts": 1}})
    with pytest.raises(ScoreError):
        standings_data(small_division(), decisions={"nobody": {"all": 1, "forced": 0}})

    assert error.value.code == "unknown_bot"


def test_no_incidents_are_said_in_a_word() -> None:
    assert standings_markdown(standings_data(small_division())).endswith("### Incidents\n\nNone.\n")
