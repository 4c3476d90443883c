"""Test bots without a server: play whole matches in this process, or single decisions from a line of text.

::

    result = play([Mine, "call"], hands=1000)
    assert result.mbb(0)[0] > 0
    assert decide(Mine, "hole=AhAd actions=r300").kind == "raise"
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from random import Random
from typing import Final

from dealer.rules import events
from dealer.rules.actions import Action, parse_action
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.errors import IllegalAction
from dealer.rules.games import Game, holdem, load_game, parse_game
from dealer.rules.hand import HandState
from dealer.rules.notation import parse_betting
from pokerd_bot.bot import Bot, verify_hooks
from pokerd_bot.errors import BotError
from pokerd_bot.hand import Match
from pokerd_bot.seat import TableSeat
from pokerd_bot.turn import Turn
from protocol import messages
from protocol.event_messages import (
    card_texts,
    game_info,
    hand_end_message,
    hand_start_message,
    shown_hands,
    turn_message,
)

_TABLE: Final = "test"
#: Seconds per decision; not enforced.
_TIME: Final = 10.0
_BANK: Final = 60.0
Factory = Callable[[Match], Bot]


class BadSituation(BotError):
    """The text does not describe a situation; the message says why."""

    code = "bad_situation"


class _SimpleBot(Bot):
    """Checks or folds, as every bot that decides nothing."""

    threaded = False


class _CallBot(_SimpleBot):
    def act(self, turn: Turn) -> Action:
        return turn.call()


class _RaiseBot(_SimpleBot):
    def act(self, turn: Turn) -> Action:
        return turn.raise_min()


class _RandomBot(_SimpleBot):
    def act(self, turn: Turn) -> Action:
        action = self.match.rng.choice(turn.legal_actions())
        if action.kind == "raise" and turn.min_raise is not None and turn.max_raise is not None:
            return turn.raise_to(self.match.rng.randint(turn.min_raise, turn.max_raise))
        return action


#: The simple opponents, by the names that ``play`` takes: ``call`` always calls, ``fold`` checks or folds,
#: ``raise`` always makes the smallest raise if allowed, ``random`` acts at random.
OPPONENTS: Final[dict[str, Factory]] = {
    "call": _CallBot,
    "fold": _SimpleBot,
    "raise": _RaiseBot,
    "random": _RandomBot,
}


@dataclass(frozen=True)
class Result:
    """The result of a match. ``per_hand`` holds each bot's winnings in chips, hand by hand, in the order in
    which the bots were passed.
    """

    big_blind: int
    per_hand: tuple[tuple[float | int, ...], ...]

    @property
    def hands(self) -> int:
        """The number of hands played."""
        return len(self.per_hand)

    @property
    def net(self) -> tuple[float | int, ...]:
        """Chips won by each bot in total."""
        return tuple(map(sum, zip(*self.per_hand, strict=True)))

    def mbb(self, bot: int = 0) -> tuple[float, float]:
        """Return a bot's winnings in thousandths of a big blind per hand, and the half-width of the 95 %
        confidence interval. The hands are independent. The half-width of a single hand is infinite.
        """
        won = [1000 * hand[bot] / self.big_blind for hand in self.per_hand]
        mean = sum(won) / len(won)
        if len(won) < 2:
            return mean, math.inf
        variance = sum((one - mean) ** 2 for one in won) / (len(won) - 1)
        return mean, 1.96 * math.sqrt(variance / len(won))


def play(
    bots: Sequence[Factory | str], *, hands: int = 1000, game: Game | str | None = None, seed: int = 1
) -> Result:
    """Play a match of ``hands`` hands between ``bots`` and return its result.

    Each bot is a class (or another factory that ``run`` accepts) or the name of one of the simple
    ``OPPONENTS``. Bots move one position after each hand, and every hand starts with the stacks of ``game``.
    ``game`` is a definition or a name; the default is no-limit hold'em with 200 big blinds. The same ``seed``
    deals the same cards. No clock runs.

    Raises whatever a bot raises, ``IllegalAction`` with the situation in a note, ``GameError``, and
    ``ValueError`` if the game needs a different number of players.
    """
    rules = _game(game, len(bots))
    if rules.players != len(bots):
        raise ValueError(f"{rules.name} is a game for {rules.players} players, not {len(bots)}")
    random = Random(seed)
    with ExitStack() as stack:
        table = _Table(rules, bots, seed, hands, stack)
        for number in range(hands):
            table.play_hand(number, random)
        table.end()
    return Result(max(1, *rules.blinds), tuple(table.per_hand))


def _game(game: Game | str | None, players: int) -> Game:
    if game is None:
        return holdem(players, 50, 100, stack=20_000)
    return load_game(game) if isinstance(game, str) else game


class _Player:
    """A bot at the table; an asynchronous bot has its own event loop."""

    def __init__(self, factory: Factory, info: messages.MatchStart, stack: ExitStack) -> None:
        match = Match(info)
        self.seat = TableSeat(match, factory(match))
        self._runner = stack.enter_context(asyncio.Runner()) if verify_hooks(self.seat.bot) else None
        self.deliver(info)

    def deliver(self, message: messages.ServerMessage) -> messages.ClientMessage | None:
        if self._runner is None:
            return self.seat.handle(message, time.monotonic())
        return self._runner.run(self.seat.handle_async(message, time.monotonic()))

    def ask(self, hand: HandState, number: int) -> Action:
        """Return the bot's decision. Raises ``TypeError`` if it is not an action."""
        self.seat.open_turn = number
        answer = self.deliver(turn_message(_TABLE, number, hand.legal(), hand.betting.pot, _TIME, _BANK))
        assert isinstance(answer, messages.Act)
        return Action("call" if answer.action == "check" else answer.action, answer.to)


class _Table:
    """The players and the hands they play."""

    def __init__(
        self, game: Game, bots: Sequence[Factory | str], seed: int, hands: int, stack: ExitStack
    ) -> None:
        names = [bot if isinstance(bot, str) else getattr(bot, "__name__", "bot").lower() for bot in bots]
        self.game = game
        self.per_hand: list[tuple[float | int, ...]] = []
        self._seq = 0
        self._players = []
        for number, bot in enumerate(bots):
            factory = OPPONENTS[bot] if isinstance(bot, str) else bot
            info = _match_start(game, number, names, hands, seed + number)
            self._players.append(_Player(factory, info, stack))

    def play_hand(self, number: int, random: Random) -> None:
        count = self.game.players
        seats = tuple((position + number) % count for position in range(count))
        hand = HandState(self.game, _Cards(self.game, random), number=number, seats=seats)
        self._deliver_events(hand, hand.events)
        while not hand.over:
            assert hand.to_act is not None
            player = self._players[hand.to_act]
            action = player.ask(hand, self._seq)
            try:
                news = hand.act(action)
            except IllegalAction as error:
                assert player.seat.turn is not None
                error.add_note(f"{action.text()} in {player.seat.turn.text()}")
                raise
            self._deliver_events(hand, news)
        won = dict(zip(hand.seats, hand.values, strict=True))
        self.per_hand.append(tuple(won[seat] for seat in range(count)))

    def _deliver_events(self, hand: HandState, news: Iterable[events.Event]) -> None:
        for event in news:
            for player in self._players:
                player.deliver(_message(event, player.seat.seat, self._seq, hand.board))
            self._seq += 1

    def end(self) -> None:
        net = [sum(won) for won in zip(*self.per_hand, strict=True)]
        for player in self._players:
            player.deliver(messages.MatchEnd(_TABLE, len(self.per_hand), net))


class _Cards:
    """A deck that deals the given cards where specified and random ones elsewhere."""

    def __init__(
        self,
        game: Game,
        random: Random,
        position: int = -1,
        hole: Sequence[int] = (),
        board: Sequence[int] = (),
    ) -> None:
        rest = [card for card in game.deck if card not in {*hole, *board}]
        random.shuffle(rest)
        self.hole = tuple(
            tuple(hole) if own == position else tuple(rest.pop() for _ in range(game.hole_cards))
            for own in range(game.players)
        )
        shown = [*board, *rest]
        starts = [sum(game.board_cards[:street]) for street in range(game.rounds + 1)]
        self._streets = [tuple(shown[starts[street] : starts[street + 1]]) for street in range(game.rounds)]

    def board(self, street: int) -> tuple[int, ...]:
        return self._streets[street]


# Single decisions.

_FIELD: Final = re.compile(r"(\w+)=(\S*)")
_FIELDS: Final = ("hand", "seat", "seats", "button", "stacks", "hole", "board", "actions", "betting", "game")
_ACTION: Final = re.compile(r"[fc]|r[0-9]*")


def decide(bot: Factory | str, text: str, *, game: Game | str | None = None, seed: int = 1) -> Action:
    """Return what ``bot`` does in the situation described by ``text``: ``key=value`` fields, as written by
    ``Turn.text`` and the logs of house bots. Only ``hole`` is required.

    * ``hole`` and ``board``: cards (``AhKd``).
    * ``actions``: what was done before, with ``/`` between streets: ``f``, ``c``, ``r300`` (a raise to 300 on
      that street). Or ``betting``: the same in ACPC notation, where raises are totals of the whole hand.
    * ``stacks`` (chips at the start of the hand) and ``seats``: by position, from the left of the button.
    * ``button``, ``hand``, and ``seat`` (the seat to act; checked): numbers.
    * ``game``: a game's name, optionally followed by its definition.

    The argument ``game`` overrides the field; without either, the game is heads-up no-limit hold'em with 200
    big blinds. Raises ``BadSituation``, and whatever the bot raises.
    """
    fields, rules = _read_fields(text, game)
    try:
        hand = _hand_at(fields, rules, seed)
    except ValueError as error:  # the base class of all rule errors
        raise BadSituation(f"{error}: {text[:200]}") from error
    seat = hand.to_act
    if seat is None or fields.get("seat", str(seat)) != str(seat):
        raise BadSituation(f"seat {fields.get('seat', 'of nobody')} is not to act here: {text[:200]}")
    names = ["me" if number == seat else f"player-{number}" for number in range(max(hand.seats) + 1)]
    with ExitStack() as stack:
        info = _match_start(rules, seat, names, 1, seed)
        player = _Player(OPPONENTS[bot] if isinstance(bot, str) else bot, info, stack)
        for number, event in enumerate(hand.events):
            player.deliver(_message(event, seat, number, hand.board))
        return player.ask(hand, len(hand.events))


def _read_fields(text: str, game: Game | str | None) -> tuple[dict[str, str], Game]:
    line, _, definition = text.strip().partition(" GAMEDEF;")
    fields = dict(_FIELD.findall(line))
    unknown = set(fields) - set(_FIELDS)
    if unknown or "hole" not in fields or _FIELD.sub("", line).strip():
        raise BadSituation(f"fields are {', '.join(_FIELDS)}, and hole is needed: {text[:200]}")
    name = fields.get("game")
    try:
        if game is None and definition:
            return fields, parse_game(f"GAMEDEF;{definition}".replace(";", "\n"), name or "game")
        return fields, _game(game or name, 2)
    except ValueError as error:
        raise BadSituation(f"{error}: {text[:200]}") from error


def _hand_at(fields: dict[str, str], game: Game, seed: int) -> HandState:
    """Return the hand after its actions, with these cards for the player to act. Raises ``ValueError``."""

    def numbers(key: str) -> tuple[int, ...] | None:
        return tuple(map(int, fields[key].split(","))) if fields.get(key) else None

    stacks = numbers("stacks")
    betting = _betting_of(fields, game, stacks)
    hole, board = parse_cards(fields["hole"]), parse_cards(fields.get("board", ""))
    wanted = game.hole_cards, sum(game.board_cards[: betting.street + 1])
    if (len(hole), len(board)) != wanted or {*hole} & {*board} or not {*hole, *board} <= {*game.deck}:
        raise ValueError(f"needed are {wanted[0]} hole and {wanted[1]} board cards, all different")
    hand = HandState(
        game,
        _Cards(game, Random(seed), betting.to_act, hole, board),
        number=int(fields.get("hand", 0)),
        seats=numbers("seats"),
        stacks=stacks,
        button=int(fields["button"]) if "button" in fields else None,
    )
    for _, _, action in betting.history:
        hand.act(action)
    return hand


def _betting_of(fields: dict[str, str], game: Game, stacks: tuple[int, ...] | None) -> Betting:
    """Return the betting before the decision. Raises ``ValueError``."""
    if "betting" in fields:
        betting = parse_betting(game, fields["betting"], stacks)
    else:
        betting = Betting(game, stacks)
        for street, text in enumerate(fields.get("actions", "").split("/")):
            if betting.street != street or _ACTION.sub("", text):
                raise ValueError("actions are f, c and r300, with a / where a street ends")
            for word in _ACTION.findall(text):
                betting.act(parse_action(word))
        if betting.street != street:
            raise ValueError("the last street has ended: a / is missing, and its board cards")
    if betting.over:
        raise ValueError("nobody is to act any more")
    return betting


# The messages that the server would send; a test compares them with the real ones.


def _match_start(game: Game, seat: int, names: Sequence[str], hands: int, seed: int) -> messages.MatchStart:
    return messages.MatchStart(
        table=_TABLE,
        match=_TABLE,
        seat=seat,
        players=list(names),
        game=game_info(game),
        hands=hands,
        reset=True,
        seed=seed,
        mode="fixed",
        time_ms=int(_TIME * 1000),
        bank_ms=int(_BANK * 1000),
    )


def _message(event: events.Event, seat: int, seq: int, board: tuple[int, ...]) -> messages.ServerMessage:
    """Return the message about an event to the player in ``seat``."""
    match event:
        case events.Acted():
            return messages.PlayerActed(_TABLE, seq, *event[:6])
        case events.BoardDealt():
            return messages.Board(_TABLE, seq, event.street, card_texts(event.cards))
        case events.HandStarted():
            return hand_start_message(event, _TABLE, seq, event.hole[event.seats.index(seat)])
        case events.Shown():
            return messages.Showdown(_TABLE, seq, shown_hands(event, board))
        case events.HandEnded():
            return hand_end_message(event, _TABLE, seq)
