// The table of a score: as played and corrected for luck.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";
import { rateParts, shareParts } from "./score.js";

/** @import {Estimate, PlayScore} from "../lib/messages.d.ts" */

/**
 * @param {string} name of the table, for those who do not see it
 * @param {PlayScore} score
 */
export function scoreTable(name, { share, share_adjusted: shareAdjusted, bb100, bb100_adjusted: adjusted }) {
  return html`<table class="score" aria-label=${name}>
    <thead><tr><td></td><th scope="col">${_("As played")}</th><th scope="col">${_("Corrected for luck")}</th></tr></thead>
    <tbody>${share && shareAdjusted ? row(_("Tournaments won"), shareParts(share), shareParts(shareAdjusted)) : nothing}
      ${row(html`<abbr title=${_("big blinds per 100 hands")}>bb/100</abbr>`, rateParts(bb100), rateParts(adjusted))}</tbody></table>`;
}

/**
 * @param {unknown} title
 * @param {readonly string[][]} cells
 */
function row(title, ...cells) {
  return html`<tr><th scope="row">${title}</th>${cells.map(([mean, interval]) =>
    html`<td>${mean} ${interval ? html`<small>${interval}</small>` : nothing}</td>`)}</tr>`;
}
