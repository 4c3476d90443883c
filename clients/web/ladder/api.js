// The ladder's API, with the token that this browser keeps for an author, or this tab for the organiser.

import { Refused } from "../organiser/api.js";

export { Refused };

/** What a token is kept for: an author's for good, the organiser's until the tab is closed. */
export class Keeper {
  /**
   * @param {string} key
   * @param {() => Storage} storage is asked each time: a private window may refuse
   */
  constructor(key, storage) {
    this.key = key;
    this.storage = storage;
    this.token = "";
    try {
      this.token = storage().getItem(key) ?? "";
    } catch {
      // Then the token is gone when the page is loaded again.
    }
  }

  /** @param {string} token "" to forget it */
  keep(token) {
    this.token = token;
    try {
      if (token) this.storage().setItem(this.key, token);
      else this.storage().removeItem(this.key);
    } catch {
      // As above.
    }
  }
}

export const author = new Keeper("pokerd ladder", () => localStorage);
export const organiser = new Keeper("pokerd ladder organiser", () => sessionStorage);

/** Who reads: in a blind ladder the organiser sees all names, and an author his own. */
function reader() {
  return organiser.token || author.token;
}

/**
 * What is at an address below `/api/ladder`. Throws `Refused`, or `TypeError` when nobody answers.
 * @param {string} path
 * @param {string} [token]
 * @param {RequestInit} [request]
 * @returns {Promise<any>}
 */
export async function ask(path, token = reader(), request = {}) {
  const answer = await send(path, token, request);
  return answer.json();
}

/**
 * The same as text.
 * @param {string} path
 * @param {string} token
 */
export async function askText(path, token) {
  return (await send(path, token, {})).text();
}

/**
 * @param {string} path
 * @param {object} order
 * @param {string} token
 * @returns {Promise<any>}
 */
export function order(path, order, token) {
  return ask(path, token, { method: "POST", body: JSON.stringify(order) });
}

/**
 * @param {string} path
 * @param {string} token
 * @param {RequestInit} request
 */
async function send(path, token, request) {
  if (token && !/^[\x21-\x7e]+$/.test(token)) throw new Refused(401, "this is not a token");
  const answer = await fetch(`/api/ladder${path}`, { ...request, headers: token ? { Authorization: `Bearer ${token}` } : {} });
  if (!answer.ok) {
    const body = await answer.json().catch(() => ({ message: "the server failed to answer" }));
    throw new Refused(answer.status, body.message);
  }
  return answer;
}

/**
 * What to tell of an error.
 * @param {unknown} error
 */
export function problemText(error) {
  return error instanceof Refused ? error.message : "The server does not answer.";
}
