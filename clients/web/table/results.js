// The results of a series: beside the table while it goes on, and in its place at the end.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { inThousands, standings } from "./series.js";
import { playedText } from "../people/score.js";
import { scoreTable } from "../people/score_table.js";
import { programOf, shownNames } from "../look/characters.js";
import { myPlace, seatsOf } from "./state.js";
import { amount, ordinal, pluralize, signed } from "../lib/words.js";

/**
 * @import {App, Handlers, View} from "./app.js"
 * @import {State} from "../lib/table_types.js"
 */

/** The rows of the results so far. @param {App} app */
export function resultRows({ state }) {
  return standings(state.series?.results ?? [], state.match?.game.stacks[0] ?? 0);
}

/** What the players of the series are called. @param {App} app @returns {(name: string) => string} */
function namesOf({ state }) {
  const names = [...new Set((state.series?.results ?? []).flatMap((match) => match.players))];
  const shown = shownNames(names, names.map((name) => (name !== state.names[state.me] && programOf(name) ? "bot" : "")));
  return (name) => shown[names.indexOf(name)] ?? name;
}

/** The panel beside the table. @param {App} app */
export function seriesPanel(app) {
  const { series: series, ended } = app.state;
  if (!series || ended || (series.of === 1 && !series.results.length)) return nothing;
  return html`<section class="series" aria-label="Series">
    <p><b>${series.of > 1 ? `Tournament ${series.match} of ${series.of}` : "Result"}</b></p>
    ${series.results.length ? table(app) : nothing}
  </section>`;
}

/**
 * Whether there is a result to read: the last tournament or a challenge is over, or somebody ended the series before.
 * @param {App} app
 */
export function hasResult({ state }) {
  return state.ended !== null && ((state.series?.results.length ?? 0) > 0 || state.score !== null);
}

/** The page's content when all is over. @type {View} */
export function finalResult(app, handlers) {
  if (!app.state.series?.results.length) return html`<section class="result" aria-label="Result">${scores(app, handlers)}</section>`;
  return seriesResult(app, handlers);
}

/** @type {View} */
function seriesResult(app, handlers) {
  const played = app.state.series?.results.length ?? 0;
  const of = app.state.series?.of ?? 0;
  const place = myPlace(app.state);
  const shown = namesOf(app);
  const [first, second] = resultRows(app);
  const ahead = first && (!second || first.balance > second.balance) ? first : null;
  const mine = ahead && ahead.name === app.state.names[app.state.me];
  return html`<section class="result" aria-labelledby="result">
    <h2 id="result">${of > 1 ? `After ${played} of ${of} tournaments` : place ? `You finished ${ordinal(place)}` : "The tournament is over"}</h2>
    ${ahead ? html`<p>${mine ? "You are" : html`<bdi>${shown(ahead.name)}</bdi> is`} ${of > 1 ? "ahead" : "the winner"}.</p>` : nothing}
    ${table(app, true)}
    <p class="hint">The winner of a tournament gets the starting stacks of all others.</p>
    <div class="row">
      <button @click=${handlers.copyResult}>Copy</button>
      <button @click=${handlers.saveResult}>Save as CSV</button>
    </div>
    ${scores(app, handlers)}
  </section>`;
}

/**
 * How the game goes for me: "You finished 2nd", "You won 120 in 12 hands"; "" if I have played none.
 * @param {{hands: number, net: number}} played
 * @param {State} state
 */
export function resultText({ hands, net }, state) {
  const place = myPlace(state);
  if (place) return `You finished ${ordinal(place)} of ${seatsOf(state).length}`;
  if (!hands || state.match?.mode === "tournament") return "";
  const text = `You ${net < 0 ? "lost" : "won"} ${amount(Math.abs(net))} in ${pluralize(hands, "hand")}`;
  return state.hints ? `${text}, with ${pluralize(state.hints, "hint")}` : text;
}

/** How I did against the bots, and how others did; whether my result is kept. @type {View} */
function scores({ state, ui }, handlers) {
  const { score } = state;
  if (!score) return nothing;
  const { own, others } = score;
  return html`<h2>Against the bots</h2>
    <h3>You: ${playedText(own)}</h3>
    ${scoreTable("You", own)}
    ${others ? html`<h3>Others, ${pluralize(others.results, "result")}: ${playedText(others)}</h3>${scoreTable("Others", others)}` : nothing}
    <p class="hint">Ranges are 95 % intervals. Corrected for luck: how well the cards fell is taken out.
      <a href="/people">All results</a></p>
    <div class="row" role="status">${score.key && !ui.isResultDeleted
      ? html`<p>Your result is kept, without your name.</p><button @click=${handlers.deleteResult}>Delete my result</button>`
      : html`<p>${ui.isResultDeleted ? "Your result is deleted." : "Your result is not kept."}</p>`}</div>`;
}

/**
 * @param {App} app
 * @param {boolean} whole with the balance in thousands
 */
function table(app, whole = false) {
  const { state } = app;
  const rows = resultRows(app);
  const me = state.names[state.me];
  const shown = namesOf(app);
  return html`<div class="scroll-x" tabindex="0" role="group" aria-label="Results"><table>
    <thead><tr><th scope="col">Player</th><th scope="col">Won</th><th scope="col">Balance</th>
      ${whole ? html`<th scope="col" class="thousands">Thousands</th>` : nothing}<th scope="col">Places</th></tr></thead>
    <tbody>${rows.map(({ name, won, balance, places }) => html`<tr>
      <th scope="row"><bdi>${shown(name)}</bdi>${name === me ? html` <span class="tag">you</span>` : nothing}</th>
      <td>${won}</td>
      <td class="net" data-sign=${Math.sign(balance)}>${signed(balance)}</td>
      ${whole ? html`<td class="net thousands" data-sign=${Math.sign(balance)}>${inThousands(balance)}</td>` : nothing}
      <td class="places">${places.map((place) => html`<span data-won=${place === 1 || nothing}>${place ?? "–"}</span> `)}</td></tr>`)}</tbody></table></div>`;
}
