"""What a bot is told until the first hand is dealt."""

from __future__ import annotations

from dealer.rules.games import load_game
from protocol import messages
from protocol.event_messages import game_info

START = messages.MatchStart(
    table="m",
    match="m",
    seat=0,
    players=["me", "you"],
    game=game_info(load_game("holdem.nolimit.2p.reverse_blinds")),
    hands=10,
    reset=True,
    seed=77,
    mode="fixed",
    time_ms=1000,
    bank_ms=0,
)
HAND = messages.HandStart("m", 0, 0, 1, (0, 1), (20_000, 20_000), (0, 0), (100, 50), ("Ah", "Kd"))
