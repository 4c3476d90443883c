"""Open tables that divide all-ins by equity, or run them twice."""

from __future__ import annotations

import msgspec
import pytest

from dealer.formats.cash import Cash
from dealer.formats.format import Stakes
from dealer.luck.adjusted import all_in_net
from dealer.ratings.style import count_hand
from dealer.rules.cards import CARD_TEXTS
from dealer.rules.events import BoardDealt, Event, HandEnded, ends_of
from dealer.rules.hand import replay
from protocol.errors import Refused
from protocol.people import CreateTable
from server.tables.config import TableConfig, config_from_request, decode_config
from server.tables.open_table import OpenTable
from server.tables.snapshot import decode, encode
from tests.support.deals import SEED
from tests.support.houses.people import Message
from tests.support.houses.people_table import Game, come, only

STAKES = Stakes(5, 10, stack=500)


def push(game: Game) -> list[Event]:
    """Everybody goes all-in; returns the hand."""
    hands = game.table.hands
    while game.table.hands == hands:
        turn = game.hand.legal()
        if turn.max_raise is None:
            game.act("call")
        else:
            game.act("raise", to=turn.max_raise)
    return list(game.table.progress.events)


def heard(game: Game, kind: str) -> Message:
    """What the first player heard last of this kind."""
    game.clients[0].news()
    return [message for message in game.clients[0].heard if message["type"] == kind][-1]


def last_of(events: list[Event]) -> HandEnded:
    return ends_of(events)[1]


async def test_all_is_divided_by_equity_and_told() -> None:
    game = Game("ann", "bob", stakes=STAKES, all_ins="equity", pause=5.0)
    table_game = game.hand.game
    events = push(game)
    ended = last_of(events)
    assert ended.equity
    assert not any(isinstance(event, BoardDealt) for event in events)
    assert sum(ended.values) == 0
    end = heard(game, "hand_end")
    assert end["equity"] is True
    assert sum(chips for _, chips in end["pots"][0]["wins"]) == 1000
    # Everybody may know what would have come, once it cannot matter any more.
    assert len(heard(game, "undealt")["cards"]) == 5
    assert only(come(game.house, "eve").say("watch", table="table-1"), "seats")["all_ins"] == "equity"
    # The hand is the same when it is played again, no luck is left in it, and nobody has won a showdown.
    assert replay(table_game, events, muck=True).events == events
    for position, seat in enumerate(game.table.progress.events[0].seats):  # type: ignore[union-attr]
        assert all_in_net(table_game, events, seat) == ended.values[position]
    assert [(counts.showdowns, counts.won) for counts in count_hand(events)] == [(0, 0)] * 2
    game.house.close()


async def test_it_is_run_twice_only_if_all_who_are_left_agree() -> None:
    game = Game("ann", "bob", "cid", stakes=STAKES, all_ins="twice", pause=5.0)
    assert [seat.twice for seat in game.table.updates._seats().seats] == [False] * 3
    game.clients[0].say("twice", table="table-1", agree=True)
    told = only(game.clients[1].news(), "seats")
    assert [seat.get("twice", False) for seat in told["seats"]] == [True, False, False]
    assert last_of(push(game)).second == ()
    game.tick()
    for client in game.clients.values():
        client.say("twice", table="table-1", agree=True)
    table_game = game.hand.game
    events = push(game)
    ended = last_of(events)
    assert len(ended.second) == 5
    assert {pot.board for pot in ended.pots} == {0, 1}
    assert replay(table_game, events, muck=True).events == events
    end = heard(game, "hand_end")
    assert end["second"] == [CARD_TEXTS[card] for card in ended.second]
    assert {one["seat"] for one in end["second_hands"]} == {0, 1, 2}
    # Both boards together are compared with what the cards win on average.
    start = events[0]
    values = [all_in_net(table_game, events, seat, 4000) for seat in start.seats]  # type: ignore[union-attr]
    assert sum(values) == pytest.approx(0, abs=1e-6)
    game.house.close()


async def test_the_second_board_is_what_follows_in_the_deck() -> None:
    game = Game("ann", "bob", stakes=STAKES, all_ins="twice", pause=5.0)
    for client in game.clients.values():
        client.say("twice", table="table-1", agree=True)
    number, table_game = game.hand.number, game.hand.game
    while not game.hand.board:
        game.act()
    game.act("raise", to=game.hand.legal().max_raise)
    game.act()
    events = game.table.progress.events
    deals = TableConfig(STAKES, 2, all_ins="twice").make_format(SEED).game_and_deals(2, STAKES)[1]
    assert last_of(events).second == deals.second_board(number)[:2]  # type: ignore[attr-defined]
    deal = deals.deal(number)
    known = {card for street in range(table_game.rounds) for card in deal.board(street)}.union(*deal.hole)
    assert known.isdisjoint(deals.second_board(number))  # type: ignore[attr-defined]
    game.house.close()


async def test_agreement_goes_with_the_player_and_survives_a_restart() -> None:
    game = Game("ann", "bob", "cid", stakes=STAKES, all_ins="twice")
    for client in game.clients.values():
        client.say("twice", table="table-1", agree=True)
    game.clients[2].say("leave", table="table-1")
    assert game.table.agreed == {0, 1}
    state = decode(encode(game.table.snapshot()).decode())
    assert state.config.all_ins == "twice"
    again = OpenTable(game.house, state.config, "table-2", seed=bytes.fromhex(state.seed), snapshot=state)
    again.restore(state, lambda holder: game.house.players[holder.name], 10.0)
    assert again.agreed == {0, 1}
    hand = again.table.hand
    assert hand is not None
    assert hand.all_ins is not None
    assert hand.all_ins.agreed is again.agreed
    game.house.close()


async def test_refusals() -> None:
    game = Game("ann", "bob", stakes=STAKES)
    game.refused(game.clients[0], "no_twice", "twice", agree=True)
    eve = come(game.house, "eve")
    game.refused(eve, "unknown_table", "twice", agree=True)
    game.house.close()


async def test_only_cash_tables_offer_it() -> None:
    good = config_from_request(CreateTable(all_ins="equity"), {})
    assert good.all_ins == "equity"
    for mode in ("tournament", "challenge"):
        request = CreateTable(all_ins="twice", mode=mode, seats=2)
        with pytest.raises(Refused, match="all_ins"):
            config_from_request(request, {})
    with pytest.raises(Refused, match="all_ins"):
        config_from_request(CreateTable(all_ins="thrice"), {})


def test_a_table_of_before_has_the_board_dealt() -> None:
    old = msgspec.json.decode(msgspec.json.encode(TableConfig(STAKES, 2)))[:-1]
    config = decode_config(msgspec.json.encode(old))
    table_format = config.make_format(SEED)
    assert isinstance(table_format, Cash)
    hand_game = table_format.game
    assert table_format.all_ins(hand_game, 1) is None
