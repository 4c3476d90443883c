// How a person did against bots, in words and numbers, and the keys of the results that this browser may delete.

import { saveSettings } from "../lib/settings.js";
import { pluralize, signedNumber } from "../lib/words.js";

/**
 * @import {Estimate, PlayScore} from "../lib/messages.d.ts"
 * @import {Settings} from "../lib/settings.js"
 */
/**
 * What was played, as the API tells it.
 * @typedef {{mode: string, game: string, bots: string[], rival: string, small_blind: number, big_blind: number, ante: number,
 *   stack: number, levels: number, min_raise: string, matches: number, hands: number, memory: string}} PlaySetting
 */

/** Results that this browser remembers. */
const MAX_KEYS = 50;
const GAMES = /** @type {Record<string, string>} */ ({ nolimit: "no-limit", limit: "limit", pushfold: "all-in or fold" });

/**
 * "+12.3" and "−4 to +28.6", which is empty where there are too few for an interval.
 * @param {Estimate} estimate
 */
export function rateParts({ mean, low, high }) {
  return [signedNumber(mean), low === null || high === null ? "" : `${signedNumber(low)} to ${signedNumber(high)}`];
}

/** "30 %" and "11 to 60". @param {Estimate} estimate */
export function shareParts({ mean, low, high }) {
  const percent = (/** @type {number} */ share) => String(Math.round(share * 100)).replace("-", "\u2212");
  return [`${percent(mean)}\u00a0%`, low === null || high === null ? "" : `${percent(low)} to ${percent(high)}`];
}

/** "3 of 10 tournaments, 512 hands". @param {PlayScore} score */
export function playedText({ tournaments, won, hands }) {
  return `${tournaments ? `won ${won} of ${pluralize(tournaments, "tournament")}, ` : ""}${pluralize(hands, "hand")}`;
}

/**
 * "no-limit 5/10, 1,000 chips, 10 tournaments, blinds never rise".
 * @param {PlaySetting} it
 */
export function settingText(it) {
  const blinds = `${GAMES[it.game] ?? it.game} ${it.small_blind}/${it.big_blind}${it.ante ? `, ante ${it.ante}` : ""}`;
  const raise = it.min_raise === "bb" ? ", least raise a big blind" : "";
  const stack = `${it.stack.toLocaleString("en-US")} chips`;
  if (it.mode !== "tournament") return `${blinds}${raise}, ${stack} in every hand, ${pluralize(it.hands, "hand")} beside ${it.rival}`;
  const levels = it.levels ? `blinds rise every ${it.levels} hands` : "blinds never rise";
  const memory = it.memory === "series" ? ", bots remember" : "";
  return `${blinds}${raise}, ${stack}, ${pluralize(it.matches, "tournament")}, ${levels}${memory}`;
}

/**
 * Keeps the key of a result in this browser.
 * @param {Settings} settings
 * @param {string} key
 */
export function rememberKey(settings, key) {
  if (!key || settings.results.includes(key)) return;
  settings.results = [key, ...settings.results].slice(0, MAX_KEYS);
  saveSettings(settings);
}

/**
 * @param {Settings} settings
 * @param {string} key
 */
export function forgetKey(settings, key) {
  settings.results = settings.results.filter((other) => other !== key);
  saveSettings(settings);
}

/**
 * Deletes a result on the server; whether it is gone.
 * @param {Settings} settings
 * @param {string} key
 */
export async function deleteResult(settings, key) {
  try {
    const answer = await fetch(`/api/people/results/${encodeURIComponent(key)}`, { method: "DELETE" });
    if (!answer.ok && answer.status !== 404) return false;
  } catch {
    return false;
  }
  forgetKey(settings, key);
  return true;
}
