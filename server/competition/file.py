"""The competition file: parsing, and the checks that concern more than one key.

``server.competition.schema`` has the type of each key; ``docs/competition.md`` is the reference.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import msgspec

from dealer import match
from dealer.deck import SEED_BYTES, SecureDeals, acpc_deals, acpc_match_seed, commitment, seed_bytes
from dealer.errors import DealerError
from dealer.formats.cash import Cash
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Deals, Stakes, TableFormat
from dealer.formats.tournament import Tournament, level_at
from dealer.play_order import play_order
from dealer.rules.errors import RulesError
from dealer.rules.events import HandStarted
from dealer.rules.games import Game, load_game
from dealer.table import Clock
from server.bots.sandbox import Limits
from server.competition.schema import (
    HEADINGS,
    KEYS,
    BotEntry,
    CompetitionEntry,
    DivisionEntry,
    DivisionTableEntry,
)
from server.errors import ServerError

VerifyParameters = Callable[[str, Mapping[str, Any]], object]


class CompetitionError(ServerError):
    """The file cannot be used: ``unreadable``, ``not_toml``, ``bad_field``, ``unknown_bot``,
    ``bad_parameters``, ``duplicate_name``, ``duplicate_token``, ``bad_name``, ``bad_seed``,
    ``cannot_start``, or a code of the dealer.
    """


class Competition:
    """A checked competition with its seed, which determines every deal and every session."""

    def __init__(
        self,
        entry: CompetitionEntry,
        folder: Path,
        seed: bytes | int | None = None,
        games: Mapping[str, Game] | None = None,
    ) -> None:
        self.entry = entry
        #: Paths of the file are relative to this.
        self.folder = folder.absolute()
        self._given_games = games or {}
        self.name = entry.name
        self.bots = {bot.name: bot for bot in entry.bots}
        self.clock = Clock(entry.time.decision_ms / 1000, entry.time.bank_ms / 1000)
        #: The seed that the file itself gives, if any.
        self.file_seed = _file_seed(entry)
        if seed is None:
            seed = self.file_seed
        if seed is None:
            seed = secrets.randbits(32) if entry.deck == "acpc" else secrets.token_bytes(SEED_BYTES)
        self.seed = seed
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
        """The bots that could remember earlier sessions: remote bots, and foreign programs that are not
        restarted. Empty if ``interleave`` is 0.
        """
        return frozenset(bot.name for bot in self.entry.bots if self.entry.interleave and bot.could_remember)

    @cached_property
    def names_hidden(self) -> bool:
        """Whether session names reveal only the division during play: bots must not know their opponents, or
        could use the match number to remember which cards were dealt in that match.
        """
        return self.entry.anonymous or any(bot.could_remember for bot in self.entry.bots)

    @cached_property
    def play_order(self) -> tuple[match.Session, ...]:
        """The sessions in the order of play, those of a series in a row."""
        first = [session for session in self.sessions if self.begins_series(session)]
        order = play_order(first, self.entry.interleave if self.remembering_bots else 0, self.key)
        return tuple(session for begin in order for session in self.series_from(begin))

    def begins_series(self, session: match.Session) -> bool:
        """Return whether bots begin a session without memories; otherwise it goes on with a series."""
        return session.match % self.divisions[session.division].series == 0

    def series_from(self, first: match.Session) -> tuple[match.Session, ...]:
        """Return the sessions that the same bots play from ``first`` on before they forget."""
        series = self.divisions[first.division].series
        if series == 1:
            return (first,)
        matches = range(first.match, first.match + series)
        return tuple(replace(first, match=number) for number in matches)

    def shared_deals_group(self, session: match.Session) -> int:
        """Return a number that sessions share if they share cards, or the secret behind them: an ``acpc``
        seed can be recovered from the hands of any match. No hand of a group may be published before its last
        session is over.
        """
        return 0 if self.entry.deck == "acpc" else session.match

    @property
    def seed_bytes(self) -> bytes:
        """The seed as bytes, the input of the commitment."""
        return seed_bytes(self.seed)

    @property
    def seed_text(self) -> str:
        """The seed as it is published: hex digits (secure), or a number (acpc)."""
        return self.seed.hex() if isinstance(self.seed, bytes) else str(self.seed)

    @property
    def commitment(self) -> str:
        """The hash of the seed, published before the first card."""
        return commitment(self.seed)

    def limits(self, bot: BotEntry) -> Limits:
        """Return the resource limits of a managed bot."""
        return self.entry.limits if bot.limits is None else bot.limits

    def managed_limits(self) -> list[Limits]:
        """Return the resource limits of all managed bots."""
        return [self.limits(bot) for bot in self.entry.bots if not bot.remote]

    def division_entry(self, name: str) -> DivisionEntry:
        """Return the file's entry for a division."""
        return next(entry for entry in self.entry.divisions if entry.name == name)

    def deals(self, number: int, game: Game) -> Deals:
        """Return the deals of match ``number``: the same for every line-up and seating."""
        if isinstance(self.seed, int):
            return acpc_deals(acpc_match_seed(self.seed, number), game)
        return SecureDeals(self.seed, number, game)

    def format(self, session: match.Session) -> TableFormat:
        """Return the format of a session, at its first hand."""
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
            raise _bad_division(entry.name, "needs either game or table")
        if entry.table is not None and entry.rules is not None:
            raise _bad_division(entry.name, "rules go with game; a table has its own")
        if entry.table is not None:
            _check_table(entry.name, entry.table)
        # Case-insensitively, because some file systems could not keep their folders apart.
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
                # Refuse impossible blinds now, not when their level is reached.
                level.stakes(table.limit, table.stack, table.rules).game(table.players)
        bots = tuple(entry.bots if entry.bots is not None else self.bots)
        acpc = [bot for bot in bots if bot in self.bots and self.bots[bot].protocol == "acpc"]
        if entry.series > 1 and acpc:
            raise _bad_division(entry.name, f"{acpc[0]} plays no series: ACPC programs end with a match")
        for bot in bots:
            if bot not in self.bots:
                raise CompetitionError(
                    "unknown_bot", f"division {entry.name} names a bot {bot!r} that is not in [[bots]]"
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
            series=entry.series,
        )

    def is_tournament(self, division: str) -> bool:
        """Return whether a division plays tournaments; its unit is then the tournament, not the hand."""
        table = self.division_entry(division).table
        return table is not None and table.mode == "tournament"

    def chips_per_unit(self, division: str) -> int:
        """Return the chips that count as one big blind in the standings; in tournaments, a starting stack."""
        table = self.division_entry(division).table
        if table is not None and table.mode == "tournament":
            return table.stack
        return max(self.games[division].blinds)

    def public_names(self, session: match.Session) -> tuple[str, list[str]]:
        """Return the names shown during play: the session's, and its players' by seat."""
        name = match.masked_name(self.key, session) if self.names_hidden else session.name
        players = match.pseudonyms(self.key, session) if self.entry.anonymous else session.players
        return name, list(players)

    def stakes_at(self, division: str, started: HandStarted) -> Stakes:
        """Return the stakes of a recorded hand, for a division with table settings."""
        table = self.division_entry(division).table
        assert table is not None
        if table.mode == "cash":
            return table.stakes()
        return level_at(table.schedule(), started.hand).stakes(table.limit, table.stack, table.rules)


def _bad_division(name: str, text: str) -> CompetitionError:
    return CompetitionError("bad_field", f"division {name}: {text}")


def _check_table(name: str, table: DivisionTableEntry) -> None:
    if table.levels and table.mode != "tournament":
        raise _bad_division(name, "only tournaments have levels")
    if table.depth is not None and table.mode != "cash":
        raise _bad_division(name, "only cash tables have a depth")
    if table.depth is not None and not 1 <= table.depth[0] <= table.depth[1]:
        raise _bad_division(name, "depth must be [least, most] big blinds, at least 1")
    if any(level.small_blind > level.big_blind for level in table.schedule()):
        raise _bad_division(name, "the small blind is larger than the big blind")


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
    # Other text is hashed, so that an example file can say seed = "example".
    return seed if len(seed) == SEED_BYTES else hashlib.sha256(text.encode()).digest()


def parse_competition(
    text: str,
    folder: Path = Path(),
    seed: bytes | int | None = None,
    games: Mapping[str, Game] | None = None,
    house_bots: Collection[str] = (),
    verify_parameters: VerifyParameters | None = None,
) -> Competition:
    """Return the competition of a file's text. Game paths are relative to ``folder``.

    ``house_bots`` are the names that ``run`` may have (default: any). ``verify_parameters`` is called with
    such a name and its parameters and raises ValueError if the bot cannot use them. ``seed`` and ``games``
    (by division) replace those of the file when a competition is resumed or read back. Raises
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
    """Return a competition and the text of its file, without its tokens. ``seed`` is that of a competition
    that has already begun. Raises ``CompetitionError``.
    """
    text = _read_text(path)
    competition = parse_competition(
        text, path.parent, seed, house_bots=house_bots, verify_parameters=verify_parameters
    )
    return competition, without_tokens(text, competition)


def read_name(path: Path) -> str:
    """Return the name of a file's competition. Raises ``CompetitionError``."""
    return _parse(_read_text(path))[1].name


def _parse(text: str) -> tuple[dict[str, Any], CompetitionEntry]:
    """Return the file's data, and the same as a ``CompetitionEntry``."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CompetitionError("not_toml", f"not TOML: {error}") from None
    try:
        return data, msgspec.convert(data, CompetitionEntry)
    except msgspec.ValidationError as error:
        raise CompetitionError("bad_field", _field_problem(str(error))) from None


def _field_problem(text: str) -> str:
    """Return msgspec's message with the key in front. For an unknown key: the nearest one of its section, or
    where it belongs.
    """
    problem, _, path = text.partition(" - at `$")
    place = path.strip("`").removeprefix(".") or "the file"
    unknown = re.search(r"unknown field `(.*)`", problem)
    if unknown is None:
        return f"{place}: {problem[:1].lower()}{problem[1:].replace('`', '')}"
    return f"{place}: there is no key {unknown[1]!r} here{_nearest_key(unknown[1], path)}"


def _nearest_key(key: str, path: str) -> str:
    """Return what to write instead of a key that the section at ``path`` does not have; "" if unknown."""
    here = path.strip("`").rpartition(".")[2].partition("[")[0]
    everywhere = {name for keys in KEYS.values() for name in keys}
    homes = " or ".join(HEADINGS[section] for section, keys in KEYS.items() if key in keys)
    if homes:
        return f"; it belongs in {homes}"
    near = get_close_matches(key, KEYS.get(here, ()), n=1) or get_close_matches(key, everywhere, n=1)
    if not near:
        return ""
    if near[0] in KEYS.get(here, ()):
        return f"; did you mean {near[0]}?"
    homes = " or ".join(HEADINGS[section] for section, keys in KEYS.items() if near[0] in keys)
    return f"; did you mean {near[0]}, in {homes}?"


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CompetitionError("unreadable", f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise CompetitionError("unreadable", f"cannot read {path}: {error}") from None


#: The keys that say where a bot comes from; each bot has exactly one.
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
                "bad_name", f"{bot.name!r} is not a valid bot name: use letters, digits, '_', '-', '.'"
            )
        if bot.folder is not None and bot.command is None:
            raise CompetitionError("bad_field", f"bot {bot.name}: folder goes with command")
        ways = [way for way in _BOT_SOURCES if getattr(bot, way) is not None]
        if len(ways) != 1:
            raise CompetitionError(
                "bad_field", f"bot {bot.name} needs exactly one of {', '.join(_BOT_SOURCES)}"
            )
        if bot.run is not None and house_bots and bot.run not in house_bots:
            known = ", ".join(house_bots)
            raise CompetitionError("unknown_bot", f"no house bot is called {bot.run!r}; known: {known}")


def _check_parameters(entry: CompetitionEntry, verify: VerifyParameters) -> None:
    for bot in entry.bots:
        if bot.run is not None and bot.parameters is not None:
            try:
                verify(bot.run, bot.parameters)
            except ValueError as error:
                raise CompetitionError("bad_parameters", f"bot {bot.name}: {error}") from None


def _refuse_unused_keys(data: Mapping[str, Any]) -> None:
    """Refuse keys that would have no effect, because their author expects one.

    ``data`` is the parsed TOML, already validated; it contains no defaults.
    """
    for bot in data["bots"]:
        if "token" in bot or "token_hash" in bot:
            idle = [key for key in ("reset", "limits") if key in bot]
            why = "a remote bot runs elsewhere and resets on a message"
        elif "rate" in bot:
            idle, why = ["rate"], "only remote bots have a rate limit"
        else:
            idle = ["tables"] if "tables" in bot and bot.get("reset", "process") == "process" else []
            why = 'a process plays one session; write reset = "message" if it may stay for more'
        if "protocol" in bot and "command" not in bot:
            idle, why = ["protocol"], "it needs command"
        if "parameters" in bot and "run" not in bot:
            idle, why = ["parameters"], "only house bots have parameters"
        if idle:
            raise CompetitionError("bad_field", f"bot {bot['name']}: leave out {' and '.join(idle)}: {why}")
    for division in data["divisions"]:
        table = division.get("table", {})
        if table.get("mode") == "tournament" and "hands" in division:
            raise _bad_division(division["name"], "leave out hands: a tournament has no fixed length")
        if "stack" in table and "depth" in table:
            raise _bad_division(division["name"], "leave out stack: depth determines the stacks")
        idle = [key for key in ("small_blind", "big_blind", "ante") if table.get("levels") and key in table]
        if idle:
            raise _bad_division(division["name"], f"leave out {' and '.join(idle)}: the levels have them")


def without_tokens(text: str, competition: Competition) -> str:
    """Return the text of a competition file with its tokens replaced, fit to be shown.

    Raises ``CompetitionError`` (``bad_field``) if a token is written in a form that cannot be found.
    """
    for bot in competition.entry.bots:
        if bot.token is not None:
            quoted = re.compile(rf"(\btoken\s*=\s*)([\"']){re.escape(bot.token)}\2")
            text, found = quoted.subn(rf'\1"token of {bot.name}"', text)
            if not found:
                raise CompetitionError("bad_field", f"write the token of {bot.name} as a plain quoted string")
    return text
