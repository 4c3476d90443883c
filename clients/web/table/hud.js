// How the players at the table play, as the server counts it.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { ngettext, percent } from "../lib/language.js";

/** @import {PlayStyle} from "../lib/messages.d.ts" */

/** How a player plays: "24/18/7 of 132 hands". @param {Omit<PlayStyle, "seat"> | undefined} style */
export function hud(style) {
  if (!style) return nothing;
  const figures = [style.vpip, style.pfr, style.three_bet].map((share) => (share === null ? "–" : Math.round(100 * share)));
  return html`<p class="hud" title=${styleText(style)}><span class="visually-hidden">${styleText(style)}</span><span aria-hidden="true"><b>${figures.join("/")}</b><span class="of"> ${style.hands}</span></span></p>`;
}

/**
 * "VPIP 24 %, PFR 18 %, 3-bet 7 %, aggression 40 %, of 132 hands".
 * @param {Omit<PlayStyle, "seat">} style
 */
export function styleText({ vpip, pfr, three_bet: threeBet, aggression, hands }) {
  const share = (/** @type {number | null} */ one) => (one === null ? "–" : percent(one));
  return ngettext("VPIP {vpip}, PFR {pfr}, 3-bet {threeBet}, aggression {aggression}, of {n} hand", "VPIP {vpip}, PFR {pfr}, 3-bet {threeBet}, aggression {aggression}, of {n} hands", hands,
    { vpip: share(vpip), pfr: share(pfr), threeBet: share(threeBet), aggression: share(aggression) });
}
