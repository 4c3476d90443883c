"""What Peña 1999 says of the whole player, section by section; its parts have tests of their own."""

from __future__ import annotations

import pytest

from dealer.rules.actions import CALL
from dealer.rules.cards import parse_cards
from dealer.rules.events import Acted, HandStarted
from dealer.rules.games import holdem
from strategy.loki import simulate
from strategy.loki.bot import Loki, Loki2B, Loki2S
from strategy.loki.model import DEFAULTS
from strategy.loki.odds import HandValue
from strategy.loki.parameters import LokiParameters
from strategy.loki.simulate import LokiEstimate, LokiSpot
from strategy.loki.tables import WeightTables
from strategy.loki.triples import choose
from strategy.loki.views import replay
from strategy.playout.betting import make_opening
from strategy.poker.dealing import cumulative
from strategy.poker.kernels import State
from strategy.poker.strength import hand_strength, potential
from tests.strategy.loki.situations import LIMIT, at

HEADS_UP = holdem(2, 5, 10, limit=True)


def test_3_2_2_formulas_as_printed() -> None:
    hole, flop = parse_cards("AdQc"), parse_cards("3h4cJh")
    look = potential(hole, flop, 2)
    (ahead_ahead, ahead_tied, ahead_behind), tied, behind = look.table.tolist()
    tied_ahead, tied_tied, tied_behind = tied
    behind_ahead, behind_tied, behind_behind = behind
    total_ahead = ahead_ahead + ahead_tied + ahead_behind
    total_tied = tied_ahead + tied_tied + tied_behind
    total_behind = behind_ahead + behind_tied + behind_behind
    ppot = (behind_ahead + behind_tied / 2 + tied_ahead / 2) / (total_behind + total_tied / 2)
    npot = (ahead_behind + ahead_tied / 2 + tied_behind / 2) / (total_ahead + total_tied / 2)
    assert (ppot, npot) == pytest.approx((look.ppot, look.npot))
    hand = HandValue(hand_strength(hole, flop), ppot, npot)
    assert hand.ehs == pytest.approx(hand.strength + (1 - hand.strength) * ppot)
    assert (hand.ehs, hand.win) == pytest.approx((0.6715, 0.5114), abs=5e-5)


@pytest.mark.parametrize(
    ("actions", "hands"), [("c c c c", 1081), ("c c c c c c c c", 1035), ("c c c c c c c c c c c c", 990)]
)
def test_3_3_a_table_has_so_many_hands(actions: str, hands: int) -> None:
    situation = at(LIMIT, actions)
    sums = cumulative(WeightTables(situation).weights, (*situation.hole, *situation.board))
    assert sums[:, -1].tolist() == [hands] * 4


def told(loki: Loki, raises: int) -> None:
    for number in range(raises):
        loki.observe(HandStarted(number, (0, 1), 1, (1000,) * 2, (0,) * 2, (10, 5), ((), ())))
        loki.observe(Acted(1, "raise", 20, 15, False))


def test_3_3_each_opponent_by_his_own_frequencies_or_all_by_the_usual_ones() -> None:
    # The specific model is the default.
    specific, generic = Loki(1, HEADS_UP), Loki(1, HEADS_UP, LokiParameters(model="generic"))
    for loki in (specific, generic):
        told(loki, 200)
    assert specific._rates(1, 0, 1)[2] > 0.9
    assert specific._rates(0, 0, 1) == DEFAULTS[1]
    assert generic._rates(1, 0, 1) == DEFAULTS[1]


def test_3_2_1_loose_is_the_usual_tightness() -> None:
    # Papp 1998, 5.1.
    assert LokiParameters().tightness == "loose"


@pytest.mark.parametrize("seed", range(6))
def test_4_2_1_one_number_chooses_all_actions_of_a_hand(seed: int) -> None:
    loki = Loki2B(seed, HEADS_UP)
    number = loki.random_number(0)
    for actions in ("c c c", "c c c r", "c c c c", "c c c c c r", "c c c c c c c", "c c c c c c r"):
        situation = at(HEADS_UP, actions, "Qd9d")
        action = loki.decide(situation)
        now, _ = replay(situation, make_opening(situation, None))
        kind = choose(loki.probabilities(loki._value(situation), now.view(situation.position)), number)
        assert action.kind == kind


def test_4_1_the_triples_of_the_example_go_by_ehs_alone() -> None:
    loki = Loki2B(1, HEADS_UP, LokiParameters(triples="example"))
    situation = at(HEADS_UP, "c c c", "Qd9d")
    view = replay(situation, make_opening(situation, None))[0].view(situation.position)
    assert loki.probabilities(HandValue(0.8, 0.0, 0.0), view) == (0, 0.25, 0.75)
    assert loki.probabilities(HandValue(0.6, 0.0, 0.0), view) == (0.2, 0.8, 0)


@pytest.mark.parametrize(
    ("call", "raised", "kind"),
    [
        (5.0, 6.0, "raise"),
        (6.0, 5.0, "call"),
        (-1.0, -2.0, "fold"),
        (-1.0, 1.0, "raise"),
        (0.0, -1.0, "call"),
    ],
)
def test_5_1_what_wins_most_is_played_and_a_fold_wins_nothing(
    call: float, raised: float, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def found(state: State, deal: LokiSpot, raise_to: int, trials: int) -> LokiEstimate:
        asked.append(trials)
        return LokiEstimate(call, raised, trials)

    monkeypatch.setattr(simulate, "simulate", found)
    assert Loki2S(1, HEADS_UP).decide(at(HEADS_UP, "c c c r")).kind == kind
    assert asked == [500]
    if kind == "fold":
        # Nothing is saved where nothing is to be paid.
        assert Loki2S(1, HEADS_UP).decide(at(HEADS_UP, "c c c")) == CALL


def test_5_2_in_trials_the_others_are_expected_to_play_otherwise_than_oneself() -> None:
    loki = Loki2S(1, LIMIT)
    situation = at(LIMIT, "c c c c c")
    opening = make_opening(situation, None)
    now, _ = replay(situation, opening)
    loki.decide(situation)
    deal = loki._spot(situation, opening, now, loki._value(situation))
    own = situation.position
    others = [position for position in range(4) if position != own]
    assert all((deal.rows[position] == deal.rows[others[0]]).all() for position in others)
    assert not (deal.rows[own] == deal.rows[others[0]]).all()
    # They think more of the own hand after a bet, so less of theirs; the own hand is known.
    assert (deal.strengths[1, others] <= deal.strengths[0, others] + 1e-9).mean() > 0.9
    assert (deal.strengths[1, own] == deal.strengths[0, own]).all()
