// The ladder itself: ratings with their rank intervals, and beside it what is played.

import { ask } from "./api.js";
import { KINDS, botLink, chanceText, figure, halfText, interactionText, purposeText, rankText } from "./data.js";
import { formatCount, gameName } from "../competition/data.js";
import { table } from "../competition/tables.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ngettext, pgettext } from "../lib/language.js";
import { rankBar, untrueTag } from "./plots.js";

/**
 * @import {Match, Queue, Row, Table} from "./data.js"
 * @import {View} from "./view.js"
 */

/** Matches of the queue that are shown, and bots that wait. */
const [SHOWN, WAITING] = [12, 3];

/** @implements {View} */
export class StandingsView {
  constructor() {
    this.title = _("Ladder");
    this.pause = 3000;
    /** @type {Table | null} */
    this.table = null;
    /** @type {Queue} */
    this.queue = { matches: [], next: [], waits: [] };
  }

  async refresh() {
    const [table, queue] = await Promise.all([ask(""), ask("/queue")]);
    this.table = table;
    this.queue = queue;
    this.title = `${table.name} · ${_("Ladder")}`;
  }

  template() {
    const { table, queue } = this;
    if (!table) return nothing;
    const rated = table.bots.filter((row) => row.half !== null);
    return html`
      <section class="head" aria-labelledby="title">
        <h1 id="title">${table.name} <span class="status">${_("season {season}", { season: table.season })}</span>
          ${table.frozen ? html`<span class="status" data-status="frozen">${_("frozen")}</span>` : nothing}
          ${table.blind ? html`<span class="status">${pgettext("a ladder", "blind")}</span>` : nothing}</h1>
        <p class="hint">${gameName(table.game)}, ${_("{n} at a table", { n: table.players })}. ${_("A rating is what a bot wins against the field in thousandths of a big blind a hand, with its 95 % interval. The bar shows the ranks that it may have, the dot the likeliest.")}
          ${interactionText(table.interaction)}
          ${_("One value function takes out the luck of the cards all season: {hash}.", { hash: table.value_function.slice(0, 12) })}
          ${table.frozen ? _("New versions are no longer taken.") : nothing}
          ${table.blind ? _("Names are hidden until the season ends.") : nothing}</p>
      </section>
      <div class="beside">
        ${rated.length ? ratingTable(table.bots) : html`<section class="box"><p>${table.bots.length ? _("Ratings appear with the first matches.") : _("Nobody plays yet.")}</p></section>`}
        <aside>
          ${matchList(_("Playing now"), queue.matches.filter((match) => match.state === "playing"), _("No match is being played."))}
          ${matchList(_("Waiting"), queue.matches.filter((match) => match.state === "queued"), _("Nobody has asked for a match."))}
          ${nextList(queue)}
        </aside>
      </div>`;
  }
}

/** @param {Row[]} bots */
function ratingTable(bots) {
  const many = bots.length;
  /** @type {Map<Row, number>} */
  const places = new Map(bots.map((row, index) => [row, index + 1]));
  return table({
    caption: ngettext("{n} bot, the best first", "{n} bots, the best first", many),
    columns: [
      { key: "rank", title: html`<span class="ranked"><span>${_("Rank")}</span><span class="scale" aria-hidden="true"><span>1</span><span>${many}</span></span></span>`, text: true,
        cell: (row) => (row.half === null ? nothing : html`<div class="ranked"><span class="rank">${rankText(row.ranks)}</span>${rankBar(row.ranks, places.get(row) ?? 1, many)}</div>`) },
      { key: "bot", title: _("Bot"), head: true, cell: (row) => html`<a href=${botLink(row.author)}>${row.author}</a>${row.kind === "house" ? nothing : html` <small class="version">@${row.version}</small>`}${KINDS[row.kind] ? html` <small class="tag">${KINDS[row.kind]}</small>` : nothing}${untrueTag(row.declared)}` },
      { key: "rating", title: _("mbb/hand"), cell: (row) => (row.rating === null ? html`<span class="nothing">${_("no result yet")}</span>` : html`<b>${figure(row.rating)}</b> <span class="half">${halfText(row.half)}</span>`) },
      { key: "ahead", title: _("Ahead of next"), cell: (row) => (row.ahead === null ? "" : html`<span class=${row.ahead >= 0.975 ? "sure" : "unsure"}>${chanceText(row.ahead)}</span>`) },
      { key: "worst", title: _("Worst opponent"), text: true, cell: (row) => (row.worst ? html`<a href=${botLink(row.worst.bot)}>${row.worst.bot}</a> <span class="soft" title=${halfText(row.worst.half)}>${figure(row.worst.mean)}</span>` : "") },
      { key: "sets", title: _("Deal sets"), cell: (row) => formatCount(row.deal_sets) },
      { key: "elo", title: html`<small title=${_("For display: nothing is computed from it")}>Elo</small>`, cell: (row) => (row.elo === null ? "" : html`<small class="soft">${figure(row.elo)}</small>`) },
    ],
    rows: bots,
  });
}

/**
 * @param {string} title
 * @param {Match[]} matches
 * @param {string} empty
 */
function matchList(title, matches, empty) {
  return html`<section class="box queue"><h2>${title}${matches.length > 1 ? html` <small>${formatCount(matches.length)}</small>` : nothing}</h2>
    ${matches.length ? html`<ol>${matches.slice(0, SHOWN).map((match) => html`<li><a href="/ladder/matches/${match.number}">${match.line_up.join(" – ")}</a>
      <small>${purposeText(match)}</small></li>`)}</ol>` : html`<p class="hint">${empty}</p>`}
    ${matches.length > SHOWN ? html`<p class="hint">${ngettext("and {n} more", "and {n} more", matches.length - SHOWN)}</p>` : nothing}</section>`;
}

/** @param {Queue} queue */
function nextList({ next, waits }) {
  const longest = waits.filter(({ matches }) => matches > 0).slice(0, WAITING);
  return html`<section class="box queue"><h2>${pgettext("matches", "Next")}</h2>
    ${next.length ? html`<p class="hint">${_("Unless somebody has waited too long, the match comes first from which most is learnt.")}</p>
      <ol>${next.map(({ line_up: bots }) => html`<li><span>${bots.map((bot, index) => html`${index ? " – " : ""}<a href=${botLink(bot)}>${bot}</a>`)}</span></li>`)}</ol>` : html`<p class="hint">${_("Too few bots are there.")}</p>`}
    ${longest.length ? html`<h3>${_("Longest without a match")}</h3>
      <ul>${longest.map(({ bot, matches }) => html`<li><a href=${botLink(bot)}>${bot}</a> <small>${ngettext("{n} match of others since", "{n} matches of others since", matches)}</small></li>`)}</ul>` : nothing}</section>`;
}
