"""The options of a match, as on the command line of the ACPC reference dealer 1.0.42."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dealer.rules.games import Game, load_game_beside
from server.errors import ServerError

UINT32 = 2**32


class AcpcDealerError(ServerError):
    """A match cannot be started or resumed. The codes are ``CODES`` of ``server.acpc_dealer.dealer``."""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Time limits in milliseconds: per answer, for all answers in a hand, on average per hand of the match,
    and for connecting (``start``; none if negative).
    """

    response: int = 600_000
    hand: int = 600_000
    per_hand: int = 7_000
    start: int = -1


@dataclass(frozen=True, slots=True)
class DealerOptions:
    """The options of a match. ``log`` and ``transactions``: whether to write these files; ``append``: whether
    to continue them. ``ports`` are those of the first seats; missing ones and 0 are chosen automatically.

    Raises AcpcDealerError: ``bad_hands``, ``bad_seed``, ``bad_names``, ``bad_limit``, ``bad_port``.
    """

    name: str
    game_file: str
    hands: int
    seed: int
    names: tuple[str, ...]
    limits: TimeLimits = TimeLimits()
    fixed: bool = False
    log: bool = True
    transactions: bool = False
    append: bool = False
    quiet: bool = False
    ports: tuple[int, ...] = ()
    host: str = "0.0.0.0"  # noqa: S104 (as the reference: players may run on other machines)
    conduct: Literal["reference", "strict"] = "reference"

    def __post_init__(self) -> None:
        limits = (self.limits.response, self.limits.hand, self.limits.per_hand)
        if not 1 <= self.hands < UINT32:
            raise AcpcDealerError(
                "bad_hands", f"the number of hands must be 1 to {UINT32 - 1}, not {self.hands}"
            )
        if not 0 <= self.seed < UINT32:
            raise AcpcDealerError("bad_seed", f"the seed must be 0 to {UINT32 - 1}, not {self.seed}")
        if min(limits) < 0:
            raise AcpcDealerError("bad_limit", "time limits must be whole milliseconds, at least 0")
        if any(not 0 <= port < 65536 for port in self.ports):
            raise AcpcDealerError("bad_port", "ports must be 0 to 65535")

    def load_game(self) -> Game:
        """Return the game, under the ``acpc`` rules unless its file says otherwise.

        A file in the working directory has precedence over one that comes with pokerd. Raises GameError, and
        AcpcDealerError ``bad_names`` or ``bad_port`` if the number of players does not fit.
        """
        game = load_game_beside(self.game_file)
        if len(self.names) != game.players:
            raise AcpcDealerError(
                "bad_names",
                f"{self.game_file} is for {game.players} players, but there are {len(self.names)} names",
            )
        if len(self.ports) > game.players:
            raise AcpcDealerError("bad_port", f"{len(self.ports)} ports for {game.players} players")
        return game
