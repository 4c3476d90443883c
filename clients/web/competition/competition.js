// One competition: followed while it is played, and to look at when it is over.

import { CurvesView } from "./curves.js";
import { SECTIONS, earliestRanks, formatTime, parseRoute, rankSnapshot, routeLink } from "./data.js";
import { siteHeader } from "../look/look.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";
import { stored } from "../lib/storage.js";
import { Loader } from "./loader.js";
import { matchesSection } from "./matches.js";
import { competitionHead, crosstableSection, divisionSummary, incidentsSection, standingsSection } from "./views.js";

/** @import {Competition, Division, RankSnapshot, Route} from "./data.js" */

/** Milliseconds between two requests while it is played, and when it is not or the server is away. */
const POLL = 2000;
const SLOW = 5000;
const TITLES = /** @type {Record<string, string>} */ ({
  standings: _("Standings"), crosstable: _("Crosstable"), curves: _("Curves"), matches: _("Matches"), incidents: _("Incidents"),
});

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const polite = /** @type {HTMLElement} */ (document.getElementById("polite"));
const competitionId = location.pathname.split("/")[2] ?? "";
const loader = new Loader(draw);
const curves = new CurvesView(loader, navigate, draw);
/** @type {Competition | null} */
let competition = null;
/** When the server last answered, and the error since. */
let answeredAt = 0;
let problem = "";
/** The ranks of an earlier visit. @type {RankSnapshot | null} */
let earlierRanks = null;

async function poll() {
  if (!document.hidden || !competition) await refresh();
  if (competition?.status !== "finished") setTimeout(poll, problem || competition?.status === "unfinished" ? SLOW : POLL);
}

async function refresh() {
  try {
    const response = await fetch(`/api/competitions/${competitionId}`);
    const answer = await response.json();
    if (!response.ok) throw new Refused(answer.message);
    update(answer);
    answeredAt = Date.now();
    problem = "";
  } catch (error) {
    problem = error instanceof Refused ? _(error.message) : _("The server does not answer");
  }
  draw();
}

/** The server answered, but there is no such competition. */
class Refused extends Error {}

/** @param {Competition} fresh */
function update(fresh) {
  if (competition?.status === "running" && fresh.status === "finished") polite.textContent = _("The competition is finished.");
  competition = fresh;
  document.title = `${fresh.name} · pokerd`;
  if (fresh.status !== "running") {
    earlierRanks = null;
    return;
  }
  const now = { at: Date.now(), ranks: rankSnapshot(fresh) };
  if (!fresh.standings.length) return;
  // The ranks that the competition, identified by its commitment, had on the last visit, or those at the opening of the page.
  earlierRanks = earliestRanks(earlierRanks ?? stored(KEY + fresh.commitment), now);
  saveRanks(fresh.commitment, now);
}

const KEY = "pokerd.places.";

/**
 * @param {string} commitment
 * @param {RankSnapshot} ranks
 */
function saveRanks(commitment, ranks) {
  try {
    // Those of other competitions are not needed any more.
    for (const key of Object.keys(localStorage)) if (key.startsWith(KEY) && key !== KEY + commitment) localStorage.removeItem(key);
    localStorage.setItem(KEY + commitment, JSON.stringify(ranks));
  } catch {
    // The storage is closed to us: changes are counted from the opening of the page.
  }
}

/** @param {string} link */
function navigate(link) {
  history.replaceState(null, "", link);
  draw();
}

/** @param {Competition} it */
function currentRoute(it) {
  const route = parseRoute(location.hash);
  const division = it.divisions.find((one) => one.division === route.division) ?? it.divisions[0];
  return { route, division: /** @type {Division} */ (division) };
}

/** @param {string} sort */
function sortBy(sort) {
  if (!competition) return;
  const { route, division } = currentRoute(competition);
  navigate(routeLink(division.division, route.section, "", [["sort", sort]]));
}

function draw() {
  render(html`
    ${siteHeader([["/competitions", _("All competitions")]])}
    <main>
      ${problem ? html`<p class="banner" role="status">${competition ? problemText(competition) : `${problem}.`}</p>` : nothing}
      ${competition ? competitionView(competition) : problem ? html`<p><a href="/competitions">${_("All competitions")}</a></p>` : html`<p class="hint">${_("Loading…")}</p>`}
    </main>`, page);
  curves.afterDraw();
}

/** @param {Competition} it */
function problemText(it) {
  return html`${_("{problem}, last at {time}. This page shows what was known then.", { problem, time: formatTime(answeredAt) })} ${it.status === "finished" ? nothing
    : _("If the server has stopped, nothing is lost: {command} shows finished competitions.", { command: html`<code>python -m pokerd serve --results results</code>` })}`;
}

/** @param {Competition} it */
function competitionView(it) {
  const { route, division } = currentRoute(it);
  return html`
    ${competitionHead(it)}
    ${it.divisions.length > 1 ? html`<nav class="tabs" aria-label=${_("Divisions")}>${it.divisions.map((one) =>
      html`<a href=${routeLink(one.division, route.section)} aria-current=${one === division ? "page" : "false"}>${one.division}</a>`)}</nav>` : nothing}
    <section aria-labelledby="division">
      <h2 id="division">${division.division}</h2>
      ${divisionSummary(it, division)}
      <nav class="tabs" aria-label=${_("Sections")}>${SECTIONS.map((section) =>
        html`<a href=${routeLink(division.division, section)} aria-current=${section === route.section ? "page" : "false"}>${TITLES[section]}</a>`)}</nav>
      <h3 id="section" tabindex="-1" class="visually-hidden">${TITLES[route.section]}</h3>
      ${sectionView(it, division, route)}
    </section>`;
}

/**
 * @param {Competition} it
 * @param {Division} division
 * @param {Route} route
 */
function sectionView(it, division, route) {
  if (it.anonymous && it.status === "running") return html`<p>${_("The bots play under pseudonyms. Results by bot are published at the end; earlier, they would reveal who is who.")}</p>`;
  const ranked = it.standings.find((one) => one.division === division.division);
  switch (route.section) {
    case "crosstable": return crosstableSection(it, ranked);
    case "curves": return curves.template(it, division, ranked, route);
    case "matches": return matchesSection({ it, division, route, loader, go: navigate });
    case "incidents": return incidentsSection(it, division.division);
    default: return standingsSection(it, ranked, earlierRanks, { sort: route.query.get("sort") ?? "", onSort: sortBy });
  }
}

addEventListener("hashchange", () => {
  const { activeElement } = document;
  draw();
  // Who followed a link that is no longer there goes on reading where it led.
  if (!activeElement?.isConnected) document.getElementById("section")?.focus();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && competition && competition.status !== "finished") void refresh();
});
draw();
poll();
