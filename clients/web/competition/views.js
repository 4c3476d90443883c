// Standings, crosstable and incidents of a division, and the head of the whole competition.

import {
  leadText, formatTime, formatCount, decidedText, formatEstimate, placesGained, groupRanking, tabulateIncidents, describeIncident, forcedShare, routeLink,
  describeDivision, sumProgress, shadeOf, unitName, formatDate,
} from "./data.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ngettext, ordinal, pgettext } from "../lib/language.js";
import { downloads, scrollBox, table } from "./tables.js";
import { signedNumber, statusText } from "../lib/words.js";

/** @import {Competition, Division, Estimate, RankSnapshot, Ranked, Standings} from "./data.js" */
/** @import {Column} from "./tables.js" */

/** On a phone what can be checked would fill the first screen. */
const WIDE = matchMedia("(min-width: 40rem)");
const KINDS = { house: _("house bot"), program: _("program"), remote: _("remote") };

/** Status, progress, commitment and seed. @param {Competition} competition */
export function competitionHead(competition) {
  return html`<section class="box head" aria-labelledby="title">
    <h1 id="title">${competition.name} <span class="status" data-status=${competition.status}>${statusText(competition.status)}</span></h1>
    ${competition.status === "running" ? progressBar(competition) : nothing}
    ${competition.status === "unfinished" ? html`<p>${_("It was stopped, or another process is playing it. Its hands appear when it is finished.")}</p>` : nothing}
    <p>${competition.at ? html`${competition.status === "finished" ? _("Ended") : _("Began")} <time datetime=${new Date(competition.at).toISOString()}>${formatDate(competition.at)}</time>.` : nothing}
      ${competition.anonymous ? _("Bots see each other under pseudonyms, which change every session.") : nothing}</p>
    <details ?open=${WIDE.matches}><summary>${_("How to check the deals")}</summary><dl class="facts">
      <dt>${_("Deals")}</dt><dd>${competition.deck === "acpc" ? _("those of the ACPC dealer, from a 32-bit seed. Its hash was published before the first card:") : _("secure, from a 256-bit seed. Its hash was published before the first card:")}
        <code>sha256 ${competition.commitment}</code></dd>
      <dt>${_("Seed")}</dt><dd>${competition.seed ? html`<code>${competition.seed}</code>` : _("published after the last card: nobody can use it, and everybody can check it.")}</dd>
      ${competition.status === "finished" ? html`<dt>${pgettext("the deals", "Check")}</dt><dd>${_("{command}, run on its results, compares the seed with the published hash, deals every hand again, and recounts everything.", { command: html`<code>python -m pokerd verify results/${competition.competition}</code>` })}</dd>` : nothing}
    </dl></details>
    ${downloads(apiAddress(competition))}
  </section>`;
}

/** @param {Competition} competition */
function progressBar(competition) {
  const { sessions, sessionsDone, hands, handsDone } = sumProgress(competition.divisions);
  return html`<p><progress max=${hands || 1} .value=${handsDone} aria-label=${_("Hands played")}></progress></p>
    <p>${_("{done} of {all} sessions, {hands} of {allHands} hands.", { done: formatCount(sessionsDone), all: formatCount(sessions), hands: formatCount(handsDone), allHands: formatCount(hands) })} ${
      sessionsDone === sessions ? _("All hands are played; the records are being written.") : ""}</p>`;
}

/** @param {Competition} competition */
export function apiAddress(competition) {
  return `/api/competitions/${encodeURIComponent(competition.competition)}`;
}

/**
 * @param {Competition} competition
 * @param {string} bot
 */
function kindTag(competition, bot) {
  const found = competition.bots.find((one) => one.bot === bot)?.kind;
  return found ? html` <small class="tag">${KINDS[found]}</small>` : nothing;
}

/**
 * @param {Standings} standings
 * @param {string} bot
 */
function forcedTag(standings, bot) {
  const share = forcedShare(standings, bot);
  return share ? html` <small class="tag marked">${_("late or absent in {share}", { share })}</small>` : nothing;
}

/**
 * @param {Competition} competition
 * @param {Division} division
 */
export function divisionSummary(competition, division) {
  const { sessions, sessionsDone, handsDone } = sumProgress([division]);
  return html`<p>${describeDivision(division)}.${competition.status === "running" ? ` ${ngettext("So far {done} of {all} sessions, {n} hand.", "So far {done} of {all} sessions, {n} hands.", handsDone, { done: formatCount(sessionsDone), all: formatCount(sessions) })}` : ""}</p>`;
}

/**
 * @param {Competition} competition
 * @param {Standings | undefined} standings
 * @param {RankSnapshot | null} before
 * @param {{sort: string, onSort: (sort: string) => void}} order
 */
export function standingsSection(competition, standings, before, order) {
  if (!standings) return html`<p>${competition.status === "unfinished" ? _("There are no standings.") : _("Standings appear when a match has been played in all its seatings.")}</p>`;
  const finishes = competition.finishes[standings.division] ?? {};
  const ends = groupRanking(standings.ranking).map((group) => group.at(-1)).slice(0, -1);
  const anyTied = standings.ranking.some((row) => row.tied);
  const doubtful = standings.ranking.some((row, index) => index + 1 < standings.ranking.length && !row.ahead?.decided);
  /** @type {(row: Ranked) => Ranked | undefined} */
  const next = (row) => standings.ranking[standings.ranking.indexOf(row) + 1];
  /** @type {Column<Ranked>[]} */
  const columns = [
    { key: "place", title: _("Place"), value: (row) => row.place, cell: (row) => html`${row.place}${row.tied ? html`<span aria-hidden="true">=</span><span class="visually-hidden"> ${_("tied")}</span>` : nothing}` },
    ...(before ? [/** @type {Column<Ranked>} */ ({ key: "gained", title: _("Change"), first: "largest", value: (row) => placesGained(before, standings.division, row), cell: (row) => change(placesGained(before, standings.division, row)) })] : []),
    { key: "bot", title: _("Bot"), head: true, value: (row) => row.bot, cell: (row) => html`<a href=${routeLink(standings.division, "matches", "", [["bot", row.bot]])}>${row.bot}</a>${kindTag(competition, row.bot)}${forcedTag(standings, row.bot)}` },
    ...Array.from({ length: Object.values(finishes)[0]?.length ?? 0 }, (each, index) => /** @type {Column<Ranked>} */ ({
      key: `finish${index + 1}`, title: ordinal(index + 1), first: "largest", value: (row) => finishes[row.bot]?.[index] ?? 0, cell: (row) => formatCount(finishes[row.bot]?.[index] ?? 0),
    })),
    { key: "rate", title: unitName(standings.unit), first: "largest", value: (row) => row.rate?.mbb ?? null, cell: (row) => estimate(row.rate, standings, false) },
    { key: "interval", title: _("95 % interval"), cell: (row) => (row.rate ? formatEstimate(row.rate, standings.unit).range : "") },
    { key: "ahead", title: _("Ahead of the next"), cell: (row) => html`<span class=${row.ahead?.decided ? "sure" : "unsure"}>${leadText(row, next(row), standings.unit)}</span>` },
    { key: "hands", title: standings.unit === "hand" ? _("Hands") : _("Tournaments"), first: "largest", value: (row) => row.hands, cell: (row) => formatCount(row.hands) },
    { key: "chips", title: _("Chips"), first: "largest", value: (row) => row.chips, cell: (row) => signedNumber(row.chips, 2) },
  ];
  return html`
    ${table({ caption: standings.complete ? _("Total bankroll")
      : standings.unit === "hand" ? ngettext("Total bankroll, {n} hand scored so far", "Total bankroll, {n} hands scored so far", standings.hands)
        : ngettext("Total bankroll, {n} tournament scored so far", "Total bankroll, {n} tournaments scored so far", standings.hands), columns, rows: standings.ranking, ...order,
      mark: (row) => (!order.sort && ends.includes(row) ? "group" : "") })}
    <p class="hint">${standings.unit === "hand" ? _("mbb/hand: thousandths of a big blind won per hand.") : _("stacks/tournament: starting stacks won per tournament.")} ${standings.interval_unit === "match" ? _("The interval's unit is a match in all its seatings; with too few of these there is no interval.") : _("The interval's unit is a deal in all its seatings; with too few of these there is no interval.")}
      ${ends.length ? _("Thick line: the bot above it is ahead by more than chance.") : ""}
      ${doubtful ? _("Undecided: the difference may be chance; more hands would decide it.") : ""}
      ${anyTied ? _("= : tied.") : ""}
      ${standings.marked?.length ? _("Late or absent: the table checked or folded for this bot in more than 1 of 100 decisions.") : ""}
      ${before ? _("Change: places gained since you looked at {time}.", { time: formatTime(before.at) }) : ""}</p>
    ${downloads(apiAddress(competition), `${apiAddress(competition)}/standings.csv`, Object.keys(finishes).length ? `${apiAddress(competition)}/finishes.csv` : undefined)}
    ${standings.run_off && standings.run_off.rounds.length > 1 ? html`${runOff(standings)}${downloads(apiAddress(competition), `${apiAddress(competition)}/runoff.csv`)}` : nothing}`;
}

/** @param {number | null} gain */
function change(gain) {
  if (gain === null) return html`<span>${_("new")}</span>`;
  if (!gain) return html`<span aria-hidden="true">–</span><span class="visually-hidden">${_("none")}</span>`;
  return html`<span class="gain" data-sign=${Math.sign(gain)}><span aria-hidden="true">${gain > 0 ? "▲" : "▼"} ${Math.abs(gain)}</span><span class="visually-hidden">${gain > 0 ? _("up {n}", { n: gain }) : _("down {n}", { n: -gain })}</span></span>`;
}

/**
 * Bold when it is decided; otherwise "?" and the word for it.
 * @param {Estimate | null | undefined} value
 * @param {Standings} standings
 * @param {boolean} half
 */
function estimate(value, standings, half) {
  if (!value) return html`<span class="visually-hidden">${_("no data")}</span>`;
  const words = formatEstimate(value, standings.unit);
  const doubt = value.decided || !value.mbb ? nothing : html`<span aria-hidden="true"> ?</span><span class="visually-hidden"> ${_("undecided")}</span>`;
  return html`<span class=${value.decided ? "sure" : "unsure"}>${words.mean}${doubt}</span>${half ? html` <small>${words.half}</small>` : nothing}`;
}

/** @param {Standings} standings */
function runOff(standings) {
  const { ranking, rounds } = /** @type {NonNullable<Standings["run_off"]>} */ (standings.run_off);
  const bots = ranking.map((entry) => entry.bot);
  return html`<h3>${_("Bankroll instant run-off")}</h3>
    <p class="hint">${_("While more bots remain than fit at one table, the one with the lowest bankroll among them drops out. The last round counts only its own results.")}</p>
    ${table({
      caption: _("Bankrolls by round"),
      columns: [
        { key: "round", title: _("Round"), head: true, cell: (row) => row.name },
        ...bots.map((bot) => ({ key: bot, title: bot, cell: (/** @type {{cells: Record<string, string>}} */ row) => row.cells[bot] ?? "–" })),
        { key: "out", title: _("Out"), text: true, cell: (row) => row.out },
      ],
      rows: [
        ...rounds.map((round, index) => ({ name: String(index + 1), out: round.dropped.join(", "), cells: Object.fromEntries(Object.entries(round.bankrolls).map(([bot, chips]) => [bot, signedNumber(chips, 2)])) })),
        { name: _("place"), out: "", cells: Object.fromEntries(ranking.map((entry) => [entry.bot, `${entry.place}${entry.tied ? "=" : ""}`])) },
      ],
    })}`;
}

/**
 * @param {Competition} competition
 * @param {Standings | undefined} standings
 */
export function crosstableSection(competition, standings) {
  if (!standings) return html`<p>${_("No two bots have played all seatings of a match yet.")}</p>`;
  const bots = standings.ranking.map((row) => row.bot);
  const many = standings.players > 2;
  return html`
    <p>${many ? _("The row's {unit} in the line-ups that contain the column's bot, ± half of the 95 % interval. Every cell links to its matches.", { unit: unitName(standings.unit) })
      : _("The row's {unit} against the column, ± half of the 95 % interval. Every cell links to its matches.", { unit: unitName(standings.unit) })}</p>
    ${scrollBox(_("Crosstable"), html`<table class="cross">
      <caption>${_("Crosstable of {division}", { division: standings.division })}</caption>
      <thead><tr><td></td>${bots.map((bot) => html`<th scope="col">${bot}</th>`)}<th scope="col">${pgettext("sum", "all")}</th></tr></thead>
      <tbody>${standings.ranking.map((row) => html`<tr><th scope="row">${row.bot}${forcedTag(standings, row.bot)}</th>
        ${bots.map((column) => (column === row.bot ? html`<td class="self"><span class="visually-hidden">${_("itself")}</span></td>` : cell(standings, row.bot, column)))}
        <td class="number" data-shade=${shadeOf(row.rate)}>${estimate(row.rate, standings, true)}</td></tr>`)}</tbody>
    </table>`)}
    <p class="hint">${decidedText(standings)}</p>
    <ul class="legend" aria-label=${_("Shades")}>
      <li data-shade="won-sure"><b>+</b> ${_("won, not by chance")}</li><li data-shade="won">${_("+ ? won, undecided")}</li>
      <li data-shade="level">${_("0 level")}</li>
      <li data-shade="lost">${_("− ? lost, undecided")}</li><li data-shade="lost-sure"><b>−</b> ${_("lost, not by chance")}</li><li data-shade="none">${_("no data")}</li>
    </ul>
    ${downloads(apiAddress(competition), `${apiAddress(competition)}/crosstable.csv`)}`;
}

/**
 * @param {Standings} standings
 * @param {string} row
 * @param {string} column
 */
function cell(standings, row, column) {
  const value = standings.crosstable[row]?.[column];
  return html`<td class="number" data-shade=${shadeOf(value)}>${value
    ? html`<a href=${routeLink(standings.division, "matches", "", [["bot", row], ["bot", column]])}>${estimate(value, standings, true)}<span class="visually-hidden">, ${_("matches of {bot} and {other}", { bot: row, other: column })}</span></a>`
    : estimate(value, standings, true)}</td>`;
}

/**
 * @param {Competition} competition
 * @param {string} division
 */
export function incidentsSection(competition, division) {
  return html`
    <p>${_("What went wrong with the bots. Refused messages changed nothing and cost only time.")}</p>
    ${incidentTable(_("In this division"), competition.incidents[division])}
    ${incidentTable(_("Not at a table"), competition.incidents[""])}
    ${downloads(apiAddress(competition), `${apiAddress(competition)}/incidents.csv`)}`;
}

/**
 * @param {string} title
 * @param {Record<string, Record<string, number>> | undefined} bots
 */
function incidentTable(title, bots) {
  const { kinds, rows, totals, total } = tabulateIncidents(bots);
  if (!total) return html`<h3>${title}</h3><p>${_("Nothing went wrong.")}</p>`;
  return html`<h3>${title}</h3>
    ${table({
      caption: _("{title}: how often", { title }),
      columns: [
        { key: "bot", title: _("Bot"), head: true, cell: (row) => row.bot },
        ...kinds.map((name, index) => ({ key: name, title: describeIncident(name)[0], cell: (/** @type {{counts: number[]}} */ row) => (row.counts[index] ? formatCount(row.counts[index] ?? 0) : html`<span class="nothing">0</span>`) })),
        { key: "total", title: _("in all"), cell: (row) => html`<b>${formatCount(row.total)}</b>` },
      ],
      rows,
      foot: html`<tfoot><tr><th scope="row">${pgettext("sum", "all")}</th>${totals.map((sum) => html`<td class="number"><b>${formatCount(sum)}</b></td>`)}<td class="number"><b>${formatCount(total)}</b></td></tr></tfoot>`,
    })}
    <dl class="words">${kinds.map((name) => html`<dt>${describeIncident(name)[0]} <code>${name}</code></dt><dd>${describeIncident(name)[1]}</dd>`)}</dl>`;
}
