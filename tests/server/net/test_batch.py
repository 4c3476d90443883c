"""Batches over real websockets: login, opening, limits, time, records, and the end of a connection."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from dealer.records.acpc_log import read_acpc
from dealer.records.convert import FORMATS, convert
from dealer.records.journal import read_journal
from dealer.rules.events import ends_of
from dealer.rules.games import holdem
from protocol.batch import BATCH, VERSION
from protocol.session import MAX_REFUSALS
from server.auth.policy import AdmissionPolicy
from server.auth.tokens import Quota
from server.net import batch_connection, batch_room
from server.net.batch_room import BatchLimits
from strategy.batch.wire import FORCED, LAST, REFUSALS, answer_frame, read_frame
from tests.support.batches import PATIENCE, Bot, Served, connected, serving
from tests.support.programs import eventually

PATIENT = BatchLimits(4, 60.0)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving(PATIENT) as found:
        yield found


def closing(bot: Bot) -> tuple[int, str]:
    """The code and reason of the end; frames before it are passed over."""
    with suppress(ConnectionClosed):
        while True:
            bot.socket.recv(PATIENCE)
    assert bot.socket.close_code is not None
    assert bot.socket.close_reason is not None
    return bot.socket.close_code, bot.socket.close_reason


def idle(served: Served) -> None:
    eventually(lambda: served.room._playing.total() == 0)


def test_a_batch_is_played_to_its_end(served: Served) -> None:
    with connected(served.url) as bot:
        opened = bot.open(hands=50)
        assert (opened["names"], opened["tables"], opened["time_ms"]) == (["me", "call-1"], 4, 60_000)
        assert opened["game"].startswith("GAMEDEF\nlimit")
        assert opened["version"] == VERSION
        hands = 0
        while True:
            frame = bot.frame()
            hands += len(frame.over)
            if frame.header["flags"] & LAST:
                break
            bot.answer(frame)
        assert hands == 50
        assert closing(bot) == (1000, "all hands are played")
    idle(served)


def test_hello_comes_first_and_open_second(served: Served) -> None:
    with connect(served.url, subprotocols=[Subprotocol(BATCH)], compression=None) as socket:
        bot = Bot(socket)
        bot.say({"type": "open", "game": "x", "opponents": ["call"]})
        assert bot.text()["code"] == "malformed_frame"
        socket.send(json.dumps([{"type": "hello", "name": "me"}, {"type": "join", "table": "table-1"}]))
        assert bot.text()["code"] == "malformed_frame"
        bot.say({"type": "join", "table": "table-1"})
        assert bot.text()["code"] == "hello_first"
        bot.say({"type": "hello", "name": "me"})
        assert bot.text()["type"] == "welcome"
        wrong: list[tuple[str | bytes, str]] = [
            (b"\0" * 16, "wrong_frame_kind"),
            ("{}", "malformed_frame"),
            ('{"type": "join", "table": "table-1"}', "malformed_frame"),
            ("[" * 10_000, "malformed_frame"),
        ]
        for said, code in wrong:
            socket.send(said)
            assert bot.text()["code"] == code
        assert bot.open()["type"] == "opened"
        assert bot.open()["code"] == "already_seated"


def test_a_stranger_needs_a_token_where_others_do() -> None:
    with (
        serving(PATIENT, AdmissionPolicy(guests=False)) as served,
        connect(served.url, subprotocols=[Subprotocol(BATCH)], compression=None) as socket,
    ):
        bot = Bot(socket)
        bot.say({"type": "hello", "name": "me"})
        assert bot.text()["code"] == "bad_token"
        assert closing(bot)[0] == 1008


def test_pages_of_others_may_not_connect(served: Served) -> None:
    with (
        pytest.raises(InvalidStatus),
        connect(
            served.url,
            subprotocols=[Subprotocol(BATCH)],
            additional_headers={"Origin": "https://evil.example"},
        ),
    ):
        pass


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"game": "no.such.game"}, "game"),
        ({"game": "../README"}, "game"),
        ({"game": "/etc/passwd"}, "game"),
        ({"game": "GAMEDEF\nnonsense\n"}, "game"),
        ({"game": "leduc.limit.2p"}, ""),
        ({"opponents": ["nobody"]}, ""),
        ({"opponents": ["call", "call"]}, ""),
        ({"stacks": [1, 1]}, "game"),
        ({"stacks": [100]}, "game"),
        ({"seed": 1}, "seed"),
        ({"records": True}, "records"),
        ({"version": 0}, "version"),
        ({"version": 2}, "version"),
    ],
)
def test_what_cannot_be_opened_is_refused_and_asked_anew(
    served: Served, settings: dict[str, Any], field: str
) -> None:
    with connected(served.url) as bot:
        refusal = bot.open(**settings)
        assert (refusal["code"], refusal.get("field", "")) == ("bad_table", field)
        assert bot.open()["type"] == "opened"
    idle(served)


@pytest.mark.parametrize("settings", [{"tables": 1025}, {"tables": 0}, {"history": 129}, {"opponents": []}])
def test_bounds_are_those_of_the_page(served: Served, settings: dict[str, Any]) -> None:
    with connected(served.url) as bot:
        assert bot.open(**settings)["code"] == "malformed_frame"


def test_rows_are_refused_and_asked_again(served: Served) -> None:
    with connected(served.url) as bot:
        bot.open()
        first = bot.frame()
        bot.answer(first, [1, 1, 9, 1])
        frame = bot.frame()
        assert [(int(row["table"]), REFUSALS[int(row["code"])]) for row in frame.refused] == [
            (2, "illegal_action")
        ]
        assert frame.turns[2].tobytes() == first.turns[2].tobytes()
        assert served.house.players["me"].incidents["illegal_action"] == 1
        bot.answer(first)  # the same frame once more
        assert bot.text()["code"] == "stale_turn"
        bot.answer(frame)
        assert len(bot.frame().refused) == 0


def test_too_many_faults_end_it(served: Served) -> None:
    with connected(served.url) as bot:
        bot.open()
        frame = bot.frame()
        for _ in range(MAX_REFUSALS):
            bot.answer(frame, 9)
            frame = bot.frame()
        assert closing(bot) == (1008, "too_many_faults")


def test_time_runs_out() -> None:
    with serving(BatchLimits(4, 1.0)) as served, connected(served.url) as bot:
        bot.open()
        first = bot.frame()
        forced = bot.frame()
        assert forced.header["flags"] == FORCED
        assert first.header["time_ms"] <= 1000
        bot.answer(first)
        assert bot.text()["code"] == "stale_turn"
        # Who answers is not absent, and who answers no more is.
        bot.answer(forced)
        assert closing(bot) == (1008, "too_late")
        idle(served)


#: Frames that the server decides in the end; hundreds would come in the test's time.
FEW = 20


@pytest.mark.parametrize("answered", [0, 1])
def test_nobody_keeps_his_place_by_answering_little(answered: int) -> None:
    with serving(BatchLimits(4, 0.5)) as served, connected(served.url) as bot:
        bot.open(tables=4)
        forced, reason = 0, ""
        try:
            while forced < FEW:
                data = bot.socket.recv(PATIENCE)
                frame = read_frame(data, bot.row) if isinstance(data, bytes) else None
                if frame is not None and frame.header["flags"] == FORCED:
                    forced += 1
                    # Of several: who answers a single turn answers the oldest one, and stays.
                    tables = frame.turns["table"][: answered if len(frame.turns) > 1 else 0]
                    bot.socket.send(answer_frame(int(frame.header["frame"]), tables, 1, 0))
        except ConnectionClosed as closed:
            reason = closed.rcvd.reason if closed.rcvd else "nothing"
        # More are allowed only if the machine was late, too.
        assert forced >= batch_connection.MAX_LATE - 1
        assert reason == "too_late"
        idle(served)


def test_nobody_stays_without_tables(served: Served) -> None:
    with connected(served.url) as bot:
        # As when the time for hello is over.
        (connection,) = served.house.connections
        served.house._loop.call_soon_threadsafe(connection._check_hello)
        assert closing(bot) == (1008, "hello_first")


def test_places_are_counted_and_given_back() -> None:
    with serving(PATIENT) as served:
        with ExitStack() as stack:
            for number in range(2):
                assert stack.enter_context(connected(served.url, f"b{number}")).open()["type"] == "opened"
            refused = stack.enter_context(connected(served.url, "b2"))
            assert refused.open()["code"] == "too_many_connections"
            # As if four played, from wherever.
            served.room._playing["192.0.2.1"] = 2
            assert refused.open()["code"] == "server_full"
            del served.room._playing["192.0.2.1"]
        idle(served)
        with connected(served.url, "b3") as bot:
            assert bot.open()["type"] == "opened"


def test_a_limit_of_messages_slows_a_batch_down() -> None:
    # 16 rows are a message: a frame of 64 costs 5.
    admission = AdmissionPolicy(guests=True, guest_quota=Quota(rate=20))
    with serving(PATIENT, admission) as served, connected(served.url) as bot:
        assert bot.open(tables=1024)["code"] == "too_many_tables"
        bot.open(tables=64)
        start = time.monotonic()
        for _ in range(8):
            bot.answer(bot.frame())
        frame = bot.frame()
        assert time.monotonic() - start > 0.9
        # While a frame waits for its time another is refused.
        for _ in range(8):
            bot.answer(frame)
        assert bot.text()["code"] in {"too_fast", "stale_turn"}


def test_hands_are_recorded_to_the_last(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    with serving(BatchLimits(4, 60.0, records=folder)) as served:
        with connected(served.url, "me and you") as bot:
            opened = bot.open(records=True, game="holdem.nolimit.3p")
            for _ in range(30):
                bot.answer(bot.frame())
            bot.frame()
        idle(served)
        (path,) = folder.iterdir()
        assert path.name == opened["records"]
        eventually(lambda: "SCORE" in path.read_text())
        with path.open(encoding="utf-8") as source:
            records = list(read_acpc(source))
        numbers = sorted(record.started.hand for record in records)
        # Each table has ended every hand that it began: those of four tables are 0, 4, 8, ..., 1, 5, ...
        for table in range(4):
            own = [number for number in numbers if number % 4 == table]
            assert own == list(range(table, 4 * len(own), 4))
            assert len(own) > 2
        assert set(records[0].names.values()) == {"me_and_you", "call-1", "call-2"}
        # The journal that other matches have follows from it: names by seat, and what each won.
        with path.open(encoding="utf-8") as lines:
            journal = "".join(convert(lines, FORMATS["acpc"], FORMATS["journal"]))
        facts, hands = read_journal(journal.splitlines(keepends=True))
        won = dict.fromkeys(facts["players"], 0.0)
        for hand in hands:
            started, ended = ends_of(hand)
            for seat, value in zip(started.seats, ended.values, strict=True):
                won[facts["players"][seat]] += value
        score = path.read_text("utf-8").splitlines()[-1].removeprefix("SCORE:")
        values, names = (part.split("|") for part in score.split(":"))
        assert won == dict(zip(names, map(float, values), strict=True))
        with connected(served.url) as bot:
            bot.open(records=True, opponents=["nobody"])
        assert len(list(folder.iterdir())) == 1
        with connected(served.url, "call-1") as bot:
            assert bot.open(records=True)["names"] == ["call-1-0", "call-1"]


def test_a_server_that_stops_completes_its_records(tmp_path: Path) -> None:
    with ExitStack() as stack:
        with serving(BatchLimits(4, 60.0, records=tmp_path)) as served:
            bot = stack.enter_context(connected(served.url))
            bot.open(records=True)
            for _ in range(9):
                bot.answer(bot.frame())
        assert closing(bot)[0] == 1001
    (path,) = tmp_path.iterdir()
    assert path.read_text("utf-8").splitlines()[-1].startswith("SCORE")


def test_records_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_room, "MAX_RECORD", 2000)
    with serving(BatchLimits(4, 60.0, records=tmp_path)) as served:
        with connected(served.url) as bot:
            bot.open(records=True)
            while not (frame := bot.frame()).header["flags"] & LAST:
                bot.answer(frame)
            assert closing(bot)[0] == 1000
        idle(served)
        (path,) = tmp_path.iterdir()
        assert 2000 < path.stat().st_size < 4000
        monkeypatch.setattr(batch_room, "MAX_RECORDS", 1000)
        with connected(served.url) as bot:
            assert bot.open(records=True)["code"] == "server_full"


def test_a_full_disk_ends_one_batch_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_error_logged: list[str]
) -> None:
    write = batch_room.Record.write

    def full(record: batch_room.Record, lines: memoryview) -> None:
        if record.size > 1000:
            raise OSError(28, "no space left")
        write(record, lines)

    monkeypatch.setattr(batch_room.Record, "write", full)

    with serving(BatchLimits(4, 60.0, records=tmp_path)) as served:
        with connected(served.url) as bot, connected(served.url, "other") as other:
            bot.open(records=True)
            other.open()
            assert bot.play_on()["code"] == "internal"
            other.answer(other.frame())
            assert len(other.frame().turns) == 4
        idle(served)
    (error,) = no_error_logged
    assert "no space left" in error
    no_error_logged.clear()


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_whole_lines_or_no_file(tmp_path: Path) -> None:
    game, path = holdem(2, 5, 10), tmp_path / "one.log"
    record = batch_room.Record(path, game, ("a", "b"))
    record.write(memoryview(b"first\n"))
    with files_of_at_most(record.size + 9), pytest.raises(OSError, match="large"):
        record.write(memoryview(b"second\nthird\n"))
    record.abandon()
    assert path.read_bytes().endswith(b"\nfirst\n")
    path = tmp_path / "other.log"
    with files_of_at_most(9), pytest.raises(OSError, match="large"):
        batch_room.Record(path, game, ("a", "b"))
    assert not path.exists()


def test_a_lost_connection_in_the_middle_of_opening_gives_its_place_back(served: Served) -> None:
    with connected(served.url) as bot:
        bot.say({"type": "open", "game": "holdem.nolimit.6p", "opponents": ["quick"], "tables": 1024})
    idle(served)


def test_where_no_batches_are_played_the_subprotocol_is_unknown() -> None:
    with (
        serving(BatchLimits(0, 60.0)) as served,
        pytest.raises(InvalidStatus),
        connect(served.url, subprotocols=[Subprotocol(BATCH)]),
    ):
        pass


def test_the_server_loads_the_compiler_only_when_it_is_asked() -> None:
    program = (
        "import sys; import pokerd.commands.serve; import server.commands.serve; "
        "sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
