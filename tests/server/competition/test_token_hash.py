"""A remote bot in a competition: its token is known by its hash alone, and is nowhere in the results."""

from __future__ import annotations

from typing import Any

import pytest

from server.auth.tokens import hash_token
from server.competition.file import CompetitionError, parse_competition
from tests.support.competitions.arena import ROOT, bot, competition, division

TOKEN = "kZ3a-secret-of-the-far-one"


@pytest.mark.parametrize(
    ("far", "code"),
    [
        ({"token_hash": "x"}, "bad_field"),
        ({"token_hash": hash_token(TOKEN).upper()}, "bad_field"),
        ({"token": TOKEN, "token_hash": hash_token(TOKEN)}, "bad_field"),
        ({"token_hash": hash_token(TOKEN), "reset": "message"}, "bad_field"),
        ({"token_hash": hash_token(TOKEN), "limits": {"files": 64}}, "bad_field"),
        ({"token_hash": hash_token("the other one")}, "duplicate_token"),
    ],
)
def test_a_hash_that_is_none_or_goes_with_nothing(far: dict[str, Any], code: str) -> None:
    text = competition([bot("far", **far), bot("other", token="the other one")], [division(hands=3)])
    with pytest.raises(CompetitionError) as refusal:
        parse_competition(text, ROOT)
    assert refusal.value.code == code
