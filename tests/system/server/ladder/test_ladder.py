"""A real ladder: real processes push, connect and play."""

from __future__ import annotations

import csv
import io
import json
import signal
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPException
from itertools import count
from pathlib import Path
from random import Random
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from server.competition.store import CompetitionStore
from server.competition.verify import Difference
from server.ladder.matches import match_directory, read_deal_sets
from server.ladder.records import result_texts
from server.ladder.store import LadderStore
from server.ladder.verify import verify_ladder
from tests.support.bot_programs import TELLER
from tests.support.programs import PYTHON, ROOT, Program, eventually, outcome
from tests.support.slumbot_client import ApiError, play_hand

POKERD = (PYTHON, "-m", "pokerd")
CONFIG = """
name = "course"
house = ["call", "fair", "random"]
deal_sets = 20
[time]
decision_ms = 5000
[[grades]]
name = "beats random"
beats = "random"
"""
CALLER = (ROOT / "clients" / "examples" / "caller.py").read_text(encoding="utf-8")


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    folder = tmp_path / "ladder"
    folder.mkdir()
    (folder / "ladder.toml").write_text(CONFIG, encoding="utf-8")
    return folder


@pytest.fixture
def tokens(ladder: Path, tmp_path: Path) -> dict[str, str]:
    """Tokens of a roster of two."""
    file = tmp_path / "students.csv"
    file.write_text("name,group\nann,A\nbob,B\n", encoding="utf-8")
    done = outcome(*POKERD, "ladder", "roster", ladder, file)
    assert done.returncode == 0, done.stderr
    return {row["name"]: row["token"] for row in csv.DictReader(io.StringIO(done.stdout))}


@contextmanager
def serving(ladder: Path, *more: str) -> Iterator[tuple[Program, str, str]]:
    """A ladder at work: the program, and its addresses for bots and for browsers."""
    with Program(*POKERD, "ladder", "serve", str(ladder), "--port", "0", "--web-port", "0", *more) as program:
        bots = program.says(r"^bots connect to (\S+)")[1]
        pages = program.says(r"^people: (http://[^/]+)")[1]
        yield program, bots, pages


def written(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "bot.py").write_text(text, encoding="utf-8")
    return folder


def asked(url: str, path: str, token: str = "", body: object = None) -> object:
    request = Request(
        url + path,
        None if body is None else json.dumps(body).encode(),
        {"Authorization": f"Bearer {token}"} if token else {},
    )
    with urlopen(request, timeout=30) as answer:
        text = answer.read().decode()
        return json.loads(text) if "json" in answer.headers["Content-Type"] else text


def table(ladder: Path) -> dict[str, dict[str, object]]:
    done = outcome(*POKERD, "ladder", "show", ladder, "--json")
    assert done.returncode == 0, done.stderr
    return {row["bot"]: row for row in json.loads(done.stdout)["bots"]}


def test_a_pushed_folder_is_rated_and_a_second_replaces_it(
    ladder: Path, tokens: dict[str, str], tmp_path: Path
) -> None:
    bot = written(tmp_path / "mybot", CALLER)
    with serving(ladder) as (_, _, pages):
        push = (*POKERD, "ladder", "push", bot, "--url", pages, "--token", tokens["ann"])
        first = outcome(*push)
        assert first.returncode == 0, first.stdout + first.stderr
        assert "ann@1: rated" in first.stdout
        second = outcome(*push)
        assert "ann@2: rated" in second.stdout
        mine = asked(pages, "/api/ladder/mine", tokens["ann"])
        assert isinstance(mine, dict)
        assert [one["state"] for one in mine["versions"]] == ["replaced", "rated"]
        assert mine["versions"][0]["hash"] == mine["versions"][1]["hash"]
        challenge = {"opponents": ["fair"], "counts": False}
        match = asked(pages, "/api/ladder/challenge", tokens["ann"], challenge)
        assert isinstance(match, dict)
        eventually(lambda: asked(pages, f"/api/ladder/matches/{match['number']}")["state"] == "done")  # type: ignore[index]
    rows = table(ladder)
    assert rows["ann@2"]["half"] is not None
    assert "ann@1" not in rows
    graded = outcome(*POKERD, "ladder", "grades", ladder)
    [ann, bob] = csv.DictReader(io.StringIO(graded.stdout))
    assert (ann["author"], ann["version"], ann["state"]) == ("ann", "ann@2", "rated")
    assert (bob["author"], bob["version"]) == ("bob", "")
    found = verify_ladder(ladder)
    assert found.matches >= 7
    assert outcome(*POKERD, "verify", ladder).returncode == 0


def test_what_does_not_run_is_refused_with_a_log_that_its_author_alone_can_read(
    ladder: Path, tokens: dict[str, str], tmp_path: Path
) -> None:
    bot = written(tmp_path / "broken", "raise SystemExit('my own words')\n")
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "notes.txt").write_text("nothing to start")
    with serving(ladder) as (_, _, pages):
        push = (*POKERD, "ladder", "push", bot, "--url", pages, "--token", tokens["bob"])
        done = outcome(*push)
        assert done.returncode == 1, done.stdout + done.stderr
        assert "bob@1: refused: check-bot found" in done.stdout
        assert "my own words" in done.stdout
        with pytest.raises(HTTPError) as refused:
            asked(pages, "/api/ladder/mine/bob@1/log", tokens["ann"])
        assert refused.value.code == 404
        refused.value.close()
        nothing = outcome(*POKERD, "ladder", "push", empty, "--url", pages, "--token", tokens["bob"])
        assert "[no_command]" in nothing.stderr
        stranger = outcome(*POKERD, "ladder", "push", bot, "--url", pages, "--token", "x" * 43)
        assert "[bad_token]" in stranger.stderr
    assert "bob@1" not in table(ladder)


def test_a_remote_bot_is_rated_while_it_is_connected(ladder: Path, tokens: dict[str, str]) -> None:
    with serving(ladder) as (_, bots, pages):
        here = Program(PYTHON, "clients/examples/caller.py", "--url", bots, "--token", tokens["ann"])
        with here:
            eventually(
                lambda: (
                    [one["state"] for one in asked(pages, "/api/ladder/mine", tokens["ann"])["versions"]]  # type: ignore[index]
                    == ["rated"]
                )
            )
            here.stop()
    assert table(ladder)["ann@1"]["kind"] == "remote"


def test_a_client_of_slumbots_api_is_rated_by_changing_its_address(
    ladder: Path, tokens: dict[str, str]
) -> None:
    game = 'game = "holdem.nolimit.2p.reverse_blinds"\n'
    (ladder / "ladder.toml").write_text(game + CONFIG, encoding="utf-8")
    with (
        serving(ladder) as (_, bots, pages),
        Program(*POKERD, "slumbot", "--url", bots, "--port", "0", "--token", tokens["ann"]) as bridge,
        ThreadPoolExecutor(1) as client,
    ):
        base = bridge.says(r"^Slumbot's API: (\S+)")[1]
        hands = client.submit(play_on, base)
        eventually(
            lambda: (
                [one["state"] for one in asked(pages, "/api/ladder/mine", tokens["ann"])["versions"]]  # type: ignore[index]
                == ["rated"]
            )
        )
        assert bridge.stop(signal.SIGINT) == 130
        assert hands.result(60) >= 3 * 2 * 20
    assert table(ladder)["ann@1"]["kind"] == "remote"


def play_on(base: str) -> int:
    """Play until the bridge has gone, and return how many hands it were."""
    token, dice = "", Random(1)
    for hands in count():
        try:
            token, _ = play_hand(base, token, dice)
        except (ApiError, OSError, HTTPException):
            return hands
    raise AssertionError


def test_a_frozen_ladder_takes_no_version_and_plays_its_final(
    ladder: Path, tokens: dict[str, str], tmp_path: Path
) -> None:
    assert "[not_frozen]" in outcome(*POKERD, "ladder", "final", ladder, "--port", "0").stderr
    with serving(ladder) as (program, _, pages):
        assert outcome(*POKERD, "ladder", "freeze", ladder).returncode == 0
        bot = written(tmp_path / "mybot", CALLER)
        late = outcome(*POKERD, "ladder", "push", bot, "--url", pages, "--token", tokens["ann"])
        assert "[frozen]" in late.stderr
        program.stop()
    done = outcome(*POKERD, "ladder", "final", ladder, "--port", "0", "--hands", "500")
    assert done.returncode in (0, 3), done.stdout + done.stderr
    assert "480 hands" in done.stdout
    assert outcome(*POKERD, "verify", ladder / "final").returncode == 0


def _prepared(folder: Path) -> Path:
    """A ladder with a known key, in which six matches wait."""
    folder.mkdir()
    (folder / "ladder.toml").write_text(CONFIG, encoding="utf-8")
    store = LadderStore(folder, "1")
    store.set_fact("key", "07" * 32)
    for bot in ("call", "fair", "random"):
        store.add_version(bot, "house", "", (), "rated", 0.0)
    for number in range(6):
        store.add_match((("call", "fair"), ("call", "random"), ("fair", "random"))[number % 3], "rated", 0.0)
    store.close()
    return folder


def test_killed_again_and_again_it_tells_the_same(tmp_path: Path) -> None:
    calm, killed = _prepared(tmp_path / "calm"), _prepared(tmp_path / "killed")
    arguments = (*POKERD, "ladder", "serve")
    ports = ("--port", "0", "--web-port", "0")
    assert outcome(*arguments, calm, "--matches", "6", *ports).returncode == 0

    def left() -> int:
        store = LadderStore(killed, "1")
        try:
            return len(store.matches("queued", "playing"))
        finally:
            store.close()

    kills = 0
    while before := left():
        with Program(*arguments, str(killed), "--matches", str(before), *ports) as program:
            folder = killed / "matches" / "000" / str(7 - before)
            eventually(lambda: any(folder.rglob("*.jsonl")) or program.process.poll() is not None)  # noqa: B023
            kills += program.stop(signal.SIGKILL) == -signal.SIGKILL
            # Every second time it may finish what it plays.
        if kills % 2:
            with Program(*arguments, str(killed), "--matches", "1", *ports) as program:
                assert program.end() == 0, program.lines
    assert kills >= 3
    tables = [outcome(*POKERD, "ladder", "show", folder, "--json").stdout for folder in (calm, killed)]
    assert tables[0] == tables[1]
    assert json.loads(tables[0])["bots"][0]["half"] is not None
    assert verify_ladder(killed) == verify_ladder(calm)


def test_declared_dice_are_out_of_results_unless_they_are_others(
    ladder: Path, tokens: dict[str, str], tmp_path: Path
) -> None:
    with serving(ladder) as (_, _, pages):
        for author, real in (("ann", 0.5), ("bob", 0.9)):
            bot = written(tmp_path / author, TELLER.format(real=real))
            done = outcome(*POKERD, "ladder", "push", bot, "--url", pages, "--token", tokens[author])
            assert done.returncode == 0, done.stdout + done.stderr
    rows = table(ladder)
    told = {bot: rows[bot]["declared"] for bot in ("ann@1", "bob@1", "call")}
    assert told["call"] is None
    assert {bot: one["believed"] for bot, one in told.items() if isinstance(one, dict)} == {
        "ann@1": True,
        "bob@1": False,
    }
    graded = csv.DictReader(io.StringIO(outcome(*POKERD, "ladder", "grades", ladder).stdout))
    assert [row["chances"] for row in graded] == ["believed", "not believed"]
    assert "bob@1 does not play with" in outcome(*POKERD, "ladder", "show", ladder).stdout
    assert '"event":"declared chances"' in (ladder / "logs" / "server.jsonl").read_text(encoding="utf-8")
    found = verify_ladder(ladder)
    store = LadderStore(ladder, "1")
    try:
        matches = store.matches("done")
        assert found.matches == len(matches)
        db = sqlite3.connect(store.path)
        with closing(db), db:
            # What the ladder judges by is verified, too.
            db.execute("UPDATE chances SET sums = replace(sums, '[', '[1') WHERE version = 'bob@1'")
        with pytest.raises(Difference, match="declare"):
            verify_ladder(ladder)
        with closing(sqlite3.connect(store.path)) as db, db:
            # As an earlier version of pokerd stored them: with all dice.
            db.execute("DELETE FROM chances")
            for match in matches:
                out = match_directory(ladder, match.number)
                raw = read_deal_sets(out, CompetitionStore(out).competition()).raw()
                values = (*result_texts(*raw), match.number)
                db.execute("UPDATE matches SET result = ?, dice = ? WHERE number = ?", values)
    finally:
        store.close()
    assert verify_ladder(ladder) == found
