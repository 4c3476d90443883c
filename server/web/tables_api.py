"""The API of open tables and their hands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from protocol.event_messages import game_info
from server.house.hand_coach import HandCoach
from server.house.house import House
from server.house.table_report import TableReport
from server.people.same_deals import SameDeals
from server.storage.hand_store import HandStore
from server.storage.stored_hands import StoredHand, StoredRun, archived_name, split_hand, split_run
from server.web import schemas
from server.web.exports import export_response, split_format
from server.web.identity import Identities
from server.web.replay import ReplayHand, decision_at, hand_summary, told_hand, viewed_hand
from server.web.responses import MAX_LIMIT, HttpError, csv_response, int_parameter, json_response

#: Digits of a number that no hand has so many actions as.
_DIGITS: Final = 9
_TABLE_COLUMNS: Final = ("table", "run", "game", "mode", "seats", "free", "hands", "name", "stakes")
HAND_COLUMNS: Final = ("id", "hand", "at", "position", "player", "net", "board", "pot", "cards")


def hand_rows(hands: Sequence[schemas.HandSummary]) -> list[tuple[object, ...]]:
    """Return a row for every player of every hand."""
    return [
        (
            *(hand.id, hand.hand, hand.at, position, player, net, " ".join(hand.board), hand.pot),
            " ".join(cards),
        )
        for hand in hands
        for position, (player, net, cards) in enumerate(zip(hand.players, hand.net, hand.cards, strict=True))
    ]


class TableApi(NamedTuple):
    """The API of tables. Without an archive it has no hands."""

    house: House
    archive: HandStore | None
    identities: Identities
    same_deals: SameDeals | None = None
    hand_coach: HandCoach | None = None

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/api/bots", self.bots),
            Route("/api/bots.csv", self.bots_csv),
            Route("/api/tables", self.tables),
            Route("/api/tables.csv", self.tables_csv),
            Route("/api/tables/{table}", self.table),
            Route("/api/tables/{table}/hands", self.hands),
            Route("/api/tables/{table}/hands.csv", self.hands_csv),
            Route("/api/hands/{hand}", self.hand),
            Route("/api/hands/{hand}/hints/{number}", self.hint),
        ]

    async def bots(self, _: Request) -> Response:
        """List the house bots that people may invite."""
        bots = self.house.house_bots
        descriptions = {name: bot.does for name, bot in bots.items()}
        parameters = {name: bot.parameters for name, bot in bots.items() if bot.parameters}
        return json_response(schemas.BotsResponse(sorted(bots), descriptions, parameters))

    async def bots_csv(self, _: Request) -> Response:
        """List the house bots as CSV."""
        rows = [(name, bot.does) for name, bot in sorted(self.house.house_bots.items())]
        return csv_response("bots", ("bot", "description"), rows)

    async def tables(self, _: Request) -> Response:
        """List all open tables."""
        return json_response(schemas.TablesResponse(await self._entries()))

    async def tables_csv(self, _: Request) -> Response:
        """List all open tables as CSV."""
        rows = [
            (
                *(getattr(table, column) for column in _TABLE_COLUMNS),
                " ".join(kind or "-" for kind in table.kinds),
            )
            for table in await self._entries()
        ]
        return csv_response("tables", (*_TABLE_COLUMNS, "kinds"), rows)

    async def table(self, request: Request) -> Response:
        """Return one table, open or closed."""
        name = request.path_params["table"]
        report, run = self.house.report(name), await self._run(name)
        if report is not None:
            return json_response(_open(report, run))
        if run is None:
            raise HttpError(404, "not_found", f"no table {name!r}")
        report = self.house.report(run.table)
        if report is not None and run.closed_at is None and await self._run(run.table) == run:
            return json_response(_open(report, run))
        last = await self._archived().hands(run.number, None, 1)
        seed = run.seed
        if run.day and run.closed_at is not None and self.same_deals is not None:
            seed = self.same_deals.published_seed(run.day, run.commitment)
        return json_response(_closed(run, last[0].number if last else 0, seed))

    async def hands(self, request: Request) -> Response:
        """List the hands of a table, newest first."""
        found, following = await self._page(request)
        return json_response(schemas.HandsResponse(found, following))

    async def hands_csv(self, request: Request) -> Response:
        """List the hands of a table as CSV."""
        found, _ = await self._page(request)
        return csv_response(f"{request.path_params['table']}-hands", HAND_COLUMNS, hand_rows(found))

    async def hand(self, request: Request) -> Response:
        """Return one hand, or a file of it."""
        text, suffix = split_format(request.path_params["hand"])
        recorded = await self._found(text, request)
        return await export_response(recorded, suffix) if suffix else json_response(await told_hand(recorded))

    async def hint(self, request: Request) -> Response:
        """Return what a strong bot would have done at a decision whose player's cards may be seen."""
        recorded = await self._found(request.path_params["hand"], request)
        number = request.path_params["number"]
        is_number = number.isascii() and number.isdigit() and len(number) < _DIGITS
        decision = decision_at(recorded, int(number)) if is_number else None
        if decision is None:
            raise HttpError(404, "not_found", "There is no such decision, or you may not see its cards.")
        bot = "" if self.hand_coach is None else self.hand_coach.bot_for(recorded.game)
        if self.hand_coach is None or not bot:
            raise HttpError(404, "no_coach", "No strong house bot plays this game here.")
        address = "" if request.client is None else request.client.host
        chances = await self.hand_coach.ask(decision, address)
        if not chances:
            raise HttpError(503, "busy", "The bot does not answer now. Try again in a moment.")
        return json_response(schemas.HandHintResponse(bot, chances, self.hand_coach.depth_of(decision)))

    async def _found(self, text: str, request: Request) -> ReplayHand:
        """Return a stored hand as its viewer may see it. Raises ``HttpError`` (``not_found``)."""
        name = split_hand(text)
        stored = (
            await self.archive.find_hand(*name[1:]) if name is not None and self.archive is not None else None
        )
        recorded = None
        if stored is not None and stored.id == text and not self._is_hidden(stored.run):
            recorded = self._recorded(stored, self.identities.identity(request.headers.get("cookie", "")))
        if recorded is None:
            raise HttpError(404, "not_found", f"no hand {text!r}")
        return recorded

    async def _entries(self) -> list[schemas.TableSummary]:
        found = []
        for name in [listing.table for listing in self.house.listing()]:
            run, report = await self._run(name), self.house.report(name)
            if report is None:
                continue
            table, status = _open(report, run), report.status
            found.append(
                schemas.TableSummary(
                    name,
                    table.run,
                    table.game,
                    table.mode,
                    table.seats,
                    table.free,
                    table.players,
                    table.hands,
                    status.name,
                    status.stakes,
                    status.kinds,
                )
            )
        return found

    async def _run(self, name: str) -> StoredRun | None:
        """Return the run with this id, or the latest run of the table with this name."""
        if self.archive is None:
            return None
        split = split_run(name)
        if split is not None and self.house.report(name) is None:
            run = await self.archive.run(split[1])
        else:
            run = await self.archive.latest_run(name)
        known = run is not None and (name == run.id or archived_name(name) == run.table)
        return None if run is None or self._is_hidden(run) or not known else run

    def _is_sealed(self, run: StoredRun) -> bool:
        return self.same_deals.is_sealed(run) if self.same_deals is not None else bool(run.day)

    def _is_hidden(self, run: StoredRun) -> bool:
        """Return whether nobody may see the run."""
        return run.secret or (run.is_rival and self._is_sealed(run))

    def _recorded(self, hand: StoredHand, identity: str) -> ReplayHand | None:
        """Return a stored hand as the player with this identity may see it, if he may."""
        recorded = viewed_hand(hand, identity)
        if not hand.run.day:
            return recorded
        if self._is_sealed(hand.run):
            return recorded if recorded.own is not None else None
        # Everybody may compute the cards from the seed.
        return recorded._replace(open=True)

    def _archived(self) -> HandStore:
        assert self.archive is not None
        return self.archive

    async def _page(self, request: Request) -> tuple[list[schemas.HandSummary], str]:
        name = request.path_params["table"]
        limit = int_parameter(request, "limit", 50, least=1, most=MAX_LIMIT)
        run = await self._run(name)
        if run is None:
            if self.house.report(name) is not None:
                return [], ""
            raise HttpError(404, "not_found", f"no hands of a table {name!r}")
        before = None
        if request.query_params.get("before"):
            split = split_hand(request.query_params["before"])
            if split is None or split[:2] != (run.table, run.number):
                raise HttpError(400, "bad_parameter", "before must be the id of a hand of this table")
            before = split[2]
        found = await self._archived().hands(run.number, before, limit + 1)
        identity = self.identities.identity(request.headers.get("cookie", ""))
        seen = [self._recorded(hand, identity) for hand in found]
        hands = [hand_summary(hand) for hand in seen if hand is not None]
        return hands[:limit], hands[limit - 1].id if len(hands) > limit else ""


def _open(report: TableReport, run: StoredRun | None) -> schemas.TableResponse:
    """Return an open table. If its latest stored run is closed, its current hands are not stored."""
    listing = report.listing
    current = run if run is not None and run.closed_at is None else None
    return schemas.TableResponse(
        table=listing.table,
        run="" if current is None else current.id,
        open=True,
        game=listing.game,
        mode=listing.mode,
        seats=listing.seats,
        free=listing.free,
        players=report.status.players,
        hands=report.status.hands,
        time_ms=report.time_ms,
        bank_ms=report.bank_ms,
        definition=report.definition,
        commitment=report.commitment,
        seed="",
        name=report.status.name,
    )


def _closed(run: StoredRun, hands: int, seed: str) -> schemas.TableResponse:
    return schemas.TableResponse(
        table=run.table,
        run=run.id,
        open=False,
        game=run.game.name,
        mode=run.mode,
        seats=run.seats,
        free=0,
        players=[],
        hands=hands,
        time_ms=0,
        bank_ms=0,
        definition=game_info(run.game),
        commitment=run.commitment,
        seed=seed,
        name="",
    )
