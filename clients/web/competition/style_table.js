// How somebody plays, by position: the usual statistics, with what each of them is of.

import { formatCount } from "./data.js";
import { table } from "./tables.js";
import { html } from "../vendor/lit-html/lit-html.js";
import { _, fixedNumber, pgettext } from "../lib/language.js";

/**
 * As in the API.
 * @typedef {{hands: number, vpip: number | null, pfr: number | null, three_bet: number | null, aggression: number | null,
 *   went_to_showdown: number | null, won_at_showdown: number | null, flops: number, showdowns: number}} Counts
 */

const SHARES = /** @type {const} */ ([
  ["vpip", _("VPIP"), _("Put chips in before the flop by choice, of the hands with a decision there")],
  ["pfr", _("PFR"), _("Raised before the flop, of the hands with a decision there")],
  ["three_bet", _("3-bet"), _("Raised again, of the hands with a decision after one raise before the flop")],
  ["aggression", _("Aggression"), _("Bets and raises of all bets, raises, calls and folds after the flop")],
  ["went_to_showdown", _("Went to showdown"), _("Of the hands in which the flop was seen")],
  ["won_at_showdown", _("Won at showdown"), _("Won at least a part of a pot there")],
]);

/** @param {number | null} share */
export function shareText(share) {
  return share === null ? "–" : `${fixedNumber(share * 100)}\u00a0%`;
}

/** The columns of these statistics. @template Row @param {(row: Row) => Counts} countsOf */
export function styleColumns(countsOf) {
  return SHARES.map(([key, name, of]) => ({
    key, title: html`<abbr title=${of}>${name}</abbr>`, cell: (/** @type {Row} */ row) => shareText(countsOf(row)[key]),
  }));
}

/** What the names of the columns mean. */
export const styleHint = () => html`<p class="hint">${_("VPIP: put chips in before the flop by choice. PFR: raised before it. 3-bet: raised a raise before it. Aggression: bets and raises of all bets, raises, calls and folds after it.")}</p>`;

/**
 * @param {string} caption
 * @param {Counts} total
 * @param {readonly (Counts & {position: string})[]} positions
 */
export function styleTable(caption, total, positions) {
  const rows = positions.length > 1 ? [...positions, { ...total, position: pgettext("positions", "All") }] : positions;
  return html`${table({
    caption,
    columns: [
      { key: "position", title: _("Position"), head: true, cell: (/** @type {Counts & {position: string}} */ row) => row.position },
      { key: "hands", title: _("Hands"), cell: (row) => formatCount(row.hands) },
      ...styleColumns((/** @type {Counts & {position: string}} */ row) => row),
    ],
    rows,
    mark: (row) => (row.position === rows.at(-1)?.position && rows.length > 1 ? "total" : ""),
  })}
  ${styleHint()}`;
}
