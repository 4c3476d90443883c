// For a visitor who looks elsewhere: the tab's title and icon, and a screen that stays awake.

import { _ } from "./language.js";

/**
 * Shows in the tab that it is my turn; a hidden tab blinks.
 * @param {string} name of the table
 * @param {boolean} turn it is my turn
 * @param {boolean} answered
 * @param {number} now ms
 */
export function updateTab(name, turn, answered, now) {
  const blink = document.hidden && Math.floor(now / 1000) % 2 === 1;
  document.title = turn && !answered && !blink ? _("Your turn! {page}", { page: name }) : name;
  const icon = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
  const file = icon?.dataset[turn && !blink ? "turn" : "rest"];
  if (icon && file && icon.getAttribute("href") !== file) icon.href = file;
}

/**
 * A phone on the table must not fall asleep in the middle of a hand.
 * @param {() => boolean} playing
 * @returns what lets it sleep again once that is over
 */
export function keepScreenAwake(playing) {
  /** @type {WakeLockSentinel | null} */
  let lock = null;
  const ask = async () => {
    if (document.hidden || !playing() || (lock && !lock.released)) return;
    lock = await navigator.wakeLock?.request("screen").catch(() => null) ?? null;
    release();
  };
  const release = () => {
    if (playing()) return;
    lock?.release();
    lock = null;
  };
  document.addEventListener("visibilitychange", ask);
  // At every touch: whoever touched the page first of all may have had no seat yet.
  addEventListener("pointerdown", ask);
  return release;
}
