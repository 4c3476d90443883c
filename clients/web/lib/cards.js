// Cards: their text ("Ah") to names, signs and parts.

const RANKS = /** @type {Record<string, string>} */ ({
  A: "ace", K: "king", Q: "queen", J: "jack", T: "ten", 9: "nine", 8: "eight", 7: "seven",
  6: "six", 5: "five", 4: "four", 3: "three", 2: "two",
});
const SUITS = /** @type {Record<string, string>} */ ({ s: "spades", h: "hearts", d: "diamonds", c: "clubs" });
// U+FE0E asks for the plain glyph: phones would otherwise put an emoji there.
const SUIT_SYMBOLS = /** @type {Record<string, string>} */ ({
  s: "\u2660\ufe0e", h: "\u2665\ufe0e", d: "\u2666\ufe0e", c: "\u2663\ufe0e",
});

/** What stands on the card's corner: "10" for "Th". @param {string} card */
export function rankText(card) {
  return card[0] === "T" ? "10" : card[0] ?? "?";
}

/** The letter of the suit, for styles: "h" for "Th". @param {string} card */
export function suitLetter(card) {
  return card[1] ?? "";
}

/** @param {string} card */
export function suitSymbol(card) {
  return SUIT_SYMBOLS[suitLetter(card)] ?? "?";
}

/** "ten of hearts". @param {string} card */
export function cardName(card) {
  return `${RANKS[card[0] ?? ""] ?? "unknown card"} of ${SUITS[suitLetter(card)] ?? "an unknown suit"}`;
}

/** "ten of hearts and ace of spades"; "" for no cards. @param {readonly string[]} cards */
export function cardNames(cards) {
  return joinWords(cards.map(cardName));
}

/** "a, b and c". @param {readonly string[]} words */
export function joinWords(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
