// How people did against house bots, and the results of this browser, which can be deleted.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { downloads } from "../competition/tables.js";
import { countByKind } from "../lib/bots.js";
import { pageHeader } from "../look/look.js";
import { loadSettings } from "../lib/settings.js";
import { deleteResult, forgetKey, playedText, settingText } from "./score.js";
import { scoreTable } from "./score_table.js";
import { pluralize } from "../lib/words.js";

/**
 * @import {PlayScore} from "../lib/messages.d.ts"
 * @import {PlaySetting} from "./score.js"
 */
/**
 * As in the API.
 * @typedef {{setting: PlaySetting, score: PlayScore}} Group
 * @typedef {{result: number, day: string, setting: PlaySetting, own: PlayScore, others: PlayScore | null}} Own
 */

const settings = loadSettings();
const page = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {Group[] | null} */
let groups = null;
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
    problem = "";
  } catch {
    problem = "The server does not answer. Try again later.";
  }
  draw();
}

/** @param {string} key */
async function remove(key) {
  if (await deleteResult(settings, key)) {
    own.delete(key);
    notice = "Your result is deleted.";
  } else notice = "The server does not answer: your result is not deleted.";
  draw();
  document.getElementById("notice")?.focus();
  await load();
}

function draw() {
  render(html`
    ${pageHeader("/people")}
    <main>
      <h1>How people did against these bots</h1>
      <p class="lead">Results of people who let us keep them, without their names. Ranges are 95 % intervals.
        <b>Corrected for luck</b> means that what the deal of the cards gave or took on average is taken out.</p>
      ${problem ? html`<p class="banner" role="status">${problem}</p>` : nothing}
      ${groups === null ? (problem ? nothing : html`<p class="hint">Loading…</p>`) : groups.length ? allResults(groups)
        : html`<p>There are no results yet. Play <a href="/">ten tournaments</a> or <a href="/challenge">a challenge</a> and be the first.</p>`}
      ${ownResults()}
    </main>`, page);
}

/** @param {Group[]} found */
function allResults(found) {
  return html`<section aria-labelledby="all"><h2 id="all">All results</h2>
    <ul class="results" aria-labelledby="all">${found.map(({ setting, score }) => html`<li class="box">
      <h3>Against ${countByKind(setting.bots)}</h3>
      <p class="hint">${settingText(setting)}</p>
      <p>${pluralize(score.results, "result")}: ${playedText(score)}</p>
      ${scoreTable("All results", score)}</li>`)}</ul>
    ${downloads("/api/people/results?limit=200", "/api/people/results.csv?limit=200")}
    <p class="hint">Up to 200 results; add <code>&amp;after=</code> and the last number you have for the next ones.</p></section>`;
}

function ownResults() {
  return html`<section aria-labelledby="own"><h2 id="own">Your results</h2>
    <p id="notice" role="status" tabindex="-1">${notice}</p>
    ${own.size ? html`<p>Only this browser knows that they are yours.</p>
    <ul class="results" aria-labelledby="own">${[...own].map(([key, { result, day, setting, own: score }]) => html`<li class="box">
      <h3>Against ${countByKind(setting.bots)}, <time datetime=${day}>${day}</time></h3>
      <p class="hint">${settingText(setting)}</p>
      <p>You ${tournamentsOnly(score)}${playedText(score)}</p>
      ${scoreTable("Your result", score)}
      <p><button aria-label="Delete result ${result}" @click=${() => remove(key)}>Delete</button></p></li>`)}</ul>`
      : html`<p>None are kept from this browser.</p>`}</section>`;
}

/** @param {PlayScore} score */
function tournamentsOnly({ tournaments }) {
  return tournaments ? "" : "played ";
}

draw();
load();
