"""Open tables with a straddle."""

from __future__ import annotations

import msgspec
import pytest

from dealer.formats.format import Stakes
from protocol.errors import Refused
from protocol.people import CreateTable
from server.tables.config import config_from_request, decode_config
from server.tables.open_table import OpenTable
from server.tables.snapshot import decode, encode
from tests.support.houses.people_table import Game, sit

STAKES = Stakes(5, 10, stack=500, straddle=20)


def dealt_to(game: Game, players: int) -> None:
    """Play on until a hand of so many begins."""
    game.until(lambda: game.table.table.turn_seat >= 0 and len(game.hand.seats) == players)


async def test_whoever_comes_after_the_big_blind_straddles_with_four_players() -> None:
    game = Game("ann", "bob", "cid", seats=4, stakes=STAKES)
    dealt_to(game, 3)
    assert list(game.hand.betting.blinds) == [5, 10, 0]
    game.clients[3] = sit(game.house, "dan")
    dealt_to(game, 4)
    assert list(game.hand.betting.blinds) == [5, 10, 20, 0]
    game.clients[0].news()
    started = [one for one in game.clients[0].heard if one["type"] == "hand_start"][-1]
    assert started["blinds"] == [5, 10, 20, 0]
    assert game.table.table.turn_seat == game.hand.seats[3]
    (told,) = [one for one in game.clients[3].heard if one["type"] == "match_start"]
    assert told["game"]["straddle"] == 20
    assert game.table.table_format.title == "no-limit hold'em 5/10, straddle 20"
    game.house.close()


def test_it_is_kept_with_the_table() -> None:
    config = config_from_request(CreateTable(straddle=True), {})
    assert config.stakes.straddle == 20
    assert decode_config(msgspec.json.encode(config)) == config
    old = msgspec.json.decode(msgspec.json.encode(config))
    old[0] = old[0][:-1]
    assert decode_config(msgspec.json.encode(old)).stakes.straddle == 0


async def test_a_hand_with_one_goes_on_from_what_is_kept() -> None:
    game = Game("ann", "bob", "cid", "dan", stakes=STAKES)
    dealt_to(game, 4)
    game.act("raise", to=50)
    state = decode(encode(game.table.snapshot()).decode())
    again = OpenTable(game.house, state.config, "table-2", seed=bytes.fromhex(state.seed), snapshot=state)
    again.restore(state, lambda holder: game.house.players[holder.name], 10.0)
    assert again.table.hand is not None
    assert again.table.hand.betting.spent == game.hand.betting.spent
    game.house.close()


@pytest.mark.parametrize(
    "asked",
    [
        CreateTable(straddle=True, game="limit"),
        CreateTable(straddle=True, game="pushfold"),
        CreateTable(straddle=True, mode="tournament"),
        CreateTable(straddle=True, seats=3),
    ],
)
def test_only_no_limit_cash_tables_for_four_have_one(asked: CreateTable) -> None:
    with pytest.raises(Refused, match="straddle") as refused:
        config_from_request(asked, {})
    assert refused.value.code == "bad_table"
