// The competitions whose results this server shows, and how far they are.

import { formatCount, formatDate, sumProgress } from "../competition/data.js";
import { table } from "../competition/tables.js";
import { html } from "../vendor/lit-html/lit-html.js";
import { _, titled } from "../lib/language.js";
import { statusText } from "../lib/words.js";

/**
 * @import {Division} from "../competition/data.js"
 */
/** @typedef {{competition: string, name: string, status: string, at: number, bots: string[], divisions: string[]}} Entry */

/** @type {Entry[] | null} */
let entries = null;
/** The divisions of those that are asked about, by their ids. @type {Map<string, Division[]>} */
const progress = new Map();
/** So many are asked about how far they are. */
const MOST_ASKED = 10;

/** Asks again how far those are that are not finished. Throws `TypeError` when nobody answers. */
export async function loadCompetitions() {
  const answer = await fetch("/api/competitions");
  entries = /** @type {Entry[]} */ ((await answer.json()).competitions);
  const open = entries.filter(({ status, competition }) => status === "running" || (status === "unfinished" && !progress.has(competition)));
  await Promise.all(open.slice(0, MOST_ASKED).map(async ({ competition }) => {
    const one = await fetch(`/api/competitions/${encodeURIComponent(competition)}`);
    if (one.ok) progress.set(competition, (await one.json()).divisions);
  }));
}

export function competitionsSection() {
  if (entries === null) return html`<p class="hint" role="status">${_("Loading…")}</p>`;
  return html`<section aria-labelledby="competitions"><h2 id="competitions">${_("Competitions")}</h2>
    ${entries.length ? html`<p class="hint">${_("This page only shows competitions: {command} starts one, as that runs programs, which no page may do.", { command: html`<code>python -m pokerd compete FILE</code>` })}</p>${table({
      caption: _("Running, then the newest first"),
      columns: [
        { key: "name", title: _("Competition"), head: true, cell: (/** @type {Entry} */ it) => html`<a href="/competition/${encodeURIComponent(it.competition)}">${it.name}</a>` },
        { key: "status", title: _("Status"), text: true, cell: (it) => html`<span class="status" data-status=${it.status}>${statusText(it.status)}</span>` },
        { key: "progress", title: _("Played"), text: true, cell: progressOf },
        { key: "bots", title: _("Bots"), cell: (it) => it.bots.length },
        { key: "at", title: _("Started or ended"), text: true, cell: (it) => (it.at ? html`<time datetime=${new Date(it.at).toISOString()}>${formatDate(it.at)}</time>` : "") },
      ],
      rows: entries,
    })}` : html`<p>${_("There are no competitions yet. {command} plays one.", { command: html`<code>python -m pokerd compete FILE</code>` })}</p>`}</section>`;
}

/** @param {Entry} it */
function progressOf(it) {
  if (it.status === "finished") return _("all sessions");
  const divisions = progress.get(it.competition);
  if (!divisions) return "";
  const { sessions, sessionsDone } = sumProgress(divisions);
  const text = _("{done} of {all} sessions", { done: formatCount(sessionsDone), all: formatCount(sessions) });
  return html`<span>${text}</span> <progress max=${sessions} value=${sessionsDone} aria-label=${titled(it.name, text)}></progress>`;
}
