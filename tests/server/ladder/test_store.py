"""What a ladder remembers, and the moves between the states of a version."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import server.ladder.matches as matches_module
import server.ladder.store as store_module
from dealer.luck.value import shipped_value
from dealer.ratings.dice import DiceSums
from dealer.ratings.results import LineUpSums
from server.ladder.errors import LadderError
from server.ladder.matches import begin_season, match_directory
from server.ladder.records import NEXT_STATES, Author, MatchResult
from server.ladder.store import LadderStore
from server.storage.sqlite import StateError

_SUMS = LineUpSums(50, (1000, -1000), (90_000, -90_000, 90_000))
_RESULT = MatchResult(DiceSums((), _SUMS), {})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LadderStore]:
    opened = LadderStore(tmp_path, "1")
    yield opened
    opened.close()


def test_a_newer_version_replaces_the_older_when_it_is_ready(store: LadderStore) -> None:
    for now in (1.0, 2.0):
        version = store.add_version("ann", "pushed", "f" * 64, ("python", "bot.py"), "received", now)
        store.set_state(version.name, "checking", now)
        assert [one.name for one in store.playing()] == (["ann@1"] if now == 2.0 else [])
        store.set_state(version.name, "ready", now)
    assert [one.name for one in store.playing()] == ["ann@2"]
    assert store.version("ann@1").state == "replaced"
    assert store.version("ann@2").command == ("python", "bot.py")


def test_a_refused_version_leaves_the_older_in_its_place(store: LadderStore) -> None:
    store.add_version("ann", "pushed", "a", (), "rated", 1.0)
    second = store.add_version("ann", "pushed", "b", (), "received", 2.0)
    store.set_state(second.name, "refused", 3.0, "no command")
    assert [one.name for one in store.playing()] == ["ann@1"]
    assert store.version(second.name).reason == "no command"


def test_every_state_leads_on_or_is_an_end() -> None:
    reached = {state for states in NEXT_STATES.values() for state in states}
    assert reached | {"received"} == set(NEXT_STATES)


def test_matches_and_results_survive_closing(store: LadderStore, tmp_path: Path) -> None:
    first = store.add_match(("bob@1", "ann@1"), "first", 1.0)
    second = store.add_match(("ann@1", "bob@1"), "challenge", 2.0, "ann", counts=False)
    store.start_match(second.number)
    store.start_match(first.number)
    store.end_match(first.number, 3.0, 0.5, _RESULT, {"ann@1": {"timeout": 2}})
    store.end_match(second.number, 4.0, 0.5, _RESULT, {})
    again = LadderStore(tmp_path, "1")
    match = again.match(first.number)
    assert match.line_up == ("ann@1", "bob@1")
    assert match.result == _RESULT
    assert match.incidents == {"ann@1": {"timeout": 2}}
    # A challenge that does not count is in no rating.
    assert again.results().sums(match.line_up) == _SUMS
    assert again.last_matches() == {"ann@1": 2, "bob@1": 2}
    assert again.last_begun() == {"ann@1": 2, "bob@1": 2}
    assert again.work() == {"ann": (2, 1.0), "bob": (0, 1.0)}
    again.close()


def test_matches_are_counted_as_they_are_begun_and_not_again_after_a_kill(store: LadderStore) -> None:
    first, second = (store.add_match(pair, "rated", 1.0) for pair in (("a", "b"), ("b", "c")))
    assert [store.start_match(one) for one in (second.number, first.number, second.number)] == [1, 2, 1]
    assert store.last_begun() == {"a": 2, "b": 2, "c": 1}


def test_old_matches_become_sums_and_nothing_changes(store: LadderStore) -> None:
    pairs = (("a", "b"), ("a", "c"), ("a", "b"), ("b", "c"), ("a", "b"))
    for place, pair in enumerate(pairs):
        match = store.add_match(pair, "rated", 1.0, counts=place != 3)
        store.start_match(match.number)
        if place != 1:
            store.end_match(match.number, 2.0, 0.5, _RESULT, {})
    before, work = store.results(), store.work()
    for until in (1, 1, 4):
        store.add_up(until)
        assert store.results() == before
    store.remove_sums(["c", "nobody"])
    assert store.results() == before.among(["a", "b"])
    # The one that is being played stays.
    assert [match.number for match in store.matches()] == [2, 5]
    assert store.work() == work
    assert store.add_match(("a", "b"), "rated", 3.0).number == 6


def test_who_does_not_play_any_more_leaves_no_match_behind(store: LadderStore) -> None:
    for number in (1, 2):
        store.add_version("ann", "pushed", f"{number}", (), "received", 1.0)
        store.set_state(f"ann@{number}", "checking", 1.0)
        store.set_state(
            f"ann@{number}", "ready", 1.0, first=[[bot, f"ann@{number}"] for bot in ("call", "fair")]
        )
    matches = store.matches()
    assert [(match.number, match.line_up[0], match.state) for match in matches] == [
        (1, "ann@1", "failed"), (2, "ann@1", "failed"), (3, "ann@2", "queued"), (4, "ann@2", "queued"),
    ]  # fmt: skip
    assert all(match.reason for match in matches[:2])
    assert store.version("ann@1").reason
    store.start_match(3)
    store.end_match(3, 2.0, 0.5, _RESULT, {}, moves={"ann@2": ("refused", "marked")})
    assert [match.state for match in store.matches()] == ["failed", "failed", "done", "failed"]
    assert store.playing() == []


def test_house_bots_come_and_go_with_the_file(store: LadderStore) -> None:
    store.put_house(["call", "fair", "random"], 1.0)
    waiting = store.add_match(("call", "random"), "rated", 1.0).number
    played = store.add_match(("call", "random"), "rated", 1.0).number
    store.end_match(played, 2.0, 0.5, _RESULT, {})
    for _ in range(2):
        store.put_house(["call", "fair"], 3.0)
        assert [one.name for one in store.playing()] == ["call", "fair"]
    gone = store.version("random")
    assert (gone.state, gone.settled_at, bool(gone.reason)) == ("replaced", 3.0, True)
    assert (store.match(waiting).state, store.match(played).state) == ("failed", "done")
    assert set(store.house_bots()) == {"call", "fair", "random"}
    store.put_house(["call", "random"], 4.0)
    assert [(one.name, one.reason) for one in store.playing()] == [("call", ""), ("random", "")]
    assert [len(store.versions(bot)) for bot in ("call", "fair", "random")] == [1, 1, 1]


def test_challenges_are_counted_by_author_and_time(store: LadderStore) -> None:
    for author, now in (("ann", 1.0), ("ann", 5.0), ("bob", 5.0), ("", 5.0)):
        store.add_match(("a", "b"), "challenge", now, author)
    asked = (("ann", 0.0), ("ann", 2.0), ("bob", 5.0), ("", 0.0))
    assert [store.count_challenges(*one) for one in asked] == [2, 1, 0, 0]


def test_a_new_season_begins_without_results(store: LadderStore, tmp_path: Path) -> None:
    match = store.add_match(("ann@1", "bob@1"), "rated", 1.0)
    store.end_match(match.number, 2.0, 0.5, _RESULT, {})
    second = LadderStore(tmp_path, "2")
    assert len(second.results()) == 0
    assert second.last_matches() == {}
    assert second.add_match(("ann@1", "bob@1"), "rated", 3.0).number == 2
    second.close()


def test_a_freeze_ends_with_its_season(store: LadderStore, tmp_path: Path) -> None:
    store.freeze(undo=False)
    second = LadderStore(tmp_path, "2")
    assert (store.frozen, second.frozen) == (True, False)
    second.freeze(undo=False)
    assert (store.frozen, second.frozen) == (True, True)
    second.freeze(undo=True)
    assert (store.frozen, second.frozen) == (True, False)
    second.close()


def test_what_an_earlier_version_froze_stays_frozen(store: LadderStore, tmp_path: Path) -> None:
    store.set_fact("frozen", "yes")
    again, next_season = LadderStore(tmp_path, "1"), LadderStore(tmp_path, "2")
    assert (again.frozen, next_season.frozen) == (True, False)
    again.close()
    next_season.close()


def test_a_season_keeps_the_value_function_with_which_it_began(
    store: LadderStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = store.value_function
    assert first == shipped_value().digest
    begin_season(tmp_path, store)
    other = shipped_value()._replace(digest="f" * 64)
    monkeypatch.setattr(store_module, "shipped_value", lambda: other)
    monkeypatch.setattr(matches_module, "shipped_value", lambda: other)
    # What it has found stays readable, by the name of what took out the luck.
    assert store.value_function == first
    with pytest.raises(LadderError) as refused:
        begin_season(tmp_path, store)
    assert refused.value.code == "other_value_function"
    assert store.value_function == first
    second = LadderStore(tmp_path, "2")
    # Matches were played before anybody noted with what.
    number = second.add_match(("ann@1", "bob@1"), "rated", 1.0).number
    second.start_match(number)
    second.end_match(number, 2.0, 1.0, _RESULT, {})
    published = match_directory(tmp_path, number) / "commitment.json"
    published.parent.mkdir(parents=True)
    published.write_text(json.dumps({"value_function": first}), encoding="utf-8")
    with pytest.raises(LadderError) as refused:
        begin_season(tmp_path, second)
    assert refused.value.code == "other_value_function"
    published.unlink()
    begin_season(tmp_path, second)
    assert (second.value_function, store.value_function) == ("f" * 64, first)
    second.close()


def test_reading_makes_no_file(tmp_path: Path) -> None:
    reader = LadderStore(tmp_path, "1", make=False)
    assert reader.versions() == []
    assert not reader.frozen
    reader.close()
    assert list(tmp_path.iterdir()) == []


def test_matches_in_progress_count_in_the_season_in_which_they_end(
    store: LadderStore, tmp_path: Path
) -> None:
    done, going, queued = (store.add_match(("ann@1", "bob@1"), "rated", 1.0).number for _ in range(3))
    store.end_match(done, 2.0, 0.5, _RESULT, {})
    store.start_match(going)
    second = LadderStore(tmp_path, "2")
    second.take_over_matches()
    for number in (going, queued):
        second.end_match(number, 3.0, 0.5, _RESULT, {})
    played = [[sums.deal_sets for _, sums in one.results()] for one in (store, second)]
    assert played == [[_SUMS.deal_sets], [2 * _SUMS.deal_sets]]
    second.close()


def test_what_is_not_there_has_a_code(store: LadderStore) -> None:
    with pytest.raises(LadderError) as refused:
        store.version("nobody@1")
    assert refused.value.code == "unknown_bot"
    with pytest.raises(LadderError) as refused:
        store.match(7)
    assert refused.value.code == "unknown_match"


def test_authors_keep_their_tokens(store: LadderStore) -> None:
    store.put_authors([Author("ann", "1" * 64, "A"), Author("bob", "2" * 64, "")])
    store.put_authors([Author("ann", "1" * 64, "B")])
    assert store.authors() == [Author("ann", "1" * 64, "B"), Author("bob", "2" * 64, "")]
    assert store.author_by_hash("2" * 64) == Author("bob", "2" * 64, "")
    assert store.author_by_hash("3" * 64) is None


def test_another_file_is_no_ladder(tmp_path: Path) -> None:
    (tmp_path / "ladder.db").write_bytes(b"not a database at all, but long enough to be looked at" * 40)
    with pytest.raises(StateError):
        LadderStore(tmp_path, "1")
