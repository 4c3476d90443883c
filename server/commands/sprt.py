"""``pokerd sprt``: is one bot better than another? A test that stops by itself."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from dealer.luck.declared import ChanceSums, DeclaredChances
from dealer.match import NAME
from dealer.ratings.dice import DiceSums, dice_sums
from dealer.ratings.results import LineUpSums
from dealer.ratings.sequential import LEAST_DEAL_SETS, SequentialTest
from server.auth.tokens import hash_token, new_token
from server.bots.program_files import command_of_folder, hash_of_folder
from server.bots.sandbox import Sandbox
from server.commands.bot_port import open_bot_port
from server.commands.runtime import ServerOptions, run_guarded
from server.competition.persistent_bot import PersistentBot
from server.competition.schema import BotEntry
from server.errors import ServerError
from server.house.house import House
from server.ladder.config import LadderConfig
from server.ladder.field import untrue_text
from server.ladder.matches import DealSets, MatchPlace, play_match
from server.ladder.records import Kind, Match, Version
from server.net.listener import limiter_for
from server.storage.locks import open_locked

#: The file with the course of a test, in its directory.
STATE_FILE: Final = "sprt.json"
_BAR: Final = 31


class SprtError(ServerError):
    """The test cannot be made: ``unknown_bot``, ``same_bot``, ``other_test`` (the directory has another
    one), ``changed_program`` (the files of a bot are others than when the test began), ``damaged_test``,
    ``test_in_use`` or ``wrong_table`` (too few or too many opponents for the game).
    """


class SprtOptions(NamedTuple):
    """Options of ``pokerd sprt``. ``first`` and ``second``: a house bot, the folder of a program, or
    ``remote:NAME``. ``against``: the other bots at the table; none heads-up, where the two meet.
    """

    first: str
    second: str
    against: Sequence[str]
    game: str
    test: SequentialTest
    deal_sets: int
    most: int | None
    out: Path
    house_bots: Collection[str]
    server: ServerOptions


def sprt(options: SprtOptions) -> int:
    """Play until the test decides, and print its course. Return the exit code: 0 for "better", 1 for "not
    better", 3 if it is undecided after so many deal sets as allowed. A test that was begun in ``out`` goes
    on. Raises ``SprtError``, ``ScoreError``, ``UnpackError`` and what a competition raises.
    """
    names = [options.first, options.second, *options.against]
    if options.first == options.second:
        raise SprtError("same_bot", "name two different bots")
    config = LadderConfig(
        name="sprt", game=options.game, deal_sets=options.deal_sets, house=list(options.house_bots)[:2]
    )
    players = config.load_game(Path()).players
    heads_up = not options.against
    if (heads_up and players != 2) or (not heads_up and len(options.against) != players - 1):
        others = "no others" if players == 2 else f"{players - 1} other bots"
        raise SprtError("wrong_table", f"{options.game} has {players} seats: it takes {others} --against")
    options.out.mkdir(parents=True, exist_ok=True)
    lock = open_locked(options.out, SprtError("test_in_use", f"another process uses {options.out}"))
    try:
        state = _State(options, config)
        tokens: dict[str, str] = {}
        versions: dict[str, Version] = {}
        for name in names:
            version = _version(name, options.house_bots, tokens)
            # Folders of two versions may have the same name.
            if any(version.name == one.name for one in versions.values()):
                version = version._replace(name=f"{version.name}-{len(versions) + 1}")
            versions[name] = version
        with options.server.log_config.activate(options.out / "logs" / "server.jsonl"):
            return run_guarded(_main(options, config, state, versions, tokens))
    finally:
        os.close(lock)


class _State:
    """The course of a test, in a file that is replaced after every match."""

    def __init__(self, options: SprtOptions, config: LadderConfig) -> None:
        self._path = options.out / STATE_FILE
        self._setting: dict[str, Any] = {
            "first": options.first,
            "second": options.second,
            "against": list(options.against),
            "game": config.load_game(Path()).text(),
            "deal_sets": options.deal_sets,
            "bounds": [options.test.low, options.test.high, options.test.alpha, options.test.beta],
        }
        names = [options.first, options.second, *options.against]
        self._programs = {
            name: hash_of_folder(Path(name), options.out) for name in names if Path(name).is_dir()
        }
        self.key, self.matches = secrets.token_bytes(32), 0
        self._blank = replace(options.test, count=0, total=0, squares=0)
        self._sums = DiceSums((), LineUpSums(0, (0,), (0,)))
        self._chances: dict[str, ChanceSums] = {}
        if self._path.is_file():
            try:
                self._restore(json.loads(self._path.read_text(encoding="utf-8")))
            except SprtError:
                raise
            except (KeyError, TypeError, ValueError) as error:
                raise SprtError("damaged_test", f"{self._path} cannot be read: {error!r}") from None
        self.test = self._test()

    def _restore(self, known: Mapping[str, Any]) -> None:
        """Go on where a test was."""
        if known["setting"] != self._setting:
            raise SprtError(
                "other_test",
                f"{self._path.parent} has a test of other bots or settings; choose another --out",
            )
        before = known.get("programs", {})
        changed = [name for name, hashed in self._programs.items() if before.get(name) != hashed]
        if changed:
            raise SprtError(
                "changed_program",
                f"the files in {changed[0]} are others than when the test in {self._path.parent} began:"
                " a test is of one version; choose another --out",
            )
        self.key, self.matches = bytes.fromhex(known["key"]), known["matches"]
        test = known["test"]
        dice = known.get("dice")
        if dice is None:
            # Begun when dice were not luck yet: they are in these results.
            rows = LineUpSums(test["count"], (test["total"],), (test["squares"],))
            self._sums = DiceSums((), rows)
        else:
            rows = LineUpSums(test["count"], tuple(dice["sums"]), tuple(dice["products"]))
            self._sums = DiceSums(tuple(dice["declarers"]), rows)
            self._chances = {
                bot: ChanceSums(decisions, tuple(sums)) for bot, (decisions, sums) in dice["chances"].items()
            }

    def add(self, differences: Differences) -> None:
        """Add the deal sets of a match, and store all."""
        self._sums = self._sums.plus(differences.sums)
        for bot, told in differences.chances:
            self._chances[bot] = self._chances.get(bot, ChanceSums()).plus(told)
        self.test = self._test()
        self.matches += 1
        self.save()

    @property
    def untrue(self) -> dict[str, float]:
        """The bots whose declared chances are not believed, with the p-values of what they played."""
        told = {bot: DeclaredChances.of(sums) for bot, sums in sorted(self._chances.items())}
        return {bot: one.p_value or 0.0 for bot, one in told.items() if not one.believed}

    def _test(self) -> SequentialTest:
        counted = self._sums.with_dice_of(self.untrue)
        return replace(
            self._blank, count=counted.deal_sets, total=counted.sums[0], squares=counted.products[0]
        )

    def save(self) -> None:
        """Store the state."""
        data = {
            "setting": self._setting,
            "programs": self._programs,
            "key": self.key.hex(),
            "matches": self.matches,
            "test": asdict(self.test),
            "decision": self.test.decision,
            "dice": {
                "declarers": self._sums.declarers,
                "sums": self._sums.rows.sums,
                "products": self._sums.rows.products,
                "chances": self._chances,
                "untrue": self.untrue,
            },
        }
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        fresh.replace(self._path)


def _version(name: str, house_bots: Collection[str], tokens: dict[str, str]) -> Version:
    kind: Kind = "house"
    command: tuple[str, ...] = ()
    label = name
    if name.startswith("remote:"):
        kind, label = "remote", name.removeprefix("remote:")
        if not NAME.fullmatch(label):
            raise SprtError(
                "unknown_bot", f"{label!r} is no name of a bot: use letters, digits, '_', '-', '.'"
            )
        tokens[label] = new_token()
    elif Path(name).is_dir():
        folder = Path(name).absolute()
        kind, command, label = "pushed", _absolute(folder), _bot_name(folder.name)
    elif name not in house_bots:
        raise SprtError("unknown_bot", f"{name!r} is no house bot, no folder and no remote:NAME")
    return Version(label, label, 1, kind, "", command, "rated", "", 0.0, None)


def _bot_name(folder: str) -> str:
    """Return what the bot in a folder of this name is called."""
    return re.sub("[^A-Za-z0-9_.-]+", "-", folder).lstrip("-_.")[:60].rstrip(".") or "bot"


def _absolute(folder: Path) -> tuple[str, ...]:
    """Return the command of our own program in a folder: words that name its files become paths."""
    return tuple(
        str(folder / word) if (folder / word).is_file() else word for word in command_of_folder(folder)
    )


async def _main(
    options: SprtOptions,
    config: LadderConfig,
    state: _State,
    versions: dict[str, Version],
    tokens: dict[str, str],
) -> int:
    server = options.server
    async with open_bot_port(server, config.time.grace_ms / 1000, limiter_for(server.capacity)) as port:
        sandbox = Sandbox([options.out], strictness=server.sandbox)
        place = MatchPlace(
            options.out.absolute(), state.key, port.house, port.url, sandbox, port.open_states, config
        )
        hashes = {name: hash_token(token) for name, token in tokens.items()}
        remote = await _await_remote(port.house, place.key, port.url, tokens, hashes)
        state.save()
        print(_course(state.test), flush=True)
        while state.test.decision == "undecided" and (
            options.most is None or state.test.count < options.most
        ):
            state.add(await _play(place, options, state.matches + 1, versions, hashes, remote))
            print(_course(state.test), flush=True)
    for bot, p in state.untrue.items():
        print(untrue_text(bot, p), flush=True)
    print(_verdict(options, state.test), flush=True)
    return {"better": 0, "not better": 1, "undecided": 3}[state.test.decision]


async def _await_remote(
    house: House, key: bytes, url: str, tokens: dict[str, str], hashes: dict[str, str]
) -> dict[str, PersistentBot]:
    """Admit the remote bots, say how to connect, and wait for them."""
    remote = {}
    for name, token in tokens.items():
        bot = PersistentBot(BotEntry(name=name, token_hash=hashes[name]), key)
        house.players.add(bot.player)
        remote[name] = bot
        print(f"{name} connects to {url} with the token {token}", flush=True)
    await asyncio.gather(*(bot.settled.wait() for bot in remote.values()))
    return remote


async def _play(
    place: MatchPlace,
    options: SprtOptions,
    number: int,
    versions: dict[str, Version],
    hashes: dict[str, str],
    remote: dict[str, PersistentBot],
) -> Differences:
    """Play a match and return each deal set's difference."""

    async def play(number: int, names: Sequence[str]) -> DealSets:
        chosen = sorted(versions[name] for name in names)
        line_up = tuple(version.name for version in chosen)
        match = Match(number, line_up, "rated", True, "", "playing", 0.0, None, 0.0, None, {}, "")
        lent = {version.name: remote[version.name] for version in chosen if version.kind == "remote"}
        end = await play_match(place, match, chosen, hashes, lent, cards=(number + 1) // 2)
        return end.deal_sets

    first, second = versions[options.first].name, versions[options.second].name
    if not options.against:
        return differences(await play(2 * number, [options.first, options.second]), first)
    # One after the other with the same cards and the same others: the unit is the difference.
    mine = await play(2 * number - 1, [options.first, *options.against])
    theirs = await play(2 * number, [options.second, *options.against])
    return differences(mine, first, theirs, second)


class Differences(NamedTuple):
    """By how much one bot won more than the other: the ``sums`` of deal sets with each declarer's dice apart,
    and by bot what was declared, in each match.
    """

    sums: DiceSums
    chances: Sequence[tuple[str, ChanceSums]]


def differences(mine: DealSets, first: str, theirs: DealSets | None = None, second: str = "") -> Differences:
    """Return what ``first`` won in a match, less what ``second`` won in another, if any."""
    if theirs is None:
        dice = {bot: _column(mine, rows, first) for bot, rows in mine.dice.items()}
        return Differences(dice_sums(_column(mine, mine.rows, first), dice), list(mine.chances.items()))
    nothing = [[0.0] * len(mine.line_up)] * len(mine.rows)

    def less(ours: list[list[float]], others: list[list[float]]) -> list[list[float]]:
        pairs = zip(_column(mine, ours, first), _column(theirs, others, second), strict=True)
        return [[one - two] for [one], [two] in pairs]

    declarers = sorted({*mine.dice, *theirs.dice})
    dice = {bot: less(mine.dice.get(bot, nothing), theirs.dice.get(bot, nothing)) for bot in declarers}
    chances = [*mine.chances.items(), *theirs.chances.items()]
    return Differences(dice_sums(less(mine.rows, theirs.rows), dice), chances)


def _column(sets: DealSets, rows: list[list[float]], bot: str) -> list[list[float]]:
    """Return a bot's own numbers."""
    place = sets.line_up.index(bot)
    return [[row[place]] for row in rows]


def _course(test: SequentialTest) -> str:
    """Return a line with where the test stands between its two bounds."""
    low, high = test.bounds
    # A few deal sets without spread would stand at millions.
    ratio = min(max(test.log_likelihood_ratio, low), high)
    place = round((ratio - low) / (high - low) * (_BAR - 1))
    bar = "".join("o" if column == place else "-" for column in range(_BAR))
    interval = test.interval()
    half = "" if interval.half is None else f" +- {interval.half:.0f}"
    return (
        f"{test.count:>9,} deal sets  {interval.mean:+8.0f}{half:<9} mbb/hand  not better [{bar}] better"
        f"  {ratio:+.2f}"
    )


def _verdict(options: SprtOptions, test: SequentialTest) -> str:
    first, second = options.first, options.second
    if test.decision == "better":
        more = f"by more than {test.low:g} mbb/hand (chance of error {test.alpha:g})"
        return f"{first} is better than {second} {more}"
    if test.decision == "not better":
        return (
            f"{first} is not better than {second} by {test.high:g} mbb/hand (chance of error {test.beta:g})"
        )
    whole = test.expected_deal_sets(max(test.variance, 1.0) ** 0.5, test.mean) if test.count > 1 else 0.0
    whole = max(whole, LEAST_DEAL_SETS, test.count)
    return f"undecided after {test.count:,} deal sets; at this difference it takes about {whole:,.0f} in all"
