// One competition: followed while it is played, and to look at when it is over.

import { clockTime, compared, parsePlace, placeLink, ranks, SECTIONS } from "./data.js";
import { CurvesView } from "./curves.js";
import { Loader } from "./loader.js";
import { matches } from "./matches.js";
import { about, crosstable, head, incidents, standings } from "./views.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";

/** @import {Competition, Division, Look, Place} from "./data.js" */

/** Milliseconds between two looks while it is played, and when it is not or the server is away. */
const POLL = 2000;
const SLOW = 5000;
const TITLES = /** @type {Record<string, string>} */ ({
  standings: "Standings", crosstable: "Crosstable", curves: "Curves", matches: "Matches", incidents: "Incidents",
});

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const polite = /** @type {HTMLElement} */ (document.getElementById("polite"));
const name = location.pathname.split("/")[2] ?? "";
const loader = new Loader(draw);
const curves = new CurvesView(loader, go, draw);
/** @type {Competition | null} */
let told = null;
/** When the server last answered, and what is the matter since. */
let heard = 0;
let trouble = "";
/** What the places were at an earlier look. @type {Look | null} */
let before = null;

async function poll() {
  if (!document.hidden || !told) await look();
  if (told?.status !== "finished") setTimeout(poll, trouble || told?.status === "unfinished" ? SLOW : POLL);
}

async function look() {
  try {
    const response = await fetch(`/api/competitions/${name}`);
    const answer = await response.json();
    if (!response.ok) throw new Refused(answer.message);
    took(answer);
    heard = Date.now();
    trouble = "";
  } catch (error) {
    trouble = error instanceof Refused ? error.message : "The server does not answer";
  }
  draw();
}

/** The server answered, but there is no such competition. */
class Refused extends Error {}

/** @param {Competition} fresh */
function took(fresh) {
  if (told?.status === "running" && fresh.status === "finished") polite.textContent = "The competition is finished.";
  told = fresh;
  document.title = `${fresh.name} · pokerd`;
  if (fresh.status !== "running") {
    before = null;
    return;
  }
  const now = { at: Date.now(), ranks: ranks(fresh) };
  if (!fresh.standings.length) return;
  before = compared(before ?? remembered(fresh.commitment), now);
  remember(fresh.commitment, now);
}

const KEY = "pokerd.places.";

/**
 * The places that a competition, known by its commitment, had when it was last looked at.
 * @param {string} commitment
 * @returns {Look | null}
 */
function remembered(commitment) {
  try {
    return JSON.parse(localStorage.getItem(KEY + commitment) ?? "null");
  } catch {
    return null;  // the storage is closed to us: changes are counted from the opening of the page
  }
}

/**
 * @param {string} commitment
 * @param {Look} look
 */
function remember(commitment, look) {
  try {
    // Those of other competitions are of no use any more.
    for (const key of Object.keys(localStorage)) if (key.startsWith(KEY) && key !== KEY + commitment) localStorage.removeItem(key);
    localStorage.setItem(KEY + commitment, JSON.stringify(look));
  } catch {
    // As above.
  }
}

/** @param {string} link */
function go(link) {
  history.replaceState(null, "", link);
  draw();
}

/** @param {Competition} it */
function where(it) {
  const place = parsePlace(location.hash);
  const division = it.divisions.find((one) => one.division === place.division) ?? it.divisions[0];
  return { place, division: /** @type {Division} */ (division) };
}

/** @param {string} sort */
function order(sort) {
  if (!told) return;
  const { place, division } = where(told);
  go(placeLink(division.division, place.section, "", [["sort", sort]]));
}

function draw() {
  render(html`
    <header class="top"><a class="home" href="/">pokerd</a><nav aria-label="Site"><a href="/competitions">All competitions</a></nav></header>
    <main>
      ${trouble ? html`<p class="banner" role="status">${told ? away(told) : `${trouble}.`}</p>` : nothing}
      ${told ? content(told) : trouble ? html`<p><a href="/competitions">All competitions</a></p>` : html`<p class="hint">Looking…</p>`}
    </main>`, page);
  curves.mounted();
}

/** @param {Competition} it */
function away(it) {
  return html`${trouble}, last at ${clockTime(heard)}. What you see stays as it was then. ${it.status === "finished" ? nothing
    : html`If the server has ended: what was played is kept, and <code>python -m pokerd serve --results results</code> shows it when it is finished.`}`;
}

/** @param {Competition} it */
function content(it) {
  const { place, division } = where(it);
  return html`
    ${head(it)}
    ${it.divisions.length > 1 ? html`<nav class="tabs" aria-label="Divisions">${it.divisions.map((one) =>
      html`<a href=${placeLink(one.division, place.section)} aria-current=${one === division ? "page" : "false"}>${one.division}</a>`)}</nav>` : nothing}
    <section aria-labelledby="division">
      <h2 id="division">${division.division}</h2>
      ${about(it, division)}
      <nav class="tabs" aria-label="Sections">${SECTIONS.map((section) =>
        html`<a href=${placeLink(division.division, section)} aria-current=${section === place.section ? "page" : "false"}>${TITLES[section]}</a>`)}</nav>
      <h3 id="section" tabindex="-1" class="unseen">${TITLES[place.section]}</h3>
      ${section(it, division, place)}
    </section>`;
}

/**
 * @param {Competition} it
 * @param {Division} division
 * @param {Place} place
 */
function section(it, division, place) {
  if (it.anonymous && it.status === "running") return html`<p>The bots play under pseudonyms. Who won what is told when all is played: before, it would tell who is behind them.</p>`;
  const ranked = it.standings.find((one) => one.division === division.division);
  switch (place.section) {
    case "crosstable": return crosstable(it, ranked);
    case "curves": return curves.template(it, division, ranked, place);
    case "matches": return matches(it, division, place, loader, go);
    case "incidents": return incidents(it, division.division);
    default: return standings(it, ranked, before, { sort: place.query.get("sort") ?? "", onSort: order });
  }
}

addEventListener("hashchange", () => {
  const { activeElement } = document;
  draw();
  // Who followed a link that is no longer there goes on reading where it led.
  if (!activeElement?.isConnected) document.getElementById("section")?.focus();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && told && told.status !== "finished") void look();
});
draw();
poll();
