// Drills from the hands of this browser, without a page: which hands are read, which decisions are asked again, and the score.

import { judgedDecisions } from "../replay/loss.js";
import { linesOf, steps } from "../replay/steps.js";

/** @import {Recorded} from "../replay/steps.js" */
/** @import {Line, State} from "../lib/table_types.js" */
/**
 * A decision to be made again, as the table was before it. `then` is what was done, and `chips` what that lost on average, below 0
 * where it was right; `share` of the pot was his, a call needed `needs`.
 * @typedef {{id: string, step: number, state: State, cards: readonly string[], board: readonly string[], lines: readonly Line[],
 *   bigBlind: number, call: number, pot: number, share: number, needs: number, then: "call" | "fold", chips: number}} OwnSpot
 * @typedef {{decisions: number, right: number, lost: number}} OwnScore `lost` in big blinds
 */

/** So many hands are read: of the newest those in which most was won or lost. */
export const HANDS = 40;
const NEWEST = 1000;
/** Wrong decisions in a drill. */
export const WORST = 10;

/**
 * The ids of the hands to read, from `/api/me/hands.csv`.
 * @param {string} csv
 * @returns {string[]}
 */
export function handsToRead(csv) {
  const [head = "", ...rows] = csv.trim().split("\n").map((row) => row.trim());
  const columns = head.split(",");
  const hands = rows.map((row) => Object.fromEntries(row.split(",").map((cell, at) => [columns[at], cell])));
  const newest = hands.sort((one, other) => Number(other.at) - Number(one.at)).slice(0, NEWEST);
  const size = (/** @type {Record<string, string>} */ { won }) => Math.abs(Number(won));
  return newest.sort((one, other) => size(other) - size(one)).slice(0, HANDS).map(({ hand = "" }) => hand);
}

/**
 * The decisions in a hand that can be judged, each as he saw it.
 * @param {Recorded} hand
 * @returns {OwnSpot[]}
 */
export function spotsOf(hand) {
  const all = steps(hand);
  return judgedDecisions(hand, all).filter(({ isClear }) => isClear).flatMap(({ step, kind, call, pot, share, needs, chips }) => {
    const before = all[step - 1]?.state;
    if (!before?.hand) return [];
    const cards = hand.cards[before.hand.seats.indexOf(hand.own)] ?? [];
    const lines = all.slice(0, step).flatMap(linesOf);
    return [{ id: hand.id, step, state: before, cards, board: before.hand.board, lines, bigBlind: before.bigBlind || 1, call, pot, share, needs, then: kind, chips }];
  });
}

/**
 * A drill: the worst decisions, and as many right ones, the closest first, so that the answer is not always what he did not do. One of
 * a hand: what is told of one street answers for the others.
 * @param {readonly OwnSpot[]} spots
 * @param {() => number} random from 0 to below 1
 * @returns {OwnSpot[]}
 */
export function makeDrill(spots, random = Math.random) {
  const inBlinds = (/** @type {OwnSpot} */ { chips, bigBlind }) => chips / bigBlind;
  const sorted = [...spots].sort((one, other) => inBlinds(other) - inBlinds(one)).filter(({ id }, at, all) => all.findIndex((one) => one.id === id) === at);
  const worst = sorted.filter(({ chips }) => chips > 0).slice(0, WORST);
  const right = sorted.filter(({ chips }) => chips < 0).slice(0, worst.length);
  return [...worst, ...right].map((spot) => ({ spot, key: random() })).sort((one, other) => one.key - other.key).map(({ spot }) => spot);
}

/**
 * What an answer loses on average, in big blinds; 0 for the right one.
 * @param {OwnSpot} spot
 * @param {"call" | "fold"} answer
 */
export function costOf({ then, chips, bigBlind }, answer) {
  return Math.max(0, answer === then ? chips : -chips) / bigBlind;
}

/**
 * The score with one more answer.
 * @param {OwnScore} score
 * @param {number} cost
 * @returns {OwnScore}
 */
export function addAnswer({ decisions, right, lost }, cost) {
  return { decisions: decisions + 1, right: right + Number(cost === 0), lost: lost + cost };
}
