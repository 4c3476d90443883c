// The hands of a day: played with one click, and afterwards my result, a text to paste, and how others did.

import { SIGNS, blindsText, dayBefore, fieldText, listNames, outcome, outcomesText, pasteText, rankText, streakText } from "./day_words.js";
import { playDeals } from "./form.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { table } from "../competition/tables.js";
import { _, dates, dayName } from "../lib/language.js";
import { copyToClipboard } from "../lib/share.js";
import { faceOf } from "../look/faces.js";
import { programOf } from "../look/characters.js";
import { capitalize, signedNumber } from "../lib/words.js";

/**
 * @import {ChallengeHand, ChallengeResult} from "../lib/messages.d.ts"
 * @import {Settings} from "../lib/settings.js"
 * @import {Day} from "./day_words.js"
 */

/** What is known of a day, or null. @param {string} day a date, or "today" @returns {Promise<Day | null>} */
export async function loadDay(day) {
  const answer = await fetch(`/api/days/${encodeURIComponent(day)}`);
  return answer.ok ? answer.json() : null;
}

/** The button that plays today's hands, and what went wrong. */
export class DayButton {
  /**
   * @param {Settings} settings
   * @param {() => void} draw
   */
  constructor(settings, draw) {
    this.settings = settings;
    this.draw = draw;
    this.error = "";
  }

  /** The first try. */
  template() {
    return html`<button class="main" aria-label=${_("Play today's hands")} @click=${() => this.#play()}>${_("Play")}</button>`;
  }

  /** Every other one. */
  practice() {
    return html`<button @click=${() => this.#play()}>${_("Practise with these hands")}</button>`;
  }

  problem() {
    return this.error ? html`<p class="error" role="alert">${this.error}</p>` : nothing;
  }

  #play() {
    this.error = "";
    this.draw();
    playDeals(this.settings, "today", ({ text }) => {
      this.error = text;
      this.draw();
    });
  }
}

/** The page of a day. */
export class DayPage {
  /**
   * @param {string} name a date, or "today"
   * @param {Settings} settings
   * @param {() => void} draw
   */
  constructor(name, settings, draw) {
    this.name = name;
    this.draw = draw;
    this.button = new DayButton(settings, draw);
    /** @type {Day | null} */
    this.day = null;
    /** The run whose hands are listed: mine, or when all is open any. @type {ChallengeResult | null} */
    this.run = null;
    this.problem = "";
    this.notice = "";
    this.sort = "hand";
  }

  async load() {
    try {
      this.day = await loadDay(this.name);
      if (!this.day) this.problem = _("There are no hands of that day.");
      if (this.day?.replay) {
        const answer = await fetch(`/api/challenges/${encodeURIComponent(this.day.replay)}`);
        if (answer.ok) this.run = (await answer.json()).result;
      }
    } catch {
      this.problem = _("The server does not answer.");
    }
    this.draw();
  }

  get title() {
    return this.day ? _("Hands of {day}", { day: dayName(this.day.day) }) : _("Today's hands");
  }

  /** Whether these hands can be played now. */
  get #isToday() {
    return this.day !== null && Date.now() < this.day.ends_at && this.day.opponents.length > 0;
  }

  template() {
    const { day } = this;
    if (!day) return html`<h1>${this.title}</h1><p role="status">${this.problem || _("Loading…")}</p><p><a class="button" href="/challenge">${_("All challenges")}</a></p>`;
    const bots = [...new Set(day.opponents)];
    return html`
      <section class="day box" aria-labelledby="day">
        <h1 id="day">${this.#isToday ? _("Today's hands") : this.title}</h1>
        <p class="company" aria-hidden="true">${bots.map((bot) => faceOf(programOf(bot) || bot))}</p>
        <p class="lead">${_("{n} hands of no-limit hold'em against {names}. Everybody gets the same cards in the same seat, and full stacks in every hand.", { n: day.hands, names: listNames(day.opponents) })}</p>
        ${this.#mine(day)}
        ${this.button.problem()}
        <p>${fieldText(day)}</p>
      </section>
      ${this.#paste(day)}
      ${this.run ? this.#hands(day, this.run) : nothing}
      ${this.#facts(day)}
      <p class="row start-row"><a class="button" href="/challenge/${dayBefore(day.day)}">${_("The day before")}</a>
        <a class="button" href="/challenge">${_("Challenge a bot of your choice")}</a></p>`;
  }

  /** My result, or how I get one. @param {Day} day */
  #mine(day) {
    const { own } = day;
    const again = this.#isToday ? html`<p>${this.button.practice()}</p>` : nothing;
    if (own?.table) return html`<p>${_("You are in the middle of it.")}</p><p><a class="button main" href="/table/${own.table}#sit">${_("Go on playing")}</a></p>`;
    if (own && own.net === null) return html`<p>${_("You began these hands and did not finish them, so you have no result: the first try counts.")}</p>${again}`;
    if (own && own.net !== null) {
      const more = [rankText(own), streakText(day.streak)].filter(Boolean);
      return html`<p class="score-line"><b data-sign=${Math.sign(own.net)}>${blindsText(own.net, day.big_blind)}</b>
        ${more.length ? html` <span>${capitalize(more.join(", "))}</span>` : nothing}</p>${again}`;
    }
    if (!this.#isToday) return nothing;
    return html`<p class="hint">${_("Your first try counts; there is no account, your browser is recognised by its cookie.")}</p>
      <p>${this.button.template()}</p>`;
  }

  /** @param {Day} day */
  #paste(day) {
    if (day.own?.net == null || !this.run || this.run.run !== day.own.challenge) return nothing;
    const nets = this.run.hands.map((hand) => hand.player_net);
    const text = pasteText(day, nets, `${location.origin}/challenge/${day.day}`);
    const copy = async () => {
      this.notice = await copyToClipboard(text, _("Copied."));
      this.draw();
    };
    return html`<section class="box paste" aria-labelledby="paste">
      <h2 id="paste">${_("Show it to others")}</h2>
      <p class="squares" role="img" aria-label=${outcomesText(nets, day.big_blind)}>${nets.map((net) => html`<i data-sign=${outcome(net, day.big_blind)}>${SIGNS[outcome(net, day.big_blind) + 1]}</i>`)}</p>
      <p class="hint" aria-hidden="true">${_("{won} won, {lost} lost, {small} let go for a big blind at most", { won: SIGNS[2] ?? "", lost: SIGNS[0] ?? "", small: SIGNS[1] ?? "" })}</p>
      <p class="row start-row"><button class="main" @click=${copy}>${_("Copy as text")}</button> <span role="status">${this.notice}</span></p>
      <details><summary>${_("The text, which tells no cards")}</summary><pre tabindex="0" role="group" aria-label=${_("The text to paste")}>${text}</pre></details>
    </section>`;
  }

  /**
   * Every hand, with a way to its replay.
   * @param {Day} day
   * @param {ChallengeResult} run
   */
  #hands(day, run) {
    const mine = run.run === day.own?.challenge;
    /** @type {(run: string, hand: number, net: number, who: string) => unknown} */
    const link = (of, hand, net, who) => {
      const text = signedNumber(net / day.big_blind);
      return of ? html`<a href="/hand/${of}.${hand}" aria-label=${_("{result}: replay of hand {hand}, {name}", { result: text, hand, name: who })}>${text}</a>` : text;
    };
    const rival = listNames([run.rival]);
    return html`<section class="day-hands" aria-labelledby="hands">
      <h2 id="hands">${_("Every hand")}</h2>
      <p class="hint">${day.published ? _("All cards are open now: each number leads to the replay. {name} played the same hands in that seat.", { name: rival })
        : _("Your hands, each with its replay. {name} has played them, too: {result}. Nobody else can see them before {time}.", { name: rival, result: blindsText(run.rival_net, day.big_blind), time: timeText(day.published_at) })}</p>
      ${table({
        caption: _("Big blinds won or lost in each hand"),
        columns: [
          { key: "hand", title: _("Hand"), head: true, value: (/** @type {ChallengeHand} */ hand) => hand.hand, cell: (hand) => hand.hand },
          {
            key: "player", title: mine ? _("You") : html`<bdi>${run.player}</bdi>`, value: (hand) => hand.player_net, first: "largest",
            cell: (hand) => link(run.run, hand.hand, hand.player_net, mine ? _("you") : run.player),
          },
          { key: "rival", title: rival, value: (hand) => hand.rival_net, first: "largest", cell: (hand) => link(run.rival_run, hand.hand, hand.rival_net, rival) },
        ],
        rows: run.hands,
        sort: this.sort,
        onSort: (sort) => {
          this.sort = sort;
          this.draw();
        },
      })}
    </section>`;
  }

  /** @param {Day} day */
  #facts(day) {
    return html`<section class="box" aria-labelledby="fair"><h2 id="fair">${_("Why you can trust the cards")}</h2>
      <dl class="facts">
        <dt>${_("Hash of the seed")}</dt><dd><code>${day.commitment}</code></dd>
        <dt>${_("Seed")}</dt><dd>${day.seed ? html`<code>${day.seed}</code>` : _("published {time}", { time: timeText(day.published_at) })}</dd>
        <dt>${_("Ends")}</dt><dd>${timeText(day.ends_at)}</dd>
      </dl></section>`;
  }
}

/** A moment as the visitor's clock shows it. @param {number} at */
function timeText(at) {
  const when = new Date(at);
  return html`<time datetime=${when.toISOString()}>${when.toLocaleString(dates, { dateStyle: "long", timeStyle: "short" })}</time>`;
}
