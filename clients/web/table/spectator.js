// The spectator's controls: pause, speed, whose seat is at the bottom.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { SPEEDS } from "../lib/playback.js";
import { seatsOf } from "./state.js";
import { seatName } from "../lib/words.js";

/** @import {App, Handlers, View} from "./app.js" */

/** The bar of a spectator. @type {View} */
export function spectatorControls({ state, ui, settings }, handlers) {
  const seats = seatsOf(state);
  const others = (state.info?.watchers ?? 1) - 1;
  const free = seats.some((seat) => !seat.name);
  return html`<div class="amounts watching auto-height">
    <p>You are watching${others > 0 ? ` with ${others} other${others > 1 ? "s" : ""}` : ""}.</p>
    ${state.match ? html`
      <div class="row" role="group" aria-label="Watching">
        <button aria-pressed=${ui.pausedAt === null ? "false" : "true"} @click=${handlers.togglePause}>${ui.pausedAt === null ? "Pause" : "Continue"}
          ${settings.shortcuts ? html`<kbd aria-hidden="true">P</kbd>` : nothing}</button>
        <button ?disabled=${!ui.behind} @click=${handlers.jumpToNow}>Jump to now</button>
        <label>Speed <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => handlers.changeSettings({ speed: event.target.value })}>
          ${Object.keys(SPEEDS).map((speed) => html`<option ?selected=${settings.speed === speed}>${speed}</option>`)}
        </select></label>
        <label>Follow <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => handlers.follow(event.target.value)}>
          <option value="" ?selected=${ui.followSeat === null}>nobody</option>
          ${seats.filter((seat) => seat.name).map((seat) => html`<option value=${seat.seat}
            ?selected=${ui.followSeat === seat.seat}>${seatName(state, seat.seat)}</option>`)}
        </select></label>
        ${peekButton({ state }, handlers)}
        ${free ? html`<button class="main" @click=${() => handlers.sit(-1)}>Take a seat</button>` : nothing}
      </div>` : nothing}
  </div>`;
}

/**
 * A hand ended early: what would have come? Card players call it rabbit hunting.
 * @param {Pick<App, "state">} app
 * @param {Pick<Handlers, "peek">} handlers
 */
export function peekButton({ state: { hand } }, handlers) {
  return hand?.undealt.length && !hand.peeked ? html`<button title="The board cards that the deck had for this hand"
    @click=${handlers.peek}>Rabbit</button>` : nothing;
}

/** The notice during a pause. @param {App} app */
export function pauseText({ ui }) {
  if (ui.pausedAt === null) return "";
  const behind = ui.behind > 1 ? `${ui.behind} hands behind` : ui.behind ? "The table has moved on" : "Nothing has happened since then";
  return `Paused. ${behind}.`;
}
