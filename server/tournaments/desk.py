"""The tournaments of a server: opening them, entering, and keeping them over a restart."""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from protocol.errors import Refused
from protocol.tournament import AnnounceTournament, Entry
from server.house.lobby import MAX_TABLES, Lobby, number_at_end
from server.tables.player import Player
from server.tables.snapshot import SeatHolder
from server.telemetry.logger import get_logger
from server.tournaments.config import config_from_request
from server.tournaments.tournament import Tournament, TournamentState

log = get_logger("pokerd.tournament")

#: Tournaments that are open or run at once: on the server, and of one client.
MAX_OPEN: Final = 32
MAX_OPEN_PER_CLIENT: Final = 2
#: Tournaments that are over, and can still be looked at.
MAX_OVER: Final = 20
_FILE: Final = re.compile(r"tournament-(\d{1,9})\.json")


class TournamentDesk:
    """The tournaments of a ``lobby``. ``folder`` keeps one file for each, ``NAME.json``; None: they end with
    the process. Files that cannot be read are left alone, and logged.
    """

    def __init__(
        self, lobby: Lobby, folder: Path | None = None, now: Callable[[], float] = time.time
    ) -> None:
        self.tournaments: dict[str, Tournament] = {}
        self._lobby = lobby
        self._folder = folder
        self._now = now
        lobby.house.register_desk(self)
        if folder is not None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for number in self._kept():
                self._load(folder / f"tournament-{number}.json")

    def clock(self) -> float:
        """Return the time on the clock of levels and breaks."""
        return self._lobby.house.clock()

    @property
    def _active(self) -> list[Tournament]:
        return [one for one in self.tournaments.values() if one.status in {"open", "running"}]

    def announce(self, player: Player, request: AnnounceTournament) -> None:
        """Open a tournament. Raises ``Refused``."""
        assert player.connection is not None
        house, bots = self._lobby.house, self._lobby.house_bots
        config = config_from_request(request, self._lobby.bots)
        if house.closing:
            raise Refused("closing", "the server is about to stop, and opens no tournaments")
        source = house.admission.quota_key(player.connection.address, player.grant)
        if sum(one.state.source == source for one in self._active) >= MAX_OPEN_PER_CLIENT:
            raise Refused(
                "server_full",
                f"{MAX_OPEN_PER_CLIENT} tournaments from your address or token are not over yet",
            )
        waiting = [one.config for one in self._active if one.status == "open"]
        tables = len(house.open_tables) + sum(one.tables for one in (*waiting, config))
        if len(self._active) >= MAX_OPEN or tables > MAX_TABLES:
            raise Refused("server_full", "no more tournaments can be opened at the moment")
        bots.verify_shared(set(config.bot_names), source)
        starts = self._now() + 60 * config.minutes if config.minutes else 0.0
        opener = SeatHolder.of(player)
        state = TournamentState(
            config, secrets.token_hex(16), player.name, starts, source=source, opener=opener
        )
        # A file that cannot be read stays.
        number = max([*map(number_at_end, self.tournaments), *self._kept()], default=0) + 1
        name = f"tournament-{number}"
        tournament = Tournament(self._lobby, name, state, self._save, self._now)
        if not self._save(tournament):
            raise Refused("server_full", "the server cannot keep tournaments; its log says why")
        self.tournaments[name] = tournament
        tournament.open()
        self._drop_old()
        player.connection.send(Entry(name, "open"), urgent=True)

    def register(self, player: Player, name: str) -> None:
        """Enter a player. Raises ``Refused``."""
        self._find(name).register(player)

    def unregister(self, player: Player, name: str) -> None:
        """Take back his entry. Raises ``Refused``."""
        self._find(name).unregister(player)

    def cancel(self, player: Player, name: str) -> None:
        """Take back a tournament that he opened, before its start. Raises ``Refused``."""
        found = self._find(name)
        if not found.is_opened_by(player):
            raise Refused("not_owner")
        if found.status != "open":
            raise Refused("no_entry", "the tournament has begun")
        found.cancel("owner")
        if player.connection is not None and found.entrant_of(player) is None:
            player.connection.send(Entry(name, "cancelled"), urgent=True)

    def on_hello(self, player: Player) -> None:
        """Tell a player who is back where he has a seat that nobody holds for him."""
        for tournament in self._active:
            tournament.tell_seat(player)

    def suspend(self) -> None:
        """Leave the tournaments to another process; without a folder their tables close with the house."""
        for tournament in self._active:
            tournament.suspend()

    def _find(self, name: str) -> Tournament:
        found = self.tournaments.get(name)
        if found is None or found.status not in {"open", "running"}:
            raise Refused("unknown_tournament", f"there is no tournament {name!r}, or it is over")
        return found

    def _drop_old(self) -> None:
        over = [name for name, one in self.tournaments.items() if one.status in {"over", "cancelled"}]
        for name in over[:-MAX_OVER]:
            del self.tournaments[name]
            if self._folder is not None:
                (self._folder / f"{name}.json").unlink(missing_ok=True)

    # Restarts.

    def _kept(self) -> list[int]:
        """Return the numbers of the files, in order."""
        names: list[str] = []
        if self._folder is not None:
            with suppress(OSError):  # writing will fail, too, and be told
                names = [path.name for path in self._folder.iterdir()]
        return sorted(int(found[1]) for found in map(_FILE.fullmatch, names) if found)

    def _save(self, tournament: Tournament) -> bool:
        """Write the state to its file, as a whole; return whether that was possible."""
        if self._folder is None:
            return True
        path = self._folder / f"{tournament.name}.json"
        fresh = path.with_suffix(".new")
        try:
            with open(os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:  # noqa: PTH123
                file.write(msgspec.json.encode(tournament.state))
            fresh.replace(path)
        except OSError as error:
            log.critical("a tournament cannot be written", file=str(path), error=str(error))
            return False
        return True

    def _load(self, path: Path) -> None:
        tournament = None
        try:
            state = msgspec.json.decode(path.read_bytes(), type=TournamentState)
            tournament = Tournament(self._lobby, path.stem, state, self._save, self._now)
            tournament.resume()
        except Exception as error:  # noqa: BLE001 (whatever is wrong in a file, the server starts)
            log.warning("a tournament cannot be read", file=str(path), error=repr(error))
            if tournament is not None:
                tournament.abandon()
            return
        self.tournaments[path.stem] = tournament
