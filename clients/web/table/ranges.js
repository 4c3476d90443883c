// What a strong bot would have done with every hand: a grid for each of my decisions.

import { RANKS, combinations, handAt, placeOf } from "../lib/hand_grid.js";
import { html, nothing, svg } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";
import { streetName } from "../lib/words.js";
import { characterName } from "../look/characters.js";

/**
 * @import {GameInfo, RangeDecision, Ranges} from "../lib/messages.d.ts"
 * @import {App} from "./app.js"
 */

const ACTIONS = /** @type {const} */ (["fold", "call", "raise"]);
const DONE = { fold: _("You folded."), call: _("You called or checked."), raise: _("You raised.") };
const NAMES = { fold: _("Fold"), call: _("Call or check"), raise: _("Raise") };

/**
 * How much of the bot's range each kind of hand is; how often it is dealt, if the bot never comes here.
 * @param {RangeDecision} decision
 */
function parts({ chances, weights }) {
  if (weights.some(Boolean)) return weights;
  return chances.map((row, place) => (row.some(Boolean) ? combinations(place) / 1326 : 0));
}

/**
 * How often each action is taken with all hands together.
 * @param {RangeDecision} decision
 * @returns {[number, number, number]}
 */
export function shares(decision) {
  const sums = /** @type {[number, number, number]} */ ([0, 0, 0]);
  const held = parts(decision);
  const whole = held.reduce((sum, part) => sum + part, 0);
  decision.chances.forEach((row, place) => row.forEach((chance, at) => {
    sums[at] = (sums[at] ?? 0) + (chance * (held[place] ?? 0)) / whole;
  }));
  return sums;
}

/** The hands of the range with which an action is the likeliest. @param {RangeDecision} decision @param {number} action */
export function handsOf(decision, action) {
  const held = parts(decision);
  return decision.chances.flatMap((row, place) => (held[place] && row.indexOf(Math.max(...row)) === action ? [handAt(place)] : []));
}

/** How strongly each kind of hand is drawn, 0 to 1: how likely the bot comes here with it. @param {RangeDecision} decision */
export function strengths(decision) {
  const likely = parts(decision).map((part, place) => part / combinations(place));
  const most = Math.max(...likely);
  // The root: otherwise one likely hand would leave all others in the dark.
  return likely.map((chance) => Math.sqrt(chance / most));
}

/** @param {App} app */
export function rangesDialog({ state }) {
  const { ranges } = state;
  if (!ranges) return nothing;
  const played = [state.hand, ...state.pastHands.toReversed()].find((hand) => hand?.hand === ranges.hand);
  const mine = played?.players[state.me]?.cards ?? [];
  const own = mine.length === 2 ? placeOf(mine) : -1;
  if (!ranges.decisions.length && !ranges.awaited) return html`<p>${_("You had nothing to decide in this hand.")}</p>`;
  return html`<p class="hint" tabindex="-1" autofocus>${_("Each square is a kind of hand, suited ones above the diagonal. Its colours show how often the bot takes each action; the darker a square, the less often the bot comes here with it.")}</p>
    ${ranges.decisions.map((decision, number) => one(ranges.bot, decision, headingOf(ranges, number, state.match?.game), own))}
    <p role="status">${ranges.awaited ? _("The bot is being asked about your later decisions …") : ""}</p>`;
}

/**
 * @param {Ranges} ranges
 * @param {number} number
 * @param {GameInfo | undefined} game
 */
function headingOf({ decisions, awaited }, number, game) {
  const street = streetName(decisions[number]?.street ?? 0, game);
  return decisions.length + awaited > 1 ? _("Decision {n}: {street}", { n: number + 1, street }) : street;
}

/**
 * @param {string} bot
 * @param {RangeDecision} decision
 * @param {string} heading
 * @param {number} own
 */
function one(bot, decision, heading, own) {
  const { action, chances, weights } = decision;
  const [fold, call, raise] = shares(decision);
  const [myFold, myCall, myRaise] = chances[own] ?? [0, 0, 0];
  const name = characterName(bot);
  const all = _("In your place {name} raises {raise} of its hands, calls or checks {call} and folds {fold}.", { name, raise: percent(raise), call: percent(call), fold: percent(fold) });
  const never = !weights.some(Boolean) ? _("It never comes here: it would not have done what you did before.") : "";
  const mine = own < 0 ? "" : _("With {hand} it raises {raise} of the time, calls or checks {call} and folds {fold}.",
    { hand: handAt(own), raise: percent(myRaise), call: percent(myCall), fold: percent(myFold) });
  const strong = strengths(decision);
  return html`<section class="ranges">
    <h3>${heading}</h3>
    <p>${all} ${never} ${mine} <b>${DONE[action]}</b></p>
    <svg viewBox="0 0 260 260" role="img" aria-label=${_("The range as a grid. The hands of each action follow as text.")}>${chances.map((row, place) => cell(row, place, place === own, strong[place] ?? 0))}</svg>
    <ul class="legend" aria-hidden="true">${ACTIONS.map((kind) => html`<li data-kind=${kind}><i></i> ${NAMES[kind]}</li>`)}</ul>
    <details><summary>${_("The range as text")}</summary><dl>${ACTIONS.map((kind, at) => html`<dt>${NAMES[kind]}</dt><dd>${handsOf(decision, at).join(", ") || _("no hand")}</dd>`)}</dl></details>
  </section>`;
}

/**
 * A square, divided by the chances of each action.
 * @param {readonly number[]} row
 * @param {number} place
 * @param {boolean} isOwn
 * @param {number} strength
 */
function cell(row, place, isOwn, strength) {
  const [x, y] = [20 * (place % RANKS.length), 20 * Math.floor(place / RANKS.length)];
  let left = 0;
  const bars = ACTIONS.map((kind, at) => {
    const width = 19 * (row[at] ?? 0);
    left += width;
    return width ? svg`<rect data-kind=${kind} x=${x + left - width} y=${y} width=${width} height="19"></rect>` : nothing;
  });
  return svg`<rect class="ground" x=${x} y=${y} width="19" height="19"></rect><g opacity=${(0.15 + 0.85 * strength).toFixed(2)}>${bars}</g><text x=${x + 9.5} y=${y + 12.5}>${handAt(place)}</text>${isOwn ? svg`<rect class="own" x=${x + 1} y=${y + 1} width="17" height="17"></rect>` : nothing}`;
}

/** @param {number} chance */
const percent = (chance) => `${Math.round(100 * chance)}\u00a0%`;
