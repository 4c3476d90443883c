"""Bots that misbehave, as real processes in a real competition: each costs only itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from protocol.errors import CODES
from tests.support.competitions.arena import ANIMALS, animal, bot, competition, division, run
from tests.support.houses.people import Entrance

HANDS = 5
#: A decision and the bank are short, so that silence is over soon, and long enough for a busy machine.
TIME = {"decision_ms": 600, "bank_ms": 900, "start_ms": 3000, "grace_ms": 2000, "max_missed_turns": 2}

ANY = -1
#: What each animal is guilty of, in all of its two sessions: at least so often, or (ANY) at least once.
GUILT: dict[str, dict[str, int]] = {
    "well_behaved": {},
    "slow": {"timeout": 2, "stale_turn": 2},
    "silent": {"no_show": 2, "absent": ANY},
    "mute": {"timeout": 4, "absent": ANY},
    "absent": {"no_show": 2, "absent": ANY},
    "slowloris": {"no_show": 2, "absent": ANY},
    "stillborn": {"crash": 2, "gone": 2, "absent": ANY},
    "impostor": {},
    "babbler": {"malformed_frame": 900, "wrong_frame_kind": 900, "disconnect": 2, "absent": ANY},
    "stale": {"stale_turn": 2 * HANDS},
    "double": {"stale_turn": 2 * HANDS},
    "illegal": {"illegal_action": 6 * HANDS},
    "pushy": {"not_your_turn": HANDS, "unknown_table": HANDS},
    "huge": {"disconnect": 2},
    "quitter": {"crash": 2, "disconnect": 2, "gone": 2, "absent": ANY},
    "killed": {"crash": 2, "disconnect": 2, "gone": 2, "absent": ANY},
    "forgetful": {"disconnect": 4},
    "twofold": {},
    "deaf": {"timeout": 4, "absent": ANY},
    "stubborn": {},
    "parent": {"crash": 2, "disconnect": 2, "absent": ANY},
    "leaver": {"leave": 2, "absent": ANY},
}
#: What must not be counted against them.
INNOCENT = {
    "forgetful": {"timeout", "absent", "gone", "crash"},
    "twofold": {"timeout", "absent", "gone", "crash"},
    "illegal": {"timeout", "absent"},
    "stale": {"timeout", "absent"},
    "double": {"timeout", "absent", "illegal_action"},
    "pushy": {"timeout", "absent"},
    "impostor": {"timeout", "absent", "bad_token"},
    "huge": {"gone", "crash"},
    "leaver": {"gone", "no_show", "crash"},
}
OVER_THE_SOCKET = ("babbler", "huge", "killed", "forgetful")


def test_all_of_the_zoo_is_here() -> None:
    # Nothing goes wrong with those who remember: ``test_audit`` and ``test_series`` have them.
    assert ANIMALS.keys() - {"rememberer", "grower"} == set(GUILT)


#: Who are at the same server at the same time, and which that is.
HOUSES: list[tuple[Entrance, Sequence[str]]] = [
    *(("picows", list(GUILT)[number::4]) for number in range(4)),
    ("web", OVER_THE_SOCKET),
]


@pytest.mark.parametrize(
    ("library", "names"), HOUSES, ids=lambda value: value if isinstance(value, str) else " ".join(value)
)
async def test_each_costs_only_itself(
    library: Entrance, names: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in a division of its own, against one who is steady: whatever the others do meanwhile."""
    monkeypatch.setattr("server.bots.processes.STOP_TIMEOUT", 0.4)
    bots = [*map(animal, names), bot("steady", run="call", reset="message", tables=4)]
    divisions = [division(name, hands=HANDS, bots=[name, "steady"]) for name in names]
    played = await run(competition(bots, divisions, time=TIME, workers=3), tmp_path / "out", library=library)

    for name, shown in zip(names, played.standings["divisions"], strict=True):
        counted = Counter(played.incidents[name][name])
        for kind, count in GUILT[name].items():
            told = (name, kind, dict(counted), played.logs(name))
            assert counted[kind] >= (1 if count == ANY else count), told
        innocent = {*counted} & INNOCENT.get(name, set()) if GUILT[name] else {*counted}
        assert not innocent, (name, dict(counted), played.logs(name))
        assert played.incidents[name]["steady"] == {}, name
        check_standings(shown["incidents"], name, counted)
        # Of the animal's own code; the websocket library may tell of the end of the connection.
        assert "tests/zoo" not in played.logs(name), played.logs(name)
    assert played.incidents[""] == {name: {} for name in (*names, "steady")}
    assert played.runner.progress.hands_done == dict.fromkeys(names, 2 * HANDS)


def check_standings(shown: dict[str, dict[str, int]], name: str, counted: Counter[str]) -> None:
    """What the standings say is what was counted."""
    nothing = {"timeouts": 0, "refusals": 0, "disconnections": 0, "policy_actions": 0}
    assert shown["steady"] == nothing
    assert shown[name] == {
        "timeouts": counted["timeout"],
        "refusals": sum(count for kind, count in counted.items() if kind in CODES),
        "disconnections": counted["disconnect"],
        "policy_actions": counted["timeout"] + counted["absent"],
        **{kind: counted[kind] for kind in ("crash", "leave", "no_show", "start_failed") if counted[kind]},
    }


async def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    """Nobody waits for a bot that can never come."""
    bots: list[dict[str, Any]] = [
        bot("nothing", command=["/no/such/program"]),
        bot("noise", command=["nul\u0000character"]),
        bot("steady", run="call", reset="message", tables=4),
    ]
    text = competition(bots, [division(hands=5)], time={"start_ms": 600_000})
    played = await run(text, tmp_path / "out", workers=4)
    for name in ("nothing", "noise"):
        counted = played.incidents["duel"][name]
        assert counted["start_failed"] == 4
        assert counted["gone"] == 4
    assert played.incidents["duel"]["steady"] == {}


async def test_a_zoo_at_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three who misbehave in different ways and one who does not, at a table of four."""
    monkeypatch.setattr("server.bots.processes.STOP_TIMEOUT", 0.4)
    bots = [
        animal("illegal", reset="message", tables=8),
        animal("stale", reset="message", tables=8),
        animal("quitter"),
        bot("steady", run="call", reset="message", tables=8),
    ]
    four = division("four", game="custom.nolimit.4p.uneven", hands=4, seatings="rotations")
    played = await run(competition(bots, [four], time=TIME, workers=4), tmp_path / "out")
    incidents = played.incidents["four"]
    assert incidents["steady"] == {}
    assert set(incidents["illegal"]) == {"illegal_action"}
    assert set(incidents["stale"]) == {"stale_turn"}
    assert incidents["quitter"]["crash"] == 4
    assert played.runner.progress.hands_done == {"four": 4 * 4}


async def test_what_belongs_to_a_connection_and_to_no_table(tmp_path: Path) -> None:
    """Of a bot that connects once, garbage is counted for the whole competition."""
    bots = [bot("steady", run="call", reset="message", tables=2), animal("babbler", reset="message")]
    played = await run(competition(bots, [division(hands=5)], time=TIME), tmp_path / "out")
    connections = played.standings["connections"]
    assert list(connections) == ["babbler"]
    assert {"malformed_frame", "wrong_frame_kind"} <= set(connections["babbler"])
    assert sum(connections["babbler"].values()) >= 1000
    assert played.incidents["duel"]["steady"] == {}
