"""A ladder in fast motion: the real one, with its store, states and schedule, in a loop whose time passes
only when nothing is left to do. Its matches are drawn instead of played.
"""

from __future__ import annotations

import asyncio
import io
import selectors
import zipfile
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar

from server.auth.tokens import hash_token
from server.bots.sandbox import Limits, Sandbox
from server.competition.file import CompetitionError
from server.competition.persistent_bot import PersistentBot
from server.house.house import House
from server.ladder.config import load_config
from server.ladder.ladder import Ladder
from server.ladder.matches import DealSets, MatchEnd, MatchPlace, match_directory
from server.ladder.records import Author, Match, Version
from server.ladder.store import LadderStore
from server.ladder.uploads import CheckEnd
from server.storage.competition_state import OpenStates
from studies.ladder.field import push_fold_field
from tests.support.houses.people import Memory

T = TypeVar("T")

#: When fast motion begins: 2027-01-01.
BEGIN: Final = 1_798_761_600.0
HOUSE: Final = ("call", "fair", "random", "loki1", "akuma")


class FastLoop(asyncio.SelectorEventLoop):
    """What would wait for its time goes on at once, and what would be done in a thread is done here."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_Selector(self))

    def time(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += seconds

    def run_in_executor(self, _: Any, function: Callable[..., T], *arguments: Any) -> asyncio.Future[T]:  # type: ignore[override]
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(function(*arguments))
        except Exception as error:  # noqa: BLE001 (whoever waits for it gets it)
            done.set_exception(error)
        return done


class _Selector(selectors.DefaultSelector):
    def __init__(self, loop: FastLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if not found and timeout != 0:
            assert timeout is not None, "everything waits for something that never comes"
            self._loop.advance(timeout)
        return found


def in_fast_motion(what: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run to the end in a loop of its own."""
    with asyncio.Runner(loop_factory=FastLoop) as runner:
        return runner.run(what())


def now() -> float:
    """The time of day in fast motion, in seconds since 1970."""
    return BEGIN + asyncio.get_running_loop().time()


def packed(text: str) -> bytes:
    """An archive of a bot whose program is this text."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("bot.py"), text)
    return out.getvalue()


class Field:
    """What bots are worth, and what happens in their matches: a push/fold player for each version, a number
    that its program names.
    """

    def __init__(self, seconds: float) -> None:
        self.exact = push_fold_field()
        self.seconds = seconds
        #: The player of each version, or of all versions of a remote bot.
        self.players: dict[str, int] = {name: 7 * place for place, name in enumerate(HOUSE)}
        #: Versions that are not what they seem: ``fails`` or ``marked``.
        self.faults: dict[str, str] = {}
        self.played: Counter[str] = Counter()
        #: By version: since when it has been free to play; and how long each wait was.
        self.free_since: dict[str, float] = {}
        self.waits: list[tuple[str, float]] = []

    async def play(
        self,
        place: MatchPlace,
        match: Match,
        versions: Sequence[Version],
        hashes: Mapping[str, str],
        lent: Mapping[str, PersistentBot],
    ) -> MatchEnd:
        """Draw a match, which takes a while."""
        began = now()
        for name in match.line_up:
            if name in self.free_since:
                self.waits.append((name, began - self.free_since.pop(name)))
        random = Random(f"{place.key.hex()} {match.number}")
        out = match_directory(place.folder, match.number)
        (out / "logs" / "bots").mkdir(parents=True, exist_ok=True)
        (out / "hands.jsonl").write_text("played\n", encoding="utf-8")
        await asyncio.sleep(self.seconds * random.uniform(0.7, 1.3))
        # Who left while it played does not wait for a match.
        away = {name for name, bot in lent.items() if bot.player.connection is None}
        self.free_since |= dict.fromkeys(set(match.line_up) - away, now())
        self.played.update(match.line_up)
        faults = {name: self.faults[name] for name in match.line_up if name in self.faults}
        if "fails" in faults.values():
            raise CompetitionError("cannot_start", f"{min(faults)} does not start")
        rows = self.drawn(match.line_up, place.config.deal_sets, random)
        marked = tuple(name for name, fault in faults.items() if fault == "marked")
        sets = DealSets(match.line_up, rows)
        return MatchEnd(sets, {name: {"timeout": 50} for name in marked}, marked)

    def drawn(self, line_up: Sequence[str], deal_sets: int, random: Random) -> list[list[float]]:
        """The results of deal sets (mbb/hand)."""
        one, two = map(self.player, line_up)
        won = self.exact.draw(one, two, deal_sets, random.getrandbits(64))[1]
        return [[float(value), -float(value)] for value in won]

    def player(self, name: str) -> int:
        """The player that a version is."""
        return self.players[name if name in self.players else name.partition("@")[0]]

    async def check(self, version: Version, programs: Path, sandbox: Sandbox, limits: Limits) -> CheckEnd:
        """Check-bot takes a while, and refuses programs that say that they are broken."""
        await asyncio.sleep(20)
        kind = self.read(version, programs)
        return CheckEnd(kind, "check-bot found 1 fault" if kind == "broken" else "")

    def read(self, version: Version, programs: Path) -> str:
        """Learn from a program which player it is, and return of what kind."""
        kind, player = (programs / version.hash / "bot.py").read_text(encoding="utf-8").split()[:2]
        self.players[version.name] = int(player)
        if kind in ("fails", "marked"):
            self.faults[version.name] = kind
        return kind


@asynccontextmanager
async def fast_ladder(folder: Path, field: Field) -> Any:
    """The ladder in a folder, and its house."""
    config = load_config(folder)
    store = LadderStore(folder, config.season)
    house = House(storage=OpenStates())
    try:
        yield (
            Ladder(
                folder,
                config,
                store,
                house,
                "ws://127.0.0.1:1",
                Sandbox([folder], strictness="off"),
                OpenStates(),
                clock=now,
                play=field.play,
                check=field.check,
            ),
            house,
        )
    finally:
        house.close()
        store.close()


class Client:
    """An author with a token."""

    def __init__(self, name: str) -> None:
        self.token = f"{name}-token"
        self.author = Author(name, hash_token(self.token), "")
        self._memory: Memory | None = None

    @property
    def connected(self) -> bool:
        return self._memory is not None

    def connect(self, house: House) -> None:
        """Come with a remote bot."""
        self._memory = Memory(house)
        [welcome] = self._memory.say("hello", name=self.author.name, token=self.token)
        assert welcome["type"] == "welcome", welcome

    def break_off(self) -> None:
        """Go without a word."""
        if self._memory is not None:
            self._memory.break_off()
            self._memory = None
