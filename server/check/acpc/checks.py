"""What is looked at in a program that speaks the ACPC protocol."""

from __future__ import annotations

from typing import Final

from server.check.model import Check

__all__ = ["ACPC_CHECKS"]

_LINES: Final = "docs/acpc.md#the-lines"
_CONDUCT: Final = "docs/acpc.md#conduct"

_GAME: Final = (
    "Look into the game definition, its players, stacks and streets. A program made for one game is checked "
    "with --game."
)

#: In the order in which they are told. The ids of scenes are ids of checks.
ACPC_CHECKS: Final[tuple[Check, ...]] = (
    # How a connection begins.
    Check(
        "connect",
        "connects to the host and port it is given",
        _LINES,
        "Host and port are the last two arguments, or stand where {host} and {port} do in the command.",
    ),
    Check(
        "version",
        "says its version first",
        _LINES,
        "Send VERSION:2.0.0 as soon as you are connected, and no comment before it.",
    ),
    # What it answers.
    Check(
        "echo",
        "answers with the state that it was sent",
        _CONDUCT,
        "Send the line back as it came, without its end, then a colon and the action. A dealer passes over "
        "anything else and waits until your time is over.",
    ),
    Check(
        "colon",
        "puts a colon and an action behind the state",
        _CONDUCT,
        "End the answer with :f, :c or :r; in no-limit with :r and an amount. A dealer makes a call of it.",
    ),
    Check(
        "action",
        "knows the letters of actions",
        _CONDUCT,
        "f is a fold, c a check or call, r a bet or raise. A dealer makes a call of any other letter.",
    ),
    Check(
        "fold-free",
        "does not fold when checking is free",
        _CONDUCT,
        "Fold only when there is something to call; a dealer makes a check of it otherwise.",
    ),
    Check(
        "no-raise",
        "does not raise when no raise is allowed",
        _CONDUCT,
        "Count the raises of the street in limit games, and do not raise an opponent who is all-in; a dealer "
        "makes a call of it.",
    ),
    Check(
        "amount",
        "raises to an amount that is allowed, counted over the whole hand",
        _LINES,
        "The amount is all that you will have put in during the hand: blinds, earlier streets, the call and "
        "the raise. A dealer takes the nearest amount that is allowed.",
    ),
    Check(
        "exact",
        "answers exactly as the protocol has it",
        _CONDUCT,
        "Dealers take it, but one with strict conduct ends the match. Send the line as it came, a colon, "
        "f, c or r in small letters, the amount without blanks or zeros before it, and nothing after it.",
        "advice",
    ),
    Check(
        "no-line-end",
        "ends its lines",
        _LINES,
        "Send \\r\\n after each line, and empty your output buffer then. A dealer waits for the new line "
        "until your time is over.",
    ),
    Check(
        "line-end",
        "ends its lines with a carriage return and a new line",
        _LINES,
        "End lines with \\r\\n. A new line alone is taken, too.",
        "advice",
    ),
    Check(
        "silent",
        "is silent when others are to act, and when a hand is over",
        _LINES,
        "From the betting and your position find out whether you are to act; only then answer.",
    ),
    Check(
        "folded",
        "is silent after it folded",
        _LINES,
        "You are sent the states of a hand also after you folded. Do not answer them.",
    ),
    Check("once", "answers a state once", _LINES, "Send one line for each state that you must answer."),
    Check(
        "in-time",
        "answers in time",
        _CONDUCT,
        "--timeout sets the time of this check. When a time limit of the dealer is over, the match is.",
    ),
    Check(
        "thinking",
        "answers well before its time is over",
        _CONDUCT,
        "Leave a margin: other programs compute on the same machine.",
        "advice",
    ),
    # What it can play.
    Check("plays", "plays its game from the first seat", _LINES, _GAME),
    Check("last-seat", "plays its game from the last seat", _LINES, _GAME),
    Check(
        "all-in",
        "plays against players who go all-in",
        _LINES,
        "When nobody can act any more, the state jumps to the last street, one / for each that was passed.",
    ),
    Check("limit", "plays limit hold'em for two", _LINES, _GAME),
    Check("no-limit", "plays no-limit hold'em for two", _LINES, _GAME),
    Check("three-players", "plays with three players", _LINES, _GAME),
    Check("six-players", "plays with six players", _LINES, _GAME),
    Check("ten-players", "plays with ten players", _LINES, _GAME),
    Check("short-stacks", "plays with short and uneven stacks", _LINES, _GAME),
    Check("one-card", "plays Kuhn and Leduc poker", _LINES, _GAME, "advice"),
    # How it reads.
    Check(
        "one-segment",
        "reads several lines that come at once",
        _LINES,
        "Keep what you read in a buffer and take one line after the other from it: TCP has no lines.",
    ),
    Check(
        "split-line",
        "reads a line that comes in pieces",
        _LINES,
        "Read until the line's end before you look at it: TCP has no lines.",
    ),
    Check(
        "large-hands",
        "copes with large hand numbers",
        _LINES,
        "Keep the number of the hand in 32 bits without a sign, or send it back as text.",
    ),
    Check(
        "mid-hand",
        "begins in the middle of a hand",
        "docs/acpc.md#the-dealer",
        "Take all from the state: when a match is resumed, the first one shows actions you did not see.",
        "advice",
    ),
    # How it ends.
    Check("ends", "ends by itself after the last hand", _LINES, "End when the connection is closed."),
    Check(
        "cut-off",
        "ends by itself when the match is broken off",
        _CONDUCT,
        "End when the connection is closed, also in the middle of a hand.",
        "advice",
    ),
    Check("orphans", "leaves no process behind", _LINES, "End what you started before you end yourself."),
)
