"""What a player knows at a decision, as a value with a text form.

A situation contains nothing that the player may not know, and everything that a strategy without memory
needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from dealer.rules.actions import parse_action
from dealer.rules.betting import Betting
from dealer.rules.cards import cards_text, parse_cards
from dealer.rules.errors import RulesError
from dealer.rules.events import Chips
from dealer.rules.games import Game, load_game, parse_game
from dealer.rules.legal import Legal
from strategy.errors import StrategyError


class SituationError(StrategyError):
    """A text that is not a situation; the message says why."""

    code = "bad_situation"


class PastAction(NamedTuple):
    """An action of the hand: ``to`` is the seat's total bet on that street after it (0 for a fold)."""

    street: int
    seat: int
    kind: str
    to: int


class Situation(NamedTuple):
    """A decision to be made by ``seat``.

    Tuples over all players (``seats``, ``stacks``, ``paid``, ``bets``, ``folded``) are in position order:
    position 0 is the first left of the button. All amounts are chips.
    """

    game: Game
    seat: int
    hand: int
    button: int  # a seat
    seats: tuple[int, ...]  # the seat in each position
    hole: tuple[int, ...]
    board: tuple[int, ...]
    street: int
    legal: Legal
    stacks: tuple[Chips, ...]  # still behind; half a chip may be left of a pot that was shared
    paid: tuple[int, ...]  # put into the pot during the hand, antes and blinds included
    bets: tuple[int, ...]  # put in on this street
    folded: tuple[bool, ...]
    history: tuple[PastAction, ...]

    @property
    def position(self) -> int:
        """Return the player's own position: an index into the tuples."""
        return self.seats.index(self.seat)

    @property
    def players(self) -> int:
        """Return the number of players who were dealt in."""
        return len(self.seats)

    @property
    def opponents(self) -> int:
        """Return the number of others who have not folded, including those who are all-in."""
        return self.folded.count(False) - 1

    @property
    def pot(self) -> int:
        """Return all chips in the middle, the bets of this street included."""
        return sum(self.paid)

    @property
    def whole_stacks(self) -> tuple[int, ...]:
        """Return the chips at the start of the hand, without half a chip, which nobody can bet."""
        return tuple([int(stack + paid) for stack, paid in zip(self.stacks, self.paid, strict=True)])

    @property
    def to_call(self) -> int:
        """Return the price of a call: 0 for a check, at most the player's own stack."""
        return self.legal.call

    @property
    def pot_in_reach(self) -> int:
        """Return the part of the pot that this player can win by calling: from each opponent at most the
        player's own total.
        """
        own = self.paid[self.position] + self.legal.call
        return sum(min(paid, own) for paid in self.paid)

    @property
    def raises(self) -> int:
        """Return the number of raises on this street; blinds do not count."""
        return sum(step.kind == "raise" and step.street == self.street for step in self.history)

    @property
    def big_blind(self) -> int:
        """Return the largest blind of the game."""
        return max(self.game.blinds)

    def text(self) -> str:
        """Return one line of ``key=value`` fields for ``parse_situation``.

        ``stacks`` are those at the start of the hand. ``actions`` separates streets by ``/`` and has raises
        as totals of their street. The game's definition is at the end, unless it equals a file in ``games``.
        """
        start = [stack + paid for stack, paid in zip(self.stacks, self.paid, strict=True)]
        streets = [""] * (self.street + 1)
        for step in self.history:
            streets[step.street] += f"r{step.to}" if step.kind == "raise" else step.kind[0]
        return (
            f"hand={self.hand} seat={self.seat} seats={_joined(self.seats)} button={self.button} "
            f"stacks={_joined(start)} hole={cards_text(self.hole)} board={cards_text(self.board)} "
            f"actions={'/'.join(streets)} game={_game_text(self.game)}"
        )


class ObservedSituation(Situation):
    """A situation that came about at a table that an ``Observer`` follows: nobody needs to check it."""

    __slots__ = ()

    def _replace(self, **changes: Any) -> Situation:  # type: ignore[override]
        """Return a situation with other fields, which is not observed."""
        return Situation(*super()._replace(**changes))


_NUMBERS = r"\d{1,10}(?:,\d{1,10})*"
_LINE = re.compile(
    rf"hand=(?P<hand>\d{{1,16}}) seat=(?P<seat>\d{{1,3}}) seats=(?P<seats>{_NUMBERS}) "
    rf"button=(?P<button>\d{{1,3}}) stacks=(?P<stacks>{_NUMBERS}) hole=(?P<hole>\w+) board=(?P<board>\w*) "
    r"actions=(?P<actions>[fcr0-9/]*) game=(?P<name>.*?)(?P<definition> GAMEDEF;.*)?",
    re.ASCII,
)
_ACTION = re.compile(r"[fc]|r[0-9]*", re.ASCII)


def parse_situation(text: str) -> Situation:
    """Parse the text of ``Situation.text``.

    The actions are replayed by the rules, which gives everything else: pot, stacks, legal actions. Raises
    SituationError if the line cannot be read, names an unknown game, or is impossible.
    """
    match = _LINE.fullmatch(text)
    if match is None:
        raise SituationError(f"not a situation: {text[:80]!r}")
    try:
        game = _parse_game(match["name"], match["definition"])
        betting = _replay_actions(game, _parse_numbers(match["stacks"]), match["actions"])
        hole, board = parse_cards(match["hole"]), parse_cards(match["board"])
    except RulesError as error:
        raise SituationError(f"not a situation: {error}") from error
    seats = _parse_numbers(match["seats"])
    seat, button = int(match["seat"]), int(match["button"])
    if len(set(seats)) != game.players or len(seats) != game.players or button not in seats:
        raise SituationError(f"{game.players} different seats are needed, one of them with the button")
    if betting.over or seats[betting.to_act] != seat:
        raise SituationError(f"seat {seat} is not to act after these actions")
    if len(hole) != game.hole_cards or len(board) != sum(game.board_cards[: betting.street + 1]):
        raise SituationError(f"wrong number of cards for street {betting.street}")
    if set(hole) & set(board) or not set(hole + board) <= set(game.deck):
        raise SituationError("the cards are not different cards of the game's deck")
    return situation_at(betting, hole, board, hand=int(match["hand"]), seats=seats, button=button)


def situation_at(
    betting: Betting,
    hole: tuple[int, ...],
    board: tuple[int, ...],
    *,
    hand: int = 0,
    seats: tuple[int, ...] | None = None,
    button: int | None = None,
) -> Situation:
    """Return what the player to act knows: the public ``betting`` and the player's own ``hole`` cards.

    ``seats`` are the seats by position; by default they equal the positions and the last has the button.
    """
    players = range(betting.game.players)
    seats = tuple(players) if seats is None else seats
    return Situation(
        game=betting.game,
        seat=seats[betting.to_act],
        hand=hand,
        button=seats[-1] if button is None else button,
        seats=seats,
        hole=hole,
        board=board,
        street=betting.street,
        legal=betting.legal(),
        stacks=tuple(stack - spent for stack, spent in zip(betting.stacks, betting.spent, strict=True)),
        paid=tuple(betting.spent),
        bets=tuple(betting.street_bet(position) for position in players),
        folded=tuple(betting.folded),
        history=past_actions(betting, seats),
    )


def past_actions(betting: Betting, seats: Sequence[int]) -> tuple[PastAction, ...]:
    """Return the history of a betting, with the seats by position."""
    replayed = Betting(betting.game, betting.stacks)
    steps = []
    for street, position, action in betting.history:
        bet = replayed.street_bet(position) + replayed.act(action)
        steps.append(PastAction(street, seats[position], action.kind, 0 if action.kind == "fold" else bet))
    return tuple(steps)


def _replay_actions(game: Game, stacks: tuple[int, ...], actions: str) -> Betting:
    betting = Betting(game, stacks)
    for street, text in enumerate(actions.split("/")):
        words = _ACTION.findall(text)
        if "".join(words) != text:
            raise SituationError(f"not actions: {text[:40]!r}")
        for word in words:
            if betting.street != street or betting.over:
                raise SituationError(f"the actions of street {street} do not end where the text says")
            betting.act(parse_action(word))
    if betting.street != actions.count("/"):
        raise SituationError("the actions end on another street than the text says")
    return betting


def _game_text(game: Game) -> str:
    try:
        if load_game(game.name) == game:
            return game.name
    except RulesError:
        pass
    return f"{game.name} {game.text().strip().replace(chr(10), ';')}"


def _parse_game(name: str, definition: str | None) -> Game:
    if definition is None:
        return load_game(name)
    return parse_game(definition.strip().replace(";", "\n"), name)


def _joined(numbers: Iterable[Chips]) -> str:
    return ",".join(map(str, numbers))


def _parse_numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))
