// Bots answer within a millisecond. The page shows one message after another.

/**
 * @import {ServerMessage} from "./messages.d.ts"
 * @import {LocalMessage} from "./table_types.js"
 */

/** Milliseconds between a message and the next one, at normal speed. */
const DISPLAY_TIMES = /** @type {Record<string, number>} */ ({
  hand_start: 400, acted: 450, board: 700, second_board: 400, shown: 1200, hand_end: 1500, showed: 300,
});
/** With more messages than this in the queue, the page catches up. */
const CATCH_UP_AT = 12;
/** My turn waits in the queue for this part of its time at most: the clock runs already. */
const TURN_WAITS = 1 / 4;
/** Messages that are shown together with the one before. */
const AT_ONCE = new Set(["undealt", "faceup"]);
/** Messages in the queue of a spectator who has paused: about a hundred hands. */
const MAX_PAUSED = 2000;

/** Factors of the speeds that can be chosen. */
export const SPEEDS = /** @type {Record<string, number>} */ ({ slow: 2, normal: 1, fast: 0.4, instant: 0 });

/**
 * Milliseconds to show `message` before the next. A player must act soon and catches up at once, but for the last result: it
 * stays long enough to be read. A spectator (`me` is -1) sees everything, faster the more there is.
 * @param {ServerMessage | LocalMessage} message
 * @param {readonly (ServerMessage | LocalMessage)[]} behind the queue behind it
 * @param {number} speed
 * @param {number} me my seat: my own actions take no time
 */
export function displayTime(message, behind, speed, me) {
  const isLastResult = message.type === "hand_end" && !behind.some(({ type }) => type === "hand_end");
  const rush = behind.length <= CATCH_UP_AT ? 1 : me < 0 ? CATCH_UP_AT / behind.length : Number(isLastResult);
  if (message.type === "acted" && message.seat === me) return 0;
  return (DISPLAY_TIMES[message.type] ?? 0) * speed * rush;
}

/**
 * In a run-out nobody can change the pots any more: they are shown before its first card, not only at the end. A second board comes
 * with the end, too: it is dealt street by street before that.
 * @param {readonly ServerMessage[]} messages
 * @returns {(ServerMessage | LocalMessage)[]}
 */
export function withRunOut(messages) {
  const found = /** @type {(ServerMessage | LocalMessage)[]} */ ([]);
  messages.forEach((message, index) => {
    if (message.type === "hand_end") {
      const last = messages.slice(0, index).findLastIndex(({ type }) => type === "acted" || type === "hand_start" || type === "hand_end");
      const boards = messages.slice(last + 1, index).flatMap((one) => (one.type === "board" ? [one] : []));
      const pots = message.pots.map(({ amount, seats }) => ({ amount, seats }));
      if (boards[0]) found.splice(found.indexOf(boards[0]), 0, { type: "pots", pots });
      const second = message.second ?? [];
      let seen = second.length - boards.flatMap(({ cards }) => cards).length;
      if (second.length) for (const { cards } of boards) found.push({ type: "second_board", cards: second.slice(0, seen += cards.length) });
    }
    found.push(message);
  });
  return found;
}

/** Shows messages in order, each for its time; a snapshot at once. */
export class MessagePlayback {
  /**
   * @param {(message: ServerMessage | LocalMessage, received: number) => void} show
   * @param {() => {speed: number, me: number}} getOptions
   */
  constructor(show, getOptions) {
    this.show = show;
    this.getOptions = getOptions;
    /** @type {{message: ServerMessage | LocalMessage, received: number}[]} */
    this.queue = [];
    this.busy = false;
    this.paused = false;
    /** What shows the next message, and when. */
    this.timer = 0;
    this.due = 0;
  }

  /**
   * @param {ServerMessage[]} messages
   * @param {number} received
   */
  push(messages, received) {
    const start = messages.findLastIndex((message) => message.type === "match_start");
    for (const message of withRunOut(messages)) {
      // Chat is shown at once, even when the table is behind; but a snapshot stays whole.
      if (message.type === "said" && start < 0 && !this.hasNewMatch()) this.show(message, received);
      // It belongs to the end of the hand, which may be shown already.
      else if (message.type === "undealt" && !this.queue.length) this.show(message, received);
      else this.queue.push({ message, received });
    }
    if (this.paused) while (this.queue.length > MAX_PAUSED) this.showNext();
    else if (start >= 0) this.showAll();
    else if (!this.busy) this.run();
    else if (this.timeBeforeTurn() < this.due - performance.now()) this.wait(this.timeBeforeTurn());
  }

  /** Whether a new match is in the queue. */
  hasNewMatch() {
    return this.queue.some(({ message }) => message.type === "match_start");
  }

  /** Hands in the queue; 1 if it is only the rest of this one. */
  handsBehind() {
    const hands = this.queue.filter(({ message }) => message.type === "hand_start").length;
    return hands || Math.min(1, this.queue.length);
  }

  /** Stops; messages are queued. */
  pause() {
    this.paused = true;
  }

  /** Goes on where it stopped, and catches up with the table. */
  resume() {
    this.paused = false;
    if (!this.busy) this.run();
  }

  /** Shows the whole queue at once, and goes on. */
  showAll() {
    this.paused = false;
    while (this.queue.length) this.showNext();
  }

  showNext() {
    const first = this.queue.shift();
    if (!first) return 0;
    this.show(first.message, first.received);
    // These belong to what was shown: the cards that would have come, and those that lie face up from the start.
    if (AT_ONCE.has(this.queue[0]?.message.type ?? "")) this.showNext();
    const { speed, me } = this.getOptions();
    const time = displayTime(first.message, this.queue.map(({ message }) => message), speed, me);
    return document.hidden ? 0 : Math.min(time, this.timeBeforeTurn());
  }

  /** Milliseconds until my turn, if it is in the queue, has to be shown. */
  timeBeforeTurn() {
    for (const { message, received } of this.queue) {
      if (message.type === "turn") return Math.max(0, received + message.time_ms * TURN_WAITS - performance.now());
    }
    return Infinity;
  }

  run() {
    this.busy = false;
    while (this.queue.length && !this.paused) {
      const wait = this.showNext();
      if (wait) return this.wait(wait);
    }
  }

  /** @param {number} time */
  wait(time) {
    clearTimeout(this.timer);
    this.busy = true;
    this.due = performance.now() + time;
    this.timer = setTimeout(() => this.run(), time);
  }
}
