// The organiser's page: tables, players, bans, tokens, competitions, and what a player won over time.

import { siteHeader } from "../look/look.js";
import { Api } from "./api.js";
import { Refused } from "../lib/tokens.js";
import { bansSection, playersSection, tokensSection } from "./people.js";
import { competitionsSection, loadCompetitions } from "./competitions.js";
import { StatisticsView } from "./statistics.js";
import { TablesView } from "./tables.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";

/** @import {App, Question} from "./app.js" */

/** Milliseconds between two looks. */
const POLL = 3000;
const SECTIONS = /** @type {Record<string, string>} */ ({
  tables: _("Tables"), players: _("Players"), bans: _("Bans"), tokens: _("Tokens"), competitions: _("Competitions"), statistics: _("Statistics"),
});
const NO_ANSWER = _("The server does not answer. Trying again…");

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
/** What was done, and what went wrong with an action, or with looking. */
let notice = "";
let problem = "";
let lost = "";
/** @type {Question | null} */
let question = null;
/** @type {App} */
const app = {
  api: new Api(),
  overview: { tables: [], connections: [], bans: [], tokens: [], closing: false },
  token: null,
  draw,
  ask(next) {
    question = next;
    draw();
    const element = page.querySelector("dialog");
    if (!element?.open) element?.showModal();
  },
  async act(action, order, done) {
    [notice, problem] = ["", ""];
    try {
      const answer = await app.api.act(action, order);
      if (answer.token) app.token = { name: answer.target, text: answer.token };
      notice = done;
    } catch (error) {
      app.fail(error);
    }
    await refresh();
    return Boolean(notice);
  },
  fail(error) {
    if (error instanceof Refused && (error.status === 401 || error.status === 403)) logOut();
    problem = error instanceof Refused ? error.message : _("The server does not answer. Check whether it was done.");
    draw();
  },
  showToken(token) {
    app.token = token;
    draw();
  },
};
const tables = new TablesView(app);
const statistics = new StatisticsView(app);
let isLoggedIn = false;

async function poll() {
  if (app.api.token && !document.hidden) await refresh();
  setTimeout(poll, POLL);
}

async function refresh() {
  if (!app.api.token) return;
  try {
    app.overview = await app.api.get();
    if (currentSection() === "competitions") await loadCompetitions();
    lost = "";
    isLoggedIn = true;
  } catch (error) {
    if (error instanceof Refused) app.fail(error);
    else lost = NO_ANSWER;
  }
  draw();
}

/** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
async function logIn(event) {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (event.currentTarget.querySelector("input"));
  [notice, problem] = ["", ""];
  app.api.keep(field.value.trim());
  if (app.api.token) await refresh();
  else problem = _("Enter an admin token.");
  draw();
  if (problem) field.focus();
  else /** @type {HTMLElement | null} */ (page.querySelector("h1"))?.focus();
}

function logOut() {
  app.api.keep("");
  [isLoggedIn, question, app.token, notice, problem, lost] = [false, null, null, "", "", ""];
  statistics.forget();
  draw();
}

async function answerQuestion() {
  const confirmed = question;
  closeQuestion();
  if (confirmed) await app.act(confirmed.action, confirmed.order, confirmed.done);
}

function closeQuestion() {
  page.querySelector("dialog")?.close();
  question = null;
  draw();
}

function currentSection() {
  const [name = ""] = location.hash.slice(1).split("?");
  return Object.hasOwn(SECTIONS, name) ? name : "tables";
}

function draw() {
  const section = currentSection();
  render(html`
    ${siteHeader([], "", { more: isLoggedIn ? html`<button @click=${logOut}>${_("Log out")}</button>` : nothing })}
    <main>
      <h1 tabindex="-1">${_("Organiser")}</h1>
      ${isLoggedIn ? html`
        <nav class="tabs" aria-label=${_("Sections")}>${Object.entries(SECTIONS).map(([name, title]) =>
          html`<a href="#${name}" aria-current=${name === section ? "page" : nothing}>${title}</a>`)}</nav>
        ${app.overview.closing ? html`<p class="banner">${_("The server takes no new players, and stops when the hands in progress are over.")}</p>` : nothing}
        ${messages()}
        ${content(section)}` : loginForm()}
    </main>
    <dialog class="box" aria-labelledby="question" @cancel=${closeQuestion} @close=${closeQuestion}>${question ? html`
      <h2 id="question">${question.title}</h2>
      <p>${question.text}</p>
      <div class="row"><button class="danger" @click=${answerQuestion}>${question.button}</button>
        <button autofocus @click=${closeQuestion}>${_("Cancel")}</button></div>` : nothing}</dialog>`, page);
  document.title = isLoggedIn ? `${SECTIONS[section]} · ${_("Organiser")} · pokerd` : _("Organiser · pokerd");
  statistics.afterDraw();
}

function messages() {
  return html`<p class="notice" role="status">${notice}</p>
    ${problem || lost ? html`<p class="error" role="alert">${problem || lost}</p>` : nothing}`;
}

/** @param {string} section */
function content(section) {
  switch (section) {
    case "players": return playersSection(app);
    case "bans": return bansSection(app);
    case "tokens": return tokensSection(app);
    case "competitions": return competitionsSection();
    case "statistics": return statistics.template(new URLSearchParams(location.hash.split("?")[1] ?? ""));
    default: return tables.template();
  }
}

function loginForm() {
  return app.api.token && !problem && !lost ? html`<p class="hint" role="status">${_("Loading…")}</p>` : html`
    <form class="box login" @submit=${logIn}>
      <p>${_("Tables, players, bans, tokens, competitions and statistics of this server.")}</p>
      <div class="field"><label for="token">${_("Admin token")}</label>
        <input id="token" type="password" autocomplete="off" aria-describedby="token-hint"></div>
      <p class="hint" id="token-hint">${_("{command} makes one. This tab forgets it when it is closed.", { command: html`<code>python -m pokerd token issue --admin NAME</code>` })}</p>
      ${problem || lost ? html`<p class="error" role="alert">${problem || lost}</p>` : nothing}
      <button class="main">${_("Log in")}</button>
    </form>`;
}

addEventListener("hashchange", () => {
  [notice, problem] = ["", ""];
  draw();
  void refresh();
});
document.addEventListener("visibilitychange", () => void (document.hidden || refresh()));
draw();
void poll();
