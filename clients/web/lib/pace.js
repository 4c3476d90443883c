// Bots answer within a millisecond. People are shown one thing after the other.

/**
 * @import {ServerMessage} from "./messages.d.ts"
 * @import {LocalMessage} from "../table/state.js"
 */

/** Milliseconds that a message stays alone before the next is shown, at normal speed. */
const STAYS = /** @type {Record<string, number>} */ ({
  hand_start: 400, acted: 450, board: 700, shown: 1200, hand_end: 1500, showed: 300,
});
/** With so many waiting, the table has run ahead and is caught up with. */
const BEHIND = 12;
/** More than these are not kept for somebody who has paused: about a hundred hands. */
const KEPT = 2000;

/** Factors of the speeds that can be chosen. */
export const SPEEDS = /** @type {Record<string, number>} */ ({ slow: 2, normal: 1, fast: 0.4, instant: 0 });

/**
 * How long `message` stays alone. Who plays will be asked soon, and is brought up to date at once; who looks on (`me`
 * is -1) sees everything, the quicker the more there is.
 * @param {ServerMessage | LocalMessage} message
 * @param {number} waiting messages that wait behind it
 * @param {number} speed
 * @param {number} me what I did myself is no news to me
 */
export function stay(message, waiting, speed, me) {
  const rush = waiting <= BEHIND ? 1 : me < 0 ? BEHIND / waiting : 0;
  if (message.type === "acted" && message.seat === me) return 0;
  return (STAYS[message.type] ?? 0) * speed * rush;
}

/**
 * In a run-out nobody can change the pots any more: they are told before the first card of it, and not at the end only.
 * @param {readonly ServerMessage[]} messages
 * @returns {(ServerMessage | LocalMessage)[]}
 */
export function foreseen(messages) {
  const found = /** @type {(ServerMessage | LocalMessage)[]} */ ([...messages]);
  messages.forEach((end, index) => {
    if (end.type !== "hand_end") return;
    const hand = messages.slice(0, index);
    const last = hand.findLastIndex(({ type }) => type === "acted" || type === "hand_start" || type === "hand_end");
    const card = hand.findIndex(({ type }, at) => at > last && type === "board");
    const pots = end.pots.map(({ amount, seats }) => ({ amount, seats }));
    if (card >= 0) found.splice(found.indexOf(/** @type {ServerMessage} */ (messages[card])), 0, { type: "pots", pots });
  });
  return found;
}

/** Shows messages in order, each for its time. What a snapshot repeats is shown at once. */
export class Pace {
  /**
   * @param {(message: ServerMessage | LocalMessage, received: number) => void} show
   * @param {() => {speed: number, me: number}} how
   */
  constructor(show, how) {
    this.show = show;
    this.how = how;
    /** @type {{message: ServerMessage | LocalMessage, received: number}[]} */
    this.queue = [];
    this.busy = false;
    this.paused = false;
  }

  /**
   * @param {ServerMessage[]} messages
   * @param {number} received
   */
  push(messages, received) {
    const start = messages.findLastIndex((message) => message.type === "match_start");
    for (const message of foreseen(messages)) {
      // Who is behind the table is not behind the talk; but a snapshot stays whole.
      if (message.type === "said" && start < 0 && !this.fresh()) this.show(message, received);
      else this.queue.push({ message, received });
    }
    if (this.paused) while (this.queue.length > KEPT) this.next();
    else if (start >= 0) this.jump();
    else if (!this.busy) this.run();
  }

  /** Whether a new match waits to be seen. */
  fresh() {
    return this.queue.some(({ message }) => message.type === "match_start");
  }

  /** Hands that wait to be seen; 1 if it is only the rest of this one. */
  behind() {
    const hands = this.queue.filter(({ message }) => message.type === "hand_start").length;
    return hands || Math.min(1, this.queue.length);
  }

  /** Stands still from now on; what comes waits. */
  pause() {
    this.paused = true;
  }

  /** Goes on where it stood, hurrying after the table. */
  resume() {
    this.paused = false;
    if (!this.busy) this.run();
  }

  /** Shows at once all that waits, and goes on. */
  jump() {
    this.paused = false;
    while (this.queue.length) this.next();
  }

  next() {
    const first = this.queue.shift();
    if (!first) return 0;
    this.show(first.message, first.received);
    const { speed, me } = this.how();
    return document.hidden ? 0 : stay(first.message, this.queue.length, speed, me);
  }

  run() {
    this.busy = false;
    while (this.queue.length && !this.paused) {
      const wait = this.next();
      if (wait) {
        this.busy = true;
        setTimeout(() => this.run(), wait);
        return;
      }
    }
  }
}
