// What a person may ask the server to open.

/** @import {Create} from "./messages.d.ts" */

/** The house bots, and what each does. @type {readonly (readonly [string, string])[]} */
export const BOTS = [["fair", "play well"], ["call", "always call"], ["raise", "always raise"], ["random", "play at random"]];

/**
 * One person against four bots: ten tournaments of 1,000 chips.
 * @param {string} bot
 * @returns {Create}
 */
export function human(bot) {
  return {
    type: "create", name: "Ten tournaments", game: "nolimit", mode: "tournament", small_blind: 5, big_blind: 10,
    stack: 1000, seats: 5, bots: Array(4).fill(bot), levels: "normal", matches: 10,
  };
}

/**
 * What a filled form asks for.
 * @param {FormData} form
 * @returns {Create}
 */
export function wishOf(form) {
  const number = (/** @type {string} */ key) => Number(form.get(key));
  const text = (/** @type {string} */ key) => String(form.get(key) ?? "");
  const mode = text("mode");
  const bots = BOTS.flatMap(([bot]) => Array(number(bot)).fill(bot));
  return {
    type: "create", name: text("name"), game: text("game"), mode, deck: text("deck"), small_blind: number("small_blind"),
    big_blind: number("big_blind"), ante: number("ante"), stack: number("stack"), seats: number("seats"),
    decision_ms: number("decision") * 1000, bank_ms: number("bank") * 1000, pause_ms: number("pause") * 1000,
    bots: form.has("exhibition") ? filled(bots, number("seats")) : bots,
    ...(mode === "tournament" ? { levels: text("levels"), matches: number("matches") } : {}),
  };
}

/**
 * So many of these bots that nobody else finds a seat: the same again and again, or one of each.
 * @param {readonly string[]} bots
 * @param {number} seats
 */
export function filled(bots, seats) {
  const some = bots.length ? bots : BOTS.map(([bot]) => bot);
  return Array.from({ length: Math.max(seats, bots.length) }, (_, seat) => some[seat % some.length] ?? "");
}
