// How a person did against bots, in words and numbers, and the keys of the results that this browser may delete.

import { loadSettings, saveSettings } from "../lib/settings.js";
import { _, ngettext } from "../lib/language.js";
import { amount, signedNumber } from "../lib/words.js";

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
const GAMES = /** @type {Record<string, string>} */ ({ nolimit: _("no-limit"), limit: _("limit"), pushfold: _("all-in or fold") });

/**
 * "+12.3" and "−4 to +28.6", which is empty where there are too few for an interval.
 * @param {Estimate} estimate
 */
export function rateParts({ mean, low, high }) {
  return [signedNumber(mean), low === null || high === null ? "" : _("{low} to {high}", { low: signedNumber(low), high: signedNumber(high) })];
}

/** "30 %" and "11 to 60". @param {Estimate} estimate */
export function shareParts({ mean, low, high }) {
  const percent = (/** @type {number} */ share) => String(Math.round(share * 100)).replace("-", "\u2212");
  return [`${percent(mean)}\u00a0%`, low === null || high === null ? "" : _("{low} to {high}", { low: percent(low), high: percent(high) })];
}

/** "3 of 10 tournaments, 512 hands". @param {PlayScore} score */
export function playedText({ tournaments, won, hands }) {
  const played = ngettext("{n} hand", "{n} hands", hands);
  return tournaments ? ngettext("won {won} of {n} tournament, {hands}", "won {won} of {n} tournaments, {hands}", tournaments, { won, hands: played }) : played;
}

/**
 * "no-limit 5/10, 1,000 chips, 10 tournaments, blinds never rise".
 * @param {PlaySetting} it
 */
export function settingText(it) {
  const chips = { chips: amount(it.stack) };
  const game = [`${GAMES[it.game] ?? it.game} ${it.small_blind}/${it.big_blind}`, it.ante ? _("ante {chips}", { chips: it.ante }) : "",
    it.min_raise === "bb" ? _("least raise a big blind") : ""];
  const rest = it.mode !== "tournament"
    ? [_("{chips} chips in every hand", chips), ngettext("{n} hand beside {rival}", "{n} hands beside {rival}", it.hands, { rival: it.rival })]
    : [_("{amount} chips", { amount: chips.chips }), ngettext("{n} tournament", "{n} tournaments", it.matches),
      it.levels ? ngettext("blinds rise every {n} hand", "blinds rise every {n} hands", it.levels) : _("blinds never rise"), it.memory === "series" ? _("bots remember") : ""];
  return [...game, ...rest].filter(Boolean).join(", ");
}

/**
 * Keeps the key of a result in this browser.
 * @param {Settings} settings
 * @param {string} key
 */
export function rememberKey(settings, key) {
  if (!key || settings.results.includes(key)) return;
  saveSettings(settings, { results: [key, ...loadSettings().results].slice(0, MAX_KEYS) });
}

/**
 * @param {Settings} settings
 * @param {string} key
 */
export function forgetKey(settings, key) {
  saveSettings(settings, { results: loadSettings().results.filter((other) => other !== key) });
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
