"""The API of the ladder's organiser, ``/api/ladder/organiser``, for the token of ``pokerd ladder admin``."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dealer.ratings.model import METHOD
from server.ladder.grading import GradeRow, grade_cells, grade_columns
from server.ladder.ladder import Ladder
from server.ladder.roster import Enrolled, enrol, read_roster
from server.web.ladder.requests import found, names_for, order_of, verify_organiser
from server.web.ladder.schemas import (
    AuthorGrades,
    Declaration,
    GroupDeadline,
    LadderGrades,
    LadderOverview,
    NewToken,
    NewTokens,
    RosterEntry,
)
from server.web.responses import HttpError, csv_response, json_response


class _Roster(msgspec.Struct, forbid_unknown_fields=True):
    text: str


class _Token(msgspec.Struct, forbid_unknown_fields=True):
    name: str


class OrganiserApi(NamedTuple):
    """The addresses under ``/api/ladder/organiser``."""

    ladder: Ladder

    def routes(self) -> list[Route]:
        """Return the routes."""
        base = "/api/ladder/organiser"
        return [
            Route(base, self.overview),
            Route(f"{base}/grades", self.grades),
            Route(f"{base}/grades.csv", self.grades_csv),
            Route(f"{base}/roster", self.roster, methods=["POST"]),
            Route(f"{base}/token", self.token, methods=["POST"]),
            Route(f"{base}/freeze", self.freeze, methods=["POST"]),
            Route(f"{base}/unfreeze", self.unfreeze, methods=["POST"]),
        ]

    async def overview(self, request: Request) -> Response:
        """Return the roster, the deadlines, and whether versions are taken."""
        verify_organiser(self.ladder, request)
        return self._overview()

    async def grades(self, request: Request) -> Response:
        """Return what every author has reached."""
        verify_organiser(self.ladder, request)
        return json_response(
            LadderGrades(
                method=METHOD,
                value_function=self.ladder.store.value_function,
                rules=[rule.name for rule in self.ladder.config.grades],
                rows=[_author_grades(row) for row in await self.ladder.grades()],
            )
        )

    async def grades_csv(self, request: Request) -> Response:
        """Return the same as CSV."""
        verify_organiser(self.ladder, request)
        config = self.ladder.config
        rows = grade_cells(config, await self.ladder.grades(), self.ladder.store.value_function)
        return csv_response(f"{config.name}-grades", grade_columns(config), rows)

    async def roster(self, request: Request) -> Response:
        """Add the authors of a CSV text; return the tokens of those who are new."""
        ladder = self.ladder
        verify_organiser(ladder, request)
        order = await order_of(request, _Roster)
        return self._enrol(
            found(lambda: read_roster(order.text, ladder.store.authors(), ladder.store.house_bots()))
        )

    async def token(self, request: Request) -> Response:
        """Give an author a new token in place of the one he had."""
        verify_organiser(self.ladder, request)
        order = await order_of(request, _Token)
        author = next((one for one in self.ladder.store.authors() if one.name == order.name), None)
        if author is None:
            raise HttpError(404, "unknown_bot", f"nobody in the roster is called {order.name[:64]!r}")
        return self._enrol([enrol(author.name, author.group)])

    async def freeze(self, request: Request) -> Response:
        """Take no more versions."""
        return self._freeze(request)

    async def unfreeze(self, request: Request) -> Response:
        """Take versions again."""
        return self._freeze(request, undo=True)

    def _freeze(self, request: Request, *, undo: bool = False) -> Response:
        verify_organiser(self.ladder, request)
        self.ladder.freeze(undo=undo)
        return self._overview()

    def _overview(self) -> Response:
        ladder = self.ladder
        strangers = names_for(ladder)
        pushed: dict[str, int] = {}
        for version in ladder.store.versions():
            pushed[version.bot] = version.number
        return json_response(
            LadderOverview(
                name=ladder.config.name,
                season=ladder.config.season,
                frozen=ladder.frozen,
                blind=ladder.blind,
                roster=[
                    RosterEntry(one.name, one.group, strangers.of(one.name), pushed.get(one.name, 0))
                    for one in ladder.store.authors()
                ],
                deadlines=[
                    GroupDeadline(one.name, one.at.timestamp(), one.group) for one in ladder.config.deadlines
                ],
            )
        )

    def _enrol(self, enrolled: list[Enrolled]) -> Response:
        self.ladder.enrol([one.author for one in enrolled])
        return json_response(
            NewTokens(
                [NewToken(one.author.name, one.author.group, one.token) for one in enrolled if one.token]
            )
        )


def _author_grades(row: GradeRow) -> AuthorGrades:
    version, declared = row.version, row.row["declared"] if row.row else None
    return AuthorGrades(
        author=row.author.name,
        group=row.author.group,
        deadline=row.deadline.name if row.deadline else "",
        version=version.name if version else "",
        state=version.state if version else "",
        pushed_at=version.pushed_at if version else None,
        rating=row.row["rating"] if row.row else None,
        half=row.row["half"] if row.row else None,
        ranks=row.row["ranks"] if row.row else None,
        passed=[grade.passed for grade in row.grades],
        declared=Declaration(**declared) if declared else None,
        incidents=row.work.incidents,
        play_hours=round(row.work.seconds / 3600, 3),
        late=list(row.late),
    )
