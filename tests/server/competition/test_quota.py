"""What remote bots of a competition may do at the door, by its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.auth.tokens import Quota
from server.competition.file import parse_competition
from server.competition.resume import verify_extends
from server.competition.store import StoreError
from tests.support.competitions.arena import ROOT, bot, competition, division

TOKEN = "token-of-the-far-one"
STEADY = bot("steady", run="call", reset="message", tables=4)


def test_the_usual_quota_holds_where_the_file_says_nothing() -> None:
    text = competition([bot("far", token=TOKEN), STEADY], [division()])
    far, steady = parse_competition(text, ROOT).entry.bots
    assert far.grant is not None
    assert (far.grant.quota, far.grant.hash) == (Quota(), far.secret)
    assert steady.grant is None


def test_it_may_be_changed_while_the_competition_goes_on() -> None:
    def planned(**fields: object) -> str:
        return competition([bot("far", token=TOKEN, **fields), STEADY], [division()])

    before = parse_competition(planned(rate=10), ROOT)
    verify_extends(before, parse_competition(planned(tables=3), ROOT), Path("out"))
    # What a managed bot plays at once is another matter.
    other = competition([bot("far", token=TOKEN), {**STEADY, "tables": 3}], [division()])
    with pytest.raises(StoreError, match="steady"):
        verify_extends(before, parse_competition(other, ROOT), Path("out"))
