// A series of tournaments: who has won how many, and what that makes in chips, as in human tests of bots.

import { _ } from "../lib/language.js";
import { signed } from "../lib/words.js";

/** @import {SeriesMatch} from "../lib/messages.d.ts" */
/**
 * A player's row. `balance` is in chips: each tournament brings its winner the stacks of all others, and costs each of
 * these his own. `places` has null for a tournament that the player was not in.
 * @typedef {{name: string, won: number, balance: number, places: readonly (number | null)[]}} Row
 */

/**
 * The table of results, best balance first.
 * @param {readonly SeriesMatch[]} results
 * @param {number} stack chips that everybody begins each tournament with
 * @returns {Row[]}
 */
export function standings(results, stack) {
  const names = [...new Set(results.flatMap((match) => match.players))].filter(Boolean);
  const rows = names.map((name) => {
    const places = results.map(({ players, places: all }) => all[players.indexOf(name)] ?? null);
    const chips = results.map(({ players }, match) =>
      places[match] === null ? 0 : (places[match] === 1 ? players.filter(Boolean).length - 1 : -1) * stack);
    return {
      name, places, won: places.filter((place) => place === 1).length, balance: chips.reduce((sum, each) => sum + each, 0),
    };
  });
  return rows.sort((one, other) => other.balance - one.balance || averagePlace(one) - averagePlace(other));
}

/** @param {Row} row */
function averagePlace({ places }) {
  const known = places.filter((place) => place !== null);
  return known.reduce((sum, place) => sum + place, 0) / known.length;
}

/** "+20" for 20,000 chips. @param {number} chips */
export function inThousands(chips) {
  return signed(chips / 1000);
}

/**
 * The table as text, with tabs between its columns, or as CSV.
 * @param {readonly Row[]} rows
 * @param {"text" | "csv"} form
 */
export function formatRows(rows, form) {
  const head = [_("player"), _("tournaments won"), _("balance in chips"), _("balance in thousands"),
    ...(rows[0]?.places ?? []).map((each, match) => _("place in {n}", { n: match + 1 }))];
  const body = rows.map(({ name, won, balance, places }) =>
    [name, won, balance, balance / 1000, ...places.map((place) => place ?? "")]);
  const [between, cell] = form === "csv" ? [",", quoteCell] : ["\t", String];
  return [head, ...body].map((row) => `${row.map(cell).join(between)}\n`).join("");
}

/**
 * A cell of CSV. What a spreadsheet would take for a formula gets an apostrophe.
 * @param {string | number} value
 */
function quoteCell(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
