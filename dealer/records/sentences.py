"""A hand in plain sentences, for people to read, copy and send."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dealer.records.acpc import number_text
from dealer.rules.cards import CARD_TEXTS
from dealer.rules.evaluation import hand_labels
from dealer.rules.events import Acted, BoardDealt, Event, HandEnded, HandStarted, Shown
from dealer.rules.games import Game, street_name


def hand_sentences(
    title: str, events: Sequence[Event], game: Game, names: Sequence[str], *, first_seat: int = 1
) -> str:
    """One finished hand, a sentence a line. ``names`` are by seat; cards that are not given are not told.
    ``first_seat``: people count seats from 1, the protocol from 0.
    """
    kind = "limit" if game.limit else "no-limit"
    blinds = "/".join(map(str, sorted(filter(None, game.blinds))))
    straddle = f", straddle {game.straddle}" if game.straddle else ""
    lines = [title, f"{game.name} ({kind}), blinds {blinds}{straddle}"]
    lines += _lines(events, game, names, first_seat)
    return "\n".join(lines) + "\n"


def _lines(events: Sequence[Event], game: Game, names: Sequence[str], first_seat: int) -> Iterator[str]:
    board: tuple[int, ...] = ()
    seats: tuple[int, ...] = ()
    bet = 0
    for event in events:
        match event:
            case HandStarted():
                seats = event.seats
                bet = max(event.blinds, default=0)
                yield from _start(event, game, names, first_seat)
            case BoardDealt(street=street, cards=cards):
                board += cards
                bet = 0
                yield f"{street_name(game, street).capitalize()}: {_cards(board)}"
            case Acted():
                yield f"{names[event.seat]} {action_sentence(event, bet)}"
                bet = max(bet, event.to)
            case Shown(hands=hands):
                open_hands = [cards + board for _, cards in hands if cards]
                labels = iter(hand_labels(open_hands) if len(board) >= 3 else [])
                for seat, cards in hands:
                    label = f" ({next(labels)})" if cards and len(board) >= 3 else ""
                    yield f"{names[seat]} shows {_cards(cards)}{label}" if cards else f"{names[seat]} mucks"
            case HandEnded():
                if event.equity:
                    yield "The pots are divided by equity, and no more cards are dealt"
                elif event.second:
                    board = board[: len(board) - len(event.second)] + event.second
                    yield f"Second board: {_cards(board)}"
                yield from _end(event, seats, names)


def _start(event: HandStarted, game: Game, names: Sequence[str], first_seat: int) -> Iterator[str]:
    by_position = zip(event.seats, event.stacks, event.antes, event.blinds, event.hole, strict=True)
    for position, (seat, stack, ante, blind, hole) in enumerate(by_position):
        button = ", button" if seat == event.button else ""
        name = "straddle" if blind > game.blinds[position] else "blind"
        posts = "".join([f", ante {ante}" if ante else "", f", {name} {blind}" if blind else ""])
        cards = f", {_cards(hole)}" if hole else ""
        yield f"Seat {seat + first_seat}: {names[seat]} with {number_text(stack)}{button}{posts}{cards}"


def action_sentence(event: Acted, bet: int) -> str:
    """What a player did, without his name. ``bet``: the highest on the street before."""
    all_in = " and is all-in" if event.all_in else ""
    forced = f" ({event.forced})" if event.forced else ""
    if event.action == "fold":
        return f"folds{forced}"
    if event.action == "call":
        return (f"calls {event.paid}" if event.paid else "checks") + all_in + forced
    return (f"raises to {event.to}" if bet else f"bets {event.to}") + all_in + forced


def _end(event: HandEnded, seats: Sequence[int], names: Sequence[str]) -> Iterator[str]:
    if event.returned is not None:
        yield f"{event.returned[1]} that nobody called go back to {names[event.returned[0]]}"
    for board in (0, 1):
        pots = [pot for pot in event.pots if pot.board == board]
        on = f" on the {'second' if board else 'first'} board" if event.second else ""
        for number, pot in enumerate(pots):
            which = "the pot" if len(pots) == 1 else "the main pot" if number == 0 else f"side pot {number}"
            for seat, chips in pot.wins:
                yield f"{names[seat]} wins {number_text(chips)} from {which}{on}"
    nets = zip(seats, event.values, strict=True)
    yield "Net: " + ", ".join(
        f"{names[seat]} {'+' if net > 0 else ''}{number_text(net)}" for seat, net in nets
    )


def _cards(cards: Sequence[int]) -> str:
    return " ".join([CARD_TEXTS[card] for card in cards])
