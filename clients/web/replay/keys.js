// The replayer's keyboard.

import { _ } from "../lib/language.js";

/** @import {App, Handlers} from "./app.js" */

/** What the keys do, for the help. */
export const KEYS = [
  ["← →", _("a step back or forward")], [_("Home End"), _("the beginning or the end")], [_("Space P"), _("play or pause")],
  ["B N", _("the previous or next hand")], [_("1 to 5"), _("the streets and the showdown")], ["A", _("all cards, if you may see them")],
  ["?", _("this help")],
];

/**
 * @param {KeyboardEvent} event
 * @param {App} app
 * @param {Handlers} handlers
 */
export function handleKey(event, app, handlers) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.altKey || event.metaKey || app.dialog) return;
  if (target.matches("input:not([type=range], [type=checkbox]), textarea, select")) return;
  const { key } = event;
  // What has the focus has its own keys: a slider moves by itself, a button is pressed.
  if (!target.matches("input")) {
    const move = { ArrowLeft: () => handlers.stepBy(-1), ArrowRight: () => handlers.stepBy(1), Home: handlers.goToFirst, End: handlers.goToLast }[key];
    if (move) {
      event.preventDefault();
      return move();
    }
  }
  if (key === " " && !target.matches("button, a, summary, input[type=checkbox]")) {
    event.preventDefault();
    if (!event.repeat) handlers.togglePlay();
    return;
  }
  if (!app.settings.shortcuts) return;
  if (key === "?") return handlers.openDialog("help");
  if (/^[1-9]$/.test(key)) return handlers.goToStreet(Number(key) - 1);
  const letter = key.toLowerCase();
  if (letter === "p") handlers.togglePlay();
  else if (letter === "b") handlers.openNeighbour("previous");
  else if (letter === "n") handlers.openNeighbour("next");
  else if (letter === "a" && app.hand?.open) handlers.changeOptions({ allFaceUp: !app.options.allFaceUp });
}
