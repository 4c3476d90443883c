// How people did against house bots, and the results of this browser, which can be deleted.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { downloads, table } from "../competition/tables.js";
import { loadSettings } from "../lib/settings.js";
import { deleteResult, forgetKey, lineUpText, playedText, rateText, settingText, shareText } from "./score.js";

/**
 * @import {PlayScore} from "../lib/messages.d.ts"
 * @import {Column} from "../competition/tables.js"
 * @import {Setting} from "./score.js"
 */
/**
 * As in the API.
 * @typedef {{setting: Setting, score: PlayScore}} Group
 * @typedef {{result: number, day: string, setting: Setting, own: PlayScore, others: PlayScore | null}} Own
 */

const settings = loadSettings();
const page = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {Group[] | null} */
let groups = null;
/** The results of this browser, by key. @type {Map<string, Own>} */
const own = new Map();
let problem = "";
let sort = "";
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
    <header class="top"><a class="home" href="/">pokerd</a><a href="/challenge">Challenge</a><a href="/competitions">Competitions</a></header>
    <main>
      <h1>How people did against these bots</h1>
      <p class="lead">Results of people who let us keep them, without their names. In brackets are 95 % intervals.
        <b>Corrected</b> for luck means that each all-in is paid by equity, not by the cards that came.</p>
      ${problem ? html`<p class="banner" role="status">${problem}</p>` : nothing}
      ${groups === null ? (problem ? nothing : html`<p class="hint">Loading…</p>`) : groups.length ? groupTable(groups)
        : html`<p>There are no results yet. Play <a href="/">ten tournaments</a> or <a href="/challenge">a challenge</a> and be the first.</p>`}
      ${ownResults()}
    </main>`, page);
}

/** @type {Column<{score: PlayScore}>[]} */
const SCORE_COLUMNS = [
  { key: "share", title: "Tournaments won", cell: ({ score }) => shareText(score.share) },
  { key: "share_adjusted", title: "Corrected", cell: ({ score }) => shareText(score.share_adjusted) },
  { key: "bb100", title: html`<abbr title="big blinds per 100 hands">bb/100</abbr>`, cell: ({ score }) => rateText(score.bb100) },
  { key: "bb100_adjusted", title: "Corrected", cell: ({ score }) => rateText(score.bb100_adjusted) },
];

/** @param {Group[]} rows */
function groupTable(rows) {
  return html`<section aria-labelledby="all"><h2 id="all">All results</h2>${table({
    caption: "By opponents and settings",
    columns: [
      { key: "bots", title: "Against", head: true, value: ({ setting }) => lineUpText(setting.bots), cell: ({ setting }) => html`${lineUpText(setting.bots)} <small>${settingText(setting)}</small>` },
      { key: "results", title: "Results", value: ({ score }) => score.results, first: "largest", cell: ({ score }) => html`${score.results} <small>${playedText(score)}</small>` },
      .../** @type {Column<Group>[]} */ (SCORE_COLUMNS),
    ],
    rows,
    sort,
    onSort: (column) => {
      sort = column;
      draw();
    },
  })}${downloads("/api/people/results", "/api/people/results.csv")}</section>`;
}

function ownResults() {
  const rows = [...own].map(([key, it]) => ({ key, ...it, score: it.own }));
  return html`<section aria-labelledby="own"><h2 id="own">Your results</h2>
    <p id="notice" role="status" tabindex="-1">${notice}</p>
    ${rows.length ? table({
      caption: "Only this browser knows that they are yours",
      columns: [
        { key: "bots", title: "Against", head: true, cell: ({ setting, day }) => html`${lineUpText(setting.bots)} <small>${settingText(setting)}</small><small>${day}</small>` },
        { key: "played", title: "Played", cell: ({ score }) => html`<small>${playedText(score)}</small>` },
        .../** @type {Column<typeof rows[number]>[]} */ (SCORE_COLUMNS),
        { key: "delete", title: "Delete", cell: ({ key, result }) => html`<button aria-label="Delete result ${result}" @click=${() => remove(key)}>Delete</button>` },
      ],
      rows,
    }) : html`<p>None are kept from this browser.</p>`}</section>`;
}

draw();
load();
