from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from dealer.deck import secure_deals
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Deals
from dealer.formats.tournament import Level, Tournament
from dealer.intervals import mean_interval
from dealer.match import Division
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.cards import parse_cards
from dealer.rules.events import Acted, Event, HandEnded, HandStarted
from dealer.rules.games import Game, holdem, load_game
from strategy.akuma.bot import Akuma
from strategy.akuma.habits import CAPPED, FACES, LED, USUAL, BettingTracker, Choice, Habits, choices
from strategy.akuma.parameters import AkumaParameters
from strategy.akuma.ranges import fold_raise_chances, infer_ranges, range_percentiles
from strategy.checks import UnplayableGame
from strategy.parameters import BadParameters
from strategy.playout import playout
from strategy.poker.combos import HANDS, combo_index, live, uniform
from strategy.registry import Strategy, create_strategy, parameters_of
from strategy.situation import Situation, SituationError
from studies.harness.arena import Contest, ContestEntry, FixedTable, deal_totals
from studies.harness.session import play_session
from tests.strategy.play import at, decisions, shuffled

TWO = load_game("holdem.limit.2p.reverse_blinds")
THREE = load_game("holdem.limit.3p")
NO_LIMIT = load_game("holdem.nolimit.2p.reverse_blinds")
GAMES = {
    "reverse blinds": TWO,
    **{f"limit {n}": holdem(n, 5, 10, limit=True) for n in (2, 3, 6, 10)},
    "short stacks": holdem(4, 5, 10, limit=True, stack=(35, 200, 12, 90)),
    "antes": holdem(3, 5, 10, ante=2, limit=True, stack=(8, 300, 45)),
    **{f"no-limit {n}": holdem(n, 5, 10, stack=1000) for n in (2, 3, 6)},
    "no-limit short stacks": holdem(4, 5, 10, ante=3, stack=(35, 200, 12, 90)),
}
QUICK = AkumaParameters(trials=30)


class Folder:
    """Folds whenever there is something to fold to."""

    def decide(self, situation: Situation) -> Action:
        return FOLD if situation.legal.fold else CALL


def play_some(game: Game, players: list[Strategy], hands: int, seed: int = 1) -> None:
    """Play; the table refuses what is not legal."""
    play_session(FixedStacks(game, secure_deals(seed.to_bytes(32, "big"), 0, game), hands), players)


# Habits.


def test_usual_frequencies() -> None:
    assert USUAL.shape == (4, FACES, 3)
    assert USUAL.sum(axis=2) == pytest.approx(1)
    for led in (0, LED):
        assert not USUAL[:, led, playout.FOLD].any()
        assert not USUAL[:, led + CAPPED, playout.RAISE].any()


@pytest.mark.parametrize(
    ("actions", "face"),
    [
        ("", 1),
        ("c", 1),  # half a bet is one
        ("c c", 0),
        ("r", 2),
        ("r f", 1),  # the big blind has paid one
        ("r r", 2),
        ("r r f", LED + 1),
        ("r c r", LED + 1),
        ("r c c", LED),  # the button, who acts last on the flop
        ("c c c", 0),
        ("c c c r", 1),
        ("r c r r", CAPPED),  # three raises are the most
        ("r r r f", LED + CAPPED),
    ],
)
def test_faces(actions: str, face: int) -> None:
    situation = at(THREE, actions, "AhAd")
    now = BettingTracker(THREE.max_raises, THREE.blinds)
    assert all(0 <= choice.face < FACES for choice in choices(situation, now))
    assert now.choice_type(2 if actions == "r c c" else situation.position) == face


def test_choices_of_a_hand() -> None:
    situation = at(THREE, "r f c c r", "AhAd", "2c7dTs")
    now = BettingTracker(THREE.max_raises, THREE.blinds)
    assert list(choices(situation, now)) == [
        Choice(2, 0, 1, playout.RAISE),
        Choice(0, 0, 2, playout.FOLD),
        Choice(1, 0, 1, playout.CALL),
        Choice(1, 1, 0, playout.CALL),
        Choice(2, 1, LED, playout.RAISE),
    ]
    assert (now.street, now.bets, now.raises, now.level) == (1, 1, 1, [0, 0, 1])


def test_it_learns_what_a_caller_a_raiser_and_a_folder_do() -> None:
    game = GAMES["limit 6"]
    akuma = Akuma(1, game, QUICK)
    others = [
        create_strategy("call", 1, game),
        create_strategy("raise", 2, game),
        Folder(),
        create_strategy("random", 4, game),
    ]
    play_some(game, [akuma, *others, create_strategy("call", 5, game)], 120)
    caller, raiser, folder, random = (akuma.habits.rates(seat) for seat in (1, 2, 3, 4))
    assert caller[:, 2, playout.CALL].min() > 0.75
    assert raiser[0, 1:3, playout.RAISE].max() > 0.85
    assert raiser[0, LED + CAPPED, playout.CALL] > 0.95
    assert folder[0, 2, playout.FOLD] > 0.9
    assert random[0, 2] == pytest.approx([1 / 3] * 3, abs=0.15)
    assert akuma.habits.hands == 120
    assert sum(akuma.habits.won.values()) == pytest.approx(0)


def tell(known: Habits, others: dict[int, str]) -> None:
    """A hand in which each of these seats does one thing before the flop; seat 0 is the own one."""
    count = len(others) + 1
    blinds, holes = (10, *[0] * len(others)), ((1, 2), *[()] * len(others))
    known.observe(HandStarted(0, (0, *others), 0, (500,) * count, (0,) * count, blinds, holes))
    for seat, kind in (*others.items(), (0, "fold")):
        known.observe(Acted(seat, kind, 0, 0, False))


def test_it_learns_from_the_others_as_far_as_they_are_alike() -> None:
    alike, unlike = Habits(THREE, 8), Habits(THREE, 8)
    for _ in range(30):
        tell(alike, dict.fromkeys((1, 2, 3), "fold"))
        tell(unlike, {1: "fold", 2: "call", 3: "call"})
    usual = USUAL[0, 1, playout.FOLD]
    # Seat 9, who is new, may be as the others or as anybody; the own folds count for nobody.
    assert alike.rates(9)[0, 1, playout.FOLD] == pytest.approx((usual + (8 * usual + 90) / 98) / 2)
    assert Habits(THREE, 8).rates(9) == pytest.approx(USUAL)
    # What foretold a player well is believed.
    believed = [(8 * start + 30) / 38 for start in (usual, (8 * usual + 60) / 68)]
    assert believed[1] - believed[0] > 0.1
    assert alike.rates(1)[0, 1, playout.FOLD] == pytest.approx(believed[1], abs=0.01)
    assert unlike.rates(1)[0, 1, playout.FOLD] == pytest.approx(believed[0], abs=0.01)


def test_what_cannot_come_about_is_refused() -> None:
    known = Habits(THREE, 8)
    for event in (Acted(1, "fold", 0, 0, False), HandEnded(0, None, (), (0, 0, 0), (500, 500, 500))):
        with pytest.raises(SituationError):
            known.observe(event)
    tell(known, {1: "fold"})
    with pytest.raises(SituationError, match="7") as refusal:
        known.observe(Acted(7, "fold", 0, 0, False))
    assert refusal.value.code == "bad_situation"


def test_what_the_table_did_for_an_absent_player_is_not_counted() -> None:
    started = HandStarted(0, (0, 1), 1, (500, 500), (0, 0), (10, 5), ((), ()))
    for forced, changes in (("absent", False), ("", True)):
        known = Habits(TWO, 8)
        known.observe(started)
        known.observe(Acted(1, "fold", 0, 0, False, forced))
        assert (known.rates(1) != USUAL).any() == changes


# Ranges.


def test_chances_keep_the_frequencies() -> None:
    parts = (np.arange(2000) + 0.5) / 2000
    for fold, raise_ in ((0.3, 0.2), (0, 0.45), (0.6, 0.05), (0, 0), (0, 1), (1, 0)):
        for blur in (0.0, 0.15):
            found = np.array([fold_raise_chances(part, fold, raise_, blur, 0.1) for part in parts])
            assert found.mean(axis=0) == pytest.approx([fold, raise_], abs=0.01)
            assert found.min() >= 0
            assert found.sum(axis=1).max() <= 1 + 1e-9
            assert all(one >= other - 1e-9 for one, other in pairwise(found[:, 0]))
            assert all(one <= other + 1e-9 for one, other in pairwise(found[:, 1]))


def test_a_raise_speaks_for_the_best_hands() -> None:
    rates = np.array([USUAL, USUAL])
    rates[1, 0, 1] = 0.3, 0.5, 0.2
    table = infer_ranges([Choice(1, 0, 1, playout.RAISE)], rates, (), 0, 0.1, 0.05)[1]
    parts = range_percentiles(np.ones(HANDS), (), 1)
    assert table[parts > 0.9].min() > 0.99
    assert table[parts < 0.7].max() < 0.02
    assert 0.4 < table[np.abs(parts - 0.8).argmin()] < 0.6
    # One who always raises says nothing.
    rates[1, 0, 1] = 0, 0, 1
    assert np.ptp(infer_ranges([Choice(1, 0, 1, playout.RAISE)], rates, (), 0, 0.1, 0.05)[1]) < 1e-9


def test_ranges_narrow_street_by_street_and_use_no_card_of_the_board() -> None:
    board = parse_cards("2c7dTsJh4c")
    made = [Choice(1, street, 1, playout.CALL) for street in range(4)]
    rates = np.array([USUAL, USUAL])
    sizes = []
    for count in range(5):
        tables = infer_ranges(made[:count], rates, board, 0, 0.1, 0.1)
        assert (tables[0] == uniform(board)).all()
        assert not tables[1][~live(board)].any()
        sizes.append(tables[1].sum() ** 2 / (tables[1] ** 2).sum())
    assert all(one > other for one, other in pairwise(sizes))


def test_what_is_strong_depends_on_the_board() -> None:
    parts = range_percentiles(np.ones(HANDS), parse_cards("2c7d7s"), 1)
    quads, trash, draw, high = (
        parts[combo_index(*parse_cards(hand))] for hand in ("7h7c", "4h3d", "KcQc", "Kh9d")
    )
    assert quads > 0.999
    assert trash < 0.2
    assert draw > high > trash


# Decisions.


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_decision_is_legal(game: Game) -> None:
    players = [
        create_strategy("akuma", seat, game, QUICK)
        if seat % 2 == 0
        else create_strategy("random", seat, game)
        for seat in range(game.players)
    ]
    play_some(game, players, 12)


def test_it_plays_on_when_others_have_left_and_blinds_rise() -> None:
    def deals(game: Game) -> Deals:
        return secure_deals(b"cup".ljust(32), 0, game)

    cup = Tournament(4, (Level(10, 20, 0, 4), Level(40, 80, 10, 200)), 300, deals, limit=True)
    players = [create_strategy("akuma" if seat < 2 else "call", seat, cup.game) for seat in range(4)]
    players = [
        create_strategy("akuma", seat, cup.game, QUICK) if seat < 2 else players[seat] for seat in range(4)
    ]
    play_session(cup, players)
    assert sorted(cup.places) == [1, 2, 3, 4]


class Recorded:
    """Keeps what was asked and answered."""

    def __init__(self, inner: Akuma) -> None:
        self.inner = inner
        self.log: list[tuple[Situation, Action]] = []

    def observe(self, event: Event) -> None:
        self.inner.observe(event)

    def decide(self, situation: Situation) -> Action:
        action = self.inner.decide(situation)
        self.log.append((situation, action))
        return action


def test_the_same_seed_and_hands_give_the_same_play() -> None:
    def log(seed: int) -> list[tuple[Situation, Action]]:
        recorded = Recorded(Akuma(seed, THREE, QUICK))
        play_some(
            THREE, [recorded, create_strategy("random", 2, THREE), create_strategy("fair", 3, THREE)], 20
        )
        return recorded.log

    assert log(5) == log(5)
    assert log(5) != log(6)


def test_a_decision_needs_no_observation_before() -> None:
    players = [create_strategy("random", seat, THREE) for seat in range(3)]
    random = Random(8)
    met = [
        situation
        for number in range(8)
        for _, situation in decisions(THREE, players, shuffled(THREE, random), number=number)
    ]
    forwards = [Akuma(4, THREE, QUICK).decide(situation) for situation in met]
    akuma = Akuma(4, THREE, QUICK)
    assert forwards == [akuma.decide(situation) for situation in reversed(met)][::-1]


@pytest.mark.parametrize(
    ("actions", "hole", "board", "answers"),
    [
        ("", "AhAd", "", {"raise"}),
        ("r r", "7c2d", "", {"fold"}),
        ("c c c c c c c c c r r", "9h8h", "2c7dTsJh4c", {"raise"}),  # the nuts
        ("c c c c c c c c c", "6h3d", "2c7dTsJh9c", {"call", "raise"}),  # nothing to fold to
    ],
)
def test_clear_decisions(actions: str, hole: str, board: str, answers: set[str]) -> None:
    assert Akuma(1, THREE).decide(at(THREE, actions, hole, board)).kind in answers


def set_habits(akuma: Akuma, seat: int, fold: float, raise_: float) -> None:
    """Make a player's frequencies nearly certain wherever he has something to call."""
    counts = np.zeros_like(USUAL)
    counts[:, 0::LED, playout.CALL] = 1 - raise_
    counts[:, 0::LED, playout.RAISE] = raise_
    for face in (1, 2, LED + 1, LED + 2):
        counts[:, face] = fold, 1 - fold - raise_, raise_
    counts[:, CAPPED::LED] = fold, 1 - fold, 0
    akuma.habits._counts[seat] = 1e9 * counts
    akuma.habits._all = sum(akuma.habits._counts.values(), np.zeros_like(USUAL))
    akuma.habits._all = akuma.habits._all + 1e9 * counts


def test_estimates_where_the_answer_is_known() -> None:
    river, board = "c c c c c c", "2c7dTsJh4c"
    # 20 in the pot, the big blind to act: bets are 20.
    nuts, air = at(TWO, river, "9h8h", board), at(TWO, river, "5h3d", board)
    akuma = Akuma(1, TWO)
    set_habits(akuma, 1 - nuts.seat, fold=0, raise_=0)
    assert akuma.estimate(nuts) == pytest.approx((20, 40), abs=0.5)  # he checks behind; he calls
    assert akuma.estimate(air).raise_ == pytest.approx(akuma.estimate(air).call - 20, abs=1)
    assert akuma.decide(at(TWO, f"{river} c r", "5h3d", board)).kind == "fold"
    set_habits(akuma, 1 - nuts.seat, fold=1, raise_=0)
    assert akuma.estimate(air).raise_ == pytest.approx(20, abs=0.1)
    assert akuma.decide(air).kind == "raise"
    set_habits(akuma, 1 - nuts.seat, fold=0, raise_=1)
    # He bets and raises to the cap of four: 80 more.
    assert akuma.estimate(nuts).raise_ == pytest.approx(100, abs=1)


def test_side_pots_are_for_those_who_paid_for_them() -> None:
    # The own 12 chips are in; two others play on for a side pot.
    game = holdem(3, 5, 10, limit=True, stack=(12, 500, 500))
    akuma = Akuma(1, game)
    for seat in (1, 2):
        set_habits(akuma, seat, fold=0, raise_=0)
    situation = at(game, "r", "AhAd")
    assert situation.position == 0
    found = akuma.estimate(situation)
    assert found.raise_ == found.call == pytest.approx(36 * 0.735 - 7, abs=1.5)


@pytest.mark.parametrize(
    ("actions", "bets"),
    [
        ("", 1),  # a small blind is one bet, whatever its price
        ("r300", 1),  # up to the pot
        ("r1000", 2),
        ("r300 r800", LED + 1),
        ("r300 r20000", LED + 2),
        ("c", 0),
    ],
)
def test_no_limit_bets_are_counted_by_their_price(actions: str, bets: int) -> None:
    situation = at(NO_LIMIT, actions, "AhAd")
    behind = [stack - blind for stack, blind in zip(NO_LIMIT.stacks, NO_LIMIT.blinds, strict=True)]
    now = BettingTracker(NO_LIMIT.max_raises, NO_LIMIT.blinds, behind)
    list(choices(situation, now))
    assert now.choice_type(situation.position) == bets


def test_a_no_limit_raise_is_three_quarters_of_the_pot_or_all_there_is() -> None:
    assert Akuma(1, NO_LIMIT).decide(at(NO_LIMIT, "r300", "AhAd")) == raise_to(300 + 450)
    short = holdem(2, 50, 100, stack=600)
    assert Akuma(1, short).decide(at(short, "r300", "AhAd")) == raise_to(600)


@pytest.mark.parametrize(("villain", "hands"), [("call", 60), ("random", 200)])
def test_it_beats_bots_without_a_plan_at_no_limit(villain: str, hands: int) -> None:
    entries = {"akuma": ContestEntry("akuma", AkumaParameters(trials=60)), "villain": ContestEntry(villain)}
    contest = Contest(Division("duel", ("akuma", "villain"), 2, 1, hands), FixedTable(NO_LIMIT), entries, 21)
    won = mean_interval(deal_totals(contest, map(contest.play, contest.sessions), ["akuma"]))
    assert won.low is not None
    assert won.low > 0


@pytest.mark.parametrize(("villain", "hands"), [("call", 50), ("raise", 200), ("random", 80)])
def test_it_beats_bots_without_a_plan(villain: str, hands: int) -> None:
    entries = {"akuma": ContestEntry("akuma", AkumaParameters(trials=60)), "villain": ContestEntry(villain)}
    contest = Contest(Division("duel", ("akuma", "villain"), 2, 1, hands), FixedTable(TWO), entries, 21)
    won = mean_interval(deal_totals(contest, map(contest.play, contest.sessions), ["akuma"]))
    assert won.low is not None
    assert won.low > 0


def test_it_pays_at_first_to_see_what_weak_players_do() -> None:
    akuma = Akuma(1, TWO, AkumaParameters(explore=0.5, explore_hands=100))
    situation = at(TWO, "r", "7c2d")
    assert akuma._call_bonus(situation) == 0
    other = 1 - situation.seat
    akuma.habits.hands, akuma.habits.won = 100, {other: -200}
    assert akuma._call_bonus(situation) == pytest.approx(0.25 * 10)
    akuma.habits.hands = 150
    assert 0 < akuma._call_bonus(situation) < 0.25 * 10
    akuma.habits.won = {other: 200, situation.seat: -200}
    assert akuma._call_bonus(situation) == 0


def test_it_counts_patience_in_the_big_blinds_that_are_posted() -> None:
    akuma = Akuma(1, TWO, AkumaParameters(explore=0.5, explore_hands=100))
    situation = at(TWO, "r", "7c2d")
    other = 1 - situation.seat
    for big_blind in (10, 40):
        blinds = tuple(big_blind * blind // 10 for blind in TWO.blinds)
        stacks, holes = (1000, 1000), ((1, 2), ())
        akuma.observe(
            HandStarted(situation.hand, situation.seats, situation.button, stacks, (0, 0), blinds, holes)
        )
        akuma.habits.hands, akuma.habits.won = 100, {other: -11 * big_blind}
        assert akuma._call_bonus(situation) == pytest.approx(0.25 * big_blind)
        akuma.habits.won = {other: -9 * big_blind}
        assert akuma._call_bonus(situation) == 0


# What is refused.


@pytest.mark.parametrize("name", ["kuhn.limit.2p", "leduc.limit.2p"])
def test_other_games_are_refused(name: str) -> None:
    with pytest.raises(UnplayableGame, match="akuma") as refusal:
        create_strategy("akuma", 1, load_game(name))
    assert refusal.value.code == "unplayable_game"


_BREAK: dict[str, Callable[[Situation], Situation]] = {
    "no such street": lambda good: good._replace(street=4),
    "short board": lambda good: good._replace(board=good.board[:2]),
    "card twice": lambda good: good._replace(hole=(good.board[0], 51)),
    "nobody left": lambda good: good._replace(folded=(True, True)),
    "game for three": lambda good: good._replace(game=THREE),
    "a stranger acts": lambda good: good._replace(history=(good.history[0]._replace(seat=7),)),
}


@pytest.mark.parametrize("how", _BREAK)
def test_impossible_situations_are_refused(how: str) -> None:
    good = at(TWO, "c c c", "TcTd", "2c7dTs")
    with pytest.raises(SituationError) as refusal:
        Akuma(1, TWO, QUICK).decide(_BREAK[how](good))
    assert refusal.value.code == "bad_situation"


@pytest.mark.parametrize(
    ("values", "key"),
    [({"trials": 0}, "trials"), ({"noise": 0}, "noise"), ({"prior": "much"}, "prior"), ({"luck": 1}, "luck")],
)
def test_bad_parameters_are_refused(values: dict[str, object], key: str) -> None:
    with pytest.raises(BadParameters) as refusal:
        parameters_of("akuma", values)
    assert refusal.value.key == key
