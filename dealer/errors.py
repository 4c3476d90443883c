"""What can be wrong with what the dealer is given beside the rules.

    DealerError (CodedError)
    ├── DeckError     a seed, a hand number or a written deal that cannot be dealt
    ├── MatchError    a division, seating or session that cannot be planned
    ├── ScoreError    results that do not belong to the plan or cannot be scored
    ├── RecordError   a record that cannot be written in, or read from, its format
    └── TurnRefused   an act that is not acceptable now (``dealer.table``)

Errors of the game itself (cards, game files, actions) are in ``dealer.rules.errors``.
"""

from __future__ import annotations

from dealer.rules.errors import CodedError


class DealerError(CodedError):
    """Base of the dealer's errors that are not about rules."""


class DeckError(DealerError):
    """``bad_seed``, ``bad_match``, ``bad_hand``, ``bad_deal`` or ``commitment_mismatch``."""


class MatchError(DealerError):
    """An impossible plan.

    ``bad_name``, ``duplicate_name``, ``bad_count``, ``bad_table_size``, ``too_few_bots``, ``bad_seatings``,
    ``too_many_seatings``, ``bad_line_ups``, ``bad_series`` or ``too_many_sessions``.
    """


class ScoreError(DealerError):
    """Results that cannot be scored.

    ``unknown_session``, ``duplicate_result``, ``bad_result``, ``bad_big_blind``, ``nothing_to_score``,
    ``bad_probability``, ``bad_value_function``, ``too_few_bots`` or ``bad_bounds``.
    """


class RecordError(DealerError):
    """A record does not follow its format; the modules of ``dealer.records`` list the codes."""
