"""Sessions of Slumbot's API at a house in this process: what clients do wrong, and when they are slow."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from clients.slumbot import hands as hands_module
from dealer.formats.fixed import FixedStacks
from dealer.rules.events import Acted, HandEnded
from dealer.rules.games import Game, holdem, load_game
from dealer.table import Clock
from server.house.house import House
from server.tables.player import Player
from tests.support.deals import deals_for
from tests.support.houses.open_house import Kept, Proxy, come, opened, until
from tests.support.houses.people import PATIENT, Remote, at_table
from tests.support.slumbot_bridges import Api

TOKEN = "our token"


class Duel:
    """A client of the API, in seat 1 and first on the button, against ``other``."""

    def __init__(self, url: str, api: Api, line: Proxy, other: Remote) -> None:
        self.url = url
        self.api = api
        self.line = line
        self.other = other
        self.kept = Kept()

    async def calls(self, times: int = 1) -> None:
        """The other one calls when it is asked."""
        for _ in range(times):
            turn = await self.other.hear("turn")
            await self.other.say("act", table="m", turn=turn["turn"], action="call")

    def forced(self) -> list[str]:
        """What the policy did for the client in hands that are over."""
        acted = [one for hand in self.kept.hands for one in hand if isinstance(one, Acted)]
        return [one.forced for one in acted if one.seat == 1 and one.forced]

    def results(self) -> list[float]:
        """What the client won, by the events of the table."""
        ends = [hand[-1] for hand in self.kept.hands]
        seats = [hand[0].seats for hand in self.kept.hands]  # type: ignore[union-attr]
        won = zip(seats, ends, strict=True)
        return [end.values[at.index(1)] for at, end in won if isinstance(end, HandEnded)]


@asynccontextmanager
async def duel(
    hands: int = 3, clock: Clock = PATIENT, game: Game | None = None, **settings: Any
) -> AsyncIterator[Duel]:
    game = game or load_game("holdem.nolimit.2p.reverse_blinds")
    async with opened(grace=20.0) as (house, url), Proxy(url) as line, come(url) as other:
        players = [Player("theirs", "their token"), Player("ours", TOKEN)]
        found = Duel(url, Api(line.url, **{"token": TOKEN} | settings), line, other)
        play = FixedStacks(game, deals_for(game), hands)
        at_table(house, players, play=play, recorder=found.kept, clock=clock)
        await other.say("hello", name="theirs", token="their token")
        await other.hear("match_start")
        await other.say("ready", table="m")
        try:
            yield found
        finally:
            await found.api.bridge.close()
            for one in players:
                if one.name in house.players:
                    house.remove_player(one)


async def test_a_match_has_the_results_of_the_server() -> None:
    async with duel(hands=2) as played:
        api = played.api
        hand = await api.new_hand()
        token = hand["token"]
        assert len(token) == 36
        assert (hand["action"], hand["client_pos"], hand["board"], hand["old_action"]) == ("", 1, [], "")
        calling = asyncio.create_task(played.calls(10))
        told = ["", "b300c/k", "b300c/kb500c/k", "b300c/kb500c/kk/k"]
        for number, incr in enumerate(["b300", "b500", "k", "b18000"]):
            assert hand["action"] == told[number]
            hand = await api.act(token, incr)
            assert hand["old_action"] == told[number]
        assert hand["action"] == "b300c/kb500c/kk/kb18000c"
        assert (len(hand["board"]), len(hand["bot_hole_cards"])) == (5, 2)
        results = [hand["winnings"]]
        assert abs(hand["won_pot"]) == 2 * 18_800
        hand = await api.new_hand(token)
        assert (hand["action"], hand["client_pos"]) == ("c", 0)
        hand = await api.act(token, "b20000")
        assert hand["action"] == "cb20000c///"
        results.append(hand["winnings"])
        assert (hand["session_num_hands"], hand["session_total"]) == (2, sum(results))
        await until(lambda: len(played.kept.hands) == 2)
        assert results == played.results()
        calling.cancel()


WRONG = [
    ("new_hand", {"token": "2a46e747-0934-4955-beaa-f101e01c3dd4"}),
    ("act", {"incr": "c"}),
    ("act", {"token": "nobody's", "incr": "c"}),
    ("act", {"token": 1, "incr": "c"}),
    ("act", [1]),
    ("act", b"{"),
    ("act", b"\xff"),
    ("act", b'{"incr":"\xff"}'),
    ("act", b"[" * 10_000),
]


async def test_a_bad_request_is_told_and_nothing_is_lost() -> None:
    async with duel(hands=1) as played:
        api = played.api
        hand = await api.new_hand()
        token = hand["token"]
        for what, body in WRONG:
            assert list(await api.post(f"/api/{what}", body)) == ["error_msg"], body
        for incr in ("k", "b199", "b20001", "x", "", "b"):
            assert list(await api.act(token, incr)) == ["error_msg"], incr
        assert list(await api.post("/api/act", {"token": token})) == ["error_msg"]
        status, _ = await api.bridge.answer("/api/other", b"")
        assert status == 404
        assert await api.new_hand(token) == hand
        hand = await api.act(token, "f")
        assert (hand["action"], hand["winnings"], hand["won_pot"]) == ("f", -50, -150)
        # The hand is over, and the next one has not begun for the client.
        assert list(await api.act(token, "f")) == ["error_msg"]
        assert not played.forced()


async def test_where_the_clock_ran_out_the_answer_comes_too_late() -> None:
    async with duel(hands=20_000, clock=Clock(0.2, 0.0)) as played:
        api = played.api
        token = (await api.new_hand())["token"]
        calling = asyncio.create_task(played.calls(10**9))
        await until(played.forced)
        late = await api.act(token, "b300")
        assert (late["action"], late["winnings"]) == ("f", -50)
        # After three turns without an answer the policy acts at once, and hands pass quickly.
        await until(lambda: "absent" in played.forced())
        total, number = -50, 1
        while True:
            hand = await api.new_hand(token)
            assert hand["old_action"] == ""
            if "winnings" not in hand:
                # It is back and asked again, if this turn has not passed meanwhile.
                hand = await api.act(token, "b400")
                if "b400" in hand["action"]:
                    break
            total, number = total + hand["winnings"], number + 1
            assert (hand["session_num_hands"], hand["session_total"]) == (number, total)
        calling.cancel()


async def test_a_client_that_went_while_waiting_does_not_act_twice() -> None:
    async with duel(hands=1) as played:
        api = played.api
        token = (await api.new_hand())["token"]
        going = asyncio.create_task(api.act(token, "b300"))
        await played.other.hear("acted")
        going.cancel()
        await asyncio.wait([going])
        again = asyncio.create_task(api.act(token, "b300"))
        await played.calls()
        turn = await played.other.hear("turn")
        await played.other.say("act", table="m", turn=turn["turn"], action="raise", to=200)
        hand = await again
        assert (hand["old_action"], hand["action"]) == ("", "b300c/b200")
        assert (await api.act(token, "f"))["winnings"] == -300


async def test_an_answer_that_a_lost_connection_swallowed_is_sent_again() -> None:
    async with duel(hands=1) as played:
        api = played.api
        token = (await api.new_hand())["token"]
        played.line.closed = True
        played.line.cut()
        (session,) = api.bridge.sessions.values()
        await until(lambda: not session._player.online)
        acting = asyncio.create_task(api.act(token, "b300"))
        await asyncio.wait([acting], timeout=0.05)
        played.line.closed = False
        await played.calls(2)
        assert (await acting)["action"] == "b300c/k"
        played.line.cut()
        await until(lambda: not session._player.online)
        acting = asyncio.create_task(api.act(token, "k"))
        await played.calls(1)
        assert (await acting)["action"] == "b300c/kk/k"
        assert not played.forced()


async def test_who_begins_again_with_the_bridges_token_goes_on_in_the_middle_of_the_hand() -> None:
    async with duel(hands=1) as played:
        api = played.api
        first = await api.new_hand()
        acting = asyncio.create_task(api.act(first["token"], "b300"))
        await played.calls(2)
        before = await acting
        again = await api.new_hand()
        assert again["token"] != first["token"]
        assert again | {"old_action": "", "token": ""} == before | {"old_action": "", "token": ""}
        assert "Unknown token" in (await api.act(first["token"], "k"))["error_msg"]
        (session,) = api.bridge.sessions
        assert session == again["token"]


@pytest.mark.parametrize("game", [holdem(2, 50, 100, stack=10_000), load_game("kuhn.limit.2p")])
async def test_a_table_with_another_game_is_left(game: Game) -> None:
    async with duel(hands=3, game=game) as played:
        answer = await played.api.new_hand()
        assert "m plays another game" in answer["error_msg"]
        assert not played.api.bridge.sessions


async def test_the_password_is_the_token_and_a_wrong_one_leaves_no_session() -> None:
    async with duel(hands=1, token="") as played:
        api = played.api
        login = {"username": "ours", "password": "wrong"}
        assert (await api.post("/api/login", login))["error_msg"].startswith("bad_token")
        assert not api.bridge.sessions
        assert list(await api.post("/api/login", login | {"password": "x" * 300})) == ["error_msg"]
        token = (await api.post("/api/login", login | {"password": TOKEN}))["token"]
        assert list(await api.act(token, "f")) == ["error_msg"]
        assert (await api.new_hand(token))["action"] == ""
        assert (await api.act(token, "f"))["winnings"] == -50
        # The server has no more hands; it keeps the connection for others.
        assert list(api.bridge.sessions) == [token]


@asynccontextmanager
async def empty(**settings: Any) -> AsyncIterator[tuple[House, Api]]:
    """A house that lets guests in and has no table."""
    async with opened(guests=True) as (house, url):
        api = Api(url, **settings)
        try:
            yield house, api
        finally:
            await api.bridge.close()


async def test_sessions_are_bounded_in_number_and_end_when_idle() -> None:
    async with empty(sessions=2, idle=0.3) as (house, api):
        login = {"username": "ann", "password": ""}
        tokens = [(await api.post("/api/login", login))["token"] for _ in range(2)]
        assert len(set(tokens)) == 2
        assert (await api.post("/api/login", login))["error_msg"].startswith("Too many sessions")
        assert (await api.new_hand())["error_msg"].startswith("Too many sessions")
        assert len(house.connections) == 2
        await until(lambda: not api.bridge.sessions)
        await until(lambda: not house.connections)
        assert "Unknown token" in (await api.new_hand(tokens[0]))["error_msg"]
        assert "token" in await api.post("/api/login", login)


async def test_a_session_that_waits_is_not_idle_and_no_client_waits_for_ever() -> None:
    async with empty(idle=0.05, wait=0.5) as (_, api):
        token = (await api.post("/api/login", {"username": "ann"}))["token"]
        answers = await asyncio.gather(api.new_hand(token), api.new_hand(token))
        assert [answer["error_msg"] for answer in answers] == ["No hand yet: ask again"] * 2
        await until(lambda: not api.bridge.sessions)


async def test_a_first_request_without_a_hand_leaves_no_session() -> None:
    async with empty(wait=0.1) as (_, api):
        assert (await api.new_hand())["error_msg"] == "No hand yet: ask again"
        assert not api.bridge.sessions


async def test_a_server_that_is_not_there_is_told() -> None:
    api = Api("ws://127.0.0.1:9")
    assert "cannot be reached" in (await api.new_hand())["error_msg"]
    assert not api.bridge.sessions
    await api.bridge.close()


async def test_hands_that_nobody_asks_for_are_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hands_module, "MAX_HANDS", 3)
    async with duel(hands=12, clock=Clock(0.02, 0.0)) as played:
        hand = await played.api.new_hand()
        await until(lambda: len(played.kept.hands) == 12)
        (session,) = played.api.bridge.sessions.values()
        await until(lambda: session._record.played == 12)
        hands = session._record.hands
        # The one that the client was told of, and the latest.
        assert [one.number for one in hands] == [1, 11, 12]
        assert (await played.api.act(hand["token"], "f"))["session_num_hands"] == 1
        last = [await played.api.new_hand(hand["token"]) for _ in range(2)][-1]
        assert (last["session_num_hands"], last["session_total"]) == (12, sum(played.results()))
