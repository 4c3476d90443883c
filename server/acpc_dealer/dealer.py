"""The ``dealer`` command: a match between ACPC programs over TCP, compatible with the reference dealer
1.0.42.

Unlike the house, whose tables share an event loop, this process has one match and waits for one player at a
time. It blocks on that player's socket, because every microsecond of overhead delays both players.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from typing import Final

from dealer.errors import RecordError
from dealer.records.acpc import log_header
from dealer.rules.errors import RulesError
from dealer.rules.games import Game
from protocol.acpc import FAULTS, InterpretedAction, is_comment, line_text, parse_version, speaks_version
from server.acpc_dealer.files import MatchLog, StderrLog, Transaction, TransactionLog
from server.acpc_dealer.options import AcpcDealerError, DealerOptions
from server.acpc_dealer.play import AcpcMatch
from server.acpc_dealer.seats import SeatConnection, SeatFault, accept_seats, listen

#: Every reason why a match is not started or not finished. Those of ``FAULTS`` end a match only with
#: ``--conduct strict``.
CODES: Final[dict[str, str]] = {
    "bad_hands": "The number of hands is not 1 to 4294967295.",
    "bad_seed": "The seed is not 0 to 4294967295.",
    "bad_names": "The number of names is not the game's number of players.",
    "bad_name": "A name is empty, or has a colon, bar or blank.",
    "bad_limit": "A time limit is negative.",
    "bad_port": "A port is not 0 to 65535, or there are more ports than players.",
    "cannot_listen": "Cannot listen on a port; another program may be using it.",
    "in_use": "Another match is writing files of this name here.",
    "bad_tlog": "The transaction log cannot be read, or belongs to another match.",
    "start_timeout": "A player did not connect within --start_timeout.",
    "bad_version": "A player's first line was not VERSION:2.0.0.",
    "out_of_time": "A player exceeded a time limit.",
    "gone": "A player closed its connection.",
    "not_reading": "A player did not read what was sent to it within its time for an answer.",
    **FAULTS,
}

#: The reference dealer's warnings about answers that it ignores or changes.
_WARNINGS: Final = {
    "bad_state": "bad state format in response",
    "unrequested": "ignoring un-requested response",
    "bad_action": "bad action format in response, changed to call",
    "invalid_action": "invalid action, changed to call",
}


def run_match(options: DealerOptions) -> int:
    """Run the match. Return 0 if it was played to its end; otherwise print an ``ERROR:`` line that ends with
    a code, and return 1.
    """
    # Ctrl-C just kills it, as with the reference; its logs allow it to be resumed.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    stderr_log = StderrLog(quiet=options.quiet)
    try:
        with contextlib.ExitStack() as stack:
            return _run_match(options, stderr_log, stack)
    except (AcpcDealerError, RulesError, RecordError) as error:
        stderr_log.write(f"ERROR: {error} [{error.code}]\n")
    except OSError as error:
        stderr_log.write(f"ERROR: {error} [os_error]\n")
    finally:
        stderr_log.flush()
    return 1


def _run_match(options: DealerOptions, stderr_log: StderrLog, stack: contextlib.ExitStack) -> int:
    game = options.load_game()
    play = AcpcMatch(game, options.seed, options.hands, options.names, fixed=options.fixed)
    ports = [*options.ports, *[0] * (game.players - len(options.ports))]
    listeners = listen(options.host, ports, options.seed)
    for listener in listeners:
        stack.callback(listener.close)
    # Only now: a match that cannot begin must not truncate the files of an earlier one.
    transactions = TransactionLog(options)
    stack.callback(transactions.close)
    log = MatchLog(options)
    stack.callback(log.close)
    _print_line(" ".join(str(listener.getsockname()[1]) for listener in listeners) + "\n")

    limits = options.limits
    header = log_header(
        options.name,
        options.game_file,
        options.hands,
        options.seed,
        response_ms=limits.response,
        hand_ms=limits.hand,
        bank_ms=limits.per_hand,
    )
    stderr_log.write(header)
    log.write(header)
    match = _DealerMatch(options, game, play, log, transactions, stderr_log)
    match.replay_log()
    start = time.monotonic() + limits.start / 1000 if limits.start >= 0 else None
    seats = accept_seats(listeners, limits.response / 1000, start)
    try:
        return match.run(seats, start)
    finally:
        for seat in seats:
            seat.close()


def _print_line(line: str) -> None:
    # None if it was closed before the start.
    if sys.stdout is not None:
        sys.stdout.buffer.write(os.fsencode(line))
        sys.stdout.buffer.flush()


class _DealerMatch:
    def __init__(
        self,
        options: DealerOptions,
        game: Game,
        play: AcpcMatch,
        log: MatchLog,
        transactions: TransactionLog,
        stderr_log: StderrLog,
    ) -> None:
        limits = options.limits
        self.options = options
        self.limit = game.limit
        self.strict = options.conduct == "strict"
        self.play = play
        self.log = log
        self.transactions = transactions
        self.stderr_log = stderr_log
        self.seats: Sequence[SeatConnection] = ()
        self.response = limits.response / 1000
        self.hand_limit = limits.hand / 1000
        self.bank = limits.per_hand / 1000 * options.hands
        #: Seconds used by every seat, in this hand and in the match.
        self.hand_time_used = [0.0] * game.players
        self.time_used = [0.0] * game.players
        #: The last finished hand and its STATE line, which is empty once it is in the log.
        self.finished = (-1, "")

    # Resuming.

    def replay_log(self) -> None:
        """Replay the transaction log of an earlier run."""
        play = self.play
        for word, number, sent, received in self.transactions.previous:
            if play.actor < 0 and not play.over:
                self._next_hand()
            seat = play.actor
            try:
                line = play.replay_action(word, number)
            except RulesError as error:
                raise AcpcDealerError(
                    "bad_tlog", f"the transaction log belongs to another match: {error}"
                ) from None
            spent = max(0.0, received - sent)
            self.hand_time_used[seat] += spent
            self.time_used[seat] += spent
            if line:
                self.log.write_hand(number, line)

    # Playing.

    def run(self, seats: Sequence[SeatConnection], start: float | None) -> int:
        """Perform the handshake, play the hands and write the score."""
        self.seats = seats
        try:
            self._handshake(start)
            self.stderr_log.write_timed("STARTED")
            self._play()
        except SeatFault as fault:
            self._abort(fault)
            return 1
        self.stderr_log.write_timed("FINISHED")
        self._write_score()
        return 0

    def _handshake(self, start: float | None) -> None:
        for seat in self.seats:
            deadline = time.monotonic() + self.response if start is None else start
            text = line_text(seat.receive(deadline, lambda: None))
            version = parse_version(text)
            if version is None:
                raise SeatFault(
                    seat.number,
                    "bad_version",
                    f"could not read a version from seat {seat.number + 1}: {text[:60]!r}",
                )
            if not speaks_version(version):
                number = ".".join(map(str, version))
                message = f"seat {seat.number + 1} speaks version {number}, not 2.0.0"
                if self.strict:
                    raise SeatFault(seat.number, "bad_version", message)
                self.stderr_log.write(f"ERROR: {message} [bad_version]\n")

    def _play(self) -> None:
        play = self.play
        while not play.over:
            if play.actor < 0:
                self._next_hand()
            line = ""
            while not line:
                self._send_states()
                line = self._await_action(self.seats[play.actor])
            self._send_states()
            number = play.hand.number
            self.finished = number, line
            if number % 100 == 0:
                for seat, used in enumerate(self.time_used):
                    self.stderr_log.write_unless_quiet(
                        f"Seconds cumulatively spent in match for seat {seat}: {int(used)}\n"
                    )
        self._log_finished()

    def _log_finished(self) -> None:
        number, line = self.finished
        if line:
            self.log.write_hand(number, line)
            self.finished = number, ""

    def _next_hand(self) -> None:
        self.play.next_hand()
        self.hand_time_used = [0.0] * len(self.hand_time_used)

    def _send_states(self) -> None:
        """Send the state to every seat. The seat that is to act comes first, and all that can wait comes
        while it thinks.
        """
        play = self.play
        actor = play.actor
        if actor >= 0:
            self.seats[actor].send(play.prompt + b"\r\n")
            self._log_finished()
        quiet = self.stderr_log.quiet
        for number, seat in enumerate(self.seats):
            line = (play.prompt if number == actor else play.state_line(number)) + b"\r\n"
            if not quiet:
                self.stderr_log.write_timed(f"TO {number + 1}", line)
            if number != actor:
                seat.buffer(line)
        if actor >= 0:
            play.prepare()

    def _flush_all(self) -> None:
        """Send all buffered states: a player is thinking, and the others need not wait for theirs."""
        self.stderr_log.flush()
        for seat in self.seats:
            seat.flush()

    def _await_action(self, seat: SeatConnection) -> str:
        """Wait for the seat's answer and carry it out. Return the STATE line if the hand is over, else an
        empty string.
        """
        number = seat.number
        wall, sent = time.time(), time.monotonic()
        while True:
            left = min(
                self.response,
                self.hand_limit - self.hand_time_used[number],
                self.bank - self.time_used[number],
            )
            line = seat.receive(sent + left, self._flush_all)
            spent = time.monotonic() - sent
            if not self.stderr_log.quiet:
                self.stderr_log.write_timed(f"FROM {number + 1}", line)
            if is_comment(line):
                # A comment does not extend the time.
                if spent > left:
                    raise SeatFault(number, "out_of_time", f"seat {number + 1} ran out of time")
                continue
            # Every line costs the whole time since the request, as with the reference.
            self.hand_time_used[number] += spent
            self.time_used[number] += spent
            if spent > left:
                raise SeatFault(number, "out_of_time", f"seat {number + 1} ran out of time")
            judgement, fault = self.play.judge(line, exact=self.strict)
            if fault:
                self._report_fault(number, fault, judgement)
            if judgement is not None:
                return self._apply(judgement, wall, spent)

    def _report_fault(self, seat: int, fault: str, judgement: InterpretedAction | None) -> None:
        if self.strict:
            raise SeatFault(seat, fault, f"seat {seat + 1}: {FAULTS[fault]}")
        warning = _WARNINGS.get(fault)
        if warning is None and judgement is not None:
            change = "increased" if judgement.total > judgement.requested else "decreased"
            warning = f"raise of {judgement.requested} {change} to {judgement.total}"
        self.stderr_log.write(f"WARNING: {warning}\n")

    def _apply(self, judgement: InterpretedAction, wall: float, spent: float) -> str:
        hand = self.play.hand.number
        action, total = judgement.action, judgement.total
        line = self.play.act(action, total)
        if self.options.transactions:
            word = action[0] if action != "raise" or self.limit else f"r{total}"
            self.transactions.write(Transaction(word, hand, wall, wall + spent))
        return line

    # End of the match.

    def _write_score(self) -> None:
        line = self.play.log.score().text()
        self.log.write(line)
        self.stderr_log.write(line)
        _print_line(line)

    def _abort(self, fault: SeatFault) -> None:
        """End the match. Under strict conduct the finished hands count, and all players are notified."""
        seat = fault.seat
        self._log_finished()
        self.stderr_log.write(f"ERROR: {fault} [{fault.code}]\n")
        if not self.strict:
            return
        hands = self.play.hand.number + (self.play.actor < 0)
        name = self.options.names[seat]
        reason = f"# match over after {hands} hands: seat {seat + 1} ({name}) {fault.code}"
        self.log.write(f"{reason}\n")
        score = self.play.log.score().text()
        for other in self.seats:
            with contextlib.suppress(SeatFault):
                other.send(f"{reason}\r\n# {score.rstrip()}\r\n".encode("ascii", "replace"))
        self._write_score()
