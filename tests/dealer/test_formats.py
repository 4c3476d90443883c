from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from dealer.deck import Deal, parse_deal, secure_deals
from dealer.formats.carry_over import first_button
from dealer.formats.cash import MAX_STACK, Cash
from dealer.formats.fixed import Challenge, FixedStacks
from dealer.formats.format import Deals, Eliminated, LevelRaised, Refilled, Stakes
from dealer.formats.tournament import HANDS_PER_DOUBLING, HANDS_TO_DOUBLING, Level, Tournament, level_at
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.cards import card_text
from dealer.rules.events import HandEnded
from dealer.rules.games import Game, load_game
from dealer.rules.hand import HandState
from tests.dealer.records.played import random_action
from tests.support.deals import SEED, deals_for

HEADS_UP = Stakes(5, 10, stack=100)


class Chosen:
    """Deals that a test chose, by the hand's number; the rest from a seed."""

    def __init__(self, game: Game, texts: Mapping[int, str]) -> None:
        self.chosen = {number: parse_deal(text, game) for number, text in texts.items()}
        self.others = deals_for(game)

    def deal(self, hand: int) -> Deal:
        return self.chosen.get(hand) or self.others.deal(hand)

    def draw(self, hand: int, choices: int) -> int:
        return self.others.draw(hand, choices)


def call_down(hand: HandState) -> HandState:
    return play(hand, [])


def play(hand: HandState, actions: Sequence[Action]) -> HandState:
    for action in actions:
        hand.act(action)
    while not hand.over:
        hand.act(CALL)
    return hand


def all_in(hand: HandState) -> HandState:
    while not hand.over:
        most = hand.legal().max_raise
        hand.act(CALL if most is None else raise_to(most))
    return hand


def at_random(hand: HandState, source: random.Random) -> HandState:
    while not hand.over:
        hand.act(random_action(hand, source))
    return hand


class TestFixedStacks:
    def test_positions_rotate_and_stacks_do_not_carry_over(self) -> None:
        game = load_game("holdem.nolimit.3p")
        fixed = FixedStacks(game, deals_for(game), 7)
        source = random.Random(1)
        for number in range(7):
            assert not fixed.over
            hand = fixed.next_hand()
            assert hand is not None
            assert hand.number == number
            assert hand.seats == tuple((position + number) % 3 for position in range(3))
            assert hand.button == hand.seats[-1]
            assert hand.betting.stacks == game.stacks
            assert hand.hole == deals_for(game).deal(number).hole
            assert not fixed.finish_hand(at_random(hand, source))
        assert fixed.over
        assert fixed.next_hand() is None

    def test_uneven_stacks_belong_to_the_position(self) -> None:
        game = load_game("custom.nolimit.4p.uneven")
        fixed = FixedStacks(game, deals_for(game), 5)
        for _ in range(5):
            hand = fixed.next_hand()
            assert hand is not None
            assert hand.betting.stacks == (500, 1200, 3000, 800)
            fixed.finish_hand(call_down(hand))


class TestChallenge:
    def test_every_hand_is_as_if_it_were_the_first_and_waits_when_told_to(self) -> None:
        stakes = Stakes(5, 10, ante=1, limit=True, stack=200)
        challenge = Challenge(3, stakes, deals_for, 7)
        assert (challenge.mode, challenge.hands, challenge.title) == ("challenge", 7, stakes.title)
        source = random.Random(1)
        for number in range(1, 8):
            challenge.paused = True
            assert challenge.next_hand() is None
            challenge.paused = False
            assert not challenge.over
            hand = challenge.next_hand()
            assert hand is not None
            assert hand.number == number
            assert hand.game == challenge.game_and_deals(3, stakes)[0] == stakes.game(3)
            assert hand.betting.stacks == (200,) * 3
            assert [challenge.chips(seat) for seat in range(3)] == [200] * 3
            assert hand.seats == tuple((position + number - 1) % 3 for position in range(3))
            assert hand.button == hand.seats[-1]
            assert hand.hole == deals_for(hand.game).deal(number).hole
            assert not challenge.finish_hand(at_random(hand, source))
        assert challenge.over
        assert challenge.next_hand() is None


class TestButton:
    @pytest.mark.parametrize(
        ("cards", "button"),
        [("AcKd|AdKc|AhKh|2s3s", 7), ("AcKd|AdKc|3hKh|AsQs", 8), ("9c2d|8d2c|7hKh|8s4s", 1)],
    )
    def test_the_highest_first_card_has_it_and_suits_break_ties(self, cards: str, button: int) -> None:
        game = Stakes(5, 10).game(4)
        deals = Chosen(game, {0: cards + "/6d7d8h/9h/Th"})
        assert first_button(deals, (1, 4, 7, 8)) == button

    def test_it_moves_to_the_next_who_is_still_in(self) -> None:
        cash = Cash(5, HEADS_UP, deals_for)
        for seat in (0, 2, 4):
            cash.sit_in(seat)
        buttons = [one_hand(cash).button for _ in range(4)]
        order = [0, 2, 4, 0, 2, 4]
        start = order.index(buttons[0])
        assert buttons == [order[(start + number) % 3] for number in range(4)]

    @pytest.mark.parametrize("players", range(2, 11))
    def test_the_blinds_stand_left_of_it_and_heads_up_it_posts_the_small_one(self, players: int) -> None:
        cash = Cash(players, HEADS_UP, deals_for, all_seated=True)
        for _ in range(players + 1):
            hand = one_hand(cash)
            posted = dict(zip(hand.seats, hand.betting.blinds, strict=True))
            ring = [(hand.button + step) % players for step in range(1, players + 1)]
            small, big = (hand.button, ring[0]) if players == 2 else (ring[0], ring[1])
            assert posted.pop(small) == 5
            assert posted.pop(big) == 10
            assert not any(posted.values())
            assert hand.seats[-1] == hand.button


def one_hand(cash: Cash) -> HandState:
    hand = cash.next_hand()
    assert hand is not None
    cash.finish_hand(call_down(hand))
    return hand


class TestCash:
    def test_who_is_out_of_chips_gets_a_new_stack(self) -> None:
        game = HEADS_UP.game(3)
        deals = Chosen(game, {1: "AcAd|KcKd|7h2s/3s4s8d/9h/Jh"})
        cash = Cash(3, HEADS_UP, lambda _: deals, all_seated=True)
        hand = cash.next_hand()
        assert hand is not None
        events = cash.finish_hand(all_in(hand))
        winner, *losers = hand.seats
        assert sorted(events) == sorted(Refilled(seat, 100) for seat in losers)
        assert cash.stacks[winner] == 300
        assert [cash.stacks[seat] for seat in losers] == [100, 100]

    @pytest.mark.parametrize("stack", [200_000_000, 2**31 - 1])
    def test_who_has_too_many_chips_gets_a_new_stack_and_the_table_goes_on(self, stack: int) -> None:
        cash = Cash(10, HEADS_UP._replace(stack=stack), deals_for, all_seated=True)
        found = []
        for _ in range(20):
            hand = cash.next_hand()
            assert hand is not None
            out = hand.seats[0]
            events = cash.finish_hand(all_in(hand))
            won = dict(zip(hand.seats, hand.final_stacks, strict=True))
            found += [event for event in events if isinstance(event, Refilled) and won[event.seat]]
            assert all(0 < have <= max(MAX_STACK, stack) for have in cash.stacks)
            # Nobody brings such a stack back who sat out meanwhile.
            cash.sit_out(out)
            cash.sit_in(out)
        assert found
        assert {event.stack for event in found} == {stack}

    def test_stacks_carry_over_and_chips_are_conserved(self) -> None:
        cash = Cash(6, Stakes(5, 10, ante=1, stack=200), deals_for, hands=300, all_seated=True)
        source = random.Random(2)
        total = 6 * 200.0
        while (hand := cash.next_hand()) is not None:
            before = dict(enumerate(cash.stacks))
            assert [before[seat] for seat in hand.seats] == list(hand.betting.stacks)
            events = cash.finish_hand(at_random(hand, source))
            total += sum(event.stack for event in events if isinstance(event, Refilled))
            assert sum(cash.stacks) == total
            assert min(cash.stacks) > 0
        assert cash.hand == 300
        assert cash.over
        assert total > 6 * 200

    def test_hands_are_numbered_from_one(self) -> None:
        cash = Cash(2, HEADS_UP, deals_for, hands=3, all_seated=True)
        assert [one_hand(cash).number for _ in range(3)] == [1, 2, 3]
        assert cash.next_hand() is None

    def test_players_come_and_go_between_hands(self) -> None:
        cash = Cash(4, HEADS_UP, deals_for)
        assert cash.next_hand() is None
        cash.sit_in(3)
        assert cash.next_hand() is None
        assert not cash.over
        cash.sit_in(1)
        assert set(one_hand(cash).seats) == {1, 3}
        cash.sit_in(0)
        assert set(one_hand(cash).seats) == {0, 1, 3}
        cash.leave(3)
        assert set(one_hand(cash).seats) == {0, 1}
        cash.leave(0)
        assert cash.next_hand() is None
        assert not cash.over

    def test_a_hand_comes_again_with_its_cards_and_stacks_and_does_not_count(self) -> None:
        cash = Cash(3, HEADS_UP, deals_for, all_seated=True)
        one_hand(cash)
        first = cash.next_hand()
        assert first is not None
        begun = first.seats, first.betting.stacks
        cash.play_again(*begun)
        cash.finish_hand(call_down(first))
        after = list(cash.stacks)
        for actions in ([FOLD], [], [raise_to(20), FOLD]):
            again = cash.next_hand()
            assert again is not None
            assert (again.seats, tuple(again.betting.stacks)) == (begun[0], tuple(begun[1]))
            assert (again.number, again.button, again.hole) == (first.number, first.button, first.hole)
            assert call_down(play(again, actions)).board == first.board or actions
            assert cash.finish_hand(again) == []
            assert cash.stacks == after
            cash.play_again(*begun)
        # Somebody has gone: the next hand is another.
        cash.leave(first.seats[0])
        cash.sit_in(first.seats[0])
        cash.sit_out(first.seats[1])
        other = cash.next_hand()
        assert other is not None
        assert other.number == first.number + 1

    def test_a_hand_that_is_given_up_comes_again_with_its_first_actions(self) -> None:
        cash = Cash(3, HEADS_UP, deals_for, all_seated=True)
        one_hand(cash)
        before = list(cash.stacks)
        first = cash.next_hand()
        assert first is not None
        play(first, [raise_to(20), CALL, CALL])
        again: HandState | None = None
        for actions in ((), (raise_to(20),), (raise_to(20), CALL)):
            cash.play_again(first.seats, first.betting.stacks, actions)
            again = cash.next_hand()
            assert again is not None
            assert again.hole == first.hole
            assert again.events == first.events[: len(again.events)]
            assert sum(event.kind == "acted" for event in again.events) == len(actions)
        assert again is not None
        cash.finish_hand(call_down(again))
        assert cash.stacks == before

    def test_who_leaves_while_a_hand_is_played_again_takes_his_chips_along(self) -> None:
        cash = Cash(3, HEADS_UP, deals_for, all_seated=True)
        first = cash.next_hand()
        assert first is not None
        cash.finish_hand(call_down(first))
        cash.play_again(first.seats, first.betting.stacks)
        again = cash.next_hand()
        assert again is not None
        cash.leave(1)
        cash.finish_hand(call_down(again))
        assert cash.stacks[1] == 0
        cash.sit_in(1)
        assert cash.stacks[1] == 100

    def test_who_sits_down_during_a_hand_waits_for_the_next(self) -> None:
        cash = Cash(3, HEADS_UP, deals_for)
        cash.sit_in(0)
        cash.sit_in(1)
        hand = cash.next_hand()
        assert hand is not None
        cash.sit_in(2)
        assert set(hand.seats) == {0, 1}
        cash.finish_hand(call_down(hand))
        assert cash.stacks[2] == 100
        assert set(one_hand(cash).seats) == {0, 1, 2}

    def test_sitting_down_twice_gives_no_chips(self) -> None:
        cash = Cash(2, HEADS_UP, deals_for, all_seated=True)
        hand = cash.next_hand()
        assert hand is not None
        cash.finish_hand(play(hand, [raise_to(50), FOLD]))
        stacks = list(cash.stacks)
        assert 100 not in stacks
        for seat in range(2):
            cash.sit_in(seat)
        assert cash.stacks == stacks

    def test_who_leaves_takes_his_chips_along(self) -> None:
        cash = Cash(3, HEADS_UP, deals_for, all_seated=True)
        one_hand(cash)
        cash.leave(1)
        assert cash.stacks[1] == 0
        cash.sit_in(1)
        assert cash.stacks[1] == 100

    def test_who_leaves_during_a_hand_takes_what_is_left_of_it_along(self) -> None:
        cash = Cash(3, HEADS_UP, deals_for, all_seated=True)
        hand = cash.next_hand()
        assert hand is not None
        cash.leave(1)
        assert not cash.finish_hand(call_down(hand))
        assert cash.stacks[1] == 0
        cash.sit_in(1)
        assert cash.stacks[1] == 100

    def test_who_takes_the_place_of_a_leaver_during_a_hand_starts_with_a_full_stack(self) -> None:
        cash = Cash(3, HEADS_UP, deals_for, all_seated=True)
        hand = cash.next_hand()
        assert hand is not None
        cash.leave(1)
        cash.sit_in(1)
        cash.finish_hand(call_down(hand))
        assert cash.stacks[1] == 100
        assert set(one_hand(cash).seats) == {0, 1, 2}


LEVELS = (Level(5, 10, 0, 3), Level(10, 20, 2, 2), Level(50, 100, 10, 4))


class TestTournament:
    def test_levels_rise_when_their_hands_are_played_and_the_last_one_stays(self) -> None:
        tournament = Tournament(3, LEVELS, 10_000, deals_for)
        played = []
        for _ in range(14):
            hand = tournament.next_hand()
            assert hand is not None
            played.append((max(hand.betting.blinds), hand.betting.antes[0]))
            raised = [
                event for event in tournament.finish_hand(call_down(hand)) if isinstance(event, LevelRaised)
            ]
            levels = {3: LevelRaised(10, 20, 2), 5: LevelRaised(50, 100, 10)}
            assert raised == ([levels[hand.number]] if hand.number in levels else [])
        assert played == [(10, 0)] * 3 + [(20, 2)] * 2 + [(100, 10)] * 9

    @pytest.mark.parametrize("limit", [True, False], ids=["limit", "no-limit"])
    @pytest.mark.parametrize("players", [2, 3, 6, 10])
    def test_it_ends_when_one_holds_everything(self, players: int, limit: bool) -> None:
        for seed in range(5):
            source = random.Random(seed)
            tournament = Tournament(players, LEVELS, 300, deals_for, limit=limit)
            out: list[Eliminated] = []
            while (hand := tournament.next_hand()) is not None:
                assert set(hand.seats) == {seat for seat, stack in enumerate(tournament.stacks) if stack > 0}
                events = tournament.finish_hand(at_random(hand, source))
                busted = [event for event in events if isinstance(event, Eliminated)]
                assert (
                    not out
                    or not busted
                    or max(event.place for event in busted) < min(event.place for event in out)
                )
                out += busted
                assert sum(tournament.stacks) == players * 300
            assert tournament.over
            winner = tournament.stacks.index(players * 300)
            assert tournament.places[winner] == 1
            assert {event.seat: event.place for event in out} == {
                seat: place for seat, place in enumerate(tournament.places) if seat != winner
            }
            ranked = sorted(tournament.places)
            assert all(place == ranked.index(place) + 1 for place in ranked)

    def test_the_blinds_may_grow_beyond_the_starting_stack(self) -> None:
        levels = [Level(10, 20, 0, 1), Level(100, 200, 0, 1), Level(1000, 2000, 50, 1)]
        for players in (2, 4):
            tournament = Tournament(players, levels, 100, deals_for)
            while (hand := tournament.next_hand()) is not None:
                tournament.finish_hand(call_down(hand))
                assert sum(tournament.stacks) == players * 100
            assert max(tournament.stacks) == players * 100

    def busting(self, cards: str, stacks: list[float]) -> tuple[Tournament, HandState, list[object]]:
        """A hand of three in which everybody goes all-in, with the cards by position."""
        deals: Deals = Chosen(Stakes(5, 10, stack=100).game(3), {1: cards})
        tournament = Tournament(3, [Level(5, 10)], 100, lambda _: deals)
        order = [(first_button(deals, (0, 1, 2)) + step) % 3 for step in (1, 2, 3)]
        for position, seat in enumerate(order):
            tournament.stacks[seat] = stacks[position]
        hand = tournament.next_hand()
        assert hand is not None
        assert list(hand.seats) == order
        return tournament, hand, list(tournament.finish_hand(all_in(hand)))

    def test_who_began_the_hand_with_more_chips_comes_out_ahead(self) -> None:
        tournament, hand, events = self.busting("AcAd|KcKd|7h2s/3s4s8d/9h/Jh", [200, 60, 40])
        _, second, third = hand.seats
        assert events == [Eliminated(second, 2), Eliminated(third, 3)]
        assert [tournament.places[seat] for seat in hand.seats] == [1, 2, 3]
        assert tournament.over

    def test_equal_chips_share_the_place(self) -> None:
        tournament, hand, events = self.busting("AcAd|KcKd|7h2s/3s4s8d/9h/Jh", [100, 100, 100])
        _, second, third = hand.seats
        assert sorted(map(str, events)) == sorted(map(str, [Eliminated(second, 2), Eliminated(third, 2)]))
        assert [tournament.places[seat] for seat in hand.seats] == [1, 2, 2]

    def test_a_split_pot_keeps_both_in(self) -> None:
        tournament, hand, events = self.busting("AcKd|AdKc|7h2s/3s4s8d/9h/Jh", [100, 100, 100])
        assert events == [Eliminated(hand.seats[2], 3)]
        assert sorted(tournament.stacks) == [0, 150, 150]
        assert not tournament.over

    def test_nobody_is_refilled(self) -> None:
        tournament = Tournament(2, [Level(5, 10)], 100, deals_for)
        while (hand := tournament.next_hand()) is not None:
            tournament.finish_hand(all_in(hand))
        assert sorted(tournament.stacks) == [0, 200]
        assert tournament.next_hand() is None


class TestShortStacks:
    @pytest.mark.parametrize("stack", [1, 4, 5, 6, 9, 10, 11])
    def test_blinds_that_take_everything_play_the_hand_out(self, stack: int) -> None:
        """With hardly a decision left, the hand still ends and pays what was posted."""
        tournament = Tournament(3, [Level(5, 10, 2)], 100, deals_for)
        tournament.stacks = [stack, stack, 300 - 2 * stack]
        hand = tournament.next_hand()
        assert hand is not None
        tournament.finish_hand(call_down(hand))
        assert isinstance(hand.events[-1], HandEnded)
        assert sum(hand.values) == 0
        assert sum(tournament.stacks) == 300


def test_the_deals_depend_on_the_number_of_players_only_through_the_game() -> None:
    """A table that shrinks goes on with the hand's number; no deal comes twice."""
    tournament = Tournament(6, LEVELS, 100, deals_for)
    source = random.Random(5)
    seen = set()
    while (hand := tournament.next_hand()) is not None:
        holes = tuple(tuple(map(card_text, cards)) for cards in hand.hole)
        assert hand.hole == deals_for(hand.game).deal(hand.number).hole
        assert holes not in seen
        seen.add(holes)
        tournament.finish_hand(at_random(hand, source))


def test_players_who_never_contest_a_blind_come_to_an_end() -> None:
    """The last level stays for a while only; then its blinds double again and again."""
    cup = Tournament(2, [Level(5, 10, 0, 10)], 1000, lambda game: secure_deals(bytes(32), 0, game))
    hands = 0
    while (hand := cup.next_hand()) is not None:
        while not hand.over:
            hand.act(FOLD if hand.legal().fold else CALL)
        cup.finish_hand(hand)
        hands += 1
        assert sum(cup.stacks) == 2000
    assert cup.over
    assert sorted(cup.places) == [1, 2]
    assert HANDS_TO_DOUBLING < hands < HANDS_TO_DOUBLING + 20 * HANDS_PER_DOUBLING


@pytest.mark.parametrize(
    ("hand", "blinds"),
    [
        (1, (5, 10)),
        (10, (5, 10)),
        (11, (20, 40)),
        (13, (20, 40)),
        (1013, (20, 40)),
        (1014, (40, 80)),
        (1114, (80, 160)),
    ],
)
def test_the_level_of_a_hand(hand: int, blinds: tuple[int, int]) -> None:
    level = level_at([Level(5, 10, 0, 10), Level(20, 40, 0, 3)], hand)
    assert (level.small_blind, level.big_blind) == blinds


class TestSittingOut:
    def table(self, seats: int = 4) -> Cash:
        return Cash(seats, Stakes(5, 10, stack=1000), deals_for, all_seated=True)

    def next_seats(self, cash: Cash) -> set[int]:
        hand = cash.next_hand()
        assert hand is not None
        cash.finish_hand(call_down(hand))
        return set(hand.seats)

    def test_who_sits_out_keeps_his_chips_and_is_not_dealt_in(self) -> None:
        cash = self.table()
        assert self.next_seats(cash) == {0, 1, 2, 3}
        chips = cash.chips(2)
        cash.sit_out(2)
        assert not cash.is_sitting_in(2)
        assert self.next_seats(cash) == {0, 1, 3}
        assert cash.chips(2) == chips
        cash.sit_in(2)
        assert cash.is_sitting_in(2)
        assert self.next_seats(cash) == {0, 1, 2, 3}

    @pytest.mark.parametrize("seats", [2, 3, 6])
    def test_until_the_big_blind_would_come(self, seats: int) -> None:
        cash = self.table(seats)
        order = cash._next_order()
        after = order[2 % seats] if seats > 2 else order[1]
        for seat in order:
            cash = self.table(seats)
            cash.sit_out(seat, at_blind=True)
            assert not cash.is_sitting_in(seat)
            hands = 0
            while (hand := cash.next_hand()) is not None and seat in hand.seats:
                assert hand.seats[1 if len(hand.seats) > 2 else 0] != seat
                cash.finish_hand(call_down(hand))
                hands += 1
            assert hands < seats
            assert (hands == 1) == (seat == after)

    def test_two_who_wait_for_the_same_blind_both_go(self) -> None:
        cash = self.table(4)
        for seat in range(3):
            cash.sit_out(seat, at_blind=True)
        while (hand := cash.next_hand()) is not None:
            cash.finish_hand(call_down(hand))
        assert len(cash._dealt_in()) == 1

    def test_a_tournament_waits_too(self) -> None:
        play = Tournament(3, [Level(5, 10)], 100, deals_for)
        play.paused = True
        assert play.next_hand() is None
        assert not play.over
        play.paused = False
        assert play.next_hand() is not None


def test_what_is_played_for_in_words() -> None:
    assert Stakes(5, 10).title == "no-limit hold'em 5/10"
    assert Stakes(1, 2, 1, limit=True).title == "limit hold'em 1/2, ante 1"
    play = Tournament(2, [Level(5, 10, 0, 1), Level(10, 20, 2, 9)], 1000, deals_for)
    assert play.title == "no-limit hold'em 5/10"
    hand = play.next_hand()
    assert hand is not None
    [raised] = play.finish_hand(call_down(hand))
    assert play.title == "no-limit hold'em 10/20, ante 2"
    assert isinstance(raised, LevelRaised)
    assert play.stakes_of(raised) == play.stakes
    assert play.game_and_deals(2, play.stakes)[0].blinds == (20, 10)


def test_what_a_seat_has() -> None:
    game = load_game("custom.nolimit.4p.uneven")
    play = FixedStacks(game, deals_for(game), 8)
    while (hand := play.next_hand()) is not None:
        chips = [play.chips(seat) for seat in hand.seats]
        assert chips == list(hand.betting.stacks)
        play.finish_hand(call_down(hand))
    assert play.title == game.name


class TestDepth:
    """Cash tables at which everybody begins every hand with a number of big blinds drawn for it."""

    STAKES = Stakes(50, 100, rules="pushfold", depth=(1, 10))

    def stacks(self, stakes: Stakes, seats: int, hands: int, match: int = 0) -> list[tuple[int, ...]]:
        cash = Cash(seats, stakes, lambda game: secure_deals(SEED, match, game), hands=hands, all_seated=True)
        found = []
        while (hand := cash.next_hand()) is not None:
            found.append(tuple(map(int, hand.betting.stacks)))
            cash.finish_hand(all_in(hand))
        assert cash.over
        return found

    def test_everybody_has_the_same_and_it_is_drawn_anew(self) -> None:
        found = self.stacks(self.STAKES, 3, 2000)
        assert all(len(set(hand)) == 1 for hand in found)
        depths = [hand[0] // 100 for hand in found]
        counts = [depths.count(depth) for depth in range(1, 11)]
        assert sum(counts) == 2000
        # Chi-squared with 9 degrees of freedom: above 27.9 once in a thousand.
        assert sum((count - 200) ** 2 / 200 for count in counts) < 27.9

    def test_the_draws_are_those_of_the_match_and_hand(self) -> None:
        assert self.stacks(self.STAKES, 2, 50) == self.stacks(self.STAKES, 2, 50)
        assert self.stacks(self.STAKES, 2, 50) != self.stacks(self.STAKES, 2, 50, match=1)
        assert [hand[0] for hand in self.stacks(self.STAKES, 2, 50)] == [
            hand[0] for hand in self.stacks(self.STAKES, 3, 50)
        ]

    def test_a_fixed_depth(self) -> None:
        assert set(self.stacks(self.STAKES._replace(depth=(7, 7)), 2, 20)) == {(700, 700)}

    def test_nobody_is_given_a_new_stack_in_between(self) -> None:
        cash = Cash(2, self.STAKES, deals_for, all_seated=True)
        for _ in range(20):
            hand = cash.next_hand()
            assert hand is not None
            assert cash.chips(0) == cash.chips(1) == hand.betting.stacks[0]
            assert cash.finish_hand(all_in(hand)) == []

    def test_players_come_and_go(self) -> None:
        cash = Cash(3, self.STAKES, deals_for)
        cash.sit_in(0)
        cash.sit_in(1)
        first = cash.next_hand()
        assert first is not None
        cash.sit_in(2)
        cash.leave(0)
        cash.finish_hand(all_in(first))
        second = cash.next_hand()
        assert second is not None
        assert sorted(second.seats) == [1, 2]
        assert len(set(second.betting.stacks)) == 1

    def test_what_it_is_called(self) -> None:
        assert self.STAKES.title == "push/fold hold'em 50/100, 1-10 big blinds"
        assert self.STAKES._replace(depth=(7, 7), rules="bb").title == "no-limit hold'em 50/100, 7 big blinds"
        game = self.STAKES.game(2)
        assert (game.name, game.stacks, game.rules) == ("holdem.pushfold.2p", (1000, 1000), "pushfold")


def test_a_tournament_of_all_in_or_fold_comes_to_an_end() -> None:
    tournament = Tournament(4, [Level(5, 10, 0, 5), Level(10, 20, 2, 5)], 100, deals_for, rules="pushfold")
    while (hand := tournament.next_hand()) is not None:
        assert hand.game.rules == "pushfold"
        tournament.finish_hand(all_in(hand))
    assert tournament.places.count(1) == 1
    assert tournament.hand > 0
