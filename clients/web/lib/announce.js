// What a screen reader says: one polite region for events, one assertive for my turn.

import { _, titled } from "./language.js";
import { amount, handName, lineText, markCards, toSpeech } from "./words.js";

/**
 * @import {YourTurn} from "./messages.d.ts"
 * @import {State} from "./table_types.js"
 */

/**
 * The lines that came since `before`, as they are spoken, but for one that stands in the notice: that is spoken, too. A snapshot is
 * summed up in one sentence instead.
 * @param {State} before
 * @param {State} state
 * @param {boolean} snapshot
 * @param {boolean} inBlinds
 */
export function announcement(before, state, snapshot, inBlinds) {
  if (snapshot) return summary(state, inBlinds);
  const known = new Set(before.lines);
  return state.lines.filter((line) => !known.has(line) && !state.notice.startsWith(line.text))
    .map((line) => toSpeech(lineText(line, inBlinds))).join(". ");
}

/**
 * @param {State} state
 * @param {boolean} inBlinds
 */
export function summary({ hand, me, match, bigBlind }, inBlinds) {
  if (!match) return "";
  const where = me < 0 ? _("You are watching") : _("You sit in seat {n}", { n: me + 1 });
  if (!hand || hand.over) return `${where}. ${_("No hand is being played")}`;
  const cards = hand.players[me]?.cards ?? [];
  const pot = _("{hand}, pot {chips}", { hand: handName(hand.hand), chips: amount(hand.pot, inBlinds ? bigBlind : undefined) });
  return [where, pot, ...(cards.length ? [titled(_("Your cards"), toSpeech(markCards(cards)))] : []),
    ...(hand.board.length ? [titled(_("Board"), toSpeech(markCards(hand.board)))] : [])].join(". ");
}

/**
 * @param {YourTurn} turn
 * @param {number} [bigBlind]
 */
export function turnAnnouncement(turn, bigBlind) {
  const call = turn.call ? _("{chips} to call", { chips: amount(turn.call, bigBlind) }) : _("you can check");
  const [least, most] = turn.raise_to ?? [0, 0];
  const limits = { least: amount(least, bigBlind), most: amount(most, bigBlind) };
  const raise = !most ? [] : least === most ? [_("raise to {most}", limits)] : [_("raise to {least} to {most}", limits)];
  return titled(_("Your turn"), [call, ...raise, _("pot {chips}", { chips: amount(turn.pot, bigBlind) })].join(", "));
}

/**
 * Writes into a live region. A repeated text gets a space that nobody hears, so that it is read again.
 * @param {"polite" | "urgent"} region
 * @param {string} text
 */
export function say(region, text) {
  const element = document.getElementById(region);
  if (element && text) element.textContent = element.textContent === text ? `${text}\u00a0` : text;
}
