// The administration API, as in docs/api.md, with the admin token of this tab.

import { Keeper, send } from "../lib/tokens.js";

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

export class Api extends Keeper {
  constructor() {
    super("pokerd organiser", () => sessionStorage);
  }

  /**
   * What is at an address below `/api/admin`. Throws `Refused`, or `TypeError` when nobody answers.
   * @param {string} [path]
   */
  async get(path = "") {
    return (await send(`/api/admin${path}`, this.token, {})).json();
  }

  /**
   * @param {string} action
   * @param {object} order
   * @returns {Promise<{action: string, target: string, token?: string}>}
   */
  async act(action, order) {
    return (await send(`/api/admin/${action}`, this.token, { method: "POST", body: JSON.stringify(order) })).json();
  }
}
