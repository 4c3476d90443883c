// Who is missing at the table, and what brings somebody.

import { list } from "../lib/cards.js";
import { seats } from "./state.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { described } from "../lib/create_table.js";
import { isolated } from "../lib/words.js";

/**
 * @import {State} from "./state.js"
 * @import {App, Deeds} from "./table.js"
 */

/** States of a seat whose player cannot be dealt in. */
const WHY = /** @type {Record<string, string>} */ ({ away: "sitting out", gone: "connection lost" });

/**
 * Who is missing, so that no hand is dealt; "" when a hand is in progress or nobody is.
 * @param {State} state
 */
export function missing(state) {
  const { match, hand, ended, me } = state;
  if (!match || ended || (hand && !hand.over)) return "";
  const places = seats(state);
  const taken = places.filter((place) => place.name);
  if (match.mode === "tournament") {
    const free = places.length - taken.length;
    return free ? `Waiting for ${free} more player${free > 1 ? "s" : ""}.` : "";
  }
  if (taken.filter((place) => !WHY[place.state]).length > 1) return "";
  const others = taken.filter((place) => place.seat !== me);
  const absent = others.filter((place) => WHY[place.state]).map((place) => `${isolated(place.name)} (${WHY[place.state]})`);
  if (absent.length) return `Waiting for ${list(absent)}.`;
  if (me >= 0) return "Nobody else is here.";
  return others[0] ? `Only ${isolated(others[0].name)} is here.` : "Nobody sits here yet.";
}

/**
 * Whether I opened this table.
 * @param {State} state
 */
export function isMine(state) {
  const name = state.info?.owner;
  return Boolean(name) && seats(state)[state.me]?.name === name;
}

/**
 * What I can do about it when somebody is missing; null for nothing.
 * @param {App} app
 * @param {Deeds} deeds
 */
export function company({ state, ui }, deeds) {
  if (!missing(state) || seats(state).every((place) => place.name)) return null;
  /** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
  const submit = (event) => {
    event.preventDefault();
    deeds.invite(String(new FormData(event.currentTarget).get("bot")));
  };
  return html`${isMine(state) && ui.bots.length ? html`<form class="invite" @submit=${submit}>
      <label class="unseen" for="bot">Bot</label>
      <select id="bot" name="bot">${ui.bots.map((bot) => html`<option value=${bot}>${described(bot)}</option>`)}</select>
      <button>Add a bot</button></form>` : nothing}
    <button class="main" @click=${deeds.copyInvitation}>Copy invitation link</button>`;
}
