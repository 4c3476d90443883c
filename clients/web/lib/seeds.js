// The seeds of a table's matches: the commitment before each match, the seed after it, and whether they agree.

/**
 * A match at this table, by the name under which its hands are kept. `seed` is "" until it is over; `isVerified`
 * says whether its SHA-256 is the commitment, null where this browser cannot compute it.
 * @typedef {{run: string, commitment: string, seed: string, isVerified: boolean | null}} MatchSeed
 */

/** Milliseconds between two requests for a seed, and how many there are. */
const RETRY_DELAY = 400;
const MAX_TRIES = 10;

export class MatchSeeds {
  /**
   * @param {string} table
   * @param {(seeds: readonly MatchSeed[]) => void} onChange
   */
  constructor(table, onChange) {
    this.table = table;
    this.onChange = onChange;
    /** Oldest first. @type {readonly MatchSeed[]} */
    this.list = [];
  }

  /** A match has begun, or I have come to one: fetches its commitment. */
  async addMatch() {
    const match = await fetchSeed(this.table);
    if (!match?.run || this.list.some(({ run }) => run === match.run)) return;
    this.setList([...this.list, match]);
    this.reveal(this.list.slice(0, -1));
  }

  /** The last match is over as well: fetches the seeds of all. */
  revealAll() {
    this.reveal(this.list);
  }

  /**
   * Fetches the seeds of finished matches. The server publishes a seed shortly after the end of its match.
   * @param {readonly MatchSeed[]} finished
   * @param {number} tries
   */
  async reveal(finished, tries = MAX_TRIES) {
    const missing = finished.filter(({ seed }) => !seed);
    const answers = (await Promise.all(missing.map(({ run }) => fetchSeed(run)))).filter((match) => match !== null);
    const found = answers.filter(({ seed }) => seed);
    if (found.length) this.setList(this.list.map((match) => found.find(({ run }) => run === match.run) ?? match));
    if (found.length < missing.length && tries > 1) setTimeout(() => this.reveal(missing, tries - 1), RETRY_DELAY);
  }

  /** @param {readonly MatchSeed[]} list */
  setList(list) {
    this.list = list;
    this.onChange(list);
  }
}

/**
 * @param {string} name of a table or of one of its matches
 * @returns {Promise<MatchSeed | null>}
 */
async function fetchSeed(name) {
  try {
    const answer = await fetch(`/api/tables/${encodeURIComponent(name)}`);
    if (!answer.ok) return null;
    /** @type {{run: string, commitment: string, seed: string}} */
    const { run, commitment, seed } = await answer.json();
    return { run, commitment, seed, isVerified: await matchesCommitment(seed, commitment) };
  } catch {
    return null;  // the server is away; reloading the page tries again
  }
}

/**
 * Whether the seed has the SHA-256 `commitment`; null without a seed, or where the browser cannot compute it.
 * @param {string} seed in hex digits
 * @param {string} commitment
 */
export async function matchesCommitment(seed, commitment) {
  // Only pages of this machine, or those that came over TLS, are allowed to compute it.
  if (!seed || !globalThis.crypto?.subtle) return null;
  const bytes = Uint8Array.from(seed.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("") === commitment;
}
