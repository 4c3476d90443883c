// What a strong bot would have done before the flop with every hand: a grid for each of my decisions.

import { RANKS, combinations, handAt, placeOf } from "../lib/hand_grid.js";
import { html, nothing, svg } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";
import { characterName } from "../look/characters.js";

/**
 * @import {RangeDecision, Ranges} from "../lib/messages.d.ts"
 * @import {App} from "./app.js"
 */

const ACTIONS = /** @type {const} */ (["fold", "call", "raise"]);
const DONE = { fold: _("You folded."), call: _("You called or checked."), raise: _("You raised.") };
const NAMES = { fold: _("Fold"), call: _("Call or check"), raise: _("Raise") };

/**
 * How often each action is taken with all hands together, by how often they are dealt.
 * @param {RangeDecision["chances"]} chances
 * @returns {[number, number, number]}
 */
export function shares(chances) {
  const sums = /** @type {[number, number, number]} */ ([0, 0, 0]);
  chances.forEach((row, place) => row.forEach((chance, at) => {
    sums[at] = (sums[at] ?? 0) + (chance * combinations(place)) / 1326;
  }));
  return sums;
}

/** The hands with which an action is the likeliest. @param {RangeDecision["chances"]} chances @param {number} action */
export function handsOf(chances, action) {
  return chances.flatMap((row, place) => (row.indexOf(Math.max(...row)) === action ? [handAt(place)] : []));
}

/** @param {App} app */
export function rangesDialog({ state }) {
  const { ranges } = state;
  if (!ranges) return nothing;
  const played = [state.hand, ...state.pastHands.toReversed()].find((hand) => hand?.hand === ranges.hand);
  const mine = played?.players[state.me]?.cards ?? [];
  const own = mine.length === 2 ? placeOf(mine) : -1;
  if (!ranges.decisions.length) return html`<p>${_("You decided nothing before the flop.")}</p>`;
  return html`<p class="hint" tabindex="-1" autofocus>${_("Each square is a kind of hand, suited ones above the diagonal. Its colours show how often the bot takes each action.")}</p>
    ${ranges.decisions.map((decision, number) => one(ranges, decision, number, own))}`;
}

/**
 * @param {Ranges} ranges
 * @param {RangeDecision} decision
 * @param {number} number
 * @param {number} own
 */
function one({ bot, decisions }, { action, chances }, number, own) {
  const [fold, call, raise] = shares(chances);
  const [myFold, myCall, myRaise] = chances[own] ?? [0, 0, 0];
  const name = characterName(bot);
  const all = _("In your place {name} raises {raise} of all hands, calls or checks {call} and folds {fold}.", { name, raise: percent(raise), call: percent(call), fold: percent(fold) });
  const mine = own < 0 ? "" : _("With {hand} it raises {raise} of the time, calls or checks {call} and folds {fold}.",
    { hand: handAt(own), raise: percent(myRaise), call: percent(myCall), fold: percent(myFold) });
  return html`<section class="ranges">
    ${decisions.length > 1 ? html`<h3>${_("Decision {n}", { n: number + 1 })}</h3>` : nothing}
    <p>${all} ${mine} <b>${DONE[action]}</b></p>
    <svg viewBox="0 0 260 260" role="img" aria-label=${_("The range as a grid. The hands of each action follow as text.")}>${chances.map((row, place) => cell(row, place, place === own))}</svg>
    <ul class="legend" aria-hidden="true">${ACTIONS.map((kind) => html`<li data-kind=${kind}><i></i> ${NAMES[kind]}</li>`)}</ul>
    <details><summary>${_("The range as text")}</summary><dl>${ACTIONS.map((kind, at) => html`<dt>${NAMES[kind]}</dt><dd>${handsOf(chances, at).join(", ") || _("no hand")}</dd>`)}</dl></details>
  </section>`;
}

/**
 * A square, divided by the chances of each action.
 * @param {readonly number[]} row
 * @param {number} place
 * @param {boolean} isOwn
 */
function cell(row, place, isOwn) {
  const [x, y] = [20 * (place % RANKS.length), 20 * Math.floor(place / RANKS.length)];
  let left = 0;
  const parts = ACTIONS.map((kind, at) => {
    const width = 19 * (row[at] ?? 0);
    left += width;
    return width ? svg`<rect data-kind=${kind} x=${x + left - width} y=${y} width=${width} height="19"></rect>` : nothing;
  });
  return svg`${parts}<text x=${x + 9.5} y=${y + 12.5}>${handAt(place)}</text>${isOwn ? svg`<rect class="own" x=${x + 1} y=${y + 1} width="17" height="17"></rect>` : nothing}`;
}

/** @param {number} chance */
const percent = (chance) => `${Math.round(100 * chance)}\u00a0%`;
