// How a challenge ended: who was better, the sums as curves, and every hand with a way to both replays.

import { joinWords } from "../lib/cards.js";
import { parametersText } from "../lib/bots.js";
import { brokenOffText, runningTotals, verdictText, withShownNames } from "./challenge_words.js";
import { Chart, swatch } from "../lib/chart.js";
import { isDay } from "./day_words.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { table } from "../competition/tables.js";
import { copyToClipboard } from "../lib/share.js";
import { _, dates, dayName, language, ngettext } from "../lib/language.js";
import { signedNumber, stakesText } from "../lib/words.js";

/** @import {ChallengeResult, ChallengeHand} from "../lib/messages.d.ts" */
/** @typedef {{challenge: string, player: string, nets: number[]}} Friend */
/**
 * What `/api/challenges/{challenge}` answers: `at` is when it ended, in milliseconds since 1970.
 * @typedef {{at: number, result: ChallengeResult, own?: boolean, counts?: boolean, link?: string, friends?: Friend[]}} Answer
 */

export class Result {
  /**
   * @param {Answer} answer
   * @param {() => void} draw
   */
  constructor({ result, at, own = false, link = "", friends = [] }, draw) {
    this.it = withShownNames(result);
    this.at = at;
    this.own = own;
    this.friends = friends;
    this.address = link && `${location.origin}/challenge?friend=${link}`;
    this.notice = "";
    this.draw = draw;
    this.sort = "hand";
    /** @type {Chart | null} */
    this.chart = null;
  }

  template() {
    const { it } = this;
    const when = new Date(this.at);
    const broken = brokenOffText(it);
    const tuned = Object.entries(it.parameters ?? {});
    return html`
      <h1>${_("{player} against {rival}", { player: html`<bdi>${it.player}</bdi>`, rival: html`<bdi>${it.rival}</bdi>` })}</h1>
      <p class="verdict">${verdictText(it)}</p>
      ${broken ? html`<p>${broken}</p>` : nothing}
      ${isDay(it.deals ?? "") ? html`<p>${this.own ? `${_("This was practice: only the first try at the hands of a day counts.")} ` : nothing}<a
        href="/challenge/${it.deals}">${_("Hands of {day}", { day: dayName(it.deals ?? "") })}</a></p>` : nothing}
      ${this.#totals()}
      ${this.#invite()}
      <section aria-labelledby="curves">
        <h2 id="curves">${_("Hand by hand")}</h2>
        <ul class="key"><li>${swatch(0)} ${it.player}</li><li>${swatch(1)} ${it.rival}</li></ul>
        <div class="chart" role="img" aria-label=${_("What {player} and {rival} had won after each hand. A table with every hand follows.", { player: it.player, rival: it.rival })}></div>
      </section>
      ${this.#hands()}
      <dl class="facts box">
        <dt>${_("Played")}</dt><dd>${_("{game}, full stacks in every hand", { game: stakesText(it.game) })}</dd>
        <dt>${_("Opponents")}</dt><dd>${joinWords(it.opponents)}</dd>
        ${tuned.length ? html`<dt>${_("Parameters")}</dt><dd>${tuned.map(([name, values]) => html`${name}: ${parametersText(values)}<br>`)}</dd>` : nothing}
        <dt>${_("Ended")}</dt><dd><time datetime=${when.toISOString()}>${when.toLocaleString(dates, { dateStyle: "long", timeStyle: "short" })}</time></dd>
        <dt>${_("Deals")}</dt><dd>${_("Both runs had the same cards, seats and bots:")} <a href="/api/tables/${it.run}">${_("seed and its published hash")}</a></dd>
        <dt>${_("Data")}</dt><dd><a href="/api/challenges/${it.run}">JSON</a></dd>
      </dl>
      <p><a class="button main" href="/challenge">${_("Another challenge")}</a></p>`;
  }

  /** What brings a friend to these cards. */
  #invite() {
    if (!this.address) return nothing;
    const copy = async () => {
      this.notice = await copyToClipboard(this.address, _("Copied."));
      this.draw();
    };
    return html`<section class="box" aria-labelledby="invite"><h2 id="invite">${_("Invite a friend to the same cards")}</h2>
      <p>${_("Who has this link plays these hands against the same opponents, and sees both results side by side. This page shows your hands: let friends play first.")}</p>
      <p class="row start-row"><input class="address" readonly aria-label=${_("Link for friends")} .value=${this.address}>
        <button class="main" @click=${copy}>${_("Copy link")}</button> <span role="status">${this.notice}</span></p></section>`;
  }

  #totals() {
    const { it } = this;
    const rate = (/** @type {number} */ chips, many = it.hands.length) => signedNumber((chips / many / it.big_blind) * 100, 1);
    const error = it.half === null ? "" : ` ± ${((it.half / it.big_blind) * 100).toLocaleString(language, { maximumFractionDigits: 1 })}`;
    const rows = [
      { name: it.player, chips: it.player_net, rate: rate(it.player_net) },
      { name: it.rival, chips: it.rival_net, rate: rate(it.rival_net) },
      { name: _("Difference"), chips: it.player_net - it.rival_net, rate: `${signedNumber((it.mean / it.big_blind) * 100, 1)}${error}` },
      ...this.friends.map(({ challenge, player, nets }) => {
        const chips = nets.reduce((sum, net) => sum + net, 0);
        return { name: html`<a href="/challenge/${challenge}"><bdi>${player}</bdi></a>`, chips, rate: rate(chips, nets.length) };
      }),
    ];
    return html`<div class="totals">${table({
      caption: ngettext("{n} hand, in chips and in big blinds per 100 hands with the 95 % interval", "{n} hands, in chips and in big blinds per 100 hands with the 95 % interval", it.hands.length),
      columns: [
        { key: "name", title: _("Player"), head: true, cell: (row) => row.name },
        { key: "chips", title: _("Chips"), cell: (row) => signedNumber(row.chips, 2) },
        { key: "rate", title: html`<abbr title=${_("big blinds per 100 hands")}>bb/100</abbr>`, cell: (row) => row.rate },
      ],
      rows,
    })}</div>`;
  }

  #hands() {
    const { it } = this;
    /** @type {(run: string, hand: ChallengeHand, net: number, who: string) => unknown} */
    const link = (run, { hand }, net, who) => (run
      ? html`<a href="/hand/${run}.${hand}" aria-label=${_("{result}: replay of hand {hand}, {name}", { result: signedNumber(net, 2), hand, name: who })}>${signedNumber(net, 2)}</a>` : signedNumber(net, 2));
    const difference = (/** @type {ChallengeHand} */ hand) => hand.player_net - hand.rival_net;
    return html`<section aria-labelledby="hands">
      <h2 id="hands">${_("Every hand")}</h2>
      <p class="hint">${_("The same cards in the same seat. Each number leads to the replay.")}</p>
      ${table({
        caption: _("Chips won or lost in each hand"),
        columns: [
          { key: "hand", title: _("Hand"), head: true, value: (hand) => hand.hand, cell: (hand) => hand.hand },
          { key: "player", title: it.player, value: (hand) => hand.player_net, first: "largest", cell: (hand) => link(it.run, hand, hand.player_net, it.player) },
          { key: "rival", title: it.rival, value: (hand) => hand.rival_net, first: "largest", cell: (hand) => link(it.rival_run, hand, hand.rival_net, it.rival) },
          { key: "difference", title: _("Difference"), value: difference, first: "largest", cell: (hand) => html`<span class="difference">${signedNumber(difference(hand), 2)}</span>` },
          ...this.friends.map(({ challenge, player, nets }, at) => ({
            key: `friend-${at}`, title: html`<bdi>${player}</bdi>`,
            cell: (/** @type {ChallengeHand} */ hand) => (nets[hand.hand - 1] === undefined ? "" : link(challenge, hand, nets[hand.hand - 1] ?? 0, player)),
          })),
        ],
        rows: it.hands,
        sort: this.sort,
        mark: (hand) => String(Math.sign(difference(hand))),
        onSort: (sort) => {
          this.sort = sort;
          this.draw();
        },
      })}
    </section>`;
  }

  /** The page has been drawn: now there is a place for the chart. */
  afterDraw() {
    const host = /** @type {HTMLElement | null} */ (document.querySelector("main .chart"));
    if (!host || this.chart) return;
    const { hands, mine, theirs } = runningTotals(this.it);
    this.chart = new Chart(host, { x: _("Hand"), y: _("Chips won") });
    this.chart.draw(hands, [
      { label: this.it.player, style: 0, values: mine },
      { label: this.it.rival, style: 1, values: theirs },
    ]);
  }
}
