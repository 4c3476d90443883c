"""What a strong bot would have done in a recorded hand: told only of cards that the asker may see."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from dealer.deck import secure_deals
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.cards import CARD_TEXTS
from dealer.rules.events import Acted, BoardDealt, Shown
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.hand import HandState
from pokerd.commands.serve import offered_bots, push_fold_tables
from server.bots.processes import ProcessManager
from server.house import hand_coach
from server.house.coach import ALL_IN_OR_FOLD, NO_LIMIT, coach_name
from server.house.house import House
from server.house.lobby import Lobby
from server.web.replay import ReplayHand, decision_at
from strategy.poker.preflop import HAND_CLASSES, hand_class
from tests.dealer.records.played import random_hand
from tests.server.web.visitors import GAME, cards_in, keep
from tests.support.deals import SEED
from tests.support.houses.http_client import Answer, Browser, Place, site
from tests.support.houses.people import PATIENCE, Memory, Message, listening

POLICY = (("c", 0.75), ("f", 0.25))


def viewed(
    hand: HandState, own: int | None = None, *, mode: str = "cash", is_open: bool = False
) -> ReplayHand:
    """A hand with policies that the players told, as somebody sees it."""
    events = [one._replace(policy=POLICY) if isinstance(one, Acted) else one for one in hand.events]
    names = [f"player-{seat}" for seat in range(hand.game.players)]
    return ReplayHand("t.1.1", "t", "t.1", mode, hand.game, names, events, own=own, open=is_open)


def actors(hand: HandState) -> list[int]:
    return [event.seat for event in hand.events if isinstance(event, Acted)]


def played(game: Game, actions: Sequence[Action] = ()) -> HandState:
    """A hand in which these actions come first, and then everybody calls."""
    hand = HandState(game, secure_deals(SEED, 0, game).deal(1), number=1)
    wishes = iter(actions)
    while not hand.over:
        hand.act(next(wishes, CALL))
    return hand


@pytest.mark.parametrize("mode", ["cash", "challenge"])
def test_a_decision_is_that_of_cards_that_may_be_seen(mode: str) -> None:
    seen = 0
    for number in range(30):
        hand = random_hand(GAME, random.Random(number), number, muck=True)
        shown = [one for event in hand.events if isinstance(event, Shown) for one in event.hands]
        shows = {seat for seat, cards in shown if cards} if mode == "cash" else set()
        for own in (None, 0, 1, 2):
            for place, seat in enumerate(actors(hand)):
                decision = decision_at(viewed(hand, own, mode=mode), place)
                assert (decision is not None) == (seat == own or seat in shows)
                seen += decision is None
        assert decision_at(viewed(hand, 0, mode=mode), len(actors(hand))) is None
    assert seen


def test_it_knows_what_its_player_knew() -> None:
    hand = played(GAME)
    for place, seat in enumerate(actors(hand)):
        decision = decision_at(viewed(hand, is_open=True, mode="challenge"), place)
        assert decision is not None
        started, *rest = decision.events
        holes = dict(zip(hand.events[0].seats, started.hole, strict=True))  # type: ignore[union-attr]
        assert {at for at, cards in holes.items() if cards} == {seat}
        assert [event for event in rest if isinstance(event, Acted)] == [
            event._replace(policy=POLICY) for event in hand.events if isinstance(event, Acted)
        ][:place]
        assert not any(isinstance(event, Shown) for event in rest)


def test_cards_that_were_shown_in_part_are_hidden() -> None:
    hand = played(GAME, actions=[FOLD, FOLD])
    (seat, *_) = actors(hand)
    started = hand.events[0]
    cards = started.hole[started.seats.index(seat)]  # type: ignore[union-attr]
    assert decision_at(viewed(hand)._replace(showed=[(seat, cards[:1])]), 0) is None
    assert decision_at(viewed(hand)._replace(showed=[(seat, cards)]), 0) is not None


class Bot(Memory):
    """A house bot that the test plays."""

    def __init__(self, house: House, name: str) -> None:
        self.called = asyncio.Event()
        super().__init__(house)
        self.say("hello", name=name, token=house.players[name].token, tables=4096)

    def send(self, frame: bytes) -> None:
        super().send(frame)
        self.called.set()

    async def turn(self) -> Message:
        """The next question, and all that came with it in ``told``."""
        async with asyncio.timeout(PATIENCE):
            while True:
                await self.called.wait()
                self.called.clear()
                self.told = self.news()
                for message in self.told:
                    if message["type"] == "turn":
                        return message

    def answer(self, turn: Message, policy: Sequence[Sequence[object]] = (("call", 0, 1.0),)) -> None:
        self.say("act", table=turn["table"], turn=turn["turn"], action="call", policy=policy)


class Room(NamedTuple):
    place: Place
    lobby: Lobby

    def bot(self, kind: str) -> Bot:
        return Bot(self.lobby.house, coach_name(kind))


@asynccontextmanager
async def room(folder: Path) -> AsyncIterator[Room]:
    """A server whose house bots the test plays."""
    lobby = Lobby(ProcessManager(folder), bots=offered_bots(), make_house=partial(House, guests=True))
    async with site(folder, house=lobby.house, hand_coach=lobby.hand_coach) as place:
        yield Room(place, lobby)


def ask(browser: Browser, hand: str, number: object) -> asyncio.Task[Answer]:
    return asyncio.create_task(browser.get(f"/api/hands/{hand}/hints/{number}"))


async def test_the_bot_is_told_what_the_player_knew_and_asked_once(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        hand = played(GAME, actions=[CALL, CALL, CALL, raise_to(20), FOLD, FOLD])
        kept = await keep(here.place, hand)
        bot = here.bot(NO_LIMIT)
        acted = actors(hand)
        own = acted.index(1, 3)
        stranger = here.place.browser()
        asked = ask(kept.owners[1], kept.id, own)
        turn = await bot.turn()
        started = hand.events[0]
        hole = started.hole[started.seats.index(1)]  # type: ignore[union-attr]
        flop = next(event.cards for event in hand.events if isinstance(event, BoardDealt))
        assert cards_in(json.dumps(bot.told)) == {CARD_TEXTS[card] for card in (*hole, *flop)}
        assert len([one for one in bot.told if one["type"] == "acted"]) == own
        assert not [one for one in bot.told if "policy" in one]
        bot.answer(turn, [["fold", 0, 0.25], ["raise", 30, 0.75]])
        told = {"bot": NO_LIMIT, "chances": [["fold", 0, 0.25], ["raise", 30, 0.75]], "depth": 0}
        assert (await asked).json() == told
        # A second time nobody is asked; whoever may not see the cards gets nothing of what is kept.
        assert (await ask(kept.owners[1], kept.id, own)).json() == told
        for who in (stranger, kept.owners[0], here.place.browser()):
            refused = await ask(who, kept.id, own)
            assert (refused.status, refused.json()["code"]) == (404, "not_found")
        for number in (len(acted), -1, "x", "1" * 20, "%C2%B2"):
            assert (await ask(kept.owners[1], kept.id, number)).status == 404
        assert bot.news() == []


async def test_an_answer_to_another_question_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with room(tmp_path) as here:
        kept = await keep(here.place, played(holdem(2, 5, 10, stack=300)))
        bot = here.bot(NO_LIMIT)
        own = [place for place, seat in enumerate(actors(kept.hand)) if seat == 0]
        monkeypatch.setattr(hand_coach, "PATIENCE", 0.0)
        late = await ask(kept.owners[0], kept.id, own[0])
        assert (late.status, late.json()["code"]) == (503, "busy")
        monkeypatch.undo()
        await bot.turn()
        asked = ask(kept.owners[0], kept.id, own[1])
        turn = await bot.turn()
        bot.answer({**turn, "turn": turn["turn"] - 1})
        bot.answer(turn, [["fold", 0, 1.0]])
        assert (await asked).json()["chances"] == [["fold", 0, 1.0]]


async def test_few_wait_and_the_bot_has_one_question_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hand_coach, "MAX_WAITING_PER_ADDRESS", 2)
    async with room(tmp_path) as here:
        kept = await keep(here.place, played(holdem(2, 5, 10, stack=300)))
        own = [place for place, seat in enumerate(actors(kept.hand)) if seat == 0]
        bot = here.bot(NO_LIMIT)
        asked = [ask(kept.owners[0], kept.id, number) for number in own[:2]]
        turn = await bot.turn()
        # One of three is one too many, whichever comes last.
        asked.append(ask(kept.owners[0], kept.id, own[2]))
        await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        assert len([one for one in bot.told if one["type"] == "turn"]) == 1
        assert bot.news() == []
        bot.answer(turn)
        bot.answer(await bot.turn())
        answers = [await one for one in asked]
        assert sorted(answer.status for answer in answers) == [200, 200, 503]


async def test_a_bot_that_ends_answers_nothing(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        kept = await keep(here.place, played(holdem(2, 5, 10, stack=300)))
        bot = here.bot(NO_LIMIT)
        asked = ask(kept.owners[0], kept.id, actors(kept.hand).index(0))
        await bot.turn()
        bot.break_off()
        here.lobby.house.give_up_seats(here.lobby.house.players[coach_name(NO_LIMIT)])
        assert (await asked).json()["code"] == "busy"


async def test_games_that_no_strong_bot_plays_are_told(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        kept = await keep(here.place, played(load_game("leduc.limit.2p")))
        refused = await ask(kept.owners[0], kept.id, actors(kept.hand).index(0))
        assert (refused.status, refused.json()["code"]) == (404, "no_coach")


async def test_the_answer_is_the_real_strategy_s(tmp_path: Path) -> None:
    """With a real process: all-in or fold with ten big blinds, where the exact chances are known."""
    lobby = Lobby(ProcessManager(tmp_path), bots=offered_bots(), make_house=partial(House, guests=True))
    hand = played(holdem(2, 5, 10, stack=100, rules="pushfold"))
    decision = decision_at(viewed(hand, is_open=True), 0)
    assert decision is not None
    assert lobby.hand_coach.bot_for(decision.game) == ALL_IN_OR_FOLD
    async with listening(house=lobby.house) as (_, door):
        lobby.house_bots.on_listening(door.url)
        chances = await lobby.hand_coach.ask(decision, "192.0.2.1")
    await lobby.close()
    started = decision.events[0]
    cards = next(cards for cards in started.hole if cards)  # type: ignore[union-attr]
    jam = push_fold_tables(10).jam[HAND_CLASSES.index(hand_class(cards))]
    folds = sum(chance for action, _, chance in chances if action == "fold")
    assert folds == pytest.approx(1 - jam, abs=0.001)
