"""A ladder at work: versions are checked and rated, and matches are played, until it is stopped.

Everything that must not be lost is in the store before anybody is told of it, so a ladder that is killed goes
on where it was: versions that were being checked are checked again, and matches in progress are played on.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from dealer.luck.declared import DeclaredChances
from dealer.ratings.model import Ratings
from dealer.ratings.results import Results
from server.auth.tokens import hash_token
from server.bots.sandbox import Sandbox, SandboxError
from server.competition.file import CompetitionError
from server.house.house import House
from server.ladder.config import LadderConfig
from server.ladder.errors import LadderError
from server.ladder.field import Field, Outlook, choose_line_up, field_of, outlook_of, ratings_of
from server.ladder.grading import GradeRow, grade_rows, names_that_count
from server.ladder.matches import MatchPlace, Play, begin_season, play_match, remove_hands
from server.ladder.records import Author, Match, Version, VersionState, moves_after_failure, moves_after_match
from server.ladder.remote_bots import RemoteBots
from server.ladder.store import FINAL, ORGANISER, LadderStore
from server.ladder.uploads import Check, check_version, take_upload
from server.ladder.version_files import VersionFiles
from server.storage.competition_state import OpenStates
from server.telemetry.logger import get_logger

log = get_logger("pokerd.ladder")

_HOUR: Final = 3600.0
#: How long a match waits for a remote bot that is away (seconds).
PATIENCE: Final = _HOUR
#: A version whose matches fail so often in a row is refused.
_FAILURES: Final = 3
#: Matches that were asked for let a bot pass that has waited for so many times its share of matches.
_OVERDUE: Final = 1.5
#: Who plays next is decided with ratings that lack at most this share of the field's matches: computing those
#: of a large field takes long, and one match changes little.
_OLD_RATINGS: Final = 0.1
#: Versions that are checked at once: one that is slow to answer shall not hold up the others.
_CHECKS: Final = 2
#: The newest matches that tell what line-ups take.
_RECENT: Final = 1000


class Ladder:
    """The ladder of ``folder`` in a house that listens at ``url``. ``clock`` tells the time (seconds since
    1970); ``play`` plays a match, and ``check`` looks at a version before. Raises ``LadderError``
    (``other_game``, ``other_value_function``) if results of another one are there.
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
        play: Play = play_match,
        check: Check = check_version,
    ) -> None:
        self.folder = folder.absolute()
        self.config = config
        self.store = store
        self.game = config.load_game(folder)
        self.clock = clock
        self._house = house
        self._sandbox = sandbox
        self._play_match = play
        self._check_version = check
        self._busy: set[str] = set()
        self._changes = 0
        self._changed = asyncio.Event()
        #: Results and last matches of the versions that play; those of others may be among them. So many
        #: results were needed when they were last looked through: of these, and of versions that count.
        self._results = store.results()
        self._needed = 0
        self._last = store.last_begun()
        #: What line-ups took, and in which match. Old matches are left out: a ladder that is started again
        #: does not know them, and shall choose alike.
        self._seconds = {
            match.line_up: (match.number, match.seconds) for match in store.matches("done", last=_RECENT)
        }
        #: The field, its ratings, and the number of changes that they include.
        self._rated: tuple[Field, Ratings | None, int] | None = None
        self._computing = asyncio.Lock()
        #: Matches that began since then.
        self._begun: Counter[tuple[str, ...]] = Counter()
        #: Failed matches in a row, by version.
        self._failures: Counter[str] = Counter()
        self._started_at = clock()
        self._verify_same_game()
        begin_season(folder, store)
        self.place = MatchPlace(self.folder, store.key(), house, url, sandbox, open_states, config)
        #: What is kept of pushed versions.
        self.files = VersionFiles(
            self.folder, self.place.programs, store, config.keep_versions, config.deadlines
        )
        store.put_house(config.house, clock())
        self._remote = RemoteBots(house, store, self.place.key, self._on_hello)

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
        return self.store.frozen

    def freeze(self, *, undo: bool = False) -> None:
        """Take no more versions, or take them again."""
        self.store.freeze(undo=undo)

    def is_organiser(self, token: str) -> bool:
        """Return whether it is the organiser's token."""
        known = self.store.fact(ORGANISER)
        return known is not None and hmac.compare_digest(known, hash_token(token))

    @property
    def blind(self) -> bool:
        """Whether names are hidden: until the season's final is played, for which the ladder is frozen."""
        return self.config.blind and self.store.fact(FINAL) != self.config.season

    def verify_may_push(self, author: Author) -> None:
        """Raise ``LadderError`` (``frozen``, ``push_limit``) if an author may push nothing now."""
        if self.frozen:
            raise LadderError("frozen", "the ladder is frozen: no more versions are taken")
        if self._pushed_enough(author.name):
            raise LadderError(
                "push_limit", f"{author.name} has pushed {self.config.pushes} versions within an hour; wait"
            )

    def _pushed_enough(self, bot: str) -> bool:
        recent = [one for one in self.store.versions(bot) if one.pushed_at > self.clock() - _HOUR]
        return len(recent) >= self.config.pushes

    async def push(self, author: Author, archive: bytes) -> Version:
        """Take a version in a zip or tar file, and return it. Raises ``LadderError`` (``frozen``,
        ``push_limit``) and ``UnpackError``.
        """
        self.verify_may_push(author)
        self.place.programs.mkdir(mode=0o700, exist_ok=True)
        upload = await asyncio.to_thread(take_upload, archive, self.place.programs)
        try:
            # Others may have come first meanwhile.
            self.verify_may_push(author)
        except LadderError:
            self.files.remove_program(upload.hash)
            raise
        version = self.store.add_version(
            author.name, "pushed", upload.hash, upload.command, "received", self.clock()
        )
        log.info("pushed", version=version.name, hash=version.hash)
        self.files.remove_old(author.name)
        self._report_change()
        return version

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
        recent = self.store.count_challenges(author.name, self.clock() - _HOUR)
        if recent >= self.config.challenges:
            raise LadderError("challenge_limit", f"{recent} challenges within an hour; wait a while")
        match = self.store.add_match(line_up, "challenge", self.clock(), author.name, counts=counts)
        self._report_change()
        return match

    def enrol(self, authors: Sequence[Author]) -> None:
        """Add authors, or change their tokens and groups."""
        self.store.put_authors(authors)
        self._remote.follow_roster()

    # What is published.

    @property
    def progress(self) -> tuple[int, int]:
        """Two numbers, one of which grows when a version changes or a match begins or ends."""
        return self._changes, max(self._last.values(), default=0)

    async def outlook(self) -> Outlook:
        """Return what would be played next if all who are there were free, besides matches that were asked
        for: versions in their first matches have these.
        """
        field = self._field()
        ratings = await self._recent_ratings(field)
        free = [
            one.name for one in field.versions if one.state == "rated" and not self._remote.is_away(one.name)
        ]
        spent, begun = self._recent_seconds(), Counter(self._begun)
        return await asyncio.to_thread(outlook_of, field, ratings, free, self.config.deal_sets, spent, begun)

    async def grades(self) -> list[GradeRow]:
        """Return what every author has reached, by deadline."""
        authors, versions, work = (self.store.authors(), self.store.versions(), self.store.work())
        # A copy: matches may end meanwhile.
        results, told = self._results.among([version.name for version in versions]), self.store.chances()
        return await asyncio.to_thread(
            grade_rows, self.config, self.game, authors, versions, results, work, told
        )

    def waiting(self) -> list[Match]:
        """Return the matches that are being played or queued, in this order, first ones before challenges."""
        found = self.store.matches("playing", "queued")
        return sorted(found, key=lambda match: (match.state != "playing", match.why != "first"))

    # How it runs.

    async def run(self, matches: int | None = None) -> None:
        """Play until cancelled, or until so many ``matches`` have ended. Raises, in a group, what ends a
        ladder: ``CompetitionFault`` and ``StateError``.
        """
        for version in self.store.versions_in("received", "checking"):
            if version.kind == "remote":
                self.store.set_state(version.name, "refused", self.clock(), "the ladder was stopped")
            elif version.state == "checking":
                self.store.set_state(version.name, "received", self.clock())
        self.store.take_over_matches()
        self.files.remove_strays()  # before anybody pushes: what is being unpacked would be one
        self._left = matches
        async with asyncio.TaskGroup() as group:
            beside = [
                group.create_task(self._remote.keep_following(), name="roster"),
                *(group.create_task(self._check_versions(), name="checks") for _ in range(_CHECKS)),
            ]
            players = [
                group.create_task(self._play(), name=f"match {number}")
                for number in range(self.config.matches)
            ]
            await asyncio.wait(players)
            for task in beside:
                task.cancel()

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
            version = min(self.store.versions_in("received"), key=lambda one: one.pushed_at, default=None)
            if version is None:
                await self._wait_change(seen)
            else:
                await self._check(version)

    async def _check(self, version: Version) -> None:
        self.store.set_state(version.name, "checking", self.clock())
        text, reason = await self._check_version(
            version, self.place.programs, self._sandbox, self.config.limits
        )
        self.files.write_check_log(version, text)
        if reason:
            self.store.set_state(version.name, "refused", self.clock(), reason)
        else:
            self.store.set_state(version.name, "ready", self.clock(), first=self._first_matches(version))
        log.info("checked", version=version.name, reason=reason)
        self._report_change()

    def _first_matches(self, version: Version) -> list[list[str]]:
        """Return the line-ups of a version and the baselines."""
        others = self.config.house[: max(self.config.baselines, self.game.players - 1)]
        size = self.game.players - 1
        return [[version.name, *others[start : start + size]] for start in range(len(others) - size + 1)]

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
                await self._play_one(match)
            finally:
                self._busy.difference_update(match.line_up)
                self._report_change()

    async def _next(self) -> Match | None:
        """Return the match to play next, and mark it as playing: one that was interrupted, then one that was
        asked for unless somebody has waited for long, then the one from which most is learnt.
        """
        field = self._field()
        ratings = await self._recent_ratings(field)
        free = [name for name in field.names if self._free(name)]
        share = len(free) / self.game.players
        # Whoever has not played at all has matches that were asked for.
        known = [name for name in free if name in self._last]
        overdue = len(known) >= self.game.players and any(
            field.waits[name] > _OVERDUE * share for name in known
        )
        for match in self.waiting():
            if all(self._free(name) for name in match.line_up):
                if match.state == "playing" or not overdue:
                    return self._start(match)
            elif self.clock() > max(match.queued_at, self._started_at) + PATIENCE:
                away = [
                    name for name in match.line_up if name not in self._busy and self._remote.is_away(name)
                ]
                if away:
                    self._give_up(match, f"{away[0]} was away")
        if ratings is None:
            return None
        free = [name for name in (known if overdue else free) if name in ratings.field and self._free(name)]
        if len(free) < self.game.players:
            return None
        line_up = await asyncio.to_thread(
            choose_line_up, field, ratings, free, self.config.deal_sets, self._recent_seconds(), self._begun
        )
        # Somebody may have taken one of them meanwhile, or it may have gone.
        if line_up is None or not all(self._free(name) for name in line_up):
            return None
        return self._start(self.store.add_match(line_up, "rated", self.clock()))

    def _recent_seconds(self) -> dict[tuple[str, ...], float]:
        """Return what line-ups took in the newest matches."""
        newest = max((number for number, _ in self._seconds.values()), default=0)
        oldest = newest - min(_RECENT, self.config.results_kept)
        return {line_up: spent for line_up, (number, spent) in self._seconds.items() if number > oldest}

    def _start(self, match: Match) -> Match:
        self._last |= dict.fromkeys(match.line_up, self.store.start_match(match.number))
        self._begun[match.line_up] += 1
        self._busy.update(match.line_up)
        return match

    def _free(self, name: str) -> bool:
        """Return whether a version can play now."""
        return name not in self._busy and not self._remote.is_away(name)

    async def _play_one(self, match: Match) -> None:
        versions = self._versions(match)
        lent = {
            version.name: self._remote.bot(version.bot) for version in versions if version.kind == "remote"
        }
        hashes = {author.name: author.hash for author in self.store.authors()}
        clock = asyncio.get_running_loop().time
        began = clock()
        limit = self.config.first_match_s if match.why == "first" else None
        try:
            async with asyncio.timeout(limit):
                end = await self._play_match(self.place, match, versions, hashes, lent)
        except TimeoutError:
            self._fail(match, round(clock() - began, 3), f"it took longer than {limit} s")
            return
        except (CompetitionError, SandboxError) as error:
            if all(version.kind == "house" for version in versions):
                raise
            self._fail(match, round(clock() - began, 3), str(error))
            return
        seconds = round(clock() - began, 3)
        moves = moves_after_match(self._versions(match), match, end.marked, self.waiting())
        result, untrue = end.deal_sets.result, self.store.untrue
        self.store.end_match(match.number, self.clock(), seconds, result, end.incidents, moves=moves)
        if self.store.untrue != untrue:
            self._judge_anew(untrue)
        elif match.counts:
            self._results.merge(Results({match.line_up: result.sums.with_dice_of(untrue)}))
        self._seconds[match.line_up] = match.number, seconds
        for name in match.line_up:
            del self._failures[name]
        log.info("match", match=match.number, why=match.why, line_up=match.line_up)
        await self._tidy(match.number)

    def _judge_anew(self, before: frozenset[str]) -> None:
        """Let the results follow when declared chances are no longer believed, or are again."""
        self._results = self.store.results()
        for name in sorted(before ^ self.store.untrue):
            told = DeclaredChances.of(self.store.chances()[name])
            log.warning(
                "declared chances",
                version=name,
                decisions=told.decisions,
                p=told.p_value,
                believed=told.believed,
            )

    def _fail(self, match: Match, seconds: float, reason: str) -> None:
        """End a match without a result, for a reason that lies in one of its versions."""
        self._failures.update(match.line_up)
        often = {name for name in match.line_up if self._failures[name] >= _FAILURES}
        moves = moves_after_failure(self._versions(match), match, often, reason)
        self.store.end_match(match.number, self.clock(), seconds, None, {}, reason, moves)
        log.warning("match failed", match=match.number, reason=reason)

    def _give_up(self, match: Match, reason: str) -> None:
        """End a match that cannot be played. A version that has not been rated by then is refused."""
        moves: dict[str, tuple[VersionState, str]] = {
            name: ("refused", "it was away before it was rated")
            for name in match.line_up
            if self._remote.is_away(name) and self.store.version(name).state == "ready"
        }
        self.store.end_match(match.number, self.clock(), 0.0, None, {}, reason, moves)
        log.info("match given up", match=match.number, reason=reason)

    async def _tidy(self, newest: int) -> None:
        """Remove what is too old to be kept."""
        old = newest - self.config.keep_hands
        if old > 0:
            waiting = {match.number for match in self.waiting()}
            await asyncio.to_thread(remove_hands, self.folder, old, waiting)
        self.store.add_up(newest - self.config.results_kept)

    def _versions(self, match: Match) -> list[Version]:
        return [self.store.version(name) for name in match.line_up]

    def _field(self) -> Field:
        """Return the field as it is now."""
        told = self.store.chances()
        field = field_of(self.store.playing(), self._results, self._last, self.game.players, told)
        if len(self._results) > 2 * max(len(field.results), self._needed):
            names = set(field.names)
            counting = names_that_count(self.store.versions(), self.config.deadlines)
            self._results = self._results.among([*names, *counting.difference(names)])
            self._needed = len(self._results)
            self._last = {name: number for name, number in self._last.items() if name in names}
            self._seconds = {one: spent for one, spent in self._seconds.items() if names.issuperset(one)}
        return field

    async def _recent_ratings(self, field: Field) -> Ratings | None:
        """Return the ratings of a field, of which a few matches may be missing."""
        if self._rated is not None:
            before, ratings, seen = self._rated
            if before.names == field.names and self._changes - seen <= _OLD_RATINGS * len(field.names):
                return ratings
        return (await self.ratings())[1]

    async def ratings(self) -> tuple[Field, Ratings | None]:
        """Return the field and its ratings."""
        async with self._computing:
            while self._rated is None or self._rated[2] != self._changes:
                seen = self._changes
                field = self._field()
                self._begun.clear()
                self._rated = field, await asyncio.to_thread(ratings_of, field), seen
            return self._rated[:2]

    def _on_hello(self, name: str) -> None:
        """A remote bot has connected: it plays in place of whatever version its author pushed before."""
        remote = any(one.plays and one.kind == "remote" for one in self.store.versions(name))
        if not remote and not self.frozen and not self._pushed_enough(name):
            version = self.store.add_version(name, "remote", "", (), "checking", self.clock())
            self.store.set_state(version.name, "ready", self.clock(), first=self._first_matches(version))
        self._report_change()
