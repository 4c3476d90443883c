// Asking the server for a table: the fields of such forms, what is wrong in them, and the connection for it.

import { Connection } from "../lib/net.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { conflict } from "../lib/create_table.js";
import { refusal } from "../lib/words.js";

/** @import {CreateTable} from "../lib/messages.d.ts" */
/**
 * What is wrong, in words, and the field that it is about: "" for none.
 * @typedef {{field: string, text: string}} Wrong
 */

/** @type {Wrong} */
export const FINE = { field: "", text: "" };
/** Refusals that are about the player's name. */
const NAME = new Set(["name_taken", "bad_name"]);

/**
 * Makes the controls of a form. What is wrong stands below the field that it is about, otherwise where `rest` is called.
 * @param {Wrong} wrong
 */
export function fields(wrong) {
  let told = false;
  const about = (/** @type {string} */ name) => wrong.text !== "" && (wrong.field === name || wrong.field === `${name}_ms`);
  const alert = () => {
    told = true;
    return html`<p class="error" role="alert" tabindex="-1">${wrong.text}</p>`;
  };
  const invalid = (/** @type {string} */ name) => (about(name) ? "true" : "false");
  /** @type {(name: string, label: string, control: unknown, id?: string) => unknown} */
  const field = (name, label, control, id = name) => html`<div class="field"><label for=${id}>${label}</label>${control}
    ${about(name) ? alert() : nothing}</div>`;
  /** @type {(name: string, label: string, value: number, least: number, most: number) => unknown} */
  const number = (name, label, value, least, most) => field(name, label, html`<input id=${name} name=${name} type="number"
    required min=${least} max=${most} value=${value} aria-invalid=${invalid(name)}>`);
  /** @type {(name: string, label: string, options: (readonly [string, string])[]) => unknown} */
  const choice = (name, label, options) => field(name, label, html`<select id=${name} name=${name} aria-invalid=${invalid(name)}>
    ${options.map(([value, text]) => html`<option value=${value}>${text}</option>`)}</select>`);
  return {
    field, number, choice, invalid,
    /** @param {string} name */
    here: (name) => (about(name) ? alert() : nothing),
    rest: () => (wrong.text && !told ? alert() : nothing),
  };
}

/**
 * What can be known to be wrong before the server is asked.
 * @param {HTMLFormElement} form
 * @param {CreateTable} wish
 * @returns {Wrong}
 */
export function fault(form, wish) {
  const controls = /** @type {HTMLInputElement[]} */ ([...form.elements]);
  const bad = controls.find((control) => control.willValidate && !control.validity.valid);
  return bad ? { field: bad.name, text: bad.validationMessage } : conflict(wish) ?? FINE;
}

/** Brings into sight what is wrong, and the focus to the field. */
export function reveal() {
  const alert = /** @type {HTMLElement | null} */ (document.querySelector('p.error[role="alert"]'));
  if (!alert) return;
  for (let at = alert.closest("details"); at; at = at.parentElement?.closest("details") ?? null) at.open = true;
  const place = alert.closest(".field");
  const control = /** @type {HTMLElement | null | undefined} */ (place?.querySelector("input, select"));
  (control ?? alert).focus({ preventScroll: true });
  (place ?? alert).scrollIntoView({ block: "center" });
}

/**
 * Asks for a table.
 * @param {string} name who asks
 * @param {CreateTable} wish
 * @param {string} named the field of that name
 * @param {(table: string) => void} opened
 * @param {(wrong: Wrong) => void} refused
 */
export function ask(name, wish, named, opened, refused) {
  let asked = false;
  const connection = new Connection(name, (messages) => {
    for (const message of messages) {
      if (message.type === "welcome") asked ||= connection.send(wish);
      if (message.type === "created") {
        connection.close();
        opened(message.table);
      }
      if (message.type === "error") {
        connection.close();
        const field = NAME.has(message.code) ? named : message.field ?? "";
        refused({ field, text: refusal(message.code, message.message, message.field) });
      }
    }
  }, (status) => {
    if (status.kind !== "lost") return;
    if (!asked) return refused({ field: "", text: "The server does not answer. Trying again…" });
    // It may have opened the table: a second one would be asked for in vain.
    connection.close();
    refused({ field: "", text: "The connection was lost before the server answered. Look whether your table is in the list." });
  });
  return connection;
}
