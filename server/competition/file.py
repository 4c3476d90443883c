"""The competition file as a whole: what is planned, and what does not go together. What each key may be is in
``server.competition.schema``; ``docs/competition.md`` is the reference.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import msgspec

from dealer import match
from dealer.deck import SEED_BYTES, SecureDeals, acpc_deals, acpc_match_seed, commitment, seed_bytes
from dealer.errors import DealerError
from dealer.formats.cash import Cash
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Deals, Format, Stakes
from dealer.formats.tournament import Tournament, level_at
from dealer.play_order import play_order
from dealer.rules.errors import RulesError
from dealer.rules.events import HandStarted
from dealer.rules.games import Game, load_game
from dealer.table import Clock
from server.bots.sandbox import Limits
from server.competition.schema import BotEntry, CompetitionEntry, DivisionEntry, DivisionTableEntry
from server.errors import ServerError

__all__ = [
    "BotEntry",
    "Competition",
    "CompetitionEntry",
    "CompetitionError",
    "DivisionEntry",
    "VerifyParameters",
    "load_competition",
    "read_name",
    "parse_competition",
    "without_tokens",
]

VerifyParameters = Callable[[str, Mapping[str, Any]], object]


class CompetitionError(ServerError):
    """The file cannot be used. ``unreadable``, ``not_toml``, ``bad_field``, ``unknown_bot``,
    ``bad_parameters``, ``duplicate_name``, ``duplicate_token``, ``bad_name``, ``bad_seed``, or a code of the
    dealer.
    """


class Competition:
    """A checked competition with its seed: every deal and every session follows from it."""

    def __init__(
        self,
        entry: CompetitionEntry,
        folder: Path,
        seed: bytes | int | None = None,
        games: Mapping[str, Game] | None = None,
    ) -> None:
        self.entry = entry
        self._given_games = games or {}
        self.name = entry.name
        self.bots = {bot.name: bot for bot in entry.bots}
        self.clock = Clock(entry.time.decision_ms / 1000, entry.time.bank_ms / 1000)
        #: What the file itself says, if it does.
        self.file_seed = _file_seed(entry)
        if seed is None:
            seed = self.file_seed
        self.seed = _random_seed(entry.deck) if seed is None else seed
        self.key = match.play_key(self.seed_bytes)
        self.games: dict[str, Game] = {}
        self.divisions: dict[str, match.Division] = {}
        for division in entry.divisions:
            self._add_division(division, folder)
        self.sessions = tuple(
            session for division in self.divisions.values() for session in match.plan_sessions(division)
        )

    @cached_property
    def remembering_bots(self) -> frozenset[str]:
        """The bots that could remember earlier sessions: remote ones, and foreign programs that stay. Without
        ``interleave`` nobody minds.
        """
        return frozenset(bot.name for bot in self.entry.bots if self.entry.interleave and bot.could_remember)

    @cached_property
    def names_hidden(self) -> bool:
        """Whether names of sessions tell no more than the division while they are played: some bot must not
        know its opponents, or could remember by the number of the match what was dealt in it before.
        """
        return self.entry.anonymous or any(bot.could_remember for bot in self.entry.bots)

    @cached_property
    def play_order(self) -> tuple[match.Session, ...]:
        """The sessions in the order in which they are played."""
        return play_order(self.sessions, self.entry.interleave if self.remembering_bots else 0, self.key)

    def secret_group(self, session: match.Session) -> int:
        """Sessions with the same number share cards, or secrets of cards: an ``acpc`` seed can be found out
        from the hands of any match. None of their hands may be told before the last of them is over.
        """
        return 0 if self.entry.deck == "acpc" else session.match

    @property
    def seed_bytes(self) -> bytes:
        """The seed as bytes, as it is committed to."""
        return seed_bytes(self.seed)

    @property
    def seed_text(self) -> str:
        """How the seed is revealed: hex digits (secure), or the number (acpc)."""
        return self.seed.hex() if isinstance(self.seed, bytes) else str(self.seed)

    @property
    def commitment(self) -> str:
        """What is published before the first card."""
        return commitment(self.seed)

    def limits(self, bot: BotEntry) -> Limits:
        """What a managed bot may take."""
        return self.entry.limits if bot.limits is None else bot.limits

    def managed_limits(self) -> list[Limits]:
        """Those of all managed bots."""
        return [self.limits(bot) for bot in self.entry.bots if not bot.remote]

    def division_entry(self, name: str) -> DivisionEntry:
        """The entry of a division."""
        return next(entry for entry in self.entry.divisions if entry.name == name)

    def deals(self, number: int, game: Game) -> Deals:
        """The deals of match ``number``: the same for every line-up and seating (common seeds)."""
        if isinstance(self.seed, int):
            return acpc_deals(acpc_match_seed(self.seed, number), game)
        return SecureDeals(self.seed, number, game)

    def format(self, session: match.Session) -> Format:
        """The hands of one session, from its first."""
        table = self.division_entry(session.division).table
        if table is None:
            game = self.games[session.division]
            return FixedStacks(game, self.deals(session.match, game), session.hands)

        def deals_for(game: Game) -> Deals:
            return self.deals(session.match, game)

        if table.mode == "tournament":
            return Tournament(
                table.players, table.schedule(), table.stack, deals_for, limit=table.limit, rules=table.rules
            )
        return Cash(table.players, table.stakes(), deals_for, hands=session.hands, all_seated=True)

    def _add_division(self, entry: DivisionEntry, folder: Path) -> None:
        if (entry.game is None) == (entry.table is None):
            raise CompetitionError("bad_field", f"division {entry.name} needs either game or table")
        if entry.table is not None and entry.rules is not None:
            raise CompetitionError(
                "bad_field", f"division {entry.name}: rules go with game; a table has its own"
            )
        if entry.table is not None:
            _check_table(entry.name, entry.table)
        # Also when they differ in case only: not every file system would tell their folders apart.
        if entry.name.casefold() in {name.casefold() for name in self.divisions}:
            raise CompetitionError("duplicate_name", f"two divisions are called {entry.name}")
        if entry.game is not None:
            path = folder / entry.game
            given = self._given_games.get(entry.name)
            if given is not None:
                game = replace(given, name=path.name.removesuffix(".game"))
            else:
                game = load_game(path if path.is_file() else entry.game)
            if entry.rules is not None:
                game = game.with_rules(entry.rules)
        else:
            assert entry.table is not None
            table = entry.table
            game = table.stakes().game(table.players)
            for level in table.schedule()[1:]:
                # Blinds that no game can have are refused now, not when the level is reached.
                level.stakes(table.limit, table.stack, table.rules).game(table.players)
        bots = tuple(entry.bots if entry.bots is not None else self.bots)
        for bot in bots:
            if bot not in self.bots:
                raise CompetitionError(
                    "unknown_bot", f"division {entry.name} names a bot {bot!r} that [[bots]] does not have"
                )
        self.games[entry.name] = game
        self.divisions[entry.name] = match.Division(
            entry.name,
            bots,
            game.players,
            entry.matches,
            1 if self.is_tournament(entry.name) else entry.hands,
            entry.seatings,
            None if entry.line_ups == "all" else entry.line_ups,
            carry=entry.table is not None and entry.table.depth is None,
        )

    def is_tournament(self, division: str) -> bool:
        """Whether a division plays tournaments: then its unit is not the hand but the whole tournament."""
        table = self.division_entry(division).table
        return table is not None and table.mode == "tournament"

    def chips_per_unit(self, division: str) -> int:
        """Chips that count as one big blind in the standings; in tournaments a starting stack."""
        table = self.division_entry(division).table
        if table is not None and table.mode == "tournament":
            return table.stack
        return max(self.games[division].blinds)

    def public_names(self, session: match.Session) -> tuple[str, list[str]]:
        """What others may know a session by while it is played: its name, and its players' by seat."""
        name = match.masked_name(self.key, session) if self.names_hidden else session.name
        players = match.pseudonyms(self.key, session) if self.entry.anonymous else session.players
        return name, list(players)

    def stakes_at(self, division: str, started: HandStarted) -> Stakes:
        """The stakes of a recorded hand of a division that is played from table settings."""
        table = self.division_entry(division).table
        assert table is not None
        if table.mode == "cash":
            return table.stakes()
        return level_at(table.schedule(), started.hand).stakes(table.limit, table.stack, table.rules)


def _check_table(name: str, table: DivisionTableEntry) -> None:
    if table.levels and table.mode != "tournament":
        raise CompetitionError("bad_field", f"division {name}: only tournaments have levels")
    if table.depth is not None and table.mode != "cash":
        raise CompetitionError("bad_field", f"division {name}: only cash tables have a depth")
    if table.depth is not None and not 1 <= table.depth[0] <= table.depth[1]:
        raise CompetitionError(
            "bad_field", f"division {name}: a depth is the least and the most big blinds, from 1 on"
        )
    if any(level.small_blind > level.big_blind for level in table.schedule()):
        raise CompetitionError("bad_field", f"division {name}: the small blind is above the big one")


def _file_seed(entry: CompetitionEntry) -> bytes | int | None:
    if entry.seed is None:
        return None
    if entry.deck == "acpc":
        if not isinstance(entry.seed, int) or not 0 <= entry.seed < 2**32:
            raise CompetitionError(
                "bad_seed", f"an acpc seed is an integer from 0 to {2**32 - 1}, not {entry.seed!r}"
            )
        return entry.seed
    text = str(entry.seed)
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    # Any other text is a seed by its hash, so that an example can say seed = "example".
    return seed if len(seed) == SEED_BYTES else hashlib.sha256(text.encode()).digest()


def _random_seed(deck: str) -> bytes | int:
    return secrets.randbits(32) if deck == "acpc" else secrets.token_bytes(SEED_BYTES)


def parse_competition(
    text: str,
    folder: Path = Path(),
    seed: bytes | int | None = None,
    games: Mapping[str, Game] | None = None,
    house_bots: Collection[str] = (),
    verify_parameters: VerifyParameters | None = None,
) -> Competition:
    """A competition from the text of its file; game paths are relative to ``folder``.

    ``house_bots``: names that ``run`` may have (any, if not given). ``verify_parameters``: called with such a
    name and its parameters, it raises ValueError for those that the bot cannot play with. ``seed`` and
    ``games`` (by division) replace what the file says: those of a competition that was played. Raises
    ``CompetitionError``.
    """
    data, entry = _parse(text)
    _check_bots(entry, house_bots)
    if verify_parameters is not None:
        _check_parameters(entry, verify_parameters)
    _refuse_unused_keys(data)
    try:
        return Competition(entry, folder, seed, games)
    except (DealerError, RulesError) as error:
        raise CompetitionError(error.code, str(error)) from None


def load_competition(
    path: Path,
    house_bots: Collection[str] = (),
    verify_parameters: VerifyParameters | None = None,
    seed: bytes | int | None = None,
) -> tuple[Competition, str]:
    """A competition and the text of its file, without its tokens. ``seed`` is that of one that has begun.
    Raises ``CompetitionError``.
    """
    text = _read_text(path)
    competition = parse_competition(
        text, path.parent, seed, house_bots=house_bots, verify_parameters=verify_parameters
    )
    return competition, without_tokens(text, competition)


def read_name(path: Path) -> str:
    """The name of the competition of a file, whatever else it says. Raises ``CompetitionError``."""
    return _parse(_read_text(path))[1].name


def _parse(text: str) -> tuple[dict[str, Any], CompetitionEntry]:
    """What a file says, and what that means."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CompetitionError("not_toml", f"not TOML: {error}") from None
    try:
        return data, msgspec.convert(data, CompetitionEntry)
    except msgspec.ValidationError as error:
        raise CompetitionError("bad_field", str(error)) from None


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CompetitionError("unreadable", f"cannot read {path}: {error}") from None


#: How a bot comes to its seat.
_BOT_SOURCES: Final = ("run", "command", "token", "token_hash")


def _check_bots(entry: CompetitionEntry, house_bots: Collection[str]) -> None:
    names = [bot.name.casefold() for bot in entry.bots]
    if len(set(names)) < len(names):
        raise CompetitionError("duplicate_name", "two [[bots]] have the same name")
    tokens = [bot.secret for bot in entry.bots if bot.remote]
    if len(set(tokens)) < len(tokens):
        raise CompetitionError("duplicate_token", "two [[bots]] have the same token")
    for bot in entry.bots:
        if not match.NAME.fullmatch(bot.name):
            raise CompetitionError(
                "bad_name", f"{bot.name!r} is not a name for a bot: letters, digits, '_', '-', '.'"
            )
        ways = [way for way in _BOT_SOURCES if getattr(bot, way) is not None]
        if len(ways) != 1:
            raise CompetitionError(
                "bad_field", f"bot {bot.name} needs exactly one of {', '.join(_BOT_SOURCES)}"
            )
        if bot.run is not None and house_bots and bot.run not in house_bots:
            known = ", ".join(house_bots)
            raise CompetitionError("unknown_bot", f"no house bot is called {bot.run!r}; there are {known}")


def _check_parameters(entry: CompetitionEntry, verify: VerifyParameters) -> None:
    for bot in entry.bots:
        if bot.run is not None and bot.parameters is not None:
            try:
                verify(bot.run, bot.parameters)
            except ValueError as error:
                raise CompetitionError("bad_parameters", f"bot {bot.name}: {error}") from None


def _refuse_unused_keys(data: Mapping[str, Any]) -> None:
    """Refuse keys that have no effect beside the others: whoever wrote them believes that they have.

    ``data`` is what the file says, already checked field by field: defaults are not in it.
    """
    for bot in data["bots"]:
        if "token" in bot or "token_hash" in bot:
            idle = [key for key in ("reset", "limits") if key in bot]
            why = "a remote bot runs elsewhere, and is told to reset"
        elif "rate" in bot:
            idle, why = ["rate"], "a bot that is started here may say what it likes, as often as it likes"
        else:
            idle = ["tables"] if "tables" in bot and bot.get("reset", "process") == "process" else []
            why = 'a process plays one session; write reset = "message" if it may stay for more'
        if "protocol" in bot and "command" not in bot:
            idle, why = ["protocol"], "it is the language of a command"
        if "parameters" in bot and "run" not in bot:
            idle, why = ["parameters"], "they say how a house bot plays"
        if idle:
            raise CompetitionError("bad_field", f"bot {bot['name']}: leave out {' and '.join(idle)}: {why}")
    for division in data["divisions"]:
        table = division.get("table", {})
        if table.get("mode") == "tournament" and "hands" in division:
            raise CompetitionError(
                "bad_field", f"division {division['name']}: leave out hands: a tournament ends by itself"
            )
        if "stack" in table and "depth" in table:
            raise CompetitionError(
                "bad_field", f"division {division['name']}: leave out stack: depth says what everybody has"
            )
        idle = [key for key in ("small_blind", "big_blind", "ante") if table.get("levels") and key in table]
        if idle:
            raise CompetitionError(
                "bad_field",
                f"division {division['name']}: leave out {' and '.join(idle)}: the levels have the blinds",
            )


def without_tokens(text: str, competition: Competition) -> str:
    """The text of a competition file that can be shown: tokens are replaced.

    Raises ``CompetitionError`` (``bad_field``) when one is written in a way that is not found.
    """
    for bot in competition.entry.bots:
        if bot.token is not None:
            quoted = re.compile(rf"(\btoken\s*=\s*)([\"']){re.escape(bot.token)}\2")
            text, found = quoted.subn(rf'\1"token of {bot.name}"', text)
            if not found:
                raise CompetitionError("bad_field", f"write the token of {bot.name} as a plain quoted string")
    return text
