"""Declared chances: honest players are believed, liars are not; and what is refused at the table."""

from __future__ import annotations

from random import Random

import pytest

from dealer.deck import secure_deals
from dealer.formats.fixed import FixedStacks
from dealer.luck.correction import hand_luck
from dealer.luck.declared import LEAST_DECISIONS, ChanceSums, DeclaredChances
from dealer.luck.value import shipped_value
from dealer.records.journal import hand_line
from dealer.rules.actions import CALL, Action, parse_action
from dealer.rules.events import Acted, Event, HandEnded, HandStarted, Policy, event_from_data, event_to_data
from dealer.rules.games import holdem
from dealer.rules.hand import HandState, replay
from dealer.rules.policy import MAX_CHOICES
from dealer.table import Clock, Table, TurnRefused

GAME = holdem(2, 5, 10, stack=1000)
HANDS = 300


def drawn(hand: HandState, random: Random, lie: float) -> tuple[Action, Policy]:
    """An action, and the chances declared; the chance of a fold or call is really by ``lie`` different."""
    legal = hand.legal()
    texts = [*(["f"] if legal.fold else []), "c"]
    if legal.min_raise is not None:
        texts.append(f"r{legal.min_raise}")
    if len(texts) == 1:
        return CALL, ()
    chances = {text: 1 / len(texts) for text in texts}
    real = dict(chances)
    real[texts[0]] += lie
    real[texts[1]] -= lie
    taken = random.choices(texts, [real[text] for text in texts])[0]
    return parse_action(taken), tuple(chances.items())


def play(lie: float, hands: int = HANDS, seat: int = 0) -> list[list[Event]]:
    """Hands in which one player declares his chances; the other says nothing."""
    deals, random = secure_deals(bytes(range(32)), 0, GAME), Random(4)
    played = []
    for number in range(hands):
        hand = HandState(GAME, deals.deal(number), number=number)
        while not hand.over:
            action, policy = drawn(hand, random, lie if hand.to_act == seat else 0.0)
            hand.act(action, "", policy if hand.to_act == seat else ())
        played.append(hand.events)
    return played


def judged(hands: list[list[Event]]) -> DeclaredChances:
    chances = DeclaredChances()
    for events in hands:
        chances.add(events, 0, hand_luck(GAME, events).draws.get(0))
    return chances


def test_an_honest_player_is_believed() -> None:
    told = judged(play(0.0))
    assert told.decisions > LEAST_DECISIONS
    assert told.p_value is not None
    assert told.p_value > 0.01
    assert told.believed


def test_a_liar_is_not() -> None:
    told = judged(play(0.25))
    assert not told.believed


@pytest.mark.parametrize("lie", [0.0, 0.25])
def test_parts_add_up_to_the_same_in_any_order(lie: float) -> None:
    hands = play(lie)
    parts = [judged(hands[start : start + 60]).sums() for start in range(0, HANDS, 60)]
    found, random = set[ChanceSums](), Random(1)
    for _ in range(5):
        random.shuffle(parts)
        total = ChanceSums()
        for part in parts:
            total = total.plus(part)
        found.add(total)
    assert len(found) == 1
    whole, again = judged(hands), DeclaredChances.of(found.pop())
    assert again.p_value == pytest.approx(whole.p_value)
    assert (again.decisions, again.believed) == (whole.decisions, whole.believed)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_chips_that_are_compared_are_those_that_are_taken_out(seat: int) -> None:
    """With the weights of the value function: nobody can lie about that part alone."""
    weights, differing = shipped_value().weights(limit=False), 0
    for events in play(0.0, 60, seat):
        luck = hand_luck(GAME, events, weights=weights)
        for position, draws in luck.draws.items():
            assert draws.sum == pytest.approx(luck.of_dice(position, weights)[position], abs=1e-6)
            differing += draws.sum != pytest.approx(luck.of_dice(position, ())[position])
    assert differing


def test_few_decisions_say_nothing() -> None:
    told = judged(play(0.3, hands=10))
    assert told.p_value is None
    assert told.believed


def test_nobody_else_has_dice() -> None:
    assert {position for events in play(0.0, 50) for position in hand_luck(GAME, events).dice} == {0}


def test_journals_have_the_chances_and_replay_without_them() -> None:
    events = next(one for one in play(0.0, 20) if any(isinstance(e, Acted) and e.policy for e in one))
    line = hand_line(events)
    assert line.startswith("[[")
    assert '"c",0.' in line
    assert [event_from_data(event_to_data(event)) for event in events] == events
    assert replay(GAME, events).events == events
    silent = [event._replace(policy=()) if isinstance(event, Acted) else event for event in events]
    assert replay(GAME, silent).events == silent
    assert hand_line(silent) != line


class TestRefused:
    @pytest.mark.parametrize(
        "policy",
        [
            (("c", 0.5),),
            (("f", 0.5), ("r30", 0.5)),
            (("c", 0.5), ("c", 0.5)),
            (("c", 1.0), ("f", 0.0)),
            (("c", 0.5), ("f", float("nan"))),
            (("c", 0.5), ("r11", 0.5)),
            (("c", 0.5), ("x", 0.5)),
            tuple(
                (text, 1 / (MAX_CHOICES + 1)) for text in ("c", *(f"r{20 + n}" for n in range(MAX_CHOICES)))
            ),
        ],
    )
    def test_a_policy_that_cannot_be_true(self, policy: Policy) -> None:
        table = self.table()
        with pytest.raises(TurnRefused) as refused:
            table.act(table.turn_seat, table.turn, CALL, 0.0, policy)
        assert refused.value.code == "bad_policy"
        # The turn is still open.
        table.act(table.turn_seat, table.turn, CALL, 0.0)

    def test_one_that_can(self) -> None:
        table = self.table()
        policy = (("f", 0.25), ("c", 0.5), ("r30", 0.25))
        (acted,) = table.act(table.turn_seat, table.turn, CALL, 0.0, policy)
        assert isinstance(acted, Acted)
        assert acted.policy == policy

    @staticmethod
    def table() -> Table:
        table = Table(FixedStacks(GAME, secure_deals(bytes(32), 0, GAME), 1), 2, Clock())
        started = table.start(0.0)[0]
        assert isinstance(started, HandStarted)
        return table


def test_chips_are_conserved() -> None:
    for events in play(0.0, 30):
        ended = events[-1]
        assert isinstance(ended, HandEnded)
        luck = hand_luck(GAME, events)
        assert sum(luck.without(())) == pytest.approx(0, abs=1e-6)
        assert luck.won == ended.values
