// The administration API, as in docs/api.md, with the admin token of this tab.

/**
 * @typedef {{table: string, name: string, game: string, stakes: string, mode: string, phase: string, paused: boolean,
 *   players: string[], kinds: string[], spectators: number, hands: number}} Table
 * @typedef {{connection: number, name: string, address: string, kind: "" | "guest" | "token" | "house", person: boolean,
 *   tables: string[]}} Connection
 * @typedef {{kind: "name" | "address", value: string, by: string, at: string}} Ban
 * @typedef {{name: string, admin: boolean, issued: string, quota: {rate: number, connections: number, tables: number}}} Token
 * @typedef {{tables: Table[], connections: Connection[], bans: Ban[], tokens: Token[], closing: boolean}} Overview
 * @typedef {{label: string, mode: string, hands: number, won: number, rate: number, half: number | null, at: number}} GroupResult
 * @typedef {{player: string, total: GroupResult, games: GroupResult[], days: GroupResult[], sessions: GroupResult[],
 *   curve: {hands: number[], won: number[], half: (number | null)[]}, browsers: number, looked_at: number,
 *   complete: boolean}} Statistics
 * @typedef {{player: string, hands: number, at: number}} KnownPlayer
 */

/** Where the tab keeps the token, until it is closed. */
const KEY = "pokerd organiser";

/** The server answered, and refused. `status` is that of HTTP. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(`${message[0]?.toUpperCase() ?? ""}${message.slice(1)}.`.replace(/([.!?])\.$/, "$1"));
    this.status = status;
  }
}

export class Api {
  constructor() {
    this.token = "";
    try {
      this.token = sessionStorage.getItem(KEY) ?? "";
    } catch {
      // A private window may refuse; then the token is gone when the page is loaded again.
    }
  }

  /** @param {string} token "" to log out */
  keep(token) {
    this.token = token;
    try {
      if (token) sessionStorage.setItem(KEY, token);
      else sessionStorage.removeItem(KEY);
    } catch {
      // As above.
    }
  }

  /**
   * What is at an address below `/api/admin`. Throws `Refused`, or `TypeError` when nobody answers.
   * @param {string} [path]
   */
  get(path = "") {
    return this.#ask(path, {});
  }

  /**
   * @param {string} action
   * @param {object} order
   * @returns {Promise<{action: string, target: string, token?: string}>}
   */
  act(action, order) {
    return this.#ask(`/${action}`, { method: "POST", body: JSON.stringify(order) });
  }

  /**
   * @param {string} path
   * @param {RequestInit} request
   */
  async #ask(path, request) {
    if (!/^[\x21-\x7e]+$/.test(this.token)) throw new Refused(401, "this is not a token");
    const answer = await fetch(`/api/admin${path}`, { ...request, headers: { Authorization: `Bearer ${this.token}` } });
    const body = await answer.json();
    if (!answer.ok) throw new Refused(answer.status, body.message);
    return body;
  }
}
