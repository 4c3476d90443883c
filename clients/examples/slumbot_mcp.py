"""Seats a language model by MCP: tools for the API of ``pokerd slumbot``, over standard input and output.

    python clients/examples/slumbot_mcp.py http://127.0.0.1:8050/api

Needs the package ``mcp``, which pokerd's extra of that name installs.
"""

from __future__ import annotations

import json
import sys
from typing import Any
from urllib.request import Request, urlopen

from mcp.server import MCPServer

RULES = """Heads-up no-limit hold'em, blinds 50 and 100, 20,000 chips each in every hand.
client_pos 0 is the big blind, 1 the small blind, who acts first before the flop and last after it.
action has what was done: k check, c call, f fold, bN bet or raise to N chips on this street, / a new street.
A hand is over when it has winnings, the chips that you won or lost."""


class Seat:
    """The tools. ``url`` is the address of the API; the session's token is kept here."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._token = ""

    def new_hand(self) -> dict[str, Any]:
        """Get the next hand, or the hand in progress."""
        return self._post("new_hand")

    def act(self, incr: str) -> dict[str, Any]:
        """Act in the hand in progress: k, c, f, or bN, as b300. The answer is the hand at your next turn."""
        return self._post("act", incr=incr)

    def _post(self, what: str, **fields: str) -> dict[str, Any]:
        body = json.dumps(fields | {"token": self._token}).encode()
        request = Request(f"{self._url}/{what}", body, {"Content-Type": "application/json"})  # noqa: S310
        with urlopen(request) as response:  # noqa: S310 (the address is the user's own)
            answer: dict[str, Any] = json.load(response)
        self._token = answer.pop("token", self._token)
        return answer


if __name__ == "__main__":
    seat = Seat(sys.argv[1])
    server = MCPServer("pokerd", instructions=RULES)
    for tool in (seat.new_hand, seat.act):
        server.add_tool(tool)
    server.run("stdio")
