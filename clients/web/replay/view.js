// What the replayer shows around the felt: the bar with its buttons, the log, the result, where the deals come from.

import { LONGEST } from "./comment.js";
import { KEYS } from "./keys.js";
import { largestLoss } from "./loss.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, dates, percent, pgettext, titled } from "../lib/language.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { chancesAt, choicesAt, isAskable, linesOf, pointAfter, potOdds, seatOf, stepText, streets } from "./steps.js";
import { characterName } from "../look/characters.js";
import { isHoldem } from "../table/equity.js";
import { handsText } from "../table/state.js";
import { tableAsText } from "../table/textview.js";
import { gameTitle, lineWithCards, tableView } from "../table/view.js";
import { tableName } from "../look/table_names.js";
import { amount, depthText, handName, lineText, seatName, signed } from "../lib/words.js";

/**
 * @import {App, Handlers, View} from "./app.js"
 * @import {Address, Recorded} from "./steps.js"
 * @import {Facts, HandHint} from "./source.js"
 * @import {State} from "../lib/table_types.js"
 */

/** Pictures on the buttons, drawn in a box of 24 by 24. */
const ICONS = {
  first: "M6 5h2v14H6zM19 5v14l-9-7z", back: "M17 5v14l-10-7z", play: "M8 5v14l11-7z", pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  on: "M7 5v14l10-7z", last: "M16 5h2v14h-2zM5 5v14l9-7z", previous: "M12 5v14l-8-7zM20 5v14l-8-7z",
  next: "M12 5v14l8-7zM4 5v14l8-7z",
};
const FILES = [["txt", _("Sentences")], ["phh", "Poker Hand History"], ["ohh", "Open Hand History"], ["json", "JSON"]];

/** @type {View} */
export function layout(app, handlers) {
  const { state, hand, settings, follow } = app;
  if (!state || !hand || !app.at) return html`${header(app, handlers)}<main class="centred">${noHand(app, handlers)}</main>`;
  const unit = unitOf(app);
  const bottom = seatOf(hand, follow);
  const look = { unit, now: 0, ...(bottom === undefined ? {} : { bottom }) };
  return html`${header(app, handlers)}
    ${app.error ? html`<p class="banner" role="alert">${app.error.message} ${retryButton(app, handlers)}</p>` : nothing}
    <main>
      ${settings.text
        ? html`<section class="text-table" aria-label=${_("Table as text")}>${tableAsText(state, unit, 0)}</section>`
        : tableView(state, look)}
      ${controls(app, handlers)}
    </main>
    <aside class="side replay" aria-label=${_("Log and result")}>
      ${app.comment ? html`<section class="comment" aria-label=${_("Comment in the link")}><p>${app.comment}</p><p class="hint">${_("A comment by whoever made this link.")}</p></section>` : nothing}
      ${optionsForm(app, hand, state, handlers)}
      ${result(state, unit)}
      ${equity(app, hand, unit)}
      ${strategy(app, hand, unit, handlers)}
      ${loss(app, hand, unit, handlers)}
      ${playOn(app, handlers)}
      ${log(app, handlers)}
      ${handFacts(app.at, hand, app.facts)}
    </aside>
    ${app.dialog === "help" ? helpDialog(handlers) : app.dialog === "comment" ? commentDialog(app, handlers) : nothing}`;
}

/** @param {App} app */
function unitOf({ settings, state }) {
  return settings.bigBlinds ? state?.bigBlind : undefined;
}

/** @type {View} */
function noHand({ error, isLoading }, handlers) {
  if (isLoading || !error) return html`<p class="hint" role="status">${_("Loading the hand…")}</p>`;
  return html`<div class="box"><h1>${_("No hand to show")}</h1><p class="error" role="alert">${error.message}</p>
    <p class="row">${retryButton({ error }, handlers)}<a class="button" href="/">${_("All tables")}</a></p></div>`;
}

/**
 * @param {Pick<App, "error">} app
 * @param {Handlers} handlers
 */
function retryButton({ error }, handlers) {
  return error?.canRetry ? html`<button @click=${handlers.retry}>${_("Try again")}</button>` : nothing;
}

/** @type {View} */
function header({ at, hand, state, facts, settings, isMenuOpen }, handlers) {
  const toggle = (/** @type {"bigBlinds" | "fourColours" | "text"} */ key, /** @type {string} */ name) => html`<button
    aria-pressed=${settings[key] ? "true" : "false"} @click=${() => handlers.changeSettings({ [key]: !settings[key] })}>${name}</button>`;
  const table = hand && (at?.competition ? hand.table : tableName({ table: hand.table, name: facts?.name ?? "" }));
  return html`<header class="top">
    <a class="home" href="/" title=${_("All tables")}>pokerd</a>
    ${hand && state?.hand && at ? html`
      <div class="title"><h1>${handName(state.hand.hand)}</h1>
        <p>${at.competition || facts?.open ? html`<a href=${at.home}><bdi>${at.competition || table}</bdi></a>` : html`<bdi>${table}</bdi>`}
          ${at.competition ? html`<bdi>${table}</bdi>` : nothing} ${gameTitle(state)}</p></div>
      <button class="menu-button" aria-expanded=${isMenuOpen ? "true" : "false"} aria-controls="menu" @click=${handlers.toggleMenu}>${_("Menu")}</button>
      <nav id="menu" aria-label=${_("Replayer")} data-open=${isMenuOpen || nothing}>
        <button @click=${handlers.copyLink}>${_("Copy link")}</button>
        <button @click=${() => handlers.openDialog("comment")}>${_("Comment")}</button>
        ${toggle("bigBlinds", _("Big blinds"))}
        ${toggle("fourColours", _("Four colours"))}
        ${toggle("text", _("Text table"))}
        <button @click=${() => handlers.openDialog("help")}>${_("Help")}</button>
      </nav>` : nothing}
  </header>`;
}

/** @type {View} */
function controls(app, handlers) {
  const { hand, steps, step, isPlaying, notice, settings } = app;
  const lastStep = steps.length - 1;
  const lines = linesOf(steps[step]);
  /** @type {(icon: keyof typeof ICONS, name: string, press: () => void, off: boolean) => unknown} */
  const button = (icon, name, press, off) => html`<button aria-label=${name} title=${name} ?disabled=${off}
    @click=${press}>${iconImage(icon)}</button>`;
  return html`<section class="controls replay" aria-label=${_("Replay")}>
    <p class="step"><span class="count">${step} / ${lastStep}</span>
      <span class="notice">${notice || lines.map((line, index) => html`${index ? " · " : ""}${lineWithCards(lineText(line, settings.bigBlinds))}`)}</span></p>
    <input class="slider" type="range" aria-label=${_("Step")} min="0" max=${lastStep} .value=${live(String(step))}
      aria-valuetext=${titled(_("{step} of {last}", { step, last: lastStep }), stepText(steps[step], "plain", settings.bigBlinds))}
      @input=${(/** @type {Event & {target: HTMLInputElement}} */ event) => handlers.goToStep(Number(event.target.value))}>
    <div class="buttons">
      ${button("previous", _("Previous hand"), () => handlers.openNeighbour("previous"), !hand?.previous)}
      ${button("first", _("First step"), handlers.goToFirst, step === 0)}
      ${button("back", _("Step back"), () => handlers.stepBy(-1), step === 0)}
      <button class="main" aria-label=${isPlaying ? _("Pause") : pgettext("a recording", "Play")} title=${isPlaying ? _("Pause") : pgettext("a recording", "Play")}
        @click=${handlers.togglePlay}>${iconImage(isPlaying ? "pause" : "play")}</button>
      ${button("on", _("Step forward"), () => handlers.stepBy(1), step === lastStep)}
      ${button("last", _("Last step"), handlers.goToLast, step === lastStep)}
      ${button("next", _("Next hand"), () => handlers.openNeighbour("next"), !hand?.next)}
    </div>
    <div class="streets" role="group" aria-label=${_("Streets")}>
      ${streets(steps).map(({ name, step: begin }, index, all) => html`<button ?disabled=${begin < 0}
        aria-pressed=${begin >= 0 && currentStreet(all.map((one) => one.step), step) === index ? "true" : "false"}
        @click=${() => handlers.goToStreet(index)}>${name}</button>`)}
    </div>
  </section>`;
}

/**
 * The street that a step belongs to: the one that began last.
 * @param {readonly number[]} begins
 * @param {number} step
 */
function currentStreet(begins, step) {
  return begins.reduce((best, begin, index) => (begin >= 0 && begin <= step && begin >= (begins[best] ?? 0) ? index : best), 0);
}

/** @param {keyof typeof ICONS} icon */
function iconImage(icon) {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[icon]}></path></svg>`;
}

/**
 * @param {App} app
 * @param {Recorded} hand
 * @param {State} state
 * @param {Handlers} handlers
 */
function optionsForm({ options, follow }, hand, state, handlers) {
  /** @type {(key: "allFaceUp" | "autoNext", text: string) => unknown} */
  const box = (key, text) => html`<label><input type="checkbox" .checked=${live(options[key])}
    @change=${(/** @type {Event & {target: HTMLInputElement}} */ event) => handlers.changeOptions({ [key]: event.target.checked })}> ${text}</label>`;
  const speeds = { "0.5": "½×", 1: "1×", 2: "2×", 4: "4×", instant: _("instant") };
  return html`<section class="options" aria-label=${_("How to show it")}>
    <label>${_("Speed")} <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => handlers.changeOptions({ speed: event.target.value })}>
      ${["0.5", "1", "2", "4", "instant"].map((key) => html`<option value=${key} ?selected=${options.speed === key}>
        ${speeds[/** @type {keyof typeof speeds} */ (key)]}</option>`)}
    </select></label>
    <label>${_("Follow")} <select @change=${(/** @type {Event & {target: HTMLSelectElement}} */ event) => handlers.followPlayer(event.target.value)}>
      <option value="" ?selected=${!follow}>${_("nobody")}</option>
      ${hand.names.map((name, seat) => (name ? html`<option value=${name} ?selected=${follow === name}>${seatName(state, seat)}</option>` : nothing))}
    </select></label>
    ${box("autoNext", _("Continue with the next hand"))}
    ${hand.open ? box("allFaceUp", _("All cards face up")) : nothing}
  </section>`;
}

/**
 * @param {State} state
 * @param {number | undefined} unit
 */
function result(state, unit) {
  const { hand, me } = state;
  if (!hand?.over) return nothing;
  const rows = Object.values(hand.players).sort((a, b) => (b.net ?? 0) - (a.net ?? 0) || a.seat - b.seat);
  return html`<table class="nets"><caption>${_("Won and lost")}</caption><tbody>${rows.map((player) => html`<tr>
    <th scope="row">${player.seat === me ? _("You") : seatName(state, player.seat)}</th>
    <td>${player.folded ? _("folded") : handsText(player)}</td>
    <td class="net" data-sign=${Math.sign(player.net ?? 0)}>${signed(player.net ?? 0, unit)}</td></tr>`)}</tbody></table>`;
}

/**
 * What everybody's cards win on average from here, where all of them may be seen, and what the next player is offered.
 * @param {App} app
 * @param {Recorded} hand
 * @param {number | undefined} unit
 */
function equity({ state, steps, step }, hand, unit) {
  // Cards that were shown afterwards are steps of their own.
  const shares = hand.equities?.[Math.min(step, hand.equities.length - 1)] ?? [];
  const odds = potOdds(hand, steps, step);
  if (!state?.hand || !(shares.length || odds)) return nothing;
  const { seats, players } = state.hand;
  const rows = seats.flatMap((seat, position) => (players[seat]?.folded ? []
    : [{ kind: "equity", name: html`<bdi>${seatName(state, seat)}</bdi>`, share: shares[position] ?? 0 }]));
  return html`<section class="strategy" aria-label=${_("Equity")}><h2>${_("Equity and pot odds")}</h2>
    ${shares.length ? bars(rows) : nothing}
    ${odds ? html`<p class="hint">${_("{name} has to call {chips} to win {pot}: a call needs {share}.", {
      name: html`<bdi>${seatName(state, odds.seat)}</bdi>`, chips: amount(odds.call, unit), pot: amount(odds.pot, unit), share: percent(odds.needs) })}</p>` : nothing}</section>`;
}

/** @param {readonly {kind: string, name: unknown, share: number}[]} rows */
function bars(rows) {
  return html`<dl>${rows.map(({ kind, name, share }) => html`<div data-kind=${kind}><dt>${name}</dt><dd><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width=${100 * share} height="8"></rect></svg>
    <span>${percent(share)}</span></dd></div>`)}</dl>`;
}

/**
 * What the player of this step says he could have done, and what a strong bot would have done, as bars; in hands in which
 * somebody tells it, or can be asked.
 * @param {App} app
 * @param {Recorded} hand
 * @param {number | undefined} unit
 * @param {Handlers} handlers
 */
function strategy({ at, state, steps, step, hint }, hand, unit, handlers) {
  const canAsk = at !== null && steps.some((one) => isAskable(at, hand, one));
  if (!state || !(canAsk || hand.chances?.some((one) => one.length))) return nothing;
  const chances = chancesAt(hand, steps, step);
  const told = hint && hintText(hint, () => handlers.goToStep(step), (found) => choiceBars(choicesAt(found, steps, step), unit));
  const message = steps[step]?.message;
  const name = message?.type === "acted" ? seatName(state, message.seat) : "";
  return html`<section class="strategy" aria-label=${_("Strategy")}><h2>${name && chances.length ? _("What {name} does here", { name: html`<bdi>${name}</bdi>` }) : _("Strategy")}</h2>
    ${chances.length ? choiceBars(chances, unit) : nothing}${told}
    ${chances.length || told ? nothing : html`<p class="hint">${canAsk ? _("Step to an action of a player whose cards you see.") : _("Step to an action of a player who tells how he plays.")}</p>`}</section>`;
}

/**
 * @param {NonNullable<App["hint"]>} hint
 * @param {() => void} askAgain
 * @param {(chances: HandHint["chances"]) => unknown} draw
 */
function hintText({ answer, error }, askAgain, draw) {
  if (answer) return html`<p>${_("{bot} would have done this with these cards:", { bot: html`<bdi>${characterName(answer.bot)}</bdi>` })}</p>${draw(answer.chances)}
    ${answer.depth ? html`<p class="hint">${depthText(answer.depth)}</p>` : nothing}`;
  return html`<p class="hint" role="status">${error ? error.message : _("The bot is thinking.")}</p>
    ${error?.canRetry ? html`<button @click=${askAgain}>${_("Try again")}</button>` : nothing}`;
}

/**
 * @param {ReturnType<typeof choicesAt>} choices
 * @param {number | undefined} unit
 */
function choiceBars(choices, unit) {
  return bars(choices.map(({ kind, to, chance }) => ({ kind, name: choiceText(kind, to ? amount(to, unit) : ""), share: chance })));
}

/** "fold", "raise to 300". @param {"fold" | "check" | "call" | "bet" | "raise"} kind @param {string} chips */
function choiceText(kind, chips) {
  if (!chips) return { fold: _("fold"), check: _("check"), call: _("call"), bet: _("bet"), raise: _("raise") }[kind];
  return kind === "raise" ? _("raise to {most}", { most: chips }) : _("bet {chips}", { chips });
}

/**
 * Where the person who looks at his own hand lost most, and what that means.
 * @param {App} app
 * @param {Recorded} hand
 * @param {number | undefined} unit
 * @param {Handlers} handlers
 */
function loss({ steps }, hand, unit, handlers) {
  const { judged, loss: found } = largestLoss(hand, steps);
  if (!judged) return nothing;
  const meaning = html`<p class="hint">${_("Judged by the cards as they were shown in the end, which you could not see, and as if nobody had bet any more. Your bets and raises are not judged.")}</p>`;
  if (!found) return html`<section class="strategy" aria-label=${_("Largest loss")}><h2>${_("None of your calls and folds was a large loss")}</h2>${meaning}</section>`;
  const figures = { chips: amount(Math.round(found.chips), unit), call: amount(found.call, unit), share: percent(found.share), needs: percent(found.needs) };
  return html`<section class="strategy" aria-label=${_("Largest loss")}><h2>${_("Your largest loss")}</h2>
    <p>${found.kind === "call" ? _("Your call of {call} lost {chips} on average: it needed {needs} of the pot, and your cards won {share}.", figures)
      : _("Your fold lost {chips} on average: a call of {call} needed {needs} of the pot, and your cards won {share}.", figures)}</p>
    ${meaning}
    <button @click=${() => handlers.goToStep(found.step)}>${_("Go there")}</button></section>`;
}

/** The way to a practice table with this hand, where everybody may know its deck. @type {View} */
function playOn({ at, state, facts, steps, step }, handlers) {
  if (!state || at?.competition || !facts?.seed) return nothing;
  const point = pointAfter(steps, step);
  return html`<section class="strategy" aria-label=${_("Play on")}><h2>${_("Play on")}</h2>
    <p class="hint">${point ? _("A practice table with the same cards: you play for {name}, and house bots for everybody else. Nothing of it counts.", {
      name: html`<bdi>${seatName(state, point.seat)}</bdi>` }) : _("Step back to where somebody is still to act.")}</p>
    <button ?disabled=${!point} @click=${handlers.playOn}>${_("Play on from here")}</button></section>`;
}

/** @type {View} */
function log({ hand, steps, step, settings }, handlers) {
  const lost = hand && largestLoss(hand, steps).loss?.step;
  return html`<ol class="log" tabindex="0" aria-label=${_("Log")}>${steps.flatMap((one, index) => linesOf(one).map((line, number) => html`<li
      data-kind=${line.kind} data-later=${index > step || nothing}><button
      class="line" aria-current=${index === step && number === 0 ? "step" : nothing} data-now=${index === step || nothing}
      @click=${() => handlers.goToStep(index)}>${lineWithCards(lineText(line, settings.bigBlinds))}${index === lost && number === 0 ? html` <span class="lost">${_("Your largest loss")}</span>` : nothing}</button></li>`))}</ol>`;
}

/**
 * @param {Address} at
 * @param {Recorded} hand
 * @param {Facts | null} facts
 */
function handFacts(at, hand, facts) {
  const files = FILES.filter(([suffix]) => suffix === "txt" || suffix === "json" || isHoldem(gameOf(hand)));
  return html`<details class="about"><summary>${_("Downloads and deals")}</summary>
    <ul class="files" aria-label=${_("Downloads")}>${files.map(([suffix, name]) => html`<li><a class="button" download
      href="${at.api}.${suffix}" title=${name}>.${suffix}</a></li>`)}</ul>
    <dl>
      <dt>${_("Hand")}</dt><dd>${at.name}</dd>
      ${hand.at ? html`<dt>${_("Ended")}</dt><dd><time datetime=${new Date(hand.at).toISOString()}>${new Date(hand.at).toLocaleString(dates)}</time></dd>` : nothing}
      ${facts ? html`<dt>${_("Seed's hash")}</dt><dd>SHA-256 <code>${facts.commitment}</code></dd>
        <dt>${_("Seed")}</dt><dd>${facts.seed ? html`<code>${facts.seed}</code>` : (at.competition ? _("published when the competition is over") : _("published when the table closes"))}</dd>` : nothing}
    </dl>
    ${facts?.seed ? html`<p class="hint">${_("The hash was published before the first card, the seed after the last: the cards could not change in between.")} ${verdict(facts.isVerified)}
      ${at.competition ? _("{command} deals every hand again and compares.", { command: html`<code>python -m pokerd verify results/${at.competition}</code>` }) : nothing}</p>` : nothing}
  </details>`;
}

/** @param {boolean | null} right */
function verdict(right) {
  if (right === null) return nothing;
  return right ? _("Checked by this browser: the seed matches the SHA-256 published before play.")
    : html`<strong class="error">${_("The seed does not match the SHA-256 published before play.")}</strong>`;
}

/** @param {Recorded} hand */
function gameOf(hand) {
  const start = hand.messages.find((message) => message.type === "match_start");
  return start?.game;
}

/** @type {View} */
function commentDialog({ comment }, handlers) {
  const submit = (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
    event.preventDefault();
    handlers.copyComment(String(new FormData(event.currentTarget).get("comment")));
  };
  return html`<dialog class="box" aria-labelledby="dialog-title" @cancel=${handlers.closeDialog} @close=${handlers.closeDialog}>
    <h2 id="dialog-title">${_("A link with a comment")}</h2>
    <form class="write" @submit=${submit}>
      <label for="comment">${_("Comment to this step")}</label>
      <textarea id="comment" name="comment" rows="3" maxlength=${LONGEST} .value=${comment}></textarea>
      <p class="hint">${_("At most {n} characters. They travel in the link alone; the server does not see them.", { n: LONGEST })}</p>
      <button class="main">${_("Copy the link")}</button>
    </form>
    <button class="close" @click=${handlers.closeDialog}>${_("Close")}</button>
  </dialog>`;
}

/** @param {Handlers} handlers */
function helpDialog(handlers) {
  return html`<dialog class="box" aria-labelledby="dialog-title" @cancel=${handlers.closeDialog} @close=${handlers.closeDialog}>
    <h2 id="dialog-title">${_("Help")}</h2>
    <dl class="keys">${KEYS.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>
    <p>${_("Click a line of the log to go there. The address bar always links to the step you see.")}</p>
    <button class="close" @click=${handlers.closeDialog}>${_("Close")}</button>
  </dialog>`;
}
