// The front page: which tables there are, a seat at one of them, a table of one's own.

import { BASIC_BOTS, firstRival, loadBots } from "../lib/bots.js";
import { canKeepResult, firstOpponent, quickGame, readCreateForm, tenTournaments, usualMemory } from "../lib/create_table.js";
import { createTableForm } from "./create_table_form.js";
import { DayButton, loadDay } from "./day.js";
import { blindsText, dayBefore, listNames, rankText, streakText } from "./day_words.js";
import { FeaturedTable } from "./featured.js";
import { NO_ERROR, createTable, focusError, formControls, validate } from "./form.js";
import { tenTournamentsForm } from "./ten_tournaments_form.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { STYLES_AFTER, hud, loadStyles, placeOf } from "../table/hud.js";
import { statusLine, tournamentOf } from "../tournament/words.js";
import { drawnCard } from "../look/card_art.js";
import { characterName, lineUp, shownNames } from "../look/characters.js";
import { avatar, faceOf } from "../look/faces.js";
import { pageHeader } from "../look/look.js";
import { tableName } from "../look/table_names.js";
import { ensureName, loadSettings, saveSettings } from "../lib/settings.js";
import { MAX_TABLES, besideAddress, tablesWindow } from "../lib/shared_connection.js";
import { joinTemplates, joinWords } from "../lib/cards.js";
import { _, ngettext } from "../lib/language.js";
import { capitalize, modeText, stakesText, statusText } from "../lib/words.js";

/**
 * @import {Style} from "../table/hud.js"
 * @import {FormError} from "./form.js"
 * @import {CreateTable} from "../lib/messages.d.ts"
 * @import {Entry} from "./featured.js"
 * @import {Level} from "../look/characters.js"
 * @import {Day} from "./day_words.js"
 * @import {Summary} from "../tournament/words.js"
 */

/** The field of the player's name. */
const NAME_FIELD = "name_of_player";
/** Opponents of who wants to play at once. */
const OPPONENTS = 5;
/** Milliseconds between two looks at the list. */
const POLL = 3000;
/** So many tables are seen at a glance; with more there is something to search with. */
const SEARCH_ABOVE = 6;

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const settings = loadSettings();
/** @type {Entry[] | null} */
let tables = null;
let problem = "";
/** How players play, by name: there a little later, or not at all. @type {Map<string, Style>} */
let styles = new Map();
/** When to ask for them again. */
let stylesDue = 0;
/** The house bots to choose from. @type {readonly string[]} */
let bots = BASIC_BOTS;
/** Those that the form seats. @type {readonly string[]} */
let chosen = chosenAtFirst(BASIC_BOTS);
/** Whether somebody has filled in the form: then no bots are chosen for him. */
let isFilledIn = false;
/** Whether its result may be kept. */
let canKeep = false;
/** What is chosen in the form of the ten tournaments; "" as long as nothing is. */
let ten = { opponent: "", memory: "" };
/** The competition that runs or ran last. @type {{competition: string, name: string, status: string, bots: string[]} | null} */
let competition = null;
/** The hands that everybody plays today. @type {Day | null} */
let today = null;
/** The tournaments over several tables that take entries or run. @type {readonly Summary[]} */
let tournaments = [];
/** What is looked for in the list. */
let filter = { text: "", mode: "", free: false };
/** The error of a form, and of which one. @type {FormError & {form: "own" | "human" | "quick"}} */
let formError = { ...NO_ERROR, form: "own" };
/** @type {ReturnType<typeof createTable> | null} */
let connection = null;

async function poll() {
  if (!document.hidden) {
    refreshStyles();
    try {
      const answer = await fetch("/api/tables");
      // Tables of tournaments are in the lobby of theirs.
      tables = /** @type {Entry[]} */ ((await answer.json()).tables).filter(({ table }) => !tournamentOf(table)).sort(compareTables);
      featured.choose(tables);
      const events = await fetch("/api/tournaments");
      if (events.ok) tournaments = /** @type {Summary[]} */ ((await events.json()).tournaments).filter(({ status }) => status === "open" || status === "running");
      problem = "";
    } catch {
      problem = _("The server does not answer. Trying again…");
    }
    draw();
  }
  setTimeout(poll, POLL);
}

/** Asks how everybody plays, as often as it may have changed. */
function refreshStyles() {
  if (performance.now() < stylesDue) return;
  stylesDue = performance.now() + STYLES_AFTER;
  loadStyles().then((found) => {
    styles = found;
    draw();
  }, () => undefined);
}

/** @param {Entry} entry */
const takenSeats = (entry) => entry.seats - entry.free;
/** @param {Entry} entry */
const countPeople = (entry) => (entry.kinds ?? []).filter((kind) => kind === "person").length;

/**
 * Where people are comes first, then where one can sit, then where others are.
 * @param {Entry} one
 * @param {Entry} other
 */
function compareTables(one, other) {
  return countPeople(other) - countPeople(one) || Number(other.free > 0) - Number(one.free > 0) || takenSeats(other) - takenSeats(one)
    || one.seats - other.seats || one.table.localeCompare(other.table, "en", { numeric: true });
}

/** Whether a table's address leads somewhere: one that is closed has no page. @param {string} address */
const isOpen = (address) => (tables ?? []).some(({ table }) => address === `/table/${encodeURIComponent(table)}`);

/** The tables where I sit. */
const myTables = () => (tables ?? []).filter((it) => settings.name && it.players.some((player, seat) => player === settings.name && it.kinds?.[seat] === "person")).map(({ table }) => table);

/** Goes where I sit already, or to company at a table like the one it opens otherwise, against bots. */
async function playNow() {
  await botsLoading;
  ensureName(settings);
  const game = quickGame(lineUp(bots, settings.level, OPPONENTS), OPPONENTS + 1);
  const open = (tables ?? []).filter((it) => it.mode === "cash" && it.stakes.startsWith("no-limit"));
  const alike = open.filter((it) => it.seats === game.seats && it.stakes === `no-limit hold'em ${game.small_blind}/${game.big_blind}`);
  const found = open.find((it) => it.players.includes(settings.name)) ?? alike.find((it) => it.free > 0 && countPeople(it) > 0);
  if (found) return goToTable(found.table, true);
  openTable(game, true, "quick");
}

async function playDuel() {
  await botsLoading;
  ensureName(settings);
  openTable(quickGame([firstRival(bots)], 2), true, "quick");
}

/** The bots that the form seats unless somebody chooses others. @param {readonly string[]} all */
function chosenAtFirst(all) {
  const rival = new URLSearchParams(location.search).get("rival") ?? "";
  return all.includes(rival) ? [rival] : lineUp(all, "solid", 3);
}

async function loadToday() {
  try {
    today = await loadDay("today");
    draw();
  } catch {
    // Then they are not named.
  }
}

async function loadCompetition() {
  try {
    const answer = await fetch("/api/competitions");
    const { competitions } = /** @type {{competitions: NonNullable<typeof competition>[]}} */ (await answer.json());
    competition = competitions.find(({ status }) => status === "running") ?? competitions[0] ?? null;
    draw();
  } catch {
    // Then none is named.
  }
}

/**
 * @param {string} table
 * @param {boolean} sit
 */
function goToTable(table, sit) {
  if (tablesWindow()?.showTable(table)) return;
  const others = tablesWindow() ? [] : myTables().filter((other) => other !== table);
  if (others.length) {
    location.href = besideAddress([...others.slice(0, MAX_TABLES - 1), table], sit ? `&sit=${encodeURIComponent(table)}` : "");
    return;
  }
  location.href = `/table/${encodeURIComponent(table)}${sit ? "#sit" : ""}`;
}

/**
 * Opens a table and goes there.
 * @param {CreateTable} request
 * @param {boolean} sit
 * @param {"own" | "human" | "quick"} form
 * @param {FormError} knownError found before the request is sent
 */
function openTable(request, sit, form, knownError = NO_ERROR) {
  connection?.close();
  connection = null;
  formError = { ...NO_ERROR, form };
  const nameless = { field: NAME_FIELD, text: _("Enter a name first.") };
  showFormError(settings.name ? knownError : nameless, form);
  if (!formError.text) {
    connection = createTable(settings.name, request, NAME_FIELD, (table) => {
      saveSettings(settings, { request: { table, create: request } });
      goToTable(table, sit);
    }, (refused) => showFormError(refused, form));
  }
}

/**
 * @param {FormError} error
 * @param {"own" | "human" | "quick"} form
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
  isFilledIn = true;
  chosen = bots.filter((bot) => (data.get(bot) === "" ? chosen.includes(bot) : Number(data.get(bot)) > 0));
  const request = readCreateForm(data, bots);
  canKeep = canKeepResult(request);
  if (type === "change" || formError.text) formError = { ...validate(form, request), form: "own" };
  draw();
}

/** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
function startTenTournaments(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const request = tenTournaments(new FormData(form));
  openTable(request, true, "human", validate(form, request));
}

/** @param {Event & {currentTarget: HTMLFormElement}} event */
function validateTenTournaments({ type, target, currentTarget: form }) {
  const { name, value } = /** @type {HTMLInputElement | HTMLSelectElement} */ (target);
  if (name === "forget") ten.memory = value;
  if (name === "opponent") {
    // The fields of the last one go, and what is wrong in them.
    ten = { opponent: value, memory: usualMemory(value) };
    formError = { ...NO_ERROR, form: "human" };
  } else if (type === "change" || formError.text) {
    formError = { ...validate(form, tenTournaments(new FormData(form))), form: "human" };
  }
  draw();
}

/** @param {Event & {target: HTMLInputElement}} event */
function setName(event) {
  if (event.type === "change") saveSettings(settings, { name: event.target.value.trim() });
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
  const text = [it.table, tableName(it), it.stakes, stakesText(it.stakes), ...it.players, ...shownNames(it.players, it.kinds ?? [])].join("\n").toLowerCase();
  return text.includes(filter.text.trim().toLowerCase()) && (!filter.mode || it.mode === filter.mode)
    && (!filter.free || it.free > 0);
}

function draw() {
  const isNameError = formError.field === NAME_FIELD;
  const nameControls = formControls(isNameError ? formError : NO_ERROR);
  /** @param {typeof formError.form} form */
  const errorOf = (form) => (formError.form === form && !isNameError ? formError : NO_ERROR);
  const opponent = ten.opponent || firstOpponent(bots);
  const quick = lineUp(bots, settings.level, OPPONENTS);
  const levels = /** @type {[Level, string][]} */ ([["easy", _("Easy")], ["solid", _("Solid")], ["strong", _("Strong")]]);
  render(html`${pageHeader("/")}
    <main>
      <div class="hero" data-featured=${featured.entry ? true : nothing}>
        <section class="start" aria-labelledby="start">
          <h1 id="start">${_("Sit down and play")}</h1>
          <p class="lead">${_("Six-handed no-limit hold'em against {bots}. No account, no money.", { bots: html`<span>${joinTemplates(quick.map((bot) => html`<a href="/bots/${encodeURIComponent(bot)}">${characterName(bot)}</a>`))}</span>` })}</p>
          <p class="company" aria-hidden="true">${quick.map(faceOf)}</p>
          <div class="segments" role="radiogroup" aria-label=${_("Opponents")}>${levels.map(([key, text]) => html`<label><input type="radio" name="level" value=${key}
            .checked=${key === settings.level} @change=${() => setLevel(key)}><span>${text}</span></label>`)}</div>
          ${nameControls.field(NAME_FIELD, _("Your name at the tables"), html`<input id="name" maxlength="24" autocomplete="nickname" placeholder=${_("Guest")}
            aria-invalid=${nameControls.ariaInvalid(NAME_FIELD)} .value=${settings.name} @input=${setName} @change=${setName}>`, "name")}
          <div class="row"><button class="main" @click=${playNow}>${_("Play now")}</button>
            <button @click=${playDuel}>${_("Heads-up against {bot}", { bot: characterName(firstRival(bots)) })}</button></div>
          ${formControls(errorOf("quick")).otherError()}
        </section>
        ${featured.entry ? featured.template() : html`<div class="fan" aria-hidden="true">${["Ts", "Jh", "Qc", "Kd", "As"].map((code) => drawnCard(code))}</div>`}
      </div>
      <nav class="ways" aria-label=${_("Other ways to play")}>
        ${challengeCard()}
        <a class="box way" href=${featured.entry ? `/table/${encodeURIComponent(featured.entry.table)}` : "#open"} @click=${() => ensureName(settings)}><b>${_("Watch")}</b><span>${featured.entry
          ? _("Bots play with their cards face up.") : _("Look on at any table below.")}</span></a>
        <a class="box way" href=${competition ? `/competition/${encodeURIComponent(competition.competition)}` : "/competitions"}><b>${_("Compete")}</b><span>${competition
          ? html`<bdi>${competition.name}</bdi>: ${ngettext("{n} bot", "{n} bots", competition.bots.length)}, ${competition.status === "running" ? _("running now") : statusText(competition.status)}.`
          : _("Competitions of bots: standings, matches and hands.")}</span></a>
        <a class="box way" href="/push-fold"><b>${_("Train")}</b><span>${_("Push or fold with a short stack, judged by the exact solution.")}</span></a>
        ${settings.last ? html`<a class="box way" href=${isOpen(settings.last.href) ? settings.last.href : "/me"}><b>${_("My last game")}</b><span>${_("{result}, at {table}.", { result: settings.last.text, table: html`<bdi>${settings.last.table}</bdi>` })}</span></a>`
          : html`<a class="box way" href="/bots"><b>${_("Meet the bots")}</b><span>${_("Who they are, how they play, and how strong they are.")}</span></a>`}
      </nav>
      ${tournaments.length ? html`<section aria-labelledby="events">
        <h2 id="events">${_("Tournaments")}</h2>
        <ul class="tables">${tournaments.map((it) => html`<li class="box"><h3><a href="/tournament/${it.tournament}"><bdi>${it.name}</bdi></a></h3>
          <p>${statusLine(it, Date.now())}</p>
          <p>${_("{n} of {most} players", { n: it.entrants, most: it.most })}</p>
          <div class="row"><a class=${it.takes_entries ? "button main" : "button"} href="/tournament/${it.tournament}">${it.takes_entries ? _("Register") : _("Watch")}</a></div></li>`)}</ul>
      </section>` : nothing}
      <section aria-labelledby="open">
        <h2 id="open">${_("Open tables")}</h2>
        ${problem ? html`<p class="error" role="status">${problem}</p>` : nothing}
        ${ownTables()}
        ${tableList()}
      </section>
      ${createTableForm(errorOf("own"), submitForm, validateForm, bots, chosen, canKeep)}
      ${tenTournamentsForm(errorOf("human"), startTenTournaments, validateTenTournaments, bots, opponent, ten.memory || usualMemory(opponent))}
    </main>
    <footer><a href="/organiser">${_("For the organiser")}</a></footer>`, page);
}

/** Today's hands, or how I did with them; without any the way to a challenge of one's own. */
function challengeCard() {
  if (!today?.opponents.length) {
    return html`<a class="box way" href="/challenge"><b>${_("Challenge")}</b><span>${_("You and a bot of your choice play the same cards. Who makes more of them?")}</span></a>`;
  }
  const { day, own, opponents, hands, big_blind: blind, streak } = today;
  const done = own?.net != null ? [blindsText(own.net, blind), rankText(own), streakText(streak)].filter(Boolean).join(", ") : "";
  return html`<div class="box way" data-today>
    <b><a href="/challenge">${_("Challenge")}</a></b>
    <span>${done ? _("Today's hands: {result}", { result: done }) : _("Today's hands: {hands} against {names}. The same cards for everybody.", { hands, names: listNames(opponents) })}</span>
    ${dayButton.problem()}
    <p class="links">${own?.table ? html`<a class="button main" href="/table/${own.table}#sit">${_("Go on playing")}</a>`
        : own ? html`<a class="button main" href="/challenge/${day}">${done ? _("Your result") : _("Today's hands")}</a>` : dayButton.template()}
      <a href="/challenge/${dayBefore(day)}">${_("Yesterday's hands")}</a></p>
  </div>`;
}

/** @param {Level} chosenLevel */
function setLevel(chosenLevel) {
  saveSettings(settings, { level: chosenLevel });
  draw();
}

/** The way back to where I sit. */
function ownTables() {
  const mine = myTables();
  if (!mine.length || tablesWindow()) return nothing;
  const names = (tables ?? []).filter(({ table }) => mine.includes(table)).map(tableName);
  return html`<p class="own">${_("You sit at {tables}.", { tables: joinWords(names) })}
    <a class="button main" href=${mine.length > 1 ? besideAddress(mine.slice(0, MAX_TABLES)) : `/table/${encodeURIComponent(mine[0] ?? "")}`}>${_("Go on playing")}</a>
    <span class="hint">${_("Another table opens beside it.")}</span></p>`;
}

function tableList() {
  if (tables === null) return html`<p class="hint">${_("Loading…")}</p>`;
  if (!tables.length) return html`<p class="hint">${_("No table is open. You can open one.")}</p>`;
  const found = tables.filter(isListed);
  return html`
    ${tables.length > SEARCH_ABOVE ? html`<div class="filter" role="search" aria-label=${_("Tables")}>
      <label>${_("Find")} <input type="search" placeholder=${_("table, game or player")} .value=${filter.text}
        @input=${(/** @type {InputEvent & {target: HTMLInputElement}} */ event) => setFilter({ text: event.target.value })}></label>
      <label>${_("Kind")} <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => setFilter({ mode: event.target.value })}>
        <option value="">${_("all")}</option>${["cash", "tournament", "challenge"].map((mode) => html`<option value=${mode}>${modeText(mode)}</option>`)}</select></label>
      <label><input type="checkbox" .checked=${filter.free}
        @change=${(/** @type {Event & {target: HTMLInputElement}} */ event) => setFilter({ free: event.target.checked })}> ${_("with a free seat")}</label>
      <p class="hint" role="status">${ngettext("{found} of {n} table", "{found} of {n} tables", tables.length, { found: found.length })}</p>
    </div>` : nothing}
    ${found.length ? html`<ul class="tables">${found.map(tableCard)}</ul>` : html`<p class="hint">${_("No table matches.")}</p>`}`;
}

/** @param {Entry} it */
function tableCard(it) {
  const name = tableName(it);
  const shown = shownNames(it.players, it.kinds ?? []);
  const players = it.players.map((player, seat) => ({ player, seat, shown: shown[seat], kind: it.kinds?.[seat] ?? "" })).filter(({ player }) => player);
  return html`<li class="box">
    <h3>${name}</h3>
    <p>${capitalize(stakesText(it.stakes))}, ${modeText(it.mode)}</p>
    <ul class="players" aria-label=${_("Players")}>${players.length
      ? players.map(({ player, seat, shown: called, kind }) => html`<li>${avatar(player, kind)}<bdi>${called}</bdi>${kind === "bot" ? html` <span class="tag">${_("bot")}</span>` : nothing} ${hud(styles.get(placeOf(it.table, seat, player)))}</li>`)
      : html`<li>${_("nobody yet")}</li>`}</ul>
    <p>${_("{taken} of {seats} seats taken", { taken: takenSeats(it), seats: it.seats })}${it.hands ? `, ${ngettext("{n} hand", "{n} hands", it.hands)}` : ""}</p>
    <div class="row">
      <button class="main" ?disabled=${!it.free} aria-label=${it.free ? _("Play at {table}", { table: name }) : _("Full: {table}", { table: name })} @click=${() => goToTable(it.table, true)}>${it.free ? _("Play") : _("Full")}</button>
      <button aria-label=${_("Watch {table}", { table: name })} @click=${() => {
        ensureName(settings);
        goToTable(it.table, false);
      }}>${_("Watch")}</button>
    </div>
  </li>`;
}

const featured = new FeaturedTable(() => draw(), () => ensureName(settings));
const dayButton = new DayButton(settings, draw);
document.addEventListener("visibilitychange", draw);
draw();
if (location.hash === "#own") /** @type {HTMLDetailsElement | null | undefined} */ (document.getElementById("own")?.closest("details"))?.setAttribute("open", "");
poll();
loadCompetition();
loadToday();
const botsLoading = loadBots((found) => {
  bots = found;
  if (!isFilledIn) chosen = chosenAtFirst(bots);
  draw();
});
