"""One match as played by the ACPC reference dealer: the states shown to each seat, and the effects of
answers.

Does no I/O and measures no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dealer.deck import AcpcDeals
from dealer.match import seat_at
from dealer.records.acpc import AcpcLog
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import cards_text
from dealer.rules.errors import IllegalAction, ReplayError
from dealer.rules.events import Acted, BoardDealt
from dealer.rules.games import Game
from dealer.rules.hand import HandState
from dealer.rules.legal import Legal
from protocol.acpc import (
    Fault,
    InterpretedAction,
    interpret_action,
    is_exact,
    line_text,
    matchstate,
    parse_answer,
    parse_cards,
)

_CALL: Final = InterpretedAction("call")
_FOLD: Final = InterpretedAction("fold")


class AcpcMatch:
    """A match of ``hands`` hands. Positions rotate by one seat each hand, unless ``fixed``.

    Attributes for readers: ``hand`` (in progress, or the last one), ``actor`` (the seat to act, -1 when the
    hand is over), ``prompt`` (the line that it must answer), ``log`` (names and totals).
    """

    def __init__(
        self, game: Game, seed: int, hands: int, names: Sequence[str], *, fixed: bool = False
    ) -> None:
        self.game = game
        self.hands = hands
        self.log = AcpcLog(game, names)
        self._deals = AcpcDeals(seed, game)
        self._fixed = fixed
        self._prepared: HandState | None = None
        self._start_hand(0)

    @property
    def over(self) -> bool:
        """Whether the last hand is over."""
        return self.actor < 0 and self.hand.number + 1 >= self.hands

    def _deal(self, number: int) -> HandState:
        turn = 0 if self._fixed else number
        players = self.game.players
        seats = [seat_at(position, turn, players) for position in range(players)]
        return HandState(self.game, self._deals.deal(number), number=number, seats=seats)

    def _start_hand(self, number: int) -> None:
        game = self.game
        hand, self._prepared = self._prepared or self._deal(number), None
        seats = hand.seats
        self.hand = hand
        self._betting = ""
        self._board = ""
        own = [cards_text(cards) for cards in self.hand.hole]
        nobody = [""] * game.players
        #: The parts of each seat's line before and after the betting.
        self._parts = [("", "")] * game.players
        for position, seat in enumerate(seats):
            hole = [*nobody[:position], own[position], *nobody[position + 1 :]]
            self._parts[seat] = _split_at_betting(matchstate(position, number, "", hole, ""))
        self._await(hand.to_act)

    def _await(self, seat: int | None) -> None:
        """Note whose answer comes next; None if the hand is over."""
        self.actor = -1 if seat is None else seat
        #: The line that the seat to act must answer.
        self.prompt = b"" if seat is None else self.state_line(seat)
        #: What the usual answers mean, by what follows the prompt.
        self._usual: dict[bytes, InterpretedAction] = {}

    def next_hand(self) -> None:
        """Deal the next hand."""
        self._start_hand(self.hand.number + 1)

    def prepare(self) -> None:
        """Compute ahead what the usual answers mean, and deal the next hand: while a player thinks, this
        delays nobody.
        """
        legal = self.hand.legal()
        usual = {b":c": _CALL}
        if legal.fold:
            usual[b":f"] = _FOLD
        raises = self.raise_totals(legal)
        if self.game.limit and raises is not None:
            usual[b":r"] = InterpretedAction("raise", raises[0])
        self._usual = {word + end: action for word, action in usual.items() for end in (b"\r\n", b"\n")}
        number = self.hand.number + 1
        if self._prepared is None and number < self.hands:
            self._prepared = self._deal(number)

    def state_line(self, seat: int) -> bytes:
        """Return the current state for a seat, without a line end."""
        head, tail = self._parts[seat]
        return f"{head}{self._betting}{tail}{self._board}".encode("ascii")

    def raise_totals(self, legal: Legal) -> tuple[int, int] | None:
        """Return the smallest and largest raise, as chips of the whole hand, or None."""
        if legal.min_raise is None or legal.max_raise is None:
            return None
        start = self.hand.betting.street_start
        return legal.min_raise + start, legal.max_raise + start

    # Answers.

    def judge(self, line: bytes, *, exact: bool = False) -> tuple[InterpretedAction | None, Fault]:
        """Interpret a line of the seat to act, and return what is wrong with it.

        None means that the line is to be ignored. With ``exact``, a correct answer that is not in the exact
        form of the protocol is a fault, too.
        """
        sent = self.prompt
        if line.startswith(sent) and line.startswith(b":", len(sent)):
            # An exact copy of the state needs no parsing.
            usual = self._usual.get(line[len(sent) :])
            if usual is not None:
                return usual, ""
            rest = line_text(line[len(sent) :])
        else:
            fault, rest = self._check_state(line_text(line))
            if fault:
                return None, fault
        legal = self.hand.legal()
        raises = self.raise_totals(legal)
        judgement = interpret_action(rest, limit=self.game.limit, fold=legal.fold, raises=raises)
        if (
            exact
            and not judgement.fault
            and not is_exact(line_text(line), sent.decode("ascii"), limit=self.game.limit)
        ):
            return judgement, "inexact"
        return judgement, judgement.fault

    def _check_state(self, text: str) -> tuple[Fault, str]:
        """Return what is wrong with the state in an answer, and the text after the state."""
        game, hand = self.game, self.hand
        answer = parse_answer(text, limit=game.limit)
        if answer is None or answer.position >= game.players:
            return "bad_state", ""
        betting = hand.betting
        same = answer.betting == self._betting.replace("/", "")
        if not same:
            replayed = _replay_betting(game, answer.betting)
            if replayed is None:
                return "bad_state", ""
            betting = replayed
        cards = parse_cards(
            answer.rest, game.players, game.hole_cards, game.board_cards[: betting.street + 1]
        )
        if cards is None:
            return "bad_state", ""
        position = hand.betting.to_act
        expected = (hand.number, position, cards_text(hand.hole[position]), self._board)
        shown = "".join("/" + group for group in cards.board[1:])
        if not same or expected != (answer.hand, answer.position, cards.hole[position], shown):
            return "unrequested", ""
        return "", cards.rest

    def act(self, action: str, total: int = 0) -> str:
        """Carry out an action of the seat to act: fold, call, or raise to ``total`` chips of the whole hand.

        Return the hand's STATE line if the hand is over, else an empty string. Raises IllegalAction.
        """
        hand = self.hand
        start = hand.betting.street_start
        if action == "raise":
            events = hand.act(raise_to(total - start))
        else:
            events = hand.act(CALL if action == "call" else FOLD)
        for event in events:
            if type(event) is Acted:
                # The resulting action: under the pushfold rules a call can be a raise.
                self._betting += event.action[0]
                if event.action == "raise" and not self.game.limit:
                    self._betting += str(start + event.to)
            elif type(event) is BoardDealt:
                self._betting += "/"
                self._board += "/" + cards_text(event.cards)
        self._await(hand.to_act)
        if self.actor >= 0:
            return ""
        if hand.betting.live > 1:
            self._reveal_hands()
        return self.log.hand(hand.events)

    def _reveal_hands(self) -> None:
        """Show the cards of all players who did not fold to everybody; others see their own, too."""
        hand = self.hand
        folded = hand.betting.folded
        shown = ["" if out else cards_text(cards) for cards, out in zip(hand.hole, folded, strict=True)]
        for position, seat in enumerate(hand.seats):
            hole = list(shown)
            hole[position] = cards_text(hand.hole[position])
            self._parts[seat] = _split_at_betting(matchstate(position, hand.number, "", hole, ""))

    def replay_action(self, word: str, number: int) -> str:
        """Replay an action of a transaction log, given by its word in the betting; returns the same as
        ``act``.

        Raises ReplayError ``replay_differs`` if the action is impossible here.
        """
        try:
            if number != self.hand.number:
                raise ValueError(f"the current hand is {self.hand.number}")
            if word in ("f", "c"):
                return self.act("fold" if word == "f" else "call")
            if not self.game.limit:
                return self.act("raise", int(word[1:]))
            least = self.hand.legal().min_raise or 0
            return self.act("raise", least + self.hand.betting.street_start)
        except (IllegalAction, ValueError) as error:
            raise ReplayError("replay_differs", f"{word} in hand {number}: {error}", number) from None


def _split_at_betting(line: str) -> tuple[str, str]:
    """Return the parts of a line before and after the empty betting."""
    head, cards = line.rsplit(":", 1)
    return head, ":" + cards


def _replay_betting(game: Game, text: str) -> Betting | None:
    """Return the betting in an answer, or None if it violates the rules."""
    betting = Betting(game)
    for word in text.replace("f", " f").replace("c", " c").replace("r", " r").split():
        try:
            if word[0] == "r":
                betting.act(Action("raise", 0 if game.limit else int(word[1:]) - betting.street_start))
            else:
                betting.act(CALL if word == "c" else FOLD)
        except IllegalAction:
            return None
    return betting
