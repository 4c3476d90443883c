"""What each program that does something wrong is told."""

from __future__ import annotations

from tests.server.check.dialogues import Told

BREAKS = {"resume", "resume-later"}


def fault(*checks: str) -> Told:
    return set(checks), set()


def advice(*checks: str) -> Told:
    return set(), set(checks)


#: What each of ``tests/system/server/check/wrong.py`` is told.
NATIVE_GUILT: dict[str, Told] = {
    "Right": fault(),
    "Packed": fault(),
    "Mender": fault(),
    "Absent": fault("connect"),
    "Stillborn": fault("connect"),
    "Foreign": fault("subprotocol"),
    "Anonymous": fault("token"),
    "Hasty": fault("hello-first"),
    "Mute": fault("hello-first"),
    "Polite": fault("hello-once"),
    "Babbler": fault("frames"),
    "Hollow": fault("frames"),
    "Binary": fault("frames"),
    "Huge": fault("frames"),
    "Typist": fault("fields"),
    "Inventor": fault("fields"),
    "NeverReady": fault("ready"),
    "AlwaysReady": fault("ready-once"),
    "Misaddressed": fault("table"),
    "Counter": fault("turn-number"),
    "Elsewhere": fault("table"),
    "Double": fault("answers-once"),
    "Eager": fault("unasked"),
    "Slow": fault("in-time"),
    "Thinker": fault(),
    "Silent": fault("plays"),
    "Crasher": fault("plays"),
    "Leaver": fault("plays"),
    "By": fault("raise-to"),
    "Total": fault("raise-bounds"),
    "Greedy": fault("raise-bounds"),
    "Raiser": fault("no-raise"),
    "Checker": fault("check-a-bet"),
    "Folder": fault("fold-free"),
    "OneMatch": advice("next-match"),
    "Narrow": fault("turn-number"),
    "Duellist": fault("side-pots", "ten-seats", "company"),
    "Ascii": fault("ten-seats"),
    "TwoCards": advice("one-card"),
    "Whole": fault("fractions"),
    "WholeStacks": fault("fractions"),
    "WholeRefill": fault("fractions"),
    "NoRaise": fault("all-in"),
    "Refilled": fault("refilled"),
    "Dealt": fault("eliminated", "company"),
    "Strict": fault("unknown-fields"),
    "Closed": fault("unknown-types"),
    "Default": fault("defaults"),
    "TypeFirst": fault("order"),
    "Compact": fault("spelling"),
    "Pair": fault("arrays"),
    "Single": fault("arrays"),
    "SingleOrNothing": fault("arrays"),
    "Deaf": fault("fragments", "ping"),
    "Small": fault("big-frame"),
    "Plodder": fault("many-tables"),
    "LastTurn": fault("many-tables"),
    "Touchy": ({"late"}, {"back"}),
    "Sulking": advice("back"),
    "Early": ({"unasked", "answers-once"}, {"back"}),
    "Fatalist": (BREAKS, {"restart"}),
    "Ender": (set(), {*BREAKS, "restart"}),
    "Forgetful": (BREAKS, {"restart"}),
    "Once": (set(), {*BREAKS, "restart"}),
    "Timid": advice("restart"),
    "Impatient": advice("restart"),
    "Returner": fault("goodbye"),
    "Visitor": advice("goodbye"),
    "Learner": advice("reset"),
    "Lingering": ({"goodbye"}, {"shutdown"}),
    "Parent": fault("orphans"),
    "Homeless": advice("join"),
    "Loner": fault("company"),
    "Shy": fault("company"),
    "Fighter": advice("replaced"),
    "Stormer": advice("turned-away"),
    "Survivor": advice("shutdown", "turned-away"),
}
GAMES = {"three-players", "six-players", "ten-players", "short-stacks"}
SEGMENTS = {"one-segment", "split-line"}
#: What each of ``wrong_acpc.py`` there is told.
ACPC_GUILT: dict[str, Told] = {
    "Right": fault(),
    "Absent": fault("connect"),
    "Stillborn": fault("connect"),
    "Mute": fault("version"),
    "Greeter": fault("version"),
    "Older": advice("version"),
    "Forgetter": fault("echo"),
    "Colonless": fault("colon"),
    "Amountless": fault("colon"),
    "Inventor": fault("action"),
    "Folder": fault("fold-free"),
    "Raiser": fault("no-raise"),
    "Street": fault("amount"),
    "By": fault("amount"),
    "Loud": advice("exact"),
    "Unix": advice("line-end"),
    "Endless": fault("no-line-end"),
    "Typewriter": fault("no-line-end"),
    "Breathless": fault("no-line-end"),
    "Monosyllabic": fault("echo"),
    "Stale": fault("echo"),
    "Later": fault("echo"),
    "Commentator": fault("plays"),
    "Chatty": fault("silent"),
    "Mourner": fault("folded"),
    "Double": fault("once"),
    "Slow": fault("in-time"),
    "Silent": fault("plays"),
    "Crasher": fault("plays"),
    "Narrow": fault("large-hands"),
    "Witness": advice("mid-hand"),
    "Duellist": (GAMES, {"one-card"}),
    "Lingering": ({"ends"}, {"cut-off"}),
    "Parent": fault("orphans"),
}
#: Checked as processes, by ``tests/system``; of the others conversations are kept. These have no fault, or
#: one that shows in how the program starts and ends, or they say too much to be kept.
LIVE = {
    *("Right", "Packed", "Mender", "Thinker"),
    *("Whole", "Dealt", "Single", "SingleOrNothing"),
    *("Small", "Stormer", "Survivor"),
    *("Stillborn", "Huge", "Crasher", "Deaf", "Once", "Loner", "Fighter", "Lingering", "Parent"),
}
LIVE_ACPC = {"Right", "Stillborn", "Commentator", "Breathless", "Crasher", "Duellist", "Lingering", "Parent"}
