// Bots answer within a millisecond. People are shown one thing after the other.

/** @import {ServerMessage} from "./messages.d.ts" */

/** Milliseconds that a message stays alone before the next is shown, at normal speed. */
const STAYS = /** @type {Record<string, number>} */ ({
  hand_start: 400, acted: 450, board: 700, shown: 1200, hand_end: 1500, showed: 300,
});
/** With so many waiting, the table has run ahead and is caught up with. */
const BEHIND = 12;

/** Factors of the speeds that can be chosen. */
export const SPEEDS = /** @type {Record<string, number>} */ ({ slow: 2, normal: 1, fast: 0.4, instant: 0 });

/**
 * How long `message` stays alone.
 * @param {ServerMessage} message
 * @param {number} waiting messages that wait behind it
 * @param {number} speed
 * @param {number} me what I did myself is no news to me
 */
export function stay(message, waiting, speed, me) {
  if (waiting > BEHIND || ("seat" in message && message.type === "acted" && message.seat === me)) return 0;
  return (STAYS[message.type] ?? 0) * speed;
}

/** Shows messages in order, each for its time. What a snapshot repeats is shown at once. */
export class Pace {
  /**
   * @param {(message: ServerMessage, received: number) => void} show
   * @param {() => {speed: number, me: number}} how
   */
  constructor(show, how) {
    this.show = show;
    this.how = how;
    /** @type {{message: ServerMessage, received: number}[]} */
    this.queue = [];
    this.busy = false;
  }

  /**
   * @param {ServerMessage[]} messages
   * @param {number} received
   */
  push(messages, received) {
    const start = messages.findLastIndex((message) => message.type === "match_start");
    this.queue.push(...messages.map((message) => ({ message, received })));
    if (start >= 0) while (this.queue.length) this.next();
    else if (!this.busy) this.run();
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
    while (this.queue.length) {
      const wait = this.next();
      if (wait) {
        this.busy = true;
        setTimeout(() => this.run(), wait);
        return;
      }
    }
  }
}
