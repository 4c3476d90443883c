"""What people may do at an open table, and what their pages are told."""

from __future__ import annotations

import msgspec
import pytest

from dealer.formats.format import Stakes
from dealer.rules.cards import CARD_TEXTS
from dealer.rules.events import start_of
from protocol.codec import MSGPACK
from server.auth.text_rules import MAX_CHAT_LINES
from server.tables.config import TableConfig, decode_config
from server.tables.scoring import is_against_house
from tests.support.houses.people import Memory, Message
from tests.support.houses.people_table import Game, come, kinds, moving, only, sit


class TestWatching:
    async def test_a_spectator_is_told_all_that_is_public(self) -> None:
        game = Game("ann", "bob", pause=5.0)
        game.act()
        eve = come(game.house, "eve")
        news = eve.say("watch", table="table-1")
        assert kinds(news) == ["match_start", "seats", "hand_start", "acted", "waiting"]
        start = news[0]
        assert (start["seat"], start["seed"], start["reset"]) == (-1, 0, True)
        assert news[2]["hole"] == []
        assert news[1]["watchers"] == 1
        assert only(game.clients[0].news(), "seats")["watchers"] == 1
        game.act()
        assert "board" in kinds(eve.news())
        assert kinds(eve.say("leave", table="table-1")) == ["match_end"]
        game.finish_hand()
        assert eve.news() == []
        assert only(game.clients[0].news()[:8], "seats")["watchers"] == 0
        game.house.close()

    async def test_who_watches_may_sit_down(self) -> None:
        game = Game("ann", "bob", seats=3)
        eve = come(game.house, "eve")
        eve.say("watch", table="table-1")
        news = eve.say("join", table="table-1")
        assert only(news, "match_start")["seat"] == 2
        assert only(news, "seats")["watchers"] == 0
        eve.say("ready", table="table-1")
        game.clients[2] = eve
        game.until(lambda: 2 in game.hand.seats)
        assert len(game.house.players["eve"].seats) == 1
        assert not game.house.players["eve"].watching
        game.house.close()

    async def test_refusals(self) -> None:
        game = Game("ann", "bob")
        eve = come(game.house, "eve")
        game.refused(eve, "unknown_table", "watch", table="nowhere")
        game.refused(eve, "unknown_table", "leave")
        game.refused(eve, "unknown_table", "say", text="hello")
        game.refused(game.clients[0], "already_seated", "watch")
        eve.say("watch", table="table-1")
        for client in game.clients.values():
            client.news()
        game.refused(eve, "already_seated", "watch")
        game.refused(eve, "unknown_table", "ready")
        game.refused(eve, "unknown_table", "act", turn=0, action="call")
        game.refused(eve, "unknown_table", "show", hand=1, cards=["Ah"])
        game.refused(eve, "unknown_table", "away")
        game.house.close()

    async def test_one_who_looks_in_and_out_all_the_time_is_slowed_down(self) -> None:
        game = Game("ann", "bob")
        eve = come(game.house, "eve")
        codes = []
        for _ in range(100):
            codes += kinds(eve.say("watch", table="table-1"))
            codes += kinds(eve.say("leave", table="table-1"))
        assert 60 < codes.count("match_start") < 70
        assert "too_fast" in codes
        game.house.close()

    async def test_a_spectator_whose_connection_breaks_looks_on_again(self) -> None:
        game = Game("ann", "bob")
        eve = come(game.house, "eve")
        eve.say("watch", table="table-1")
        resume = game.house.players["eve"].resume
        game.clients[0].news()
        eve.break_off()
        assert only(game.clients[0].news(), "seats")["watchers"] == 0
        again = Memory(game.house)
        news = again.say("hello", name="eve", resume=resume, person=True)
        assert kinds(news)[:3] == ["welcome", "match_start", "seats"]
        assert news[2]["watchers"] == 1
        game.house.close()

    async def test_house_bots_play_for_a_person_who_watches(self) -> None:
        game = Game(bots=2, pause=5.0)
        for player in game.house.players.values():
            player.is_house_bot = True
        game.table.reevaluate()
        assert game.waiting()
        eve = come(game.house, "eve")
        eve.say("watch", table="table-1")
        assert not game.waiting()
        assert game.pause() == 5.0
        game.finish_hand()
        eve.say("leave", table="table-1")
        assert game.waiting()
        robot = come(game.house, "robot", person=False)
        robot.say("watch", table="table-1")
        assert game.waiting()
        game.house.close()


class TestTheTableAsItStands:
    async def test_seats(self) -> None:
        game = Game("ann", seats=4, bots=1, title="the blue table", stakes=Stakes(5, 10, 1))
        seats = only(come(game.house, "eve").say("watch", table="table-1"), "seats")
        assert seats["name"] == "the blue table"
        assert seats["game"] == "no-limit hold'em 5/10, ante 1"
        assert seats["mode"] == "cash"
        assert seats["hand"] == 1
        assert len(seats["commitment"]) == 64
        assert seats["seats"] == [
            {"seat": 0, "name": "ann", "kind": "person", "stack": 1000, "state": "in"},
            {"seat": 1, "name": "bot 0", "kind": "bot", "stack": 1000, "state": "in"},
            {"seat": 2},
            {"seat": 3},
        ]
        late = sit(game.house, "late")
        last = [message for message in late.heard if message["type"] == "seats"][-1]
        assert [seat.get("state", "") for seat in last["seats"]] == ["in", "in", "waiting", ""]
        game.clients[1].break_off()
        states = [seat.get("state", "") for seat in late.news()[-1]["seats"]]
        assert states == ["in", "gone", "waiting", ""]
        game.house.close()

    async def test_who_is_a_bot_hears_nothing_of_it(self) -> None:
        game = Game("ann", "bob", bots=1)
        for _ in range(4):
            game.finish_hand()
        game.clients[0].say("say", table="table-1", text="hello")
        game.clients[2].news()
        assert not {"seats", "waiting", "strength", "said"} & set(kinds(game.clients[2].heard))
        assert {"seats", "waiting", "strength", "said"} <= set(kinds(game.clients[0].heard))
        game.house.close()

    async def test_a_page_that_comes_new_knows_what_one_does_that_was_there_all_along(self) -> None:
        game = Game("ann", "bob", "cat", pause=5.0)
        game.clients[0].say("say", table="table-1", text="good luck")
        for _ in range(60):
            game.act() if game.table.table.turn_seat >= 0 else game.tick()
            for client in game.clients.values():
                client.news()
            eve = come(game.house, f"eve {len(game.house.players)}")
            news = eve.say("watch", table="table-1")
            game.house.remove_player(game.house.players[eve.heard[0]["name"]])
            game.clients[0].news()
            bob = Memory(game.house, MSGPACK)
            again = bob.say("hello", name="bob", resume=game.house.players["bob"].resume, person=True)
            there, game.clients[1] = game.clients[1], bob
            self.compare(there.heard, again, same=True)
            self.compare(game.clients[0].heard, news, same=False)
            bob.heard = [*there.heard, *bob.heard]
        game.house.close()

    def compare(self, there: list[Message], new: list[Message], *, same: bool) -> None:
        first = next(
            (number for number in range(len(there) - 1, -1, -1) if there[number]["type"] == "hand_start"),
            len(there),
        )
        hand = [message for message in there[first:] if "seq" in message]
        told = [message for message in new if "seq" in message]
        # Who comes back is told the hand once more: what he was told before is there twice.
        assert len(told) == len({message["seq"] for message in told})
        by_seq = {message["seq"]: message for message in hand if message["type"] != "refilled"}
        for message in told:
            assert message["seq"] in by_seq
            if message["type"] != "hand_start" or same:
                assert message == by_seq[message["seq"]]
        assert len(told) == len(by_seq)
        assert kinds(new).count("seats") == 1
        assert [message["text"] for message in new if message["type"] == "said"] == ["good luck"]

    async def test_the_pots_as_they_stand(self) -> None:
        """Two are all-in with different stacks, and two play on."""
        game = Game("ann", "bob", "cat", "dan", pause=5.0)
        game.finish_hand()
        moving(game.table).stacks[:] = [100, 300, 1000, 1000]
        game.tick()
        while game.hand.betting.street == 0:
            legal = game.hand.legal()
            if game.table.table.turn_seat < 2 and legal.max_raise is not None:
                game.act("raise", to=legal.max_raise)
            else:
                game.act("call")
        game.clients[2].news()
        told = [message for message in game.clients[2].heard if message["type"] == "waiting"]
        for message in told:
            assert sum(pot["amount"] for pot in message["pots"]) + sum(message["bets"]) == message["pot"]
        waiting = told[-1]
        assert waiting["bets"] == [0, 0, 0, 0]
        assert waiting["seat"] == game.table.table.turn_seat
        assert waiting["turn"] == game.table.table.turn
        assert [(pot["amount"], sorted(pot["seats"])) for pot in waiting["pots"]] == [
            (400, [0, 1, 2, 3]),
            (600, [1, 2, 3]),
        ]
        game.house.close()

    async def test_strength_is_told_to_its_owner_alone(self) -> None:
        game = Game("ann", "bob")
        eve = come(game.house, "eve")
        eve.say("watch", table="table-1")
        for _ in range(12):
            game.finish_hand()
        eve.news()
        assert "strength" not in kinds(eve.heard)
        labels = [
            {(m["street"], m["label"]) for m in game.clients[seat].heard if m["type"] == "strength"}
            for seat in (0, 1)
        ]
        assert all(labels)
        assert labels[0] != labels[1]
        assert all(label.startswith("pair") for street, label in labels[0] | labels[1] if street == 0)
        game.house.close()

    async def test_shown_hands_have_their_five_cards(self) -> None:
        game = Game("ann", "bob", pause=5.0)
        game.finish_hand()
        game.clients[0].news()
        shown = only(game.clients[0].heard, "shown")
        [first, *_] = shown["hands"]
        board = {card for m in game.clients[0].heard if m["type"] == "board" for card in m["cards"]}
        assert len(first["best"]) == 5
        assert set(first["best"]) <= board | set(first["cards"])
        # All-in before the flop: what they made is told when all the board is there.
        game.tick()
        game.act("raise", to=game.hand.legal().max_raise)
        game.act("call")
        end = only(game.clients[0].news(), "hand_end")
        assert [len(hand["best"]) for hand in end["hands"]] == [5, 5]
        assert all(hand["label"] for hand in end["hands"])
        game.house.close()

    async def test_a_person_is_told_at_once(self) -> None:
        game = Game("ann", "bob", bots=1)
        frames = {seat: len(client.frames) for seat, client in game.clients.items()}
        table = game.table.table
        seat = table.turn_seat
        act = {"type": "act", "table": "table-1", "turn": table.turn, "action": "call"}
        client = game.clients[seat]
        client.connection.receive(client.codec.encode(act), text=client.codec.text)
        for other in {0, 1} - {seat}:
            assert len(game.clients[other].frames) > frames[other]
        if 2 not in (seat, table.turn_seat):
            assert len(game.clients[2].frames) == frames[2]
        game.house.close()


class TestSittingOut:
    async def test_at_a_cash_table_who_is_away_is_not_dealt_in(self) -> None:
        game = Game("ann", "bob", "cat")
        seat = game.hand.seats[0]
        hand = game.hand
        game.clients[seat].say("away", table="table-1")
        assert game.table.state(seat) == "in"
        game.until(lambda: game.hand is not hand)
        assert seat not in game.hand.seats
        assert game.table.state(seat) == "away"
        stack = moving(game.table).stacks[seat]
        game.finish_hand()
        assert seat not in game.hand.seats
        assert moving(game.table).stacks[seat] == stack
        game.clients[seat].say("back", table="table-1")
        game.finish_hand()
        assert seat in game.hand.seats
        for client in game.clients.values():
            client.news()
        game.refused(game.clients[seat], "not_asked", "back")
        game.house.close()

    async def test_until_the_big_blind(self) -> None:
        game = Game("ann", "bob", "cat", "dan")
        game.finish_hand()
        seat = game.hand.seats[0]  # the small blind: all others have the big blind before
        game.clients[seat].say("away", table="table-1", at="blind")
        dealt = 0
        while seat in game.hand.seats:
            assert game.hand.seats[1] != seat
            dealt += 1
            game.finish_hand()
        assert dealt == 3
        game.clients[seat].say("back", table="table-1")
        game.clients[seat].say("away", table="table-1", at="blind")
        game.clients[seat].say("back", table="table-1")
        for _ in range(6):
            game.finish_hand()
        assert seat in game.hand.seats
        game.house.close()

    async def test_who_is_away_stays_so_over_a_new_connection(self) -> None:
        game = Game("ann", "bob", "cat")
        game.clients[1].say("away", table="table-1")
        game.finish_hand()
        bob = Memory(game.house)
        bob.say("hello", name="bob", resume=game.house.players["bob"].resume, person=True)
        bob.say("ready", table="table-1")
        game.clients[1] = bob
        game.finish_hand()
        game.finish_hand()
        assert 1 not in game.hand.seats
        bob.say("back", table="table-1")
        game.finish_hand()
        assert 1 in game.hand.seats
        game.house.close()

    async def test_a_person_who_misses_turns_sits_out_and_a_bot_does_not(self) -> None:
        game = Game("ann", "bob", bots=1)
        while not (game.absent(0) and game.absent(2)):
            if game.table.table.turn_seat == 1:
                game.act()
            else:
                game.tick()
        game.finish_hand()
        game.finish_hand()
        assert sorted(game.hand.seats) == [1, 2]
        assert game.table.state(0) == "away"
        game.clients[0].say("back", table="table-1")
        game.clients[2].say("back", table="table-1")
        game.finish_hand()
        assert sorted(game.hand.seats) == [0, 1, 2]
        game.house.close()

    async def test_bots_wait_while_the_only_person_is_away(self) -> None:
        game = Game("ann", bots=2)
        for name in ("bot 0", "bot 1"):
            game.house.players[name].is_house_bot = True
        game.clients[0].say("away", table="table-1")
        game.until(lambda: game.table.table.hand is None)
        assert game.waiting()
        assert game.table.table.deadline is None
        game.clients[0].say("back", table="table-1")
        assert sorted(game.hand.seats) == [0, 1, 2]
        game.house.close()

    async def test_refusals(self) -> None:
        game = Game("ann", "bob", seats=3)
        late = come(game.house, "late")
        game.refused(late, "unknown_table", "away")
        late.say("join", table="table-1")
        for client in game.clients.values():
            client.news()
        game.refused(late, "not_asked", "away")
        game.refused(late, "not_asked", "back")
        game.refused(game.clients[0], "not_asked", "back")
        game.house.close()


class TestTalking:
    async def test_a_line_is_told_to_people_with_who_said_it(self) -> None:
        game = Game("ann", "bob")
        eve = come(game.house, "eve")
        eve.say("watch", table="table-1")
        said = only(eve.say("say", table="table-1", text="<b>hello</b> 🂡 ça va?"), "said")
        assert (said["seat"], said["name"], said["text"]) == (-1, "eve", "<b>hello</b> 🂡 ça va?")
        assert only(game.clients[0].news(), "said") == said
        game.clients[1].news()
        assert only(game.clients[1].say("say", table="table-1", text="hi"), "said")["seat"] == 1
        assert 1_600_000_000_000 < said["at"] < 5_000_000_000_000
        game.house.close()

    @pytest.mark.parametrize(
        "text",
        ["", "  ", "x" * 201, "two\nlines", "\x1b[31m", "a\x00b", "\u2028", "\u202eevil", "\x85", "\u2067x"],
    )
    async def test_what_is_no_line(self, text: str) -> None:
        game = Game("ann", "bob")
        game.refused(game.clients[0], "bad_text", "say", text=text)
        game.house.close()

    async def test_a_flood_is_refused_and_the_last_lines_are_kept(self) -> None:
        game = Game("ann", "bob")
        for _ in range(5):
            game.clients[0].say("say", table="table-1", text="x")
        game.clients[1].news()
        game.refused(game.clients[0], "too_fast", "say", text="x")
        player = game.house.players["ann"]
        for number in range(120):
            player.chat_limiter._full_at = 0.0
            game.clients[0].say("say", table="table-1", text=f"line {number}")
        late = come(game.house, "late")
        told = [m["text"] for m in late.say("watch", table="table-1") if m["type"] == "said"]
        assert told == [f"line {number}" for number in range(120 - MAX_CHAT_LINES, 120)]
        game.house.close()


class TestStoredSettings:
    def test_a_table_stored_before_there_were_more_settings_is_read(self) -> None:
        config = TableConfig(Stakes(5, 10), 6, bots=("call",), research=True, deals="table-1.2")
        stored = msgspec.json.decode(msgspec.json.encode(config))
        first = [
            *("stakes", "seats", "clock", "mode", "levels", "matches", "pause", "bots", "name", "rival"),
            *("hands", "memory", "research", "deals"),
        ]
        assert list(TableConfig._fields[: len(first)]) == first
        assert decode_config(msgspec.json.encode(stored[: len(first)])) == config


class TestLeaders:
    @pytest.mark.parametrize(
        ("others", "stack", "counts"),
        [("house", 1000, True), ("house", 5010, False), ("tuned", 1000, False), ("program", 1000, False)],
    )
    async def test_only_hands_against_house_bots_as_they_are_count(
        self, others: str, stack: int, *, counts: bool
    ) -> None:
        game = Game("ann", bots=1, pause=5.0, stakes=Stakes(5, 10, stack=stack))
        ann, other = game.table.players
        assert ann is not None
        assert other is not None
        ann.identity = "ann's cookie"
        other.is_house_bot = others != "program"
        other.parameters = {"trials": 5} if others == "tuned" else {}
        assert is_against_house([ann, other], start_of(game.table.progress.events), 10) is counts
        game.house.close()


class TestUndealt:
    async def test_people_learn_what_would_have_come_once_the_hand_is_over(self) -> None:
        game = Game("ann", "bob", bots=1, pause=5.0)
        watching = come(game.house, "eve")
        watching.say("watch", table="table-1")
        number = game.hand.number
        rounds, deal = range(game.hand.game.rounds), game.hand._cards
        board = [CARD_TEXTS[card] for street in rounds for card in deal.board(street)]
        game.finish_hand("fold")
        told = only(game.clients[0].news(), "undealt")
        assert told == {"type": "undealt", "table": "table-1", "hand": number, "cards": board}
        assert only(watching.news(), "undealt") == told
        assert not any(message["type"] == "undealt" for message in game.clients[2].news())
        late = come(game.house, "late")
        assert not any(message["type"] == "undealt" for message in late.say("watch", table="table-1"))
        game.house.close()


class TestStyles:
    async def test_people_learn_how_everybody_plays_and_bots_do_not(self) -> None:
        game = Game("ann", "bob", bots=1, pause=5.0)
        watching = come(game.house, "eve")
        watching.say("watch", table="table-1")
        told: Message = {}
        for number in (1, 2):
            game.finish_hand("fold")
            told = only(watching.news(), "styles")
            hands = {seat["seat"]: seat["hands"] for seat in told["seats"]}
            assert (hands[0], hands[1]) == (number, number)
            game.table.tick(game.table.table.deadline or 0.0)
        assert {seat["vpip"] for seat in told["seats"]} <= {0.0, None}
        assert not any(message["type"] == "styles" for message in game.clients[2].news())
        late = come(game.house, "late")
        assert only(late.say("watch", table="table-1"), "styles") == told
        # Who takes a seat begins anew.
        game.clients[0].say("leave", table="table-1")
        late.say("join", table="table-1", seat=0)
        game.finish_hand("fold")
        seen = {seat["seat"]: seat["hands"] for seat in only(watching.news(), "styles")["seats"]}
        assert seen.get(0, 0) <= 1 < seen[1]
        game.house.close()

    async def test_a_table_may_keep_it_to_itself(self) -> None:
        game = Game("ann", "bob", pause=5.0, hud=False)
        game.finish_hand("fold")
        assert not any(message["type"] == "styles" for message in game.clients[0].news())
        game.house.close()


class TestShowing:
    def own(self, game: Game, seat: int) -> list[str]:
        start = game.table.progress.events[0]
        hole = start.hole[start.seats.index(seat)]  # type: ignore[union-attr]
        return [CARD_TEXTS[card] for card in hole]

    async def test_one_card_and_then_the_other_until_the_next_hand(self) -> None:
        game = Game("ann", "bob", bots=1, pause=5.0)
        game.finish_hand("fold")
        number = game.table.hands
        one, two = self.own(game, 1)
        showed = only(game.clients[1].say("show", table="table-1", hand=number, cards=[two]), "showed")
        assert (showed["seat"], showed["hand"], showed["cards"]) == (1, number, [two])
        assert only(game.clients[0].news(), "showed") == showed
        assert only(game.clients[2].news(), "showed") == showed
        game.clients[0].news()
        game.refused(game.clients[1], "not_yours", "show", hand=number, cards=[one, two])
        game.clients[1].say("show", table="table-1", hand=number, cards=[one])
        late = come(game.house, "late")
        told = [m["cards"] for m in late.say("watch", table="table-1") if m["type"] == "showed"]
        assert told == [[two], [one]]
        game.house.close()

    async def test_refusals(self) -> None:
        game = Game("ann", "bob", pause=5.0)
        number = game.hand.number
        ann, bob = game.clients[0], game.clients[1]
        game.refused(ann, "not_over", "show", hand=number, cards=self.own(game, 0))
        game.finish_hand("fold")
        mine, his = self.own(game, 0), self.own(game, 1)
        for client in (ann, bob):
            client.news()
        game.refused(ann, "not_over", "show", hand=number + 1, cards=mine)
        for cards in (his, [mine[0], his[0]], [], [mine[0], mine[0]], ["Zz"], [""]):
            game.refused(ann, "not_yours", "show", hand=number, cards=cards)
        game.tick()
        for client in (ann, bob):
            client.news()
        game.refused(ann, "not_over", "show", hand=number, cards=mine)
        game.house.close()

    async def test_who_takes_the_seat_does_not_get_the_cards(self) -> None:
        game = Game("ann", "bob", seats=2, pause=5.0)
        game.finish_hand("fold")
        number, cards = game.table.hands, self.own(game, 1)
        game.clients[1].say("leave", table="table-1")
        late = sit(game.house, "late", seat=1)
        assert not [text for m in late.heard if m["type"] == "hand_start" for text in m["hole"]]
        assert kinds(late.say("show", table="table-1", hand=number, cards=cards)) == ["not_yours"]
        game.house.close()
