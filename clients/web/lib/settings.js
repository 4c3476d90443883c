// The visitor's settings, kept in the browser.

import { _ } from "./language.js";
import { store, stored } from "./storage.js";

/**
 * @typedef {{name: string, bigBlinds: boolean, fourColours: boolean, sound: boolean, volume: number, strength: boolean, hud: boolean,
 *   twice: boolean, offerShow: boolean, shortcuts: boolean, chat: boolean, text: boolean, speed: string, shares: number[], results: string[],
 *   filter: string, muted: string[], theme: string, felt: string, deck: string, level: Level, resultsIn: "big_blinds" | "chips", last: LastResult | null, request: {table: string, create: CreateTable} | null}} Settings
 * `filter` chooses lines of the log, `muted` are names whose chat is hidden, `level` is that of the bots that one plays at once, `last` is how the last game ended, `request` what opened the last table of mine.
 */
/** @import {CreateTable} from "./messages.d.ts" */
/** @import {Level} from "../look/characters.js" */
/**
 * How a game ended: "You finished 2nd", and where the hands are.
 * @typedef {{text: string, at: number, table: string, href: string}} LastResult
 */

const KEY = "pokerd";

/** @type {Settings} */
export const DEFAULTS = {
  name: "", bigBlinds: false, fourColours: true, sound: true, volume: 0.5, strength: true, hud: false, twice: false, offerShow: true,
  shortcuts: true, chat: true, text: false, speed: "normal", shares: [1 / 2, 2 / 3, 1],
  results: [], filter: "all", muted: [], theme: "system", felt: "green", deck: "classic", level: "solid", resultsIn: "big_blinds", last: null, request: null,
};

/** @returns {Settings} */
export const loadSettings = () => ({ ...DEFAULTS, ...stored(KEY) });

/** Most names whose chat is hidden: the oldest are forgotten. */
const MAX_MUTED = 100;

/**
 * @param {readonly string[]} muted
 * @param {string} name
 */
export function toggleMuted(muted, name) {
  return muted.includes(name) ? muted.filter((one) => one !== name) : [...muted, name].slice(-MAX_MUTED);
}

/**
 * Changes some of the settings. The others are as another page of this browser, or another part of this one, has left them.
 * @param {Settings} settings
 * @param {Partial<Settings>} some
 */
export const saveSettings = (settings, some) => store(KEY, Object.assign(settings, stored(KEY), some));

/**
 * Hears of settings that another page of this browser has changed, in a tab or in a frame.
 * @param {(settings: Settings) => void} onChange
 */
export function onSettingsChange(onChange) {
  addEventListener("storage", ({ key }) => key === KEY && onChange(loadSettings()));
}

/** Gives a name to who has none, so that nothing stands between a newcomer and the table. @param {Settings} settings */
export function ensureName(settings) {
  if (!settings.name) saveSettings(settings, { name: _("Guest {n}", { n: 1000 + Math.floor(Math.random() * 9000) }) });
}

/**
 * "50, 67, 100" to [0.5, 0.67, 1]; null when it is not three shares between 1 and 1,000 percent.
 * @param {string} text
 */
export function parseShares(text) {
  const shares = text.split(/[\s,;]+/).filter(Boolean).map((part) => Number(part.replace("%", "")) / 100);
  return shares.length === 3 && shares.every((share) => share >= 0.01 && share <= 10) ? shares : null;
}

/** @param {readonly number[]} shares */
export function formatShares(shares) {
  return shares.map((share) => String(Math.round(share * 100))).join(", ");
}
