// Who is missing at the table, and how to fill the seats: a bot, or an invitation link.

import { describeBot } from "../lib/bots.js";
import { joinWords } from "../lib/cards.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { seatsOf } from "./state.js";
import { isolateName } from "../lib/words.js";

/**
 * @import {State} from "./state.js"
 * @import {App, Handlers} from "./table.js"
 */

/** States of a seat whose player cannot be dealt in. */
const ABSENT_STATES = /** @type {Record<string, string>} */ ({ away: "sitting out", gone: "connection lost" });

/**
 * Who is missing, so that no hand is dealt; "" when a hand is in progress or nobody is.
 * @param {State} state
 */
export function waitingText(state) {
  const { match, hand, ended, me } = state;
  if (!match || ended || (hand && !hand.over)) return "";
  const seats = seatsOf(state);
  const taken = seats.filter((seat) => seat.name);
  if (match.mode === "tournament") {
    const free = seats.length - taken.length;
    return free ? `Waiting for ${free} more player${free > 1 ? "s" : ""}.` : "";
  }
  if (taken.filter((seat) => !ABSENT_STATES[seat.state]).length > 1) return "";
  const others = taken.filter((seat) => seat.seat !== me);
  const absent = others.filter((seat) => ABSENT_STATES[seat.state]).map((seat) => `${isolateName(seat.name)} (${ABSENT_STATES[seat.state]})`);
  if (absent.length) return `Waiting for ${joinWords(absent)}.`;
  if (me >= 0) return "Nobody else is here.";
  return others[0] ? `Only ${isolateName(others[0].name)} is here.` : "Nobody sits here yet.";
}

/**
 * Whether I opened this table.
 * @param {State} state
 */
export function isOwner(state) {
  const name = state.info?.owner;
  return Boolean(name) && seatsOf(state)[state.me]?.name === name;
}

/**
 * The controls that bring players when some are missing; null for none.
 * @param {App} app
 * @param {Handlers} handlers
 */
export function inviteControls({ state, ui }, handlers) {
  if (!waitingText(state) || seatsOf(state).every((seat) => seat.name)) return null;
  /** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
  const submit = (event) => {
    event.preventDefault();
    handlers.invite(String(new FormData(event.currentTarget).get("bot")));
  };
  return html`${isOwner(state) && ui.bots.length ? html`<form class="invite" @submit=${submit}>
      <label class="visually-hidden" for="bot">Bot</label>
      <select id="bot" name="bot">${ui.bots.map((bot) => html`<option value=${bot}>${describeBot(bot)}</option>`)}</select>
      <button>Add a bot</button></form>` : nothing}
    <button class="main" @click=${handlers.copyInvitation}>Copy invitation link</button>`;
}
