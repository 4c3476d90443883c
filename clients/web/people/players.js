// How everybody plays at the tables here, bots and people.

import { html } from "../vendor/lit-html/lit-html.js";
import { formatCount } from "../competition/data.js";
import { styleColumns, styleHint } from "../competition/style_table.js";
import { table } from "../competition/tables.js";
import { characterName, programOf } from "../look/characters.js";
import { fetchPlayers } from "../table/hud.js";
import { _, fixedNumber } from "../lib/language.js";

/**
 * @import {Estimate} from "../lib/messages.d.ts"
 * @import {Counts} from "../competition/style_table.js"
 */
/**
 * As in the API.
 * @typedef {{name: string, bot: boolean, own: boolean, bb100: Estimate, style: Counts, positions: (Counts & {position: string})[]}} Player
 */

/** The players with all that the API tells of them. */
export const loadPlayers = /** @type {() => Promise<Player[]>} */ (/** @type {unknown} */ (fetchPlayers));

/** @param {string} caption @param {readonly Player[]} players */
export function playersTable(caption, players) {
  return html`${table({
    caption,
    columns: [
      { key: "name", title: _("Name"), head: true, cell: (/** @type {Player} */ row) => nameOf(row) },
      { key: "hands", title: _("Hands"), cell: (row) => formatCount(row.style.hands) },
      { key: "mean", title: _("Big blinds per 100 hands"), cell: (row) => fixedNumber(row.bb100.mean) },
      { key: "range", title: "95 %", cell: ({ bb100: { low, high } }) => (low === null || high === null ? "–" : `${fixedNumber(low)} – ${fixedNumber(high)}`) },
      ...styleColumns((/** @type {Player} */ row) => row.style),
    ],
    rows: [...players],
    mark: (row) => (row.own ? "total" : ""),
  })}
  ${styleHint()}`;
}

/** @param {Player} player */
function nameOf({ name, bot, own }) {
  const program = bot ? programOf(name) : "";
  if (program) return html`<a href="/bots/${encodeURIComponent(program)}">${characterName(program)}</a> <small>${name}</small>`;
  return html`<bdi>${name}</bdi>${own ? ` (${_("you")})` : ""}`;
}
