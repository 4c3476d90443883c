"""The claims that follow from the rules and the blueprint alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from math import sqrt
from statistics import fmean
from typing import NamedTuple

import numpy as np

from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import cards_text, parse_cards
from dealer.rules.games import holdem, load_game
from strategy.blueprint.blueprint import load_blueprint
from strategy.cfr.response import best_response, node_values, reach, values
from strategy.cfr.small import small_game
from strategy.cfr.variants import match_regrets
from strategy.mapping_bots.bot import MappedBot
from strategy.mapping_bots.histories import histories
from strategy.mapping_bots.rounds import CAPS, ActionSequence, count_histories, map_street, rounds
from strategy.mapping_bots.spot import make_spot
from strategy.poker.preflop import HAND_CLASSES, class_combinations, preflop_equity
from strategy.registry import create_strategy, parameters_of
from strategy.situation import Situation, situation_at
from strategy.three_player.bot import Hbb6
from studies.gloeckner.jobs import ASKED
from studies.gloeckner.plan import Array
from studies.harness.report import Row
from studies.harness.verdicts import exact_row, judge_exact, unjudged_row

_CLOSE = 0.1
# Probabilities of another blueprint: close enough.
_CALLS = 0.99
# How often S1 and each history of table 13 are called.
_HANDS = (10, 100, 1000)
_HISTORIES = 12_827_520

_NO_CARD = "None is within a tenth of the document's, whichever card it was."
_CAPS = "Three raises before the flop and four on later streets."
_ROUNDS = "Finished or not, with four raises, and folds allowed where nothing is to pay."
_RIVER = "Rounds are counted from zero and pots in small blinds: it is the river, with 26 big blinds."
_ANOTHER_BET = (
    "The third raise is one bet of 10 more, so this history does not have the pot odds of S1, as the text "
    "says."
)
_OURS = "A check of our program: it tells nothing of the document."
_UNREDUCED = "Street, pot and price, as a pair that is not reduced."


def exact_rows() -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield _example_node()
    yield from _theorems()
    yield from _counts()
    yield from _mapped_streets()
    yield from _requirements()
    yield from _more_players()
    yield from _first_example()
    yield from _second_example()


def _check(row: str, source: str, claim: str, holds: Collection[bool], note: str = "") -> Row:
    """Return in how many cases something holds that must: it has no verdict."""
    return unjudged_row(row, source, claim, f"{sum(holds)} of {len(holds)}", f"{_OURS} {note}".strip())


def _example_node() -> Row:
    """Return the node of 3.1: a strategy of thirds, and an opponent who comes to it half of the time."""
    third, worth, reached = np.full(3, 1 / 3), np.array([-3.0, 6.0, 9.0]), 0.5
    regrets = reached * (worth - third @ worth)
    following = np.zeros((1, 1, 3))
    match_regrets(regrets[None, None], np.ones((1, 3), bool), 0, 0, 1, following)
    printed = ([4.0], [-3.5, 1.0, 2.5], [0.0, 1 / 3.5, 2.5 / 3.5])
    paper, here = (
        "; ".join(map(_listed, one)) for one in (printed, ([third @ worth], regrets, following[0, 0]))
    )
    claim = "the example node: its value, the regrets of fold, call and raise, and the next strategy"
    return exact_row("example-node", "3.1", claim, paper, here)


def _listed(numbers: Iterable[float]) -> str:
    return " ".join(f"{one:.4g}" for one in numbers)


class Regrets(NamedTuple):
    """After so many ``hands``: the average overall regret of both players, the sums of their positive
    immediate regrets and the largest of them, and what a best response gains on the average strategies.
    """

    hands: int
    overall: Array
    sums: Array
    largest: float
    gains: Array


def kuhn_regrets(hands: Iterable[int]) -> Iterator[Regrets]:
    """Yield the regrets of plain CFR (3.1) in Kuhn poker after each of these numbers of hands."""
    game = small_game(load_game("kuhn.limit.2p"))
    tree, players = game.tree, range(game.tree.players)
    actors, legal = tree.player[tree.decisions], tree.child[tree.decisions] >= 0
    regret, average, current = np.zeros((3, *game.shape))
    won = np.zeros(len(players))
    for before, done in pairwise((0, *hands)):
        for _ in range(before, done):
            for row in range(len(legal)):
                match_regrets(regret, legal, row, 0, game.cards, current)
            won += values(game, current)
            for player in players:
                own = (actors == player)[:, None, None]
                others = reach(game, np.where(own, 1.0, current))
                mine = reach(game, np.where(own, current, 1.0)) / game.probability
                worth = node_values(game, current, player)
                for row in np.flatnonzero(actors == player).tolist():
                    node = int(tree.decisions[row])
                    cards = game.info[player, tree.street[node]]
                    # A player comes to a decision alike with all deals that look alike.
                    average[row, cards] += mine[node][:, None] * current[row, cards]
                    for action in np.flatnonzero(legal[row]).tolist():
                        gain = others[node] * (worth[tree.child[node, action]] - worth[node])
                        np.add.at(regret[row, :, action], cards, gain)
        mean = average / np.maximum(average.sum(axis=2, keepdims=True), 1e-300)
        best = np.array([best_response(game, mean, player)[0] for player in players])
        positive = np.maximum(regret.max(axis=2), 0) / done
        yield Regrets(
            done,
            best - won / done,
            np.array([positive[actors == player].sum() for player in players]),
            float(positive.max()),
            best - values(game, mean),
        )


def _theorems() -> Iterator[Row]:
    """Yield theorems 1 to 3: Kuhn poker has winnings from -2 to 2, and for each player six information sets
    with two actions.
    """
    found = list(kuhn_regrets(_HANDS))
    bounds = [4 * sqrt(2) / sqrt(one.hands) for one in found]
    overall = [max(one.overall) for one in found]
    # Of the player who comes nearest to the bound.
    nearest = [
        max(zip(one.sums, one.overall, strict=True), key=lambda pair: pair[1] - pair[0]) for one in found
    ]
    immediate = [(bound, one.largest) for bound, one in zip(bounds, found, strict=True)]
    six_times = [(6 * bound, most) for bound, most in zip(bounds, overall, strict=True)]
    for key, claim, pairs in (
        (
            "1",
            "what a best response gains on the average strategies is at most twice the larger overall regret",
            [(2 * most, max(one.gains)) for most, one in zip(overall, found, strict=True)],
        ),
        (
            "2",
            "overall regret is at most the sum of the immediate ones (of the player who comes nearest to it)",
            nearest,
        ),
        ("3", "the largest immediate regret is at most 4 √2 / √T", immediate),
        ("3-overall", "overall regret is at most six times as much", six_times),
        (
            "3-converges",
            "overall regret goes to 0: it is less than after a tenth of the hands",
            list(pairwise(overall)),
        ),
    ):
        told = "; ".join(
            f"{one.hands:,} hands: {here:.4f}, bound {bound:.4f}"
            for one, (bound, here) in zip(found[-len(pairs) :], pairs, strict=True)
        )
        holds = [bool(here <= bound + 1e-12) for bound, here in pairs]
        yield _check(f"theorem-{key}", "3.1", f"CFR in Kuhn poker: {claim}", holds, f"{told}.")


def _counts() -> Iterator[Row]:
    whole = histories()
    streets, pots, prices = (one.tolist() for one in (whole.street, whole.pot, whole.to_call))
    three = [one for one in rounds(3, CAPS[1], free_folds=True) if one.live >= 2]
    by_pot = Counter(zip(streets, pots, strict=True))
    unfolded = ["f" not in "".join(words) for words in whole.row_of]
    by_odds = set(zip(streets, pots, prices, strict=True))
    for key, source, claim, paper, found, note in (
        ("two", "4.1", "two-player histories after which somebody must act", 6378, len(streets), ""),
        ("preflop", "5.2", "of them before the flop", 8, streets.count(0), _CAPS),
        ("rounds", "4.2", "rounds begun by three in which at most one has folded", 370, len(three), _ROUNDS),
        ("pots", "4.4", "classes of the pot-size filter", 54, len(by_pot), "Street and pot."),
        ("pot-52", "4.4", 'histories in "Wettrunde drei, Potgröße 52"', 536, by_pot[3, 52], _RIVER),
        ("odds", "5.1", "classes of the pot-odds filter", 76, len(by_odds), _UNREDUCED),
    ):
        yield exact_row(f"count-{key}", source, claim, paper, found, note)
    yield _check("count-folded", "4.1", "two-player histories without a fold, which S would have", unfolded)
    bug = sum(count_histories(3, free_folds=True, least=3))
    sane, free = sum(count_histories(3)), sum(count_histories(3, free_folds=True))
    yield exact_row(
        "count-three",
        "4.1, 6",
        "three-player histories after which somebody must act",
        _HISTORIES,
        free,
        f"The document's number comes out ({bug:,}) if a round cannot end before three actions, even where "
        f"only two players began it: two checks then leave it open. Without that it is {free:,}, {sane:,} if "
        "nobody may fold where nothing is to pay.",
        otherwise="document in error" if bug == _HISTORIES else "not reproduced",
    )


def _mapped_streets() -> Iterator[Row]:
    for actions, players, paper in (("rfc", 3, "rc"), ("crrc", 2, "crrc"), ("rrc", 2, "rrc"), ("", 2, "")):
        printed, found = (f"[{','.join(one)}]" for one in (paper, map_street(actions, players)))
        claim = f"mapStreet([{','.join(actions)}], {players})"
        yield exact_row(f"map-street-{actions or 'empty'}", "4.2", claim, printed, found)


def _requirements() -> Iterator[Row]:
    """Yield the five requirements of mapping 1, over all rounds."""
    three, two = (list(rounds(players, CAPS[1], free_folds=players == 3)) for players in (3, 2))
    going = [(one, map_street(one.actions, 3)) for one in three if one.live > 1]
    closed = {one.actions: one.closed for one in two if one.live > 1}

    def longest(of: ActionSequence) -> int:
        """Return the length of the longest word that deletions make of a round, as finished as it is."""
        words = (word for word, over in closed.items() if over == of.closed)
        return max(len(word) for word in words if _within(word, of.actions))

    over = [_refused(one.actions) for one in three if one.live == 1]
    alike = [closed.get(to) == one.closed for one, to in going]
    for key, claim, cases in (
        ("over", "rounds that end the hand have no image", over),
        ("valid", "images are rounds of two in which nobody has folded", [to in closed for _, to in going]),
        ("two", "rounds of two stay as they are", [map_street(one, 2) == one for one in closed]),
        ("closed", "a round is finished if and only if its image is", alike),
        (
            "shortest",
            "no fewer deletions lead to such an image",
            [len(to) == longest(of) for of, to in going],
        ),
    ):
        yield _check(f"mapping-1-{key}", "4.2", f"mapping 1: {claim}", cases)


def _refused(actions: str) -> bool:
    try:
        map_street(actions, 3)
    except ValueError:
        return True
    return False


def _within(word: str, actions: str) -> bool:
    """Return whether deletions make one of the other."""
    left = iter(actions)
    return all(action in left for action in word)


def _more_players() -> Iterator[Row]:
    """Yield what the document says of tables with more players, and of who acts when."""
    holes = [f"{name[0]}s{name[1]}{'s' if name[2:] == 's' else 'h'}" for name in HAND_CLASSES]
    worse = [preflop_equity(one, 2) < preflop_equity(one, 1) for one in map(parse_cards, holes)]
    claim = "classes of hands that win less often against two random hands than against one"
    yield _check("more-win-less", "4.6", claim, worse)
    weights = list(map(class_combinations, HAND_CLASSES))
    two, three = (
        float(np.average([one[0] for one in policies], weights=weights))
        for policies in (
            [_blueprint_answer("", hole, "")[1] for hole in holes],
            [_answer("hbb6", _situation("", hole, "", 3)) for hole in holes],
        )
    )
    yield Row(
        "more-fold-more",
        "4.6",
        "the more players the more hands are folded: how much more often hbb6 folds on the button, among "
        "three, than cfr, among two",
        "> 0",
        round(three - two, 3),
        judge_exact(three > two),
        f"Before anybody has acted, mean of all hands: {three:.3f} and {two:.3f}.",
    )
    first = [_turn(actions, players) for actions, players in (("fcc", 3), ("cc", 2))]
    claim = "who acts first on the flop: of three, the button having folded; of two"
    yield exact_row("flop-order", "2.1, 6", claim, "small blind; big blind", "; ".join(first))
    free = [
        (_turn(one.actions, 3), "r" in one.actions)
        for one in rounds(3, CAPS[0], blinds=True)
        if one.live > 1 and not one.closed and not _situation(one.actions, "2c2d", "", 3).to_call
    ]
    claim = "preflop decisions with nothing to pay that are the big blind's, nobody having raised"
    good = free.count(("big blind", False))
    here = "all" if good == len(free) else f"{good} of {len(free)}"
    yield exact_row("free-preflop", "5.3, footnote 9", claim, "all", here, f"{len(free)} decisions.")


def _turn(actions: str, players: int) -> str:
    """Return who has to act then."""
    betting = _betting(actions, players)
    return {5: "small blind", 10: "big blind"}.get(betting.game.blinds[betting.to_act], "button")


def _betting(actions: str, players: int) -> Betting:
    betting = Betting(holdem(players, 5, 10, limit=True))
    for kind in actions.replace("/", ""):
        least = betting.legal().min_raise
        betting.act({"c": CALL, "f": FOLD}.get(kind) or raise_to(least or 0))
    return betting


def _situation(actions: str, hole: str, board: str, players: int) -> Situation:
    return situation_at(_betting(actions, players), parse_cards(hole), parse_cards(board))


def _blueprint_answer(history: str, hole: str, board: str) -> tuple[Situation, tuple[float, ...]]:
    """Return the heads-up situation and the blueprint's answer."""
    situation = _situation(history, hole, board, 2)
    node = int(histories().node[histories().row_of[tuple(history.split("/"))]])
    return situation, load_blueprint().policy(node, situation.hole, situation.board)


def _odds(situation: Situation) -> str:
    return f"{situation.pot}:{situation.to_call}"


def _answer(bot: str, situation: Situation, **parameters: str) -> tuple[float, ...]:
    """Return how often a bot folds, calls and raises."""
    made = create_strategy(bot, 0, situation.game, parameters_of(bot, parameters) if parameters else None)
    if isinstance(made, Hbb6):
        policy = made.probabilities(situation) or (0.0, 0.0, 0.0)
        return tuple(one / sum(policy) for one in policy)
    assert isinstance(made, MappedBot)
    return tuple(made.probabilities(situation, make_spot(situation)).tolist())


def _nearest_to(situations: Sequence[Situation]) -> str:
    """Return the history that hbb2 takes against each opponent, and its distance, if they are always the
    same.
    """
    words = {row: "/".join(word) for word, row in histories().row_of.items()}
    bot = create_strategy("hbb2", 0, situations[0].game)
    assert isinstance(bot, MappedBot)
    found = {
        ", ".join(
            f"{words[int(one.rows[0])]} {one.distances[0]:.0f}" for one in bot.answers(at, make_spot(at))
        )
        for at in situations
    }
    return "; ".join(sorted(found))


def _aims(name: str, situations: Sequence[Situation]) -> Iterator[Row]:
    """Yield whether a player trained with three folds more than hbb2, and whether other mappings do."""

    def folds(bot: str, **parameters: str) -> float:
        return fmean(_answer(bot, at, **parameters)[0] for at in situations)

    wanted, plain = folds("hbb6"), {bot: folds(bot) for bot in ASKED}
    biased = {bot: folds(bot, bias="hbb6") for bot in ASKED}
    reached = [bot for bot, part in plain.items() if part > plain["hbb2"]]
    enough = sum(part >= wanted for part in plain.values())
    every = "" if len(situations) == 1 else f", mean of {len(situations)} turn cards"
    yield Row(
        f"{name.lower()}-three",
        "6",
        f"{name}: a CFR player trained with three folds more than hbb2: what hbb6 does{every}",
        "> 0",
        round(wanted - plain["hbb2"], 3),
        judge_exact(wanted > plain["hbb2"]),
        f"hbb6 {wanted:.3f}, hbb2 {plain['hbb2']:.3f}. The document assumes it.",
    )
    yield Row(
        f"{name.lower()}-aim",
        "6",
        f"{name}: mappings without a bias that reach the aim, to fold more often than hbb2{every}, of "
        f"{len(ASKED)}",
        0,
        len(reached),
        judge_exact(not reached),
        f"As often as hbb6, a bar of our own: {enough or 'none'}. hbb6 {wanted:.3f}; "
        f"{_folded(plain)}; with the bias of hbb6, which acts after the flop too, "
        f"{_folded(biased)}. The document's bias acts before the flop alone.",
    )


def _folded(folds: dict[str, float]) -> str:
    return ", ".join(f"{bot} {part:.3f}" for bot, part in folds.items())


def _first_example() -> Iterator[Row]:
    """Yield the rows of S1 and table 13."""
    hole, board = "AhKd", "7s8s9s"
    situation = _situation("rcc/rr", hole, board, 3)
    yield exact_row("s1-odds", "6", "S1: pot and price", "90:20", _odds(situation))
    answers = {bot: _answer(bot, situation) for bot in ASKED[1:]}
    claim = "S1: the history that hbb2 takes against each opponent, and its distance"
    yield exact_row("s1-nearest", "6, table 13", claim, "rc/r 0, rc/r 0", _nearest_to([situation]))
    yield from _aims("S1", [situation])
    judged: dict[str, tuple[float, ...]] = {}
    for number, history, paper in ((1, "rc/r", "50:10"), (2, "rc/rrr", "90:20"), (3, "crc/cr", "50:10")):
        situation, policy = _blueprint_answer(history, hole, board)
        odds = _odds(situation)
        yield exact_row(
            f"table-13-{number}-odds",
            "table 13",
            f"pot and price of {history}",
            paper,
            odds,
            "" if odds == paper else _ANOTHER_BET,
            otherwise="document in error",
        )
        row = f"table-13-{number}-call"
        yield _call(row, "table 13", f"cfr calls at {history}", policy)
        judged[row] = policy
    for bot, policy in answers.items():
        row, claim = "s1-call" if bot == "hbb2" else f"s1-call-{bot}", f"S1: {bot} calls"
        same = [one for one, answer in judged.items() if np.allclose(answer, policy)]
        if same:
            note = f"The answer of `{same[0]}`, where it is judged."
            yield Row(row, "6", claim, _CALLS, round(policy[1], 3), "beyond", note)
        else:
            yield _call(row, "6", claim, policy)


def _second_example() -> Iterator[Row]:
    """Yield the rows of S2 and table 14. The document names no turn card: a mean over all."""
    hole, flop = "Ks9c", "Jc3d6d"
    known = {*parse_cards(hole), *parse_cards(flop)}
    boards = [flop + cards_text((card,)) for card in range(52) if card not in known]
    situations = [_situation("ccc/ccc/rr", hole, one, 3) for one in boards]
    yield exact_row("s2-odds", "6", "S2: pot and price", "90:40", _odds(situations[0]))
    claim = "S2: the history that hbb2 takes against each opponent, and its distance, with any turn card"
    yield exact_row("s2-nearest", "6, table 14", claim, "cc/cc/r 0, cc/cc/r 0", _nearest_to(situations))
    for number, history, pot in ((1, "cc/cc/r", "40:20"), (2, "cc/rc/r", "60:20")):
        odds = _odds(_blueprint_answer(history, hole, boards[0])[0])
        yield exact_row(f"table-14-{number}-odds", "table 14", f"pot and price of {history}", pot, odds)
    # hbb2 finds the first history of table 14, so S2 is both.
    first, second = (
        [_blueprint_answer(history, hole, one)[1] for one in boards] for history in ("cc/cc/r", "cc/rc/r")
    )
    folds = (0.26, 0.86)
    for key, source, claim, papers, policies in (
        ("s2", "6, table 14", "S2: hbb2, and cfr at cc/cc/r,", (folds[0], 0.73), first),
        ("table-14-2", "table 14", "cfr at cc/rc/r", (folds[1], 0.13), second),
    ):
        for kind, paper in enumerate(papers):
            yield _on_some_turn(key, source, claim, paper, policies, kind)
    leads = [round(two[0] - one[0], 9) for one, two in zip(first, second, strict=True)]
    more, less = (sum(sign * lead > 0 for lead in leads) for sign in (1, -1))
    paper = round(folds[1] - folds[0], 2)
    yield Row(
        "table-14-order",
        "6, table 14",
        "how much more cfr folds at cc/rc/r than at cc/cc/r, mean of all turn cards",
        paper,
        round(fmean(leads), 3),
        judge_exact(abs(fmean(leads) - paper) <= _CLOSE),
        f"Within a tenth. With {more} of the {len(leads)} cards it folds more, by at most {max(leads):.3f}, "
        f"with {less} less, otherwise alike.",
    )
    yield from _aims("S2", situations)


def _on_some_turn(
    key: str, source: str, claim: str, paper: float, policies: Sequence[tuple[float, ...]], kind: int
) -> Row:
    """Return a chance to fold (0) or call (1) whose turn card the document does not name: it may be any."""
    does = ("folds", "calls")[kind]
    chances = sorted(one[kind] for one in policies)
    near = sum(abs(one - paper) <= _CLOSE for one in chances)
    return Row(
        f"{key}-{does}",
        source,
        f"{claim} {does}, with a turn card that is not told",
        paper,
        round(fmean(chances), 3),
        "beyond" if near else "not reproduced",
        f"The mean over all {len(chances)} cards; they have from {chances[0]:.2f} to {chances[-1]:.2f}. "
        + (f"{near} are within a tenth of the document's, so it hangs on the card." if near else _NO_CARD),
    )


def _call(row: str, source: str, claim: str, policy: tuple[float, ...]) -> Row:
    """Return the row of a chance to call that the document prints as 0.99."""
    near = judge_exact(abs(policy[1] - _CALLS) <= _CLOSE)
    note = f"Fold, call, raise: {', '.join(f'{one:.2f}' for one in policy)}. Within a tenth."
    return Row(row, source, claim, _CALLS, round(policy[1], 3), near, note)
