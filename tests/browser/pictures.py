"""The pictures of the documents: ``python -m tests.browser.pictures`` makes them anew in ``docs/pictures``.

Lobby and table are told by a script; the competition is played, and the replayer shows a hand of it.
"""

from __future__ import annotations

import base64
import struct
import subprocess
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import scenes
from tests.browser.real import club
from tests.browser.site import Dealer, Site, launch, open_context, serve_pages
from tests.support.competitions.arena import bot, competition, division
from tests.support.programs import PYTHON, ROOT

PICTURES = ROOT / "docs" / "pictures"
BOTS = ("fair", "call", "raise", "random")
#: The bots that the lobby shows in small.
SHOWN = ("fair-1", "adaptive2-2", "loki1-3", "ownbot-4", "pushfold-5", "sartre-6")
#: Colours of a picture.
PALETTE = 256


def small(png: bytes, browser: Browser) -> bytes:
    """A picture again with few colours: the most frequent ones, for all others the nearest of them."""
    page = browser.new_page()
    width, height, text = page.evaluate(
        """async (data) => {
          const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
          const { width, height } = image;
          const context = new OffscreenCanvas(width, height).getContext("2d");
          context.drawImage(image, 0, 0);
          const bytes = new Blob([context.getImageData(0, 0, width, height).data]);
          const reader = new FileReader();
          return new Promise((done) => {
            reader.onload = () => done([width, height, reader.result.split(",")[1]]);
            reader.readAsDataURL(bytes);
          });
        }""",
        base64.b64encode(png).decode(),
    )
    page.close()
    pixels = memoryview(base64.b64decode(text)).cast("I").tolist()
    colours = [colour for colour, _ in Counter(pixels).most_common()]
    parts = {colour: struct.unpack("4B", struct.pack("=I", colour))[:3] for colour in colours}
    kept = colours[:PALETTE]

    def nearest(colour: int) -> int:
        return min(
            range(len(kept)),
            key=lambda index: sum(
                (one - other) ** 2 for one, other in zip(parts[colour], parts[kept[index]], strict=True)
            ),
        )

    index = {colour: number if number < PALETTE else nearest(colour) for number, colour in enumerate(colours)}
    lines = b"".join(
        b"\0" + bytes(index[colour] for colour in pixels[row * width : (row + 1) * width])
        for row in range(height)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = {
        b"IHDR": head,
        b"PLTE": b"".join(bytes(parts[colour]) for colour in kept),
        b"IDAT": zlib.compress(lines, 9),
        b"IEND": b"",
    }
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks.items()
    )


@contextmanager
def opened(browser: Browser, site: Site) -> Iterator[Page]:
    """A page of the size of the pictures, on which nothing may go wrong."""
    faults: list[str] = []
    context = open_context(browser, site, faults, viewport={"width": 1120, "height": 720})
    yield context.new_page()
    context.close()
    assert faults == []


def told(browser: Browser) -> Iterator[tuple[str, bytes]]:
    """The pages that a script tells what to show."""
    with serve_pages() as site:
        seated = {"players": list(SHOWN), "kinds": ["bot"] * len(SHOWN), "seats": len(SHOWN), "free": 0}
        featured = scenes.entry(5, name="Aquarium", **seated)
        site.api["/api/tables"] = {"tables": [featured, *map(scenes.entry, (1, 2, 7))]}
        with opened(browser, site) as page:
            seats = scenes.seats(len(SHOWN))
            for seat, name in zip(seats["seats"], SHOWN, strict=True):
                seat |= {"name": name, "kind": "bot"}
            start = scenes.hand_start(len(SHOWN), hole=[])
            hands = scenes.faceup("Ah Kd", "7c 7s", "Qs Js", "9h 8h", "Ad 5d", "Kc Qc")
            opening = [scenes.welcome(), scenes.match_start(len(SHOWN), -1), seats, start, hands]
            Dealer(page, opening, featured["table"])
            page.goto(site.url)
            expect(page.locator(".tables > li")).to_have_count(4)
            expect(page.locator(".mini .hole .card")).to_have_count(2 * len(SHOWN))
            yield "lobby", page.screenshot(animations="disabled")
        with opened(browser, site) as page:
            Dealer(page, [*scenes.three_way_all_in(6), *scenes.showdown(6)])
            page.goto(f"{site.url}/table/table-1")
            expect(page.get_by_role("list", name="Result")).to_be_visible()
            yield "table", page.screenshot(animations="disabled")


def played(browser: Browser, folder: Path) -> Iterator[tuple[str, bytes]]:
    """The pages of a competition that is played for them."""
    duel = division("duel", game="holdem.nolimit.2p.reverse_blinds", hands=400)
    file = folder / "example.toml"
    file.write_text(competition([bot(name) for name in BOTS], [duel], name="example", seed="pictures"))
    command = (PYTHON, "-m", "pokerd", "compete", str(file), "--out", str(folder / "results" / "example"))
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    with club(folder) as place:
        with opened(browser, place.site) as page:
            page.goto(f"{place.site.url}/competition/example#duel/curves")
            expect(page.locator("canvas").first).to_be_visible()
            page.get_by_role("heading", name="duel").evaluate("(heading) => heading.scrollIntoView()")
            yield "competition", page.screenshot(animations="disabled")
        with opened(browser, place.site) as page:
            page.goto(f"{place.site.url}/hand/example/duel/m0000-l000-s0/7")
            expect(page.locator(".pod")).to_have_count(2)
            page.keyboard.press("End")
            yield "replayer", page.screenshot(animations="disabled")


def main() -> None:
    """All pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch(playwright)
        for pages in (told(browser), played(browser, Path(folder))):
            for name, png in pages:
                (PICTURES / f"{name}.png").write_bytes(small(png, browser))
        browser.close()


if __name__ == "__main__":
    main()
