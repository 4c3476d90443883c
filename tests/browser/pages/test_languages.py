"""Every text asks the catalogue, and the table can be played by hand in each language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import replays, scenes
from tests.browser import site as pages
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.contest import FOUR, PAGE, competition, mixed, offer
from tests.browser.pages.answers import DAYS, LEADERS, PLAYERS, day, ended, leaders_of
from tests.browser.screenshots import betting, scenes_of
from tests.browser.site import BOTS, Dealer, Site
from tests.web.catalogues import used_texts

#: A language that no page is in: its catalogue puts every text in brackets.
MARKED = "eo"
#: Text outside of brackets, and attributes that are read and have none.
UNMARKED = """() => {
  const found = [];
  const data = "script, style, noscript, kbd, code, pre, time, .hash, [translate=no]";
  const keep = (text) => /\\p{L}{2}/u.test(text) && found.push(text.trim());
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let depth = 0;
  while (walker.nextNode()) {
    let bare = "";
    for (const sign of walker.currentNode.data) {
      if (sign === "⟦") depth += 1;
      else if (sign === "⟧") depth -= 1;
      else if (!depth) bare += sign;
    }
    if (!walker.currentNode.parentElement.closest(data)) keep(bare);
  }
  for (const name of ["alt", "aria-label", "aria-valuetext", "placeholder", "title"]) {
    for (const element of document.body.querySelectorAll(`[${name}]`)) {
      let text = element.getAttribute(name);
      while (/⟦[^⟦⟧]*⟧/.test(text)) text = text.replace(/⟦[^⟦⟧]*⟧/g, "");
      keep(text);
    }
  }
  return found;
}"""


@cache
def data_words() -> set[str]:
    """The words that people, programs and formats are called by, in every language."""
    look = pages.PAGES / "look"
    texts = [
        *scenes.NAMES,
        *FOUR,
        "pokerd JSON CSV PHH OHH NL Elo D J Q K A T p SHA bb Kitchen table Friday night duel spring",
        "txt phh ohh json Poker Hand History Open club night Olga Nice hand hello everybody at this table",
        *re.findall(r'"([^"]+)"', (look / "characters.js").read_text("utf-8").split("STRENGTHS")[0]),
        *re.findall(r'"(\w+)"', (look / "table_names.js").read_text("utf-8")),
        *BOTS,
        *(one["name"] for each in pages.PARAMETERS.values() for one in each),
        *(choice for each in pages.PARAMETERS.values() for one in each for choice in one["choices"]),
    ]
    return set(re.findall(r"[^\W\d_]+", " ".join(texts)))


def unmarked(page: Page) -> list[str]:
    """Texts that are in no catalogue; also a title with half of a mark."""
    words = data_words()
    texts = [text for text in page.evaluate(UNMARKED) if not set(re.findall(r"[^\W\d_]+", text)) <= words]
    title = page.title()
    return texts if title.count("⟦") == title.count("⟧") else [*texts, title]


@cache
def marked_catalogue() -> dict[str, str | list[str]]:
    """Everything in English, and in brackets."""
    catalogue: dict[str, str | list[str]] = {}
    for text in used_texts():
        key = f"{text.context}\x04{text.text}" if text.context else text.text
        # What is less important in little room stays so.
        one, other = (f"⟦{form}⟧".replace("|", "⟧|⟦") if "|" in form else f"⟦{form}⟧" for form in text[:2])
        catalogue[key] = [one, other] if text.plural else one
    return catalogue | {does: f"⟦{does}⟧" for does in BOTS.values()}


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(pages.CATALOGUES, MARKED, marked_catalogue())


SCENES = {
    name: scene
    for name, scene in scenes_of().items()
    if not re.match(
        r"(betting|showdown|run-out|twice|equity)-(?!6|offered)|hud-10|rich|lobby|tournament|beside", name
    )
}


#: What one page can show one after the other; the end of a challenge stays.
PLAIN = sorted(
    (name for name, scene in SCENES.items() if not scene.settings and not scene.press),
    key=lambda name: name == "challenge",
)


@pytest.mark.usefixtures("marked")
def test_the_table_says_nothing_beside_the_catalogue(visit: Visit) -> None:
    dealer = visit(locale=MARKED)
    dealer.hears("hello")
    found = {}
    for name in PLAIN:
        dealer.say(*scenes.in_match(name, SCENES[name].messages))
        dealer.breathe()
        dealer.page.locator(SCENES[name].seen).first.wait_for()
        found[name] = unmarked(dealer.page)
    assert {case: texts for case, texts in found.items() if texts} == {}


@pytest.mark.usefixtures("marked")
@pytest.mark.parametrize("name", [name for name in SCENES if name not in PLAIN])
def test_with_settings_and_behind_buttons_it_does_not_either(visit: Visit, name: str) -> None:
    scene = SCENES[name]
    page = visit(scene.messages, locale=MARKED, settings=dict(scene.settings)).page
    page.locator(scene.seen).first.wait_for()
    if scene.press:
        button = page.get_by_role("button", name=scene.press.split()[0], include_hidden=True).first
        if not button.is_visible():
            page.locator(".menu-button").click()
        button.click()
    assert unmarked(page) == []


def of_day(site: Site) -> str:
    site.api["/api/days/today"] = day()
    return "/challenge/today"


def of_challenge(site: Site) -> str:
    site.api["/api/challenges/table-5.8"] = ended()
    return "/challenge/table-5.8"


def of_competition(site: Site, section: str) -> str:
    told = competition(FOUR, mixed)
    told["incidents"]["duel"]["bob"] = {"timeout": 3, "illegal_action": 2}
    offer(site, told)
    return f"{PAGE}#duel/{section}"


def of_replay(site: Site) -> str:
    return replays.open_table(site, [replays.betting(3)], name="club night")


ESTIMATE = {"mean": 12.5, "low": -3.0, "high": 28.0}
SCORE = {
    "results": 3, "tournaments": 10, "won": 4, "hands": 512, "share": ESTIMATE, "share_adjusted": ESTIMATE,
    "bb100": ESTIMATE, "bb100_adjusted": ESTIMATE,
}  # fmt: skip
SETTING = {
    "mode": "tournament", "game": "nolimit", "bots": ["fair"] * 4, "rival": "", "small_blind": 5,
    "big_blind": 10, "ante": 1, "stack": 1000, "levels": 0, "min_raise": "bb", "matches": 10, "hands": 0,
    "memory": "series",
}  # fmt: skip


def of_people(site: Site) -> str:
    site.api["/api/people"] = {"groups": [{"setting": SETTING, "score": SCORE}]}
    olga = [one | {"name": "Olga"} for one in LEADERS]
    site.api["/api/leaders"] = leaders_of("2026-11", olga, [one | {"name": "Olga"} for one in DAYS])
    site.api["/api/players"] = {"players": [one | {"name": "Olga"} for one in PLAYERS]}
    return "/people"


STYLE = {
    "hands": 40, "vpip": 0.3, "pfr": 0.2, "three_bet": None, "aggression": 0.4, "went_to_showdown": 0.2,
    "won_at_showdown": 0.5, "flops": 12, "showdowns": 4,
}  # fmt: skip


def of_me(site: Site) -> str:
    group = {
        "label": "",
        "mode": "cash",
        "hands": 40,
        "won": 12,
        "rate": 30,
        "half": 50,
        "at": 1_790_000_000_000,
    }
    curve = {"hands": [10, 40], "won": [5, 12], "half": [None, 20]}
    hand = {
        "hand": "table-1.1.3", "at": 1_790_000_000_000, "mode": "cash", "game": "holdem.nolimit.6p",
        "position": "D", "won": 20, "adjusted": 12,
    }  # fmt: skip
    site.api["/api/me"] = {
        "hands": 40, "complete": False, "total": group, "adjusted": group, "curve": curve,
        "adjusted_curve": curve, "sessions": [group], "style": STYLE,
        "positions": [{**STYLE, "position": "D"}, {**STYLE, "position": "D"}], "biggest": [hand],
        "without_luck": group,
    }  # fmt: skip
    return "/me"


def of_push_fold(site: Site) -> str:
    chances = [1.0] * 169
    for half in range(4, 41):
        stack = half / 2
        site.api[f"/api/push-fold/{stack:g}"] = {
            "stack": stack, "jam": chances, "call": chances, "jam_gain": chances, "call_gain": chances,
            "jam_percent": 100, "call_percent": 100, "jam_range": "22+", "call_range": "22+",
        }  # fmt: skip
    return "/push-fold"


def of_tournament(site: Site, status: str, own: int) -> str:
    site.api["/api/tournaments"] = {"tournaments": [scenes.event("tournament-1", status)]}
    site.api["/api/tournaments/tournament-1"] = scenes.tournament(
        status, own, hand_for_hand=True, rests_ms=60_000
    )
    return "/tournament/tournament-1"


#: Two are raised out, and the viewer calls with the worse hand, twice.
SPOTS = [replays.played(3, [60, "call", "fold", 200], number=number) for number in range(12)]


def of_spots(site: Site) -> str:
    """The drill from one's own hands: half of them were lost."""
    site.api["/api/me"] = {"complete": True}
    rows = []
    for hand in SPOTS:
        losers = [seat for seat, net in zip(hand.seats, hand.values, strict=True) if net < 0]
        replays.open_table(site, [hand], own=losers[-1])
        rows.append(f"table-1.7.{hand.number},{hand.number},{hand.number}")
    site.api["/api/me/hands.csv"] = "\n".join(["hand,at,won", *rows])
    return "/spots"


DECLARED = {"decisions": 9000, "p": 0.4, "believed": True}
MATCH = {
    "number": 3, "line_up": ["Anna@2", "Chidi"], "why": "challenge", "counts": False, "asked_by": "Anna",
    "state": "done", "queued_at": 1.79e9, "ended_at": 1.79e9, "seconds": 3.0, "deal_sets": 40,
    "incidents": {"Anna@2": {"timeout": 3}}, "reason": "", "means": {"Anna@2": 120.0, "Chidi": -120.0},
}  # fmt: skip
VERSIONS = [
    {
        "name": f"Anna@{at}", "bot": "Anna", "number": at, "kind": "pushed", "hash": "0" * 64,
        "state": state, "reason": "", "pushed_at": 1.79e9, "settled_at": 1.79e9,
    }
    for at, state in enumerate(("replaced", "refused", "checking", "rated"), 1)
]  # fmt: skip
RATING = {
    "bot": "Anna@4", "author": "Anna", "version": 4, "kind": "pushed", "state": "rated", "hash": "0" * 64,
    "rating": 312.0, "half": 40.0, "deal_sets": 4000, "ranks": [1, 2], "ahead": 0.99,
    "worst": {"bot": "Chidi", "mean": -12.0, "half": 9.0}, "elo": 120, "declared": DECLARED,
}  # fmt: skip
LADDER: dict[str, object] = {
    "": {
        "name": "spring", "season": "1", "game": "holdem.nolimit.2p", "deal_sets": 40, "players": 2,
        "frozen": True, "blind": True, "method": "m", "value_function": "0" * 64, "unit": "mbb/hand",
        "bots": [RATING, RATING | {"bot": "Chidi", "author": "Chidi", "kind": "remote", "declared": None}],
        "interaction": {"deviation": 40.0, "share": 0.3, "p_value": 0.001},
    },
    "/queue": {
        "matches": [MATCH | {"state": state} for state in ("playing", "queued", *["queued"] * 13)],
        "next": [{"line_up": ["Anna", "Chidi"], "fall": 0.1, "seconds": 9.0}],
        "waits": [{"bot": "Farid", "matches": 3}],
    },
    "/bots/Anna": {
        "bot": "Anna", "versions": [*VERSIONS, *VERSIONS, *VERSIONS], "rating": RATING,
        "opponents": [{"bot": "Chidi", "mean": -12.0, "half": 9.0, "deal_sets": 40}],
        "grades": [{"rule": "Olga", "passed": passed, "p": 0.01} for passed in (True, False, None)],
        "errors": [{"match": 3, "at": 1.79e9, "incidents": {"timeout": 3, "illegal_action": 1}}],
        "matches": [MATCH | {"why": why, "state": state} for why in ("first", "final", "rated", "challenge")
                    for state in ("done", "failed")],
    },
    "/bots/Anna/history": {
        "bot": "Anna", "complete": False,
        "points": [{"match": at, "at": 1.79e9, "version": "Anna@4", "mean": 9.0 * at, "half": 4.0,
                    "deal_sets": 40} for at in range(1, 4)],
    },
    "/bots/Anna/style": {
        "version": "Anna@4", "complete": False, "total": STYLE,
        "positions": [{**STYLE, "position": "D"}, {**STYLE, "position": "D"}],
    },
    "/matches/3": MATCH | {"hands": True},
    "/mine": {
        "name": "Anna", "group": "Olga", "pseudonym": "Chidi", "versions": [*VERSIONS, *VERSIONS],
        "deadlines": [{"name": "Olga", "at": 4e9}],
    },
    "/organiser": {
        "name": "spring", "season": "1", "frozen": False, "blind": True,
        "roster": [{"name": "Anna", "group": "Olga", "pseudonym": "Chidi", "versions": 2}],
        "deadlines": [{"name": "Olga", "at": 4e9, "group": group} for group in ("Olga", "")],
    },
    "/organiser/grades": {
        "method": "m", "value_function": "0" * 64, "rules": ["Olga"],
        "rows": [{
            "author": "Anna", "group": "Olga", "deadline": "Olga", "version": version, "state": state,
            "pushed_at": 1.79e9, "rating": 312.0, "half": 40.0, "ranks": [1, 2], "passed": [passed],
            "declared": DECLARED | {"believed": False}, "incidents": 3, "play_hours": 1.5, "late": ["Anna@4"],
        } for version, state, passed in (("Anna@3", "rated", True), ("", "", False), ("", "", None))],
    },
}  # fmt: skip


def of_ladder(site: Site, path: str) -> str:
    for address, told in LADDER.items():
        site.api[f"/api/ladder{address}"] = told
    for version in VERSIONS:
        site.api[f"/api/ladder/mine/Anna%40{version['number']}/log"] = "Olga"
    of_competition(site, "matches")
    for address, found in list(site.api.items()):
        if address.startswith("/api/competitions/spring"):
            site.api[address.replace("competitions/spring", "competitions/match-3")] = found
    return f"/ladder{path}"


#: What an author and an organiser of a ladder have logged in with.
TOKENS = """if (location.protocol === "http:") {
  localStorage.setItem("pokerd ladder", "t");
  sessionStorage.setItem("pokerd ladder organiser", "t");
}"""

#: Pages by name: what the site tells, and what is there when the page has heard it.
PAGES: dict[str, tuple[Any, str]] = {
    "lobby": (lambda site: (of_day(site), "/")[1], "[data-today]"),
    "challenge": (lambda _: "/challenge", "form"),
    "result": (of_challenge, ".verdict"),
    "day": (of_day, ".lead"),
    "replay": (of_replay, ".count"),
    "bots": (lambda _: "/bots", ".bots"),
    "bot": (lambda _: "/bots/fair", ".portrait"),
    "people": (of_people, ".results"),
    "me": (of_me, ".chart"),
    "push or fold": (of_push_fold, ".wishes"),
    "spots": (of_spots, ".spot"),
    "ladder": (lambda site: of_ladder(site, ""), "main table"),
    "bot of the ladder": (lambda site: of_ladder(site, "/bots/Anna"), "main .chart"),
    "match of the ladder": (lambda site: of_ladder(site, "/matches/3"), ".in-text"),
    "my bot": (lambda site: of_ladder(site, "/mine"), "main .uploads"),
    "organiser of the ladder": (lambda site: of_ladder(site, "/organiser"), "main table"),
    "competitions": (lambda site: (of_competition(site, ""), "/competitions")[1], "main"),
    "organiser": (lambda _: "/organiser", "form"),
    "tournaments": (lambda site: (of_tournament(site, "open", -1), "/tournament")[1], ".events"),
    **{
        f"tournament, {status}, {own}": (
            lambda site, status=status, own=own: of_tournament(site, status, own),
            "main table",
        )
        for status, own in (("open", -1), ("open", 0), ("running", 0), ("over", 1))
    },
    **{
        section: (
            lambda site, section=section: of_competition(site, section),
            f"main:has([aria-current=page][href$={section}]) :is(table, .chart)",
        )
        for section in ("standings", "crosstable", "curves", "matches", "incidents")
    },
}
#: Enough for one test.
GROUPS = [list(PAGES)[at : at + 7] for at in range(0, len(PAGES), 7)]


def walk(visit: Visit, site: Site, names: Iterable[str], **look: Any) -> Iterator[tuple[str, Page]]:
    """Pages one after the other in the same tab, with all details open."""
    site.api["/api/tables"] = {"tables": [scenes.entry(number) for number in range(1, 9)]}
    page: Page | None = None
    for name in names:
        tell, seen = PAGES[name]
        path = tell(site)
        if page:
            page.goto(site.url + path)
        else:
            page = visit(path=path, script=TOKENS, **look).page
        page.locator(seen).first.wait_for(state="attached")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        yield name, page


@pytest.mark.usefixtures("marked")
@pytest.mark.parametrize("names", GROUPS, ids=lambda names: names[0])
def test_pages_say_nothing_beside_the_catalogue(visit: Visit, site: Site, names: list[str]) -> None:
    found = {}
    for name, page in walk(visit, site, names, locale=MARKED):
        expect(page.locator("html")).to_have_attribute("lang", MARKED)
        found[name] = unmarked(page)
    assert {case: texts for case, texts in found.items() if texts} == {}


#: By language: a button, an amount on it, what I have, and what the log says of a raise, a call and the end.
WORDS = {
    "de": (
        "Erhöhen auf",
        "1.280",
        "Deine Hand: Ass hoch",
        "Farid erhöht auf 320",
        "Du erhöhst auf 1.280",
        "Du gewinnst",
    ),
    "es": ("Subir a", "1280", "Tienes as alto", "Farid sube a 320", "Subes a 1280", "Ganas"),
    "fr": (
        "Relancer à",
        "1\u202f280",
        "Ta main : hauteur as",
        "Farid relance à 320",
        "Tu relances à 1\u202f280",
        "Tu gagnes",
    ),
}


@pytest.mark.parametrize("language", WORDS)
def test_the_table_is_played_by_hand_in_the_language_of_the_browser(visit: Visit, language: str) -> None:
    button, chips, mine, theirs, done, end = WORDS[language]
    dealer: Dealer = visit(betting(9), locale=f"{language}-{language.upper()}")
    page = dealer.page
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator(".notice")).to_contain_text(mine)
    log = page.locator(".log")
    expect(log).to_contain_text(theirs)
    expect(page.locator("[data-too-soon]")).to_have_count(0)
    page.locator("#amount").fill(chips)
    raises = page.locator("[data-slot=raise]")
    expect(raises).to_contain_text(f"{button} {chips}")
    assert violations(page) == []
    raises.click()
    assert dealer.hears("act")["to"] == 1280
    dealer.say(scenes.acted(0, "raise", 1280, 1260))
    expect(log).to_contain_text(done)
    dealer.say(*(scenes.acted(seat, "fold") for seat in range(1, 9)), scenes.hand_end(9))
    expect(log).to_contain_text(f"{end} 50")


def test_limits_that_the_server_tells_are_told_in_the_language_of_the_page(visit: Visit) -> None:
    refused = {
        "type": "error",
        "code": "server_full",
        "message": "at most 12 house bots can play here at once",
    }
    page = visit([*scenes.deal(3), refused], locale="de-DE").page
    expect(page.get_by_text("Hier können höchstens 12 Hausbots zugleich spielen")).to_be_visible()


def test_errors_of_a_form_are_in_the_language_of_the_page(visit: Visit, site: Site) -> None:
    site.api["/api/tables"] = {"tables": []}
    page = visit(path="/", locale="en-US").page
    page.get_by_label("Language").select_option("Deutsch")
    form = page.locator("#own-form")
    form.evaluate("(form) => { for (const one of document.querySelectorAll('details')) one.open = true; }")
    form.locator("[name=seats]").fill("99")
    form.locator("button:not([type=button])").last.click()
    expect(form.get_by_role("alert")).to_have_text(re.compile(r"^Gib eine Zahl von [\d.]+ bis [\d.]+ ein\.$"))


def test_a_language_is_chosen_by_hand_and_remembered(visit: Visit, site: Site) -> None:
    site.api["/api/tables"] = {"tables": [scenes.entry(2)]}
    page = visit(path="/", locale="fr-FR").page
    expect(page.get_by_role("heading", level=1)).to_have_text("Assieds-toi et joue")
    page.get_by_label("Langue").select_option("Español")
    expect(page.get_by_role("heading", level=1)).to_have_text("Siéntate a jugar")
    page.get_by_role("link", name="Bots", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Los bots de la casa")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_label("Idioma").select_option("English")
    expect(page.get_by_role("heading", level=1)).to_have_text("The bots of the house")
    # English is in the page itself.
    assert not [url for url in asked if "locales" in url]


def test_without_a_catalogue_the_page_speaks_english(visit: Visit, site: Site, faults: list[str]) -> None:
    site.api["/api/people"] = {"groups": []}
    site.api["/api/leaders"] = leaders_of("2026-11")
    page = visit(path="/people", locale="de-DE").page
    expect(page.get_by_role("link", name="Wettbewerbe")).to_be_visible()
    page.route("**/locales/de.json", lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("link", name="Competitions")).to_be_visible()
    faults.clear()


@pytest.mark.parametrize("language", WORDS)
def test_long_words_fit(visit: Visit, site: Site, language: str) -> None:
    site.api["/api/tables"] = {"tables": [scenes.entry(number) for number in range(1, 9)]}
    dealer = visit(path="/", locale=f"{language}-{language.upper()}", viewport={"width": 320, "height": 640})
    page = dealer.page

    def expect_room(name: str) -> None:
        for width in (320, 1280):
            page.set_viewport_size({"width": width, "height": 640})
            dealer.breathe()
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            # An amount that is cut would be another one.
            cut = page.evaluate(
                """[...document.querySelectorAll(".stack, .bet, .verb, .seat-status, .who, .sit")].filter(
                  (one) => getComputedStyle(one).textOverflow === "ellipsis"
                    && one.scrollWidth > one.clientWidth + 1 && !one.querySelector(".exact")
                ).map((one) => one.textContent)"""
            )
            assert cut == [], name

    page.locator(".tables").first.wait_for()
    expect_room("lobby")
    page.goto(f"{site.url}/table/table-1")
    dealer.hears("hello")
    tables = {name: SCENES[name].messages for name in ("absent", "kickers", "showdown-6", "watch")}
    for name, messages in {"betting-9": betting(9), **tables}.items():
        dealer.say(*scenes.in_match(name, messages))
        dealer.breathe()
        page.locator(".pod").first.wait_for()
        expect_room(name)


#: Those with tables, or lists, that may be too wide.
WIDE = [
    name
    for name in PAGES
    if name in {"push or fold", "spots", "my bot", "people", "result"} or "ladder" in name
]


@pytest.mark.parametrize("language", WORDS)
def test_long_words_fit_on_pages_with_tables(visit: Visit, site: Site, language: str) -> None:
    look = {"locale": f"{language}-{language.upper()}", "viewport": {"width": 320, "height": 640}}
    for name, page in walk(visit, site, WIDE, **look):
        assert page.locator("html").get_attribute("lang") == language
        for width in (320, 1280):
            page.set_viewport_size({"width": width, "height": 640})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name


def test_the_hands_of_a_match_of_a_ladder_have_cards_that_look_so(visit: Visit, site: Site) -> None:
    page = visit(path=of_ladder(site, "/matches/3")).page
    card = page.locator(".in-text .card").first
    expect(card).to_have_css("background-color", "rgb(253, 253, 250)")
