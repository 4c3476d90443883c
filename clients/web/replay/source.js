// Where the replayer gets its hands from, and the options that its viewer chose.

import { matchesCommitment } from "../lib/seeds.js";
import { store, stored } from "../lib/storage.js";
import { _ } from "../lib/language.js";

/**
 * @import {Address, Recorded} from "./steps.js"
 */
/**
 * What is known of the table or competition that a hand belongs to. `open` is false when it is over; `name` is the table's,
 * "" where it has none; `isVerified` says whether the seed has the promised SHA-256, null where this browser cannot compute it.
 * @typedef {{name: string, commitment: string, seed: string, open: boolean, isVerified: boolean | null}} Facts
 */
/**
 * How hands are shown: `speed` is a key of SPEEDS, `autoNext` goes on with the next hand, `allFaceUp` turns all cards up.
 * @typedef {{speed: string, autoNext: boolean, allFaceUp: boolean}} Options
 */

/**
 * What a house bot would have done at a decision, with the total of a raise and the probability of each action.
 * @typedef {{bot: string, depth: number, chances: ["fold" | "check" | "call" | "raise", number, number][]}} HandHint
 */

/** Why there is nothing to show. `canRetry` says that another attempt may help. */
export class LoadError extends Error {
  /**
   * @param {string} text
   * @param {boolean} canRetry
   */
  constructor(text, canRetry) {
    super(text);
    this.canRetry = canRetry;
  }
}

/** Factors by which the times of the live table are stretched; at 1× there is time to read each line. */
export const SPEEDS = /** @type {Record<string, number>} */ ({ "0.5": 4, 1: 2, 2: 1, 4: 0.5, instant: 0 });

const KEY = "pokerd.replay";
/** Hands that are kept: those around the one that is shown. */
const MAX_HANDS = 8;

/** @returns {Options} */
export function loadOptions() {
  const { speed, on, all } = stored(KEY) ?? {};
  return { speed: speed in SPEEDS ? speed : "1", autoNext: on === true, allFaceUp: all !== false };
}

/** @param {Options} options */
export function saveOptions({ speed, autoNext, allFaceUp }) {
  store(KEY, { speed, on: autoNext, all: allFaceUp });
}

export class HandSource {
  constructor() {
    /** @type {Map<string, Promise<Recorded>>} */
    this.hands = new Map();
    /** @type {Map<string, Promise<Facts>>} */
    this.facts = new Map();
  }

  /**
   * Raises `LoadError`.
   * @param {Address} at
   * @returns {Promise<Recorded>}
   */
  async hand(at) {
    let request = this.hands.get(at.path);
    if (!request) {
      request = fetchJson(at.api).catch(async (error) => {
        throw error.canRetry ? error : await explainError(at, error);
      });
      this.hands.set(at.path, request);
      if (this.hands.size > MAX_HANDS) this.hands.delete(/** @type {string} */ (this.hands.keys().next().value));
      // The last hand of a table that goes on will have a next one; and what failed may succeed.
      request.then((hand) => hand.next || this.hands.delete(at.path), () => this.hands.delete(at.path));
    }
    return request;
  }

  /**
   * Raises `LoadError`.
   * @param {Address} at
   * @returns {Promise<Facts>}
   */
  async tableFacts(at) {
    let request = this.facts.get(at.facts);
    if (!request) {
      request = fetchJson(at.facts).then(async ({ name = "", commitment, seed, open, status }) => ({
        name: at.competition ? "" : name, commitment, seed, open: at.competition ? status === "running" : open,
        // Those of ACPC deals are numbers.
        isVerified: /^[0-9a-f]{64}$/.test(seed) ? await matchesCommitment(seed, commitment) : null,
      }));
      this.facts.set(at.facts, request);
      request.then((facts) => facts.open && this.facts.delete(at.facts), () => this.facts.delete(at.facts));
    }
    return request;
  }
}

/**
 * What a strong bot would have done at an action of a hand. Raises `LoadError`.
 * @param {Address} at
 * @param {number} number
 * @returns {Promise<HandHint>}
 */
export async function loadHint(at, number) {
  const answer = await fetch(`${at.api}/hints/${number}`).catch(() => null);
  const body = await answer?.json().catch(() => null);
  if (answer?.ok && body) return body;
  throw new LoadError(body ? _(String(body.message)) : _("The server does not answer."), answer?.status !== 404);
}

/**
 * @param {Address} at
 * @param {Error} error
 */
async function explainError(at, error) {
  if (!at.competition) return new LoadError(_("There is no such hand, or only its player may see it."), false);
  const facts = await fetchJson(at.facts).catch((/** @type {Error} */ other) => other);
  if (facts instanceof Error) return facts;
  return {
    running: new LoadError(_("This hand is not available yet: the competition is running. A hand appears when every session with the same deals is over; earlier, it could reveal a bot's next cards."), true),
    unfinished: new LoadError(_("The competition is not finished, so its hands are not shown."), false),
  }[/** @type {string} */ (facts.status)] ?? error;
}

/**
 * @param {string} api
 * @returns {Promise<any>}
 */
async function fetchJson(api) {
  let answer;
  try {
    answer = await fetch(api);
  } catch {
    throw new LoadError(_("The server does not answer."), true);
  }
  const body = await answer.json().catch(() => null);
  if (answer.ok && body) return body;
  if (answer.status !== 404) throw new LoadError(_("The server failed to answer. Its log says why."), true);
  const text = String(body?.message ?? "not found");
  throw new LoadError(_("There is no such hand: {text}.", { text: _(text) }), false);
}

