// The page of tournaments over several tables: all of them, or the lobby of one.

import { BASIC_BOTS, loadBots } from "../lib/bots.js";
import { NO_ERROR, askOnce, findInvalid, focusError } from "../lobby/form.js";
import { announceForm, readAnnounceForm } from "./announce_form.js";
import { lobbyView } from "./lobby_view.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { pageHeader } from "../look/look.js";
import { ensureName, loadSettings, saveSettings } from "../lib/settings.js";
import { _ } from "../lib/language.js";
import { speedName, statusLine } from "./words.js";

/**
 * @import {ClientMessage} from "../lib/messages.d.ts"
 * @import {Summary, Tournament} from "./words.js"
 */

/** Milliseconds between two looks at the server. */
const POLL = 2000;
/** Milliseconds between two pictures of a running clock. */
const TICK = 500;

const name = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const settings = loadSettings();
const page = /** @type {HTMLElement} */ (document.getElementById("page"));
/** @type {Summary[] | null} */
let list = null;
/** @type {Tournament | null} */
let shown = null;
/** When the server said so. */
let loadedAt = 0;
let problem = "";
/** What is wrong in the form, or what the server refused. */
let refusal = NO_ERROR;
/** Whether an answer is awaited. */
let isAsking = false;
/** @type {readonly string[]} */
let bots = BASIC_BOTS;

async function poll() {
  if (!document.hidden || shown?.summary.status === "open") await load();
  setTimeout(poll, POLL);
}

async function load() {
  try {
    const answer = await fetch(name ? `/api/tournaments/${encodeURIComponent(name)}` : "/api/tournaments");
    if (answer.status === 404) problem = _("There is no such tournament.");
    else if (name) show(await answer.json());
    else list = (await answer.json()).tournaments;
    loadedAt = Date.now();
    if (answer.ok) problem = "";
  } catch {
    problem = _("The server does not answer. Trying again…");
  }
  draw();
}

/** Shows the tournament. Whoever waited here for the start goes to his table. @param {Tournament} found */
function show(found) {
  const before = shown;
  shown = found;
  const mine = found.players.find(({ own }) => own);
  const had = before?.players.find(({ own }) => own);
  if (had && !had.table && mine?.table) location.assign(`/table/${encodeURIComponent(mine.table)}#sit`);
}

/**
 * Asks the server, and looks again.
 * @param {ClientMessage} message
 * @param {(tournament: string) => void} [onDone]
 */
function ask(message, onDone = () => load()) {
  ensureName(settings);
  isAsking = true;
  refusal = NO_ERROR;
  draw();
  askOnce(settings.name, message, "name_of_player", (answer) => {
    if (answer.type !== "entry") return false;
    isAsking = false;
    onDone(answer.tournament);
    return true;
  }, (error) => {
    isAsking = false;
    refusal = error;
    draw();
  });
}

/** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
function announce(event) {
  event.preventDefault();
  const form = event.currentTarget;
  refusal = findInvalid(form) ?? NO_ERROR;
  draw();
  if (refusal.text) focusError();
  else ask(readAnnounceForm(new FormData(form), bots), (tournament) => location.assign(`/tournament/${encodeURIComponent(tournament)}`));
}

/** @param {Event & {target: HTMLInputElement}} event */
function setName(event) {
  saveSettings(settings, { name: event.target.value.trim() });
}

function draw() {
  const now = Date.now();
  render(html`${pageHeader(name ? "" : "/tournament")}
    <main>${problem ? html`<p class="error" role="status">${problem}</p>` : nothing}
      ${name ? (shown ? lobbyView({ tournament: shown, age: now - loadedAt, now, settings, refusal, isAsking }, { ask, setName }) : nothing) : all(now)}</main>`, page);
}

/** @param {number} now */
function all(now) {
  return html`<h1>${_("Tournaments")}</h1>
    <p class="lead">${_("Many players, several tables, and blinds that rise until one has all the chips. The best get points.")}</p>
    <section aria-labelledby="events"><h2 id="events" class="visually-hidden">${_("All tournaments")}</h2>
      ${list === null ? html`<p class="hint">${_("Loading…")}</p>` : list.length ? html`<ul class="events">${list.map((it) => html`<li class="box">
        <h3><a href="/tournament/${it.tournament}"><bdi>${it.name}</bdi></a></h3>
        <p>${statusLine(it, now)}</p>
        <p class="hint">${speedName(it.speed)}</p></li>`)}</ul>` : html`<p>${_("There is none at the moment. Open one.")}</p>`}
    </section>
    ${announceForm(refusal, announce, bots, isAsking)}`;
}

draw();
poll();
setInterval(() => document.hidden || draw(), TICK);
loadBots((found) => {
  bots = found;
  draw();
});
