// Cards: their text ("Ah") to names, signs and parts.

import { _, dates } from "./language.js";

const RANKS = /** @type {Record<string, string>} */ ({
  A: _("ace"), K: _("king"), Q: _("queen"), J: _("jack"), T: _("ten"), 9: _("nine"), 8: _("eight"), 7: _("seven"),
  6: _("six"), 5: _("five"), 4: _("four"), 3: _("three"), 2: _("two"),
});
const SUITS = /** @type {Record<string, string>} */ ({ s: _("spades"), h: _("hearts"), d: _("diamonds"), c: _("clubs") });
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
  return _("{rank} of {suit}", { rank: RANKS[card[0] ?? ""] ?? _("unknown card"), suit: SUITS[suitLetter(card)] ?? _("an unknown suit") });
}

/** "ten of hearts and ace of spades"; "" for no cards. @param {readonly string[]} cards */
export function cardNames(cards) {
  return joinWords(cards.map(cardName));
}

/** "a, b and c", or with "disjunction" "a, b or c". @param {readonly string[]} words @param {Intl.ListFormatType} [type] */
export function joinWords(words, type = "conjunction") {
  return new Intl.ListFormat(dates, { type }).format(words);
}

/** The same for what is drawn. @param {readonly unknown[]} templates @returns {unknown[]} */
export function joinTemplates(templates) {
  return new Intl.ListFormat(dates).formatToParts(templates.map(String)).map(({ type, value }, at) => (type === "literal" ? value : templates[at / 2]));
}
