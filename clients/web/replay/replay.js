// The replayer's page: a recorded hand, step by step, on the same felt as the live table.

import { say } from "../lib/announce.js";
import { cleanComment, commentFromHash, hashFor } from "./comment.js";
import { handleKey } from "./keys.js";
import { playOn } from "../lobby/form.js";
import { _ } from "../lib/language.js";
import { render } from "../vendor/lit-html/lit-html.js";
import { displayTime } from "../lib/playback.js";
import { loadSettings, saveSettings } from "../lib/settings.js";
import { copyToClipboard } from "../lib/share.js";
import { HandSource, LoadError, SPEEDS, loadHint, loadOptions, saveOptions } from "./source.js";
import { actionAt, faceUp, isAskable, neighbourPath, parseAddress, pointAfter, seatOf, stepFromHash, stepText, steps, streets } from "./steps.js";
import { applyLook } from "../look/look.js";
import { layout } from "./view.js";
import { tableName } from "../look/table_names.js";
import { handName } from "../lib/words.js";

/**
 * @import {Address, Recorded} from "./steps.js"
 * @import {HandHint} from "./source.js"
 * @import {App, Handlers} from "./app.js"
 */

/** Milliseconds between two changes of the address: browsers refuse more than a few a second. */
const ADDRESS_INTERVAL = 500;
/** Milliseconds at a step after which a strong bot is asked. */
const HINT_DELAY = 300;
/** Milliseconds for which the end of a hand is shown at least, also at the speed `instant`. */
const END_TIME = 400;

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const source = new HandSource();
/** @type {App} */
const app = {
  at: null, hand: null, steps: [], step: 0, state: null, facts: null, isPlaying: false, follow: "", options: loadOptions(),
  settings: loadSettings(), error: null, isLoading: true, notice: "", isMenuOpen: false, dialog: null, comment: "", hint: null,
};
let drawing = false;
/** The request for a table where a hand is played on. @type {ReturnType<typeof playOn> | null} */
let opening = null;
/** The timer of the next step while the hand is played. */
let stepTimer = 0;
/** The timer of the next question to a strong bot, and its answers, by hand and number of the action. */
let hintTimer = 0;
/** @type {WeakMap<Recorded, Map<number, HandHint>>} */
const hints = new WeakMap();
/** The timer of the next change of the address, when the last one was, and whether the next is a new entry of the history. */
let addressTimer = 0;
let addressWrittenAt = -ADDRESS_INTERVAL;
let pushHistory = false;
/** The line of the log that was scrolled to; again when the log has another size, as once its styles have come. */
let scrolledStep = -1;
const logSize = new ResizeObserver(() => {
  scrolledStep = -1;
  scrollLog();
});
/** The last request. */
let wanted = { path: "", hash: "" };

/** @type {Handlers} */
export const handlers = {
  goToStep(step) {
    if (!app.hand || step < 0) return;
    const next = Math.min(step, lastStep());
    const moved = next !== app.step;
    app.step = next;
    app.notice = "";
    if (moved) say("polite", stepText(app.steps[next], "spoken", app.settings.bigBlinds));
    updateState();
    scheduleAddress();
    schedule();
    scheduleHint();
  },
  stepBy: (by) => handlers.goToStep(Math.max(0, app.step + by)),
  goToFirst: () => handlers.goToStep(0),
  goToLast: () => handlers.goToStep(lastStep()),
  goToStreet: (index) => handlers.goToStep(streets(app.steps)[index]?.step ?? -1),
  togglePlay() {
    if (!app.hand) return;
    app.isPlaying = !app.isPlaying;
    // At its end there is nothing to play: from the start then, or with the next hand.
    if (app.isPlaying && app.step === lastStep()) {
      if (app.options.autoNext && app.hand.next) return void handlers.openNeighbour("next");
      handlers.goToStep(0);
    }
    schedule();
    scheduleHint();
    requestDraw();
  },
  async openNeighbour(which, automatic = false) {
    const path = app.at && app.hand && neighbourPath(app.at, app.hand[which]);
    if (!path) return;
    pushHistory ||= !automatic;
    await openHand(path);
  },
  changeOptions(some) {
    app.options = { ...app.options, ...some };
    saveOptions(app.options);
    updateState();
    schedule();
  },
  followPlayer(name) {
    app.follow = name;
    updateState();
  },
  changeSettings(some) {
    saveSettings(app.settings, some);
    applyLook(app.settings);
    requestDraw();
  },
  async copyLink() {
    writeAddress();
    const message = await copyToClipboard(location.href, _("The link to this step is copied."));
    app.notice = message;
    say("polite", message);
    requestDraw();
  },
  copyComment(comment) {
    app.comment = cleanComment(comment);
    handlers.closeDialog();
    handlers.copyLink();
  },
  playOn() {
    const point = pointAfter(app.steps, app.step);
    if (!app.hand || !point) return;
    opening?.close();
    opening = playOn(app.settings, app.hand.id, point.keep, ({ text }) => {
      app.notice = text;
      say("urgent", text);
      requestDraw();
    });
  },
  retry: () => openHand(wanted.path, wanted.hash),
  toggleMenu() {
    app.isMenuOpen = !app.isMenuOpen;
    requestDraw();
  },
  openDialog(which) {
    app.dialog = which;
    app.isMenuOpen = false;
    draw();
    const dialog = page.querySelector("dialog");
    if (dialog && !dialog.open) dialog.showModal();
  },
  closeDialog() {
    // Closed before it goes, so that the focus returns to where it was.
    page.querySelector("dialog")?.close();
    app.dialog = null;
    requestDraw();
  },
};

function lastStep() {
  return Math.max(0, app.steps.length - 1);
}

/**
 * Show the hand behind the path of a page.
 * @param {string} path
 * @param {string} [hash]
 */
async function openHand(path, hash = "") {
  const at = parseAddress(path);
  wanted = { path, hash };
  const requested = wanted;
  app.isLoading = true;
  app.notice = "";
  clearTimeout(stepTimer);
  requestDraw();
  try {
    if (!at) throw new LoadError(_("This is not the address of a hand."), false);
    const hand = await source.hand(at);
    if (requested === wanted) showHand(at, hand, hash);
  } catch (error) {
    if (requested !== wanted) return;
    if (!(error instanceof LoadError)) throw error;
    // What is there is not lost because something else is not.
    Object.assign(app, { error, at: app.hand ? app.at : at, isLoading: false, isPlaying: false });
    pushHistory = false;
    requestDraw();
  }
}

/**
 * @param {Address} at
 * @param {Recorded} hand
 * @param {string} hash
 */
function showHand(at, hand, hash) {
  const all = steps(hand);
  const same = app.at?.facts === at.facts;
  Object.assign(app, {
    at, hand, steps: all, step: stepFromHash(hash, all.length - 1), comment: commentFromHash(hash), error: null, isLoading: false, ...(same ? {} : { facts: null }),
  });
  scrolledStep = -1;
  say("polite", stepText(app.steps[app.step], "spoken", app.settings.bigBlinds));
  updateState();
  scheduleAddress();
  schedule();
  scheduleHint();
  preload(at, hand);
  source.tableFacts(at).then((facts) => {
    if (app.at !== at) return;
    app.facts = facts;
    scrolledStep = -1;  // they move the log
    requestDraw();
  }, () => {});  // without facts the page shows none
}

/**
 * @param {Address} at
 * @param {Recorded} hand
 */
function preload(at, hand) {
  for (const id of [hand.next, hand.previous]) {
    const other = id && parseAddress(neighbourPath(at, id));
    if (other) source.hand(other).catch(() => {});  // reported when the visitor goes there
  }
}

/** The table as it is seen now. */
function updateState() {
  const { hand, options: options, follow } = app;
  const step = app.steps[app.step];
  if (hand && step) app.state = faceUp(step.state, hand, { all: hand.open && options.allFaceUp, seat: seatOf(hand, follow) });
  requestDraw();
}

/** While it plays, the next step comes by itself; a page that nobody sees waits. */
function schedule() {
  clearTimeout(stepTimer);
  const { hand, steps: all, step, options: options } = app;
  const now = all[step];
  if (!app.isPlaying || app.isLoading || document.hidden || !hand || !now) return;
  const speed = SPEEDS[options.speed] ?? 1;
  if (!speed && step < lastStep()) return handlers.goToLast();
  const wait = displayTime(now.message, [], speed, -1);
  if (step < lastStep()) stepTimer = setTimeout(() => handlers.stepBy(1), wait);
  else if (options.autoNext && hand.next) stepTimer = setTimeout(() => handlers.openNeighbour("next", true), Math.max(END_TIME, wait));
  else {
    app.isPlaying = false;
    if (options.autoNext) app.notice = _("That was the last hand.");
    requestDraw();
  }
}

/** A strong bot is asked about a decision at which the visitor stays. */
function scheduleHint() {
  clearTimeout(hintTimer);
  const { at, hand, steps: all, step } = app;
  app.hint = null;
  if (!at || !hand || !isAskable(at, hand, all[step])) return;
  const number = actionAt(all, step);
  const known = hints.get(hand)?.get(number);
  if (known) app.hint = { answer: known };
  else if (!app.isPlaying) hintTimer = setTimeout(function askHint() { ask(at, hand, number); }, HINT_DELAY);
}

/**
 * @param {Address} at
 * @param {Recorded} hand
 * @param {number} number
 */
async function ask(at, hand, number) {
  /** @type {NonNullable<typeof app.hint>} */
  const asked = app.hint = {};
  requestDraw();
  try {
    asked.answer = await loadHint(at, number);
    hints.set(hand, (hints.get(hand) ?? new Map()).set(number, asked.answer));
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    asked.error = error;
  }
  requestDraw();
}

/** Writes the address of the step, at once or as soon as the browser allows it. */
function scheduleAddress() {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(writeAddress, Math.max(0, addressWrittenAt + ADDRESS_INTERVAL - performance.now()));
}

function writeAddress() {
  clearTimeout(addressTimer);
  if (!app.at || app.isLoading) return;
  const url = app.at.path + hashFor(app.step, app.comment);
  if (url !== location.pathname + location.hash) {
    addressWrittenAt = performance.now();
    if (pushHistory && app.at.path !== location.pathname) history.pushState(null, "", url);
    else history.replaceState(null, "", url);
  }
  pushHistory = false;
}

function requestDraw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(draw);
}

function draw() {
  drawing = false;
  render(layout(app, handlers), page);
  const number = app.state?.hand ? `${handName(app.state.hand.hand)} · ` : "";
  const table = app.hand ? tableName({ table: app.hand.table, name: app.facts?.name ?? "" }) : _("Hand");
  document.title = `${number}${app.at?.competition || table} · pokerd`;
  scrollLog();
}

/** The current line of the log is kept in sight, without moving the page. */
function scrollLog() {
  const log = page.querySelector(".log");
  const line = log?.querySelector("[aria-current]");
  if (log) logSize.observe(log);
  if (!log || !line || app.step === scrolledStep) return;
  scrolledStep = app.step;
  const [box, inner] = [log.getBoundingClientRect(), line.getBoundingClientRect()];
  if (inner.top < box.top || inner.bottom > box.bottom) log.scrollTop += inner.top - box.top - box.height / 3;
  // Beside the table the log may end below its column, which scrolls by itself.
  const column = log.closest(".side");
  if (column) column.scrollTop += Math.max(0, Math.ceil(line.getBoundingClientRect().bottom - column.getBoundingClientRect().bottom));
}

addEventListener("popstate", () => {
  app.isPlaying = false;
  pushHistory = false;
  if (app.at?.path !== location.pathname) openHand(location.pathname, location.hash);
  else {
    app.comment = commentFromHash(location.hash);
    handlers.goToStep(stepFromHash(location.hash, lastStep()));
  }
});
addEventListener("keydown", (event) => handleKey(event, app, handlers));
addEventListener("online", () => app.error?.canRetry && handlers.retry());
document.addEventListener("visibilitychange", schedule);
if (location.hash === "#play") {
  app.isPlaying = true;
  app.options = { ...app.options, autoNext: true };
}
applyLook(app.settings);
requestDraw();
openHand(location.pathname, location.hash);
