// What the data of a competition says, in numbers and words: no page, no network.

import { pluralize } from "../lib/words.js";

/**
 * As in `standings.json`: thousandths of a big blind a hand; in tournaments, of a starting stack a tournament.
 * @typedef {{mbb: number, ci95: number | null, units: number, decided: boolean}} Estimate
 * @typedef {{place: number, tied: boolean, bot: string, chips: number, hands: number, rate: Estimate | null,
 *   ahead: Estimate | null}} Ranked
 * @typedef {{bankrolls: Record<string, number>, dropped: string[], margin: Estimate | null}} Round
 * @typedef {{division: string, players: number, unit: "hand" | "tournament", big_blind: number, bots: string[],
 *   hands: number, complete: boolean, ranking: Ranked[],
 *   run_off: {ranking: {place: number, tied: boolean, bot: string, chips: number}[], rounds: Round[]} | null,
 *   crosstable: Record<string, Record<string, Estimate | null>>,
 *   crosstable_decided?: {cells: number, decided: number, by_chance: number}, interval_unit?: "deal" | "match" | "series",
 *   decisions?: Record<string, {all: number, forced: number}>, marked?: string[]}} Standings `marked`: who did not make more than
 *   one in a hundred of its decisions; results of an earlier pokerd do not say so
 */
/**
 * As in the API (`docs/api.md`).
 * @typedef {{division: string, game: string, mode: "cash" | "fixed" | "tournament", players: number, bots: string[],
 *   line_ups: number, matches: number, seatings: number, hands: number, sessions: number, sessions_done: number,
 *   hands_done: number}} Division
 * @typedef {Record<string, Record<string, Record<string, number>>>} Incidents
 * @typedef {{competition: string, name: string, status: "finished" | "running" | "unfinished", at: number, deck: string,
 *   commitment: string, seed: string, anonymous: boolean, bots: {bot: string, kind: "house" | "program" | "remote"}[],
 *   divisions: Division[], standings: Standings[], finishes: Record<string, Record<string, number[]>>,
 *   incidents: Incidents}} Competition
 * @typedef {{session: string, division: string, match: number, line_up: number, seating: number, players: string[],
 *   hands: number, net: number[], places: number[], released: boolean}} Session
 * @typedef {{id: string, hand: number, players: string[], net: number[], board: string[], pot: number,
 *   cards: string[][]}} HandEntry
 */
/**
 * The part of the competition that is shown, from the fragment (`#`) of the page's address.
 * @typedef {{division: string, section: string, session: string, query: URLSearchParams}} Route
 */
/** @typedef {{at: number, ranks: Record<string, Record<string, number>>}} RankSnapshot */

export const SECTIONS = ["standings", "crosstable", "curves", "matches", "incidents"];

/**
 * @param {string} hash
 * @returns {Route}
 */
export function parseRoute(hash) {
  const [path = "", query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const [division = "", section = "", session = ""] = path.split("/").map(tryDecode);
  return { division, section: SECTIONS.includes(section) ? section : "standings", session, query: new URLSearchParams(query) };
}

/** @param {string} text */
function tryDecode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The reverse of `parseRoute`; parameters that are empty are left out.
 * @param {string} division
 * @param {string} section
 * @param {string} [session]
 * @param {readonly (readonly [string, string])[]} [query]
 */
export function routeLink(division, section, session = "", query = []) {
  const path = [division, section, ...(session ? [session] : [])].map(encodeURIComponent).join("/");
  const search = new URLSearchParams(query.filter(([, value]) => value).map(([key, value]) => [key, value])).toString();
  return `#${path}${search ? `?${search}` : ""}`;
}

/** @param {number} value */
export function formatCount(value) {
  return value.toLocaleString("en-US");
}

/**
 * How an estimate is written: thousandths of a big blind, or starting stacks.
 * @param {Estimate} estimate
 * @param {"hand" | "tournament"} unit
 */
export function formatEstimate({ mbb, ci95 }, unit) {
  const [scale, digits] = unit === "hand" ? [1, 1] : [1000, 3];
  const mean = Number((mbb / scale).toFixed(digits));
  /** @param {number} value */
  const fixed = (value) => Math.abs(value).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  /** @param {number} value */
  const full = (value) => `${Number(value.toFixed(digits)) === 0 ? "" : value < 0 ? "−" : "+"}${fixed(value)}`;
  return {
    mean: full(mean),
    half: ci95 === null ? "± ?" : `± ${fixed(ci95 / scale)}`,
    range: ci95 === null ? "not known" : `${full((mbb - ci95) / scale)} to ${full((mbb + ci95) / scale)}`,
  };
}

/** @param {"hand" | "tournament"} unit */
export function unitName(unit) {
  return unit === "hand" ? "mbb/hand" : "stacks/tournament";
}

/**
 * How a cell of the crosstable is shaded.
 * @param {Estimate | null | undefined} estimate
 * @returns {"none" | "level" | "won" | "lost" | "won-sure" | "lost-sure"}
 */
export function shadeOf(estimate) {
  if (!estimate) return "none";
  if (!estimate.mbb) return "level";
  const side = estimate.mbb > 0 ? "won" : "lost";
  return estimate.decided ? `${side}-sure` : side;
}

/**
 * How many cells of the crosstable are decided, and how many chance alone would decide. Heads-up a cell and its mirror
 * image are one. Nothing where there is no interval.
 * @param {Pick<Standings, "crosstable_decided" | "players">} standings
 */
export function decidedText({ crosstable_decided: decided, players }) {
  if (!decided?.cells) return "";
  return `Decided: ${formatCount(decided.decided)} of ${formatCount(decided.cells)} ${players === 2 ? "pairs" : "cells"}. If all bots played alike, chance would decide ${formatCount(decided.by_chance)} on average.`;
}

/**
 * What the figures say of a bot and the next in the ranking.
 * @param {Ranked} entry
 * @param {Ranked | undefined} next
 * @param {"hand" | "tournament"} unit
 */
export function leadText(entry, next, unit) {
  if (!entry.ahead || !next) return "";
  const { mean, half } = formatEstimate(entry.ahead, unit);
  if (entry.place === next.place) return `level ${half}`;
  return `${mean} ${half}${entry.ahead.decided ? "" : ", undecided"}`;
}

/**
 * The ranking in groups that differ by more than chance may do: within a group each is undecided against the next.
 * @param {readonly Ranked[]} ranking
 * @returns {Ranked[][]}
 */
export function groupRanking(ranking) {
  /** @type {Ranked[][]} */
  const found = [];
  ranking.forEach((entry, index) => {
    if (!index || ranking[index - 1]?.ahead?.decided) found.push([]);
    found.at(-1)?.push(entry);
  });
  return found;
}

/**
 * How often the table decided for a bot that is marked: "1,234 of 5,000"; empty for all others.
 * @param {Standings} standings
 * @param {string} bot
 */
export function forcedShare(standings, bot) {
  const made = standings.decisions?.[bot];
  return made && standings.marked?.includes(bot) ? `${formatCount(made.forced)} of ${formatCount(made.all)}` : "";
}

/** The place of every bot, by division. @param {Competition} competition */
export function rankSnapshot(competition) {
  return Object.fromEntries(competition.standings.map((standings) => [
    standings.division, Object.fromEntries(standings.ranking.map((entry) => [entry.bot, entry.place])),
  ]));
}

/**
 * What later snapshots are compared with: an earlier one, and for divisions that had no standings then, this one.
 * @param {RankSnapshot | null} before
 * @param {RankSnapshot} now
 * @returns {RankSnapshot}
 */
export function earliestRanks(before, now) {
  return before ? { at: before.at, ranks: { ...now.ranks, ...before.ranks } } : now;
}

/**
 * How many places a bot has gained since an earlier snapshot; null when it had none then.
 * @param {RankSnapshot | null} before
 * @param {string} division
 * @param {Ranked} entry
 */
export function placesGained(before, division, entry) {
  const place = before?.ranks[division]?.[entry.bot];
  return place === undefined ? null : place - entry.place;
}

/**
 * Rows in the order of a column: `sort` is its key, with "-" before it when the largest come first. Nothing stands
 * last in either order; equal rows stay as they are.
 * @template Row
 * @param {readonly Row[]} rows
 * @param {readonly {key: string, value?: (row: Row) => number | string | null}[]} columns
 * @param {string} sort
 * @returns {Row[]}
 */
export function sortRows(rows, columns, sort) {
  const value = columns.find((column) => column.key === sort.replace(/^-/, ""))?.value;
  if (!value) return [...rows];
  const sign = sort.startsWith("-") ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    if (typeof x === "string" || typeof y === "string") return sign * String(x).localeCompare(String(y), "en", { numeric: true });
    return sign * (x - y);
  });
}

const KINDS = /** @type {Record<string, [string, string]>} */ ({
  timeout: ["ran out of time", "a decision took too long; the server checked or folded for the bot"],
  absent: ["was absent", "the server no longer waited for the bot, and checked or folded for it"],
  disconnect: ["lost connection", "the connection broke"],
  gone: ["did not return", "it was not back in time, or its process ended; it became absent"],
  leave: ["left", "it gave up its seat; the server played the rest of the session for it"],
  no_show: ["was not ready", "the session began without it"],
  start_failed: ["did not start", "its program could not be started"],
  crash: ["crashed", "its process ended before its session did"],
  memory_limit: ["too much memory", "it was stopped because it used more than allowed"],
  cpu_limit: ["too much CPU time", "it was stopped because it used more than allowed"],
  process_limit: ["too many processes", "it was stopped because it started more than allowed"],
  disk_limit: ["too much disk space", "it was stopped because it stored more than allowed"],
  illegal_action: ["illegal action", "refused: the rules did not allow its answer"],
  raise_adjusted: ["wrong raise", "the raise was too small or too large; the server used the nearest allowed amount"],
  stale_turn: ["answer too late", "refused: the turn was over"],
  not_your_turn: ["out of turn", "refused: it was not its turn"],
  malformed_frame: ["unreadable message", "refused: not a message of the protocol"],
});

/**
 * What happened to a bot in two or three words, and in a sentence. An unknown kind is the code of an error.
 * @param {string} kind
 * @returns {readonly [string, string]}
 */
export function describeIncident(kind) {
  return KINDS[kind] ?? [kind.replaceAll("_", " "), "refused; the protocol's documentation explains this code"];
}

/**
 * Incidents as a table: the kinds that happened, and by bot how often each did, with the sum.
 * @param {Record<string, Record<string, number>> | undefined} bots
 */
export function tabulateIncidents(bots) {
  const entries = Object.entries(bots ?? {});
  const kinds = [...new Set(entries.flatMap(([, counts]) => Object.keys(counts).filter((kind) => counts[kind])))].sort();
  const rows = entries.map(([bot, counts]) => ({ bot, counts: kinds.map((kind) => counts[kind] ?? 0) }))
    .map((row) => ({ ...row, total: row.counts.reduce((a, b) => a + b, 0) }));
  const totals = kinds.map((_, index) => rows.reduce((sum, row) => sum + (row.counts[index] ?? 0), 0));
  return { kinds, rows, totals, total: totals.reduce((a, b) => a + b, 0) };
}

/**
 * "Limit hold'em" for `holdem.limit.2p`; other games have the names of their files.
 * @param {string} game
 */
export function gameName(game) {
  const [, betting = ""] = /^holdem\.(nolimit|limit|pushfold)\b/.exec(game) ?? [];
  const name = /** @type {Record<string, string>} */ ({ limit: "Limit", nolimit: "No-limit", pushfold: "Push/fold" })[betting];
  return name ? `${name} hold'em` : game;
}

/**
 * "Limit hold'em, 2 at a table: 3 line-ups × 40 matches × 2 seatings, 3,000 hands each".
 * @param {Division} division
 */
export function describeDivision(division) {
  const kind = { cash: ", cash", fixed: "", tournament: ", tournaments" }[division.mode];
  const each = division.mode === "tournament" ? "one tournament each" : `${pluralize(division.hands, "hand")} each`;
  return `${gameName(division.game)}${kind}, ${division.players} at a table: ${pluralize(division.line_ups, "line-up")} × ${pluralize(division.matches, "match")} × ${pluralize(division.seatings, "seating")}, ${each}`;
}

/**
 * How far a competition is: sessions and hands done, and planned.
 * @param {readonly Division[]} divisions
 */
export function sumProgress(divisions) {
  /** @type {(value: (division: Division) => number) => number} */
  const sum = (value) => divisions.reduce((total, division) => total + value(division), 0);
  return {
    sessions: sum((division) => division.sessions), sessionsDone: sum((division) => division.sessions_done),
    hands: sum((division) => division.sessions * division.hands), handsDone: sum((division) => division.hands_done),
  };
}

/** @param {number} place from 1 */
export function formatOrdinal(place) {
  return `${place}${{ 1: "st", 2: "nd", 3: "rd" }[place] ?? "th"}`;
}

/** @param {number} at milliseconds since 1970 */
export function formatDate(at) {
  return new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** @param {number} at milliseconds since 1970 */
export function formatTime(at) {
  return new Date(at).toLocaleTimeString("en-GB");
}

/**
 * `many` indexes of a list of `length`, evenly spread, the last among them.
 * @param {number} length
 * @param {number} many
 */
export function sampleIndexes(length, many) {
  const most = Math.min(length, many);
  return Array.from({ length: most }, (_, index) => Math.round((index + 1) * length / most) - 1);
}
