// How a series stands, beside the table, and what is left of it at the end.

import { standings, thousands } from "./series.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { signed } from "../lib/words.js";

/** @import {App, Deeds} from "./table.js" */

/**
 * What I see of it at the table.
 * @param {App} app
 */
export function rowsOf({ state }) {
  return standings(state.series?.results ?? [], state.match?.game.stacks[0] ?? 0);
}

/**
 * How it stands, beside the table.
 * @param {App} app
 */
export function running(app) {
  const { series: so, ended } = app.state;
  if (!so || ended || (so.of === 1 && !so.results.length)) return nothing;
  return html`<section class="series" aria-label="Series">
    <p><b>${so.of > 1 ? `Tournament ${so.match} of ${so.of}` : "Result"}</b></p>
    ${so.results.length ? table(app) : nothing}
  </section>`;
}

/**
 * Whether there is a result to read: the last tournament is over, or somebody ended the series before.
 * @param {App} app
 */
export function hasResult({ state }) {
  return state.ended !== null && (state.series?.results.length ?? 0) > 0;
}

/**
 * What stays when all is over.
 * @param {App} app
 * @param {Deeds} deeds
 */
export function result(app, deeds) {
  const played = app.state.series?.results.length ?? 0;
  const of = app.state.series?.of ?? 0;
  const [first, second] = rowsOf(app);
  const ahead = first && (!second || first.balance > second.balance) ? first : null;
  const mine = ahead && ahead.name === app.state.names[app.state.me];
  return html`<section class="result" aria-labelledby="result">
    <h2 id="result">${of > 1 ? `After ${played} of ${of} tournaments` : "The tournament is over"}</h2>
    ${ahead ? html`<p>${mine ? "You are" : html`<bdi>${ahead.name}</bdi> is`} ${of > 1 ? "ahead" : "the winner"}.</p>` : nothing}
    ${table(app, true)}
    <p class="hint">Each tournament brings its winner the chips of all others, and costs them theirs.</p>
    <div class="row">
      <button @click=${deeds.copyResult}>Copy</button>
      <button @click=${deeds.saveResult}>Save as CSV</button>
    </div>
  </section>`;
}

/**
 * @param {App} app
 * @param {boolean} whole with the balance in thousands
 */
function table(app, whole = false) {
  const { state } = app;
  const rows = rowsOf(app);
  const me = state.names[state.me];
  return html`<div class="sideways" tabindex="0" role="group" aria-label="Results"><table>
    <thead><tr><th scope="col">Player</th><th scope="col">Won</th><th scope="col">Balance</th>
      ${whole ? html`<th scope="col" class="thousands">Thousands</th>` : nothing}<th scope="col">Places</th></tr></thead>
    <tbody>${rows.map(({ name, won, balance, places }) => html`<tr>
      <th scope="row"><bdi>${name}</bdi>${name === me ? html` <span class="tag">you</span>` : nothing}</th>
      <td>${won}</td>
      <td class="net" data-sign=${Math.sign(balance)}>${signed(balance)}</td>
      ${whole ? html`<td class="net thousands" data-sign=${Math.sign(balance)}>${thousands(balance)}</td>` : nothing}
      <td class="places">${places.map((place) => html`<span data-won=${place === 1 || nothing}>${place ?? "–"}</span> `)}</td></tr>`)}</tbody></table></div>`;
}
