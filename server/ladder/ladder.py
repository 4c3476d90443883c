"""A ladder at work: versions are checked and rated, and matches are played, until it is stopped.

Everything that must not be lost is in the store before anybody is told of it, so a ladder that is killed goes
on where it was: versions that were being checked are checked again, and matches in progress are played on.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import structlog

from dealer.ratings.model import Ratings
from dealer.ratings.results import Results
from server.auth.tokens import hash_token
from server.bots.sandbox import Sandbox, SandboxError
from server.check.model import CheckError
from server.check.report import report_text
from server.check.suite import check_bot
from server.competition.file import CompetitionError
from server.competition.persistent_bot import PersistentBot
from server.competition.schema import BotEntry
from server.house.house import House
from server.ladder.config import LadderConfig
from server.ladder.errors import LadderError
from server.ladder.field import Field, choose_line_up, field_of, ratings_of, table_data
from server.ladder.grading import GradeRow, grade_rows, work_of
from server.ladder.matches import VERSIONS, MatchPlace, match_directory, play_match, remove_hands
from server.ladder.records import Author, Match, Version
from server.ladder.store import LadderStore
from server.ladder.uploads import take_upload
from server.storage.competition_state import OpenStates

log = structlog.get_logger("pokerd.ladder")

#: Seconds that check-bot may take in all, and that a program has for an answer in it.
CHECK_SECONDS: Final = 45.0
ANSWER_SECONDS: Final = 2.0
_HOUR: Final = 3600.0
#: The fact with the hash of the organiser's token.
ORGANISER: Final = "organiser"
#: How much of what a bot printed its author can read.
_LOG_BYTES: Final = 16_384


class Ladder:
    """The ladder of ``folder`` in a house that listens at ``url``. ``clock`` tells the time (seconds since
    1970). Raises ``LadderError`` (``other_game``) if results of another game are there.
    """

    def __init__(
        self,
        folder: Path,
        config: LadderConfig,
        store: LadderStore,
        house: House,
        url: str,
        sandbox: Sandbox,
        open_states: OpenStates,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.folder = folder.absolute()
        self.config = config
        self.store = store
        self.game = config.load_game(folder)
        self.clock = clock
        self._house = house
        self._sandbox = sandbox
        self._remote: dict[str, PersistentBot] = {}
        self._busy: set[str] = set()
        self._changes = 0
        self._changed = asyncio.Event()
        #: What the store holds of matches, in the form that ratings need.
        self._results = store.results()
        self._last = store.last_matches()
        self._seconds = {match.line_up: match.seconds for match in store.matches("done", last=1000)}
        #: The field, its ratings, and the number of changes that they include.
        self._rated: tuple[Field, Ratings | None, int] | None = None
        self._computing = asyncio.Lock()
        #: The table of a field, as it is published.
        self._table: tuple[Field, dict[str, Any]] | None = None
        self._publishing = asyncio.Lock()
        self._verify_same_game()
        self.place = MatchPlace(self.folder, self._key(), house, url, sandbox, open_states, config)
        for bot in config.house:
            if not store.versions(bot):
                store.add_version(bot, "house", "", (), "rated", clock())
        for author in store.authors():
            self._admit(author)

    def _key(self) -> bytes:
        known = self.store.fact("key")
        if known is None:
            known = secrets.token_hex(32)
            self.store.set_fact("key", known)
        return bytes.fromhex(known)

    def _verify_same_game(self) -> None:
        played = f"{self.game.text()}{self.config.deal_sets}"
        known = self.store.fact("game")
        if known is None:
            self.store.set_fact("game", played)
        elif known != played:
            raise LadderError(
                "other_game", "there are results of another game or match length; begin a new ladder"
            )

    # What authors do.

    def author(self, token: str) -> Author:
        """Return whose token it is. Raises ``LadderError`` (``bad_token``)."""
        author = self.store.author_by_hash(hash_token(token))
        if author is None:
            raise LadderError("bad_token", "this is no token of the ladder's roster")
        return author

    @property
    def frozen(self) -> bool:
        """Whether no version may be pushed any more."""
        return self.store.fact("frozen") is not None

    def freeze(self, *, undo: bool = False) -> None:
        """Take no more versions, or take them again."""
        if undo:
            self.store.remove_fact("frozen")
        else:
            self.store.set_fact("frozen", "yes")

    def is_organiser(self, token: str) -> bool:
        """Return whether it is the organiser's token."""
        known = self.store.fact(ORGANISER)
        return known is not None and hmac.compare_digest(known, hash_token(token))

    @property
    def blind(self) -> bool:
        """Whether names are hidden: until the final has been played, for which the ladder is frozen."""
        return self.config.blind and not (self.folder / "final" / "standings.json").is_file()

    def verify_may_push(self, author: Author) -> None:
        """Raise ``LadderError`` (``frozen``, ``push_limit``) if an author may push nothing now."""
        if self.frozen:
            raise LadderError("frozen", "the ladder is frozen: no more versions are taken")
        recent = [one for one in self.store.versions(author.name) if one.pushed_at > self.clock() - _HOUR]
        if len(recent) >= self.config.pushes:
            raise LadderError(
                "push_limit", f"{author.name} has pushed {len(recent)} versions within an hour; wait a while"
            )

    async def push(self, author: Author, archive: bytes) -> Version:
        """Take a version in a zip or tar file, and return it. Raises ``LadderError`` (``frozen``,
        ``push_limit``, ``no_command``) and ``UnpackError``.
        """
        self.verify_may_push(author)
        folder = self.folder / VERSIONS
        folder.mkdir(mode=0o700, exist_ok=True)
        upload = await asyncio.to_thread(take_upload, archive, folder)
        # Others may have come first meanwhile.
        self.verify_may_push(author)
        version = self.store.add_version(
            author.name, "pushed", upload.hash, upload.command, "received", self.clock()
        )
        log.info("pushed", version=version.name, hash=version.hash)
        self._report_change()
        return version

    def log_text(self, version: Version) -> str:
        """Return what check-bot found in a version, and what it printed in its last match."""
        parts = []
        path = self.check_log(version)
        if path.is_file():
            parts.append(path.read_text(encoding="utf-8", errors="replace"))
        for match in reversed(self.store.matches_of(version.bot, last=20)):
            logs = match_directory(self.folder, match.number) / "logs" / "bots"
            files = sorted(logs.glob(f"*.{version.name}.log")) if version.name in match.line_up else []
            if files:
                parts += [f"match {match.number}, {file.name}:\n{_tail(file)}" for file in files]
                break
        return "\n".join(parts) or "nothing was printed yet"

    def check_log(self, version: Version) -> Path:
        """Return the file with what check-bot found in a version, for its author."""
        return self.folder / "checks" / f"{version.name}.txt"

    def challenge(self, author: Author, opponents: Sequence[str], *, counts: bool) -> Match:
        """Queue a match of an author's bot against others, and return it.

        Raises ``LadderError``: ``unknown_bot`` (one that does not play), ``bad_challenge`` (the wrong number
        of opponents, or the bot itself) and ``challenge_limit``.
        """
        playing = {version.name: version for version in self.store.playing()}
        current = {version.bot: version for version in playing.values()}
        mine = current.get(author.name)
        if mine is None:
            raise LadderError("unknown_bot", f"{author.name} has no version that plays; push one first")
        line_up = [mine.name]
        for name in opponents:
            version = playing.get(name) or current.get(name)
            if version is None:
                raise LadderError("unknown_bot", f"no bot that plays here is called {name[:64]!r}")
            line_up.append(version.name)
        if len(set(line_up)) != self.game.players or len(line_up) != self.game.players:
            raise LadderError(
                "bad_challenge", f"a match needs {self.game.players - 1} other bots, each of them once"
            )
        recent = [
            match
            for match in self.store.matches_of(author.name, last=1000)
            if match.asked_by == author.name and match.queued_at > self.clock() - _HOUR
        ]
        if len(recent) >= self.config.challenges:
            raise LadderError("challenge_limit", f"{len(recent)} challenges within an hour; wait a while")
        match = self.store.add_match(line_up, "challenge", self.clock(), author.name, counts=counts)
        self._report_change()
        return match

    def enrol(self, authors: Sequence[Author]) -> None:
        """Add authors, or change their tokens and groups."""
        self.store.put_authors(authors)
        for author in authors:
            self._admit(author)

    # What is published.

    async def table(self) -> dict[str, Any]:
        """Return the ratings of the versions that play."""
        field, ratings = await self._ratings()
        async with self._publishing:
            if self._table is None or self._table[0] is not field:
                hands = self.config.hands_of_set(self.game)
                self._table = field, await asyncio.to_thread(table_data, field, ratings, hands)
            return self._table[1]

    async def ratings(self) -> tuple[Field, Ratings | None]:
        """Return the field and its ratings."""
        return await self._ratings()

    async def grades(self) -> list[GradeRow]:
        """Return what every author has reached, by deadline."""
        authors, versions, work = (
            self.store.authors(),
            self.store.versions(),
            work_of(self.store.matches("done")),
        )
        # A copy: matches may end meanwhile.
        results = self._results.among([version.name for version in versions])
        return await asyncio.to_thread(grade_rows, self.config, self.game, authors, versions, results, work)

    def waiting(self) -> list[Match]:
        """Return the matches that are being played or queued."""
        return self.store.matches("playing", "queued")

    # How it runs.

    async def run(self, matches: int | None = None) -> None:
        """Play until cancelled, or until so many ``matches`` have ended. Raises, in a group, what ends a
        ladder: ``CompetitionFault`` and ``StateError``.
        """
        for version in self.store.versions():
            if version.state == "checking":
                self.store.set_state(version.name, "received", self.clock())
        self._left = matches
        async with asyncio.TaskGroup() as group:
            checker = group.create_task(self._check_versions(), name="checks")
            players = [
                group.create_task(self._play(), name=f"match {number}")
                for number in range(self.config.matches)
            ]
            await asyncio.wait(players)
            checker.cancel()

    def _report_change(self) -> None:
        """Let everything that waits look again, and the ratings be computed anew."""
        self._changes += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def _wait_change(self, seen: int) -> None:
        """Wait until there are more changes than were seen."""
        while self._changes == seen:
            await self._changed.wait()

    async def _check_versions(self) -> None:
        while True:
            seen = self._changes
            version = next((one for one in self.store.versions() if one.state == "received"), None)
            if version is None:
                await self._wait_change(seen)
            else:
                await self._check(version)

    async def _check(self, version: Version) -> None:
        self.store.set_state(version.name, "checking", self.clock())
        limits, files = self.config.limits, self.folder / VERSIONS / version.hash
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                report = await check_bot(
                    version.command,
                    seconds=ANSWER_SECONDS,
                    quick=True,
                    confine=lambda command: self._sandbox.for_upload(files, command, limits),
                )
            text, faults = report_text(report), report.faults
            reason = f"check-bot found {faults} fault{'s' if faults > 1 else ''}" if faults else ""
            if report.ended == "failed":
                reason = "check-bot could not finish"
            elif report.ended == "interrupted":
                # check-bot swallows what interrupts it: the end of the ladder, or of the time.
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise asyncio.CancelledError
                reason = f"check-bot did not end within {CHECK_SECONDS:g} seconds"
        except TimeoutError:
            text = reason = f"check-bot did not end within {CHECK_SECONDS:g} seconds"
        except (CheckError, SandboxError) as error:
            text = reason = str(error)
        path = self.check_log(version)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
        if reason:
            self.store.set_state(version.name, "refused", self.clock(), reason)
        else:
            self.store.set_state(version.name, "ready", self.clock())
            self._queue_first(version)
        log.info("checked", version=version.name, reason=reason)
        self._report_change()

    def _queue_first(self, version: Version) -> None:
        """Queue the matches against the baselines."""
        others = self.config.house[: max(self.config.baselines, self.game.players - 1)]
        size = self.game.players - 1
        for start in range(len(others) - size + 1):
            self.store.add_match([version.name, *others[start : start + size]], "first", self.clock())

    async def _play(self) -> None:
        """Play one match after the other."""
        while self._left is None or self._left > 0:
            seen = self._changes
            match = await self._next()
            if match is None:
                await self._wait_change(seen)
                continue
            if self._left is not None:
                self._left -= 1
            try:
                await self._play_match(match)
            finally:
                self._busy.difference_update(match.line_up)
                self._report_change()

    async def _next(self) -> Match | None:
        """Return the match to play next, and mark it as playing: one that was interrupted, then one that was
        asked for, then the one from which most is learnt.
        """
        for match in self.store.matches("playing", "queued"):
            if all(self._free(name) for name in match.line_up):
                return self._start(match)
        field, ratings = await self._ratings()
        if ratings is None:
            return None
        free = [name for name in field.names if self._free(name)]
        if len(free) < self.game.players:
            return None
        line_up = await asyncio.to_thread(
            choose_line_up, field, ratings, free, self.config.deal_sets, self._seconds
        )
        # Somebody may have taken one of them meanwhile.
        if line_up is None or not all(self._free(name) for name in line_up):
            return None
        return self._start(self.store.add_match(line_up, "rated", self.clock()))

    def _start(self, match: Match) -> Match:
        self.store.start_match(match.number)
        self._last |= dict.fromkeys(match.line_up, match.number)
        self._busy.update(match.line_up)
        return match

    def _free(self, name: str) -> bool:
        """Return whether a version can play now."""
        if name in self._busy:
            return False
        remote = self._remote.get(name.partition("@")[0])
        version = self.store.version(name)
        return version.kind != "remote" or (remote is not None and remote.player.connection is not None)

    async def _play_match(self, match: Match) -> None:
        versions = [self.store.version(name) for name in match.line_up]
        lent = {version.name: self._remote[version.bot] for version in versions if version.kind == "remote"}
        hashes = {author.name: author.hash for author in self.store.authors()}
        began = time.process_time()
        try:
            end = await play_match(self.place, match, versions, hashes, lent)
        except (CompetitionError, SandboxError) as error:
            self.store.end_match(match.number, self.clock(), 0.0, None, {}, str(error))
            log.warning("match failed", match=match.number, error=str(error))
            return
        seconds = time.process_time() - began
        self.store.end_match(match.number, self.clock(), seconds, end.sums, end.incidents)
        if match.counts:
            self._results.merge(Results({match.line_up: end.sums}))
        self._seconds[match.line_up] = seconds
        self._settle(match, end.marked)
        log.info("match", match=match.number, why=match.why, line_up=match.line_up)
        old = match.number - self.config.keep_hands
        if old > 0:
            await asyncio.to_thread(remove_hands, self.folder, old)

    def _settle(self, match: Match, marked: Sequence[str]) -> None:
        """Move the versions of a match to the states that follow from it."""
        for name in match.line_up:
            version = self.store.version(name)
            if version.state != "ready":
                continue
            if name in marked:
                self.store.set_state(
                    name, "refused", self.clock(), f"the server had to decide for it in match {match.number}"
                )
            elif not any(
                one.why == "first" and name in one.line_up for one in self.store.matches("playing", "queued")
            ):
                self.store.set_state(name, "rated", self.clock())

    async def _ratings(self) -> tuple[Field, Ratings | None]:
        async with self._computing:
            while self._rated is None or self._rated[2] != self._changes:
                seen = self._changes
                field = field_of(self.store.versions(), self._results, self._last, self.game.players)
                self._rated = field, await asyncio.to_thread(ratings_of, field), seen
            return self._rated[:2]

    # Remote bots.

    def _admit(self, author: Author) -> None:
        """Let an author's bot connect with its token."""
        known = self._remote.pop(author.name, None)
        if known is not None:
            self._house.remove_player(known.player)
        entry = BotEntry(name=author.name, token_hash=author.hash)
        bot = PersistentBot(entry, self._key(), on_hello=self._on_hello)
        self._remote[author.name] = bot
        self._house.players.add(bot.player)

    def _on_hello(self, bot: PersistentBot) -> None:
        """A remote bot has connected: it plays in place of whatever version its author pushed before."""
        name = bot.entry.name
        current = [version for version in self.store.versions(name) if version.plays]
        if not any(version.kind == "remote" for version in current) and not self.frozen:
            version = self.store.add_version(name, "remote", "", (), "received", self.clock())
            self.store.set_state(version.name, "checking", self.clock())
            self.store.set_state(version.name, "ready", self.clock())
            self._queue_first(self.store.version(version.name))
        self._report_change()


def _tail(file: Path) -> str:
    """Return the end of a file."""
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - _LOG_BYTES))
        return opened.read(_LOG_BYTES).decode(errors="replace")
