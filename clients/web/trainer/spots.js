// The drill from one's own hands: calls and folds that lost most are asked again, among others that were right.

import { answerButton, nextButton, pressedLetter } from "./buttons.js";
import { WORST, addAnswer, costOf, handsToRead, makeDrill, spotsOf } from "./own_spots.js";
import { number } from "./words.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { cardNames, joinWords } from "../lib/cards.js";
import { _, ngettext, percent } from "../lib/language.js";
import { loadSettings } from "../lib/settings.js";
import { amount, lineText, seatName } from "../lib/words.js";
import { drawnCard } from "../look/card_art.js";
import { pageHeader } from "../look/look.js";
import { lineWithCards } from "../table/view.js";

/** @import {OwnSpot} from "./own_spots.js" */
/** @import {Recorded} from "../replay/steps.js" */

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const { bigBlinds } = loadSettings();
const NO_SCORE = { decisions: 0, right: 0, lost: 0 };
/** Hands that are to be read, and that were. */
let progress = { of: 0, read: 0 };
/** What was found in the hands that were read, by their ids. @type {Map<string, OwnSpot[]>} */
const found = new Map();
/** Null until the hands are read. @type {OwnSpot[] | null} */
let drill = null;
let place = 0;
/** @type {"call" | "fold" | null} */
let answer = null;
let score = NO_SCORE;
let problem = "";

/** @param {string} address @returns {Promise<Response>} */
async function get(address) {
  const answered = await fetch(address);
  if (!answered.ok) throw new Error(String(answered.status));
  return answered;
}

async function load() {
  problem = "";
  draw();
  try {
    while (!(await (await get("/api/me")).json()).complete);
    const hands = handsToRead(await (await get("/api/me/hands.csv")).text());
    for (const hand of hands) {
      progress = { of: hands.length, read: found.size };
      draw();
      if (!found.has(hand)) found.set(hand, await readHand(hand));
    }
    progress.read = found.size;
    drill = makeDrill([...found.values()].flat());
  } catch {
    problem = _("The server does not answer.");
  }
  draw();
  document.getElementById("spot")?.focus({ preventScroll: true });
}

/** @param {string} hand its id */
async function readHand(hand) {
  const answered = await fetch(`/api/hands/${encodeURIComponent(hand)}`);
  if (answered.ok) return spotsOf(/** @type {Recorded} */ (await answered.json()));
  // The archive may have dropped it meanwhile.
  if (answered.status === 404) return [];
  throw new Error(String(answered.status));
}

/** @param {"call" | "fold"} chosen */
function decide(chosen) {
  const spot = drill?.[place];
  if (!spot || answer) return;
  answer = chosen;
  score = addAnswer(score, costOf(spot, chosen));
  draw();
  document.getElementById("next")?.focus();
}

function next() {
  [place, answer] = [place + 1, null];
  draw();
  document.getElementById("spot")?.focus();
}

function restart() {
  [place, answer, score] = [0, null, NO_SCORE];
  drill = makeDrill(drill ?? []);
  draw();
  document.getElementById("spot")?.focus();
}

/** @param {KeyboardEvent} event */
function handleKey(event) {
  const key = pressedLetter(event);
  if (answer) {
    if (key === "n") next();
  } else if (key === "f") decide("fold");
  else if (key === "c") decide("call");
}

function draw() {
  render(html`${pageHeader("/spots")}
    <main>
      <h1>${_("Your own spots")}</h1>
      <p class="lead">${_("Decide your worst calls and folds once more, among others that were right. They are judged by the cards shown in the end, as if nobody had bet any more; where a hand was not shown, nothing is judged.")}</p>
      ${content()}
    </main>`, page);
}

function content() {
  if (problem) return html`<p role="alert">${problem} <button @click=${load}>${_("Try again")}</button></p>`;
  if (!drill) return html`<p role="status">${_("Reading your hands…")}</p><progress aria-label=${_("Hands read")} max=${progress.of || 1} value=${progress.read}></progress>`;
  if (!drill.length) return nothingFound();
  const spot = drill[place];
  return html`<div class="drill">
      ${spot ? spotBox(spot, drill.length) : endBox()}
      ${spot ? html`<section class="range" aria-labelledby="before"><h2 id="before">${_("What happened before")}</h2>
        <ol class="before">${spot.lines.map((line) => html`<li>${lineWithCards(lineText(line, bigBlinds))}</li>`)}</ol></section>` : nothing}
      ${scoreBox()}
    </div>`;
}

function nothingFound() {
  return html`<section class="box"><h2>${_("Nothing to repeat")}</h2>
    <p>${!progress.read ? _("You have not played a hand yet.") : ngettext("{n} hand was read, and no call or fold of yours in it was clearly wrong. A decision can be judged when the cards of all who were still in were shown.",
      "{n} hands were read, and no call or fold of yours in them was clearly wrong. A decision can be judged when the cards of all who were still in were shown.", progress.read)}</p>
    <p class="row"><a class="button main" href="/">${_("Take a seat")}</a> <a class="button" href="/push-fold">${_("Push or fold")}</a></p></section>`;
}

/** @param {OwnSpot} spot @param {number} of */
function spotBox(spot, of) {
  const unit = bigBlinds ? spot.bigBlind : undefined;
  const { hand } = spot.state;
  const others = (hand?.seats ?? []).filter((seat) => !hand?.players[seat]?.folded && seat !== spot.state.me).map((seat) => seatName(spot.state, seat));
  const question = _("Against {names}: you have to call {call} to win {pot}. Call or fold?", { names: joinWords(others), call: amount(spot.call, unit), pot: amount(spot.pot, unit) });
  const spoken = _("You have the {cards}. {question}", { cards: cardNames(spot.cards), question });
  return html`<section class="spot" aria-label=${_("The hand")}>
    <p class="again">${_("{n} of {of}", { n: place + 1, of })}</p>
    <div id="spot" tabindex="-1" role="group" aria-label=${spot.board.length ? `${spoken} ${_("On the board: {cards}.", { cards: cardNames(spot.board) })}` : spoken}>
      ${spot.board.length ? html`<div class="hole board" aria-hidden="true">${spot.board.map((code) => drawnCard(code))}</div>` : nothing}
      <div class="hole" aria-hidden="true">${spot.cards.map((code) => drawnCard(code))}</div>
      <p class="question" aria-hidden="true">${question}</p>
    </div>
    <div class="answers">${answer ? nextButton(next)
      : html`${answerButton(_("Fold"), "F", () => decide("fold"))} ${answerButton(_("Call"), "C", () => decide("call"), { isMain: true })}`}</div>
    <p class="verdict" role="status" data-kind=${answer ? (costOf(spot, answer) ? "wrong" : "right") : nothing}>${answer ? verdict(spot, answer, unit) : nothing}</p>
  </section>`;
}

/** @param {OwnSpot} spot @param {"call" | "fold"} chosen @param {number | undefined} unit */
function verdict(spot, chosen, unit) {
  const cost = costOf(spot, chosen);
  const chips = cost * spot.bigBlind;
  const figures = { share: percent(spot.share), needs: percent(spot.needs), chips: amount(unit ? chips : chips < 10 ? Math.round(10 * chips) / 10 : Math.round(chips), unit) };
  return html`${cost ? _("Wrong, that loses {chips} on average: you needed {needs} equity to call, and had {share}.", figures)
    : _("Right: you needed {needs} equity to call, and had {share}.", figures)}
    ${spot.then === "call" ? _("At the table you called.") : _("At the table you folded.")} <a href="/hand/${spot.id}#${spot.step}" target="_blank">${_("The whole hand")}</a>`;
}

function endBox() {
  return html`<section class="spot" aria-label=${_("The hand")}><div id="spot" tabindex="-1"><p class="question">${_("That was the last one.")}</p></div>
    <div class="answers"><button class="main" @click=${restart}>${_("Once more")}</button></div></section>`;
}

function scoreBox() {
  const { decisions, right, lost } = score;
  return html`<section class="score-box" aria-labelledby="score"><h2 id="score">${_("Your score")}</h2>
    ${decisions ? html`<p>${ngettext("{right} of {n} decision right, {lost} big blinds lost on average.", "{right} of {n} decisions right, {lost} big blinds lost on average.", decisions, { right, lost: number(lost / decisions) })}</p>`
      : html`<p class="hint">${_("It appears after your first decision.")}</p>`}
    <p class="hint">${ngettext("The drill takes your {worst} worst decisions, and as many right ones, from the {n} hand in which you won or lost most.", "The drill takes your {worst} worst decisions, and as many right ones, from the {n} hands in which you won or lost most.", progress.read, { worst: WORST })}
      <a href="/me">${_("My results")}</a> · <a href="/push-fold">${_("Push or fold")}</a></p></section>`;
}

addEventListener("keydown", handleKey);
load();
