// What I may do now, or choose in advance. Pure; the server's `turn` is the only source of what is legal.

import { _, parseNumber } from "../lib/language.js";

/**
 * @import {Act, GameInfo, YourTurn} from "../lib/messages.d.ts"
 * @import {Choice} from "../lib/table_types.js"
 */

/** @typedef {"fold" | "call" | "raise"} Slot */
/**
 * A button: "Call" has an amount in `chips`, "Check" has none.
 * @typedef {{slot: Slot, verb: string, chips: number | null, enabled: boolean}} Button
 */
/** @typedef {{key: string, label: string, to: number, enabled: boolean}} Preset */

/** Milliseconds in which a button that has just changed its meaning ignores presses. */
export const SETTLE = 300;
/** The same for a call whose price somebody has just raised by a lot. */
export const CALL_GUARD = 1000;

/** Parts of the pot that the presets bet, unless the player chose his own. */
export const SHARES = [1 / 2, 2 / 3, 1];

/**
 * The buttons, always the same three in the same order.
 * @param {YourTurn | null} turn
 * @param {number} bet what lies in front of me on this street
 * @param {number} stack what I have left
 * @param {number} to the amount chosen for a raise; 0 while what is typed is none
 * @param {number} top the highest bet of the street
 * @param {number} price what a call costs, as far as is known before my turn
 * @returns {Button[]}
 */
export function buttons(turn, bet, stack, to, top, price = 0) {
  const allInOnly = turn !== null && isAllInCall(turn, stack);
  const call = allInOnly ? price : turn?.call ?? price;
  const [least, most] = turn?.raise_to ?? [0, 0];
  const allIn = to > 0 && to === bet + stack;
  const chips = most && to ? to : null;
  const raise = allIn ? _("All in") : !top ? _("Bet") : most && !to ? _("Raise") : _("Raise to");
  return [
    { slot: "fold", verb: _("Fold"), chips: null, enabled: turn !== null },
    {
      slot: "call", verb: call <= 0 ? _("Check") : call === stack ? _("Call all in") : _("Call"),
      chips: call > 0 ? call : null, enabled: turn !== null && !allInOnly,
    },
    {
      slot: "raise", verb: raise, chips,
      enabled: most > 0 && to >= least && to <= most,
    },
  ];
}

/**
 * Whether a call would be all-in as the raise is, because the game is all-in or fold: then one button for it is enough.
 * @param {YourTurn} turn
 * @param {number} stack
 */
export function isAllInCall(turn, stack) {
  return turn.raise_to !== null && turn.call === stack;
}

/**
 * Raise-to amounts: the least, shares of the pot after a call, and everything. Those that are not legal are shown and
 * cannot be taken.
 * @param {YourTurn} turn
 * @param {number} bet
 * @param {readonly number[]} shares
 * @returns {Preset[]}
 */
export function presets(turn, bet, shares = SHARES) {
  if (!turn.raise_to || turn.raise_to[0] === turn.raise_to[1]) return [];
  const [least, most] = turn.raise_to;
  const matched = bet + turn.call;
  const some = shares.map((share) => ({
    label: shareName(share), to: matched + Math.round(share * (turn.pot + turn.call)),
  }));
  return [{ label: _("Min"), to: least }, ...some, { label: _("All in"), to: most }].map((preset, index) => ({
    ...preset, key: String(index + 1), enabled: preset.to >= least && preset.to <= most,
  }));
}

/** @param {number} share */
function shareName(share) {
  const names = /** @type {[number, string][]} */ ([
    [1 / 4, _("¼ pot")], [1 / 3, _("⅓ pot")], [1 / 2, _("½ pot")], [2 / 3, _("⅔ pot")], [3 / 4, _("¾ pot")], [1, _("Pot")], [2, _("2× pot")],
  ]);
  const known = names.find(([value]) => Math.abs(value - share) < 0.01);
  return known ? known[1] : `${Math.round(share * 100)}\u00a0%`;
}

/**
 * A typed amount, in chips or in big blinds. Never changed to fit: what is not legal is refused with a reason.
 * @param {string} text
 * @param {YourTurn} turn
 * @param {number} unit chips that "1" means
 * @param {(chips: number) => string} show
 * @returns {{to: number, error: ""} | {to: null, error: string}}
 */
export function parseAmount(text, turn, unit, show) {
  if (!turn.raise_to) return { to: null, error: _("You cannot raise now.") };
  const [least, most] = turn.raise_to;
  const limits = least === most ? _("The only raise is to {chips}.", { chips: show(least) }) : _("Enter an amount between {least} and {most}.", { least: show(least), most: show(most) });
  const typed = parseNumber(text);
  if (Number.isNaN(typed)) return { to: null, error: limits };
  const chips = Math.round(typed * unit * 1e6) / 1e6;
  if (!Number.isInteger(chips)) return { to: null, error: `${_("Chips cannot be split.")} ${limits}` };
  if (chips < least || chips > most) return { to: null, error: limits };
  return { to: chips, error: "" };
}

/**
 * What can be chosen in advance at this price.
 * @param {number} price
 * @returns {{choice: Choice, verb: string, chips: number | null}[]}
 */
export function choices(price) {
  const first = price
    ? { choice: /** @type {Choice} */ ({ kind: "call", price }), verb: _("Call"), chips: price }
    : { choice: /** @type {Choice} */ ({ kind: "check", price: 0 }), verb: _("Check"), chips: null };
  return [
    { choice: { kind: "check_fold" }, verb: price ? _("Fold") : _("Check/fold"), chips: null },
    first,
    { choice: { kind: "fold_any" }, verb: _("Fold to any bet"), chips: null },
  ];
}

/**
 * Whether a choice still holds when a call costs `price`.
 * @param {Choice} choice
 * @param {number} price
 */
export function isValidAt(choice, price) {
  return "price" in choice ? choice.price === price : true;
}

/**
 * @param {Choice | null} one
 * @param {Choice | null} other
 */
export function isSameKind(one, other) {
  return one?.kind === other?.kind;
}

/**
 * The answer that a choice gives to the turn it was made for; null when it does not fit.
 * @param {Choice | null} choice
 * @param {YourTurn} turn
 * @returns {Act | null}
 */
export function answerTo(choice, turn) {
  if (!choice) return null;
  if ("price" in choice) return choice.price === turn.call ? actMessage(turn, "call") : null;
  return actMessage(turn, turn.fold && turn.call > 0 ? "fold" : "call");
}

/**
 * @param {YourTurn} turn
 * @param {Slot} slot
 * @param {number} to
 * @returns {Act}
 */
export function actMessage(turn, slot, to = 0) {
  const action = slot === "call" && turn.call === 0 ? "check" : slot;
  /** @type {Act} */
  const message = { type: "act", table: turn.table, turn: turn.turn, action };
  return slot === "raise" ? { ...message, to } : message;
}

/** Whether folding gives up a free check. @param {YourTurn} turn */
export function isCheckFree(turn) {
  return turn.call === 0;
}

/**
 * Whether all in is the only raise, in a game where there are others: then Enter may have meant one of them.
 * @param {YourTurn} turn
 * @param {GameInfo | undefined} game
 */
export function isAllInOnlyRaise({ raise_to: range }, game) {
  return range !== null && range[0] === range[1] && game?.betting === "nolimit" && game.rules !== "pushfold";
}

/**
 * Why a press comes too early to be meant: the button has changed under the finger, or the price has just risen. ""
 * when it does not.
 * @param {Slot} slot
 * @param {number} now
 * @param {{turnAt: number, raisedAt: number, turn: YourTurn | null}} state
 */
export function whyTooSoon(slot, now, { turnAt, raisedAt, turn }) {
  if (now - turnAt < SETTLE) return _("Too soon: your turn has just begun. Press again.");
  const risen = slot === "call" && (turn?.call ?? 0) > 0 && raisedAt > 0 && now - raisedAt < CALL_GUARD;
  return risen ? _("Too soon: the bet has just been raised. Press again.") : "";
}

/**
 * One step of the slider, the wheel or the + and - buttons: a big blind, kept between the limits.
 * @param {number} to
 * @param {number} steps
 * @param {YourTurn} turn
 * @param {number} bigBlind
 */
export function stepAmount(to, steps, turn, bigBlind) {
  const [least, most] = turn.raise_to ?? [0, 0];
  return Math.min(most, Math.max(least, to + steps * bigBlind));
}
