// Challenges: one is made here, and here its result can be read; also the hands of a day, and a friend's invitation.

import { BASIC_BOTS, describeBot, firstRival, loadBots } from "../lib/bots.js";
import { Result } from "./challenge_result.js";
import { readChallengeForm } from "./challenge_words.js";
import { DayPage } from "./day.js";
import { isDay, listNames } from "./day_words.js";
import { keyed, parameterFields } from "./bot_parameters.js";
import { NO_ERROR, consent, createTable, focusError, formControls, playDeals, validate } from "./form.js";
import { html, render } from "../vendor/lit-html/lit-html.js";
import { characterName } from "../look/characters.js";
import { pageHeader } from "../look/look.js";
import { loadSettings, saveSettings } from "../lib/settings.js";
import { _, dates } from "../lib/language.js";
import { capitalize, stakesText } from "../lib/words.js";

/**
 * @import {FormError} from "./form.js"
 * @import {Answer} from "./challenge_result.js"
 */

/** The field of the player's name. */
const NAME_FIELD = "player";
/** Milliseconds between two looks for a result that is not there yet. */
const POLL = 4000;

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const settings = loadSettings();
const challengeId = decodeURIComponent(location.pathname.split("/")[2] ?? "");
/** The page of a day, if the address asks for one. */
const dayPage = isDay(challengeId) || challengeId === "today" ? new DayPage(challengeId, settings, draw) : null;
/** What the link of a friend has in it, or "". */
const link = new URLSearchParams(location.search).get("friend") ?? "";
/**
 * What that leads to.
 * @type {{player: string, rival: string, opponents: string[], game: string, hands: number, until: number, left: number} | null}
 */
let invitation = null;
/** @type {Result | null} */
let result = null;
let problem = "";
/** The house bots to choose from. @type {readonly string[]} */
let bots = BASIC_BOTS;
/** The rival that the address asks for, or "". */
const wanted = new URLSearchParams(location.search).get("rival") ?? "";
/** Those that the form asks for: as the rival, and as opponents. */
let chosen = { rival: wanted || firstRival(bots), which: firstRival(bots) };
/** The fields of these that nobody has changed yet. */
const unchanged = new Set(["rival", "which"]);
/** The error of the form. */
let formError = NO_ERROR;
/** @type {ReturnType<typeof createTable> | null} */
let connection = null;

async function poll() {
  if (!document.hidden) {
    try {
      const answer = await fetch(`/api/challenges/${encodeURIComponent(challengeId)}`);
      if (answer.ok) {
        const found = /** @type {Answer} */ (await answer.json());
        // The first try has its place on the page of the day.
        if (isDay(found.result.deals ?? "") && found.own && found.counts) return location.replace(`/challenge/${found.result.deals}`);
        result = new Result(found, draw);
        problem = "";
        draw();
        return;
      }
      problem = _("There is no result yet. It appears here when both runs are over.");
    } catch {
      problem = _("The server does not answer. Trying again…");
    }
    draw();
  }
  setTimeout(poll, POLL);
}

/** @param {Event & {currentTarget: HTMLFormElement}} event */
function submitForm(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const data = new FormData(form);
  saveSettings(settings, { name: String(data.get(NAME_FIELD)).trim() });
  connection?.close();
  connection = null;
  formError = NO_ERROR;
  const request = readChallengeForm(data, bots);
  showFormError(settings.name ? validate(form, request) : { field: NAME_FIELD, text: _("Enter a name first.") });
  if (!formError.text) {
    connection = createTable(settings.name, request, NAME_FIELD, (table) => {
      location.href = `/table/${encodeURIComponent(table)}#sit`;
    }, showFormError);
  }
}

/** @param {FormError} error */
function showFormError(error) {
  const isShown = error.text === formError.text;
  formError = error;
  draw();
  if (error.text && !isShown) focusError();
}

/**
 * Says what is wrong in the form when a field is left; an error that is mended goes at once, lest the button moves under a click.
 * @param {Event & {currentTarget: HTMLFormElement}} event
 */
function validateForm({ type, target, currentTarget: form }) {
  const data = new FormData(form);
  chosen = { rival: String(data.get("rival")), which: String(data.get("which")) };
  if (target instanceof HTMLSelectElement) unchanged.delete(target.name);
  if (type === "change" || formError.text) formError = validate(form, readChallengeForm(data, bots));
  draw();
}

async function loadInvitation() {
  try {
    const answer = await fetch(`/api/links/${encodeURIComponent(link)}`);
    const found = await answer.json();
    if (answer.ok) invitation = found;
    else problem = `${capitalize(_(found.message))}.`;
  } catch {
    problem = _("The server does not answer.");
  }
  draw();
}

/** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
function acceptInvitation(event) {
  event.preventDefault();
  saveSettings(settings, { name: String(new FormData(event.currentTarget).get(NAME_FIELD)).trim() });
  connection?.close();
  formError = NO_ERROR;
  connection = playDeals(settings, link, showFormError);
}

function friendForm() {
  if (!invitation) return html`<h1>${_("Play a friend's hands")}</h1><p role="status">${problem || _("Loading…")}</p><p><a class="button" href="/challenge">${_("Start your own challenge")}</a></p>`;
  const { player, rival, opponents, game, hands, until } = invitation;
  const { field, ariaInvalid, otherError } = formControls(formError);
  return html`<h1>${_("{name} invites you", { name: html`<bdi>${player}</bdi>` })}</h1>
    <p class="lead">${_("{hands} hands of {game} against {names}: the cards that {player} had, in the same seat. {rival} has played them, too. At the end you see all results side by side. You play them once; the link is good until {day}.", {
      hands, game: stakesText(game), names: listNames(opponents), player: html`<bdi>${player}</bdi>`, rival: listNames([rival]), day: new Date(until).toLocaleDateString(dates, { dateStyle: "long" }),
    })}</p>
    <form class="box" novalidate @submit=${acceptInvitation}>
      ${field(NAME_FIELD, _("Your name at the table"), html`<input id="player" name="player" maxlength="24" autocomplete="nickname" placeholder=${_("Guest")}
        .value=${settings.name} aria-invalid=${ariaInvalid(NAME_FIELD)}>`)}
      ${otherError()}
      <button class="main">${_("Play")}</button>
    </form>`;
}

function content() {
  if (dayPage) return dayPage.template();
  if (challengeId) return result?.template() ?? waiting();
  return link ? friendForm() : challengeForm();
}

function draw() {
  render(html`${pageHeader("/challenge")}<main>${content()}</main>`, page);
  document.title = `${dayPage?.title ?? (result ? _("{player} against {rival}", { player: result.it.player, rival: result.it.rival }) : _("Challenge"))} · pokerd`;
  result?.afterDraw();
}

function waiting() {
  return html`<h1>${_("Challenge")}</h1><p role="status">${problem || _("Loading…")}</p>
    <p><a class="button" href="/challenge">${_("Start your own challenge")}</a></p>`;
}

function challengeForm() {
  /** @type {[string, string][]} */
  const all = bots.map((bot) => [bot, describeBot(bot)]);
  /** @type {[string, string][]} */
  const opponents = [...all, ["", _("a mix of all")]];
  const controls = formControls(formError);
  const { field, numberField, selectField, ariaInvalid, errorOf, otherError } = controls;
  /** @type {[string, string, string][]} */
  const settable = [["rival", _("Parameters of the rival, {bot}", { bot: characterName(chosen.rival) }), chosen.rival],
    ["which", _("Parameters of the opponents, {bot}", { bot: characterName(chosen.which) }), chosen.which]];
  return html`
    <p class="box today"><b>${_("Today's hands")}</b>: ${_("the same cards for everybody.")} <a href="/challenge/today">${_("Play them")}</a></p>
    <h1>${_("Are you better than the bot?")}</h1>
    <p class="lead">${_("You play some hands, and the bot of your choice plays the same deals in your seat, against the same opponents. Every hand begins with full stacks, so good cards cannot decide it. At the end you see both results, hand by hand.")}</p>
    <form class="box" novalidate @submit=${submitForm} @input=${validateForm} @change=${validateForm}>
      <fieldset>
        ${field(NAME_FIELD, _("Your name at the table"), html`<input id="player" name="player" maxlength="24" autocomplete="nickname"
          .value=${settings.name} aria-invalid=${ariaInvalid(NAME_FIELD)}>`)}
        ${selectField("rival", _("Rival"), all, chosen.rival)}
        ${numberField("hands", _("Hands"), 50, 10, 500)}
        ${numberField("opponents", _("Opponents"), 1, 1, 9)}
        ${selectField("which", _("They are"), opponents, chosen.which)}
        ${selectField("game", _("Betting"), [["nolimit", _("No-limit")], ["limit", _("Limit")]])}
        ${keyed(settable.map(([who, title, bot]) => [`${who} ${bot}`, parameterFields(who, title, bot, controls)]))}
        ${errorOf("bots")}
      </fieldset>
      <details>
        <summary>${_("Stakes and time")}</summary>
        <fieldset>
          ${numberField("small_blind", _("Small blind"), 5, 1, 1000000)}
          ${numberField("big_blind", _("Big blind"), 10, 1, 1000000)}
          ${numberField("ante", _("Ante"), 0, 0, 1000000)}
          ${numberField("stack", _("Chips in every hand"), 1000, 2, 200000000)}
          ${numberField("decision", _("Seconds to decide"), 30, 1, 600)}
          ${numberField("bank", _("Seconds of time bank"), 300, 0, 3600)}
          ${numberField("pause", _("Seconds between hands"), 2, 0, 60)}
        </fieldset>
      </details>
      ${consent()}
      ${otherError()}
      <button class="main">${_("Play")}</button>
      <p class="hint">${_("You may take a break at any time: no hand is dealt while you are away. The result keeps its own address.")}</p>
    </form>`;
}

draw();
if (dayPage) dayPage.load();
else if (challengeId) poll();
else if (link) loadInvitation();
else {
  loadBots((found) => {
    bots = found;
    if (unchanged.has("rival")) chosen.rival = wanted || firstRival(bots);
    if (unchanged.has("which")) chosen.which = firstRival(bots);
    draw();
  });
}
