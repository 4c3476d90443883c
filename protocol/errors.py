"""Every refusal that can be sent to a client, with its stable code.

* ``WireError``: base; carries ``code``, a sentence for people and, if known, the table and turn.

  * ``MalformedFrame``: the frame is not valid in this protocol.
  * ``Refused``: the message is valid but not acceptable now.

``CODES`` is the complete list. ``docs/protocol.md`` and ``docs/people.md`` document it; a test compares them.
"""

from __future__ import annotations

from typing import Final, Literal

CODES: dict[str, str] = {
    "malformed_frame": "The frame is not valid JSON, MessagePack or UTF-8, or no message of the protocol.",
    "wrong_frame_kind": "A text frame on the MessagePack subprotocol, or a binary frame on the JSON one.",
    "too_many_messages": "The frame has more messages than the server accepts at once.",
    "hello_first": "The first message of a connection must be hello.",
    "hello_again": "This connection has already said hello.",
    "bad_token": "Unknown token, or a token is required.",
    "bad_resume": "Unknown resume secret, or its grace period is over.",
    "name_taken": "The name is in use, or reserved for a token.",
    "bad_name": "Names are 1 to 64 visible characters of one script, without bidirectional controls.",
    "revoked": "The token was revoked; the connection is closed.",
    "banned": "You are banned from this server.",
    "expelled": "An administrator closed the connection.",
    "closing": "The server is shutting down soon and accepts no new players or tables.",
    "too_many_connections": "Too many connections with one token or from one address.",
    "replaced": "A newer connection of the same player replaced this one.",
    "server_full": "The server accepts no more players, tables or bots at the moment.",
    "unknown_table": "No such table, or you have no seat there.",
    "already_seated": "You already have a seat at this table, or are watching it.",
    "no_seat": "No seat is free.",
    "too_many_tables": "You are already at as many tables as your hello allows.",
    "not_your_turn": "It is not your turn.",
    "not_asked": "The server did not ask for this ready, or you are not absent.",
    "stale_turn": "This turn is over.",
    "bad_policy": "The policy of this act cannot be true; the turn stays open and its clock runs on.",
    "illegal_action": "The rules do not allow this action now; the turn stays open and its clock runs on.",
    "bad_parameters": "The house bot does not take these parameters; see field.",
    "bad_table": "No table can be opened with these settings; see field.",
    "not_owner": "Only whoever opened the table or the tournament may do that.",
    "unknown_tournament": "No such tournament, or it is over.",
    "no_entry": "The tournament takes no entry of yours now, or has none to take back.",
    "too_fast": "Too many of these messages in a short time; wait a moment.",
    "bad_text": "A chat text is one line of 1 to 200 characters, without control characters.",
    "no_practice": "Only the player of a practice table may practise, hints are for his open turn.",
    "busy": "Too many people ask what a bot would have done; ask again in a moment.",
    "no_twice": "Hands are not run twice at this table.",
    "not_over": "Cards can be shown from the end of their hand until the next one begins.",
    "not_yours": "You can only show your own hole cards that are still hidden.",
    "too_many_faults": "Too many refused messages on this connection; it is closed.",
    "too_late": "Several frames in a row were not answered in time; the connection is closed.",
    "too_slow": "Too many unread messages; the connection is closed and the seat kept.",
    "shutting_down": "The server is stopping.",
    "internal": "Internal server error; it is not your fault.",
}


#: Refusals that are nobody's fault: they depend on circumstances, or the message crossed an event.
_NOBODYS: Final = frozenset(
    {
        *(
            "bad_name",
            "bad_resume",
            "banned",
            "busy",
            "closing",
            "expelled",
            "name_taken",
            "no_entry",
            "no_seat",
        ),
        *("not_over", "revoked", "server_full", "shutting_down", "stale_turn"),
    }
)


class WireError(ValueError):
    """A refusal: its stable ``code`` (a key of ``CODES``) and ``detail`` for people.

    ``fatal``: the connection is closed after it. ``field``: the faulty field of the message.
    """

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        table: str = "",
        turn: int | None = None,
        fatal: bool = False,
        field: str = "",
    ) -> None:
        assert code in CODES, code
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.table = table
        self.turn = turn
        self.fatal = fatal
        self.field = field

    @property
    def at_fault(self) -> Literal["player", "nobody", "pokerd"]:
        """Who caused it."""
        if self.code == "internal":
            return "pokerd"
        return "nobody" if self.code in _NOBODYS else "player"

    def __str__(self) -> str:
        return self.detail or CODES[self.code]


class MalformedFrame(WireError):
    """A frame that is not valid in this protocol. It is dropped whole; none of its messages is processed."""


class Refused(WireError):
    """A valid message that is not acceptable now. It changed nothing."""
