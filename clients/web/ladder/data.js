// What the ladder's API says, in numbers and words: no page, no network.

import { formatCount } from "../competition/data.js";
import { _, language } from "../lib/language.js";

/**
 * @import {Counts} from "../competition/style_table.js"
 */
/**
 * As in the API (`docs/api.md`). Figures are in mbb/hand, intervals are of 95 %, times are seconds since 1970.
 * @typedef {{bot: string, mean: number, half: number | null, deal_sets?: number}} Against
 * @typedef {{bot: string, author: string, version: number, kind: Kind, hash: string, state: State, rating: number | null,
 *   half: number | null, deal_sets: number, ranks: [number, number], ahead: number | null, worst: Against | null,
 *   elo: number | null, declared: Declared | null}} Row
 * @typedef {{decisions: number, p: number | null, believed: boolean}} Declared
 * @typedef {"house" | "pushed" | "remote"} Kind
 * @typedef {"received" | "checking" | "ready" | "rated" | "refused" | "replaced"} State
 * @typedef {{deviation: number, share: number, p_value: number | null}} Interaction
 * @typedef {{name: string, season: string, game: string, deal_sets: number, frozen: boolean, blind: boolean,
 *   players: number, bots: Row[], interaction: Interaction | null, method: string, value_function: string}} Table
 * @typedef {{number: number, line_up: string[], why: "first" | "rated" | "challenge" | "final", counts: boolean,
 *   asked_by: string, state: "queued" | "playing" | "done" | "failed", queued_at: number, ended_at: number | null,
 *   incidents: Record<string, Record<string, number>>, reason: string, means: Record<string, number> | null,
 *   deal_sets: number | null, hands?: boolean}} Match
 * @typedef {{matches: Match[], next: {line_up: string[], fall: number, seconds: number}[],
 *   waits: {bot: string, matches: number}[]}} Queue
 * @typedef {{name: string, bot: string, number: number, kind: Kind, hash: string, state: State, reason: string,
 *   pushed_at: number, settled_at: number | null}} Version
 * @typedef {{rule: string, passed: boolean | null, p: number | null}} Grade
 * @typedef {{bot: string, versions: Version[], rating: Row | null, opponents: Against[], grades: Grade[],
 *   errors: {match: number, at: number, incidents: Record<string, number>}[], matches: Match[]}} Bot
 * @typedef {{match: number, at: number, version: string, mean: number, half: number}} Point
 * @typedef {{points: Point[], complete: boolean}} History
 * @typedef {{version: string, complete: boolean, total: Counts, positions: (Counts & {position: string})[]}} Style
 * @typedef {{name: string, group: string, pseudonym: string, deadlines: {name: string, at: number}[],
 *   versions: Version[]}} Mine
 * @typedef {{name: string, season: string, frozen: boolean, blind: boolean,
 *   roster: {name: string, group: string, pseudonym: string, versions: number}[],
 *   deadlines: {name: string, at: number, group: string}[]}} Overview
 * @typedef {{author: string, group: string, deadline: string, version: string, state: State | "", pushed_at: number | null,
 *   rating: number | null, half: number | null, ranks: [number, number] | null, passed: (boolean | null)[],
 *   declared: Declared | null, incidents: number, play_hours: number, late: string[]}} GradeRow
 */

/** What kinds and states of bots are called. @type {Readonly<Record<Kind, string>>} */
export const KINDS = { house: _("house bot"), pushed: "", remote: _("remote") };
/** @type {Readonly<Record<State, string>>} */
export const STATES = {
  received: _("waits for its check"), checking: _("being checked"), ready: _("in its first matches"), rated: _("rated"),
  refused: _("refused"), replaced: _("replaced"),
};

/**
 * "1 to 3", or "2" when it is sure.
 * @param {readonly [number, number]} ranks
 */
export function rankText([best, worst]) {
  return best === worst ? `${best}` : _("{low} to {high}", { low: best, high: worst });
}

/**
 * A figure in mbb/hand: "+312", "−4.2".
 * @param {number} value
 */
export function figure(value) {
  const digits = Math.abs(value) < 10 ? 1 : 0;
  const text = Math.abs(value).toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return /[1-9]/.test(text) ? `${value < 0 ? "−" : "+"}${text}` : "0";
}

/**
 * "± 40".
 * @param {number | null | undefined} half
 */
export function halfText(half) {
  return half === null || half === undefined ? "" : `±\u00a0${half.toLocaleString(language, { maximumFractionDigits: half < 10 ? 1 : 0 })}`;
}

/**
 * "62 %", or "> 99 %" where rounding would say that it is certain.
 * @param {number} chance
 */
export function chanceText(chance) {
  const percent = Math.round(chance * 100);
  return percent >= 100 ? "> 99\u00a0%" : `${percent}\u00a0%`;
}

/**
 * How far results depend on who meets whom.
 * @param {Interaction | null} interaction
 */
export function interactionText(interaction) {
  if (!interaction || interaction.p_value === null) return "";
  const { share, p_value: p, deviation } = interaction;
  const chance = p < 0.001 ? "p < 0.001" : `p = ${p.toLocaleString(language, { maximumSignificantDigits: 2 })}`;
  if (p >= 0.05 || share === 0) return _("Nothing shows that it matters who meets whom ({chance}).", { chance });
  return _("Who meets whom matters: {share} of the differences in strength come from single pairings, ± {deviation} mbb/hand each ({chance}).", { share: chanceText(share), deviation: formatCount(Math.round(deviation)), chance });
}

/**
 * Whether the chances that a bot declares are believed; nothing about one that declares none.
 * @param {Declared | null} declared
 */
export function declaredText(declared) {
  if (!declared) return "";
  if (declared.believed) return _("It tells the chances with which it draws its actions: the luck of its dice is not in its rating.");
  return _("It does not play with the chances that it tells: the luck of its dice stays in its rating.");
}

/**
 * What a match is for.
 * @param {Match} match
 */
export function purposeText({ why, counts, asked_by: author }) {
  switch (why) {
    case "first": return _("first match");
    case "challenge": return counts ? _("challenge by {name}", { name: author }) : _("challenge by {name}, not rated", { name: author });
    case "final": return _("final");
    default: return _("rated");
  }
}

/**
 * The bot of a version: "ann" of "ann@7".
 * @param {string} version
 */
export function botOf(version) {
  return version.split("@")[0] ?? version;
}

/** @param {string} version */
export function botLink(version) {
  return `/ladder/bots/${encodeURIComponent(botOf(version))}`;
}

/**
 * A step for an axis with about `count` marks between two values: 1, 2 or 5 times a power of ten.
 * @param {number} range
 * @param {number} count
 */
export function niceStep(range, count) {
  const rough = Math.max(range, 1e-9) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
}
