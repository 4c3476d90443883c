from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.rules.cards import cards_text
from dealer.rules.errors import GameError
from dealer.rules.games import (
    DEFAULT_STACK,
    GAMES,
    Game,
    game_descriptions,
    holdem,
    load_game,
    load_game_beside,
    parse_game,
    street_name,
)
from tests.dealer.rules.play import GAME_FILES

HOLDEM = {"rounds": 4, "suits": 4, "ranks": 13, "hole_cards": 2, "board_cards": (0, 3, 1, 1)}

# The parameters as published with the ACPC reference dealer 1.0.42 and its forks.
FILES: dict[str, dict[str, Any]] = {
    "holdem.limit.2p.reverse_blinds": {
        **HOLDEM,
        "limit": True,
        "players": 2,
        "blinds": (10, 5),
        "raise_sizes": (10, 10, 20, 20),
        "first_player": (1, 0, 0, 0),
        "max_raises": (3, 4, 4, 4),
        "stacks": (DEFAULT_STACK,) * 2,
    },
    "holdem.limit.2p.liu": {
        **HOLDEM,
        "limit": True,
        "players": 2,
        "blinds": (50, 100),
        "raise_sizes": (100, 100, 200, 200),
        "first_player": (0, 1, 1, 1),
        "max_raises": (3, 3, 4, 4),
        "stacks": (DEFAULT_STACK,) * 2,
    },
    "holdem.limit.3p": {
        **HOLDEM,
        "limit": True,
        "players": 3,
        "blinds": (5, 10, 0),
        "raise_sizes": (10, 10, 20, 20),
        "first_player": (2, 0, 0, 0),
        "max_raises": (3, 4, 4, 4),
        "stacks": (DEFAULT_STACK,) * 3,
    },
    "holdem.nolimit.2p.reverse_blinds": {
        **HOLDEM,
        "limit": False,
        "players": 2,
        "blinds": (100, 50),
        "raise_sizes": (),
        "first_player": (1, 0, 0, 0),
        "max_raises": (255,) * 4,
        "stacks": (20000,) * 2,
    },
    "holdem.nolimit.3p": {
        **HOLDEM,
        "limit": False,
        "players": 3,
        "blinds": (50, 100, 0),
        "raise_sizes": (),
        "first_player": (2, 0, 0, 0),
        "max_raises": (255,) * 4,
        "stacks": (20000,) * 3,
    },
    "holdem.limit.6p": {
        **HOLDEM,
        "limit": True,
        "players": 6,
        "blinds": (5, 10, 0, 0, 0, 0),
        "raise_sizes": (10, 10, 20, 20),
        "first_player": (2, 0, 0, 0),
        "max_raises": (3, 4, 4, 4),
        "stacks": (1000,) * 6,
    },
    "holdem.nolimit.6p": {
        **HOLDEM,
        "limit": False,
        "players": 6,
        "blinds": (50, 100, 0, 0, 0, 0),
        "raise_sizes": (),
        "first_player": (2, 0, 0, 0),
        "max_raises": (255,) * 4,
        "stacks": (20000,) * 6,
    },
    "custom.nolimit.4p.uneven": {
        **HOLDEM,
        "limit": False,
        "players": 4,
        "blinds": (50, 100, 0, 0),
        "raise_sizes": (),
        "first_player": (2, 0, 0, 0),
        "max_raises": (255,) * 4,
        "stacks": (500, 1200, 3000, 800),
    },
    "holdem.pushfold.2p": {
        **HOLDEM,
        "limit": False,
        "players": 2,
        "blinds": (100, 50),
        "first_player": (1, 0, 0, 0),
        "max_raises": (255,) * 4,
        "raise_sizes": (),
        "stacks": (1000, 1000),
        "rules": "pushfold",
    },
    "kuhn.limit.2p": {
        "limit": True,
        "players": 2,
        "rounds": 1,
        "blinds": (1, 1),
        "raise_sizes": (1,),
        "first_player": (0,),
        "max_raises": (1,),
        "stacks": (DEFAULT_STACK,) * 2,
        "suits": 1,
        "ranks": 3,
        "hole_cards": 1,
        "board_cards": (0,),
    },
    "kuhn.limit.3p": {
        "limit": True,
        "players": 3,
        "rounds": 1,
        "blinds": (1, 1, 1),
        "raise_sizes": (1,),
        "first_player": (0,),
        "max_raises": (1,),
        "stacks": (DEFAULT_STACK,) * 3,
        "suits": 1,
        "ranks": 4,
        "hole_cards": 1,
        "board_cards": (0,),
    },
    "leduc.limit.2p": {
        "limit": True,
        "players": 2,
        "rounds": 2,
        "blinds": (1, 1),
        "raise_sizes": (2, 4),
        "first_player": (0, 0),
        "max_raises": (2, 2),
        "stacks": (DEFAULT_STACK,) * 2,
        "suits": 2,
        "ranks": 3,
        "hole_cards": 1,
        "board_cards": (0, 1),
    },
}


@pytest.mark.parametrize("name", GAME_FILES)
def test_every_game_file_says_what_it_is_and_parses_back(name: str) -> None:
    assert game_descriptions()[name]
    game = load_game(name)
    assert parse_game(game.text(), name) == game


@pytest.mark.parametrize("name", FILES)
def test_a_game_file_says_what_was_published(name: str) -> None:
    game = load_game(name)
    assert game == Game(name=name, **{"ante": 0, "rules": "acpc", **FILES[name]})
    assert load_game(f"{name}.game") == game
    assert load_game(GAMES / f"{name}.game") == game


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("rules", ["acpc", "standard"])
def test_a_game_parses_back(name: str, rules: str) -> None:
    game = load_game(name).with_rules(rules)
    assert parse_game(game.text(), name) == game


@given(
    players=st.integers(2, 10),
    blinds=st.tuples(st.integers(0, 500), st.integers(0, 500)),
    ante=st.integers(0, 50),
    limit=st.booleans(),
    stack=st.integers(1001, 10**9),
    rules=st.sampled_from(["acpc", "standard"]),
)
def test_a_table_parses_back(
    players: int, blinds: tuple[int, int], ante: int, limit: bool, stack: int, rules: str
) -> None:
    small, big = sorted(blinds)
    game = holdem(players, small, big, ante=ante, limit=limit, small_bet=big + 1, stack=stack, rules=rules)
    assert parse_game(game.text(), game.name) == game
    assert game.text() == parse_game(game.text(), game.name).text()


def test_a_file_is_read_as_the_reference_dealer_does() -> None:
    text = """# a comment
GameDef
  numPlayers = 9
NOLIMIT
numplayers=2
NUMROUNDS 1
blind = 2 1 7 7
stack\t=\t=\t50  60
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0
gibberish is skipped
maxRaises = 2 9 9
End GameDef
numRounds = 4
"""
    game = parse_game(text, "g")
    assert (game.players, game.rounds, game.limit) == (2, 1, False)
    assert (game.blinds, game.stacks, game.max_raises, game.first_player) == ((2, 1), (50, 60), (2,), (0,))


def test_a_line_may_end_in_a_comment() -> None:
    lines = load_game("holdem.nolimit.3p").with_rules("standard").text().splitlines()
    text = "\n".join(f"{line} # 1 2 3" for line in lines)
    assert parse_game(text, "holdem.nolimit.3p") == load_game("holdem.nolimit.3p").with_rules("standard")


def test_a_list_ends_at_the_first_word_that_is_no_number() -> None:
    text = changed("blind", "blind = 5 10 0 (small, big) 3").replace(
        "numPlayers = 3", "numPlayers = 3 (three)"
    )
    assert parse_game(text, "holdem.limit.3p") == load_game("holdem.limit.3p")


@pytest.mark.parametrize(
    ("line", "first", "raises"),
    [
        ("firstPlayer = 3", (2, 0, 0, 0), (3, 4, 4, 4)),
        ("firstPlayer =", (0, 0, 0, 0), (3, 4, 4, 4)),
        ("maxRaises = 3 2", (2, 0, 0, 0), (3, 2, 255, 255)),
    ],
)
def test_rounds_that_are_not_told_have_the_default(
    line: str, first: tuple[int, ...], raises: tuple[int, ...]
) -> None:
    """Not the last number told: so the reference dealer reads ``firstPlayer`` and ``maxRaises``."""
    game = parse_game(changed(line.split(maxsplit=1)[0], line))
    assert (game.first_player, game.max_raises) == (first, raises)


def test_a_comment_may_be_in_any_encoding(tmp_path: Path) -> None:
    text = load_game("kuhn.limit.3p").text().encode()
    path = tmp_path / "mine.game"
    path.write_bytes(b"# f\xfcr drei\n" + text.replace(b"numRanks = 4", b"numRanks = 4 # B\xfcbe bis As"))
    assert load_game(path) == replace(load_game("kuhn.limit.3p"), name="mine")

    path.write_bytes(b"f\xfcr drei\n" + text)
    with pytest.raises(GameError) as caught:
        load_game(path)
    assert caught.value.code == "unreadable_game"


def test_a_game_here_comes_before_ours_and_one_in_the_folder_before_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "kuhn.limit.3p.game"
    here, folder = tmp_path / "here", tmp_path / "folder"
    for place, ranks in ((here, 5), (folder, 6)):
        place.mkdir()
        (place / name).write_text(replace(load_game(name), ranks=ranks).text(), encoding="utf-8")
    monkeypatch.chdir(here)
    assert load_game_beside(name, folder).ranks == 6
    assert load_game_beside(name, tmp_path).ranks == load_game_beside(name).ranks == 5
    monkeypatch.chdir(tmp_path)
    assert load_game_beside(name, tmp_path).ranks == 4


def test_without_a_stack_line_any_number_of_players_has_as_good_as_no_limit() -> None:
    text = "".join(
        line for line in load_game("holdem.nolimit.6p").text().splitlines(True) if "stack" not in line
    )
    assert parse_game(text).stacks == (2**31 - 1,) * 6


def changed(key: str, line: str) -> str:
    """The three-player limit game with one line changed (or dropped: empty)."""
    lines = load_game("holdem.limit.3p").text().splitlines()
    return "\n".join(line if old.startswith(key) else old for old in lines)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "missing_key"),
        (changed("numPlayers", ""), "missing_key"),
        (changed("blind", ""), "missing_key"),
        (changed("raiseSize", ""), "missing_key"),
        (changed("numPlayers", "numPlayers ="), "too_few_numbers"),
        (changed("numPlayers", "numPlayers = 1"), "bad_players"),
        (changed("numPlayers", "numPlayers = 11"), "bad_players"),
        (changed("numPlayers", "numPlayers = three"), "too_few_numbers"),
        (changed("numPlayers", "numPlayers = -3"), "bad_number"),
        (changed("numPlayers", "numPlayers = \uff13"), "too_few_numbers"),
        (changed("numPlayers", "numPlayers = " + "9" * 5000), "bad_number"),
        (changed("numRounds", "numRounds = 0"), "bad_rounds"),
        (changed("numRounds", "numRounds = 5"), "bad_rounds"),
        (changed("blind", "blind = 5 10"), "too_few_numbers"),
        (changed("blind", "blind = 5 10 x"), "too_few_numbers"),
        (changed("blind", "blind = 5 10 # 0"), "too_few_numbers"),
        (changed("blind", "blind = 5 10 0x"), "bad_number"),
        (changed("blind", "blind = 5 1e1 0"), "bad_number"),
        (changed("stack", "stack = 5 10 0"), "bad_stacks"),
        (changed("stack", "stack = 5 9 5"), "bad_blinds"),
        (changed("stack", "stack = 5 4000000000 5"), "bad_stacks"),
        (changed("raiseSize", "raiseSize = 10 10 20"), "too_few_numbers"),
        (changed("raiseSize", "raiseSize = 10 10 20 0"), "bad_raise_sizes"),
        (changed("firstPlayer", "firstPlayer = 4 1 1 1"), "bad_first_player"),
        (changed("firstPlayer", "firstPlayer = 0 1 1 1"), "bad_first_player"),
        (changed("maxRaises", "maxRaises = 3 4 4 256"), "bad_max_raises"),
        (changed("numSuits", "numSuits = 5"), "bad_deck"),
        (changed("numRanks", "numRanks = 0"), "bad_deck"),
        (changed("numRanks", "numRanks = 2"), "bad_deck"),
        (changed("numHoleCards", "numHoleCards = 4"), "bad_hole_cards"),
        (changed("numBoardCards", "numBoardCards = 0 3 3 3"), "bad_board_cards"),
        (changed("numBoardCards", "numBoardCards = 1 3 1 1"), "board_before_betting"),
        (
            changed("stack", "stack = 5 10 20").replace("blind = 5 10 0", "blind = 5 10 20"),
            "all_in_from_blinds",
        ),
        (load_game("holdem.limit.3p").text().replace("END", "ante = 4000000000\nEND"), "bad_ante"),
        (load_game("holdem.limit.3p").text().replace("END", "rules = house\nEND"), "bad_rules"),
    ],
)
def test_what_cannot_be_played_is_refused(text: str, code: str) -> None:
    with pytest.raises(GameError) as caught:
        parse_game(text)
    assert caught.value.code == code


@given(st.text(max_size=200))
def test_any_text_is_a_game_or_refused(text: str) -> None:
    try:
        game = parse_game(text + "\n" + load_game("kuhn.limit.2p").text())
    except GameError:
        return
    assert parse_game(game.text()) == game


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for name in ("no.such.game", tmp_path / "x.game", "", "../games/" + "x" * 300):
        with pytest.raises(GameError) as caught:
            load_game(name)
        assert caught.value.code == "unknown_game"


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "noise.game"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GameError) as caught:
        load_game(path)
    assert caught.value.code == "unreadable_game"


def test_a_file_of_ones_own_has_its_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.game"
    path.write_text(load_game("kuhn.limit.3p").text(), encoding="utf-8")
    assert load_game(path).name == "mine"
    assert load_game(str(path)).name == "mine"


def test_heads_up_the_button_is_the_small_blind() -> None:
    game = holdem(2, 50, 100)
    assert (game.blinds, game.first_player) == ((100, 50), (1, 0, 0, 0))


def test_a_ring_game_begins_left_of_the_big_blind() -> None:
    for players in range(3, 11):
        game = holdem(players, 50, 100)
        assert game.blinds == (50, 100, *[0] * (players - 2))
        assert game.first_player == (2, 0, 0, 0)


def test_limit_bets_double_on_the_turn() -> None:
    game = holdem(3, 5, 10, limit=True)
    assert (game.raise_sizes, game.max_raises) == ((10, 10, 20, 20), (3, 4, 4, 4))
    assert holdem(3, 5, 10, limit=True, small_bet=15).raise_sizes == (15, 15, 30, 30)


def test_stacks_are_everybodys_or_each_positions() -> None:
    assert holdem(3, 5, 10, stack=100).stacks == (100, 100, 100)
    assert holdem(3, 5, 10, stack=[100, 200, 300]).stacks == (100, 200, 300)
    with pytest.raises(GameError) as caught:
        holdem(3, 5, 10, stack=[100, 200])
    assert caught.value.code == "bad_stacks"


@pytest.mark.parametrize("players", [-1, 0, 1, 11, 10**9])
def test_a_table_has_2_to_10_players(players: int) -> None:
    with pytest.raises(GameError) as caught:
        holdem(players, 5, 10)
    assert caught.value.code == "bad_players"


def test_small_decks_hold_the_highest_cards() -> None:
    assert cards_text(load_game("leduc.limit.2p").deck) == "QhKhAhQsKsAs"
    assert cards_text(load_game("kuhn.limit.3p").deck) == "JsQsKsAs"
    assert len(load_game("holdem.limit.3p").deck) == 52


def test_streets_have_names() -> None:
    assert [street_name(holdem(2, 1, 2), street) for street in range(4)] == [
        "preflop",
        "flop",
        "turn",
        "river",
    ]
    assert street_name(load_game("leduc.limit.2p"), 1) == "round 2"


def test_a_game_travels_between_processes() -> None:
    game = load_game("holdem.nolimit.3p")
    there = pickle.loads(pickle.dumps(game))
    assert there == game
    assert hash(there) == hash(game)
    assert replace(game, ante=1) != game
