"""What the names of files tell in an anonymous competition: nothing, until it is over."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest

from dealer.errors import ScoreError
from server.competition.aliases import journal_name, log_name, reveal_names
from server.competition.file import parse_competition
from server.competition.results import final_files
from server.competition.store import CompetitionStore, StoreError
from server.storage.competition_state import SessionOutcome
from tests.support.competitions.arena import bot, competition, division

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


@pytest.mark.parametrize("anonymous", [False, True])
def test_when_it_is_over_a_file_tells_what_everything_was_called(anonymous: bool, tmp_path: Path) -> None:
    planned = parse_competition(competition([BOTS[0], STAYS], [division()], anonymous=anonymous), tmp_path)
    files = final_files(planned, lambda _: [], {}, {})
    names = json.loads(next(text for name, text in files if name == "names.json"))
    assert len(names) == len(planned.sessions)
    for session in planned.sessions:
        told = names[journal_name(planned, session)]
        assert told["session"] == session.name
        for shown, name in told["players"].items():
            assert log_name(planned, name, session).endswith(f".{shown}")
        assert sorted(told["players"].values()) == sorted(session.players)


def test_where_nothing_was_hidden_there_is_no_such_file(tmp_path: Path) -> None:
    planned = parse_competition(competition(BOTS[:2], [division()]), tmp_path)
    files = final_files(planned, lambda _: [], {}, {})
    assert next(files)[0] == "seed.json"
    with pytest.raises(ScoreError):  # of sessions without hands, which would be next
        next(files)


def test_one_that_goes_on_tells_no_more(tmp_path: Path) -> None:
    """Journals are made anew of what was kept, those of sessions that were cut as well."""
    text = competition(BOTS[:2], [division()], anonymous=True)
    planned = parse_competition(text, tmp_path)
    one, two = planned.sessions
    out = tmp_path / "out"

    def journals() -> set[str]:
        return {str(path.relative_to(out)) for path in out.rglob("*.jsonl")}

    store = CompetitionStore(out)
    store.open(planned, text)
    for session in (one, two):
        recorder = store.begin_session(session, planned.format(session).game)
        store.state.add_hand(recorder.attempt, "[]\n")
        recorder.close()
        if session is one:
            outcome = SessionOutcome(1, (0, 0), ({}, {}), sha256(b"[]\n").hexdigest())
            store.state.finish_attempts({recorder.attempt: outcome}, {})
    names = [journal_name(planned, session) for session in (one, two)]
    assert journals() == {f"hands/{name}.jsonl" for name in names}
    store.close()

    store = CompetitionStore(out)
    store.resume(*store.load())
    try:
        assert journals() == {f"hands/{names[0]}.jsonl", f"logs/cut/{names[1]}-2.jsonl"}
    finally:
        store.close()


def test_a_journal_is_found_also_in_the_moment_when_it_gets_its_last_name(tmp_path: Path) -> None:
    text = competition(BOTS[:2], [division()], anonymous=True)
    planned = parse_competition(text, tmp_path)
    session = planned.sessions[0]
    store = CompetitionStore(tmp_path / "out")
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
