// The trainer: push or fold heads-up with short stacks, judged by the exact equilibrium.

import { answerButton, nextButton, pressedLetter } from "./buttons.js";
import { SAME, STACKS, addDecision, deal, emptyScore, judge, loadScore, lossOf, saveScore, together } from "./drill.js";
import { countText, mistakeText, number, questionText, rangeTitle, spokenText, verdictText } from "./words.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { table } from "../competition/tables.js";
import { cardNames } from "../lib/cards.js";
import { _, percent } from "../lib/language.js";
import { RANKS, handAt, placeOf } from "../lib/hand_grid.js";
import { drawnCard } from "../look/card_art.js";
import { pageHeader } from "../look/look.js";
import { card } from "../table/view.js";

/** @import {Mistake, Score, Seat, Spot, Sums, Tables, Verdict, Wishes} from "./drill.js" */

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
/** The tables that have been asked for, by stack. @type {Map<number, Promise<Tables>>} */
const asked = new Map();
/** @type {Wishes} */
let wishes = { stack: null, seat: null };
/** @type {Spot} */
let spot = deal(wishes);
/** Those of the spot, once they are there. @type {Tables | null} */
let tables = null;
/** @type {Verdict | null} */
let verdict = null;
/** Whether this is a mistake played again, which does not count. */
let isAgain = false;
let score = loadScore();
let problem = "";

/** @param {number} stack @returns {Promise<Tables>} */
function tablesFor(stack) {
  const known = asked.get(stack) ?? fetch(`/api/push-fold/${stack}`).then((answer) => {
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  });
  asked.set(stack, known);
  known.catch(() => asked.delete(stack));
  return known;
}

/** Shows a spot and fetches what it is judged by. @param {Spot} next @param {boolean} [again] */
async function show(next, again = false) {
  [spot, tables, verdict, isAgain, problem] = [next, null, null, again, ""];
  draw();
  try {
    const found = await tablesFor(next.stack);
    if (spot === next) tables = found;
  } catch {
    if (spot === next) problem = _("The server does not answer.");
  }
  draw();
}

/** @param {Spot} next @param {boolean} [again] */
function showAndFocus(next, again) {
  show(next, again);
  document.getElementById("spot")?.focus();
}

/** @param {boolean} plays */
function decide(plays) {
  if (!tables || verdict) return;
  verdict = judge(tables, spot, plays);
  if (!isAgain) {
    // Another tab may have counted meanwhile.
    score = addDecision(loadScore(), spot, verdict);
    saveScore(score);
  }
  draw();
  document.getElementById("next")?.focus();
}

/** @param {Partial<Wishes>} some */
function wish(some) {
  wishes = { ...wishes, ...some };
  show(deal(wishes));
}

function restart() {
  score = emptyScore();
  saveScore(score);
  draw();
  document.getElementById("score")?.focus();
}

/** @param {KeyboardEvent} event */
function handleKey(event) {
  const key = pressedLetter(event);
  if (verdict) {
    if (key === "n") showAndFocus(deal(wishes));
  } else if (key === "f") decide(false);
  else if (key === (spot.seat === "small" ? "p" : "c")) decide(true);
}

function draw() {
  const seats = /** @type {[Seat | null, string][]} */ ([[null, _("Both seats")], ["small", _("Small blind")], ["big", _("Big blind")]]);
  render(html`${pageHeader("/push-fold")}
    <main>
      <h1>${_("Push or fold")}</h1>
      <p class="lead">${_("Two players with short stacks: all in or fold. The exact equilibrium judges your decisions, in thousandths of a big blind (mbb).")} <a href="/spots">${_("Your own spots")}</a></p>
      <div class="wishes">
        <label>${_("Stacks")} <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ { target }) => wish({ stack: Number(target.value) || null })}>
          <option value="">${_("2 to 20 big blinds")}</option>${STACKS.map((stack) => html`<option value=${stack}>${_("{stack} big blinds", { stack: number(stack) })}</option>`)}</select></label>
        <div class="segments" role="radiogroup" aria-label=${_("Your seat")}>${seats.map(([seat, text]) => html`<label><input type="radio" name="seat" value=${seat ?? ""}
          .checked=${seat === wishes.seat} @change=${() => wish({ seat })}><span>${text}</span></label>`)}</div>
      </div>
      <div class="drill">
        ${spotBox()}
        <section class="range" aria-labelledby="range"><h2 id="range">${_("The exact range")}</h2>
          ${verdict && tables ? grid(tables) : html`<p class="hint">${_("It is shown after your decision, with your hand marked.")}</p>`}</section>
        ${scoreBox()}
      </div>
    </main>`, page);
}

function spotBox() {
  const [play, key] = /** @type {[string, string]} */ (spot.seat === "small" ? [_("Push"), "P"] : [_("Call"), "C"]);
  return html`<section class="spot" aria-label=${_("The hand")}>
    <div id="spot" tabindex="-1" role="group" aria-label=${spokenText(spot)}>
      <div class="hole" aria-hidden="true">${spot.cards.map((code) => drawnCard(code))}</div>
      <p class="question" aria-hidden="true">${questionText(spot)}</p>
    </div>
    ${isAgain ? html`<p class="again">${_("You play this hand again. It does not count.")}</p>` : nothing}
    ${problem ? html`<p role="alert">${problem} <button @click=${() => show(spot, isAgain)}>${_("Try again")}</button></p>` : nothing}
    <div class="answers">${verdict ? nextButton(() => showAndFocus(deal(wishes)))
      : html`${answerButton(_("Fold"), "F", () => decide(false), { isDisabled: !tables })} ${answerButton(play, key, () => decide(true), { isMain: true, isDisabled: !tables })}`}</div>
    <p class="verdict" role="status" data-kind=${verdict?.kind ?? nothing}>${verdict ? verdictText(verdict, spot.seat) : nothing}</p>
  </section>`;
}

/** @param {Tables} found */
function grid(found) {
  const [chances, text, verb] = spot.seat === "small" ? [found.jam, found.jam_range, _("Push")] : [found.call, found.call_range, _("Call")];
  const own = placeOf(spot.cards);
  const cell = (/** @type {number} */ place) => {
    const chance = chances[place] ?? 0;
    return html`<i data-play=${chance === 1 ? "always" : chance === 0 ? "never" : "mixed"} data-own=${place === own || nothing}>${handAt(place)}</i>`;
  };
  const title = rangeTitle(found, spot.seat);
  return html`<p>${title}</p>
    <div class="grid" role="img" aria-label=${_("The range as a grid. Your hand, {hand}, is marked. The range as text follows.", { hand: handAt(own) })}>${Array.from({ length: RANKS.length ** 2 }, (_one, place) => cell(place))}</div>
    <ul class="legend" aria-hidden="true"><li><i data-play="always"></i> ${verb}</li><li><i data-play="mixed"></i> ${_("Sometimes")}</li>
      <li><i data-play="never"></i> ${_("Fold")}</li><li><i data-play="never" data-own></i> ${_("Your hand")}</li></ul>
    <details><summary>${_("The range as text")}</summary><p class="text">${text || _("No hand.")}</p></details>`;
}

function scoreBox() {
  const all = together(score.small, score.big);
  return html`<section class="score-box" aria-labelledby="score"><h2 id="score" tabindex="-1">${_("Your score")}</h2>
    ${all.decisions ? html`${table({
      caption: _("What a decision loses on average"),
      columns: [
        { key: "seat", title: _("Seat"), head: true, cell: (/** @type {{name: string, sums: Sums}} */ row) => row.name },
        { key: "lost", title: _("mbb lost"), cell: ({ sums }) => (sums.decisions ? loss(sums) : "") },
        { key: "decisions", title: _("Decisions"), cell: ({ sums }) => number(sums.decisions) },
        { key: "right", title: _("Right"), cell: ({ sums }) => (sums.decisions ? percent(sums.right / sums.decisions) : "") },
      ],
      rows: [{ name: _("Small blind"), sums: score.small }, { name: _("Big blind"), sums: score.big }, { name: _("Both"), sums: all }],
    })}
    <p class="hint">${_("Right: less than {same} mbb lost. ± is a 95 % interval, from the tenth decision on. This browser keeps the score.", { same: number(SAME) })}</p>
    ${score.worst.length ? html`<h3 id="worst">${_("Your worst mistakes")}</h3>
      <ul class="worst" aria-labelledby="worst">${score.worst.map(mistakeRow)}</ul>` : nothing}
    <p><button @click=${restart}>${_("Reset the score")}</button></p>` : html`<p class="hint">${_("It appears after your first decision.")}</p>`}
  </section>`;
}

/** @param {Sums} sums */
function loss(sums) {
  const { mean, half } = lossOf(sums);
  return html`${number(mean)}${half === null ? nothing : html` <span class="half">± ${number(half)}</span>`}`;
}

/** @param {Mistake} mistake */
function mistakeRow(mistake) {
  const { cards, stack, seat } = mistake;
  const text = mistakeText(mistake);
  return html`<li><span class="in-text">${cards.map((code) => card(code))}</span> <span class="what">${text}</span>
    <button aria-label=${_("Again, with the {cards}. {text}", { cards: cardNames(cards), text })} @click=${() => showAndFocus({ cards, stack, seat }, true)}>${_("Again")}</button></li>`;
}

addEventListener("keydown", handleKey);
show(spot);
