"""The checks of a program that speaks the ACPC protocol."""

from __future__ import annotations

from typing import Final

from server.check.model import Check

_LINES: Final = "docs/acpc.md#the-lines"
_CONDUCT: Final = "docs/acpc.md#conduct"

_GAME: Final = (
    "Compare with the players, stacks and streets of the game definition. Check a program made for one game "
    "with --game."
)

#: In the order of the report. The ids of scenarios are ids of checks.
ACPC_CHECKS: Final[tuple[Check, ...]] = (
    # How it connects.
    Check("connect", "connects to the given host and port", _LINES,
          "Host and port are the last two arguments, or replace {host} and {port} in the command."),
    Check("version", "sends its version first", _LINES,
          "Send VERSION:2.0.0 as soon as you are connected, without a comment before it."),
    # What it answers.
    Check("echo", "answers with the state that it received", _CONDUCT,
          "Send the line back unchanged, without its line end, then a colon and the action. A dealer "
          "ignores anything else and waits until your time is over."),
    Check("colon", "appends a colon and an action to the state", _CONDUCT,
          "End the answer with :f, :c or :r; no-limit games need an amount after :r. Otherwise a dealer "
          "plays a call."),
    Check("action", "uses valid letters for actions", _CONDUCT,
          "f is a fold, c a check or call, r a bet or raise. A dealer takes any other letter as a call."),
    Check("fold-free", "does not fold when checking is free", _CONDUCT,
          "Fold only when there is something to call; otherwise a dealer plays a check."),
    Check("no-raise", "does not raise when no raise is allowed", _CONDUCT,
          "Count the raises of the street in limit games, and do not raise an opponent who is all-in; a "
          "dealer takes it as a call."),
    Check("amount", "raises to a legal amount, counted over the whole hand", _LINES,
          "The amount is everything you will have put in during the hand: blinds, earlier streets, the "
          "call and the raise. A dealer takes the nearest legal amount."),
    Check("exact", "answers exactly as the protocol specifies", _CONDUCT,
          "Dealers accept it, but one with strict conduct ends the match. Send the line unchanged, a "
          "colon, f, c or r in lower case, the amount without leading blanks or zeros, and nothing after "
          "it.", "advice"),
    Check("no-line-end", "ends its lines", _LINES,
          "Send \\r\\n after each line, then flush your output buffer. A dealer waits for the newline until "
          "your time is over."),
    Check("line-end", "ends its lines with a carriage return and a newline", _LINES,
          "End lines with \\r\\n. A newline alone is accepted, too.", "advice"),
    Check("silent", "is silent when others act and when a hand is over", _LINES,
          "Determine from the betting and your position whether you are to act; answer only then."),
    Check("folded", "is silent after folding", _LINES,
          "You receive the states of a hand even after you folded. Do not answer them."),
    Check("once", "answers each state once", _LINES,
          "Send a single line for each state that you must answer."),
    Check("in-time", "answers in time", _CONDUCT,
          "--timeout sets the time for this check. A dealer ends the match when a time limit is exceeded."),
    Check("thinking", "answers with time to spare", _CONDUCT,
          "Leave a margin: other programs use the same CPU.", "advice"),
    # Games.
    Check("plays", "plays its game from the first seat", _LINES, _GAME),
    Check("last-seat", "plays its game from the last seat", _LINES, _GAME),
    Check("all-in", "plays against all-in opponents", _LINES,
          "When nobody can act any more, the state jumps to the last street, with a / per street in "
          "between."),
    Check("limit", "plays heads-up limit hold'em", _LINES, _GAME),
    Check("no-limit", "plays heads-up no-limit hold'em", _LINES, _GAME),
    Check("three-players", "plays with three players", _LINES, _GAME),
    Check("six-players", "plays with six players", _LINES, _GAME),
    Check("ten-players", "plays with ten players", _LINES, _GAME),
    Check("short-stacks", "plays with short and uneven stacks", _LINES, _GAME),
    Check("one-card", "plays Kuhn and Leduc poker", _LINES, _GAME, "advice"),
    # How it reads.
    Check("one-segment", "reads several lines that arrive at once", _LINES,
          "Buffer what you read and take line after line from the buffer: TCP has no lines."),
    Check("split-line", "reads a line that arrives in pieces", _LINES,
          "Read until the end of the line before you parse it: TCP has no lines."),
    Check("large-hands", "handles large hand numbers", _LINES,
          "Store the hand number as an unsigned 32-bit integer, or send it back as text."),
    Check("mid-hand", "can start in the middle of a hand", "docs/acpc.md#the-dealer",
          "Rely on the state alone: when a match is resumed, the first state has actions you did not see.",
          "advice"),
    # How it ends.
    Check("ends", "exits after the last hand", _LINES,
          "Exit when the connection is closed."),
    Check("cut-off", "exits when the match is cut short", _CONDUCT,
          "Exit when the connection is closed, even in the middle of a hand.", "advice"),
    Check("orphans", "leaves no process behind", _LINES,
          "Stop every process you started before you exit."),
)  # fmt: skip
