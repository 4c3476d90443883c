"""The bridge: real ACPC programs at real tables of a real server."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from clients.acpc import program as acpc_program
from clients.acpc.bridge import CODES
from dealer.deck import acpc_deals
from dealer.formats.cash import Cash
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Stakes, TableFormat
from dealer.formats.tournament import Level, Tournament
from dealer.records.acpc import AcpcLog
from dealer.rules.events import Acted, HandStarted
from dealer.rules.games import load_game
from dealer.table import Clock
from server.acpc_dealer import dealer
from server.tables.actor import TableActor
from server.tables.player import Player
from tests.support.bot_programs import PATIENCE, Program, program
from tests.support.deals import deals_for
from tests.support.golden import golden_states
from tests.support.houses.open_house import Kept, Proxy, come, opened, until
from tests.support.houses.people import Memory, at_table, open_table

PLAYER = ("{python}", "-m", "tests.acpc.player")
CALL = (*PLAYER, "call", "{host}", "{port}", "--game", "{game}")
HEADS_UP = "holdem.nolimit.2p.reverse_blinds"


def habit(name: str) -> tuple[str, ...]:
    return ("{python}", "-m", "tests.system.clients.acpc_zoo", name, "{host}", "{port}", "{game}")


@asynccontextmanager
async def bridged(url: str, *options: str, command: Sequence[str] = CALL) -> AsyncIterator[Program]:
    async with program("-m", "pokerd", "bridge", "--url", url, *options, "--", *command) as running:
        yield running
        await running.ended()


class Duel(NamedTuple):
    """How a program did against somebody who calls."""

    code: int
    told: str
    hands: int
    #: What it did itself, and what the policy did for it.
    own: Counter[str]
    forced: Counter[str]
    incidents: dict[str, int]


async def duel(
    command: Sequence[str],
    *options: str,
    hands: int = 3,
    play: TableFormat | None = None,
    clock: Clock | None = None,
) -> Duel:
    """A match against a program, in seat 0; the other one has no part in what goes wrong with it."""
    kept = Kept()
    async with opened(grace=5.0) as (house, url), come(url) as other:
        players = [Player("theirs", "their token"), Player("ours", "our token")]
        actor = at_table(
            house, players, hands=hands, play=play, recorder=kept, clock=clock or Clock(10.0, 0.0)
        )
        await other.say("hello", name="ours", token="our token")
        async with bridged(url, "--token", "their token", *options, command=command) as running:
            await other.play(hands=10**9, matches=1)
            for player in players:
                house.remove_player(player)
            code = await running.ended()
    acted = [
        event for events in kept.hands for event in events if isinstance(event, Acted) and event.seat == 0
    ]
    return Duel(
        code,
        running.out + running.err,
        len(kept.hands),
        Counter(event.action for event in acted if not event.forced),
        Counter(event.forced for event in acted if event.forced),
        dict(actor.seats[0].incidents),
    )


def golden_hands(name: str) -> list[list[str]]:
    """Hand, betting and cards of every hand of a log of the reference."""
    return [line.split(":")[1:4] for line in golden_states(name)]


@pytest.mark.parametrize("name", ["g01_l2_s0_hash", "g05_n2_s0_hash"])
async def test_programs_play_as_at_the_reference_dealer(name: str) -> None:
    """A bridge and a program for each seat: the hands are those of the reference's log."""
    states = golden_hands(name)[:50]
    game = load_game("holdem.limit.2p.reverse_blinds" if "_l2_" in name else HEADS_UP)
    kept = Kept()
    async with opened() as (house, url):
        players = [Player("a", "a's token"), Player("b", "b's token")]
        play = FixedStacks(game, acpc_deals(0, game), len(states))
        actor = at_table(house, players, play=play, recorder=kept)
        command = (*PLAYER, "hash", "--game", "{game}")
        async with (
            bridged(url, "--token", "a's token", command=command) as first,
            bridged(url, "--token", "b's token", "--json", command=command) as second,
        ):
            await until(lambda: len(kept.hands) == len(states))
            for player in players:
                house.remove_player(player)
            assert await first.ended() == await second.ended() == 0
        assert not any(seat.incidents for seat in actor.seats)
    written = AcpcLog(game, ["a", "b"])
    assert [written.hand(hand).split(":")[1:4] for hand in kept.hands] == states


@pytest.mark.parametrize("name", ["segments", "lumps", "nul", "long"])
async def test_how_the_bytes_come_makes_no_difference(name: str) -> None:
    done = await duel(habit(name))
    assert (done.code, done.hands) == (0, 3)
    assert set(done.own) == {"call"}
    assert not done.forced
    assert not done.incidents


async def test_what_is_wrong_is_told_but_not_for_ever() -> None:
    done = await duel(habit("lumps"), hands=4)
    assert done.own["call"] > 10
    for fault in ("bad_state", "unrequested"):
        assert done.told.count(f"[{fault}]") == 6
        assert f"m: {done.own['call'] * 2} times in all [{fault}]" in done.told


async def test_what_is_not_allowed_is_mended() -> None:
    done = await duel(habit("cheeky"))
    assert done.code == 0
    assert done.own["raise"] > 0
    assert "[raise_adjusted]" in done.told
    assert not done.incidents


@pytest.mark.parametrize(
    ("name", "fault"), [("cheeky", "raise_adjusted"), ("lumps", "bad_state"), ("old", "bad_version")]
)
async def test_strict_conduct_ends_the_match(name: str, fault: str) -> None:
    done = await duel(habit(name), "--conduct", "strict")
    assert done.code == 1
    assert f"[{fault}]" in done.told
    assert not done.own
    assert set(done.forced) == {"absent"}
    assert done.hands == 3


async def test_strict_conduct_has_nothing_against_those_who_do_right() -> None:
    done = await duel((*PLAYER, "hash", "--game", "{game}"), "--conduct", "strict", hands=20)
    assert done.code == 0
    assert not done.forced


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("absent", "start_timeout", "the program did not connect within 3 s"),
        ("mute", "start_timeout", "the program did not say its version within 3 s"),
        ("hello", "bad_version", "the program's first line was 'HELLO'"),
        ("quits", "ended", "the program has ended (exit code 3)"),
        ("quits_idle", "ended", "the program has ended (exit code 0)"),
        ("killed", "ended", "the program has ended (signal 9)"),
        ("closes", "gone", "the program closed its connection"),
    ],
)
async def test_a_program_that_fails_costs_only_itself(name: str, code: str, words: str) -> None:
    """Its hands are played out by the policy, at once; the exit code is 1."""
    done = await duel(habit(name), "--start-timeout", "3")
    assert done.code == 1
    assert f"m: {words} [{code}]\n" in done.told
    assert code in CODES
    assert done.hands == 3
    assert set(done.forced) == {"absent"}
    assert sum(done.own.values()) == (name not in ("absent", "mute", "hello"))
    assert "Traceback" not in done.told


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (("/no/such/program",), "cannot_start", "/no/such/program cannot be started: "),
        (
            ("{python}", "-c", "raise SystemExit(3)"),
            "ended",
            "the program ended before it connected (exit code 3)",
        ),
    ],
)
async def test_a_program_that_never_starts(command: Sequence[str], code: str, words: str) -> None:
    done = await duel(command)
    assert done.code == 1
    assert words in done.told
    assert f"[{code}]" in done.told


async def test_an_old_version_makes_no_difference() -> None:
    done = await duel(habit("old"))
    assert done.code == 0
    assert not done.forced


@pytest.mark.parametrize("name", ["silent", "comments"])
async def test_a_program_that_does_not_answer_is_soon_waited_for_no_longer(name: str) -> None:
    done = await duel(habit(name), clock=Clock(0.3, 0.0))
    assert (done.code, done.hands) == (0, 3)
    assert not done.own
    assert done.forced["timeout"] == 3
    assert done.forced["absent"] > 3


async def test_a_program_that_does_not_read(tmp_path: Path) -> None:
    """What waits for it is bounded."""
    greeted = asyncio.Event()
    game = tmp_path / "x.game"
    game.write_text(load_game(HEADS_UP).text())
    deaf = acpc_program.AcpcProgram(
        habit("deaf"),
        game,
        start_timeout=30.0,
        output=None,
        strict=False,
        on_ready=lambda _: greeted.set(),
        on_line=lambda *_: None,
    )
    running = asyncio.create_task(deaf.run())
    async with asyncio.timeout(PATIENCE):
        await greeted.wait()
        written = 0
        while not deaf._ended.done():
            deaf.write(["x" * 1000] * 100)
            written += 100_000
        with pytest.raises(acpc_program.ProgramFailure) as failure:
            await running
    assert failure.value.code == "not_reading"
    assert written < 64 * 1024 * 1024


# Its process.


def left(marker: str) -> list[str]:
    """Processes whose command line has the marker."""
    found = []
    for process in psutil.process_iter():
        try:
            line = " ".join(process.cmdline())
        except psutil.Error:
            continue
        if marker in line and process.status() != psutil.STATUS_ZOMBIE:
            found.append(line)
    return found


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("printing", signal.SIGINT),
        ("stubborn", signal.SIGINT),
        ("stubborn", signal.SIGTERM),
        ("stubborn", signal.SIGHUP),
    ],
)
async def test_stopped_by_a_signal_it_takes_its_program_along(name: str, number: signal.Signals) -> None:
    async with opened() as (house, url):
        players = [Player("theirs", "their token"), Player("ours", "our token")]
        actor = at_table(house, players)
        async with bridged(url, "--token", "their token", command=habit(name)) as running:
            await until(lambda: actor.seats[0].ready)
            family = psutil.Process(running.process.pid).children(recursive=True)
            if name == "stubborn":
                await running.said("up")
                family = psutil.Process(running.process.pid).children(recursive=True)
                assert len(family) == 2
            running.process.send_signal(number)
            running.process.send_signal(number)
            assert await running.ended() == 130
            assert not psutil.wait_procs(family, timeout=5)[1]
            assert "Traceback" not in running.err


async def test_what_it_prints_is_passed_through_or_kept(tmp_path: Path) -> None:
    done = await duel(habit("printing"))
    assert "to standard output\n" in done.told
    assert "to standard error\n" in done.told
    log = tmp_path / "program.log"
    log.write_text("before\n")
    done = await duel(habit("printing"), "--log", str(log))
    assert "to standard" not in done.told
    assert sorted(log.read_text().splitlines()) == ["before", "to standard error", "to standard output"]


async def test_nobody_else_gets_in() -> None:
    done = await duel(habit("strange"))
    assert "turned away" in done.told
    assert done.code == 0


async def test_the_folder_of_its_game_files_is_removed() -> None:
    said = ("import sys; print(sys.argv[1]); print(open(sys.argv[1]).read())", "{game}", "{port}")
    done = await duel(("{python}", "-c", *said))
    path, text = done.told[done.told.index("/") :].split("\n", 1)
    assert not os.access(path.rpartition("/")[0], os.F_OK)
    assert load_game(HEADS_UP).text() in text


async def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    async with program("-m", "pokerd", "bridge", "--log", str(tmp_path), "--", "x") as running:
        assert await running.ended() == 2
        assert running.err.endswith("[os_error]\n")


@pytest.mark.parametrize(
    "option",
    ["--start-timeout=-1", "--start-timeout=0", "--start-timeout=nan", "--start-timeout=inf", "--tables=0"],
)
async def test_a_number_out_of_range_is_refused_before_anything_is_started(option: str) -> None:
    async with bridged("ws://127.0.0.1:1", option) as running:
        assert await running.ended() == 2
        assert f"argument {option.partition('=')[0]}: must be" in running.err


# Tables.


async def test_it_sits_down_at_an_open_table_and_leaves_it() -> None:
    async with opened(guests=True) as (house, url):
        actor = open_table(house, seats=4, name="table-7")
        ours = Memory(house)
        ours.say("hello", name="ours")
        ours.say("join", table="table-7")
        ours.say("ready", table="table-7")
        async with bridged(url, "--join", "table-7", "--name", "theirs") as running:
            await until(lambda: actor.seats[1].ready)
            while actor.hands < 5:
                if actor.table.turn_seat == 0:
                    ours.say("act", table="table-7", turn=actor.table.turn, action="call")
                await until(lambda: actor.table.turn_seat == 0)
            assert actor.facts.names == ["ours", "theirs", "", ""]
            running.process.send_signal(signal.SIGINT)
            assert await running.ended() == 130
        await until(lambda: actor.facts.names == ["ours", "", "", ""])


async def test_a_table_that_cannot_be_joined() -> None:
    async with opened(guests=True) as (house, url):
        open_table(house)
        async with bridged(url, "--join", "table-9") as running:
            assert await running.ended() == 1
            assert "unknown_table: " in running.err


class Shown:
    """A program that keeps its game files."""

    CODE = """
import sys
from pathlib import Path
from tests.acpc import player
game, folder = Path(sys.argv[3]), Path(sys.argv[4])
(folder / f"{len(list(folder.iterdir())):04}").write_text(game.read_text())
sys.argv[1:] = [sys.argv[5], sys.argv[1], sys.argv[2], "--game", str(game)]
player.main()
"""

    def __init__(self, folder: Path, kind: str = "hash") -> None:
        self.folder = folder
        self.command = ("{python}", "-c", self.CODE, "{host}", "{port}", "{game}", str(folder), kind)

    @property
    def games(self) -> list[str]:
        return [path.read_text() for path in sorted(self.folder.iterdir())]


async def played(
    play: TableFormat, command: Sequence[str], *options: str, seats: int = 3
) -> tuple[Kept, TableActor, str]:
    """A table with a program in seat 0 among players who call; until it is over."""
    kept = Kept()
    async with opened() as (house, url):
        players = [Player(name, f"token of {name}") for name in "abcdefghij"[:seats]]
        actor = at_table(house, players, play=play, recorder=kept)
        async with asyncio.TaskGroup() as group:
            for player in players[1:]:
                group.create_task(_calls(url, player))
            async with bridged(url, "--token", players[0].token, *options, command=command) as running:
                await until(lambda: actor.table.over)
                for player in players:
                    house.remove_player(player)
                assert await running.ended() == 0
    return kept, actor, running.out + running.err


async def _calls(url: str, player: Player) -> None:
    async with come(url) as remote:
        await remote.say("hello", name=player.name, token=player.token)
        await remote.play(hands=10**9, matches=1)


async def test_a_cash_table_s_program_is_told_players_blinds_and_stacks(tmp_path: Path) -> None:
    """It is started anew for every hand whose stacks its game file does not say, and so never lost."""
    shown = Shown(tmp_path)
    play = Cash(3, Stakes(5, 10, stack=300), deals_for, hands=8, all_seated=True)
    kept, actor, told = await played(play, shown.command)
    assert len(kept.hands) == 8
    assert not actor.seats[0].incidents
    assert "[" not in told
    starts = [hand[0] for hand in kept.hands]
    assert all(isinstance(start, HandStarted) for start in starts)
    wanted = {
        f"stack = {' '.join(map(str, start.stacks))}" for start in starts if isinstance(start, HandStarted)
    }
    assert wanted <= {game.splitlines()[4] for game in shown.games}
    assert all("blind = 5 10 0\n" in game and "rules = standard\n" in game for game in shown.games)


async def test_a_program_may_be_kept_whatever_the_stacks(tmp_path: Path) -> None:
    shown = Shown(tmp_path)
    play = Cash(3, Stakes(5, 10, limit=True, stack=100_000), deals_for, hands=8, all_seated=True)
    kept, actor, _ = await played(play, shown.command, "--any-stacks")
    assert len(kept.hands) == 8
    assert not actor.seats[0].incidents
    assert len(shown.games) == 1


async def test_in_a_tournament_players_go_and_blinds_rise(tmp_path: Path) -> None:
    shown = Shown(tmp_path, "call")
    levels = [Level(5, 10, 0, 2), Level(20, 40, 5, 3), Level(100, 200, 10, 100)]
    play = Tournament(4, levels, 600, deals_for)
    kept, actor, told = await played(play, shown.command, seats=4)
    assert not actor.seats[0].incidents
    assert "Traceback" not in told
    dealt_in = [start for start in (hand[0] for hand in kept.hands) if 0 in getattr(start, "seats", ())]
    assert {len(start.seats) for start in dealt_in if isinstance(start, HandStarted)} == {2, 3, 4}
    texts = "".join(shown.games)
    for words in (
        "blind = 5 10 0 0\n",
        "blind = 20 40 0 0\nante = 5\n",
        "numPlayers = 2\n",
        "firstPlayer = 2 1 1 1\n",
    ):
        assert words in texts
    assert len(shown.games) <= len(dealt_in) + 1


async def test_many_tables_have_a_program_each() -> None:
    kept = [Kept() for _ in range(4)]
    async with opened() as (house, url), come(url) as other:
        theirs, ours = Player("theirs", "their token"), Player("ours", "our token")
        actors = [
            at_table(house, [theirs, ours], hands=5, recorder=one, name=f"m{number}")
            for number, one in enumerate(kept)
        ]
        await other.say("hello", name="ours", token="our token", tables=4)
        playing = asyncio.create_task(other.play(hands=10**9, matches=4))
        async with bridged(url, "--token", "their token", "--tables", "4") as running:
            await playing
            house.remove_player(theirs)
            assert await running.ended() == 0
        house.remove_player(ours)
    assert [len(one.hands) for one in kept] == [5] * 4
    assert not any(actor.seats[0].incidents for actor in actors)


# Broken connections, more matches.


async def test_a_lost_server_is_found_again_with_the_same_program() -> None:
    kept = Kept()
    async with opened(grace=30.0) as (house, url), Proxy(url) as line, come(url) as other:
        players = [Player("theirs", "their token"), Player("ours", "our token")]
        actor = at_table(house, players, hands=120, recorder=kept)
        await other.say("hello", name="ours", token="our token")
        playing = asyncio.create_task(other.play(hands=10**9, matches=1))
        command = (*PLAYER, "hash", "--game", "{game}")
        async with bridged(line.url, "--token", "their token", command=command) as running:
            children = set()
            for number in range(1, 6):
                await until(lambda number=number: len(kept.hands) >= 20 * number)  # type: ignore[misc]
                children |= {child.pid for child in psutil.Process(running.process.pid).children()}
                line.cut()
                await until(lambda number=number: line.connections > number)  # type: ignore[misc]
            await playing
            assert len(children) == 1
            house.remove_player(players[0])
            assert await running.ended() == 0
        house.remove_player(players[1])
    assert len(kept.hands) == 120
    assert set(actor.seats[0].incidents) <= {"disconnect", "stale_turn"}
    forced = [event for hand in kept.hands for event in hand if isinstance(event, Acted) and event.forced]
    assert not forced


async def test_every_match_has_a_fresh_program(tmp_path: Path) -> None:
    """Also after one whose program has failed: who has a token may be needed again."""
    marks = tmp_path / "marks"
    code = f"""
import os, sys
from pathlib import Path
from tests.system.clients import acpc_zoo
marks = Path({str(marks)!r})
number = len(marks.read_text()) if marks.exists() else 0
marks.write_text("x" * (number + 1))
acpc_zoo.main("quits" if number == 1 else "printing", *sys.argv[1:])
"""
    async with opened() as (house, url), come(url) as other:
        players = [
            house.players.add(Player("theirs", "their token")),
            house.players.add(Player("ours", "our token")),
        ]
        await other.say("hello", name="ours", token="our token")
        command = ("{python}", "-c", code, "{host}", "{port}", "{game}")
        async with bridged(url, "--token", "their token", command=command) as running:
            incidents = []
            for number in range(3):
                actor = at_table(house, players, hands=3, name=f"m{number}")
                await other.play(hands=10**9, matches=1)
                await until(lambda: not players[0].seats)
                incidents.append(dict(actor.seats[0].incidents))
            house.remove_player(players[0])
            assert await running.ended() == 1
        house.remove_player(players[1])
    assert marks.read_text() == "xxx"
    assert not incidents[0]
    assert incidents[1]["absent"] > 0
    assert not incidents[2]
    assert running.err.count("[ended]") == 1


async def test_a_guest_without_a_program_goes_home() -> None:
    async with opened(guests=True) as (house, url):
        open_table(house)
        async with bridged(url, command=("{python}", "-c", "raise SystemExit(3)")) as running:
            assert await running.ended() == 1
        await until(lambda: not house.players)


def test_the_codes_are_those_of_the_dealer_where_they_mean_the_same() -> None:
    assert set(CODES) - set(dealer.CODES) == {"cannot_start", "ended"}
