import hashlib
import random
import struct
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.deck import (
    AcpcDeals,
    Deal,
    SecureDeals,
    acpc_deals,
    acpc_match_seed,
    commitment,
    parse_deal,
    secure_deals,
    verify_commitment,
)
from dealer.errors import DeckError
from dealer.rules.games import GAMES, Game, holdem, load_game

SEED = bytes(range(32))
HEADS_UP = holdem(2, 50, 100)
ALL_GAMES = [load_game(path) for path in sorted(GAMES.glob("*.game"))] + [
    holdem(n, 1, 2) for n in range(2, 11)
]


def both_kinds(game: Game) -> list[AcpcDeals | SecureDeals]:
    return [acpc_deals(20111, game), secure_deals(SEED, 3, game)]


@pytest.mark.parametrize(
    ("game", "seed", "texts"),
    [
        ("holdem.limit.2p.reverse_blinds", 0, ["5d5c|9hQd/8dAs8s/4h/6d", "6sKs|5dJd/2sTh2h/Qh/8h"]),
        ("holdem.limit.2p.reverse_blinds", 1, ["8s2h|Kd5c/7hAdTd/4s/Kc"]),
        ("holdem.limit.3p", 0, ["5d5c|9hQd|8dAs/8s4h6d/5s/Js"]),
        ("holdem.nolimit.6p", 3, ["4cKs|KhKc|3s2h|Ah9d|4s8d|Th7d/Ad7c9s/Jh/5c"]),
        ("kuhn.limit.3p", 11, ["Qs|Js|Ks", "As|Ks|Qs"]),
        ("leduc.limit.2p", 0, ["Ah|Ks/Kh"]),
    ],
)
def test_acpc_deals_are_the_reference_dealers(game: str, seed: int, texts: list[str]) -> None:
    deals = acpc_deals(seed, load_game(game))

    assert [deals.deal(hand).text() for hand in range(len(texts))] == texts


def test_secure_deals_stay_what_they_are() -> None:
    """Anybody may have written these down: a change would make revealed seeds worthless."""
    deals = secure_deals(SEED, 7, HEADS_UP)

    assert [deals.deal(hand).text() for hand in (0, 1, 2**32 - 1)] == PINNED
    assert commitment(SEED) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


PINNED = ["Jh5h|Th2s/8sAs8h/Qh/2c", "Tc9s|4c4s/3cAdAh/8s/2d", "Qd6h|6s7h/Kh3h2d/7s/6d"]


def test_secure_deals_are_what_their_description_says() -> None:
    deals = secure_deals(SEED, 5, HEADS_UP)

    # Among 4,000 hands there are some ten in which a number has to be passed over.
    for hand in range(4000):
        assert deals.deal(hand).text() == dealt_by_the_book(SEED, 5, hand)


def dealt_by_the_book(seed: bytes, match: int, hand: int) -> str:
    """A heads-up deal, from the description alone."""

    def numbers() -> Iterator[int]:
        message = b"pokerd secure deal 1\x00" + seed + struct.pack(">QQ", match, hand)
        yield from (number for (number,) in struct.iter_unpack(">H", hashlib.shake_256(message).digest(400)))

    stream = numbers()
    deck = [rank + suit for suit in "cdhs" for rank in "23456789TJQKA"]
    drawn: list[str] = []
    while len(drawn) < 9:
        number = next(stream)
        if number < 65536 // len(deck) * len(deck):
            place = number % len(deck)
            drawn.append(deck[place])
            deck[place] = deck[-1]
            deck.pop()
    return f"{drawn[0]}{drawn[1]}|{drawn[2]}{drawn[3]}/{''.join(drawn[4:7])}/{drawn[7]}/{drawn[8]}"


@pytest.mark.parametrize("game", ALL_GAMES, ids=lambda game: game.name)
def test_every_deal_has_the_games_cards_each_once(game: Game) -> None:
    for deals in both_kinds(game):
        for hand in range(50):
            deal = deals.deal(hand)
            cards = [card for group in (*deal.hole, *deal.streets) for card in group]
            assert len(set(cards)) == len(cards)
            assert set(cards) <= set(game.deck)
            assert [len(hole) for hole in deal.hole] == [game.hole_cards] * game.players
            assert [len(deal.board(street)) for street in range(game.rounds)] == list(game.board_cards)
            assert parse_deal(deal.text(), game) == deal


@given(st.lists(st.integers(0, 300), max_size=20))
def test_a_deal_does_not_depend_on_the_hands_dealt_before(hands: list[int]) -> None:
    for kind, deals in enumerate(both_kinds(HEADS_UP)):
        for hand in hands:
            assert deals.deal(hand) == both_kinds(HEADS_UP)[kind].deal(hand)


def test_far_away_hands_are_reached() -> None:
    deals = acpc_deals(1, HEADS_UP)
    step_by_step = acpc_deals(1, HEADS_UP)
    for hand in range(20_000):
        step_by_step.deal(hand)

    assert deals.deal(20_000) == step_by_step.deal(20_000)
    assert deals.deal(0).text() == "8s2h|Kd5c/7hAdTd/4s/Kc"


def test_seed_match_and_hand_all_matter() -> None:
    texts = {
        secure_deals(seed, match, HEADS_UP).deal(hand).text()
        for seed in (SEED, bytes(32))
        for match in range(5)
        for hand in range(5)
    }

    assert len(texts) == 50


def chi_square(counts: Counter[object], cells: int) -> float:
    expected = counts.total() / cells
    return (
        sum((count - expected) ** 2 for count in counts.values()) / expected
        + (cells - len(counts)) * expected
    )


@pytest.mark.parametrize("place", range(9))
def test_secure_cards_are_uniform_at_every_place(place: int) -> None:
    deals = secure_deals(SEED, 0, HEADS_UP)
    drawn = [flat(deals.deal(hand))[place] for hand in range(20_800)]

    # 51 degrees of freedom: above 95.0 in one case of 5,000, below 21.1 likewise.
    assert 21 < chi_square(Counter(drawn), 52) < 95


def test_secure_pairs_of_cards_are_uniform() -> None:
    deals = secure_deals(SEED, 1, HEADS_UP)
    pairs = Counter[object](tuple(flat(deals.deal(hand))[:2]) for hand in range(53_040))

    # 2,651 degrees of freedom: mean 2651, standard deviation 72.8.
    assert abs(chi_square(pairs, 52 * 51) - 2651) < 4 * 72.8


def test_neighbouring_hands_are_independent() -> None:
    deals = secure_deals(SEED, 2, HEADS_UP)
    suits = [flat(deals.deal(hand))[0] % 4 for hand in range(16_001)]

    # 9 degrees of freedom: above 32.0 in one case of 5,000.
    assert chi_square(Counter[object](pairwise(suits)), 16) < 32


def flat(deal: Deal) -> list[int]:
    return [card for group in (*deal.hole, *deal.streets) for card in group]


def test_a_stray_deal_shows_no_card() -> None:
    assert repr(acpc_deals(0, HEADS_UP).deal(0)) == "<Deal for 2 players>"
    assert f"{secure_deals(SEED, 0, HEADS_UP).deal(0)!s}" == "<Deal for 2 players>"


@pytest.mark.parametrize(
    "text",
    [
        "", "5d5c|9hQd", "5d5c|9hQd/8dAs8s/4h", "5d5c|9hQd/8dAs8s/4h/6d/7d", "5d|9hQd/8dAs8s/4h/6d",
        "5d5c|9hQd|AcAd/8dAs8s/4h/6d", "5d5d|9hQd/8dAs8s/4h/6d", "5d5c|9hQd/8dAs8s/4h/5d",
        "5d5c|9hQx/8dAs8s/4h/6d",
    ],
)  # fmt: skip
def test_texts_that_are_no_deal(text: str) -> None:
    with pytest.raises(DeckError) as error:
        parse_deal(text, HEADS_UP)

    assert error.value.code == "bad_deal"


def test_cards_of_another_deck_are_no_deal() -> None:
    with pytest.raises(DeckError) as error:
        parse_deal("As|Ks|Ts", load_game("kuhn.limit.3p"))

    assert error.value.code == "bad_deal"


def test_match_seeds_begin_with_the_given_one_and_never_repeat() -> None:
    for seed in (0, 1, 20111, 2**32 - 1):
        assert acpc_match_seed(seed, 0) == seed
        seeds = [acpc_match_seed(seed, match) for match in range(20_000)]
        assert len(set(seeds)) == len(seeds)
        assert all(0 <= derived < 2**32 for derived in seeds)
    # A bijection has no short cycles to fall into either: far matches differ too.
    far = [acpc_match_seed(7, 2**32 - 1 - k) for k in range(1000)]
    assert len({*far, *(acpc_match_seed(7, k) for k in range(1000))}) == 2000


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_acpc_seeds_have_32_bits(seed: int) -> None:
    for refused in (
        lambda: acpc_deals(seed, HEADS_UP),
        lambda: acpc_match_seed(seed, 0),
        lambda: commitment(seed),
    ):
        with pytest.raises(DeckError) as error:
            refused()
        assert error.value.code == "bad_seed"


def test_matches_are_numbered_from_zero() -> None:
    for refused in (lambda: acpc_match_seed(0, -1), lambda: secure_deals(SEED, -1, HEADS_UP)):
        with pytest.raises(DeckError) as error:
            refused()
        assert error.value.code == "bad_match"


@pytest.mark.parametrize("hand", [-1, 2**32])
def test_a_refused_hand_changes_nothing(hand: int) -> None:
    for kind, deals in enumerate(both_kinds(HEADS_UP)):
        deals.deal(0)
        with pytest.raises(DeckError) as error:
            deals.deal(hand)

        assert error.value.code == "bad_hand"
        assert deals.deal(1) == both_kinds(HEADS_UP)[kind].deal(1)


@pytest.mark.parametrize("seed", [b"", bytes(31), bytes(33)])
def test_secure_seeds_have_256_bits(seed: bytes) -> None:
    for refused in (lambda: secure_deals(seed, 0, HEADS_UP), lambda: commitment(seed)):
        with pytest.raises(DeckError) as error:
            refused()
        assert error.value.code == "bad_seed"


def test_a_commitment_is_kept_or_broken() -> None:
    seed = random.Random(1).randbytes(32)
    published = commitment(seed)

    assert published == hashlib.sha256(seed).hexdigest()
    verify_commitment(seed, published)
    verify_commitment(seed, f" {published.upper()}\n")
    verify_commitment(7, hashlib.sha256(b"\0\0\0\7").hexdigest())
    for broken in (commitment(SEED), commitment(0), "", "nonsense", "ü" * 64):
        with pytest.raises(DeckError) as error:
            verify_commitment(seed, broken)
        assert error.value.code == "commitment_mismatch"


def test_draws_stay_what_they_are() -> None:
    """Where stacks are drawn, a change would make every record of such a competition wrong."""
    game = holdem(2, 50, 100)
    assert [secure_deals(SEED, 3, game).draw(hand, 10) for hand in range(12)] == [
        6,
        0,
        2,
        8,
        8,
        7,
        4,
        1,
        5,
        9,
        6,
        2,
    ]
    assert [acpc_deals(7, game).draw(hand, 10) for hand in range(12)] == [7, 7, 2, 6, 0, 6, 5, 5, 5, 4, 0, 0]


def test_a_draw_is_that_of_its_description() -> None:
    stream = hashlib.shake_256(
        b"pokerd draw 1\x00pokerd secure deal 1\x00" + SEED + (3).to_bytes(8, "big") + (5).to_bytes(8, "big")
    )
    wanted = int.from_bytes(stream.digest(32), "big") % 10
    assert secure_deals(SEED, 3, holdem(2, 50, 100)).draw(5, 10) == wanted


@pytest.mark.parametrize("hand", [-1, 2**32])
def test_no_draw_for_a_hand_that_cannot_be(hand: int) -> None:
    game = holdem(2, 50, 100)
    for deals in (secure_deals(SEED, 0, game), acpc_deals(7, game)):
        with pytest.raises(DeckError) as error:
            deals.draw(hand, 10)
        assert error.value.code == "bad_hand"
