"""The hands of a day and the links for friends: dates, seeds, ranks, and what counts."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.deck import verify_commitment
from dealer.rules.games import holdem
from pokerd.commands.serve import offered_bots
from protocol.errors import Refused
from protocol.people import ChallengeHand, ChallengeResult
from server.people.same_deals import (
    BOTS,
    GRACE,
    HANDS,
    MAX_FRIENDS,
    MAX_SOURCES,
    MAX_TRIES_PER_DAY,
    RIVAL,
    SameDeals,
    day_of,
    day_request,
    day_seed,
    is_day,
    link_token,
    mean_of,
    publication_time,
    streak,
    worse,
)
from server.storage.hand_store import HandStore, TableRecorder
from server.tables.config import challenge_seeds, config_from_request

SECRET = bytes(range(32))
DAY = "2025-11-25"
#: What is stored has the time at which a test runs.
TODAY = day_of(time.time())
NOON = datetime(2025, 11, 25, 12, tzinfo=UTC).timestamp()


class Clock:
    """A clock that a test sets."""

    def __init__(self, now: float = NOON) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def archive(tmp_path: Path) -> AsyncIterator[HandStore]:
    archive = HandStore(tmp_path / "hands.sqlite3")
    yield archive
    await archive.close()


def test_a_day_changes_at_midnight_in_utc() -> None:
    midnight = datetime(2025, 11, 26, tzinfo=UTC).timestamp()
    assert [day_of(midnight - 0.001), day_of(midnight)] == [DAY, "2025-11-26"]
    assert publication_time(DAY) == midnight + GRACE
    # A day without a leap second has 24 hours, wherever the server is and whatever its clocks do there.
    assert publication_time("2025-03-30") - publication_time("2025-03-29") == 86_400


@given(st.dates().map(lambda day: day.isoformat()))
def test_every_date_is_a_day(text: str) -> None:
    assert is_day(text)


@pytest.mark.parametrize(
    "text", ["", "today", "20251125", "2025-W48-2", "2025-02-29", "2025-1-1", "table-5.8"]
)
def test_what_is_no_day(text: str) -> None:
    assert not is_day(text)


def test_seeds_follow_from_secret_and_day_alone() -> None:
    # printf 'pokerd daily deals 1\0002025-11-25' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0001...1f
    assert day_seed(SECRET, DAY).hex() == "3575284bd05f6ef3c76238055b807fe0ac97c853007042eed516148db6422680"
    days = {day_seed(SECRET, f"2025-11-{day:02}") for day in range(1, 31)}
    assert len(days) == 30
    assert day_seed(bytes(32), DAY) != day_seed(SECRET, DAY)
    assert link_token(SECRET, "table-5.8") != link_token(SECRET, "table-5.9")
    assert len(link_token(SECRET, "table-5.8")) == 22


def test_bots_roll_the_same_dice_for_the_same_deals() -> None:
    seeds = challenge_seeds(SECRET, 6)
    assert seeds == challenge_seeds(SECRET, 6)
    assert len(set(seeds)) == 6
    assert all(0 <= seed < 1 << 48 for seed in seeds)
    assert not set(seeds) & set(challenge_seeds(bytes(32), 6))


def test_the_table_of_a_day_is_one_that_may_be_asked_for() -> None:
    offered = offered_bots()
    config = config_from_request(day_request(DAY, offered, 0), offered)
    assert (config.bots, config.rival, config.hands, config.seats) == (BOTS, RIVAL, HANDS, 6)
    assert len({*BOTS, RIVAL}) == 6
    assert config.stakes.title == "no-limit hold'em 5/10"
    few = {name: offered[name] for name in ("call", "hbb5", "raise")}
    config = config_from_request(day_request(DAY, few, 0), few)
    assert config.bots == ("hbb5", "call", "raise", "call", "raise")
    assert config.rival == "call"


@pytest.mark.parametrize(
    ("days", "length"),
    [([], 0), ([25], 1), ([24], 1), ([23], 0), ([23, 24], 2), ([23, 24, 25], 3), ([22, 24, 25], 2)],
)
def test_a_streak_lasts_until_a_day_is_over_without_play(days: list[int], length: int) -> None:
    assert streak({f"2025-11-{day}" for day in days}, DAY) == length


def test_a_streak_crosses_the_year() -> None:
    assert streak({"2023-12-31", "2024-01-01", "2024-02-29"}, "2024-01-01") == 2


def test_ranks_and_means() -> None:
    assert worse(10, [5, 10, 20, -3]) == 2
    assert worse(10, []) == 0
    assert mean_of([], 10) is None
    few = mean_of([10, 30], 10)
    assert few is not None
    assert (few.mean, few.low, few.high) == (2, None, None)
    many = mean_of([float(net) for net in range(-50, 60, 10)], 10)
    assert many is not None
    assert many.low is not None
    assert many.high is not None
    assert many.low < many.mean < many.high


# What counts.


def table(archive: HandStore, name: str, kind: str = f"day {TODAY}") -> TableRecorder:
    game = holdem(2, 5, 10, stack=1000)
    return archive.open_table(name, mode="challenge", game=game, seats=2, commitment="", kind=kind)


def result(net: int, deals: str = TODAY, of: int = 1) -> ChallengeResult:
    hands = [ChallengeHand(1, net, 0)]
    return ChallengeResult(
        table="t",
        run="",
        rival_run="t-rival.9",
        player="ann",
        rival="fair-2",
        opponents=[],
        game="",
        big_blind=10,
        of=of,
        hands=hands,
        player_net=net,
        rival_net=0,
        mean=net,
        half=None,
        decided=False,
        deals=deals,
    )


def play(archive: HandStore, identity: str, net: int, deals: str = TODAY, **more: int) -> TableRecorder:
    kind = f"day {TODAY}" if deals == TODAY else ""
    recorder = table(archive, f"table-{net}", kind)
    recorder.begin_challenge(deals, identity, more.get("most", 1000))
    recorder.conclude(result(net, deals, more.get("of", 1)), b"{}", identity)
    recorder.close(SECRET)
    return recorder


async def test_the_first_try_counts(archive: HandStore) -> None:
    same = SameDeals(archive, SECRET, Clock())
    first = play(archive, "ann", 30)
    play(archive, "ann", 90)
    play(archive, "bob", -20)
    play(archive, "", 500)
    found = await same.results(TODAY)
    assert [(one.net, one.run == first.number) for one in found] == [(30, True), (-20, False)]
    assert await same.days_of("ann") == {TODAY}
    assert await same.days_of("") == set()
    # A cookie is a key to a seat: it is not stored where somebody must only be recognised.
    assert "ann" not in [one.who for one in found]


async def test_who_begins_has_used_his_try(archive: HandStore) -> None:
    """Otherwise one could look at the cards, go, and come again."""
    table(archive, "table-1").begin_challenge(TODAY, "ann", 1000)
    play(archive, "ann", 90)
    play(archive, "bob", 10, of=2)
    found = await SameDeals(archive, SECRET, Clock()).results(TODAY)
    assert [one.net for one in found] == [None, None]


async def test_only_so_many_count(archive: HandStore) -> None:
    for number, who in enumerate("abcd"):
        play(archive, who, number, most=3)
    assert len(await SameDeals(archive, SECRET, Clock()).results(TODAY)) == 3


async def test_a_result_that_comes_after_the_seed_does_not_count(archive: HandStore) -> None:
    """This archive writes today's time, and that day is long over."""
    play(archive, "ann", 30, deals="2024-02-29")
    [found] = await SameDeals(archive, SECRET, Clock()).results("2024-02-29")
    assert found.net is None


def test_the_seed_is_published_when_the_day_is_over(archive: HandStore) -> None:
    clock = Clock()
    same = SameDeals(archive, SECRET, clock)
    committed = same.commitment(DAY)
    for clock.now in (NOON, publication_time(DAY) - 0.001):
        assert same.published_seed(DAY) == ""
        assert not same.is_published(DAY)
    clock.now = publication_time(DAY)
    assert same.today() == "2025-11-26"
    verify_commitment(bytes.fromhex(same.published_seed(DAY, committed)), committed)
    assert same.published_seed(DAY, "0" * 64) == ""
    assert same.published_seed("2025-11-26") == ""


async def test_the_archive_does_not_know_the_seed(archive: HandStore, tmp_path: Path) -> None:
    recorder = play(archive, "ann", 30)
    run = await archive.run(recorder.number)
    assert run is not None
    assert (run.day, run.seed, run.closed_at is not None) == (TODAY, "", True)
    rival = recorder.rival_recorder()
    rival.close(SECRET)
    run = await archive.run(rival.number)
    assert run is not None
    assert (run.day, run.seed, run.is_rival, run.secret) == (TODAY, "", True, False)
    written = b"".join([file.read_bytes() for file in _files(tmp_path)])
    assert recorder.run.partition(".")[0].encode() in written
    assert SECRET.hex().encode() not in written


def _files(folder: Path) -> list[Path]:
    return list(folder.glob("hands.*"))


async def test_days_are_forgotten_after_a_year_and_challenges_are_not(archive: HandStore) -> None:
    clock = Clock(time.time())
    same = SameDeals(archive, SECRET, clock)
    play(archive, "ann", 30)
    own = play(archive, "ann", 10, deals="")
    clock.now += 365 * 86_400
    same.admit(("guest", "::1"))
    assert len(await same.results(TODAY)) == 1
    clock.now += 2 * 86_400
    same.admit(("guest", "::1"))
    assert await same.results(TODAY) == []
    assert len(await same.results(own.run)) == 1


def test_so_many_tables_a_day(archive: HandStore) -> None:
    clock = Clock()
    same = SameDeals(archive, SECRET, clock)
    for _ in range(MAX_TRIES_PER_DAY):
        same.admit(("guest", "1"))
    with pytest.raises(Refused) as refusal:
        same.admit(("guest", "1"))
    assert refusal.value.code == "server_full"
    for number in range(2, MAX_SOURCES + 1):
        same.admit(("guest", str(number)))
    with pytest.raises(Refused):
        same.admit(("guest", "one more"))
    clock.now += 86_400
    same.admit(("guest", "1"))


# Links.


def reason(same: SameDeals, link: str, identity: str) -> str:
    with pytest.raises(Refused) as refusal:
        same.find_link(link, identity)
    assert (refusal.value.code, refusal.value.field) == ("bad_table", "deals")
    return refusal.value.detail


def test_a_link_is_good_for_so_many_friends_once_each(archive: HandStore) -> None:
    same = SameDeals(archive, SECRET)
    own = play(archive, "ann", 10, deals="")
    link = same.link(own.run)
    found = same.find_link(link, "bob")
    assert (found.result.player_net, found.setup, found.seed, found.left) == (10, b"{}", SECRET, MAX_FRIENDS)
    told = [reason(same, link, "ann")]
    for number in range(MAX_FRIENDS):
        play(archive, f"friend {number}", number + 100, deals=own.run)
    friend = play(archive, "friend 0", 1000, deals=own.run)
    told += [reason(same, link, "friend 0"), reason(same, link, "bob")]
    assert len(set(told)) == 2
    # Links lead to the first who played, not on to others.
    told.append(reason(same, same.link(friend.run), "bob"))
    assert len(set(told)) == 3


def test_a_link_expires(archive: HandStore) -> None:
    clock = Clock()
    same = SameDeals(archive, SECRET)
    own = play(archive, "ann", 10, deals="")
    until = same.find_link(same.link(own.run), "bob").until
    late = SameDeals(archive, SECRET, clock)
    clock.now = until - 1
    late.find_link(same.link(own.run), "bob")
    clock.now = until
    reason(late, same.link(own.run), "bob")


@pytest.mark.parametrize(
    "change", ["", "x", "table-1.1", "table-1.1.", ".", "table-1.2.é", "a.b.c", "\x00.\x00"]
)
def test_nobody_guesses_a_link(archive: HandStore, change: str) -> None:
    play(archive, "ann", 1, deals="")
    reason(SameDeals(archive, SECRET), change, "bob")


def test_no_link_leads_to_a_day_or_to_what_was_broken_off(archive: HandStore) -> None:
    same = SameDeals(archive, SECRET)
    for recorder in (play(archive, "ann", 10), play(archive, "ann", 20, deals="", of=2)):
        reason(same, same.link(recorder.run), "bob")
