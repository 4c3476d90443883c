// One match: who played, what came of it, and its hands, which open in the replayer.

import { ask } from "./api.js";
import { incidentText } from "./bot.js";
import { botLink, figure, purposeText } from "./data.js";
import { formatDate, parseRoute, routeLink } from "../competition/data.js";
import { Loader } from "../competition/loader.js";
import { handTable, offsetOf, PAGE_SIZE } from "../competition/matches.js";
import { table } from "../competition/tables.js";
import { _, ngettext, pgettext } from "../lib/language.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";

/**
 * @import {Match} from "./data.js"
 * @import {View} from "./view.js"
 * @import {Competition, HandEntry} from "../competition/data.js"
 */

const STATES = { queued: _("waiting"), playing: _("being played"), done: _("finished"), failed: _("failed") };

/** @implements {View} */
export class MatchView {
  /**
   * @param {number} number
   * @param {() => void} draw
   */
  constructor(number, draw) {
    this.number = number;
    this.title = _("Match {n}", { n: number });
    this.isDone = false;
    this.pause = 3000;
    this.loader = new Loader(draw);
    /** @type {Match | null} */
    this.match = null;
    /** The match as a competition. @type {Competition | null} */
    this.record = null;
  }

  async refresh() {
    if (this.isDone) return;
    /** @type {Match} */
    const match = await ask(`/matches/${this.number}`);
    if (match.hands && !this.record) this.record = await (await fetch(`/api/competitions/match-${this.number}`)).json();
    this.match = match;
    this.isDone = match.state === "done" || match.state === "failed";
    if (this.isDone) this.pause = 60_000;
  }

  template() {
    const { match } = this;
    if (!match) return nothing;
    const rows = [...match.line_up].sort((a, b) => (match.means?.[b] ?? 0) - (match.means?.[a] ?? 0));
    const sets = match.deal_sets;
    return html`
      <section class="box head" aria-labelledby="title">
        <h1 id="title">${_("Match {n}", { n: match.number })} <span class="status" data-status=${match.state === "playing" ? "running" : match.state === "done" ? "finished" : "other"}>${STATES[match.state]}</span></h1>
        <p class="hint purpose">${purposeText(match)}${match.ended_at === null ? nothing : html`, ${_("ended {time}", { time: html`<time datetime=${new Date(match.ended_at * 1000).toISOString()}>${formatDate(match.ended_at * 1000)}</time>` })}`}${match.reason ? html`: ${match.reason}` : nothing}</p>
      </section>
      <section aria-labelledby="result"><h2 id="result">${_("Result")}</h2>
        ${table({
          caption: sets === null ? _("Bots") : ngettext("Winnings over {n} deal set: the same cards in every seating", "Winnings over {n} deal sets: the same cards in every seating", sets),
          columns: [
            { key: "bot", title: _("Bot"), head: true, cell: (/** @type {string} */ bot) => html`<a href=${botLink(bot)}>${bot}</a>` },
            { key: "won", title: _("mbb/hand"), cell: (bot) => (match.means ? html`<span class="net" data-sign=${Math.sign(match.means[bot] ?? 0)}><b>${figure(match.means[bot] ?? 0)}</b></span>` : "") },
            { key: "errors", title: _("Errors"), text: true, cell: (bot) => (match.incidents[bot] ? incidentText(match.incidents[bot]) : match.state === "done" ? pgettext("errors", "none") : "") },
          ],
          rows,
        })}</section>
      <section aria-labelledby="hands"><h2 id="hands">${_("Hands")}</h2>${this.#hands()}</section>`;
  }

  #hands() {
    const { match, record } = this;
    if (!record) return html`<p class="hint">${match?.state === "done" ? _("The hands of this match are no longer kept.") : _("The hands can be seen when the match is over, with all cards.")}</p>`;
    const [division] = record.divisions;
    if (!division) return nothing;
    const route = parseRoute(location.hash);
    const { data: list, note: listNote } = this.loader.get(`/api/competitions/match-${this.number}/sessions`);
    const sessions = /** @type {{session: string, players: string[]}[]} */ (list?.sessions ?? []);
    const names = sessions.map(({ session }) => session.split("/").at(-1) ?? "");
    const session = names.includes(route.session) ? route.session : names[0];
    if (!session) return html`<p class="hint">${listNote ? _(listNote) : _("Loading…")}</p>`;
    const offset = offsetOf(route);
    const all = `/api/competitions/match-${this.number}/sessions/${encodeURIComponent(division.division)}/${encodeURIComponent(session)}/hands`;
    const page = `offset=${offset}&limit=${PAGE_SIZE}`;
    /** @type {{data: {hands: HandEntry[], total: number} | null, note: string}} */
    const { data, note } = this.loader.get(`${all}?${page}`);
    const shown = { ...route, division: division.division, section: "matches", session };
    return html`
      ${names.length > 1 ? html`<nav class="tabs" aria-label=${_("Seatings")}>${names.map((name, index) => html`<a href=${routeLink(division.division, "matches", name)}
        aria-current=${name === session ? "page" : nothing}>${_("Seating {n}", { n: index + 1 })}</a>`)}</nav>` : nothing}
      ${data ? handTable(record, division, shown, data, offset, `${all}?${page}`, `${all}.csv?${page}`) : html`<p class="hint">${note ? _(note) : _("Loading…")}</p>`}`;
  }
}
