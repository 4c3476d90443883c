// What the trainer says: whole sentences.

import { cardNames } from "../lib/cards.js";
import { _, language, ngettext, percent } from "../lib/language.js";

/** @import {Mistake, Seat, Spot, Tables, Verdict} from "./drill.js" */

const NUMBERS = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

/** "123.4". @param {number} value */
export const number = (value) => NUMBERS.format(value);

/** What is asked. @param {Spot} spot */
export function questionText({ stack, seat }) {
  return seat === "small" ? _("You are the small blind with {stack} big blinds. Push or fold?", { stack: number(stack) })
    : _("You are the big blind. The small blind pushes {stack} big blinds. Call or fold?", { stack: number(stack) });
}

/** The same to be read aloud. @param {Spot} spot */
export function spokenText(spot) {
  return _("You have the {cards}. {question}", { cards: cardNames(spot.cards), question: questionText(spot) });
}

/**
 * Whether the decision was right, and what it cost.
 * @param {Verdict} verdict
 * @param {Seat} seat
 */
export function verdictText({ plays, gain, cost, kind, chance }, seat) {
  const worth = number(Math.abs(gain));
  const often = percent(chance);
  const lost = number(cost);
  const isSmall = seat === "small";
  if (kind === "same") {
    return isSmall ? _("Both are right: a push and a fold are worth the same. The equilibrium pushes this hand {often} of the time.", { often })
      : _("Both are right: a call and a fold are worth the same. The equilibrium calls with this hand {often} of the time.", { often });
  }
  if (kind === "close") {
    if (plays) return _("Nearly the same: a fold is better, but only by {lost} mbb.", { lost });
    return isSmall ? _("Nearly the same: a push is better, but only by {lost} mbb.", { lost }) : _("Nearly the same: a call is better, but only by {lost} mbb.", { lost });
  }
  if (kind === "right") {
    if (isSmall) return plays ? _("Right: this push wins {worth} mbb more than a fold.", { worth }) : _("Right: a push would lose {worth} mbb more than this fold.", { worth });
    return plays ? _("Right: this call wins {worth} mbb more than a fold.", { worth }) : _("Right: a call would lose {worth} mbb more than this fold.", { worth });
  }
  if (isSmall) return plays ? _("Wrong: this push costs {worth} mbb. A fold is better.", { worth }) : _("Wrong: this fold costs {worth} mbb. A push is better.", { worth });
  return plays ? _("Wrong: this call costs {worth} mbb. A fold is better.", { worth }) : _("Wrong: this fold costs {worth} mbb. A call is better.", { worth });
}

/** What the grid shows. @param {Tables} tables @param {Seat} seat */
export function rangeTitle({ stack, jam_percent: jams, call_percent: calls }, seat) {
  return seat === "small" ? _("At {stack} big blinds the small blind pushes {range}\u00a0% of all hands.", { stack: number(stack), range: number(jams) })
    : _("At {stack} big blinds the big blind calls a push with {range}\u00a0% of all hands.", { stack: number(stack), range: number(calls) });
}

/** A mistake in a list, without its cards. @param {Mistake} mistake */
export function mistakeText({ stack, seat, plays, cost }) {
  const figures = { depth: number(stack), lost: number(cost) };
  if (seat === "small") return plays ? _("Pushed {depth} big blinds: {lost} mbb lost", figures) : _("Folded with {depth} big blinds as the small blind: {lost} mbb lost", figures);
  return plays ? _("Called a push of {depth} big blinds: {lost} mbb lost", figures) : _("Folded to a push of {depth} big blinds: {lost} mbb lost", figures);
}

/** @param {number} decisions */
export const countText = (decisions) => ngettext("{n} decision", "{n} decisions", decisions);
