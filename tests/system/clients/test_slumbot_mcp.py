"""The example that seats a language model: a client of MCP plays through it at a server."""

from __future__ import annotations

import json
import subprocess
from itertools import count
from pathlib import Path
from typing import Any

from tests.support.programs import PATIENCE, PYTHON, ROOT, environment
from tests.support.served import Place
from tests.support.slumbot_bridges import bridged

EXAMPLE = ROOT / "clients" / "examples" / "slumbot_mcp.py"


class Model:
    """A client of MCP: lines of JSON-RPC over standard input and output."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._numbers = count()

    def say(self, method: str, **message: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, **message}) + "\n")
        self._process.stdin.flush()

    def ask(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        self.say(method, id=number, params=params)
        assert self._process.stdout is not None
        answer = json.loads(self._process.stdout.readline())
        assert answer["id"] == number
        return answer["result"]

    def use(self, tool: str, **arguments: str) -> Any:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return json.loads(result["content"][0]["text"])


def test_a_model_plays_by_its_tools(tmp_path: Path) -> None:
    with (
        Place(tmp_path, "--tables", "1", "--bots", "") as place,
        bridged(place.bots, "--rival", "call") as address,
        subprocess.Popen(
            [PYTHON, EXAMPLE, f"{address}/api"],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        model = Model(process)
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "m", "version": "1"},
        }
        assert "blinds 50 and 100" in model.ask("initialize", **hello)["instructions"]
        model.say("notifications/initialized")
        tools = {tool["name"]: tool["inputSchema"] for tool in model.ask("tools/list")["tools"]}
        assert set(tools) == {"new_hand", "act"}
        assert tools["act"]["required"] == ["incr"]
        for number in (1, 2):
            hand = model.use("new_hand")
            assert hand["action"] == ("" if hand["client_pos"] else "c")
            assert "Bet too big" in model.use("act", incr="b20001")["error_msg"]
            hand = model.use("act", incr="b20000")
            assert hand["session_num_hands"] == number
            assert abs(hand["winnings"]) in (0, 20_000)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
