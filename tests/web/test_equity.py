"""The page ranks hands, and counts equities, as the rules and the server do."""

from __future__ import annotations

import json
import subprocess
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from dealer.luck.showdowns import MAX_BOARDS, equities, final_ranks
from dealer.rules.cards import cards_text
from dealer.rules.evaluation import rank_hand

ROOT = Path(__file__).parents[2]
HANDS = 20_000
PAGE = """
import { readFileSync } from "node:fs";
import { equities, handValue, suitsOf } from "./clients/web/table/equity.js";
const { ranked, spots } = JSON.parse(readFileSync(0, "utf-8"));
const values = ranked.map((cards) => handValue(suitsOf(cards)));
console.log(JSON.stringify({ values, shares: spots.map(([hands, board]) => equities(hands, board)) }));
"""


def asked(**question: object) -> dict[str, list[list[float]]]:
    done = subprocess.run(
        ["node", "--input-type=module", "-e", PAGE],
        cwd=ROOT,
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    told: dict[str, list[list[float]]] = json.loads(done.stdout)
    return told


def test_hands_and_boards_count_as_the_rules_say() -> None:
    random = Random(23)
    ranked = [random.sample(range(52), 7) for _ in range(HANDS)]
    spots, expected = [], []
    for players, board_cards in ((2, 3), (2, 4), (4, 3), (9, 4)):
        cards = random.sample(range(52), 2 * players + board_cards)
        hole = [(cards[2 * player], cards[2 * player + 1]) for player in range(players)]
        board = tuple(cards[2 * players :])
        texts = [[cards_text((card,)) for card in group] for group in (*hole, board)]
        spots.append([texts[:-1], texts[-1]])
        ranks = final_ranks(tuple(range(52)), tuple(hole), board, 5, MAX_BOARDS)
        expected.append(equities(ranks, range(players)))
    told = asked(ranked=ranked, spots=spots)
    rules = [rank_hand(cards) for cards in ranked]
    order = sorted(range(HANDS), key=rules.__getitem__)
    for one, other in pairwise(order):
        assert (rules[one] == rules[other]) == (told["values"][one] == told["values"][other])
        assert told["values"][one] <= told["values"][other]
    for shares, exact in zip(told["shares"], expected, strict=True):
        assert shares == pytest.approx(exact, abs=1e-9)
