// What the hands of a day say, in numbers and words: no page, no network.

import { joinWords } from "../lib/cards.js";
import { shownNames } from "../look/characters.js";
import { _, dayName, ngettext } from "../lib/language.js";
import { amount, signedNumber } from "../lib/words.js";

/** @typedef {{mean: number, low: number | null, high: number | null}} Estimate */
/**
 * My first try: `net` is null until it is finished, `table` where I can go on.
 * @typedef {{challenge: string, table: string, net: number | null, worse: number, others: number}} DayResult
 */
/**
 * What `/api/days/{day}` answers.
 * @typedef {{day: string, ends_at: number, published_at: number, published: boolean, hands: number, opponents: string[],
 *   rival: string, big_blind: number, commitment: string, seed: string, players: number, mean: Estimate | null,
 *   own: DayResult | null, streak: number, replay: string}} Day
 */

/** What stands for a hand that was lost, let go, or won: in every typeface, and without colours. */
export const SIGNS = ["\u25bc", "\u00b7", "\u25b2"];
/** A hand that costs no more than this many big blinds was let go. */
const SMALL = 1;
/** Signs of a line in a text to paste. */
const LINE = 10;

/** Whether this is a day, and not a run such as "table-5.8". @param {string} text */
export const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text);

/** The day before. @param {string} day */
export const dayBefore = (day) => new Date(Date.parse(`${day}T00:00Z`) - 86_400_000).toISOString().slice(0, 10);

/** "Hector, Torsten and Max". @param {readonly string[]} names */
export function listNames(names) {
  return joinWords(shownNames(names, names.map(() => "bot")));
}

/** "+12.5 big blinds". @param {number} chips @param {number} blind */
export function blindsText(chips, blind) {
  const many = signedNumber(chips / blind);
  return ngettext("{chips} big blind", "{chips} big blinds", Math.round((Math.abs(chips) / blind) * 10) / 10, { chips: many });
}

/** Won, lost, or let go: 1, -1, 0. @param {number} chips @param {number} blind */
export const outcome = (chips, blind) => (chips > 0 ? 1 : chips < -SMALL * blind ? -1 : 0);

/** "5 won, 3 lost, 12 let go for at most a big blind", for who does not see the signs. @param {readonly number[]} nets @param {number} blind */
export function outcomesText(nets, blind) {
  const count = (/** @type {number} */ sign) => nets.filter((net) => outcome(net, blind) === sign).length;
  return _("{won} won, {lost} lost, {small} let go for at most a big blind", { won: count(1), lost: count(-1), small: count(0) });
}

/** "better than 3 of 5 others"; "" while there are none. @param {DayResult | null} own */
export const rankText = (own) => (own?.net != null && own.others ? ngettext("better than {worse} of {n} other", "better than {worse} of {n} others", own.others, { worse: amount(own.worse) }) : "");

/** How everybody did. @param {Day} day */
export function fieldText({ players, mean, published, own }) {
  if (!mean) return published ? _("Nobody finished these hands.") : _("Nobody has finished them yet.");
  if (players === 1 && own?.net != null) return published ? _("Nobody else finished these hands.") : _("You are the first to finish.");
  const values = { mean: signedNumber(mean.mean), low: signedNumber(mean.low ?? 0), high: signedNumber(mean.high ?? 0) };
  return mean.low === null || mean.high === null
    ? ngettext("One player has finished: {mean} big blinds.", "{n} players have finished: {mean} big blinds on average.", players, values)
    : ngettext("One player has finished: {mean} big blinds (95\u00a0%: {low} to {high}).",
      "{n} players have finished: {mean} big blinds on average (95\u00a0%: {low} to {high}).", players, values);
}

/** "3 days in a row"; "" for fewer than two. @param {number} streak */
export const streakText = (streak) => (streak > 1 ? ngettext("{n} day in a row", "{n} days in a row", streak) : "");

/**
 * What one shows to others: no card, and nothing that tells one hand's cards.
 * @param {Day} day
 * @param {readonly number[]} nets chips won, by hand
 * @param {string} address of the page
 */
export function pasteText({ day, big_blind: blind, own, streak }, nets, address) {
  const signs = nets.map((net) => SIGNS[outcome(net, blind) + 1]).join("");
  const lines = signs.match(new RegExp(`.{1,${LINE}}`, "g")) ?? [];
  const more = [rankText(own), streakText(streak)].filter(Boolean).join(", ");
  return [
    `pokerd, ${dayName(day)}`,
    ngettext("{result} in {n} hand", "{result} in {n} hands", nets.length, { result: blindsText(own?.net ?? 0, blind) }),
    ...(more ? [more] : []), ...lines, address,
  ].join("\n");
}
