"""The API of the ladder, ``/api/ladder``. What authors do needs a token (``Authorization: Bearer``); in blind
mode a token also shows the names that its owner may know.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Annotated, Any, Final

import msgspec
from msgspec.structs import asdict
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dealer.intervals import Interval
from dealer.ratings.model import Ratings
from dealer.rules.games import MAX_PLAYERS
from server.bots.unpack import MAX_ARCHIVE, UnpackError
from server.ladder.errors import LadderError
from server.ladder.field import grades_of
from server.ladder.ladder import Ladder
from server.ladder.matches import match_directory
from server.ladder.records import Match, Version
from server.web.ladder.history import History
from server.web.ladder.names import Names
from server.web.ladder.published import Published
from server.web.ladder.requests import author_of, body_of, found, names_for, order_of, refusal
from server.web.ladder.schemas import (
    BotHistory,
    BotStyle,
    Declaration,
    HistoryPoint,
    InteractionInfo,
    LadderBot,
    LadderGrade,
    LadderMatch,
    LadderMatches,
    LadderMatchResponse,
    LadderQueue,
    LadderRow,
    LadderTable,
    LadderVersion,
    MatchErrors,
    NextLineUp,
    Opponent,
    OwnDeadline,
    OwnUploads,
    Wait,
    WorstOpponent,
)
from server.web.ladder.styles import Styles
from server.web.responses import MAX_LIMIT, HttpError, int_parameter, json_response

#: Seconds that a request waits for figures that take long, and matches that are read at once for them.
WAIT: Final = 0.5
_MATCHES: Final = 500
#: Matches with incidents that are told of a version.
_ERRORS: Final = 100
_HOUR: Final = 3600.0
#: Digits of a number that no match has.
_DIGITS: Final = 16


class _Challenge(msgspec.Struct, forbid_unknown_fields=True):
    opponents: Annotated[list[str], msgspec.Meta(max_length=MAX_PLAYERS - 1)]
    counts: bool = False


class LadderApi:
    """The addresses under ``/api/ladder``."""

    def __init__(self, ladder: Ladder) -> None:
        self.ladder = ladder
        self._history = self._empty_history()
        self._styles = Styles(ladder.folder)
        self._published = Published(ladder)
        # One question at a time that takes long, and one archive.
        self._reading, self._unpacking = asyncio.Lock(), asyncio.Lock()
        #: Who is sending a version; and when each author's last archives were refused (loop time).
        self._sending: set[str] = set()
        self._refused: dict[str, deque[float]] = {}

    def routes(self) -> list[Route]:
        """Return the routes."""
        base = "/api/ladder"
        return [
            Route(base, self.table),
            Route(f"{base}/queue", self.queue),
            Route(f"{base}/matches", self.matches),
            Route(f"{base}/matches/{{number}}", self.match),
            Route(f"{base}/bots/{{bot}}", self.bot),
            Route(f"{base}/bots/{{bot}}/history", self.history),
            Route(f"{base}/bots/{{bot}}/style", self.style),
            Route(f"{base}/push", self.push, methods=["POST"]),
            Route(f"{base}/mine", self.mine),
            Route(f"{base}/mine/{{version}}/log", self.log),
            Route(f"{base}/challenge", self.challenge, methods=["POST"]),
        ]

    async def table(self, request: Request) -> Response:
        """Return the ratings."""
        ladder, names = self.ladder, names_for(self.ladder, request)
        data = await self._published.table()
        interaction = data["interaction"]
        return json_response(
            LadderTable(
                name=ladder.config.name,
                season=ladder.config.season,
                game=ladder.config.game,
                deal_sets=ladder.config.deal_sets,
                players=data["players"],
                frozen=ladder.frozen,
                blind=ladder.blind,
                method=data["method"],
                value_function=ladder.store.value_function,
                unit=data["unit"],
                bots=[_row(row, names) for row in data["bots"]],
                interaction=None if interaction is None else InteractionInfo(**interaction),
            )
        )

    async def queue(self, request: Request) -> Response:
        """Return the matches that are played or wait, in this order, and what would come ``next``."""
        names = names_for(self.ladder, request)
        outlook = await self._published.outlook()
        return json_response(
            LadderQueue(
                [self._match(match, names) for match in self.ladder.waiting()],
                [
                    NextLineUp([*map(names.of, one.line_up)], round(one.fall, 6), round(one.seconds, 3))
                    for one in outlook.line_ups
                ],
                [Wait(names.of(bot), matches) for bot, matches in outlook.waits],
            )
        )

    async def matches(self, request: Request) -> Response:
        """Return the newest matches, of all bots or of ``bot``."""
        limit = int_parameter(request, "limit", 50, least=1, most=MAX_LIMIT)
        names = names_for(self.ladder, request)
        store = self.ladder.store
        if "bot" in request.query_params:
            matches = store.matches_of(self._bot(request.query_params["bot"], names)[0].bot, limit)
        else:
            matches = store.matches("done", "failed", last=limit)
        return json_response(LadderMatches([self._match(match, names) for match in reversed(matches)]))

    async def match(self, request: Request) -> Response:
        """Return one match. ``hands``: whether its hands can be viewed."""
        number = request.path_params["number"]
        if not (number.isascii() and number.isdigit() and len(number) < _DIGITS):
            raise HttpError(404, "unknown_match", f"there is no match {number[:64]!r}")
        match = found(lambda: self.ladder.store.match(int(number)))
        out = match_directory(self.ladder.folder, match.number)
        kept = match.state == "done" and (out / "standings.json").is_file()
        told = self._match(match, names_for(self.ladder, request))
        return json_response(LadderMatchResponse(**asdict(told), hands=kept))

    async def bot(self, request: Request) -> Response:
        """Return a bot: its versions, its rating, its result against every opponent, grades, the errors of
        the newest version, and the newest matches.
        """
        ladder, names = self.ladder, names_for(self.ladder, request)
        versions = self._bot(request.path_params["bot"], names)
        name = versions[0].bot
        field, ratings = await ladder.ratings()
        current = next((version for version in versions if version.plays), None)
        row: LadderRow | None = None
        opponents: list[Opponent] = []
        grades: list[LadderGrade] = []
        if ratings is not None and current is not None and current.name in field.names:
            table = await self._published.table()
            # It may have been replaced meanwhile.
            row = next((_row(one, names) for one in table["bots"] if one["bot"] == current.name), None)
            # In a large field this takes long.
            met = await asyncio.to_thread(_results_of, ratings, current.name)
            opponents = [Opponent(names.of(other), **_interval_data(result)) for other, result in met]
            grades = [LadderGrade(*one) for one in grades_of(ratings, current.name, ladder.config.grades)]
        shown = current or versions[-1]
        errors = [one for one in self._kept(shown) if shown.name in one.incidents]
        return json_response(
            LadderBot(
                bot=names.of(name),
                versions=[_version(version, names) for version in versions],
                rating=row,
                opponents=opponents,
                grades=grades,
                errors=[
                    MatchErrors(one.number, one.ended_at, one.incidents[shown.name])
                    for one in errors[:_ERRORS]
                ],
                matches=[self._match(one, names) for one in reversed(ladder.store.matches_of(name, 50))],
            )
        )

    async def history(self, request: Request) -> Response:
        """Return a bot's rating over time. ``complete``: all matches are included; ask again otherwise."""
        names = names_for(self.ladder, request)
        bot = self._bot(request.path_params["bot"], names)[0].bot
        complete = await self._extend_history()
        points = [
            HistoryPoint(moment.match, moment.at, names.of(version), **_interval_data(rating))
            for moment in self._history.moments
            for version, rating in moment.ratings.items()
            if version.partition("@")[0] == bot and rating.half is not None
        ]
        return json_response(BotHistory(names.of(bot), points, complete))

    async def style(self, request: Request) -> Response:
        """Return how a bot's newest version plays, in all and by position. ``complete``: all hands that are
        kept are counted; ask again otherwise.
        """
        names = names_for(self.ladder, request)
        versions = self._bot(request.path_params["bot"], names)
        version = next((one for one in versions if one.plays), versions[-1])
        numbers = [match.number for match in self._kept(version)]
        async with self._reading:
            complete = await asyncio.to_thread(self._styles.extend, numbers, WAIT)
            places = self._styles.of(version.name)
        total = places.pop("")
        return json_response(
            BotStyle(
                names.of(version.name),
                complete,
                total.data(),
                [{"position": place, **counts.data()} for place, counts in places.items()],
            )
        )

    async def push(self, request: Request) -> Response:
        """Take a zip or tar file with a new version."""
        author = author_of(self.ladder, request)
        found(lambda: self.ladder.verify_may_push(author))
        clock = asyncio.get_running_loop().time
        # Archives take memory and time, whether they are of use or not.
        refused = self._refused.setdefault(author.name, deque(maxlen=self.ladder.config.pushes))
        if len(refused) == refused.maxlen and refused[0] > clock() - _HOUR:
            raise HttpError(429, "push_limit", f"{len(refused)} archives were refused within an hour; wait")
        if author.name in self._sending:
            raise HttpError(429, "push_limit", "send one version after the other")
        self._sending.add(author.name)
        try:
            data = await body_of(request, MAX_ARCHIVE)
            async with self._unpacking:
                version = await self.ladder.push(author, data)
        except UnpackError as error:
            refused.append(clock())
            raise refusal(error) from None
        except LadderError as error:
            raise refusal(error) from None
        finally:
            self._sending.discard(author.name)
        return json_response(_version(version, names_for(self.ladder, request)), 201)

    async def mine(self, request: Request) -> Response:
        """Return the author's versions; ``pseudonym``: what others call the bot."""
        author = author_of(self.ladder, request)
        names = names_for(self.ladder, request)
        return json_response(
            OwnUploads(
                name=author.name,
                group=author.group,
                pseudonym=names_for(self.ladder).of(author.name),
                deadlines=[
                    OwnDeadline(one.name, one.at.timestamp())
                    for one in self.ladder.config.deadlines
                    if one.group in ("", author.group)
                ],
                versions=[_version(one, names) for one in self.ladder.store.versions(author.name)],
            )
        )

    async def log(self, request: Request) -> Response:
        """Return what check-bot, and then the bot itself, said of one of the author's versions."""
        author = author_of(self.ladder, request)
        version = found(lambda: self.ladder.store.version(request.path_params["version"]))
        if version.bot != author.name:
            raise HttpError(404, "unknown_bot", "that is no version of yours")
        text = await asyncio.to_thread(self.ladder.files.log_text, version)
        return Response(text, 200, {"Cache-Control": "no-store"}, "text/plain; charset=utf-8")

    async def challenge(self, request: Request) -> Response:
        """Queue a match against bots of the author's choice."""
        ladder = self.ladder
        author, names = author_of(ladder, request), names_for(ladder, request)
        asked = await order_of(request, _Challenge)
        versions = ladder.store.playing()
        bots = [version.bot for version in versions]
        playing = {*bots, *(version.name for version in versions)}
        opponents = []
        for name in asked.opponents:
            real = names.real(name, bots)
            if real is None or real not in playing:
                # The ladder would refuse it by its real name.
                raise HttpError(404, "unknown_bot", f"no bot that plays here is called {name[:64]!r}")
            opponents.append(real)
        match = found(lambda: ladder.challenge(author, opponents, counts=asked.counts))
        return json_response(self._match(match, names), 201)

    def _empty_history(self) -> History:
        store = self.ladder.store
        return History(self.ladder.game.players, store.count_scored(), store.untrue)

    async def _extend_history(self) -> bool:
        async with self._reading:
            clock = asyncio.get_running_loop().time
            until = clock() + WAIT
            if self._history.untrue != self.ladder.store.untrue:
                self._history = self._empty_history()
            while matches := self.ladder.store.scored(self._history.last, _MATCHES):
                versions = self.ladder.store.versions()
                await asyncio.to_thread(self._history.extend, matches, versions, WAIT)
                if clock() >= until:
                    return False
            return True

    def _kept(self, version: Version) -> list[Match]:
        """Return the finished matches of a version whose hands are kept, newest first."""
        newest = max((match.number for match in self.ladder.store.matches(last=1)), default=0)
        return self.ladder.store.matches_with(version.name, newest - self.ladder.config.keep_hands)

    def _match(self, match: Match, names: Names) -> LadderMatch:
        means = sums = None
        if match.result is not None:
            sums = match.result.sums.with_dice_of(self.ladder.store.untrue)
            means = {
                names.of(bot): round(mean, 3) for bot, mean in zip(match.line_up, sums.means(), strict=True)
            }
        return LadderMatch(
            number=match.number,
            line_up=[names.of(bot) for bot in match.line_up],
            why=match.why,
            counts=match.counts,
            asked_by=names.of(match.asked_by),
            state=match.state,
            queued_at=match.queued_at,
            ended_at=match.ended_at,
            seconds=match.seconds,
            incidents={names.of(bot): counts for bot, counts in match.incidents.items()},
            # Why a match failed may name its bots.
            reason="" if any(map(names.hides, _bots_of(match))) else match.reason,
            means=means,
            deal_sets=None if sums is None else sums.deal_sets,
        )

    def _all_bots(self) -> list[str]:
        return [*self.ladder.store.house_bots(), *(author.name for author in self.ladder.store.authors())]

    def _bot(self, called: str, names: Names) -> list[Version]:
        """Return the versions of the bot that the reader calls so. Raises ``HttpError`` (``unknown_bot``)."""
        bot = names.real(called, self._all_bots())
        versions = [] if bot is None else self.ladder.store.versions(bot)
        if not versions:
            raise HttpError(404, "unknown_bot", f"no bot is called {called[:64]!r}")
        return versions


def _results_of(ratings: Ratings, version: str) -> list[tuple[str, Interval]]:
    """Return a version's result against each that it has met."""
    others = [other for other in ratings.field if other != version]
    met = [(other, ratings.against(version, other)) for other in others]
    return [(other, result) for other, result in met if result is not None]


def _interval_data(interval: Interval) -> dict[str, Any]:
    half = None if interval.half is None else round(interval.half, 3)
    return {"mean": round(interval.mean, 3), "half": half, "deal_sets": interval.units}


def _row(row: dict[str, Any], names: Names) -> LadderRow:
    worst, declared = row["worst"], row["declared"]
    return LadderRow(
        **{
            **row,
            "bot": names.of(row["bot"]),
            "author": names.of(row["author"]),
            "hash": "" if names.hides(row["author"]) else row["hash"],
            "worst": None if worst is None else WorstOpponent(**{**worst, "bot": names.of(worst["bot"])}),
            "declared": None if declared is None else Declaration(**declared),
        }
    )


def _version(version: Version, names: Names) -> LadderVersion:
    """Return a version without its command: how a program is started is its author's business."""
    hidden = names.hides(version.bot)
    return LadderVersion(
        name=names.of(version.name),
        bot=names.of(version.bot),
        number=version.number,
        kind=version.kind,
        hash="" if hidden else version.hash,
        state=version.state,
        reason="" if hidden else version.reason,
        pushed_at=version.pushed_at,
        settled_at=version.settled_at,
    )


def _bots_of(match: Match) -> list[str]:
    return [name.partition("@")[0] for name in match.line_up]
