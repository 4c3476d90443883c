// The form that opens a tournament over several tables.

import { formControls } from "../lobby/form.js";
import { html } from "../vendor/lit-html/lit-html.js";
import { lineUp } from "../look/characters.js";
import { _ } from "../lib/language.js";
import { speedName } from "./words.js";

/**
 * @import {AnnounceTournament} from "../lib/messages.d.ts"
 * @import {FormError} from "../lobby/form.js"
 * @import {Level} from "../look/characters.js"
 */

const SPEEDS = ["normal", "slow", "turbo", "hyper"];
/** Kinds of house bots that fill a tournament up. */
const KINDS = 6;

/**
 * @param {FormError} error
 * @param {(event: SubmitEvent & {currentTarget: HTMLFormElement}) => void} onSubmit
 * @param {readonly string[]} bots those that there are
 * @param {boolean} isAsking
 */
export function announceForm(error, onSubmit, bots, isAsking) {
  const { field, numberField, selectField, ariaInvalid, otherError } = formControls(error);
  return html`<section aria-labelledby="announce"><details class="box"><summary><h2 id="announce">${_("Open a tournament")}</h2></summary>
    <form class="announce" novalidate @submit=${onSubmit}>
      <div class="fields">
        ${field("name", _("Name of the tournament"), html`<input id="name" name="name" maxlength="35" required autocomplete="off" aria-invalid=${ariaInvalid("name")}>`)}
        ${selectField("minutes", _("Start"), [["0", _("when full")], ...[2, 5, 10, 15, 30, 60, 120].map((n) => /** @type {[string, string]} */ ([String(n), _("in {n} minutes", { n })]))])}
        ${numberField("entrants", _("Most players"), 18, 2, 200)}
        ${numberField("seats", _("Seats at a table"), 6, 2, 10)}
        ${numberField("house_bots", _("Bots that fill it up"), 12, 0, 64)}
        ${selectField("strength", _("Level of the bots"), [["solid", _("Solid")], ["easy", _("Easy")], ["strong", _("Strong")]])}
        ${numberField("stack", _("Chips"), 1500, 100, 100000)}
        ${selectField("speed", _("Blinds rise"), SPEEDS.map((speed) => [speed, speedName(speed)]))}
        ${numberField("late_levels", _("Levels with late entry"), 2, 0, 10)}
      </div>
      ${otherError()}
      <button class="main" ?disabled=${isAsking}>${_("Open the tournament")}</button>
    </form></details></section>`;
}

/**
 * What a filled form asks for.
 * @param {FormData} form
 * @param {readonly string[]} bots those that there are
 * @returns {AnnounceTournament}
 */
export function readAnnounceForm(form, bots) {
  const number = (/** @type {string} */ key) => Number(form.get(key));
  const level = /** @type {Level} */ (String(form.get("strength")));
  return {
    type: "announce", name: String(form.get("name") ?? "").trim(), minutes: number("minutes"), entrants: number("entrants"), seats: number("seats"),
    house_bots: number("house_bots"), bots: [...new Set(lineUp(bots, level, KINDS))], stack: number("stack"), speed: String(form.get("speed")),
    late_levels: number("late_levels"),
  };
}
