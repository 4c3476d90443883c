// The same table as headings and lists, with typed commands: for screen readers, and for whoever likes to type.

import { parametersText } from "../lib/bots.js";
import { parseAmount, presets } from "./actions.js";
import { unitOf } from "./amounts.js";
import { cardNames } from "../lib/cards.js";
import { chances } from "./equity.js";
import { programOf } from "../look/characters.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { seatStyles, styleTexts } from "./hud.js";
import { _, ngettext, percent, titled } from "../lib/language.js";
import { isAway, seatsOf, timeLeft } from "./state.js";
import { actionText, amount, goneText, handName, handPhrase, handText, isolateName, playerNames, potName, seatName, winLines } from "../lib/words.js";

/**
 * @import {State} from "../lib/table_types.js"
 * @import {App, Handlers, View} from "./app.js"
 */
/**
 * What a typed command means: an answer to read, or something to do.
 * @typedef {{say: string} | {press: "fold" | "call"} | {raise: number} | {away: boolean}} Command
 */

const HELP = _("f: fold. c: check or call. r 300: raise to 300; r min, r half, r two-thirds, r pot, r all. pot, board, cards, stacks, time, out, back.");

/**
 * @param {string} text
 * @param {State} state
 * @param {{unit: number | undefined, shares: readonly number[], now: number}} how
 * @returns {Command}
 */
export function parseCommand(text, state, { unit, shares, now }) {
  const [word = "", ...rest] = text.trim().toLowerCase().split(/\s+/);
  const { hand, turn } = state;
  const me = hand?.players[state.me];
  /** @param {number} chips */
  const show = (chips) => amount(chips, unit);
  switch (word) {
    case "f": case "fold":
      return turn ? { press: "fold" } : { say: _("It is not your turn.") };
    case "c": case "call": case "check":
      return turn ? { press: "call" } : { say: _("It is not your turn.") };
    case "r": case "raise": case "bet": {
      if (!turn || !me) return { say: _("It is not your turn.") };
      const named = { min: 0, half: 1, "two-thirds": 2, pot: 3, all: 4, "all-in": 4 }[rest.join(" ")];
      const preset = named === undefined ? undefined : presets(turn, me.bet, named in shares ? shares : undefined)[named];
      if (preset) return preset.enabled ? { raise: preset.to } : { say: _("{amount} is not possible now.", { amount: preset.label }) };
      const { to, error } = parseAmount(rest.join(""), turn, unit ?? 1, show);
      return to === null ? { say: error } : { raise: to };
    }
    case "pot": return { say: hand ? _("Pot {chips}", { chips: show(hand.pot) }) : _("No hand is being played.") };
    case "board": return { say: hand?.board.length ? [hand.board, hand.second].filter((cards) => cards.length).map(cardNames).join(". ") : _("The board is empty.") };
    case "cards": return { say: me?.cards.length ? cardNames(me.cards) : _("You have no cards.") };
    case "stacks":
      return { say: seatsOf(state).filter((seat) => seat.name).map((seat) =>
        `${isolateName(seatName(state, seat.seat))} ${show(hand?.players[seat.seat]?.stack ?? seat.stack)}`).join(", ") };
    case "time":
      return { say: state.clock ? ngettext("{n} second", "{n} seconds", timeLeft(state.clock, now).seconds) : _("No clock is running.") };
    case "out": return { away: true };
    case "back": return { away: false };
    default: return { say: HELP };
  }
}

/** @type {View} */
export function textTable(app, handlers) {
  const { state, settings, now, ui } = app;
  /** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
  const submit = (event) => {
    event.preventDefault();
    const input = /** @type {HTMLInputElement} */ (event.currentTarget.elements.namedItem("command"));
    handlers.runCommand(input.value);
    input.value = "";
  };
  return html`<section class="text-table" aria-label=${_("Table as text")}>
    ${tableAsText(state, unitOf(app), now, settings.hud)}
    <form @submit=${submit}>
      <label for="command">${_("Command")}</label>
      <input id="command" name="command" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder=${_("? for help")}>
      <button>${_("Enter")}</button>
    </form>
    <p class="answer" role="status">${ui.answer || nothing}</p>
  </section>`;
}

/**
 * What is on the table, under headings.
 * @param {State} state
 * @param {number | undefined} unit
 * @param {number} now
 * @param {boolean} hud whether to tell how others play
 */
export function tableAsText(state, unit, now, hud = false) {
  const { hand } = state;
  const me = hand?.players[state.me];
  return html`<h2>${hand ? handName(hand.hand) : _("Between hands")}</h2>
    ${hand ? html`
      <h3>${_("Cards")}</h3>
      <ul><li>${titled(_("Board"), hand.board.length ? cardNames(hand.board) : _("empty"))}</li>
        ${hand.second.length ? html`<li>${titled(_("Second board"), cardNames(hand.second))}</li>` : nothing}
        ${me?.cards.length ? html`<li>${titled(_("You"), cardNames(me.cards))}${hand.strength ? `, ${handText(hand.strength)}` : ""}</li>` : nothing}</ul>
      <h3>${_("Pot")}</h3>
      <ul><li>${_("Total {chips}", { chips: amount(hand.pot, unit) })}</li>
        ${hand.over
          ? hand.results.flatMap((pot, index) => winLines(state, hand, pot, index, unit)).map((text) => html`<li>${text}</li>`)
          : hand.pots.length > 1 ? hand.pots.map((pot, index) =>
            html`<li>${titled(`${potName(index, hand.pots.length)} ${amount(pot.amount, unit)}`, playerNames(state, pot.seats))}</li>`) : nothing}
      </ul>` : nothing}
    <h3>${_("Seats")}</h3>
    <ol>${seatsOf(state).map((seat) => html`<li>${seatLine(state, seat.seat, unit, now, hud)}</li>`)}</ol>`;
}

/**
 * @param {State} state
 * @param {number} number
 * @param {number | undefined} unit
 * @param {number} now
 * @param {boolean} hud
 */
function seatLine(state, number, unit, now, hud) {
  const seat = seatsOf(state)[number];
  const { hand } = state;
  const player = hand?.players[number];
  if (!seat?.name) return _("free");
  const [style, here] = hud && number !== state.me ? seatStyles(state, number) : [];
  const share = chances(hand, state.match?.game)[number];
  const stack = player?.stack ?? seat.stack;
  const facts = [
    `${isolateName(seatName(state, number))}${number === state.me ? ` (${_("you")})` : ""}`,
    seat.kind === "bot" ? programOf(seat.name) : "",
    parametersText(seat.parameters),
    unit ? amount(stack, unit) : _("{amount} chips", { amount: amount(stack) }),
    hand?.button === number ? _("dealer") : "",
    player && hand && !hand.over && player.bet ? _("bet {chips}", { chips: amount(player.bet, unit) }) : "",
    player?.folded ? _("folded") : player?.lastAction ? actionText(player.lastAction, unit) : "",
    number !== state.me && player?.cards.length ? (player.shown ? _("shows {cards}", { cards: cardNames(player.cards) }) : _("has {cards}", { cards: cardNames(player.cards) })) : "",
    style ? styleTexts(style, here) : "",
    share === undefined ? "" : _("wins {share} on average", { share: percent(share) }),
    handPhrase(player?.label ?? ""),
    seat.state === "away" || (number === state.me && isAway(state)) ? _("sitting out") : seat.state === "gone" ? goneText(seat) : "",
    state.clock?.seat === number ? _("to act, {n} s", { n: timeLeft(state.clock, now).seconds }) : "",
  ];
  return facts.filter(Boolean).join(", ");
}
