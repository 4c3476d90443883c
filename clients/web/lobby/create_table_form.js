// The form that opens a table of one's own.

import { fields } from "./form.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { SIMPLE, described } from "../lib/create_table.js";

/** @import {Wrong} from "./form.js" */

/**
 * @param {Wrong} wrong what is wrong with it
 * @param {(event: Event & {currentTarget: HTMLFormElement}) => void} create
 * @param {(event: Event & {currentTarget: HTMLFormElement}) => void} check
 * @param {readonly string[]} bots
 */
export function ownTable(wrong, create, check, bots) {
  const { field, number, choice, invalid, here, rest } = fields(wrong);
  const many = (/** @type {string} */ bot) => number(bot, described(bot), bot === "fair" ? 3 : 0, 0, 10);
  const others = bots.filter((bot) => !SIMPLE.includes(bot));
  return html`<section aria-labelledby="own">
    <details class="box">
      <summary><h2 id="own">Open a table of your own</h2></summary>
      <form id="own-form" novalidate @submit=${create} @change=${check}>
        <fieldset><legend>Game</legend>
          ${field("name", "Name of the table", html`<input id="title" name="name" maxlength="40" autocomplete="off"
            aria-invalid=${invalid("name")}>`, "title")}
          ${choice("game", "Betting", [["nolimit", "No-limit"], ["limit", "Limit"], ["pushfold", "All-in or fold"]])}
          ${number("small_blind", "Small blind", 5, 1, 1000000)}
          ${number("big_blind", "Big blind", 10, 1, 1000000)}
          ${number("ante", "Ante", 0, 0, 1000000)}
          ${number("stack", "Chips", 1000, 2, 1000000000)}
          ${choice("depth", "Stacks", [["", "Go on from hand to hand"], ["10 10", "10 big blinds in every hand"],
            ["1 10", "1 to 10 big blinds, drawn for every hand"]])}
        </fieldset>
        <fieldset><legend>Players</legend>
          ${number("seats", "Seats", 6, 2, 10)}
          ${bots.filter((bot) => SIMPLE.includes(bot)).map(many)}
          ${others.length ? html`<details class="more"><summary>More bots</summary><div class="fields">${others.map(many)}</div></details>` : nothing}
          <label class="check"><input type="checkbox" name="exhibition"> Only bots: they take all seats, and I watch</label>
          ${here("bots")}
        </fieldset>
        <fieldset><legend>Kind and time</legend>
          ${choice("mode", "Kind", [["cash", "Cash: come and go"], ["tournament", "Tournament: starts when full"]])}
          ${choice("levels", "Blinds of a tournament rise", [["normal", "normally"], ["turbo", "fast"]])}
          ${choice("deck", "Deck", [["secure", "Secret seed, told afterwards"]])}
          ${number("matches", "Tournaments in a row", 1, 1, 100)}
          ${number("decision", "Seconds to decide", 20, 1, 600)}
          ${number("bank", "Seconds of time bank", 60, 0, 3600)}
          ${number("pause", "Seconds between hands", 3, 0, 60)}
        </fieldset>
        ${rest()}
        <button class="main">Open the table</button>
      </form>
    </details>
  </section>`;
}
