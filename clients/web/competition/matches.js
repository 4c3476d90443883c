// From sessions to their hands, and from these to the replayer.

import { formatCount, routeLink } from "./data.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ordinal, pgettext } from "../lib/language.js";
import { downloads, pager, table } from "./tables.js";
import { card } from "../table/view.js";
import { apiAddress } from "./views.js";
import { amount, signedNumber } from "../lib/words.js";

/** @import {Competition, Division, HandEntry, Route, Session} from "./data.js" */
/** @import {Loader} from "./loader.js" */
/**
 * The part of the competition that is shown. `go` follows a link.
 * @typedef {{it: Competition, division: Division, route: Route, loader: Loader, go: (link: string) => void}} Place
 */

export const PAGE_SIZE = 50;

/** @param {Place} place */
export function matchesSection(place) {
  return place.route.session ? handList(place) : sessionList(place);
}

/** @param {Route} route */
export function offsetOf(route) {
  return Math.max(0, Math.trunc(Number(route.query.get("offset"))) || 0);
}

/** @param {Place} place */
function sessionList({ it, division, route, loader, go }) {
  const chosen = route.query.getAll("bot").filter((bot) => division.bots.includes(bot));
  const offset = offsetOf(route);
  const query = new URLSearchParams([["division", division.division], ...chosen.map((bot) => ["bot", bot])]);
  const all = `${apiAddress(it)}/sessions`;
  const page = `${query}&offset=${offset}&limit=${PAGE_SIZE}`;
  // A session that is over becomes open to all only later: hence also when the last of the others ends.
  const done = it.divisions.map((one) => one.sessions_done).join();
  const answer = loader.get(`${all}?${page}`, `${it.status} ${done}`);
  /** @type {{sessions: Session[], total: number} | null} */
  const data = answer.data;
  /** @type {(index: number) => (event: Event) => void} */
  const choose = (index) => (event) => {
    const bots = [...chosen];
    bots[index] = /** @type {HTMLSelectElement} */ (event.target).value;
    go(routeLink(division.division, "matches", "", [...new Set(bots)].map((bot) => ["bot", bot])));
  };
  const choices = Math.min(division.players, chosen.length + 1);
  return html`
    <div class="filter">${Array.from({ length: choices }, (each, index) => html`<label>${index ? _("and") : _("Matches of")}
      <select aria-label=${index ? _("and of") : _("Matches of")} @change=${choose(index)}><option value="" ?selected=${!chosen[index]}>${index ? _("anybody") : _("all bots")}</option>
        ${division.bots.map((bot) => html`<option value=${bot} ?selected=${chosen[index] === bot}>${bot}</option>`)}</select></label>`)}</div>
    ${answer.note ? html`<p class="error" role="status">${_(answer.note)}</p>` : nothing}
    ${data === null ? (answer.note ? nothing : html`<p class="hint">${_("Loading…")}</p>`)
      : !data.total ? html`<p>${it.status === "unfinished" ? _("There are no matches to show.") : _("No match has finished yet.")}</p>` : html`
      ${table({
        caption: _("Sessions: match, line-up and seating"),
        columns: [
          { key: "session", title: _("Session"), head: true, cell: (row) => (row.released
            ? html`<a href=${routeLink(division.division, "matches", row.session.split("/").at(-1), chosen.map((bot) => ["bot", bot]))}>${row.session.split("/").at(-1)}</a>`
            : row.session.split("/").at(-1)) },
          { key: "players", title: division.mode === "tournament" ? _("Places and chips by seat") : _("Chips by seat"), text: true, cell: (row) => html`<ol class="players">${row.players.map((bot, seat) =>
            html`<li>${row.places[seat] ? html`${ordinal(row.places[seat] ?? 0)} ` : nothing}<span class=${chosen.includes(bot) ? "chosen" : ""}>${bot}</span> ${netCell(row.net[seat] ?? 0)}</li>`)}</ol>` },
          { key: "hands", title: _("Hands"), cell: (row) => (row.released ? formatCount(row.hands) : html`${formatCount(row.hands)}, <em>${_("later")}</em>`) },
        ],
        rows: data.sessions,
      })}
      ${data.sessions.some((row) => !row.released) ? html`<p class="hint">${_("Later: {why}", { why: WHY_LATER })}</p>` : nothing}
      ${pager({ offset, limit: PAGE_SIZE, total: data.total, link: (to) => routeLink(division.division, "matches", "", [...chosen.map((bot) => /** @type {const} */ (["bot", bot])), ["offset", to ? String(to) : ""]]) })}
      ${downloads(`${all}?${page}`, `${all}.csv?${page}`)}`}`;
}

const WHY_LATER = _("hands appear when every session with the same deals is over, in all divisions. Earlier, they could reveal a bot's next cards.");

/** @param {number} chips */
function netCell(chips) {
  return html`<span class="net" data-sign=${Math.sign(chips)}>${signedNumber(chips, 2)}</span>`;
}

/** @param {Place} place */
function handList({ it, division, route, loader }) {
  const chosen = route.query.getAll("bot");
  const back = routeLink(division.division, "matches", "", chosen.map((bot) => ["bot", bot]));
  const offset = offsetOf(route);
  const all = `${apiAddress(it)}/sessions/${encodeURIComponent(division.division)}/${encodeURIComponent(route.session)}/hands`;
  const page = `offset=${offset}&limit=${PAGE_SIZE}`;
  const answer = loader.get(`${all}?${page}`, it.status === "finished" ? "finished" : it.divisions.map((one) => one.sessions_done).join());
  /** @type {{hands: HandEntry[], total: number} | null} */
  const data = answer.data;
  return html`
    <p><a href=${back}>${_("All sessions")}</a></p>
    <h3>${_("Hands of {session}", { session: route.session })}</h3>
    ${data === null ? html`<p role="status">${!answer.note ? _("Loading…") : answer.status === 404 && it.status !== "finished" ? _("Not yet: {why}", { why: WHY_LATER }) : _(answer.note)}</p>`
      : handTable(it, division, route, data, offset, `${all}?${page}`, `${all}.csv?${page}`)}`;
}

/**
 * @param {Competition} it
 * @param {Division} division
 * @param {Route} route
 * @param {{hands: HandEntry[], total: number}} data
 * @param {number} offset
 * @param {string} json
 * @param {string} csv
 */
export function handTable(it, division, route, data, offset, json, csv) {
  const players = [...new Set(data.hands.flatMap((hand) => hand.players))].sort((a, b) => division.bots.indexOf(a) - division.bots.indexOf(b));
  return html`
    ${table({
      caption: _("Hands in order of play, with links to the replayer"),
      columns: [
        { key: "hand", title: _("Hand"), head: true, cell: (row) => html`<a href=${replayLink(it, row.id)}>${row.hand}</a>` },
        { key: "board", title: _("Board"), text: true, cell: (row) => (row.board.length ? html`<span class="board in-text">${row.board.map((code) => card(code))}</span>` : html`<span class="hint">${_("none")}</span>`) },
        { key: "pot", title: _("Pot"), cell: (row) => amount(row.pot) },
        ...players.map((bot) => ({ key: bot, title: bot, cell: (/** @type {HandEntry} */ row) => playerCell(row, row.players.indexOf(bot)) })),
      ],
      rows: data.hands,
    })}
    ${pager({ offset, limit: PAGE_SIZE, total: data.total, link: (to) => routeLink(division.division, "matches", route.session, [...route.query.getAll("bot").map((bot) => /** @type {const} */ (["bot", bot])), ["offset", to ? String(to) : ""]]) })}
    ${downloads(json, csv)}`;
}

/**
 * A player's hole cards, and what he won.
 * @param {HandEntry} hand
 * @param {number} position -1 for a player who was not dealt in
 */
function playerCell(hand, position) {
  if (position < 0) return pgettext("of a hand", "out");
  const cards = hand.cards[position] ?? [];
  return html`${cards.length ? html`<span class="in-text">${cards.map((code) => card(code))}</span> ` : ""}${netCell(hand.net[position] ?? 0)}`;
}

/**
 * Where a hand is played again.
 * @param {Competition} it
 * @param {string} id as DIVISION/SESSION/NUMBER
 */
function replayLink(it, id) {
  return `/hand/${[it.competition, ...id.split("/")].map(encodeURIComponent).join("/")}`;
}
