// The table as one viewer knows it: a reducer over messages. No clock, no page: the caller gives the time.

import { isValidAt } from "./actions.js";
import { _ } from "../lib/language.js";
import { isOfTournament } from "../tournament/words.js";
import { announcementText, handText, levelOf, logLines, matchEndText } from "../lib/words.js";

/**
 * @import {GameInfo, HandStart, ServerMessage, ShownHand, ActionOn} from "../lib/messages.d.ts"
 * @import {Action, Clock, Hand, Line, LocalMessage, Player, Seat, State} from "../lib/table_types.js"
 */

/** Finished hands that are kept for review. */
const MAX_PAST_HANDS = 50;
const MAX_CHAT = 200;
/** Why a match ends where I know it, or where more is said than that it has. */
const EXPECTED_ENDS = new Set(["complete", "left", "moved"]);

/**
 * @param {string} table
 * @returns {State}
 */
export function initialState(table) {
  return {
    table, me: -1, match: null, names: [], info: null, level: null, bigBlind: 1, hand: null, pastHands: [], turn: null,
    turnAt: 0, raisedAt: 0, clock: null, sent: null, choice: null, notice: "", chat: [], series: null, styles: {}, allStyles: new Map(),
    challenge: null, score: null, entry: null, hint: null, hints: 0, ranges: null, ended: null, unknownTable: false, absent: false, lines: [],
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
  const reducer = /** @type {Record<string, (state: State, message: any, now: number) => State>} */ (REDUCERS)[message.type];
  if (!reducer) return state;
  const next = dropStaleChoice(reducer(state, message, now));
  const lines = logLines(state, next, message);
  if (!lines.length) return next;
  const all = [...next.lines, ...lines];
  return next.hand && HAND_MESSAGES.has(message.type)
    ? { ...next, lines: all, hand: { ...next.hand, lines: [...next.hand.lines, ...lines] } }
    : { ...next, lines: all };
}

/** Messages whose log lines belong to the hand. */
const HAND_MESSAGES = new Set(["hand_start", "acted", "board", "shown", "hand_end", "showed", "peek"]);

/**
 * What a call costs me now, my turn or not; null when I have nothing more to decide in this hand.
 * @param {State} state
 */
export function amountToCall(state) {
  const me = state.hand?.players[state.me];
  if (!state.hand || !me || me.folded || me.allIn || state.hand.over) return null;
  // Cards are up, and the rest of the board is only dealt.
  if (Object.values(state.hand.players).some((player) => player.shown)) return null;
  return Math.min(me.stack, highestBet(state.hand) - me.bet);
}

/** @param {Hand} hand */
export function highestBet(hand) {
  return Math.max(0, ...Object.values(hand.players).map((player) => player.bet));
}

/**
 * The cards of the hands that won, by pot: `sets` has a set for all pots with the same winners on the same board, `boards` the
 * board of each, `setByPot` the index of its set for every pot. No sets when nobody had to show, or won by equity.
 * @param {Hand} hand
 */
export function winningCards(hand) {
  const sets = /** @type {Map<string, {board: number, cards: Set<string>}>} */ (new Map());
  const keys = hand.results.map(({ wins, board = 0 }) => {
    const seats = wins.map(([seat]) => seat).sort((a, b) => a - b);
    const cards = seats.flatMap((seat) => handOn(hand, seat, board).best);
    const key = `${board}: ${seats.join()}`;
    if (cards.length && !hand.equity) sets.set(key, { board, cards: new Set(cards) });
    return key;
  });
  const found = [...sets.values()];
  return { sets: found.map(({ cards }) => cards), boards: found.map(({ board }) => board), setByPot: keys.map((key) => [...sets.keys()].indexOf(key)) };
}

/**
 * What a player's cards make on a board, 1 being the second.
 * @param {Hand} hand
 * @param {number} seat
 * @param {number} board
 * @returns {{label: string, best: readonly string[]}}
 */
export function handOn(hand, seat, board) {
  const player = hand.players[seat];
  return (board ? player?.second : player) ?? { label: "", best: [] };
}

/** What a player's cards made, on both boards where there were two. @param {Player} player */
export function handsText({ label, second }) {
  return [label, second.label].filter(Boolean).map(handText).join(" / ");
}

/**
 * The seats of the table in order of number, with what is known of who sits there.
 * @param {State} state
 * @returns {Seat[]}
 */
export function seatsOf(state) {
  if (state.info) return state.info.seats;
  return state.names.map((name, seat) => ({
    seat, name, kind: "", stack: state.match?.game.stacks[0] ?? 0, state: name ? "in" : "", place: 0, parameters: {}, twice: false,
  }));
}

/**
 * My place in a tournament that is over for me; 0 while I play, and elsewhere.
 * @param {State} state
 */
export function myPlace(state) {
  const { me, match, series, ended } = state;
  if (me < 0 || match?.mode !== "tournament") return 0;
  const last = ended ? series?.results.at(-1)?.places[me] : 0;
  const seat = seatsOf(state)[me];
  return last || (seat?.state === "out" ? seat.place : 0);
}

/** Whether I began a challenge and have no result of it: leaving ends it. @param {State} state */
export function isOpenChallenge({ me, match, hand, challenge }) {
  return me >= 0 && match?.mode === "challenge" && hand !== null && challenge === null;
}

/** Whether I sit out: by choice, or because I missed too many turns. @param {State} state */
export function isAway(state) {
  return state.me >= 0 && (state.absent || seatsOf(state)[state.me]?.state === "away");
}

/**
 * How much time is left: first of the decision, then of the time bank.
 * @param {Clock} clock
 * @param {number} now
 */
export function timeLeft({ from, base, bank, wholeBank }, now) {
  const own = base - now;
  const left = Math.max(0, own > 0 || !bank ? own : own + bank);
  const whole = own > 0 || !bank ? base - from : wholeBank;
  return { seconds: Math.ceil(left / 1000), share: whole ? Math.min(1, left / whole) : 0, inBank: own <= 0 && bank > 0 };
}

/** @type {{[M in ServerMessage | LocalMessage as M["type"]]?: (state: State, message: M, now: number) => State}} */
const REDUCERS = {
  match_start: (state, message) => {
    const isResumed = message.resumed || state.match?.match === message.match;
    return {
      ...withNames(state, message.players), me: message.seat, match: message, ended: null, unknownTable: false, turn: null, clock: null,
      sent: null, choice: null, notice: "", chat: [], hand: isResumed ? state.hand : null, pastHands: isResumed ? state.pastHands : [],
      level: isResumed ? state.level : null,
      bigBlind: isResumed && state.match ? state.bigBlind : Math.max(1, ...message.game.blinds),
    };
  },
  seats: (state, message) => {
    const full = message.seats.map((seat) => ({ name: "", kind: "", stack: 0, state: "", place: 0, parameters: {}, twice: false, ...seat }));
    // The game of a match has the blinds that it began with.
    const level = levelOf(message.game);
    return { ...withNames(state, full.map((seat) => seat.name)), info: { ...message, seats: full }, ...(level && { level, bigBlind: level.big_blind }) };
  },
  players: (state, message) => withNames(state, message.players),
  hand_start: (state, message) => {
    const hand = dealHand(state, message);
    const known = state.hand && state.hand.hand !== message.hand && state.hand.over ? [state.hand] : [];
    // After a reconnect the same hand is sent once more: its lines are removed from the log.
    const before = state.hand?.hand === message.hand ? without(state.lines, state.hand.lines) : state.lines;
    return {
      ...state, hand, pastHands: [...state.pastHands, ...known].slice(-MAX_PAST_HANDS), turn: null, clock: null, sent: null, choice: null,
      notice: "", lines: before, raisedAt: 0,
    };
  },
  board: (state, message) => updateHand(state, (hand) => ({
    ...hand,
    street: message.street,
    board: [...hand.board, ...message.cards],
    players: mapPlayers(hand, (player) => ({ ...player, bet: 0, pushed: player.bet, lastAction: player.folded || player.allIn ? player.lastAction : null })),
  })),
  acted: (state, message, now) => {
    const { hand } = state;
    const player = hand?.players[message.seat];
    if (!hand || !player) return state;
    const action = actionOf(message, highestBet(hand));
    const bet = action.kind === "fold" ? player.bet : action.to;
    const next = {
      ...player, lastAction: action, bet, pushed: 0, stack: player.stack - action.paid, folded: action.kind === "fold", allIn: action.allIn,
    };
    const mine = message.seat === state.me;
    const after = {
      ...state,
      hand: {
        ...hand, pot: hand.pot + action.paid, players: { ...hand.players, [message.seat]: next },
        actions: hand.actions + 1, lastOwn: mine ? hand.actions : hand.lastOwn,
      },
      clock: state.clock?.seat === message.seat ? null : state.clock,
      ...(mine ? { turn: null, sent: null, notice: "", absent: message.forced === "absent" } : {}),
    };
    const cost = amountToCall(after);
    const isRaise = action.kind === "bet" || action.kind === "raise";
    return isRaise && !mine && cost !== null && cost * 2 >= hand.pot ? { ...after, raisedAt: now } : after;
  },
  waiting: (state, message, now) => ({
    ...updateHand(state, (hand) => ({ ...hand, pot: message.pot, pots: message.pots })),
    clock: startClock(message, now, state.match),
  }),
  turn: (state, message, now) => ({
    ...state,
    turn: message,
    turnAt: now,
    sent: null,
    absent: false,
    clock: startClock({ ...message, seat: state.me }, now, state.match, message.time_ms ? 0 : state.match?.bank_ms),
  }),
  strength: (state, message) => updateHand(state, (hand) => ({ ...hand, strength: message.label })),
  faceup: (state, message) => updateHand(state, (hand) => (hand.hand !== message.hand ? hand : {
    ...hand, faceUp: true,
    players: mapPlayers(hand, (player) => ({ ...player, cards: message.cards[hand.seats.indexOf(player.seat)] ?? [] })),
  })),
  shown: (state, message) => updateHand(state, (hand) => showHands(hand, message.hands)),
  showed: (state, message) => updateHand(state, (hand) => {
    const player = hand.players[message.seat];
    if (!player || hand.hand !== message.hand) return hand;
    // A player who showed one card keeps the other hidden, except from himself.
    const cards = message.seat === state.me ? player.cards : message.cards;
    return { ...hand, players: { ...hand.players, [message.seat]: { ...player, cards, shown: true, mucked: false } } };
  }),
  second_board: (state, { cards }) => updateHand(state, (hand) => ({ ...hand, second: cards })),
  undealt: (state, message) => updateHand(state, (hand) => (hand.hand === message.hand ? { ...hand, undealt: message.cards } : hand)),
  peek: (state) => updateHand(state, (hand) => ({ ...hand, peeked: true })),
  hand_end: (state, message) => ({
    ...updateHand(state, (before) => {
      // Cards that were shown before the river make something else on the final board.
      const hand = showHands(before, message.hands ?? []);
      const second = Object.fromEntries((message.second_hands ?? []).map(({ seat, label = "", best = [] }) => [seat, { label, best }]));
      const won = /** @type {Record<number, number>} */ ({});
      for (const pot of message.pots) for (const [seat, chips] of pot.wins) won[seat] = (won[seat] ?? 0) + chips;
      const players = mapPlayers(hand, (player) => {
        const position = hand.seats.indexOf(player.seat);
        return {
          ...player, won: won[player.seat] ?? 0, second: second[player.seat] ?? player.second, net: message.net[position] ?? 0, bet: 0, pushed: player.bet,
          stack: message.stacks[position] ?? player.stack, lastAction: player.folded ? player.lastAction : null,
        };
      });
      const pot = message.pots.reduce((sum, { amount }) => sum + amount, 0);
      return {
        ...hand, players, pot, results: message.pots, returned: message.returned ?? null, over: true, equity: message.equity ?? false,
        second: message.second ?? [],
      };
    }),
    turn: null, clock: null, sent: null, choice: null,
  }),
  refilled: (state, message) => setStack(state, message.seat, message.stack),
  level: (state, message) => ({ ...state, level: message, bigBlind: message.big_blind }),
  said: (state, message) => ({
    ...state, chat: [...state.chat, message].slice(-MAX_CHAT), notice: message.organiser ? announcementText(message.text) : state.notice,
  }),
  styles: (state, message) => ({ ...state, styles: Object.fromEntries(message.seats.map((style) => [style.seat, style])) }),
  series: (state, message) => ({ ...state, series: message }),
  challenge: (state, message) => ({ ...state, challenge: message }),
  score: (state, message) => ({ ...state, score: message }),
  entry: (state, message) => (message.state === "out" && isOfTournament(state.table, message) ? { ...state, entry: message } : state),
  ranges: (state, message) => ({ ...state, ranges: message }),
  hinted: (state, message) => ({ ...state, hint: message, hints: message.hints }),
  eliminated: (state) => state,
  match_end: (state, message) => ({
    ...state, ended: message, turn: null, clock: null, sent: null, choice: null,
    notice: EXPECTED_ENDS.has(message.reason ?? "complete") ? "" : `${matchEndText(message.reason ?? "", message.hands)}.`,
  }),
  error: (state, message) => ({
    ...state, sent: message.turn === state.sent?.turn ? null : state.sent, unknownTable: state.unknownTable || message.code === "unknown_table",
  }),
  sent: (state, message) => ({
    ...state, sent: message.act, notice: "", choice: state.choice?.kind === "fold_any" ? state.choice : null,
  }),
  choose: (state, message) => ({ ...state, choice: message.choice, notice: "" }),
  notice: (state, message) => ({ ...state, notice: message.text }),
  all_styles: (state, { styles }) => ({ ...state, allStyles: styles }),
  pots: (state, { pots }) => updateHand(state, (hand) => ({ ...hand, pots })),
  // The table may have gone on meanwhile: what was chosen in advance does not hold.
  disconnected: (state) => ({ ...state, turn: null, clock: null, sent: null, choice: null }),
};

/** Who sits down where others sat may have one of their names: nobody is then known until the server is asked again. @param {State} state @param {readonly string[]} names @returns {State} */
const withNames = (state, names) => (names.length === state.names.length && names.every((name, seat) => name === state.names[seat]) ? state : { ...state, names, allStyles: new Map() });

/** Drops a choice made in advance when the price has changed. @param {State} state */
function dropStaleChoice(state) {
  const { choice } = state;
  if (!choice || state.turn) return state;
  const cost = amountToCall(state);
  if (cost !== null && isValidAt(choice, cost)) return state;
  return { ...state, choice: null, notice: cost ? _("The bet has changed: your choice was cancelled.") : state.notice };
}

/**
 * @param {State} state
 * @param {(hand: Hand) => Hand} change
 */
function updateHand(state, change) {
  return state.hand ? { ...state, hand: change(state.hand) } : state;
}

/**
 * @param {Hand} hand
 * @param {(player: Player) => Player} change
 */
function mapPlayers(hand, change) {
  return Object.fromEntries(Object.entries(hand.players).map(([seat, player]) => [seat, change(player)]));
}

/**
 * @param {Hand} hand
 * @param {readonly ShownHand[]} hands
 * @returns {Hand}
 */
function showHands(hand, hands) {
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
function dealHand(state, message) {
  const players = /** @type {Record<number, Player>} */ ({});
  message.seats.forEach((seat, position) => {
    const ante = message.antes[position] ?? 0;
    const blind = message.blinds[position] ?? 0;
    const stack = (message.stacks[position] ?? 0) - ante - blind;
    players[seat] = {
      seat, name: state.names[seat] ?? "", stack, bet: blind, pushed: 0, folded: false, allIn: stack === 0,
      cards: seat === state.me ? message.hole : [], shown: false, mucked: false, label: "", best: [], lastAction: null,
      net: null, won: 0, second: { label: "", best: [] },
    };
  });
  const [small, big, straddle] = blindSeats(message, state.match?.game);
  const pot = [...message.antes, ...message.blinds].reduce((sum, chips) => sum + chips, 0);
  return {
    hand: message.hand, bigBlind: state.bigBlind, button: message.button, small, big, straddle, seats: message.seats, players, board: [], street: 0, pot,
    pots: [], results: [], returned: null, strength: "", over: false, equity: false, second: [], undealt: [], peeked: false, faceUp: false, lines: [],
    actions: 0, lastOwn: -1,
  };
}

/**
 * Left of the button sits the small blind, then the big one; heads-up the button has the small one, unless the game
 * says otherwise. Who comes next may have posted the game's straddle.
 * @param {HandStart} message
 * @param {GameInfo | undefined} game
 */
function blindSeats({ seats: order, blinds }, game) {
  const plain = game?.players === 2 && (game.blinds[0] ?? 0) < (game.blinds[1] ?? 0);
  const [small, big] = order.length === 2 && !plain ? [1, 0] : [0, 1];
  return [small, big, game?.straddle ? 2 : -1].map((position) => (blinds[position] ? order[position] ?? -1 : -1));
}

/**
 * @param {{action: string, to?: number, paid?: number, all_in?: boolean, forced?: string}} message
 * @param {number} top the highest bet of the street before it
 * @returns {Action}
 */
function actionOf({ action, to = 0, paid = 0, all_in: allIn = false, forced = "" }, top) {
  /** @type {Action["kind"]} */
  let kind = "fold";
  if (action === "raise") kind = top ? "raise" : "bet";
  else if (action !== "fold") kind = paid ? "call" : "check";
  return { kind, to, paid, allIn, forced };
}

/**
 * After a reconnect a part of the time is over: it began before now, and what there was in the time bank is in `match_start`.
 * @param {Pick<ActionOn, "seat" | "turn" | "time_ms" | "bank_ms">} message
 * @param {number} now
 * @param {State["match"]} match
 * @param {number} [bankBefore]
 * @returns {Clock}
 */
function startClock({ seat, turn, time_ms: time, bank_ms: bank }, now, match, bankBefore = 0) {
  const base = now + time;
  return { seat, turn, from: base - Math.max(time, match?.time_ms ?? 0), base, bank, wholeBank: Math.max(bank, bankBefore) };
}

/**
 * @param {State} state
 * @param {number} seat
 * @param {number} stack
 */
function setStack(state, seat, stack) {
  return updateHand(state, (hand) => {
    const player = hand.players[seat];
    return player ? { ...hand, players: { ...hand.players, [seat]: { ...player, stack } } } : hand;
  });
}

/**
 * @param {readonly Line[]} lines
 * @param {readonly Line[]} removed
 */
function without(lines, removed) {
  const set = new Set(removed);
  return lines.filter((line) => !set.has(line));
}
