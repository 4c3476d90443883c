"""``make play``: one address, and whoever opens it plays."""

from __future__ import annotations

import re
import signal
from contextlib import closing
from pathlib import Path

import psutil
from playwright.sync_api import Browser, expect

from tests.browser.real import answer, asked, call
from tests.browser.site import Site, open_context
from tests.docs.workspace import lay
from tests.support.competitions.arena import bot, competition, division
from tests.support.programs import Program

#: The environment is there: make has nothing to install.
THERE = ("--old-file=.venv/.installed", "--old-file=clients/web/vendor/.installed")


def test_make_play_prints_one_address_to_play_at(browser: Browser, faults: list[str], tmp_path: Path) -> None:
    place = lay(tmp_path)
    # Every family at its tables is what tests/system/server/commands plays.
    (place / "games").unlink()
    (place / "games").mkdir()
    six = [bot(f"bot{number}", run="call") for number in range(6)]
    text = competition(six, [division(game="holdem.nolimit.6p", seatings="rotations")])
    (place / "games" / "all-families.toml").write_text(text, encoding="utf-8")
    with Program("make", *THERE, "play", "PORT=0", cwd=place) as playing:
        address = playing.says(r"^people: (http://\S+)$")[1]
        assert len(re.findall(r"\w+://", "\n".join(playing.lines))) == 1
        with closing(open_context(browser, Site(address), faults, settings={"name": ""})) as context:
            page = context.new_page()
            page.goto(address)
            page.get_by_label("Your name at the tables").fill("Newcomer")
            page.get_by_role("button", name="Play now").click()
            asked(page)
            answer(page, "c")
            # The hand begins when there are two; who takes long to start has a seat from the next one on.
            call(page, page.locator(".pod .name").nth(5))
            expect(page.locator(".pod .name")).to_have_count(6)
        # In a terminal Ctrl-C reaches the server as well as make.
        (server,) = [
            process
            for process in psutil.Process(playing.process.pid).children(recursive=True)
            if "serve" in process.cmdline()
            and "pokerd" in process.cmdline()
            and not process.name().endswith("sh")
        ]
        server.send_signal(signal.SIGINT)
        assert playing.end() == 0
    assert not [line for line in playing.lines if "Traceback" in line or "***" in line]
