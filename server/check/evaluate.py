"""What is wrong with a conversation: what it told while it went on, and what was missing at its end. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from server.check.final_rules import endings
from server.check.live_rules import Judge, Memory
from server.check.model import Entry, Played
from server.check.scenarios import Scene

__all__ = ["judge"]


def judge(
    scene: Scene,
    seconds: float,
    entries: Sequence[Entry],
    memory: Memory,
    last_words: str = "",
    *,
    whole: bool = True,
) -> Played:
    """What is found in the conversation of a scene; ``seconds`` is the time for each answer. ``memory`` is
    kept from scene to scene, and forgotten when another process is started. Unless the conversation is
    ``whole``, what is missing is no fault.
    """
    one = Judge(scene, seconds, memory)
    for entry in entries:
        one.take(entry)
    if whole:
        one.end()
        endings(one)
    ended = {"gave up", "exited", "still running"} & set(one.events)
    return Played(scene.id, one.findings, one.reached, entries, last_words if ended else "")
