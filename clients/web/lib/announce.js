// What a screen reader says: one polite region for events, one assertive for my turn.

import { amount, handName, lineText, toSpeech } from "./words.js";

/**
 * @import {YourTurn} from "./messages.d.ts"
 * @import {State} from "./table_types.js"
 */

/**
 * The lines that came since `before`, as they are spoken. A snapshot is summed up in one sentence instead.
 * @param {State} before
 * @param {State} state
 * @param {boolean} snapshot
 * @param {boolean} inBlinds
 */
export function announcement(before, state, snapshot, inBlinds) {
  if (snapshot) return summary(state, inBlinds);
  const known = new Set(before.lines);
  return state.lines.filter((line) => !known.has(line)).map((line) => toSpeech(lineText(line, inBlinds))).join(". ");
}

/**
 * @param {State} state
 * @param {boolean} inBlinds
 */
export function summary({ hand, me, match, bigBlind }, inBlinds) {
  if (!match) return "";
  const where = me < 0 ? "You are watching" : `You sit in seat ${me + 1}`;
  if (!hand || hand.over) return `${where}. No hand is being played`;
  const cards = hand.players[me]?.cards ?? [];
  const mine = cards.length ? `. Your cards: ${toSpeech(cards.map((card) => `\u0001${card}`).join(" "))}` : "";
  const board = hand.board.length ? `. Board: ${toSpeech(hand.board.map((card) => `\u0001${card}`).join(" "))}` : "";
  return `${where}. ${handName(hand.hand)}, pot ${amount(hand.pot, inBlinds ? bigBlind : undefined)}${mine}${board}`;
}

/**
 * @param {YourTurn} turn
 * @param {number} [bigBlind]
 */
export function turnAnnouncement(turn, bigBlind) {
  const call = turn.call ? `${amount(turn.call, bigBlind)} to call` : "you can check";
  const [least, most] = turn.raise_to ?? [0, 0];
  const raise = least === most ? amount(least, bigBlind) : `${amount(least, bigBlind)} to ${amount(most, bigBlind)}`;
  return `Your turn: ${call}${most ? `, raise to ${raise}` : ""}, pot ${amount(turn.pot, bigBlind)}`;
}

/** Writes into a live region. A repeated text gets a space that nobody hears, so that it is read again. */
export class LiveRegion {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
  }

  /** @param {string} text */
  say(text) {
    if (!text) return;
    this.element.textContent = this.element.textContent === text ? `${text}\u00a0` : text;
  }
}
