// The keyboard: single letters act, unless somebody is writing.

import { choices } from "./actions.js";
import { price } from "./state.js";

/** @import {App, Deeds} from "./table.js" */

/**
 * @param {KeyboardEvent} event
 * @param {App} app
 * @param {Deeds} deeds
 */
export function keys(event, app, deeds) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.altKey || event.metaKey || app.ui.dialog) return;
  if (target.id === "amount") {
    if (event.key === "Enter") deeds.press("raise");
    if (event.key === "Escape") target.blur();
    if (/^\p{L}$/u.test(event.key)) {
      event.preventDefault();
      deeds.refuseLetter();
    }
    return;
  }
  if (target.matches("input:not([type=range]), textarea, select, [contenteditable]")) return;
  if (event.key === "Escape") return deeds.choose(null);
  if (!app.settings.shortcuts || event.repeat) return;
  if (event.key === "?") return deeds.open("help");
  const { turn, me } = app.state;
  if (me < 0 && event.key.toLowerCase() === "p") return deeds.pause();
  if (!turn) return inAdvance(event.key.toLowerCase(), app, deeds);
  const key = event.key.toLowerCase();
  if (key === "f") deeds.press("fold");
  else if (key === "c") deeds.press("call");
  else if (key === "r") {
    event.preventDefault();
    document.getElementById("amount")?.focus();
  } else if (key === "enter" && !target.matches("button, a, summary")) {
    // What opens must not take this key for its own.
    event.preventDefault();
    deeds.enter();
  } else if (/^[1-5]$/.test(key)) deeds.preset(Number(key) - 1);
  else if (key === "+" || key === "-") deeds.step(key === "+" ? 1 : -1);
}

/**
 * @param {string} key
 * @param {App} app
 * @param {Deeds} deeds
 */
function inAdvance(key, app, deeds) {
  const cost = price(app.state);
  const index = { f: 0, c: 1 }[key];
  if (cost === null || index === undefined) return;
  const choice = choices(cost)[index]?.choice ?? null;
  deeds.choose(choice?.kind === app.state.choice?.kind ? null : choice);
}
