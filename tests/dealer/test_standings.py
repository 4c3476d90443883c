import json
import re

import pytest

from dealer.errors import ScoreError
from dealer.match import Division, plan
from dealer.scoring import Scores
from dealer.standings import standings_data, standings_markdown
from tests.dealer.simulated import bots_division, simulate

SKILLS = {"call": 0.0, "fair": 80.0, "raise": -3.0, "random": -90.0}


def small_division() -> Scores:
    """Three bots heads-up, two deals, the same at both seatings: a beats b and draws with c, c beats b."""
    division = Division("small", ("a", "b", "c"), players=2, matches=1, hands=2)
    scores = Scores(division, 10)
    wins = {("a", "b"): (15, 25), ("a", "c"): (-8, 8), ("b", "c"): (-10, -10.5)}
    for session in plan(division):
        first, second = session.players
        swapped = (first, second) not in wins
        chips = wins[(second, first) if swapped else (first, second)]
        scores.add(session, [(-net, net) if swapped else (net, -net) for net in chips])
    return scores


MARKDOWN = """\
## small

Bots: 3, at tables of 2. Line-ups: 3, matches each: 1, seatings: 2, hands a seating: 2. Big blind: 10.

### Total bankroll

| place | bot | chips | hands |           mbb/hand | ahead of the next by |
| ----: | --- | ----: | ----: | -----------------: | -------------------: |
|     1 | a   |   +80 |     8 | +1000.0 ± 8259.0 ? |   +487.5 ± 13182.7 ? |
|     2 | c   |   +41 |     8 |  +512.5 ± 4923.7 ? |     +2025.0 ± 1588.3 |
|     3 | b   |  -121 |     8 | -1512.5 ± 3335.4 ? |                      |

### Bankroll instant run-off

| round |   a |   c |    b | out | behind the next by |
| ----: | --: | --: | ---: | --- | -----------------: |
|     1 | +80 | +41 | -121 | b   |   +2025.0 ± 1588.3 |
|     2 |   0 |   0 |    - |     |                    |
| place |  1= |  1= |    3 |     |                    |

The last round (mbb/hand): a is level with c (± 20329.9).

### Crosstable: the row's mbb/hand

|     |                  a |               c |                  b |
| --- | -----------------: | --------------: | -----------------: |
| a   |                    | 0.0 ± 10165.0 ? | +2000.0 ± 6353.1 ? |
| c   |    0.0 ± 10165.0 ? |                 |    +1025.0 ± 317.7 |
| b   | -2000.0 ± 6353.1 ? | -1025.0 ± 317.7 |                    |

`±`: 95 % interval; its unit is the deal in all seatings and line-ups. `?`: undecided, it contains 0.
mbb/hand: thousandths of a big blind won per hand. `=`: tied.

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

    assert data["format"] == {"line_ups": 3, "matches": 1, "seatings": 2, "hands": 2}
    assert (data["hands"], data["complete"], data["big_blind"]) == (12, True, 10)
    assert data["ranking"][0] == {
        "place": 1,
        "tied": False,
        "bot": "a",
        "chips": 80,
        "hands": 8,
        "rate": {"mbb": 1000.0, "ci95": 8259.033, "units": 2, "decided": False},
        "ahead": {"mbb": 487.5, "ci95": 13182.687, "units": 2, "decided": False},
    }
    assert data["ranking"][2]["ahead"] is None
    assert data["run_off"]["rounds"][0]["bankrolls"] == {"a": 80, "c": 41, "b": -121}
    assert data["run_off"]["rounds"][0]["dropped"] == ["b"]
    assert data["crosstable"]["a"]["b"] == {"mbb": 2000.0, "ci95": 6353.102, "units": 2, "decided": False}
    assert data["crosstable"]["b"]["c"] == {"mbb": -1025.0, "ci95": 317.655, "units": 2, "decided": True}
    assert data["incidents"] == {"a": {}, "b": {"timeouts": 3}, "c": {}}


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
    for session in plan(division):
        scores.add(session, [(1, -1)])
    data = standings_data(scores)

    assert [(entry["place"], entry["tied"]) for entry in data["ranking"]] == [(1, True), (1, True)]
    assert "|    1= | a   |     0 |" in standings_markdown(data)
    # One deal decides nothing, and says so.
    assert data["crosstable"]["a"]["b"] == {"mbb": 0.0, "ci95": None, "units": 1, "decided": False}
    assert "| 0.0 ± ? ? |" in standings_markdown(data)


def test_nobody_is_ahead_of_his_equal() -> None:
    """Three who win back what they lose at every deal, in every table: level, with or without an interval."""
    for hands, half in ((1, "?"), (2, "0.0")):
        division = Division("tie", ("a", "b", "c"), players=2, matches=1, hands=hands)
        scores = Scores(division, 2)
        for session in plan(division):
            scores.add(session, [(1, -1)] * hands)
        text = standings_markdown(standings_data(scores))

        bankroll = text.partition("### Bankroll instant run-off")[0]
        assert bankroll.count(f" level ± {half} |") == 2
        assert (
            f"The last round (mbb/hand): a is level with b (± {half}); b is level with c (± {half})." in text
        )
        assert not re.search(r"[+-]0\.0|ahead of [abc]", text)


def test_who_is_ahead_is_said_with_its_doubt() -> None:
    division = Division("duel", ("a", "b"), players=2, matches=1, hands=3)
    for chips, told in (
        ((5, 5, 6), "a is +5333.3 ± 1434.2 ahead of b."),
        ((5, -5, 6), "a is +2000.0 ± 15110.4 ahead of b (not decided)."),
    ):
        scores = Scores(division, 2)
        for session in plan(division):
            sign = 1 if session.players[0] == "a" else -1
            scores.add(session, [(sign * won, -sign * won) for won in chips])

        assert f"The last round (mbb/hand): {told}" in standings_markdown(standings_data(scores))


def test_unfinished_divisions_say_so() -> None:
    division = Division("three", ("a", "b", "c"), players=2, matches=1, hands=2)
    scores = Scores(division, 10)
    for session in plan(division)[:2]:
        scores.add(session, [(1, -1), (2, -2)])
    data = standings_data(scores)
    text = standings_markdown(data)

    assert not data["complete"]
    assert "4 hands scored so far" in text
    assert data["ranking"][-1]["rate"] is None
    assert data["crosstable"]["a"]["c"] is None


def test_nothing_played_has_no_standings() -> None:
    with pytest.raises(ScoreError) as error:
        standings_data(Scores(Division("d", ("a", "b"), 2, 1, 1), 10))

    assert error.value.code == "nothing_to_score"


def test_incidents_of_strangers_are_refused() -> None:
    with pytest.raises(ScoreError) as error:
        standings_data(small_division(), {"nobody": {"timeouts": 1}})

    assert error.value.code == "unknown_bot"


def test_no_incidents_are_said_in_a_word() -> None:
    assert standings_markdown(standings_data(small_division())).endswith("### Incidents\n\nNone.\n")
