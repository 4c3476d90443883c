// The front page: which tables there are, a seat at one of them, a table of one's own.

import { Connection } from "./net.js";
import { load, save } from "./settings.js";
import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { refusal } from "./words.js";

/** @import {Create} from "./messages.d.ts" */
/**
 * A table as `/api/tables` lists it.
 * @typedef {{table: string, name?: string, game: string, mode: string, seats: number, free: number, players: string[],
 *   hands: number}} Entry
 */

/** Milliseconds between two looks at the list. */
const POLL = 3000;
const BOTS = ["fair", "call", "raise", "random"];

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const settings = load();
/** @type {Entry[] | null} */
let tables = null;
let trouble = "";
/** What was wrong with the table that was asked for: the field, and in words. */
let wrong = { field: "", text: "" };
/** @type {Connection | null} */
let connection = null;

async function poll() {
  if (!document.hidden) {
    try {
      const answer = await fetch("/api/tables");
      tables = (await answer.json()).tables;
      trouble = "";
    } catch {
      trouble = "The server does not answer. Trying again…";
    }
    draw();
  }
  setTimeout(poll, POLL);
}

/** The table with company and a free seat. */
function best() {
  const open = (tables ?? []).filter((entry) => entry.free > 0);
  return open.sort((a, b) => (b.seats - b.free) - (a.seats - a.free) || a.seats - b.seats)[0];
}

/**
 * @param {string} table
 * @param {boolean} sit
 */
function go(table, sit) {
  location.href = `/table/${encodeURIComponent(table)}${sit ? "#sit" : ""}`;
}

/** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
function create(event) {
  event.preventDefault();
  const form = new FormData(event.currentTarget);
  /** @param {string} key */
  const number = (key) => Number(form.get(key));
  /** @param {string} key */
  const text = (key) => String(form.get(key) ?? "");
  const mode = text("mode");
  /** @type {Create} */
  const wish = {
    type: "create", name: text("name"), game: text("game"), mode, small_blind: number("small_blind"),
    big_blind: number("big_blind"), ante: number("ante"), stack: number("stack"), seats: number("seats"),
    decision_ms: number("decision") * 1000, bank_ms: number("bank") * 1000, pause_ms: number("pause") * 1000,
    bots: BOTS.flatMap((bot) => Array(number(bot)).fill(bot)),
    ...(mode === "tournament" ? { levels: text("levels"), matches: number("matches") } : {}),
  };
  wrong = { field: "", text: "" };
  connection?.close();
  if (!settings.name) {
    document.getElementById("name")?.focus();
    wrong = { field: "name_of_player", text: "Say first how you want to be called." };
    return draw();
  }
  const mine = new Connection(settings.name, (messages) => {
    for (const message of messages) {
      if (message.type === "welcome") mine.send(wish);
      if (message.type === "created") {
        mine.close();
        go(message.table, true);
      }
      if (message.type === "error") {
        wrong = { field: message.field ?? "", text: refusal(message.code, message.message) };
        mine.close();
        draw();
      }
    }
  }, () => {});
  connection = mine;
}

/** @param {Event & {target: HTMLInputElement}} event */
function rename(event) {
  settings.name = event.target.value.trim();
  save(settings);
}

function draw() {
  render(html`
    <header class="top"><a class="home" href="/">pokerd</a><p>Poker for people and programs</p></header>
    <main>
      <section class="start box" aria-labelledby="start">
        <h1 id="start">Sit down and play</h1>
        <label for="name">Your name at the tables</label>
        <input id="name" maxlength="24" autocomplete="nickname" .value=${settings.name} @change=${rename}>
        ${wrong.field === "name_of_player" ? html`<p class="error" role="alert">${wrong.text}</p>` : nothing}
        <button class="main" ?disabled=${!best()} @click=${() => best() && go(best()?.table ?? "", true)}>Play now</button>
        <p class="hint">A free seat where there is company. No account, no money.</p>
      </section>
      <section aria-labelledby="open">
        <h2 id="open">Open tables</h2>
        ${trouble ? html`<p class="error" role="status">${trouble}</p>` : nothing}
        ${tables === null ? html`<p class="hint">Looking…</p>` : tables.length ? html`<ul class="tables">${tables.map(entry)}</ul>`
          : html`<p class="hint">No table is open. Open one.</p>`}
      </section>
      ${form()}
    </main>`, page);
}

/** @param {Entry} it */
function entry(it) {
  const players = it.players.filter(Boolean);
  return html`<li class="box">
    <h3>${it.name || it.table}</h3>
    <p>${gameName(it.game)}, ${it.mode === "cash" ? "cash" : it.mode}</p>
    <p class="players">${players.length ? players.join(", ") : "nobody yet"}</p>
    <p>${it.seats - it.free} of ${it.seats} seats taken${it.hands ? `, ${it.hands.toLocaleString("en-US")} hands` : ""}</p>
    <div class="row">
      <button class="main" ?disabled=${!it.free} aria-label="${it.free ? "Play at" : "Full:"} ${it.name || it.table}" @click=${() => go(it.table, true)}>${it.free ? "Play" : "Full"}</button>
      <button aria-label="Watch ${it.name || it.table}" @click=${() => go(it.table, false)}>Watch</button>
    </div>
  </li>`;
}

/**
 * "No-limit hold'em" for "holdem.nolimit.6p".
 * @param {string} game
 */
function gameName(game) {
  const [, limit, players] = /^holdem\.(nolimit|limit)\.(\d+)p/.exec(game) ?? [];
  return limit ? `${limit === "limit" ? "Limit" : "No-limit"} hold'em for ${players}` : game;
}

/**
 * @param {string} name
 * @param {string} label
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
function number(name, label, value, least, most) {
  return field(name, label, html`<input id=${name} name=${name} type="number" required min=${least} max=${most} value=${value}
    aria-invalid=${wrong.field === name ? "true" : "false"}>`);
}

/**
 * @param {string} name
 * @param {string} label
 * @param {unknown} control
 */
function field(name, label, control) {
  return html`<div class="field"><label for=${name}>${label}</label>${control}
    ${wrong.field === name || `${name}_ms` === wrong.field ? html`<p class="error" role="alert">${wrong.text}</p>` : nothing}</div>`;
}

/**
 * @param {string} name
 * @param {string} label
 * @param {[string, string][]} options
 */
function choice(name, label, options) {
  return field(name, label, html`<select id=${name} name=${name}>${options.map(([value, text]) =>
    html`<option value=${value}>${text}</option>`)}</select>`);
}

function form() {
  return html`<section aria-labelledby="own">
    <details class="box">
      <summary><h2 id="own">Open a table of your own</h2></summary>
      <form @submit=${create}>
        <fieldset><legend>Game</legend>
          ${field("title", "Name of the table", html`<input id="title" name="name" maxlength="40" autocomplete="off">`)}
          ${choice("game", "Betting", [["nolimit", "No-limit"], ["limit", "Limit"]])}
          ${number("small_blind", "Small blind", 5, 1, 1000000)}
          ${number("big_blind", "Big blind", 10, 1, 1000000)}
          ${number("ante", "Ante", 0, 0, 1000000)}
          ${number("stack", "Chips", 1000, 2, 1000000000)}
        </fieldset>
        <fieldset><legend>Players</legend>
          ${number("seats", "Seats", 6, 2, 10)}
          ${BOTS.map((bot) => number(bot, `Bots that ${{ fair: "play well", call: "always call", raise: "always raise", random: "play at random" }[bot]}`, bot === "fair" ? 3 : 0, 0, 9))}
          ${wrong.field === "bots" ? html`<p class="error" role="alert">${wrong.text}</p>` : nothing}
        </fieldset>
        <fieldset><legend>Kind and time</legend>
          ${choice("mode", "Kind", [["cash", "Cash: come and go"], ["tournament", "Tournament: starts when full"]])}
          ${choice("levels", "Blinds of a tournament rise", [["normal", "normally"], ["turbo", "fast"]])}
          ${number("matches", "Tournaments in a row", 1, 1, 100)}
          ${number("decision", "Seconds to decide", 20, 1, 600)}
          ${number("bank", "Seconds of time bank", 60, 0, 3600)}
          ${number("pause", "Seconds between hands", 3, 0, 60)}
        </fieldset>
        ${wrong.text && !/_ms$|^bots$|^name_of_player$/.test(wrong.field) && !document.querySelector(`form [name="${wrong.field}"]`) ? html`<p class="error" role="alert">${wrong.text}</p>` : nothing}
        <button class="main">Open the table</button>
      </form>
    </details>
  </section>`;
}

document.addEventListener("visibilitychange", draw);
draw();
poll();
