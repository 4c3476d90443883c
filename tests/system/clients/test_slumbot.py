"""``pokerd slumbot`` as a program: clients of Slumbot's API at an open server, and in a competition."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from random import Random
from urllib.error import HTTPError

import pytest

from clients.slumbot import session as sessions
from dealer.rules.cards import cards_text
from dealer.rules.events import Acted, HandEnded, HandStarted
from server.competition.verify import verify_directory
from tests.support.bot_programs import program
from tests.support.competitions.arena import Played, bot, competition, division, hosted
from tests.support.houses.open_house import until
from tests.support.served import Place
from tests.support.slumbot_bridges import Api, bridged
from tests.support.slumbot_client import Answer, ApiError, play_hand, post

GAME = "holdem.nolimit.2p.reverse_blinds"


def play(base: str, hands: int, ends: list[Answer], token: str = "") -> list[Answer]:
    """So many hands; their last answers are added to ``ends``."""
    dice = Random(hands)
    for _ in range(hands):
        token, answers = play_hand(base, token, dice)
        ends.append(answers[-1])
    return ends


def test_fifty_hands_at_an_open_server(tmp_path: Path) -> None:
    with (
        Place(tmp_path, "--tables", "1", "--bots", "") as place,
        bridged(place.bots, "--rival", "random") as address,
    ):
        ends = play(f"{address}/slumbot/api", 50, [])
        assert [end["session_num_hands"] for end in ends] == list(range(1, 51))
        assert ends[-1]["session_total"] == sum(end["winnings"] for end in ends)
        assert {end["client_pos"] for end in ends} == {0, 1}
        # Somebody else's session, with a house bot of the client's choice: it never folds.
        others = play(f"{address}/call/api", 10, [])
        assert others[-1]["session_num_hands"] == 10
        assert not [end for end in others if end["action"].endswith("f") and end["winnings"] > 0]
        told = post(f"{address}/nobody/api", "new_hand")
        assert re.match("bad_table: .*nobody", told["error_msg"])
        with pytest.raises(HTTPError, match="404") as refused:
            post(address, "act")
        with refused.value as answer:
            assert json.load(answer) == {"error_msg": "Not Found"}


async def test_a_client_that_stays_away_gets_a_new_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """House bots do not play on against the policy: the table is left, and another one opened on request."""
    monkeypatch.setattr(sessions, "DECISION_TIME", 1.0)
    with Place(tmp_path, "--tables", "1", "--bots", "") as place:
        api = Api(place.bots, rival="call")
        try:
            hand = await api.new_hand()
            token = hand["token"]
            (session,) = api.bridge.sessions.values()
            await until(lambda: session._player.ended)
            played = session._record.played
            told = [await api.act(token, "c")]
            while "winnings" in told[-1]:
                told.append(await api.new_hand(token))
            assert told[-2]["session_num_hands"] == played
            hand = await api.act(token, "b20000")
            assert re.fullmatch(r"c?b20000c///", hand["action"])
            assert hand["session_num_hands"] == played + 1
        finally:
            await api.bridge.close()


async def test_a_client_plays_a_competition_with_its_token(tmp_path: Path) -> None:
    """The author's own bridge, and the organiser's, where the token is the password of the login. The records
    say what the clients were told.
    """
    bots = [bot("ann", token="ann's token"), bot("ben", token="ben's token"), bot("fair", run="fair")]
    text = competition(bots, [division("duel", game=GAME, hands=20)], time={"start_ms": 600_000}, workers=1)
    out = tmp_path / "out"
    async with hosted(text, out) as runner, asyncio.timeout(170):
        options = ("-m", "pokerd", "slumbot", "--url", runner.url, "--port", "0")
        async with program(*options, POKERD_TOKEN="ann's token") as own, program(*options) as shared:
            addresses = [(await one.said("Slumbot's API")).split()[-1] for one in (own, shared)]

            def follow(base: str, token: str) -> list[Answer]:
                """Play until the server has no more hands."""
                ends: list[Answer] = []
                with pytest.raises(ApiError, match="no more hands"):
                    play(base, 10**9, ends, token)
                return ends

            def log_in(base: str) -> list[Answer]:
                return follow(base, post(base, "login", username="x", password="ben's token")["token"])

            loop = asyncio.get_running_loop()
            following = [
                loop.run_in_executor(None, follow, addresses[0], ""),
                loop.run_in_executor(None, log_in, addresses[1]),
            ]
            await runner.run()
            # The house lets nobody of these tokens in after the last match.
            told = await asyncio.gather(*following)
    _, hands = verify_directory(out)
    played = Played(out, runner)
    assert not {name: counts for name, counts in played.incidents["duel"].items() if counts}
    for ends in told:
        assert ends[-1]["session_num_hands"] == len(ends) == hands * 2 // 3
    assert_recorded(played, "ann", told[0])
    assert_recorded(played, "ben", told[1])


def assert_recorded(played: Played, name: str, told: list[Answer]) -> None:
    """The hands of the records are those that the client was told of, with the same cards and chips."""
    recorded: list[tuple[str, float, float]] = []
    for session in played.runner.competition.sessions:
        if name not in session.players:
            continue
        for start, *events, end in played.runner.store.hands(session):
            assert isinstance(start, HandStarted)
            assert isinstance(end, HandEnded)
            position = start.seats.index(session.players.index(name))
            won = end.values[position]
            pot = 150 + sum(one.paid for one in events if isinstance(one, Acted))
            recorded.append((cards_text(start.hole[position]), won, pot if won else 0))
    heard = [("".join(one["hole_cards"]), one["winnings"], abs(one["won_pot"])) for one in told]
    # Sessions are played in an order of their own.
    assert sorted(heard) == sorted(recorded)
