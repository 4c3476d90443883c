"""Tournaments over several tables: from the first entry to the last hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server.tables.phases import Phase
from server.tournaments.tournament import Tournament
from tests.support.houses.people import Message
from tests.support.houses.tournaments import Hall

PEOPLE = [f"person {letter}" for letter in "abcdefghijklmnopqrst"]
BOTS = [f"{kind}-{number}" for number in range(1, 4) for kind in ("call", "fair", "raise", "random")]


def checked(hall: Hall, tournament: Tournament) -> Callable[[], None]:
    """Return what must hold at every instant."""

    def check() -> None:
        if tournament.status != "running":
            return
        game = tournament.game
        assert sum(game.stacks.values()) == tournament.config.stack * game.entrants
        if tournament._review is not None:
            # A hand is over, and what follows is carried out next.
            return
        assert set(game.tables) == set(tournament.tables)
        for number, table in tournament.tables.items():
            state = game.tables[number]
            assert table.phase is Phase.PLAYING
            names = ["" if one is None else tournament._entrant(one).name for one in state.seats]
            assert table.facts.names == names
            hand = table.table.hand
            if hand is None:
                there = sum(
                    table.part.stacks[seat] for seat, one in enumerate(state.seats) if one is not None
                )
            else:
                # Chips in the pot, and of those who wait for the next hand.
                there = sum(hand.betting.stacks) + sum(
                    table.part.stacks[seat]
                    for seat, one in enumerate(state.seats)
                    if one is not None and seat not in hand.seats
                )
            assert there == sum(game.stacks[one] for one in state.seats if one is not None)

    return check


def balanced_after_each_hand(tournament: Tournament) -> list[int]:
    """Note, whenever a hand has ended and all has been carried out, by how many players the fullest waiting
    table exceeds the shortest.
    """
    excess: list[int] = []
    carry_out = tournament._carry_out

    def carry_out_and_look() -> None:
        ended = [number for number, state in tournament.game.tables.items() if not state.playing]
        carry_out()
        if tournament.status == "running":
            tables = tournament.game.tables
            staying = {number: one.players for number, one in tables.items()}
            total = sum(staying.values())
            if total > (len(tables) - 1) * tournament.config.seats:  # none is about to be broken
                excess.extend(staying[one] - min(staying.values()) for one in ended if one in staying)

    tournament._carry_out = carry_out_and_look  # type: ignore[method-assign]
    return excess


@pytest.mark.parametrize("seed", [1, 2])
async def test_thirty_play_at_five_tables_down_to_one(tmp_path: Path, seed: int) -> None:
    hall = Hall(tmp_path, seed=seed)
    hall.call_bots(*BOTS)
    for name in PEOPLE[:18]:
        hall.come(name)
    bots = ["call", "fair", "raise", "random"]
    tournament = hall.announce(PEOPLE[0], entrants=30, house_bots=12, bots=bots, stack=300)
    excess = balanced_after_each_hand(tournament)
    for name in PEOPLE[:18]:
        [entry] = [
            one for one in hall.say(name, "register", tournament=tournament.name) if one["type"] == "entry"
        ]
        assert entry["state"] == "registered"
    check = checked(hall, tournament)
    hall.until(lambda: tournament.status == "running", check=check)
    assert len(tournament.tables) == 5
    assert hall.now == pytest.approx(10, abs=0.1)
    hall.until(lambda: tournament.status == "over", check=check)
    assert excess
    assert max(excess) <= 1
    game = tournament.game
    assert sorted(game.place(one.number) for one in tournament.state.entrants)[0] == 1
    assert sum(game.points(one.number) for one in tournament.state.entrants) == pytest.approx(300)
    assert not hall.house.open_tables
    for name in PEOPLE[:18]:
        entries = hall.told(name, "entry")
        assert [one["state"] for one in entries][-1] == "out"
        assert entries[-1]["of"] == 30
        # Whoever was told to go to a table got a seat there at once.
        seated = [one["table"] for one in entries if one["state"] == "seated"]
        assert [one["table"] for one in hall.told(name, "match_start")] == seated
        reasons = [one.get("reason", "complete") for one in hall.told(name, "match_end")]
        assert reasons == ["moved"] * (len(seated) - 1) + ["complete"]
        assert not hall.clients[name].connection.player.seats
    moves = [one["reason"] for name in PEOPLE[:18] for one in hall.told(name, "entry") if one.get("reason")]
    assert {"start", "balance", "broken", "final"} >= set(moves)
    assert {"start", "broken"} <= set(moves)


def no_errors(hall: Hall) -> list[Message]:
    return [one for name in hall.heard for one in hall.told(name, "error")]


class TestEntering:
    def opened(self, tmp_path: Path, *names: str, **wishes: object) -> tuple[Hall, Tournament]:
        hall = Hall(tmp_path)
        for name in names or ("ann", "bob"):
            hall.come(name)
        return hall, hall.announce("ann", **wishes)

    def code(self, news: list[Message]) -> str:
        return next((str(one["code"]) for one in news if one["type"] == "error"), "")

    async def test_only_once_and_not_beyond_the_limit(self, tmp_path: Path) -> None:
        hall, tournament = self.opened(tmp_path, "ann", "bob", "cid", entrants=2)
        assert self.code(hall.say("ann", "register", tournament=tournament.name)) == ""
        assert self.code(hall.say("ann", "register", tournament=tournament.name)) == "no_entry"
        assert self.code(hall.say("bob", "register", tournament=tournament.name)) == ""
        assert self.code(hall.say("cid", "register", tournament=tournament.name)) == "no_entry"
        assert self.code(hall.say("cid", "register", tournament="tournament-9")) == "unknown_tournament"

    async def test_an_entry_is_taken_back_before_the_start_alone(self, tmp_path: Path) -> None:
        hall, tournament = self.opened(tmp_path, entrants=2)
        for _ in range(2):
            hall.say("ann", "register", tournament=tournament.name)
            hall.say("bob", "register", tournament=tournament.name)
            assert tournament.state.starts > 0
            if _ == 0:
                hall.say("bob", "unregister", tournament=tournament.name)
                assert tournament.state.starts == 0
        hall.until(lambda: tournament.status == "running")
        assert self.code(hall.say("bob", "unregister", tournament=tournament.name)) == "no_entry"

    async def test_at_its_time_it_starts_with_those_who_are_there(self, tmp_path: Path) -> None:
        hall, tournament = self.opened(tmp_path, minutes=5, entrants=20)
        for name in ("ann", "bob"):
            hall.say(name, "register", tournament=tournament.name)
        hall.until(lambda: tournament.status != "open")
        assert hall.now == pytest.approx(300)
        assert tournament.game.entrants == 2

    async def test_without_two_it_is_cancelled(self, tmp_path: Path) -> None:
        hall, tournament = self.opened(tmp_path, minutes=5, entrants=20)
        hall.say("ann", "register", tournament=tournament.name)
        hall.until(lambda: tournament.status != "open")
        assert tournament.status == "cancelled"
        hall.settle()
        assert hall.told("ann", "entry")[-1]["state"] == "cancelled"

    async def test_who_opened_it_cancels_it_before_the_start_alone(self, tmp_path: Path) -> None:
        kept = tmp_path / "kept"
        hall = Hall(tmp_path, kept=kept)
        for name in ("ann", "bob", "cid"):
            hall.come(name)
        first, second = (hall.announce("ann", entrants=2).name for _ in range(2))
        hall.say("bob", "register", tournament=first)
        assert self.code(hall.say("bob", "cancel", tournament=first)) == "not_owner"
        # Also after a restart of the server, under another name.
        hall = Hall(tmp_path, kept=kept)
        ann, bob = hall.come("ann's phone", "cookie of ann"), hall.come("bob")
        assert ann.connection.player.name != "ann"
        news = hall.say("ann's phone", "cancel", tournament=first)
        assert [(one["tournament"], one["state"]) for one in news if one["type"] == "entry"] == [
            (first, "cancelled")
        ]
        assert [one["state"] for one in bob.news() if one["type"] == "entry"] == ["cancelled"]
        assert hall.desk.tournaments[first].status == "cancelled"
        assert self.code(hall.say("ann's phone", "cancel", tournament=first)) == "unknown_tournament"
        for name in ("ann's phone", "bob"):
            hall.say(name, "register", tournament=second)
        hall.until(lambda: hall.desk.tournaments[second].status == "running")
        assert self.code(hall.say("ann's phone", "cancel", tournament=second)) == "no_entry"
        assert hall.desk.tournaments[second].status == "running"

    async def test_a_latecomer_gets_a_full_stack_and_plays_the_next_hand(self, tmp_path: Path) -> None:
        hall, tournament = self.opened(tmp_path, "ann", "bob", "cid", minutes=1, entrants=20, late_levels=2)
        for name in ("ann", "bob"):
            hall.say(name, "register", tournament=tournament.name)
        hall.until(lambda: tournament.status == "running")
        hall.say("cid", "register", tournament=tournament.name)
        # The first one that he is told is in progress.
        hall.until(lambda: any(one.get("hole") for one in hall.told("cid", "hand_start")))
        [seated] = [one for one in hall.told("cid", "entry") if one["state"] == "seated"]
        assert seated["reason"] == "late"
        start = next(one for one in hall.told("cid", "hand_start") if one.get("hole"))
        me = next(one["seat"] for one in hall.told("cid", "match_start"))
        assert start["stacks"][start["seats"].index(me)] == tournament.config.stack

    @pytest.mark.parametrize(
        ("field", "wrong"),
        [
            ("name", ""),
            ("name", "\u202eevil"),
            ("entrants", 1),
            ("entrants", 201),
            ("seats", 11),
            ("stack", 99),
            ("speed", "fast"),
            ("minutes", -1),
            ("house_bots", 18),
            ("late_levels", 11),
            ("bots", ["nobody"]),
        ],
    )
    async def test_wrong_settings_are_refused(self, tmp_path: Path, field: str, wrong: object) -> None:
        hall = Hall(tmp_path)
        hall.come("ann")
        [error] = hall.say("ann", "announce", **{"name": "Sunday", field: wrong})
        assert (error["code"], error["field"]) == ("bad_table", field)

    async def test_nobody_opens_more_than_two(self, tmp_path: Path) -> None:
        hall, _ = self.opened(tmp_path)
        hall.announce("ann")
        assert self.code(hall.say("ann", "announce", name="Third")) == "server_full"

    async def test_not_under_a_name_that_is_entered(self, tmp_path: Path) -> None:
        hall, tournament = self.opened(tmp_path)
        hall.come("cid")
        hall.say("cid", "register", tournament=tournament.name)
        hall.clients.pop("cid").break_off()
        hall.come("cid", "cookie of another")
        assert self.code(hall.say("cid", "register", tournament=tournament.name)) == "no_entry"

    async def test_not_by_who_plays_at_as_many_tables_as_he_can(self, tmp_path: Path) -> None:
        hall, tournament = self.opened(tmp_path)
        hall.come("bob")
        hall.clients["bob"].connection.player.capacity = 0
        assert self.code(hall.say("bob", "register", tournament=tournament.name)) == "too_many_tables"

    async def test_all_tables_that_may_be_needed_count(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("server.tournaments.desk.MAX_TABLES", 29)
        hall = Hall(tmp_path)
        wishes = {"entrants": 20, "seats": 2, "minutes": 60}
        for name in ("ann", "bob"):
            hall.come(name)
            hall.announce(name, **wishes)
        hall.come("cid")
        assert self.code(hall.say("cid", "announce", name="Third", **wishes)) == "server_full"

    async def test_bots_are_reserved_from_the_start_on_and_as_many_as_are_free(self, tmp_path: Path) -> None:
        hall = Hall(tmp_path)
        bots = hall.lobby.house_bots
        for name in ("ann", "bob"):
            hall.come(name)
        wishes = {"entrants": 30, "house_bots": 12, "bots": ["call", "fair"], "minutes": 5}
        tournament = hall.announce("ann", **wishes)
        hall.say("bob", "register", tournament=tournament.name)
        assert not bots.promised
        others = {f"raise-{number}" for number in range(1, 60)}
        bots.promised["other"] = others, ("guest", "elsewhere")
        hall.until(lambda: tournament.status == "running")
        assert len(bots.promised[tournament.name][0]) == 64 - len(others)
        assert len(tournament.state.entrants) == 1 + 64 - len(others)
        tournament.cancel("closed")
        assert tournament.name not in bots.promised


def all_in(turn: Message) -> dict[str, Any]:
    to = turn.get("raise_to")
    return {"action": "raise", "to": to[1]} if to else {"action": "call"}


class TestTheSeats:
    def playing(self, tmp_path: Path, *names: str, **wishes: object) -> tuple[Hall, Tournament]:
        hall = Hall(tmp_path)
        for name in names:
            hall.come(name)
        tournament = hall.announce(names[0], entrants=len(names), **wishes)
        for name in names:
            hall.say(name, "register", tournament=tournament.name)
        hall.until(lambda: tournament.status == "running")
        return hall, tournament

    async def test_nobody_else_sits_down_or_takes_the_seat_of_one_who_left(self, tmp_path: Path) -> None:
        hall, _ = self.playing(tmp_path, "ann", "bob", "cid")
        [table] = hall.house.open_tables
        hall.come("eve")
        [error] = hall.say("eve", "join", table=table)
        assert error["code"] == "no_seat"
        hall.say("bob", "leave", table=table)
        [error] = hall.say("eve", "join", table=table)
        assert error["code"] == "no_seat"
        news = hall.say("bob", "join", table=table)
        assert any(one["type"] == "match_start" and one["seat"] >= 0 for one in news)

    async def test_who_is_not_there_is_dealt_in_and_comes_back_by_his_cookie(self, tmp_path: Path) -> None:
        hall = Hall(tmp_path)
        for name in ("ann", "bob", "cid"):
            hall.come(name)
        tournament = hall.announce("ann", entrants=3)
        for name in ("ann", "bob", "cid"):
            hall.say(name, "register", tournament=tournament.name)
        hall.clients.pop("bob").break_off()
        hall.until(lambda: tournament.status == "running")
        [table] = tournament.tables.values()
        assert sorted(table.facts.names) == sorted(["ann", "bob", "cid", "", "", ""])
        hall.until(lambda: table.hands > 0)
        hall.come("bob")
        entry = hall.told("bob", "entry")[-1]
        assert (entry["state"], entry["table"]) == ("seated", table.facts.table)
        news = hall.say("bob", "join", table=table.facts.table)
        assert any(one["type"] == "match_start" and one["seat"] >= 0 for one in news)

    async def test_nobody_waits_at_the_next_table_for_one_whose_connection_is_lost(
        self, tmp_path: Path
    ) -> None:
        hall, tournament = self.playing(tmp_path, "ann", "bob", "cid", seats=2)
        alone = next(one for one in tournament.state.entrants if tournament.seat_of(one) == (2, 0))
        for name in {"ann", "bob", "cid"} - {alone.name}:
            hall.answers[name] = all_in
        hall.clients.pop(alone.name).break_off()
        hall.until(lambda: len(tournament.tables) == 1)
        assert hall.now < 40, "his seat is still reserved"
        seat = tournament.seat_of(alone)
        assert seat is not None
        table = tournament.tables[1].table
        assert table.seats[seat[1]].is_absent
        hall.come(alone.name)
        assert not table.seats[seat[1]].is_absent
        assert hall.told(alone.name, "match_start")[-1]["table"] == "tournament-1-1"

    async def test_house_bots_alone_play_to_the_end(self, tmp_path: Path) -> None:
        hall = Hall(tmp_path)
        hall.call_bots("call-1", "fair-1", "raise-1")
        hall.come("ann")
        tournament = hall.announce("ann", entrants=4, house_bots=3, bots=["call", "fair", "raise"], seats=2)
        hall.say("ann", "register", tournament=tournament.name)
        hall.until(lambda: tournament.status == "running")
        seat = tournament.seat_of(tournament.state.entrants[0])
        assert seat is not None
        hall.say("ann", "leave", table=tournament.table_name(seat[0]))
        hall.until(lambda: tournament.status == "over", check=checked(hall, tournament))
        assert tournament.game.place(1) > 0

    async def test_a_table_that_is_closed_ends_the_tournament(self, tmp_path: Path) -> None:
        hall, tournament = self.playing(tmp_path, "ann", "bob", "cid", "dan", seats=2)
        next(iter(tournament.tables.values())).stop("closed")
        assert tournament.status == "cancelled"
        assert not hall.house.open_tables


class TestRestarts:
    async def test_it_goes_on_in_another_process(self, tmp_path: Path) -> None:
        names = [*PEOPLE[:7]]
        first = Hall(tmp_path, kept=tmp_path / "kept")
        for name in names:
            first.come(name)
        tournament = first.announce(names[0], entrants=7, seats=4)
        for name in names:
            first.say(name, "register", tournament=tournament.name)
        first.until(lambda: any(one.hands > 2 for one in tournament.tables.values()))
        first.settle()
        stacks = dict(tournament.game.stacks)
        first.house.flusher.durable = True
        first.house.close()
        assert not first.house.open_tables
        kept = (tmp_path / "kept" / "tournament-1.json").read_bytes()
        for _ in range(100):
            first.step()
        assert (tmp_path / "kept" / "tournament-1.json").read_bytes() == kept, "nothing goes on here"

        second = Hall(tmp_path, kept=tmp_path / "kept", start=5000.0)
        [again] = second.desk.tournaments.values()
        assert again.game.stacks == stacks
        assert again.status == "running"
        for name in names:
            second.come(name)
        alive = {one.name for one in again.state.entrants if again.game.stacks[one.number]}
        for name in names:
            assert bool(second.told(name, "match_start")) == (name in alive)
        second.until(lambda: again.status == "over", check=checked(second, again))

    async def test_entries_are_kept(self, tmp_path: Path) -> None:
        first = Hall(tmp_path, kept=tmp_path / "kept")
        first.come("ann")
        tournament = first.announce("ann", minutes=30)
        first.say("ann", "register", tournament=tournament.name)
        first.desk.suspend()
        second = Hall(tmp_path, kept=tmp_path / "kept", start=60.0)
        [again] = second.desk.tournaments.values()
        assert [one.name for one in again.state.entrants] == ["ann"]
        second.come("ann")
        second.come("bob")
        second.say("bob", "register", tournament=again.name)
        second.until(lambda: again.status == "running")
        assert second.now == pytest.approx(1800)

    async def test_what_cannot_be_read_is_left_alone(self, tmp_path: Path) -> None:
        kept = tmp_path / "kept"
        kept.mkdir()
        (kept / "tournament-3.json").write_text("{")
        hall = Hall(tmp_path, kept=kept)
        assert not hall.desk.tournaments
        assert (kept / "tournament-3.json").read_text() == "{"
        # Its name is not given to another.
        hall.come("ann")
        assert hall.announce("ann").name == "tournament-4"
        assert (kept / "tournament-3.json").read_text() == "{"

    @pytest.mark.parametrize(
        "damage",
        [
            {"game": None},
            {"entrants": []},
            {"config": {4: "light"}},
            {"config": {2: 0}},
            {"status": "open", "config": {4: "light"}},
        ],
    )
    async def test_what_makes_no_sense_is_left_alone(self, tmp_path: Path, damage: dict[str, Any]) -> None:
        kept = tmp_path / "kept"
        first = Hall(tmp_path, kept=kept)
        for name in ("ann", "bob"):
            first.come(name)
        wishes = {"entrants": 3, "house_bots": 1, "bots": ["call"], "minutes": 1}
        tournament = first.announce("ann", **wishes)
        for name in ("ann", "bob"):
            first.say(name, "register", tournament=tournament.name)
        first.until(lambda: tournament.status == "running")
        first.desk.suspend()
        [path] = kept.iterdir()
        state = json.loads(path.read_bytes())
        for key, value in damage.items():
            if isinstance(value, dict):
                for index, one in value.items():
                    state[key][index] = one
            else:
                state[key] = value
        text = json.dumps(state)
        path.write_text(text)
        (kept / "tournament-1 (copy).json").write_text(text)
        second = Hall(tmp_path, kept=kept)
        assert not second.desk.tournaments
        assert not second.house.open_tables
        assert not second.lobby.house_bots.promised
        assert path.read_text() == text

    async def test_nothing_is_opened_that_cannot_be_kept(
        self, tmp_path: Path, no_error_logged: list[str]
    ) -> None:
        kept = tmp_path / "kept"
        hall = Hall(tmp_path, kept=kept)
        hall.come("ann")
        kept.rmdir()
        kept.write_text("")
        [error] = hall.say("ann", "announce", name="Sunday")
        assert error["code"] == "server_full"
        assert not hall.desk.tournaments
        assert "a tournament cannot be written" in no_error_logged.pop()
