"""No viewer is ever sent a card that is not yet his to see.

Random hands are played through a real ``TableActor``. Every text in every message that a viewer
receives is looked at as a card, and compared with what the hand's events had shown to his seat by then.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import cast

import pytest

from dealer.formats.cash import Cash
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Stakes, TableFormat
from dealer.formats.tournament import Level, Tournament
from dealer.rules.actions import CALL, raise_to
from dealer.rules.cards import parse_cards
from dealer.rules.events import Acted, BoardDealt, Event, HandEnded, HandStarted, Shown
from dealer.rules.games import load_game
from dealer.rules.hand import HandState
from dealer.table import Clock
from protocol import messages
from protocol.codec import CODECS, Codec
from server import view
from server.house.house import House
from server.tables.actor import TableActor
from server.tables.player import Player
from tests.dealer.records.played import random_action
from tests.support.deals import deals_for
from tests.support.houses.people import Memory, Message, at_table, unpacked
from tests.support.houses.visible_cards import CARDS, NAMES, Noted, games, strings, texts, visible

CODEC_LIST: Sequence[Codec] = tuple(CODECS.values())


class Viewer:
    """One seat's eyes: checks every message, over as many connections as it takes."""

    def __init__(
        self, noted: Noted, house: House, player: Player, seat: int, others: Sequence[Player]
    ) -> None:
        self.noted = noted
        self.house = house
        self.player = player
        self.seat = seat
        self.secrets = {text for other in others for text in (other.name, other.token, other.resume)}
        self.client: Memory | None = None
        self.told: dict[int, Message] = {}
        self.hand: HandState | None = None
        self.first = 0
        self.cards = 0

    def connect(self, codec: Codec, *, resume: bool) -> None:
        self.client = Memory(self.house, codec)
        proof = {"resume": self.player.resume} if resume else {"token": self.player.token}
        self.hand = None
        self.check(self.client.say("hello", name=self.player.name, **proof))

    def look(self) -> None:
        if self.client is not None:
            self.check(self.client.news())

    def check(self, news: list[Message]) -> None:
        for message in news:
            seq = message.get("seq")
            if seq is not None:
                assert self.told.setdefault(seq, message) == message, "told otherwise before"
            if message["type"] == "hand_start":
                self.hand = self.noted.dealt[message["hand"]]
                self.first = message["seq"]
            elif message["type"] == "match_start":
                # After a reconnect: nothing of an old hand before the new hand_start.
                self.hand = None
            found = {text for text in strings(message) if text in CARDS}
            if found:
                assert self.hand is not None
                assert seq is not None, "cards in a message that is no event"
                assert found <= visible(self.hand, self.seat, seq - self.first + 1), message
                self.cards += len(found)
            for secret in self.secrets:
                assert not any(secret in text for text in strings(message)), message


class Match:
    """A match and its viewers, driven at random."""

    def __init__(self, play: TableFormat, seats: int, source: random.Random) -> None:
        self.house = House(grace=1000.0)
        self.source = source
        self.noted = Noted(play)
        self.players = [
            Player(f"real-name-{seat}", f"token-{seat}-{source.random()}") for seat in range(seats)
        ]
        # Shown under other names, as in an anonymous competition.
        shown = [f"guest-{seat}" for seat in range(seats)]
        self.actor: TableActor = at_table(
            self.house,
            self.players,
            play=cast(TableFormat, self.noted),
            clock=Clock(500.0, 100.0),
            names=shown,
        )
        self.viewers = [
            Viewer(
                self.noted, self.house, player, seat, [other for other in self.players if other is not player]
            )
            for seat, player in enumerate(self.players)
        ]
        for viewer in self.viewers:
            self.arrive(viewer, resume=False)

    def arrive(self, viewer: Viewer, *, resume: bool) -> None:
        viewer.connect(self.source.choice(CODEC_LIST), resume=resume)
        assert viewer.client is not None
        viewer.check(viewer.client.say("ready", table="m"))

    def run(self) -> None:
        steps = [
            self.act,
            self.act,
            self.act,
            self.act,
            self.blunder,
            self.vanish,
            self.run_out,
            self.replace,
        ]
        for _ in range(5_000):
            if self.actor.table.over:
                break
            self.source.choice(steps)()
            for viewer in self.viewers:
                viewer.look()
        assert self.actor.table.over
        self.house.close()

    def act(self) -> None:
        table = self.actor.table
        if table.turn_seat < 0 or table.hand is None:
            return
        viewer = self.viewers[table.turn_seat]
        if viewer.client is None:
            return
        kind, to = random_action(table.hand, self.source)
        news = viewer.client.say("act", table="m", turn=table.turn, action=kind, to=to)
        assert not any(message["type"] == "error" for message in news)
        viewer.check(news)

    def blunder(self) -> None:
        viewer = self.source.choice(self.viewers)
        if viewer.client is not None:
            turn = self.actor.table.turn + self.source.choice([-1, 0, 1])
            viewer.check(viewer.client.say("act", table="m", turn=turn, action="raise", to=1))

    def vanish(self) -> None:
        """Lose a connection, or come back over a new one."""
        viewer = self.source.choice(self.viewers)
        if viewer.client is None:
            self.arrive(viewer, resume=True)
        elif self.source.random() < 0.3:
            viewer.client.break_off()
            viewer.client = None
            if self.source.random() < 0.3:
                self.house.give_up_seats(viewer.player)

    def replace(self) -> None:
        viewer = self.source.choice(self.viewers)
        if viewer.client is not None and self.source.random() < 0.2:
            before = viewer.client
            self.arrive(viewer, resume=self.source.random() < 0.5)
            assert [message["code"] for message in before.news() if message["type"] == "error"][
                -1
            ] == "replaced"

    def run_out(self) -> None:
        if self.source.random() < 0.2:
            self.actor.tick(self.actor.table.deadline or 0.0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", NAMES)
async def test_no_viewer_is_sent_a_card_that_is_not_yet_his_to_see(name: str, seed: int) -> None:
    play, seats = next((play, seats) for title, play, seats in games() if title == name)
    match = Match(play, seats, random.Random(f"{name} {seed}"))
    match.run()
    assert all(viewer.cards for viewer in match.viewers)


def test_a_spectator_sees_what_everybody_sees() -> None:
    source = random.Random(11)
    for _, play, _ in games():
        while (hand := play.next_hand()) is not None:
            while not hand.over:
                hand.act(random_action(hand, source))
            check_view(hand, None)
            for seat in hand.seats:
                check_view(hand, seat)
            check_view(hand, 99)
            play.finish_hand(hand)


def check_view(hand: HandState, seat: int | None) -> None:
    board: tuple[int, ...] = ()
    for number, event in enumerate(hand.events):
        if isinstance(event, BoardDealt):
            board += event.cards
        for codec in CODEC_LIST:
            data = codec.encode(view.event_message(event, "t", number, seat, board))
            found = {text for text in strings(unpacked(codec, data)) if text in CARDS}
            before = visible(hand, seat, number)
            assert found == new_cards(event, seat), event
            assert found | before == visible(hand, seat, number + 1)
            if not view.is_private(event):
                assert data == codec.encode(view.event_message(event, "t", number, None, board))


def test_declared_chances_stay_secret() -> None:
    event = Acted(0, "call", 100, 50, False, "", (("f", 0.25), ("c", 0.75)))
    silent = event._replace(policy=())
    for seat in (None, 0, 1):
        message = view.event_message(event, "t", 1, seat, ())
        assert message == view.event_message(silent, "t", 1, seat, ())


def new_cards(event: Event, seat: int | None) -> set[str]:
    if isinstance(event, HandStarted):
        return set(texts(event.hole[event.seats.index(seat)])) if seat in event.seats else set()
    if isinstance(event, BoardDealt):
        return set(texts(event.cards))
    if isinstance(event, Shown):
        return {text for _, cards in event.hands for text in texts(cards)}
    return set()


def test_mucked_cards_stay_secret() -> None:
    """The loser of a called river bet shows nothing, and no message has his cards."""
    stakes = Stakes(5, 10, stack=1000)
    cash = Cash(2, stakes, deals_for, all_seated=True, hands=200)
    mucked = 0
    while (hand := cash.next_hand()) is not None:
        while not hand.over:
            hand.act(random_action(hand, random.Random(hand.number)))
        shown = [event for event in hand.events if isinstance(event, Shown)]
        for seat, cards in shown[0].hands if shown else ():
            if cards:
                continue
            mucked += 1
            secret = set(texts(hand.hole[hand.seats.index(seat)]))
            other = next(one for one in hand.seats if one != seat)
            assert not secret & visible(hand, other, len(hand.events))
            check_view(hand, other)
        cash.finish_hand(hand)
    assert mucked > 5


def test_the_labels_of_shown_hands_name_no_card() -> None:
    game = load_game("holdem.limit.3p")
    play = FixedStacks(game, deals_for(game), 40)
    labels = set()
    while (hand := play.next_hand()) is not None:
        while not hand.over:
            hand.act(random_action(hand, random.Random(hand.number)))
        board: tuple[int, ...] = hand.board
        for event in hand.events:
            if isinstance(event, Shown):
                message = view.event_message(event, "t", 0, None, board)
                labels |= {one.label for one in message.hands}  # type: ignore[union-attr]
        play.finish_hand(hand)
    assert labels
    assert not any(card in label for label in labels for card in CARDS)


def test_kickers_are_named_where_they_decide_between_those_who_show() -> None:
    hands = (2, parse_cards("QhJd")), (0, ()), (1, parse_cards("QcKd"))
    shown = view.event_message(Shown(hands), "t", 0, None, parse_cards("Qs8h7d3c4s"), best_five=True)
    assert isinstance(shown, messages.Showdown)
    assert [(one.seat, one.label, len(one.best)) for one in shown.hands] == [
        (2, "pair, queens, jack kicker", 5),
        (0, "", 0),
        (1, "pair, queens, king kicker", 5),
    ]


def test_every_event_of_a_table_has_a_message() -> None:
    levels = [Level(5, 10, 0, 1), Level(40, 80, 0, 2)]
    kinds = set()
    for play in (
        Tournament(3, levels, 100, deals_for),
        Cash(2, Stakes(5, 10, stack=30), deals_for, hands=20, all_seated=True),
    ):
        while (hand := play.next_hand()) is not None:
            while not hand.over:
                most = hand.legal().max_raise
                hand.act(CALL if most is None or hand.number == 1 else raise_to(most))
            assert isinstance(hand.events[-1], HandEnded)
            for event in (*hand.events, *play.finish_hand(hand)):
                kinds.add(type(view.event_message(event, "t", 0, 0)).__name__)
    assert kinds == {
        "HandStart",
        "Board",
        "PlayerActed",
        "Showdown",
        "HandEnd",
        "PlayerEliminated",
        "BlindsRaised",
        "Rebuy",
    }
