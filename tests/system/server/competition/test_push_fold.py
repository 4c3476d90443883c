"""All-in or fold at the server: a competition with fixed and with drawn stacks, its records, and a table."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from dealer.errors import RecordError
from dealer.records.convert import FORMATS, convert
from dealer.records.hands import HandRecord
from dealer.rules.games import load_game
from server.competition.file import load_competition
from server.competition.verify import Difference, verify_directory
from strategy.registry import parameters_of, strategy_names
from tests.dealer.records.tables import normal
from tests.support.competitions.arena import ROOT, bot, competition, division, run
from tests.support.houses.lobby import opened

BOTS = [bot(name, run=name, reset="message", tables=8) for name in ("call", "fair", "random")]
DRAWN = {
    "mode": "cash", "players": 2, "small_blind": 50, "big_blind": 100, "rules": "pushfold", "depth": [1, 10],
}  # fmt: skip
#: In 40 hands of this seed every depth is drawn.
TEXT = competition(
    BOTS,
    [
        division("fixed", game="holdem.pushfold.2p", hands=40),
        division("drawn", table=DRAWN, hands=40),
        division("three", table={**DRAWN, "players": 3}, hands=20, seatings="rotations"),
    ],
    workers=8,
)


def journal(out: Path, division_: str, session: str) -> list[list[Any]]:
    lines = (out / "hands" / division_ / f"{session}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines[1:]]


def converted(path: Path, after: str) -> str:
    before = FORMATS["journal"]
    with path.open(encoding="utf-8", newline="\n") as file:
        return "".join(convert(file, before, FORMATS[after], folder=path.parent))


def recorded(path: Path) -> list[HandRecord]:
    with path.open(encoding="utf-8", newline="\n") as file:
        return list(FORMATS["journal"].read(file, None))


async def test_a_competition_of_all_in_or_fold(tmp_path: Path) -> None:
    """``run`` verifies it: dealt from the seed, replayed, every file as it must be."""
    out = tmp_path / "out"
    played = await run(TEXT, out)
    assert all(not any(bots.values()) for bots in played.incidents.values())
    drawn = set()
    for line_up in range(3):
        for name in ("fixed", "drawn"):
            seatings = [journal(out, name, f"m0000-l{line_up:03}-s{seat}") for seat in range(2)]
            # The same stacks and the same cards at both seatings, by position.
            starts = [[(hand[0][4], hand[0][7]) for hand in hands] for hands in seatings]
            assert starts[0] == starts[1]
            drawn |= {(name, *stacks) for stacks, _ in starts[0]}
            for hand in (hand for hands in seatings for hand in hands):
                first, *others = [event[2] for event in hand if event[0] == "acted"]
                short = hand[0][4][0] == 100
                assert first in ("fold", "call" if short else "raise")
                assert others in ([], ["call"], ["fold"])
    assert {tuple(one[1:]) for one in drawn if one[0] == "fixed"} == {(1000, 1000)}
    assert {one[1] for one in drawn if one[0] == "drawn"} == {100 * depth for depth in range(1, 11)}
    _records(out)
    _a_changed_stack_is_found(out)


def _records(out: Path) -> None:
    """What other formats can tell of it, and what they refuse."""
    fixed = out / "hands" / "fixed" / "m0000-l000-s0.jsonl"
    drawn = out / "hands" / "drawn" / "m0000-l000-s0.jsonl"
    for path in (fixed, drawn):
        for name in ("phhs", "ohh"):
            hands = list(FORMATS[name].read(io.StringIO(converted(path, name)), None))
            assert {hand.game.rules for hand in hands} == {"pushfold"}
            assert list(map(normal, hands)) == list(map(normal, recorded(path)))
        assert "all-in" in converted(path, "pokerstars")
    log = converted(fixed, "acpc")
    hands = list(FORMATS["acpc"].read(io.StringIO(log), load_game("holdem.pushfold.2p")))
    assert [hand.events for hand in hands] == [hand.events for hand in recorded(fixed)]
    with pytest.raises(RecordError) as error:
        converted(drawn, "acpc")
    assert error.value.code == "not_in_acpc"


def _a_changed_stack_is_found(out: Path) -> None:
    path = out / "hands" / "drawn" / "m0000-l000-s0.jsonl"
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    number = next(i for i, line in enumerate(lines) if "[700,700]" in line)
    lines[number] = lines[number].replace("[700,700]", "[800,800]")
    path.write_text("".join(lines))
    with pytest.raises(Difference):
        verify_directory(out)
    path.write_text(text)


async def test_a_person_and_bots_at_a_table_of_all_in_or_fold(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, door), door() as ann:
        await ann.say("hello", name="ann", person=True)
        bots = ["call", "fair"]
        await ann.say("create", game="pushfold", depth=[1, 10], seats=3, bots=bots, pause_ms=0)
        await ann.say("join", table=(await ann.hear("created"))["table"])
        await ann.play(hands=30)
    game = next(message["game"] for message in ann.heard if message["type"] == "match_start")
    assert (game["name"], game["rules"], game["stacks"]) == ("holdem.pushfold.3p", "pushfold", [100] * 3)
    seats = [message for message in ann.heard if message["type"] == "seats"]
    assert seats[0]["game"] == "push/fold hold'em 5/10, 1-10 big blinds"
    assert not [message for message in ann.heard if message["type"] in ("error", "refilled")]
    starts = [message for message in ann.heard if message["type"] == "hand_start"]
    assert all(len(set(start["stacks"])) == 1 for start in starts)
    assert len({start["stacks"][0] for start in starts}) > 4
    raises = [message for message in ann.heard if message.get("action") == "raise"]
    assert raises
    assert all(message["all_in"] for message in raises)
    for turn in (message for message in ann.heard if message["type"] == "turn"):
        assert turn["raise_to"] is None or turn["raise_to"][0] == turn["raise_to"][1]
    for end in (message for message in ann.heard if message["type"] == "hand_end"):
        assert sum(end["net"]) == 0


def test_the_competition_that_comes_with_pokerd(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is as its page says, and the house bots can play with its files."""
    monkeypatch.chdir(ROOT)
    planned, _ = load_competition(ROOT / "games" / "pushfold.toml", strategy_names(), parameters_of)
    ten, drawn = planned.divisions["ten"], planned.divisions["drawn"]
    assert (ten.matches * ten.hands, drawn.matches * drawn.hands) == (33_500, 2_000)
    assert planned.games["ten"] == load_game("holdem.pushfold.2p")
    stakes = planned.entry.divisions[1].table
    assert stakes is not None
    assert stakes.stakes().title == "push/fold hold'em 50/100, 1-10 big blinds"
