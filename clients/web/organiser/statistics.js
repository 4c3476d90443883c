// What a player won at open tables over time: in all, as a curve, by game, by day and by session.

import { Chart } from "../lib/chart.js";
import { formatCount, formatDate } from "../competition/data.js";
import { table } from "../competition/tables.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { pluralize, signedNumber } from "../lib/words.js";

/**
 * @import {GroupResult, KnownPlayer, Statistics} from "./api.js"
 * @import {App} from "./app.js"
 */

const PERIODS = [["7", "7 days"], ["30", "30 days"], ["90", "90 days"], ["365", "a year"], ["3650", "ten years"]];
const MODES = [["", "all tables"], ["cash", "cash tables"], ["tournament", "tournaments"], ["challenge", "challenges"]];

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
    return html`<section aria-labelledby="statistics"><h2 id="statistics">${player ? html`Statistics of <bdi>${player}</bdi>` : "Who played here"}</h2>
      <form class="line" @submit=${(/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
        event.preventDefault();
        this.requested = "";
        location.hash = `#statistics?${formQuery(event.currentTarget)}`;
        this.app.draw();
      }}>
        <div class="pair long"><label for="player">Player</label><input id="player" name="player" maxlength="64" autocomplete="off" spellcheck="false" .value=${player} list="known"></div>
        <datalist id="known">${(players ?? []).map((it) => html`<option value=${it.player}></option>`)}</datalist>
        <div class="pair"><label for="days">Last</label><select id="days" name="days">${PERIODS.map(([value, text]) => html`<option value=${value} ?selected=${value === days}>${text}</option>`)}</select></div>
        <div class="pair"><label for="mode">At</label><select id="mode" name="mode">${MODES.map(([value, text]) => html`<option value=${value} ?selected=${value === mode}>${text}</option>`)}</select></div>
        <button class="main">Show</button>
      </form>
      ${this.isLoading ? html`<p class="hint" role="status">Adding up the hands…</p>` : player ? found && this.#results(found) : players && playerList(players, days)}
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
    const note = it.complete ? "" : ` Only the last ${formatCount(it.looked_at)} hands of all players were searched.`;
    if (!total.hands) return html`<p role="status">No hand of this player was found.${note}</p><p><a href="#statistics">Who played here?</a></p>`;
    return html`
      <dl class="facts box">
        <dt>Hands</dt><dd>${formatCount(total.hands)}${note}</dd>
        <dt>Won</dt><dd>${signedNumber(total.won)} big blinds</dd>
        <dt>Per 100 hands</dt><dd>${rateText(total)} big blinds${total.half === null ? " (an interval needs ten hands)" : ", 95 % interval"}</dd>
        <dt>Last hand</dt><dd><time datetime=${new Date(total.at).toISOString()}>${formatDate(total.at)}</time></dd>
        <dt>Browsers</dt><dd>${it.browsers ? `the name was used in ${pluralize(it.browsers, "browser")}` : "none: a program, or a person without a cookie"}</dd>
      </dl>
      <div class="chart" role="img" aria-label="Big blinds won by ${it.player} after each hand. Tables with the values follow."></div>
      <p class="hint">Big blinds won so far, with a 95 % band. In tournaments a hand counts in the big blind of its level.</p>
      ${resultTable("By game", "Game", it.games)}
      ${resultTable("By day (UTC)", "Day", it.days)}
      ${resultTable("By session, from a table's opening to its closing", "Session", it.sessions)}`;
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
    this.chart ??= new Chart(host, { x: "hands", y: "big blinds" });
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
  return `${signedNumber(rate)}${half === null ? "" : ` ± ${half.toLocaleString("en-US", { maximumFractionDigits: 1 })}`}`;
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
      { key: "label", title, head: true, cell: (it) => html`${it.label}${it.mode ? html` <small>${it.mode}</small>` : nothing}` },
      { key: "hands", title: "Hands", cell: (it) => formatCount(it.hands) },
      { key: "won", title: "Big blinds", cell: (it) => html`<span class="gain" data-sign=${Math.sign(it.won)}>${signedNumber(it.won)}</span>` },
      { key: "rate", title: html`<abbr title="big blinds per 100 hands, with the 95 % interval">bb/100</abbr>`, cell: (it) => rateText(it) },
    ],
    rows,
  });
}

/**
 * @param {KnownPlayer[]} players
 * @param {string} days
 */
function playerList(players, days) {
  if (!players.length) return html`<p>No hands are stored of this time, except those of house bots.</p>`;
  return table({
    caption: "The last to play first, house bots left out",
    columns: [
      { key: "player", title: "Player", head: true, cell: (it) => html`<a href="#statistics?${new URLSearchParams({ player: it.player, days })}" title=${it.player}><bdi>${it.player}</bdi></a>` },
      { key: "hands", title: "Hands", cell: (it) => formatCount(it.hands) },
      { key: "at", title: "Last hand", text: true, cell: (it) => html`<time datetime=${new Date(it.at).toISOString()}>${formatDate(it.at)}</time>` },
    ],
    rows: players,
  });
}
