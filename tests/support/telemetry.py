"""What a server tells of itself: its metrics and its health."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.message import Message

from prometheus_client.parser import text_string_to_metric_families


def asked(url: str, accept: str = "") -> tuple[int, Message, str]:
    """What is answered, be it good or bad."""
    request = urllib.request.Request(url, headers={"Accept": accept})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read().decode()


def scraped(url: str) -> Mapping[str, float]:
    """All samples, by name and labels as they are written."""
    status, headers, text = asked(f"{url}/metrics")
    assert status == 200
    assert headers["Content-Type"].startswith("text/plain; version=")
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


def health(url: str) -> tuple[int, Mapping[str, str]]:
    """The answer of ``/healthz``: the status, and the checks."""
    status, _, text = asked(f"{url}/healthz")
    told = json.loads(text)
    assert told["status"] == ("ok" if status == 200 else "failed")
    return status, told["checks"]
