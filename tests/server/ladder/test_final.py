"""A final is of the bots with which it began, and a match of its versions, whatever else changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from server.bots.sandbox import Limits, Sandbox
from server.competition.file import parse_competition
from server.competition.store import CompetitionStore, StoreError
from server.house.house import House
from server.ladder.config import LadderConfig
from server.ladder.errors import LadderError
from server.ladder.final import final_text, play_final, stage_of
from server.ladder.matches import MatchPlace, competition_text
from server.ladder.records import Kind, Version
from server.ladder.verify import lasting_lines
from server.storage.competition_state import OpenStates
from tests.support.competitions.arena import run

CONFIG = LadderConfig(name="small", house=["call", "fair"], deal_sets=20)


def version(bot: str, kind: Kind = "house", digest: str = "") -> Version:
    return Version(bot, bot, 1, kind, digest, ("./run",), "rated", "", 0.0, 0.0)


def place_in(folder: Path) -> MatchPlace:
    sandbox = Sandbox([folder], strictness="off")
    house = House(storage=OpenStates())
    return MatchPlace(folder, b"", house, "ws://127.0.0.1:1", sandbox, OpenStates(), CONFIG)


@pytest.mark.parametrize("bots", [(), ("call",)])
async def test_a_final_needs_bots(tmp_path: Path, bots: tuple[str, ...]) -> None:
    place, out = place_in(tmp_path), tmp_path / "final"
    with pytest.raises(LadderError) as refused:
        await play_final(place, [version(bot) for bot in bots], {}, out, 10**6, lambda stage: None)
    assert refused.value.code == "too_few_bots"
    assert not out.exists()
    place.house.close()


@pytest.mark.parametrize("others", [("call", "raise"), ("akuma", "call", "fair")])
async def test_a_final_is_not_continued_with_other_bots(tmp_path: Path, others: tuple[str, ...]) -> None:
    place, out = place_in(tmp_path), tmp_path / "final"
    text = final_text(CONFIG, [version("call"), version("fair")], 1, 2, {})
    store = CompetitionStore(out)
    store.open(parse_competition(text, tmp_path), text)
    store.close()
    with pytest.raises(StoreError) as refused:
        await play_final(place, [version(bot) for bot in others], {}, out, 10**6, lambda stage: None)
    assert refused.value.code == "other_competition"
    place.house.close()


def test_times_limits_tokens_and_blindness_may_change_and_nothing_else() -> None:
    def lines(config: LadderConfig, token: str = "1", bot: str = "bob", digest: str = "4f21c0") -> list[str]:
        versions = [version("ann", "remote"), version(bot, "pushed", digest)]
        return lasting_lines(competition_text(config, 7, versions, 2, {"ann": token}))

    played = lines(CONFIG)
    slower = structs.replace(CONFIG.time, decision_ms=9)
    assert played == lines(structs.replace(CONFIG, time=slower, limits=Limits(memory_mb=512)), token="2")
    assert played == lines(structs.replace(CONFIG, blind=True))
    assert played != lines(structs.replace(CONFIG, deal_sets=21))
    assert played != lines(CONFIG, bot="cid")
    assert played != lines(CONFIG, digest="4f21c1")


async def test_the_order_is_that_without_luck(tmp_path: Path) -> None:
    bots = [version(bot) for bot in ("call", "random", "raise")]
    text = final_text(CONFIG, bots, 1, 2, {})
    await run(text, tmp_path / "final")
    told = CompetitionStore(tmp_path / "final").read_json("standings.json", dict[str, Any])["divisions"][0]
    rates = {row["bot"]: row["rate"]["mbb"] for row in told["without_luck"]["ranking"]}
    assert rates != {row["bot"]: row["rate"]["mbb"] for row in told["ranking"]}
    found = stage_of(tmp_path / "final", 1, 120)
    assert list(found.ranking) == sorted(rates, key=lambda bot: -rates[bot])


def test_whatever_starts_a_program_is_started_in_its_matches(tmp_path: Path) -> None:
    command = ("./🃏", 'a "b" \\', "tab\t, line\n", "\x7f\x00\x1b", "é\u2028\uffff\U0010ffff")
    bots = [version("ann", "pushed", "4f21c0")._replace(command=command), version("call")]
    text = competition_text(CONFIG, 7, bots, 2, {})
    assert parse_competition(text, tmp_path).bots["ann"].command == list(command)
    assert "\\u00e9\\u2028" in text  # as it always was
