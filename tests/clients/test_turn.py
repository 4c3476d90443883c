"""What a bot can ask of a turn, a hand and cards."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.errors import CardError
from dealer.rules.games import load_game
from pokerd_bot import Bot, DrawnAction, Hand, Match, Pot, Turn, equity, hand_name, hand_rank, messages
from pokerd_bot.seat import TableSeat
from pokerd_bot.testing import BadSituation, decide
from protocol.codec import JSON, MSGPACK

SIX = "game=holdem.nolimit.6p stacks=20000,20000,20000,1000,20000,20000"


class Asked(Bot):
    """Keeps its turn."""

    threaded = False
    turn: Turn

    def act(self, turn: Turn) -> Action:
        type(self).turn = turn
        return turn.call()


def turn_at(text: str) -> Turn:
    decide(Asked, text)
    return Asked.turn


@pytest.mark.parametrize(
    ("actions", "fraction", "to"),
    [
        ("", 1.0, 300),  # to call 50 into 150: 100 + 200
        ("", 0.1, 200),  # too little
        ("r300", 1.0, 900),
        ("r300", 0.5, 600),
        ("r300", 1000.0, 20_000),
        ("r300c/", 0.75, 450),
        ("r300c/r450", 0.5, 1200),
    ],
)
def test_a_raise_by_a_share_of_the_pot(actions: str, fraction: float, to: int) -> None:
    board = " board=2c7d9h" if "/" in actions else ""
    turn = turn_at(f"hole=AhKd actions={actions}{board}")
    assert turn.raise_pot(fraction) == raise_to(to)
    assert turn.is_legal(turn.raise_pot(fraction))


def test_where_no_raise_is_allowed_it_is_a_call() -> None:
    turn = turn_at("hole=AhKd actions=r20000")
    assert turn.raise_pot() == turn.raise_min() == turn.all_in() == CALL
    assert turn.legal_actions() == (FOLD, CALL)
    assert not turn.is_legal(raise_to(20_000))


def test_legal_actions_and_the_price() -> None:
    turn = turn_at("hole=AhKd actions=r300")
    assert turn.legal_actions() == (FOLD, CALL, raise_to(500), raise_to(20_000))
    assert [action.text() for action in turn.legal_actions()] == ["f", "c", "r500", "r20000"]
    assert all(map(turn.is_legal, turn.legal_actions()))
    assert not turn.is_legal(raise_to(499))
    assert turn.pot_odds == pytest.approx(200 / 600)
    assert turn.all_in() == raise_to(20_000)
    free = turn_at("hole=AhKd actions=c")
    assert free.pot_odds == 0
    assert free.legal_actions() == (CALL, raise_to(200), raise_to(20_000))
    limit = turn_at("hole=AhKd game=holdem.limit.2p.reverse_blinds")
    assert limit.legal_actions() == (FOLD, CALL, raise_to(20))


def test_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = turn_at("hole=AhKd")
    allowed = turn.message
    late = Turn(turn.match, turn.hand, allowed, received=100.0)
    monkeypatch.setattr("pokerd_bot.turn.time.monotonic", lambda: 102.0)
    assert late.time_left(bank=False) == allowed.time_ms / 1000 - 2
    assert late.time_left() == (allowed.time_ms + allowed.bank_ms) / 1000 - 2


def test_everybody_s_chips_and_the_pots() -> None:
    # Under the gun raises, the next is all-in for less, the cutoff folds, the button calls; the blinds fold.
    hand = turn_at(f"hole=AhKd board=2c7d9h actions=r1500cfcff/ {SIX}").hand
    assert [one.stack for one in hand.players] == [19_950, 19_900, 18_500, 0, 20_000, 18_500]
    assert [one.paid for one in hand.players] == [50, 100, 1500, 1000, 0, 1500]
    assert [one.bet for one in hand.players] == [0] * 6
    assert [one.folded for one in hand.players] == [True, True, False, False, True, False]
    assert [one.all_in for one in hand.players] == [False, False, False, True, False, False]
    assert hand.pots == (Pot(3150, (2, 3, 5)), Pot(1000, (2, 5)))
    assert hand.me.seat == 2
    assert [one.seat for one in hand.opponents] == [3, 5]
    assert hand.street_name == "flop"


def test_bets_of_the_street_are_in_the_pot() -> None:
    turn = turn_at("hole=AhKd board=2c7d9h actions=cr300c/r450")
    assert [one.bet for one in turn.hand.players] == [450, 0]
    assert [one.paid for one in turn.hand.players] == [750, 300]
    assert sum(pot.amount for pot in turn.hand.pots) == turn.pot == 1050


@pytest.mark.parametrize(
    ("players", "names"),
    [
        (2, "BB BTN"),
        (3, "SB BB BTN"),
        (4, "SB BB UTG BTN"),
        (5, "SB BB UTG CO BTN"),
        (6, "SB BB UTG HJ CO BTN"),
        (9, "SB BB UTG UTG+1 UTG+2 LJ HJ CO BTN"),
        (10, "SB BB UTG UTG+1 UTG+2 UTG+3 LJ HJ CO BTN"),
    ],
)
def test_positions_have_the_names_of_the_trade(players: int, names: str) -> None:
    match = Match(turn_at("hole=AhKd").match.info)
    start = turn_at("hole=AhKd").hand.start
    seats = tuple(range(players))
    hand = Hand(match, type(start)(start.table, 0, 0, seats[-1], seats, (), (), (), ()))
    assert [hand.position_name(seat) for seat in seats] == names.split()


def test_hands_have_ranks_and_names() -> None:
    assert hand_rank("AhKhQhJhTh") > hand_rank(["Ah", "Ad", "Ac", "As", "Kd"]) > hand_rank("2c2d2h3c3d7s8h")
    assert hand_rank("AhKh2c3d4s6h7d") == hand_rank("AdKc2h3s4c6s7h")
    assert hand_name("AhKhQhJhTh2c2d") == "royal flush"
    with pytest.raises(CardError):
        hand_rank("AhAh2c3c4c")


def test_equity_is_that_of_a_count_of_all_deals() -> None:
    # Aces before the flop, counted over all deals: 0.852. The standard error of 10,000 samples is 0.0035.
    assert equity("AhAd", samples=10_000, rng=Random(1)) == pytest.approx(0.852, abs=0.014)
    assert equity("AhAd", samples=100, rng=Random(1)) == equity(["Ah", "Ad"], samples=100, rng=Random(1))
    # On the river there is nothing to draw but the other hand: 45 cards, 990 hands.
    board, hole = "2c7d9hJsKd", "KhQc"
    rest = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs" if rank + suit not in board + hole]
    mine = hand_rank(hole + board)
    pairs = [(one, two) for number, one in enumerate(rest) for two in rest[:number]]
    other = [hand_rank(one + two + board) for one, two in pairs]
    exact = sum(Fraction(mine > rank) + Fraction(mine == rank, 2) for rank in other) / len(other)
    assert equity(hole, board, samples=4000, rng=Random(2)) == pytest.approx(float(exact), abs=0.03)
    assert equity("AhKh", "QhJhTh", opponents=9, samples=20) == 1.0
    for wrong in ("Ah", "AhKdQc"):
        with pytest.raises(ValueError, match="2 hole cards"):
            equity(wrong)
    with pytest.raises(ValueError, match="both"):
        equity("AhKd", "AhQcJc")


def test_a_situation_has_a_text_and_a_way_back() -> None:
    for text in (
        "hole=AhKd",
        "hole=AhKd board=2c7d9h actions=cr300c/r450",
        f"hole=AhKd board=2c7d9h actions=r1500cfcff/ hand=7 seats=3,4,5,0,1,2 button=2 {SIX}",
        "hole=Ks actions=c game=kuhn.limit.2p",
    ):
        turn = turn_at(text)
        written = turn.text()
        again = turn_at(written)
        assert again.text() == written
        assert again.message == turn.message
        assert (again.hand.players, again.hand.board) == (turn.hand.players, turn.hand.board)


def test_the_acpc_s_notation_is_read_as_well() -> None:
    street = turn_at("hole=AhKd board=2c7d9h actions=cr300c/r450")
    total = turn_at("hole=AhKd board=2c7d9h betting=cr300c/r750")
    assert total.text() == street.text()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hole=Ah",
        "hole=AhAh",
        "hole=AhKd board=2c7d9h",
        "hole=AhKd actions=cr300c",
        "hole=AhKd actions=cr300c/",
        "hole=AhKd board=Ah7d9h actions=cr300c/",
        "hole=AhKd actions=r99",
        "hole=AhKd actions=x",
        "hole=AhKd actions=r300f",
        "hole=AhKd seat=0",
        "hole=AhKd stacks=many",
        "hole=AhKd game=whist",
        "hole=AhKd colour=red",
        "hole=AhKd and more",
    ],
)
def test_what_is_no_situation_is_refused(text: str) -> None:
    with pytest.raises(BadSituation) as refused:
        decide(Asked, text)
    assert refused.value.code == "bad_situation"


def test_a_game_may_be_given() -> None:
    game = load_game("leduc.limit.2p")
    assert decide("call", "hole=Ks", game=game) == CALL
    assert decide("raise", "hole=Ks", game="leduc.limit.2p").kind == "raise"


def test_a_declared_action_is_sent_with_its_chances() -> None:
    class Drawing(Bot):
        threaded = False

        def act(self, turn: Turn) -> DrawnAction:
            chances = {turn.fold(): 0.25, turn.call(): 0.0, turn.raise_to(300): 0.75}
            return turn.declare(turn.raise_to(300), chances)

    text = "hole=AhKd game=holdem.nolimit.2p.reverse_blinds"
    turn = turn_at(text)
    seat = TableSeat(turn.match, Drawing(turn.match))
    seat.hand, seat.open_turn = turn.hand, turn.message.turn
    act = seat.handle(turn.message, 0.0)
    assert isinstance(act, messages.Act)
    assert (act.action, act.to) == ("raise", 300)
    assert act.policy == (("fold", 0, 0.25), ("raise", 300, 0.75))
    for codec in (JSON, MSGPACK):
        assert codec.decode_client(codec.encode(act)) == (act,)
    # An action alone is sent without any.
    assert b"policy" not in JSON.encode(messages.Act("t", 1, "call"))
