// The front page: which tables there are, a seat at one of them, a table of one's own.

import { BASIC_BOTS, describeBot, loadBots } from "../lib/bots.js";
import { readCreateForm, tenTournaments } from "../lib/create_table.js";
import { createTableForm } from "./create_table_form.js";
import { NO_ERROR, consent, createTable, focusError, formControls, validate } from "./form.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { loadSettings, saveSettings } from "../lib/settings.js";
import { pluralize } from "../lib/words.js";

/**
 * @import {FormError} from "./form.js"
 * @import {CreateTable} from "../lib/messages.d.ts"
 * @import {Connection} from "../lib/net.js"
 */
/**
 * A table as `/api/tables` lists it.
 * @typedef {{table: string, name?: string, game: string, stakes: string, mode: string, seats: number, free: number,
 *   players: string[], kinds?: string[], hands: number}} Entry
 */

/** The field of the player's name. */
const NAME_FIELD = "name_of_player";
/** Milliseconds between two looks at the list. */
const POLL = 3000;
/** So many tables are seen at a glance; with more there is something to search with. */
const SEARCH_ABOVE = 6;

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const settings = loadSettings();
/** @type {Entry[] | null} */
let tables = null;
let problem = "";
/** The house bots to choose from. @type {readonly string[]} */
let bots = BASIC_BOTS;
/** Those that the form seats. @type {readonly string[]} */
let chosen = ["fair"];
/** What is looked for in the list. */
let filter = { text: "", mode: "", free: false };
/** The error of a form, and of which one. @type {FormError & {form: "own" | "human"}} */
let formError = { ...NO_ERROR, form: "own" };
/** @type {Connection | null} */
let connection = null;

async function poll() {
  if (!document.hidden) {
    try {
      const answer = await fetch("/api/tables");
      tables = /** @type {Entry[]} */ ((await answer.json()).tables).sort(compareTables);
      problem = "";
    } catch {
      problem = "The server does not answer. Trying again…";
    }
    draw();
  }
  setTimeout(poll, POLL);
}

/** @param {Entry} entry */
const takenSeats = (entry) => entry.seats - entry.free;
/** @param {Entry} entry */
const countPeople = (entry) => (entry.kinds ?? []).filter((kind) => kind === "person").length;

/**
 * Where one can sit comes first, among these where people are, then where others are.
 * @param {Entry} one
 * @param {Entry} other
 */
function compareTables(one, other) {
  return Number(other.free > 0) - Number(one.free > 0) || countPeople(other) - countPeople(one) || takenSeats(other) - takenSeats(one)
    || one.seats - other.seats || one.table.localeCompare(other.table, "en", { numeric: true });
}

/** The table with company and a free seat. */
function bestTable() {
  return (tables ?? []).find((entry) => entry.free > 0);
}

/**
 * @param {string} table
 * @param {boolean} sit
 */
function goToTable(table, sit) {
  location.href = `/table/${encodeURIComponent(table)}${sit ? "#sit" : ""}`;
}

/**
 * Opens a table and goes there.
 * @param {CreateTable} request
 * @param {boolean} sit
 * @param {"own" | "human"} form
 * @param {FormError} knownError found before the request is sent
 */
function openTable(request, sit, form, knownError = NO_ERROR) {
  connection?.close();
  connection = null;
  formError = { ...NO_ERROR, form };
  const nameless = { field: NAME_FIELD, text: "Enter a name first." };
  showFormError(settings.name ? knownError : nameless, form);
  if (!formError.text) {
    connection = createTable(settings.name, request, NAME_FIELD, (table) => goToTable(table, sit), (refused) => showFormError(refused, form));
  }
}

/**
 * @param {FormError} error
 * @param {"own" | "human"} form
 */
function showFormError(error, form) {
  const isShown = error.text === formError.text;
  formError = { ...error, form };
  draw();
  if (error.text && !isShown) focusError();
}

/** @param {Event & {currentTarget: HTMLFormElement}} event */
function submitForm(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const data = new FormData(form);
  const request = readCreateForm(data, bots);
  openTable(request, !data.has("exhibition"), "own", validate(form, request));
}

/**
 * Says what is wrong in the form when a field is left. What goes away, goes while somebody types: if it went when the field
 * is left for the button, the button would move away under the click.
 * @param {Event & {currentTarget: HTMLFormElement}} event
 */
function validateForm({ type, currentTarget: form }) {
  const data = new FormData(form);
  chosen = bots.filter((bot) => (data.get(bot) === "" ? chosen.includes(bot) : Number(data.get(bot)) > 0));
  if (type === "change" || formError.text) formError = { ...validate(form, readCreateForm(data, bots)), form: "own" };
  draw();
}

/** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
function startTenTournaments(event) {
  event.preventDefault();
  const data = new FormData(event.currentTarget);
  openTable(tenTournaments(String(data.get("opponent")), data.has("research")), true, "human");
}

/** @param {Event & {target: HTMLInputElement}} event */
function setName(event) {
  if (event.type === "change") {
    settings.name = event.target.value.trim();
    saveSettings(settings);
  }
  if (formError.field !== NAME_FIELD) return;
  formError = { ...NO_ERROR, form: formError.form };
  draw();
}

/** @param {Partial<typeof filter>} some */
function setFilter(some) {
  filter = { ...filter, ...some };
  draw();
}

/** @param {Entry} it */
function isListed(it) {
  const text = [it.table, it.name, gameName(it), ...it.players].join("\n").toLowerCase();
  return text.includes(filter.text.trim().toLowerCase()) && (!filter.mode || it.mode === filter.mode)
    && (!filter.free || it.free > 0);
}

function draw() {
  const isNameError = formError.field === NAME_FIELD;
  const nameControls = formControls(isNameError ? formError : NO_ERROR);
  const botControls = formControls(formError.form === "human" && !isNameError ? formError : NO_ERROR);
  render(html`
    <header class="top"><a class="home" href="/">pokerd</a><p>Poker for people and programs</p>
      <nav aria-label="Pages"><a href="/challenge">Challenge</a> <a href="/people">People</a> <a href="/competitions">Competitions</a></nav></header>
    <main>
      <section class="start box" aria-labelledby="start">
        <h1 id="start">Sit down and play</h1>
        ${nameControls.field(NAME_FIELD, "Your name at the tables", html`<input id="name" maxlength="24" autocomplete="nickname"
          aria-invalid=${nameControls.ariaInvalid(NAME_FIELD)} .value=${settings.name} @input=${setName} @change=${setName}>`, "name")}
        <button class="main" ?disabled=${!bestTable()} @click=${() => bestTable() && goToTable(bestTable()?.table ?? "", true)}>Play now</button>
        <p class="hint">Takes you to a free seat at a table with other players. No account, no money.</p>
      </section>
      <section class="ways" aria-label="Other ways to play">
        <form class="box way" @submit=${startTenTournaments} aria-labelledby="human">
          <h2 id="human">Ten tournaments against four bots</h2>
          <p>The classic test of people against bots: no-limit tournaments with 1,000 chips each and blinds that
            never rise, winner takes all. The table keeps count.</p>
          ${consent()}
          <div class="row"><label for="opponent">Bots</label>
            <select id="opponent" name="opponent">${bots.map((bot) => html`<option value=${bot}>${describeBot(bot)}</option>`)}</select>
            <button class="main">Start</button></div>
          ${botControls.otherError()}
        </form>
        <div class="box way">
          <h2>Challenge a bot</h2>
          <p>You and a bot play the same cards from the same seat, one after the other. At the end you see both results, hand
            by hand.</p>
          <p class="row"><a class="button" href="/challenge">Choose a rival</a></p>
        </div>
        <div class="box way">
          <h2>Competitions of bots</h2>
          <p>Standings, matches and hands of the competitions that bots have played here, or are playing now.</p>
          <p class="row"><a class="button" href="/competitions">See them</a></p>
        </div>
      </section>
      ${createTableForm(formError.form === "own" && !isNameError ? formError : NO_ERROR, submitForm, validateForm, bots, chosen)}
      <section aria-labelledby="open">
        <h2 id="open">Open tables</h2>
        ${problem ? html`<p class="error" role="status">${problem}</p>` : nothing}
        ${tableList()}
      </section>
    </main>
    <footer><a href="/organiser">For the organiser</a></footer>`, page);
}

function tableList() {
  if (tables === null) return html`<p class="hint">Loading…</p>`;
  if (!tables.length) return html`<p class="hint">No table is open. You can open one.</p>`;
  const found = tables.filter(isListed);
  return html`
    ${tables.length > SEARCH_ABOVE ? html`<div class="filter" role="search" aria-label="Tables">
      <label>Find <input type="search" placeholder="table, game or player" .value=${filter.text}
        @input=${(/** @type {InputEvent & {target: HTMLInputElement}} */ event) => setFilter({ text: event.target.value })}></label>
      <label>Kind <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => setFilter({ mode: event.target.value })}>
        <option value="">all</option><option value="cash">cash</option><option value="tournament">tournament</option><option value="challenge">challenge</option></select></label>
      <label><input type="checkbox" .checked=${filter.free}
        @change=${(/** @type {Event & {target: HTMLInputElement}} */ event) => setFilter({ free: event.target.checked })}> with a free seat</label>
      <p class="hint" role="status">${found.length} of ${tables.length} tables</p>
    </div>` : nothing}
    ${found.length ? html`<ul class="tables">${found.map(tableCard)}</ul>` : html`<p class="hint">No table matches.</p>`}`;
}

/** @param {Entry} it */
function tableCard(it) {
  const name = it.name || it.table;
  const players = it.players.map((player, seat) => ({ player, bot: it.kinds?.[seat] === "bot" })).filter(({ player }) => player);
  return html`<li class="box">
    <h3>${name}</h3>
    <p>${gameName(it)}, ${it.mode}</p>
    <ul class="players" aria-label="Players">${players.length
      ? players.map(({ player, bot }) => html`<li><bdi>${player}</bdi>${bot ? html` <span class="tag">bot</span>` : nothing}</li>`)
      : html`<li>nobody yet</li>`}</ul>
    <p>${takenSeats(it)} of ${it.seats} seats taken${it.hands ? `, ${pluralize(it.hands, "hand")}` : ""}</p>
    <div class="row">
      <button class="main" ?disabled=${!it.free} aria-label="${it.free ? "Play at" : "Full:"} ${name}" @click=${() => goToTable(it.table, true)}>${it.free ? "Play" : "Full"}</button>
      <button aria-label="Watch ${name}" @click=${() => goToTable(it.table, false)}>Watch</button>
    </div>
  </li>`;
}

/** "No-limit hold'em 5/10". @param {Entry} it */
function gameName({ stakes }) {
  return stakes.charAt(0).toUpperCase() + stakes.slice(1);
}

document.addEventListener("visibilitychange", draw);
draw();
poll();
loadBots((found) => {
  bots = found;
  draw();
});
