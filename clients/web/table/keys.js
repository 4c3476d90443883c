// The keyboard: single letters act, unless somebody is writing.

import { choices } from "./actions.js";
import { tablesWindow } from "../lib/shared_connection.js";
import { amountToCall } from "./state.js";

/** @import {App, Handlers} from "./app.js" */

/**
 * @param {KeyboardEvent} event
 * @param {App} app
 * @param {Handlers} handlers
 */
export function handleKey(event, app, handlers) {
  const target = /** @type {HTMLElement} */ (event.target);
  const around = tablesWindow();
  if (event.ctrlKey || event.altKey || event.metaKey || app.ui.dialog) return;
  if (target.id === "amount") {
    if (event.key === "Enter") handlers.press("raise");
    if (event.key === "Escape") target.blur();
    if (/^\p{L}$/u.test(event.key)) {
      event.preventDefault();
      handlers.explainAmount();
    }
    return;
  }
  if (target.matches("input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]")) return;
  // What was pressed for the table that had the keyboard before.
  if (around?.hasJustMoved()) return event.preventDefault();
  if (event.key === "Escape") return app.ui.isMenuOpen ? handlers.toggleMenu() : handlers.choose(null);
  if (!app.settings.shortcuts || event.repeat) return;
  if (event.key === "?") return handlers.openDialog("help");
  if (event.key.toLowerCase() === "n") return around?.nextTable();
  const { turn, me } = app.state;
  if (me < 0 && event.key.toLowerCase() === "p") return handlers.togglePause();
  if (!turn) return toggleAdvanceChoice(event.key.toLowerCase(), app, handlers);
  const key = event.key.toLowerCase();
  if (key === "f") handlers.press("fold");
  else if (key === "c") handlers.press("call");
  else if (key === "h") handlers.askHint();
  else if (key === "r") {
    event.preventDefault();
    document.getElementById("amount")?.focus();
  } else if (key === "enter" && !target.matches("button, a, summary")) {
    // What opens must not take this key for its own.
    event.preventDefault();
    handlers.pressEnter();
  } else if (/^[1-5]$/.test(key)) handlers.usePreset(Number(key) - 1);
  else if (key === "+" || key === "-") handlers.stepBy(key === "+" ? 1 : -1);
}

/**
 * @param {string} key
 * @param {App} app
 * @param {Handlers} handlers
 */
function toggleAdvanceChoice(key, app, handlers) {
  const cost = amountToCall(app.state);
  const index = { f: 0, c: 1 }[key];
  if (cost === null || index === undefined) return;
  const choice = choices(cost)[index]?.choice ?? null;
  handlers.choose(choice?.kind === app.state.choice?.kind ? null : choice);
}
