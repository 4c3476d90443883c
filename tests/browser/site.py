"""The pages without a server of ours: files with the policy that ships, and a dealer that the test plays."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Locator,
    Page,
    Playwright,
    Request,
    WebSocketRoute,
    expect,
)

from pokerd.commands.serve import offered_bots
from server.web.languages import choose_language, read_catalogue, translate_page
from server.web.static_files import PAGES as ROUTES
from server.web.static_files import read_page

Message = dict[str, Any]

PAGES = Path(__file__).parents[2] / "clients" / "web"
#: Seconds that the page may take to say something.
PATIENCE = 60.0
VIEWPORT = {"width": 1280, "height": 800}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self' ws://{host} wss://{host}; base-uri 'none'; form-action 'self'; "
    "frame-src 'self'; frame-ancestors 'self'; require-trusted-types-for 'script'; trusted-types lit-html"
)

#: The catalogues of the pages, by language.
CATALOGUES = {path.stem: read_catalogue(path) for path in sorted(PAGES.glob("locales/*.po"))}

#: The house bots of the server, and what they do.
BOTS = {
    "fair": "plays well",
    "call": "always calls",
    "raise": "always raises",
    "random": "plays at random",
    "loki2": "Loki-1 with triples and simulation",
    "nolimit": "plays heads-up",
    "shark": "bites",
}

#: What may be set for two of them.
PARAMETERS: dict[str, list[dict[str, Any]]] = {
    name: [msgspec.to_builtins(one) for one in offered_bots()[name].parameters] for name in ("fair", "loki2")
}
PARAMETERS["shark"] = [msgspec.to_builtins(one) for one in offered_bots()["adaptive"].parameters]


class Site:
    """Where the pages are, and what ``/api/...`` answers: JSON, or a text."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.reset()

    def reset(self) -> None:
        """What a test has changed is forgotten."""
        self.api: dict[str, object] = {
            "/api/competitions": {"competitions": []},
            "/api/tournaments": {"tournaments": []},
            "/api/days/today": {"opponents": []},
            "/api/players": {"players": []},
            "/api/version": {"server": "0.2.0", "protocol": "pokerd.v1", "page": ""},
            "/api/bots": {"bots": sorted(BOTS), "descriptions": BOTS, "parameters": PARAMETERS},
        }
        #: Any table that ``api`` does not know: its match, and the promise of its deals.
        self.match: dict[str, object] = {"run": "table-1.1", "commitment": "0" * 64, "seed": ""}
        #: What stands in the addresses of the files, as with the real server; "" for nothing.
        self.version = ""
        #: What was asked for and is not there.
        self.missed: list[str] = []


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5
    # Head and body are two segments: else the second waits for the browser to confirm the first.
    disable_nagle_algorithm = True

    def __init__(self, site: Callable[[], Site], *args: Any) -> None:
        self.site = site()
        super().__init__(*args, directory=str(PAGES))

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        match = self.site.match if path.startswith("/api/tables/") else None
        found = self.site.api.get(path, match)
        if found is not None:
            text = found if isinstance(found, str) else json.dumps(found)
            self._answer(text.encode(), "text/csv" if isinstance(found, str) else "application/json")
            return
        if path.startswith("/api/"):
            self.site.missed.append(path)
            problem = {"code": "not_found", "message": "there is nothing here"}
            self._answer(json.dumps(problem).encode(), "application/json", 404)
            return
        version = f"/{self.site.version}" if self.site.version else ""
        language = path.rpartition("/")[2].removesuffix(".json")
        if "/locales/" in path and language in CATALOGUES:
            self._answer(json.dumps(CATALOGUES[language]).encode(), "application/json")
            return
        if path.startswith("/static/"):
            self.path = path.removeprefix(f"/static{version}")
            super().do_GET()
            return
        text = read_page(PAGES, ROUTES[path.split("/")[1]])
        wish = self.headers.get("Accept-Language", "")
        language = choose_language(CATALOGUES, self.headers.get("Cookie", ""), wish)
        if language in CATALOGUES:
            text = translate_page(text, language, CATALOGUES[language])
        text = text.replace('"/static/', f'"/static{version}/')
        self._answer(text.encode(), "text/html; charset=utf-8")

    def _answer(self, body: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", _POLICY.format(host=self.headers.get("Host", "")))
        # As the real server: a page that is kept need not ask again for what it has.
        static = self.path.endswith((".js", ".css", ".svg", ".json"))
        self.send_header("Cache-Control", "max-age=3600" if static else "no-store")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@contextmanager
def serve_pages() -> Iterator[Site]:
    """The pages on a port of this machine."""
    site: Site
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, lambda: site))
    site = Site(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def settings_script(settings: dict[str, Any]) -> str:
    """What writes them down in a browser that has none yet."""
    settings = {"name": "Me", "speed": "instant"} | settings
    return (
        "if (location.protocol === 'http:' && !localStorage.getItem('pokerd')) "
        f"localStorage.setItem('pokerd', {json.dumps(json.dumps(settings))});"
    )


def open_context(browser: Browser, site: Site, faults: list[str], **options: Any) -> BrowserContext:
    """A fresh browser profile. ``faults`` is told what no page may do: errors, policy, strange hosts. Without
    ``settings`` it has the usual ones; None leaves them to later.
    """
    settings = options.pop("settings", {})
    options = {"viewport": VIEWPORT, "locale": "en-GB"} | options
    context = browser.new_context(**options)
    if settings is not None:
        context.add_init_script(settings_script(settings))
    context.add_init_script(
        "addEventListener('securitypolicyviolation', (event) =>"
        " console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));"
    )

    def foreign(request: Request) -> None:
        if not request.url.startswith((site.url, "data:", f"blob:{site.url}")):
            faults.append(f"asked for {request.url}")

    def watch(page: Page) -> None:
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on(
            "console", lambda said: faults.append(said.text) if said.type in {"error", "warning"} else None
        )

    context.on("request", foreign)
    context.on("page", watch)
    context.set_default_timeout(PATIENCE * 1000)
    return context


def launch(playwright: Playwright) -> Browser:
    """The browser of the operating system, without what draws windows: it computes a third less."""
    expect.set_options(timeout=PATIENCE * 1000)
    return playwright.chromium.launch(
        executable_path="/usr/bin/chromium-headless-shell",
        # Without a graphics card a process that pretends to have one is of no use.
        args=["--no-sandbox", "--disable-gpu", "--in-process-gpu"],
    )


def menu(page: Page, name: str, *, exact: bool = False) -> Locator:
    """The button of that name in the menu of a table, which is open then."""
    button = page.locator("#menu").get_by_role("button", name=name, exact=exact)
    if not button.is_visible():
        page.get_by_role("button", name="Menu", exact=True).click()
    return button


class Dealer:
    """The server, played by the test: it keeps what the page says, and says what the test wants.

    ``opening`` is said after every ``hello``; without one the dealer is silent until the test speaks.
    """

    def __init__(self, page: Page, opening: Sequence[Message] = (), table: str = "table-1") -> None:
        self.page = page
        self.table = table
        self.opening = list(opening)
        self.heard: list[Message] = []
        self.sockets: list[WebSocketRoute] = []
        self.deaf = False
        page.route_web_socket(re.compile(r"/ws(\?|$)"), self._opened)

    def _opened(self, socket: WebSocketRoute) -> None:
        if self.deaf:
            socket.close(code=1001)
            return
        self.sockets.append(socket)
        socket.on_message(self._heard)

    def _heard(self, frame: str | bytes) -> None:
        said = json.loads(frame)
        self.heard.append(said)
        if said["type"] == "hello" and self.opening:
            self.say(*self.opening)

    def say(self, *messages: Message) -> None:
        """All in one frame."""
        full = [{"table": self.table, **message} for message in messages]
        self.sockets[-1].send(json.dumps(full))

    def hears(self, kind: str, count: int = 1) -> Message:
        """The ``count``-th message of that type that the page says, now or soon."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            found = [message for message in self.heard if message["type"] == kind]
            if len(found) >= count:
                return found[count - 1]
            self.breathe()
        raise AssertionError(f"the page did not say {kind!r} {count} times: {self.heard}")

    def breathe(self) -> None:
        """Let the page do all that it is about to do."""
        try:
            self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        except Error:  # it has gone to another page meanwhile
            self.page.wait_for_load_state()

    def said(self, kind: str) -> list[Message]:
        return [message for message in self.heard if message["type"] == kind]

    def drop(self) -> None:
        """The connection breaks, and nobody answers until ``deaf`` is false again."""
        self.deaf = True
        self.sockets[-1].close(code=1001)
