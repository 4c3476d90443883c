"""The competition of push/fold players, played short: what they win is what it must be, exactly known."""

from __future__ import annotations

import json
import re
from itertools import combinations
from math import sqrt
from pathlib import Path

from strategy.pushfold.files import PushFoldChart, load_chart, shipped_chart
from strategy.pushfold.game import advantage, percent_played
from tests.support.competitions.arena import ROOT, run
from tests.support.competitions.continued import records
from tests.support.competitions.plain import by_plain_calls

HANDS, MATCHES = 50, 12
#: The 95 % intervals of the standings, of 12 matches, made 99.9 % ones: Student's quantiles.
WIDER = 4.4370 / 2.2010
BOOKS = {
    "equilibrium": shipped_chart(),
    "evolved": load_chart(ROOT / "games/pushfold/evolved.json"),
    "57-37": load_chart(ROOT / "games/pushfold/57-37.json"),
}


def short(hands: int, matches: int) -> str:
    """The file that comes with pokerd, its first division alone, with fewer hands."""
    text = (ROOT / "games/pushfold.toml").read_text()
    text = text[: text.index('\n[[divisions]]\nname = "drawn"')]
    text = re.sub(r"\nhands = .*\nmatches = .*\n", f"\nhands = {hands}\nmatches = {matches}\n", text)
    return text.replace('"games/pushfold/', f'"{ROOT}/games/pushfold/')


def jams_and_calls(out: Path) -> dict[str, list[list[bool]]]:
    """What each bot did with the small blind, and what with the big one after a jam."""
    done: dict[str, list[list[bool]]] = {name: [[], []] for name in BOOKS}
    for path in (out / "hands" / "ten").glob("*.jsonl"):
        head, *hands = (json.loads(line) for line in path.read_text().splitlines())
        for hand in hands:
            for place, (_, seat, action, *_) in enumerate(event for event in hand if event[0] == "acted"):
                done[head["players"][seat]][place].append(action != "fold")
    return done


def exact(one: PushFoldChart, two: PushFoldChart) -> float:
    return 1000 * advantage(one.pair(10), two.pair(10), 10)


def test_what_is_won_is_exactly_known(tmp_path: Path) -> None:
    out = by_plain_calls(short(HANDS, MATCHES), tmp_path / "out")
    table = json.loads((out / "standings.json").read_text())["divisions"][0]["crosstable"]
    for one, two in combinations(BOOKS, 2):
        seen = table[one][two]
        assert seen["units"] == MATCHES
        assert abs(seen["mbb"] - exact(BOOKS[one], BOOKS[two])) < WIDER * seen["ci95"], (one, two)
    # Who play nearly alike win nearly nothing: that everybody plays his own tables is seen by how often.
    for name, both in jams_and_calls(out).items():
        for acts, book_table in zip(both, BOOKS[name].pair(10), strict=True):
            chance = percent_played(book_table) / 100
            assert len(acts) > 400
            assert abs(sum(acts) / len(acts) - chance) < 4 * sqrt(chance * (1 - chance) / len(acts)), name


async def test_over_websockets_the_same_is_played(tmp_path: Path) -> None:
    text = short(10, 1)
    played = await run(text, tmp_path / "out")
    assert all(not any(bots.values()) for bots in played.incidents.values())
    assert records(played.out) == records(by_plain_calls(text, tmp_path / "plain"))
