// The competitions whose results this server shows, and how far they are.

import { formatCount, formatDate, sumProgress } from "../competition/data.js";
import { table } from "../competition/tables.js";
import { html } from "../vendor/lit-html/lit-html.js";

/**
 * @import {Division} from "../competition/data.js"
 * @import {App} from "./app.js"
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

/** @param {App} _ */
export function competitionsSection(_) {
  if (entries === null) return html`<p class="hint" role="status">Loading…</p>`;
  return html`<section aria-labelledby="competitions"><h2 id="competitions">Competitions</h2>
    ${entries.length ? table({
      caption: "Running, then the newest first",
      columns: [
        { key: "name", title: "Competition", head: true, cell: (/** @type {Entry} */ it) => html`<a href="/competition/${encodeURIComponent(it.competition)}">${it.name}</a>` },
        { key: "status", title: "Status", text: true, cell: (it) => html`<span class="status" data-status=${it.status}>${it.status === "unfinished" ? "not finished" : it.status}</span>` },
        { key: "progress", title: "Played", text: true, cell: progressOf },
        { key: "bots", title: "Bots", cell: (it) => it.bots.length },
        { key: "at", title: "Started or ended", text: true, cell: (it) => (it.at ? html`<time datetime=${new Date(it.at).toISOString()}>${formatDate(it.at)}</time>` : "") },
      ],
      rows: entries,
    }) : html`<p>There are no competitions yet. <code>python -m pokerd compete FILE</code> plays one.</p>`}</section>`;
}

/** @param {Entry} it */
function progressOf(it) {
  if (it.status === "finished") return "all sessions";
  const divisions = progress.get(it.competition);
  if (!divisions) return "";
  const { sessions, sessionsDone } = sumProgress(divisions);
  const text = `${formatCount(sessionsDone)} of ${formatCount(sessions)} sessions`;
  return html`<span>${text}</span> <progress max=${sessions} value=${sessionsDone} aria-label="${it.name}: ${text}"></progress>`;
}
