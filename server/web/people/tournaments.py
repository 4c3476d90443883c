"""The API of tournaments over several tables."""

from __future__ import annotations

from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dealer.tournaments.payouts import points, shares_for
from server.tournaments.desk import TournamentDesk
from server.tournaments.tournament import Entrant, Tournament
from server.web.identity import Identities
from server.web.people import tournament_schemas as shapes
from server.web.responses import HttpError, json_response

#: In which order tournaments are told.
_ORDER: Final = ("running", "open", "over", "cancelled")


class TournamentApi(NamedTuple):
    """The addresses below ``/api/tournaments``."""

    desk: TournamentDesk
    identities: Identities

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/api/tournaments", self.tournaments),
            Route("/api/tournaments/{tournament}", self.tournament),
        ]

    async def tournaments(self, _: Request) -> Response:
        """List all tournaments."""
        found = sorted(
            self.desk.tournaments.values(), key=lambda one: (_ORDER.index(one.status), -one.state.ended)
        )
        return json_response(shapes.TournamentsResponse([_summary(one) for one in found]))

    async def tournament(self, request: Request) -> Response:
        """Return one tournament."""
        name = request.path_params["tournament"]
        found = self.desk.tournaments.get(name)
        if found is None:
            raise HttpError(404, "not_found", f"no tournament {name!r}")
        identity = self.identities.identity(request.headers.get("cookie", ""))
        opener = found.state.opener
        opened = opener is not None and opener.identity == identity != ""
        return json_response(_response(found, found.entrant_with(identity), self.desk.clock(), opened=opened))


def _summary(tournament: Tournament) -> shapes.TournamentSummary:
    state, config, game = tournament.state, tournament.config, tournament.state.game
    entrants = len(state.entrants)
    return shapes.TournamentSummary(
        tournament=tournament.name,
        name=config.name,
        status=state.status,
        starts=int(state.starts * 1000) if state.starts else None,
        entrants=entrants,
        most=config.entrants,
        house_bots=config.house_bots,
        left=entrants if game is None else len(game.left),
        tables=len(tournament.tables),
        seats=config.seats,
        stack=config.stack,
        speed=config.speed,
        takes_entries=tournament.takes_entries,
    )


def _response(
    tournament: Tournament, own: Entrant | None, now: float, *, opened: bool
) -> shapes.TournamentResponse:
    state, config, game = tournament.state, tournament.config, tournament.state.game
    structure, running = config.structure, state.status == "running" and game is not None
    number = 0 if game is None else game.level
    left: float | None = None
    if running and game is not None:
        played = (
            now if structure.level_seconds else max((one.hands for one in game.tables.values()), default=0)
        )
        left = max(0.0, game.level_end - played)
    count = max(len(state.entrants), 2)
    players = [_player(tournament, one, own=one is own) for one in state.entrants]
    return shapes.TournamentResponse(
        summary=_summary(tournament),
        owner=state.owner,
        own=opened,
        level=_level(tournament, number),
        next_level=_level(tournament, number + 1),
        level_ms=int(left * 1000) if left is not None and structure.level_seconds else None,
        level_hands=int(left) if left is not None and not structure.level_seconds else None,
        late_level=structure.late_levels,
        break_level=(game.next_break if game is not None else structure.break_every) + 1
        if structure.break_every
        else 0,
        rests_ms=int(max(0.0, game.rests_until - now) * 1000) if running and game is not None else 0,
        hand_for_hand=running and game is not None and game.hand_for_hand,
        points=[round(points(count, place + 1), 1) for place in range(len(shares_for(count)))],
        tables=[
            shapes.TournamentTableEntry(
                table.facts.table, [name for name in table.facts.names if name], table.hands
            )
            for _, table in sorted(tournament.tables.items())
        ],
        players=sorted(players, key=lambda one: (-one.chips, one.place, one.name)),
    )


def _level(tournament: Tournament, number: int) -> shapes.TournamentLevel:
    level = tournament.config.structure.level(number)
    return shapes.TournamentLevel(number + 1, level.small_blind, level.big_blind)


def _player(tournament: Tournament, entrant: Entrant, *, own: bool) -> shapes.TournamentPlayer:
    game, seat, holder = tournament.state.game, tournament.seat_of(entrant), entrant.holder
    return shapes.TournamentPlayer(
        name=entrant.name,
        kind="person" if holder.person else "bot",
        chips=tournament.config.stack if game is None else game.stacks.get(entrant.number, 0),
        table="" if seat is None else tournament.table_name(seat[0]),
        place=0 if game is None else game.place(entrant.number),
        points=0.0 if game is None else round(game.points(entrant.number), 1),
        own=own,
    )
