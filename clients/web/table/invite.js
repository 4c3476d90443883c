// Who is missing at the table, and how to fill the seats: a bot, or an invitation link.

import { describeBot, parametersOf, readBot } from "../lib/bots.js";
import { joinWords } from "../lib/cards.js";
import { openParameterFields } from "../lobby/bot_parameters.js";
import { formControls } from "../lobby/form.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ngettext } from "../lib/language.js";
import { seatsOf } from "./state.js";
import { goneText, isolateName, seatName } from "../lib/words.js";

/**
 * @import {Invite} from "../lib/messages.d.ts"
 * @import {Seat, State} from "../lib/table_types.js"
 * @import {App, Handlers, View} from "./app.js"
 */

/** What the fields of a bot's parameters are called. */
const PREFIX = "parameter";
/** Why the player of a seat cannot be dealt in; "" if he can. @param {Seat} seat */
const absenceOf = (seat) => (seat.state === "away" ? _("sitting out") : seat.state === "gone" ? goneText(seat) : "");

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
    return free ? ngettext("Waiting for {n} more player.", "Waiting for {n} more players.", free) : "";
  }
  if (taken.filter((seat) => !absenceOf(seat)).length > 1) return "";
  const others = taken.filter((seat) => seat.seat !== me);
  const absent = others.filter(absenceOf).map((seat) => `${isolateName(seatName(state, seat.seat))} (${absenceOf(seat)})`);
  if (absent.length) return _("Waiting for {names}.", { names: joinWords(absent) });
  if (me >= 0) return _("Nobody else is here.");
  return others[0] ? _("Only {name} is here.", { name: isolateName(seatName(state, others[0].seat)) }) : _("Nobody sits here yet.");
}

/** Whether I opened this table. @param {State} state */
export function isOwner(state) {
  const name = state.info?.owner;
  return Boolean(name) && seatsOf(state)[state.me]?.name === name;
}

/**
 * What seats a house bot.
 * @param {string} table
 * @param {(message: Invite) => boolean} send returns whether it was sent
 * @param {(some: Partial<App["ui"]>) => void} update
 */
export const inviteHandlers = (table, send, update) => ({
  /** @param {string} bot */
  chooseBot: (bot) => update({ bot }),
  /** @param {Invite["bot"]} bot */
  invite: (bot) => update({ isInviting: send({ type: "invite", table, bot }) }),
});

/** The controls that bring players when some are missing; null for none. @type {View} */
export function inviteControls({ state, ui }, handlers) {
  if (!waitingText(state) || seatsOf(state).every((seat) => seat.name)) return null;
  const chosen = chosenBot(ui);
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    handlers.invite(chosen);
  };
  return html`${isOwner(state) && chosen ? html`<form class="invite" @submit=${submit}>
      <label class="visually-hidden" for="bot">${_("Bot")}</label>
      <select id="bot" @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => handlers.chooseBot(event.target.value)}>
        ${ui.bots.map((bot) => html`<option value=${bot} .selected=${bot === chosen}>${describeBot(bot)}</option>`)}</select>
      <button>${_("Add a bot")}</button>
      ${parametersOf(chosen).length ? html`<button type="button" @click=${() => handlers.openDialog("bot")}>${_("Parameters")}</button>` : nothing}</form>` : nothing}
    <button class="main" @click=${handlers.copyInvitation}>${_("Copy invitation link")}</button>`;
}

/** The bot to seat; "" before any is known. @param {App["ui"]} ui */
export const chosenBot = ({ bot, bots }) => (bots.includes(bot) ? bot : bots[0] ?? "");

/**
 * The form that seats the chosen bot with parameters of its own. The server may refuse them: then it stays open.
 * @param {App} app
 * @param {Handlers} handlers
 */
export function tunedBotForm({ state, ui }, handlers) {
  const bot = chosenBot(ui);
  const controls = formControls({ field: "", text: state.notice });
  /** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
  const submit = (event) => {
    event.preventDefault();
    handlers.invite(readBot(new FormData(event.currentTarget), PREFIX, bot));
  };
  return html`<form class="tuned" @submit=${submit}>${openParameterFields(PREFIX, bot, controls)}
    ${controls.otherError()}<button class="main">${_("Add {bot}", { bot })}</button></form>`;
}
