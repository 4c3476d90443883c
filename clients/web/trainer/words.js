// What the trainer says: whole sentences.

import { cardNames } from "../lib/cards.js";
import { pluralize } from "../lib/words.js";

/** @import {Mistake, Seat, Spot, Tables, Verdict} from "./drill.js" */

const NUMBERS = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const SHARES = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 0 });

/** "123.4". @param {number} value */
export const number = (value) => NUMBERS.format(value);

/** "71%". @param {number} value */
export const share = (value) => SHARES.format(value);

/** What is asked. @param {Spot} spot */
export function questionText({ stack, seat }) {
  return seat === "small" ? `You are the small blind with ${number(stack)} big blinds. Push or fold?`
    : `You are the big blind. The small blind pushes ${number(stack)} big blinds. Call or fold?`;
}

/** The same to be read aloud. @param {Spot} spot */
export function spokenText(spot) {
  return `You have the ${cardNames(spot.cards)}. ${questionText(spot)}`;
}

/**
 * Whether the decision was right, and what it cost.
 * @param {Verdict} verdict
 * @param {Seat} seat
 */
export function verdictText({ plays, gain, cost, kind, chance }, seat) {
  const worth = number(Math.abs(gain));
  const often = share(chance);
  const isSmall = seat === "small";
  if (kind === "same") {
    return isSmall ? `Both are right: a push and a fold are worth the same. The equilibrium pushes this hand ${often} of the time.`
      : `Both are right: a call and a fold are worth the same. The equilibrium calls with this hand ${often} of the time.`;
  }
  if (kind === "close") {
    if (plays) return `Nearly the same: a fold is better, but only by ${number(cost)} mbb.`;
    return isSmall ? `Nearly the same: a push is better, but only by ${number(cost)} mbb.` : `Nearly the same: a call is better, but only by ${number(cost)} mbb.`;
  }
  if (kind === "right") {
    if (isSmall) return plays ? `Right: this push wins ${worth} mbb more than a fold.` : `Right: a push would lose ${worth} mbb more than this fold.`;
    return plays ? `Right: this call wins ${worth} mbb more than a fold.` : `Right: a call would lose ${worth} mbb more than this fold.`;
  }
  if (isSmall) return plays ? `Wrong: this push costs ${worth} mbb. A fold is better.` : `Wrong: this fold costs ${worth} mbb. A push is better.`;
  return plays ? `Wrong: this call costs ${worth} mbb. A fold is better.` : `Wrong: this fold costs ${worth} mbb. A call is better.`;
}

/** What the grid shows. @param {Tables} tables @param {Seat} seat */
export function rangeTitle({ stack, jam_percent: jams, call_percent: calls }, seat) {
  return seat === "small" ? `At ${number(stack)} big blinds the small blind pushes ${number(jams)}% of all hands.`
    : `At ${number(stack)} big blinds the big blind calls a push with ${number(calls)}% of all hands.`;
}

/** A mistake in a list, without its cards. @param {Mistake} mistake */
export function mistakeText({ stack, seat, plays, cost }) {
  const [depth, lost] = [number(stack), number(cost)];
  if (seat === "small") return plays ? `Pushed ${depth} big blinds: ${lost} mbb lost` : `Folded with ${depth} big blinds as the small blind: ${lost} mbb lost`;
  return plays ? `Called a push of ${depth} big blinds: ${lost} mbb lost` : `Folded to a push of ${depth} big blinds: ${lost} mbb lost`;
}

/** @param {number} decisions */
export const countText = (decisions) => pluralize(decisions, "decision");
