"""The betting of one hand: chips, turns and what is legal. No cards.

Positions, not seats: position 0 is the first left of the button (heads-up with reversed blinds: the big
blind). There are four rule sets, chosen by ``game.rules``:

``acpc``
    The ACPC reference dealer 1.0.42, its peculiarities included: the smallest no-limit raise only ever grows
    within a street, a short all-in reopens the betting, and a limit raise by a player whose stack is below
    the bet *lowers* the bet.
``standard``
    Robert's Rules of Poker 11: a raise is at least as large as the last full bet or raise, the big blind
    being the first, or the straddle; who has acted may raise again only when he faces at least that much
    more; the full big blind is to be called even when its poster had less, as long as two players have chips
    left. A player is asked only when he faces a bet or somebody could answer his. Limit games go by the same
    rules, with the size of a full bet fixed.
``bb``
    As ``standard``, but a full no-limit raise is one big blind, whatever was raised before (Aceituno 2017,
    3.1.4).
``pushfold``
    As ``standard``, but who raises is all-in, and so is who comes in where nobody has raised: his call costs
    all he has, and counts as the raise that it is (Funke 2015: heads-up the small blind is all-in or folds,
    the big blind calls or folds).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NoReturn

from dealer.rules.actions import Action, raise_to
from dealer.rules.errors import ActionError, GameError, IllegalAction
from dealer.rules.games import ACTIONS_PER_STREET, DEFAULT_STACK, Game
from dealer.rules.legal import Legal

# A hand makes many of these, in half the time that its own constructor takes.
_new = tuple.__new__

_GONE = -1
"""In ``_next``: this player has folded or is all-in."""


class Betting:
    """Public chip state of one hand, changed only by ``act``.

    Read freely, never write:

    * per position: ``stacks`` (before the hand), ``antes`` and ``blinds`` (really posted, a straddle among
      them), ``spent`` (paid in
      this hand, all included), ``folded``;
    * ``street`` counted from 0 (the last one after a showdown), ``to_act`` the position to act (-1 when the
      betting is over), ``live`` how many have not folded, ``aggressor`` who raised last on this street or -1;
    * ``bet``: what ``spent`` must be to have called; ``street_start``: what it was when the street began;
    * ``history``: every action as (street, position, action); ``pushfold``: whether by the rules of that
      name, so that a call may stand there as a raise.

    Raises GameError ``bad_stacks`` when ``stacks`` is not one positive number of chips per position.
    """

    # Players who can still act form a ring (_next, _prev), so that finding the next is one look-up. _active
    # of them are in the ring, _pending of them have yet to answer the last bet of the street. _first is the
    # history's length at the start of the street, _raises the number of raises since. _full is the size of
    # the last full bet or raise, _min_to the smallest next raise as a total of the hand; _short says that
    # somebody raised by less than _full on this street.
    __slots__ = (
        "_acpc", "_active", "_first", "_full", "_min_to", "_next", "_pending", "_prev", "_raises", "_short",
        "aggressor", "antes", "bet", "blinds", "folded", "game", "history", "live", "pushfold", "spent",
        "stacks", "street", "street_start", "to_act",
    )  # fmt: skip

    def __init__(
        self, game: Game, stacks: Sequence[int] | None = None, *, like: Betting | None = None
    ) -> None:
        if like is not None:
            self._copy_from(like)
        elif stacks is None:
            self._copy_from(_opening(game))
        else:
            self._open(game, _checked_stacks(game, stacks))

    def _open(self, game: Game, stacks: tuple[int, ...]) -> None:
        players = game.players
        self.game = game
        self.stacks = stacks
        self.antes = tuple(min(game.ante, stack) for stack in stacks)
        self.blinds = tuple(map(min, game.posts, map(int.__sub__, stacks, self.antes)))
        self.spent = list(map(int.__add__, self.antes, self.blinds))
        self.folded = [False] * players
        self.live = players
        self.history: list[tuple[int, int, Action]] = []
        self.street = self._raises = self._first = 0
        self.street_start = game.ante
        self.bet = max(self.spent)
        self.aggressor = -1
        self._acpc = game.rules == "acpc"
        self.pushfold = game.rules == "pushfold"
        self._full = game.raise_sizes[0] if game.limit else max(game.min_bet, game.straddle)
        self._short = False
        self._next = [*range(1, players), 0]
        self._prev = [players - 1, *range(players - 1)]
        self._active = players
        for position, stack in enumerate(stacks):
            if self.spent[position] == stack:
                self._deactivate(position)
        self._pending = self._active
        if self._active > 1:
            self.bet = max(self.bet, game.ante + max(game.posts))
        self._min_to = self.bet + self._full
        if self._active:
            self.to_act = self._first_from(game.first_player[0])
            if self._active == 1:
                self._close_if_alone()
        else:
            self._close_betting()

    def copy(self) -> Betting:
        """An independent copy, for looking ahead."""
        return Betting(self.game, like=self)

    def _copy_from(self, other: Betting) -> None:
        self.game = other.game
        self.stacks = other.stacks
        self.antes = other.antes
        self.blinds = other.blinds
        self.spent = other.spent[:]
        self.folded = other.folded[:]
        self.live = other.live
        self.history = other.history[:]
        self.aggressor = other.aggressor
        self.street = other.street
        self.street_start = other.street_start
        self.bet = other.bet
        self.to_act = other.to_act
        self._acpc = other._acpc
        self.pushfold = other.pushfold
        self._full = other._full
        self._short = other._short
        self._next = other._next[:]
        self._prev = other._prev[:]
        self._active = other._active
        self._pending = other._pending
        self._raises = other._raises
        self._first = other._first
        self._min_to = other._min_to

    # What can be read

    @property
    def over(self) -> bool:
        """Whether the betting of this hand is over."""
        return self.to_act < 0

    @property
    def pot(self) -> int:
        """All chips paid in this hand, those in front of the players included."""
        return sum(self.spent)

    @property
    def to_call(self) -> int:
        """Chips the player to act must add to call, at most his stack; 0 when he can check."""
        position = self.to_act
        if position < 0:
            return 0
        if self.pushfold and self._must_push(position):
            return self.stacks[position] - self.spent[position]
        return max(0, min(self.bet, self.stacks[position]) - self.spent[position])

    def street_bet(self, position: int) -> int:
        """Chips in front of a position: what it has paid on this street, blinds included and antes not."""
        return max(0, self.spent[position] - self.street_start)

    def legal(self) -> Legal:
        """What the player to act may do; a free call and nothing else when the betting is over."""
        position = self.to_act
        if position < 0:
            return Legal(False, 0, None, None)
        bet = self.bet
        stack = self.stacks[position]
        spent = self.spent[position]
        # Below 0 only after a lowered bet, see the module.
        call = max(0, (bet if bet < stack else stack) - spent)
        low, high = self._raise_range(position)
        if high:
            start = self.street_start
            if self.pushfold and self._must_push(position):
                call = stack - spent
            return _new(Legal, (spent < bet, call, low - start, high - start))
        return _new(Legal, (spent < bet, call, None, None))

    def key(self) -> tuple[object, ...]:
        """Everything the rest of the hand's betting depends on: equal keys, equal futures."""
        acted = {actor for _, actor, _ in self.history[self._first :]} if self._short else ()
        actions = len(self.history) - self._first if self._acpc else 0
        return (
            self.street,
            self.to_act,
            self.bet,
            self.street_start,
            self._full,
            self._min_to,
            self._short,
            self._raises,
            self._pending,
            # The acpc rules allow no raise late in a street of very many actions.
            actions if actions + 2 * self.game.players > ACTIONS_PER_STREET else 0,
            *sorted(acted),
            *self.spent,
            *self.folded,
        )

    # What can be done

    def can(self, action: Action) -> bool:
        """Return whether an action is legal now. Raises ActionError when it is no action."""
        try:
            self.copy().act(action)
        except IllegalAction:
            return False
        return True

    def act(self, action: Action) -> int:
        """Do what the player to act says, and return the chips he pays.

        A lowered bet of the ``acpc`` rules, when called, gives chips back: the number is negative then.
        A call that costs all he has under the ``pushfold`` rules stands in ``history`` as a raise.
        Raises IllegalAction when it is not legal now, ActionError when it is no action; changes nothing then.
        """
        position = self.to_act
        if position < 0:
            self._refuse("hand_over", "the betting is over")
        # As an Action its words would have to have their types already, or compiled code raised TypeError.
        words: Sequence[object] = action
        kind = words[0]
        if kind == "call":
            bet = self.bet
            if bet >= self.stacks[position]:
                return self._call_all_in(position, action)
            if self.pushfold and self._must_push(position):
                return self._raise(position, raise_to(self.stacks[position] - self.street_start))
            spent = self.spent
            paid = bet - spent[position]
            spent[position] = bet
            self.history.append((self.street, position, action))
            if self._pending > 1:
                self._pending -= 1
                self.to_act = self._next[position]
            else:
                self._close_street()
            return paid
        if kind == "raise":
            return self._raise(position, action)
        if kind == "fold":
            return self._fold(position, action)
        raise ActionError("unknown_action", "an action is a fold, a call or a raise")

    def _call_all_in(self, position: int, action: Action) -> int:
        stack = self.stacks[position]
        paid = stack - self.spent[position]
        self.spent[position] = stack
        self.history.append((self.street, position, action))
        self._end_action(position)
        return paid

    def _fold(self, position: int, action: Action) -> int:
        if self.spent[position] >= self.bet:
            self._refuse("nothing_to_call", "there is no bet to fold to")
        self.folded[position] = True
        self.history.append((self.street, position, action))
        self.live -= 1
        if self.live == 1:
            self.to_act = -1
        else:
            self._end_action(position)
        return 0

    def _raise(self, position: int, action: Action) -> int:
        words: Sequence[object] = action
        total = self._raise_total(position, words[1])
        paid = total - self.spent[position]
        self.spent[position] = total
        self.history.append((self.street, position, action))
        self._raises += 1
        size = total - self.bet
        if self._acpc:
            self._min_to = max(self._min_to, total + size)
        else:
            if size < self._full:
                self._short = True
            elif self.game.rules == "standard":
                self._full = size
            self._min_to = total + self._full
        self.bet = total
        self.aggressor = position
        self.to_act = self._next[position]
        self._pending = self._active - 1
        if total == self.stacks[position]:
            self._deactivate(position)
        return paid

    def _raise_total(self, position: int, to: object) -> int:
        """A raise to ``to`` on this street as a total of the hand, if it is legal."""
        low, high = self._raise_range(position)
        if not high:
            self._refuse("raise_not_allowed", "no raise is allowed")
        if not isinstance(to, int) or isinstance(to, bool):
            raise ActionError("bad_amount", "a raise is to a whole number of chips")
        start = self.street_start
        total = start + to
        if self.game.limit:
            if to and total != low:
                self._refuse("raise_size_fixed", f"the raise is to {low - start}")
            return low
        if total < low:
            self._refuse("raise_too_small", f"the smallest raise is to {low - start}")
        if total > high:
            self._refuse("raise_too_large", f"the largest raise is to {high - start}")
        return total

    def _refuse(self, code: str, message: str) -> NoReturn:
        raise IllegalAction(code, message, self.legal())

    # What follows

    def _raise_range(self, position: int) -> tuple[int, int]:
        """Smallest and largest raise as totals of the hand; (0, 0) when no raise is allowed."""
        game = self.game
        if self._raises >= game.max_raises[self.street]:
            return 0, 0
        stack = self.stacks[position]
        bet = self.bet
        if self._acpc:
            # ACPC reference dealer 1.0.42: two must be able to act, and a street has room for 64 actions.
            if self._active < 2 or len(self.history) - self._first + game.players > ACTIONS_PER_STREET:
                return 0, 0
            if game.limit:
                total = min(bet + game.raise_sizes[self.street], stack)
                return total, total
            if self._min_to <= stack:
                return self._min_to, stack
            return (stack, stack) if bet < stack else (0, 0)
        if stack <= bet or not self._has_opponent_behind(position) or not self._may_reraise(position):
            return 0, 0
        low = self._min_to
        if low >= stack or self.pushfold:
            return stack, stack
        return low, low if game.limit else stack

    def _must_push(self, position: int) -> bool:
        """Whether the ``pushfold`` rules make a call all-in: nobody has raised, there is something to call
        and the player could raise.
        """
        return not self._raises and self.spent[position] < self.bet and self._raise_range(position)[1] > 0

    def _has_opponent_behind(self, position: int) -> bool:
        """Whether somebody else in the hand has more chips than the bet, so that a raise means something."""
        stacks = self.stacks
        bet = self.bet
        if self._active > 1 and stacks[self._next[position]] > bet:
            return True
        return any(
            stack > bet and not folded and other != position
            for other, (stack, folded) in enumerate(zip(stacks, self.folded, strict=True))
        )

    def _may_reraise(self, position: int) -> bool:
        """Whether all-ins of less than a full raise leave this player his right to raise.

        Robert's Rules of Poker 11, no-limit 3 and 5: who has acted on this street may raise only when what he
        faces adds up to a full raise.
        """
        if not self._short or self.bet - self.spent[position] >= self._full:
            return True
        return all(actor != position for _, actor, _ in self.history[self._first :])

    def _deactivate(self, position: int) -> None:
        """Take a player who folded or is all-in out of the ring of those who can act."""
        after, before = self._next[position], self._prev[position]
        self._next[before] = after
        self._prev[after] = before
        self._next[position] = _GONE
        self._active -= 1

    def _end_action(self, position: int) -> None:
        """The player to act folded or called all-in: he acts no more."""
        self.to_act = self._next[position]
        self._deactivate(position)
        self._pending -= 1
        if not self._pending:
            self._close_street()
        elif self._active == 1:
            self._close_if_alone()

    def _close_if_alone(self) -> None:
        """One player alone can still act. The standard rules ask him only when he faces a bet."""
        if self._acpc:
            return
        # A big blind that its poster could not pay in full binds nobody when there is nobody to play for the
        # rest of it.
        self.bet = max(self.spent)
        if self.spent[self.to_act] >= self.bet:
            self._close_betting()

    def _close_street(self) -> None:
        street = self.street + 1
        game = self.game
        if self._active < 2 or street == game.rounds:
            self._close_betting()
            return
        bet = self.bet
        self.street = street
        self.street_start = bet
        self.aggressor = -1
        self._first = len(self.history)
        self._pending = self._active
        self._raises = 0
        self._short = False
        self._full = full = game.raise_sizes[street] if game.limit else game.min_bet
        self._min_to = bet + full
        first = game.first_player[street]
        self.to_act = first if self._next[first] >= 0 else self._first_from(first)

    def _close_betting(self) -> None:
        self.street = self.game.rounds - 1
        self.to_act = -1

    def _first_from(self, position: int) -> int:
        """The first who can act, clockwise from a position on."""
        while self._next[position] < 0:
            position = (position + 1) % self.game.players
        return position


def _checked_stacks(game: Game, stacks: Sequence[int]) -> tuple[int, ...]:
    given = tuple(stacks)
    if len(given) != game.players or not all(type(s) is int and 0 < s <= DEFAULT_STACK for s in given):
        message = f"game {game.name!r} needs {game.players} stacks of 1 to {DEFAULT_STACK} chips"
        raise GameError("bad_stacks", message)
    return given


@lru_cache(maxsize=64)
def _opening(game: Game) -> Betting:
    """The start of every hand with the game's own stacks, to be copied."""
    return Betting(game, game.stacks)
