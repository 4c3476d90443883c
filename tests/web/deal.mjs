// Messages of a small table, for the tests of the pure modules.

import { initialState, reduce } from "../../clients/web/table/state.js";

export const TABLE = "table-1";
export const NAMES = ["Anna", "Ben", "Me"];

/** @param {Record<string, unknown>} message */
export const at = (message) => ({ table: TABLE, ...message });

export const GAME = {
  name: "holdem.nolimit.3p", betting: "nolimit", players: 3, rounds: 4, blinds: [5, 10, 0], stacks: [1000, 1000, 1000],
  raise_sizes: [], first_player: [2, 0, 0, 0], max_raises: [255, 255, 255, 255], suits: 4, ranks: 13, hole_cards: 2,
  board_cards: [0, 3, 1, 1], rules: "standard",
};

export const matchStart = (more = {}) => at({
  type: "match_start", match: TABLE, seat: 2, players: NAMES, game: GAME, hands: 0, reset: true, seed: 1, mode: "cash",
  time_ms: 15000, bank_ms: 60000, ...more,
});

// Seat 2 (me) has the button; seat 0 the small blind, seat 1 the big one.
export const handStart = (more = {}) => at({
  type: "hand_start", seq: 0, hand: 1, button: 2, seats: [0, 1, 2], stacks: [1000, 1000, 1000], antes: [0, 0, 0],
  blinds: [5, 10, 0], hole: ["Ah", "Kd"], ...more,
});

export const turn = (more = {}) => at({
  type: "turn", turn: 1, fold: true, call: 10, raise_to: [20, 1000], pot: 15, time_ms: 15000, bank_ms: 60000, ...more,
});

export const acted = (seat, action, to = 0, paid = 0, more = {}) => at({ type: "acted", seq: 1, seat, action, to, paid, ...more });
export const board = (street, ...cards) => at({ type: "board", seq: 5, street, cards });

/** The state after all these messages. */
export function play(...messages) {
  return messages.reduce((state, message) => reduce(state, message, message.now ?? 0), initialState(TABLE));
}

/** Me on the button, dealt in, nobody has acted. */
export const dealt = (...more) => play(matchStart(), handStart(), ...more);
