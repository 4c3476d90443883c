// How people did against house bots, and the results of this browser, which can be deleted.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { downloads, table } from "../competition/tables.js";
import { BASIC_BOTS, countByKind, loadBots } from "../lib/bots.js";
import { CHARACTERS, LEVELS, characterName, ofLevel } from "../look/characters.js";
import { pageHeader } from "../look/look.js";
import { loadSettings } from "../lib/settings.js";
import { loadPlayers, playersTable } from "./players.js";
import { deleteResult, forgetKey, playedText, settingText } from "./score.js";
import { scoreTable } from "./score_table.js";
import { _, dates, dayName, fixedNumber, ngettext, titled } from "../lib/language.js";

/**
 * @import {Estimate, PlayScore} from "../lib/messages.d.ts"
 * @import {PlaySetting} from "./score.js"
 */
/**
 * As in the API.
 * @typedef {{setting: PlaySetting, score: PlayScore}} Group
 * @typedef {{season: string, least: number, leaders: (Lead & {hands: number})[], least_days: number, day_leaders: (Lead & {days: number, won: number})[]}} Leaders
 * @typedef {{name: string, bb100: Estimate, own: boolean}} Lead
 * @typedef {{result: number, day: string, setting: PlaySetting, own: PlayScore, others: PlayScore | null}} Own
 */

const settings = loadSettings();
const page = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {Group[] | null} */
let groups = null;
/** @type {Leaders | null} */
let leaders = null;
/** The month of which leaders are shown, "" for this one, and against whom: "", a level, or a bot. */
const chosen = { season: "", against: "" };
/** @type {readonly string[]} */
let bots = BASIC_BOTS;
/** @type {import("./players.js").Player[]} */
let players = [];
/** The results of this browser, by key. @type {Map<string, Own>} */
const own = new Map();
let problem = "";
let notice = "";

async function load() {
  try {
    const answer = await fetch("/api/people");
    if (!answer.ok) throw new Error(String(answer.status));
    groups = (await answer.json()).groups;
    for (const key of settings.results) {
      const found = await fetch(`/api/people/results/${encodeURIComponent(key)}`);
      if (found.ok) own.set(key, await found.json());
      else if (found.status === 404) forgetKey(settings, key);
    }
    await loadLeaders();
    problem = "";
  } catch {
    problem = _("The server does not answer. Try again later.");
  }
  draw();
}

async function loadLeaders() {
  const { season, against } = chosen;
  const level = LEVELS.find(([name]) => name === against)?.[0];
  const query = new URLSearchParams([...(season ? [["season", season]] : []), ...(level ? ofLevel(bots, level) : [against].filter(Boolean)).map((bot) => ["bot", bot])]);
  const answer = await fetch(`/api/leaders?${query}`);
  if (!answer.ok) throw new Error(String(answer.status));
  const found = await answer.json();
  // Something else may have been chosen meanwhile.
  if (season === chosen.season && against === chosen.against) leaders = found;
}

/** @param {Partial<typeof chosen>} some */
async function choose(some) {
  Object.assign(chosen, some);
  try {
    await loadLeaders();
    problem = "";
  } catch {
    problem = _("The server does not answer. Try again later.");
  }
  draw();
}

/** @param {string} key */
async function remove(key) {
  if (await deleteResult(settings, key)) {
    own.delete(key);
    notice = _("Your result is deleted.");
  } else notice = _("The server does not answer: your result is not deleted.");
  draw();
  document.getElementById("notice")?.focus();
  await load();
}

function draw() {
  render(html`
    ${pageHeader("/people")}
    <main>
      <h1>${_("How people did against these bots")}</h1>
      <p class="lead">${_("Results of people who let us keep them, without their names. Ranges are 95 % intervals.")}
        ${_("{title}: {text}", { title: html`<b>${_("Corrected for luck")}</b>`, text: _("what the deal of the cards gave or took on average is taken out.") })}</p>
      ${problem ? html`<p class="banner" role="status">${problem}</p>` : nothing}
      ${leaders ? bestPlayers(leaders) : nothing}
      ${groups === null ? (problem ? nothing : html`<p class="hint">${_("Loading…")}</p>`) : groups.length ? allResults(groups)
        : html`<p>${_("There are no results yet. Play {tournaments} or {challenge} and be the first.", { tournaments: html`<a href="/">${_("ten tournaments")}</a>`, challenge: html`<a href="/challenge">${_("a challenge")}</a>` })}</p>`}
      ${ownResults()}
      ${players.length ? html`<section><h2>${_("How everybody plays")}</h2>
        ${playersTable(_("Bots and people, by hands played"), players)}
        <p class="hint">${_("All hands at the tables here that anybody may watch. People are listed by the names they used.")}</p></section>` : nothing}
    </main>`, page);
}

/** @param {Leaders} found */
function bestPlayers({ season, least, leaders: best, least_days: leastDays, day_leaders: days }) {
  const now = new Date();
  const months = Array.from({ length: 12 }, (_one, back) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7));
  /** @param {string} month */
  const name = (month) => new Date(`${month}-01`).toLocaleDateString(dates, { month: "long", year: "numeric", timeZone: "UTC" });
  return html`<section aria-labelledby="leaders"><h2 id="leaders">${_("Leaders")}</h2>
    <p class="row choice"><label>${_("Month")} <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => choose({ season: event.target.value })}>
      ${months.map((month) => html`<option value=${month} ?selected=${month === season}>${name(month)}</option>`)}</select></label>
      <label>${_("Against")} <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => choose({ against: event.target.value })}>
        <option value="">${_("any bots")}</option>
        ${LEVELS.map(([level, title]) => html`<option value=${level}>${title}</option>`)}
        ${bots.filter((bot) => CHARACTERS[bot]).map((bot) => html`<option value=${bot}>${characterName(bot)} (${bot})</option>`)}</select></label></p>
    ${best.length ? leadersTable(_("Leaders of {month}", { month: name(season) }), best, _("Big blinds per 100 hands"), [
        { key: "hands", title: _("Hands"), cell: (row) => fixedNumber(row.hands, 0) },
      ]) : html`<p>${ngettext("Nobody has played {n} hand against bots yet.", "Nobody has played {n} hands against bots yet.", least)}</p>`}
    <p class="hint">${_("Who plays at a cash table with bots alone. The order is that of the lower end of the range, which few lucky hands do not lift.")}</p>
    <h3>${_("Today's hands")}</h3>
    ${days.length ? leadersTable(_("Days of {month}", { month: name(season) }), days, _("More than the rival, in big blinds per 100 hands"), [
        { key: "days", title: _("Days"), cell: (row) => fixedNumber(row.days, 0) },
        { key: "won", title: _("Won"), cell: (row) => fixedNumber(row.won, 0) },
      ]) : html`<p>${ngettext("Nobody has played {n} day yet.", "Nobody has played {n} days yet.", leastDays)}</p>`}
    <p class="hint">${_("The same hands for everybody, against the same rival, who plays them too. A day is won by who wins more than he.")}</p></section>`;
}

/**
 * @template {Lead} Row
 * @param {string} caption
 * @param {Row[]} rows
 * @param {string} rate what the mean is
 * @param {{key: string, title: string, cell: (row: Row) => string}[]} more columns before it
 */
function leadersTable(caption, rows, rate, more) {
  return table({
    caption,
    columns: [
      { key: "place", title: _("Place"), cell: (row) => fixedNumber(rows.indexOf(row) + 1, 0) },
      { key: "name", title: _("Name"), head: true, cell: (row) => html`<bdi>${row.name}</bdi>${row.own ? ` (${_("you")})` : ""}` },
      ...more,
      { key: "mean", title: rate, cell: (row) => fixedNumber(row.bb100.mean) },
      { key: "range", title: "95 %", cell: (row) => `${fixedNumber(row.bb100.low ?? 0)} – ${fixedNumber(row.bb100.high ?? 0)}` },
    ],
    rows,
    mark: (row) => (row.own ? "total" : ""),
  });
}

/** @param {Group[]} found */
function allResults(found) {
  return html`<section aria-labelledby="all"><h2 id="all">${_("All results")}</h2>
    <ul class="results" aria-labelledby="all">${found.map(({ setting, score }) => html`<li class="box">
      <h3>${_("Against {names}", { names: countByKind(setting.bots) })}</h3>
      <p class="hint">${settingText(setting)}</p>
      <p>${titled(ngettext("{n} result", "{n} results", score.results), playedText(score))}</p>
      ${scoreTable(_("All results"), score)}</li>`)}</ul>
    ${downloads("/api/people/results?limit=200", "/api/people/results.csv?limit=200")}
    <p class="hint">${_("Up to 200 results; add {code} and the last number you have for the next ones.", { code: html`<code>&amp;after=</code>` })}</p></section>`;
}

function ownResults() {
  return html`<section aria-labelledby="own"><h2 id="own">${_("Your results")}</h2>
    <p id="notice" role="status" tabindex="-1">${notice}</p>
    ${own.size ? html`<p>${_("Only this browser knows that they are yours.")}</p>
    <ul class="results" aria-labelledby="own">${[...own].map(([key, { result, day, setting, own: score }]) => html`<li class="box">
      <h3>${_("Against {names}", { names: countByKind(setting.bots) })}, <time datetime=${day}>${dayName(day)}</time></h3>
      <p class="hint">${settingText(setting)}</p>
      <p>${titled(_("You"), playedText(score))}</p>
      ${scoreTable(_("Your result"), score)}
      <p><button aria-label=${_("Delete result {n}", { n: result })} @click=${() => remove(key)}>${_("Delete")}</button></p></li>`)}</ul>`
      : html`<p>${_("None are kept from this browser.")}</p>`}</section>`;
}

draw();
load();
loadBots((found) => {
  bots = found;
  draw();
});
loadPlayers().then((found) => {
  players = found;
  draw();
}, () => {
  // Then the rest of the page does without.
});
