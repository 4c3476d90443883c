"""The claims of Aceituno 2017 that can be checked without playing, and its contradictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product
from math import erfc, sqrt

from dealer.intervals import Interval
from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import holdem
from strategy.adaptive.decision import choose, position_share, raise_amount, utility
from strategy.adaptive.learning import STREETS, ActionStatistics, HandVector, Thresholds, learn
from strategy.adaptive.parameters import AdaptiveParameters
from strategy.adaptive.value import ORDER, postflop_value, preflop_value
from strategy.situation import Situation, situation_at
from studies.aceituno.document import (
    BEST,
    HUMAN,
    PRINTED_VALUES,
    TESTS,
    TOURNAMENTS,
    PrintedTest,
    chi_squared,
)
from studies.harness.report import Row
from studies.harness.verdicts import beyond_row, exact_row, unjudged_row

_95 = 1.96
_TENTHS = [part / 10 for part in range(11)]
_HUNDREDTHS = [part / 100 for part in range(101)]
_STACK = 10_000

SIGNIFICANT = 0.05
"""Players whose wins are less likely than this among equals are not equal."""

_PRINTED_TWICE = {47: "JTs", 159: "32s"}
"""Where figure 12 has another class than ``ORDER``, which has all."""


def _classes() -> str:
    """Return how many starting hands figure 12 lists."""
    return f"{len({_PRINTED_TWICE.get(number, name) for number, name in enumerate(ORDER, 1)})} classes"


def _least_raise() -> str:
    """Return the rule of the least raise, from one of three: by how much it exceeds the bet to be paid."""
    above = {least - bet for bet, least in pairwise((10, *_least_raises(2)))}
    return "W >= Z + big blind" if above == {10} else "another rule"


def _least_raises(count: int) -> list[int]:
    """Return the least raise with blinds of 5 and 10, and the least after each."""
    betting, least = Betting(holdem(5, 5, 10, stack=1000)), []
    for _ in range(count):
        least.append(_situation(betting).legal.min_raise or 0)
        betting.act(raise_to(least[-1]))
    return least


def _least_bet() -> str:
    """Return the least that is to be paid before the flop, beside the big blind."""
    betting, paid = Betting(holdem(5, 5, 10, stack=1000)), []
    while betting.to_call:
        paid.append(betting.to_call)
        betting.act(CALL)
    return "less" if min(paid) < 10 else "the big blind"


def _small_blind() -> str:
    """Return who posts the small blind when two play: the dealer is who speaks last after the flop."""
    betting = Betting(holdem(2, 5, 10, stack=1000))
    posted = betting.spent.index(5)
    for _ in range(3):
        betting.act(CALL)
    return "the dealer" if betting.to_act == posted else "left of the dealer"


def _folded() -> str:
    """Return what one who folds before the flop wins: without a blind, and as the small one."""
    betting = Betting(holdem(5, 5, 10, stack=1000))
    for _ in range(4):
        betting.act(FOLD)
    return "0 or below" if max(map(int.__neg__, betting.spent)) == 0 else "always below 0"


def _at_the_threshold() -> str:
    """Return what the formulas of 4.2.2 do facing a bet, at a utility equal to the Raise threshold."""
    return choose(0.75, 0.75, 0.25, free=False)


def _training_mode() -> str:
    """Return the mode of the tests: who loses a tournament loses a stack, and more if chips are refilled."""
    lost = {
        (4 * one.wins - one.balance) / (TOURNAMENTS - one.wins)
        for test in TESTS.values()
        for one in test.outcomes
    }
    return "tournaments" if lost == {1} else "simple"


def _four_hands() -> list[tuple[tuple[str, ...], ...]]:
    """Return the actions of the four hands, as 4.3.2 and as 4.3.3 print them."""
    return [
        (("call", "call", "fold"), ("call", flop, "raise", "call"), ("fold",), ("call",) * 4)
        for flop in ("raise", "call")
    ]


_ERRATA = (
    (
        "deep-blue",
        "3.3.1",
        "games that Deep Blue and Kasparov won in 1997",
        "3 and 2",
        "2 and 1",
        "The other three of the six were drawn: 3.5 to 2.5.",
    ),
    (
        "claudico",
        "3.3.2",
        "hands of Claudico's match in 2015",
        20_000,
        80_000,
        "20,000 with each of the four.",
    ),
    (
        "libratus",
        "3.3.2",
        "what the second has, after Libratus, of its match in 2017",
        "half as much as it",
        "a loss",
        "It played each of the four alone, and all four lost: 14.7 big blinds in 100 of 120,000 hands.",
    ),
    (
        "preflop-classes",
        "4.2.1, figure 12",
        "every starting hand is listed once",
        "169 classes",
        _classes,
        "J10s is printed as numbers 16 and 47, 32s as 105 and 159; JTo and 32o are missing: 47 and 159.",
    ),
    (
        "bet-and-pot",
        "4.2.1, B",
        "the bet to pay beside the pot",
        ">=",
        "<=",
        "The sentence before has it right: a call costs at most the pot, but for big blinds posted short.",
    ),
    (
        "least-raise",
        "4.2.2, case B",
        "the least raise W where a bet of Z is to be paid",
        "W + big blind >= Z",
        _least_raise,
        "3.1.4 has it right (`example-least-raise`).",
    ),
    (
        "least-bet",
        "4.2.2, case B",
        "the least Z that is to be paid",
        "the big blind",
        _least_bet,
        "The small blind pays the other half of it; and nobody pays more than an own stack.",
    ),
    (
        "at-the-threshold",
        "4.2.2",
        "what the prose does facing a bet, at a utility equal to the Raise threshold",
        "nothing",
        _at_the_threshold,
        "It says less, the formula <=. At the Fold threshold it says more, the formula >=.",
    ),
    (
        "balanced-weights",
        "6.2, Prueba 3",
        "players whose weights of P, B and S are balanced",
        5,
        sum(len(set(one.weights[1:])) == 1 for one in TESTS[3].players),
        "Of the others one weight is less than the other two, or more.",
    ),
    (
        "fold-called-flop",
        "4.2.2, 4.3.4",
        "what is done below the second threshold",
        "Flop",
        "Fold",
        "A slip that runs through both sections; the street of that name is another thing.",
    ),
    (
        "heads-up-blinds",
        "3.1.4",
        "who posts the small blind when two play",
        "left of the dealer",
        _small_blind,
        "The exception is missing: the dealer speaks first before the flop and last after it.",
    ),
    (
        "four-hands",
        "4.3.2, 4.3.3",
        "actions of the four hands that differ in their two tables",
        0,
        sum(one != two for both in zip(*_four_hands(), strict=True) for one, two in zip(*both, strict=True)),
        "The flop of the second hand, Raise and Call; the sum of -50 is the same.",
    ),
    (
        "fold-results",
        "4.3.4, 4.3.2",
        "balance of a hand that was folded",
        "always below 0",
        _folded,
        "Who folds before the flop without a blind loses nothing: so does the third of his four hands.",
    ),
    (
        "mu-by-street",
        "4.3.4, 6.2",
        "different mu that a player has for the four streets in the tests",
        4,
        max(len(set(one.mu)) for test in TESTS.values() for one in test.players),
        "It is announced and never done: the tables have one mu for each player.",
    ),
    (
        "training-mode",
        "4.1; 6.1, 6.2",
        "the mode in which bots train",
        "simple",
        _training_mode,
        "The simple mode refills chips. In the tables a lost tournament costs one stack, never more.",
    ),
    (
        "references",
        "3.1.4, 4.1, 4.2",
        "figures that are numbered 9",
        1,
        2,
        "The ranking of hands and the table. 4.2 means figure 10; 4.2.1 is cited as 2.3, and 3.1.4 as 1.2.4.",
    ),
)
"""Id, section, claim, the document's value, the right one or what computes it, and why."""


_BANDS = {
    9: ("AhKhQhJhTh", "5h4h3h2hAh"),
    8: ("AhAdAsAcKh", "2h2d2s2c3h"),
    7: ("AhAdAsKhKd", "2h2d2s3h3d"),
    6: ("AhKhQhJh9h", "7h5h4h3h2h"),
    5: ("AhKhQhJhTd", "5h4h3h2hAd"),
    4: ("AhAdAsKhQh", "2h2d2s4h3h"),
    3: ("AhAdKsKhQh", "3h3d2s2h4h"),
    2: ("AhAdKsQhJh", "2h2d5s4h3h"),
    1: ("AhKdQsJh9h", "7h5d4s3h2h"),
}
"""The best and the worst hand of each kind, by the lower end of its band of V, in tenths (4.2.1)."""


def _cards(name: str) -> str:
    """Return two cards of a class: the second of the same suit if it is suited."""
    return f"{name[0]}s{name[1]}{'s' if name.endswith('s') else 'h'}"


def document_rows() -> Iterator[Row]:
    """Yield the rows of all errata."""
    values = [preflop_value(parse_cards(_cards(name))) for name in ORDER]
    same = sum(round(one, 4) == other for one, other in zip(values, PRINTED_VALUES, strict=True))
    yield exact_row(
        "preflop-table",
        "4.2.1, figure 12",
        "V of the numbers 1 to 169: one formula gives all that are printed",
        len(PRINTED_VALUES),
        same,
        "V = (168 - n) / 168 for number n, but 1 for the first and 0 for the last: all to four digits. "
        "Which hand has which number is another question: `preflop-classes`.",
    )
    for name, section, claim, paper, right, note in _ERRATA:
        found = right() if callable(right) else right
        yield exact_row(name, section, claim, paper, found, note, otherwise="document in error")
    yield from _examples()
    tables = [(one.wins, one.balance, TOURNAMENTS) for test in TESTS.values() for one in test.outcomes]
    tables += [(wins, balance, 10) for wins, balance in zip(*HUMAN, strict=True)]
    yield exact_row(
        "identity",
        "6.2, 6.3",
        "balance in thousands = 5 x wins - tournaments, row by row",
        len(tables),
        sum(balance == 5 * wins - played for wins, balance, played in tables),
        "A winner gains 4,000 chips, a loser pays 1,000.",
        otherwise="document in error",
    )
    for number, test in TESTS.items():
        yield _significance(number, test)
    yield _never_bluffs()


def _examples() -> Iterator[Row]:
    """Yield the worked examples of 4.2.2 and 4.3, computed with our player."""
    kinds = [choose(worth, 0.75, 0.25, free=False) for worth in (0.4, 0.6, 0.2, 0.8)]
    yield exact_row(
        "example-choice",
        "4.2.2, figure 14",
        "what is done at utilities of 0.4, 0.6, 0.2 and 0.8, with thresholds of 0.75 and 0.25",
        "call, call, fold, raise",
        ", ".join(kinds),
    )
    paid = []
    for small in (25, 50):
        hand = Betting(holdem(5, small, 2 * small, stack=1000))
        for act in (FOLD, FOLD, FOLD, CALL, CALL, *[CALL] * 3, raise_to(100), FOLD):
            hand.act(act)
        paid.append(-hand.spent[0])
    yield exact_row(
        "example-hand",
        "4.3.2",
        "result of one who pays 50 by the small blind, calls, checks and folds on the turn, if 50 is all "
        "that he pays",
        -50,
        paid[0],
        "Blinds are not told: here 25 and 50. If the 50 are the small blind alone, who sees the flop has "
        f"paid the big one (3.1.4), and the result is {paid[1]}.",
    )
    yield from _cards_and_places()
    results = set()
    for hands in _four_hands():
        four = ActionStatistics(map(HandVector, hands, (-50, 150, 0, -150)))
        results.add(f"{four.chips:g}, {'stays' if _moved(four) == (0, 0) else 'moves'}")
    yield exact_row(
        "example-four-hands",
        "4.3.3",
        "balance of the four hands, and whether the thresholds move",
        "-50, moves",
        " or ".join(sorted(results)),
        "With either of the two tables of the second hand.",
    )
    hundred = ActionStatistics()
    for action, times, chips in (("fold", 10, -100), ("call", 70, 100), ("raise", 5, -300)):
        for _ in range(times):
            hundred.add(HandVector((action,), chips / times))
    up, down = _moved(hundred)
    yield exact_row(
        "example-hundred-hands",
        "4.3.4",
        "how the Raise and the Fold threshold move after his table of the preflop",
        "+1 and -1 mu",
        f"{up:+d} and {down:+d} mu",
        "The balance is -300: raises have lost, calls have won. His 10, 70 and 5 hands are 85 of 100; in the "
        "others it may have had no turn.",
    )


def _cards_and_places() -> Iterator[Row]:
    """Yield the worked examples of 3.1.4 and 4.2.1."""
    bands = [[postflop_value(parse_cards(cards)) for cards in pair] for pair in _BANDS.values()]
    inside = sum(
        low / 10 <= worst <= best <= (low + 1) / 10 for low, (best, worst) in zip(_BANDS, bands, strict=True)
    )
    aces, threes, tens, fives = (
        postflop_value(parse_cards(cards))
        for cards in ("AhAdAsAc2h", "3h3d3s3c2h", "ThTdTsJhJd", "5h5d5sAhAd")
    )
    yield exact_row(
        "example-values",
        "4.2.1",
        "kinds of hands whose best and worst V is in the band; four aces before four threes, tens full of "
        "jacks before fives full of aces",
        "9; yes, yes",
        f"{inside}; {', '.join('yes' if better else 'no' for better in (aces > threes, tens > fives))}",
    )
    ranks = "AKQJT98765432"
    suited, other = (
        [preflop_value(parse_cards(_cards(f"{high}{low}{kind}"))) for high, low in combinations(ranks, 2)]
        for kind in "so"
    )
    better = sum(one > two for one, two in zip(suited, other, strict=True))
    yield exact_row(
        "example-suited",
        "4.2.1, figure 12",
        "pairs of ranks that are worth more if suited",
        "78",
        str(better),
        "Of the same ranks: AKo is before most that are suited.",
    )
    places = []
    for players in (2, 3):
        betting = Betting(holdem(players, 5, 10, stack=1000))
        for _ in range(players):
            # The document cuts 0.666.
            places.append(int(1000 * position_share(_situation(betting)) + 1e-9) / 1000)
            betting.act(CALL)
    yield exact_row(
        "example-position",
        "4.2.1, P",
        "P of two players, and of three, in their order",
        "0.5, 1, 0.333, 0.666, 1",
        ", ".join(f"{one:g}" for one in places),
    )
    yield exact_row(
        "example-least-raise",
        "3.1.4",
        "the least raise with blinds of 5 and 10, and the least after it",
        "20, 30",
        ", ".join(map(str, _least_raises(2))),
    )


def _situation(betting: Betting) -> Situation:
    return situation_at(betting, parse_cards("AhKh"), ())


def _never_bluffs() -> Row:
    """Return the row on bluffs: whether worse cards ever bet more, all else being equal."""
    settings = list(dict.fromkeys(one for test in TESTS.values() for one in test.players))
    cases = bluffs = 0
    for player in settings:
        for (*others,), free in product(product(_TENTHS, repeat=3), (True, False)):
            bets = [_bet(player, (worth, *others), free=free) for worth in _TENTHS]
            cases += len(bets) - 1
            bluffs += sum(worse > better for worse, better in pairwise(bets))
    least = next(worth for worth in _HUNDREDTHS if _bet(BEST, (worth, 1, 1, 1), free=True))
    return exact_row(
        "no-bluffs",
        "7",
        "the algorithm cannot bluff: cases in which it bets more with worse cards, all else being equal",
        0,
        bluffs,
        f"Of {cases:,}: all settings of the tests, V, P, B and S in tenths, with a bet to pay and without. "
        "To bluff is to feign better cards by bets (3.2). Cards alone do not decide: where P, B and S are 1, "
        f"the best configuration bets from V = {least:g} on.",
    )


def _bet(player: AdaptiveParameters, facts: Sequence[float], *, free: bool) -> int:
    """Return the size of its raise with these V, P, B and S, in parts of a great stack; 0: none."""
    worth = utility(facts, player.weights)
    if choose(worth, player.raise_at, player.fold_below, free=free) != "raise":
        return 0
    return raise_amount(worth, player.raise_at, 1, _STACK)


def _moved(statistics: ActionStatistics) -> tuple[int, int]:
    """Return by how many steps of mu the thresholds of Prueba 1 move."""
    first = TESTS[1].players[0]
    raise_at, fold_below = learn(
        Thresholds(first.raise_at, first.fold_below), statistics, first.mu * STREETS, first.gap
    )
    moved = (raise_at - first.raise_at, fold_below - first.fold_below)
    return round(moved[0] / first.mu[0]), round(moved[1] / first.mu[0])


def _significance(number: int, test: PrintedTest) -> Row:
    """Return how likely such wins are for equal players, and for the trend in the order of the settings."""
    wins = tuple(one.wins for one in test.outcomes)
    chance = chi_squared(wins)
    fixed = test.players[0].learn_every == 0
    note = f"The chance that five equal players win so unevenly (chi-squared) is {chance:.2g}"
    if not fixed:
        return unjudged_row(
            f"test-{number}-significance",
            test.section,
            "400 tournaments show that some win more than others",
            f"p = {chance:.2g}",
            f"{note}. But players who keep what they learned are one run, not 400.",
        )
    most, second = sorted(wins, reverse=True)[:2]
    pair = erfc((most - second) / sqrt(2 * (most + second)))
    # Of the difference of two shares of the same tournaments.
    half = _95 * sqrt((most + second) / TOURNAMENTS - ((most - second) / TOURNAMENTS) ** 2)
    lead = Interval((most - second) / TOURNAMENTS, half / sqrt(TOURNAMENTS), TOURNAMENTS)
    needed = (half / lead.mean) ** 2
    return beyond_row(
        f"test-{number}-significance",
        test.section,
        f"how far player {test.best + 1} is ahead of the second in the document's {TOURNAMENTS} tournaments",
        lead,
        f"Computed from its table, so nothing is judged: two equal players are so far apart with p = "
        f"{pair:.2g}. Such a lead would be sure after {needed:,.0f} tournaments. {note}; that wins rise or "
        f"fall so evenly with the settings (trend) {trend(wins):.2g}. Our own tournaments: "
        f"`test-{number}-best`.",
    )


def trend(wins: Sequence[int]) -> float:
    """Return the probability, both sides, that wins of equal players rise or fall so evenly with their
    number: the test of Cochran (1954) and Armitage (1955).
    """
    places = range(len(wins))
    mean = sum(places) / len(wins)
    spread = sum((place - mean) ** 2 for place in places) / len(wins)
    score = sum((place - mean) * won for place, won in zip(places, wins, strict=True))
    return erfc(abs(score) / sqrt(2 * sum(wins) * spread))
