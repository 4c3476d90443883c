"""A real ladder: real processes push, connect and play."""

from __future__ import annotations

import csv
import io
import json
import re
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
from tests.support.called import called
from tests.support.ladder import CALLER, prepared
from tests.support.programs import PYTHON, Program, eventually, outcome
from tests.support.slumbot_client import ApiError, play_hand

POKERD = (PYTHON, "-m", "pokerd")
CONFIG = """
name = "course"
house = ["call", "random"]
deal_sets = 10
[time]
decision_ms = 5000
[[grades]]
name = "beats random"
beats = "random"
"""
HOUSE = ("call", "random")
PORTS = ("--port", "0", "--web-port", "0")


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    folder = tmp_path / "ladder"
    folder.mkdir()
    (folder / "ladder.toml").write_text(CONFIG, encoding="utf-8")
    return folder


@pytest.fixture
def tokens(ladder: Path, tmp_path: Path) -> dict[str, str]:
    """Tokens of a roster of three."""
    file = tmp_path / "students.csv"
    file.write_text("name,group\nann,A\nbob,B\ncid,B\n", encoding="utf-8")
    done = called("ladder", "roster", ladder, file)
    assert done.returncode == 0, done.stderr
    return {row["name"]: row["token"] for row in csv.DictReader(io.StringIO(done.stdout))}


@contextmanager
def serving(ladder: Path) -> Iterator[tuple[str, str]]:
    """A ladder at work: its addresses for bots and for browsers."""
    with Program(*POKERD, "ladder", "serve", str(ladder), *PORTS) as program:
        bots = program.says(r"^bots connect to (\S+)")[1]
        pages = program.says(r"^people: (http://[^/]+)")[1]
        yield bots, pages


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
    done = called("ladder", "show", ladder, "--json")
    assert done.returncode == 0, done.stderr
    return {row["bot"]: row for row in json.loads(done.stdout)["bots"]}


def rated(pages: str, token: str) -> bool:
    """Whether an author has one version, which is rated."""
    mine = asked(pages, "/api/ladder/mine", token)
    assert isinstance(mine, dict)
    return [one["state"] for one in mine["versions"]] == ["rated"]


def refuse_what_does_not_run(pages: str, tokens: dict[str, str], folder: Path) -> None:
    """Bob pushes what does not run; the log of it is for him alone."""
    bot = written(folder / "broken", "raise SystemExit('my own words')\n")
    push = ("ladder", "push", "--url", pages, "--token")
    done = called(*push, tokens["bob"], bot)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "bob@1: refused: check-bot found" in done.stdout
    assert "my own words" in done.stdout
    with pytest.raises(HTTPError) as refused:
        asked(pages, "/api/ladder/mine/bob@1/log", tokens["ann"])
    assert refused.value.code == 404
    refused.value.close()
    empty = folder / "empty"
    empty.mkdir()
    (empty / "notes.txt").write_text("nothing to start")
    assert "[no_command]" in called(*push, tokens["bob"], empty).stderr
    assert "[bad_token]" in called(*push, "x" * 43, bot).stderr


def rate_and_replace(pages: str, tokens: dict[str, str], bot: Path) -> None:
    """Ann pushes a version, then another, and challenges somebody."""
    for version in ("ann@1", "ann@2"):
        done = called("ladder", "push", bot, "--url", pages, "--token", tokens["ann"])
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{version}: rated" in done.stdout
    mine = asked(pages, "/api/ladder/mine", tokens["ann"])
    assert isinstance(mine, dict)
    assert [one["state"] for one in mine["versions"]] == ["replaced", "rated"]
    assert mine["versions"][0]["hash"] == mine["versions"][1]["hash"]
    challenge = {"opponents": ["random"], "counts": False}
    match = asked(pages, "/api/ladder/challenge", tokens["ann"], challenge)
    assert isinstance(match, dict)
    eventually(lambda: asked(pages, f"/api/ladder/matches/{match['number']}")["state"] == "done")  # type: ignore[index]


def test_versions_are_refused_rated_and_replaced_until_the_ladder_is_frozen(
    ladder: Path, tokens: dict[str, str], tmp_path: Path
) -> None:
    bot = written(tmp_path / "mybot", CALLER.decode())
    with serving(ladder) as (bots, pages):
        refuse_what_does_not_run(pages, tokens, tmp_path)
        rate_and_replace(pages, tokens, bot)
        here = Program(PYTHON, "clients/examples/caller.py", "--url", bots, "--token", tokens["cid"])
        with here:
            eventually(lambda: rated(pages, tokens["cid"]))
            here.stop()
        assert called("ladder", "freeze", ladder).returncode == 0
        late = called("ladder", "push", bot, "--url", pages, "--token", tokens["ann"])
        assert "[frozen]" in late.stderr
    rows = table(ladder)
    assert rows["ann@2"]["half"] is not None
    assert not {"ann@1", "bob@1"} & rows.keys()
    assert rows["cid@1"]["kind"] == "remote"
    graded = called("ladder", "grades", ladder)
    [ann, bob, _] = csv.DictReader(io.StringIO(graded.stdout))
    assert (ann["author"], ann["version"], ann["state"]) == ("ann", "ann@2", "rated")
    assert (bob["author"], bob["version"], bob["state"]) == ("bob", "bob@1", "refused")
    verified = called("verify", ladder)
    assert verified.returncode == 0, verified.stdout
    found = re.search(r": (\d+) matches, ", verified.stdout)
    assert found
    assert int(found[1]) >= 7


def test_a_client_of_slumbots_api_is_rated_by_changing_its_address(
    ladder: Path, tokens: dict[str, str]
) -> None:
    game = 'game = "holdem.nolimit.2p.reverse_blinds"\n'
    (ladder / "ladder.toml").write_text(game + CONFIG, encoding="utf-8")
    with (
        serving(ladder) as (bots, pages),
        Program(*POKERD, "slumbot", "--url", bots, "--port", "0", "--token", tokens["ann"]) as bridge,
        ThreadPoolExecutor(1) as client,
    ):
        base = bridge.says(r"^Slumbot's API: (\S+)")[1]
        hands = client.submit(play_on, base)
        eventually(lambda: rated(pages, tokens["ann"]))
        assert bridge.stop(signal.SIGINT) == 130
        assert hands.result(60) >= len(HOUSE) * 2 * 10
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


def test_only_a_frozen_ladder_plays_its_final(tmp_path: Path) -> None:
    ladder = prepared(tmp_path / "ladder", CONFIG, HOUSE, ())
    final = (*POKERD, "ladder", "final", ladder, "--port", "0", "--hands", "50")
    assert "[not_frozen]" in outcome(*final).stderr
    assert called("ladder", "freeze", ladder).returncode == 0
    done = outcome(*final)
    assert done.returncode in (0, 3), done.stdout + done.stderr
    assert "40 hands" in done.stdout
    assert called("verify", ladder / "final").returncode == 0


def test_killed_again_and_again_it_tells_the_same(tmp_path: Path) -> None:
    line_ups = (("call", "random"),) * 3
    calm, killed = (prepared(tmp_path / name, CONFIG, HOUSE, line_ups) for name in ("calm", "killed"))
    serve = (*POKERD, "ladder", "serve")
    assert outcome(*serve, calm, "--matches", "3", *PORTS).returncode == 0

    def left() -> int:
        store = LadderStore(killed, "1")
        try:
            return len(store.matches("queued", "playing"))
        finally:
            store.close()

    kills = 0
    for number in range(1, 4):
        with Program(*serve, str(killed), "--matches", str(left()), *PORTS) as program:
            folder = killed / "matches" / "000" / str(number)
            eventually(lambda: any(folder.rglob("*.jsonl")) or program.process.poll() is not None)  # noqa: B023
            kills += program.stop(signal.SIGKILL) == -signal.SIGKILL
    # The last match may have ended before.
    assert kills >= 2
    if more := left():
        assert outcome(*serve, killed, "--matches", str(more), *PORTS).returncode == 0
    tables = [called("ladder", "show", folder, "--json").stdout for folder in (calm, killed)]
    assert tables[0] == tables[1]
    assert json.loads(tables[0])["bots"][0]["half"] is not None
    assert verify_ladder(killed) == verify_ladder(calm)


def test_declared_dice_are_out_of_results_unless_they_are_others(tmp_path: Path) -> None:
    ladder = prepared(
        # Enough decisions to judge by.
        tmp_path / "ladder", CONFIG.replace("deal_sets = 10", "deal_sets = 20"), HOUSE,
        (("ann@1", "call"), ("bob@1", "call")),
        ann=TELLER.format(real=0.5), bob=TELLER.format(real=0.9),
    )  # fmt: skip
    done = outcome(*POKERD, "ladder", "serve", ladder, "--matches", "2", *PORTS)
    assert done.returncode == 0, done.stderr
    rows = table(ladder)
    told = {bot: rows[bot]["declared"] for bot in ("ann@1", "bob@1", "call")}
    assert told["call"] is None
    assert {bot: one["believed"] for bot, one in told.items() if isinstance(one, dict)} == {
        "ann@1": True,
        "bob@1": False,
    }
    graded = csv.DictReader(io.StringIO(called("ladder", "grades", ladder).stdout))
    assert [row["chances"] for row in graded] == ["believed", "not believed"]
    assert "bob@1 does not play with" in called("ladder", "show", ladder).stdout
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
    # A match with which another pokerd goes on is no match of this season.
    published = match_directory(ladder, 1) / "commitment.json"
    names = json.loads(published.read_text(encoding="utf-8"))
    published.write_text(json.dumps({**names, "value_function": "f" * 64}), encoding="utf-8")
    with pytest.raises(Difference, match="value function"):
        verify_ladder(ladder)
    config = ladder / "ladder.toml"
    config.write_text(f'season = "2"\n{config.read_text(encoding="utf-8")}', encoding="utf-8")
    later = verify_ladder(ladder)
    assert (later.matches, later.other) == (found.matches - 1, 1)
