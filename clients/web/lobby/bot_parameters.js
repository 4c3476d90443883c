// The fields of a bot's parameters in a form.

import { parametersOf } from "../lib/bots.js";
import { joinWords } from "../lib/cards.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { _ } from "../lib/language.js";

/**
 * @import {BotParameter} from "../lib/bots.js"
 * @import {FormControls} from "./form.js"
 */

/** A number without a sign, in a pattern. */
const NUMBER = "[0-9]*\\.?[0-9]+";

/**
 * The fields of bots, each by a key: those of another bot are new ones. They are made before, not when they are drawn, so that
 * the form knows which errors they show.
 * @param {readonly (readonly [string, unknown])[]} fields
 */
export const keyed = (fields) => repeat(fields, ([key]) => key, ([, template]) => template);

/**
 * Folded away until somebody wants them; nothing for a bot without parameters.
 * @param {string} prefix of the names of the fields
 * @param {string} title
 * @param {string} bot
 * @param {FormControls} controls
 */
export function parameterFields(prefix, title, bot, controls) {
  if (!parametersOf(bot).length) return nothing;
  return html`<details class="more"><summary>${title}</summary>${openParameterFields(prefix, bot, controls)}</details>`;
}

/**
 * The same, not folded away.
 * @param {string} prefix
 * @param {string} bot
 * @param {FormControls} controls
 */
export function openParameterFields(prefix, bot, controls) {
  return html`<div class="fields">${parametersOf(bot).map((one) => controls.field(`${prefix}.${one.name}`, label(one),
    input(`${prefix}.${one.name}`, one, controls)))}</div>`;
}

/** @param {BotParameter} parameter */
function label({ name, meaning, kind, default: usual, least, most, lengths }) {
  const values = { least, most, usual: shown(usual), lengths: joinOptions(lengths) };
  const range = kind === "switch" || kind === "choice" ? _("(normally {usual})", values)
    : kind === "numbers" ? _("({lengths} of {least} to {most}, normally {usual})", values) : _("({least} to {most}, normally {usual})", values);
  return html`<b translate="no">${name}</b>: ${_(meaning)} <span class="hint">${range}</span>`;
}

/** "1 or 4". @param {readonly number[]} lengths */
const joinOptions = (lengths) => joinWords(lengths.map(String), "disjunction");

/** @param {BotParameter["default"]} value */
const shown = (value) => (Array.isArray(value) ? value.join(" ") : typeof value === "boolean" ? (value ? _("yes") : _("no")) : String(value));

/**
 * @param {string} name
 * @param {BotParameter} parameter
 * @param {FormControls} controls
 */
function input(name, { kind, default: usual, least, most, choices, lengths }, { ariaInvalid }) {
  if (kind === "switch" || kind === "choice") {
    const options = kind === "switch" ? [["true", _("yes")], ["false", _("no")]] : choices.map((one) => [one, one]);
    return html`<select id=${name} name=${name} aria-invalid=${ariaInvalid(name)}>
      ${options.map(([value, text]) => html`<option value=${value} ?selected=${value === String(usual)}>${text}</option>`)}</select>`;
  }
  if (kind === "numbers") {
    const pattern = lengths.map((many) => `${NUMBER}([ ,]+${NUMBER}){${many - 1}}`).join("|");
    return html`<input id=${name} name=${name} required inputmode="decimal" autocomplete="off" pattern=${pattern} value=${shown(usual)}
      title=${_("{lengths} numbers", { lengths: joinOptions(lengths) })} aria-invalid=${ariaInvalid(name)}>`;
  }
  return html`<input id=${name} name=${name} type="number" required min=${least} max=${most} step=${kind === "whole" ? 1 : "any"}
    value=${String(usual)} aria-invalid=${ariaInvalid(name)}>`;
}
