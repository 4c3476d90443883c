"""``docs/api.md`` against the addresses and shapes of the program, and against what a real server answers."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args

import msgspec
import pytest
from msgspec import inspect
from starlette.routing import Route

from dealer.curves import POINTS
from dealer.intervals import MIN_UNITS
from dealer.rules.games import holdem, load_game
from pokerd.commands.serve import offered_bots, push_fold_tables
from protocol.base import Choice
from protocol.messages import GameInfo, ServerMessage
from protocol.people import ChallengeHand, ChallengeResult, Estimate, PlayScore
from server.auth.tokens import Ban, Quota
from server.bots.offered import BotParameter
from server.bots.processes import ProcessManager
from server.house.admin import CODES, Administration, AdminRequest, ConnectionInfo, Overview, TokenInfo
from server.house.hand_coach import HandCoach
from server.house.house import House
from server.house.lobby import Lobby
from server.house.table_report import TableStatus
from server.people.performance import PlayedMatch, PlaySetting
from server.people.results import KeptResult, PeopleResults
from server.people.same_deals import SameDeals, link_token
from server.storage.hand_db import HandStoreError
from server.storage.hand_store import HandStore
from server.storage.player_results import (
    MAX_ENTRIES,
    MAX_HANDS,
    Curve,
    GroupResult,
    KnownPlayer,
    PlayerResults,
)
from server.tables.phases import Phase
from server.tournaments.desk import TournamentDesk
from server.web import schemas
from server.web.admin_api import DEFAULT_DAYS, MAX_BODY, MAX_DAYS, AdminActionResponse, PlayersResponse
from server.web.competitions.reader import REFRESH, CompetitionCatalog
from server.web.exports import FORMATS
from server.web.identity import COOKIE, Identities, load_secret
from server.web.ladder import schemas as ladder_schemas
from server.web.people import tournament_schemas
from server.web.responses import MAX_LIMIT
from server.web.site import Site
from server.web.static_files import Files
from tests.dealer.records.played import random_hand
from tests.docs.kinds import kind_text
from tests.docs.pages import API, blocks, code, numbers, read, rows, section
from tests.docs.programs.ladder_shapes import LADDER_NAMES, ladder_fields
from tests.support.competitions.results import make
from tests.support.houses.http_client import Answer, Place, site
from tests.support.houses.people import open_table
from tests.support.houses.people_table import come
from tests.support.ladder import filled, ladder_place

#: What the page calls the schemas.
NAMES: Final[Mapping[str, type]] = {
    "problem": schemas.ProblemResponse,
    "version": schemas.VersionResponse,
    "bots": schemas.BotsResponse,
    "bot parameter": BotParameter,
    "tables": schemas.TablesResponse,
    "table entry": schemas.TableSummary,
    "table": schemas.TableResponse,
    "tournaments": tournament_schemas.TournamentsResponse,
    "tournament entry": tournament_schemas.TournamentSummary,
    "tournament": tournament_schemas.TournamentResponse,
    "level": tournament_schemas.TournamentLevel,
    "tournament table": tournament_schemas.TournamentTableEntry,
    "tournament player": tournament_schemas.TournamentPlayer,
    "hands": schemas.HandsResponse,
    "session hands": schemas.SessionHandsResponse,
    "hand entry": schemas.HandSummary,
    "hand": schemas.HandResponse,
    "hand hint": schemas.HandHintResponse,
    "challenge result": schemas.ChallengeResponse,
    "friend": schemas.FriendResult,
    "link": schemas.LinkResponse,
    "day": schemas.DayResponse,
    "your try": schemas.DayResult,
    "leaders": schemas.LeadersResponse,
    "leader": schemas.Leader,
    "day leader": schemas.DayLeader,
    "players": schemas.PlayersResponse,
    "player's play": schemas.PlayerPlay,
    "people": schemas.PeopleResponse,
    "people group": schemas.PeopleGroup,
    "setting": PlaySetting,
    "people's results": schemas.PeopleResultsResponse,
    "kept result": KeptResult,
    "played match": PlayedMatch,
    "person": schemas.PersonResponse,
    "own results": schemas.OwnPlayResponse,
    "device": schemas.DeviceResponse,
    "own hand": schemas.OwnHand,
    "push or fold": schemas.PushFoldResponse,
    "group": GroupResult,
    "winnings": Curve,
    "competitions": schemas.CompetitionsResponse,
    "entry": schemas.CompetitionSummary,
    "competition": schemas.CompetitionResponse,
    "bot": schemas.BotInfo,
    "division": schemas.DivisionInfo,
    "sessions": schemas.SessionsResponse,
    "session entry": schemas.SessionSummary,
    "curves": schemas.CurvesResponse,
    "bot's curves": schemas.BotCurvesInfo,
    "curve": schemas.CurveInfo,
}
STRUCTS: Final[Mapping[type, str]] = {
    **{shape: name for name, shape in NAMES.items()},
    **dict.fromkeys(get_args(ServerMessage), "message"),
    GameInfo: "game",
    PlayScore: "play score",
    Estimate: "estimate",
}
CHALLENGE = ChallengeResult(
    table="table-1",
    run="",
    rival_run="",
    player="ann",
    rival="fair-3",
    opponents=["call-1"],
    game="no-limit hold'em 5/10",
    big_blind=10,
    of=1,
    hands=[ChallengeHand(1, 20, 10)],
    player_net=20,
    rival_net=10,
    mean=10.0,
    half=None,
    decided=False,
)
TWO = PlaySetting("tournament", "nolimit", ("fair",), "", 5, 10, 0, 1000, 0, "bb", 1, 0, "match")
#: A request for each address.
BASE = "/api/competitions/spring"
ASKED: Final[Mapping[str, str]] = {
    "/api/version": "",
    "/api/bots": "",
    "/api/bots.csv": "",
    "/api/tables": "",
    "/api/tables.csv": "",
    "/api/tables/{table}": "/api/tables/table-1",
    "/api/tables/{table}/hands": "/api/tables/table-1/hands",
    "/api/tables/{table}/hands.csv": "/api/tables/table-1/hands.csv",
    "/api/hands/{hand}": "/api/hands/table-1.1.1",
    "/api/hands/{hand}/hints/{number}": "/api/hands/table-2.3.1/hints/0",
    "/api/tournaments": "",
    "/api/tournaments/{tournament}": "/api/tournaments/tournament-1",
    "/api/challenges/{challenge}": "/api/challenges/table-1.1",
    "/api/days/{day}": "/api/days/today",
    "/api/links/{link}": f"/api/links/table-1.1.{link_token(bytes(32), 'table-1.1')}",
    "/api/me": "",
    "/api/me/hands.csv": "",
    "/api/me/device": "",
    "/api/me/device/{token}": "",
    "/api/leaders": "",
    "/api/players": "",
    "/api/push-fold/{stack}": "/api/push-fold/2.5",
    "/api/people": "",
    "/api/people/results": "",
    "/api/people/results.csv": "",
    "/api/people/results/{key}": "/api/people/results/KEY",
    "/api/competitions": "",
    "/api/competitions.csv": "",
    "/api/competitions/{competition}": BASE,
    **{
        f"/api/competitions/{{competition}}/{name}": f"{BASE}/{name}"
        for name in (
            *("standings.csv", "finishes.csv", "runoff.csv", "crosstable.csv", "incidents.csv"),
            *("curves", "curves.csv", "sessions"),
        )
    },
    "/api/competitions/{competition}/sessions.csv": f"{BASE}/sessions.csv",
    **{
        f"/api/competitions/{{competition}}/sessions/{{division}}/{{session}}/hands{rest}": (
            f"{BASE}/sessions/duel/m0000-l000-s0/hands{rest}".replace("{number}", "0")
        )
        for rest in ("", ".csv", "/{number}")
    },
}


def told() -> dict[str, str]:
    """The addresses of the page, and what they answer."""
    found = {}
    for address, answer in rows(section(API, "## Addresses")):
        (path,) = code(address)
        if path.startswith("/"):
            found[path] = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", answer).partition(";")[0].strip()
    return found


async def test_every_address_is_told_and_no_other(tmp_path: Path) -> None:
    archive = HandStore(tmp_path / "hands.sqlite3")
    app = Site(House(), Files(tmp_path), Identities(b"")).app(
        archive,
        CompetitionCatalog(),
        people=PeopleResults(archive),
        same_deals=SameDeals(archive, b""),
        push_fold=push_fold_tables,
        desk=TournamentDesk(Lobby(ProcessManager(tmp_path), make_house=House)),
    )
    routes = {route.path for route in app.routes if isinstance(route, Route)}
    assert set(told()) == {path for path in routes if path.startswith("/api/")} == set(ASKED)
    await archive.close()


async def test_the_ladder_is_told_and_nothing_else(tmp_path: Path) -> None:
    async with ladder_place(tmp_path) as ladder:
        app = Site(House(), Files(tmp_path), Identities(b"")).app(
            None, CompetitionCatalog(), ladder=ladder.ladder
        )
    served = {
        (method, route.path.replace(":int", ""))
        for route in app.routes
        if isinstance(route, Route) and route.path.startswith("/api/ladder")
        for method in (route.methods or set()) - {"HEAD"}
    }
    told = {
        ("POST" if path.endswith("*") else "GET", code(path)[0])
        for path, _ in rows(section(API, "## Ladder"))
    }
    assert told == served


async def test_every_answer_of_the_ladder_has_the_shape_that_is_told(tmp_path: Path) -> None:
    bot = "/api/ladder/bots/bob"
    asked = {
        "/api/ladder/matches/{number}": "/api/ladder/matches/2",
        "/api/ladder/bots/{bot}": bot,
        "/api/ladder/bots/{bot}/history": f"{bot}/history",
        "/api/ladder/bots/{bot}/style": f"{bot}/style",
    }
    orders: dict[str, dict[str, Any]] = {
        "/api/ladder/challenge": {"opponents": ["call"]},
        "/api/ladder/organiser/roster": {"text": "name,group\nzoe,A\n"},
        "/api/ladder/organiser/token": {"name": "ann"},
        "/api/ladder/organiser/freeze": {},
        "/api/ladder/organiser/unfreeze": {},
    }
    async with ladder_place(tmp_path) as place:
        await filled(place)
        place.ladder.store.add_match(["ann@1", "call"], "challenge", 1.0, "ann")
        browser = place.browser()
        for path, what in rows(section(API, "## Ladder")):
            name, address = what.partition(";")[0], code(path)[0]
            who = "ann" if address in {"/api/ladder/challenge", "/api/ladder/mine"} else "organiser"
            token = {"Authorization": f"Bearer {place.tokens[who]}"}
            if address in orders:
                answer = await browser.post(address, json.dumps(orders[address]).encode(), **token)
            elif name in LADDER_NAMES and not path.endswith("*"):
                answer = await browser.get(asked.get(address, address), **token)
            else:
                # Files, and what takes one.
                assert address.endswith(("/push", "/log", "/grades.csv")), address
                continue
            check(answer, LADDER_NAMES[name])
    (block,) = blocks(API, "ladder")
    assert block.text == ladder_fields()


#: What administrators are answered.
SHAPES: Final = (
    *(Overview, TableStatus, ConnectionInfo, Ban, TokenInfo, Quota, AdminActionResponse),
    *(PlayersResponse, KnownPlayer, PlayerResults, GroupResult, Curve),
)


async def test_administration_is_told_and_nothing_else(tmp_path: Path) -> None:
    house = House()
    administration = Administration(house, tmp_path)
    app = Site(house, Files(tmp_path), Identities(b"")).app(None, CompetitionCatalog(), None, administration)
    routes = {route.path for route in app.routes if isinstance(route, Route)}
    asked = {"/api/admin", "/api/admin/players", "/api/admin/statistics"}
    assert {path for path in routes if path.startswith("/api/admin")} == asked | {"/api/admin/{action}"}
    text = section(API, "## Administration")
    orders = {code(path)[0]: set(code(about)) for _, path, about, *_ in rows(text) if path.startswith("`/")}
    assert set(orders) == asked | {f"/api/admin/{action}" for action in administration.actions}
    assert set().union(*orders.values()) == set(AdminRequest.__struct_fields__)
    told = {one: int(status) for status, codes, *_ in rows(text) if status.isdigit() for one in code(codes)}
    assert told == {**CODES, "not_kept": 500}
    for shape in SHAPES:
        assert set(shape.__struct_fields__) <= set(code(text)), shape
    (too_long,) = [numbers(meaning) for _, codes, meaning, *_ in rows(text) if code(codes) == ["bad_order"]]
    assert MAX_BODY in too_long
    assert {MAX_DAYS, DEFAULT_DAYS, MAX_ENTRIES, MAX_HANDS, MIN_UNITS} <= set(numbers(text))
    assert {*Phase} - {Phase.CLOSED} <= {phase for phase in Phase if phase.value in code(text)}


def test_every_field_is_told_and_no_other() -> None:
    owner = ""
    documented: list[tuple[str, str, str]] = []
    for name, fields, kind, _ in rows(section(API, "## Fields")):
        owner = name or owner
        documented += [(owner, field, kind) for field in code(fields)]
    assert documented == [
        (name, field.encode_name, kind_text(field.type, STRUCTS))
        for name, shape in NAMES.items()
        for field in fields_of(shape)
    ]


def fields_of(shape: type) -> Iterator[inspect.Field]:
    struct = inspect.type_info(shape)
    assert isinstance(struct, inspect.StructType)
    yield from struct.fields


def test_every_shape_has_a_name() -> None:
    defined = {
        thing
        for module in (schemas, tournament_schemas, ladder_schemas)
        for thing in vars(module).values()
        if isinstance(thing, type) and thing.__module__ == module.__name__
    }
    assert {*NAMES.values(), *LADDER_NAMES.values()} == defined | {
        BotParameter,
        Curve,
        GroupResult,
        KeptResult,
        PlayedMatch,
        PlaySetting,
    }


async def hinted(*_: object) -> list[Choice]:
    """What a house bot answers."""
    return [("fold", 0, 0.25), ("raise", 20, 0.75)]


@pytest.fixture
async def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    make(tmp_path / "results" / "spring")
    lobby = Lobby(ProcessManager(tmp_path), bots=offered_bots(), make_house=partial(House, guests=True))
    async with site(
        tmp_path,
        catalog=CompetitionCatalog(tmp_path / "results"),
        house=lobby.house,
        push_fold=push_fold_tables,
        desk=TournamentDesk(lobby),
        hand_coach=lobby.hand_coach,
    ) as opened:
        client = come(opened.house, "ann")
        client.say("announce", name="Sunday")
        client.say("register", tournament="tournament-1")
        open_table(opened.house, seats=3, name="table-1")
        game = holdem(3, 5, 10, stack=300)
        recorder = opened.archive.open_table("table-1", mode="cash", game=game, seats=3, commitment="c")
        for number in (1, 2):
            recorder.begin(game, [("ann", ""), ("bob", ""), ("cleo", "")])
            recorder.record_hand(random_hand(game, random.Random(number), number).events)
        recorder.rival_recorder()
        recorder.conclude(CHALLENGE, b"{}")
        recorder.close(bytes(32))
        monkeypatch.setattr("secrets.token_urlsafe", lambda _: "KEY")
        monkeypatch.setattr(HandCoach, "ask", hinted)
        opened.people.keep([PlayedMatch(1, 1000, 0, [(1000, 400.5, 10)])], TWO)
        yield opened


async def test_every_answer_has_the_shape_that_is_told(place: Place) -> None:
    browser = place.browser()
    await browser.get("/")
    game = holdem(2, 5, 10, stack=300)
    recorder = place.archive.open_table("table-2", mode="cash", game=game, seats=2, commitment="c")
    identity = Identities(load_secret(place.data)).identity(browser.cookie)
    recorder.begin(game, [("ann", identity), ("bob", "")])
    recorder.record_hand(random_hand(game, random.Random(1), 1).events)
    device = await browser.post("/api/me/device", b"")
    check(device, NAMES[told()["/api/me/device"]])
    assert (await browser.post(f"/api/me/device/{device.json()['token']}", b"")).status == 204
    for address, name in told().items():
        if address.startswith("/api/me/device"):
            continue
        answer = await browser.get(ASKED[address] or address)
        assert answer.status == 200, address
        if address.endswith(".csv"):
            assert answer.rows(), address
        else:
            check(answer, NAMES[name])
        assert answer.headers["cache-control"] == "no-store"
    refused = await browser.get("/api/nothing")
    check(refused, schemas.ProblemResponse)


def check(answer: Answer, shape: type) -> None:
    """The answer is of that shape: no field less, no field more, nothing of another type."""
    data = answer.json()
    value: object = msgspec.convert(data, shape)
    again = json.loads(msgspec.json.encode(value))
    assert again == data
    assert_whole(data, inspect.type_info(shape))


def assert_whole(data: Any, kind: inspect.Type) -> None:
    match kind:
        case inspect.StructType(cls=cls) if cls in {*NAMES.values(), *LADDER_NAMES.values()}:
            assert set(data) == {field.encode_name for field in kind.fields}
            for field in kind.fields:
                assert_whole(data[field.encode_name], field.type)
        case inspect.ListType(item_type=item):
            for one in data:
                assert_whole(one, item)


async def test_every_parameter_is_understood(place: Place) -> None:
    browser = place.browser()
    parameters = {code(name)[0]: code(of) for name, of, *_ in rows(section(API, "## Parameters"))}
    lists = [
        address
        for address in told()
        if address.endswith(("/hands", "/sessions", "/curves", "/results", "/me", "/me/hands.csv"))
    ]
    assert list(parameters) == ["limit", "before", "after", "offset", "division", "bot", "unit", "seating"]
    for name, of in parameters.items():
        for address in lists:
            known = address.endswith(tuple(f"/{ending}" for ending in of))
            status = (await browser.get(f"{ASKED[address] or address}?{name}=~")).status
            assert status == (400 if known else 200), (name, address)


async def halved(port: int, monkeypatch: pytest.MonkeyPatch) -> Answer:
    """What is answered to half a request."""
    with monkeypatch.context() as impatient:
        impatient.setattr("server.web.http_timeouts.REQUEST", 0.1)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /api/tables HTTP/1.1\r\n")
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()
    lines = head.decode().lower().split("\r\n")[1:]
    return Answer(int(head[9:12]), dict(line.split(": ", 1) for line in lines), body)


async def test_every_error_is_told(
    place: Place, monkeypatch: pytest.MonkeyPatch, no_error_logged: list[str]
) -> None:
    browser = place.browser()

    def broken(*_: object) -> None:
        raise RuntimeError

    def damaged(*_: object) -> None:
        raise HandStoreError("bad_archive", "no hand")

    with monkeypatch.context() as patient:
        patient.setattr("server.web.competitions.api.WAIT", 0.0)
        patient.setattr("server.web.competitions.api.STEP", 0.0)
        computing = await browser.get(f"{BASE}/curves")
    answers = [
        computing,
        await browser.get("/api/tables/table-1/hands?limit=x"),
        await browser.get("/api/tables/none"),
        await browser.get("/api/tables", "POST"),
        await halved(place.port, monkeypatch),
        await browser.get("/api/tables", Host="evil.example"),
    ]
    game = load_game("leduc.limit.2p")
    leduc = place.archive.open_table(
        "table-2", mode="cash", game=game, seats=2, commitment="c", kind="exhibition"
    )
    leduc.begin(game, [("ann", ""), ("bob", "")])
    leduc.record_hand(random_hand(game, random.Random(1), 1).events)
    answers.insert(2, await browser.get(f"/api/hands/{leduc.run}.1/hints/0"))
    monkeypatch.setattr(place.archive, "find_hand", damaged)
    answers.append(await browser.get("/api/hands/table-1.1.1"))
    monkeypatch.setattr(place.archive, "find_hand", broken)
    answers.append(await browser.get("/api/hands/table-1.1.1"))
    monkeypatch.setattr("server.web.people.own_play.MAX_ASKING", 0)
    answers.append(await browser.get("/api/me"))
    monkeypatch.setattr(place.archive, "path", place.data / "gone")
    answers.append(await browser.get("/api/players"))
    no_error_logged.clear()
    seen = [(str(answer.status), f"`{answer.json()['code']}`") for answer in answers]
    assert seen == [(status, name) for status, name, _ in rows(section(API, "## Errors"))]


def test_the_example_is_one() -> None:
    (block,) = blocks(API, "json")
    assert json.loads(
        msgspec.json.encode(msgspec.json.decode(block.text, type=schemas.HandSummary))
    ) == json.loads(block.text)


def test_the_numbers_and_names_are_those_of_the_program() -> None:
    meanings = {name: row[-1] for row in rows(read(API)) for cell in row[:2] for name in code(cell)}
    assert numbers(meanings["limit"])[-1] == MAX_LIMIT
    assert POINTS in numbers(meanings["sets"])
    assert REFRESH in numbers(meanings["standings"])
    assert {COOKIE, *(f".{suffix}" for suffix in FORMATS)} <= set(code(read(API)))
