// The table's page: messages in, pictures and sounds out, what the person does back.

import { Region, news, question } from "../lib/announce.js";
import { act, foldIsFoolish, isPush, onlyAllIn, parseAmount, presets, resolve, step, tooSoon } from "./actions.js";
import { stayAwake, tab } from "./attention.js";
import { isMine } from "./invite.js";
import { chosen, controls } from "./controls.js";
import { copies } from "./export.js";
import { Deals } from "../lib/seeds.js";
import { dialog } from "./dialogs.js";
import { keys } from "./keys.js";
import { Connection, ifOutdated } from "../lib/net.js";
import { Pace, SPEEDS } from "../lib/pace.js";
import { banner, naming, side, top } from "./panels.js";
import { hasResult, result } from "./results.js";
import { load, save } from "../lib/settings.js";
import { Speaker, soundOf } from "../lib/sound.js";
import { initial, reduce, timeLeft } from "./state.js";
import { Tabs } from "../lib/tabs.js";
import { command, textTable } from "./textview.js";
import { html, render } from "../vendor/lit-html/lit-html.js";
import { felt } from "./view.js";
import { SIMPLE, askForBots } from "../lib/create_table.js";
import { amount, refusal } from "../lib/words.js";

/**
 * @import {ServerMessage} from "../lib/messages.d.ts"
 * @import {Choice, Slot} from "./actions.js"
 * @import {Deal} from "../lib/seeds.js"
 * @import {Status} from "../lib/net.js"
 * @import {Settings} from "../lib/settings.js"
 * @import {LocalMessage, State} from "./state.js"
 */
/**
 * What only this page knows. `to` and `typed` are the amount of a raise as chosen and as typed. `paused` says when I,
 * looking on, stopped the table; `behind` counts hands that wait to be seen; `follow` is the seat at the bottom;
 * `elsewhere` is another table, where another tab is connected, until it is decided where I go on. `bots` can be seated.
 * @typedef {{name: string, nameError: string, to: number | null, typed: string | null, panel: "log" | "chat",
 *   dialog: "settings" | "help" | "last" | "about" | "fold" | "push" | "leave" | null, menu: boolean, filter: string,
 *   muted: Set<string>, mucked: number | null, asked: Set<string>, leaving: boolean, review: number | null,
 *   read: number, answer: string, outdated: boolean, named: boolean, paused: number | null, behind: number,
 *   follow: number | null, deals: readonly Deal[], elsewhere: string, bots: readonly string[]}} Ui
 */
/** @typedef {{state: State, status: Status, settings: Settings, ui: Ui, now: number}} App */
/** @typedef {typeof deeds} Deeds */

/** Milliseconds between two looks at a running clock. */
const TICK = 200;

const table = decodeURIComponent(location.pathname.split("/").at(-1) ?? "");
const settings = load();
/** @type {App} */
const app = {
  state: initial(table),
  status: { kind: "connecting" },
  settings,
  now: performance.now(),
  ui: {
    name: settings.name, nameError: "", to: null, typed: null, panel: "log", dialog: null, menu: false, filter: "all",
    muted: new Set(), mucked: null, asked: new Set(), leaving: false, review: null, read: 0, answer: "", outdated: false,
    named: settings.name !== "", paused: null, behind: 0, follow: null, deals: [], elsewhere: "", bots: [],
  },
};
const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const polite = new Region(/** @type {HTMLElement} */ (document.getElementById("polite")));
const urgent = new Region(/** @type {HTMLElement} */ (document.getElementById("urgent")));
const speaker = new Speaker();
const pace = new Pace(show, () => ({ speed: SPEEDS[app.settings.speed] ?? 1, me: app.state.me }));
const deals = new Deals(table, (list) => change({ deals: list }));
const tabs = new Tabs(table, () => (connection && !connection.closed && !app.state.ended ? app.state.info?.name || table : ""));
/** @type {Connection | null} */
let connection = null;
let drawing = false;
/** Whether the low-time sound of this turn was heard. */
let warned = false;
let left = false;
/** The state that was last announced. */
let told = app.state;

/** What a person can do; the templates call these. */
export const deeds = {
  ...copies(app, (text) => local({ type: "notice", text })),
  /** @param {Slot} slot */
  press(slot) {
    const { state } = app;
    const { turn } = state;
    if (!turn || state.sent) return;
    const early = tooSoon(slot, performance.now(), state);
    if (early) return local({ type: "notice", text: early });
    if (slot === "fold" && foldIsFoolish(turn)) return asks("fold") ? undefined : deeds.answer("fold");
    if (slot === "call" && isPush(turn, state.hand?.players[state.me]?.stack ?? 0)) {
      return local({ type: "notice", text: "Here it is all in or fold." });
    }
    const { to, error } = slot === "raise" ? chosen(app, turn) : { to: 0, error: "" };
    if (to === null || error || (slot === "raise" && !turn.raise_to)) return;
    send(act(turn, slot, to));
  },
  /** Enter is pressed: a raise, unless what it would do may be a surprise. */
  enter() {
    const { turn, match } = app.state;
    if (!turn || !onlyAllIn(turn, match?.game) || !asks("push")) deeds.press("raise");
  },
  /** @param {Choice | null} choice */
  choose(choice) {
    local({ type: "choose", choice });
  },
  /** @param {number} to */
  to(to) {
    change({ to, typed: null });
  },
  /** Letters are no amount: says what is. */
  refuseLetter() {
    const { state, settings: { bigBlinds } } = app;
    if (!state.turn) return;
    const unit = bigBlinds ? state.bigBlind : 1;
    const { error } = parseAmount("", state.turn, unit, (chips) => amount(chips, unit > 1 ? unit : 0));
    local({ type: "notice", text: error });
  },
  /** @param {string} typed */
  type(typed) {
    change({ typed });
  },
  /** @param {number} steps */
  step(steps) {
    const { turn, bigBlind } = app.state;
    if (turn) deeds.to(step(chosen(app, turn).to ?? turn.raise_to?.[0] ?? 0, steps, turn, bigBlind));
  },
  /** @param {number} index */
  preset(index) {
    const { state } = app;
    const me = state.hand?.players[state.me];
    const preset = state.turn && me ? presets(state.turn, me.bet, app.settings.shares)[index] : undefined;
    if (preset?.enabled) deeds.to(preset.to);
  },
  /** @param {number} seat */
  sit(seat) {
    deeds.jump();
    tell({ type: "join", table, ...(seat < 0 ? {} : { seat }) });
  },
  /** Seats a house bot. @param {string} bot */
  invite(bot) {
    tell({ type: "invite", table, bot });
  },
  /** Stops the table for me, who looks on, or goes on. */
  pause() {
    if (app.ui.paused === null) pace.pause();
    else pace.resume();
    change({ paused: pace.paused ? performance.now() : null, behind: pace.behind() });
  },
  jump() {
    pace.jump();
    change({ paused: null, behind: 0 });
  },
  /** @param {string} seat "" for nobody's */
  follow(seat) {
    change({ follow: seat === "" ? null : Number(seat) });
  },
  /** @param {"hand" | "blind"} at */
  away(at) {
    if (tell({ type: "away", table, at })) local({ type: "notice", text: at === "hand" ? "You sit out from the next hand on." : "You sit out when the big blind reaches you." });
    change({ menu: false });
  },
  back() {
    tell({ type: "back", table });
    change({ menu: false });
  },
  leave() {
    const { state } = app;
    const me = state.hand?.players[state.me];
    if (me && !me.folded && state.hand && !state.hand.over) deeds.open("leave");
    else goodbye();
  },
  /** @param {string[]} cards */
  show(cards) {
    if (app.state.hand) tell({ type: "show", table, hand: app.state.hand.hand, cards });
  },
  muck() {
    change({ mucked: app.state.hand?.hand ?? null });
  },
  /** @param {string} text */
  say(text) {
    const line = text.trim();
    return line !== "" && tell({ type: "say", table, text: line });
  },
  /** @param {string} name */
  mute(name) {
    const muted = new Set(app.ui.muted);
    if (!muted.delete(name)) muted.add(name);
    change({ muted });
  },
  /** The answer to a dialog's question. @param {"check" | "fold" | "push" | "now" | "later"} answer */
  answer(answer) {
    deeds.close();
    const { turn } = app.state;
    const over = app.state.hand?.over ?? true;
    if (answer === "push") deeds.press("raise");
    else if (answer === "now" || (answer === "later" && over)) goodbye();
    else if (answer === "later") {
      change({ leaving: true });
      local({ type: "notice", text: "You leave after this hand." });
    } else if (turn && !app.state.sent) {
      if (answer === "fold") local({ type: "choose", choice: { kind: "fold_any" } });
      send(act(turn, "call"));
    }
  },
  /** @param {string} text */
  command(text) {
    const { state, now } = app;
    const unit = app.settings.bigBlinds ? state.bigBlind : undefined;
    const meant = command(text, state, { unit, shares: app.settings.shares, now });
    change({ answer: "say" in meant ? meant.say : "" });
    if ("press" in meant) deeds.press(meant.press);
    if ("raise" in meant) {
      deeds.to(meant.raise);
      deeds.press("raise");
    }
    if ("away" in meant) meant.away ? deeds.away("hand") : deeds.back();
  },
  /** @param {Exclude<Ui["dialog"], null>} which */
  open(which) {
    change({ dialog: which, menu: false, review: null });
    draw();
    const element = page.querySelector("dialog");
    if (element && !element.open) element.showModal();
  },
  close() {
    // Closed before it goes, so that the focus returns to where it was.
    page.querySelector("dialog")?.close();
    if (app.ui.dialog) change({ dialog: null });
  },
  /** @param {number} index */
  review(index) {
    change({ review: index });
  },
  menu() {
    change({ menu: !app.ui.menu });
  },
  /** @param {"log" | "chat"} panel */
  panel(panel) {
    change({ panel, read: app.state.chat.length });
  },
  /** @param {string} filter */
  filter(filter) {
    change({ filter });
  },
  /** @param {Partial<Settings>} some */
  set(some) {
    app.settings = { ...app.settings, ...some };
    save(app.settings);
    style();
    request();
  },
  /** @param {string} text */
  name(text) {
    const name = text.trim();
    if (!name) return;
    deeds.set({ name });
    change({ name, nameError: "", named: true });
    arrive();
  },
  reconnect() {
    connection?.open();
  },
  /** Takes over from the tab at another table. */
  goOnHere() {
    change({ elsewhere: "" });
    connect();
  },
  toLobby() {
    location.href = "/";
  },
  reload() {
    location.reload();
  },
};

/**
 * Asks before an answer that may not be meant, once in every hand.
 * @param {"fold" | "push"} question
 * @returns whether it is asked
 */
function asks(question) {
  const key = `${question} ${app.state.hand?.hand}`;
  if (app.ui.asked.has(key)) return false;
  app.ui.asked.add(key);
  deeds.open(question);
  return true;
}

/** @param {import("../lib/messages.d.ts").Act} message */
function send(message) {
  connection?.send(message);
  local({ type: "sent", act: message });
}

/** Sends what is no act, or says that it cannot. @param {import("../lib/messages.d.ts").ClientMessage} message */
function tell(message) {
  const sent = connection?.send(message) ?? false;
  if (!sent) local({ type: "notice", text: "There is no connection: nothing was sent." });
  return sent;
}

/** Leaves, once: a second press is too many. */
const goodbye = () => (left ||= tell({ type: "leave", table }));

/** @param {LocalMessage} message */
function local(message) {
  learn(message, performance.now());
  request();
}

/**
 * @param {ServerMessage | LocalMessage} message
 * @param {number} now
 */
function learn(message, now) {
  const { turn } = app.state;
  app.state = reduce(app.state, message, now);
  // A question about a turn goes with it.
  if (app.state.turn !== turn && (app.ui.dialog === "fold" || app.ui.dialog === "push")) deeds.close();
}

/** What was said is read when the person does something else. */
function heeded() {
  if (app.state.notice) local({ type: "notice", text: "" });
}

/** @param {Partial<Ui>} some */
function change(some) {
  app.ui = { ...app.ui, ...some };
  request();
}

/**
 * A message whose turn to be seen has come.
 * @param {ServerMessage | LocalMessage} message
 * @param {number} received
 */
function show(message, received) {
  // What somebody who looks on sees may have waited; the clocks in it begin when he sees them.
  learn(message, app.state.me < 0 ? performance.now() : received);
  const { state, ui } = app;
  ui.behind = pace.behind();
  if (message.type === "match_start") {
    if (message.table === table && message.seat >= 0) connection?.send({ type: "ready", table });
    if (message.table === table) {
      sitDown();
      deals.begin();
    }
    ui.read = 0;
  }
  if (message.type === "seats" && !ui.bots.length && isMine(state)) {
    ui.bots = SIMPLE;
    askForBots((bots) => change({ bots }));
  }
  if (message.type === "match_start" || message.type === "error") left = false;
  if (message.type === "match_end" && message.table === table) {
    ui.leaving = false;
    if (message.reason !== "left") deals.end();
  }
  if (message.type === "error" && (!message.table || message.table === table)) {
    const text = refusal(message.code, message.message, message.field);
    if (text) local({ type: "notice", text });
  }
  if (message.type === "hand_end" && ui.leaving) {
    ui.leaving = !goodbye();
  }
  if (message.type === "turn" && state.turn === message) asked();
  if (message.type === "said" && ui.panel === "chat") ui.read = state.chat.length;
  const sound = soundOf(state, message);
  if (sound && app.settings.sound) speaker.play(sound, app.settings.volume);
  request();
}

/** Whoever comes from "Play" in the lobby wants a seat, once. */
function sitDown() {
  if (location.hash !== "#sit") return;
  history.replaceState(null, "", location.pathname);
  if (app.state.me < 0) deeds.sit(-1);
}

/** It is my turn: answer as I chose in advance, or ask. */
function asked() {
  const { state } = app;
  if (!state.turn) return;
  app.ui.to = null;
  app.ui.typed = null;
  app.ui.answer = "";
  warned = false;
  const answer = resolve(state.choice, state.turn);
  if (answer) send(answer);
  else {
    if (state.choice) local({ type: "choose", choice: null });
    urgent.say(question(state.turn, app.settings.bigBlinds ? state.bigBlind : undefined));
  }
}

/**
 * @param {ServerMessage[]} messages
 * @param {number} received
 */
function arrived(messages, received) {
  const before = app.state;
  pace.push(messages, received);
  change({ behind: pace.behind() });
  for (const message of messages) {
    if (message.type === "welcome") {
      ifOutdated(() => change({ outdated: true }));
      // A seat of mine is told by itself; otherwise I look on until I take one.
      if (!messages.some((other) => other.type === "match_start")) connection?.send({ type: "watch", table });
    }
    if (message.type === "match_start" && message.table === table) {
      polite.say(news(before, app.state, true, app.settings.bigBlinds));
      told = app.state;
    }
  }
}

/** @param {Status} status */
function changed(status) {
  app.status = status;
  if (status.kind === "lost" || status.kind === "replaced") local({ type: "dropped" });
  if (status.kind === "refused") {
    connection = null;
    change({ named: false, nameError: refusal(status.code, status.message) });
  }
  request();
}

/** Connects, unless this would end what another tab does at another table. */
async function arrive() {
  const elsewhere = await tabs.elsewhere();
  if (elsewhere) change({ elsewhere });
  else connect();
}

function connect() {
  connection = new Connection(app.ui.name, arrived, changed);
}

function request() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(draw);
}

function draw() {
  drawing = false;
  app.now = app.ui.paused ?? performance.now();
  render(app.ui.named ? whole() : naming(app, deeds), page);
  polite.say(news(told, app.state, false, app.settings.bigBlinds));
  told = app.state;
  tab(`${app.state.info?.name || table} · pokerd`, app.state.turn !== null, app.state.sent !== null, app.now);
}

function whole() {
  const unit = app.settings.bigBlinds ? app.state.bigBlind : undefined;
  const free = app.state.me < 0 && app.state.match && !app.state.ended;
  const look = { unit, now: app.now, ...(free ? { sit: deeds.sit } : {}), ...bottom() };
  return html`${top(app, deeds)}${banner(app, deeds)}
    <main>
      ${hasResult(app) ? result(app, deeds) : app.settings.text ? textTable(app, deeds) : felt(app.state, look)}
      ${controls(app, deeds)}
    </main>
    ${side(app, deeds)}
    ${dialog(app, deeds)}`;
}

/** The seat that I, looking on, want to see from. */
function bottom() {
  return app.ui.follow === null || app.state.me >= 0 ? {} : { bottom: app.ui.follow };
}

function tick() {
  const { state } = app;
  if (state.clock && state.turn && !warned && timeLeft(state.clock, performance.now()).inBank) {
    warned = true;
    if (app.settings.sound) speaker.play("low", app.settings.volume);
    urgent.say("Your time bank is running");
  }
  if (!state.clock && app.status.kind !== "lost") return;
  // Nobody sees frames of a hidden page, but the tab's title goes on.
  if (document.hidden) draw();
  else request();
}

function style() {
  document.documentElement.dataset.deck = app.settings.fourColours ? "four" : "two";
}

setInterval(tick, TICK);
stayAwake(() => app.state.me >= 0);
for (const done of ["click", "keydown", "input", "wheel"]) addEventListener(done, heeded, { capture: true, passive: true });
addEventListener("keydown", (event) => keys(event, app, deeds));
style();
if (app.ui.named) arrive();
request();
