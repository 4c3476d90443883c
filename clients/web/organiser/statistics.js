// What a player won at open tables over time: in all, as a curve, by game, by day and by session.

import { Chart } from "../lib/chart.js";
import { formatCount, formatDate } from "../competition/data.js";
import { table } from "../competition/tables.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, language, ngettext, pgettext } from "../lib/language.js";
import { modeText, signedNumber } from "../lib/words.js";

/**
 * @import {GroupResult, KnownPlayer, Statistics} from "./api.js"
 * @import {App} from "./app.js"
 */

const PERIODS = [["7", _("7 days")], ["30", _("30 days")], ["90", _("90 days")], ["365", _("a year")], ["3650", _("ten years")]];
const MODES = [["", _("all tables")], ["cash", _("cash tables")], ["tournament", _("tournaments")], ["challenge", _("challenges")]];

export class StatisticsView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Chart | null} */
    this.chart = null;
    this.forget();
  }

  /** Nothing stays for whoever logs in next. */
  forget() {
    /** What was asked for last. */
    this.requested = "";
    /** @type {Statistics | null} */
    this.found = null;
    /** @type {KnownPlayer[] | null} */
    this.players = null;
    this.isLoading = false;
    this.chart?.close();
    this.chart = null;
    /** @type {Statistics | null} */
    this.drawn = null;
  }

  /** @param {URLSearchParams} query */
  template(query) {
    const player = query.get("player") ?? "";
    const days = query.get("days") ?? "30";
    const mode = query.get("mode") ?? "";
    const requested = player ? `/statistics?${new URLSearchParams({ player, days, mode })}` : `/players?${new URLSearchParams({ days })}`;
    if (requested !== this.requested) void this.#load(requested);
    const { found, players } = this;
    return html`<section aria-labelledby="statistics"><h2 id="statistics">${player ? _("Statistics of {name}", { name: html`<bdi>${player}</bdi>` }) : _("Who played here")}</h2>
      <form class="line" @submit=${(/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
        event.preventDefault();
        this.requested = "";
        location.hash = `#statistics?${formQuery(event.currentTarget)}`;
        this.app.draw();
      }}>
        <div class="pair long"><label for="player">${_("Player")}</label><input id="player" name="player" maxlength="64" autocomplete="off" spellcheck="false" .value=${player} list="known"></div>
        <datalist id="known">${(players ?? []).map((it) => html`<option value=${it.player}></option>`)}</datalist>
        <div class="pair"><label for="days">${_("Last")}</label><select id="days" name="days">${PERIODS.map(([value, text]) => html`<option value=${value} ?selected=${value === days}>${text}</option>`)}</select></div>
        <div class="pair"><label for="mode">${pgettext("a table", "At")}</label><select id="mode" name="mode">${MODES.map(([value, text]) => html`<option value=${value} ?selected=${value === mode}>${text}</option>`)}</select></div>
        <button class="main">${_("Show")}</button>
      </form>
      ${this.isLoading ? html`<p class="hint" role="status">${_("Adding up the hands…")}</p>` : player ? found && this.#results(found) : players && playerList(players, days)}
    </section>`;
  }

  /** @param {string} requested */
  async #load(requested) {
    this.requested = requested;
    this.isLoading = true;
    this.found = null;
    try {
      const answer = await this.app.api.get(requested);
      // Meanwhile something else may have been asked.
      if (this.requested !== requested) return;
      if (requested.startsWith("/players")) this.players = answer.players;
      else this.found = answer;
    } catch (error) {
      this.app.fail(error);
    }
    if (this.requested === requested) this.isLoading = false;
    this.app.draw();
  }

  /** @param {Statistics} it */
  #results(it) {
    const { total } = it;
    const note = it.complete ? "" : ` ${ngettext("Only the last {n} hand of all players was searched.", "Only the last {n} hands of all players were searched.", it.looked_at)}`;
    if (!total.hands) return html`<p role="status">${_("No hand of this player was found.")}${note}</p><p><a href="#statistics">${_("Who played here?")}</a></p>`;
    return html`
      <dl class="facts box">
        <dt>${_("Hands")}</dt><dd>${formatCount(total.hands)}${note}</dd>
        <dt>${_("Won")}</dt><dd>${_("{chips} big blinds", { chips: signedNumber(total.won) })}</dd>
        <dt>${_("Per 100 hands")}</dt><dd>${total.half === null ? _("{rate} big blinds (an interval needs ten hands)", { rate: rateText(total) }) : _("{rate} big blinds, 95 % interval", { rate: rateText(total) })}</dd>
        <dt>${_("Last hand")}</dt><dd><time datetime=${new Date(total.at).toISOString()}>${formatDate(total.at)}</time></dd>
        <dt>${_("Browsers")}</dt><dd>${it.browsers ? ngettext("the name was used in {n} browser", "the name was used in {n} browsers", it.browsers) : _("none: a program, or a person without a cookie")}</dd>
      </dl>
      <div class="chart" role="img" aria-label=${_("Big blinds won by {name} after each hand. Tables with the values follow.", { name: it.player })}></div>
      <p class="hint">${_("Big blinds won so far, with a 95 % band. In tournaments a hand counts in the big blind of its level.")}</p>
      ${resultTable(_("By game"), _("Game"), it.games)}
      ${resultTable(_("By day (UTC)"), _("Day"), it.days)}
      ${resultTable(_("By session, from a table's opening to its closing"), _("Session"), it.sessions)}`;
  }

  /** The page has been drawn: now there is an element for the chart, or no longer. */
  afterDraw() {
    const host = /** @type {HTMLElement | null} */ (document.querySelector("main .chart"));
    if (this.chart && this.chart.host !== host) {
      this.chart.close();
      this.chart = null;
      this.drawn = null;
    }
    if (!host || !this.found || this.found === this.drawn) return;
    this.drawn = this.found;
    const { player, curve: { hands, won, half } } = this.found;
    this.chart ??= new Chart(host, { x: _("hands"), y: _("big blinds") });
    /** @type {(sign: number) => (number | null)[]} */
    const edge = (sign) => won.map((sum, index) => {
      const width = half[index] ?? null;
      return width === null ? null : sum + sign * width;
    });
    this.chart.draw(hands, [{ label: player, style: 0, values: won, low: edge(-1), high: edge(1) }]);
  }
}

/** @param {HTMLFormElement} form */
function formQuery(form) {
  const given = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]).filter(([, value]) => value);
  return new URLSearchParams(/** @type {string[][]} */ (given));
}

/** @param {GroupResult} it */
function rateText({ rate, half }) {
  return `${signedNumber(rate)}${half === null ? "" : ` ± ${half.toLocaleString(language, { maximumFractionDigits: 1 })}`}`;
}

/**
 * @param {string} caption
 * @param {string} title
 * @param {GroupResult[]} rows
 */
function resultTable(caption, title, rows) {
  return table({
    caption,
    columns: [
      { key: "label", title, head: true, cell: (it) => html`${it.label}${it.mode ? html` <small>${modeText(it.mode)}</small>` : nothing}` },
      { key: "hands", title: _("Hands"), cell: (it) => formatCount(it.hands) },
      { key: "won", title: _("Big blinds"), cell: (it) => html`<span class="gain" data-sign=${Math.sign(it.won)}>${signedNumber(it.won)}</span>` },
      { key: "rate", title: html`<abbr title=${_("big blinds per 100 hands, with the 95 % interval")}>bb/100</abbr>`, cell: (it) => rateText(it) },
    ],
    rows,
  });
}

/**
 * @param {KnownPlayer[]} players
 * @param {string} days
 */
function playerList(players, days) {
  if (!players.length) return html`<p>${_("No hands are stored of this time, except those of house bots.")}</p>`;
  return table({
    caption: _("The last to play first, house bots left out"),
    columns: [
      { key: "player", title: _("Player"), head: true, cell: (it) => html`<a href="#statistics?${new URLSearchParams({ player: it.player, days })}" title=${it.player}><bdi>${it.player}</bdi></a>` },
      { key: "hands", title: _("Hands"), cell: (it) => formatCount(it.hands) },
      { key: "at", title: _("Last hand"), text: true, cell: (it) => html`<time datetime=${new Date(it.at).toISOString()}>${formatDate(it.at)}</time>` },
    ],
    rows: players,
  });
}
