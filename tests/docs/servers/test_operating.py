"""``docs/operating.md`` against the metrics, checks and figures of the program."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

from server.house.house import House
from server.public.bus import EventBus
from server.public.mqtt import MqttLink, parse_broker
from server.telemetry import logging_setup as logs
from server.web import health_checks as watch
from server.web.health_checks import HealthMonitor
from tests.docs.commands import subcommands
from tests.docs.pages import ROOT, blocks, code, numbers, rows, section
from tests.support.competitions.arena import bot, competition, division, hosted

LEVELS = ("debug", "info", "warning", "error")
OPERATING = ROOT / "docs" / "operating.md"


async def test_every_metric_is_told_with_its_type_and_labels(tmp_path: Path) -> None:
    told = {}
    for name, kind, labels, *_ in rows(section(OPERATING, "## Metrics")):
        told[code(name)[0]] = (kind, set(code(labels)))
    text = competition([bot("call"), bot("raise")], [division()])
    known = {}
    async with hosted(text, tmp_path / "out") as runner:
        look = HealthMonitor(runner.house, tmp_path, runner)
        look.broker_link = MqttLink(parse_broker("mqtt://127.0.0.1"), EventBus(), print)
        with EventBus().subscribe("somebody"):
            for family in look.registry.collect():
                name = family.name + ("_total" if family.type == "counter" else "")
                kind = "gauge" if family.type == "info" else family.type
                name = f"{name}_info" if family.type == "info" else name
                found = {label for sample in family.samples for label in sample.labels}
                known[name] = (kind, found - {"le"})
        await look.close()
    assert told == known


async def test_every_check_is_told(tmp_path: Path) -> None:
    look = HealthMonitor(House(), tmp_path)
    look.broker_link = MqttLink(parse_broker("mqtt://127.0.0.1"), EventBus(), print)
    found = await look.health()
    await look.close()
    of_nodes = ["database"]
    told = [code(check)[0] for check, _ in rows(section(OPERATING, "## Health"))]
    assert told == [*found, *of_nodes]
    example, _ = (json.loads(block.text) for block in blocks(OPERATING, "json"))
    assert list(example["checks"]) == list(found)


def test_the_figures_of_the_checks_are_those_of_the_program() -> None:
    told = {code(check)[0]: numbers(fails) for check, fails in rows(section(OPERATING, "## Health"))}
    assert told["event_loop"] == [watch.MAX_LAG, watch.BEAT * watch.BEATS]
    assert told["store"] == [watch.FRESH]


# Logs.


class Told(NamedTuple):
    """A line of the log: its event, level and fields."""

    event: str
    level: str
    fields: frozenset[str]


def calls(path: Path) -> Iterator[Told]:
    """The events that a module logs."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        logger = ast.unparse(node.func.value)
        level = node.func.attr.replace("exception", "error")
        if logger in ("log", "self._log") and level in (*LEVELS, "critical"):
            (event,) = node.args
            assert isinstance(event, ast.Constant), f"{path}: {ast.unparse(node)}"
            bound = {"table", "match"} if logger == "self._log" else set()
            fields = {keyword.arg or "" for keyword in node.keywords} - {"exc_info"}
            if "limited" in fields:
                fields = fields - {"limited"} | {"address", "left_out"}
            yield Told(str(event.value), level, frozenset(fields | bound))


def test_every_event_of_the_log_is_told_and_no_other() -> None:
    known = {told for path in (ROOT / "server").rglob("*.py") for told in calls(path)}
    table = list(rows(section(OPERATING, "## Logs")))
    told = [Told(code(event)[0], level, frozenset(code(fields))) for event, level, fields, _ in table]
    assert set(told) == known
    assert len(told) == len(known)


def test_the_options_of_the_log_are_those_of_the_program() -> None:
    levels = {"serve": "warning", "compete": "info", "coordinator": "info", "node": "warning"}
    for command, level in levels.items():
        actions = {action.dest: action for action in subcommands()[command]._actions}
        assert tuple(actions["log_level"].choices or ()) == LEVELS
        assert actions["log_level"].default == level
        assert tuple(actions["log_format"].choices or ()) == get_args(logs.LogStyle)
        assert actions["log_file"].default is None


# The dashboard.

DASHBOARD = json.loads((ROOT / "docs" / "grafana.json").read_text("utf-8"))
EXPRESSIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_metric_of_the_dashboard_exists(expression: str) -> None:
    told = {}
    for name, kind, labels, *_ in rows(section(OPERATING, "## Metrics")):
        told[code(name)[0]] = (kind, set(code(labels)))
    names = re.findall(r"\b(?:pokerd|process)_\w+", re.sub(r"\"[^\"]*\"", "", expression))
    assert names
    for name in names:
        kind, known = told[name.removesuffix("_bucket")]
        assert name.endswith("_bucket") == (kind == "histogram")
        assert bool(re.search(rf"(?:rate|increase)\({name}\b", expression)) == (kind != "gauge")
        grouped = {
            label for group in re.findall(r"by \(([^)]*)\)", expression) for label in group.split(", ")
        }
        assert grouped <= {*known, "le", "instance"}
    assert expression.count("(") == expression.count(")")
    assert expression.count("{") == expression.count("}") == expression.count('instance=~"$instance"')


def test_the_dashboard_is_one_that_grafana_takes() -> None:
    assert {"title", "uid", "schemaVersion", "panels", "templating", "time"} <= set(DASHBOARD)
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert {panel["type"] for panel in panels} == {"stat", "timeseries"}
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert max(x for x, _ in cells) < 24
        assert not taken & cells, panel["title"]
        taken |= cells
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
    names = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    assert set(re.findall(r"\$\{?(\w+)", json.dumps(DASHBOARD))) == names
