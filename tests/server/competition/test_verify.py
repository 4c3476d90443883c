"""``verify`` finds whatever is changed in a finished competition, and says where."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dealer.rules.errors import CodedError
from pokerd.__main__ import main
from server.competition.store import StoreError
from server.competition.verify import Difference, verify_directory
from tests.support.competitions.arena import bot, competition, division, run

SESSION = "hands/duel/m0000-l000-s1"
PAIR = ["call", "random"]
BOTS = [
    *(bot(name, run=name, reset="message", tables=8) for name in PAIR),
    bot("nobody", command=["/no/such/program"]),
]
CUP = {"mode": "tournament", "players": 2, "stack": 60, "levels": [[5, 10, 0, 2], [20, 40, 1, 2]]}


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A competition that was played, with a division of each sort."""
    import uvloop

    out = tmp_path_factory.mktemp("verify") / "out"
    divisions = [
        division(hands=12, bots=PAIR),
        division("cup", table=CUP, bots=PAIR),
        division("alone", game="kuhn.limit.2p", hands=4, bots=["call", "nobody"]),
    ]
    uvloop.run(play(competition(BOTS, divisions), out))
    return out


async def play(text: str, out: Path) -> None:
    await run(text, out)


@pytest.fixture
def out(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "copy"))


def test_what_is_right_is_said_to_be_right(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sessions, hands = verify_directory(out)
    assert sessions == 6
    assert hands > 32
    assert main(["verify", str(out)]) == 0
    assert f"6 sessions, {hands} hands" in capsys.readouterr().out


def edit(path: Path, change: Callable[[str], str]) -> None:
    text = path.read_text()
    changed = change(text)
    assert changed != text
    path.write_text(changed)


def line(number: int, change: Callable[[str], str]) -> Callable[[str], str]:
    """Change one line of a text; numbers begin at 1."""

    def changed(text: str) -> str:
        lines = text.splitlines(keepends=True)
        lines[number - 1] = change(lines[number - 1])
        return "".join(lines)

    return changed


def other_card(text: str) -> str:
    """Another first card, one that is nowhere else in the text."""
    return re.sub(
        r"[2-9TJQKA][cdhs]",
        next(
            card
            for card in (f"{rank}{suit}" for rank in "23456789TJQKA" for suit in "cdhs")
            if card not in text
        ),
        text,
        count=1,
    )


def numbers(text: str) -> str:
    """The last number of the text, one higher."""
    found = list(re.finditer(r"\d+", text))[-1]
    return text[: found.start()] + str(int(found.group()) + 1) + text[found.end() :]


def find(pattern: str, text: str) -> int:
    """The number of the first line that has the pattern."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if re.search(pattern, line))


JOURNAL = f"{SESSION}.jsonl"
CASES: dict[str, tuple[str, Callable[[str], str], str]] = {
    "a hole card": (JOURNAL, line(4, other_card), r"line 4.*hand 2"),
    "an action": (JOURNAL, line(3, lambda text: text.replace('"call"', '"fold"', 1)), r"line 3.*hand 1"),
    "an amount": (
        JOURNAL,
        line(3, lambda text: re.sub(r'("call",)(\d+)', lambda m: f"{m[1]}{int(m[2]) + 1}", text, count=1)),
        r"line 3.*hand 1",
    ),
    "a result": (JOURNAL, line(6, numbers), r"line 6"),
    "who sat where": (JOURNAL, line(1, lambda text: text.replace("random", "call", 1)), r"another session"),
    "a line less at the end": (
        JOURNAL,
        lambda text: "".join(text.splitlines(keepends=True)[:-1]),
        r"only 11 hands",
    ),
    "a line less in the middle": (
        JOURNAL,
        lambda text: "".join(text.splitlines(keepends=True)[:5] + text.splitlines(keepends=True)[6:]),
        r"line 6",
    ),
    "a line more": (
        JOURNAL,
        lambda text: text + text.splitlines(keepends=True)[-1],
        r"beyond the end|line 14",
    ),
    "two lines the other way round": (
        JOURNAL,
        lambda text: "".join([*text.splitlines(keepends=True)[:-2], *text.splitlines(keepends=True)[:-3:-1]]),
        r"line 12",
    ),
    "half a line": (JOURNAL, lambda text: text[:-40], r"jsonl"),
    "no hands": (JOURNAL, lambda text: text.splitlines(keepends=True)[0], r"only 0 hands"),
    "nothing at all": (JOURNAL, lambda text: "", r"jsonl"),
    "a card in the ACPC log": (f"{SESSION}.log", line(5, other_card), r"\.log: line 5 is .* must be"),
    "the score in the ACPC log": (f"{SESSION}.log", numbers, r"\.log: line \d+ is .* must be"),
    "the PHH file": (f"{SESSION}.phhs", line(20, lambda text: text + "# more\n"), r"\.phhs: line 21"),
    "a number in standings.json": (
        "standings.json",
        lambda text: line(find(r'"chips": -?\d', text), numbers)(text),
        r"standings\.json: line \d+ is .*chips.* must be",
    ),
    "an interval": (
        "standings.json",
        lambda text: line(find(r'"ci95": \d', text), numbers)(text),
        r"standings\.json: line \d+ is .*ci95.* must be",
    ),
    "standings.md": (
        "standings.md",
        lambda text: text.replace("random", "radnom", 1),
        r"standings\.md: line \d+",
    ),
    "an incident that is in no hand": (
        "incidents.json",
        lambda text: text.replace('"call": {}', '"call": {\n   "timeout": 3\n  }'),
        r"incidents\.json: line \d+ is .* must be",
    ),
    "how often a seat was absent": (
        "incidents.json",
        lambda text: line(find(r'"absent": \d', text), numbers)(text),
        r"incidents\.json: line \d+ is .*absent.* must be",
    ),
    "an action said to be forced": (
        JOURNAL,
        lambda text: re.sub(r'("fold",\d+,0,false,)""', r'\1"timeout"', text, count=1),
        r"incidents\.json: line \d+",
    ),
    "an incident that leaves no trace": (
        "incidents.json",
        lambda text: text.replace('"start_failed": 2', '"start_failed": 1'),
        r"standings\.json: line \d+",
    ),
    "an incident of no kind": (
        "incidents.json",
        lambda text: text.replace('"start_failed"', '"bad_luck"'),
        r"incidents\.json: 'bad_luck' is no kind",
    ),
    "an incident of nobody": (
        "incidents.json",
        lambda text: text.replace('"nobody"', '"somebody"'),
        r"incidents\.json: line \d+ is .*somebody.* must be",
    ),
    "an incident of no division": (
        "incidents.json",
        lambda text: text.replace('"duel"', '"dual"'),
        r"incidents\.json: line \d+ is .*dual.* must be",
    ),
    "a finishing order": ("places.json", lambda text: text.replace("1", "3", 1), r"places\.json"),
    "the seed": (
        "seed.json",
        lambda text: (
            re.sub(r'"seed": "..', '"seed": "00', text)
            if '"seed": "00' not in text
            else text.replace("00", "01")
        ),
        r"seed\.json: .*commitment",
    ),
    "the commitment": (
        "commitment.json",
        lambda text: re.sub(r'"commitment": "...', '"commitment": "abc', text),
        r"seed\.json: .*commitment",
    ),
    "the deck that was committed to": (
        "commitment.json",
        lambda text: text.replace("secure", "acpc"),
        r"commitment\.json: line \d+ is .*acpc.* must be .*secure",
    ),
    "the seed that the file gives": (
        "competition.toml",
        lambda text: text.replace('seed = "test"', 'seed = "best"'),
        r"competition\.toml gives another seed",
    ),
    "the game": ("games/duel.game", lambda text: text.replace("blind = 10 5", "blind = 20 10"), r"hand 0"),
    "how many hands": (
        "competition.toml",
        lambda text: text.replace("hands = 12", "hands = 11"),
        r"beyond the end",
    ),
    "how many more hands": (
        "competition.toml",
        lambda text: text.replace("hands = 12", "hands = 13"),
        r"only 12 hands",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_change_is_found(case: str, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, change, message = CASES[case]
    edit(out / name, change)
    with pytest.raises(Difference) as difference:
        verify_directory(out)
    assert re.search(message, str(difference.value)), difference.value
    assert main(["verify", str(out)]) == 1
    told = capsys.readouterr()
    assert str(difference.value) in told.out
    assert len(told.out.splitlines()) == 1
    assert not told.err


def test_a_seed_with_its_own_commitment_gives_other_cards(out: Path) -> None:
    """Whoever replaces both, of a file without a seed, is found out by the cards."""
    from dealer.deck import commitment

    (out / "state.db").unlink()
    edit(out / "competition.toml", lambda text: text.replace('seed = "test"\n', ""))
    assert verify_directory(out)[0] == 6
    seed = bytes(32)
    for name, value in (("seed", seed.hex()), ("commitment", commitment(seed))):
        text = json.dumps({"deck": "secure", name: value}, indent=1, sort_keys=True)
        (out / f"{name}.json").write_text(f"{text}\n")
    with pytest.raises(Difference, match=r"2.*0.*0"):
        verify_directory(out)


@pytest.mark.parametrize(
    "name",
    ["notes.txt", ".hidden", "hands/duel/m0000-l000-s7.jsonl", "hands/deeper/down/x", "games/other.game"],
)
def test_a_file_that_does_not_belong_there_is_found(name: str, out: Path) -> None:
    other = out / name
    other.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(out / "games" / "duel.game", other)
    with pytest.raises(Difference, match=re.escape(name)):
        verify_directory(out)


def test_logs_are_nobody_s_business(out: Path) -> None:
    (out / "logs" / "deeper").mkdir(parents=True)
    (out / "logs" / "deeper" / "notes.txt").write_text("mine")
    assert verify_directory(out)[0] == 6


def test_a_count_below_one_is_none(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(out / "incidents.json", lambda text: text.replace('"start_failed": 2', '"start_failed": 0'))
    assert main(["verify", str(out)]) == 2
    assert "incidents.json" in (told := capsys.readouterr().err)
    assert "[not_a_competition]" in told


@pytest.mark.parametrize(
    "name",
    [
        JOURNAL,
        f"{SESSION}.log",
        f"{SESSION}.phhs",
        "standings.json",
        "standings.md",
        "incidents.json",
        "places.json",
    ],
)
def test_a_missing_file_is_found(name: str, out: Path) -> None:
    (out / name).unlink()
    with pytest.raises((Difference, StoreError), match=re.escape(name)):
        verify_directory(out)
    assert main(["verify", str(out)]) in (1, 2)


@pytest.mark.parametrize("name", ["seed.json", "commitment.json"])
def test_before_the_seed_is_revealed_nothing_can_be_checked(
    name: str, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (out / name).unlink()
    assert main(["verify", str(out)]) == 2
    assert "[unfinished]" in capsys.readouterr().err


def test_no_competition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (tmp_path, tmp_path / "none", Path(__file__)):
        assert main(["verify", str(path)]) == 2
        assert "[not_a_competition]" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "7", '{"deck": 3}', "{", '{"seed": null}', '{"": {"call": [1]}}', '{"duel": 4}'],
)
@pytest.mark.parametrize("name", ["seed.json", "commitment.json", "incidents.json", "places.json"])
def test_nonsense_is_refused_with_a_code(
    name: str, text: str, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (out / name).write_text(text)
    assert main(["verify", str(out)]) in (1, 2)
    told = capsys.readouterr()
    assert told.out or re.search(r"\[[a-z_]+\]", told.err)


REFUSALS = (CodedError,)


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_byte_is_found_or_means_nothing(seed: int, finished: Path, tmp_path: Path) -> None:
    """Any byte of any file, changed: a clear refusal, or the byte said nothing about what was played."""
    source = random.Random(seed)
    out = Path(shutil.copytree(finished, tmp_path / "copy"))
    files = sorted(
        path for path in out.rglob("*") if path.is_file() and path.relative_to(out).parts[0] != "logs"
    )
    path = source.choice(files)
    data = bytearray(path.read_bytes())
    at = source.randrange(len(data))
    data[at] ^= source.choice([1, 2, 4, 8, 16, 32, 128])
    path.write_bytes(data)
    told = ""
    try:
        verify_directory(out)
    except REFUSALS as refusal:
        told = f"{refusal} [{refusal.code}]"
    if told:
        assert re.fullmatch(r"(.|\n)+ \[[a-z_]+\]", told)
        return
    # Only what is not a record of play may have room for it: blanks, comments, names of games.
    assert path.suffix in {".toml", ".game", ".json"} or at < data.index(b"\n")
    assert path.name != "standings.json"


def test_the_directory_can_be_moved_and_read_by_another(out: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere" / "and deeper"
    moved.parent.mkdir()
    shutil.move(out, moved)
    assert verify_directory(moved)[0] == 6


def test_a_difference_is_told_in_one_line_without_a_traceback(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal: Any = out / JOURNAL
    edit(journal, line(4, other_card))
    assert main(["verify", str(out)]) == 1
    told = capsys.readouterr().out
    assert told.startswith(f"{out}: {journal}: line 4: hand 2")
