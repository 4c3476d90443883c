"""The pages: what is served, with which headers, and that nothing else can be had."""

from __future__ import annotations

import asyncio
import gzip
import re
from pathlib import Path

import pytest

from server.house.house import House
from server.net.listener import ListenError
from server.web.security_headers import security_headers
from server.web.site import serve_web
from server.web.static_files import PAGES, Files
from tests.support.houses.http_client import PATIENCE, Browser, pages, site
from tests.support.houses.people import open_table
from tests.support.ladder import ladder_place

EVERYWHERE = (
    "/",
    "/table/table-1",
    "/hand/table-1.1.1",
    "/competition/x/matches/3",
    "/challenge/1",
    "/static/lobby/lobby.js",
    "/static/none.js",
    "/nowhere",
    "/api/version",
    "/api/nowhere",
    "/api/hands/none",
)


async def test_every_page_is_there_and_loads_files_by_their_version(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        open_table(place.house, name="some/thing")
        browser = place.browser()
        version = (await browser.get("/api/version")).json()["page"]
        for first in PAGES.keys() - {"ladder"}:
            answer = await browser.get(f"/{first}/some/thing" if first else "/")
            assert answer.status == 200
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            assert answer.headers["cache-control"] == "private, no-cache"
            (address,) = re.findall(r'src="([^"]+)"', answer.text)
            assert address.startswith(f"/static/{version}/")
            loaded = await browser.get(address)
            assert loaded.status == 200
            assert loaded.headers["content-type"] == "text/javascript; charset=utf-8"
            assert "immutable" in loaded.headers["cache-control"]


async def test_there_are_pages_of_a_ladder_only_where_one_is(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        assert (await place.browser().get("/ladder")).status == 404
    async with ladder_place(tmp_path / "other") as ladder:
        for path in ("/ladder", "/ladder/bots/ann", "/ladder/matches/1", "/ladder/mine", "/ladder/organiser"):
            assert (await ladder.browser().get(path)).status == 200
        first = await ladder.browser().get("/")
        assert (first.status, first.headers["location"]) == (303, "/ladder")


async def test_a_page_of_its_own_goes_before_the_first_one(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        open_table(place.house, name="x")
        assert "table.js" in (await place.browser().get("/table/x")).text
        assert "lobby.js" in (await place.browser().get("/competition/x")).text


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_where_a_competition_is_played_there_is_no_lobby(tmp_path: Path, method: str) -> None:
    async with site(tmp_path, home="/competition/spring%20cup%3F") as place:
        browser = place.browser()
        first = await browser.get("/", method)
        assert (first.status, first.body) == (303, b"")
        assert first.headers["location"] == "/competition/spring%20cup%3F"
        for path in (first.headers["location"], "/competitions", "/hand/spring/duel/m0000-l000-s0/1"):
            answer = await browser.get(path, method)
            assert (answer.status, "set-cookie" in answer.headers) == (200, False)
        for path in ("/table/table-1", "/challenge", "/challenge/table-1.1"):
            missing = await browser.get(path, method)
            assert missing.status == 404
            assert method == "HEAD" or missing.text
        assert (await browser.get("/api/tables/table-1")).json()["code"] == "not_found"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_security_headers_are_on_every_response(tmp_path: Path, method: str) -> None:
    async with site(tmp_path) as place:
        expected = security_headers(f"127.0.0.1:{place.port}")
        for path in EVERYWHERE:
            answer = await place.browser().get(path, method)
            for name, value in expected.items():
                assert answer.headers[name.lower()] == value, path
            assert "server" not in answer.headers
            assert not any(name.startswith("access-control") for name in answer.headers)
        policy = expected["Content-Security-Policy"]
        assert f"connect-src 'self' ws://127.0.0.1:{place.port} wss://127.0.0.1:{place.port};" in policy
        assert "unsafe" not in policy
        assert "*" not in policy


@pytest.mark.parametrize("host", ["x; script-src *", "a b", "<b>", "x" * 300, "[::1", "a:b:c"])
async def test_a_strange_host_does_not_come_into_the_policy(tmp_path: Path, host: str) -> None:
    async with site(tmp_path) as place:
        answer = await place.browser().get("/", Host=host)
        policy = answer.headers.get("content-security-policy", "connect-src 'self';")
        assert "connect-src 'self';" in policy


async def test_head_has_no_body(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        for path in ("/", "/static/lib/style.css", "/api/version"):
            full, head = await place.browser().get(path), await place.browser().get(path, "HEAD")
            assert (head.status, head.body) == (200, b"")
            assert head.headers["content-length"] == full.headers["content-length"] == str(len(full.body))


async def test_what_the_browser_has_is_not_sent_again(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        browser = place.browser()
        for path in ("/", "/static/lib/style.css"):
            first = await browser.get(path)
            tag = first.headers["etag"]
            for known in (tag, f"W/{tag}", f'"other", {tag}'):
                again = await browser.get(path, If_None_Match=known)
                assert (again.status, again.body) == (304, b"")
                assert again.headers["etag"] == tag
            assert (await browser.get(path, If_None_Match='"other"')).status == 200
        assert (await browser.get("/static/lib/style.css")).headers["cache-control"] == "no-cache"


async def test_files_are_packed_for_browsers_that_take_it(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        browser = place.browser()
        for path in ("/", "/static/lib/style.css"):
            plain = await browser.get(path)
            packed = await browser.get(path, Accept_Encoding="gzip, deflate, br")
            assert "content-encoding" not in plain.headers
            assert packed.headers["content-encoding"] == "gzip"
            assert gzip.decompress(packed.body) == plain.body
            assert packed.headers["etag"] != plain.headers["etag"]
            assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
            known = {"Accept_Encoding": "gzip", "If_None_Match": packed.headers["etag"]}
            assert (await browser.get(path, **known)).status == 304


async def test_a_change_of_any_file_is_another_version(tmp_path: Path) -> None:
    folder = pages(tmp_path)
    before = Files(folder)
    assert Files(folder).version == before.version
    (folder / "vendor" / "uplot" / "uPlot.esm.js").write_text("export default 1;")
    after = Files(folder)
    assert after.version != before.version
    assert after.page("") != before.page("")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../data/cookie.secret",
        "/static/../../../../../../etc/passwd",
        "/static/%2e%2e/data/cookie.secret",
        "/static/..%2f..%2f..%2fetc%2fpasswd",
        "/static/%2fetc/passwd",
        "/static//etc/passwd",
        "/static/vendor/../../data/cookie.secret",
        "/static/..\\data\\cookie.secret",
        "/static/lobby/lobby.js%00.css",
        "/static/notes.txt",
        "/static/.hidden.js",
        "/static/",
        "/static/vendor",
        "/static/vendor/",
        "/static/lobby/lobby.js/",
        "/../data/cookie.secret",
        "//etc/passwd",
        "/data/hands.sqlite3",
        "/table",
    ],
)
async def test_no_path_leads_out(tmp_path: Path, path: str) -> None:
    async with site(tmp_path) as place:
        answer = await place.browser().get(path)
        assert answer.status in (400, 404), answer
        assert b"not for others" not in answer.body
        assert b"root:" not in answer.body
        assert "set-cookie" not in answer.headers


async def test_a_refusal_is_a_page_for_people_and_json_for_programs(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        browser = place.browser()
        page = await browser.get("/nowhere")
        assert (page.status, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert "<script" not in page.text
        closed = await browser.get("/table/none")
        assert (closed.status, 'href="/"' in closed.text) == (404, True)
        assert "set-cookie" not in closed.headers
        told = await browser.get("/api/nowhere")
        assert told.status == 404
        assert told.json()["code"] == "not_found"
        for path in ("/", "/static/lib/style.css", "/api/version", "/api/tables/table-1"):
            for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
                answer = await browser.get(path, method)
                assert answer.status == 405
                assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD"}
                if path.startswith("/api/"):
                    assert answer.json()["code"] == "method_not_allowed"


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "'\"><img src=x>", "%3Cb%3E", "x" * 3000])
async def test_nothing_that_was_asked_for_comes_back_as_markup(tmp_path: Path, name: str) -> None:
    quoted = name.replace(" ", "%20").replace("<", "%3C").replace(">", "%3E").replace('"', "%22")
    async with site(tmp_path) as place:
        for path in (f"/{quoted}", f"/static/{quoted}", f"/api/tables/{quoted}", f"/api/hands/{quoted}"):
            answer = await place.browser().get(path)
            assert answer.status == 404
            if answer.headers["content-type"].startswith("text/html"):
                assert name not in answer.text
                assert "<img" not in answer.text


async def test_a_fault_of_ours_is_logged_and_gives_nothing_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_error_logged: list[str]
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the secret of the fault")

    async with site(tmp_path) as place:
        monkeypatch.setattr(place.archive, "find_hand", broken)
        answer = await place.browser().get("/api/hands/table-1.1.1")
        assert answer.status == 500
        assert answer.json()["code"] == "internal"
        assert "secret" not in answer.text
        assert "content-security-policy" in answer.headers
        assert (await place.browser().get("/api/version")).status == 200
    assert len(no_error_logged) == 1
    assert "the secret of the fault" in no_error_logged.pop()


async def test_what_is_missing_is_told_in_one_line(tmp_path: Path) -> None:
    folder = pages(tmp_path / "pages")
    assert Files(folder).missing() == ""
    (folder / "vendor" / "uplot" / "uPlot.esm.js").unlink()
    assert "make install" in Files(folder).missing()
    assert "\n" not in Files(folder).missing()
    house = House()
    web = serve_web(house, "127.0.0.1", 0, folder=tmp_path / "nothing")
    try:
        assert "no pages" in web.missing
        assert (await Browser(web.port).get("/")).status == 404
        assert (await Browser(web.port).get("/api/version")).status == 200
    finally:
        await web.close()


async def test_a_port_that_is_taken(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        with pytest.raises(ListenError):
            serve_web(place.house, "127.0.0.1", place.port)


async def test_it_closes_although_somebody_holds_a_connection(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        reader, writer = await asyncio.open_connection("127.0.0.1", place.port)
        writer.write(b"GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200 OK" in await reader.readuntil(b"\r\n\r\n")
        silent, other = await asyncio.open_connection("127.0.0.1", place.port)
        half, third = await asyncio.open_connection("127.0.0.1", place.port)
        third.write(b"GET / HTTP/1.1\r\nHo")
    async with asyncio.timeout(PATIENCE):
        assert b"pokerd.v1" in await reader.read()
        assert await silent.read() == b""
        assert await half.read() == b""
    for one in (writer, other, third):
        one.close()


async def test_two_requests_at_once_on_one_connection(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        reader, writer = await asyncio.open_connection("127.0.0.1", place.port)
        writer.write(b"GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2)
        async with asyncio.timeout(PATIENCE):
            for _ in range(2):
                assert (await reader.readuntil(b"}")).endswith(b'"}')
        writer.close()


async def test_a_page_and_a_refusal_are_in_the_visitor_s_language(tmp_path: Path) -> None:
    folder = pages(tmp_path / "pages")
    page = '<!doctype html><html lang="en"><head><title>Tables</title></head><p>Play &amp; more</p></html>'
    (folder / "lobby" / "index.html").write_text(page, encoding="utf-8")
    (folder / "locales").mkdir()
    texts = {"Tables": "Tische", "Play & more": "Spielen", "there is nothing here": "hier ist nichts"}
    catalogue = "".join(f'msgid "{text}"\nmsgstr "{other}"\n\n' for text, other in texts.items())
    (folder / "locales" / "de.po").write_text(catalogue, encoding="utf-8")
    house = House()
    web = serve_web(house, "127.0.0.1", 0, folder=folder)
    try:
        browser = Browser(web.port)
        english, german = await browser.get("/"), await browser.get("/", Accept_Language="de-CH")
        assert "<title>Tables</title>" in english.text
        assert "locales" not in english.text
        assert '<html lang="de"><head><title>Tische</title>' in german.text
        assert "<p>Spielen</p>" in german.text
        assert english.headers["etag"] != german.headers["etag"]
        (address,) = re.findall(r'href="([^"]+\.json)"', german.text)
        loaded = await browser.get(address)
        assert loaded.json() == texts
        assert loaded.headers["cache-control"] == "public, max-age=31536000, immutable"
        nowhere = await browser.get("/nowhere", Cookie="language=de")
        assert nowhere.status == 404
        assert "hier ist nichts" in nowhere.text
        assert (await browser.get("/api/nowhere", Cookie="language=de")).json()["code"] == "not_found"
    finally:
        await web.close()
