// The spectator's controls: pause, speed, whose seat is at the bottom.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ngettext } from "../lib/language.js";
import { SPEEDS } from "../lib/playback.js";
import { seatsOf } from "./state.js";
import { seatName, speedText } from "../lib/words.js";

/** @import {App, Handlers, View} from "./app.js" */

/** The bar of a spectator. @type {View} */
export function spectatorControls({ state, ui, settings }, handlers) {
  const seats = seatsOf(state);
  const others = (state.info?.watchers ?? 1) - 1;
  const free = seats.some((seat) => !seat.name);
  return html`<div class="amounts watching auto-height">
    <p>${others > 0 ? ngettext("You are watching with {n} other.", "You are watching with {n} others.", others) : _("You are watching.")}
      ${!state.hand ? nothing : state.hand.faceUp ? _("Cards lie face up: only house bots play.") : _("Cards stay hidden, so that nobody can pass them on.")}</p>
    ${state.match ? html`
      <div class="row" role="group" aria-label=${_("Watching")}>
        <button aria-pressed=${ui.pausedAt === null ? "false" : "true"} @click=${handlers.togglePause}>${ui.pausedAt === null ? _("Pause") : _("Continue")}
          ${settings.shortcuts ? html`<kbd aria-hidden="true">P</kbd>` : nothing}</button>
        <button ?disabled=${!ui.behind} @click=${handlers.jumpToNow}>${_("Jump to now")}</button>
        <label>${_("Speed")} <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => handlers.changeSettings({ speed: event.target.value })}>
          ${Object.keys(SPEEDS).map((speed) => html`<option value=${speed} ?selected=${settings.speed === speed}>${speedText(speed)}</option>`)}
        </select></label>
        <label>${_("Follow")} <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => handlers.follow(event.target.value)}>
          <option value="" ?selected=${ui.followSeat === null}>${_("nobody")}</option>
          ${seats.filter((seat) => seat.name).map((seat) => html`<option value=${seat.seat}
            ?selected=${ui.followSeat === seat.seat}>${seatName(state, seat.seat)}</option>`)}
        </select></label>
        ${peekButton({ state }, handlers)}
        ${free ? html`<button class="main" @click=${() => handlers.sit(-1)}>${_("Take a seat")}</button>` : nothing}
      </div>` : nothing}
  </div>`;
}

/**
 * A hand ended early: what would have come? Card players call it rabbit hunting.
 * @param {Pick<App, "state">} app
 * @param {Pick<Handlers, "peek">} handlers
 */
export function peekButton({ state: { hand } }, handlers) {
  return hand?.undealt.length && !hand.peeked ? html`<button title=${_("The board cards that the deck had for this hand")}
    @click=${handlers.peek}>${_("Rabbit")}</button>` : nothing;
}

/** The seat at the bottom that I, a spectator, chose. @param {App} app */
export function bottomSeat({ ui, state }) {
  return ui.followSeat === null || state.me >= 0 ? {} : { bottom: ui.followSeat };
}

/** The notice during a pause. @param {App} app */
export function pauseText({ ui }) {
  if (ui.pausedAt === null) return "";
  const behind = ui.behind > 1 ? ngettext("{n} hand behind.", "{n} hands behind.", ui.behind) : ui.behind ? _("The table has moved on.") : _("Nothing has happened since then.");
  return `${_("Paused.")} ${behind}`;
}
