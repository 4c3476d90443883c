// Around the table: the line above it, the connection's banner, the log and the chat.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ngettext, pgettext } from "../lib/language.js";
import { seriesPanel } from "./results.js";
import { tablesWindow } from "../lib/shared_connection.js";
import { isAway } from "./state.js";
import { tableName } from "../look/table_names.js";
import { lobbyLink } from "./tournament.js";
import { gameTitle, linesByStreet } from "./view.js";
import { handName } from "../lib/words.js";

/**
 * @import {Line, State} from "../lib/table_types.js"
 * @import {App, Handlers, View} from "./app.js"
 */

/** Lines of the log on the page; the copy has all. */
const MAX_LINES = 200;

/** @type {View} */
export function header({ state, ui, settings }, handlers) {
  const title = tableName({ table: state.table, name: state.info?.name ?? "" });
  const seated = state.me >= 0 && !state.ended;
  return html`<header class="top">
    <a class="home" href="/" title=${_("All tables")}>pokerd</a>
    <div class="title"><h1>${title}</h1>
      <p><span class="hand">${handNumber(state)}</span> ${gameTitle(state)}</p></div>
    <button class="menu-button" aria-expanded=${ui.isMenuOpen ? "true" : "false"} aria-controls="menu" @click=${handlers.toggleMenu}>${_("Menu")}</button>
    <nav id="menu" aria-label=${_("Table")} data-open=${ui.isMenuOpen || nothing}>
      ${lobbyLink(state.table)}
      <button @click=${() => handlers.openDialog("last")} ?disabled=${!state.hand?.over && !state.pastHands.length}>${_("Last hand")}</button>
      ${seated && !isAway(state) ? html`
        <button @click=${() => handlers.sitOut("hand")}>${_("Sit out next hand")}</button>
        <button @click=${() => handlers.sitOut("blind")}>${_("Sit out at my blind")}</button>` : nothing}
      ${seated && isAway(state) ? html`<button @click=${handlers.sitIn}>${_("I'm back")}</button>` : nothing}
      ${tablesWindow() ? nothing : html`<button @click=${handlers.playBeside}>${_("Add a table")}</button>`}
      <button @click=${handlers.copyLink}>${_("Copy link")}</button>
      <button @click=${() => handlers.openDialog("about")}>${_("About")}</button>
      <button aria-pressed=${settings.text ? "true" : "false"} @click=${() => handlers.changeSettings({ text: !settings.text })}>${_("Text table")}</button>
      <button aria-pressed=${settings.sound ? "true" : "false"} @click=${() => handlers.changeSettings({ sound: !settings.sound })}>${_("Sound")}</button>
      <button @click=${handlers.toggleTheme}>${_("Light or dark")}</button>
      <button @click=${() => handlers.openDialog("settings")}>${_("Settings")}</button>
      <button @click=${() => handlers.openDialog("help")}>${_("Help")}</button>
      ${state.match && !state.ended ? html`<button @click=${handlers.leave}>${seated ? _("Leave") : _("Stop watching")}</button>` : nothing}
    </nav>
  </header>`;
}

/** @param {State} state */
function handNumber({ hand, match }) {
  if (!hand) return _("No hand yet");
  if (!match?.hands) return handName(hand.hand);
  // With fixed stacks hands count from 0: "Hand 0 of 50" would look wrong.
  const values = { hand: handName(hand.hand), last: match.hands - 1, of: match.hands };
  return match.mode === "fixed" ? _("{hand} (0 to {last})", values) : _("{hand} of {of}", values);
}

/** @type {View} */
export function banner({ status, state, now, ui }, handlers) {
  if (ui.otherTable) {
    return html`<p class="banner" role="alert">${_("You are at {table} in another tab.", { table: html`<bdi>${ui.otherTable}</bdi>` })}
      <button @click=${handlers.playBeside}>${_("Side by side")}</button> <button @click=${handlers.connectHere}>${_("Continue here")}</button> <button @click=${handlers.goToLobby}>${_("Stay there")}</button></p>`;
  }
  if (status.kind === "replaced") {
    return html`<p class="banner" role="alert">${_("You are playing in a newer tab. This one has stopped.")}
      <button @click=${handlers.reconnect}>${_("Play here")}</button></p>`;
  }
  if (status.kind === "lost") {
    const left = Math.max(0, Math.ceil((status.heldUntil - now) / 1000));
    const held = state.me < 0 ? "" : left ? _("Your seat is held, {n} s.", { n: left }) : _("Your seat may be gone.");
    return html`<p class="banner" role="alert">${_("The connection is lost.")} ${held} ${_("Trying again…")}</p>`;
  }
  if (ui.isOutdated) {
    return html`<p class="banner" role="status">${_("There is a new version of this page.")}
      <button @click=${handlers.reload}>${_("Reload")}</button></p>`;
  }
  if (ui.arrival) return html`<p class="banner quiet" role="status">${ui.arrival}</p>`;
  if (status.kind === "connecting") return html`<p class="banner quiet" role="status">${_("Connecting…")}</p>`;
  return nothing;
}

/** @type {View} */
export function sidePanel(app, handlers) {
  const { ui, settings, state } = app;
  const tab = (/** @type {"log" | "chat"} */ key, /** @type {string} */ name) => html`<button
    aria-pressed=${ui.panel === key ? "true" : "false"} @click=${() => handlers.showPanel(key)}>${name}</button>`;
  const unread = ui.panel === "chat" ? 0 : state.chat.length - ui.readLines;
  return html`<aside class="side" aria-label=${_("Log and chat")}>
    <div class="tabs">
      ${tab("log", _("Log"))}
      ${state.me >= 0 && state.info?.watchers ? html`<p class="hint">${ngettext("{n} spectator", "{n} spectators", state.info.watchers)}</p>` : nothing}
      ${settings.chat ? tab("chat", unread > 0 ? _("Chat ({n})", { n: unread }) : _("Chat")) : nothing}
    </div>
    ${seriesPanel(app)}
    <div class="panel">${ui.panel === "chat" && settings.chat ? chat(app, handlers) : log(app, handlers)}</div>
  </aside>`;
}

/** @type {Record<string, (line: Line) => boolean>} */
export const FILTERS = {
  all: () => true,
  cards: (line) => line.kind !== "act",
  results: (line) => line.kind === "result",
};

/** @type {View} */
function log({ state, settings }, handlers) {
  const lines = state.lines.filter(FILTERS[settings.filter] ?? Boolean).slice(-MAX_LINES).reverse();
  return html`<div class="tools">
      <label>${pgettext("in the log", "Show")} <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => handlers.changeSettings({ filter: event.target.value })}>
        <option value="all">${_("everything")}</option>
        <option value="cards" ?selected=${settings.filter === "cards"}>${_("cards and results")}</option>
        <option value="results" ?selected=${settings.filter === "results"}>${_("results")}</option>
      </select></label>
      <button @click=${handlers.copyLog}>${_("Copy")}</button>
      <button @click=${handlers.saveLog}>${_("Save")}</button>
    </div>
    <div class="log" role="group" tabindex="0" aria-label=${_("Log, newest first")}>${linesByStreet(lines, state.match?.game, settings.bigBlinds, 2)}</div>`;
}

/** @type {View} */
function chat({ state, ui, settings }, handlers) {
  const lines = state.chat.filter((line) => !settings.muted.includes(line.name));
  const names = [...new Set(state.chat.map((line) => line.name))].filter((name) => name !== ui.name);
  /** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
  const submit = (event) => {
    event.preventDefault();
    const input = /** @type {HTMLInputElement} */ (event.currentTarget.elements.namedItem("text"));
    if (handlers.sendChat(input.value)) input.value = "";
  };
  return html`
    <ol class="log chat" tabindex="0" aria-label=${_("Chat, newest first")}>
      ${lines.toReversed().map((line) => html`<li><b><bdi>${line.name}</bdi></b>${line.organiser ? ` ${_("(organiser)")}` : line.seat < 0 ? ` ${_("(watching)")}` : ""}: <bdi>${line.text}</bdi></li>`)}
      ${lines.length ? nothing : html`<li class="hint">${_("Nobody has said anything yet.")}</li>`}
    </ol>
    <form class="say" @submit=${submit}>
      <label class="visually-hidden" for="say">${_("Say")}</label>
      <input id="say" name="text" maxlength="200" autocomplete="off" placeholder=${_("Say something")}>
      <button>${_("Send")}</button>
    </form>
    ${names.length ? html`<details class="mutes"><summary>${_("Mute people")}</summary>
      <ul>${names.map((name) => html`<li><label><input type="checkbox" .checked=${settings.muted.includes(name)}
        @change=${() => handlers.toggleMute(name)}> <bdi>${name}</bdi></label></li>`)}</ul></details>` : nothing}`;
}

/** Asks for a name, when there is none yet or the server refused it. @type {View} */
export function nameForm({ ui, status }, handlers) {
  /** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
  const submit = (event) => {
    event.preventDefault();
    handlers.setName(/** @type {HTMLInputElement} */ (event.currentTarget.elements.namedItem("name")).value);
  };
  return html`<main class="centred"><form class="box" @submit=${submit}>
    <h1>${_("What is your name?")}</h1>
    ${ui.nameError || status.kind === "refused" ? html`<p class="error" role="alert">${ui.nameError}</p>` : nothing}
    <label for="name">${_("Your name at the table")}</label>
    <input id="name" name="name" maxlength="24" required autocomplete="nickname" .value=${ui.name}>
    <button class="main">${_("Go to the table")}</button>
  </form></main>`;
}
