"""The commands of ``docs/mqtt.md`` with a real broker."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from protocol import public
from protocol.public import decode, topic_of
from tests.docs.pages import MQTT, blocks
from tests.docs.workspace import lay
from tests.support.broker import Broker
from tests.support.programs import Program


def test_the_commands_of_the_page_show_the_same_hands(tmp_path: Path) -> None:
    """As they stand there, but for the port."""
    serve, subscribe, spectate = [block.text.strip() for block in blocks(MQTT, "sh")]
    folder = tmp_path / "checkout"
    folder.mkdir()
    lay(folder)
    with Broker(tmp_path) as broker:

        def command(line: str) -> list[str]:
            words = shlex.split(line.replace("mqtt://127.0.0.1", broker.url))
            return [sys.executable if word == "python" else word for word in words]

        with (
            Program(*command(subscribe), "-p", str(broker.port), cwd=folder) as mosquitto,
            Program(*command(spectate), cwd=folder) as spectator,
            Program(*command(serve), "--port", "0", "--web-port", "0", cwd=folder) as server,
        ):
            url = server.says(r"pokerd listens at (ws://\S+)")[1]
            with Program(sys.executable, "clients/examples/caller.py", "--url", url, cwd=folder):
                topic, payload = mosquitto.says(r"^(pokerd/v1/tables/table-1/hand) (\{.*\})$").groups()
                event = decode(payload)
                assert topic_of(event) == topic
                assert isinstance(event, public.FinishedHand)
                spectator.says(rf"^table-1, hand {event.hand}, button ")
                mosquitto.says(r"^pokerd/v1/server/status .*online")
