// The results of a series: beside the table while it goes on, and in its place at the end.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ngettext, ordinal, titled } from "../lib/language.js";
import { inThousands, standings } from "./series.js";
import { playedText } from "../people/score.js";
import { scoreTable } from "../people/score_table.js";
import { programOf, shownNames } from "../look/characters.js";
import { myPlace, seatsOf } from "./state.js";
import { tableName } from "../look/table_names.js";
import { tournamentResult } from "./tournament.js";
import { finishText } from "../tournament/words.js";
import { amount, signed } from "../lib/words.js";

/**
 * @import {App, Handlers, View} from "./app.js"
 * @import {LastResult} from "../lib/settings.js"
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
  return html`<section class="series" aria-label=${_("Series")}>
    <p><b>${series.of > 1 ? _("Tournament {n} of {of}", { n: series.match, of: series.of }) : _("Result")}</b></p>
    ${series.results.length ? table(app) : nothing}
  </section>`;
}

/**
 * Whether there is a result to read: the last tournament or a challenge is over, or somebody ended the series before.
 * @param {App} app
 */
export function hasResult({ state }) {
  return state.ended !== null && ((state.series?.results.length ?? 0) > 0 || state.score !== null || state.entry !== null);
}

/** The page's content when all is over. @type {View} */
export function finalResult(app, handlers) {
  if (app.state.entry) return tournamentResult(app.state.entry);
  if (!app.state.series?.results.length) return html`<section class="result" aria-label=${_("Result")}>${scores(app, handlers)}</section>`;
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
  const leader = { name: html`<bdi>${shown(ahead?.name ?? "")}</bdi>` };
  const mine = ahead && ahead.name === app.state.names[app.state.me];
  return html`<section class="result" aria-labelledby="result">
    <h2 id="result">${of > 1 ? _("After {n} of {of} tournaments", { n: played, of }) : place ? _("You finished {place}", { place: ordinal(place) }) : _("The tournament is over")}</h2>
    ${ahead ? html`<p>${mine ? (of > 1 ? _("You are ahead.") : _("You are the winner.")) : of > 1 ? _("{name} is ahead.", leader) : _("{name} is the winner.", leader)}</p>` : nothing}
    ${table(app, true)}
    <p class="hint">${_("The winner of a tournament gets the starting stacks of all others.")}</p>
    <div class="row">
      <button @click=${handlers.copyResult}>${_("Copy")}</button>
      <button @click=${handlers.saveResult}>${_("Save as CSV")}</button>
    </div>
    ${scores(app, handlers)}
  </section>`;
}

/**
 * How the game goes for me: "You finished 2nd", "You won 120 in 12 hands"; "" if I have played none.
 * @param {{hands: number, net: number}} played
 * @param {State} state
 * @param {number} [unit]
 */
function resultText({ hands, net }, state, unit) {
  const place = myPlace(state);
  if (state.entry) return finishText({ place: state.entry.place ?? 0, of: state.entry.of ?? 0, points: state.entry.points ?? 0 });
  if (place) return _("You finished {place} of {of}", { place: ordinal(place), of: seatsOf(state).length });
  if (!hands || state.match?.mode === "tournament") return "";
  const chips = { chips: amount(Math.abs(net), unit) };
  const text = net < 0 ? ngettext("You lost {chips} in {n} hand", "You lost {chips} in {n} hands", hands, chips)
    : ngettext("You won {chips} in {n} hand", "You won {chips} in {n} hands", hands, chips);
  return state.hints ? ngettext("{result}, with {n} hint", "{result}, with {n} hints", state.hints, { result: text }) : text;
}

/** The hands that I have played since the page was loaded, and what I won in them. */
export class OwnResult {
  constructor() {
    this.hands = 0;
    this.net = 0;
  }

  /**
   * How this game goes for me, for the lobby; null when a message of that type changes nothing.
   * @param {string} type
   * @param {State} state after it
   * @param {number} [unit] the big blind, where amounts are in big blinds
   * @returns {LastResult | null}
   */
  after(type, state, unit) {
    if (!["hand_end", "match_end", "eliminated"].includes(type)) return null;
    const net = state.info?.again ? null : state.hand?.players[state.me]?.net;
    if (type === "hand_end" && typeof net === "number") {
      this.hands += 1;
      this.net += net;
    }
    const text = resultText(this, state, unit);
    return text ? { text, at: Date.now(), table: tableName({ table: state.table, name: state.info?.name ?? "" }), href: `/table/${encodeURIComponent(state.table)}` } : null;
  }
}

/** How I did against the bots, and how others did; whether my result is kept. @type {View} */
function scores({ state, ui }, handlers) {
  const { score } = state;
  if (!score) return nothing;
  const { own, others } = score;
  return html`<h2>${_("Against the bots")}</h2>
    <h3>${titled(_("You"), playedText(own))}</h3>
    ${scoreTable(_("You"), own)}
    ${others ? html`<h3>${titled(ngettext("Others, {n} result", "Others, {n} results", others.results), playedText(others))}</h3>${scoreTable(_("Others"), others)}` : nothing}
    <p class="hint">${_("Ranges are 95 % intervals. Corrected for luck: how well the cards fell is taken out.")}
      <a href="/people">${_("All results")}</a></p>
    <div class="row" role="status">${score.key && !ui.isResultDeleted
      ? html`<p>${_("Your result is kept, without your name.")}</p><button @click=${handlers.deleteResult}>${_("Delete my result")}</button>`
      : html`<p>${ui.isResultDeleted ? _("Your result is deleted.") : _("Your result is not kept.")}</p>`}</div>`;
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
  return html`<div class="scroll-x" tabindex="0" role="group" aria-label=${_("Results")}><table>
    <thead><tr><th scope="col">${_("Player")}</th><th scope="col">${_("Won")}</th><th scope="col">${_("Balance")}</th>
      ${whole ? html`<th scope="col" class="thousands">${_("Thousands")}</th>` : nothing}<th scope="col">${_("Places")}</th></tr></thead>
    <tbody>${rows.map(({ name, won, balance, places }) => html`<tr>
      <th scope="row"><bdi>${shown(name)}</bdi>${name === me ? html` <span class="tag">${_("you")}</span>` : nothing}</th>
      <td>${won}</td>
      <td class="net" data-sign=${Math.sign(balance)}>${signed(balance)}</td>
      ${whole ? html`<td class="net thousands" data-sign=${Math.sign(balance)}>${inThousands(balance)}</td>` : nothing}
      <td class="places">${places.map((place) => html`<span data-won=${place === 1 || nothing}>${place ?? "–"}</span> `)}</td></tr>`)}</tbody></table></div>`;
}
