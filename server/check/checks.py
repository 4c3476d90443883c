"""The checks of a program that speaks the websocket protocol."""

from __future__ import annotations

from typing import Final

from server.check.model import Check

_FIRST: Final = "docs/protocol.md#a-first-hand"
_FRAMES: Final = "docs/protocol.md#frames"
_SESSION: Final = "docs/protocol.md#session"
_CLIENT: Final = "docs/protocol.md#messages-of-the-client"
_SERVER: Final = "docs/protocol.md#messages-of-the-server"
_TURNS: Final = "docs/protocol.md#turns-and-time"
_RAISE: Final = "docs/protocol.md#raise-to"
_BROKEN: Final = "docs/protocol.md#order-broken-connections"
_MEMORY: Final = "docs/protocol.md#memory-and-randomness"
_ERRORS: Final = "docs/protocol.md#errors"
_CODES: Final = "docs/protocol.md#close-codes"
_START: Final = "docs/competition.md#how-bots-are-started"

#: In the order of the report. The ids of scenarios are ids of checks.
CHECKS: Final[tuple[Check, ...]] = (
    # How it connects.
    Check("connect", "connects to the server's address", _START,
          "Connect a websocket to the address in the environment variable POKERD_URL right after the start."),
    Check("subprotocol", "requests a supported subprotocol", _FIRST,
          "Offer pokerd.v1.json or pokerd.v1.msgpack in the websocket handshake."),
    Check("token", "authenticates with its token", _START,
          "Send the value of the environment variable POKERD_TOKEN as hello.token."),
    Check("hello-first", "sends hello first, without delay", _ERRORS,
          "Send hello as soon as the websocket is open, and nothing before it."),
    Check("hello-once", "sends hello once", _ERRORS,
          "Send a single hello on each connection."),
    # What it sends.
    Check("frames", "sends well-formed frames", _FRAMES,
          "Send text frames with JSON, or binary frames with MessagePack, as the subprotocol says, with "
          "one message or an array of messages in each."),
    Check("fields", "sends messages with valid fields", _ERRORS,
          "Compare the message with the table 'Messages of the client' in docs/protocol.md."),
    Check("ready", "answers match_start with ready", _FIRST,
          'Answer every match_start, even a resumed one, with {"type": "ready", "table": ...}.'),
    Check("ready-once", "sends ready once per match_start, and back only while sitting out", _ERRORS,
          "Send ready in answer to match_start and at no other time."),
    Check("turn-number", "answers with the number of the turn", _FIRST,
          "Copy turn from the turn message into act. Do not count turns yourself, and do not use seq."),
    Check("table", "names the right table", _SESSION,
          "Copy table from match_start into ready, and from the turn message into act."),
    Check("answers-once", "answers each turn once", _ERRORS,
          "Send a single act for each turn message."),
    Check("unasked", "acts only when asked", _ERRORS,
          "Act on a turn message, not on hand_start, acted or board."),
    Check("in-time", "answers in time", _TURNS,
          "Stop thinking before time_ms of the turn is used up. --timeout sets the time for this check."),
    Check("thinking", "answers with time to spare", _TURNS,
          "Leave a margin: the clock includes network latency, and other programs use the CPU, too.",
          "advice"),
    # What it plays.
    Check("raise-to", "raises to an amount, not by an amount", _RAISE,
          "Send your total bet on this street after the raise as to: what is in front of you already, plus "
          "what you add."),
    Check("raise-bounds", "raises to a legal amount", _RAISE,
          "Stay between the two numbers of turn.raise_to, in whole chips. If they are equal, that is the "
          "only legal raise."),
    Check("no-raise", "does not raise when no raise is allowed", _SERVER,
          "Before you raise, make sure that turn.raise_to is not null."),
    Check("check-a-bet", "does not check when facing a bet", _CLIENT,
          "Send check only when turn.call is 0. call is always legal."),
    Check("fold-free", "does not fold when checking is free", _SERVER,
          "Fold only when turn.fold is true; otherwise send call, which then checks."),
    Check("refused", "is not refused for any other reason", _ERRORS,
          "Look up the code in the table of errors."),
    # Games.
    Check("plays", "plays a match of heads-up limit hold'em to its end", _FIRST,
          "This is the simplest match; nothing else is tested until it works."),
    Check("next-match", "plays another match on the same connection", _FIRST,
          'Wait after match_end instead of exiting. Only a bot with reset = "process" may exit then.'),
    Check("no-limit", "plays no-limit hold'em", _FIRST,
          "Do not assume fixed raise sizes."),
    Check("three-seats", "plays at a table of three", _FIRST, "Expect several opponents."),
    Check("ten-seats", "plays at a table of ten, with names in any script", _FRAMES,
          "Do not assume two players, or names in ASCII."),
    Check("one-card", "plays with one hole card and two streets", _SERVER,
          "Read the number of hole cards, streets and board cards from match_start.game.", "advice"),
    Check("side-pots", "plays with short and uneven stacks", _SERVER,
          "Expect all-in opponents, side pots, and hands that run out without a turn."),
    Check("all-in", "responds to an all-in when it cannot raise", _SERVER,
          "Expect turn.raise_to to be null, and turn.call to be as large as your stack."),
    Check("one-raise", "responds when the only legal raise is all-in", _SERVER,
          "The two numbers of turn.raise_to may be equal even in no-limit games."),
    Check("large-numbers", "handles large stacks, hand numbers and turn numbers", _CLIENT,
          "Store turn, hand and chips as 64-bit integers."),
    Check("fractions", "handles fractional chips", _FRAMES,
          "Where the documentation says number, expect a number that may have a fraction."),
    Check("refilled", "plays on with new chips after losing its stack", _SERVER,
          "Do not leave when your stack is 0; refilled has your new stack."),
    Check("levels", "plays a tournament with rising blinds", _SERVER,
          "Take blinds and antes from hand_start, not from match_start."),
    Check("eliminated", "stays connected after being eliminated from a tournament", _SERVER,
          "Expect hands without you: hand_start.seats does not include your seat, and hole is empty."),
    # What a later or busier server may send.
    Check("unknown-fields", "ignores unknown fields", _FRAMES,
          "Read the fields you need and ignore all others, whatever they contain."),
    Check("unknown-types", "ignores messages of unknown types", _FRAMES,
          "Skip messages of unknown types. They may come before, between and after others, and have no "
          "table."),
    Check("defaults", "handles fields with default values, present or left out", _FRAMES,
          "If such a field is missing, use its default."),
    Check("order", "reads fields in any order", _FRAMES,
          "The fields of an object have no order: type may come last."),
    Check("spelling", "reads every valid encoding of numbers and strings", _FRAMES,
          "Use a complete JSON or MessagePack library: JSON may have whitespace and escapes, MessagePack "
          "any width of numbers, strings and arrays."),
    Check("arrays", "reads arrays of any length, and messages in separate frames", _FRAMES,
          "Test whether a frame is an object or an array, and expect arrays of any length."),
    Check("fragments", "reads messages split into websocket fragments", _FRAMES,
          "Use a websocket library that reassembles fragments (RFC 6455, 5.4)."),
    Check("ping", "answers pings", _FRAMES,
          "Let your websocket library read while you think; it answers pings by itself."),
    Check("big-frame", "accepts a frame of nearly 1 MiB", _FRAMES,
          "Raise the frame size limit of your websocket library."),
    Check("many-tables", "plays all its tables when several ask in one frame", _SESSION,
          "Answer every turn in an array, each with its own table. Set hello.tables to the number you can "
          "play at once: all clocks run while you think about one table."),
    # What may go wrong without being its fault.
    Check("late", "continues after an answer that arrived too late", _ERRORS,
          "Ignore stale_turn and wait for the next turn."),
    Check("back", "returns after sitting out", _TURNS,
          'When acted for your seat has forced "absent", send {"type": "back", "table": ...} once.',
          "advice"),
    Check("resume", "reconnects after a broken connection and answers the open turn again", _BROKEN,
          "Reconnect at once and send hello with the resume secret of welcome. You then receive the hand "
          "in progress from its start, and your turn if it is open."),
    Check("resume-later", "reconnects when the connection breaks while others act", _BROKEN,
          "Skip messages that you have seen already: their seq is not new."),
    Check("restart", "reconnects after a server restart", _CODES,
          "When the connection is closed with code 1001 and without an error before it, reconnect, and "
          "keep trying for a while: the server needs some time. Then send hello with resume or your token.",
          "advice"),
    Check("replaced", "does not fight a newer connection of its own", _ERRORS,
          "Exit when you are replaced; otherwise two programs with one token keep replacing each other.",
          "advice"),
    Check("turned-away", "does not flood a server that refuses it", _ERRORS,
          "Wait longer before every new attempt, or exit.", "advice"),
    # Beyond one match.
    Check("join", "takes a seat at an open table", _FIRST,
          "Without this, the bot can only play in competitions.", "advice"),
    Check("company", "plays on while other players come and go", _SERVER,
          "Read the players from hand_start.seats; their number changes from hand to hand."),
    Check("reset", "plays identically after a reset with the same seed", _MEMORY,
          "Use only match_start.seed for randomness, and forget everything on a match_start with reset.",
          "advice"),
    Check("goodbye", "exits when it is no longer needed", _START,
          "Exit when the server closes the connection with code 1000."),
    Check("shutdown", "exits when the server shuts down", _ERRORS,
          "Exit on an error shutting_down, or limit your attempts to reconnect.", "advice"),
    Check("orphans", "leaves no process behind", _START,
          "Stop every process you started before you exit."),
)  # fmt: skip
