"""What an answer comes to, decided without sockets."""

from __future__ import annotations

import pytest

from dealer.rules.games import load_game
from server.acpc_dealer.play import AcpcMatch

#: What may follow the state in an answer, right and wrong.
ENDINGS = (
    *(":c", ":f", ":r", ":r300", ":r1", ":r999999999", ":C", ":k", ":B300", ":r 300", ":r300.7xyz"),
    *("", ":", " :c", ":x", "::c", ":\0c", ":c\0", "AhKd:c", "/2c3c4c:c", ":f:c"),
)


@pytest.mark.parametrize(
    "name", ["holdem.limit.2p.reverse_blinds", "holdem.nolimit.2p.reverse_blinds", "holdem.limit.3p"]
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_an_exact_copy_of_the_state_is_judged_as_any_other_spelling_of_it(name: str, ending: str) -> None:
    """The dealer need not parse what is byte for byte what it has sent; a blank makes it parse."""
    play = AcpcMatch(load_game(name), 7, 1, ["A", "B", "C"][: 3 if "3p" in name else 2])
    while not play.over:
        state = play.prompt
        parsed = state.replace(b"MATCHSTATE:", b"MATCHSTATE: ", 1)
        end = ending.encode() + b"\r\n"
        assert play.judge(state + end) == play.judge(parsed + end)
        play.act("call")
