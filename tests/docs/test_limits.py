"""The tables of limits in the documents: each has the limits that are known here, with their values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
import uvicorn

from clients.acpc import bridge, program
from clients.slumbot import hands, http
from clients.slumbot.session import DECISION_TIME
from protocol import batch, codec, session
from protocol.keep_alive import DEAD_PEER_TIMEOUT
from server.auth.text_rules import MAX_CHAT_LINES, MAX_TEXT
from server.bots import processes, readable_paths, sandbox
from server.fleet import coordinator, database, ledger, node_registry
from server.house import bot_manager, lobby, players_and_tables, ranges
from server.net import backlog, batch_connection, batch_room, connection, gateway, handshake, listener
from server.people import results, same_deals
from server.public import bus, mqtt
from server.tables import attendance, open_table
from server.telemetry import logging_setup
from server.tournaments import desk, tournament
from server.web import http_timeouts
from tests.docs.pages import BATCH, INTERNALS, PAGES, PEOPLE, PROTOCOL, ROOT, limits

DOCS = ROOT / "docs"
LIMITS: Final[Mapping[Path, Mapping[str, float]]] = {
    BATCH: {
        "MAX_TABLES": batch.MAX_TABLES,
        "MAX_LATE": batch_connection.MAX_LATE,
        "ROWS_PER_MESSAGE": batch_connection.ROWS_PER_MESSAGE,
        "MAX_REFUSALS": session.MAX_REFUSALS,
        "MAX_RECORD": batch_room.MAX_RECORD,
        "MAX_RECORDS": batch_room.MAX_RECORDS,
    },
    PROTOCOL: {
        "MAX_FRAME": codec.MAX_FRAME,
        "MAX_MESSAGES": codec.MAX_MESSAGES,
        "MAX_REFUSALS": session.MAX_REFUSALS,
        "MAX_HANDSHAKE": handshake.MAX_HANDSHAKE,
        "MAX_UNSENT": backlog.MAX_UNSENT,
        "HANDSHAKE_TIMEOUT": handshake.HANDSHAKE_TIMEOUT,
        "HELLO_TIMEOUT": connection.HELLO_TIMEOUT,
        "PING_IDLE": gateway.PING_IDLE,
    },
    DOCS / "tournaments.md": {
        "MAX_OPEN": desk.MAX_OPEN,
        "MAX_OPEN_PER_CLIENT": desk.MAX_OPEN_PER_CLIENT,
        "MAX_OVER": desk.MAX_OVER,
        "MAX_ENTRIES_PER_CLIENT": tournament.MAX_ENTRIES_PER_CLIENT,
        "WAITING_TIME": tournament.WAITING_TIME,
    },
    PEOPLE: {
        "MAX_OWN_TABLES": lobby.MAX_OWN_TABLES,
        "MAX_TABLES_PER_CLIENT": lobby.MAX_TABLES_PER_CLIENT,
        "MAX_WAITING": ranges.MAX_WAITING,
        "MAX_TABLES": lobby.MAX_TABLES,
        "MAX_TUNED_BOTS_PER_TABLE": bot_manager.MAX_TUNED_BOTS_PER_TABLE,
        "MAX_TUNED_BOTS_PER_CLIENT": bot_manager.MAX_TUNED_BOTS_PER_CLIENT,
        "MAX_TUNED_BOTS": bot_manager.MAX_TUNED_BOTS,
        "MAX_SHARED_BOTS": bot_manager.MAX_SHARED_BOTS,
        "MAX_SHARED_BOTS_PER_ADDRESS": bot_manager.MAX_SHARED_BOTS_PER_ADDRESS,
        "IDLE_TIMEOUT": lobby.IDLE_TIMEOUT,
        "OWNER_TIMEOUT": attendance.PATIENCE,
        "READY_TIME": open_table.READY_TIME,
        "RETURN_TIMEOUT": lobby.RETURN_TIMEOUT,
        "HEARTBEAT_INTERVAL": connection.HEARTBEAT_INTERVAL,
        "MAX_CHAT_LINES": MAX_CHAT_LINES,
        "MAX_TEXT": MAX_TEXT,
        "GRACE": same_deals.GRACE,
        "MAX_TRIES_PER_DAY": same_deals.MAX_TRIES_PER_DAY,
        "MAX_PLAYERS_PER_DAY": same_deals.MAX_PLAYERS_PER_DAY,
        "MAX_FRIENDS": same_deals.MAX_FRIENDS,
        "LINK_DAYS": same_deals.LINK_DAYS,
        "KEPT_DAYS": same_deals.KEPT_DAYS,
        "MAX_SCORED_PER_DAY": results.MAX_SCORED_PER_DAY,
        "MAX_SCORED_HANDS": results.MAX_SCORED_HANDS,
        "MAX_RESULTS": results.MAX_RESULTS,
        "MAX_RESULT_HANDS": results.MAX_RESULT_HANDS,
    },
    DOCS / "security.md": {
        "REQUEST_TIMEOUT": http_timeouts.REQUEST,
        "KEEP_ALIVE_TIMEOUT": uvicorn.Config("").timeout_keep_alive,
        "ANSWER_TIMEOUT": http_timeouts.TAKE,
        "DEAD_PEER_TIMEOUT": DEAD_PEER_TIMEOUT,
        "MAX_HELD": players_and_tables.MAX_HELD,
        "MAX_UNSENT_TOTAL": backlog.MAX_UNSENT_TOTAL,
        "RECEIVE_BUFFER": listener.RECEIVE_BUFFER,
        "POLL_INTERVAL": processes.POLL_INTERVAL,
        "DISK_CHECK_INTERVAL": processes.POLL_INTERVAL * processes.DISK_CHECK_EVERY,
        "MEMORY_LIMIT": sandbox._DATA_SPARE,
        "PROCESS_SPARE": sandbox._USER_SPARE,
        "MAX_ENTRIES": readable_paths.MAX_ENTRIES,
        "MAX_PATHS": readable_paths.MAX_PATHS,
    },
    DOCS / "fleet.md": {
        "NODE_TIMEOUT": coordinator.NODE_TIMEOUT,
        "NODE_NAME_TIMEOUT": node_registry.SILENCE,
        "WINDOW": coordinator.WINDOW,
        "PART": ledger.PART,
        "TRANSACTION_TIMEOUT": database.TIMEOUT,
    },
    DOCS / "mqtt.md": {
        "COALESCE_DELAY": bus.COALESCE_DELAY,
        "SILENCE": mqtt.KEEPALIVE * 3 // 2,
        "FIRST_DELAY": mqtt.FIRST_DELAY,
        "MAX_DELAY": mqtt.MAX_DELAY,
        "QUEUE_LIMIT": bus.QUEUE_LIMIT,
    },
    DOCS / "operating.md": {
        "MAX_LINES_PER_ADDRESS": logging_setup.MAX_LINES_PER_ADDRESS,
        "MAX_LINES": logging_setup.MAX_LINES,
    },
    DOCS / "acpc.md": {"STOP_TIMEOUT": program.STOP_TIMEOUT, "MAX_REPORTED": bridge.MAX_REPORTED},
    DOCS / "slumbot.md": {
        "DECISION_TIME": DECISION_TIME,
        "MAX_HANDS": hands.MAX_HANDS,
        "MAX_CONNECTIONS": http.MAX_CONNECTIONS,
    },
    INTERNALS: {"TICK_INTERVAL": players_and_tables.TICK_INTERVAL},
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_limits_of_a_page_are_those_of_the_program(page: Path) -> None:
    assert limits(page) == pytest.approx(LIMITS.get(page, {}))
