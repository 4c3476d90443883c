// Bankroll curves with their bands: a chart, its values at a point, and the same as a table.

import { Chart, swatch } from "../lib/chart.js";
import { formatCount, routeLink, sampleIndexes } from "./data.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ngettext } from "../lib/language.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { downloads, table } from "./tables.js";
import { apiAddress } from "./views.js";
import { signedNumber } from "../lib/words.js";

/** @import {Competition, Division, Route, Standings} from "./data.js" */
/** @import {Loader} from "./loader.js" */
/**
 * As in the API.
 * @typedef {{mean: number[], low: (number | null)[], high: (number | null)[]}} Curve
 * @typedef {{division: string, big_blind: number, seatings: number, seating: number, sets: number[],
 *   bots: {bot: string, raw: Curve, duplicate: Curve}[]}} Curves
 */

/** Bots that are shown unless others are chosen, and milliseconds between two answers while it is played. */
const SHOWN_BOTS = 6;
const MIN_INTERVAL = 8000;
/** Rows of the table with the same values. */
const TABLE_ROWS = 20;

/** The section with the curves: the selected point, and the chart. */
export class CurvesView {
  /**
   * @param {Loader} loader
   * @param {(link: string) => void} navigate
   * @param {() => void} draw
   */
  constructor(loader, navigate, draw) {
    this.loader = loader;
    this.navigate = navigate;
    this.draw = draw;
    /** The selected point; null: the last one. @type {number | null} */
    this.pointIndex = null;
    /** @type {Chart | null} */
    this.chart = null;
    /** What the chart shows, to redraw it only when that has changed. @type {unknown[]} */
    this.drawnValues = [];
    /** @type {Curves | null} */
    this.curves = null;
    /** @type {{bot: string, style: number, curve: Curve}[]} */
    this.lines = [];
    this.unit = "";
  }

  /**
   * @param {Competition} it
   * @param {Division} division
   * @param {Standings | undefined} ranked
   * @param {Route} route
   */
  template(it, division, ranked, route) {
    const raw = route.query.get("curve") === "raw";
    const seating = Math.min(division.seatings - 1, Math.max(0, Math.trunc(Number(route.query.get("seating"))) || 0));
    const query = new URLSearchParams([["division", division.division], ["seating", String(seating)]]);
    const done = it.divisions.map((one) => one.sessions_done).join();
    const answer = this.loader.get(`${apiAddress(it)}/curves?${query}`, `${it.status} ${done}`, it.status === "running" ? MIN_INTERVAL : 0);
    this.curves = answer.data;
    const best = ranked ? ranked.ranking.map((row) => row.bot) : division.bots;
    const wanted = route.query.getAll("show");
    const shown = wanted.length ? wanted : best.slice(0, SHOWN_BOTS);
    this.lines = (this.curves?.bots ?? []).flatMap((one, style) => (shown.includes(one.bot) ? [{ bot: one.bot, style, curve: raw ? one.raw : one.duplicate }] : []));
    this.unit = division.mode === "tournament" ? _("starting stacks") : _("big blinds");
    /** @type {(changes: Partial<{raw: boolean, seating: number, show: string[]}>) => void} */
    const choose = (changes) => {
      const now = { raw, seating, show: wanted, ...changes };
      this.navigate(routeLink(division.division, "curves", "", [
        ["curve", now.raw ? "raw" : ""], ["seating", now.raw && now.seating ? String(now.seating) : ""], ...now.show.map((bot) => /** @type {const} */ (["show", bot])),
      ]));
    };
    return html`
      <fieldset class="choice"><legend>${_("Winnings")}</legend>
        <label><input type="radio" name="curve" .checked=${live(!raw)} @change=${() => choose({ raw: false })}> ${_("without the luck of the cards (duplicate)")}</label>
        <label><input type="radio" name="curve" .checked=${live(raw)} @change=${() => choose({ raw: true })}> ${_("in a single seating (raw)")}</label>
        ${raw ? html`<label>${_("Seating")} <select @change=${(/** @type {Event} */ event) => choose({ seating: Number(/** @type {HTMLSelectElement} */ (event.target).value) })}>${
          Array.from({ length: division.seatings }, (each, index) => html`<option value=${index} ?selected=${index === seating}>${index}</option>`)}</select></label>` : nothing}
      </fieldset>
      ${answer.note ? html`<p class=${answer.status === 202 ? "hint" : "error"} role="status">${answer.status === 202 ? _("Computing the curves: {progress}…", { progress: _(answer.note.split(";")[0] ?? "") }) : _(answer.note)}</p>` : nothing}
      ${!this.curves ? (answer.note ? nothing : html`<p class="hint" role="status">${_("Computing the curves…")}</p>`)
        : !this.curves.sets.length ? html`<p>${it.status === "unfinished" ? _("There are no hands to show.") : _("Curves appear with the first hands, once all sessions with the same deals are over.")}</p>`
        : this.#drawing(this.curves, raw, shown, (show) => choose({ show }))}
      ${downloads(`${apiAddress(it)}/curves?${query}`, `${apiAddress(it)}/curves.csv?${query}`)}`;
  }

  /**
   * @param {Curves} curves
   * @param {boolean} raw
   * @param {string[]} shown
   * @param {(bots: string[]) => void} choose
   */
  #drawing(curves, raw, shown, choose) {
    const last = curves.sets.length - 1;
    const at = Math.min(this.pointIndex ?? last, last);
    const names = this.lines.map((line) => line.bot).join(", ");
    const caption = raw ? _("Winnings in {unit} in seating {n}", { unit: this.unit, n: curves.seating }) : _("Winnings in {unit} over all seatings", { unit: this.unit });
    const after = ngettext("After {n} deal", "After {n} deals", curves.sets[at] ?? 0);
    /** @type {(event: Event) => void} */
    const selectPoint = (event) => {
      this.pointIndex = Number(/** @type {HTMLInputElement} */ (event.target).value);
      this.chart?.moveCursor(this.pointIndex);
      this.draw();
    };
    return html`
      <div class="chart" role="img" aria-label=${_("{title}: curves of {names}. A table with the values follows.", { title: caption, names })}></div>
      <label class="slide">${after}
        <input type="range" min="0" max=${last} .value=${live(String(at))} @input=${selectPoint} aria-valuetext=${after}></label>
      <ul class="lines" aria-label=${_("Bots")}>${curves.bots.map(({ bot, raw: one, duplicate }, index) => {
        const on = shown.includes(bot);
        return html`<li><label><input type="checkbox" .checked=${live(on)} @change=${() => choose(on ? shown.filter((name) => name !== bot) : [...shown, bot])}>
          ${swatch(index)} <span class="who">${bot}</span></label> <span class="value">${on ? this.#value(raw ? one : duplicate, at) : ""}</span></li>`;
      })}</ul>
      <p class="hint">${this.unit === _("big blinds") ? _("Chips won so far, divided by the big blind and averaged over line-ups. The shade is a 95 % band.") : _("Chips won so far, divided by the starting stack and averaged over line-ups. The shade is a 95 % band.")}</p>
      <details><summary>${_("The same as a table")}</summary>
        ${table({
          caption,
          columns: [
            { key: "sets", title: _("Deals"), head: true, cell: (index) => formatCount(curves.sets[index] ?? 0) },
            ...this.lines.map(({ bot, curve }) => ({ key: bot, title: bot, cell: (/** @type {number} */ index) => this.#value(curve, index) })),
          ],
          rows: sampleIndexes(curves.sets.length, TABLE_ROWS),
        })}</details>`;
  }

  /**
   * @param {Curve} curve
   * @param {number} index
   */
  #value({ mean, low, high }, index) {
    const scale = this.curves?.big_blind ?? 1;
    const [lowest, highest] = [low[index] ?? null, high[index] ?? null];
    return `${signedNumber((mean[index] ?? 0) / scale)}${lowest === null || highest === null ? "" : ` ± ${formatCount(Number(((highest - lowest) / 2 / scale).toFixed(1)))}`}`;
  }

  /** The page has been drawn: now there is an element for the chart, or no longer. */
  afterDraw() {
    const host = /** @type {HTMLElement | null} */ (document.querySelector("main .chart"));
    if (this.chart && this.chart.host !== host) {
      this.chart.close();
      this.chart = null;
      this.drawnValues = [];
    }
    const { curves, lines } = this;
    if (!host || !curves) return;
    this.chart ??= new Chart(host, {
      x: _("deals"), y: this.unit,
      onCursor: (index) => {
        this.pointIndex = index;
        this.draw();
      },
    });
    const now = [curves, ...lines.flatMap((line) => [line.bot, line.curve])];
    if (now.length === this.drawnValues.length && now.every((value, index) => value === this.drawnValues[index])) return;
    this.drawnValues = now;
    /** @type {(values: (number | null)[]) => (number | null)[]} */
    const scaled = (values) => values.map((value) => (value === null ? null : value / curves.big_blind));
    this.chart.draw(curves.sets, lines.map(({ bot, style, curve }) => ({
      label: bot, style, values: curve.mean.map((value) => value / curves.big_blind), low: scaled(curve.low), high: scaled(curve.high),
    })));
    if (this.pointIndex !== null) this.chart.moveCursor(Math.min(this.pointIndex, curves.sets.length - 1));
  }
}
