"""The command ``dealer``: players that misbehave, time limits, options and exit codes."""

import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest

from dealer.rules.games import load_game
from pokerd.__main__ import main
from tests.acpc.player import Seen
from tests.support.programs import PYTHON, ROOT, environment, eventually
from tests.system.acpc.matches import Dealer
from tests.system.acpc.raw import Raw, drive

LIMIT = "holdem.limit.2p.reverse_blinds.game"
NOLIMIT = "holdem.nolimit.2p.reverse_blinds.game"


def errors(dealer: Dealer) -> list[str]:
    return [line for line in dealer.transcript.splitlines() if line.startswith(("ERROR", "WARNING"))]


def fault(dealer: Dealer) -> tuple[str, str]:
    """The seat that the one error names, and its code."""
    (line,) = errors(dealer)
    found = re.fullmatch(r"ERROR: .*\bseat (\d).* \[(\w+)\]", line)
    assert found, line
    return found[1], found[2]


def states(dealer: Dealer) -> list[str]:
    return [line for line in dealer.log.splitlines() if line.startswith(("STATE", "SCORE"))]


# What the reference makes of an answer. Of one hand's first decision, by the button, who faces a bet of 50.
LINE = "MATCHSTATE:1:0::|9hQd"
IGNORED = "WARNING: ignoring un-requested response"
BAD_STATE = "WARNING: bad state format in response"
BAD_ACTION = "WARNING: bad action format in response, changed to call"
INVALID = "WARNING: invalid action, changed to call"
ANSWERS = [
    # What was said, what came of it, and the warnings.
    (f"{LINE}:c\r\n", "c", []),
    (f"{LINE}:K\n", "c", []),
    (f"{LINE}:k trailing words\n", "c", []),
    (f"{LINE}:F\r\n", "f", []),
    (f"{LINE}:r300\r\n", "r300", []),
    (f"{LINE}:b 300.7xyz\r\n", "r300", []),
    (f"{LINE}:R+300\r\n", "r300", []),
    (f"{LINE}:r150\r\n", "r200", ["WARNING: raise of 150 increased to 200"]),
    (f"{LINE}:r-5\r\n", "r200", ["WARNING: raise of -5 increased to 200"]),
    (f"{LINE}:r25000\r\n", "r20000", ["WARNING: raise of 25000 decreased to 20000"]),
    (f"{LINE}:r99999999999\r\n", "r20000", ["WARNING: raise of 1215752191 decreased to 20000"]),
    (f"{LINE}:r\r\n", "c", [BAD_ACTION]),
    (f"{LINE}\r\n", "c", [BAD_ACTION]),
    (f"{LINE} :c\r\n", "c", [BAD_ACTION]),
    (f"{LINE}:x\r\n", "c", [INVALID]),
    (f"{LINE}:\r\n", "c", [INVALID]),
    ("MATCHSTATE:1:0::5d5c|9HqD:r300\r\n", "r300", []),
    ("MATCHSTATE:1:0:/:|9hQd:r300\r\n", "r300", []),
    (f"# a comment\r\n;another\r\n{LINE}:c\r\n", "c", []),
    (f"{LINE}:c\0:r300\r\n", "c", []),
    (f"garbage\r\n\n{LINE}:c\r\n", "c", [BAD_STATE] * 2),
    (f"\0{LINE}:r300\n{LINE}:c\n", "c", [BAD_STATE]),
    (f"MATCHSTATE:1:0:r5:|9hQd:c\n{LINE}:c\n", "c", [BAD_STATE]),
    (f"MATCHSTATE:1:0:ccc:|9hQd:c\n{LINE}:c\n", "c", [BAD_STATE]),
    (f"MATCHSTATE:9:0::|9hQd:c\n{LINE}:c\n", "c", [BAD_STATE]),
    (f"MATCHSTATE:1:0::|9h:c\n{LINE}:c\n", "c", [BAD_STATE]),
    (f"MATCHSTATE:1:1::|9hQd:c\n{LINE}:c\n", "c", [IGNORED]),
    (f"MATCHSTATE:0:0::|9hQd:c\n{LINE}:c\n", "c", [IGNORED]),
    (f"MATCHSTATE:1:0::|9hQc:c\n{LINE}:c\n", "c", [IGNORED]),
    (f"MATCHSTATE:1:0:c:|9hQd:c\n{LINE}:c\n", "c", [IGNORED]),
    (f"MATCHSTATE:1:0:cc/:|9hQd/8dAs8s:c\n{LINE}:c\n", "c", [IGNORED]),
    (f"{'x' * 4095}{LINE}:c\n", "c", [BAD_STATE]),
    (f"#{'x' * 4094}{LINE}:r300\n", "r300", []),
    (f"{'x' * 9000}\n{LINE}:c\n", "c", [BAD_STATE] * 3),
]


@pytest.mark.parametrize(("said", "done", "warnings"), ANSWERS, ids=[repr(case[0][-40:]) for case in ANSWERS])
def test_answers_of_every_kind(said: str, done: str, warnings: list[str], tmp_path: Path) -> None:
    with Dealer(tmp_path, "m", NOLIMIT, 1, 0, "A", "B") as dealer:
        with Raw(dealer.ports[0]) as other, Raw(dealer.ports[1]) as player:
            assert player.line() == LINE
            player.send(said.encode("ascii"))
            assert [other.line(), other.line()] == ["MATCHSTATE:0:0::5d5c|", f"MATCHSTATE:0:0:{done}:5d5c|"]
        dealer.end()
    assert [line for line in errors(dealer) if line.startswith("WARNING")] == warnings


def test_a_line_in_many_segments_and_many_lines_in_one(tmp_path: Path) -> None:
    with Dealer(tmp_path, "m", LIMIT, 1, 0, "A", "B") as dealer:
        with Raw(dealer.ports[0], version=b"") as first, Raw(dealer.ports[1]) as second:
            for byte in b"VERSION:2.0.0\r\n":
                first.send(bytes([byte]))
            for byte in f"{second.line()}:c\r\n".encode("ascii"):
                second.send(bytes([byte]))
            # All that will be asked of the first seat, in one segment and long before it is asked.
            lines = [
                "MATCHSTATE:0:0:c:5d5c|:c",
                "MATCHSTATE:0:0:cc/:5d5c|/8dAs8s:c",
                "MATCHSTATE:0:0:cc/cc/:5d5c|/8dAs8s/4h:c",
                "MATCHSTATE:0:0:cc/cc/cc/:5d5c|/8dAs8s/4h/6d:c",
            ]
            first.send("\r\n".join([*lines, ""]).encode("ascii"))
            while line := second.line():
                if Seen(load_game(LIMIT), line).mine:
                    second.send(f"{line}:c\r\n".encode("ascii"))
        assert dealer.end()[0] == 0
    assert states(dealer)[0].startswith("STATE:0:cc/cc/cc/cc:5d5c|9hQd/8dAs8s/4h/6d:")
    assert errors(dealer) == []


def test_a_player_that_only_sends_comments_runs_out_of_time(tmp_path: Path) -> None:
    with Dealer(tmp_path, "m", LIMIT, 1, 0, "A", "B", "--t_response", "400") as dealer:
        began = time.monotonic()
        with Raw(dealer.ports[0]), Raw(dealer.ports[1]) as player:
            player.socket.settimeout(0.05)
            while dealer.process.is_alive() and time.monotonic() - began < 20:
                try:
                    player.send(b"# still thinking\n")
                    player.line()
                except OSError:
                    pass
        code, output = dealer.end()
    assert (code, output) == (1, "")
    assert fault(dealer) == ("2", "out_of_time")
    assert dealer.log.count("\n") == 4


def thinks(seconds: float) -> Callable[[int], bool]:
    """A player who takes that long over every answer after the first."""

    def think(_: int) -> bool:
        threading.Event().wait(seconds)
        return True

    return think


@pytest.mark.parametrize("limit", [("--t_hand", "300"), ("--t_per_hand", "150")], ids=["hand", "match"])
def test_time_adds_up_over_the_hand_and_the_match(limit: tuple[str, str], tmp_path: Path) -> None:
    with Dealer(tmp_path, "m", LIMIT, 2, 0, "A", "B", *limit) as dealer:
        drive(dealer.ports, LIMIT, ("call", "call"), thinks(0.1))
        assert dealer.end()[0] == 1
    assert errors(dealer)[0].endswith("[out_of_time]")
    assert dealer.log.count("STATE") == 0


def test_a_hands_limit_begins_anew_with_every_hand(tmp_path: Path) -> None:
    with Dealer(tmp_path, "m", LIMIT, 3, 0, "A", "B", "--t_hand", "3000") as dealer:
        drive(dealer.ports, LIMIT, ("call", "call"), thinks(0.01))
        assert dealer.end()[0] == 0


def test_a_player_that_connects_and_says_nothing_is_given_up(tmp_path: Path) -> None:
    with (
        Dealer(tmp_path, "m", LIMIT, 1, 0, "A", "B", "--start_timeout", "400") as dealer,
        Raw(dealer.ports[0]),
        Raw(dealer.ports[1], version=b""),
    ):
        assert dealer.end() == (1, "")
    assert fault(dealer) == ("2", "out_of_time")


def test_without_a_start_limit_a_silent_player_has_as_long_as_for_an_answer(tmp_path: Path) -> None:
    with (
        Dealer(tmp_path, "m", LIMIT, 1, 0, "A", "B", "--t_response", "400") as dealer,
        Raw(dealer.ports[0], version=b""),
        Raw(dealer.ports[1]),
    ):
        assert dealer.end() == (1, "")
    assert fault(dealer) == ("1", "out_of_time")


def test_a_player_that_never_connects_is_given_up(tmp_path: Path) -> None:
    with (
        Dealer(tmp_path, "m", LIMIT, 1, 0, "A", "B", "--start_timeout", "300") as dealer,
        Raw(dealer.ports[0]),
    ):
        assert dealer.end() == (1, "")
    assert fault(dealer) == ("2", "start_timeout")
    assert dealer.log.count("\n") == 4


@pytest.mark.parametrize("version", [b"HELLO\r\n", b"VERSION:2.0\r\n", b"# hi\r\nVERSION:2.0.0\r\n"])
def test_who_names_no_version_is_not_played_with(version: bytes, tmp_path: Path) -> None:
    with (
        Dealer(tmp_path, "m", LIMIT, 1, 0, "A", "B") as dealer,
        Raw(dealer.ports[0], version=version) as first,
        Raw(dealer.ports[1]),
    ):
        assert dealer.end() == (1, "")
        assert first.rest() == []
    assert errors(dealer)[0].endswith("[bad_version]")


@pytest.mark.parametrize("version", [b"VERSION:1.0.0\r\n", b"VERSION:2.5.9 beta\n"])
def test_another_version_is_complained_of_and_played_with(version: bytes, tmp_path: Path) -> None:
    with (
        Dealer(tmp_path, "m", LIMIT, 1, 0, "A", "B") as dealer,
        Raw(dealer.ports[0], version=version) as first,
        Raw(dealer.ports[1]),
    ):
        assert first.line() == "MATCHSTATE:0:0::5d5c|"
    assert errors(dealer)[0].endswith("[bad_version]")


def test_a_player_that_vanishes_while_idle_ends_the_match_and_keeps_what_was_played(tmp_path: Path) -> None:
    with Dealer(tmp_path, "m", LIMIT, 100, 0, "A", "B") as dealer:
        with Raw(dealer.ports[0]) as first, Raw(dealer.ports[1]) as second:
            # The first hand is over at once; in the second, the first seat has the button and acts first.
            second.send(f"{second.line()}:f\r\n".encode("ascii"))
            assert first.line() == "MATCHSTATE:0:0::5d5c|"
            second.close()
            assert first.line() == "MATCHSTATE:0:0:f:5d5c|"
            line = first.line()
            while line:
                if line.split(":")[3] != "rr":
                    first.send(f"{line}:r\r\n".encode("ascii"))
                line = first.line()
        assert dealer.end() == (1, "")
    assert re.search(r"\bseat 2\b", errors(dealer)[0])
    assert states(dealer) == ["STATE:0:f:5d5c|9hQd:5|-5:A|B"]


def test_a_player_that_hangs_up_when_it_is_to_act(tmp_path: Path) -> None:
    with (
        Dealer(tmp_path, "m", LIMIT, 100, 0, "A", "B") as dealer,
        Raw(dealer.ports[0]) as first,
        Raw(dealer.ports[1]) as second,
    ):
        # Its last answer counts, without an end of line too.
        second.send(f"{second.line()}:c".encode("ascii"))
        second.socket.shutdown(socket.SHUT_WR)
        for betting in ("", "c", "cc/"):
            line = first.line()
            assert line.split(":")[3] == betting
            if betting:
                first.send(f"{line}:c\r\n".encode("ascii"))
        assert dealer.end() == (1, "")
    assert fault(dealer) == ("2", "gone")


def test_each_listener_closes_once_its_player_is_there(tmp_path: Path) -> None:
    with (
        Dealer(tmp_path, "m", LIMIT, 1, 0, "A", "B") as dealer,
        Raw(dealer.ports[0]) as first,
        Raw(dealer.ports[1]),
    ):
        assert first.line()
        for port in dealer.ports:
            with pytest.raises(ConnectionRefusedError):
                Raw(port)


def test_a_player_that_answers_too_much_is_told_the_end_all_the_same(tmp_path: Path) -> None:
    with Dealer(tmp_path, "m", LIMIT, 1, 0, "A", "B") as dealer:
        with Raw(dealer.ports[0]) as first, Raw(dealer.ports[1]) as second:
            first.send(b"# chatter\n" * 10000)
            second.send(f"{second.line()}:f\r\n".encode("ascii"))
            assert first.rest() == ["MATCHSTATE:0:0::5d5c|", "MATCHSTATE:0:0:f:5d5c|"]
        assert dealer.end()[0] == 0


@pytest.mark.parametrize("conduct", ["reference", "strict"])
def test_a_flood_of_comments_gains_no_time(conduct: str, tmp_path: Path) -> None:
    arguments = ("m", LIMIT, 1, 0, "A", "B", "-q", "--t_response", "400", "--conduct", conduct)
    with Dealer(tmp_path, *arguments) as dealer, Raw(dealer.ports[0]), Raw(dealer.ports[1]) as player:
        began = time.monotonic()
        while dealer.process.is_alive() and time.monotonic() - began < 20:
            try:
                player.send(b"# hi\n" * 1000)
            except OSError:
                break
        assert dealer.end()[0] == 1
    assert fault(dealer) == ("2", "out_of_time")


def test_names_are_bytes(tmp_path: Path) -> None:
    with Dealer(tmp_path, "mé", LIMIT, 1, 0, "José", "B") as dealer:
        drive(dealer.ports, LIMIT, ("call", "call"))
        code, output = dealer.end()
    assert code == 0
    log = (tmp_path / "mé.log").read_text(encoding="utf-8")
    assert log.startswith("# name/game/hands/seed mé ")
    assert log.endswith(output)
    assert output.endswith(":José|B\n")


def test_a_second_match_of_the_same_name_is_refused_and_spoils_nothing(tmp_path: Path) -> None:
    with Dealer(tmp_path, "m", LIMIT, 3, 0, "A", "B", "-T") as first:
        for option in ("-T", "-l"):
            with Dealer(tmp_path, "m", LIMIT, 3, 0, "A", "B", "-T", option) as second:
                assert second.end() == (1, "")
            assert "[in_use]" in second.transcript
        drive(first.ports, LIMIT, ("call", "call"))
        assert first.end()[0] == 0
    whole = first.log
    assert whole.count("\nSTATE:") == 3
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with Dealer(tmp_path, "m", LIMIT, 3, 0, "A", "B", "-p", str(port)) as third:
            assert third.end() == (1, "")
    assert first.log == whole


@pytest.mark.parametrize("closed", [">&-", "2>&-", "2>/dev/full"])
def test_a_match_goes_on_with_nobody_to_tell(closed: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        ports = [one.getsockname()[1], two.getsockname()[1]]
    command = (
        f"{PYTHON} -m pokerd dealer m {LIMIT} 2 0 A B --host 127.0.0.1 -p {ports[0]},{ports[1]} {closed}"
    )
    with subprocess.Popen(
        command, shell=True, cwd=tmp_path, env=environment(PYTHONPATH=str(ROOT)), stdout=subprocess.DEVNULL
    ) as dealer:
        eventually(lambda: _listening(ports[0]))
        drive(ports, LIMIT, ("call", "call"))
        assert dealer.wait(30) == 0
    assert (tmp_path / "m.log").read_text(encoding="ascii").count("\nS") == 3


def _listening(port: int) -> bool:
    """Whether somebody listens there: seen from outside, a connection would be taken for the player."""
    table = Path("/proc/net/tcp").read_text(encoding="ascii")
    return f":{port:04X} 00000000:0000 0A" in table


def test_stopped_by_hand_it_just_ends(tmp_path: Path) -> None:
    with Dealer(tmp_path, "m", LIMIT, 1, 0, "A", "B") as dealer:
        dealer.interrupt()
        assert dealer.end() == (-signal.SIGINT, "")
    assert "Traceback" not in dealer.transcript


# Strict conduct.

STRICT = [
    (f"{LINE}:f\r\n", ""),
    (f"# hi\r\n{LINE}:r300\n", ""),
    ("hello\n", "bad_state"),
    ("MATCHSTATE:0:4294967295:::c\r\n", "unrequested"),
    (f"{LINE}:r\r\n", "bad_action"),
    (f"{LINE}:x\r\n", "invalid_action"),
    (f"{LINE}:r100\r\n", "raise_adjusted"),
    (f"{LINE}:C\r\n", "inexact"),
    (f"{LINE}:r300 \r\n", "inexact"),
    ("MATCHSTATE:1:0::5d5c|9hQd:c\r\n", "inexact"),
]


@pytest.mark.parametrize(("said", "code"), STRICT, ids=[repr(case[0][-20:]) for case in STRICT])
def test_strict_conduct_ends_the_match_scores_it_and_tells_all(said: str, code: str, tmp_path: Path) -> None:
    arguments = ("m", NOLIMIT, 5, 0, "A", "B", "--conduct", "strict")
    with Dealer(tmp_path, *arguments) as dealer:
        with Raw(dealer.ports[0]) as first, Raw(dealer.ports[1]) as second:
            second.send(said.encode("ascii").replace(LINE.encode("ascii"), second.line().encode("ascii")))
            assert first.line() == "MATCHSTATE:0:0::5d5c|"
            if not code:
                assert first.line() != ""
                return
            told = ["# match over after 0 hands: seat 2 (B) " + code, "# SCORE:0|0:A|B"]
            assert first.rest() == told
            assert second.rest() == told
        assert dealer.end() == (1, "SCORE:0|0:A|B\n")
    assert errors(dealer)[0].endswith(f"[{code}]")
    assert dealer.log.splitlines()[-2:] == [told[0], "SCORE:0|0:A|B"]


def test_strict_conduct_counts_the_hands_that_were_finished(tmp_path: Path) -> None:
    with Dealer(tmp_path, "m", LIMIT, 100, 0, "A", "B", "--conduct", "strict") as dealer:
        with Raw(dealer.ports[0]) as first, Raw(dealer.ports[1]) as second:
            second.send(f"{second.line()}:f\r\n".encode("ascii"))
            assert [first.line() for _ in range(3)][-1].startswith("MATCHSTATE:1:1::|")
            first.send(b"nonsense\n")
            assert second.rest()[-2:] == [
                "# match over after 1 hands: seat 1 (A) bad_state",
                "# SCORE:5|-5:A|B",
            ]
        assert dealer.end() == (1, "SCORE:5|-5:A|B\n")


# Options.


def test_options_may_stand_anywhere(tmp_path: Path) -> None:
    arguments = (
        "-q",
        "m",
        LIMIT,
        "-f",
        3,
        "--t_response",
        "5000",
        0,
        "A",
        "-T",
        "B",
        "--t_hand=6000",
        "--t_per_hand",
        "700",
    )
    with Dealer(tmp_path, *arguments) as dealer:
        drive(dealer.ports, LIMIT, ("call", "raise"))
        code, output = dealer.end()
    assert code == 0
    header = f"# name/game/hands/seed m {LIMIT} 3 0\n#--t_response 5000\n#--t_hand 6000\n#--t_per_hand 700\n"
    assert dealer.log.startswith(header)
    assert dealer.transcript == header + output
    # Fixed seats: the same positions in every hand.
    assert [line.rsplit(":", 1)[1] for line in states(dealer)] == ["A|B"] * 4
    assert (tmp_path / "m.tlog").exists()


def test_the_ports_can_be_given_and_are_otherwise_those_the_reference_proposes(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = taken.getsockname()[1]
    with Dealer(tmp_path, "m", LIMIT, 1, 12345, "A", "B", "-p", f"{free},0") as dealer:
        assert dealer.ports[0] == free
        drive(dealer.ports, LIMIT, ("call", "call"))
        assert dealer.end()[0] == 0
    with Dealer(tmp_path, "m", LIMIT, 1, 12345, "A", "B", "-p", f"{free}") as dealer:
        second = dealer.ports[1]
        with Dealer(tmp_path, "n", LIMIT, 1, 12345, "A", "B", "-p", f"{free}") as other:
            assert other.ports == []
            assert other.end()[0] == 1
        assert other.transcript.rstrip().endswith("[cannot_listen]")
    with Dealer(tmp_path, "m", LIMIT, 1, 12345, "A", "B", "-p", f"{free}") as dealer:
        assert dealer.ports[1] == second


def test_no_log_no_files(tmp_path: Path) -> None:
    with Dealer(tmp_path, "m", LIMIT, 2, 0, "A", "B", "-l") as dealer:
        drive(dealer.ports, LIMIT, ("call", "call"))
        assert dealer.end()[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["m.err"]


def test_append_continues_the_log(tmp_path: Path) -> None:
    for count in (1, 2):
        with Dealer(tmp_path, "m", LIMIT, 1, 0, "A", "B", "-a") as dealer:
            drive(dealer.ports, LIMIT, ("call", "call"))
            assert dealer.end()[0] == 0
        assert dealer.log.count("SCORE") == count


GAME = """GAMEDEF
nolimit
numPlayers = 2
numRounds = {rounds}
stack = {stacks}
blind = 10 5
firstPlayer = 2 1
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = {board}
END GAMEDEF
"""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("m", LIMIT, 0, 0, "A", "B"), "bad_hands"),
        (("m", LIMIT, 1, -1, "A", "B"), "bad_seed"),
        (("m", LIMIT, 1, 2**32, "A", "B"), "bad_seed"),
        (("m", LIMIT, 1, 0, "A"), "bad_names"),
        (("m", LIMIT, 1, 0, "A", "B", "C"), "bad_names"),
        (("m", LIMIT, 1, 0, "A", "B:C"), "bad_name"),
        (("m", LIMIT, 1, 0, "A", "B", "--t_hand", "-3"), "bad_limit"),
        (("m", LIMIT, 1, 0, "A", "B", "-p", "1,2,3"), "bad_port"),
        (("m", LIMIT, 1, 0, "A", "B", "-p", "70000"), "bad_port"),
        (("m", LIMIT, "many", 0, "A", "B"), "usage"),
        (("m", LIMIT, "1_0", 0, "A", "B"), "usage"),
        (("m", LIMIT, " 1", 0, "A", "B"), "usage"),
        (("m", LIMIT, "٣", 0, "A", "B"), "usage"),
        (("m", LIMIT, 1, "4_2", "A", "B"), "usage"),
        (("m", LIMIT, 1, "9" * 5000, "A", "B"), "usage"),
        (("m", LIMIT, 1, 0, "A", "B", "-p", "5_000"), "usage"),
        (("m", LIMIT, 1, 0, "A", "B", "-p", "5000, 5001"), "usage"),
        (("m", LIMIT, 1, 0, "A", "B", "--t_hand", "7_000"), "usage"),
        (("m", LIMIT, 1, 0, "A", "B", "--start_timeout", "1e3"), "usage"),
        (("m", LIMIT, 1, 0, "A", "B", "--nonsense"), "usage"),
        (("m", LIMIT), "usage"),
        (("m", "no.such.game", 1, 0, "A", "B"), "unknown_game"),
        (("m", "board.game", 1, 0, "A", "B"), "board_before_betting"),
        (("m", "blinds.game", 1, 0, "A", "B"), "all_in_from_blinds"),
        (("no/such/folder", LIMIT, 1, 0, "A", "B"), "os_error"),
    ],
)
def test_what_cannot_be_dealt_is_refused(
    arguments: tuple[str | int, ...], code: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "board.game").write_text(GAME.format(rounds=2, stacks="200 200", board="1 2"))
    (tmp_path / "blinds.game").write_text(GAME.format(rounds=2, stacks="10 5", board="0 3"))
    with chdir(tmp_path), pytest.raises(SystemExit) as end:
        sys.exit(main(["dealer", *map(str, arguments)]))
    told = capfd.readouterr()
    assert (end.value.code, told.out) == (1, "")
    assert told.err.splitlines()[-1].startswith("ERROR: ")
    assert told.err.rstrip().endswith(f"[{code}]")
    assert {path.name for path in tmp_path.iterdir()} == {"board.game", "blinds.game"}


def test_a_game_file_here_comes_before_one_of_ours(tmp_path: Path) -> None:
    (tmp_path / LIMIT).write_text(GAME.format(rounds=1, stacks="50 50", board="0"))
    with (
        Dealer(tmp_path, "m", LIMIT, 1, 0, "A", "B") as dealer,
        Raw(dealer.ports[0]) as first,
        Raw(dealer.ports[1]) as second,
    ):
        second.send(f"{second.line()}:r999\r\n".encode("ascii"))
        assert [first.line(), first.line()][-1] == "MATCHSTATE:0:0:r50:5d5c|"
