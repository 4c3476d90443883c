// What each player wins on average when all cards are up, counted by the page itself: it knows nothing that is not shown.

/**
 * @import {GameInfo} from "../lib/messages.d.ts"
 * @import {Hand} from "../lib/table_types.js"
 */

const RANKS = "23456789TJQKA";
const SUITS = "cdhs";
/** Up to here every board is looked at: two cards to come are at most 1,081 boards. */
const MOST_BOARDS = 1100;
/** Where there are more boards, so many hands are ranked, on boards that are drawn. */
const MOST_HANDS = 16_000;

/** The highest `count` ranks of a set. @param {number} ranks @param {number} count */
function highest(ranks, count) {
  let found = 0;
  for (let rest = ranks; rest && count > 0; count--) {
    const top = 1 << (31 - Math.clz32(rest));
    found |= top;
    rest ^= top;
  }
  return found;
}

/** The highest card of a straight among these ranks, as a bit; 0 if there is none. @param {number} ranks */
function straight(ranks) {
  // An ace also counts below the two.
  const low = (ranks << 1) | (ranks >> 12);
  return highest(low & (low << 1) & (low << 2) & (low << 3) & (low << 4), 1);
}

/**
 * The value of five to seven cards, by suit a set of ranks: the higher the better, and equal hands are equal.
 * @param {readonly number[]} suits
 */
export function handValue([a = 0, b = 0, c = 0, d = 0]) {
  /** @param {number} kind @param {number} [first] @param {number} [then] */
  const value = (kind, first = 0, then = 0) => kind * 2 ** 28 + first * 2 ** 14 + then;
  const all = a | b | c | d;
  let flush = 0;
  for (const suit of [a, b, c, d]) if (highest(suit, 5) !== highest(suit, 4)) flush = suit;
  const straightFlush = flush && straight(flush);
  if (straightFlush) return value(8, straightFlush);
  const fours = a & b & c & d;
  if (fours) return value(7, fours, highest(all & ~fours, 1));
  const threes = ((a & b) | (c & d)) & ((a & c) | (b & d));
  const pairs = ((a & b) | (a & c) | (a & d) | (b & c) | (b & d) | (c & d)) & ~threes;
  const three = highest(threes, 1);
  const full = three && highest((threes & ~three) | pairs, 1);
  if (full) return value(6, three, full);
  if (flush) return value(5, highest(flush, 5));
  const run = straight(all);
  if (run) return value(4, run);
  if (three) return value(3, three, highest(all & ~three, 2));
  const pair = highest(pairs, 2);
  if (pair) return value(pair === highest(pair, 1) ? 1 : 2, pair, highest(all & ~pair, pair === highest(pair, 1) ? 3 : 1));
  return value(0, highest(all, 5));
}

/** @param {string} card */
const numberOf = (card) => 4 * RANKS.indexOf(card[0] ?? "") + SUITS.indexOf(card[1] ?? "");

/** A set of ranks for each suit. @param {readonly number[]} cards 4 times the rank, plus the suit */
export function suitsOf(cards) {
  const suits = [0, 0, 0, 0];
  for (const card of cards) suits[card & 3] = (suits[card & 3] ?? 0) | (1 << (card >> 2));
  return suits;
}

/**
 * Every set of `count` of the cards, or `most` drawn ones if there are more than `MOST_BOARDS`.
 * @param {readonly number[]} deck
 * @param {number} count at most 5
 * @param {number} most
 * @returns {Generator<readonly number[]>}
 */
function* boards(deck, count, most) {
  let ways = 1;
  for (let i = 0; i < count; i++) ways = (ways * (deck.length - i)) / (i + 1);
  if (ways <= MOST_BOARDS) return yield* sets(deck, count, 0);
  const rest = [...deck];
  for (let board = 0; board < most; board++) {
    for (let i = 0; i < count; i++) {
      const other = i + Math.floor(Math.random() * (rest.length - i));
      [rest[i], rest[other]] = [rest[other] ?? 0, rest[i] ?? 0];
    }
    yield rest.slice(0, count);
  }
}

/**
 * @param {readonly number[]} deck
 * @param {number} count
 * @param {number} from
 * @returns {Generator<readonly number[]>}
 */
function* sets(deck, count, from) {
  if (!count) return yield [];
  for (let i = from; i + count <= deck.length; i++) for (const rest of sets(deck, count - 1, i + 1)) yield [deck[i] ?? 0, ...rest];
}

/**
 * The part of a pot that each hand wins on average, ties shared, of 1; exact from the flop on, before it within about a
 * hundredth.
 * @param {readonly (readonly string[])[]} hands two cards each
 * @param {readonly string[]} board
 * @param {readonly string[]} dead other cards that are known
 * @returns {number[]}
 */
export function equities(hands, board, dead = []) {
  const known = new Set([...hands.flat(), ...board, ...dead].map(numberOf));
  const deck = Array.from({ length: 52 }, (_, card) => card).filter((card) => !known.has(card));
  const own = hands.map((cards) => suitsOf(cards.map(numberOf)));
  const [a = 0, b = 0, c = 0, d = 0] = suitsOf(board.map(numberOf));
  const won = hands.map(() => 0);
  let count = 0;
  for (const drawn of boards(deck, 5 - board.length, Math.floor(MOST_HANDS / hands.length))) {
    const [e = 0, f = 0, g = 0, h = 0] = suitsOf(drawn);
    const values = own.map(([i = 0, j = 0, k = 0, l = 0]) => handValue([a | e | i, b | f | j, c | g | k, d | h | l]));
    const best = Math.max(...values);
    const winners = values.filter((value) => value === best).length;
    values.forEach((value, hand) => { if (value === best) won[hand] = (won[hand] ?? 0) + 1 / winners; });
    count += 1;
  }
  return won.map((share) => share / count);
}

/** The last answer: a page is drawn more often than a card is dealt. */
let last = { key: "", shares: /** @type {Readonly<Record<number, number>>} */ ({}) };

/**
 * What each seat that is still in wins on average, of 1, where the cards of all of them are up and cards are to come; else
 * nothing.
 * @param {Hand | null} hand
 * @param {GameInfo | undefined} game
 * @returns {Readonly<Record<number, number>>}
 */
export function chances(hand, game) {
  if (!hand || hand.over || !isHoldem(game) || hand.board.length >= 5) return {};
  const players = Object.values(hand.players);
  const left = players.filter((player) => !player.folded);
  if (left.length < 2 || left.some(({ cards }) => cards.length !== 2)) return {};
  const dead = players.flatMap(({ cards, folded }) => (folded ? cards : []));
  const key = [hand.hand, ...left.map(({ seat, cards }) => `${seat}${cards.join("")}`), ...dead, "|", ...hand.board].join(" ");
  if (key !== last.key) {
    const found = equities(left.map(({ cards }) => cards), hand.board, dead);
    last = { key, shares: Object.fromEntries(left.map(({ seat }, index) => [seat, found[index] ?? 0])) };
  }
  return last.shares;
}

/** @param {GameInfo | undefined} game */
export function isHoldem(game) {
  return game?.hole_cards === 2 && game.suits === 4 && game.ranks === 13 && game.board_cards.join() === "0,3,1,1";
}
