"""The API of challenges, and of deals that several people play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from protocol.errors import Refused
from protocol.people import CreateTable
from server.house.house import House
from server.people.same_deals import (
    BIG_BLIND,
    GRACE,
    HANDS,
    KEPT_DAYS,
    Result,
    SameDeals,
    day_of,
    day_request,
    is_day,
    mean_of,
    publication_time,
    streak,
    worse,
)
from server.storage.hand_store import HandStore
from server.storage.stored_hands import StoredChallenge, player_key, split_run
from server.web import schemas
from server.web.identity import Identities
from server.web.responses import HttpError, json_response


class ChallengeApi(NamedTuple):
    """The addresses of challenges, and of deals that several people play."""

    house: House
    archive: HandStore
    identities: Identities
    same_deals: SameDeals

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/api/challenges/{challenge}", self.challenge),
            Route("/api/days/{day}", self.day),
            Route("/api/links/{link}", self.link),
        ]

    async def challenge(self, request: Request) -> Response:
        """Return the result of a challenge. Until its day is over, only its player gets it."""
        name = request.path_params["challenge"]
        split = split_run(name)
        found = None if split is None else await self.archive.challenge(split[1])
        if found is None or found.run.id != name:
            raise HttpError(404, "not_found", f"no challenge {name!r} has ended")
        identity = self._identity(request)
        own = await self._is_player(found.run.number, identity)
        sealed, result = self.same_deals.is_sealed(found.run), found.result
        if sealed:
            if not own:
                raise HttpError(404, "not_found", "others see this result when everybody has had his day")
            result = structs.replace(result, rival_run="")
        same = await self.same_deals.results(result.deals or name)
        shares = own and self.same_deals.is_open(found)
        return json_response(
            schemas.ChallengeResponse(
                challenge=name,
                at=found.at,
                result=result,
                own=own,
                counts=any(one.run == found.run.number and one.net is not None for one in same),
                link=self.same_deals.link(name) if shares else "",
                friends=[] if found.run.day else await self._friends(found, [one.run for one in same]),
            )
        )

    async def _friends(self, found: StoredChallenge, runs: Sequence[int]) -> list[schemas.FriendResult]:
        others = [await self.archive.challenge(run) for run in runs if run != found.run.number]
        return [
            schemas.FriendResult(
                other.run.id, other.result.player, [hand.player_net for hand in other.result.hands]
            )
            for other in others
            if other is not None
        ]

    async def day(self, request: Request) -> Response:
        """Return what is known of the hands of a day, or of ``today``."""
        same, today = self.same_deals, self.same_deals.today()
        day = request.path_params["day"]
        day = today if day == "today" else day
        first = day_of(same.clock() - KEPT_DAYS * 86_400)
        if not is_day(day) or not first <= day <= today:
            raise HttpError(404, "not_found", f"no hands of a day {day!r}")
        identity, published = self._identity(request), same.is_published(day)
        results = await same.results(day)
        ended = [one for one in results if one.net is not None]
        nets = [one.net for one in ended if one.net is not None]
        mine = next((one for one in results if identity and one.who == player_key(identity)), None)
        seen = [one for one in ended if published or one is mine]
        shown = mine if mine in seen else next(iter(seen), None)
        replay = None if shown is None else await self.archive.challenge(shown.run)
        bots = self.house.house_bots
        opponents, rival = _names(day_request(day, bots, 0)) if bots else ([], "")
        if replay is not None:
            # The bots on offer may have been others.
            opponents, rival = replay.result.opponents, replay.result.rival
        end = int(publication_time(day) * 1000)
        return json_response(
            schemas.DayResponse(
                day=day,
                ends_at=end - GRACE * 1000,
                published_at=end,
                published=published,
                hands=HANDS,
                opponents=opponents,
                rival=rival,
                big_blind=BIG_BLIND,
                commitment=same.commitment(day),
                seed=same.published_seed(day),
                players=len(ended),
                mean=mean_of(nets, BIG_BLIND),
                own=None if mine is None else await self._day_result(mine, nets),
                streak=streak(await same.days_of(identity), day),
                replay="" if replay is None else replay.run.id,
            )
        )

    async def _day_result(self, mine: Result, nets: Sequence[float]) -> schemas.DayResult | None:
        run = await self.archive.run(mine.run)
        if run is None:
            return None
        is_open = run.closed_at is None and self.house.report(run.table) is not None
        table = run.table if is_open and mine.net is None else ""
        if mine.net is None:
            return schemas.DayResult(run.id, table, None, 0, len(nets))
        # Nobody is worse than himself.
        return schemas.DayResult(run.id, table, mine.net, worse(mine.net, nets), len(nets) - 1)

    async def link(self, request: Request) -> Response:
        """Return what a link for friends leads to."""
        try:
            found = self.same_deals.find_link(request.path_params["link"], self._identity(request))
        except Refused as refusal:
            raise HttpError(404, "not_found", refusal.detail.partition(": ")[2]) from None
        result = found.result
        return json_response(
            schemas.LinkResponse(
                player=result.player,
                rival=result.rival,
                opponents=result.opponents,
                game=result.game,
                hands=result.of,
                until=int(found.until * 1000),
                left=found.left,
            )
        )

    def _identity(self, request: Request) -> str:
        return self.identities.identity(request.headers.get("cookie", ""))

    async def _is_player(self, run: int, identity: str) -> bool:
        hands = await self.archive.hands(run, None, 1)
        return bool(identity) and any(seat.identity == identity for hand in hands for seat in hand.seated)


def _names(setting: CreateTable) -> tuple[list[str], str]:
    """Return the names of the house bots at a table, and of the rival."""
    names = [f"{bot}-{number}" for number, bot in enumerate((*setting.bots, setting.rival), 1)]
    return names[:-1], names[-1]
