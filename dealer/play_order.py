"""The order of sessions for bots that could remember: sessions with the same deals are far apart.

A bot that meets a deal again at another seat, and remembers it, knows its opponents' cards. Nobody can make
it forget; but distance makes remembering harder, and bots that profit are detected (``dealer.audit``). For
that the order of the seatings is drawn for each match: only memory can tell the first from the later ones.

The order changes no deal and no record.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from operator import itemgetter

from dealer.match import Session, keyed_digest


def play_order(sessions: Sequence[Session], spread: int, key: bytes) -> tuple[Session, ...]:
    """Return the sessions in playing order; ``key`` seeds the random choices (``play_key``).

    Matches are taken in blocks of at least ``spread`` (or all, if there are fewer), so that standings can
    grow block by block. Within a block the sessions of every match are spread evenly. If all matches have the
    same number of sessions, two consecutive sessions of a match are as many steps apart as the block has
    matches, at least min(``spread``, matches); this also holds among the sessions of each bot, because each
    round through the matches has one line-up. If match k has n(k) sessions, the distance is at least 1 + the
    sum over the others of floor(n(i) / n(k)). ``spread`` 0: the given order.
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
                drawn[line_up] = keyed_digest(key, f"line-up {line_up}")
            ranked.append((drawn[line_up], keyed_digest(key, f"order {session.name}"), session))
        ranked.sort(key=itemgetter(0, 1))
        placed += [(block, (rank + 0.5) / len(same), match, one) for rank, (*_, one) in enumerate(ranked)]
    placed.sort(key=itemgetter(0, 1, 2))
    return tuple(session for *_, session in placed)


def smallest_gap(order: Sequence[Session], bots: Collection[str]) -> int | None:
    """Return the smallest distance in ``order`` between two sessions with the same deals and the same one of
    ``bots``; 1 if adjacent, None if there are none.
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
