// What opens over the table: settings, help, the last hand, and the question before folding for nothing or leaving.

import { parametersText } from "../lib/bots.js";
import { unitOf } from "./amounts.js";
import { chosenBot, tunedBotForm } from "./invite.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";
import { rangesDialog } from "./ranges.js";
import { handsText, isOpenChallenge, seatsOf } from "./state.js";
import { characterName } from "../look/characters.js";
import { DECKS, FELTS, THEMES, languageMenu, lookText } from "../look/look.js";
import { formatShares, parseShares } from "../lib/settings.js";
import { card, linesByStreet } from "./view.js";
import { allInText } from "../lib/create_table.js";
import { amount, gameText, handName, modeText, playerName, seatName, signed, speedText } from "../lib/words.js";

/**
 * @import {MatchSeed} from "../lib/seeds.js"
 * @import {Settings} from "../lib/settings.js"
 * @import {Hand} from "../lib/table_types.js"
 * @import {App, Handlers, View} from "./app.js"
 */

/** @type {View} */
export function dialog(app, handlers) {
  const { dialog: which } = app.ui;
  if (!which) return nothing;
  const [title, content] = {
    settings: () => [_("Settings"), settingsForm(app, handlers)],
    help: () => [_("Help"), help()],
    last: () => [_("Last hand"), lastHand(app, handlers)],
    about: () => [_("About this table"), tableFacts(app, handlers)],
    fold: () => [_("Checking is free"), foldQuestion(handlers)],
    push: () => [_("All in?"), allInQuestion(app, handlers)],
    bot: () => [_("Parameters of {bot}", { bot: characterName(chosenBot(app.ui)) }), tunedBotForm(app, handlers)],
    ranges: () => [_("What a strong bot does"), rangesDialog(app)],
    leave: () => [isOpenChallenge(app.state) ? _("Leave the challenge?") : _("Leave in the middle of a hand?"), leaveQuestion(app, handlers)],
  }[which]();
  return html`<dialog class="box" aria-labelledby="dialog-title" @cancel=${handlers.closeDialog} @close=${handlers.closeDialog}>
    <h2 id="dialog-title">${title}</h2>
    ${content}
    <button class="close" ?autofocus=${which === "push"} @click=${handlers.closeDialog}>${_("Close")}</button>
  </dialog>`;
}

/** @param {Handlers} handlers */
function foldQuestion(handlers) {
  return html`<p>${_("Nobody has bet, so you can stay in the hand for free.")}</p>
    <div class="row"><button class="main" autofocus @click=${() => handlers.answerDialog("check")}>${_("Check")}</button>
    <button @click=${() => handlers.answerDialog("fold")}>${_("Check, then fold to any bet")}</button></div>`;
}

/** @type {View} */
function allInQuestion(app, handlers) {
  const { state } = app;
  const most = state.turn?.raise_to?.[1] ?? 0;
  return html`<p>${_("Your only raise is all in, to {chips}.", { chips: amount(most, unitOf(app)) })}</p>
    <div class="row"><button class="main" @click=${() => handlers.answerDialog("push")}>${_("All in")}</button></div>`;
}

/** @type {View} */
function leaveQuestion({ state }, handlers) {
  return html`<p>${isOpenChallenge(state)
    ? _("That ends it. Only hands that you and your rival have both finished are compared. For a break, sit out instead: no hand is dealt until you are back.")
    : _("If you leave now, the table plays this hand for you: it checks if possible and folds to any bet. Your chips in the pot stay there.")}</p>
    <div class="row"><button class="main" autofocus @click=${() => handlers.answerDialog("later")}>${_("Leave after this hand")}</button>
    <button @click=${() => handlers.answerDialog("now")}>${_("Leave now")}</button></div>`;
}

function help() {
  const keys = [["F", _("fold, now or in advance")], ["C", _("check or call, now or in advance")], ["R", _("go to the amount")],
    ["Enter", _("raise to the amount")], [_("1 to 5"), _("minimum, shares of the pot, all in")], [_("+ and −"), _("one big blind more or less")],
    ["Esc", _("cancel what you chose in advance")], ["P", _("pause while you watch")], ["H", _("ask for a hint, at a practice table")], ["N", _("the next table, in a window of several")], ["?", _("this help")]];
  return html`<dl class="keys">${keys.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>
    <p>${_("Amounts are always “raise to”: your total bet on this street.")}</p>
    <p>${_("A button that has just changed ignores you for a moment, so that you do not press it by mistake. The text table, in the menu, shows everything as lists and takes typed commands.")}</p>`;
}

/** @type {View} */
function lastHand({ state, ui, settings }, handlers) {
  const hands = [...state.pastHands, ...(state.hand?.over ? [state.hand] : [])];
  const index = Math.min(ui.reviewIndex ?? hands.length - 1, hands.length - 1);
  const hand = hands[index];
  if (!hand) return html`<p>${_("No hand has ended yet.")}</p>`;
  const unit = settings.bigBlinds ? hand.bigBlind : undefined;
  return html`<div class="row">
      <button ?disabled=${index <= 0} @click=${() => handlers.reviewHand(index - 1)}>${_("Previous")}</button>
      <h3>${handName(hand.hand)}</h3>
      <button ?disabled=${index >= hands.length - 1} @click=${() => handlers.reviewHand(index + 1)}>${_("Next")}</button>
    </div>
    ${hand.board.length ? html`<p class="in-text">${hand.board.map((code) => card(code))}</p>` : nothing}
    <table><caption class="visually-hidden">${_("Players")}</caption><tbody>${hand.seats.map((seat) => playerRow(state, hand, seat, unit))}</tbody></table>
    <div class="log" role="group" tabindex="0" aria-label=${_("What happened")}>${linesByStreet(hand.lines, state.match?.game, settings.bigBlinds, 4)}</div>
    ${handLinks(ui.seeds.at(-1)?.run, hand)}`;
}

/** Formats that a hand can be had in: the end of its address, and what that is called. */
const FORMATS = [["txt", _("Text")], ["phh", "PHH"], ["ohh", "OHH"], ["json", "JSON"]];

/**
 * Where the server keeps a hand.
 * @param {string | undefined} run
 * @param {Hand} hand
 */
function handLinks(run, hand) {
  if (!run) return nothing;
  const id = `${run}.${hand.hand}`;
  return html`<p class="row"><a class="button main" href="/hand/${id}">${_("Replay")}</a>
    ${FORMATS.map(([end, name]) => html`<a class="button" href="/api/hands/${id}.${end}" download
      aria-label=${_("Save as {format}", { format: name })}>${name}</a>`)}</p>`;
}

/** The game, and the commitments and seeds of its matches. @type {View} */
function tableFacts({ state, ui }, handlers) {
  const { match, info } = state;
  const commitment = info?.commitment ?? "";
  const over = ui.seeds.filter(({ seed }) => seed);
  const facts = [
    [_("Game"), gameText(state)],
    [_("Kind"), modeText(match?.mode ?? "")],
    [_("All-ins"), info?.all_ins ? allInText(info.all_ins) : ""],
    [_("Time to act"), match ? _("{time} s, and {bank} s of time bank", { time: match.time_ms / 1000, bank: match.bank_ms / 1000 }) : ""],
    [_("Watching"), info ? String(info.watchers) : ""],
  ];
  const tuned = seatsOf(state).filter((seat) => Object.keys(seat.parameters).length);
  return html`<dl class="keys">${facts.filter(([, text]) => text).map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>
    ${tuned.length ? html`<h3>${_("Parameters of the bots")}</h3>
      <dl class="keys">${tuned.map((seat) => html`<dt>${seatName(state, seat.seat)}</dt><dd>${parametersText(seat.parameters)}</dd>`)}</dl>` : nothing}
    ${commitment ? html`<h3>${_("Commitment to the deals")}</h3>
      <p class="hash">${commitment}</p>
      <div class="row"><button @click=${() => handlers.copyText(commitment, _("The commitment is copied."))}>${_("Copy")}</button></div>
      <p class="hint">${_("What is this? A secret seed determines all cards of this match. This is its SHA-256, published before the first card. The seed is published when the match is over, so anybody can check that no card was changed.")}</p>` : nothing}
    ${over.length ? html`<h3>${_("Seeds of matches that are over")}</h3>${over.map((seed) => seedDetails(seed, handlers))}` : nothing}`;
}

/**
 * @param {MatchSeed} deal
 * @param {Handlers} handlers
 */
function seedDetails({ run, commitment, seed, isVerified }, handlers) {
  const verdict = isVerified === null ? "" : isVerified ? _("Checked by this browser: it matches the SHA-256 published before play.")
    : _("This seed does not match the SHA-256 published before play.");
  return html`<div class="seed">
    <p>${_("Seed of {run}", { run })} <span class="hash">${seed}</span></p>
    <p>${_("SHA-256 published before play")} <span class="hash">${commitment}</span></p>
    <p class=${isVerified === false ? "error" : "hint"}>${verdict}</p>
    <div class="row"><button aria-label=${_("Copy the seed of {run}", { run })} @click=${() => handlers.copyText(seed, _("The seed is copied."))}>${_("Copy")}</button>
      <a class="button" href="/api/tables/${run}">${_("Check it yourself")}</a></div></div>`;
}

/**
 * @param {App["state"]} state
 * @param {Hand} hand
 * @param {number} seat
 * @param {number} [unit]
 */
function playerRow(state, hand, seat, unit) {
  const it = hand.players[seat];
  if (!it) return nothing;
  return html`<tr><th scope="row">${playerName({ ...state, hand }, seat)}</th>
    <td class="in-text">${it.cards.length ? it.cards.map((code) => card(code)) : _("hidden")}</td>
    <td>${it.folded ? _("folded") : handsText(it)}</td>
    <td class="net" data-sign=${Math.sign(it.net ?? 0)}>${signed(it.net ?? 0, unit)}</td></tr>`;
}

/** @type {View} */
function settingsForm({ settings: now }, handlers) {
  /** @param {keyof Settings} key */
  const box = (key, /** @type {string} */ text) => html`<label><input type="checkbox" .checked=${now[key]}
    @change=${(/** @type {Event & {target: HTMLInputElement}} */ event) => handlers.changeSettings({ [key]: event.target.checked })}> ${text}</label>`;
  /** @param {"theme" | "felt" | "deck"} key @param {string} text @param {readonly string[]} choices */
  const select = (key, text, choices) => html`<label>${text} <select
    @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => handlers.changeSettings({ [key]: event.target.value })}>
    ${choices.map((choice) => html`<option value=${choice} ?selected=${now[key] === choice}>${lookText(choice)}</option>`)}</select></label>`;
  return html`<div class="settings">
    <label>${_("Language")} ${languageMenu()}</label>
    ${box("bigBlinds", _("Amounts in big blinds"))}
    ${select("theme", _("Light or dark"), THEMES)}
    ${select("felt", _("Felt"), FELTS)}
    ${select("deck", _("Deck"), DECKS)}
    ${box("fourColours", _("Four-colour deck"))}
    ${box("strength", _("Name my hand"))}
    ${box("hud", _("Statistics at the seats: VPIP, PFR, 3-bet, hands"))}
    ${box("offerShow", _("Ask whether to show my cards after a hand (off: always muck)"))}
    ${box("chat", _("Chat"))}
    ${box("text", _("Text table"))}
    ${box("shortcuts", _("Keys F, C, R, 1 to 5"))}
    ${box("sound", _("Sounds"))}
    <label>${_("Volume")} <input type="range" min="0" max="1" step="0.1" .value=${String(now.volume)}
      @change=${(/** @type {Event & {target: HTMLInputElement}} */ event) => handlers.changeSettings({ volume: Number(event.target.value) })}></label>
    <label>${_("Table speed")} <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => handlers.changeSettings({ speed: event.target.value })}>
      ${["slow", "normal", "fast", "instant"].map((speed) => html`<option value=${speed} ?selected=${now.speed === speed}>${speedText(speed)}</option>`)}
    </select></label>
    <label>${_("Presets, percent of the pot")} <input .value=${formatShares(now.shares)}
      @change=${(/** @type {Event & {target: HTMLInputElement}} */ event) => {
        const shares = parseShares(event.target.value);
        event.target.setCustomValidity(shares ? "" : _("Three numbers between 1 and 1,000, for example 50, 67, 100"));
        event.target.reportValidity();
        if (shares) handlers.changeSettings({ shares });
      }}></label>
  </div>`;
}
