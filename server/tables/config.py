"""The settings of an open table, and their limits."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from dealer.deck import SecureDeals
from dealer.formats.cash import Cash
from dealer.formats.fixed import Challenge
from dealer.formats.format import Deals, Stakes
from dealer.formats.tournament import Level, Tournament
from dealer.rules.actions import Action
from dealer.rules.games import STRADDLE_PLAYERS, Game
from dealer.table import Clock
from protocol.errors import Refused
from protocol.people import BotChoice, CreateTable
from server.auth.text_rules import is_plain_text
from server.bots.offered import HouseBots, bot_text, check_choice
from server.people.performance import PlaySetting

#: Minimum and maximum of the fields of ``create``. All stacks together are fewer chips than a hand can have.
BOUNDS: Final[dict[str, tuple[int, int]]] = {
    "small_blind": (1, 1_000_000),
    "big_blind": (1, 1_000_000),
    "ante": (0, 1_000_000),
    "stack": (2, 200_000_000),
    "seats": (2, 10),
    "decision_ms": (1_000, 600_000),
    "bank_ms": (0, 3_600_000),
    "pause_ms": (0, 60_000),
    "matches": (1, 100),
    "hands": (10, 500),
}
#: Big blinds that every player can have at the start of a hand.
MAX_DEPTH: Final = 1000
#: Hands per blind level of a tournament; 0: the blinds never rise.
LEVELS: Final[dict[str, int]] = {"normal": 12, "turbo": 5, "fixed": 0}
#: Rules of the least raise of a no-limit game, and their rule sets.
LEAST_RAISES: Final[dict[str, str]] = {"last_raise": "standard", "bb": "bb"}
#: Factors of blinds and antes, by level.
_FACTORS: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
#: Maximum length of a table's name.
MAX_NAME: Final = 40


class Replay(NamedTuple):
    """A stored hand that a practice table plays again and again: its number among the deals; by position the
    seats here and their stacks; and the actions that are done as they were.
    """

    hand: int
    order: tuple[int, ...]
    stacks: tuple[int, ...]
    actions: tuple[Action, ...]

    def begin(self, cash: Cash) -> None:
        """Let it be the next hand."""
        cash.play_again(self.order, self.stacks, self.actions)


class TableConfig(NamedTuple):
    """The settings of an open table, stored in this order: new ones come last.

    ``pause``: seconds between hands while people watch; ``matches``: tournaments in a series; ``bots``: the
    house bots that sit down first; ``rival`` and ``hands``: of a challenge; ``memory``: what players should
    forget after, a ``match`` or the ``series``; ``research``: the owner lets his result be kept; ``deals``:
    the day, or the run of the challenge, whose deals are played; ``practice``: the owner plays alone against
    bots, and may ask for hints; ``private``: no list shows the table; ``hud``: people are told how others
    play; ``all_ins``: how all-ins are settled, by ``equity`` or ``twice``, if not on one board; ``replay``:
    the stored hand that is practised, with the seed of its deck.
    """

    stakes: Stakes
    seats: int
    clock: Clock = Clock()
    mode: str = "cash"
    levels: tuple[Level, ...] = ()
    matches: int = 1
    pause: float = 0.0
    bots: tuple[str | BotChoice, ...] = ()
    name: str = ""
    rival: str | BotChoice = ""
    hands: int = 0
    memory: str = "match"
    research: bool = False
    deals: str = ""
    practice: bool = False
    private: bool = False
    hud: bool = True
    all_ins: str = ""
    replay: Replay | None = None

    @property
    def day(self) -> str:
        """Return the day whose hands are played here, or ""."""
        return "" if "." in self.deals else self.deals

    @property
    def one_person(self) -> bool:
        """Return whether one person plays a challenge or tournaments against house bots."""
        return self.mode in {"challenge", "tournament"} and len(self.bots) == self.seats - 1

    @property
    def setting(self) -> PlaySetting:
        """Return what a person plays here, for his result."""
        stakes, tournament = self.stakes, self.mode == "tournament"
        levels = self.levels if tournament and len(self.levels) > 1 else ()
        return PlaySetting(
            mode=self.mode,
            game="limit" if stakes.limit else "pushfold" if stakes.rules == "pushfold" else "nolimit",
            bots=tuple(map(bot_text, self.bots)),
            rival=bot_text(self.rival),
            small_blind=stakes.small_blind,
            big_blind=stakes.big_blind,
            ante=stakes.ante,
            stack=stakes.stack,
            levels=levels[0].hands if levels else 0,
            min_raise=next((name for name, rules in LEAST_RAISES.items() if rules == stakes.rules), "")
            if not stakes.limit
            else "",
            matches=self.matches,
            hands=self.hands,
            memory=self.memory,
        )

    @property
    def exhibition(self) -> bool:
        """Return whether only house bots play, and nobody else can sit down."""
        return len(self.bots) == self.seats

    @property
    def tuned_bots(self) -> int:
        """Return how many house bots have parameters of their own, the rival included."""
        return sum(isinstance(bot, BotChoice) for bot in (*self.bots, self.rival))

    @property
    def shared_bots(self) -> set[str]:
        """Return the names of the house bots without parameters of their own, the rival included."""
        numbered = [*enumerate(self.bots, 1), (self.seats, self.rival)]
        return {f"{bot}-{number}" for number, bot in numbered if bot and isinstance(bot, str)}

    def make_format(self, seed: bytes) -> Cash | Challenge | Tournament:
        """Return a match with the deals of ``seed``."""

        def deals_for(game: Game) -> Deals:
            return SecureDeals(seed, 0, game)

        def second_board(game: Game, hand: int) -> tuple[int, ...]:
            return SecureDeals(seed, 0, game).second_board(hand)

        if self.mode == "cash":
            cash = Cash(
                self.seats,
                self.stakes,
                deals_for,
                equity=self.all_ins == "equity",
                second_board=second_board if self.all_ins == "twice" else None,
            )
            if self.replay is not None:
                cash.hand = self.replay.hand
                self.replay.begin(cash)
            return cash
        if self.mode == "challenge":
            return Challenge(self.seats, self.stakes, deals_for, self.hands)
        stakes = self.stakes
        return Tournament(
            self.seats, self.levels, stakes.stack, deals_for, limit=stakes.limit, rules=stakes.rules
        )


def _among(*allowed: str) -> Callable[[str], bool]:
    return lambda value: value in allowed


_WORDS: Final[dict[str, Callable[[str], bool]]] = {
    "game": _among("nolimit", "limit", "pushfold"),
    "mode": _among("cash", "tournament", "challenge"),
    "deck": _among("secure"),
    "levels": _among("", *LEVELS),
    "min_raise": _among("", *LEAST_RAISES),
    "memory": _among("", "match", "series"),
    "all_ins": _among("", "equity", "twice"),
}


def config_from_request(request: CreateTable, house_bots: HouseBots) -> TableConfig:
    """Return the settings that a player asks for.

    Raises ``Refused`` (``bad_table``, ``bad_parameters``), with the wrong ``field``.
    """
    for field, good in _WORDS.items():
        if not good(getattr(request, field)):
            raise _bad(field, f"{getattr(request, field)[:60]!r} is not possible")
    if request.name and not is_plain_text(request.name, MAX_NAME):
        raise _bad("name", f"at most {MAX_NAME} visible characters")
    for field, (least, most) in BOUNDS.items():
        if not least <= getattr(request, field) <= most:
            raise _bad(field, f"from {least} to {most}")
    _check_together(request)
    challenge = request.mode == "challenge"
    bots = tuple([check_choice("bots", bot, house_bots) for bot in request.bots])
    rival = check_choice("rival", request.rival, house_bots) if challenge else ""
    hands = LEVELS[request.levels or "normal"]
    small, big, ante = request.small_blind, request.big_blind, request.ante
    rules = "pushfold" if request.game == "pushfold" else LEAST_RAISES[request.min_raise or "last_raise"]
    factors = _FACTORS if hands else (1,)
    depth = (request.depth[0], request.depth[1]) if request.depth else None
    limit = request.game == "limit"
    straddle = 2 * big if request.straddle else 0
    return TableConfig(
        stakes=Stakes(small, big, ante, limit, request.stack, rules, depth, straddle),
        seats=request.seats,
        clock=Clock(request.decision_ms / 1000, request.bank_ms / 1000),
        mode=request.mode,
        levels=tuple(Level(small * times, big * times, ante * times, hands or 1) for times in factors),
        matches=request.matches,
        pause=request.pause_ms / 1000,
        bots=bots,
        name=request.name,
        rival=rival,
        hands=request.hands if challenge else 0,
        memory=request.memory or "match",
        research=request.research,
        private=request.private,
        hud=request.hud,
        practice=request.practice,
        all_ins=request.all_ins,
    )


def _check_together(request: CreateTable) -> None:
    """Check conditions on several fields."""
    if request.small_blind > request.big_blind:
        raise _bad("small_blind", "at most the big blind")
    if request.ante > request.big_blind:
        raise _bad("ante", "at most the big blind")
    if request.depth:
        _check_depth(request)
    elif request.stack < 2 * request.big_blind + request.ante:
        raise _bad("stack", "at least two big blinds and the ante")
    if request.min_raise and request.game != "nolimit":
        raise _bad("min_raise", "only no-limit games have a least raise to choose")
    if len(request.bots) > request.seats:
        raise _bad("bots", "more bots than seats")
    _check_alone(request)
    _check_cash(request)
    if request.mode == "challenge":
        if len(request.bots) != request.seats - 1:
            raise _bad("bots", "a challenge needs a bot in every seat but yours")
    elif request.rival:
        raise _bad("rival", "only challenges have a rival")
    if request.mode != "tournament":
        _check_no_tournament(request)


def _check_alone(request: CreateTable) -> None:
    alone = len(request.bots) == request.seats - 1
    if request.research and (request.mode == "cash" or not alone):
        raise _bad("research", "only results of one person against house bots are kept, not of cash tables")
    if request.practice and (request.mode != "cash" or not alone):
        raise _bad("practice", "only at a cash table with a bot in every seat but yours")


def _check_no_tournament(request: CreateTable) -> None:
    if request.levels:
        raise _bad("levels", "only tournaments have levels")
    if request.matches > 1:
        raise _bad("matches", "only tournaments can be a series")
    if request.memory == "series":
        raise _bad("memory", "only tournaments can be a series")


def _check_cash(request: CreateTable) -> None:
    if request.all_ins and request.mode != "cash":
        raise _bad("all_ins", "only at cash tables")
    if not request.straddle:
        return
    if request.mode != "cash" or request.game != "nolimit":
        raise _bad("straddle", "only at no-limit cash tables")
    if request.seats < STRADDLE_PLAYERS:
        raise _bad("straddle", f"only at tables for {STRADDLE_PLAYERS} or more")


def _check_depth(request: CreateTable) -> None:
    if len(request.depth) != 2 or not 1 <= request.depth[0] <= request.depth[1] <= MAX_DEPTH:
        raise _bad("depth", f"the smallest and largest stack in big blinds, from 1 to {MAX_DEPTH}")
    if request.depth[1] * request.big_blind < 2 * request.big_blind + request.ante:
        raise _bad("depth", "the largest stack is at least two big blinds and the ante")
    if request.mode != "cash":
        raise _bad("depth", "only cash tables can reset stacks for every hand")


def _bad(field: str, detail: str) -> Refused:
    return Refused("bad_table", f"{field}: {detail}", field=field)


#: Reads a table as ``msgspec.json.encode`` writes it.
decode_config: Final = msgspec.json.Decoder(TableConfig).decode


def challenge_seeds(seed: bytes, seats: int) -> list[int]:
    """Return seeds for the players' own randomness, by seat. Those who play the same deals have the same; a
    bot cannot compute from them the seed of the deals.
    """
    label = b"pokerd player seed 1\x00"
    digests = [hmac.digest(seed, label + bytes([seat]), "sha256") for seat in range(seats)]
    return [int.from_bytes(digest[:6], "big") for digest in digests]


def player_seeds(seats: int) -> list[int]:
    """Return seeds for the players' own randomness, by seat."""
    return [secrets.randbits(48) for _ in range(seats)]
