// One bot: its rating over time, its opponents, grades, errors, how it plays, its versions and matches.

import { ask, author } from "./api.js";
import { KINDS, STATES, botLink, chanceText, declaredText, figure, halfText, purposeText, rankText } from "./data.js";
import { describeIncident, formatCount, formatDate } from "../competition/data.js";
import { styleTable } from "../competition/style_table.js";
import { table } from "../competition/tables.js";
import { Chart } from "../lib/chart.js";
import { _, language, ngettext } from "../lib/language.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { intervalBar, scaleHead, scaleOf } from "./plots.js";

/**
 * @import {Against, Bot, Grade, History, Match, Point, Style, Version} from "./data.js"
 * @import {View} from "./view.js"
 */

/** Rows of the table with the values of the chart, and versions that are shown at once. */
const CHART_ROWS = 20;
const VERSIONS = 8;
/** Milliseconds until the server is asked again, and while it is still computing. */
const SLOW = 10_000;
const FAST = 2000;

/** @implements {View} */
export class BotView {
  /**
   * @param {string} name
   * @param {() => void} draw
   */
  constructor(name, draw) {
    this.name = name;
    this.title = name;
    this.pause = SLOW;
    this.draw = draw;
    /** @type {Bot | null} */
    this.bot = null;
    /** @type {History | null} */
    this.history = null;
    /** @type {Style | null} */
    this.style = null;
    /** @type {Chart | null} */
    this.chart = null;
    /** What the chart shows. */
    this.drawn = "";
  }

  async refresh() {
    const address = `/bots/${encodeURIComponent(this.name)}`;
    [this.bot, this.history, this.style] = await Promise.all([ask(address), ask(`${address}/history`), ask(`${address}/style`)]);
    this.pause = this.history?.complete && this.style?.complete ? SLOW : FAST;
  }

  template() {
    const { bot, history, style } = this;
    if (!bot) return nothing;
    const current = bot.versions.find((version) => version.state === "ready" || version.state === "rated") ?? bot.versions.at(-1);
    return html`
      ${head(bot, current)}
      ${chartSection(history?.points ?? [], history?.complete ?? false)}
      ${bot.rating ? opponentSection(bot.opponents) : nothing}
      ${gradeSection(bot.grades)}
      ${style ? styleSection(style) : nothing}
      ${errorSection(bot, current)}
      ${versionSection(bot.versions)}
      ${matchSection(bot.matches, this.name)}`;
  }

  /** The page has been drawn: now there is an element for the chart, or no longer. */
  afterDraw() {
    const host = /** @type {HTMLElement | null} */ (document.querySelector("main .chart"));
    if (this.chart && this.chart.host !== host) {
      this.chart.close();
      this.chart = null;
      this.drawn = "";
    }
    const points = this.history?.points ?? [];
    if (!host || points.length < 2) return;
    this.chart ??= new Chart(host, { x: _("match"), y: _("mbb/hand") });
    const now = JSON.stringify(points);
    if (now === this.drawn) return;
    this.drawn = now;
    this.chart.draw(points.map((point) => point.match), [{
      label: this.name, style: 0, values: points.map((point) => point.mean),
      low: points.map((point) => point.mean - point.half), high: points.map((point) => point.mean + point.half),
    }]);
  }
}

/**
 * @param {Bot} bot
 * @param {Version | undefined} current
 */
function head({ bot, rating }, current) {
  const kind = current ? KINDS[current.kind] : "";
  return html`<section class="box head" aria-labelledby="title">
    <h1 id="title">${bot}${kind ? html` <span class="status">${kind}</span>` : nothing}</h1>
    ${rating && rating.half !== null ? html`<dl class="figures">
      <div><dt>${_("Rating")}</dt><dd><b>${figure(rating.rating ?? 0)}</b> ${halfText(rating.half)} <small>${_("mbb/hand")}</small></dd></div>
      <div><dt>${_("Rank")}</dt><dd><b>${rankText(rating.ranks)}</b></dd></div>
      <div><dt>${_("Deal sets")}</dt><dd><b>${formatCount(rating.deal_sets)}</b></dd></div>
      ${rating.ahead === null ? nothing : html`<div><dt>${_("Ahead of the next")}</dt><dd><b>${chanceText(rating.ahead)}</b></dd></div>`}
      ${rating.elo === null ? nothing : html`<div class="small"><dt>${_("Elo, for display")}</dt><dd>${figure(rating.elo)}</dd></div>`}
    </dl>` : html`<p>${current && !rating ? html`${current.name}: ${STATES[current.state]}${current.reason ? `, ${current.reason}` : nothing}.` : _("It has no result yet.")}</p>`}
    ${rating?.declared ? html`<p class="hint">${declaredText(rating.declared)}</p>` : nothing}
    ${author.token && rating ? html`<p><a class="button" href="/ladder/mine?${new URLSearchParams({ opponent: rating.bot })}#challenge">${_("Challenge it")}</a></p>` : nothing}
    ${current && current.kind !== "house" ? html`<p class="hint">${current.name}${current.hash ? html` <code>${current.hash.slice(0, 6)}</code>` : nothing}, ${_("since {time}", { time: time(current.pushed_at) })}.</p>` : nothing}
  </section>`;
}

/** @param {number} at seconds since 1970 */
function time(at) {
  return html`<time datetime=${new Date(at * 1000).toISOString()}>${formatDate(at * 1000)}</time>`;
}

/**
 * @param {readonly Point[]} points
 * @param {boolean} complete
 */
function chartSection(points, complete) {
  return html`<section aria-labelledby="over-time"><h2 id="over-time">${_("Rating over time")}</h2>
    ${points.length < 2 ? html`<p class="hint">${complete ? _("The line begins with the second match.") : _("Computing…")}</p>` : html`
      <div class="chart" role="img" aria-label=${_("Rating after each match, with a band of 95 %. A table with the values follows.")}></div>
      ${complete ? nothing : html`<p class="hint" role="status">${_("Later matches are being added…")}</p>`}
      <details><summary>${_("The same as a table")}</summary>${table({
        caption: _("Rating against the field as it was then"),
        columns: [
          { key: "match", title: _("After match"), head: true, cell: (/** @type {Point} */ point) => point.match },
          { key: "version", title: _("Version"), text: true, cell: (point) => point.version },
          { key: "rating", title: _("mbb/hand"), cell: (point) => html`${figure(point.mean)} <span class="half">${halfText(point.half)}</span>` },
          { key: "at", title: _("When"), text: true, cell: (point) => time(point.at) },
        ],
        rows: thin(points, CHART_ROWS),
      })}</details>`}</section>`;
}

/**
 * At most so many of the points, the last one among them.
 * @param {readonly Point[]} points
 * @param {number} many
 */
function thin(points, many) {
  const step = Math.ceil(points.length / many);
  return points.filter((each, index) => (points.length - 1 - index) % step === 0);
}

/** @param {Against[]} opponents */
function opponentSection(opponents) {
  const rows = [...opponents].sort((a, b) => a.mean - b.mean);
  const scale = scaleOf(rows);
  return html`<section aria-labelledby="opponents"><h2 id="opponents">${_("Against every opponent")}</h2>
    ${rows.length ? table({
      caption: _("Result against each in mbb/hand with 95 % intervals, the worst first"),
      columns: [
        { key: "bot", title: _("Opponent"), head: true, cell: (/** @type {Against} */ row) => html`<a href=${botLink(row.bot)}>${row.bot}</a>` },
        { key: "mean", title: _("mbb/hand"), cell: (row) => html`<b>${figure(row.mean)}</b> <span class="half">${halfText(row.half)}</span>` },
        { key: "plot", title: scaleHead(scale), text: true, cell: (row) => intervalBar(row, scale) },
        { key: "sets", title: _("Deal sets"), cell: (row) => formatCount(row.deal_sets ?? 0) },
      ],
      rows,
    }) : html`<p class="hint">${_("It has met nobody yet.")}</p>`}</section>`;
}

/** @param {Grade[]} grades */
function gradeSection(grades) {
  if (!grades.length) return nothing;
  return html`<section aria-labelledby="grades"><h2 id="grades">${_("Grades")}</h2>
    <ul class="grades">${grades.map((grade) => html`<li data-passed=${String(grade.passed)}>
      <b>${grade.rule}</b> <span>${passedText(grade.passed)}</span>${grade.p === null ? nothing : html` <small>p = ${grade.p.toLocaleString(language, { maximumSignificantDigits: 2 })}</small>`}</li>`)}</ul></section>`;
}

/** @param {boolean | null} passed */
function passedText(passed) {
  return passed === null ? _("undecided") : passed ? _("✓ passed") : _("✗ not passed");
}

/** @param {Style} style */
function styleSection({ version, complete, total, positions }) {
  const caption = complete ? ngettext("{n} hand of {bot}", "{n} hands of {bot}", total.hands, { bot: version }) : ngettext("{n} hand of {bot}, more are being counted", "{n} hands of {bot}, more are being counted", total.hands, { bot: version });
  return html`<section aria-labelledby="style"><h2 id="style">${_("How it plays")}</h2>
    ${total.hands ? styleTable(caption, total, positions)
      : html`<p class="hint">${complete ? _("No hands are kept.") : _("Counting…")}</p>`}</section>`;
}

/**
 * @param {Bot} bot
 * @param {Version | undefined} current
 */
function errorSection({ errors }, current) {
  if (current?.kind === "house") return nothing;
  return html`<section aria-labelledby="errors"><h2 id="errors">${_("Errors since the last push")}</h2>
    ${errors.length ? table({
      caption: _("Matches in which something went wrong, the newest first"),
      columns: [
        { key: "match", title: _("Match"), head: true, cell: (row) => html`<a href="/ladder/matches/${row.match}">${row.match}</a>` },
        { key: "what", title: _("What"), text: true, cell: (row) => incidentText(row.incidents) },
        { key: "at", title: _("When"), text: true, cell: (row) => time(row.at) },
      ],
      rows: errors,
    }) : html`<p>${_("Nothing went wrong.")}</p>`}</section>`;
}

/** @param {Record<string, number>} incidents */
export function incidentText(incidents) {
  return Object.entries(incidents).filter(([, count]) => count).map(([kind, count], index) => {
    const [what, why] = describeIncident(kind);
    return html`${index ? ", " : ""}<span title=${why}>${what}</span>${count > 1 ? ` ${ngettext("{n} time", "{n} times", count)}` : ""}`;
  });
}

/** @param {Version[]} versions */
function versionSection(versions) {
  if (versions.every((version) => version.kind === "house")) return nothing;
  const newest = [...versions].reverse();
  return html`<section aria-labelledby="versions"><h2 id="versions">${_("Versions")}</h2>
    ${versionTable(newest.slice(0, VERSIONS))}
    ${newest.length > VERSIONS ? html`<details><summary>${ngettext("{n} older version", "{n} older versions", newest.length - VERSIONS)}</summary>${versionTable(newest.slice(VERSIONS))}</details>` : nothing}</section>`;
}

/** @param {Version[]} rows */
function versionTable(rows) {
  return table({
    caption: _("Newest first"),
    columns: [
      { key: "name", title: _("Version"), head: true, cell: (/** @type {Version} */ row) => html`${row.name}${row.hash ? html` <code class="soft">${row.hash.slice(0, 6)}</code>` : nothing}` },
      { key: "state", title: _("State"), text: true, cell: (row) => html`<span class="state" data-state=${row.state}>${STATES[row.state]}</span>` },
      { key: "reason", title: _("Reason"), text: true, cell: (row) => row.reason },
      { key: "at", title: _("Pushed"), text: true, cell: (row) => time(row.pushed_at) },
    ],
    rows,
  });
}

/**
 * @param {Match[]} matches
 * @param {string} bot
 */
function matchSection(matches, bot) {
  return html`<section aria-labelledby="matches"><h2 id="matches">${_("Matches")}</h2>
    ${matches.length ? table({
      caption: _("The newest matches, and what the bot won in them"),
      columns: [
        { key: "number", title: _("Match"), head: true, cell: (/** @type {Match} */ row) => html`<a href="/ladder/matches/${row.number}">${row.number}</a>` },
        { key: "line_up", title: _("Bots"), text: true, cell: (row) => row.line_up.join(" – ") },
        { key: "won", title: _("mbb/hand"), cell: (row) => wonText(row, bot) },
        { key: "why", title: _("Kind"), text: true, cell: (row) => purposeText(row) },
        { key: "at", title: _("Ended"), text: true, cell: (row) => (row.ended_at === null ? (row.state === "playing" ? _("being played") : _("waits")) : time(row.ended_at)) },
      ],
      rows: matches,
    }) : html`<p class="hint">${_("It has played no match yet.")}</p>`}</section>`;
}

/**
 * @param {Match} match
 * @param {string} bot
 */
function wonText({ means, state }, bot) {
  if (state === "failed") return _("failed");
  const found = Object.entries(means ?? {}).find(([version]) => version === bot || version.startsWith(`${bot}@`));
  return found ? html`<span class="net" data-sign=${Math.sign(found[1])}>${figure(found[1])}</span>` : "";
}
