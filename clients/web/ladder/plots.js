// Small drawings and marks in a row of a table: intervals on a common scale. A style sheet gives them their colours.

import { declaredText, niceStep } from "./data.js";
import { _, language } from "../lib/language.js";
import { html, nothing, svg } from "../vendor/lit-html/lit-html.js";

/**
 * @import {Declared} from "./data.js"
 */

/**
 * The mark of a bot that does not play with the chances that it tells.
 * @param {Declared | null} declared
 */
export function untrueTag(declared) {
  return declared && !declared.believed ? html` <small class="tag" title=${declaredText(declared)}>${_("untrue chances")}</small>` : nothing;
}

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
function percent(value, low, high) {
  return `${(Math.min(1, Math.max(0, (value - low) / (high - low))) * 100).toFixed(2)}%`;
}

/**
 * A bar from the best to the worst rank of `many`, the best estimate marked.
 * @param {readonly [number, number]} ranks
 * @param {number} estimate
 * @param {number} many
 */
export function rankBar([best, worst], estimate, many) {
  const [low, high] = [0.5, many + 0.5];
  return html`<svg class="plot ranks" role="img" aria-label=${_("rank {low} to {high} of {n}, most likely {likely}", { low: best, high: worst, n: many, likely: estimate })}>
    <line class="track" x1="0%" x2="100%" y1="50%" y2="50%"></line>
    <rect class="bar" x=${percent(best - 0.5, low, high)} width=${percent(low + worst - best + 1, low, high)} y="30%" height="40%" rx="3"></rect>
    <circle class="mark" cx=${percent(estimate, low, high)} cy="50%" r="4"></circle></svg>`;
}

/**
 * The scale of intervals: round ends that hold all of them and nothing.
 * @param {readonly {mean: number, half: number | null}[]} intervals
 */
export function scaleOf(intervals) {
  const ends = intervals.flatMap(({ mean, half }) => [mean - (half ?? 0), mean + (half ?? 0), 0]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const step = niceStep(high - low, 8);
  return { low: Math.floor(low / step) * step, high: Math.max(Math.ceil(high / step) * step, Math.floor(low / step) * step + step), step };
}

/**
 * An interval with its mean, and the line where nothing is won or lost.
 * @param {{mean: number, half: number | null}} interval
 * @param {{low: number, high: number}} scale
 */
export function intervalBar({ mean, half }, { low, high }) {
  const sign = half === null || Math.abs(mean) <= half ? "unsure" : mean > 0 ? "won" : "lost";
  return html`<svg class="plot interval" data-sign=${sign} aria-hidden="true">
    <line class="zero" x1=${percent(0, low, high)} x2=${percent(0, low, high)} y1="0%" y2="100%"></line>
    ${half === null ? nothing : svg`<line class="whisker" x1=${percent(mean - half, low, high)} x2=${percent(mean + half, low, high)} y1="50%" y2="50%"></line>`}
    <circle class="mark" cx=${percent(mean, low, high)} cy="50%" r="5"></circle></svg>`;
}

/**
 * The ends and the middle of the scale, as the head of a column of intervals.
 * @param {{low: number, high: number}} scale
 */
export function scaleHead({ low, high }) {
  /** @param {number} value */
  const text = (value) => `${value < 0 ? "−" : value > 0 ? "+" : ""}${Math.abs(value).toLocaleString(language)}`;
  const middle = low < 0 && high > 0 ? 0 : null;
  return html`<span class="scale"><span>${text(low)}</span>${middle === null ? nothing : html`<svg class="plot" aria-hidden="true"><text x=${percent(0, low, high)} y="75%" text-anchor="middle">0</text></svg>`}<span>${text(high)}</span></span>`;
}
