"""Every refusal that can travel on the wire, with its stable code.

* ``WireError``: base; carries ``code``, a sentence for people, and where known the table and turn.

  * ``MalformedFrame``: the frame is not in our language; whoever sent it is at fault.
  * ``Refused``: the message is well formed but not acceptable here and now.

``CODES`` is the whole list; ``docs/protocol.md`` and ``docs/people.md`` document each, and a test compares
them.
"""

from __future__ import annotations

from typing import Final, Literal

__all__ = ["CODES", "MalformedFrame", "Refused", "WireError"]

CODES: dict[str, str] = {
    "malformed_frame": "The frame is not valid JSON, MessagePack or UTF-8, or no message of this protocol.",
    "wrong_frame_kind": "A text frame on the MessagePack subprotocol, or a binary frame on the JSON one.",
    "too_many_messages": "One frame carried more messages than the server takes at once.",
    "hello_first": "The first message of a connection must be hello.",
    "hello_again": "hello was already said on this connection.",
    "bad_token": "The token is not known here, or one is needed.",
    "bad_resume": "The resume token is not known, or its grace period is over.",
    "name_taken": "Somebody else plays under this name, or it belongs to a token.",
    "bad_name": "A name has 1 to 64 characters of one script, some that are seen, none that turns the text.",
    "revoked": "The token was taken back; the connection is closed.",
    "banned": "You are kept out of this server.",
    "expelled": "An administrator closed the connection.",
    "closing": "The server is about to stop and takes nobody new.",
    "too_many_connections": "Too many connections of one token or from one address.",
    "replaced": "A newer connection of the same player took over; this one is closed.",
    "server_full": "The server takes no more players or tables at the moment.",
    "unknown_table": "You hold no seat at this table, or there is no such table.",
    "already_seated": "You already hold a seat at this table, or watch it.",
    "no_seat": "No seat is free at this table.",
    "too_many_tables": "You already play at as many tables as you said you can.",
    "not_your_turn": "Somebody else is to act, or nobody is.",
    "not_asked": "ready or back was said although nothing asks for it.",
    "stale_turn": "The act answers a turn that is over.",
    "illegal_action": "The rules do not allow this action now; the turn stays open and its clock runs on.",
    "bad_table": "A table like that cannot be opened; field says what is wrong.",
    "not_owner": "Only who opened a table may seat house bots there.",
    "too_fast": "Too much of this in a short time; wait a moment.",
    "bad_text": "Chat is one line of 1 to 200 characters, without control characters.",
    "not_over": "Cards can be shown from the end of their hand until the next one begins.",
    "not_yours": "These are not hole cards of yours that nobody has seen.",
    "too_many_faults": "Too many refused frames on this connection; it is closed.",
    "too_slow": "The receiver let too many messages pile up; the connection is closed and its seat kept.",
    "shutting_down": "The server is stopping.",
    "internal": "A fault of the server. Nothing that you sent was the cause.",
}


#: Nobody did anything wrong: it is so at the moment, or was so by the time that the message came.
_NOBODYS: Final = frozenset(
    {
        *("bad_name", "bad_resume", "banned", "closing", "expelled", "name_taken", "no_seat", "not_over"),
        *("revoked", "server_full", "shutting_down", "stale_turn"),
    }
)


class WireError(ValueError):
    """A refusal with its stable ``code`` (a key of ``CODES``) and the facts of the case in words.

    ``fatal``: the connection cannot go on after it. ``field``: what was wrong in the message.
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
        """Whose fault it is."""
        if self.code == "internal":
            return "pokerd"
        return "nobody" if self.code in _NOBODYS else "player"

    def __str__(self) -> str:
        return self.detail or CODES[self.code]


class MalformedFrame(WireError):
    """Not our language. The frame is dropped whole and nothing in it is carried out."""


class Refused(WireError):
    """Our language, but not here or not now. Nothing changed by it."""
