"""The re-dealer in JavaScript, written from ``docs/fairness.md``, on a competition that was played."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import shutil
import subprocess
from asyncio.subprocess import PIPE
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import uvloop

from dealer.deck import commitment, secure_deals
from dealer.rules.actions import CALL, raise_to
from dealer.rules.cards import CARD_TEXTS
from dealer.rules.games import holdem
from dealer.rules.hand import AllIns, HandState
from server.house.restore import recorder_for
from tests.support.competitions.arena import bot, competition, division, run
from tests.support.houses.challenges import Duel
from tests.support.houses.http_client import site

REDEAL = Path("clients/examples/redeal.mjs")
BOTS = [bot(name, run=name, reset="message", tables=8) for name in ("call", "random", "raise")]
CUP = {"mode": "tournament", "players": 3, "stack": 60, "levels": [[5, 10, 0, 2], [20, 40, 1, 2]]}
CASH = {"mode": "cash", "players": 3, "stack": 100}
DIVISIONS = [
    division("limit", game="holdem.limit.3p", hands=4, matches=2),
    division("nolimit", game="holdem.nolimit.2p.reverse_blinds", hands=4),
    division("cup", table=CUP, seatings="rotations"),
    division("cash", table=CASH, hands=6, seatings="rotations"),
    division("kuhn", game="kuhn.limit.3p", hands=4, seatings="rotations"),
]


def passes_over(seed: str, match: int, hand: int) -> bool:
    """Whether one of the first numbers would favour low places in a deck of 52, and is passed over."""
    key = hashlib.sha256(seed.encode()).digest() + match.to_bytes(8, "big") + hand.to_bytes(8, "big")
    numbers = hashlib.shake_256(b"pokerd secure deal 1\0" + key).digest(2)
    return int.from_bytes(numbers, "big") >= 65536 - 65536 % 52


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A competition with a division of each sort, in whose second match of three a number is passed over."""
    out = tmp_path_factory.mktemp("redeal") / "out"
    seed = next(f"seed {number}" for number in count() if passes_over(f"seed {number}", 1, 2))

    async def play() -> None:
        await run(competition(BOTS, DIVISIONS, seed=seed), out)

    uvloop.run(play())
    return out


@pytest.fixture
def out(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "copy"))


def redeal(out: Path) -> tuple[int, str]:
    done = subprocess.run(["node", REDEAL, out], capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_every_hand_of_a_played_competition_has_the_cards_of_the_seed(out: Path) -> None:
    journals = list((out / "hands").rglob("*.jsonl"))
    hands = sum(len(path.read_text().splitlines()) - 1 for path in journals)
    code, told = redeal(out)
    assert code == 0, told
    assert f" {hands} hands in {len(journals)} sessions " in told


def event(kind: str, change: Callable[[list[Any]], None]) -> Callable[[Path], int]:
    """Change the first event of that kind in a journal; which hand it is in."""

    def changed(path: Path) -> int:
        first, *lines = path.read_text().splitlines()
        hands = [json.loads(line) for line in lines]
        hand, found = next((hand, found) for hand in hands[1:] for found in hand if found[0] == kind)
        change(found)
        path.write_text("\n".join([first, *map(json.dumps, hands)]) + "\n")
        number = hand[0][1]
        assert isinstance(number, int)
        return number

    return changed


def swap_hole_cards(found: list[Any]) -> None:
    """The first player's second card for the second player's first."""
    one, two = found[7][:2]
    found[7][:2] = [one[:2] + two[:2], one[2:] + two[2:]]


def turn_seats(found: list[Any]) -> None:
    found[2].append(found[2].pop(0))


def turn_flop(found: list[Any]) -> None:
    found[2] = found[2][2:] + found[2][:2]


def turn_shown(found: list[Any]) -> None:
    found[1][0][1] = found[1][0][1][2:] + found[1][0][1][:2]


@pytest.mark.parametrize(
    ("session", "damage"),
    [
        ("limit/m0001-l000-s4", event("hand_started", swap_hole_cards)),
        ("nolimit/m0000-l001-s1", event("hand_started", swap_hole_cards)),
        ("cash/m0000-l000-s2", event("hand_started", turn_seats)),
        ("cup/m0000-l000-s1", event("hand_started", turn_seats)),
        ("limit/m0000-l000-s0", event("board_dealt", turn_flop)),
        ("limit/m0000-l000-s1", event("shown", turn_shown)),
    ],
)
def test_a_hand_with_other_cards_is_named(out: Path, session: str, damage: Callable[[Path], int]) -> None:
    hand = damage(out / "hands" / f"{session}.jsonl")
    code, told = redeal(out)
    assert code == 1
    assert f"hands/{session}.jsonl: hand {hand}" in told


def another_seed(out: Path) -> None:
    (out / "seed.json").write_text(json.dumps({"deck": "secure", "seed": "00" * 32}))


def another_seed_with_its_commitment(out: Path) -> None:
    another_seed(out)
    facts = {"deck": "secure", "commitment": commitment(bytes(32))}
    (out / "commitment.json").write_text(json.dumps(facts))


def no_seed(out: Path) -> None:
    (out / "seed.json").unlink()


def a_hand_less(out: Path) -> None:
    path = out / "hands/limit/m0000-l000-s0.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:2], *lines[3:]]))


def another_match(out: Path) -> None:
    shutil.copy(out / "hands/limit/m0000-l000-s0.jsonl", out / "hands/limit/m0001-l000-s0.jsonl")


def no_hands(out: Path) -> None:
    path = out / "hands/limit/m0000-l000-s0.jsonl"
    path.write_text(path.read_text().splitlines(keepends=True)[0])


def no_sessions(out: Path) -> None:
    shutil.rmtree(out / "hands")
    (out / "hands").mkdir()


def other_deck(out: Path) -> None:
    (out / "seed.json").write_text(json.dumps({"deck": "acpc", "seed": "1"}))


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (another_seed, "commitment"),
        (another_seed_with_its_commitment, r"hands/cash/m0000-l000-s0\.jsonl: hand 1"),
        (no_seed, r"seed\.json"),
        (a_hand_less, r"limit/m0000-l000-s0\.jsonl: hand 1"),
        (another_match, r"limit/m0001-l000-s0\.jsonl: session"),
        (no_hands, r"limit/m0000-l000-s0\.jsonl: .*hands"),
        (no_sessions, "sessions"),
        (other_deck, "acpc"),
    ],
)
def test_what_cannot_be_right_is_named(out: Path, damage: Callable[[Path], None], named: str) -> None:
    damage(out)
    code, told = redeal(out)
    assert code == 1
    assert re.search(named, told)
    assert len(told.splitlines()) == 1


def test_it_uses_nothing_but_node() -> None:
    assert set(re.findall(r'from "([^"]+)"', REDEAL.read_text())) == {"node:crypto", "node:fs"}


async def redeal_table(url: str) -> tuple[int, str]:
    node = await asyncio.create_subprocess_exec("node", REDEAL, url, stdout=PIPE, stderr=PIPE)
    async with asyncio.timeout(60):
        told, faults = await node.communicate()
    assert faults == b""
    assert node.returncode is not None
    return node.returncode, told.decode()


async def test_the_hands_of_an_open_table_are_dealt_again_once_its_seed_is_out(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        # Against the only other Ann gives up some hands before the end of the board.
        duel = Duel("raise", house=place.house, make_recorder=partial(recorder_for, place.archive), hands=10)
        duel.sit()
        url = f"http://127.0.0.1:{place.port}/api/tables/table-1.1"
        for hand in range(9):
            duel.play(hand + 1, "fold" if hand % 2 else "call")
        code, told = await redeal_table(url)
        assert (code, "not published yet" in told) == (1, True)
        duel.play()
        code, told = await redeal_table(url)
        assert code == 0, told
        lines = told.splitlines()
        assert ": 10 hands have the cards of the seed" in lines[-1]
        # All that would have come is told, too.
        deals = secure_deals(duel.table.seed, 0, holdem(2, 5, 10, stack=1000))
        for number, line in enumerate(lines[:-1], 1):
            board = [CARD_TEXTS[card] for street in range(1, 4) for card in deals.deal(number).board(street)]
            assert re.findall(r"\b[2-9TJQKA][cdhs]\b", line) == board, line
        assert 0 < told.count("would have come") < 10
        assert (await redeal_table(f"{url}/"))[0] == 0
        for wrong, fault in (("/hands", "this is no table"), ("7", "404")):
            code, told = await redeal_table(url + wrong)
            assert (code, fault in told) == (1, True), told


async def test_a_table_of_several_pages_of_hands_is_dealt_again_whole(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        duel = Duel("call", house=place.house, make_recorder=partial(recorder_for, place.archive), hands=101)
        duel.sit()
        duel.play()
        code, told = await redeal_table(f"http://127.0.0.1:{place.port}/api/tables/table-1.1")
        assert code == 0, told
        numbers = [int(number) for number in re.findall(r"^hand (\d+):", told, re.MULTILINE)]
        assert numbers == list(range(1, 102))


@pytest.mark.parametrize("wrong", [None, 3])
async def test_second_boards_are_dealt_again_too(tmp_path: Path, wrong: int | None) -> None:
    game, seed = holdem(3, 5, 10, stack=300), bytes(32)
    deals = secure_deals(seed, 0, game)
    async with site(tmp_path) as place:
        recorder = place.archive.open_table(
            "table-1", mode="cash", game=game, seats=3, commitment=commitment(seed)
        )
        # All in on each street.
        for street in range(4):
            number = street + 1
            spare = partial(deals.second_board, 99 if number == wrong else number)
            twice = AllIns(agreed={0, 1, 2}, spare=spare)
            hand = HandState(game, deals.deal(number), number=number, all_ins=twice)
            while len(hand.board) < (0, 3, 4, 5)[street]:
                hand.act(CALL)
            hand.act(raise_to(hand.legal().max_raise or 0))
            hand.act(CALL)
            hand.act(CALL)
            recorder.begin(game, [("ann", ""), ("bob", ""), ("cid", "")])
            recorder.record_hand(hand.events)
        recorder.close(seed)
        place.archive.commit()
        code, told = await redeal_table(f"http://127.0.0.1:{place.port}/api/tables/{recorder.run}")
        if wrong is not None:
            assert (code, f"hand {wrong}, second board" in told) == (1, True), told
            return
        assert code == 0, told
        # On the river nothing was left to deal.
        assert [line.count(" and ") for line in told.splitlines()[:-1]] == [1, 1, 1, 0]
