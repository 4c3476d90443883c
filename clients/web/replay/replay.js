// The replayer's page: a recorded hand, step by step, on the same felt as the live table.

import { Region } from "../lib/announce.js";
import { stay } from "../lib/pace.js";
import { replayKeys } from "./keys.js";
import { SPEEDS, Source, Trouble, remember, wishes } from "./source.js";
import { address, faceUp, neighbour, seatOf, stepOf, steps, streets, words } from "./steps.js";
import { whole } from "./view.js";
import { load, save } from "../lib/settings.js";
import { copy } from "../lib/share.js";
import { render } from "../vendor/lit-html/lit-html.js";
import { handName } from "../lib/words.js";

/**
 * @import {Address, Recorded, Step} from "./steps.js"
 * @import {Facts, Wishes} from "./source.js"
 * @import {Settings} from "../lib/settings.js"
 * @import {State} from "../table/state.js"
 */
/**
 * `at` is where the hand comes from, `step` the number of the step that is shown; `follow` the name of the player
 * that the table is looked at from; `state` is the table as it is seen.
 * @typedef {{at: Address | null, hand: Recorded | null, steps: readonly Step[], step: number, state: State | null,
 *   facts: Facts | null, playing: boolean, follow: string, wishes: Wishes, settings: Settings, trouble: Trouble | null,
 *   loading: boolean, notice: string, menu: boolean, help: boolean}} App
 */
/** @typedef {typeof deeds} Deeds */

/** Milliseconds between two changes of the address: browsers refuse more than a few a second. */
const WRITE = 500;
/** Milliseconds that the end of a hand stays at least, also when all is to be instant. */
const END = 400;

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const polite = new Region(/** @type {HTMLElement} */ (document.getElementById("polite")));
const source = new Source();
/** @type {App} */
const app = {
  at: null, hand: null, steps: [], step: 0, state: null, facts: null, playing: false, follow: "", wishes: wishes(),
  settings: load(), trouble: null, loading: true, notice: "", menu: false, help: false,
};
let drawing = false;
/** The timer of the next step while the hand is played. */
let timer = 0;
/** The timer of the next change of the address, when the last one was, and whether it is to be a place to go back to. */
let writing = 0;
let written = -WRITE;
let push = false;
/** The line of the log that was scrolled to. */
let scrolled = -1;
/** What was asked for last. */
let wanted = { path: "", hash: "" };

/** What a person can do; the templates call these. */
export const deeds = {
  /** @param {number} step */
  go(step) {
    if (!app.hand || step < 0) return;
    const next = Math.min(step, last());
    const moved = next !== app.step;
    app.step = next;
    app.notice = "";
    if (moved) polite.say(words(app.steps[next], "spoken", app.settings.bigBlinds));
    look();
    write();
    schedule();
  },
  /** @param {number} by */
  by(by) {
    deeds.go(Math.max(0, app.step + by));
  },
  first() {
    deeds.go(0);
  },
  last() {
    deeds.go(last());
  },
  /** @param {number} index */
  street(index) {
    deeds.go(streets(app.steps)[index]?.step ?? -1);
  },
  play() {
    if (!app.hand) return;
    app.playing = !app.playing;
    // At its end there is nothing to play: from the start then, or with the next hand.
    if (app.playing && app.step === last()) {
      if (app.wishes.on && app.hand.next) return void deeds.turn("next");
      deeds.go(0);
    }
    schedule();
    request();
  },
  /**
   * To the hand before or after.
   * @param {"previous" | "next"} which
   * @param {boolean} [automatic] is no place to go back to
   */
  async turn(which, automatic = false) {
    const path = app.at && app.hand && neighbour(app.at, app.hand[which]);
    if (!path) return;
    push ||= !automatic;
    await open(path);
  },
  /** @param {Partial<Wishes>} some */
  wish(some) {
    app.wishes = { ...app.wishes, ...some };
    remember(app.wishes);
    look();
    schedule();
  },
  /** @param {string} name */
  follow(name) {
    app.follow = name;
    look();
  },
  /** @param {Partial<Settings>} some */
  set(some) {
    // Another page may have changed others meanwhile.
    app.settings = { ...load(), ...some };
    save(app.settings);
    style();
    request();
  },
  async copyLink() {
    flush();
    const said = await copy(location.href, "The link to this step is copied.");
    app.notice = said;
    polite.say(said);
    request();
  },
  again() {
    open(wanted.path, wanted.hash);
  },
  menu() {
    app.menu = !app.menu;
    request();
  },
  help() {
    app.help = true;
    app.menu = false;
    draw();
    const dialog = page.querySelector("dialog");
    if (dialog && !dialog.open) dialog.showModal();
  },
  close() {
    // Closed before it goes, so that the focus returns to where it was.
    page.querySelector("dialog")?.close();
    app.help = false;
    request();
  },
};

function last() {
  return Math.max(0, app.steps.length - 1);
}

/**
 * Show the hand behind the path of a page.
 * @param {string} path
 * @param {string} [hash]
 */
async function open(path, hash = "") {
  const at = address(path);
  wanted = { path, hash };
  const mine = wanted;
  app.loading = true;
  app.notice = "";
  clearTimeout(timer);
  request();
  try {
    if (!at) throw new Trouble("This is not the address of a hand.", false);
    const hand = await source.hand(at);
    if (mine === wanted) shown(at, hand, hash);
  } catch (error) {
    if (mine !== wanted) return;
    if (!(error instanceof Trouble)) throw error;
    // What is there is not lost because something else is not.
    Object.assign(app, { trouble: error, at: app.hand ? app.at : at, loading: false, playing: false });
    push = false;
    request();
  }
}

/**
 * @param {Address} at
 * @param {Recorded} hand
 * @param {string} hash
 */
function shown(at, hand, hash) {
  const all = steps(hand);
  const same = app.at?.facts === at.facts;
  Object.assign(app, {
    at, hand, steps: all, step: stepOf(hash, all.length - 1), trouble: null, loading: false, ...(same ? {} : { facts: null }),
  });
  scrolled = -1;
  polite.say(words(app.steps[app.step], "spoken", app.settings.bigBlinds));
  look();
  write();
  schedule();
  preload(at, hand);
  source.about(at).then((facts) => {
    if (app.at !== at) return;
    app.facts = facts;
    request();
  }, () => {});  // what is not known is not shown
}

/**
 * @param {Address} at
 * @param {Recorded} hand
 */
function preload(at, hand) {
  for (const id of [hand.next, hand.previous]) {
    const other = id && address(neighbour(at, id));
    if (other) source.hand(other).catch(() => {});  // told when it is asked for
  }
}

/** The table as it is seen now. */
function look() {
  const { hand, wishes: how, follow } = app;
  const step = app.steps[app.step];
  if (hand && step) app.state = faceUp(step.state, hand, { all: hand.open && how.all, seat: seatOf(hand, follow) });
  request();
}

/** While it plays, the next step comes by itself; a page that nobody sees waits. */
function schedule() {
  clearTimeout(timer);
  const { hand, steps: all, step, wishes: how } = app;
  const now = all[step];
  if (!app.playing || app.loading || document.hidden || !hand || !now) return;
  const speed = SPEEDS[how.speed] ?? 1;
  if (!speed && step < last()) return deeds.last();
  const wait = stay(now.message, 0, speed, -1);
  if (step < last()) timer = setTimeout(() => deeds.by(1), wait);
  else if (how.on && hand.next) timer = setTimeout(() => deeds.turn("next", true), Math.max(END, wait));
  else {
    app.playing = false;
    if (how.on) app.notice = "That was the last hand.";
    request();
  }
}

/** The address of what is shown, at once or as soon as the browser likes it. */
function write() {
  clearTimeout(writing);
  writing = setTimeout(flush, Math.max(0, written + WRITE - performance.now()));
}

function flush() {
  clearTimeout(writing);
  if (!app.at || app.loading) return;
  const url = app.at.path + (app.step ? `#${app.step}` : "");
  if (url !== location.pathname + location.hash) {
    written = performance.now();
    if (push && app.at.path !== location.pathname) history.pushState(null, "", url);
    else history.replaceState(null, "", url);
  }
  push = false;
}

function request() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(draw);
}

function draw() {
  drawing = false;
  render(whole(app, deeds), page);
  const number = app.state?.hand ? `${handName(app.state.hand.hand, app.state.match)} · ` : "";
  document.title = `${number}${app.at?.competition || app.hand?.table || "Hand"} · pokerd`;
  follow();
}

/** The current line of the log is kept in sight, without moving the page. */
function follow() {
  const log = page.querySelector(".log");
  const line = log?.querySelector("[aria-current]");
  if (!log || !line || app.step === scrolled) return;
  scrolled = app.step;
  const [box, inner] = [log.getBoundingClientRect(), line.getBoundingClientRect()];
  if (inner.top < box.top || inner.bottom > box.bottom) log.scrollTop += inner.top - box.top - box.height / 3;
}

function style() {
  document.documentElement.dataset.deck = app.settings.fourColours ? "four" : "two";
}

addEventListener("popstate", () => {
  app.playing = false;
  push = false;
  if (app.at?.path !== location.pathname) open(location.pathname, location.hash);
  else deeds.go(stepOf(location.hash, last()));
});
addEventListener("keydown", (event) => replayKeys(event, app, deeds));
addEventListener("online", () => app.trouble?.again && deeds.again());
document.addEventListener("visibilitychange", schedule);
if (location.hash === "#play") {
  app.playing = true;
  app.wishes = { ...app.wishes, on: true };
}
style();
request();
open(location.pathname, location.hash);
