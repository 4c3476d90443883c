"""``pokerd replay``: real bots in recorded sessions, found out where they decide otherwise."""

from __future__ import annotations

import re
import subprocess
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from dealer.records.sentences import hand_sentences
from dealer.rules.games import load_game
from pokerd.__main__ import main
from server.competition.store import CompetitionStore
from tests.support.competitions.arena import bot, competition, division
from tests.support.programs import PYTHON, environment, outcome

POKERD = (PYTHON, "-m", "pokerd")
SESSION = "duel/m0000-l000-s0"
ACPC = ["{python}", "-m", "tests.acpc.player", "call", "{host}", "{port}", "--game", "{game}"]


def program(condition: str = "hand.number % 7 == 0", *, act: str = "def act", more: str = "") -> str:
    """A bot that raises where ``condition`` holds."""
    return textwrap.dedent(f"""\
        import time
        from pokerd_bot import Bot, run

        class Mine(Bot):
            {act}(self, turn):
                hand = turn.hand
                {more}
                return turn.raise_pot(0.75) if {condition} else turn.call()

        run(Mine)
        """)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("replay")


@pytest.fixture(scope="module")
def results(folder: Path) -> Path:
    """A bot of its own against a house bot, and in a tournament with an ACPC program."""
    mine = folder / "mine.py"
    mine.write_text(program())
    stays = {"reset": "message", "tables": 4}
    bots = [
        bot("mine", command=["{python}", str(mine)], **stays),
        bot("random", run="random", **stays),
        bot("theirs", command=ACPC, protocol="acpc"),
    ]
    duel = division("duel", game="holdem.nolimit.2p.reverse_blinds", hands=30, bots=["mine", "random"])
    acpc = division("acpc", game="holdem.limit.2p.reverse_blinds", hands=20, bots=["theirs", "random"])
    cup = division("cup", bots=["mine", "random"], table={"mode": "tournament", "players": 2, "stack": 500})
    cash = division("cash", bots=["mine", "random"], table={"mode": "cash", "players": 2}, hands=10)
    out = folder / "out"
    file = folder / "competition.toml"
    # Of this seed the hands that tests look at are played, and ``mine`` can raise in the 7th and the 14th.
    file.write_text(competition(bots, [duel, acpc, cup, cash], workers=2, seed="s1"))
    done = outcome(*POKERD, "compete", file, "--out", out)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


class Done(NamedTuple):
    """Exit code, output and errors of a command, those of the bot that it started among them."""

    returncode: int
    stdout: str
    stderr: str


Replay = Callable[..., Done]


@pytest.fixture
def replay(results: Path, capfd: pytest.CaptureFixture[str]) -> Replay:
    """The command in this process; the bot is one of its own."""

    def done(*words: str, out: Path = results) -> Done:
        capfd.readouterr()
        code = main(["replay", str(out), *words])
        return Done(code, *capfd.readouterr())

    return done


def debug(results: Path, *words: str, said: str) -> subprocess.CompletedProcess[str]:
    """The whole command as a process, at whose keyboard somebody sits."""
    return subprocess.run(
        [*POKERD, "replay", str(results), *words, "--debug"],
        env=environment(PYTHONUNBUFFERED="1"),
        input=said,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "words",
    [
        ("--session", SESSION),
        ("--session", SESSION, "--player", "random"),
        ("--session", "cup/m0000-l000-s1", "--player", "mine"),
        ("--session", "acpc/m0000-l000-s0", "--player", "theirs"),
    ],
    ids=["sdk", "house bot", "tournament", "acpc"],
)
def test_the_same_bot_decides_as_it_did(replay: Replay, words: tuple[str, ...]) -> None:
    done = replay(*words)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stdout + done.stderr


def test_an_acpc_program_is_given_with_bot(replay: Replay) -> None:
    command = " ".join(ACPC).replace("{python}", PYTHON)
    words = ("--session", SESSION, "--player", "mine", "--acpc", "--bot", command)
    done = replay(*words, "--hand", "3")
    assert done.returncode in (0, 1), done.stderr
    assert f"{SESSION}, hand 3\n" in done.stdout


def test_it_stops_at_the_first_decision_that_differs(replay: Replay, folder: Path) -> None:
    other = folder / "other.py"
    other.write_text(program("hand.number % 7 == 0 and hand.number != 14"))
    done = replay("--session", SESSION, "--bot", str(other))
    assert done.returncode == 1
    assert f"{SESSION}, hand 14\n" in done.stdout
    compared = [line for line in done.stdout.splitlines() if line.startswith(("  rec", "  now"))]
    recorded, now = [line.split()[1] for line in compared]
    assert recorded in ("raises", "bets")
    assert now in ("calls", "checks")
    # What the other one holds is not shown.
    starts = [line for line in done.stdout.splitlines() if line.startswith("Seat ")]
    assert sorted(line.partition(" with")[0] for line in starts) == ["Seat 0: mine", "Seat 1: random"]
    assert [bool(re.search(r"([2-9TJQKA][cdhs] ?){2}$", line)) for line in starts] == [True, False]


def test_a_hand_is_shown_once_and_what_differs_before_is_passed_over(replay: Replay, folder: Path) -> None:
    other = folder / "never.py"
    other.write_text(program("False"))
    done = replay("--session", SESSION, "--bot", str(other), "--hand", "14")
    assert done.returncode == 1
    assert done.stdout.count(f"{SESSION}, hand 14\n") == 1
    assert done.stdout.count("  recorded:") == done.stdout.count("mine may ") >= 2
    assert f"{SESSION}, hands 0 to 14: " in done.stdout
    for line in done.stdout.splitlines():
        assert done.stdout.count(line) == 1 or not line.startswith(("Seat", "Flop", "Turn", "River"))
    assert "hand 7\n" not in done.stdout


@pytest.mark.parametrize("hand", [3, 14])
def test_a_hand_is_told_to_its_end(results: Path, replay: Replay, hand: int) -> None:
    store = CompetitionStore(results)
    session = next(one for one in store.competition().sessions if one.name == SESSION)
    events = list(store.hands(session))[hand]
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    recorded = hand_sentences("", events, game, session.players, first_seat=0).splitlines()
    played = [line for line in recorded[2:] if not line.startswith("Seat ")]
    assert played[-1].startswith("Net: ")

    done = replay("--session", SESSION, "--hand", str(hand))
    told = [line for line in done.stdout.splitlines() if line in played]
    assert told == played, done.stdout
    # Nothing looks like the result of the session.
    assert "chips" not in done.stdout + done.stderr


def test_a_bot_that_fails_is_shown_with_the_turn_that_it_failed_at(replay: Replay, folder: Path) -> None:
    broken = folder / "broken.py"
    broken.write_text(program(more="1 / (hand.number - 9)"))
    done = replay("--session", SESSION, "--bot", str(broken))
    assert done.returncode == 1
    assert f"{SESSION}, hand 9\n" in done.stdout
    assert "code 1 in hand 9" in done.stdout
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize(
    ("session", "hand", "hands"),
    [
        (SESSION, "0", "hand 0"),
        (SESSION, "29", "hands 0 to 29"),
        ("cash/m0000-l000-s0", "1", "hand 1"),
        ("cash/m0000-l000-s0", "10", "hands 1 to 10"),
    ],
)
def test_hands_have_the_numbers_of_the_record(replay: Replay, session: str, hand: str, hands: str) -> None:
    done = replay("--session", session, "--hand", hand)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{session}, hand {hand}\n" in done.stdout
    assert f"{session}, {hands}: all " in done.stdout


@pytest.mark.parametrize(
    ("session", "hand", "known"),
    [
        (SESSION, "30", "0 to 29"),
        (SESSION, "-1", "0 to 29"),
        ("cash/m0000-l000-s0", "0", "1 to 10"),
        ("cash/m0000-l000-s0", "11", "1 to 10"),
    ],
)
def test_the_hands_of_a_session_are_named(
    results: Path, session: str, hand: str, known: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(results), "--session", session, f"--hand={hand}"]) == 2
    assert f"{session} has hands {known}, not {hand} [unknown_hand]" in capsys.readouterr().err


def test_without_a_session_all_are_replayed_in_order(replay: Replay) -> None:
    done = replay()
    assert done.returncode == 2
    assert "choose one of the players with --player" in done.stderr

    done = replay("--player", "mine")
    assert done.returncode == 0, done.stdout + done.stderr
    *each, total = done.stdout.splitlines()
    divisions = [line.partition("/")[0] for line in each]
    assert sorted(set(divisions), key=divisions.index) == ["duel", "cup", "cash"]
    assert all(" decisions of mine are as recorded" in line for line in each)
    decisions = sum(int(re.findall(r"all ([\d,]+) decisions", line)[0].replace(",", "")) for line in each)
    assert total == f"{len(each)} sessions, {decisions:,} decisions: all are as recorded"


def test_without_a_session_it_stops_at_the_first_that_differs(replay: Replay, folder: Path) -> None:
    other = folder / "cash.py"
    other.write_text(program("hand.number % 7 == 0 and hand.match.info.mode != 'tournament'"))
    done = replay("--player", "mine", "--bot", str(other))
    assert done.returncode == 1, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"{SESSION}, hands 0 to 29: all "), done.stdout
    assert lines[-2].startswith("cup/m0000-l000-s0: the first ")
    assert re.match(r"stopped in session (\d) of \d; as recorded before it: \d sessions?, ", lines[-1])
    assert "cash/" not in done.stdout


#: How an ``act`` begins: in a thread of its own, in the only thread, and as a coroutine.
KINDS = pytest.mark.parametrize(
    "act",
    ["def act", "threaded = False\n            def act", "async def act"],
    ids=["threaded", "not threaded", "async"],
)


@KINDS
def test_the_debugger_stops_at_the_decision_that_differs(results: Path, folder: Path, act: str) -> None:
    other = folder / f"debugged-{len(act)}.py"
    other.write_text(program("hand.number % 7 == 0 and hand.number != 14", act=act))
    words = ("--session", SESSION, "--bot", str(other))
    done = debug(results, *words, said="p 'hand', turn.hand.number\nc\n")
    assert done.stdout.count("('hand', 14)") == 1, done.stdout + done.stderr
    assert done.stdout.count("  now:") == 2
    assert "left the debugger" not in done.stdout
    assert done.returncode == 1


@KINDS
def test_the_debugger_stops_at_every_turn_of_the_hand(results: Path, folder: Path, act: str) -> None:
    """After ``c``, and also where ``n`` leads past the end of ``act``."""
    same = folder / f"same-{len(act)}.py"
    same.write_text(program(act=act, more="street = hand.street"))
    words = ("--session", SESSION, "--bot", str(same), "--hand", "3")
    done = debug(results, *words, said="c\n" + "n\n" * 40)
    stops = done.stdout.count("\n-> hand = turn.hand\n")
    assert stops == done.stdout.count("mine may ") == done.stdout.count("  now:") >= 3, done.stdout
    # The situation can be read at the prompt.
    lines = re.findall(r"^(mine may |-> hand = |  now:)", done.stdout, re.MULTILINE)
    assert lines == ["mine may ", "-> hand = ", "  now:"] * stops
    assert f"{SESSION}, hands 0 to 3: all " in done.stdout
    assert "left the debugger" not in done.stdout
    assert done.returncode == 0, done.stderr


@KINDS
def test_the_debugger_can_be_left(results: Path, folder: Path, act: str) -> None:
    """Even if the bot catches the debugger's exception."""
    more = "try:\n                    hand.board\n                except Exception:\n                    pass"
    catches = folder / f"catches-{len(act)}.py"
    catches.write_text(program(act=act, more=more))
    words = ("--session", SESSION, "--bot", str(catches), "--hand", "2")
    quitted = debug(results, *words, said="n\nn\nq\n")
    assert quitted.stdout.count("(Pdb)") == 3
    assert quitted.stdout.endswith("left the debugger\n")
    assert "ended with" not in quitted.stdout
    assert "Traceback" not in quitted.stderr
    assert quitted.returncode == 0


def test_a_bot_that_fails_in_the_debugger_is_not_one_whose_debugger_was_left(
    results: Path, folder: Path
) -> None:
    broken = folder / "broken-2.py"
    broken.write_text(program(more="1 / (hand.number - 2)"))
    words = ("--session", SESSION, "--hand", "2", "--bot", str(broken))
    done = debug(results, *words, said="c\n")
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    assert "mine ended with code 1 in hand 2" in done.stdout
    assert "left the debugger" not in done.stdout


def test_hands_with_refusals_and_timeouts_are_named(replay: Replay, tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.py"
    late = "if hand.number == 7 and not hand.board: time.sleep(turn.time_left() + 0.4)"
    illegal = "turn.raise_to(10**9) if hand.number in (3, 5) and not hand.board"
    raises = "return turn.raise_pot(0.75) if False"
    faulty.write_text(program("False", more=late).replace(raises, f"return {illegal}"))
    bots = [
        bot("mine", command=["{python}", str(faulty)], reset="message"),
        bot("call", run="call", reset="message", tables=4),
    ]
    duel = division("duel", game="holdem.nolimit.2p.reverse_blinds", hands=10)
    file, out = tmp_path / "competition.toml", tmp_path / "out"
    file.write_text(competition(bots, [duel], time={"decision_ms": 500, "bank_ms": 0}))
    outcome(*POKERD, "compete", file, "--out", out)
    done = replay("--session", SESSION, out=out)
    assert f"{SESSION}: the server refused what mine sent: illegal_action in hands 3, 5\n" in done.stdout
    assert f"{SESSION}: the table acted for mine when it was recorded: timeout in hand 7\n" in done.stdout
    assert done.returncode == 0
    shown = replay("--session", SESSION, "--hand", "5", out=out).stdout.splitlines()
    now = [line for line in shown if line.startswith("  now:")]
    assert ["refused" in line for line in now] == [True, *[False] * (len(now) - 1)]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--session", "duel/none"), "unknown_session"),
        (("--session", SESSION, "--player", "theirs"), "unknown_player"),
        (("--session", SESSION, "--hand", "30"), "unknown_hand"),
        (("--player", "mine", "--hand", "0"), "no_session"),
        (("--player", "nobody"), "unknown_player"),
        (("--session", SESSION, "--bot", "./no-such-program"), "cannot_start"),
        (("--session", SESSION, "--bot", "'open quote"), "no_command"),
        (("--session", SESSION, "--bot", "false"), "not_connected"),
    ],
)
def test_what_cannot_be_replayed_is_refused(
    results: Path, words: tuple[str, ...], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in results.rglob("*"))
    assert main(["replay", str(results), *words]) == 2
    assert capsys.readouterr().err.split()[-1] == f"[{code}]"
    assert sorted((path, path.stat().st_mtime_ns) for path in results.rglob("*")) == before


def test_an_unfinished_competition_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "competition.toml").write_text("")
    assert main(["replay", str(tmp_path), "--session", "duel"]) == 2
    assert capsys.readouterr().err.split()[-1] == "[unfinished]"


def test_a_damaged_record_is_refused(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in results.rglob("*"):
        if path.is_file() and "hands" not in path.parts:
            copy = tmp_path / path.relative_to(results)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    (tmp_path / "hands" / "duel").mkdir(parents=True)
    whole = (results / "hands" / f"{SESSION}.jsonl").read_text()
    (tmp_path / "hands" / f"{SESSION}.jsonl").write_text(whole.replace("20000", "20001"))
    assert main(["replay", str(tmp_path), "--session", SESSION]) == 2
    assert capsys.readouterr().err.split()[-1] == "[replay_differs]"

    path = tmp_path / "hands" / f"{SESSION}.jsonl"
    path.write_text("".join(whole.splitlines(keepends=True)[:9])[:-20])
    assert main(["replay", str(tmp_path), "--session", SESSION]) == 2
    said = f"{path}: line 9 is cut off; the hands before it are whole [cut_off]\n"
    assert capsys.readouterr().err.endswith(said)
