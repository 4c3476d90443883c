"""What a bot in an anonymous competition can learn from names of files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from dealer.match import Session
from server.competition.file import parse_competition
from server.competition.runner import Runner
from server.competition.store import CompetitionStore
from server.competition.verify import verify_directory
from server.house.house import House
from tests.support.competitions.arena import ROOT, bot, competition, division
from tests.support.houses.people import opened

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
    store = CompetitionStore(out)
    house = House(storage=store.open_states)
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
    lines = [line for log in logs.values() for line in log.splitlines()]
    looks = [json.loads(line) for line in lines if line.startswith("{")]
    seen = [name for look in looks for name in (*look["found"], *look["links"])]
    assert any("logs/bots/" in name for name in seen)
    assert any("hands/" in name for name in seen)
    assert not [name for name in seen if any(told in name for told in ("ann", "bob", "m0000"))]
    assert not any(look["guessed"] for look in looks)
