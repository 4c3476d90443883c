// What the data of a competition says, in numbers and words: no page, no network.

import { _, dates, fixedNumber, language, ngettext, titled } from "../lib/language.js";
import { capitalize, tryDecode } from "../lib/words.js";

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
  return value.toLocaleString(language);
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
  const fixed = (value) => fixedNumber(Math.abs(value), digits);
  /** @param {number} value */
  const full = (value) => `${Number(value.toFixed(digits)) === 0 ? "" : value < 0 ? "−" : "+"}${fixed(value)}`;
  return {
    mean: full(mean),
    half: ci95 === null ? "± ?" : `± ${fixed(ci95 / scale)}`,
    range: ci95 === null ? _("not known") : _("{low} to {high}", { low: full((mbb - ci95) / scale), high: full((mbb + ci95) / scale) }),
  };
}

/** @param {"hand" | "tournament"} unit */
export function unitName(unit) {
  return unit === "hand" ? _("mbb/hand") : _("stacks/tournament");
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
  const values = { decided: formatCount(decided.decided), all: formatCount(decided.cells), chance: formatCount(decided.by_chance) };
  return players === 2 ? _("Decided: {decided} of {all} pairs. If all bots played alike, chance would decide {chance} on average.", values)
    : _("Decided: {decided} of {all} cells. If all bots played alike, chance would decide {chance} on average.", values);
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
  if (entry.place === next.place) return _("level {half}", { half });
  return entry.ahead.decided ? `${mean} ${half}` : _("{lead}, undecided", { lead: `${mean} ${half}` });
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
  return made && standings.marked?.includes(bot) ? _("{n} of {of}", { n: formatCount(made.forced), of: formatCount(made.all) }) : "";
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
    if (typeof x === "string" || typeof y === "string") return sign * String(x).localeCompare(String(y), language, { numeric: true });
    return sign * (x - y);
  });
}

const KINDS = /** @type {Record<string, [string, string]>} */ ({
  timeout: [_("ran out of time"), _("a decision took too long; the server checked or folded for the bot")],
  absent: [_("was absent"), _("the server no longer waited for the bot, and checked or folded for it")],
  disconnect: [_("lost connection"), _("the connection broke")],
  gone: [_("did not return"), _("it was not back in time, or its process ended; it became absent")],
  leave: [_("left"), _("it gave up its seat; the server played the rest of the session for it")],
  no_show: [_("was not ready"), _("the session began without it")],
  start_failed: [_("did not start"), _("its program could not be started")],
  crash: [_("crashed"), _("its process ended before its session did")],
  memory_limit: [_("too much memory"), _("it was stopped because it used more than allowed")],
  cpu_limit: [_("too much CPU time"), _("it was stopped because it used more than allowed")],
  process_limit: [_("too many processes"), _("it was stopped because it started more than allowed")],
  disk_limit: [_("too much disk space"), _("it was stopped because it stored more than allowed")],
  illegal_action: [_("illegal action"), _("refused: the rules did not allow its answer")],
  raise_adjusted: [_("wrong raise"), _("the raise was too small or too large; the server used the nearest allowed amount")],
  stale_turn: [_("answer too late"), _("refused: the turn was over")],
  not_your_turn: [_("out of turn"), _("refused: it was not its turn")],
  malformed_frame: [_("unreadable message"), _("refused: not a message of the protocol")],
});

/**
 * What happened to a bot in two or three words, and in a sentence. An unknown kind is the code of an error.
 * @param {string} kind
 * @returns {readonly [string, string]}
 */
export function describeIncident(kind) {
  return KINDS[kind] ?? [kind.replaceAll("_", " "), _("refused; the protocol's documentation explains this code")];
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
  const totals = kinds.map((each, index) => rows.reduce((sum, row) => sum + (row.counts[index] ?? 0), 0));
  return { kinds, rows, totals, total: totals.reduce((a, b) => a + b, 0) };
}

/**
 * "Limit hold'em" for `holdem.limit.2p`; other games have the names of their files.
 * @param {string} game
 */
export function gameName(game) {
  const [, betting = ""] = /^holdem\.(nolimit|limit|pushfold)\b/.exec(game) ?? [];
  const name = { game: _("hold'em") };
  const known = { limit: _("Limit {game}", name), nolimit: _("No-limit {game}", name), pushfold: _("Push/fold {game}", name) }[betting];
  return known ? capitalize(known) : game;
}

/**
 * "Limit hold'em, 2 at a table: 3 line-ups × 40 matches × 2 seatings, 3,000 hands each".
 * @param {Division} division
 */
export function describeDivision(division) {
  const kind = { cash: [_("cash")], fixed: [], tournament: [_("tournaments")] }[division.mode];
  const each = division.mode === "tournament" ? _("one tournament each") : ngettext("{n} hand each", "{n} hands each", division.hands);
  const sessions = [ngettext("{n} line-up", "{n} line-ups", division.line_ups), ngettext("{n} match", "{n} matches", division.matches), ngettext("{n} seating", "{n} seatings", division.seatings)];
  return titled([gameName(division.game), ...kind, _("{n} at a table", { n: division.players })].join(", "), `${sessions.join(" × ")}, ${each}`);
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

/** @param {number} at milliseconds since 1970 */
export function formatDate(at) {
  return new Date(at).toLocaleString(dates, { dateStyle: "medium", timeStyle: "short" });
}

/** @param {number} at milliseconds since 1970 */
export function formatTime(at) {
  return new Date(at).toLocaleTimeString(dates);
}

/**
 * `many` indexes of a list of `length`, evenly spread, the last among them.
 * @param {number} length
 * @param {number} many
 */
export function sampleIndexes(length, many) {
  const most = Math.min(length, many);
  return Array.from({ length: most }, (each, index) => Math.round((index + 1) * length / most) - 1);
}
