// Which chips make up an amount.

/** What a chip is worth, and its colour; the dearest first. @type {readonly (readonly [number, string])[]} */
const VALUES = [
  [100_000_000, "#e0e4ea"], [25_000_000, "#6b4f3a"], [5_000_000, "#b5485d"], [1_000_000, "#2a9aa0"], [100_000, "#a23e6b"], [25_000, "#3f7cac"],
  [5000, "#d4722e"], [1000, "#d9a441"], [500, "#7a4fa3"], [100, "#2b2f36"], [25, "#2f8f5b"], [5, "#c8403a"], [1, "#e8e6df"],
];
/** So many chips are drawn at most. */
const MOST = 12;

/**
 * The chips that make up an amount, the dearest first; the small change of a large amount is left out.
 * @param {number} amount
 * @returns {string[]} colours
 */
export function chipsOf(amount) {
  let left = Math.max(0, Math.round(amount));
  return VALUES.flatMap(([value, colour]) => {
    const count = Math.floor(left / value);
    left -= count * value;
    return Array(Math.min(count, MOST)).fill(colour);
  }).slice(0, MOST);
}
