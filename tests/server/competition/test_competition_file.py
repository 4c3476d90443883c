"""Competition files that cannot be played: refused with a code, before anything is made or started."""

from __future__ import annotations

import random
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pokerd.__main__ import main
from server.competition.file import CompetitionError, parse_competition
from server.competition.store import CompetitionStore
from tests.support.bot_programs import program
from tests.support.competitions.arena import ROOT, bot, competition, division

TWO = [bot("call", run="call", reset="message"), bot("raise", run="raise", reset="message")]
GOOD = competition(TWO, [division(hands=2)])


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The code with which a command is refused; one line on the standard error, exit status 2."""
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert not told.out
    [line] = told.err.splitlines()
    found = re.fullmatch(r"pokerd: .+ \[([a-z_]+)\]", line)
    assert found, line
    return found[1]


def with_bots(*bots: dict[str, Any]) -> str:
    return competition(bots, [division()])


def with_division(**fields: Any) -> str:
    return competition(TWO, [division(**fields)])


def with_table(**fields: Any) -> str:
    return with_division(table={"mode": "cash", "players": 2, **fields})


BAD: dict[str, tuple[str, str]] = {
    "nothing": ("", "bad_field"),
    "no TOML": ("name = ", "not_toml"),
    "JSON": ('{"name": "x"}', "not_toml"),
    "a key twice": (GOOD.replace("seed =", 'name = "x"\nseed =', 1), "not_toml"),
    "an unknown key": ("colour = 1\n" + GOOD, "bad_field"),
    "an unknown key of a bot": (with_bots(bot("a", run="call", speed=1), TWO[1]), "bad_field"),
    "an unknown key of a division": (with_division(colour=1), "bad_field"),
    "an unknown key of the time": (GOOD.replace("[time]", "[time]\nhours = 1"), "bad_field"),
    "a name with a slash": (GOOD.replace('name = "test"', 'name = "../test"'), "bad_field"),
    "an empty name": (GOOD.replace('name = "test"', 'name = ""'), "bad_field"),
    "a number for a name": (GOOD.replace('name = "test"', "name = 7"), "bad_field"),
    "no workers": ("workers = 0\n" + GOOD, "bad_field"),
    "half a worker": ("workers = 0.5\n" + GOOD, "bad_field"),
    "no time to decide": (GOOD.replace("decision_ms = 20000", "decision_ms = 0"), "bad_field"),
    "negative time": (GOOD.replace("bank_ms = 20000", "bank_ms = -1"), "bad_field"),
    "no missed turns": (GOOD.replace("[time]", "[time]\nmax_missed_turns = 0"), "bad_field"),
    "another deck": ('deck = "tarot"\n' + GOOD, "bad_field"),
    "a seed that is no number": ('deck = "acpc"\n' + GOOD, "bad_seed"),
    "a seed beyond 32 bits": (
        'deck = "acpc"\n'
        + GOOD.replace('"test"\n', '"test"\n', 1).replace('seed = "test"', f"seed = {2**32}"),
        "bad_seed",
    ),
    "a negative seed": ('deck = "acpc"\n' + GOOD.replace('seed = "test"', "seed = -1"), "bad_seed"),
    "a true seed": (GOOD.replace('seed = "test"', "seed = true"), "bad_field"),
    "no bots": (GOOD[: GOOD.index("[[bots]]")] + GOOD[GOOD.index("[[divisions]]") :], "bad_field"),
    "one bot": (with_bots(TWO[0]), "bad_field"),
    "two bots of a name": (with_bots(bot("a", run="call"), bot("a", run="raise")), "duplicate_name"),
    "two bots of a token": (
        with_bots(bot("a", token="tokentoken"), bot("b", token="tokentoken")),
        "duplicate_token",
    ),
    "a bot without anything": (with_bots({"name": "a"}, TWO[1]), "bad_field"),
    "a bot with two ways to run": (with_bots(bot("a", run="call", command=["x"]), TWO[1]), "bad_field"),
    "an empty command": (with_bots(bot("a", command=[]), TWO[1]), "bad_field"),
    "a short token": (with_bots(bot("a", token="short"), TWO[1]), "bad_field"),
    "a house bot that is none": (with_bots(bot("a", run="deep blue"), TWO[1]), "unknown_bot"),
    "a bot's name with a slash": (with_bots(bot("a/b", run="call"), TWO[1]), "bad_name"),
    "a bot's name that climbs": (with_bots(bot("..", run="call"), TWO[1]), "bad_name"),
    "parameters that are none": (with_bots(bot("a", run="call", parameters=7), TWO[1]), "bad_field"),
    "parameters for a bot without": (
        with_bots(bot("a", run="call", parameters={"x": 1}), TWO[1]),
        "bad_parameters",
    ),
    "an unknown parameter": (
        with_bots(bot("a", run="adaptive", parameters={"nerve": 1}), TWO[1]),
        "bad_parameters",
    ),
    "a parameter out of range": (
        with_bots(bot("a", run="adaptive", parameters={"raise_at": 2}), TWO[1]),
        "bad_parameters",
    ),
    "a reset that is none": (with_bots(bot("a", run="call", reset="never"), TWO[1]), "bad_field"),
    "no divisions": (GOOD[: GOOD.index("[[divisions]]")], "bad_field"),
    "two divisions of a name": (competition(TWO, [division(), division()]), "duplicate_name"),
    "a division's name that climbs": (with_division(name="../up"), "bad_name"),
    "neither game nor table": (GOOD.replace('game = "holdem.limit.2p.reverse_blinds"\n', ""), "bad_field"),
    "both game and table": (
        with_division(game="kuhn.limit.2p", table={"mode": "cash", "players": 2}),
        "bad_field",
    ),
    "a game that is none": (with_division(game="bridge"), "unknown_game"),
    "a game that is a directory": (with_division(game="."), "unknown_game"),
    "a game that is no game": (with_division(game="pyproject.toml"), "missing_key"),
    "rules that are none": (with_division(rules="house"), "bad_field"),
    "a depth of one number": (with_table(depth=[3]), "bad_field"),
    "a depth of nothing": (with_table(depth=[0, 3]), "bad_field"),
    "a depth the wrong way round": (with_table(depth=[4, 3]), "bad_field"),
    "a depth beside a stack": (with_table(depth=[1, 10], stack=1000), "bad_field"),
    "a depth that nobody can bet": (with_table(depth=[1, 1], small_blind=10), "all_in_from_blinds"),
    "a depth of too many chips": (with_table(depth=[1, 2**31 - 1]), "bad_stacks"),
    "a tournament with a depth": (with_table(mode="tournament", depth=[1, 10]), "bad_field"),
    "rules of a table that are none": (with_table(rules="acpc"), "bad_field"),
    "all-in or fold at limit": (with_table(rules="pushfold", limit=True), "bad_rules"),
    "a limit game as all-in or fold": (with_division(rules="pushfold"), "bad_rules"),
    "a bot that is not there": (with_division(bots=["call", "ghost"]), "unknown_bot"),
    "a bot that is there twice": (with_division(bots=["call", "call"]), "duplicate_name"),
    "too few bots": (with_division(game="holdem.limit.3p"), "too_few_bots"),
    "no hands": (with_division(hands=0), "bad_field"),
    "no matches": (with_division(matches=0), "bad_field"),
    "too many sessions": (with_division(matches=1_000_000), "too_many_sessions"),
    "seatings that are none": (with_division(seatings="some"), "bad_field"),
    "too many seatings": (
        competition(
            [bot(f"b{number}", run="call") for number in range(6)], [division(game="holdem.nolimit.6p")]
        ),
        "too_many_seatings",
    ),
    "no line-ups": (with_division(line_ups=0), "bad_field"),
    "line-ups that are none": (with_division(line_ups="some"), "bad_field"),
    "more line-ups than there are": (with_division(line_ups=2), "bad_line_ups"),
    "no series": (with_division(series=0), "bad_field"),
    "half a series": (with_division(matches=5, series=2), "bad_series"),
    "a series longer than all matches": (with_division(matches=2, series=4), "bad_series"),
    "a series of an ACPC program": (
        competition(
            [TWO[0], bot("old", command=["{python}"], protocol="acpc")], [division(matches=2, series=2)]
        ),
        "bad_field",
    ),
    "one player": (with_table(players=1), "bad_field"),
    "eleven players": (with_table(players=11), "bad_field"),
    "a mode that is none": (with_table(mode="sit and go"), "bad_field"),
    "no chips": (with_table(stack=0), "bad_field"),
    "more blind than chips": (with_table(stack=5), "bad_blinds"),
    "all-in from the blinds": (with_table(stack=10, small_blind=10, big_blind=10), "all_in_from_blinds"),
    "a level too short": (with_table(mode="tournament", levels=[[5, 10, 0]]), "bad_field"),
    "a level without hands": (with_table(mode="tournament", levels=[[5, 10, 0, 0]]), "bad_field"),
    "a level without sense": (with_table(mode="tournament", levels=[[5, -10, 0, 1]]), "bad_field"),
    "too many chips": (with_table(stack=2**31), "bad_field"),
    "a first level beyond the stack": (
        with_table(mode="tournament", stack=50, levels=[[50, 100, 0, 1]]),
        "bad_blinds",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused_with_its_code(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, code = BAD[case]
    file = tmp_path / "bad.toml"
    file.write_text(text)
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    monkeypatch.chdir(tmp_path)
    assert refused(["compete", str(file)], capsys) == code
    assert refused(["compete", str(file), "--out", str(tmp_path / "out")], capsys) == code
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.toml", "pyproject.toml"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('sandbox = "off"\n' + GOOD, ("the file", "sandbox", "[limits]")),
        (GOOD.replace("[time]", "[time]\nworkers = 2"), ("time", "workers", "the top of the file")),
        (with_bots(bot("a", run="call", sandbox="off"), TWO[1]), ("bots", "sandbox", "[limits]")),
        (with_division(stack=200), ("divisions", "stack", "[divisions.table]")),
        (with_division(matchs=2), ("divisions", "matches?")),
        (GOOD.replace("[time]", "[time]\nmatchs = 2"), ("time", "matches", "[[divisions]]")),
        (with_table(hand=2), ("table", "hands", "[[divisions]]")),
    ],
)
def test_a_key_in_the_wrong_place_is_told_where_it_belongs(text: str, told: tuple[str, ...]) -> None:
    with pytest.raises(CompetitionError, match=".*".join(map(re.escape, told))):
        parse_competition(text, ROOT)


def test_a_key_like_no_other_gets_no_advice() -> None:
    with pytest.raises(CompetitionError, match=r"xyzzy.*here$"):
        parse_competition("xyzzy = 1\n" + GOOD, ROOT)


CUP = {"mode": "tournament", "players": 2}
#: Keys that have no effect beside the others; the same file without them is a good one.
IDLE: dict[str, tuple[str, str]] = {
    "hands of a tournament": (with_division(table=CUP, hands=100), "hands"),
    "blinds beside levels": (
        with_table(**CUP | {"small_blind": 5, "big_blind": 10, "levels": [[5, 10, 0, 1]]}),
        "small_blind and big_blind",
    ),
    "an ante beside levels": (with_table(**CUP | {"ante": 1, "levels": [[5, 10, 0, 1]]}), "ante"),
    "tables of a fresh process": (with_bots(bot("a", run="call", tables=1), TWO[1]), "tables"),
    "tables of a process": (with_bots(bot("a", run="call", reset="process", tables=4), TWO[1]), "tables"),
    "how a remote bot forgets": (with_bots(bot("a", token="tokentoken", reset="process"), TWO[1]), "reset"),
    "parameters of another program": (
        with_bots(bot("a", command=["x"], parameters={"raise_at": 0.5}), TWO[1]),
        "parameters",
    ),
    "both of a remote bot": (
        with_bots(bot("a", token="tokentoken", reset="message", limits={"files": 64}), TWO[1]),
        "reset and limits",
    ),
    "how often a house bot speaks": (with_bots(bot("a", run="call", rate=10), TWO[1]), "rate"),
}


@pytest.mark.parametrize("case", IDLE)
def test_a_key_without_effect_is_refused_and_named(case: str) -> None:
    text, keys = IDLE[case]
    with pytest.raises(CompetitionError, match=r"\b(a|duel)\b.*" + ".*".join(keys.split(" and "))) as refusal:
        parse_competition(text, ROOT)
    assert refusal.value.code == "bad_field"
    for key in keys.split(" and "):
        text = re.sub(rf"^{key} = .*\n|^\[bots\.{key}\]\n(?:\w.*\n)*", "", text, flags=re.MULTILINE)
    assert parse_competition(text, ROOT).sessions


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.write_bytes(b"\xff\xfe")])
def test_a_file_that_cannot_be_read(
    make: Callable[[Path], object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(tmp_path / "bad.toml")
    assert refused(["compete", str(tmp_path / "bad.toml")], capsys) == "unreadable"


@pytest.mark.parametrize("seed", range(8))
def test_a_file_with_a_slip_is_a_competition_or_refused_with_a_code(seed: int) -> None:
    """Characters changed, lines dropped and doubled: never anything but a competition or a code."""
    source = random.Random(seed)
    table = division(
        "cup", table={"mode": "tournament", "players": 2, "levels": [[5, 10, 0, 3], [50, 100, 5, 2]]}
    )
    whole = competition(
        [*TWO, bot("far", token="tokentoken")], [division(), table], deck="acpc", seed=7, anonymous=True
    )
    for _ in range(60):
        lines = whole.splitlines()
        at = source.randrange(len(lines))
        match source.randrange(4):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, source.choice(lines))
            case 2:
                column = source.randrange(len(lines[at]) + 1)
                lines[at] = (
                    lines[at][:column] + source.choice('0-9"[]={}.,x\u00e9\n') + lines[at][column + 1 :]
                )
            case _:
                value = source.choice(
                    ["-1", "0", "1e9", "nan", '""', "[]", "{}", "true", str(2**70), "1979-05-27"]
                )
                lines[at] = lines[at].split("=")[0] + f"= {value}"
        told = ""
        try:
            assert parse_competition("\n".join(lines), ROOT).sessions
        except CompetitionError as error:
            told = f"{error} [{error.code}]"
        assert not told or re.fullmatch(r"(.|\n)+ \[[a-z_]+\]", told)


class TestOut:
    def good(self, tmp_path: Path) -> str:
        file = tmp_path / "good.toml"
        file.write_text(GOOD)
        return str(file)

    def test_an_empty_directory_will_do(self, tmp_path: Path) -> None:
        CompetitionStore(tmp_path).verify_free()
        CompetitionStore(tmp_path / "new" / "and" / "deep").verify_free()

    def test_a_file_in_the_way(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out = tmp_path / "out"
        out.write_text("mine")
        assert refused(["compete", self.good(tmp_path), "--out", str(out)], capsys) == "out_exists"
        assert out.read_text() == "mine"

    @pytest.mark.parametrize(
        "name", ["standings.md", "seed.json", "notes.txt", "games/mine.game", "logs/mine.log", ".hidden"]
    )
    def test_a_directory_with_something_in_it(
        self, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "out"
        mine = out / name
        mine.parent.mkdir(parents=True)
        mine.write_text("mine")
        assert refused(["compete", self.good(tmp_path), "--out", str(out)], capsys) == "out_exists"
        assert [path for path in out.rglob("*") if path.is_file()] == [mine]
        assert mine.read_text() == "mine"

    async def test_a_port_that_is_taken(self, tmp_path: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            compete = ["compete", self.good(tmp_path), "--out", str(tmp_path / "out")]
            serve = ["serve", "--web-port", "0", "--data", str(tmp_path / "data")]
            for arguments in (compete, serve):
                async with program("-m", "pokerd", *arguments, "--port", port) as command:
                    assert await command.ended() == 2
                    assert "Traceback" not in command.err
                    assert port in command.err
        # Nothing is in the way of the next attempt.
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("wrong", "where", "meant"),
    [
        (GOOD.replace("hands =", "hand ="), "divisions[0]", "hands"),
        (GOOD.replace("run =", "runs ="), "bots[0]", "run"),
        ("sead = 1\n" + GOOD, "the file", "seed"),
    ],
)
def test_a_misspelled_key_gets_the_nearest(wrong: str, where: str, meant: str) -> None:
    with pytest.raises(CompetitionError) as refused:
        parse_competition(wrong)
    assert refused.value.code == "bad_field"
    assert str(refused.value).startswith(where)
    assert meant in str(refused.value).split("?")[0].split()


@pytest.mark.parametrize("remote", [False, True])
def test_the_sessions_of_a_series_are_played_in_a_row(remote: bool) -> None:
    bots = [TWO[0], bot("far", token="secret of far") if remote else TWO[1]]
    planned = parse_competition(competition(bots, [division(matches=12, series=3, hands=1)]))
    order = planned.play_order
    assert sorted(order, key=lambda one: one.name) == sorted(planned.sessions, key=lambda one: one.name)
    for begin in range(0, len(order), 3):
        first, *others = order[begin : begin + 3]
        assert planned.begins_series(first)
        assert not any(map(planned.begins_series, others))
        assert [first, *others] == list(planned.series_from(first))
        assert [one.match for one in others] == [first.match + 1, first.match + 2]
        assert {(one.seating, one.players) for one in others} == {(first.seating, first.players)}
    # Without series nothing is different.
    plain = parse_competition(competition(TWO, [division(matches=12, hands=1)]))
    assert plain.play_order == plain.sessions
    assert all(plain.series_from(one) == (one,) for one in plain.sessions)
