// The socket: says hello, connects again when the connection breaks or falls silent, and stops when a newer tab took over.

/** @import {ClientMessage, Error as Refusal, ServerMessage} from "./messages.d.ts" */

/**
 * `held` is the time (performance.now) until which the server keeps the seats; `retry` that of the next attempt.
 * @typedef {{kind: "connecting" | "open"} | {kind: "lost", held: number, retry: number}
 *   | {kind: "replaced"} | {kind: "refused", code: string, message: string}} Status
 */

const SUBPROTOCOL = "pokerd.v1.json";
/** Waits between attempts in ms; the last one repeats. */
export const BACK_OFF = [250, 500, 1000, 2000, 4000, 8000];
/** Messages that answer an act, or make an answer needless. */
const ANSWERS = new Set(["acted", "error", "match_start", "match_end"]);
/** Milliseconds in which a new connection is welcomed, and in which the server answers an act. */
const WELCOME = 8000;
const ANSWER = 2000;
/** Of so many heartbeats one must arrive. */
const BEATS = 2;
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
    /** Runs out when the server has been silent for too long. */
    this.deadline = 0;
    /** Milliseconds between heartbeats; 0 until the server has said so. */
    this.heartbeat = 0;
    /** Whether an act waits for its answer. */
    this.unanswered = false;
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
    this.unanswered = false;
    this.expect(WELCOME);
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
        if (ANSWERS.has(message.type)) this.unanswered = false;
      }
      if (!this.unanswered && !this.closed) this.expect(BEATS * this.heartbeat);
      this.onMessages(messages, now - this.lag);
    });
    socket.addEventListener("close", () => socket === this.socket && this.lost());
  }

  /**
   * @param {{resume: string, grace: number, heartbeat?: number}} welcome
   * @param {number} lag
   */
  welcomed({ resume, grace, heartbeat = 0 }, lag) {
    this.resume = resume;
    this.grace = grace;
    this.heartbeat = heartbeat * 1000;
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

  /**
   * The server is to be heard within so many ms; 0 lifts that. A network can lose everything and close nothing.
   * @param {number} ms
   */
  expect(ms) {
    clearTimeout(this.deadline);
    if (ms) this.deadline = setTimeout(() => this.abandon(), ms);
  }

  /** Takes the connection for lost, whatever its socket says. */
  abandon() {
    const { socket } = this;
    this.lost();
    socket?.close();
  }

  lost() {
    this.socket = null;
    this.expect(0);
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
    this.expect(0);
    this.onStatus(status);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.expect(0);
    this.socket?.close();
  }

  /**
   * @param {ClientMessage} message
   * @returns {boolean} whether there was a connection to send it on
   */
  send(message) {
    const open = this.socket?.readyState === WebSocket.OPEN;
    if (open) this.socket?.send(JSON.stringify(message));
    if (message.type === "act") {
      this.unanswered = true;
      this.expect(ANSWER + 4 * this.lag);
    }
    return open;
  }
}

/**
 * The server may have been renewed while this page was open.
 * @param {() => void} tell
 */
export async function ifOutdated(tell) {
  const mine = /\/static\/([^/]+)\/lib\/net\.js/.exec(import.meta.url)?.[1];
  if (!mine) return;
  try {
    const answer = await fetch("/api/version");
    const { page: theirs } = /** @type {{page?: string}} */ (await answer.json());
    if (theirs && theirs !== mine) tell();
  } catch {
    // The next connection asks again.
  }
}
