// How somebody plays, by position: the usual statistics, with what each of them is of.

import { formatCount } from "./data.js";
import { table } from "./tables.js";
import { html } from "../vendor/lit-html/lit-html.js";

/**
 * As in the API.
 * @typedef {{hands: number, vpip: number | null, pfr: number | null, three_bet: number | null, aggression: number | null,
 *   went_to_showdown: number | null, won_at_showdown: number | null, flops: number, showdowns: number}} Counts
 */

const SHARES = /** @type {const} */ ([
  ["vpip", "VPIP", "Put chips in before the flop by choice, of the hands with a decision there"],
  ["pfr", "PFR", "Raised before the flop, of the hands with a decision there"],
  ["three_bet", "3-bet", "Raised again, of the hands with a decision after one raise before the flop"],
  ["aggression", "Aggression", "Bets and raises of all bets, raises, calls and folds after the flop"],
  ["went_to_showdown", "Went to showdown", "Of the hands in which the flop was seen"],
  ["won_at_showdown", "Won at showdown", "Won at least a part of a pot there"],
]);

/** @param {number | null} share */
export function shareText(share) {
  return share === null ? "–" : `${(share * 100).toFixed(1)}\u00a0%`;
}

/**
 * @param {string} caption
 * @param {Counts} total
 * @param {readonly (Counts & {position: string})[]} positions
 */
export function styleTable(caption, total, positions) {
  const rows = positions.length > 1 ? [...positions, { ...total, position: "All" }] : positions;
  return html`${table({
    caption,
    columns: [
      { key: "position", title: "Position", head: true, cell: (/** @type {Counts & {position: string}} */ row) => row.position },
      { key: "hands", title: "Hands", cell: (row) => formatCount(row.hands) },
      ...SHARES.map(([key, name, of]) => ({
        key, title: html`<abbr title=${of}>${name}</abbr>`, cell: (/** @type {Counts} */ row) => shareText(row[key]),
      })),
    ],
    rows,
    mark: (row) => (row.position === "All" ? "total" : ""),
  })}
  <p class="hint">VPIP: put chips in before the flop by choice. PFR: raised before it. 3-bet: raised a raise before it.
    Aggression: bets and raises of all bets, raises, calls and folds after it.</p>`;
}
