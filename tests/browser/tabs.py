"""Pages that tests have one after the other: a process for each costs more than most tests do in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Browser, Error, Page

from tests.browser.site import VIEWPORT, Site, open_context, settings_script

#: What a page can be given when it is there already.
_MEDIA = ("color_scheme", "contrast", "forced_colors", "reduced_motion")
#: What it is given otherwise. Motion costs a third of all that the browser computes; pages with a context of
#: their own have it.
_USUAL: dict[str, Any] = dict.fromkeys(_MEDIA, "null") | {"reduced_motion": "reduce"}
#: What pages differ in for as long as they live. A clock that was taken over cannot be given back.
_LASTING = ("is_mobile", "has_touch", "locale", "permissions", "clock")


class _Tab:
    """A page in a profile of its own. ``clean`` makes it as good as new."""

    def __init__(self, browser: Browser, site: Site, faults: list[str], lasting: dict[str, Any]) -> None:
        self._site = site
        self._clock = lasting.pop("clock", False)
        self._context = open_context(browser, site, faults, settings=None, **lasting)
        self.page: Page = self._context.new_page()
        self._devtools = self._context.new_cdp_session(self.page)
        self._devtools.send("Page.enable")
        self._scripts: list[str] = []

    def prepare(self, scripts: Sequence[str], viewport: dict[str, int], media: dict[str, Any]) -> None:
        for script in scripts:
            added = self._devtools.send("Page.addScriptToEvaluateOnNewDocument", {"source": script})
            self._scripts.append(added["identifier"])
        # Also where nothing is wished: the last test may have changed it.
        if viewport != self.page.viewport_size:
            self.page.set_viewport_size({"width": viewport["width"], "height": viewport["height"]})
        self.page.emulate_media(**_USUAL | media)
        if self._clock:
            self.page.clock.install()

    def clean(self) -> None:
        for other in self._context.pages:
            if other is not self.page:
                other.close()
        self.page.unroute_all()
        if self.page.url.startswith("http"):
            self.page.evaluate("() => sessionStorage.clear()")
        self.page.goto("about:blank")
        # Now that nothing of the site runs which could write it again.
        where = {"origin": self._site.url, "storageTypes": "local_storage"}
        self._devtools.send("Storage.clearDataForOrigin", where)
        self._context.clear_cookies()
        self.page.mouse.move(0, 0)
        self._devtools.send("Page.resetNavigationHistory")
        if self._clock:
            # Else the next page would begin with time that stands still.
            self.page.clock.resume()
        for script in self._scripts:
            self._devtools.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})
        self._scripts = []

    def close(self) -> None:
        self._context.close()


class Tabs:
    """All pages of a browser that are kept: those that a test has, and those that are free."""

    def __init__(self, browser: Browser, site: Site, faults: list[str]) -> None:
        self._browser = browser
        self._site = site
        self._faults = faults
        self._free: dict[tuple[Any, ...], list[_Tab]] = {}
        self._taken: list[tuple[tuple[Any, ...], _Tab]] = []

    def take(self, script: str, options: dict[str, Any]) -> Page:
        """A page for this visit, which others have after it."""
        assert options.keys() <= {"viewport", "settings", *_MEDIA, *_LASTING}, options
        kind = tuple(str(options.get(name)) for name in _LASTING)
        free = self._free.setdefault(kind, [])
        lasting = {name: options[name] for name in _LASTING if name in options}
        tab = free.pop() if free else _Tab(self._browser, self._site, self._faults, lasting)
        self._taken.append((kind, tab))
        scripts = [settings_script(options.get("settings", {})), *([script] if script else [])]
        media = {name: options[name] for name in _MEDIA if name in options}
        tab.prepare(scripts, options.get("viewport", VIEWPORT), media)
        return tab.page

    def give_back(self) -> None:
        """The test is over: all of its pages are free again."""
        for kind, tab in self._taken:
            try:
                tab.clean()
            except Error:
                tab.close()
            else:
                self._free[kind].append(tab)
        self._taken.clear()

    def close(self) -> None:
        for tabs in self._free.values():
            for tab in tabs:
                tab.close()
