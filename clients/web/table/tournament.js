// A table of a tournament over several tables: its lobby, the way to my next table, and how I finished.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";
import { finishText, isOfTournament, moveText, tournamentOf } from "../tournament/words.js";

/**
 * @import {Entry, ServerMessage} from "../lib/messages.d.ts"
 * @import {LocalMessage, State} from "../lib/table_types.js"
 */

/**
 * Goes to the table where I sit now, unless I play something else here. Returns what to say about it, or about why I have come
 * to this table.
 * @param {State} state
 * @param {ServerMessage | LocalMessage} message
 */
export function followMove(state, message) {
  if (message.type === "match_start" && message.table === state.table) return takeArrivalText();
  if (message.type !== "entry" || message.state !== "seated" || !message.table || message.table === state.table) return "";
  if (state.me >= 0 && !isOfTournament(state.table, message)) return _("Your tournament has begun. Leave this table and go to its lobby.");
  location.assign(`/table/${encodeURIComponent(message.table)}#${message.reason}`);
  return "";
}

/** Why I have come to this table, said once; "" if nobody has moved me. */
function takeArrivalText() {
  const text = moveText(location.hash.slice(1));
  if (text) history.replaceState(null, "", location.pathname);
  return text;
}

/** The way to the tournament's lobby, in a tab of its own. @param {string} table */
export function lobbyLink(table) {
  const tournament = tournamentOf(table);
  return tournament ? html`<a class="button" href="/tournament/${tournament}" target="_blank">${_("Tournament")}</a>` : nothing;
}

/** @param {Entry} entry */
export function tournamentResult({ tournament, place = 0, of = 0, points = 0 }) {
  return html`<section class="result" aria-labelledby="result">
    <h2 id="result">${finishText({ place, of, points })}</h2>
    ${place === 1 ? html`<p>${_("You are the winner.")}</p>` : place > 2 ? html`<p>${_("The others play on.")}</p>` : nothing}
    <div class="row"><a class="button main" href="/tournament/${tournament}">${_("Players and places")}</a>
      <a class="button" href="/tournament">${_("Play again")}</a></div>
  </section>`;
}
