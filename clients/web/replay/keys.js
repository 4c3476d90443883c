// The replayer's keyboard.

/** @import {App, Deeds} from "./replay.js" */

/** What the keys do, for the help. */
export const KEYS = [
  ["← →", "a step back or on"], ["Home End", "the beginning, the end"], ["Space P", "play or pause"],
  ["B N", "the hand before, the next one"], ["1 to 5", "the streets and the showdown"], ["A", "all cards, where they may be seen"],
  ["?", "this help"],
];

/**
 * @param {KeyboardEvent} event
 * @param {App} app
 * @param {Deeds} deeds
 */
export function replayKeys(event, app, deeds) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.altKey || event.metaKey || app.help) return;
  if (target.matches("input:not([type=range], [type=checkbox]), textarea, select")) return;
  const { key } = event;
  // What has the focus has its own keys: a slider moves by itself, a button is pressed.
  if (!target.matches("input")) {
    const move = { ArrowLeft: () => deeds.by(-1), ArrowRight: () => deeds.by(1), Home: deeds.first, End: deeds.last }[key];
    if (move) {
      event.preventDefault();
      return move();
    }
  }
  if (key === " " && !target.matches("button, a, summary, input[type=checkbox]")) {
    event.preventDefault();
    if (!event.repeat) deeds.play();
    return;
  }
  if (!app.settings.shortcuts) return;
  if (key === "?") return deeds.help();
  if (/^[1-9]$/.test(key)) return deeds.street(Number(key) - 1);
  const letter = key.toLowerCase();
  if (letter === "p") deeds.play();
  else if (letter === "b") deeds.turn("previous");
  else if (letter === "n") deeds.turn("next");
  else if (letter === "a" && app.hand?.open) deeds.wish({ all: !app.wishes.all });
}
