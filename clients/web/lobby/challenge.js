// Challenges: one is made here, and here its result can be read.

import { FINE, ask, fault, fields, reveal } from "./form.js";
import { Result } from "./challenge_result.js";
import { wishOf } from "./challenge_words.js";
import { load, save } from "../lib/settings.js";
import { html, render } from "../vendor/lit-html/lit-html.js";
import { SIMPLE, askForBots, described } from "../lib/create_table.js";

/**
 * @import {Wrong} from "./form.js"
 * @import {ChallengeResult} from "../lib/messages.d.ts"
 * @import {Connection} from "../lib/net.js"
 */

/** The field of the player's name. */
const NAME = "player";
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
/** What is wrong with what is asked for. */
let wrong = FINE;
/** @type {Connection | null} */
let connection = null;

async function look() {
  if (!document.hidden) {
    try {
      const answer = await fetch(`/api/challenges/${encodeURIComponent(wanted)}`);
      if (answer.ok) {
        const { at, result: told } = /** @type {{at: number, result: ChallengeResult}} */ (await answer.json());
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

/** @param {Event & {currentTarget: HTMLFormElement}} event */
function create(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const data = new FormData(form);
  settings.name = String(data.get(NAME)).trim();
  save(settings);
  connection?.close();
  connection = null;
  wrong = FINE;
  const wish = wishOf(data, bots);
  refuse(settings.name ? fault(form, wish) : { field: NAME, text: "Say first how you want to be called." });
  if (!wrong.text) {
    connection = ask(settings.name, wish, NAME, (table) => {
      location.href = `/table/${encodeURIComponent(table)}#sit`;
    }, refuse);
  }
}

/** @param {Wrong} refused */
function refuse(refused) {
  const again = refused.text === wrong.text;
  wrong = refused;
  draw();
  if (refused.text && !again) reveal();
}

/** Says at once what goes wrong in the form. @param {Event & {currentTarget: HTMLFormElement}} event */
function check({ currentTarget: form }) {
  wrong = fault(form, wishOf(new FormData(form), bots));
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

function invitation() {
  /** @type {[string, string][]} */
  const rivals = bots.map((bot) => [bot, described(bot)]);
  /** @type {[string, string][]} */
  const opponents = [...rivals, ["", "one of each in turn"]];
  const { field, number, choice, invalid, rest } = fields(wrong);
  return html`
    <h1>Are you better than the bot?</h1>
    <p class="lead">You play some hands, and the bot of your choice plays the same deals in your seat, against the same opponents.
      Every hand begins with full stacks, so nobody can say that it was the cards. At the end you see both results, hand by hand.</p>
    <form class="box" novalidate @submit=${create} @change=${check}>
      <fieldset>
        ${field(NAME, "Your name at the table", html`<input id="player" name="player" maxlength="24" autocomplete="nickname"
          .value=${settings.name} aria-invalid=${invalid(NAME)}>`)}
        ${choice("rival", "Rival", rivals)}
        ${number("hands", "Hands", 50, 10, 500)}
        ${number("opponents", "Opponents", 3, 1, 9)}
        ${choice("which", "They are", opponents)}
        ${choice("game", "Betting", [["nolimit", "No-limit"], ["limit", "Limit"]])}
      </fieldset>
      <details>
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
      ${rest()}
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
