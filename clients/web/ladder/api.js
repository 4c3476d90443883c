// The ladder's API, with the token that this browser keeps for an author, or this tab for the organiser.

import { Keeper, Refused, send } from "../lib/tokens.js";
import { _ } from "../lib/language.js";

export { Refused };

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
  const answer = await send(`/api/ladder${path}`, token, request);
  return answer.json();
}

/**
 * The same as text.
 * @param {string} path
 * @param {string} token
 */
export async function askText(path, token) {
  return (await send(`/api/ladder${path}`, token, {})).text();
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
 * What to tell of an error.
 * @param {unknown} error
 */
export function problemText(error) {
  return error instanceof Refused ? error.message : _("The server does not answer.");
}
