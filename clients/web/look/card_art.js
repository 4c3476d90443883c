// Cards as drawings of our own, in a box of 100 by 140: ranks, suits, pips and court cards, sharp at any size.

import { cardName, suitLetter } from "../lib/cards.js";
import { html, nothing, svg } from "../vendor/lit-html/lit-html.js";

/** Each rank as a line, in a box of 40 by 58; "T" is wider. @type {Readonly<Record<string, string>>} */
const RANKS = {
  A: "M2 56 20 3 38 56M9 38H31", K: "M5 3V56M36 3 6 35M16 25 37 56",
  Q: "M20 3C9 3 3 14 3 29S9 55 20 55 37 44 37 29 31 3 20 3M22 40 38 57",
  J: "M30 3V40C30 50 24 55 17 55 9 55 4 50 3 43M18 3H38",
  T: "M1 12 10 4V56M35 3C26 3 21 13 21 29.500S26 56 35 56 49 46 49 29.5 44 3 35 3",
  9: "M37 20C37 31 30 37 20 37 10 37 4 30 4 20 4 10 11 3 20 3 31 3 37 11 37 24 37 44 29 56 10 55",
  8: "M20 27C11 27 6 22 6 15 6 8 12 3 20 3S34 8 34 15C34 22 29 27 20 27 9 27 4 33 4 41 4 50 11 56 20 56S36 50 36 41C36 33 31 27 20 27",
  7: "M3 4H37Q21 28 16 56", 6: "M3 38C3 27 10 21 20 21 30 21 36 28 36 38 36 48 29 55 20 55 9 55 3 47 3 34 3 14 12 3 31 4",
  5: "M34 4H10L7 27C10 23 15 21 20 21 31 21 37 28 37 38 37 49 30 55 19 55 11 55 5 51 3 45", 4: "M29 56V4L3 40H38",
  3: "M5 4H34L18 23C30 22 37 29 37 39 37 49 29 55 19 55 11 55 5 51 3 45",
  2: "M4 16C5 8 11 3 20 3 29 3 36 9 36 17 36 24 32 30 26 36L4 55H38",
};
/** Each suit, filled, around 0 and 50 high and low. @type {Readonly<Record<string, string>>} */
const SUITS = {
  h: "M0 46C-8 33-46 14-46-16-46-35-33-46-21-46-11-46-3-40 0-30 3-40 11-46 21-46 33-46 46-35 46-16 46 14 8 33 0 46Z",
  d: "M0-50C8-32 22-14 39 0 22 14 8 32 0 50-8 32-22 14-39 0-22-14-8-32 0-50Z",
  s: "M0-50C8-34 46-14 46 14 46 30 34 38 24 38 14 38 8 32 5 26 6 38 10 44 18 50H-18C-10 44-6 38-5 26-8 32-14 38-24 38-34 38-46 30-46 14-46-14-8-34 0-50Z",
  c: "M0-50a21 21 0 0 1 15 36 21 21 0 1 1-9 31C6 34 10 43 18 50H-18C-10 43-6 34-6 17a21 21 0 1 1-9-31A21 21 0 0 1 0-50Z",
};
const FOUR = [[36, 29], [68, 29], [36, 111], [68, 111]];
const SIX = [...FOUR, [36, 70], [68, 70]];
const EIGHT = [...FOUR, [36, 56], [68, 56], [36, 84], [68, 84]];
/** Where the pips are. @type {Readonly<Record<string, readonly (readonly number[])[]>>} */
const PIPS = {
  2: [[52, 29], [52, 111]], 3: [[52, 29], [52, 70], [52, 111]], 4: FOUR, 5: [...FOUR, [52, 70]], 6: SIX, 7: [...SIX, [52, 49.5]],
  8: [...SIX, [52, 49.5], [52, 90.5]], 9: [...EIGHT, [52, 70]], T: [...EIGHT, [52, 42.5], [52, 97.5]],
};

/** Half of a court card: who looks out of its upper half. @type {Readonly<Record<string, () => unknown>>} */
const COURT = {
  K: () => svg`<path class="hair" d="M40 38q-3 18 2 22 8 8 20 0 5-4 2-22z" /><circle class="skin" cx="52" cy="41" r="9.5" />
    <path class="hair" d="M42 43q2 5 10 5t10-5q2 15-10 18-12-3-10-18z" /><path class="gold" d="M40 34 37.5 19l8 6.500L52 16l6.5 9.5 8-6.500L64 34q-12-4-24 0z" />`,
  Q: () => svg`<path class="hair" d="M38 60q-5-12 0-24 4-12 14-12t14 12q5 12 0 24z" /><circle class="skin" cx="52" cy="42" r="9.5" />
    <path class="hair" d="M42 40q0-10 10-10t10 10q-5-5-10-6-5 1-10 6z" /><path class="gold" d="M42 30l-2-8 6 3 6-7 6 7 6-3-2 8q-10-5-20 0z" />
    <circle class="gold" cx="52" cy="59" r="2.2" />`,
  J: () => svg`<path class="hair" d="M40 52q-4-22 12-22t12 22l-4 4H44z" /><circle class="skin" cx="52" cy="42" r="9.5" />
    <path class="cloth" d="M38 36q2-15 18-16 10 1 11 11-13-2-29 5z" /><path class="gold" d="M61 25q10-3 11-12-9 1-14 9z" />`,
};

/** @param {string} kind */
function half(kind) {
  return svg`<path class="cloth" d="M29 70v-3q3-13 16-14h14q13 1 16 14v3z" /><path class="gold" d="M45 53h14l-7 14zM31 70q2-9 8-13l3 2q-5 4-6 11zM73 70q-2-9-8-13l-3 2q5 4 6 11z" />
    ${COURT[kind]?.()}<path class="face-line" d="M48 42h.01M56 42h.01M50 47q2 1.5 4 0" />`;
}

/** @param {string} suit @param {number} x @param {number} y @param {number} size @param {boolean} [turned] */
function pip(suit, x, y, size, turned = false) {
  return svg`<path class="pip" d=${SUITS[suit] ?? ""} transform="translate(${x} ${y}) scale(${turned ? -size : size})" />`;
}

/** @param {string} rank @param {string} suit */
function corner(rank, suit) {
  return svg`<path class="rank" d=${RANKS[rank] ?? ""} transform="translate(${rank === "T" ? 5 : 7} 9) scale(${rank === "T" ? 0.4 : 0.43})" />${pip(suit, 15.5, 47, 0.165)}`;
}

/** The middle of the classic deck's card. @param {string} rank @param {string} suit */
function middle(rank, suit) {
  if (rank === "A") return pip(suit, 52, 72, 0.42);
  if (PIPS[rank]) return PIPS[rank].map(([x = 0, y = 0]) => pip(suit, x, y, 0.15, y > 70));
  return svg`<rect class="frame" x="28" y="12" width="48" height="116" rx="4" />
    <g>${half(rank)}</g><g transform="rotate(180 52 70)">${half(rank)}</g>${pip(suit, 35, 21, 0.1)}${pip(suit, 69, 119, 0.1, true)}`;
}

/**
 * A card as it lies on the felt. It has the drawing of both decks; which is seen depends on the deck and on the card's size.
 * @param {string} code
 * @param {"best" | "dim" | ""} look
 */
export function drawnCard(code, look = "") {
  const [rank = "", suit] = [code[0], suitLetter(code)];
  return html`<span class="card drawn" data-suit=${suit} data-look=${look || nothing} role="img" aria-label=${cardName(code)}><svg viewBox="0 0 100 140" aria-hidden="true">
    <g class="fine">${corner(rank, suit)}<g transform="rotate(180 50 70)">${corner(rank, suit)}</g>${middle(rank, suit)}</g>
    <g class="bold"><path class="rank" d=${RANKS[rank] ?? ""} transform="translate(${rank === "T" ? 7 : 12} 11) scale(${rank === "T" ? 1 : 1.08})" />
      <g class="suit">${pip(suit, 62, 101, 0.58)}</g></g></svg></span>`;
}
