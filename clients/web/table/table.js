// The table's page: shows and plays the server's messages, sends what the visitor does.

import { actMessage, answerTo, isAllInCall, isAllInOnlyRaise, isCheckFree, whyTooSoon } from "./actions.js";
import { amountHandlers, amountOfTurn, amountWith, raiseAmount, unitOf } from "./amounts.js";
import { announcement, say, turnAnnouncement } from "../lib/announce.js";
import { keepScreenAwake, updateTab } from "../lib/attention.js";
import { _ } from "../lib/language.js";
import { BASIC_BOTS, loadBots } from "../lib/bots.js";
import { controls } from "./controls.js";
import { dialog } from "./dialogs.js";
import { chances } from "./equity.js";
import { exportHandlers } from "./export.js";
import { inviteHandlers, isOwner } from "./invite.js";
import { hintHandlers } from "./hint.js";
import { STYLES_AFTER, loadStyles } from "./hud.js";
import { handleKey } from "./keys.js";
import { html, render } from "../vendor/lit-html/lit-html.js";
import { checkVersion } from "../lib/net.js";
import { MessagePlayback, SPEEDS } from "../lib/playback.js";
import { banner, header, nameForm, sidePanel } from "./panels.js";
import { rememberKey } from "../people/score.js";
import { OwnResult, finalResult, hasResult } from "./results.js";
import { MatchSeeds } from "../lib/seeds.js";
import { loadSettings, onSettingsChange, saveSettings, toggleMuted } from "../lib/settings.js";
import { MAX_TABLES, besideAddress, keepTableInFrame, openConnection, tablesWindow } from "../lib/shared_connection.js";
import { Speaker, soundFor } from "../lib/sound.js";
import { bottomSeat } from "./spectator.js";
import { initialState, isOpenChallenge, reduce, timeLeft } from "./state.js";
import { Tabs } from "../lib/tabs.js";
import { parseCommand, textTable } from "./textview.js";
import { followMove } from "./tournament.js";
import { applyLook, switchTheme } from "../look/look.js";
import { tableName } from "../look/table_names.js";
import { twiceHandlers } from "./twice.js";
import { tableView } from "./view.js";
import { errorText } from "../lib/refusals.js";

/**
 * @import {ServerMessage} from "../lib/messages.d.ts"
 * @import {Status} from "../lib/net.js"
 * @import {App, Handlers, Ui} from "./app.js"
 * @import {LocalMessage, State} from "../lib/table_types.js"
 */

/** Milliseconds between two looks at a running clock. */
const TICK = 200;

const table = decodeURIComponent(location.pathname.split("/").at(-1) ?? "");
const settings = loadSettings();
/** @type {App} */
const app = {
  state: initialState(table),
  status: { kind: "connecting" },
  settings,
  now: performance.now(),
  ui: {
    name: settings.name, nameError: "", raiseTo: null, typedAmount: null, amountFor: "", panel: "log", dialog: null, isMenuOpen: false,
    muckedHand: null, questionsAsked: new Set(), leavesAfterHand: false, reviewIndex: null, readLines: 0, answer: "", isOutdated: false,
    hasName: settings.name !== "", pausedAt: null, behind: 0, followSeat: null, seeds: [], otherTable: "", arrival: "", bots: [], bot: "", isInviting: false, isResultDeleted: false, hintedTurn: null, comesAgain: false, isChoiceLost: false, rangesOf: null,
  },
};
const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const speaker = new Speaker();
const playback = new MessagePlayback(showMessage, () => ({ speed: SPEEDS[app.settings.speed] ?? 1, me: app.state.me }));
const matchSeeds = new MatchSeeds(table, (list) => updateUi({ seeds: list }));
const tabs = new Tabs(table, () => (connection && !connection.closed && !app.state.ended ? tableName({ table, name: app.state.info?.name ?? "" }) : ""), tablesWindow()?.tables);
/** @type {ReturnType<typeof openConnection> | null} */
let connection = null;
let drawing = false;
/** Whether the low-time sound of this turn was heard. */
let lowTimeWarned = false;
let leaveSent = false;
const letScreenSleep = keepScreenAwake(() => app.state.me >= 0 && !app.state.ended);
/** When to ask how everybody plays. */
let stylesDue = 0;
const ownResult = new OwnResult();
/** The state that was last announced. */
let announced = app.state;

/** @type {Handlers} */
export const handlers = {
  ...amountHandlers(app, dispatch, updateUi),
  ...exportHandlers(app, (text) => dispatch({ type: "notice", text })),
  ...hintHandlers(app, sendOrNotify, updateUi),
  ...inviteHandlers(table, sendOrNotify, updateUi),
  ...twiceHandlers(app, sendOrNotify),
  press(slot) {
    const { state } = app;
    const { turn } = state;
    if (!turn || state.sent) return;
    const early = whyTooSoon(slot, performance.now(), state);
    if (early) return dispatch({ type: "notice", text: early });
    if (slot === "fold" && isCheckFree(turn)) return confirmOnce("fold") ? undefined : handlers.answerDialog("fold");
    if (slot === "call" && isAllInCall(turn, state.hand?.players[state.me]?.stack ?? 0)) {
      return dispatch({ type: "notice", text: _("At this table you go all-in or fold.") });
    }
    const { to, error } = slot === "raise" ? raiseAmount(app, turn) : { to: 0, error: "" };
    if (to === null || error || (slot === "raise" && !turn.raise_to)) return;
    sendAct(actMessage(turn, slot, to));
  },
  pressEnter() {
    const { turn, match } = app.state;
    if (!turn || !isAllInOnlyRaise(turn, match?.game) || !confirmOnce("push")) handlers.press("raise");
  },
  choose: (choice) => dispatch({ type: "choose", choice }),
  sit(seat) {
    handlers.jumpToNow();
    sendOrNotify({ type: "join", table, ...(seat < 0 ? {} : { seat }) });
  },
  togglePause() {
    if (app.ui.pausedAt === null) playback.pause();
    else playback.resume();
    updateUi({ pausedAt: playback.paused ? performance.now() : null, behind: playback.handsBehind() });
  },
  jumpToNow() {
    playback.showAll();
    updateUi({ pausedAt: null, behind: 0 });
  },
  follow: (seat) => updateUi({ followSeat: seat === "" ? null : Number(seat) }),
  sitOut(at) {
    if (sendOrNotify({ type: "away", table, at })) dispatch({ type: "notice", text: at === "hand" ? _("You will sit out from the next hand.") : _("You will sit out when the big blind reaches you.") });
    updateUi({ isMenuOpen: false });
  },
  sitIn() {
    sendOrNotify({ type: "back", table });
    updateUi({ isMenuOpen: false });
  },
  leave() {
    const { state } = app;
    const me = state.hand?.players[state.me];
    updateUi({ isMenuOpen: false });
    if (isOpenChallenge(state) || (me && !me.folded && state.hand && !state.hand.over)) handlers.openDialog("leave");
    else leaveTable();
  },
  showCards(cards) {
    if (app.state.hand) sendOrNotify({ type: "show", table, hand: app.state.hand.hand, cards });
  },
  peek: () => dispatch({ type: "peek" }),
  muck: () => updateUi({ muckedHand: app.state.hand?.hand ?? null }),
  sendChat(text) {
    const line = text.trim();
    return line !== "" && sendOrNotify({ type: "say", table, text: line });
  },
  toggleMute: (name) => handlers.changeSettings({ muted: toggleMuted(app.settings.muted, name) }),
  answerDialog(answer) {
    handlers.closeDialog();
    const { turn } = app.state;
    const over = app.state.hand?.over ?? true;
    if (answer === "push") handlers.press("raise");
    else if (answer === "now" || (answer === "later" && over)) leaveTable();
    else if (answer === "later") {
      updateUi({ leavesAfterHand: true });
      dispatch({ type: "notice", text: _("You will leave after this hand.") });
    } else if (turn && !app.state.sent) {
      if (answer === "fold") dispatch({ type: "choose", choice: { kind: "fold_any" } });
      sendAct(actMessage(turn, "call"));
    }
  },
  runCommand(text) {
    const { state, now } = app;
    const meant = parseCommand(text, state, { unit: unitOf(app), shares: app.settings.shares, now });
    updateUi({ answer: "say" in meant ? meant.say : "" });
    if ("press" in meant) handlers.press(meant.press);
    if ("raise" in meant) {
      handlers.setAmount(meant.raise);
      handlers.press("raise");
    }
    if ("away" in meant) meant.away ? handlers.sitOut("hand") : handlers.sitIn();
  },
  openDialog(which) {
    updateUi({ dialog: which, isMenuOpen: false, reviewIndex: null });
    draw();
    const element = page.querySelector("dialog");
    if (element && !element.open) element.showModal();
  },
  closeDialog() {
    // Closed before it goes, so that the focus returns to where it was.
    page.querySelector("dialog")?.close();
    if (app.ui.dialog) updateUi({ dialog: null });
  },
  reviewHand: (index) => updateUi({ reviewIndex: index }),
  playAgain() {
    const create = app.settings.request?.create;
    if (create) sendOrNotify(create);
  },
  toggleTheme() {
    app.settings = { ...app.settings, theme: switchTheme() };
    updateUi({ isMenuOpen: false });
  },
  toggleMenu: () => updateUi({ isMenuOpen: !app.ui.isMenuOpen }),
  showPanel: (panel) => updateUi({ panel, readLines: app.state.chat.length }),
  changeSettings(some) {
    const changed = { ...app.settings };
    saveSettings(changed, some);
    takeSettings(changed);
    updateUi({ isMenuOpen: false });
  },
  setName(text) {
    const name = text.trim();
    if (!name) return;
    handlers.changeSettings({ name });
    updateUi({ name, nameError: "", hasName: true });
    connectUnlessElsewhere();
  },
  reconnect: () => connection?.open(),
  connectHere() {
    updateUi({ otherTable: "" });
    connect();
  },
  goToLobby: () => location.assign("/"),
  playBeside: () => location.assign(besideAddress([...new Set([...tabs.others, table])].slice(-MAX_TABLES), app.ui.otherTable ? `&sit=${encodeURIComponent(location.hash ? table : "")}` : "&add")),
  reload: () => location.reload(),
};

/**
 * Asks before an answer that may not be meant, once in every hand.
 * @param {"fold" | "push"} question
 * @returns whether it is asked
 */
function confirmOnce(question) {
  const key = `${question} ${app.state.hand?.hand}`;
  if (app.ui.questionsAsked.has(key)) return false;
  app.ui.questionsAsked.add(key);
  handlers.openDialog(question);
  return true;
}

/** @param {import("../lib/messages.d.ts").Act} message */
function sendAct(message) {
  connection?.send(message);
  dispatch({ type: "sent", act: message });
}

/** Sends what is no act, or shows that it cannot. @param {import("../lib/messages.d.ts").ClientMessage} message */
function sendOrNotify(message) {
  const sent = connection?.send(message) ?? false;
  if (!sent) dispatch({ type: "notice", text: _("Not connected: nothing was sent.") });
  return sent;
}

/** Leaves, once: a second press is too many. */
const leaveTable = () => (leaveSent ||= sendOrNotify({ type: "leave", table }));

/** Asks how everybody plays, as often as it may have changed. */
function refreshStyles() {
  if (performance.now() < stylesDue) return;
  stylesDue = performance.now() + STYLES_AFTER;
  loadStyles(table).then((styles) => dispatch({ type: "all_styles", styles }), () => undefined);
}

/** @param {LocalMessage} message */
function dispatch(message) {
  applyMessage(message, performance.now());
  requestDraw();
}

/**
 * @param {ServerMessage | LocalMessage} message
 * @param {number} now
 */
function applyMessage(message, now) {
  const { turn, names } = app.state;
  app.state = reduce(app.state, message, now);
  if (app.state.names !== names) stylesDue = 0;
  // A question about a turn goes with it.
  if (app.state.turn !== turn && (app.ui.dialog === "fold" || app.ui.dialog === "push")) handlers.closeDialog();
}

/** @param {typeof settings} changed */
function takeSettings(changed) {
  updateUi(amountWith(app, changed));
  app.settings = changed;
  applyLook(changed);
}

/** A notice is gone when the visitor does something else. */
function clearNotice() {
  if (app.state.notice) dispatch({ type: "notice", text: "" });
}

/** @param {Partial<Ui>} some */
function updateUi(some) {
  app.ui = { ...app.ui, ...some };
  requestDraw();
}

/**
 * Shows a message whose time has come.
 * @param {ServerMessage | LocalMessage} message
 * @param {number} received
 */
function showMessage(message, received) {
  // A spectator's message may have been queued; its clocks start when it is shown.
  applyMessage(message, app.state.me < 0 ? performance.now() : received);
  const { state, ui } = app;
  ui.behind = playback.handsBehind();
  const move = followMove(state, message);
  if (move || message.type === "hand_end") ui.arrival = move;
  if (message.type === "match_start") {
    if (message.table === table && message.seat >= 0) connection?.send({ type: "ready", table });
    if (message.table === table) {
      sitIfAskedTo();
      matchSeeds.addMatch();
    }
    ui.readLines = 0;
  }
  if (message.type === "seats" && !ui.bots.length && isOwner(state)) {
    ui.bots = BASIC_BOTS;
    loadBots((bots) => updateUi({ bots }));
  }
  if (message.type === "seats") handlers.tellTwice();
  if (message.type === "styles" && app.settings.hud) refreshStyles();
  if (message.type === "seats" && ui.isInviting && ui.dialog === "bot") handlers.closeDialog();
  if (message.type === "seats" || message.type === "error") ui.isInviting = false;
  if (message.type === "hand_start" || message.type === "error") ui.comesAgain = false;
  if (message.type === "error") ui.rangesOf = null;
  // More of what was asked for does not open what I closed.
  if (message.type === "ranges" && message.hand === ui.rangesOf) {
    ui.rangesOf = null;
    handlers.openDialog("ranges");
  }
  if (message.type === "created") {
    const create = app.settings.request?.create;
    if (create) handlers.changeSettings({ request: { table: message.table, create } });
    location.assign(`/table/${encodeURIComponent(message.table)}#sit`);
  }
  const last = "table" in message && message.table === table ? ownResult.after(message.type, state, unitOf(app)) : null;
  if (last) handlers.changeSettings({ last });
  if (message.type === "score" && message.table === table) rememberKey(app.settings, message.key);
  if (message.type === "match_start" || message.type === "error") leaveSent = false;
  if (message.type === "match_end" && message.table === table) {
    ui.leavesAfterHand = false;
    // Elsewhere the match goes on, and its seed stays secret.
    if (message.reason !== "left" && message.reason !== "removed") matchSeeds.revealAll();
  }
  if (message.type === "error" && (!message.table || message.table === table)) {
    const text = errorText(message.code, message.message, message.field, unitOf(app));
    if (text) dispatch({ type: "notice", text });
  }
  if (message.type === "hand_end" && ui.leavesAfterHand) ui.leavesAfterHand = !leaveTable();
  if (message.type === "turn" && state.turn === message) onTurn();
  if (message.type === "said" && ui.panel === "chat") ui.readLines = state.chat.length;
  const sound = soundFor(state, message);
  if (sound && app.settings.sound) speaker.play(sound, app.settings.volume);
  requestDraw();
}

/** Whoever comes from "Play" in the lobby wants a seat, once. */
function sitIfAskedTo() {
  if (location.hash !== "#sit") return;
  history.replaceState(null, "", location.pathname);
  if (app.state.me < 0) handlers.sit(-1);
}

/** It is my turn: answer as I chose in advance, or ask. */
function onTurn() {
  const { state } = app;
  if (!state.turn) return;
  app.ui = { ...app.ui, ...amountOfTurn(app), answer: "" };
  lowTimeWarned = false;
  const answer = answerTo(state.choice, state.turn);
  if (answer) sendAct(answer);
  else {
    if (state.choice) dispatch({ type: "choose", choice: null });
    say("urgent", turnAnnouncement(state.turn, unitOf(app)));
  }
}

/**
 * @param {ServerMessage[]} messages
 * @param {number} received
 */
function onMessages(messages, received) {
  const before = app.state;
  playback.push(messages, received);
  updateUi({ behind: playback.handsBehind() });
  for (const message of messages) {
    if (message.type === "welcome") {
      checkVersion(() => updateUi({ isOutdated: true }));
      const starts = messages.filter((other) => other.type === "match_start");
      // The server sends a seat of mine by itself; otherwise I watch until I take one.
      if (!starts.some((start) => start.table === table)) connection?.send({ type: "watch", table });
      // A table that I watched a moment ago may be kept for me; I am here now.
      for (const start of starts) if (start.table !== table && start.seat < 0) connection?.send({ type: "leave", table: start.table });
    }
    if (message.type === "match_start" && message.table === table) {
      say("polite", announcement(before, app.state, true, app.settings.bigBlinds));
      announced = app.state;
      if (app.ui.isChoiceLost) dispatch({ type: "notice", text: _("The connection was lost: your choice was cancelled.") });
      app.ui.isChoiceLost = false;
    }
  }
}

/** @param {Status} status */
function onStatus(status) {
  app.status = status;
  if (status.kind === "lost" || status.kind === "replaced") {
    app.ui.isChoiceLost ||= app.state.choice !== null;
    dispatch({ type: "disconnected" });
  }
  if (status.kind === "refused") {
    connection = null;
    updateUi({ hasName: false, nameError: errorText(status.code, status.message) });
  }
  if (status.kind === "open") app.ui.hasName = true;
  requestDraw();
}

/** Connects, unless this would end what another tab does at another table. */
async function connectUnlessElsewhere() {
  const elsewhere = tablesWindow() ? "" : await tabs.findOtherTable();
  if (elsewhere) updateUi({ otherTable: elsewhere });
  else connect();
}

function connect() {
  connection = openConnection(app.ui.name, table, onMessages, onStatus);
}

function requestDraw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(draw);
}

function draw() {
  drawing = false;
  app.now = app.ui.pausedAt ?? performance.now();
  render(app.ui.hasName ? layout() : nameForm(app, handlers), page);
  say("polite", announcement(announced, app.state, false, app.settings.bigBlinds));
  announced = app.state;
  letScreenSleep();
  const { state } = app;
  const title = tableName({ table, name: state.info?.name ?? "" });
  updateTab(`${title} · pokerd`, state.turn !== null, state.sent !== null, app.now);
  tablesWindow()?.report(frameElement, { table, title, isTurn: state.turn !== null && !state.sent, isSeated: state.me >= 0 && !state.ended });
}

function layout() {
  const free = app.state.me < 0 && app.state.match && !app.state.ended;
  const view = { unit: unitOf(app), now: app.now, hud: app.settings.hud, shares: chances(app.state.hand, app.state.match?.game), ...(free ? { sit: handlers.sit } : {}), ...bottomSeat(app) };
  return html`${header(app, handlers)}${banner(app, handlers)}
    <main>
      ${hasResult(app) ? finalResult(app, handlers) : app.settings.text ? textTable(app, handlers) : tableView(app.state, view)}
      ${controls(app, handlers)}
    </main>
    ${sidePanel(app, handlers)}
    ${dialog(app, handlers)}`;
}

function tick() {
  const { state } = app;
  if (state.clock && state.turn && !lowTimeWarned && timeLeft(state.clock, performance.now()).inBank) {
    lowTimeWarned = true;
    if (app.settings.sound) speaker.play("low", app.settings.volume);
    say("urgent", _("Your time bank is running"));
  }
  if (!state.clock && app.status.kind !== "lost") return;
  // Nobody sees frames of a hidden page, but the tab's title goes on.
  if (document.hidden) draw();
  else requestDraw();
}

setInterval(tick, TICK);
for (const done of ["click", "keydown", "input", "wheel"]) addEventListener(done, clearNotice, { capture: true, passive: true });
addEventListener("click", ({ target }) => {
  if (app.ui.isMenuOpen && target instanceof Element && !target.closest(".top")) updateUi({ isMenuOpen: false });
});
addEventListener("keydown", (event) => handleKey(event, app, handlers));
onSettingsChange(takeSettings);
keepTableInFrame();
applyLook(app.settings);
if (app.ui.hasName) connectUnlessElsewhere();
requestDraw();
