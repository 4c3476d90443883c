// Looking on: pause, speed, whose seat is at the bottom.

import { SPEEDS } from "../lib/pace.js";
import { seats } from "./state.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";

/** @import {App, Deeds} from "./table.js" */

/**
 * The bar of somebody without a seat.
 * @param {App} app
 * @param {Deeds} deeds
 */
export function watching({ state, ui, settings }, deeds) {
  const places = seats(state);
  const others = (state.info?.watchers ?? 1) - 1;
  const free = places.some((place) => !place.name);
  return html`<div class="amounts watching loose">
    <p>You are watching${others > 0 ? ` with ${others} more` : ""}.</p>
    ${state.match ? html`
      <div class="row" role="group" aria-label="Watching">
        <button aria-pressed=${ui.paused === null ? "false" : "true"} @click=${deeds.pause}>${ui.paused === null ? "Pause" : "Go on"}
          ${settings.shortcuts ? html`<kbd aria-hidden="true">P</kbd>` : nothing}</button>
        <button ?disabled=${!ui.behind} @click=${deeds.jump}>Jump to now</button>
        <label>Speed <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => deeds.set({ speed: event.target.value })}>
          ${Object.keys(SPEEDS).map((speed) => html`<option ?selected=${settings.speed === speed}>${speed}</option>`)}
        </select></label>
        <label>Follow <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => deeds.follow(event.target.value)}>
          <option value="" ?selected=${ui.follow === null}>nobody</option>
          ${places.filter((place) => place.name).map((place) => html`<option value=${place.seat}
            ?selected=${ui.follow === place.seat}>${place.name}</option>`)}
        </select></label>
        ${free ? html`<button class="main" @click=${() => deeds.sit(-1)}>Take a seat</button>` : nothing}
      </div>` : nothing}
  </div>`;
}

/**
 * What is to be said of the pause.
 * @param {App} app
 */
export function standing({ ui }) {
  if (ui.paused === null) return "";
  const behind = ui.behind > 1 ? `${ui.behind} hands behind` : ui.behind ? "The table has gone on" : "Nothing has happened since";
  return `Paused. ${behind}.`;
}
