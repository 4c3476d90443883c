"""The arena plays what the server plays: same cards, same seeds, same situations, hand for hand."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from hashlib import sha256

import pytest

from dealer.formats.format import Stakes
from dealer.formats.tournament import Level
from dealer.intervals import mean_interval
from dealer.match import Division
from dealer.rules.actions import Action, raise_to
from dealer.rules.events import BoardDealt, Event, HandEnded, HandStarted, Shown
from dealer.rules.games import Game, holdem, load_game
from dealer.table import TurnRefused
from strategy.situation import Situation
from studies.harness.arena import CashTable, Contest, ContestEntry, FixedTable, TournamentTable, deal_totals
from studies.harness.session import play_session

SEED = sha256(b"arena").digest()


def calls(*bots: str, hands: int = 20, matches: int = 2) -> Contest:
    players = len(bots)
    return Contest(
        Division("d", bots, players, matches, hands, "rotations"),
        FixedTable(holdem(players, 5, 10, stack=200)),
        {name: ContestEntry(name.rstrip("0123456789")) for name in bots},
        SEED,
    )


def test_a_contest_can_be_sent_to_another_process() -> None:
    contest = calls("call", "random")
    there = pickle.loads(pickle.dumps(contest))
    assert list(map(contest.play, contest.sessions)) == list(map(there.play, there.sessions))


def test_a_match_is_a_part_of_the_plan() -> None:
    contest = calls("call1", "call2", "random", matches=3)
    assert sum((contest.match(number) for number in range(3)), ()) == contest.sessions


def test_the_totals_of_a_group_are_what_the_scores_say_of_it() -> None:
    contest = calls("call1", "call2", "random")
    results = [contest.play(session) for session in contest.sessions]
    scores = contest.scores(results)
    for name in contest.division.bots:
        totals = deal_totals(contest, results, [name])
        assert len(totals) == 40
        rate = scores.rate(name)
        assert rate is not None
        interval = mean_interval(totals).scaled(1000 / 10 / 3)
        assert interval.mean == pytest.approx(rate.mean)
        assert interval.half == pytest.approx(rate.half)
    assert deal_totals(contest, results, contest.division.bots) == [0] * 40
    assert deal_totals(contest, results[:-1], ["random"]) == deal_totals(contest, results, ["random"])[:20]


class Listener:
    """Calls, and keeps what it was told and asked."""

    def __init__(self) -> None:
        self.told: list[Event] = []
        self.asked: list[Situation] = []

    def decide(self, situation: Situation) -> Action:
        self.asked.append(situation)
        return Action("raise", situation.legal.max_raise) if situation.legal.max_raise else Action("call")

    def observe(self, event: Event) -> None:
        self.told.append(event)


def played_by(*listeners: Listener, game: Game) -> None:
    table = CashTable(len(listeners), Stakes(5, 10, stack=100))
    contest = Contest(
        Division("d", ("a", "b", "c"), 3, 1, 6, "rotations"),
        table,
        {name: ContestEntry("call") for name in "abc"},
        SEED,
    )
    assert table.game.players == game.players
    play_session(contest.format(contest.sessions[0]), listeners)


def test_nobody_is_told_another_s_cards() -> None:
    listeners = [Listener(), Listener(), Listener()]
    played_by(*listeners, game=holdem(3, 5, 10))
    for seat, listener in enumerate(listeners):
        for event in listener.told:
            if isinstance(event, HandStarted):
                for other, hole in zip(event.seats, event.hole, strict=True):
                    assert len(hole) == (2 if other == seat else 0)
        assert all(len(situation.hole) == 2 and situation.seat == seat for situation in listener.asked)


def test_shown_hands_are_told_when_the_hand_is_over() -> None:
    listeners = [Listener(), Listener(), Listener()]
    played_by(*listeners, game=holdem(3, 5, 10))
    for hand in _hands(listeners[0].told):
        kinds = [type(event) for event in hand]
        assert kinds[0] is HandStarted
        assert kinds[-1] is HandEnded
        assert Shown in kinds  # all are all-in before the flop
        assert kinds.index(Shown) == len(kinds) - 2 > kinds.index(BoardDealt)


def _hands(events: list[Event]) -> Iterator[list[Event]]:
    starts = [number for number, event in enumerate(events) if isinstance(event, HandStarted)]
    for start, end in zip(starts, [*starts[1:], len(events)], strict=True):
        yield events[start:end]


class Cheat:
    def decide(self, situation: Situation) -> Action:
        return raise_to(1)


def test_an_illegal_action_ends_the_session() -> None:
    contest = calls("call1", "call2")
    with pytest.raises(TurnRefused) as refusal:
        play_session(contest.format(contest.sessions[0]), [Cheat(), Listener()])
    assert refusal.value.code == "illegal_action"


def test_a_tournament_has_places_and_one_row() -> None:
    contest = Contest(
        Division("cup", ("a", "b", "c"), 3, 2, 1, "rotations"),
        TournamentTable(3, (Level(5, 10, 0, 5), Level(50, 100))),
        {name: ContestEntry("random") for name in "abc"},
        SEED,
    )
    for session in contest.sessions:
        result = contest.play(session)
        assert len(result.nets) == 1
        assert result.nets[0][result.places.index(1)] == 2000


def test_limit_games_of_the_acpc_can_be_played() -> None:
    contest = Contest(
        Division("d", ("call", "raise"), 2, 1, 30),
        FixedTable(load_game("holdem.limit.2p.reverse_blinds")),
        {"call": ContestEntry("call"), "raise": ContestEntry("raise")},
        1,
    )
    scores = contest.scores(map(contest.play, contest.sessions))
    assert scores.complete
