"""What the names of files tell in an anonymous competition: nothing, until it is over."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from dealer.match import Session
from server.competition.aliases import journal_name, log_name, reveal_names
from server.competition.file import parse_competition
from server.competition.runner import Runner
from server.competition.state import SessionOutcome
from server.competition.store import Store, StoreError
from server.competition.verify import verify_directory
from server.house.house import House
from tests.support.arena import ROOT, bot, competition, division
from tests.support.people import opened

BOTS = [bot("call"), bot("fair"), bot("far", token="tokentoken")]
STAYS = bot("stays", command=["x"], reset="message")


def test_names_are_plain_where_nobody_can_remember_and_everybody_knows_who_plays(tmp_path: Path) -> None:
    planned = parse_competition(competition(BOTS[:2], [division()]), tmp_path)
    session = planned.sessions[0]
    assert journal_name(planned, session) == session.name == "duel/m0000-l000-s0"
    assert log_name(planned, "fair", session) == "duel.m0000-l000-s0.fair"
    (tmp_path / "hands").mkdir()
    reveal_names(planned, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["hands"]


@pytest.mark.parametrize("who", [BOTS[2], STAYS], ids=["remote", "stays"])
@pytest.mark.parametrize("interleave", [0, 5])
def test_where_a_bot_could_remember_no_name_tells_the_match(
    who: dict[str, object], interleave: int, tmp_path: Path
) -> None:
    text = competition([BOTS[0], who], [division(matches=3)], interleave=interleave)
    planned = parse_competition(text, tmp_path)
    assert len(planned.sessions) == 6
    for session in planned.sessions:
        table, names = planned.public_names(session)
        assert names == list(session.players)
        assert re.fullmatch("duel/[0-9a-f]{16}", table)
        assert journal_name(planned, session) == table
        assert log_name(planned, "call", session) == f"{table.replace('/', '.')}.call"
    assert len({planned.public_names(session)[0] for session in planned.sessions}) == 6


def test_of_an_anonymous_one_no_name_tells_who_or_what(tmp_path: Path) -> None:
    planned = parse_competition(competition([*BOTS, STAYS], [division()], anonymous=True), tmp_path)
    names = {log_name(planned, "stays"): ""}
    for session in planned.sessions:
        names |= {journal_name(planned, session): session.name}
        names |= {log_name(planned, one, session): one for one in session.players}
    assert len(names) == 1 + 3 * len(planned.sessions)
    assert not any(told in name for name in names for told in (*planned.bots, "m0000"))
    # They cannot be made without the seed.
    other = parse_competition(
        competition([*BOTS, STAYS], [division()], anonymous=True, seed="other"), tmp_path
    )
    session = planned.sessions[0]
    assert journal_name(planned, session) != journal_name(other, session)
    assert log_name(planned, "stays") != log_name(other, "stays")


def test_when_it_is_over_they_are_called_as_all_others(tmp_path: Path) -> None:
    planned = parse_competition(competition([*BOTS, STAYS], [division()], anonymous=True), tmp_path)
    one, two, *_ = planned.sessions
    logs, hands = tmp_path / "logs" / "bots", tmp_path / "hands"
    for path in (
        hands / f"{journal_name(planned, one)}.jsonl",
        logs / f"{log_name(planned, one.players[0], one)}.log",
        logs / f"{log_name(planned, 'stays')}.log",
        hands / f"{two.name}.jsonl",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.name)
    reveal_names(planned, tmp_path)
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()} == {
        *(f"hands/{session.name}.jsonl" for session in (one, two)),
        f"logs/bots/duel.m0000-l000-s0.{one.players[0]}.log",
        "logs/bots/stays.log",
    }


def test_one_that_goes_on_tells_no_more(tmp_path: Path) -> None:
    """Journals are made anew of what was kept, those of sessions that were cut as well."""
    text = competition(BOTS[:2], [division()], anonymous=True)
    planned = parse_competition(text, tmp_path)
    one, two = planned.sessions
    out = tmp_path / "out"

    def journals() -> set[str]:
        return {str(path.relative_to(out)) for path in out.rglob("*.jsonl")}

    store = Store(out)
    store.open(planned, text)
    for session in (one, two):
        recorder = store.begin_session(session, planned.format(session).game)
        store.state.add_hand(recorder.attempt, "[]\n")
        recorder.close()
        if session is one:
            store.state.finish_attempt(
                recorder.attempt, SessionOutcome(1, (0, 0), ({}, {}), sha256(b"[]\n").hexdigest()), {}
            )
    names = [journal_name(planned, session) for session in (one, two)]
    assert journals() == {f"hands/{name}.jsonl" for name in names}
    store.close()

    store = Store(out)
    store.resume(*store.load())
    try:
        assert journals() == {f"hands/{names[0]}.jsonl", f"logs/cut/{names[1]}-2.jsonl"}
    finally:
        store.close()


SPY = """
import json, os, sys
out, guesses = sys.argv[1], json.loads(sys.argv[2])
def walk():
    found = [os.path.join(top, name) for top, folders, files in os.walk(out) for name in (*folders, *files)]
    links = [os.readlink(f"/proc/self/fd/{number}") for number in (1, 2)]
    guessed = [guess for guess in guesses if os.path.exists(os.path.join(out, guess))]
    print(json.dumps({"found": found, "links": links, "guessed": guessed}), flush=True)
import websockets.sync.client as client
connect = client.connect
class Watching:
    def __init__(self, inner): self.inner = inner
    def __enter__(self): self.socket = self.inner.__enter__(); return self
    def __exit__(self, *ended): return self.inner.__exit__(*ended)
    def send(self, text): self.socket.send(text)
    def __iter__(self):
        for frame in self.socket:
            walk()
            yield frame
client.connect = lambda *words, **settings: Watching(connect(*words, **settings))
sys.argv = ["json_bot"]
exec(open("json_bot.py").read(), {"__name__": "__main__"})
"""


def guesses(sessions: Sequence[Session]) -> list[str]:
    """What anybody can say of the files of a competition who knows how it is played and by whom."""
    names = [f"hands/{one.name}.jsonl" for one in sessions] + ["logs/bots/ann.log", "logs/bots/bob.log"]
    return names + [
        f"logs/bots/{one.name.replace('/', '.')}.{bot}.log" for one in sessions for bot in one.players
    ]


@pytest.mark.parametrize("reset", ["process", "message"])
async def test_a_bot_that_looks_at_every_name_does_not_learn_whom_it_plays(
    reset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sees names where the results lie below the directory in which pokerd was started."""
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "results" / "spring"
    (tmp_path / "json_bot.py").write_text((ROOT / "clients" / "examples" / "json_bot.py").read_text())
    divisions = [division(hands=2)]
    plain = parse_competition(competition([bot("ann"), bot("bob")], divisions), tmp_path)
    words = [str(out), json.dumps(guesses(plain.sessions))]
    bots = [bot(name, command=["{python}", "-c", SPY, *words], reset=reset) for name in ("ann", "bob")]
    text = competition(bots, divisions, anonymous=True)
    store = Store(out)
    house = House(storage=store)
    entrance = await opened(house, "picows")
    try:
        planned = parse_competition(text, tmp_path)
        await Runner(planned, text, house, f"ws://127.0.0.1:{entrance.port}/ws", store).run()
    finally:
        await entrance.close()
    verify_directory(out)
    logs = {path.stem: path.read_text() for path in (out / "logs" / "bots").iterdir()}
    sessions = [session.name.replace("/", ".") for session in planned.sessions]
    per_session = {f"{session}.{name}" for session in sessions for name in ("ann", "bob")}
    assert set(logs) == ({"ann", "bob"} if reset == "message" else per_session)
    looks = [json.loads(line) for log in logs.values() for line in log.splitlines()]
    seen = [name for look in looks for name in (*look["found"], *look["links"])]
    assert any("logs/bots/" in name for name in seen)
    assert any("hands/" in name for name in seen)
    assert not [name for name in seen if any(told in name for told in ("ann", "bob", "m0000"))]
    assert not any(look["guessed"] for look in looks)


def test_a_journal_is_found_also_in_the_moment_when_it_gets_its_last_name(tmp_path: Path) -> None:
    text = competition(BOTS[:2], [division()], anonymous=True)
    planned = parse_competition(text, tmp_path)
    session = planned.sessions[0]
    store = Store(tmp_path / "out")
    store.open(planned, text)
    try:
        recorder = store.begin_session(session, planned.format(session).game)
        recorder.close()
        assert list(store.hands(session)) == []
        reveal_names(planned, store.out)
        assert list(store.hands(session)) == []
        store.journal_path(session).with_name(f"{session.name.split('/')[1]}.jsonl").unlink()
        with pytest.raises(StoreError, match="missing"):
            list(store.hands(session))
    finally:
        store.close()
