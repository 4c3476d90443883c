"""What is played: blinds, stacks, streets and the deck, from a game file or from table settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import takewhile
from pathlib import Path

from dealer import rules
from dealer.rules.errors import GameError

GAMES = Path(rules.__path__[0]).resolve().parents[1] / "games"
"""The folder of the game definition files that come with pokerd."""

# The limits of the ACPC reference dealer 1.0.42; a game within them has a text that it can read.
MAX_PLAYERS = 10
MAX_STREETS = 4
MAX_HOLE_CARDS = 3
MAX_BOARD_CARDS = 7
ACTIONS_PER_STREET = 64
UNLIMITED_RAISES = 255
DEFAULT_STACK = 2**31 - 1
"""The stack of a game that names none, and the largest there is: the ACPC's programs count in 32 bits."""

RULE_SETS = ("acpc", "standard", "bb", "pushfold")

STRADDLE_PLAYERS = 4
"""From so many players on one may straddle: the first after the blinds, who is not the button."""
_STRADDLES = 2

_HOLDEM_STREETS = ("preflop", "flop", "turn", "river")


@dataclass(frozen=True, slots=True)
class Game:
    """A game definition. Tuples "per position" begin left of the button, except that heads-up position 0 is
    the big blind where the blinds are reversed; tuples "per street" begin with the first round of betting.

    ``stacks`` are the chips every hand begins with unless the table says otherwise, ``blinds`` are posted per
    position, ``ante`` by everybody. ``raise_sizes`` (limit only) is the size of a bet or raise per street,
    ``max_raises`` their number per street, blinds not counted. ``first_player`` is the position that acts
    first, per street. The deck holds the highest ``ranks`` ranks of the highest ``suits`` suits.
    ``board_cards`` counts the new cards. ``rules`` is ``acpc`` (betting and pots as the ACPC reference dealer
    1.0.42), ``standard`` (as in a card room), ``bb`` (as ``standard``, but every raise may be as small as
    one big blind), or ``pushfold`` (no-limit only: as ``standard``, but every raise is all-in, and so is
    coming in where nobody has raised). ``straddle``: what the player after the big blind posts before the
    cards. Before the flop it is what a big blind is; later bets may be as small as the real one.

    Raises GameError: ``bad_players``, ``bad_rounds``, ``bad_stacks``, ``bad_blinds``, ``bad_ante``,
    ``bad_raise_sizes``, ``bad_first_player``, ``bad_max_raises``, ``bad_deck``, ``bad_hole_cards``,
    ``bad_board_cards``, ``bad_rules``, ``bad_straddle``, ``board_before_betting`` (its cards could not be
    told apart from hole cards in the ACPC's lines) and ``all_in_from_blinds`` (nobody would ever have a
    decision).
    """

    name: str
    limit: bool
    players: int
    rounds: int
    stacks: tuple[int, ...]
    blinds: tuple[int, ...]
    ante: int
    raise_sizes: tuple[int, ...]
    first_player: tuple[int, ...]
    max_raises: tuple[int, ...]
    suits: int
    ranks: int
    hole_cards: int
    board_cards: tuple[int, ...]
    rules: str = "acpc"
    straddle: int = 0
    posts: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """The blinds, and the straddle in its place."""
    min_bet: int = field(init=False, repr=False, compare=False)
    """The smallest bet of a no-limit game: the largest blind, or one chip where there are none."""
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        posts = list(self.blinds)
        if self.straddle:
            posts[_STRADDLES : _STRADDLES + 1] = [self.straddle]
        object.__setattr__(self, "posts", tuple(posts))
        for code, holds, wanted in _CHECKS:
            if not holds(self):
                raise GameError(code, f"game {self.name!r}: {wanted}")
        object.__setattr__(self, "min_bet", max(1, *self.blinds))
        object.__setattr__(self, "_hash", hash(self._numbers()))

    def __reduce__(self) -> tuple[type[Game], tuple[object, ...]]:
        return Game, tuple(getattr(self, one.name) for one in fields(self) if one.init)

    def __hash__(self) -> int:
        # Kept, because every hand looks its game up.
        return self._hash

    def _numbers(self) -> tuple[object, ...]:
        # No text: its hash differs from process to process, and games travel between processes.
        return (
            self.limit,
            self.stacks,
            self.blinds,
            self.ante,
            self.straddle,
            self.raise_sizes,
            self.first_player,
            self.board_cards,
        )

    @property
    def deck(self) -> tuple[int, ...]:
        """The cards in play, suit by suit and rising, as the ACPC reference dealer 1.0.42 lays them out."""
        return tuple(
            rank * 4 + suit for suit in range(4 - self.suits, 4) for rank in range(13 - self.ranks, 13)
        )

    def with_rules(self, rules: str) -> Game:
        """The same game under another rule set. Raises GameError ``bad_rules``."""
        return replace(self, rules=rules)

    def text(self) -> str:
        """The definition as a file; ``parse_game`` is the way back.

        The keys ``ante``, ``straddle`` and ``rules`` are ours, and written only where they are needed; the
        reference dealer skips keys it does not know.
        """

        def numbers(values: Sequence[int]) -> str:
            return " ".join(map(str, values))

        lines = [
            "GAMEDEF",
            "limit" if self.limit else "nolimit",
            f"numPlayers = {self.players}",
            f"numRounds = {self.rounds}",
            f"stack = {numbers(self.stacks)}",
            f"blind = {numbers(self.blinds)}",
            *([f"ante = {self.ante}"] if self.ante else []),
            *([f"straddle = {self.straddle}"] if self.straddle else []),
            *([f"raiseSize = {numbers(self.raise_sizes)}"] if self.limit else []),
            f"firstPlayer = {numbers([position + 1 for position in self.first_player])}",
            f"maxRaises = {numbers(self.max_raises)}",
            f"numSuits = {self.suits}",
            f"numRanks = {self.ranks}",
            f"numHoleCards = {self.hole_cards}",
            f"numBoardCards = {numbers(self.board_cards)}",
            *([f"rules = {self.rules}"] if self.rules != "acpc" else []),
            "END GAMEDEF",
        ]
        return "\n".join(lines) + "\n"


def _within(values: Sequence[int], count: int, low: int, high: int) -> bool:
    return len(values) == count and all(type(value) is int and low <= value <= high for value in values)


def _cards_needed(game: Game) -> int:
    return game.players * game.hole_cards + sum(game.board_cards)


_CHECKS: tuple[tuple[str, Callable[[Game], bool], str], ...] = (
    ("bad_rules", lambda g: g.rules in RULE_SETS, f"the rules are one of {', '.join(RULE_SETS)}"),
    ("bad_rules", lambda g: not (g.limit and g.rules == "pushfold"), "pushfold is for no-limit games"),
    ("bad_players", lambda g: _within([g.players], 1, 2, MAX_PLAYERS), "2 to 10 players"),
    ("bad_rounds", lambda g: _within([g.rounds], 1, 1, MAX_STREETS), "1 to 4 rounds"),
    ("bad_stacks", lambda g: _within(g.stacks, g.players, 1, DEFAULT_STACK),
     "one stack of 1 to 2147483647 each"),
    ("bad_ante", lambda g: _within([g.ante], 1, 0, DEFAULT_STACK), "the ante is 0 to 2147483647"),
    ("bad_blinds", lambda g: _within(g.blinds, g.players, 0, DEFAULT_STACK) and all(
        blind + g.ante <= stack for blind, stack in zip(g.blinds, g.stacks, strict=True)),
     "one blind each, and with the ante no more than the stack"),
    ("bad_straddle", lambda g: not g.straddle or (
        g.players >= STRADDLE_PLAYERS and g.rules in ("standard", "bb") and not g.limit
        and _within([g.straddle], 1, max(g.blinds) + 1, DEFAULT_STACK)
        and not g.blinds[_STRADDLES] and g.straddle + g.ante <= g.stacks[_STRADDLES]),
     "only a no-limit game for four or more has a straddle, above the blinds and within the stack"),
    ("bad_raise_sizes", lambda g: _within(g.raise_sizes, g.rounds if g.limit else 0, 1, DEFAULT_STACK),
     "limit games have a raise size per round, no-limit games none"),
    ("bad_first_player", lambda g: _within(g.first_player, g.rounds, 0, g.players - 1),
     "a position that acts first, per round"),
    ("bad_max_raises", lambda g: _within(g.max_raises, g.rounds, 0, UNLIMITED_RAISES),
     "a number of raises per round, 0 to 255"),
    ("bad_deck", lambda g: _within([g.suits], 1, 1, 4) and _within([g.ranks], 1, 1, 13),
     "1 to 4 suits, 1 to 13 ranks"),
    ("bad_hole_cards", lambda g: _within([g.hole_cards], 1, 1, MAX_HOLE_CARDS), "1 to 3 hole cards"),
    ("bad_board_cards", lambda g: (_within(g.board_cards, g.rounds, 0, MAX_BOARD_CARDS)
                                   and sum(g.board_cards) <= MAX_BOARD_CARDS),
     "new board cards per round, at most 7 together"),
    ("bad_deck", lambda g: _cards_needed(g) <= g.suits * g.ranks, "the deck has fewer cards than are dealt"),
    ("board_before_betting", lambda g: g.board_cards[0] == 0,
     "no board cards before the first round of betting"),
    ("all_in_from_blinds",
     lambda g: any(stack > post + g.ante for stack, post in zip(g.stacks, g.posts, strict=True)),
     "somebody must have chips left after the blinds"),
)  # fmt: skip

_KEYS = (
    "stack", "blind", "ante", "raisesize", "firstplayer", "maxraises", "numplayers", "numrounds",
    "numsuits", "numranks", "numholecards", "numboardcards", "straddle",
)  # fmt: skip
_REQUIRED = ("numplayers", "numrounds", "blind", "numsuits", "numranks", "numholecards", "numboardcards")
_NUMBER = re.compile(r"[0-9]{1,10}", re.ASCII)
_NUMERIC = re.compile(r"[+-]?[0-9]", re.ASCII)


def parse_game(text: str, name: str = "game") -> Game:
    """The game that an ACPC game definition file says.

    As the reference dealer 1.0.42 reads it: a key per line, matched at the first column and without regard to
    case; ``=`` and blanks separate; unknown keys, empty lines and lines that begin with ``#`` are skipped;
    a list ends at the first word that is no number, and may be longer than needed; of ``firstPlayer`` and
    ``maxRaises`` it may be shorter; what follows ``END GAMEDEF`` is not read. Our own keys are ``ante``,
    ``straddle`` and ``rules``, and what follows a ``#`` is a comment in every line.

    Raises GameError: ``bad_number``, ``missing_key``, ``too_few_numbers``, and the codes of ``Game``.
    """
    numbers: dict[str, list[int]] = {}
    limit = True
    rules = "acpc"
    for whole in text.splitlines():
        line = whole.partition("#")[0]
        lowered = line.lower()
        if lowered.startswith("end gamedef"):
            break
        if lowered.startswith(("limit", "nolimit")):
            limit = lowered.startswith("limit")
        elif lowered.startswith("rules"):
            rules = lowered[len("rules") :].replace("=", " ").strip()
        else:
            for key in _KEYS:
                if lowered.startswith(key):
                    numbers[key] = _numbers(key, line[len(key) :])
    return _game(name, limit, rules, numbers)


def _numbers(key: str, text: str) -> list[int]:
    words = list(takewhile(_NUMERIC.match, text.replace("=", " ").split()))
    for word in words:
        if not _NUMBER.fullmatch(word):
            raise GameError("bad_number", f"{key}: not a whole number: {word[:20]!r}")
    return [int(word) for word in words]


def _game(name: str, limit: bool, rules: str, numbers: dict[str, list[int]]) -> Game:
    for key in (*_REQUIRED, *(["raisesize"] if limit else [])):
        if key not in numbers:
            raise GameError("missing_key", f"game {name!r}: no line for {key}")

    def take(key: str, count: int, default: int = 0) -> tuple[int, ...]:
        values = numbers.get(key)
        if values is None:
            return (default,) * count
        if len(values) < count:
            raise GameError("too_few_numbers", f"{key}: {count} numbers are needed, {len(values)} were read")
        return tuple(values[:count])

    def take_some(key: str, default: int) -> tuple[int, ...]:
        """A number per round; the rounds after the last one told have the default."""
        return tuple((numbers.get(key, []) + [default] * rounds)[:rounds])

    (players,) = take("numplayers", 1)
    (rounds,) = take("numrounds", 1)
    # Checked here too, because the lengths of all other lists follow from these two.
    if not 2 <= players <= MAX_PLAYERS:
        raise GameError("bad_players", f"game {name!r}: 2 to 10 players")
    if not 1 <= rounds <= MAX_STREETS:
        raise GameError("bad_rounds", f"game {name!r}: 1 to 4 rounds")
    return Game(
        name=name,
        limit=limit,
        players=players,
        rounds=rounds,
        stacks=take("stack", players, DEFAULT_STACK),
        blinds=take("blind", players),
        ante=take("ante", 1)[0],
        straddle=take("straddle", 1)[0],
        raise_sizes=take("raisesize", rounds) if limit else (),
        first_player=tuple(position - 1 for position in take_some("firstplayer", 1)),
        max_raises=take_some("maxraises", UNLIMITED_RAISES),
        suits=take("numsuits", 1)[0],
        ranks=take("numranks", 1)[0],
        hole_cards=take("numholecards", 1)[0],
        board_cards=take("numboardcards", rounds),
        rules=rules,
    )


def load_game(name_or_path: str | Path) -> Game:
    """A game from a file, or from the ``games`` folder by its name, with or without ``.game``.

    The game's name is the file's, without ``.game``. Raises GameError ``unknown_game`` or
    ``unreadable_game``, and the codes of ``parse_game``.
    """
    path = Path(name_or_path)
    candidates = [path]
    if path.name == str(name_or_path):
        candidates = [GAMES / path.name, GAMES / f"{path.name}.game", path]
    for candidate in candidates:
        if candidate.is_file():
            try:
                # A comment may be in any encoding.
                text = re.sub(rb"#.*", b"", candidate.read_bytes()).decode("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise GameError("unreadable_game", f"cannot read {candidate}: {error}") from error
            return parse_game(text, candidate.name.removesuffix(".game"))
    raise GameError("unknown_game", f"no game file {str(name_or_path)[:200]!r}")


def game_descriptions() -> dict[str, str]:
    """The games in ``games`` by name, sorted, each with the comment in the first line of its file."""
    found = {}
    for path in sorted(GAMES.glob("*.game")):
        first = path.read_text("utf-8", errors="replace").partition("\n")[0]
        found[path.stem] = first.removeprefix("#").strip() if first.startswith("#") else ""
    return found


def load_game_beside(name_or_path: str, folder: Path | None = None) -> Game:
    """As ``load_game``, but a file in ``folder``, and then one in the working directory, comes before one of
    ours of the same name: so the programs of the ACPC find theirs.
    """
    for place in (folder or Path(), Path()):
        path = (place / name_or_path).absolute()
        if path.is_file():
            return load_game(path)
    return load_game(name_or_path)


def holdem(
    players: int,
    small_blind: int,
    big_blind: int,
    *,
    ante: int = 0,
    limit: bool = False,
    stack: int | Sequence[int] | None = None,
    rules: str = "standard",
    small_bet: int | None = None,
    straddle: int = 0,
) -> Game:
    """Hold'em at these stakes.

    ``stack`` is everybody's, or one per position. In limit games ``small_bet`` (default: the big blind) is
    the size of bets before and on the flop, later ones are twice that; three raises before the flop, four
    after it. Heads-up position 0 is the big blind and position 1 has the button and the small blind; with
    more players position 0 is the small blind, 1 the big blind, and the last has the button. With four or
    more players position 2 posts a ``straddle``, if there is one. Raises GameError.
    """
    if not 2 <= players <= MAX_PLAYERS:
        raise GameError("bad_players", "2 to 10 players")
    heads_up = players == 2
    straddle = straddle if players >= STRADDLE_PLAYERS else 0
    bet = big_blind if small_bet is None else small_bet
    stacks = DEFAULT_STACK if stack is None else stack
    return Game(
        name=f"holdem.{'limit' if limit else 'pushfold' if rules == 'pushfold' else 'nolimit'}.{players}p",
        limit=limit,
        players=players,
        rounds=4,
        stacks=(stacks,) * players if isinstance(stacks, int) else tuple(stacks),
        blinds=(big_blind, small_blind) if heads_up else (small_blind, big_blind, *[0] * (players - 2)),
        ante=ante,
        raise_sizes=(bet, bet, 2 * bet, 2 * bet) if limit else (),
        first_player=(1, 0, 0, 0) if heads_up else (3 if straddle else 2, 0, 0, 0),
        max_raises=(3, 4, 4, 4) if limit else (UNLIMITED_RAISES,) * 4,
        suits=4,
        ranks=13,
        hole_cards=2,
        board_cards=(0, 3, 1, 1),
        rules=rules,
        straddle=straddle,
    )


def street_name(game: Game, street: int) -> str:
    """``preflop``, ``flop``, ``turn`` and ``river`` in hold'em; ``round 1`` and so on in other games."""
    if game.board_cards == (0, 3, 1, 1) and game.hole_cards == 2:
        return _HOLDEM_STREETS[street]
    return f"round {street + 1}"
