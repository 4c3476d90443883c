// Where the deals come from: what was promised before the match, what was told after it, and whether they agree.

/**
 * A match at this table, by the name under which its hands are kept. `seed` is "" until it is over; `right` says
 * whether it has the promised SHA-256, null where this browser cannot tell.
 * @typedef {{run: string, commitment: string, seed: string, right: boolean | null}} Deal
 */

/** Milliseconds between two looks for a seed that must come soon, and how often. */
const AGAIN = 400;
const LOOKS = 10;

export class Deals {
  /**
   * @param {string} table
   * @param {(deals: readonly Deal[]) => void} onChange
   */
  constructor(table, onChange) {
    this.table = table;
    this.onChange = onChange;
    /** Oldest first. @type {readonly Deal[]} */
    this.list = [];
  }

  /** A match has begun, or I have come to one. */
  async begin() {
    const deal = await ask(this.table);
    if (!deal?.run || this.list.some(({ run }) => run === deal.run)) return;
    this.change([...this.list, deal]);
    this.reveal(this.list.slice(0, -1));
  }

  /** The last match is over as well. */
  end() {
    this.reveal(this.list);
  }

  /**
   * Asks for the seeds of matches that are over. The server writes them down a little later than it says goodbye.
   * @param {readonly Deal[]} over
   * @param {number} looks
   */
  async reveal(over, looks = LOOKS) {
    const missing = over.filter(({ seed }) => !seed);
    const told = (await Promise.all(missing.map(({ run }) => ask(run)))).filter((deal) => deal !== null);
    const found = told.filter(({ seed }) => seed);
    if (found.length) this.change(this.list.map((deal) => found.find(({ run }) => run === deal.run) ?? deal));
    if (found.length < missing.length && looks > 1) setTimeout(() => this.reveal(missing, looks - 1), AGAIN);
  }

  /** @param {readonly Deal[]} list */
  change(list) {
    this.list = list;
    this.onChange(list);
  }
}

/**
 * @param {string} name of a table or of one of its matches
 * @returns {Promise<Deal | null>}
 */
async function ask(name) {
  try {
    const answer = await fetch(`/api/tables/${encodeURIComponent(name)}`);
    if (!answer.ok) return null;
    /** @type {{run: string, commitment: string, seed: string}} */
    const { run, commitment, seed } = await answer.json();
    return { run, commitment, seed, right: await agrees(seed, commitment) };
  } catch {
    return null;  // the server is away; whoever opens the page again asks again
  }
}

/**
 * @param {string} seed in hex digits
 * @param {string} commitment
 */
export async function agrees(seed, commitment) {
  // Only pages of this machine, or those that came over TLS, are allowed to compute it.
  if (!seed || !globalThis.crypto?.subtle) return null;
  const bytes = Uint8Array.from(seed.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("") === commitment;
}
