"""What the rules refuse, and why.

    RulesError (CodedError)     code: a stable name for the reason
    ├── CardError               text or a number that is not a card
    ├── GameError               a game definition or a table setting that cannot be played
    ├── ActionError             not an action at all: the speaker does not know our language
    ├── IllegalAction           an action, but not a legal one here; carries what is legal
    └── ReplayError             recorded events that do not follow from the rules

Whatever raises one of these has changed nothing.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from dealer.rules.legal import Legal

#: Whose fault an error is.
AtFault = Literal["user", "player", "environment", "pokerd"]


class CodedError(ValueError):
    """Base of the error root of every room but ``protocol``: whatever raises it has changed nothing.

    ``code`` is stable and meant for programs, ``detail`` for people, and may change. ``at_fault`` says whose
    fault it is: of the ``user`` who asked, of a ``player`` (a program at the table), of the ``environment``
    (disk, network, database, libraries), or of ``pokerd`` itself. Made from ``(code, detail)``; a class that
    has one code names it, and is made from ``(detail)``.
    """

    code: str
    at_fault: ClassVar[AtFault] = "user"

    def __init__(self, *code_and_detail: str) -> None:
        super().__init__(*code_and_detail)
        *code, self.detail = code_and_detail
        if code:
            (self.code,) = code

    def __str__(self) -> str:
        return self.detail


class RulesError(CodedError):
    """Base of everything the rules refuse."""


class CardError(RulesError):
    """Not a card. Codes: ``bad_card``, ``duplicate_card``, ``bad_card_count``."""


class GameError(RulesError):
    """A game that cannot be played. The codes are listed with ``Game`` and ``parse_game``."""


class ActionError(RulesError):
    """Not an action. Codes: ``unknown_action``, ``bad_amount``."""


class IllegalAction(RulesError):
    """An action that the rules do not allow now.

    Codes: ``hand_over``, ``nothing_to_call``, ``raise_not_allowed``, ``raise_too_small``,
    ``raise_too_large``, ``raise_size_fixed``.
    """

    legal: Legal

    def __init__(self, code: str, message: str, legal: Legal) -> None:
        super().__init__(code, message)
        self.legal = legal


class ReplayError(RulesError):
    """Recorded events and the rules disagree.

    Codes: ``bad_events`` (no hand can be started from them), ``replay_differs``, ``card_unknown``.
    ``index`` is the number of the first event that differs, counted from 0.
    """

    index: int

    def __init__(self, code: str, message: str, index: int) -> None:
        super().__init__(code, message)
        self.index = index
