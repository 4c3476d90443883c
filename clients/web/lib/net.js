// The socket: says hello, connects again when the connection breaks or falls silent, and stops when a newer tab took over.

/** @import {ClientMessage, Error as ErrorMessage, ServerMessage} from "./messages.d.ts" */

/**
 * `heldUntil` is the time (performance.now) until which the server keeps the seats; `retryAt` that of the next attempt.
 * @typedef {{kind: "connecting" | "open"} | {kind: "lost", heldUntil: number, retryAt: number}
 *   | {kind: "replaced"} | {kind: "refused", code: string, message: string}} Status
 */

const SUBPROTOCOL = "pokerd.v1.json";
/** Waits between attempts in ms; the last one repeats. */
export const BACK_OFF = [250, 500, 1000, 2000, 4000, 8000];
/** Messages that answer an act, or after which there will be no answer. */
const ANSWERS = new Set(["acted", "error", "match_start", "match_end"]);
/** Milliseconds that the server has for `welcome`, and for the answer to an act. */
const WELCOME_TIMEOUT = 8000;
const ANSWER_TIMEOUT = 2000;
/** The connection is lost after so many missed heartbeats. */
const MISSED_BEATS = 2;
/** Errors after which the same hello would be refused again. */
const FINAL_CODES = new Set(["name_taken", "bad_name", "bad_token", "server_full"]);

export class Connection {
  /**
   * @param {string} name
   * @param {(messages: ServerMessage[], received: number) => void} onMessages `received` is when the server sent them,
   *   as far as one can know, on the clock of performance.now
   * @param {(status: Status) => void} onStatus
   * @param {boolean} [isAnonymous] then it replaces no other connection of the visitor
   */
  constructor(name, onMessages, onStatus, isAnonymous = false) {
    this.name = name;
    this.isAnonymous = isAnonymous;
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
    /** Whether an act was sent and not answered yet. */
    this.awaitingAnswer = false;
    /** Half of the quickest round trip: about what a message takes to get here. */
    this.lag = 0;
    this.lostAt = 0;
    this.closed = false;
    addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => document.hidden || this.retryNow());
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    this.closed = false;
    if (!this.lostAt) this.onStatus({ kind: "connecting" });
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws${this.isAnonymous ? "?anonymous" : ""}`, SUBPROTOCOL);
    this.socket = socket;
    this.awaitingAnswer = false;
    this.expectWithin(WELCOME_TIMEOUT);
    let helloSentAt = 0;
    socket.addEventListener("open", () => {
      if (socket !== this.socket) return socket.close();
      helloSentAt = performance.now();
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
        if (message.type === "welcome") this.onWelcome(message, (now - helloSentAt) / 2);
        if (message.type === "error" && message.fatal) this.onFatalError(message);
        if (ANSWERS.has(message.type)) this.awaitingAnswer = false;
      }
      if (!this.awaitingAnswer && !this.closed) this.expectWithin(MISSED_BEATS * this.heartbeat);
      this.onMessages(messages, now - this.lag);
    });
    socket.addEventListener("close", () => socket === this.socket && this.onLost());
  }

  /**
   * @param {{resume: string, grace: number, heartbeat?: number}} welcome
   * @param {number} lag
   */
  onWelcome({ resume, grace, heartbeat = 0 }, lag) {
    this.resume = resume;
    this.grace = grace;
    this.heartbeat = heartbeat * 1000;
    this.lag = this.lag ? Math.min(this.lag, lag) : lag;
    this.attempt = 0;
    this.lostAt = 0;
    this.onStatus({ kind: "open" });
  }

  /** @param {ErrorMessage} error */
  onFatalError({ code, message }) {
    if (code === "bad_resume") this.resume = "";
    else if (code === "replaced") this.stop({ kind: "replaced" });
    else if (FINAL_CODES.has(code)) this.stop({ kind: "refused", code, message });
  }

  /**
   * Gives the connection up unless the server is heard within so many ms; 0: without a limit. A network can lose
   * everything and close nothing.
   * @param {number} ms
   */
  expectWithin(ms) {
    clearTimeout(this.deadline);
    if (ms) this.deadline = setTimeout(() => this.abandon(), ms);
  }

  /** Gives the connection up, whatever its socket says. */
  abandon() {
    const { socket } = this;
    this.onLost();
    socket?.close();
  }

  onLost() {
    this.socket = null;
    this.expectWithin(0);
    if (this.closed) return;
    const now = performance.now();
    this.lostAt ||= now;
    const wait = /** @type {number} */ (BACK_OFF[Math.min(this.attempt, BACK_OFF.length - 1)]);
    this.attempt += 1;
    // Jitter: a server that comes back must not meet all clients in the same moment.
    const delay = wait * (0.75 + Math.random() / 2);
    this.timer = setTimeout(() => this.open(), delay);
    this.onStatus({ kind: "lost", heldUntil: this.lostAt + this.grace * 1000, retryAt: now + delay });
  }

  /** Tries now instead of after the back-off. */
  retryNow() {
    if (!this.closed && !this.socket) this.open();
  }

  /** @param {Status} status */
  stop(status) {
    this.closed = true;
    clearTimeout(this.timer);
    this.expectWithin(0);
    this.onStatus(status);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.expectWithin(0);
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
      this.awaitingAnswer = true;
      this.expectWithin(ANSWER_TIMEOUT + 4 * this.lag);
    }
    return open;
  }
}

/**
 * Whether the server has a newer version of the page than this one.
 * @param {() => void} onOutdated
 */
export async function checkVersion(onOutdated) {
  const mine = /\/static\/([^/]+)\/lib\/net\.js/.exec(import.meta.url)?.[1];
  if (!mine) return;
  try {
    const answer = await fetch("/api/version");
    const { page: theirs } = /** @type {{page?: string}} */ (await answer.json());
    if (theirs && theirs !== mine) onOutdated();
  } catch {
    // The next connection asks again.
  }
}
