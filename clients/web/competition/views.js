// Standings, crosstable and incidents of a division, and the head of the whole competition.

import {
  leadText, formatTime, formatCount, decidedText, formatEstimate, placesGained, groupRanking, tabulateIncidents, describeIncident, forcedShare, formatOrdinal, routeLink,
  describeDivision, sumProgress, shadeOf, unitName, formatDate,
} from "./data.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { downloads, scrollBox, table } from "./tables.js";
import { pluralize, signedNumber } from "../lib/words.js";

/** @import {Competition, Division, Estimate, RankSnapshot, Ranked, Standings} from "./data.js" */
/** @import {Column} from "./tables.js" */

/** On a phone what can be checked would fill the first screen. */
const WIDE = matchMedia("(min-width: 40rem)");
const KINDS = { house: "house bot", program: "program", remote: "remote" };

/** Status, progress, commitment and seed. @param {Competition} competition */
export function competitionHead(competition) {
  return html`<section class="box head" aria-labelledby="title">
    <h1 id="title">${competition.name} <span class="status" data-status=${competition.status}>${{ running: "running", finished: "finished", unfinished: "not finished" }[competition.status]}</span></h1>
    ${competition.status === "running" ? progressBar(competition) : nothing}
    ${competition.status === "unfinished" ? html`<p>It was stopped, or another process is playing it. Its hands appear when it is finished.</p>` : nothing}
    <p>${competition.at ? html`${competition.status === "finished" ? "Ended" : "Began"} <time datetime=${new Date(competition.at).toISOString()}>${formatDate(competition.at)}</time>.` : nothing}
      ${competition.anonymous ? "Bots see each other under pseudonyms, which change every session." : nothing}</p>
    <details ?open=${WIDE.matches}><summary>How to check the deals</summary><dl class="facts">
      <dt>Deals</dt><dd>${competition.deck === "acpc" ? "those of the ACPC dealer, from a 32-bit seed" : "secure, from a 256-bit seed"}. Its hash was published before the first card:
        <code>sha256 ${competition.commitment}</code></dd>
      <dt>Seed</dt><dd>${competition.seed ? html`<code>${competition.seed}</code>` : "published after the last card: nobody can use it, and everybody can check it."}</dd>
      ${competition.status === "finished" ? html`<dt>Check</dt><dd><code>python -m pokerd verify results/${competition.competition}</code>, run on its results, compares
        the seed with the published hash, deals every hand again, and recounts everything.</dd>` : nothing}
    </dl></details>
    ${downloads(apiAddress(competition))}
  </section>`;
}

/** @param {Competition} competition */
function progressBar(competition) {
  const { sessions, sessionsDone, hands, handsDone } = sumProgress(competition.divisions);
  return html`<p><progress max=${hands || 1} .value=${handsDone} aria-label="Hands played"></progress></p>
    <p>${formatCount(sessionsDone)} of ${formatCount(sessions)} sessions, ${formatCount(handsDone)} of ${formatCount(hands)} hands.${
      sessionsDone === sessions ? " All hands are played; the records are being written." : ""}</p>`;
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
  return share ? html` <small class="tag marked">late or absent in ${share}</small>` : nothing;
}

/**
 * @param {Competition} competition
 * @param {Division} division
 */
export function divisionSummary(competition, division) {
  const { sessions, sessionsDone, handsDone } = sumProgress([division]);
  return html`<p>${describeDivision(division)}.${competition.status === "running" ? ` So far ${formatCount(sessionsDone)} of ${formatCount(sessions)} sessions, ${pluralize(handsDone, "hand")}.` : ""}</p>`;
}

/**
 * @param {Competition} competition
 * @param {Standings | undefined} standings
 * @param {RankSnapshot | null} before
 * @param {{sort: string, onSort: (sort: string) => void}} order
 */
export function standingsSection(competition, standings, before, order) {
  if (!standings) return html`<p>${competition.status === "unfinished" ? "There are no standings." : "Standings appear when a match has been played in all its seatings."}</p>`;
  const finishes = competition.finishes[standings.division] ?? {};
  const ends = groupRanking(standings.ranking).map((group) => group.at(-1)).slice(0, -1);
  const anyTied = standings.ranking.some((row) => row.tied);
  const doubtful = standings.ranking.some((row, index) => index + 1 < standings.ranking.length && !row.ahead?.decided);
  /** @type {(row: Ranked) => Ranked | undefined} */
  const next = (row) => standings.ranking[standings.ranking.indexOf(row) + 1];
  /** @type {Column<Ranked>[]} */
  const columns = [
    { key: "place", title: "Place", value: (row) => row.place, cell: (row) => html`${row.place}${row.tied ? html`<span aria-hidden="true">=</span><span class="visually-hidden"> tied</span>` : nothing}` },
    ...(before ? [/** @type {Column<Ranked>} */ ({ key: "gained", title: "Change", first: "largest", value: (row) => placesGained(before, standings.division, row), cell: (row) => change(placesGained(before, standings.division, row)) })] : []),
    { key: "bot", title: "Bot", head: true, value: (row) => row.bot, cell: (row) => html`<a href=${routeLink(standings.division, "matches", "", [["bot", row.bot]])}>${row.bot}</a>${kindTag(competition, row.bot)}${forcedTag(standings, row.bot)}` },
    ...Array.from({ length: Object.values(finishes)[0]?.length ?? 0 }, (_, index) => /** @type {Column<Ranked>} */ ({
      key: `finish${index + 1}`, title: formatOrdinal(index + 1), first: "largest", value: (row) => finishes[row.bot]?.[index] ?? 0, cell: (row) => formatCount(finishes[row.bot]?.[index] ?? 0),
    })),
    { key: "rate", title: unitName(standings.unit), first: "largest", value: (row) => row.rate?.mbb ?? null, cell: (row) => estimate(row.rate, standings, false) },
    { key: "interval", title: "95 % interval", cell: (row) => (row.rate ? formatEstimate(row.rate, standings.unit).range : "") },
    { key: "ahead", title: "Ahead of the next", cell: (row) => html`<span class=${row.ahead?.decided ? "sure" : "unsure"}>${leadText(row, next(row), standings.unit)}</span>` },
    { key: "hands", title: standings.unit === "hand" ? "Hands" : "Tournaments", first: "largest", value: (row) => row.hands, cell: (row) => formatCount(row.hands) },
    { key: "chips", title: "Chips", first: "largest", value: (row) => row.chips, cell: (row) => signedNumber(row.chips, 2) },
  ];
  return html`
    ${table({ caption: `Total bankroll${standings.complete ? "" : `, ${formatCount(standings.hands)} ${standings.unit}s scored so far`}`, columns, rows: standings.ranking, ...order,
      mark: (row) => (!order.sort && ends.includes(row) ? "group" : "") })}
    <p class="hint">${standings.unit === "hand" ? "mbb/hand: thousandths of a big blind won per hand." : "stacks/tournament: starting stacks won per tournament."} The interval's unit is a ${standings.interval_unit ?? "deal"} in all its seatings; with too few of these there is no interval.
      ${ends.length ? "Thick line: the bot above it is ahead by more than chance." : ""}
      ${doubtful ? "Undecided: the difference may be chance; more hands would decide it." : ""}
      ${anyTied ? "= : tied." : ""}
      ${standings.marked?.length ? "Late or absent: the table checked or folded for this bot in more than 1 of 100 decisions." : ""}
      ${before ? `Change: places gained since you looked at ${formatTime(before.at)}.` : ""}</p>
    ${downloads(apiAddress(competition), `${apiAddress(competition)}/standings.csv`, Object.keys(finishes).length ? `${apiAddress(competition)}/finishes.csv` : undefined)}
    ${standings.run_off && standings.run_off.rounds.length > 1 ? html`${runOff(standings)}${downloads(apiAddress(competition), `${apiAddress(competition)}/runoff.csv`)}` : nothing}`;
}

/** @param {number | null} gain */
function change(gain) {
  if (gain === null) return html`<span>new</span>`;
  if (!gain) return html`<span aria-hidden="true">–</span><span class="visually-hidden">none</span>`;
  return html`<span class="gain" data-sign=${Math.sign(gain)}><span aria-hidden="true">${gain > 0 ? "▲" : "▼"} ${Math.abs(gain)}</span><span class="visually-hidden">${gain > 0 ? "up" : "down"} ${Math.abs(gain)}</span></span>`;
}

/**
 * Bold when it is decided; otherwise "?" and the word for it.
 * @param {Estimate | null | undefined} value
 * @param {Standings} standings
 * @param {boolean} half
 */
function estimate(value, standings, half) {
  if (!value) return html`<span class="visually-hidden">no data</span>`;
  const words = formatEstimate(value, standings.unit);
  const doubt = value.decided || !value.mbb ? nothing : html`<span aria-hidden="true"> ?</span><span class="visually-hidden"> undecided</span>`;
  return html`<span class=${value.decided ? "sure" : "unsure"}>${words.mean}${doubt}</span>${half ? html` <small>${words.half}</small>` : nothing}`;
}

/** @param {Standings} standings */
function runOff(standings) {
  const { ranking, rounds } = /** @type {NonNullable<Standings["run_off"]>} */ (standings.run_off);
  const bots = ranking.map((entry) => entry.bot);
  return html`<h3>Bankroll instant run-off</h3>
    <p class="hint">While more bots remain than fit at one table, the one with the lowest bankroll among them drops out. The last round counts only its own results.</p>
    ${table({
      caption: "Bankrolls by round",
      columns: [
        { key: "round", title: "Round", head: true, cell: (row) => row.name },
        ...bots.map((bot) => ({ key: bot, title: bot, cell: (/** @type {{cells: Record<string, string>}} */ row) => row.cells[bot] ?? "–" })),
        { key: "out", title: "Out", text: true, cell: (row) => row.out },
      ],
      rows: [
        ...rounds.map((round, index) => ({ name: String(index + 1), out: round.dropped.join(", "), cells: Object.fromEntries(Object.entries(round.bankrolls).map(([bot, chips]) => [bot, signedNumber(chips, 2)])) })),
        { name: "place", out: "", cells: Object.fromEntries(ranking.map((entry) => [entry.bot, `${entry.place}${entry.tied ? "=" : ""}`])) },
      ],
    })}`;
}

/**
 * @param {Competition} competition
 * @param {Standings | undefined} standings
 */
export function crosstableSection(competition, standings) {
  if (!standings) return html`<p>No two bots have played all seatings of a match yet.</p>`;
  const bots = standings.ranking.map((row) => row.bot);
  const many = standings.players > 2;
  return html`
    <p>The row's ${unitName(standings.unit)} ${many ? "in the line-ups that contain the column's bot" : "against the column"}, ± half of the 95 % interval. Every cell links to its matches.</p>
    ${scrollBox("Crosstable", html`<table class="cross">
      <caption>Crosstable of ${standings.division}</caption>
      <thead><tr><td></td>${bots.map((bot) => html`<th scope="col">${bot}</th>`)}<th scope="col">all</th></tr></thead>
      <tbody>${standings.ranking.map((row) => html`<tr><th scope="row">${row.bot}${forcedTag(standings, row.bot)}</th>
        ${bots.map((column) => (column === row.bot ? html`<td class="self"><span class="visually-hidden">itself</span></td>` : cell(standings, row.bot, column)))}
        <td class="number" data-shade=${shadeOf(row.rate)}>${estimate(row.rate, standings, true)}</td></tr>`)}</tbody>
    </table>`)}
    <p class="hint">${decidedText(standings)}</p>
    <ul class="legend" aria-label="Shades">
      <li data-shade="won-sure"><b>+</b> won, not by chance</li><li data-shade="won">+ ? won, undecided</li>
      <li data-shade="level">0 level</li>
      <li data-shade="lost">− ? lost, undecided</li><li data-shade="lost-sure"><b>−</b> lost, not by chance</li><li data-shade="none">no data</li>
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
    ? html`<a href=${routeLink(standings.division, "matches", "", [["bot", row], ["bot", column]])}>${estimate(value, standings, true)}<span class="visually-hidden">, matches of ${row} and ${column}</span></a>`
    : estimate(value, standings, true)}</td>`;
}

/**
 * @param {Competition} competition
 * @param {string} division
 */
export function incidentsSection(competition, division) {
  return html`
    <p>What went wrong with the bots. Refused messages changed nothing and cost only time.</p>
    ${incidentTable("In this division", competition.incidents[division])}
    ${incidentTable("Not at a table", competition.incidents[""])}
    ${downloads(apiAddress(competition), `${apiAddress(competition)}/incidents.csv`)}`;
}

/**
 * @param {string} title
 * @param {Record<string, Record<string, number>> | undefined} bots
 */
function incidentTable(title, bots) {
  const { kinds, rows, totals, total } = tabulateIncidents(bots);
  if (!total) return html`<h3>${title}</h3><p>Nothing went wrong.</p>`;
  return html`<h3>${title}</h3>
    ${table({
      caption: `${title}: how often`,
      columns: [
        { key: "bot", title: "Bot", head: true, cell: (row) => row.bot },
        ...kinds.map((name, index) => ({ key: name, title: describeIncident(name)[0], cell: (/** @type {{counts: number[]}} */ row) => (row.counts[index] ? formatCount(row.counts[index] ?? 0) : html`<span class="nothing">0</span>`) })),
        { key: "total", title: "in all", cell: (row) => html`<b>${formatCount(row.total)}</b>` },
      ],
      rows,
      foot: html`<tfoot><tr><th scope="row">all</th>${totals.map((sum) => html`<td class="number"><b>${formatCount(sum)}</b></td>`)}<td class="number"><b>${formatCount(total)}</b></td></tr></tfoot>`,
    })}
    <dl class="words">${kinds.map((name) => html`<dt>${describeIncident(name)[0]} <code>${name}</code></dt><dd>${describeIncident(name)[1]}</dd>`)}</dl>`;
}
