// Requests to create a table: made of a form, and checked before they are sent.

import { readBot } from "./bots.js";
import { _ } from "./language.js";

/** @import {BotChoice, CreateTable} from "./messages.d.ts" */

/** The opponent in the ten tournaments unless another is chosen: that of Aceituno 2017. @param {readonly string[]} bots on offer */
export const firstOpponent = (bots) => (bots.includes("adaptive") ? "adaptive" : bots[0] ?? "");

/** After what this bot forgets in the ten tournaments unless somebody says otherwise: one that learns needs them all. @param {string} bot */
export const usualMemory = (bot) => (bot === "learner" ? "series" : "match");

/**
 * One person against four bots: ten tournaments of 1,000 chips, with the blinds and raises of Aceituno 2017.
 * @param {FormData} form
 * @returns {CreateTable}
 */
export function tenTournaments(form) {
  const bot = readBot(form, "opponent", String(form.get("opponent")));
  return {
    type: "create", name: _("Ten tournaments"), game: "nolimit", mode: "tournament", small_blind: 5, big_blind: 10,
    stack: 1000, seats: 5, bots: Array(4).fill(bot), levels: "fixed", min_raise: "bb", matches: 10,
    memory: String(form.get("forget")), research: form.has("research"),
  };
}

/**
 * A cash table for somebody who wants to play at once: no-limit with 100 big blinds.
 * @param {readonly string[]} bots
 * @param {number} seats
 * @returns {CreateTable}
 */
export function quickGame(bots, seats) {
  return {
    type: "create", name: "", game: "nolimit", mode: "cash", small_blind: 5, big_blind: 10, stack: 1000, seats, bots: [...bots],
    decision_ms: 30000, bank_ms: 120000, pause_ms: 2500,
  };
}

/** How all-ins are settled at a table. @param {string} how */
export function allInText(how) {
  return { "": _("The rest of the board is dealt"), equity: _("Divided by equity, without more cards"), twice: _("Run twice if all agree") }[how] ?? how;
}

/**
 * What a filled form asks for.
 * @param {FormData} form
 * @param {readonly string[]} all the bots there are
 * @returns {CreateTable}
 */
export function readCreateForm(form, all) {
  const number = (/** @type {string} */ key) => Number(form.get(key));
  const text = (/** @type {string} */ key) => String(form.get(key) ?? "");
  const mode = text("mode");
  const bots = all.flatMap((bot) => Array(number(bot)).fill(readBot(form, bot, bot)));
  const practice = form.has("practice");
  return {
    type: "create", name: text("name"), game: text("game"), mode, deck: text("deck"), small_blind: number("small_blind"),
    big_blind: number("big_blind"), ante: number("ante"), stack: number("stack"), seats: practice ? bots.length + 1 : number("seats"),
    decision_ms: number("decision") * 1000, bank_ms: number("bank") * 1000, pause_ms: number("pause") * 1000,
    bots: form.has("exhibition") ? fillSeats(bots, number("seats"), all) : bots,
    ...(mode === "tournament" ? { levels: text("levels"), matches: number("matches"), memory: text("memory") } : {}),
    ...(text("game") === "nolimit" && text("min_raise") ? { min_raise: text("min_raise") } : {}),
    ...(practice ? { practice } : {}),
    ...(form.has("research") ? { research: true } : {}),
    ...(form.has("hud") ? {} : { hud: false }),
    ...(form.has("private") ? { private: true } : {}),
    ...(form.has("straddle") ? { straddle: true } : {}),
    ...(mode === "cash" && text("all_ins") ? { all_ins: text("all_ins") } : {}),
    ...(text("depth") ? { depth: text("depth").split(" ").map(Number) } : {}),
  };
}

/**
 * Whether the result may be kept: of one person against house bots, in tournaments. The server knows the same rule.
 * @param {CreateTable} request
 */
export const canKeepResult = ({ mode, bots = [], seats }) => mode === "tournament" && bots.length + 1 === seats;

/**
 * What does not go together in a request; null when nothing is known against it. The server knows the same rules.
 * @param {CreateTable} request
 * @returns {{field: string, text: string} | null}
 */
export function findConflict({ small_blind: small = 0, big_blind: big = 0, ante = 0, stack = 0, seats = 0, bots = [], mode, game, depth, straddle, practice }) {
  const least = 2 * big + ante;
  if (practice && mode !== "cash") return { field: "practice", text: _("Only cash tables can be practice tables.") };
  if (practice && !bots.length) return { field: "practice", text: _("Choose the bots to practise against.") };
  if (small > big) return { field: "small_blind", text: _("At most the big blind, {big}.", { big }) };
  if (ante > big) return { field: "ante", text: _("At most the big blind, {big}.", { big }) };
  if (straddle && (mode !== "cash" || game !== "nolimit")) return { field: "straddle", text: _("Only no-limit cash tables have a straddle.") };
  if (straddle && seats < 4) return { field: "straddle", text: _("Four players or more: a straddle needs as many seats.") };
  if (depth && mode !== "cash") return { field: "depth", text: _("Only cash tables can reset stacks for every hand.") };
  if (!depth && stack < least) return { field: "stack", text: _("At least two big blinds and the ante, {least}.", { least }) };
  if (bots.length > seats) return { field: "bots", text: _("{bots} bots do not fit in {seats} seats.", { bots: bots.length, seats }) };
  return null;
}

/**
 * So many of these bots that nobody else finds a seat: the same again and again, or one of each.
 * @param {readonly (string | BotChoice)[]} bots
 * @param {number} seats
 * @param {readonly string[]} all the bots there are
 */
export function fillSeats(bots, seats, all) {
  const some = bots.length ? bots : all;
  return Array.from({ length: Math.max(seats, bots.length) }, (each, seat) => some[seat % some.length] ?? "");
}
