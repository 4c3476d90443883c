// The form that opens a table of one's own.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { SIMPLE, they } from "./wishes.js";

/** @typedef {{field: string, text: string}} Wrong */

/**
 * @param {Wrong} wrong what the server did not like of it
 * @param {(event: SubmitEvent & {currentTarget: HTMLFormElement}) => void} create
 * @param {readonly string[]} bots
 */
export function ownTable(wrong, create, bots) {
  const bad = (/** @type {boolean} */ here) => (here && wrong.text ? html`<p class="error" role="alert">${wrong.text}</p>` : nothing);
  /** @type {(name: string, label: string, control: unknown, id?: string) => unknown} */
  const field = (name, label, control, id = name) => html`<div class="field"><label for=${id}>${label}</label>${control}
    ${bad(wrong.field === name || wrong.field === `${name}_ms`)}</div>`;
  /** @type {(name: string, label: string, value: number, least: number, most: number) => unknown} */
  const number = (name, label, value, least, most) => field(name, label, html`<input id=${name} name=${name} type="number"
    required min=${least} max=${most} value=${value} aria-invalid=${wrong.field === name ? "true" : "false"}>`);
  /** @type {(name: string, label: string, options: [string, string][]) => unknown} */
  const choice = (name, label, options) => field(name, label, html`<select id=${name} name=${name}>${options.map(([value, text]) =>
    html`<option value=${value}>${text}</option>`)}</select>`);
  const many = (/** @type {string} */ bot) => number(bot, `Bots that ${they(bot)}`, bot === "fair" ? 3 : 0, 0, 10);
  const others = bots.filter((bot) => !SIMPLE.includes(bot));
  const placed = /_ms$|^bots$|^name_of_player$/.test(wrong.field) || document.querySelector(`#own-form [name="${CSS.escape(wrong.field)}"]`);
  return html`<section aria-labelledby="own">
    <details class="box">
      <summary><h2 id="own">Open a table of your own</h2></summary>
      <form id="own-form" @submit=${create}>
        <fieldset><legend>Game</legend>
          ${field("name", "Name of the table", html`<input id="title" name="name" maxlength="40" autocomplete="off">`, "title")}
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
          ${bad(wrong.field === "bots")}
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
        ${bad(!placed)}
        <button class="main">Open the table</button>
      </form>
    </details>
  </section>`;
}
