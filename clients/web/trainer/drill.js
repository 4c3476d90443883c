// Push or fold without a page: what is dealt, what a decision costs, and the score.

import { RANKS, placeOf } from "../lib/hand_grid.js";
import { store, stored } from "../lib/storage.js";

/**
 * As in the API (`docs/api.md`): by hand of the grid, how often it is played, and what that wins more than a fold, in mbb.
 * @typedef {{stack: number, jam: number[], call: number[], jam_gain: number[], call_gain: number[], jam_percent: number,
 *   call_percent: number, jam_range: string, call_range: string}} Tables
 * @typedef {"small" | "big"} Seat the small blind pushes or folds, the big blind calls or folds
 * @typedef {{cards: string[], stack: number, seat: Seat}} Spot
 * @typedef {{stack: number | null, seat: Seat | null}} Wishes null: any
 * `gain`: what playing the hand wins more than a fold; `cost`: what was lost by the choice; `chance`: how often it is played.
 * @typedef {{plays: boolean, gain: number, cost: number, chance: number, kind: "right" | "same" | "close" | "wrong"}} Verdict
 * @typedef {{decisions: number, right: number, lost: number, squares: number}} Sums
 * @typedef {Spot & {plays: boolean, cost: number}} Mistake
 * @typedef {{small: Sums, big: Sums, worst: Mistake[]}} Score
 */

const SUITS = "shdc";
/** Stacks in big blinds that can be drawn. */
export const STACKS = Array.from({ length: 37 }, (_, half) => 2 + half / 2);
/** mbb: who loses less than this has decided rightly. */
export const SAME = 0.5;
/** mbb: with less between them, both decisions are nearly as good. */
const CLOSE = 20;
/** Mistakes that are remembered. */
export const WORST = 10;
/** Decisions from which on there is an interval. */
const LEAST = 10;
const KEY = "pokerd-push-fold";

/**
 * Every hand is equally likely.
 * @param {Wishes} wishes
 * @param {() => number} random from 0 to below 1
 * @returns {Spot}
 */
export function deal({ stack, seat }, random = Math.random) {
  const draw = (/** @type {number} */ of) => Math.floor(random() * of);
  const [first, second] = [draw(52), draw(51)];
  const cards = [first, second + Number(second >= first)].map((card) => `${RANKS[card >> 2]}${SUITS[card & 3]}`);
  return { cards, stack: stack ?? STACKS[draw(STACKS.length)] ?? 10, seat: seat ?? (draw(2) ? "big" : "small") };
}

/**
 * @param {Tables} tables
 * @param {Spot} spot
 * @param {boolean} plays whether the hand was pushed or called with
 * @returns {Verdict}
 */
export function judge(tables, { cards, seat }, plays) {
  const place = placeOf(cards);
  const [gains, chances] = seat === "small" ? [tables.jam_gain, tables.jam] : [tables.call_gain, tables.call];
  const gain = gains[place] ?? 0;
  const cost = Math.max(0, plays ? -gain : gain);
  const kind = Math.abs(gain) < SAME ? "same" : cost === 0 ? "right" : cost < CLOSE ? "close" : "wrong";
  return { plays, gain, cost, chance: chances[place] ?? 0, kind };
}

/** @returns {Score} */
export function emptyScore() {
  const none = () => ({ decisions: 0, right: 0, lost: 0, squares: 0 });
  return { small: none(), big: none(), worst: [] };
}

/**
 * The score with one more decision.
 * @param {Score} score
 * @param {Spot} spot
 * @param {Verdict} verdict
 * @returns {Score}
 */
export function addDecision(score, spot, { plays, cost }) {
  const { decisions, right, lost, squares } = score[spot.seat];
  const sums = { decisions: decisions + 1, right: right + Number(cost < SAME), lost: lost + cost, squares: squares + cost * cost };
  const worst = cost < SAME ? score.worst : [...score.worst, { ...spot, plays, cost }].sort((one, other) => other.cost - one.cost);
  return { ...score, [spot.seat]: sums, worst: worst.slice(0, WORST) };
}

/**
 * Two scores as one.
 * @param {Sums} one
 * @param {Sums} other
 * @returns {Sums}
 */
export function together(one, other) {
  return {
    decisions: one.decisions + other.decisions, right: one.right + other.right, lost: one.lost + other.lost,
    squares: one.squares + other.squares,
  };
}

/**
 * What a decision loses on average, in mbb, and half of its 95 % interval by Student's t; null with fewer than ten decisions.
 * @param {Sums} sums
 * @returns {{mean: number, half: number | null}}
 */
export function lossOf({ decisions, lost, squares }) {
  const mean = decisions ? lost / decisions : 0;
  if (decisions < LEAST) return { mean, half: null };
  const variance = Math.max(0, squares - decisions * mean * mean) / (decisions - 1);
  return { mean, half: studentQuantile(decisions - 1) * Math.sqrt(variance / decisions) };
}

/** Of 97.5 %, by the expansion in 1/n (Abramowitz and Stegun 26.7.5); right to 0.005 from nine degrees of freedom on. @param {number} freedom */
function studentQuantile(freedom) {
  const z = 1.959964;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

/** The score of this browser. */
export const loadScore = () => verified(stored(KEY));

/** @param {Score} score */
export const saveScore = (score) => store(KEY, score);

/**
 * What was stored if it is a score, an empty one otherwise.
 * @param {any} found
 * @returns {Score}
 */
export function verified(found) {
  const sums = [found?.small, found?.big];
  const isScore = sums.every((one) => [one?.decisions, one?.right, one?.lost, one?.squares].every((value) => Number.isFinite(value) && value >= 0))
    && Array.isArray(found.worst) && found.worst.every(isMistake);
  return isScore ? found : emptyScore();
}

/** @param {any} it */
function isMistake(it) {
  return STACKS.includes(it?.stack) && ["small", "big"].includes(it.seat) && Number.isFinite(it.cost) && Array.isArray(it.cards)
    && it.cards.length === 2 && it.cards.every((/** @type {any} */ card) => /^[2-9TJQKA][shdc]$/.test(card));
}
