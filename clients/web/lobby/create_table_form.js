// The form that opens a table.

import { BASIC_BOTS, describeBot } from "../lib/bots.js";
import { parameterFields } from "./bot_parameters.js";
import { formControls } from "./form.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";

/** @import {FormError} from "./form.js" */

/**
 * @param {FormError} error
 * @param {(event: Event & {currentTarget: HTMLFormElement}) => void} onSubmit
 * @param {(event: Event & {currentTarget: HTMLFormElement}) => void} onChange
 * @param {readonly string[]} bots
 * @param {readonly string[]} chosen those that are to be seated, whose parameters may be set
 * @param {string} [title]
 */
export function createTableForm(error, onSubmit, onChange, bots, chosen, title = "Open a table of your own") {
  const controls = formControls(error);
  const { field, numberField, selectField, ariaInvalid, errorOf, otherError } = controls;
  const botCount = (/** @type {string} */ bot) => numberField(bot, describeBot(bot), bot === "fair" ? 3 : 0, 0, 10);
  const others = bots.filter((bot) => !BASIC_BOTS.includes(bot));
  return html`<section aria-labelledby="own">
    <details class="box">
      <summary><h2 id="own">${title}</h2></summary>
      <form id="own-form" novalidate @submit=${onSubmit} @input=${onChange} @change=${onChange}>
        <fieldset><legend>Game</legend>
          ${field("name", "Name of the table", html`<input id="title" name="name" maxlength="40" autocomplete="off"
            aria-invalid=${ariaInvalid("name")}>`, "title")}
          ${selectField("game", "Betting", [["nolimit", "No-limit"], ["limit", "Limit"], ["pushfold", "All-in or fold"]])}
          ${selectField("min_raise", "Smallest no-limit raise", [["", "As large as the last"], ["bb", "A big blind"]])}
          ${numberField("small_blind", "Small blind", 5, 1, 1000000)}
          ${numberField("big_blind", "Big blind", 10, 1, 1000000)}
          ${numberField("ante", "Ante", 0, 0, 1000000)}
          ${numberField("stack", "Chips", 1000, 2, 200000000)}
          ${selectField("depth", "Stacks", [["", "Carry over to the next hand"], ["10 10", "10 big blinds in every hand"],
            ["1 10", "1 to 10 big blinds, drawn for every hand"]])}
        </fieldset>
        <fieldset><legend>Players</legend>
          ${numberField("seats", "Seats", 6, 2, 10)}
          ${bots.filter((bot) => BASIC_BOTS.includes(bot)).map(botCount)}
          ${others.length ? html`<details class="more"><summary>More bots</summary><div class="fields">${others.map(botCount)}</div></details>` : nothing}
          ${repeat(chosen, (bot) => bot, (bot) => parameterFields(bot, `Parameters of ${bot}`, bot, controls))}
          <label class="check"><input type="checkbox" name="exhibition"> Only bots: they take all seats, and I watch</label>
          ${errorOf("bots")}
        </fieldset>
        <fieldset><legend>Kind and time</legend>
          ${selectField("mode", "Kind", [["cash", "Cash: come and go"], ["tournament", "Tournament: starts when full"]])}
          ${selectField("levels", "Tournament blinds rise", [["normal", "normally"], ["turbo", "fast"], ["fixed", "never"]])}
          ${selectField("deck", "Deck", [["secure", "Secret seed, published afterwards"]])}
          ${numberField("matches", "Tournaments in a row", 1, 1, 100)}
          ${selectField("memory", "Bots forget", [["match", "after each tournament"], ["series", "after the last"]])}
          ${numberField("decision", "Seconds to decide", 20, 1, 600)}
          ${numberField("bank", "Seconds of time bank", 60, 0, 3600)}
          ${numberField("pause", "Seconds between hands", 3, 0, 60)}
        </fieldset>
        ${otherError()}
        <button class="main">Open the table</button>
      </form>
    </details>
  </section>`;
}
