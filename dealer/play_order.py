"""In which order sessions are played where bots could remember: those with the same deals far apart.

Whoever sits at another seat of a deal again, and remembers, knows cards of his opponents. Nobody can be made
to forget; but what lies far back is harder to find again, and whoever profits all the same is found out
(``dealer.audit``). For that the order of the seatings is drawn, for each match anew: nothing but memory can
tell the first from the later ones.

The order changes no deal and no record.
"""

from __future__ import annotations

import hmac
from collections import defaultdict
from collections.abc import Collection, Sequence
from operator import itemgetter

from dealer.match import Session

__all__ = ["play_order", "smallest_gap"]


def play_order(sessions: Sequence[Session], spread: int, key: bytes) -> tuple[Session, ...]:
    """The sessions in the order in which they are played; ``key`` draws what is drawn (``play_key``).

    Matches are taken in blocks of ``apart`` or more (of all, if there are fewer), so that standings can grow
    block by block. Within a block the sessions of every match are spread evenly. Where all have the same
    number of sessions, that is match by match: from one session to the next of the same match it is as many
    steps as the block has matches, at least min(``apart``, matches); and as many in the sessions of each bot
    alone, for in each round through the matches the same line-up plays. Where match k has n(k) sessions it is
    at least 1 + the sum over the others of floor(n(i) / n(k)). ``apart`` 0: the order as it is.
    """
    if not spread:
        return tuple(sessions)
    matches = sorted({session.match for session in sessions})
    blocks = max(1, len(matches) // spread)
    block_of = {match: place * blocks // len(matches) for place, match in enumerate(matches)}
    dealt: defaultdict[int, list[Session]] = defaultdict(list)
    for session in sessions:
        dealt[session.match].append(session)
    # The line-ups in an order drawn for the block, the seatings of each in one drawn for the match.
    drawn: dict[tuple[int, str, int], bytes] = {}
    placed: list[tuple[int, float, int, Session]] = []
    for match, same in dealt.items():
        block = block_of[match]
        ranked = []
        for session in same:
            line_up = block, session.division, session.line_up
            if line_up not in drawn:
                drawn[line_up] = _digest(key, f"line-up {line_up}")
            ranked.append((drawn[line_up], _digest(key, f"order {session.name}"), session))
        ranked.sort(key=itemgetter(0, 1))
        placed += [(block, (rank + 0.5) / len(same), match, one) for rank, (*_, one) in enumerate(ranked)]
    placed.sort(key=itemgetter(0, 1, 2))
    return tuple(session for *_, session in placed)


def _digest(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")


def smallest_gap(order: Sequence[Session], bots: Collection[str]) -> int | None:
    """Steps in ``order`` between two sessions with the same deals in which the same one of ``bots`` sits, at
    least; 1 when one follows the other. None: that never happens.
    """
    last: dict[tuple[int, str], int] = {}
    found: int | None = None
    for step, session in enumerate(order):
        for bot in session.players:
            if bot in bots:
                before = last.get((session.match, bot))
                if before is not None and (found is None or step - before < found):
                    found = step - before
                last[session.match, bot] = step
    return found
