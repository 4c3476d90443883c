// Chips as stacks, by what they are worth.

import { chipsOf } from "./chip_values.js";
import { html, svg } from "../vendor/lit-html/lit-html.js";

/** Chips in a stack. */
const HIGH = 4;

/**
 * A drawing of them, which says nothing: the amount stands beside it.
 * @param {number} amount
 * @param {number} [stacks] at most
 */
export function chipStacks(amount, stacks = 3) {
  const chips = chipsOf(amount).slice(0, stacks * HIGH);
  const columns = Array.from({ length: Math.ceil(chips.length / HIGH) || 1 }, (_, at) => chips.slice(at * HIGH, (at + 1) * HIGH));
  const width = columns.length * 21 + 1;
  const high = Math.max(...columns.map((column) => column.length), 1);
  const height = 11 + 4 * high;
  return html`<svg class="chip" viewBox="0 0 ${width} ${height}" data-stacks=${columns.length} data-high=${high} aria-hidden="true">${columns.map((column, at) =>
    column.map((colour, level) => {
      const y = height - 9 - 4 * level;
      return svg`<path d="M${at * 21 + 1} ${y}v4a10 5 0 0 0 20 0v-4z" fill=${colour} stroke="#0006" stroke-width=".7" /><path d="M${at * 21 + 4} ${y + 3}v4m14-4v4m-8-2.3v4.3h3v-4.3" class="notch" /><ellipse cx=${at * 21 + 11} cy=${y} rx="10" ry="5" fill=${colour} stroke="#0006" stroke-width=".7" /><ellipse cx=${at * 21 + 11} cy=${y} rx="6" ry="3" class="ring" />`;
    }))}</svg>`;
}
