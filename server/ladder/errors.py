"""What can be wrong with a request to the ladder."""

from __future__ import annotations

from server.errors import ServerError


class LadderError(ServerError):
    """A request that cannot be fulfilled.

    Of the directory and its files: ``ladder_exists``, ``not_a_ladder``, ``ladder_in_use``,
    ``bad_ladder_file``, ``bad_roster``, ``not_frozen``, ``too_few_bots``, ``too_few_hands``, ``other_game``
    (the game or the length of a match changed since matches were played), ``other_value_function`` (the
    season began with another). Of an author: ``bad_token``, ``unknown_bot``, ``unknown_match``, ``frozen``,
    ``push_limit`` (too many in an hour), ``challenge_limit``, ``bad_challenge``. Of the client: ``bad_url``,
    ``unreachable``, ``no_command`` (no such folder), ``too_large``.
    """
