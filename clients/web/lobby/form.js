// Forms that ask the server for a table: their fields, their errors, and the request itself.

import { findConflict } from "../lib/create_table.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";
import { ensureName } from "../lib/settings.js";
import { errorText } from "../lib/refusals.js";
import { amount } from "../lib/words.js";
import { openConnection } from "../lib/shared_connection.js";

/** @import {ClientMessage, CreateTable, ServerMessage} from "../lib/messages.d.ts" */
/** @import {Settings} from "../lib/settings.js" */
/**
 * What is wrong, in words, and the field that it is about: "" for none.
 * @typedef {{field: string, text: string}} FormError
 */

/** @typedef {ReturnType<typeof formControls>} FormControls */

/** @type {FormError} */
export const NO_ERROR = { field: "", text: "" };
/** Refusals that are about the player's name. */
const NAME_CODES = new Set(["name_taken", "bad_name"]);

/**
 * The controls of a form. The error stands below the field that it is about, otherwise where `otherError` is called.
 * @param {FormError} error
 */
export function formControls(error) {
  let isShown = false;
  const concerns = (/** @type {string} */ name) => error.text !== "" && (error.field === name || error.field === `${name}_ms`);
  const showError = () => {
    isShown = true;
    return html`<p class="error" role="alert" tabindex="-1">${error.text}</p>`;
  };
  const ariaInvalid = (/** @type {string} */ name) => (concerns(name) ? "true" : "false");
  /** @type {(name: string, label: unknown, control: unknown, id?: string) => unknown} */
  const field = (name, label, control, id = name) => html`<div class="field"><label for=${id}>${label}</label>${control}
    ${concerns(name) ? showError() : nothing}</div>`;
  /** @type {(name: string, label: string, value: number, least: number, most: number) => unknown} */
  const numberField = (name, label, value, least, most) => field(name, label, html`<input id=${name} name=${name} type="number"
    required min=${least} max=${most} value=${value} aria-invalid=${ariaInvalid(name)}>`);
  /** @type {(name: string, label: string, options: (readonly [string, string])[], chosen?: string) => unknown} */
  const selectField = (name, label, options, chosen) => field(name, label, html`<select id=${name} name=${name} aria-invalid=${ariaInvalid(name)}>
    ${options.map(([value, text]) => (chosen === undefined ? html`<option value=${value}>${text}</option>`
      : html`<option value=${value} .selected=${value === chosen}>${text}</option>`))}</select>`);
  return {
    field, numberField, selectField, ariaInvalid,
    /** @param {string} name */
    errorOf: (name) => (concerns(name) ? showError() : nothing),
    otherError: () => (error.text && !isShown ? showError() : nothing),
  };
}

/** After what bots may forget. @returns {[string, string][]} */
export const memoryOptions = () => [["match", _("after each tournament")], ["series", _("after the last, or when the server restarts")]];

/** The question whether the result of one person against bots may be kept: no, if nothing is said. */
export function consent() {
  return html`<div class="consent"><label class="check"><input type="checkbox" name="research">
      ${_("Keep my result for research, anonymously")}</label>
    <p class="hint">${_("We keep the day, the game, the bots, the chips of each hand and how often you ran out of time: no name, no address. Hands at open tables are public, with your name.")}
      <a href="/people">${_("How others did")}</a></p></div>`;
}

/**
 * What can be known to be wrong before the server is asked.
 * @param {HTMLFormElement} form
 * @param {CreateTable} request
 * @returns {FormError}
 */
export const validate = (form, request) => findInvalid(form) ?? findConflict(request) ?? NO_ERROR;

/** What is wrong with the first control that has an error; null if none has. @param {HTMLFormElement} form @returns {FormError | null} */
export function findInvalid(form) {
  const controls = /** @type {HTMLInputElement[]} */ ([...form.elements]);
  const bad = controls.find((control) => control.willValidate && !control.validity.valid);
  return bad ? { field: bad.name, text: describeValidity(bad) } : null;
}

/** What is wrong with a control, in the page's language: the browser's own words are in the browser's. @param {HTMLInputElement} control */
function describeValidity({ validity, min, max, defaultValue }) {
  if (validity.stepMismatch) return _("Enter a whole number.");
  if (min && max) return _("Enter a number from {least} to {most}.", { least: amount(Number(min)), most: amount(Number(max)) });
  return defaultValue ? _("Enter something like {example}.", { example: defaultValue }) : _("Fill this in.");
}

/** Scrolls to the error, and puts the focus on its field. */
export function focusError() {
  const alert = /** @type {HTMLElement | null} */ (document.querySelector('p.error[role="alert"]'));
  if (!alert) return;
  for (let at = alert.closest("details"); at; at = at.parentElement?.closest("details") ?? null) at.open = true;
  const field = alert.closest(".field");
  const control = /** @type {HTMLElement | null | undefined} */ (field?.querySelector("input, select"));
  (control ?? alert).focus({ preventScroll: true });
  (field ?? alert).scrollIntoView({ block: "center" });
}

/** Milliseconds between two hands with the deals of others. */
const PAUSE = 2000;

/**
 * Opens a table with the deals of today, or of a link, and goes there.
 * @param {Settings} settings
 * @param {string} deals
 * @param {(error: FormError) => void} onError
 */
export function playDeals(settings, deals, onError) {
  ensureName(settings);
  return openAndSit(settings, { type: "create", deals, pause_ms: settings.speed === "instant" ? 0 : PAUSE }, onError);
}

/** Milliseconds between two tries of a stored hand, and for a decision in it: time to think. */
const TRY_PAUSE = 5000;
const TRY_DECISION = 60000;

/**
 * Opens a practice table for a stored hand, after so many of its actions, and goes there.
 * @param {Settings} settings
 * @param {string} hand
 * @param {number} keep
 * @param {(error: FormError) => void} onError
 */
export function playOn(settings, hand, keep, onError) {
  ensureName(settings);
  return openAndSit(settings, { type: "create", deals: hand, keep, pause_ms: TRY_PAUSE, decision_ms: TRY_DECISION }, onError);
}

/**
 * @param {Settings} settings
 * @param {CreateTable} request
 * @param {(error: FormError) => void} onError
 */
function openAndSit(settings, request, onError) {
  return createTable(settings.name, request, "", (table) => {
    location.href = `/table/${encodeURIComponent(table)}#sit`;
  }, onError);
}

/**
 * Asks the server to create a table.
 * @param {string} name who asks
 * @param {CreateTable} request
 * @param {string} nameField the field of that name
 * @param {(table: string) => void} onCreated
 * @param {(error: FormError) => void} onError
 */
export function createTable(name, request, nameField, onCreated, onError) {
  return askOnce(name, request, nameField, (answer) => {
    if (answer.type !== "created") return false;
    onCreated(answer.table);
    return true;
  }, onError);
}

/**
 * Sends the server one message over a connection of its own.
 * @param {string} name who asks
 * @param {ClientMessage} request
 * @param {string} nameField the field of that name
 * @param {(answer: ServerMessage) => boolean} onAnswer whether it is the answer
 * @param {(error: FormError) => void} onError
 */
export function askOnce(name, request, nameField, onAnswer, onError) {
  let isSent = false;
  const connection = openConnection(name, "", (messages) => {
    for (const message of messages) {
      if (message.type === "welcome") isSent ||= connection.send(request);
      if (onAnswer(message)) connection.close();
      if (message.type === "error") {
        connection.close();
        const field = NAME_CODES.has(message.code) ? nameField : message.field ?? "";
        onError({ field, text: errorText(message.code, message.message, message.field) });
      }
    }
  }, (status) => {
    if (status.kind !== "lost") return;
    if (!isSent) return onError({ field: "", text: _("The server does not answer. Trying again…") });
    // It may have done what it was asked: a second request would do it again.
    connection.close();
    onError({ field: "", text: _("The connection was lost before the server answered. Check whether your table is in the list.") });
  });
  return connection;
}
