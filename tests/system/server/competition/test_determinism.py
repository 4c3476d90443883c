"""The same file gives the same bytes: how a competition is run changes nothing of what it leaves behind.

The measure is the competition played by plain calls: rules and strategies in this process, one session after
the other, without server, sockets or bot processes. Every way to run it for real must agree with that.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dealer.deck import acpc_deals, acpc_match_seed
from dealer.match import pseudonyms
from dealer.records.acpc import parse_score, parse_state
from dealer.rules.games import load_game
from server.competition.file import Competition
from tests.support.competitions.arena import bot, competition, division, run
from tests.support.competitions.plain import by_plain_calls
from tests.support.golden import GOLDEN, MATCHES
from tests.support.houses.people import Entrance

NAMES = ("call", "raise", "random", "fair")
LEVELS = [[10, 20, 0, 3], [50, 100, 10, 3], [400, 800, 0, 3]]
CUP = {"mode": "tournament", "players": 3, "stack": 1000, "levels": LEVELS}
CASH = {"mode": "cash", "players": 3, "stack": 200, "small_blind": 5, "big_blind": 10}

TRIO = ["call", "random", "fair"]

#: Every kind of division, at once more sessions than workers or tables of a bot.
WIDE = (
    division("limit-3p", game="holdem.limit.3p", hands=3, bots=TRIO),
    division("limit-2p", game="holdem.limit.2p.reverse_blinds", hands=5, matches=2, bots=TRIO),
    division("nolimit-3p", game="holdem.nolimit.3p", hands=3, seatings="rotations"),
    division("nolimit-2p", game="holdem.nolimit.2p.reverse_blinds", hands=5, bots=["random", "raise"]),
    division("cup", table=CUP, seatings="rotations", bots=TRIO),
    division("cash", table=CASH, hands=5, seatings="rotations", bots=TRIO),
)
#: Fewer sessions, because each starts fresh processes.
NARROW = (
    division(
        "limit-3p", game="holdem.limit.3p", hands=5, seatings="rotations", bots=["call", "random", "raise"]
    ),
    division("nolimit-2p", game="holdem.nolimit.2p.reverse_blinds", hands=8, bots=["raise", "random"]),
    division("cup", table={**CUP, "players": 2}, bots=["call", "fair"]),
    division("cash", table={**CASH, "players": 2}, hands=8, bots=["random", "call"]),
)

Files = dict[str, bytes]


def house(tables: int = 64) -> list[dict[str, Any]]:
    """Bots that stay for all their sessions."""
    return [bot(name, run=name, reset="message", tables=tables) for name in NAMES]


def fresh() -> list[dict[str, Any]]:
    """Bots that are started for every session."""
    return [bot(name) for name in NAMES]


def records(out: Path) -> Files:
    """All but the logs, and the competition file, which says how it is run."""
    files = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
    private = ("competition.toml", "logs/", "state.db")
    kept = [name for name in sorted(files) if not name.startswith(private)]
    return {name: files[name].read_bytes() for name in kept}


def same(found: Files, right: Files) -> None:
    """Compare, and show the first file that differs, line by line."""
    assert list(found) == list(right)
    for name, must in right.items():
        if found[name] != must:
            assert found[name].decode().splitlines() == must.decode().splitlines(), name
            pytest.fail(f"{name} differs in its line ends")


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return records(by_plain_calls(competition(house(), WIDE), tmp_path_factory.mktemp("plain") / "out"))


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return records(by_plain_calls(competition(house(), NARROW), tmp_path_factory.mktemp("plain") / "out"))


# Ways to run it.


@pytest.mark.parametrize(("workers", "library"), [(1, "web"), (64, "picows")])
async def test_bots_that_stay(workers: int, library: Entrance, wide: Files, tmp_path: Path) -> None:
    done = await run(competition(house(), WIDE), tmp_path / "out", workers=workers, library=library)
    same(records(done.out), wide)


async def test_some_stay_and_for_some_every_session_has_a_fresh_process(
    narrow: Files, tmp_path: Path
) -> None:
    """Fresh are those who draw lots, and would go on otherwise than they begin."""
    bots = [*house(tables=2)[:2], *fresh()[2:]]
    done = await run(competition(bots, NARROW), tmp_path / "out", workers=6)
    same(records(done.out), narrow)


def test_another_seed_gives_other_hands(narrow: Files, tmp_path: Path) -> None:
    """Agreement means something: what is compared depends on the seed."""
    other = records(by_plain_calls(competition(house(), NARROW, seed="another"), tmp_path / "out"))
    assert list(other) == list(narrow)
    told_by_the_file = {name for name in narrow if name.startswith("games/")} | {"incidents.json"}
    assert {name for name in narrow if other[name] == narrow[name]} <= {*told_by_the_file, "places.json"}


# The reference dealer's deals.


@pytest.mark.parametrize("name", ["g02_l2_s1_callraise", "g06_n2_s7_callraise"])
async def test_the_reference_dealer_logged_the_same(name: str, tmp_path: Path) -> None:
    """Two of its own matches, begun by our bots at our server: the same lines and the score of these."""
    [match] = [match for match in MATCHES if match["name"] == name]
    names = zip(match["seat_names"], match["players"], strict=True)
    bots = [bot(seat, run=player, reset="message", tables=2) for seat, player in names]
    game, hands = match["game"].removesuffix(".game"), 100
    text = competition(bots, [division(game=game, hands=hands)], deck="acpc", seed=match["seed"], workers=2)
    done = await run(text, tmp_path / "out")
    found = (done.out / "hands/duel/m0000-l000-s0.log").read_text("ascii").splitlines()
    logged = (GOLDEN / match["log"]).read_text("ascii").splitlines()
    # The header names the match and the file of its game.
    assert found[0].split()[2:] == ["duel/m0000-l000-s0", "duel.game", str(hands), str(match["seed"])]
    assert found[1:-1] == logged[1 : 4 + hands]
    won: Counter[str] = Counter()
    for state in map(parse_state, logged[4 : 4 + hands]):
        for player, value in zip(state.names, state.values, strict=True):
            won[player] += int(value)
    score = parse_score(found[-1])
    assert dict(zip(score.names, score.totals, strict=True)) == won


async def test_every_match_has_the_reference_dealers_deals(tmp_path: Path) -> None:
    """Match 0 is dealt from the seed, match 1 from one that follows from it, the same for all line-ups."""
    hands, seed = 6, 2024
    three = division("three", game="holdem.limit.3p", hands=hands, matches=2, seatings="rotations")
    text = competition(house(), [three], deck="acpc", seed=seed)
    right = records(by_plain_calls(text, tmp_path / "plain"))
    done = await run(text, tmp_path / "out", workers=16)
    same(records(done.out), right)
    for session in done.runner.competition.sessions:
        own = acpc_match_seed(seed, session.match)
        assert (own == seed) == (session.match == 0)
        deals = acpc_deals(own, load_game("holdem.limit.3p"))
        lines = (done.out / "hands" / f"{session.name}.log").read_text("ascii").splitlines()
        assert lines[0].split()[-2:] == [str(hands), str(own)]
        for number, line in enumerate(lines[4:-1]):
            state, deal = parse_state(line), deals.deal(number)
            assert state.hole == deal.hole
            assert state.board == deal.streets[: len(state.board)]


# Anonymous.

#: Calls, and writes down all that it is told.
SPY = """
import json
from tests.zoo.keeper import act, come_in, hear
socket = come_in()
for message in hear(socket):
    if message["type"] == "turn":
        act(socket, message)
    print(json.dumps(message), flush=True)
"""


def told(log: str) -> dict[str, list[dict[str, Any]]]:
    """What a spy wrote down, by table, without what is about time."""
    tables: dict[str, list[dict[str, Any]]] = {}
    for message in map(json.loads, log.splitlines()):
        if "table" in message:
            tables.setdefault(message["table"], []).append(message)
        for name in ("time_ms", "bank_ms"):
            message.pop(name, None)
    return tables


async def test_anonymous_changes_only_what_bots_are_told(tmp_path: Path) -> None:
    names = ("spy", "mole")
    bots = [*(bot(name, command=["{python}", "-c", SPY]) for name in names), bot("random")]
    bots = [{**one, "reset": "message", "tables": 6} for one in bots]
    divisions = [division("three", game="holdem.limit.3p", hands=4), division("two", hands=4)]
    known, hidden = [
        await run(competition(bots, divisions, anonymous=anonymous, workers=6), tmp_path / str(anonymous))
        for anonymous in (False, True)
    ]
    found, right = records(hidden.out), records(known.out)
    assert found.pop("names.json") != right.pop("names.json")
    same(found, right)
    for spy in names:
        openly, covered = told(known.logs(spy)), told(hidden.logs(spy))
        # The same tables under other names: one that starts alike is the same one.
        by_seed = {messages[0]["seed"]: messages for messages in covered.values()}
        assert len(by_seed) == len(openly) == 6 + 4
        for messages in openly.values():
            unmasked(messages, by_seed.pop(messages[0]["seed"]), known.runner.competition)


def unmasked(openly: list[dict[str, Any]], covered: list[dict[str, Any]], planned: Competition) -> None:
    """Compare what was told of one session, message by message."""
    [session] = [one for one in planned.sessions if planned.public_names(one)[0] == openly[0]["table"]]
    first, masked = openly[0], covered[0]
    assert first["match"] == first["table"]
    assert first["players"] == list(session.players)
    assert masked["match"] == masked["table"]
    assert masked["players"] == list(pseudonyms(planned.key, session))
    assert not {*masked["players"]} & {*NAMES, *session.players}
    head, _, tail = masked["table"].partition("/")
    assert head == session.division
    assert tail not in session.name
    for fields in (*openly, *covered):
        for name in ("table", "match", "players"):
            fields.pop(name, None)
    assert covered == openly
