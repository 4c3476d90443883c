// What a person may ask the server to open.

/** @import {CreateTable} from "./messages.d.ts" */

/** Bots that need no explanation; until the server has told of its own, these are offered. */
export const SIMPLE = ["fair", "call", "raise", "random"];

/** What each house bot does, as the server tells it. @type {Readonly<Record<string, string>>} */
let descriptions = {};

/** "fair: plays well". @param {string} bot */
export const described = (bot) => (descriptions[bot] ? `${bot}: ${descriptions[bot]}` : bot);

/**
 * Asks the server which house bots there are.
 * @param {(bots: readonly string[]) => void} tell is told, in the order to offer them in, unless there is no answer
 */
export async function askForBots(tell) {
  try {
    const answer = await fetch("/api/bots");
    if (!answer.ok) return;
    ({ descriptions } = await answer.json());
    tell(Object.keys(descriptions));
  } catch {
    // The simple ones stay.
  }
}

/**
 * One person against four bots: ten tournaments of 1,000 chips.
 * @param {string} bot
 * @returns {CreateTable}
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
 * @param {readonly string[]} all the bots there are
 * @returns {CreateTable}
 */
export function wishOf(form, all) {
  const number = (/** @type {string} */ key) => Number(form.get(key));
  const text = (/** @type {string} */ key) => String(form.get(key) ?? "");
  const mode = text("mode");
  const bots = all.flatMap((bot) => Array(number(bot)).fill(bot));
  return {
    type: "create", name: text("name"), game: text("game"), mode, deck: text("deck"), small_blind: number("small_blind"),
    big_blind: number("big_blind"), ante: number("ante"), stack: number("stack"), seats: number("seats"),
    decision_ms: number("decision") * 1000, bank_ms: number("bank") * 1000, pause_ms: number("pause") * 1000,
    bots: form.has("exhibition") ? filled(bots, number("seats"), all) : bots,
    ...(mode === "tournament" ? { levels: text("levels"), matches: number("matches") } : {}),
    ...(text("depth") ? { depth: text("depth").split(" ").map(Number) } : {}),
  };
}

/**
 * What does not go together in a wish; null when nothing is known against it. The server knows the same rules.
 * @param {CreateTable} wish
 * @returns {{field: string, text: string} | null}
 */
export function conflict({ small_blind: small = 0, big_blind: big = 0, ante = 0, stack = 0, seats = 0, bots = [], mode, depth }) {
  const least = 2 * big + ante;
  if (small > big) return { field: "small_blind", text: `At most the big blind, ${big}.` };
  if (ante > big) return { field: "ante", text: `At most the big blind, ${big}.` };
  if (depth && mode !== "cash") return { field: "depth", text: "Only at cash tables stacks begin anew in every hand." };
  if (!depth && stack < least) return { field: "stack", text: `At least two big blinds and the ante, ${least}.` };
  if (bots.length > seats) return { field: "bots", text: `${bots.length} bots do not find room in ${seats} seats.` };
  return null;
}

/**
 * So many of these bots that nobody else finds a seat: the same again and again, or one of each.
 * @param {readonly string[]} bots
 * @param {number} seats
 * @param {readonly string[]} all the bots there are
 */
export function filled(bots, seats, all) {
  const some = bots.length ? bots : all;
  return Array.from({ length: Math.max(seats, bots.length) }, (_, seat) => some[seat % some.length] ?? "");
}
