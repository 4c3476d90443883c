"""Plays a recorded session again with a bot in one seat, and compares its decisions with the recorded ones.

The bot is a process that plays over a websocket, as in a competition, but without time limits. All other
players act as recorded.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dealer.match import Session, bot_seed
from dealer.recorded_table import RecordedTable
from dealer.records.sentences import action_sentence, hand_sentences
from dealer.rules.events import Acted, Event, HandStarted, start_of
from dealer.rules.hand import HandState
from dealer.rules.legal import Legal
from server.auth.tokens import new_token
from server.bots.processes import STOP_TIMEOUT
from server.competition.file import Competition
from server.competition.session_host import bot_settings
from server.competition.store import CompetitionStore
from server.errors import ServerError
from server.house.house import House
from server.net import gateway
from server.tables.actor import TableActor
from server.tables.player import Player
from server.tables.table_updates import TableFacts
from server.telemetry.incidents import Incident


class SessionReplayError(ServerError):
    """A session cannot be replayed.

    ``unknown_session``; ``unknown_player``; ``unknown_hand``; ``no_session``: a hand was chosen without its
    session; ``remembers``: it goes on with a series, and the bot would need what it had learned before;
    ``no_command``: the command that starts the bot is not known; ``cannot_start``;
    ``not_connected``: the bot ended or timed out before it took its seat.
    """


class RecordedSession(NamedTuple):
    """A session of a finished competition, its hands (at least one), and the player whose part the bot
    takes.
    """

    competition: Competition
    session: Session
    hands: Sequence[Sequence[Event]]
    player: str

    @property
    def seat(self) -> int:
        """The seat of ``player``."""
        return self.session.players.index(self.player)

    @property
    def numbers(self) -> range:
        """The numbers of the hands, as recorded: the first is 0 with fixed stacks, otherwise 1."""
        return range(start_of(self.hands[0]).hand, start_of(self.hands[-1]).hand + 1)


class RecordedSituation(NamedTuple):
    """A turn of the bot. ``turn`` is its number in the protocol. ``story`` tells the hand so far as the bot
    sees it, a sentence a line; ``choices`` are the legal actions.
    """

    hand: int
    turn: int
    story: str
    choices: str


class Decision(NamedTuple):
    """What the bot decided and what is recorded, in words. ``same`` is also true if the table made the
    recorded decision, for example after a timeout. ``refused``: another act of this turn was refused before.
    """

    situation: RecordedSituation
    recorded: str
    now: str
    same: bool
    refused: bool


class ReplayResult(NamedTuple):
    """The result of a replay. ``refused``: the hands in which the server sent the bot an error, by its code;
    ``forced``: those in which the record says that the table acted for the bot, by the reason. ``story``
    tells the last hand. If the bot ended early, ``exit_code`` is its exit code and ``unanswered``
    the turn it left open; ``left``: it ended because its user left the debugger.
    """

    decisions: int
    differences: int
    refused: Mapping[str, Sequence[int]]
    forced: Mapping[str, Sequence[int]]
    story: str
    exit_code: int | None = None
    unanswered: RecordedSituation | None = None
    left: bool = False


def find_sessions(
    store: CompetitionStore, competition: Competition, name: str | None, player: str | None
) -> tuple[str, list[Session]]:
    """Return the player and the sessions to replay, in order of play: the one called ``name``, or all in
    which the player sat. The default ``player`` is the only one that is not a house bot. Raises
    ``SessionReplayError``.
    """
    sessions = {session.name: session for session in competition.sessions}
    if name is not None and name not in sessions:
        known = f"it has {len(sessions)}, from {min(sessions)} to {max(sessions)}"
        raise SessionReplayError("unknown_session", f"{store.out} has no session {name!r}; {known}")
    if name is not None and not competition.begins_series(sessions[name]):
        reason = "replay the first session of its series: in this one the bot knew what it had learned before"
        raise SessionReplayError("remembers", f"{name}: {reason}")
    chosen = [
        session
        for session in sessions.values()
        if competition.begins_series(session) and name in (None, session.name)
    ]
    players = list(dict.fromkeys(player for session in chosen for player in session.players))
    names = ", ".join(players)
    if not player:
        own = [one for one in players if not competition.bots[one].run]
        if len(own) != 1:
            raise SessionReplayError("unknown_player", f"choose one of the players with --player: {names}")
        player = own[0]
    if player not in players:
        where = store.out if name is None else f"session {name}"
        raise SessionReplayError("unknown_player", f"{player!r} is not in {where}: {names}")
    return player, [session for session in chosen if player in session.players]


def load_session(
    store: CompetitionStore, competition: Competition, session: Session, player: str
) -> RecordedSession:
    """Return a session with its hands. Raises ``SessionReplayError``, ``StoreError`` and ``RecordError``."""
    hands = list(store.hands(session))
    if not hands:
        raise SessionReplayError("unknown_hand", f"{store.journal_path(session)} has no hands")
    return RecordedSession(competition, session, hands, player)


async def _stop(process: asyncio.subprocess.Process, *, own_group: bool) -> None:
    """Wait a moment for the bot to end, then kill it and everything it started."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), STOP_TIMEOUT)
    with contextlib.suppress(ProcessLookupError):
        if own_group:
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()
    await process.wait()


async def _start(
    command: Sequence[str], settings: Mapping[str, str], *, interactive: bool
) -> asyncio.subprocess.Process:
    """Start a bot with our standard output. ``interactive``: also with our standard input.

    A bot of the SDK does not log what it won: in a part of a session that looks like the session's result.
    """
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=None if interactive else asyncio.subprocess.DEVNULL,
            env={"POKERD_LOG_LEVEL": "warning", **os.environ, **settings},
            start_new_session=not interactive,
        )
    except (OSError, ValueError) as error:
        raise SessionReplayError("cannot_start", f"{command[0]}: {error}") from None


async def replay_session(
    recorded: RecordedSession,
    command: Sequence[str],
    on_decision: Callable[[Decision], bool],
    settings: Mapping[str, str] | None = None,
    *,
    on_turn: Callable[[RecordedSituation], None] = lambda _: None,
    last_hand: int | None = None,
    interactive: bool = False,
) -> ReplayResult:
    """Replay a session with the bot that ``command`` starts, until ``on_decision`` returns False,
    ``last_hand`` or the record is over, or the bot ends. ``settings`` are added to the bot's environment.
    ``on_turn`` gets each turn before the bot does.

    Raises ``SessionReplayError``, and ``RecordError`` (``replay_differs``) if the records do not match the
    competition.
    """
    competition, player_name = recorded.competition, recorded.player
    house = House()
    listener = await gateway.serve(house, "127.0.0.1", 0)
    player = Player(player_name, new_token(), managed=True)
    house.players.add(player)
    replay = _Replay(house, recorded, on_decision, on_turn, last_hand)
    entry = competition.bots[player_name]
    values = bot_settings(entry, f"ws://127.0.0.1:{listener.port}", player.token, tables=1)
    try:
        process = await _start(command, {**values, **(settings or {})}, interactive=interactive)
        try:
            result = await replay.run(player, process, competition.entry.time.start_ms / 1000)
        finally:
            house.remove_player(player)
            await _stop(process, own_group=not interactive)
        # A bot that ends with 0 in the middle of a session was ended by the user of its debugger.
        return result._replace(left=interactive and result.exit_code == 0)
    finally:
        await listener.close()


class _Replay:
    """One replay: the table, and the comparison so far."""

    def __init__(
        self,
        house: House,
        recorded: RecordedSession,
        on_decision: Callable[[Decision], bool],
        on_turn: Callable[[RecordedSituation], None],
        last_hand: int | None,
    ) -> None:
        competition, session, hands, _ = recorded
        self._session = session.name
        self._seat = recorded.seat
        self._on_decision = on_decision
        self._on_turn = on_turn
        self._over = asyncio.Event()
        self._ready = asyncio.Event()
        self._decisions = self._differences = 0
        self._refused: dict[str, list[int]] = {}
        self._forced: dict[str, list[int]] = {}
        hands = [events for events in hands if last_hand is None or start_of(events).hand <= last_hand]
        self.table = RecordedTable(
            competition.format(session),
            len(session.players),
            competition.clock,
            hands,
            self._seat,
            self._compare,
            self._ask,
        )
        #: Show plain names to people, even if bots see pseudonyms.
        self._names = session.players
        name, shown = competition.public_names(session)
        seeds = [bot_seed(competition.key, session, seat) for seat in range(len(session.players))]
        facts = TableFacts(name, name, shown, seeds)
        self.actor = TableActor(
            *(house, self.table, facts),
            on_over=lambda _: self._over.set(),
            on_ready=lambda _: self._ready.set(),
        )

    async def run(
        self, player: Player, process: asyncio.subprocess.Process, start_seconds: float
    ) -> ReplayResult:
        """Wait for the bot and play to the end. Raises the same errors as ``replay_session``."""
        self.actor.seat(self._seat, player)
        ended = asyncio.ensure_future(process.wait())
        try:
            if not await _first(self._ready, ended, start_seconds):
                why = f"ended with code {process.returncode}" if ended.done() else f"in {start_seconds:g} s"
                raise SessionReplayError("not_connected", f"the bot did not take its seat: {why}")
            self.actor.begin()
            finished = await _first(self._over, ended, None)
            if self.actor.failure is not None:
                raise self.actor.failure
            self._note_refusals()
            return ReplayResult(
                self._decisions,
                self._differences,
                self._refused,
                self._forced,
                self._story(self.table.last_hand) if self.table.last_hand else "",
                None if finished else process.returncode,
                None if finished else self._situation(),
            )
        finally:
            ended.cancel()
            if not self._over.is_set():
                self.actor.stop("shutting_down")

    def _ask(self) -> None:
        situation = self._situation()
        assert situation is not None
        self._on_turn(situation)

    def _compare(self, recorded: Acted, decided: Acted) -> bool:
        hand, situation = self.table.hand, self._situation()
        assert hand is not None
        assert situation is not None
        bet = hand.betting.bet - hand.betting.street_start
        then, now = (action_sentence(event, bet) for event in (recorded, decided))
        same = bool(recorded.forced) or then == now
        decision = Decision(situation, then, now, same, refused=self._note_refusals())
        if recorded.forced:
            self._forced.setdefault(recorded.forced, []).append(hand.number)
        self._decisions += 1
        self._differences += not decision.same
        go_on = self._on_decision(decision)
        if not go_on:
            self._over.set()
        return go_on

    def _note_refusals(self) -> bool:
        """Note in which hand errors were sent since the last call; return whether there are any."""
        incidents = self.actor.seats[self._seat].incidents
        new = {
            code: number - len(self._refused.get(code, ()))
            for code, number in incidents.items()
            if code not in set(Incident)
        }
        hand = self.table.hand or self.table.last_hand
        for code, number in new.items():
            self._refused.setdefault(code, []).extend([hand.number if hand else 0] * number)
        return any(new.values())

    def _situation(self) -> RecordedSituation | None:
        """Return the open turn, if there is one."""
        hand = self.table.hand
        if hand is None or self.table.turn_seat < 0:
            return None
        choices = f"{self._names[self._seat]} {_choices(hand.legal(), hand.betting.pot)}"
        return RecordedSituation(hand.number, self.table.turn, self._story(hand), choices)

    def _story(self, hand: HandState) -> str:
        """Tell a hand as the bot sees it."""
        start, *rest = hand.events
        assert isinstance(start, HandStarted)
        hole = tuple(
            cards if seat == self._seat else () for seat, cards in zip(start.seats, start.hole, strict=True)
        )
        title = f"{self._session}, hand {hand.number}"
        events = [start._replace(hole=hole), *rest]
        return hand_sentences(title, events, hand.game, self._names, first_seat=0)


def _choices(legal: Legal, pot: int) -> str:
    """Return the legal actions in words."""
    words = ["fold"] if legal.fold else []
    words.append(f"call {legal.call}" if legal.call else "check")
    if legal.min_raise is not None:
        fixed = legal.max_raise == legal.min_raise
        words.append(
            f"raise to {legal.min_raise}" if fixed else f"raise to {legal.min_raise} .. {legal.max_raise}"
        )
    return f"may {', '.join(words)}; the pot is {pot}"


async def _first(event: asyncio.Event, ended: asyncio.Future[int], seconds: float | None) -> bool:
    """Wait until an event is set. Return False if the process ended, or the time ran out, before that."""
    waiting = asyncio.ensure_future(event.wait())
    both: list[asyncio.Future[Any]] = [waiting, ended]
    try:
        await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
    return event.is_set()
