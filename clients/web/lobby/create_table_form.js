// The form that opens a table: three choices (game, opponents, speed), and more for those who want it.

import { BASIC_BOTS, describeBot } from "../lib/bots.js";
import { keyed, parameterFields } from "./bot_parameters.js";
import { characterName, lineUp, strengthOf } from "../look/characters.js";
import { faceOf, stars } from "../look/faces.js";
import { allInText } from "../lib/create_table.js";
import { consent, formControls, memoryOptions } from "./form.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, pgettext } from "../lib/language.js";
import { speedText } from "../lib/words.js";

/**
 * @import {FormError} from "./form.js"
 * @import {Level} from "../look/characters.js"
 */

/** Seconds to decide, of time bank, and between hands. @type {Readonly<Record<string, readonly [number, number, number]>>} */
const SPEEDS = { relaxed: [60, 180, 5], normal: [20, 60, 3], fast: [8, 20, 1] };
const LEVELS = /** @type {[Level | "", string][]} */ ([["easy", _("Easy")], ["solid", _("Solid")], ["strong", _("Strong")], ["", _("No bots")]]);

/**
 * @param {FormError} error
 * @param {(event: Event & {currentTarget: HTMLFormElement}) => void} onSubmit
 * @param {(event: Event & {currentTarget: HTMLFormElement}) => void} onChange
 * @param {readonly string[]} bots
 * @param {readonly string[]} chosen those that are to be seated, whose parameters may be set
 * @param {boolean} canKeep whether to ask if the result may be kept
 * @param {string} [title]
 */
export function createTableForm(error, onSubmit, onChange, bots, chosen, canKeep, title = _("Open a table of your own")) {
  const controls = formControls(error);
  const { field, numberField, selectField, ariaInvalid, errorOf, otherError } = controls;
  const botCount = (/** @type {string} */ bot) => numberField(bot, describeBot(bot), chosen.includes(bot) ? 1 : 0, 0, 10);
  const others = bots.filter((bot) => !BASIC_BOTS.includes(bot));
  const known = bots.filter((bot) => strengthOf(bot)?.of === bot).sort((one, other) => (strengthOf(other)?.mbb ?? 0) - (strengthOf(one)?.mbb ?? 0));
  const opponents = (/** @type {Level | ""} */ level) => (level ? lineUp(bots, level, 5) : []);
  const key = (/** @type {readonly string[]} */ some) => [...new Set(some)].sort().join(" ");
  const faces = [...known, ...chosen.filter((bot) => !known.includes(bot))];
  return html`<section aria-labelledby="own">
    <details class="box">
      <summary><h2 id="own">${title}</h2></summary>
      <form id="own-form" novalidate @submit=${onSubmit} @input=${onChange} @change=${onChange}>
        <fieldset class="own-choice"><legend>${_("1. Game")}</legend>
          ${segments(_("Betting"), "game", [["nolimit", _("No-limit")], ["limit", _("Limit")], ["pushfold", _("All-in or fold")]])}
          ${segments(_("Kind"), "mode", [["cash", _("Cash: come and go")], ["tournament", _("Tournament")]])}
        </fieldset>
        <fieldset class="own-choice"><legend>${_("2. Opponents")}</legend>
          <div class="segments" role="group" aria-label=${_("Level")}>${LEVELS.map(([level, name]) => html`<button type="button"
            aria-pressed=${key(opponents(level)) === key(chosen) ? "true" : "false"} @click=${(/** @type {Event} */ event) => seatOnly(event, bots, opponents(level))}>${name}</button>`)}</div>
          <div class="faces" role="group" aria-label=${_("Bots")}>${faces.map((bot) => html`<button type="button" class="pick" aria-pressed=${chosen.includes(bot) ? "true" : "false"}
            title=${describeBot(bot)} @click=${(/** @type {Event} */ event) => seatOnly(event, [bot], chosen.includes(bot) ? [] : [bot])}>${faceOf(bot)}
            <b>${characterName(bot)}</b>${strengthOf(bot) ? stars(strengthOf(bot)?.stars ?? 0) : nothing}</button>`)}</div>
          ${errorOf("bots")}
          <label class="check"><input type="checkbox" name="practice"> ${_("Practice: I play alone against them, and a strong bot gives me hints")}</label>
          ${errorOf("practice")}
        </fieldset>
        <fieldset class="own-choice"><legend>${_("3. Speed")}</legend>
          <div class="segments" role="group" aria-label=${_("Speed")}>${Object.entries(SPEEDS).map(([speed, seconds]) => html`<label><input type="radio" name="speed"
            value=${speed} ?checked=${speed === "normal"} @change=${(/** @type {Event} */ event) => setTimes(event, seconds)}><span>${_("{speed}, {n} s", { speed: speedText(speed), n: seconds[0] })}</span></label>`)}</div>
        </fieldset>
        <details class="more"><summary>${_("More options")}</summary>
          <fieldset><legend>${_("Game")}</legend>
            ${field("name", _("Name of the table"), html`<input id="title" name="name" maxlength="40" autocomplete="off"
              aria-invalid=${ariaInvalid("name")}>`, "title")}
            <label class="check"><input type="checkbox" name="private"> ${_("Private: only those with the link find it")}</label>
            <label class="check"><input type="checkbox" name="hud" checked> ${_("Statistics of players at the seats")}</label>
            ${numberField("seats", _("Seats"), 6, 2, 10)}
            ${selectField("min_raise", _("Smallest no-limit raise"), [["", _("As large as the last")], ["bb", _("A big blind")]])}
            ${numberField("small_blind", _("Small blind"), 5, 1, 1000000)}
            ${numberField("big_blind", _("Big blind"), 10, 1, 1000000)}
            ${numberField("ante", _("Ante"), 0, 0, 1000000)}
            <label class="check"><input type="checkbox" name="straddle"> ${_("Straddle of two big blinds, with four players or more")}</label>
            ${numberField("stack", _("Chips"), 1000, 2, 200000000)}
            ${selectField("depth", _("Stacks"), [["", _("Carry over to the next hand")], ["10 10", _("10 big blinds in every hand")],
              ["1 10", _("1 to 10 big blinds, drawn for every hand")]])}
            ${selectField("all_ins", _("All-ins at cash tables"), ["", "equity", "twice"].map((how) => [how, allInText(how)]))}
            ${selectField("deck", _("Deck"), [["secure", _("Secret seed, published afterwards")]])}
          </fieldset>
          <fieldset><legend>${_("How many of each bot")}</legend>
            ${bots.filter((bot) => BASIC_BOTS.includes(bot)).map(botCount)}
            ${others.length ? html`<details class="more"><summary>${_("More bots")}</summary><div class="fields">${others.map(botCount)}</div></details>` : nothing}
            ${keyed(chosen.map((bot) => [bot, parameterFields(bot, _("Parameters of {bot}", { bot: `${characterName(bot)} (${bot})` }), bot, controls)]))}
            <label class="check"><input type="checkbox" name="exhibition"> ${_("Only bots: they take all seats, and I watch")}</label>
          </fieldset>
          <fieldset><legend>${_("Tournaments and time")}</legend>
            ${selectField("levels", _("Tournament blinds rise"), [["normal", _("normally")], ["turbo", pgettext("blinds rise", "fast")], ["fixed", _("never")]])}
            ${numberField("matches", _("Tournaments in a row"), 1, 1, 100)}
            ${selectField("memory", _("Bots forget"), memoryOptions())}
            ${numberField("decision", _("Seconds to decide"), 20, 1, 600)}
            ${numberField("bank", _("Seconds of time bank"), 60, 0, 3600)}
            ${numberField("pause", _("Seconds between hands"), 3, 0, 60)}
          </fieldset>
        </details>
        ${canKeep ? consent() : nothing}
        ${otherError()}
        <button class="main open">${_("Open the table")}</button>
      </form>
    </details>
  </section>`;
}

/**
 * One of a few, side by side; the first is chosen at first.
 * @param {string} label
 * @param {string} name
 * @param {readonly (readonly [string, string])[]} options
 */
function segments(label, name, options) {
  return html`<div class="segments" role="radiogroup" aria-label=${label}>${options.map(([value, text], at) => html`<label><input
    type="radio" name=${name} value=${value} ?checked=${at === 0}><span>${text}</span></label>`)}</div>`;
}

/**
 * Writes into the form, as if somebody had typed it.
 * @param {Event} event of a control of the form
 * @param {readonly (readonly [string, number])[]} values
 */
function write(event, values) {
  const { form } = /** @type {HTMLButtonElement} */ (event.currentTarget);
  for (const [name, value] of values) {
    const control = form?.elements.namedItem(name);
    if (control instanceof HTMLInputElement) control.value = String(value);
  }
  form?.dispatchEvent(new Event("change"));
}

/**
 * Of these bots seats the wanted ones once, and the others not at all.
 * @param {Event} event
 * @param {readonly string[]} bots
 * @param {readonly string[]} wanted
 */
function seatOnly(event, bots, wanted) {
  write(event, bots.map((bot) => [bot, wanted.includes(bot) ? 1 : 0]));
}

/** @param {Event} event @param {readonly [number, number, number]} seconds */
function setTimes(event, [decision, bank, pause]) {
  write(event, [["decision", decision], ["bank", bank], ["pause", pause]]);
}
