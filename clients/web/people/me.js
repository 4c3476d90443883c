// How this browser's player did: winnings over time, how he plays, his biggest hands.

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { formatCount, formatDate, gameName, sampleIndexes } from "../competition/data.js";
import { styleTable } from "../competition/style_table.js";
import { downloads, table } from "../competition/tables.js";
import { Chart, swatch } from "../lib/chart.js";
import { copyToClipboard } from "../lib/share.js";
import { _, fixedNumber, ngettext } from "../lib/language.js";
import { loadSettings, saveSettings } from "../lib/settings.js";
import { modeText, signedNumber } from "../lib/words.js";
import { pageHeader } from "../look/look.js";

/** @import {Counts} from "../competition/style_table.js" */
/**
 * As in the API (`docs/api.md`): big blinds or chips, the same per 100 hands, milliseconds since 1970.
 * @typedef {{label: string, mode: string, hands: number, won: number, rate: number, half: number | null, at: number}} Group
 * @typedef {{hands: number[], won: number[], half: (number | null)[]}} Curve
 * @typedef {{hand: string, at: number, mode: string, game: string, position: string, won: number, adjusted: number}} Hand
 * @typedef {{hands: number, complete: boolean, total: Group, adjusted: Group, curve: Curve, adjusted_curve: Curve,
 *   sessions: Group[], style: Counts, positions: (Counts & {position: string})[], biggest: Hand[], without_luck: Group | null}} Results
 */

/** Sessions that are listed, and rows of the curve as a table. */
const SESSIONS = 20;
const CURVE_ROWS = 20;
const AS_PLAYED = _("As played");
const CORRECTED = _("All-ins by equity");
const WITHOUT_LUCK = _("Corrected for luck");

/** What results are told in: the heading of a column, per 100 hands and in full, the axis, and the chart in words. */
const UNITS = {
  big_blinds: {
    title: _("Big blinds"), rate: html`<abbr title=${_("big blinds per 100 hands")}>bb/100</abbr>`, axis: _("big blinds"), won: _("Big blinds won"),
    chart: _("Big blinds won after each hand, as played and with all-ins by equity. A table with the values follows."),
  },
  chips: {
    title: _("Chips"), rate: html`<abbr title=${_("chips per 100 hands")}>${_("chips/100")}</abbr>`, axis: _("chips"), won: _("Chips won"),
    chart: _("Chips won after each hand, as played and with all-ins by equity. A table with the values follows."),
  },
};

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {Results | null} */
let results = null;
/** @type {Chart | null} */
let chart = null;
let problem = "";
let notice = "";
let deviceLink = "";
const settings = loadSettings();
/** What a link from another device ends with, or "". */
let invitation = location.hash.slice(1);

async function load() {
  try {
    do {
      const unit = settings.resultsIn;
      const answer = await fetch(`/api/me?unit=${unit}`);
      if (unit !== settings.resultsIn) return;
      if (!answer.ok) throw new Error(String(answer.status));
      results = await answer.json();
      draw();
    } while (results && !results.complete);
  } catch {
    problem = _("The server does not answer. Try again later.");
    draw();
  }
}

/** @param {"big_blinds" | "chips"} unit */
function setUnit(unit) {
  saveSettings(settings, { resultsIn: unit });
  chart?.close();
  chart = null;
  load();
}

async function makeLink() {
  try {
    const answer = await fetch("/api/me/device", { method: "POST" });
    if (!answer.ok) throw new Error(String(answer.status));
    deviceLink = `${location.origin}/me#${(await answer.json()).token}`;
  } catch {
    notice = _("The server does not answer. Try again later.");
  }
  draw();
}

async function copyLink() {
  notice = await copyToClipboard(deviceLink, _("Copied."));
  draw();
}

/** Become who made the link that led here. */
async function arrive() {
  try {
    const answer = await fetch(`/api/me/device/${encodeURIComponent(invitation)}`, { method: "POST" });
    problem = answer.ok ? "" : _("This link is too old. Make a new one on the other device.");
  } catch {
    problem = _("The server does not answer. Try again later.");
  }
  refuse();
}

/** Stay who this browser is. */
function refuse() {
  invitation = "";
  history.replaceState(null, "", "/me");
  draw();
  load();
}

/** Whoever follows a link is asked first: what this browser played is his no longer. */
function arrival() {
  return html`<section class="box" aria-labelledby="arrive"><h2 id="arrive">${_("Take your results here?")}</h2>
    <p>${_("This browser becomes the one that made the link. What it has played itself is no longer found.")}</p>
    <p class="row start-row"><button class="main" @click=${arrive}>${_("Yes, take them here")}</button> <button @click=${refuse}>${_("No")}</button></p></section>`;
}

function draw() {
  render(html`
    ${pageHeader("/me")}
    <main>
      <h1>${_("My results")}</h1>
      ${problem ? html`<p class="banner" role="status">${problem}</p>` : nothing}
      ${invitation ? arrival() : results === null ? (problem ? nothing : html`<p class="hint">${_("Loading…")}</p>`)
        : results.hands ? played(results)
        : html`<p>${_("You have not finished a hand at a table here. {link}: your results appear here after the first one.", { link: html`<a href="/">${_("Take a seat")}</a>` })}</p>`}
    </main>`, page);
  drawCurve();
}

/** @param {Results} found */
function played({ hands, complete, total, adjusted, curve, adjusted_curve: corrected, sessions, style, positions, biggest, without_luck: withoutLuck }) {
  const unit = UNITS[settings.resultsIn];
  return html`
    <p class="lead">${complete ? ngettext("{n} hand of this browser, found by its cookie.", "{n} hands of this browser, found by its cookie.", hands)
      : ngettext("{n} hand of this browser, more are being counted, found by its cookie.", "{n} hands of this browser, more are being counted, found by its cookie.", hands)}
      ${_("Ranges are 95 % intervals.")} ${_("{title}: {text}", { title: html`<b>${CORRECTED}</b>`, text: _("who is all in gets what his cards win on average, whatever the board brought.") })}</p>
    <section aria-labelledby="won"><h2 id="won">${_("Won and lost")}</h2>
      <div class="segments" role="radiogroup" aria-label=${_("Results in")}>${Object.entries(UNITS).map(([key, { title }]) => html`<label><input type="radio" name="unit" value=${key}
        .checked=${key === settings.resultsIn} @change=${() => setUnit(/** @type {"big_blinds" | "chips"} */ (key))}><span>${title}</span></label>`)}</div>
      ${table({
        caption: _("In all"),
        columns: [
          { key: "kind", title: _("Result"), head: true, cell: (/** @type {{name: string, style: number | null, group: Group}} */ row) => html`${row.style === null ? nothing : swatch(row.style)} ${row.name}` },
          { key: "won", title: unit.title, cell: ({ group }) => signedNumber(group.won) },
          { key: "rate", title: unit.rate, cell: ({ group }) => rate(group) },
          { key: "hands", title: _("Hands"), cell: ({ group }) => formatCount(group.hands) },
        ],
        rows: [
          { name: AS_PLAYED, style: 0, group: total }, { name: CORRECTED, style: 1, group: adjusted },
          ...withoutLuck ? [{ name: WITHOUT_LUCK, style: null, group: withoutLuck }] : [],
        ],
      })}
      ${adjusted.half === null ? html`<p class="hint">${_("Ranges come with the tenth hand.")}</p>`
        : Math.abs(adjusted.rate) <= adjusted.half ? html`<p class="hint">${_("That could be luck: the range holds 0.")}</p>` : nothing}
      <p class="hint">${_("{title}: {text}", { title: html`<b>${WITHOUT_LUCK}</b>`, text: _("what all cards brought is taken out, also those you did not see, and what the bots’ dice brought. It covers hands at cash tables against our bots alone, of days that are over and had at least 50: for a single hand it would tell you their cards.") })}</p>
      <div class="chart" role="img" aria-label=${unit.chart}></div>
      <details><summary>${_("The same as a table")}</summary>${table({
        caption: unit.won,
        columns: [
          { key: "hands", title: _("After hand"), head: true, cell: (/** @type {number} */ at) => formatCount(curve.hands[at] ?? 0) },
          { key: "won", title: AS_PLAYED, cell: (at) => signedNumber(curve.won[at] ?? 0) },
          { key: "adjusted", title: CORRECTED, cell: (at) => html`${signedNumber(corrected.won[at] ?? 0)}${half(corrected.half[at] ?? null)}` },
        ],
        rows: sampleIndexes(curve.hands.length, CURVE_ROWS),
      })}</details></section>
    <section aria-labelledby="style"><h2 id="style">${_("How you play")}</h2>
      ${styleTable(ngettext("{n} hand by position", "{n} hands by position", hands), style, positions)}</section>
    <section aria-labelledby="biggest"><h2 id="biggest">${_("Your biggest hands")}</h2>${table({
      caption: _("The most won and lost in one hand"),
      columns: [
        { key: "won", title: unit.title, head: true, cell: (/** @type {Hand} */ hand) => html`<a href="/hand/${hand.hand}">${signedNumber(hand.won)}</a>` },
        { key: "position", title: _("Position"), text: true, cell: (hand) => hand.position },
        { key: "game", title: _("Game"), text: true, cell: (hand) => gameName(hand.game) },
        { key: "at", title: _("When"), text: true, cell: (hand) => formatDate(hand.at) },
      ],
      rows: biggest,
    })}
      <p>${_("Your calls and folds that lost most are a drill: {link}.", { link: html`<a href="/spots">${_("your own spots")}</a>` })}</p></section>
    <section aria-labelledby="sessions"><h2 id="sessions">${_("Your sessions")}</h2>${table({
      caption: sessions.length > SESSIONS ? _("The last {n}", { n: SESSIONS }) : _("Newest first"),
      columns: [
        { key: "at", title: _("When"), head: true, cell: (/** @type {Group} */ one) => formatDate(one.at) },
        { key: "mode", title: _("Kind"), text: true, cell: (one) => modeText(one.mode) },
        { key: "hands", title: _("Hands"), cell: (one) => formatCount(one.hands) },
        { key: "won", title: unit.title, cell: (one) => signedNumber(one.won) },
        { key: "rate", title: unit.rate, cell: (one) => rate(one) },
      ],
      rows: sessions.slice(0, SESSIONS),
    })}</section>
    <p>${_("Short stacks can be trained: {link}, judged by the exact solution.", { link: html`<a href="/push-fold">${_("push or fold")}</a>` })}</p>
    ${downloads("/api/me", "/api/me/hands.csv")}
    <section aria-labelledby="device"><h2 id="device">${_("On another device")}</h2>
      <p>${_("A link takes your results and your seats along to another browser. It is good for a quarter of an hour; give it to nobody else.")}</p>
      ${deviceLink ? html`<p class="row start-row"><input class="address" readonly aria-label=${_("Link for your other device")} .value=${deviceLink}>
        <button class="main" @click=${copyLink}>${_("Copy link")}</button></p>` : html`<p><button @click=${makeLink}>${_("Make a link")}</button></p>`}
      <p role="status">${notice}</p></section>`;
}

function drawCurve() {
  const host = /** @type {HTMLElement | null} */ (page.querySelector(".chart"));
  if (!host || !results) return;
  chart ??= new Chart(host, { x: _("hand"), y: UNITS[settings.resultsIn].axis });
  const { hands, won } = results.curve;
  const { won: adjusted, half: halves } = results.adjusted_curve;
  const edge = (/** @type {1 | -1} */ side) => adjusted.map((value, at) => {
    const width = halves[at] ?? null;
    return width === null ? null : value + side * width;
  });
  chart.draw(hands, [
    { label: AS_PLAYED, style: 0, values: won },
    { label: _("By equity"), style: 1, values: adjusted, low: edge(-1), high: edge(1) },
  ]);
}

/** @param {number | null} width */
function half(width) {
  return width === null ? nothing : html` <span class="half">± ${fixedNumber(Math.abs(width))}</span>`;
}

/** @param {Group} group */
function rate(group) {
  return html`${signedNumber(group.rate)}${half(group.half)}`;
}

draw();
if (!invitation) load();
