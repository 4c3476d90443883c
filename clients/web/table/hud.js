// How the players at the table play, as the server counts it: in all hands, and in those of this table.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ngettext, percent } from "../lib/language.js";

/**
 * @import {PlayStyle} from "../lib/messages.d.ts"
 * @import {State} from "../lib/table_types.js"
 */

/** @typedef {Omit<PlayStyle, "seat">} Style */

/** Asks the server, which counts the hands since the last time. @returns {Promise<{name: string, style: Style}[]>} */
export async function fetchPlayers() {
  const answer = await fetch("/api/players");
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.json()).players;
}

/** How everybody has played in all hands, by name; without those who share a name: nobody knows who of them sits at a table. */
export async function loadStyles() {
  const players = await fetchPlayers();
  const names = players.map(({ name }) => name);
  return new Map(players.filter(({ name }) => names.indexOf(name) === names.lastIndexOf(name)).map(({ name, style }) => [name, style]));
}

/** How the holder of a seat plays: in all hands, and here; here alone, if no more is known. @param {State} state @param {number} seat @returns {[Style | undefined, Style?]} */
export function seatStyles(state, seat) {
  const here = state.styles[seat];
  const whole = here && state.allStyles.get(state.names[seat] ?? "");
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
