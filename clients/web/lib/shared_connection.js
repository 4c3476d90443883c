// Several tables in one window: each is a page in a frame, and all of them use the connection of the window around them,
// because a server keeps one connection per person.

import { Connection } from "./net.js";

/**
 * @import {ClientMessage, ServerMessage} from "./messages.d.ts"
 * @import {Status} from "./net.js"
 */
/** What a table's page tells the window around it. @typedef {{table: string, title: string, isTurn: boolean, isSeated: boolean}} Report */
/**
 * What a window of several tables offers to the pages in it. `showTable` returns whether the table is there; `nextTable`
 * gives the keyboard to it; `hasJustMoved`: the keyboard, so that a key may still be meant for the table before.
 * @typedef {{connection: SharedConnection, tables: () => string[], report: (frame: Element | null, report: Report) => void,
 *   showTable: (table: string) => boolean, nextTable: () => void, hasJustMoved: () => boolean}} TablesWindow
 */

/** The address of a window with these tables. @param {readonly string[]} tables @param {string} [more] */
export const besideAddress = (tables, more = "") => `/tables?${new URLSearchParams(tables.map((table) => ["at", table]))}${more}`;
/** So many tables fit into a window. */
export const MAX_TABLES = 4;
/** Milliseconds to wait for the pages of other tables: then one connection tells all of them where they are. */
const GATHER = 3000;

/** The window that this page is a frame of; null when it stands alone. */
export const tablesWindow = () => (parent === self ? null : /** @type {{tablesWindow?: TablesWindow}} */ (/** @type {unknown} */ (parent)).tablesWindow ?? null);

/** The connection of a window, and the pages that share it. */
export class SharedConnection {
  /** @param {() => number} expected how many pages of tables there will be */
  constructor(expected) {
    this.expected = expected;
    /** @type {Set<FrameConnection>} */
    this.frames = new Set();
    /** @type {Connection | null} */
    this.connection = null;
    /** @type {Status} */
    this.status = { kind: "connecting" };
    /** The server's last `welcome`; null while it is not connected. @type {ServerMessage | null} */
    this.welcome = null;
    /** My seats at the tables that this connection is told about; -1 where I watch. @type {Map<string, number>} */
    this.seats = new Map();
    /** Who spoke last, and who asked for a table last: errors and the new table are for them. @type {FrameConnection | null} */
    this.speaker = null;
    /** @type {FrameConnection | null} */
    this.creator = null;
    this.name = "";
    this.timer = 0;
  }

  /** @param {FrameConnection} frame */
  add(frame) {
    this.frames.add(frame);
    this.name = frame.name;
    // The server sends the whole state of a table where I am to a new connection only.
    if (this.welcome && !this.seats.has(frame.table)) return queueMicrotask(() => this.greet(frame));
    clearTimeout(this.timer);
    const loaded = [...this.frames].filter(({ table }) => table).length;
    this.timer = setTimeout(() => this.open(), loaded < this.expected() ? GATHER : 0);
  }

  /** @param {FrameConnection} frame */
  greet(frame) {
    if (!this.welcome) return;
    frame.setStatus(this.status);
    frame.onMessages([this.welcome], performance.now());
  }

  /** @param {FrameConnection} frame */
  remove(frame) {
    if (!this.frames.delete(frame) || (this.seats.get(frame.table) ?? 0) >= 0) return;
    this.seats.delete(frame.table);
    this.connection?.send({ type: "leave", table: frame.table });
  }

  open() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.connection?.name === this.name) this.connection.open();
    else {
      this.connection?.close();
      this.connection = new Connection(this.name, (messages, received) => this.receive(messages, received), (status) => this.setStatus(status));
    }
  }

  /** @param {Status} status */
  setStatus(status) {
    this.status = status;
    if (status.kind !== "open") this.welcome = null;
    for (const frame of this.frames) frame.setStatus(status);
  }

  /**
   * @param {ServerMessage[]} messages
   * @param {number} received
   */
  receive(messages, received) {
    for (const message of messages) {
      if (message.type === "welcome") {
        this.welcome = message;
        this.seats.clear();
      } else if (message.type === "match_start") this.seats.set(message.table, message.seat);
      else if (message.type === "match_end") this.seats.delete(message.table);
    }
    for (const frame of [...this.frames]) {
      const own = messages.filter((message) => this.isFor(frame, message));
      if (own.length) frame.onMessages(own, received);
    }
  }

  /**
   * @param {FrameConnection} frame
   * @param {ServerMessage} message
   */
  isFor(frame, message) {
    if (message.type === "created") return frame === this.creator;
    if (message.type === "entry") return frame === this.ofTournament(message.tournament);
    if (message.type === "error" && !message.table) return message.fatal || frame === this.speaker;
    return !("table" in message) || !message.table || message.table === frame.table;
  }

  /** The frame that shows a table of a tournament, or else the first. @param {string} name */
  ofTournament(name) {
    const frames = [...this.frames];
    return frames.find(({ table }) => table.startsWith(`${name}-`)) ?? frames[0];
  }

  /**
   * @param {FrameConnection} frame
   * @param {ClientMessage} message
   */
  send(frame, message) {
    this.speaker = frame;
    if (message.type === "create") this.creator = frame;
    return this.connection?.send(message) ?? false;
  }
}

/** The part that a page in a frame has of the window's connection; used like one of its own. */
class FrameConnection {
  /**
   * @param {SharedConnection} shared
   * @param {string} name
   * @param {string} table "" for a page that only asks for one
   * @param {(messages: ServerMessage[], received: number) => void} onMessages
   * @param {(status: Status) => void} onStatus
   */
  constructor(shared, name, table, onMessages, onStatus) {
    this.shared = shared;
    this.name = name;
    this.table = table;
    this.onStatus = onStatus;
    this.closed = false;
    // The clock of a frame starts when its page is loaded.
    this.shift = parent.performance.timeOrigin - performance.timeOrigin;
    this.onMessages = (/** @type {ServerMessage[]} */ messages, /** @type {number} */ received) => onMessages(messages, received + this.shift);
    addEventListener("pagehide", () => this.close());
    shared.add(this);
  }

  /** @param {Status} status */
  setStatus(status) {
    this.closed = status.kind === "replaced" || status.kind === "refused";
    this.onStatus(status.kind === "lost" ? { ...status, heldUntil: status.heldUntil + this.shift, retryAt: status.retryAt + this.shift } : status);
  }

  open() {
    this.shared.open();
  }

  close() {
    this.closed = true;
    this.shared.remove(this);
  }

  /** @param {ClientMessage} message */
  send(message) {
    return this.shared.send(this, message);
  }
}

/**
 * Connects: in a window of several tables by its connection.
 * @param {string} name
 * @param {string} table
 * @param {(messages: ServerMessage[], received: number) => void} onMessages
 * @param {(status: Status) => void} onStatus
 */
export function openConnection(name, table, onMessages, onStatus) {
  const around = tablesWindow();
  return around ? new FrameConnection(around.connection, name, table, onMessages, onStatus) : new Connection(name, onMessages, onStatus);
}

/** In a frame, what is not a table or the lobby opens in a tab of its own: a table stays where it is. */
export function keepTableInFrame() {
  if (!tablesWindow()) return;
  document.documentElement.dataset.framed = "";
  addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest("a") : null;
    if (link && link.pathname !== "/" && !link.pathname.startsWith("/table/")) link.target = "_blank";
  }, { capture: true });
}
