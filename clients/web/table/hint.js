// Hints at a practice table: what a strong bot would do in my turn, as bars, and how many I have had.

import { unitOf } from "./amounts.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { highestBet } from "./state.js";
import { characterName } from "../look/characters.js";
import { _, ngettext, percent } from "../lib/language.js";
import { amount, depthText } from "../lib/words.js";

/**
 * @import {AskHint, AskRanges, Hint, PlayAgain} from "../lib/messages.d.ts"
 * @import {State} from "../lib/table_types.js"
 * @import {App, Ui, View} from "./app.js"
 */

/** The hint for my open turn, or null. @param {State} state */
const openHint = ({ turn, hint }) => (turn && hint?.turn === turn.turn ? hint : null);

/** Whether a hint can be asked for. @param {Pick<App, "state" | "ui">} app */
function canAskHint({ state, ui }) {
  return !!state.info?.practice && state.turn !== null && !state.sent && !openHint(state) && ui.hintedTurn !== state.turn.turn;
}

/** Whether I have done something in the hand, and it is my turn once more, or the hand is over. @param {Pick<App, "state" | "ui">} app */
function canTakeBack({ state, ui }) {
  return !!state.hand && state.hand.lastOwn >= 0 && (state.hand.over || state.turn !== null) && !state.sent && !ui.comesAgain;
}

/**
 * @param {App} app
 * @param {(message: AskHint | AskRanges | PlayAgain) => boolean} send
 * @param {(some: Partial<Ui>) => void} updateUi
 */
export function hintHandlers(app, send, updateUi) {
  return {
    askAgain() {
      const { table, hand, info } = app.state;
      if (info?.practice && hand && !app.ui.comesAgain && send({ type: "again", table, hand: hand.hand })) updateUi({ comesAgain: true });
    },
    takeBack() {
      const { table, hand } = app.state;
      if (hand && canTakeBack(app) && send({ type: "again", table, hand: hand.hand, keep: hand.lastOwn }) && hand.over) updateUi({ comesAgain: true });
    },
    askRanges() {
      const { table, hand } = app.state;
      if (hand?.over && send({ type: "range", table, hand: hand.hand })) updateUi({ rangesOf: hand.hand });
    },
    askHint() {
      const { table, turn } = app.state;
      if (turn && canAskHint(app) && send({ type: "hint", table, turn: turn.turn })) updateUi({ hintedTurn: turn.turn });
    },
  };
}

/** @type {View} */
export function practiceBox(app, handlers) {
  const { state, settings, ui } = app;
  if (!state.info?.practice || state.me < 0 || state.ended) return nothing;
  const hint = openHint(state);
  const isThinking = !hint && state.turn !== null && ui.hintedTurn === state.turn.turn;
  const note = ui.comesAgain ? _("This hand comes again when it is over.") : state.info.again && !state.hand?.over ? _("You play this hand again. It does not count.") : "";
  return html`<div class="hints">
    <p><button ?disabled=${!canAskHint(app)} aria-keyshortcuts=${settings.shortcuts ? "H" : nothing} @click=${handlers.askHint}>${_("Hint")}
      ${settings.shortcuts ? html`<kbd aria-hidden="true">H</kbd>` : nothing}</button>
      ${state.hints ? html`<span class="count">${ngettext("{n} hint", "{n} hints", state.hints)}</span>` : nothing}</p>
    <div role="status">${note ? html`<p>${note}</p>` : nothing}${hint ? bars(hint, state, unitOf(app)) : isThinking ? _("The bot is thinking.") : nothing}</div>
    <p class="after"><button ?disabled=${!canTakeBack(app)} title=${_("Back to before your last action, with the same cards")} @click=${handlers.takeBack}>${_("Take back")}</button>
      <button ?disabled=${!state.hand || ui.comesAgain} aria-label=${_("Again: the same hand")} @click=${handlers.askAgain}>${_("Again")}</button>
      <button ?disabled=${!state.hand?.over} @click=${handlers.askRanges}>${_("Ranges")}</button></p>
  </div>`;
}

/**
 * @param {Hint} hint
 * @param {State} state
 * @param {number | undefined} unit
 */
function bars({ bot, chances, depth = 0 }, state, unit) {
  const rows = chances.map(([action, to, chance]) => ({ action, text: actionText(action, to, state, unit), chance }))
    .sort((one, other) => other.chance - one.chance);
  return html`<p>${_("{bot} would do this with your cards:", { bot: html`<bdi>${characterName(bot)}</bdi>` })}</p>
    <ul>${rows.map(({ action, text, chance }) => html`<li data-kind=${action}>${text}
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width=${100 * chance} height="8"></rect></svg> ${percent(chance)}</li>`)}</ul>
    ${depth ? html`<p>${depthText(depth)}</p>` : nothing}`;
}

/**
 * @param {string} action
 * @param {number} to
 * @param {State} state
 * @param {number | undefined} unit
 */
function actionText(action, to, { turn, hand }, unit) {
  if (action === "fold") return _("Fold");
  if (action === "raise") return hand && highestBet(hand) ? _("Raise to {most}", { most: amount(to, unit) }) : _("Bet {chips}", { chips: amount(to, unit) });
  return turn?.call ? _("Call") : _("Check");
}
