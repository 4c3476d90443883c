// The front page: which tables there are, a seat at one of them, a table of one's own.

import { FINE, ask, fault, fields, reveal } from "./form.js";
import { ownTable } from "./create_table_form.js";
import { load, save } from "../lib/settings.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { SIMPLE, askForBots, described, human, wishOf } from "../lib/create_table.js";
import { counted } from "../lib/words.js";

/**
 * @import {Wrong} from "./form.js"
 * @import {CreateTable} from "../lib/messages.d.ts"
 * @import {Connection} from "../lib/net.js"
 */
/**
 * A table as `/api/tables` lists it.
 * @typedef {{table: string, name?: string, game: string, stakes?: string, mode: string, seats: number, free: number,
 *   players: string[], kinds?: string[], hands: number}} Entry
 */

/** The field of the player's name. */
const NAME = "name_of_player";
/** Milliseconds between two looks at the list. */
const POLL = 3000;
/** So many tables are seen at a glance; with more there is something to search with. */
const GLANCE = 6;

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const settings = load();
/** @type {Entry[] | null} */
let tables = null;
let trouble = "";
/** The house bots that can be asked for. @type {readonly string[]} */
let bots = SIMPLE;
/** What is looked for in the list. */
let wanted = { text: "", mode: "", free: false };
/** What is wrong with the table that is asked for, and by which form. @type {Wrong & {form: "own" | "human"}} */
let wrong = { ...FINE, form: "own" };
/** @type {Connection | null} */
let connection = null;

async function poll() {
  if (!document.hidden) {
    try {
      const answer = await fetch("/api/tables");
      tables = /** @type {Entry[]} */ ((await answer.json()).tables).sort(order);
      trouble = "";
    } catch {
      trouble = "The server does not answer. Trying again…";
    }
    draw();
  }
  setTimeout(poll, POLL);
}

/** @param {Entry} entry */
const taken = (entry) => entry.seats - entry.free;
/** @param {Entry} entry */
const people = (entry) => (entry.kinds ?? []).filter((kind) => kind === "person").length;

/**
 * Where one can sit comes first, among these where people are, then where others are.
 * @param {Entry} one
 * @param {Entry} other
 */
function order(one, other) {
  return Number(other.free > 0) - Number(one.free > 0) || people(other) - people(one) || taken(other) - taken(one)
    || one.seats - other.seats || one.table.localeCompare(other.table, "en", { numeric: true });
}

/** The table with company and a free seat. */
function best() {
  return (tables ?? []).find((entry) => entry.free > 0);
}

/**
 * @param {string} table
 * @param {boolean} sit
 */
function go(table, sit) {
  location.href = `/table/${encodeURIComponent(table)}${sit ? "#sit" : ""}`;
}

/**
 * Opens a table and goes there.
 * @param {CreateTable} wish
 * @param {boolean} sit
 * @param {"own" | "human"} form
 * @param {Wrong} known what is wrong with it already
 */
function open(wish, sit, form, known = FINE) {
  connection?.close();
  connection = null;
  wrong = { ...FINE, form };
  const nameless = { field: NAME, text: "Say first how you want to be called." };
  refuse(settings.name ? known : nameless, form);
  if (!wrong.text) {
    connection = ask(settings.name, wish, NAME, (table) => go(table, sit), (refused) => refuse(refused, form));
  }
}

/**
 * @param {Wrong} refused
 * @param {"own" | "human"} form
 */
function refuse(refused, form) {
  const again = refused.text === wrong.text;
  wrong = { ...refused, form };
  draw();
  if (refused.text && !again) reveal();
}

/** @param {Event & {currentTarget: HTMLFormElement}} event */
function create(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const data = new FormData(form);
  const wish = wishOf(data, bots);
  open(wish, !data.has("exhibition"), "own", fault(form, wish));
}

/** Says at once what goes wrong in the form. @param {Event & {currentTarget: HTMLFormElement}} event */
function check({ currentTarget: form }) {
  wrong = { ...fault(form, wishOf(new FormData(form), bots)), form: "own" };
  draw();
}

/** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
function test(event) {
  event.preventDefault();
  open(human(String(new FormData(event.currentTarget).get("opponent"))), true, "human");
}

/** @param {Event & {target: HTMLInputElement}} event */
function rename(event) {
  settings.name = event.target.value.trim();
  save(settings);
  if (wrong.field !== NAME) return;
  wrong = { ...FINE, form: wrong.form };
  draw();
}

/** @param {Partial<typeof wanted>} some */
function look(some) {
  wanted = { ...wanted, ...some };
  draw();
}

/** @param {Entry} it */
function matches(it) {
  const text = [it.table, it.name, gameName(it), ...it.players].join("\n").toLowerCase();
  return text.includes(wanted.text.trim().toLowerCase()) && (!wanted.mode || it.mode === wanted.mode)
    && (!wanted.free || it.free > 0);
}

function draw() {
  const named = wrong.field === NAME;
  const start = fields(named ? wrong : FINE);
  const way = fields(wrong.form === "human" && !named ? wrong : FINE);
  render(html`
    <header class="top"><a class="home" href="/">pokerd</a><p>Poker for people and programs</p>
      <nav aria-label="Pages"><a href="/challenge">Challenge</a> <a href="/competitions">Competitions</a></nav></header>
    <main>
      <section class="start box" aria-labelledby="start">
        <h1 id="start">Sit down and play</h1>
        ${start.field(NAME, "Your name at the tables", html`<input id="name" maxlength="24" autocomplete="nickname"
          aria-invalid=${start.invalid(NAME)} .value=${settings.name} @change=${rename}>`, "name")}
        <button class="main" ?disabled=${!best()} @click=${() => best() && go(best()?.table ?? "", true)}>Play now</button>
        <p class="hint">A free seat where there is company. No account, no money.</p>
      </section>
      <section class="ways" aria-label="Other ways to play">
        <form class="box way" @submit=${test} aria-labelledby="human">
          <h2 id="human">Ten tournaments against four bots</h2>
          <p>The classic human test of a bot: no-limit tournaments of 1,000 chips, you against four. Who wins one takes
            all; the table keeps count.</p>
          <div class="row"><label for="opponent">Bots</label>
            <select id="opponent" name="opponent">${bots.map((bot) => html`<option value=${bot}>${described(bot)}</option>`)}</select>
            <button class="main">Start</button></div>
          ${way.rest()}
        </form>
        <div class="box way">
          <h2>Challenge a bot</h2>
          <p>You and a bot play the same cards from the same seat, one after the other. At the end you see both results, hand
            by hand.</p>
          <p class="row"><a class="button" href="/challenge">Choose a rival</a></p>
        </div>
        <div class="box way">
          <h2>Competitions of bots</h2>
          <p>Standings, every match and every hand of what bots have played here, or are playing now.</p>
          <p class="row"><a class="button" href="/competitions">See them</a></p>
        </div>
      </section>
      ${ownTable(wrong.form === "own" && !named ? wrong : FINE, create, check, bots)}
      <section aria-labelledby="open">
        <h2 id="open">Open tables</h2>
        ${trouble ? html`<p class="error" role="status">${trouble}</p>` : nothing}
        ${list()}
      </section>
    </main>`, page);
}

function list() {
  if (tables === null) return html`<p class="hint">Looking…</p>`;
  if (!tables.length) return html`<p class="hint">No table is open. Open one.</p>`;
  const found = tables.filter(matches);
  return html`
    ${tables.length > GLANCE ? html`<div class="filter" role="search" aria-label="Tables">
      <label>Find <input type="search" placeholder="table, game or player" .value=${wanted.text}
        @input=${(/** @type {InputEvent & {target: HTMLInputElement}} */ event) => look({ text: event.target.value })}></label>
      <label>Kind <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => look({ mode: event.target.value })}>
        <option value="">all</option><option value="cash">cash</option><option value="tournament">tournament</option><option value="challenge">challenge</option></select></label>
      <label><input type="checkbox" .checked=${wanted.free}
        @change=${(/** @type {Event & {target: HTMLInputElement}} */ event) => look({ free: event.target.checked })}> with a free seat</label>
      <p class="hint" role="status">${found.length} of ${tables.length} tables</p>
    </div>` : nothing}
    ${found.length ? html`<ul class="tables">${found.map(entry)}</ul>` : html`<p class="hint">No table is like that.</p>`}`;
}

/** @param {Entry} it */
function entry(it) {
  const name = it.name || it.table;
  const players = it.players.map((player, seat) => ({ player, bot: it.kinds?.[seat] === "bot" })).filter(({ player }) => player);
  return html`<li class="box">
    <h3>${name}</h3>
    <p>${gameName(it)}, ${it.mode}</p>
    <ul class="players" aria-label="Players">${players.length
      ? players.map(({ player, bot }) => html`<li><bdi>${player}</bdi>${bot ? html` <span class="tag">bot</span>` : nothing}</li>`)
      : html`<li>nobody yet</li>`}</ul>
    <p>${taken(it)} of ${it.seats} seats taken${it.hands ? `, ${counted(it.hands, "hand")}` : ""}</p>
    <div class="row">
      <button class="main" ?disabled=${!it.free} aria-label="${it.free ? "Play at" : "Full:"} ${name}" @click=${() => go(it.table, true)}>${it.free ? "Play" : "Full"}</button>
      <button aria-label="Watch ${name}" @click=${() => go(it.table, false)}>Watch</button>
    </div>
  </li>`;
}

/**
 * "No-limit hold'em 5/10"; from an older server "No-limit hold'em for 6".
 * @param {Entry} it
 */
function gameName({ stakes, game }) {
  if (stakes) return stakes.charAt(0).toUpperCase() + stakes.slice(1);
  const [, limit, players] = /^holdem\.(nolimit|limit)\.(\d+)p/.exec(game) ?? [];
  return limit ? `${limit === "limit" ? "Limit" : "No-limit"} hold'em for ${players}` : game;
}

document.addEventListener("visibilitychange", draw);
draw();
poll();
askForBots((found) => {
  bots = found;
  draw();
});
