// The bar below the table: what I can do now, or choose in advance.

import { buttons, choices, isSameKind, presets, whyTooSoon } from "./actions.js";
import { raiseAmount, unitOf } from "./amounts.js";
import { characterName, programOf } from "../look/characters.js";
import { practiceBox } from "./hint.js";
import { inviteControls, waitingText } from "./invite.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ordinal, pgettext, typedNumber } from "../lib/language.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { pauseText, peekButton, spectatorControls } from "./spectator.js";
import { amountToCall, highestBet, isAway, isOpenChallenge, myPlace, timeLeft } from "./state.js";
import { twiceBox } from "./twice.js";
import { card } from "./view.js";
import { amount, handPhrase, outcomeText, signed } from "../lib/words.js";

/**
 * @import {ChallengeResult, YourTurn} from "../lib/messages.d.ts"
 * @import {App, Handlers, View} from "./app.js"
 */

/** @type {View} */
export function controls(app, handlers) {
  const { state, settings } = app;
  const { turn } = state;
  const error = turn && app.ui.typedAmount !== null ? raiseAmount(app, turn).error : "";
  const note = state.notice || pauseText(app) || (state.sent && _("Sent…")) || strengthText(app)
    || ((state.hand || settings.text) && waitingText(state));
  // Outside the live region: who won is said with the lines of the log.
  const outcome = note ? "" : outcomeText(state, unitOf(app));
  return html`<section class="controls" aria-label=${_("Your actions")} data-turn=${turn ? true : nothing}>
    <div class="news">
      ${error
        ? html`<p id="amount-error" class="error" role="alert">${error}</p>`
        : html`<p class="notice">${ownCards(app)}<span role="status">${note || nothing}</span>${outcome}</p>`}
      ${clock(app)}
    </div>
    ${practiceBox(app, handlers)}
    ${twiceBox(app, handlers)}
    ${turn ? raiseControls(app, turn, handlers) : waitingControls(app, handlers)}
    ${state.me >= 0 && !state.ended && !state.unknownTable && !state.challenge ? actionButtons(app, handlers) : nothing}
  </section>`;
}

/** @param {App} app */
function strengthText({ state, settings }) {
  return settings.strength && state.hand?.strength && !state.hand.over ? _("You have {hand}", { hand: handPhrase(state.hand.strength) }) : "";
}

/** My cards and my stack once more, where the bar may cover my seat. @param {App} app */
function ownCards(app) {
  const { state } = app;
  const me = state.hand?.players[state.me];
  if (!me?.cards.length || state.ended) return nothing;
  return html`<span class="own-cards in-text" aria-hidden="true">${me.cards.map((code) => card(code))}
    ${amount(me.stack, unitOf(app))}</span>`;
}

/** @param {App} app */
function clock({ state, now }) {
  if (!state.turn || !state.clock) return nothing;
  const { share, seconds, inBank } = timeLeft(state.clock, now);
  const bank = Math.ceil(state.clock.bank / 1000);
  return html`<p class="time">
    <progress class="clock" max="1" .value=${share} data-bank=${inBank || nothing} aria-hidden="true"></progress>
    <span class="seconds">${_("{n} s", { n: seconds })}</span>
    <span class="bank">${inBank ? _("of your time bank") : bank ? _("+ {n} s bank", { n: bank }) : nothing}</span>
  </p>`;
}

/** @type {View} */
function actionButtons(app, handlers) {
  const { state, settings, now } = app;
  const { bet, stack } = state.hand?.players[state.me] ?? { bet: 0, stack: 0 };
  const top = state.hand ? highestBet(state.hand) : 0;
  const unit = unitOf(app);
  const { turn } = state;
  const to = turn ? raiseAmount(app, turn).to ?? 0 : 0;
  const keys = { fold: "F", call: "C", raise: "Enter" };
  return html`<div class="slots" data-number=${turn?.turn ?? nothing}>
    ${buttons(turn, bet, stack, to, top, amountToCall(state) ?? 0).map(({ slot, verb, chips, enabled }) => html`<button
      class="slot" data-slot=${slot} ?disabled=${!enabled || state.sent !== null}
      data-too-soon=${turn && whyTooSoon(slot, now, state) ? true : nothing} @click=${() => handlers.press(slot)}>
      <span class="verb">${verb}${chips === null ? nothing : html` <b>${amount(chips, unit)}</b>`}</span>
      ${settings.shortcuts ? html`<kbd aria-hidden="true">${keys[slot]}</kbd>` : nothing}
    </button>`)}
  </div>`;
}

/**
 * @param {App} app
 * @param {YourTurn} turn
 * @param {Handlers} handlers
 */
function raiseControls(app, turn, handlers) {
  const { state, settings, ui } = app;
  const me = state.hand?.players[state.me];
  if (!turn.raise_to || !me) return html`<div class="amounts"></div>`;
  const [least, most] = turn.raise_to;
  if (least === most) return html`<div class="amounts"></div>`;
  const { to, error } = raiseAmount(app, turn);
  const unit = unitOf(app);
  const text = ui.typedAmount ?? typedNumber((to ?? least) / (unit ?? 1));
  /** @param {WheelEvent} event */
  const wheel = (event) => {
    event.preventDefault();
    handlers.stepBy(event.deltaY < 0 ? 1 : -1);
  };
  return html`<div class="amounts" @wheel=${wheel}>
    <div class="presets" role="group" aria-label=${_("Amounts")}>
      ${presets(turn, me.bet, settings.shares).map((preset) => html`<button ?disabled=${!preset.enabled}
        title="${amount(preset.to, unit)}" aria-pressed=${preset.to === to ? "true" : "false"}
        @click=${() => handlers.setAmount(preset.to)}>${preset.label}<kbd aria-hidden="true">${preset.key}</kbd></button>`)}
    </div>
    <div class="typed">
      <button aria-label=${_("one big blind less")} @click=${() => handlers.stepBy(-1)}>−</button>
      <label><span class="visually-hidden">${unit ? _("Raise to, in big blinds") : _("Raise to, in chips")}</span>
        <input id="amount" inputmode="decimal" autocomplete="off" enterkeyhint="go" .value=${live(text)}
          aria-invalid=${error ? "true" : "false"} aria-describedby=${error ? "amount-error" : nothing}
          @input=${(/** @type {InputEvent & {target: HTMLInputElement}} */ event) => handlers.typeAmount(event.target.value)}
          @focus=${(/** @type {FocusEvent & {target: HTMLInputElement}} */ event) => event.target.select()}></label>
      <button aria-label=${_("one big blind more")} @click=${() => handlers.stepBy(1)}>+</button>
      <input class="slider" type="range" aria-label=${_("Raise to")} min=${least} max=${most} .value=${live(String(to ?? least))}
        aria-valuetext=${amount(to ?? least, unit)}
        @input=${(/** @type {InputEvent & {target: HTMLInputElement}} */ event) => handlers.setAmount(Number(event.target.value))}>
    </div>
  </div>`;
}

/** What there is to do while it is not my turn. @type {View} */
function waitingControls(app, handlers) {
  const { state, settings } = app;
  if (state.challenge) return challengeSummary(state.challenge, unitOf(app));
  const place = myPlace(state);
  if (state.ended || state.unknownTable || place) {
    const isOver = state.ended || place > 0 && (state.series?.of ?? 1) === state.series?.match;
    return html`<div class="amounts row auto-height">
      ${place && !state.ended ? html`<p>${_("You finished {place}.", { place: ordinal(place) })}</p>` : nothing}
      ${state.ended?.reason === "left" && isOpenChallenge(state) ? html`<p>${_("You and your rival had not both finished a hand yet, so there is nothing to compare.")}</p>` : nothing}
      ${isOver && canPlayAgain(app) ? html`<button class="main" @click=${handlers.playAgain}>${_("Play again")}</button>` : nothing}
      <a class="button" href="/">${_("Back to the lobby")}</a></div>`;
  }
  if (state.me < 0) return spectatorControls(app, handlers);
  if (isAway(state)) {
    return html`<div class="amounts row"><p>${_("You are sitting out.")}</p>
      <button class="main" @click=${handlers.sitIn}>${_("I'm back")}</button></div>`;
  }
  const cost = amountToCall(state);
  if (cost !== null) return advanceButtons(app, cost, handlers);
  const inviteButtons = inviteControls(app, handlers);
  return html`<div class=${inviteButtons ? "amounts row auto-height" : "amounts row"}>
    ${inviteButtons || (settings.offerShow ? showCardsButtons(app, handlers) : nothing)}
    ${peekButton(app, handlers)}
    ${state.hand?.over || state.pastHands.length ? html`<button @click=${() => handlers.openDialog("last")}>${_("Last hand")}</button>` : nothing}
  </div>`;
}

/** Whether I know what opened this table. @param {App} app */
const canPlayAgain = ({ state, settings }) => state.match?.mode === "tournament" && settings.request?.table === state.table;

/**
 * @param {App} app
 * @param {number} cost
 * @param {Handlers} handlers
 */
function advanceButtons(app, cost, handlers) {
  const { state } = app;
  const unit = unitOf(app);
  return html`<div class="amounts row" role="group" aria-label=${_("Choose in advance")}>
    ${choices(cost).map(({ choice, verb, chips }) => {
      const on = isSameKind(choice, state.choice);
      return html`<button class="choice" aria-pressed=${on ? "true" : "false"}
        @click=${() => handlers.choose(on ? null : choice)}>${verb}${chips === null ? nothing : html` ${amount(chips, unit)}`}</button>`;
    })}
  </div>`;
}

/**
 * A challenge is over: how it went, and where both runs lie side by side.
 * @param {ChallengeResult} challenge
 * @param {number | undefined} unit
 */
function challengeSummary({ run, player, player_net: mine, rival, rival_net: theirs, deals }, unit) {
  const isOfDay = deals && !deals.includes(".");
  return html`<div class="amounts row auto-height">
    <p>${_("{player} {chips}, {rival} {others} with the same cards.", {
      player: html`<bdi>${player}</bdi>`, chips: signed(mine, unit), rival: html`<bdi>${characterName(programOf(rival) || rival)}</bdi>`, others: signed(theirs, unit),
    })}</p>
    ${run ? html`<a class="button main" href="/challenge/${run}">${isOfDay ? _("Your result and how others did") : _("Compare hand by hand")}</a>` : nothing}
    <a class="button" href="/">${_("Back to the lobby")}</a></div>`;
}

/** My cards that nobody had to see. @type {View} */
function showCardsButtons({ state, ui }, handlers) {
  const { hand } = state;
  const me = hand?.players[state.me];
  if (!hand?.over || !me || me.shown || !me.cards.length || ui.muckedHand === hand.hand) return nothing;
  return html`<div class="row" role="group" aria-label=${_("Show your cards")}>
    <button @click=${() => handlers.showCards([...me.cards])}>${_("Show all")}</button>
    ${me.cards.map((code) => html`<button class="show-one" @click=${() => handlers.showCards([code])}>${pgettext("a card", "Show")}
      <span class="in-text">${card(code)}</span></button>`)}
    <button @click=${handlers.muck}>${_("Muck")}</button>
  </div>`;
}
