// The socket: says hello, comes back by itself when the connection breaks, and stops when a newer tab took over.

/** @import {ClientMessage, Error as Refusal, ServerMessage} from "./messages.d.ts" */

/**
 * `held` is the time (performance.now) until which the server keeps the seats; `retry` that of the next attempt.
 * @typedef {{kind: "connecting" | "open"} | {kind: "lost", held: number, retry: number}
 *   | {kind: "replaced"} | {kind: "refused", code: string, message: string}} Status
 */

const SUBPROTOCOL = "pokerd.v1.json";
/** Waits between attempts in ms; the last one repeats. */
export const BACK_OFF = [250, 500, 1000, 2000, 4000, 8000];
/** Refusals after which the same hello would be refused again. */
const FINAL = new Set(["name_taken", "bad_name", "bad_token", "server_full"]);

export class Connection {
  /**
   * @param {string} name
   * @param {(messages: ServerMessage[], received: number) => void} onMessages `received` is when the server sent them,
   *   as far as one can know, on the clock of performance.now
   * @param {(status: Status) => void} onStatus
   */
  constructor(name, onMessages, onStatus) {
    this.name = name;
    this.onMessages = onMessages;
    this.onStatus = onStatus;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.resume = "";
    this.grace = 0;
    this.attempt = 0;
    this.timer = 0;
    /** Half of the quickest round trip: about what a message takes to get here. */
    this.lag = 0;
    this.lostAt = 0;
    this.closed = false;
    addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry());
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    this.closed = false;
    if (!this.lostAt) this.onStatus({ kind: "connecting" });
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, SUBPROTOCOL);
    this.socket = socket;
    let asked = 0;
    socket.addEventListener("open", () => {
      asked = performance.now();
      this.send({
        type: "hello", name: this.name, person: true, tables: 8, software: "pokerd page",
        ...(this.resume ? { resume: this.resume } : {}),
      });
    });
    socket.addEventListener("message", (event) => {
      if (socket !== this.socket) return;
      const frame = /** @type {ServerMessage | ServerMessage[]} */ (JSON.parse(event.data));
      const messages = Array.isArray(frame) ? frame : [frame];
      const now = performance.now();
      for (const message of messages) {
        if (message.type === "welcome") this.welcomed(message, (now - asked) / 2);
        if (message.type === "error" && message.fatal) this.refused(message);
      }
      this.onMessages(messages, now - this.lag);
    });
    socket.addEventListener("close", () => socket === this.socket && this.lost());
  }

  /**
   * @param {{resume: string, grace: number}} welcome
   * @param {number} lag
   */
  welcomed({ resume, grace }, lag) {
    this.resume = resume;
    this.grace = grace;
    this.lag = this.lag ? Math.min(this.lag, lag) : lag;
    this.attempt = 0;
    this.lostAt = 0;
    this.onStatus({ kind: "open" });
  }

  /** @param {Refusal} error */
  refused({ code, message }) {
    if (code === "bad_resume") this.resume = "";
    else if (code === "replaced") this.stop({ kind: "replaced" });
    else if (FINAL.has(code)) this.stop({ kind: "refused", code, message });
  }

  lost() {
    this.socket = null;
    if (this.closed) return;
    const now = performance.now();
    this.lostAt ||= now;
    const wait = /** @type {number} */ (BACK_OFF[Math.min(this.attempt, BACK_OFF.length - 1)]);
    this.attempt += 1;
    // Not all at once: a server that comes back is not to be met by everybody in the same moment.
    const retry = wait * (0.75 + Math.random() / 2);
    this.timer = setTimeout(() => this.open(), retry);
    this.onStatus({ kind: "lost", held: this.lostAt + this.grace * 1000, retry: now + retry });
  }

  /** Tries at once what would be tried later. */
  hurry() {
    if (!this.closed && !this.socket) this.open();
  }

  /** @param {Status} status */
  stop(status) {
    this.closed = true;
    clearTimeout(this.timer);
    this.onStatus(status);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  /** @param {ClientMessage} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
