"""The claims that follow from the rules and the blueprint alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from statistics import fmean

import numpy as np

from dealer.rules.actions import CALL, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import cards_text, parse_cards
from dealer.rules.games import holdem
from strategy.blueprint.blueprint import load_blueprint
from strategy.cfr.variants import match_regrets
from strategy.mapping_bots.bots import Hbb2
from strategy.mapping_bots.histories import histories
from strategy.mapping_bots.rounds import CAPS, count_histories, map_street, rounds
from strategy.mapping_bots.spot import make_spot
from strategy.situation import Situation, situation_at
from studies.harness.report import Row
from studies.harness.verdicts import judge_exact

_CLOSE = 0.1
# Probabilities of another blueprint: close enough.


_NO_CARD = "None is within a tenth of the document's, whichever card it was."
_CAPS = "Three raises before the flop and four on later streets."
_ROUNDS = "Finished or not, with four raises, and folds allowed where nothing is to pay."
_RIVER = "Rounds are counted from zero and pots in small blinds: it is the river, with 26 big blinds."
_UNREDUCED = "Street, pot and price, as a pair that is not reduced."


def exact_rows() -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield _example_node()
    yield from _three_coins()
    yield from _counts()
    yield from _mapped_streets()
    yield from _first_example()
    yield from _second_example()


def _example_node() -> Row:
    """Return the node of 3.1: a strategy of thirds, and an opponent who comes to it half of the time."""
    third, values, reach = np.full(3, 1 / 3), np.array([-3.0, 6.0, 9.0]), 0.5
    regrets = reach * (values - third @ values)
    following = np.zeros((1, 1, 3))
    match_regrets(regrets[None, None], np.ones((1, 3), bool), 0, 0, 1, following)
    printed = ([-3.5, 1.0, 2.5], [0.0, 1 / 3.5, 2.5 / 3.5])
    paper, here = (
        f"{_listed(regret)}; {_listed(strategy)}"
        for regret, strategy in (printed, (regrets, following[0, 0]))
    )
    claim = "the example node: regrets of fold, call and raise, and the next strategy"
    return Row("example-node", "3.1", claim, paper, here, judge_exact(paper == here))


def _listed(numbers: Iterable[float]) -> str:
    return " ".join(f"{one:.4g}" for one in numbers)


def coin_winnings(heads: Sequence[float]) -> list[float]:
    """Return what each of three players wins who show heads with these chances (3.2): who is alone pays one
    unit, half to each of the others.
    """
    won = [0.0] * 3
    for sides in product((True, False), repeat=3):
        chance = prod(one if side else 1 - one for one, side in zip(heads, sides, strict=True))
        if len(set(sides)) == 2:
            alone = sides.index(sides.count(True) == 1)
            for player in range(3):
                won[player] += chance * (-1.0 if player == alone else 0.5)
    return won


def _three_coins() -> Iterator[Row]:
    half = 0.5
    gains = [
        coin_winnings([half] * player + [side] + [half] * (2 - player))[player]
        for player in range(3)
        for side in (0.0, 1.0)
    ]
    most = max(gains)
    claim = "three coins, heads half of the time: what anybody gains by another strategy"
    yield Row("coins-equilibrium", "3.2", claim, 0, most, judge_exact(most == 0))
    alone = coin_winnings([half, 1.0, 1.0])[0]
    claim = "two who always show the same side: what the third wins each round who keeps to the equilibrium"
    yield Row("coins-together", "3.2", claim, -0.5, alone, judge_exact(alone == -0.5))


def _counts() -> Iterator[Row]:
    whole = histories()
    streets, pots, prices = (one.tolist() for one in (whole.street, whole.pot, whole.to_call))
    three = [one for one in rounds(3, CAPS[1], free_folds=True) if one.live >= 2]
    by_pot = Counter(zip(streets, pots, strict=True))
    by_odds = set(zip(streets, pots, prices, strict=True))
    for key, source, claim, paper, found, note in (
        ("two", "4.1", "two-player histories after which somebody must act", 6378, len(streets), ""),
        ("preflop", "5.2", "of them before the flop", 8, streets.count(0), _CAPS),
        ("rounds", "4.2", "rounds begun by three in which at most one has folded", 370, len(three), _ROUNDS),
        ("pots", "4.4", "classes of the pot-size filter", 54, len(by_pot), "Street and pot."),
        ("pot-52", "4.4", 'histories in "Wettrunde drei, Potgröße 52"', 536, by_pot[3, 52], _RIVER),
        ("odds", "5.1", "classes of the pot-odds filter", 76, len(by_odds), _UNREDUCED),
    ):
        yield Row(f"count-{key}", source, claim, paper, found, judge_exact(paper == found), note)
    bug = sum(count_histories(3, free_folds=True, least=3))
    sane, free = sum(count_histories(3)), sum(count_histories(3, free_folds=True))
    yield Row(
        "count-three",
        "4.1, 6",
        "three-player histories after which somebody must act",
        12_827_520,
        free,
        "document in error",
        f"The document's number comes out ({bug:,}) if a round cannot end before three actions, even where "
        f"only two players began it: two checks then leave it open. Without that it is {free:,}, {sane:,} if "
        "nobody may fold where nothing is to pay.",
    )


def _mapped_streets() -> Iterator[Row]:
    for actions, players, paper in (("rfc", 3, "rc"), ("crrc", 2, "crrc"), ("rrc", 2, "rrc"), ("", 2, "")):
        found = map_street(actions, players)
        yield Row(
            f"map-street-{actions or 'empty'}",
            "4.2",
            f"mapStreet([{','.join(actions)}], {players})",
            f"[{','.join(paper)}]",
            f"[{','.join(found)}]",
            judge_exact(found == paper),
        )


def _situation(actions: str, hole: str, board: str, players: int) -> Situation:
    betting = Betting(holdem(players, 5, 10, limit=True))
    for kind in actions.replace("/", ""):
        least = betting.legal().min_raise
        action: Action = CALL if kind == "c" else raise_to(least or 0)
        betting.act(action)
    return situation_at(betting, parse_cards(hole), parse_cards(board))


def _blueprint_answer(history: str, hole: str, board: str) -> tuple[Situation, tuple[float, ...]]:
    """Return the heads-up situation and the blueprint's answer."""
    blueprint = load_blueprint()
    words = tuple(history.split("/"))
    node = int(histories().node[histories().row_of[words]])
    return _situation(history, hole, board, 2), blueprint.policy(node, parse_cards(hole), parse_cards(board))


def _odds(situation: Situation) -> str:
    return f"{situation.pot}:{situation.to_call}"


def _hbb2_answer(actions: str, hole: str, board: str) -> tuple[Situation, tuple[float, ...]]:
    """Return the situation and hbb2's answer."""
    situation = _situation(actions, hole, board, 3)
    bot = Hbb2(0, situation.game)
    return situation, tuple(bot.probabilities(situation, make_spot(situation)).tolist())


def _first_example() -> Iterator[Row]:
    """Yield the rows of S1 and table 13."""
    hole, board = "AhKd", "7s8s9s"
    situation, policy = _hbb2_answer("rcc/rr", hole, board)
    yield Row(
        "s1-odds",
        "6",
        "S1: pot and price",
        "90:20",
        _odds(situation),
        judge_exact(_odds(situation) == "90:20"),
    )
    yield _call("s1-call", "6", "S1: hbb2 calls", 0.99, policy[1], policy)
    for number, history, paper in ((1, "rc/r", "50:10"), (2, "rc/rrr", "90:20"), (3, "crc/cr", "50:10")):
        situation, policy = _blueprint_answer(history, hole, board)
        odds = _odds(situation)
        yield Row(
            f"table-13-{number}-odds",
            "table 13",
            f"pot and price of {history}",
            paper,
            odds,
            "reproduced" if odds == paper else "document in error",
            ""
            if odds == paper
            else "The third raise is one bet of 10 more, so this history does not have the "
            "pot odds of S1, as the text says.",
        )
        yield _call(f"table-13-{number}-call", "table 13", f"cfr calls at {history}", 0.99, policy[1], policy)


def _second_example() -> Iterator[Row]:
    """Yield the rows of S2 and table 14. The document names no turn card: a mean over all."""
    hole, flop = "Ks9c", "Jc3d6d"
    known = {*parse_cards(hole), *parse_cards(flop)}
    boards = [flop + cards_text((card,)) for card in range(52) if card not in known]
    situation, _ = _hbb2_answer("ccc/ccc/rr", hole, boards[0])
    yield Row(
        "s2-odds",
        "6",
        "S2: pot and price",
        "90:40",
        _odds(situation),
        judge_exact(_odds(situation) == "90:40"),
    )
    for number, history, pot in ((1, "cc/cc/r", "40:20"), (2, "cc/rc/r", "60:20")):
        odds = _odds(_blueprint_answer(history, hole, boards[0])[0])
        yield Row(
            f"table-14-{number}-odds",
            "table 14",
            f"pot and price of {history}",
            pot,
            odds,
            judge_exact(odds == pot),
        )
    mapped = [_hbb2_answer("ccc/ccc/rr", hole, one)[1] for one in boards]
    first, second = (
        [_blueprint_answer(history, hole, one)[1] for one in boards] for history in ("cc/cc/r", "cc/rc/r")
    )
    # hbb2 finds the first history of table 14, so S2 is both.
    assert np.allclose(mapped, first)
    for key, source, claim, papers, policies in (
        ("s2", "6, table 14", "S2: hbb2, and cfr at cc/cc/r,", (0.26, 0.73), mapped),
        ("table-14-2", "table 14", "cfr at cc/rc/r", (0.86, 0.13), second),
    ):
        for kind, paper in enumerate(papers):
            yield _on_some_turn(f"{key}-{('folds', 'calls')[kind]}", source, claim, paper, policies, kind)


def _on_some_turn(
    row: str, source: str, claim: str, paper: float, policies: Sequence[tuple[float, ...]], kind: int
) -> Row:
    """Return a chance whose turn card the document does not name: it may be any."""
    chances = sorted(one[kind] for one in policies)
    near = sum(abs(one - paper) <= _CLOSE for one in chances)
    return Row(
        row,
        source,
        f"{claim} {('folds', 'calls')[kind]}, with a turn card that is not told",
        paper,
        round(fmean(chances), 3),
        "beyond" if near else "not reproduced",
        f"The mean over all {len(chances)} cards; they have from {chances[0]:.2f} to {chances[-1]:.2f}. "
        + (f"{near} are within a tenth of the document's, so it hangs on the card." if near else _NO_CARD),
    )


def _call(
    row: str, source: str, claim: str, paper: float, found: float, policy: tuple[float, ...], note: str = ""
) -> Row:
    policy_text = "Fold, call, raise: " + ", ".join(f"{one:.2f}" for one in policy) + "."
    return Row(
        row,
        source,
        claim,
        paper,
        round(found, 3),
        judge_exact(abs(found - paper) <= _CLOSE),
        f"{note} {policy_text} Within a tenth.".strip(),
    )
