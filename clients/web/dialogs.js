// What opens over the table: settings, help, the last hand, and the question before folding for nothing or leaving.

import { parseShares, showShares } from "./settings.js";
import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { card, sentence } from "./view.js";
import { signed, streetName } from "./words.js";

/**
 * @import {Settings} from "./settings.js"
 * @import {Hand} from "./state.js"
 * @import {App, Deeds} from "./table.js"
 */

/**
 * @param {App} app
 * @param {Deeds} deeds
 */
export function dialog(app, deeds) {
  const { dialog: which } = app.ui;
  if (!which) return nothing;
  const [title, content] = {
    settings: () => ["Settings", settings(app, deeds)],
    help: () => ["Help", help()],
    last: () => ["Last hand", last(app, deeds)],
    fold: () => ["Checking is free", foolish(deeds)],
    leave: () => ["Leave in the middle of a hand?", leaving(deeds)],
  }[which]();
  return html`<dialog class="box" aria-labelledby="dialog-title" @cancel=${deeds.close} @close=${deeds.close}>
    <h2 id="dialog-title">${title}</h2>
    ${content}
    <button class="close" @click=${deeds.close}>Close</button>
  </dialog>`;
}

/** @param {Deeds} deeds */
function foolish(deeds) {
  return html`<p>Nobody has bet, so you can stay in the hand for nothing.</p>
    <div class="row"><button class="main" autofocus @click=${() => deeds.answer("check")}>Check</button>
    <button @click=${() => deeds.answer("fold")}>Check, then fold to any bet</button></div>`;
}

/** @param {Deeds} deeds */
function leaving(deeds) {
  return html`<p>If you leave now, the table plays this hand for you: it checks where that is free and folds to any
    bet. What you have put into the pot stays there.</p>
    <div class="row"><button class="main" autofocus @click=${() => deeds.answer("later")}>Leave after this hand</button>
    <button @click=${() => deeds.answer("now")}>Leave now</button></div>`;
}

function help() {
  const keys = [["F", "fold, or choose to in advance"], ["C", "check or call, or choose to"], ["R", "go to the amount"],
    ["Enter", "raise to the amount"], ["1 to 5", "least, shares of the pot, all in"], ["+ and −", "a big blind more or less"],
    ["Esc", "drop what you chose in advance"], ["?", "this help"]];
  return html`<dl class="keys">${keys.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>
    <p>Amounts are always “raise to”: all that lies before you on this street.</p>
    <p>A button that has just changed does not listen for a moment, so that you do not press what you did not see.
      The text table, in the menu, tells everything as lists and takes typed commands.</p>`;
}

/**
 * @param {App} app
 * @param {Deeds} deeds
 */
function last({ state, ui }, deeds) {
  const hands = [...state.past, ...(state.hand?.over ? [state.hand] : [])];
  const index = Math.min(ui.review ?? hands.length - 1, hands.length - 1);
  const hand = hands[index];
  if (!hand) return html`<p>No hand is over yet.</p>`;
  return html`<div class="row">
      <button ?disabled=${index <= 0} @click=${() => deeds.review(index - 1)}>Before</button>
      <h3>Hand ${hand.hand + 1}</h3>
      <button ?disabled=${index >= hands.length - 1} @click=${() => deeds.review(index + 1)}>Next</button>
    </div>
    ${hand.board.length ? html`<p class="in-text">${hand.board.map((code) => card(code))}</p>` : nothing}
    <table><caption class="unseen">Players</caption><tbody>${hand.seats.map((seat) => player(state, hand, seat))}</tbody></table>
    <ol class="log" tabindex="0" aria-label="What happened">${hand.lines.map((line) => html`<li data-kind=${line.kind}
      data-street=${streetName(line.street, state.match?.game)}>${sentence(line.text)}</li>`)}</ol>`;
}

/**
 * @param {App["state"]} state
 * @param {Hand} hand
 * @param {number} seat
 */
function player(state, hand, seat) {
  const it = hand.players[seat];
  if (!it) return nothing;
  return html`<tr><th scope="row">${seat === state.me ? "You" : it.name}</th>
    <td class="in-text">${it.cards.length ? it.cards.map((code) => card(code)) : "hidden"}</td>
    <td>${it.folded ? "folded" : it.label}</td>
    <td class="net" data-sign=${Math.sign(it.net ?? 0)}>${signed(it.net ?? 0)}</td></tr>`;
}

/**
 * @param {App} app
 * @param {Deeds} deeds
 */
function settings({ settings: now }, deeds) {
  /** @param {keyof Settings} key */
  const box = (key, /** @type {string} */ text) => html`<label><input type="checkbox" .checked=${now[key]}
    @change=${(/** @type {Event & {target: HTMLInputElement}} */ event) => deeds.set({ [key]: event.target.checked })}> ${text}</label>`;
  return html`<div class="settings">
    ${box("bigBlinds", "Amounts in big blinds")}
    ${box("fourColours", "Four-colour deck")}
    ${box("strength", "Say what I have")}
    ${box("offerShow", "Offer to show my cards after a hand (off: always muck)")}
    ${box("chat", "Chat")}
    ${box("text", "Text table")}
    ${box("shortcuts", "Keys F, C, R, 1 to 5")}
    ${box("sound", "Sounds")}
    <label>Volume <input type="range" min="0" max="1" step="0.1" .value=${String(now.volume)}
      @change=${(/** @type {Event & {target: HTMLInputElement}} */ event) => deeds.set({ volume: Number(event.target.value) })}></label>
    <label>Speed of the table <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => deeds.set({ speed: event.target.value })}>
      ${["slow", "normal", "fast", "instant"].map((speed) => html`<option ?selected=${now.speed === speed}>${speed}</option>`)}
    </select></label>
    <label>Presets, percent of the pot <input .value=${showShares(now.shares)}
      @change=${(/** @type {Event & {target: HTMLInputElement}} */ event) => {
        const shares = parseShares(event.target.value);
        event.target.setCustomValidity(shares ? "" : "Three numbers between 1 and 1,000, as in 50, 67, 100");
        event.target.reportValidity();
        if (shares) deeds.set({ shares });
      }}></label>
  </div>`;
}
