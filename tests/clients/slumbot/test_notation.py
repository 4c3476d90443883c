"""Slumbot's notation against the rules: every hand there and back, every answer that its clients may give."""

from __future__ import annotations

import re
from random import Random

import pytest

from clients.slumbot.hands import PlayedHand
from clients.slumbot.notation import SlumbotError, action_text, describe, is_slumbots_game, read_increment
from dealer.rules.actions import CALL, FOLD, Action, parse_action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.errors import IllegalAction
from dealer.rules.games import Game, holdem, load_game
from pokerd_bot.bot import Bot
from pokerd_bot.hand import Hand, Match
from pokerd_bot.testing import play
from pokerd_bot.turn import Turn
from protocol import messages
from protocol.event_messages import turn_message

TOKEN = "2a46e747-0934-4955-beaa-f101e01c3dd4"


def slumbots(rules: str) -> Game:
    return holdem(2, 50, 100, stack=20_000, rules=rules)


def asked(betting: Betting) -> messages.YourTurn:
    return turn_message("t", 0, betting.legal(), betting.pot, 1.0, 0.0)


def words(text: str) -> list[str]:
    found = re.findall(r"b\d+|[kcf/]", text)
    assert "".join(found) == text
    return found


def replayed(rules: str, text: str) -> Betting:
    """The betting that the rules make of an action string; slashes stand exactly where streets begin."""
    betting = Betting(slumbots(rules))
    street = 0
    for word in words(text):
        if word == "/":
            street += 1
            assert betting.street >= street
        else:
            assert betting.street == street
            betting.act(read_increment(word, asked(betting)))
    return betting


def ended(hand: Hand, shown: messages.Showdown | None, end: messages.HandEnd) -> PlayedHand:
    played = PlayedHand(hand)
    played.shown, played.end = shown, end
    return played


class Wild(Bot):
    """Plays everything that is legal, small raises more often, and keeps the hands."""

    threaded = False

    def __init__(self, match: Match, dice: Random, kept: list[PlayedHand]) -> None:
        super().__init__(match)
        self.dice = dice
        self.kept = kept

    def act(self, turn: Turn) -> Action:
        text = action_text(turn.hand)
        betting = replayed(self.match.info.game.rules, text)
        assert asked(betting).raise_to == turn.message.raise_to
        choices = [FOLD] * turn.can_fold + [CALL] * 3
        if turn.min_raise is not None and turn.max_raise is not None:
            most = min(turn.max_raise, 4 * turn.min_raise)
            choices += [raise_to(self.dice.randint(turn.min_raise, most))] * 2
            choices.append(raise_to(self.dice.choice([turn.min_raise, turn.max_raise])))
        return self.dice.choice(choices)

    def hand_ended(self, hand: Hand, shown: messages.Showdown | None, end: messages.HandEnd) -> None:
        self.kept.append(ended(hand, shown, end))


@pytest.mark.parametrize("rules", ["acpc", "standard"])
@pytest.mark.parametrize("seed", range(4))
def test_every_hand_is_told_and_read_back(rules: str, seed: int) -> None:
    kept: list[PlayedHand] = []
    dice = Random(seed)

    def player(match: Match) -> Bot:
        return Wild(match, dice, kept)

    play([player, player], hands=250, game=slumbots(rules), seed=seed)
    assert len(kept) == 500
    told = set()
    for played in kept:
        hand, end = played.hand, played.end
        assert end is not None
        text = action_text(hand)
        told.add(text)
        betting = replayed(rules, text)
        assert betting.over
        did = [
            parse_action(f"r{one.to}" if one.action == "raise" else one.action[0]) for _, one in hand.actions
        ]
        assert [action for _, _, action in betting.history] == did
        answer = describe(played, TOKEN)
        position = answer["client_pos"]
        assert answer["winnings"] == end.net[position] == -end.net[1 - position]
        assert abs(answer["won_pot"]) == (betting.pot if answer["winnings"] else 0)
        assert answer["won_pot"] * answer["winnings"] >= 0
        if betting.folded[position]:
            assert answer["winnings"] == -betting.spent[position]
        assert len(answer["board"]) == (0, 3, 4, 5)[text.count("/")]
        assert ("bot_hole_cards" in answer) == (played.shown is not None)
    # Of everything something: folds, showdowns, raises, all-ins on every street.
    for pattern in (r"^f$", r"f$", r"k$", r"b\d+b\d+b\d+", r"b20000c///$", r"/b\d+c//$", r"/b\d+c/$"):
        assert any(re.search(pattern, text) for text in told), pattern


def may(betting: Betting, action: Action) -> bool:
    """Whether the rules take an action; nothing is changed."""
    try:
        betting.copy().act(action)
    except IllegalAction:
        return False
    return True


@pytest.mark.parametrize("rules", ["acpc", "standard"])
def test_an_answer_is_taken_if_and_only_if_the_rules_allow_it(rules: str) -> None:
    dice = Random(7)
    refused = 0
    for _ in range(300):
        betting = Betting(slumbots(rules))
        while not betting.over:
            turn = asked(betting)
            least, most = turn.raise_to or (100, 20_000)
            facing = betting.to_call > 0
            for text, action, fits in [
                ("k", CALL, not facing),
                ("c", CALL, facing),
                ("f", FOLD, facing),
                *(
                    (f"b{to}", raise_to(to), True)
                    for to in (1, least - 1, least, (least + most) // 2, most, most + 1)
                ),
            ]:
                if fits and may(betting, action):
                    assert read_increment(text, turn) == action
                else:
                    refused += 1
                    with pytest.raises(SlumbotError):
                        read_increment(text, turn)
            legal = [CALL, CALL, *([FOLD] if facing and dice.random() < 0.2 else [])]
            if turn.raise_to is not None:
                legal.append(raise_to(dice.randint(least, min(most, 3 * least))))
            betting.act(dice.choice(legal))
    assert refused > 1000


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "b",
        "b-5",
        "b1e3",
        "b200 ",
        " k",
        "kk",
        "K",
        "B200",
        "b\u0662\u0660\u0660",
        "b" + "9" * 5000,
        "r200",
    ],
)
def test_what_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(SlumbotError):
        read_increment(text, asked(Betting(slumbots("acpc"))))


class Scripted(Bot):
    """Does what is written, then calls; notes every hand that it decides in or that ends."""

    threaded = False

    def __init__(self, match: Match, script: list[Action], hands: list[PlayedHand]) -> None:
        super().__init__(match)
        self.script = script
        self.hands = hands

    def act(self, turn: Turn) -> Action:
        self.hands.append(PlayedHand(turn.hand))
        return self.script.pop(0) if self.script else CALL

    def hand_ended(self, hand: Hand, shown: messages.Showdown | None, end: messages.HandEnd) -> None:
        self.hands.append(ended(hand, shown, end))


def scripted(game: Game, actions: str = "") -> list[PlayedHand]:
    """A hand with these actions, as all players see it: at the end the big blind's and the button's view."""
    script = [parse_action(word) for word in re.findall(r"r\d+|[cf]", actions)]
    hands: list[PlayedHand] = []

    def player(match: Match) -> Bot:
        return Scripted(match, script, hands)

    play([player] * game.players, hands=1, game=game)
    return hands


@pytest.mark.parametrize(
    ("actions", "told", "lost", "pot"),
    [
        # As recorded at slumbot.com by public clients.
        ("r400c/cc/r200r400c/cc", "b400c/kk/b200b400c/kk", 800, 1600),
        ("r200c/cc/cr200c/cc", "b200c/kk/kb200c/kk", 400, 800),
        ("r200f", "b200f", 100, 300),
        # As its sample program describes them.
        ("r20000c", "b20000c///", 20_000, 40_000),
        ("cr300c/cc/cr300c/cr600f", "cb300c/kk/kb300c/kb600f", 600, 1800),
    ],
)
def test_hands_are_told_as_slumbot_tells_them(actions: str, told: str, lost: int, pot: int) -> None:
    answer = describe(scripted(slumbots("acpc"), actions)[-2], TOKEN)
    assert answer["client_pos"] == 0
    assert answer["action"] == told
    assert abs(answer["winnings"]) == lost
    assert abs(answer["won_pot"]) == pot
    assert list(answer) == [
        *("old_action", "action", "client_pos", "hole_cards", "board"),
        *(["bot_hole_cards"] if not told.endswith("f") else []),
        *("winnings", "won_pot", "session_num_hands", "baseline_winnings", "session_total"),
        *("session_baseline_total", "token"),
    ]


@pytest.mark.parametrize(
    ("game", "fits"),
    [
        (slumbots("acpc"), True),
        (slumbots("standard"), True),
        (slumbots("pushfold"), False),
        (load_game("holdem.nolimit.2p.reverse_blinds"), True),
        (load_game("holdem.limit.2p.reverse_blinds"), False),
        (load_game("kuhn.limit.2p"), False),
        (holdem(2, 50, 100, stack=10_000), False),
        (holdem(2, 50, 100, stack=20_000, ante=5), False),
        (holdem(2, 5, 10, stack=2_000), False),
        (holdem(3, 50, 100, stack=20_000), False),
    ],
)
def test_other_games_are_known(game: Game, fits: bool) -> None:
    assert {is_slumbots_game(played.hand) for played in scripted(game)} == {fits}
