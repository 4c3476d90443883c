// Who the house bots are: all of them, and a page for each.

import { loadPlayers, playersTable } from "../people/players.js";
import { BASIC_BOTS, loadBots, methodOf, parametersOf } from "../lib/bots.js";
import { CHARACTERS, LEVELS, characterName, ofLevel, programOf, strengthOf } from "../look/characters.js";
import { faceOf, stars } from "../look/faces.js";
import { pageHeader } from "../look/look.js";
import { tableName } from "../look/table_names.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";
import { capitalize, signedNumber } from "../lib/words.js";

/** @typedef {{table: string, name?: string, players: string[]}} Entry */

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const program = decodeURIComponent(location.pathname.split("/")[2] ?? "");
/** @type {readonly string[]} */
let bots = BASIC_BOTS;
/** The open tables. @type {readonly Entry[]} */
let tables = [];
/** How it plays here, seat by seat. @type {readonly import("../people/players.js").Player[]} */
let plays = [];

function draw() {
  const character = CHARACTERS[program];
  document.title = `${character?.name ?? _("Bots")} · pokerd`;
  render(html`${pageHeader("/bots")}<main>${character ? onePage() : allPage()}</main>`, page);
}

function allPage() {
  const others = bots.filter((bot) => CHARACTERS[bot] && !strengthOf(bot));
  return html`<h1>${program ? _("Nobody here is called so") : _("The bots of the house")}</h1>
    <p class="lead">${_("Each plays by a method of its own, most of them from research. Stars show what they won in a competition at no-limit tables of six.")}</p>
    ${LEVELS.map(([level, title]) => group(title, ofLevel(bots, level)))}
    ${group(_("Not measured"), others)}`;
}

/** @param {string} title @param {readonly string[]} programs */
function group(title, programs) {
  return programs.length ? html`<section aria-label=${title}><h2>${title}</h2>
    <ul class="bots">${programs.map((bot) => html`<li><a class="box bot" href="/bots/${encodeURIComponent(bot)}">
      ${faceOf(bot)}<span class="who"><b>${characterName(bot)}</b> <small>${bot}</small>${starsOf(bot)}</span>
      <span class="line">${CHARACTERS[bot]?.line}</span></a></li>`)}</ul></section>` : nothing;
}

/** @param {string} bot */
function starsOf(bot) {
  const strength = strengthOf(bot);
  return strength ? stars(strength.stars) : nothing;
}

function onePage() {
  const { name, line, source, link } = /** @type {import("../look/characters.js").Character} */ (CHARACTERS[program]);
  const strength = strengthOf(program);
  const seats = tables.filter(({ players }) => players.some((player) => programOf(player) === program));
  const parameters = parametersOf(program);
  return html`<article class="portrait">
    <div class="head">${faceOf(program)}<div><h1>${name}</h1><p class="hint">${program}</p>${starsOf(program)}</div></div>
    <p class="lead">${line}</p>
    <dl class="facts">
      <dt>${_("How it plays")}</dt><dd>${capitalize(methodOf(program)) || "…"}</dd>
      <dt>${_("Method")}</dt><dd>${link ? html`<a href=${link} rel="noreferrer">${source}</a>` : source}</dd>
      <dt>${_("Strength")}</dt><dd>${strength ? html`${_("{level}: {rate} ± {half} big blinds per 100 hands (95 %)", {
        level: LEVELS.find(([level]) => level === strength.level)?.[1] ?? "", rate: signedNumber(strength.mbb / 10, 0), half: signedNumber(strength.half / 10, 0).slice(1) })}
        ${strength.of === program ? nothing : _("(as measured for {bot}, who plays nearly the same)", { bot: html`<a href="/bots/${encodeURIComponent(strength.of)}">${characterName(strength.of)}</a>` })}
        <small class="hint">${_("In 7,200 hands at no-limit tables of six with 200 big blinds, against 31 other bots, three of them very weak; the luck of the cards is taken out. Between bots whose ranges overlap, the order could be luck.")}</small>` : _("Not measured.")}</dd>
      ${parameters.length ? html`<dt>${_("Can be set")}</dt><dd><ul>${parameters.map((one) => html`<li><code>${one.name}</code> ${_(one.meaning)}</li>`)}</ul></dd>` : nothing}
      <dt>${_("Plays now")}</dt><dd>${seats.length ? html`<ul>${seats.map((it) => html`<li><a href="/table/${encodeURIComponent(it.table)}">${tableName(it)}</a></li>`)}</ul>` : _("At no table.")}</dd>
    </dl>
    ${plays.length ? html`<section>${playersTable(_("At the tables here"), plays)}</section>` : nothing}
    <p class="row"><a class="button main" href="/?rival=${encodeURIComponent(program)}#own">${_("Play against {name}", { name })}</a>
      <a class="button" href="/challenge?rival=${encodeURIComponent(program)}">${_("Challenge {name}", { name })}</a> <a class="button" href="/bots">${_("All bots")}</a></p>
  </article>`;
}

async function loadTables() {
  try {
    const answer = await fetch("/api/tables");
    if (answer.ok) ({ tables } = await answer.json());
    draw();
  } catch {
    // Then nobody is said to play.
  }
}

async function loadPlay() {
  try {
    plays = (await loadPlayers()).filter(({ name, bot }) => bot && programOf(name) === program);
    draw();
  } catch {
    // Then nothing is told of it.
  }
}

draw();
loadBots((found) => {
  bots = found;
  draw();
});
if (CHARACTERS[program]) {
  loadTables();
  loadPlay();
}
