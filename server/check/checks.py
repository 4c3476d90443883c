"""What is looked at in a program that speaks the websocket protocol."""

from __future__ import annotations

from typing import Final

from server.check.model import Check

__all__ = ["CHECKS"]

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

#: In the order in which they are told. The ids of scenes are ids of checks.
CHECKS: Final[tuple[Check, ...]] = (
    # How a connection begins.
    Check(
        "connect",
        "connects to the server it is told",
        _START,
        "Connect a websocket to the address in the environment variable POKERD_URL, soon after the start.",
    ),
    Check(
        "subprotocol",
        "asks for a subprotocol that is spoken here",
        _FIRST,
        "Offer pokerd.v1.json or pokerd.v1.msgpack in the websocket handshake.",
    ),
    Check(
        "token",
        "proves who it is",
        _START,
        "Put the value of the environment variable POKERD_TOKEN into hello.token.",
    ),
    Check(
        "hello-first",
        "says hello first, and soon",
        _ERRORS,
        "Send hello as soon as the websocket is open, and nothing before it.",
    ),
    Check("hello-once", "says hello once", _ERRORS, "Send one hello on each connection."),
    # What it sends.
    Check(
        "frames",
        "sends frames that can be read",
        _FRAMES,
        "Send text frames with JSON, or binary frames with MessagePack, as the subprotocol says; one message "
        "or an array of messages in each.",
    ),
    Check(
        "fields",
        "sends messages with the right fields",
        _ERRORS,
        "Compare the message with the table in docs/protocol.md, Messages of the client.",
    ),
    Check(
        "ready",
        "answers match_start with ready",
        _FIRST,
        'Answer every match_start, also a resumed one, with {"type": "ready", "table": ...}.',
    ),
    Check(
        "ready-once",
        "says ready once for each match_start, and back only when sitting out",
        _ERRORS,
        "Send ready as the answer to match_start and at no other time.",
    ),
    Check(
        "turn-number",
        "answers with the number of the turn",
        _FIRST,
        "Copy turn from the turn message into act. It is not a counter of yours, and not seq.",
    ),
    Check(
        "table",
        "names the table it acts at",
        _SESSION,
        "Copy table from match_start into ready, and from the turn message into act.",
    ),
    Check("answers-once", "answers a turn once", _ERRORS, "Send one act for each turn message."),
    Check(
        "unasked",
        "acts only when it is asked",
        _ERRORS,
        "Act when a turn message comes, not at hand_start, acted or board.",
    ),
    Check(
        "in-time",
        "answers in time",
        _TURNS,
        "Stop thinking when time_ms of the turn is nearly used up. --timeout sets the time of this check.",
    ),
    Check(
        "thinking",
        "answers well before its time is over",
        _TURNS,
        "Leave a margin: the server's clock counts the way there and back, and other programs compute too.",
        "advice",
    ),
    # What it plays.
    Check(
        "raise-to",
        "says what it raises to, not by how much",
        _RAISE,
        "Put into to all that is in front of you on this street after the raise: to = what you have there "
        "already + what you add.",
    ),
    Check(
        "raise-bounds",
        "raises to an amount that is allowed",
        _RAISE,
        "Keep to within the two numbers of turn.raise_to; both are whole chips. When they are equal, it is "
        "that number or no raise.",
    ),
    Check(
        "no-raise",
        "does not raise when no raise is allowed",
        _SERVER,
        "Look whether turn.raise_to is null before you raise.",
    ),
    Check(
        "check-a-bet",
        "does not check when there is a bet to call",
        _CLIENT,
        "Send check only when turn.call is 0. call is always right.",
    ),
    Check(
        "fold-free",
        "does not fold when checking is free",
        _SERVER,
        "Fold only when turn.fold is true; otherwise call, which is a check then.",
    ),
    Check(
        "refused", "is not refused for another reason", _ERRORS, "Look the code up in the table of errors."
    ),
    # Which games it can play.
    Check(
        "plays",
        "plays a match of limit hold'em, heads-up, to its end",
        _FIRST,
        "This is the plainest match there is; nothing else is looked at until it works.",
    ),
    Check(
        "next-match",
        "plays another match on the same connection",
        _FIRST,
        'Stay after match_end and wait. Only a bot that competes with reset = "process" may end then.',
    ),
    Check("no-limit", "plays no-limit hold'em", _FIRST, "Do not count on fixed raise sizes."),
    Check("three-seats", "plays at a table of three", _FIRST, "There may be several opponents."),
    Check(
        "ten-seats",
        "plays at a table of ten, among names in any script",
        _FRAMES,
        "Do not count on two players, nor on names of ASCII letters.",
    ),
    Check(
        "one-card",
        "plays with one hole card and two streets",
        _SERVER,
        "Read the number of hole cards, streets and board cards from match_start.game.",
        "advice",
    ),
    Check(
        "side-pots",
        "plays where stacks are short and uneven",
        _SERVER,
        "Expect opponents who are all-in, several pots, and hands that run out without a turn.",
    ),
    Check(
        "all-in",
        "answers an all-in, when it cannot raise",
        _SERVER,
        "turn.raise_to may be null, and call as large as your stack.",
    ),
    Check(
        "one-raise",
        "answers where the only raise is all-in",
        _SERVER,
        "The two numbers of turn.raise_to may be equal in no-limit games too.",
    ),
    Check(
        "large-numbers",
        "copes with large stacks, hand and turn numbers",
        _CLIENT,
        "Keep turn, hand and chips in 64 bits.",
    ),
    Check(
        "fractions",
        "copes with chips that are no whole numbers",
        _FRAMES,
        "Where the document says number, read a number that may have a fraction.",
    ),
    Check(
        "refilled",
        "is given new chips when it lost the last one",
        _SERVER,
        "Do not leave when your stack is 0; refilled says what you have now.",
    ),
    Check(
        "levels",
        "plays a tournament whose blinds rise",
        _SERVER,
        "Take blinds and antes from hand_start, not from match_start.",
    ),
    Check(
        "eliminated",
        "watches without a turn when it is out of a tournament",
        _SERVER,
        "Expect hands in which you are not: hand_start.seats is without you, and hole is empty.",
    ),
    # What a later or busier server may send.
    Check(
        "unknown-fields",
        "ignores fields that it does not know",
        _FRAMES,
        "Read the fields you need, and let the others be, whatever is in them.",
    ),
    Check(
        "unknown-types",
        "ignores messages of types that it does not know",
        _FRAMES,
        "Skip a message whose type you do not know; it may come before, between and after the others, and "
        "without a table.",
    ),
    Check(
        "defaults",
        "reads fields that are left out, and fields that could be",
        _FRAMES,
        "Read such fields with their default when they are not there.",
    ),
    Check(
        "order", "reads fields in any order", _FRAMES, "An object has no order: type may be its last field."
    ),
    Check(
        "spelling",
        "reads numbers and texts however they are spelled",
        _FRAMES,
        "Use a whole JSON or MessagePack library: JSON may have blanks, new lines and escapes, MessagePack "
        "any width of numbers, texts and lists.",
    ),
    Check(
        "arrays",
        "reads an array of one message, and messages in frames of their own",
        _FRAMES,
        "Look whether a frame is an object or an array, and expect arrays of any length.",
    ),
    Check(
        "fragments",
        "reads messages that come in several websocket fragments",
        _FRAMES,
        "Use a websocket library that puts fragments together (RFC 6455, 5.4).",
    ),
    Check(
        "ping",
        "answers pings",
        _FRAMES,
        "Let your websocket library read while you think: it answers pings by itself.",
    ),
    Check(
        "big-frame", "takes a frame of nearly 1 MiB", _FRAMES, "Raise the limit of your websocket library."
    ),
    Check(
        "many-tables",
        "plays all its tables, when several ask in one frame",
        _SESSION,
        "Answer every turn of an array, each with its own table. Say in hello.tables how many you can play "
        "at once: the clocks of all of them run while you think about one.",
    ),
    # What may go wrong without its fault.
    Check(
        "late",
        "goes on after a good answer that came too late",
        _ERRORS,
        "Ignore stale_turn, and wait for the next turn.",
    ),
    Check(
        "back",
        "comes back after sitting out",
        _TURNS,
        'Answer an acted of your own seat with forced "absent" by {"type": "back", "table": ...}, once.',
        "advice",
    ),
    Check(
        "resume",
        "comes back when the connection breaks, and answers the open turn again",
        _BROKEN,
        "Connect again at once and say hello with the resume secret of welcome; what comes then is the hand "
        "in progress from its start, and your turn if it is open.",
    ),
    Check(
        "resume-later",
        "comes back when the connection breaks while others act",
        _BROKEN,
        "Skip what you have seen already: its seq is not new.",
    ),
    Check(
        "restart",
        "comes back when the server starts again",
        _CODES,
        "When the connection is closed with code 1001 and no error came before, connect again, and go on "
        "trying for a while: the server needs some time. Then say hello with resume or your token.",
        "advice",
    ),
    Check(
        "replaced",
        "does not fight with a newer connection of its own",
        _ERRORS,
        "End when you are replaced; otherwise two programs with one token throw each other out for ever.",
        "advice",
    ),
    Check(
        "turned-away",
        "does not storm a server that turns it away",
        _ERRORS,
        "Wait longer from try to try, or end.",
        "advice",
    ),
    # Beyond one match.
    Check(
        "join",
        "takes a seat at an open table",
        _FIRST,
        "Without this the bot can play in competitions only.",
        "advice",
    ),
    Check(
        "company",
        "plays on while others come and go",
        _SERVER,
        "Take who plays from hand_start.seats; the number of players changes from hand to hand.",
    ),
    Check(
        "reset",
        "plays the same again after a reset, from the same seed",
        _MEMORY,
        "Draw randomness from match_start.seed alone, and forget everything at a match_start with reset.",
        "advice",
    ),
    Check(
        "goodbye",
        "ends by itself when it is not needed any more",
        _START,
        "End when the server closes the connection with code 1000.",
    ),
    Check(
        "shutdown",
        "ends when the server goes away",
        _ERRORS,
        "End when an error shutting_down comes, or do not try for ever to connect again.",
        "advice",
    ),
    Check("orphans", "leaves no process behind", _START, "End what you started before you end yourself."),
)
