// The felt: seats, cards, chips. A picture of a state, for the live table and the replayer alike.

import { parametersText } from "../lib/bots.js";
import { cardName, rankText, suitLetter, suitSymbol } from "../lib/cards.js";
import { drawnCard } from "../look/card_art.js";
import { programOf } from "../look/characters.js";
import { chipStacks } from "../look/chips.js";
import { avatar } from "../look/faces.js";
import { hud, seatStyles } from "./hud.js";
import { waitingText } from "./invite.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ordinal, percent, pgettext, titled } from "../lib/language.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { isAway, seatsOf, timeLeft, winningCards } from "./state.js";
import { actionParts, amount, gameParts, goneText, handText, lineText, playerNames, potName, seatName, shortAmount, splitCards, streetName, winParts } from "../lib/words.js";

/**
 * @import {GameInfo} from "../lib/messages.d.ts"
 * @import {Hand, Line, Seat, Player, State} from "../lib/table_types.js"
 */

/**
 * `unit` is the big blind when amounts are to be in big blinds. `sit` is missing where nobody can sit down. `bottom` is
 * the seat that is looked at from; without it that is mine, or the first. `shares` are equities by seat, to be shown;
 * `hud` is whether to show how others play.
 * @typedef {{unit: number | undefined, now: number, hud?: boolean, shares?: Readonly<Record<number, number>>, sit?: (seat: number) => void, bottom?: number}} ViewOptions
 */

/** A card within a line of text. @param {string} code */
export function card(code) {
  return html`<span class="card" data-suit=${suitLetter(code)} role="img"
    aria-label=${cardName(code)}><span class="rank">${rankText(code)}</span><span class="suit">${suitSymbol(code)}</span></span>`;
}

/** A line of the log, with its cards drawn. @param {string} text */
export function lineWithCards(text) {
  return splitCards(text).map((part) => (typeof part === "string" ? part : html`<span class="in-text">${card(part.card)}</span>`));
}

/**
 * Lines of the log, with a heading over those of each street.
 * @param {readonly Line[]} lines
 * @param {GameInfo | undefined} game
 * @param {boolean} inBlinds
 * @param {number} level of the headings
 */
export function linesByStreet(lines, game, inBlinds, level) {
  /** @type {(line: Line) => string} */
  const streetOf = ({ hand, street }) => `${hand} ${street}`;
  const starts = lines.flatMap((line, index) => (index && streetOf(line) === streetOf(/** @type {Line} */ (lines[index - 1])) ? [] : [index]));
  return starts.map((start, index) => html`${(lines[start]?.hand ?? -1) < 0 ? nothing : html`<p class="street" role="heading" aria-level=${level}>${streetName(lines[start]?.street ?? 0, game)}</p>`}
    <ol>${lines.slice(start, starts[index + 1]).map((line) => html`<li data-kind=${line.kind}>${lineWithCards(lineText(line, inBlinds))}</li>`)}</ol>`);
}

/**
 * "No-limit hold'em 50/100", or where there is little room "NL 50/100".
 * @param {State} state
 */
export function gameTitle(state) {
  const [kind, short, blinds] = gameParts(state);
  return html`<span class="game"><span class="kind" data-short=${short}>${kind}</span> ${blinds}</span>`;
}

/**
 * The table: one seat is at the bottom, the others follow clockwise.
 * @param {State} state
 * @param {ViewOptions} options
 */
export function tableView(state, options) {
  const seats = seatsOf(state);
  const { hand } = state;
  const first = options.bottom ?? Math.max(0, state.me);
  const size = Math.max(2, seats.length);
  /** @param {number} seat */
  const at = (seat) => (seat - first + size) % size;
  const order = [...seats].sort((a, b) => at(a.seat) - at(b.seat));
  return html`<section class="felt" data-size=${size} aria-label=${_("Table")}>
    <ol class="seats">
      ${order.map((seat) => html`<li data-at=${at(seat.seat)}>${seatView(state, seat, options)}</li>`)}
    </ol>
    ${hand ? html`<span class="dealer" data-at=${at(hand.button)} aria-hidden="true">D</span>` : nothing}
    <div class="middle">${centre(state, options)}</div>
  </section>`;
}

/**
 * @param {State} state
 * @param {ViewOptions} options
 */
function centre(state, { unit }) {
  const { hand } = state;
  if (!hand) return html`<p class="idle" role="status">${state.match ? waitingText(state) || _("Waiting for the next hand") : "…"}</p>`;
  return html`
    <p class="pot">${hand.pot && !hand.over ? chipStacks(hand.pot) : nothing}<span>${_("Pot {chips}", { chips: html`<b>${amount(hand.pot, unit)}</b>` })}</span></p>
    <ul class="board" aria-label=${hand.second.length ? _("First board") : _("Board")}>
      ${boardCards(hand, 0)}
      ${hand.peeked ? hand.undealt.map((code) => html`<li class="undealt" title=${_("not dealt")}>${drawnCard(code, "")}</li>`) : nothing}
    </ul>
    ${hand.second.length ? html`<ul class="board" aria-label=${_("Second board")}>${boardCards(hand, 1)}</ul>` : nothing}
    ${hand.over ? results(state, hand, unit) : pots(state, hand, unit)}`;
}

/**
 * The cards of a board, 1 being the second, with those marked that won something on it.
 * @param {Hand} hand
 * @param {number} board
 */
function boardCards(hand, board) {
  const { sets, boards } = winningCards(hand);
  const onIt = sets.flatMap((cards, index) => (boards[index] === board ? [{ cards, index }] : []));
  return repeat(board ? hand.second : hand.board, (code) => `${hand.hand} ${code}`, (code) => {
    const used = onIt.filter(({ cards }) => cards.has(code));
    return html`<li>${drawnCard(code, !onIt.length ? "" : used.length ? "best" : "dim")}
      ${sets.length > 1 ? html`<span class="marks">${used.map(({ index }) => mark(index))}</span>` : nothing}</li>`;
  });
}

/**
 * Where several hands won: which of them a card belongs to, and which a line of the result is about.
 * @param {number} index
 */
function mark(index) {
  return index < 0 ? nothing : html`<span class="mark" aria-hidden="true">${index + 1}</span>`;
}

/**
 * @param {State} state
 * @param {Hand} hand
 * @param {number} [unit]
 */
function pots(state, hand, unit) {
  if (hand.pots.length < 2) return nothing;
  return html`<ul class="pots" aria-label=${_("Pots")}>
    ${hand.pots.map((pot, index) => html`<li>
      <b>${potName(index, hand.pots.length)} ${amount(pot.amount, unit)}</b>
      <span class="who">${playerNames(state, pot.seats)}</span></li>`)}
  </ul>`;
}

/**
 * @param {State} state
 * @param {Hand} hand
 * @param {number} [unit]
 */
function results(state, hand, unit) {
  const { sets, setByPot } = winningCards(hand);
  return html`<ul class="pots results" aria-label=${_("Result")}>
    ${hand.results.flatMap((pot, index) => winParts(state, hand, pot, index, unit).map(([who, much, where, how]) => html`<li><span class="which">${
      sets.length > 1 ? mark(setByPot[index] ?? -1) : nothing}</span><span class="who">${who}</span> <b>${much}</b><span class="where">${where}</span><span class="more">${how}</span></li>`))}
  </ul>`;
}

/**
 * @param {State} state
 * @param {Seat} seat
 * @param {ViewOptions} options
 */
function seatView(state, seat, options) {
  const { hand } = state;
  const player = hand?.players[seat.seat];
  const raw = seat.name || (player && !hand?.over ? player.name : "");
  const name = raw && (seatName(state, seat.seat) || raw);
  const program = seat.kind === "bot" ? programOf(raw) : "";
  const mine = seat.seat === state.me;
  if (!name) return emptySeat(seat.seat, options.sit);
  const acting = state.clock?.seat === seat.seat;
  const stack = player && hand && !(hand.over && seat.state === "waiting") ? player.stack : seat.stack;
  const tuned = parametersText(seat.parameters);
  const share = options.shares?.[seat.seat];
  const title = titled(_("Seat {n}", { n: seat.seat + 1 }), `${name}${mine ? `, ${_("you")}` : program ? `, ${program}` : ""}`);
  return html`<section class="seat" aria-label=${title} data-me=${mine || seat.seat === options.bottom || nothing} data-acting=${acting || nothing}
      data-out=${(hand && (!player || player.folded)) || nothing} data-won=${player?.won ? true : nothing}>
    ${hand && player ? holeCards(hand, player) : nothing}
    ${share === undefined ? nothing : html`<p class="share"><span class="visually-hidden">${_("wins on average")} </span>${percent(share)}</p>`}
    ${player?.won && hand?.over ? html`<span class="prize" aria-hidden="true">${chipStacks(player.won, 2)}</span>` : nothing}
    <div class="pod">
      ${avatar(raw, seat.kind)}
      <p class="name" data-you=${_("you")} title=${tuned ? titled(_("{name} with parameters of its own", { name }), tuned) : name}>${tuned ? html`<span aria-hidden="true">*</span>` : nothing}<bdi
        class=${mine ? "you" : nothing}>${name}</bdi>${program && program !== name ? html`<small class="program" aria-hidden="true">${program}</small>` : nothing}${tuned ? html`<span class="visually-hidden">, ${tuned}</span>` : nothing}</p>
      <p class="stack"><span class="visually-hidden">${_("stack")} </span>${chips(stack, options.unit)}
        ${hand && blindBadge(hand, seat.seat)}</p>
      ${seatStatus(state, seat, player, options)}
      ${acting ? clock(state, options.now) : nothing}
      ${options.hud && !mine ? hud(...seatStyles(state, seat.seat)) : nothing}
    </div>
    ${player?.bet && !hand?.over ? bet(player.bet, options.unit) : nothing}
    ${player?.pushed ? html`<p class="bet" data-pushed aria-hidden="true">${chipStacks(player.pushed, 1)}</p>` : nothing}
  </section>`;
}

/**
 * @param {number} number
 * @param {((seat: number) => void) | undefined} sit
 */
function emptySeat(number, sit) {
  return html`<section class="seat" aria-label=${titled(_("Seat {n}", { n: number + 1 }), _("free"))} data-empty>
    ${sit
      ? html`<button class="pod sit" @click=${() => sit(number)}>${_("Sit here")}</button>`
      : html`<p class="pod free">${_("free")}</p>`}
  </section>`;
}

/**
 * @param {Hand} hand
 * @param {number} number
 */
function blindBadge(hand, number) {
  const button = number === hand.button ? html`<span class="visually-hidden">${_("dealer")} </span>` : nothing;
  if (number === hand.small) return html`${button}<abbr class="blind" title=${_("small blind")}>${_("SB")}</abbr>`;
  if (number === hand.big) return html`${button}<abbr class="blind" title=${_("big blind")}>${_("BB")}</abbr>`;
  if (number === hand.straddle) return html`${button}<abbr class="blind" title=${_("straddle")}>${_("STR")}</abbr>`;
  return button;
}

/**
 * @param {Hand} hand
 * @param {Player} player
 */
function holeCards(hand, player) {
  // Where it was run twice or divided by equity, no five cards won it all.
  const best = hand.over && player.won && !hand.second.length && !hand.equity ? new Set(player.best) : null;
  if (player.cards.length) {
    return html`<ul class="hole" aria-label=${_("Cards")} data-faded=${(player.folded && !player.shown) || nothing}>
      ${repeat(player.cards, (code) => `${hand.hand} ${code}`, (code) => html`<li>${drawnCard(code, best?.size ? (best.has(code) ? "best" : "dim") : "")}</li>`)}
    </ul>`;
  }
  if (player.folded || hand.over) return nothing;
  return html`<span class="hole" role="img" aria-label=${_("hidden cards")}><i class="card back"></i><i class="card back"></i></span>`;
}

/**
 * The third line of a seat: what the player does or did, or why he does nothing.
 * @param {State} state
 * @param {Seat} seat
 * @param {Player | undefined} player
 * @param {ViewOptions} options
 */
function seatStatus(state, seat, player, { unit, now }) {
  const { hand, clock: running } = state;
  const mine = seat.seat === state.me;
  if (running?.seat === seat.seat) {
    const { seconds, inBank } = timeLeft(running, now);
    return html`<p class="seat-status now">${mine ? _("your turn") : _("to act")} <span class="seconds">${_("{n} s", { n: seconds })}</span>${inBank ? html`<span class="more"> ${_("bank")}</span>` : nothing}</p>`;
  }
  const status = { away: _("sitting out"), gone: goneText(seat), waiting: _("next hand"), out: seat.place ? _("finished {place}", { place: ordinal(seat.place) }) : pgettext("of the tournament", "out") }[
    mine && isAway(state) ? "away" : seat.state];
  if (!hand || !player) return html`<p class="seat-status">${status ?? nothing}</p>`;
  if (hand.over && player.won) return html`<p class="seat-status won">${_("wins {chips}", { chips: chips(player.won, unit) })}</p>`;
  if (player.shown && player.label) {
    const [, kind, more] = /^(pair|[^,]*)(.*)$/.exec(handText(player.label)) ?? [];
    return html`<p class="seat-status hand-label">${kind}<span class="more">${more}</span></p>`;
  }
  if (player.mucked) return html`<p class="seat-status">${_("mucks")}</p>`;
  if (!player.lastAction) return html`<p class="seat-status">${status ?? nothing}</p>`;
  const [verb, more] = player.folded ? [_("folded"), ""] : actionParts(player.lastAction, unit);
  return html`<p class="seat-status" data-kind=${player.lastAction.kind}>${verb}<span class="more">${more}</span></p>`;
}

/**
 * @param {State} state
 * @param {number} now
 */
function clock(state, now) {
  if (!state.clock) return nothing;
  const { share, inBank } = timeLeft(state.clock, now);
  return html`<progress class="clock" max="1" .value=${share} data-bank=${inBank || nothing} aria-hidden="true"></progress>`;
}

/**
 * @param {number} amountOfChips
 * @param {number} [unit]
 */
function bet(amountOfChips, unit) {
  return html`<p class="bet"><span class="visually-hidden">${pgettext("chips in front of a seat", "bet")} </span>${chipStacks(amountOfChips, 1)}<span>${chips(amountOfChips, unit)}</span></p>`;
}

/**
 * An amount beside a seat, where a long one may find no room.
 * @param {number} much
 * @param {number} [unit]
 */
function chips(much, unit) {
  const [exact, short] = [amount(much, unit), shortAmount(much, unit)];
  return exact === short ? exact : html`<span class="exact">${exact}</span><span class="brief" aria-hidden="true">${short}</span>`;
}
