// Challenges: one is made here, and here its result can be read.

import { Result } from "./challenge_result.js";
import { wishOf } from "./challenge_words.js";
import { Connection } from "./net.js";
import { load, save } from "./settings.js";
import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { SIMPLE, askForBots, it as described, they } from "./wishes.js";
import { refusal } from "./words.js";

/** @import {Challenge} from "./messages.d.ts" */

/** Milliseconds between two looks for a result that is not there yet. */
const POLL = 4000;

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const settings = load();
const wanted = decodeURIComponent(location.pathname.split("/")[2] ?? "");
/** @type {Result | null} */
let result = null;
let trouble = "";
/** The house bots that can be asked for. @type {readonly string[]} */
let bots = SIMPLE;
/** What was wrong with what was asked for: the field, and in words. */
let wrong = { field: "", text: "" };
/** @type {Connection | null} */
let connection = null;

async function look() {
  if (!document.hidden) {
    try {
      const answer = await fetch(`/api/challenges/${encodeURIComponent(wanted)}`);
      if (answer.ok) {
        const { at, result: told } = /** @type {{at: number, result: Challenge}} */ (await answer.json());
        result = new Result(told, at, draw);
        trouble = "";
        draw();
        return;
      }
      trouble = "There is no result here, or not yet: it comes when both runs are over. This page looks again by itself.";
    } catch {
      trouble = "The server does not answer. Trying again…";
    }
    draw();
  }
  setTimeout(look, POLL);
}

/** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
function create(event) {
  event.preventDefault();
  const form = new FormData(event.currentTarget);
  settings.name = String(form.get("player")).trim();
  save(settings);
  wrong = { field: "", text: "" };
  connection?.close();
  if (!settings.name) {
    wrong = { field: "player", text: "Say first how you want to be called." };
    document.getElementById("player")?.focus();
    return draw();
  }
  const wish = wishOf(form, bots);
  const mine = new Connection(settings.name, (messages) => {
    for (const message of messages) {
      if (message.type === "welcome") mine.send(wish);
      if (message.type === "created") {
        mine.close();
        location.href = `/table/${encodeURIComponent(message.table)}#sit`;
      }
      if (message.type === "error") {
        wrong = { field: message.fatal ? "player" : message.field ?? "", text: refusal(message.code, message.message) };
        mine.close();
        draw();
      }
    }
  }, () => {});
  connection = mine;
  draw();
}

function draw() {
  render(html`
    <header class="top"><a class="home" href="/">pokerd</a><a href="/challenge">Challenge</a><a href="/competitions">Competitions</a></header>
    <main>${wanted ? result?.template() ?? waiting() : invitation()}</main>`, page);
  document.title = result ? `${result.it.player} against ${result.it.rival} · pokerd` : "Challenge · pokerd";
  result?.drawn();
}

function waiting() {
  return html`<h1>Challenge</h1><p role="status">${trouble || "Looking…"}</p>
    <p><a class="button" href="/challenge">A challenge of your own</a></p>`;
}

/** @type {(name: string, label: string, control: unknown) => unknown} */
const field = (name, label, control) => html`<div class="field"><label for=${name}>${label}</label>${control}
  ${wrong.field === name || wrong.field === `${name}_ms` ? html`<p class="error" role="alert">${wrong.text}</p>` : nothing}</div>`;
/** @type {(name: string, label: string, value: number, least: number, most: number) => unknown} */
const number = (name, label, value, least, most) => field(name, label, html`<input id=${name} name=${name} type="number" required
  min=${least} max=${most} value=${value} aria-invalid=${wrong.field === name ? "true" : "false"}>`);
/** @type {(name: string, label: string, options: (readonly [string, string])[]) => unknown} */
const choice = (name, label, options) => field(name, label, html`<select id=${name} name=${name}>${options.map(([value, text]) =>
  html`<option value=${value}>${text}</option>`)}</select>`);

function invitation() {
  /** @type {[string, string][]} */
  const rivals = bots.map((bot) => [bot, described(bot)]);
  /** @type {[string, string][]} */
  const opponents = [...bots.map((bot) => /** @type {[string, string]} */ ([bot, `bots that ${they(bot)}`])), ["", "one of each in turn"]];
  const placed = document.getElementById(wrong.field.replace(/_ms$/, ""));
  return html`
    <h1>Are you better than the bot?</h1>
    <p class="lead">You play some hands, and the bot of your choice plays the same deals in your seat, against the same opponents.
      Every hand begins with full stacks, so nobody can say that it was the cards. At the end you see both results, hand by hand.</p>
    <form class="box" @submit=${create}>
      <fieldset>
        ${field("player", "Your name at the table", html`<input id="player" name="player" maxlength="24" autocomplete="nickname"
          .value=${settings.name} aria-invalid=${wrong.field === "player" ? "true" : "false"}>`)}
        ${choice("rival", "Rival", rivals)}
        ${number("hands", "Hands", 50, 10, 500)}
        ${number("opponents", "Opponents", 3, 1, 9)}
        ${choice("which", "They are", opponents)}
        ${choice("game", "Betting", [["nolimit", "No-limit"], ["limit", "Limit"]])}
      </fieldset>
      <details ?open=${/blind|ante|stack|_ms$/.test(wrong.field)}>
        <summary>Stakes and time</summary>
        <fieldset>
          ${number("small_blind", "Small blind", 5, 1, 1000000)}
          ${number("big_blind", "Big blind", 10, 1, 1000000)}
          ${number("ante", "Ante", 0, 0, 1000000)}
          ${number("stack", "Chips in every hand", 1000, 2, 1000000000)}
          ${number("decision", "Seconds to decide", 30, 1, 600)}
          ${number("bank", "Seconds of time bank", 300, 0, 3600)}
          ${number("pause", "Seconds between hands", 2, 0, 60)}
        </fieldset>
      </details>
      ${wrong.text && !placed ? html`<p class="error" role="alert">${wrong.text}</p>` : nothing}
      <button class="main">Play</button>
      <p class="hint">You may take a break at any time: no hand is dealt while you are away. The result stays under its own address.</p>
    </form>`;
}

draw();
if (wanted) look();
else {
  askForBots((found) => {
    bots = found;
    draw();
  });
}
