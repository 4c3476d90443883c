// The usual grid of the 169 kinds of two cards: suited ones above the diagonal, pairs on it.

/** The ranks of the grid, from its upper left corner. */
export const RANKS = "AKQJT98765432";

/** Where a hand is in the grid, row by row: suited ones above the diagonal. @param {readonly string[]} cards */
export function placeOf([one = "", other = ""]) {
  const ranks = [RANKS.indexOf(one[0] ?? ""), RANKS.indexOf(other[0] ?? "")].sort((low, high) => low - high);
  const [high = 0, low = 0] = ranks;
  return one[1] === other[1] ? high * RANKS.length + low : low * RANKS.length + high;
}

/** "AKs", "AKo", "AA". @param {number} place */
export function handAt(place) {
  const [row, column] = [Math.floor(place / RANKS.length), place % RANKS.length];
  const [high, low] = [RANKS[Math.min(row, column)], RANKS[Math.max(row, column)]];
  return `${high}${low}${row === column ? "" : column > row ? "s" : "o"}`;
}

/** In how many ways a kind of hand is dealt: of 1,326 in all. @param {number} place */
export function combinations(place) {
  const [row, column] = [Math.floor(place / RANKS.length), place % RANKS.length];
  return row === column ? 6 : column > row ? 4 : 12;
}
