// Around the table: the line above it, the connection's banner, the log and the chat.

import { running } from "./results.js";
import { away } from "./state.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { gameTitle, sentence } from "./view.js";
import { handName, streetName, worded } from "../lib/words.js";

/**
 * @import {Line, State} from "./state.js"
 * @import {App, Deeds} from "./table.js"
 */

/** Lines of the log that are drawn; the copy has all. */
const DRAWN = 200;

/**
 * @param {App} app
 * @param {Deeds} deeds
 */
export function top({ state, ui, settings }, deeds) {
  const title = state.info?.name || state.table;
  const seated = state.me >= 0 && !state.ended;
  return html`<header class="top">
    <a class="home" href="/" title="All tables">pokerd</a>
    <div class="title"><h1>${title}</h1>
      <p><span class="hand">${handNumber(state)}</span> ${gameTitle(state)}</p></div>
    <button class="menu-button" aria-expanded=${ui.menu ? "true" : "false"} aria-controls="menu" @click=${deeds.menu}>Menu</button>
    <nav id="menu" aria-label="Table" data-open=${ui.menu || nothing}>
      <button @click=${() => deeds.open("last")} ?disabled=${!state.hand?.over && !state.past.length}>Last hand</button>
      ${seated && !away(state) ? html`
        <button @click=${() => deeds.away("hand")}>Sit out next hand</button>
        <button @click=${() => deeds.away("blind")}>Sit out at my blind</button>` : nothing}
      ${seated && away(state) ? html`<button @click=${deeds.back}>I'm back</button>` : nothing}
      <button @click=${deeds.copyLink}>Copy link</button>
      <button @click=${() => deeds.open("about")}>About</button>
      <button aria-pressed=${settings.text ? "true" : "false"} @click=${() => deeds.set({ text: !settings.text })}>Text table</button>
      <button aria-pressed=${settings.sound ? "true" : "false"} @click=${() => deeds.set({ sound: !settings.sound })}>Sound</button>
      <button @click=${() => deeds.open("settings")}>Settings</button>
      <button @click=${() => deeds.open("help")}>Help</button>
      ${state.match && !state.ended ? html`<button @click=${deeds.leave}>${seated ? "Leave" : "Stop watching"}</button>` : nothing}
    </nav>
  </header>`;
}

/** @param {State} state */
function handNumber({ hand, match }) {
  return hand ? `${handName(hand.hand, match)}${match?.hands ? ` of ${match.hands}` : ""}` : "No hand yet";
}

/**
 * @param {App} app
 * @param {Deeds} deeds
 */
export function banner({ status, state, now, ui }, deeds) {
  if (ui.elsewhere) {
    return html`<p class="banner" role="alert">You are at <bdi>${ui.elsewhere}</bdi> in another tab.
      <button @click=${deeds.goOnHere}>Go on here</button> <button @click=${deeds.toLobby}>Stay there</button></p>`;
  }
  if (status.kind === "replaced") {
    return html`<p class="banner" role="alert">You play in a newer tab. This one only shows where you were.
      <button @click=${deeds.reconnect}>Play here</button></p>`;
  }
  if (status.kind === "lost") {
    const left = Math.max(0, Math.ceil((status.held - now) / 1000));
    const held = state.me < 0 ? "" : left ? ` Your seat is held, ${left} s.` : " Your seat may be gone.";
    return html`<p class="banner" role="alert">The connection is lost.${held} Trying again…</p>`;
  }
  if (ui.outdated) {
    return html`<p class="banner" role="status">There is a new version of this page.
      <button @click=${deeds.reload}>Reload</button></p>`;
  }
  if (status.kind === "connecting") return html`<p class="banner quiet" role="status">Connecting…</p>`;
  return nothing;
}

/**
 * @param {App} app
 * @param {Deeds} deeds
 */
export function side(app, deeds) {
  const { ui, settings, state } = app;
  const tab = (/** @type {"log" | "chat"} */ key, /** @type {string} */ name) => html`<button
    aria-pressed=${ui.panel === key ? "true" : "false"} @click=${() => deeds.panel(key)}>${name}</button>`;
  const unread = ui.panel === "chat" ? 0 : state.chat.length - ui.read;
  return html`<aside class="side" aria-label="Log and chat">
    <div class="tabs">
      ${tab("log", "Log")}
      ${settings.chat ? tab("chat", unread > 0 ? `Chat (${unread})` : "Chat") : nothing}
    </div>
    ${running(app)}
    <div class="panel">${ui.panel === "chat" && settings.chat ? chat(app, deeds) : log(app, deeds)}</div>
  </aside>`;
}

/** @type {Record<string, (line: Line) => boolean>} */
export const FILTERS = {
  all: () => true,
  cards: (line) => line.kind !== "act",
  results: (line) => line.kind === "result",
};

/**
 * @param {App} app
 * @param {Deeds} deeds
 */
function log({ state, ui, settings }, deeds) {
  const lines = state.lines.filter(FILTERS[ui.filter] ?? Boolean).slice(-DRAWN).reverse();
  return html`<div class="tools">
      <label>Show <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => deeds.filter(event.target.value)}>
        <option value="all">everything</option>
        <option value="cards">cards and results</option>
        <option value="results">results</option>
      </select></label>
      <button @click=${deeds.copyLog}>Copy</button>
      <button @click=${deeds.saveLog}>Save</button>
    </div>
    <ol class="log" tabindex="0" aria-label="Log, newest first">
      ${lines.map((line) => html`<li data-kind=${line.kind}
        data-street=${streetName(line.street, state.match?.game)}>${sentence(worded(line, settings.bigBlinds))}</li>`)}
    </ol>`;
}

/**
 * @param {App} app
 * @param {Deeds} deeds
 */
function chat({ state, ui }, deeds) {
  const heard = state.chat.filter((line) => !ui.muted.has(line.name));
  const names = [...new Set(state.chat.map((line) => line.name))].filter((name) => name !== ui.name);
  /** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
  const submit = (event) => {
    event.preventDefault();
    const input = /** @type {HTMLInputElement} */ (event.currentTarget.elements.namedItem("text"));
    if (deeds.say(input.value)) input.value = "";
  };
  return html`
    <ol class="log chat" tabindex="0" aria-label="Chat, newest first">
      ${heard.toReversed().map((line) => html`<li><b><bdi>${line.name}</bdi></b>${line.seat < 0 ? " (watching)" : ""}: <bdi>${line.text}</bdi></li>`)}
      ${heard.length ? nothing : html`<li class="hint">Nobody has said anything yet.</li>`}
    </ol>
    <form class="say" @submit=${submit}>
      <label class="unseen" for="say">Say</label>
      <input id="say" name="text" maxlength="200" autocomplete="off" placeholder="Say something">
      <button>Send</button>
    </form>
    ${names.length ? html`<details class="mutes"><summary>Mute people</summary>
      <ul>${names.map((name) => html`<li><label><input type="checkbox" .checked=${ui.muted.has(name)}
        @change=${() => deeds.mute(name)}> <bdi>${name}</bdi></label></li>`)}</ul></details>` : nothing}`;
}

/**
 * Who I was asked to be, when the server wants another name or the page none yet.
 * @param {App} app
 * @param {Deeds} deeds
 */
export function naming({ ui, status }, deeds) {
  /** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
  const submit = (event) => {
    event.preventDefault();
    deeds.name(/** @type {HTMLInputElement} */ (event.currentTarget.elements.namedItem("name")).value);
  };
  return html`<main class="naming"><form class="box" @submit=${submit}>
    <h1>What shall we call you?</h1>
    ${ui.nameError || status.kind === "refused" ? html`<p class="error" role="alert">${ui.nameError}</p>` : nothing}
    <label for="name">Your name at the table</label>
    <input id="name" name="name" maxlength="24" required autocomplete="nickname" .value=${ui.name}>
    <button class="main">Go to the table</button>
  </form></main>`;
}
