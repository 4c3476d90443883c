"""``docs/operating.md`` against the metrics, checks and figures of the program."""

from __future__ import annotations

import json
from pathlib import Path

from server import watch
from server.bus import Bus
from server.house import House
from server.mqtt import MqttLink, parse_broker
from server.watch import Watch
from tests.docs.pages import ROOT, blocks, code, prose, rows, section
from tests.server.arena import bot, competition, division, hosted

OPERATING = ROOT / "docs" / "operating.md"


async def test_every_metric_is_told_with_its_type_and_labels(tmp_path: Path) -> None:
    told = {}
    for name, kind, labels, *_ in rows(section(OPERATING, "## Metrics")):
        told[code(name)[0]] = (kind, set(code(labels)))
    text = competition([bot("call"), bot("raise")], [division()])
    known = {}
    async with hosted(text, tmp_path / "out") as runner:
        look = Watch(runner.house, tmp_path, runner)
        look.link = MqttLink(parse_broker("mqtt://127.0.0.1"), Bus(), print)
        with Bus().subscribe("somebody"):
            for family in look.registry.collect():
                name = family.name + ("_total" if family.type == "counter" else "")
                kind = "gauge" if family.type == "info" else family.type
                name = f"{name}_info" if family.type == "info" else name
                found = {label for sample in family.samples for label in sample.labels}
                known[name] = (kind, found - {"le"})
        await look.close()
    assert told == known


async def test_every_check_is_told(tmp_path: Path) -> None:
    look = Watch(House(), tmp_path)
    look.link = MqttLink(parse_broker("mqtt://127.0.0.1"), Bus(), print)
    found = await look.health()
    await look.close()
    assert [code(check)[0] for check, _ in rows(section(OPERATING, "## Health"))] == list(found)
    (example,) = [json.loads(block.text) for block in blocks(OPERATING, "json")]
    assert list(example["checks"]) == list(found)


def test_the_figures_are_those_of_the_program() -> None:
    text = " ".join(prose(OPERATING).split())
    assert f"more than {watch.MAX_LAG:.0f} s late in the last {watch.BEAT * watch.BEATS:.0f} s" in text
    assert f"at most every {watch.FRESH:.0f} s" in text
