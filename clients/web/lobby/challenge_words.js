// What a challenge says, in numbers and words: no page, no network.

import { readBot } from "../lib/bots.js";
import { characterName, shownNames } from "../look/characters.js";
import { _, language } from "../lib/language.js";
import { isolateName } from "../lib/words.js";

/** @import {ChallengeResult, CreateTable} from "../lib/messages.d.ts" */

/**
 * What a filled form asks for. One seat is for who asks; `which` sits in all others, or one of each in turn.
 * @param {FormData} form
 * @param {readonly string[]} bots all there are
 * @returns {CreateTable}
 */
export function readChallengeForm(form, bots) {
  const number = (/** @type {string} */ key) => Number(form.get(key));
  const which = String(form.get("which"));
  const opponents = Array.from({ length: number("opponents") }, (each, seat) => (which ? readBot(form, "which", which) : bots[seat % bots.length] ?? ""));
  const rival = String(form.get("rival"));
  return {
    type: "create", mode: "challenge", name: _("Challenge: {bot}", { bot: characterName(rival) }), rival: readBot(form, "rival", rival), hands: number("hands"), bots: opponents,
    seats: opponents.length + 1, game: String(form.get("game")), small_blind: number("small_blind"),
    big_blind: number("big_blind"), ante: number("ante"), stack: number("stack"), decision_ms: number("decision") * 1000,
    bank_ms: number("bank") * 1000, pause_ms: number("pause") * 1000,
    research: form.has("research"),
  };
}

/**
 * The result with everybody called as people know them.
 * @param {ChallengeResult} it
 * @returns {ChallengeResult}
 */
export function withShownNames(it) {
  const bots = [...it.opponents, it.rival];
  const shown = shownNames([...bots, it.player], bots.map(() => "bot"));
  const called = new Map(bots.map((bot, index) => [bot, shown[index] ?? bot]));
  const name = (/** @type {string} */ bot) => called.get(bot) ?? bot;
  const parameters = Object.entries(it.parameters ?? {}).map(([bot, values]) => [name(bot), values]);
  return { ...it, rival: name(it.rival), opponents: it.opponents.map(name), parameters: Object.fromEntries(parameters) };
}

/** Who was better, and whether that can be said at all. @param {ChallengeResult} it */
export function verdictText(it) {
  const { mean, half, decided, big_blind: blind } = it;
  const better = isolateName(mean >= 0 ? it.player : it.rival);
  const other = isolateName(mean >= 0 ? it.rival : it.player);
  const rate = (/** @type {number} */ chips) => ((chips / blind) * 100).toLocaleString(language, { maximumFractionDigits: 1 });
  if (half === null) return _("Too few hands were played to say who plays better.");
  if (mean === 0 && half === 0) return _("{better} and {other} won and lost the same in every hand.", { better, other });
  const values = { better, other, rate: rate(Math.abs(mean)), half: rate(half) };
  return decided
    ? _("{better} played better: {rate} big blinds more per 100 hands than {other}, ±\u00a0{half} (95\u00a0%). Luck alone does not explain that.", values)
    : _("Undecided: {better} won {rate} big blinds more per 100 hands than {other}, ±\u00a0{half} (95\u00a0%). That could be luck.", values);
}

/**
 * The sums after every hand, from 0 on: of the player, and of the rival.
 * @param {ChallengeResult} it
 */
export function runningTotals({ hands }) {
  const mine = [0];
  const theirs = [0];
  hands.forEach((hand, index) => {
    mine.push((mine[index] ?? 0) + hand.player_net);
    theirs.push((theirs[index] ?? 0) + hand.rival_net);
  });
  return { hands: mine.map((each, index) => index), mine, theirs };
}

/**
 * "3 hands of 10: it was broken off", or nothing when all were played.
 * @param {ChallengeResult} it
 */
export function brokenOffText({ hands, of }) {
  return hands.length < of ? _("It was stopped early: these are the first {hands} of {of} hands.", { hands: hands.length, of }) : "";
}
