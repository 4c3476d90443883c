// A recorded hand, step by step: the same reducer as the live table's, and what lies between two messages.

import { initialState, reduce } from "../table/state.js";
import { programOf } from "../look/characters.js";
import { _ } from "../lib/language.js";
import { lineText, streetName, toPlainText, toSpeech, tryDecode } from "../lib/words.js";

/**
 * @import {GameInfo, OpenPot, ServerMessage} from "../lib/messages.d.ts"
 * @import {Hand, Line, State} from "../lib/table_types.js"
 */
/**
 * A hand as in `/api/hands/{hand}` and its like in competitions.
 * @typedef {{id: string, table: string, hand: number, at: number, names: string[], own: number, open: boolean,
 *   cards: string[][], previous: string, next: string, messages: ServerMessage[], chances?: [string, number][][],
 *   equities?: number[][], odds?: [number, number][]}} Recorded
 * `chances` has for each action what the player said he could have done: f, c, r300. `equities` are by event and position;
 * `odds` have for each action what there was to call, and what a call could win.
 */
/**
 * The table after `message`. `from` and `to` bound the lines of the log that this step adds.
 * @typedef {{state: State, message: ServerMessage, from: number, to: number}} Step
 */
/**
 * Where a hand is found: its address as a page and in the API, and what it belongs to. `prefix` stands before the ids
 * of its neighbours, `home` is the page of its table or competition, `facts` that page's address in the API.
 * @typedef {{path: string, api: string, prefix: string, name: string, competition: string, home: string,
 *   facts: string}} Address
 */

/** Messages that are steps; all others belong to the step before them. */
const EVENTS = new Set(["hand_start", "acted", "board", "shown", "hand_end", "showed"]);

/**
 * From the path of a page, `/hand/table-1.7.33` or `/hand/COMPETITION/DIVISION/SESSION/NUMBER`; null for any other.
 * @param {string} path
 * @returns {Address | null}
 */
export function parseAddress(path) {
  const [, page, ...parts] = path.split("/");
  if (page !== "hand" || parts.some((part) => !part)) return null;
  const [first = "", ...rest] = parts;
  if (parts.length === 1) {
    const run = first.replace(/\.[^.]*$/, "");
    return {
      path, api: `/api/hands/${first}`, prefix: "/hand/", name: tryDecode(first), competition: "",
      home: `/table/${run.replace(/\.[^.]*$/, "")}`, facts: `/api/tables/${run}`,
    };
  }
  if (parts.length !== 4) return null;
  const [division, session, number] = rest;
  const facts = `/api/competitions/${first}`;
  return {
    path, api: `${facts}/sessions/${division}/${session}/hands/${number}`, prefix: `/hand/${first}/`,
    name: rest.map(tryDecode).join("/"), competition: tryDecode(first), home: `/competition/${first}`, facts,
  };
}

/**
 * The page of a neighbour, "" where there is none.
 * @param {Address} at
 * @param {string} id as the API names it
 */
export function neighbourPath(at, id) {
  return id && at.prefix + id.split("/").map(encodeURIComponent).join("/");
}

/**
 * Every step of the hand; the first one shows it dealt.
 * @param {Recorded} hand
 * @returns {Step[]}
 */
export function steps(hand) {
  let state = initialState(hand.table);
  /** @type {readonly number[]} */
  let stacks = [];
  /** @type {Step[]} */
  const found = [];
  for (const message of hand.messages) {
    const from = state.lines.length;
    if (message.type === "hand_start") {
      stacks = message.stacks;
      // Who sits there is known before the first line names him.
      state = { ...state, info: seatsMessage(hand, reduce(state, message)) };
    }
    state = reduce(state, message);
    // The live table gets its pots with every turn; a record has no turns.
    if (message.type === "board" && state.hand) state = { ...state, hand: { ...state.hand, pots: potsOfStreets(state.hand, stacks) } };
    const last = found.at(-1);
    if (EVENTS.has(message.type)) found.push({ state, message, from, to: state.lines.length });
    else if (last) last.state = state;
  }
  return found;
}

/**
 * Who is not dealt in is out of it. At an open table only house bots may have names like theirs; a competition may name its
 * own programs so.
 * @param {Recorded} hand
 * @param {State} state
 * @returns {NonNullable<State["info"]>}
 */
function seatsMessage({ id, table, names, hand }, state) {
  const isOpenTable = !id.includes("/");
  const seats = names.map((name, seat) => {
    const player = state.hand?.players[seat];
    const kind = isOpenTable && programOf(name) ? "bot" : "";
    return { seat, name, kind, stack: player?.stack ?? 0, state: player ? "in" : name ? "out" : "", place: 0, parameters: {}, twice: false };
  });
  return { type: "seats", table, seats, watchers: 0, hand, pause_ms: 0, name: "", mode: state.match?.mode ?? "", game: "" };
}

/**
 * The pots of the streets that are over, the main one first. What nobody called is in none.
 * @param {Hand} hand between two streets
 * @param {readonly number[]} stacks chips before the hand, by position
 * @returns {OpenPot[]}
 */
export function potsOfStreets({ seats, players }, stacks) {
  const spent = seats.map((seat, position) => (stacks[position] ?? 0) - (players[seat]?.stack ?? 0));
  const called = [...spent].sort((a, b) => b - a)[1] ?? 0;
  const paid = seats.map((seat, position) => ({ seat, in: !players[seat]?.folded, chips: Math.min(spent[position] ?? 0, called) }));
  const levels = [...new Set(paid.filter((one) => one.in).map((one) => one.chips))].sort((a, b) => a - b);
  return levels.map((level, index) => {
    const below = levels[index - 1] ?? 0;
    const amount = paid.reduce((sum, { chips }) => sum + Math.min(chips, level) - Math.min(chips, below), 0);
    return { amount, seats: paid.filter((one) => one.in && one.chips >= level).map((one) => one.seat) };
  }).filter((pot) => pot.amount);
}

/**
 * The state with the cards face up that are to be seen: all that are known, or those of one seat.
 * @param {State} state
 * @param {Recorded} hand
 * @param {{all: boolean, seat: number | undefined}} options
 * @returns {State}
 */
export function faceUp(state, { cards }, { all, seat }) {
  if (!state.hand) return state;
  const players = { ...state.hand.players };
  state.hand.seats.forEach((number, position) => {
    const player = players[number];
    const known = cards[position] ?? [];
    if (player && (all || number === seat) && known.length > player.cards.length) players[number] = { ...player, cards: known };
  });
  return { ...state, hand: { ...state.hand, players } };
}

/**
 * Where each street begins, and the showdown, when all there is to see is seen; -1 where it was not reached.
 * @param {readonly Step[]} all
 * @returns {{name: string, step: number}[]}
 */
export function streets(all) {
  const game = all[0]?.state.match?.game;
  const begin = (/** @type {number} */ street) => all.findIndex(({ message }) => message.type === "board" && message.street === street);
  const last = (/** @type {string} */ type) => all.findLastIndex(({ message }) => message.type === type);
  return [
    { name: shortName(0, game), step: 0 },
    ...Array.from({ length: (game?.rounds ?? 1) - 1 }, (each, index) => ({ name: shortName(index + 1, game), step: begin(index + 1) })),
    { name: _("Showdown"), step: last("shown") < 0 ? -1 : Math.max(last("shown"), last("board")) },
  ];
}

/**
 * @param {number} street
 * @param {GameInfo | undefined} game
 */
function shortName(street, game) {
  if (street) return streetName(street, game);
  return !game || game.board_cards.join() === "0,3,1,1" ? _("Preflop") : _("Round {n}", { n: 1 });
}

/**
 * What a step says, as text to read or to hear.
 * @param {Step | undefined} step
 * @param {"plain" | "spoken"} how
 * @param {boolean} inBlinds
 */
export function stepText(step, how, inBlinds) {
  return linesOf(step).map((line) => (how === "plain" ? toPlainText : toSpeech)(lineText(line, inBlinds))).join(". ");
}

/**
 * The lines of the log that a step adds.
 * @param {Step | undefined} step
 * @returns {readonly Line[]}
 */
export function linesOf(step) {
  return step ? step.state.lines.slice(step.from, step.to) : [];
}

/**
 * What the player of a step said he could have done, with its chances; empty if he said nothing that may be seen. `to` is 0 where
 * a raise has one size.
 * @param {Recorded} hand
 * @param {readonly Step[]} all
 * @param {number} step
 * @returns {{kind: "fold" | "check" | "call" | "bet" | "raise", to: number, chance: number}[]}
 */
export function chancesAt({ chances }, all, step) {
  return choicesAt((chances?.[actionAt(all, step)] ?? []).map(([text, chance]) => [text.charAt(0), Number(text.slice(1)), chance]), all, step);
}

/**
 * Actions of a step with their chances, by the names that they have there; `to` is 0 where a raise has one size.
 * @param {readonly (readonly [action: string, to: number, chance: number])[]} chances fold, call and raise, or their initials
 * @param {readonly Step[]} all
 * @param {number} step
 * @returns {{kind: "fold" | "check" | "call" | "bet" | "raise", to: number, chance: number}[]}
 */
export function choicesAt(chances, all, step) {
  const before = all[step - 1]?.state;
  const message = all[step]?.message;
  if (message?.type !== "acted" || !before?.hand) return [];
  const top = Math.max(...Object.values(before.hand.players).map(({ bet }) => bet));
  const own = before.hand.players[message.seat]?.bet ?? 0;
  return chances.map(([action, to, chance]) => ({
    kind: action.startsWith("f") ? "fold" : action.startsWith("c") ? (own < top ? "call" : "check") : top ? "raise" : "bet", to, chance,
  }));
}

/**
 * The number of a step's action, from 0; -1 where nobody acts.
 * @param {readonly Step[]} all
 * @param {number} step
 */
export function actionAt(all, step) {
  return all[step]?.message.type === "acted" ? all.slice(0, step).filter((one) => one.message.type === "acted").length : -1;
}

/**
 * From where a hand can be played on, with what is done up to a step: the number of actions, and the seat that is to act; null
 * where nobody acts any more.
 * @param {readonly Step[]} all
 * @param {number} step
 * @returns {{keep: number, seat: number} | null}
 */
export function pointAfter(all, step) {
  const next = all.slice(step + 1).find(({ message }) => message.type === "acted")?.message;
  const keep = all.slice(0, step + 1).filter(({ message }) => message.type === "acted").length;
  return next?.type === "acted" ? { keep, seat: next.seat } : null;
}

/**
 * Whether a strong bot can be asked what it would have done at a step: at a table, with cards that may be seen. While
 * others may play the deals of a challenge, these are one's own alone.
 * @param {Address} at
 * @param {Recorded} hand
 * @param {Step | undefined} step
 */
export function isAskable({ competition }, { cards, own, open }, step) {
  const match = step?.state.match;
  if (competition || step?.message.type !== "acted" || !match || !step.state.hand) return false;
  const { seat } = step.message;
  if (match.mode === "challenge" && !open && seat !== own) return false;
  return cards[step.state.hand.seats.indexOf(seat)]?.length === match.game.hole_cards;
}

/**
 * What the next player has to call, what a call could win, and the equity from which on it wins chips; null where there is
 * nothing to call.
 * @param {Recorded} hand
 * @param {readonly Step[]} all
 * @param {number} step
 * @returns {{seat: number, call: number, pot: number, needs: number} | null}
 */
export function potOdds({ odds }, all, step) {
  const message = all[step + 1]?.message;
  if (message?.type !== "acted") return null;
  const [call = 0, pot = 0] = odds?.[all.slice(0, step + 1).filter((one) => one.message.type === "acted").length] ?? [];
  return call > 0 ? { seat: message.seat, call, pot, needs: call / (pot + call) } : null;
}

/**
 * The step that a link points at: "#12" is step 12; a comment may follow.
 * @param {string} hash
 * @param {number} last
 */
export function stepFromHash(hash, last) {
  return Math.min(Number(/^#(\d{1,6})(?::|$)/.exec(hash)?.[1] ?? 0), last);
}

/**
 * Whom the table is looked at from, by name; undefined for nobody in particular.
 * @param {Recorded} hand
 * @param {string} name
 */
export function seatOf(hand, name) {
  const seat = name ? hand.names.indexOf(name) : -1;
  return seat < 0 ? undefined : seat;
}
