// The house bots that can be seated, and their parameters.

import { characterName, strengthOf } from "../look/characters.js";
import { _ } from "./language.js";

/** @import {BotChoice} from "./messages.d.ts" */
/** @typedef {BotChoice["parameters"]} Parameters */
/**
 * A parameter of a bot, as `/api/bots` has it.
 * @typedef {{name: string, meaning: string, kind: "number" | "whole" | "numbers" | "switch" | "choice",
 *   default: Parameters[string], least: number, most: number, choices: string[], lengths: number[]}} BotParameter
 */

/** Bots that need no explanation; these are offered until the server has sent its list. */
export const BASIC_BOTS = ["fair", "call", "raise", "random"];

/** The rival in a duel unless another is chosen. @param {readonly string[]} bots on offer */
export const firstRival = (bots) => (bots.includes("nolimit") ? "nolimit" : "fair");

/** What each house bot does, from the server. @type {Readonly<Record<string, string>>} */
let descriptions = {};

/** The parameters of each house bot that has some. @type {Readonly<Record<string, readonly BotParameter[]>>} */
let parameters = {};

/** What may be set for a bot. @param {string} bot @returns {readonly BotParameter[]} */
export const parametersOf = (bot) => parameters[bot] ?? [];

/** @type {Record<BotParameter["kind"], (text: string) => Parameters[string]>} */
const READERS = {
  number: Number,
  whole: Number,
  numbers: (text) => text.split(/[\s,]+/).filter(Boolean).map(Number),
  switch: (text) => text === "true",
  choice: String,
};

/**
 * The bot as a form asks for it: with the parameters that differ from the defaults, or just its name.
 * @param {FormData} form
 * @param {string} prefix of the names of its fields
 * @param {string} bot
 * @returns {string | BotChoice}
 */
export function readBot(form, prefix, bot) {
  const changed = parametersOf(bot).flatMap((one) => {
    const text = form.get(`${prefix}.${one.name}`);
    const value = text === null ? one.default : READERS[one.kind](String(text));
    return JSON.stringify(value) === JSON.stringify(one.default) ? [] : [[one.name, value]];
  });
  return changed.length ? { bot, parameters: Object.fromEntries(changed) } : bot;
}

/** "raise_at 0.6, mu 0.1 0.2". @param {Parameters} values */
export const parametersText = (values) => Object.entries(values)
  .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(" ") : value}`).join(", ");

/** How a bot plays, in a few words; "" while that is not known. @param {string} bot */
export const methodOf = (bot) => _(descriptions[bot] ?? "");

/** "Vera (fair): 4 of 5 stars"; a bot without a character by what it does. @param {string} bot */
export function describeBot(bot) {
  const name = characterName(bot);
  const said = name === bot ? descriptions[bot] && _(descriptions[bot]) : strengthText(bot);
  return `${name === bot ? bot : `${name} (${bot})`}${said ? `: ${said}` : ""}`;
}

/** @param {string} bot */
function strengthText(bot) {
  const strength = strengthOf(bot);
  return strength ? _("{count} of 5 stars", { count: strength.stars }) : "";
}

/** Bots or their kinds, "fair-1", "fair-2" and "call-3", by kind: "2 × Vera, Carl". @param {readonly string[]} bots */
export function countByKind(bots) {
  const kinds = bots.map((bot) => bot.replace(/-\d+$/, ""));
  return [...new Set(kinds)].map((kind) => {
    const count = kinds.filter((other) => other === kind).length;
    return `${count > 1 ? `${count} × ` : ""}${characterName(kind)}`;
  }).join(", ");
}

/**
 * Asks the server which house bots there are.
 * @param {(bots: readonly string[]) => void} onLoaded gets them in the order to offer them in; it is not called without
 *   an answer
 */
export async function loadBots(onLoaded) {
  try {
    const answer = await fetch("/api/bots");
    if (!answer.ok) return;
    ({ descriptions, parameters = {} } = await answer.json());
    onLoaded(Object.keys(descriptions));
  } catch {
    // The basic ones stay.
  }
}
