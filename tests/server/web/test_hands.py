"""Hands of open tables over the API: all that was played, and no card that is not the asker's to see."""

from __future__ import annotations

import asyncio
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from dealer.deck import commitment, parse_deal
from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.cards import CARD_TEXTS, parse_cards
from dealer.rules.events import Acted, BoardDealt, HandEnded, HandStarted, Shown
from dealer.rules.games import holdem
from dealer.rules.hand import AllIns, HandState
from server.web.exports import FORMATS
from tests.dealer.records.played import all_kinds, random_hand
from tests.server.web.visitors import GAME, SEED, Kept, cards_in, keep
from tests.support.houses.http_client import Answer, Browser, site


def known(hand: HandState, seat: int | None) -> set[str]:
    """The cards that a seat may know when the hand is over."""
    started = hand.events[0]
    assert isinstance(started, HandStarted)
    cards = set(started.hole[started.seats.index(seat)]) if seat is not None else set()
    for event in hand.events:
        if isinstance(event, BoardDealt):
            cards |= set(event.cards)
        elif isinstance(event, Shown):
            cards |= {card for _, hole in event.hands for card in hole}
    return {CARD_TEXTS[card] for card in cards}


async def everything(browser: Browser, kept: Kept) -> dict[str, Answer]:
    """All that the API says of a hand."""
    table = kept.recorder.run
    paths = [f"/api/hands/{kept.id}", *(f"/api/hands/{kept.id}.{suffix}" for suffix in FORMATS)]
    paths += [
        "/api/tables",
        f"/api/tables/{table}",
        f"/api/tables/{table}/hands",
        f"/api/tables/{table}/hands.csv",
    ]
    return {path: await browser.get(path) for path in paths}


async def test_nobody_sees_a_card_that_is_not_his_to_see(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        source = random.Random(3)
        hands = [random_hand(GAME, source, number, muck=True) for number in range(4)]
        hands += list(all_kinds(source, 1))
        hidden = 0
        for number, hand in enumerate(hands):
            kept = await keep(place, hand, f"t-{number}")
            stranger, forger = place.browser(), place.browser()
            await stranger.get("/")
            forger.cookie = kept.owners[0].cookie[:-2]
            askers: list[tuple[int | None, Browser]] = [
                (None, stranger),
                (None, forger),
                (None, place.browser()),
            ]
            askers += list(kept.owners.items())
            for seat, browser in askers:
                allowed = known(hand, seat)
                for path, answer in (await everything(browser, kept)).items():
                    found = cards_in(answer.text)
                    assert found <= allowed, (path, seat)
                told = (await browser.get(f"/api/hands/{kept.id}")).json()
                assert told["own"] == (-1 if seat is None else seat)
                assert cards_in(json.dumps(told)) == allowed
                assert not told["open"]
                listed = (await browser.get(f"/api/tables/{kept.recorder.run}/hands")).json()
                assert cards_in(json.dumps(listed)) == allowed
                assert listed["hands"][0]["cards"] == told["cards"]
                hidden += len(cards_in(" ".join(CARD_TEXTS)) - allowed)
        assert hidden


async def test_chances_are_told_only_to_who_sees_the_cards(tmp_path: Path) -> None:
    """Otherwise they would tell of the cards."""
    async with site(tmp_path) as place:
        told = 0
        for number in range(6):
            hand = random_hand(GAME, random.Random(number), number, muck=True)
            policy = (("c", 0.75), ("f", 0.25))
            events = [one._replace(policy=policy) if isinstance(one, Acted) else one for one in hand.events]
            kept = await keep(place, hand, f"t-{number}", events=events)
            acted = [event for event in events if isinstance(event, Acted)]
            for seat, browser in [(None, place.browser()), *kept.owners.items()]:
                chances = (await browser.get(f"/api/hands/{kept.id}")).json()["chances"]
                shown = [one for event in events if isinstance(event, Shown) for one in event.hands]
                shows = {one for one, hole in shown if hole}
                for event, found in zip(acted, chances, strict=True):
                    is_seen = event.seat == seat or event.seat in shows
                    assert found == ([list(one) for one in policy] if is_seen else [])
                    told += not is_seen
        assert told


async def test_equities_are_told_only_to_who_sees_all_cards_that_are_left(tmp_path: Path) -> None:
    """They are those of the cards that he sees, whatever the others folded."""
    async with site(tmp_path) as place:
        told = 0
        for number in range(8):
            hand = random_hand(GAME, random.Random(number), number, muck=True)
            kept = await keep(place, hand, f"t-{number}")
            shows = {
                seat
                for event in hand.events
                if isinstance(event, Shown)
                for seat, cards in event.hands
                if cards
            }
            for seat, browser in [(None, place.browser()), *kept.owners.items()]:
                equities = (await browser.get(f"/api/hands/{kept.id}")).json()["equities"]
                started = hand.events[0]
                assert isinstance(started, HandStarted)
                left, board = set(started.seats), 0
                for event, found in zip(hand.events, equities, strict=True):
                    if isinstance(event, Acted) and event.action == "fold":
                        left.discard(event.seat)
                    board += len(event.cards) if isinstance(event, BoardDealt) else 0
                    if len(left) < 2 or left - shows - {seat}:
                        assert found == []
                        continue
                    assert sum(found) == pytest.approx(1, abs=1e-3)
                    assert {one for one, share in zip(started.seats, found, strict=True) if share} <= left
                    told += board < 5
                    # When all is dealt, the best hand has all of it.
                    assert board < 5 or max(found) in {1, 0.5, 0.3333}
        assert told


async def test_cards_that_were_folded_unseen_do_not_change_equities(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        answers = []
        for number, folded in enumerate(("Th9h", "2c2d")):
            deal = parse_deal(f"AsJs|QhQd|{folded}/KsQs2h/7d/8d", GAME)
            hand = HandState(GAME, deal)
            for action in (FOLD, CALL, CALL, raise_to(290), CALL):
                hand.act(action)
            kept = await keep(place, hand, f"t-{number}")
            answers.append((await kept.owners[0].get(f"/api/hands/{kept.id}")).json()["equities"])
        assert answers[0] == answers[1]
        assert [] not in answers[0][2:]


async def test_odds_are_of_what_a_call_could_win(tmp_path: Path) -> None:
    """A big bet against a short stack risks only the stack, and cannot win more from each."""
    async with site(tmp_path) as place:
        game = holdem(3, 5, 10, stack=(300, 90, 300))
        hand = HandState(game, parse_deal("AsJs|QhQd|Th9h/KsQs2h/7d/8d", game))
        # The button raises to 300, the small blind folds, the big blind has 80 left.
        for action in (raise_to(300), FOLD, CALL):
            hand.act(action)
        kept = await keep(place, hand)
        odds = (await place.browser().get(f"/api/hands/{kept.id}")).json()["odds"]
        assert odds == [[10, 15], [295, 315], [80, 90 + 10 + 5]]


async def test_a_hand_is_told_as_it_was_to_its_viewer(tmp_path: Path) -> None:
    """Message by message what ``server.view`` makes of each event for that seat."""
    async with site(tmp_path) as place:
        hand = random_hand(GAME, random.Random(8), 5)
        kept = await keep(place, hand)
        for seat, browser in kept.owners.items():
            told = (await browser.get(f"/api/hands/{kept.id}")).json()
            start, begun, *_, end = told["messages"]
            assert start["type"] == "match_start"
            assert (start["seat"], start["seed"], start["players"]) == (
                seat,
                0,
                [f"player-{i}" for i in range(3)],
            )
            assert begun["type"] == "hand_start"
            position = begun["seats"].index(seat)
            assert (
                begun["hole"] == told["cards"][position] == [CARD_TEXTS[card] for card in hand.hole[position]]
            )
            assert end["type"] == "hand_end"
            assert [message["type"] for message in told["messages"][1:]] == [
                {"hand_started": "hand_start", "board_dealt": "board", "hand_ended": "hand_end"}.get(
                    event.kind, event.kind
                )
                for event in hand.events
            ]


async def test_cards_that_were_shown_afterwards_are_everybodys(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        hands = (random_hand(GAME, random.Random(number)) for number in range(100))
        hand = next(hand for hand in hands if not any(isinstance(event, Shown) for event in hand.events))
        kept = await keep(place, hand)
        seat = hand.seats[0]
        hidden = (await place.browser().get(f"/api/hands/{kept.id}")).json()["cards"]
        assert hidden == [[], [], []]
        kept.recorder.record_cards_shown(hand.number, seat, hand.hole[0][:1])
        told = (await place.browser().get(f"/api/hands/{kept.id}")).json()
        first, second = (CARD_TEXTS[card] for card in hand.hole[0])
        assert told["cards"] == [[first], [], []]
        kept.recorder.record_cards_shown(hand.number, seat, hand.hole[0][1:])
        told = (await place.browser().get(f"/api/hands/{kept.id}")).json()
        assert told["cards"] == [[first, second], [], []]
        assert [one["cards"] for one in told["messages"] if one["type"] == "showed"] == [[first], [second]]


async def test_the_lists_lead_from_page_to_page(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        recorder = place.archive.open_table("table-1", mode="cash", game=GAME, seats=3, commitment="c")
        for number in range(1, 8):
            recorder.begin(GAME, [("ann", ""), ("bob", ""), ("cleo", "")])
            recorder.record_hand(random_hand(GAME, random.Random(number), number).events)
        browser = place.browser()
        numbers: list[int] = []
        path = "/api/tables/table-1/hands?limit=3"
        while True:
            page = (await browser.get(path)).json()
            numbers += [hand["hand"] for hand in page["hands"]]
            if not page["next"]:
                break
            path = f"/api/tables/table-1/hands?limit=3&before={page['next']}"
        assert numbers == [7, 6, 5, 4, 3, 2, 1]
        rows = (await browser.get("/api/tables/table-1/hands.csv?limit=2")).rows()
        assert [(row["hand"], row["position"]) for row in rows] == [
            (str(hand), str(position)) for hand in (7, 6) for position in range(3)
        ]
        told = (await browser.get(f"/api/hands/{recorder.run}.4")).json()
        assert (told["previous"], told["next"]) == (f"{recorder.run}.3", f"{recorder.run}.5")
        first = (await browser.get(f"/api/hands/{recorder.run}.1")).json()
        assert first["previous"] == ""
        hand = page["hands"][-1]
        assert sum(hand["net"]) == 0
        assert set(hand["players"]) == {"ann", "bob", "cleo"}


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/tables/none", 404, "not_found"),
        ("/api/tables/table-1.99", 404, "not_found"),
        ("/api/tables/other.1", 404, "not_found"),
        ("/api/tables/none/hands", 404, "not_found"),
        ("/api/tables/table-1/hands?limit=x", 400, "bad_parameter"),
        ("/api/tables/table-1/hands?limit=-1", 400, "bad_parameter"),
        ("/api/tables/table-1/hands?limit=0", 400, "bad_parameter"),
        ("/api/tables/table-1/hands?limit=201", 400, "bad_parameter"),
        ("/api/tables/table-1/hands?limit=%D9%A3", 400, "bad_parameter"),
        ("/api/tables/table-1/hands?before=x", 400, "bad_parameter"),
        ("/api/tables/table-1/hands?before=table-1.7.1", 400, "bad_parameter"),
        ("/api/tables/table-1/hands?before=table-9.1.5", 400, "bad_parameter"),
        ("/api/hands/table-1.1.99", 404, "not_found"),
        ("/api/hands/table-2.1.1", 404, "not_found"),
        ("/api/hands/x.1.1", 404, "not_found"),
        ("/api/hands/table-1.1.1.exe", 404, "not_found"),
        ("/api/hands/table-1.01.1", 404, "not_found"),
        ("/api/hands/' OR 1=1 --".replace(" ", "%20"), 404, "not_found"),
    ],
)
async def test_what_does_not_exist(tmp_path: Path, path: str, status: int, code: str) -> None:
    async with site(tmp_path) as place:
        await keep(place, random_hand(GAME, random.Random(1), 1))
        answer = await place.browser().get(path)
        assert (answer.status, answer.json()["code"]) == (status, code)


async def test_a_table_that_is_closed_shows_its_seed(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        kept = await keep(place, random_hand(GAME, random.Random(1), 1))
        for name in ("table-1", "table-1.1"):
            before = (await place.browser().get(f"/api/tables/{name}")).json()
            assert (before["seed"], before["commitment"]) == ("", commitment(SEED))
        kept.recorder.close(SEED)
        for name in ("table-1", "table-1.1"):
            after = (await place.browser().get(f"/api/tables/{name}")).json()
            assert (after["open"], after["seed"], after["hands"]) == (False, SEED.hex(), 1)


HOSTILE = ["<script>alert(1)</script>", '=HYPERLINK("http://x","y")', 'a\u202eb,"c"\n']


async def test_hands_of_a_private_table_do_not_tell_the_way_to_it(tmp_path: Path) -> None:
    secret = "0123456789abcdef0123"
    table = f"private-{secret}-3"
    async with site(tmp_path) as place:
        hand = random_hand(GAME, random.Random(5), 1, muck=True)
        kept = await keep(place, hand, table)
        run = kept.recorder.run
        assert secret not in run
        stranger, owner = place.browser(), kept.owners[0]
        answers = await everything(stranger, kept)
        answers["own"] = await owner.get("/api/me/hands.csv")
        assert kept.id in answers["own"].text
        assert [path for path, answer in answers.items() if secret in answer.text or not answer.text] == []
        # Who knows the table finds its hands, who knows a run that run's, and a name in between nothing.
        for name, status in ((table, 200), (run, 200), (run.rpartition(".")[0], 404)):
            assert (await stranger.get(f"/api/tables/{name}/hands")).status == status
        # The state of the table is kept under its own name.
        kept.recorder.save_state(lambda: b"{}")
        place.archive.commit()
        place.archive.checkpoint()
        assert list(place.archive.table_states()) == [table]
        kept.recorder.forget()
        place.archive.commit()
        place.archive.checkpoint()
        assert not place.archive.table_states()


async def test_names_are_text_wherever_they_appear(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        kept = await keep(place, random_hand(GAME, random.Random(2), 1), names=HOSTILE)
        for path, answer in (await everything(place.browser(), kept)).items():
            assert not answer.headers["content-type"].startswith("text/html"), path
            assert answer.headers["x-content-type-options"] == "nosniff"
        told = (await place.browser().get(f"/api/hands/{kept.id}")).json()
        assert told["names"] == HOSTILE
        rows = (await place.browser().get("/api/tables/table-1/hands.csv")).rows()
        assert {row["player"] for row in rows} == {HOSTILE[0], f"'{HOSTILE[1]}", HOSTILE[2]}
        saved = await place.browser().get(f"/api/hands/{kept.id}.txt")
        assert re.fullmatch(r'attachment; filename="[A-Za-z0-9._-]+"', saved.headers["content-disposition"])


async def test_the_records_of_other_programs_are_told_to_their_reader(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        hands = (random_hand(GAME, random.Random(number), muck=True) for number in range(100))
        hand = next(hand for hand in hands if list(hand.seats) == [0, 1, 2])
        kept = await keep(place, hand)
        for seat, browser in [*kept.owners.items(), (None, place.browser())]:
            (text,) = (await browser.get(f"/api/hands/{kept.id}.ohh")).text.splitlines()[::2]
            ohh = json.loads(text)["ohh"]
            assert ohh["game_number"] == kept.id
            assert ohh["table_name"] == "table-1"
            assert ohh["start_date_utc"] > "2020"
            assert ohh["hero_player_id"] == (None if seat is None else seat + 1)
            phh = (await browser.get(f"/api/hands/{kept.id}.phh")).text
            assert (phh.count("d dh"), cards_in(phh)) == (3, known(hand, seat))


async def test_a_game_that_a_format_cannot_tell(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        kuhn = next(hand for hand in all_kinds(random.Random(1), 1) if hand.game.name.startswith("kuhn"))
        kept = await keep(place, kuhn)
        statuses: dict[str, int] = {}
        for suffix in FORMATS:
            statuses[suffix] = (await place.browser().get(f"/api/hands/{kept.id}.{suffix}")).status
        assert statuses == {"phh": 404, "ohh": 404, "txt": 200, "json": 200}


async def test_a_hand_that_was_settled_otherwise(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        spare = parse_cards("2s3s4s5s6s")
        ways = {"equity": AllIns(equity=True), "twice": AllIns(agreed=(0, 1, 2), spare=lambda: spare)}
        for name, all_ins in ways.items():
            hand = HandState(
                GAME, parse_deal("AsJs|QhQd|Th9h/KsQs2h/7d/8d", GAME), muck=True, all_ins=all_ins
            )
            for action in (FOLD, raise_to(300), CALL):
                hand.act(action)
            kept = await keep(place, hand, name)
            told = (await kept.owners[0].get(f"/api/hands/{kept.id}")).json()
            text = (await place.browser().get(f"/api/hands/{kept.id}.txt")).text
            end = told["messages"][-1]
            ended = hand.events[-1]
            assert isinstance(ended, HandEnded)
            if name == "twice":
                assert end["second"] == ["2s", "3s", "4s", "5s", "6s"]
                assert [pot.get("board", 0) for pot in end["pots"]] == [0, 1]
                assert "Second board: 2s 3s 4s 5s 6s" in text
                assert "from the pot on the second board" in text
            else:
                assert end["equity"] is True
                assert "divided by equity" in text
                # What the replayer shows is what the pot was divided by.
                shares = dict(zip(hand.seats, told["equities"][-1], strict=True))
                for seat, chips in ended.pots[0].wins:
                    assert shares[seat] * ended.pots[0].amount == pytest.approx(chips, abs=0.6)
            for suffix in ("phh", "ohh"):
                assert (await place.browser().get(f"/api/hands/{kept.id}.{suffix}")).status == 404


async def test_many_ask_at_once(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        kept = await keep(place, random_hand(GAME, random.Random(1), 1))
        answers = await asyncio.gather(*(place.browser().get(f"/api/hands/{kept.id}") for _ in range(40)))
        told: list[Any] = [answer.json() for answer in answers]
        assert all(one == told[0] for one in told)
