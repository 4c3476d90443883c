// Requests to the server's APIs with a token, and where a browser or a tab keeps it.

import { _ } from "./language.js";

/** The server answered, and refused. `status` is that of HTTP. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    const text = _(message);
    super(`${text[0]?.toUpperCase() ?? ""}${text.slice(1)}.`.replace(/([.!?])\.$/, "$1"));
    this.status = status;
  }
}

/** What a token is kept for: for good in `localStorage`, until the tab is closed in `sessionStorage`. */
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

/**
 * The answer to a request, with a token if there is one. Throws `Refused`, or `TypeError` when nobody answers.
 * @param {string} address
 * @param {string} token
 * @param {RequestInit} request
 */
export async function send(address, token, request) {
  if (token && !/^[\x21-\x7e]+$/.test(token)) throw new Refused(401, "this is not a token");
  const answer = await fetch(address, { ...request, headers: token ? { Authorization: `Bearer ${token}` } : {} });
  if (!answer.ok) {
    const body = await answer.json().catch(() => ({ message: "the server failed to answer" }));
    throw new Refused(answer.status, body.message);
  }
  return answer;
}
