// The form of the ten tournaments, in which people are tested against bots.

import { describeBot } from "../lib/bots.js";
import { characterName } from "../look/characters.js";
import { keyed, parameterFields } from "./bot_parameters.js";
import { consent, formControls, memoryOptions } from "./form.js";
import { html } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";

/** @import {FormError} from "./form.js" */

/**
 * @param {FormError} error
 * @param {(event: SubmitEvent & {currentTarget: HTMLFormElement}) => void} onSubmit
 * @param {(event: Event & {currentTarget: HTMLFormElement}) => void} onChange
 * @param {readonly string[]} bots
 * @param {string} opponent
 * @param {string} memory after what the bots forget
 */
export function tenTournamentsForm(error, onSubmit, onChange, bots, opponent, memory) {
  const controls = formControls(error);
  return html`<form class="box ten" novalidate @submit=${onSubmit} @input=${onChange} @change=${onChange} aria-labelledby="human">
    <h2 id="human">${_("Ten tournaments against four bots")}</h2>
    <p>${_("The classic test of people against bots: no-limit tournaments with 1,000 chips each and blinds that never rise, winner takes all. The table keeps count.")}</p>
    <div class="fields">
      ${controls.selectField("opponent", _("Bots"), bots.map((bot) => [bot, describeBot(bot)]), opponent)}
      ${controls.selectField("forget", _("Bots forget"), memoryOptions(), memory)}
      ${keyed([[opponent, parameterFields("opponent", _("Parameters of the opponents, {bot}", { bot: characterName(opponent) }), opponent, controls)]])}
    </div>
    ${consent()}
    ${controls.otherError()}
    <button>${_("Start")}</button>
  </form>`;
}
