// Where the replayer gets its hands from, and what it remembers of its viewer's wishes.

import { agrees } from "../lib/seeds.js";

/**
 * @import {Address, Recorded} from "./steps.js"
 */
/**
 * What is known of the table or competition that a hand belongs to. `open` is false when it is over; `right` says
 * whether the seed has the promised SHA-256, null where this browser cannot tell.
 * @typedef {{commitment: string, seed: string, open: boolean, right: boolean | null}} Facts
 */
/**
 * How hands are shown: `speed` is a key of SPEEDS, `on` goes on with the next hand, `all` turns all cards up.
 * @typedef {{speed: string, on: boolean, all: boolean}} Wishes
 */

/** Why there is nothing to show. `again` says that another attempt may help. */
export class Trouble extends Error {
  /**
   * @param {string} text
   * @param {boolean} again
   */
  constructor(text, again) {
    super(text);
    this.again = again;
  }
}

/** Factors by which the times of the live table are stretched; at 1× there is time to read each line. */
export const SPEEDS = /** @type {Record<string, number>} */ ({ "0.5": 4, 1: 2, 2: 1, 4: 0.5, instant: 0 });

const KEY = "pokerd.replay";
/** Hands that are kept: those around the one that is shown. */
const KEPT = 8;

/** @returns {Wishes} */
export function wishes() {
  /** @type {Wishes} */
  const found = { speed: "1", on: false, all: true };
  try {
    const { speed, on, all } = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return { speed: speed in SPEEDS ? speed : found.speed, on: on === true, all: all !== false };
  } catch {
    return found;  // the storage is closed to us, or holds something else
  }
}

/** @param {Wishes} some */
export function remember(some) {
  try {
    localStorage.setItem(KEY, JSON.stringify(some));
  } catch {
    // A private window may refuse; then the choice lasts as long as the page.
  }
}

export class Source {
  constructor() {
    /** @type {Map<string, Promise<Recorded>>} */
    this.hands = new Map();
    /** @type {Map<string, Promise<Facts>>} */
    this.facts = new Map();
  }

  /**
   * Raises `Trouble`.
   * @param {Address} at
   * @returns {Promise<Recorded>}
   */
  async hand(at) {
    let asked = this.hands.get(at.path);
    if (!asked) {
      asked = ask(at.api).catch(async (error) => {
        throw at.competition && !error.again ? await reason(at, error) : error;
      });
      this.hands.set(at.path, asked);
      if (this.hands.size > KEPT) this.hands.delete(/** @type {string} */ (this.hands.keys().next().value));
      // The last hand of a table that goes on will have a next one; and what failed may succeed.
      asked.then((hand) => hand.next || this.hands.delete(at.path), () => this.hands.delete(at.path));
    }
    return asked;
  }

  /**
   * Raises `Trouble`.
   * @param {Address} at
   * @returns {Promise<Facts>}
   */
  async about(at) {
    let asked = this.facts.get(at.facts);
    if (!asked) {
      asked = ask(at.facts).then(async ({ commitment, seed, open, status }) => ({
        commitment, seed, open: at.competition ? status === "running" : open,
        // Those of ACPC deals are numbers.
        right: /^[0-9a-f]{64}$/.test(seed) ? await agrees(seed, commitment) : null,
      }));
      this.facts.set(at.facts, asked);
      asked.then((facts) => facts.open && this.facts.delete(at.facts), () => this.facts.delete(at.facts));
    }
    return asked;
  }
}

/**
 * @param {Address} at
 * @param {Error} error
 */
async function reason(at, error) {
  const told = await ask(at.facts).catch((/** @type {Error} */ other) => other);
  if (told instanceof Error) return told;
  return {
    running: new Trouble("This hand cannot be looked at yet: the competition is running. A hand is released when every "
      + "session with the same deals is over; until then it could tell a bot what it is about to be dealt.", true),
    unfinished: new Trouble("The competition was not finished, so its hands are not shown.", false),
  }[/** @type {string} */ (told.status)] ?? error;
}

/**
 * @param {string} api
 * @returns {Promise<any>}
 */
async function ask(api) {
  let answer;
  try {
    answer = await fetch(api);
  } catch {
    throw new Trouble("The server does not answer.", true);
  }
  const told = await answer.json().catch(() => null);
  if (answer.ok && told) return told;
  if (answer.status !== 404) throw new Trouble("The server could not answer that. It has written down why.", true);
  const text = String(told?.message ?? "nothing is here");
  throw new Trouble(`There is no such hand to look at: ${text}.`, false);
}

