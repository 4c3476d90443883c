// From sessions to their hands, and from these to the replayer.

import { count, ordinal, placeLink, signed } from "./data.js";
import { downloads, pager, table } from "./tables.js";
import { address } from "./views.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { card } from "../table/view.js";

/** @import {Competition, Division, HandEntry, Place, Session} from "./data.js" */
/** @import {Loader} from "./loader.js" */

const LIMIT = 50;

/**
 * @param {Competition} it
 * @param {Division} division
 * @param {Place} place
 * @param {Loader} loader
 * @param {(link: string) => void} go
 */
export function matches(it, division, place, loader, go) {
  return place.session ? hands(it, division, place, loader) : sessions(it, division, place, loader, go);
}

/** @param {Place} place */
function offsetOf(place) {
  return Math.max(0, Math.trunc(Number(place.query.get("offset"))) || 0);
}

/**
 * @param {Competition} it
 * @param {Division} division
 * @param {Place} place
 * @param {Loader} loader
 * @param {(link: string) => void} go
 */
function sessions(it, division, place, loader, go) {
  const chosen = place.query.getAll("bot").filter((bot) => division.bots.includes(bot));
  const offset = offsetOf(place);
  const query = new URLSearchParams([["division", division.division], ...chosen.map((bot) => ["bot", bot])]);
  const all = `${address(it)}/sessions`;
  const page = `${query}&offset=${offset}&limit=${LIMIT}`;
  // A session that is over becomes open to all only later: hence also when the last of the others ends.
  const done = it.divisions.map((one) => one.sessions_done).join();
  const answer = loader.want(`${all}?${page}`, `${it.status} ${done}`);
  /** @type {{sessions: Session[], total: number} | null} */
  const told = answer.data;
  /** @type {(index: number) => (event: Event) => void} */
  const choose = (index) => (event) => {
    const bots = [...chosen];
    bots[index] = /** @type {HTMLSelectElement} */ (event.target).value;
    go(placeLink(division.division, "matches", "", [...new Set(bots)].map((bot) => ["bot", bot])));
  };
  const choices = Math.min(division.players, chosen.length + 1);
  return html`
    <div class="filter">${Array.from({ length: choices }, (_, index) => html`<label>${index ? "and" : "Matches of"}
      <select aria-label=${index ? "and of" : "Matches of"} @change=${choose(index)}><option value="" ?selected=${!chosen[index]}>${index ? "anybody" : "all bots"}</option>
        ${division.bots.map((bot) => html`<option value=${bot} ?selected=${chosen[index] === bot}>${bot}</option>`)}</select></label>`)}</div>
    ${answer.note ? html`<p class="error" role="status">${answer.note}</p>` : nothing}
    ${told === null ? (answer.note ? nothing : html`<p class="hint">Looking…</p>`)
      : !told.total ? html`<p>${it.status === "unfinished" ? "Nothing can be told of its matches." : "None is over yet."}</p>` : html`
      ${table({
        caption: "Sessions: match, line-up and seating",
        columns: [
          { key: "session", title: "Session", head: true, cell: (row) => (row.released
            ? html`<a href=${placeLink(division.division, "matches", row.session.split("/").at(-1), chosen.map((bot) => ["bot", bot]))}>${row.session.split("/").at(-1)}</a>`
            : row.session.split("/").at(-1)) },
          { key: "players", title: division.mode === "tournament" ? "Places and chips by seat" : "Chips by seat", text: true, cell: (row) => html`<ol class="players">${row.players.map((bot, seat) =>
            html`<li>${row.places[seat] ? html`${ordinal(row.places[seat] ?? 0)} ` : nothing}<span class=${chosen.includes(bot) ? "chosen" : ""}>${bot}</span> ${net(row.net[seat] ?? 0)}</li>`)}</ol>` },
          { key: "hands", title: "Hands", cell: (row) => (row.released ? count(row.hands) : html`${count(row.hands)}, <em>later</em>`) },
        ],
        rows: told.sessions,
      })}
      ${told.sessions.some((row) => !row.released) ? html`<p class="hint">Later: ${LATER}</p>` : nothing}
      ${pager({ offset, limit: LIMIT, total: told.total, link: (to) => placeLink(division.division, "matches", "", [...chosen.map((bot) => /** @type {const} */ (["bot", bot])), ["offset", to ? String(to) : ""]]) })}
      ${downloads(`${all}?${page}`, `${all}.csv?${page}`)}`}`;
}

const LATER = "hands can be looked at when every session that is played with the same deals is over, in all divisions. Until then they could tell a bot what it is about to be dealt.";

/** @param {number} chips */
function net(chips) {
  return html`<span class="net" data-sign=${Math.sign(chips)}>${signed(chips, 2)}</span>`;
}

/**
 * @param {Competition} it
 * @param {Division} division
 * @param {Place} place
 * @param {Loader} loader
 */
function hands(it, division, place, loader) {
  const chosen = place.query.getAll("bot");
  const back = placeLink(division.division, "matches", "", chosen.map((bot) => ["bot", bot]));
  const offset = offsetOf(place);
  const all = `${address(it)}/sessions/${encodeURIComponent(division.division)}/${encodeURIComponent(place.session)}/hands`;
  const page = `offset=${offset}&limit=${LIMIT}`;
  const answer = loader.want(`${all}?${page}`, it.status === "finished" ? "finished" : it.divisions.map((one) => one.sessions_done).join());
  /** @type {{hands: HandEntry[], total: number} | null} */
  const told = answer.data;
  return html`
    <p><a href=${back}>All sessions</a></p>
    <h3>Hands of ${place.session}</h3>
    ${told === null ? html`<p role="status">${!answer.note ? "Looking…" : answer.status === 404 && it.status !== "finished" ? `Not yet: ${LATER}` : answer.note}</p>`
      : list(it, division, place, told, offset, `${all}?${page}`, `${all}.csv?${page}`)}`;
}

/**
 * @param {Competition} it
 * @param {Division} division
 * @param {Place} place
 * @param {{hands: HandEntry[], total: number}} told
 * @param {number} offset
 * @param {string} json
 * @param {string} csv
 */
function list(it, division, place, told, offset, json, csv) {
  const players = [...new Set(told.hands.flatMap((hand) => hand.players))].sort((a, b) => division.bots.indexOf(a) - division.bots.indexOf(b));
  return html`
    ${table({
      caption: "Hands, in the order of play; each leads to the replayer",
      columns: [
        { key: "hand", title: "Hand", head: true, cell: (row) => html`<a href=${replayer(it, row.id)}>${row.id.split("/").at(-1)}</a>` },
        { key: "board", title: "Board", text: true, cell: (row) => (row.board.length ? html`<span class="board in-text">${row.board.map((code) => card(code))}</span>` : html`<span class="hint">none</span>`) },
        { key: "pot", title: "Pot", cell: (row) => row.pot.toLocaleString("en-US", { maximumFractionDigits: 2 }) },
        ...players.map((bot) => ({ key: bot, title: bot, cell: (/** @type {HandEntry} */ row) => (row.players.includes(bot) ? net(row.net[row.players.indexOf(bot)] ?? 0) : "out") })),
      ],
      rows: told.hands,
    })}
    ${pager({ offset, limit: LIMIT, total: told.total, link: (to) => placeLink(division.division, "matches", place.session, [...place.query.getAll("bot").map((bot) => /** @type {const} */ (["bot", bot])), ["offset", to ? String(to) : ""]]) })}
    ${downloads(json, csv)}`;
}

/**
 * Where a hand is played again.
 * @param {Competition} it
 * @param {string} id as DIVISION/SESSION/NUMBER
 */
function replayer(it, id) {
  return `/hand/${[it.competition, ...id.split("/")].map(encodeURIComponent).join("/")}`;
}
