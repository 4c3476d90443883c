"""What a match is to be, as the command line of the ACPC reference dealer 1.0.42 says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dealer.rules.games import Game, load_game_beside
from server.errors import ServerError

__all__ = ["AcpcDealerError", "DealerOptions", "TimeLimits"]

UINT32 = 2**32


class AcpcDealerError(ServerError):
    """A match that cannot be begun or gone on with. Codes: ``CODES`` of ``server.acpc_dealer.dealer``."""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Time limits in milliseconds: for an answer, for all answers of a hand, and on average for each hand of
    the match; ``start`` for connecting, none when negative.
    """

    response: int = 600_000
    hand: int = 600_000
    per_hand: int = 7_000
    start: int = -1


@dataclass(frozen=True, slots=True)
class DealerOptions:
    """A match. ``log`` and ``transactions`` say whether those files are kept, ``append`` that they are
    continued. ``ports`` are those of the first seats; 0 and missing ones are chosen.

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
            raise AcpcDealerError("bad_hands", f"the number of hands is 1 to {UINT32 - 1}, not {self.hands}")
        if not 0 <= self.seed < UINT32:
            raise AcpcDealerError("bad_seed", f"the seed is 0 to {UINT32 - 1}, not {self.seed}")
        if min(limits) < 0:
            raise AcpcDealerError("bad_limit", "time limits are whole milliseconds, 0 or more")
        if any(not 0 <= port < 65536 for port in self.ports):
            raise AcpcDealerError("bad_port", "ports are 0 to 65535")

    def load_game(self) -> Game:
        """The game, under the ``acpc`` rules unless its file says otherwise.

        A file of that name in the working directory comes before one that pokerd brings. Raises GameError,
        and AcpcDealerError ``bad_names`` when it is for another number of players.
        """
        game = load_game_beside(self.game_file)
        if len(self.names) != game.players:
            raise AcpcDealerError(
                "bad_names", f"{self.game_file} is for {game.players} players; {len(self.names)} are named"
            )
        if len(self.ports) > game.players:
            raise AcpcDealerError("bad_port", f"{len(self.ports)} ports for {game.players} players")
        return game
