// The buttons of a drill, and the letters that press them.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";
import { loadSettings } from "../lib/settings.js";

const { shortcuts } = loadSettings();

/**
 * A button with its letter.
 * @param {string} text
 * @param {string} letter
 * @param {() => void} press
 * @param {{isMain?: boolean, isDisabled?: boolean}} [how]
 */
export function answerButton(text, letter, press, { isMain = false, isDisabled = false } = {}) {
  return html`<button class=${isMain ? "main" : nothing} ?disabled=${isDisabled} aria-keyshortcuts=${shortcuts ? letter : nothing} @click=${press}>${text}${hint(letter)}</button>`;
}

/** On to the next hand: not by the second half of a double click, which falls where an answer was. @param {() => void} press */
export function nextButton(press) {
  const click = (/** @type {MouseEvent} */ { detail }) => {
    if (detail < 2) press();
  };
  return html`<button id="next" class="main" aria-keyshortcuts=${shortcuts ? "N" : nothing} @click=${click}>${_("Next hand")}${hint("N")}</button>`;
}

/** @param {string} letter */
function hint(letter) {
  return shortcuts ? html`<kbd aria-hidden="true">${letter}</kbd>` : nothing;
}

/**
 * The letter that was pressed, "" if it is none of ours. A key that is held presses once, also a button.
 * @param {KeyboardEvent} event
 */
export function pressedLetter(event) {
  if (event.repeat && event.key === "Enter") event.preventDefault();
  const isOther = event.repeat || event.ctrlKey || event.altKey || event.metaKey || /** @type {HTMLElement} */ (event.target).matches("select");
  return shortcuts && !isOther ? event.key.toLowerCase() : "";
}
