// All competitions that can be looked at here: the one that is running first.

import { formatCount, formatDate } from "./data.js";
import { loadBots } from "../lib/bots.js";
import { pageHeader, siteHeader } from "../look/look.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";
import { statusText } from "../lib/words.js";
import { downloads, table } from "./tables.js";

/**
 * As in the API.
 * @typedef {{competition: string, name: string, status: string, at: number, bots: string[], divisions: string[]}} Entry
 */

/** Milliseconds between two requests. */
const POLL = 5000;

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {Entry[] | null} */
let entries = null;
let problem = "";
let sort = "";
/** Whether this server has tables, too, and pages around them: one that only plays a competition offers no bots. */
let hasTables = false;

async function poll() {
  if (!document.hidden) {
    try {
      const answer = await fetch("/api/competitions");
      if (!answer.ok) throw new Error(String(answer.status));
      entries = (await answer.json()).competitions;
      problem = "";
    } catch {
      problem = _("The server does not answer. Trying again…");
    }
    draw();
  }
  setTimeout(poll, POLL);
}

function draw() {
  render(html`
    ${hasTables ? pageHeader("/competitions") : siteHeader([])}
    <main>
      <h1>${_("Competitions")}</h1>
      ${problem ? html`<p class="banner" role="status">${problem}</p>` : nothing}
      ${entries === null ? (problem ? nothing : html`<p class="hint">${_("Loading…")}</p>`) : entries.length ? competitionTable(entries)
        : html`<p>${_("There are no competitions yet. {compete} plays one; add {serve} to watch it. {results} shows those in a directory.", {
          compete: html`<code>python -m pokerd compete games/example.toml</code>`, serve: html`<code>--serve</code>`, results: html`<code>python -m pokerd serve --results DIR</code>` })}</p>`}
    </main>`, page);
}

/** @param {Entry[]} rows */
function competitionTable(rows) {
  return html`${table({
    caption: _("Bots play the same deals in every seat"),
    columns: [
      { key: "name", title: _("Competition"), head: true, value: (it) => it.name, cell: (it) => html`<a href="/competition/${encodeURIComponent(it.competition)}">${it.name}</a>${it.name === it.competition ? nothing : html` <small>${it.competition}</small>`}` },
      { key: "status", title: _("Status"), text: true, value: (it) => it.status, cell: (it) => html`<span class="status" data-status=${it.status}>${statusText(it.status)}</span>` },
      { key: "bots", title: _("Bots"), text: true, value: (it) => it.bots.length, first: "largest", cell: (it) => shortList(it.bots) },
      { key: "divisions", title: _("Divisions"), text: true, value: (it) => it.divisions.length, first: "largest", cell: (it) => shortList(it.divisions) },
      { key: "at", title: _("Started or ended"), text: true, first: "largest", value: (it) => it.at, cell: (it) => (it.at ? html`<time datetime=${new Date(it.at).toISOString()}>${formatDate(it.at)}</time>` : "") },
    ],
    rows,
    sort,
    onSort: (column) => {
      sort = column;
      draw();
    },
  })}
  ${downloads("/api/competitions", "/api/competitions.csv")}`;
}

/** @param {string[]} all */
function shortList(all) {
  const shown = all.slice(0, 6).join(", ");
  return all.length > 6 ? `${formatCount(all.length)}: ${shown}, …` : shown;
}

document.addEventListener("visibilitychange", draw);
draw();
poll();
loadBots((bots) => {
  hasTables = bots.length > 0;
  draw();
});
