// How the players at the table play, as the server counts it: in all hands, and in those of this table.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ngettext, percent } from "../lib/language.js";

/**
 * @import {PlayStyle} from "../lib/messages.d.ts"
 * @import {State} from "../lib/table_types.js"
 */

/** @typedef {Omit<PlayStyle, "seat">} Style */
/** @typedef {{name: string, style: Style, seats: [string, number][]}} Seated */

/** Milliseconds after which how everybody plays is asked for again. */
export const STYLES_AFTER = 60_000;

/** Asks the server, which counts the hands since the last time: about all players, or those at a table. @param {string} [table] @returns {Promise<Seated[]>} */
export async function fetchPlayers(table) {
  const answer = await fetch(table ? `/api/players?table=${encodeURIComponent(table)}` : "/api/players");
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.json()).players;
}

/** How everybody who sits at the table, or at one in the lobby, has played in all hands, by `placeOf`: a name alone may be another's. @param {string} [table] */
export async function loadStyles(table) {
  const players = await fetchPlayers(table);
  return new Map(players.flatMap(({ name, style, seats }) => seats.map(([where, seat]) => [placeOf(where, seat, name), style])));
}

/** Who sits where. @param {string} table @param {number} seat @param {string | undefined} name */
export const placeOf = (table, seat, name) => JSON.stringify([table, seat, name]);

/** How the holder of a seat plays: in all hands, and here; here alone, if no more is known. @param {State} state @param {number} seat @returns {[Style | undefined, Style?]} */
export function seatStyles(state, seat) {
  const here = state.styles[seat];
  const whole = here && state.allStyles.get(placeOf(state.table, seat, state.names[seat]));
  return whole && whole.hands > here.hands ? [whole, here] : [here];
}

/**
 * How a player plays: "24/18/7 132", with the number of hands. `here`: at this table, if it is known in all hands, too.
 * @param {Style | undefined} style
 * @param {Style} [here]
 */
export function hud(style, here) {
  if (!style) return nothing;
  const text = styleTexts(style, here);
  const figures = [style.vpip, style.pfr, style.three_bet].map((share) => (share === null ? "–" : Math.round(100 * share)));
  return html`<p class="hud" title=${text}><span class="visually-hidden">${text}</span><span aria-hidden="true"><b>${figures.join("/")}</b><span class="of"> ${style.hands}</span></span></p>`;
}

/** In all hands, and here. @param {Style} style @param {Style} [here] */
export function styleTexts(style, here) {
  if (!here) return styleText(style);
  return `${_("In all hands: {style}", { style: styleText(style) })}. ${_("At this table: {style}", { style: styleText(here) })}`;
}

/**
 * "VPIP 24 %, PFR 18 %, 3-bet 7 %, aggression 40 %, of 132 hands".
 * @param {Style} style
 */
export function styleText({ vpip, pfr, three_bet: threeBet, aggression, hands }) {
  const share = (/** @type {number | null} */ one) => (one === null ? "–" : percent(one));
  return ngettext("VPIP {vpip}, PFR {pfr}, 3-bet {threeBet}, aggression {aggression}, of {n} hand", "VPIP {vpip}, PFR {pfr}, 3-bet {threeBet}, aggression {aggression}, of {n} hands", hands,
    { vpip: share(vpip), pfr: share(pfr), threeBet: share(threeBet), aggression: share(aggression) });
}
