// The table as one viewer knows it: a fold over messages. No clock, no page: whoever calls says what time it is.

import { keeps } from "./actions.js";
import { sentences } from "../lib/words.js";

/**
 * @import {Act, ChallengeResult, GameInfo, HandStart, BlindsRaised, MatchEnd, MatchStart, OpenPot, PotInfo, ChatMessage, SeatInfo, Seats, Series,
 *   ServerMessage, ShownHand, YourTurn, ActionOn} from "../lib/messages.d.ts"
 * @import {Choice} from "./actions.js"
 */

/**
 * What somebody did: `to` is his bet on the street after it, `paid` what it cost him.
 * @typedef {{kind: "fold"|"check"|"call"|"bet"|"raise", to: number, paid: number, allIn: boolean, forced: string}} Deed
 */
/**
 * A player in a hand. `cards` are those this viewer knows; `net` is null until the hand is over.
 * @typedef {{seat: number, name: string, stack: number, bet: number, folded: boolean, allIn: boolean,
 *   cards: readonly string[], shown: boolean, mucked: boolean, label: string, best: readonly string[],
 *   deed: Deed | null, net: number | null, won: number}} Player
 */
/**
 * One line of the log; `blinds` is `text` with amounts in big blinds. U+0001 before two letters marks a card.
 * @typedef {{street: number, kind: "deal" | "act" | "result" | "note", text: string, blinds: string}} Line
 */
/**
 * `seats` are in the order of position; `small` and `big` are the seats of the blinds, -1 where none was posted.
 * `pots` are those the server named last; `results` the final ones.
 * @typedef {{hand: number, button: number, small: number, big: number, seats: readonly number[],
 *   players: Readonly<Record<number, Player>>, board: readonly string[], street: number, pot: number,
 *   pots: readonly OpenPot[], results: readonly PotInfo[], returned: readonly [number, number] | null,
 *   strength: string, over: boolean, lines: readonly Line[]}} Hand
 */
/**
 * Whose time runs: until `base` (on the caller's clock, in ms) the time of the decision, then `bank` ms more.
 * @typedef {{seat: number, turn: number, from: number, base: number, bank: number}} Clock
 */
/**
 * A seat with nothing left out, and the table that has such seats.
 * @typedef {Required<SeatInfo>} Place
 * @typedef {Seats & {seats: Place[]}} Info
 */
/**
 * `me` is -1 for a spectator. `turn` is open until answered; `sent` is an answer that the table has not confirmed.
 * `raised` says when somebody last made it much dearer for me. `lost`: there is no such table (any more).
 * @typedef {{table: string, me: number, match: MatchStart | null, names: readonly string[], info: Info | null,
 *   level: BlindsRaised | null, bigBlind: number, hand: Hand | null, past: readonly Hand[], turn: YourTurn | null,
 *   turnAt: number, raised: number, clock: Clock | null, sent: Act | null, choice: Choice | null,
 *   notice: string, chat: readonly ChatMessage[], series: Series | null, challenge: ChallengeResult | null, ended: MatchEnd | null,
 *   lost: boolean, absent: boolean, lines: readonly Line[]}} State
 */
/**
 * What the page itself tells the state: an answer left, a choice was made in advance, the connection broke, the
 * notice was read, the pots of a run-out are known.
 * @typedef {{type: "sent", act: Act} | {type: "choose", choice: Choice | null} | {type: "dropped"}
 *   | {type: "notice", text: string} | {type: "pots", pots: readonly OpenPot[]}} LocalMessage
 */

/** Finished hands that are kept for review. */
const PAST = 50;
const CHAT = 200;

/**
 * @param {string} table
 * @returns {State}
 */
export function initial(table) {
  return {
    table, me: -1, match: null, names: [], info: null, level: null, bigBlind: 1, hand: null, past: [], turn: null,
    turnAt: 0, raised: 0, clock: null, sent: null, choice: null, notice: "", chat: [], series: null,
    challenge: null, ended: null, lost: false, absent: false, lines: [],
  };
}

/**
 * The state after a message. Messages about other tables and of unknown types change nothing.
 * @param {State} state
 * @param {ServerMessage | LocalMessage} message
 * @param {number} now ms, on the clock that deadlines are to be given in
 * @returns {State}
 */
export function reduce(state, message, now = 0) {
  if ("table" in message && message.table && message.table !== state.table) return state;
  const step = /** @type {Record<string, (state: State, message: any, now: number) => State>} */ (STEPS)[message.type];
  if (!step) return state;
  const next = cancel(step(state, message, now));
  const lines = sentences(state, next, message);
  if (!lines.length) return next;
  const all = [...next.lines, ...lines];
  return next.hand && HAND.has(message.type)
    ? { ...next, lines: all, hand: { ...next.hand, lines: [...next.hand.lines, ...lines] } }
    : { ...next, lines: all };
}

/** Messages whose sentences belong to the hand. */
const HAND = new Set(["hand_start", "acted", "board", "shown", "hand_end", "showed"]);

/**
 * What a call costs me now, my turn or not; null when that question makes no sense.
 * @param {State} state
 */
export function price(state) {
  const me = state.hand?.players[state.me];
  if (!state.hand || !me || me.folded || me.allIn || state.hand.over) return null;
  return Math.min(me.stack, highest(state.hand) - me.bet);
}

/** @param {Hand} hand */
export function highest(hand) {
  return Math.max(0, ...Object.values(hand.players).map((player) => player.bet));
}

/**
 * The cards of the hands that won, by pot: `sets` has a set for all pots with the same winners, `of` the index of its
 * set for every pot. No sets when nobody had to show.
 * @param {Hand} hand
 */
export function winning(hand) {
  const sets = /** @type {Map<string, Set<string>>} */ (new Map());
  const keys = hand.results.map(({ wins }) => {
    const seats = wins.map(([seat]) => seat).sort((a, b) => a - b);
    const cards = seats.flatMap((seat) => hand.players[seat]?.best ?? []);
    if (cards.length) sets.set(seats.join(), new Set(cards));
    return seats.join();
  });
  return { sets: [...sets.values()], of: keys.map((key) => [...sets.keys()].indexOf(key)) };
}

/**
 * The seats of the table in order of number, with what is known of who sits there.
 * @param {State} state
 * @returns {Place[]}
 */
export function seats(state) {
  if (state.info) return state.info.seats;
  return state.names.map((name, seat) => ({
    seat, name, kind: "", stack: state.match?.game.stacks[0] ?? 0, state: name ? "in" : "", place: 0,
  }));
}

/**
 * Whether I sit out: by choice, or because I missed too many turns.
 * @param {State} state
 */
export function away(state) {
  return state.me >= 0 && (state.absent || seats(state)[state.me]?.state === "away");
}

/**
 * How much time is left: first of the decision, then of the time bank.
 * @param {Clock} clock
 * @param {number} now
 */
export function timeLeft({ from, base, bank }, now) {
  const own = base - now;
  const left = Math.max(0, own > 0 || !bank ? own : own + bank);
  const whole = own > 0 || !bank ? base - from : bank;
  return { seconds: Math.ceil(left / 1000), share: whole ? Math.min(1, left / whole) : 0, inBank: own <= 0 && bank > 0 };
}

/** @type {{[M in ServerMessage | LocalMessage as M["type"]]?: (state: State, message: M, now: number) => State}} */
const STEPS = {
  match_start: (state, message) => {
    const again = message.resumed || state.match?.match === message.match;
    return {
      ...state, me: message.seat, match: message, names: message.players, ended: null, lost: false, turn: null, clock: null,
      sent: null, choice: null, notice: "", chat: [], hand: again ? state.hand : null, past: again ? state.past : [],
      level: again ? state.level : null,
      bigBlind: again && state.match ? state.bigBlind : Math.max(1, ...message.game.blinds),
    };
  },
  seats: (state, message) => {
    const full = message.seats.map((seat) => ({ name: "", kind: "", stack: 0, state: "", place: 0, ...seat }));
    return { ...state, info: { ...message, seats: full }, names: full.map((seat) => seat.name) };
  },
  players: (state, message) => ({ ...state, names: message.players }),
  hand_start: (state, message) => {
    const hand = dealt(state, message);
    const known = state.hand && state.hand.hand !== message.hand && state.hand.over ? [state.hand] : [];
    // After a broken connection the same hand is told once more: what was logged of it goes.
    const before = state.hand?.hand === message.hand ? without(state.lines, state.hand.lines) : state.lines;
    return {
      ...state, hand, past: [...state.past, ...known].slice(-PAST), turn: null, clock: null, sent: null, choice: null,
      notice: "", lines: before, bigBlind: Math.max(state.bigBlind, ...message.blinds), raised: 0,
    };
  },
  board: (state, message) => inHand(state, (hand) => ({
    ...hand,
    street: message.street,
    board: [...hand.board, ...message.cards],
    players: each(hand, (player) => ({ ...player, bet: 0, deed: player.folded || player.allIn ? player.deed : null })),
  })),
  acted: (state, message, now) => {
    const { hand } = state;
    const player = hand?.players[message.seat];
    if (!hand || !player) return state;
    const deed = deedOf(message, highest(hand));
    const bet = deed.kind === "fold" ? player.bet : deed.to;
    const next = {
      ...player, deed, bet, stack: player.stack - deed.paid, folded: deed.kind === "fold", allIn: deed.allIn,
    };
    const mine = message.seat === state.me;
    const after = {
      ...state,
      hand: { ...hand, pot: hand.pot + deed.paid, players: { ...hand.players, [message.seat]: next } },
      clock: state.clock?.seat === message.seat ? null : state.clock,
      ...(mine ? { turn: null, sent: null, notice: "", absent: message.forced === "absent" } : {}),
    };
    const cost = price(after);
    const dear = deed.kind === "bet" || deed.kind === "raise";
    return dear && !mine && cost !== null && cost * 2 >= hand.pot ? { ...after, raised: now } : after;
  },
  waiting: (state, message, now) => ({
    ...inHand(state, (hand) => ({ ...hand, pot: message.pot, pots: message.pots })),
    clock: clockOf(message, now),
  }),
  turn: (state, message, now) => ({
    ...state,
    turn: message,
    turnAt: now,
    sent: null,
    absent: false,
    clock: clockOf({ ...message, seat: state.me }, now),
  }),
  strength: (state, message) => inHand(state, (hand) => ({ ...hand, strength: message.label })),
  faceup: (state, message) => inHand(state, (hand) => (hand.hand !== message.hand ? hand : {
    ...hand,
    players: each(hand, (player) => ({ ...player, cards: message.cards[hand.seats.indexOf(player.seat)] ?? [] })),
  })),
  shown: (state, message) => inHand(state, (hand) => shown(hand, message.hands)),
  showed: (state, message) => inHand(state, (hand) => {
    const player = hand.players[message.seat];
    if (!player || hand.hand !== message.hand) return hand;
    // Who showed one card keeps the other hidden, except from himself.
    const cards = message.seat === state.me ? player.cards : message.cards;
    return { ...hand, players: { ...hand.players, [message.seat]: { ...player, cards, shown: true, mucked: false } } };
  }),
  hand_end: (state, message) => ({
    ...inHand(state, (before) => {
      // Cards that were shown before the river make something else on the final board.
      const hand = shown(before, message.hands ?? []);
      const won = /** @type {Record<number, number>} */ ({});
      for (const pot of message.pots) for (const [seat, chips] of pot.wins) won[seat] = (won[seat] ?? 0) + chips;
      const players = each(hand, (player) => {
        const position = hand.seats.indexOf(player.seat);
        return {
          ...player, won: won[player.seat] ?? 0, net: message.net[position] ?? 0, bet: 0,
          stack: message.stacks[position] ?? player.stack, deed: player.folded ? player.deed : null,
        };
      });
      const pot = message.pots.reduce((sum, { amount }) => sum + amount, 0);
      return { ...hand, players, pot, results: message.pots, returned: message.returned ?? null, over: true };
    }),
    turn: null, clock: null, sent: null, choice: null,
  }),
  refilled: (state, message) => restacked(state, message.seat, message.stack),
  level: (state, message) => ({ ...state, level: message, bigBlind: message.big_blind }),
  said: (state, message) => ({ ...state, chat: [...state.chat, message].slice(-CHAT) }),
  series: (state, message) => ({ ...state, series: message }),
  challenge: (state, message) => ({ ...state, challenge: message }),
  eliminated: (state) => state,
  match_end: (state, message) => ({ ...state, ended: message, turn: null, clock: null, sent: null, choice: null, notice: "" }),
  error: (state, message) => ({
    ...state, sent: message.turn === state.sent?.turn ? null : state.sent, lost: state.lost || message.code === "unknown_table",
  }),
  sent: (state, message) => ({
    ...state, sent: message.act, notice: "", choice: state.choice?.kind === "fold_any" ? state.choice : null,
  }),
  choose: (state, message) => ({ ...state, choice: message.choice, notice: "" }),
  notice: (state, message) => ({ ...state, notice: message.text }),
  pots: (state, { pots }) => inHand(state, (hand) => ({ ...hand, pots })),
  // What was chosen in advance spoke of a table that may have gone on meanwhile.
  dropped: (state) => ({ ...state, turn: null, clock: null, sent: null, choice: null }),
};

/**
 * A choice made in advance stands for the price it was made at.
 * @param {State} state
 */
function cancel(state) {
  const { choice } = state;
  if (!choice || state.turn) return state;
  const cost = price(state);
  if (cost !== null && keeps(choice, cost)) return state;
  return { ...state, choice: null, notice: cost ? "The price has changed: your choice was cancelled." : state.notice };
}

/**
 * @param {State} state
 * @param {(hand: Hand) => Hand} change
 */
function inHand(state, change) {
  return state.hand ? { ...state, hand: change(state.hand) } : state;
}

/**
 * @param {Hand} hand
 * @param {(player: Player) => Player} change
 */
function each(hand, change) {
  return Object.fromEntries(Object.entries(hand.players).map(([seat, player]) => [seat, change(player)]));
}

/**
 * @param {Hand} hand
 * @param {readonly ShownHand[]} hands
 * @returns {Hand}
 */
function shown(hand, hands) {
  const players = { ...hand.players };
  for (const { seat, cards = [], label = "", best = [] } of hands) {
    const player = players[seat];
    if (player) players[seat] = cards.length ? { ...player, cards, label, best, shown: true } : { ...player, mucked: true };
  }
  return { ...hand, players };
}

/**
 * @param {State} state
 * @param {HandStart} message
 * @returns {Hand}
 */
function dealt(state, message) {
  const players = /** @type {Record<number, Player>} */ ({});
  message.seats.forEach((seat, position) => {
    const ante = message.antes[position] ?? 0;
    const blind = message.blinds[position] ?? 0;
    const stack = (message.stacks[position] ?? 0) - ante - blind;
    players[seat] = {
      seat, name: state.names[seat] ?? "", stack, bet: blind, folded: false, allIn: stack === 0,
      cards: seat === state.me ? message.hole : [], shown: false, mucked: false, label: "", best: [], deed: null,
      net: null, won: 0,
    };
  });
  const [small, big] = blindSeats(message, state.match?.game);
  const pot = [...message.antes, ...message.blinds].reduce((sum, chips) => sum + chips, 0);
  return {
    hand: message.hand, button: message.button, small, big, seats: message.seats, players, board: [], street: 0, pot,
    pots: [], results: [], returned: null, strength: "", over: false, lines: [],
  };
}

/**
 * Left of the button sits the small blind, then the big one; heads-up the button has the small one, unless the game
 * says otherwise.
 * @param {HandStart} message
 * @param {GameInfo | undefined} game
 */
function blindSeats({ seats: order, blinds }, game) {
  const plain = game?.players === 2 && (game.blinds[0] ?? 0) < (game.blinds[1] ?? 0);
  const [small, big] = order.length === 2 && !plain ? [1, 0] : [0, 1];
  return [small, big].map((position) => (blinds[position] ? order[position] ?? -1 : -1));
}

/**
 * @param {{action: string, to?: number, paid?: number, all_in?: boolean, forced?: string}} message
 * @param {number} top the highest bet of the street before it
 * @returns {Deed}
 */
function deedOf({ action, to = 0, paid = 0, all_in: allIn = false, forced = "" }, top) {
  /** @type {Deed["kind"]} */
  let kind = "fold";
  if (action === "raise") kind = top ? "raise" : "bet";
  else if (action !== "fold") kind = paid ? "call" : "check";
  return { kind, to, paid, allIn, forced };
}

/**
 * @param {Pick<ActionOn, "seat" | "turn" | "time_ms" | "bank_ms">} message
 * @param {number} now
 */
function clockOf({ seat, turn, time_ms: time, bank_ms: bank }, now) {
  return { seat, turn, from: now, base: now + time, bank };
}

/**
 * @param {State} state
 * @param {number} seat
 * @param {number} stack
 */
function restacked(state, seat, stack) {
  return inHand(state, (hand) => {
    const player = hand.players[seat];
    return player ? { ...hand, players: { ...hand.players, [seat]: { ...player, stack } } } : hand;
  });
}

/**
 * @param {readonly Line[]} lines
 * @param {readonly Line[]} gone
 */
function without(lines, gone) {
  const set = new Set(gone);
  return lines.filter((line) => !set.has(line));
}
