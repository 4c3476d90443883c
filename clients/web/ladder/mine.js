// An author's page: push a version, follow it, read its log, challenge others.

import { ask, askText, author, order, problemText, Refused } from "./api.js";
import { STATES, purposeText } from "./data.js";
import { formatDate } from "../competition/data.js";
import { _, ngettext, pgettext, titled } from "../lib/language.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { droppedFiles, packFiles } from "./zip.js";

/**
 * @import {Match, Mine, Row, State, Version} from "./data.js"
 * @import {View} from "./view.js"
 */

/** The states of a version that goes all the way. */
const STEPS = /** @type {const} */ (["received", "checking", "ready", "rated"]);
/** Versions that are shown in full. */
const SHOWN = 5;

/** @implements {View} */
export class MineView {
  /** @param {() => void} draw */
  constructor(draw) {
    this.title = _("My bot");
    this.pause = 2000;
    this.draw = draw;
    /** @type {Mine | null} */
    this.mine = null;
    /** @type {Row[]} */
    this.bots = [];
    this.players = 2;
    this.frozen = false;
    /** Matches that wait or are played. @type {Match[]} */
    this.waiting = [];
    /** Logs by version, as far as they were asked for. @type {Map<string, string>} */
    this.logs = new Map();
    this.notice = "";
    this.error = "";
    this.isPushing = false;
    this.isOver = false;
  }

  async refresh() {
    if (!author.token) {
      this.mine = null;
      return;
    }
    try {
      const [mine, table, queue] = await Promise.all(["/mine", "", "/queue"].map((path) => ask(path, author.token)));
      this.mine = mine;
      this.bots = table.bots;
      this.players = table.players;
      this.frozen = table.frozen;
      this.waiting = queue.matches;
      await Promise.all([...this.logs.keys()].filter((name) => this.#isMoving(name)).map((name) => this.#loadLog(name)));
    } catch (error) {
      if (!(error instanceof Refused && error.status === 401)) throw error;
      author.keep("");
      this.mine = null;
      this.error = error.message;
    }
  }

  template() {
    return html`<h1 tabindex="-1">${_("My bot")}</h1>
      <p class="notice" role="status">${this.notice}</p>
      ${this.error ? html`<p class="error" role="alert">${this.error}</p>` : nothing}
      ${this.mine ? this.#content(this.mine) : this.#login()}`;
  }

  #login() {
    return html`<form class="box login" @submit=${(/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
      event.preventDefault();
      const token = String(new FormData(event.currentTarget).get("token")).trim();
      if (!token) return;
      this.error = "";
      author.keep(token);
      void this.#do(async () => undefined, "");
    }}>
      <div class="field"><label for="token">${_("Your token")}</label>
        <input id="token" name="token" type="password" autocomplete="off" required aria-describedby="token-hint"></div>
      <p class="hint" id="token-hint">${_("The organiser gave it to you. This browser keeps it until you log out, and shows it to nobody but this server.")}</p>
      <button class="main">${_("Log in")}</button></form>`;
  }

  /** @param {Mine} mine */
  #content(mine) {
    const newest = [...mine.versions].reverse();
    const next = mine.deadlines.filter(({ at }) => at * 1000 > Date.now()).sort((a, b) => a.at - b.at)[0];
    return html`
      <section class="line"><p><a href="/ladder/bots/${encodeURIComponent(mine.name)}"><b>${mine.name}</b></a>${mine.group ? html`, ${_("group {group}", { group: mine.group })}` : nothing}${
        mine.pseudonym === mine.name ? nothing : html`. ${_("Others see {name}", { name: html`<b>${mine.pseudonym}</b>` })}`}.</p>
        <button class="small" @click=${() => {
          author.keep("");
          Object.assign(this, { mine: null, notice: "", error: "" });
          this.logs.clear();
          this.draw();
        }}>${_("Log out")}</button></section>
      ${next ? html`<p class="hint">${_("{deadline}: the last version pushed before {time} counts.", { deadline: next.name, time: html`<time datetime=${new Date(next.at * 1000).toISOString()}>${formatDate(next.at * 1000)}</time>` })}</p>` : nothing}
      <section aria-labelledby="push"><h2 id="push">${_("Push a version")}</h2>
        ${this.frozen ? html`<p>${_("The ladder is frozen: no more versions are taken.")}</p>` : this.#dropZone()}</section>
      <section aria-labelledby="versions"><h2 id="versions">${mine.versions.length ? ngettext("{n} version", "{n} versions", mine.versions.length) : _("No version yet")}</h2>
        <ol class="uploads">${newest.slice(0, SHOWN).map((version) => this.#version(version))}</ol>
        ${newest.length > SHOWN ? html`<p class="hint">${ngettext("{n} older version on {page}.", "{n} older versions on {page}.", newest.length - SHOWN, { page: html`<a href="/ladder/bots/${encodeURIComponent(mine.name)}">${_("the bot's page")}</a>` })}</p>` : nothing}</section>
      ${mine.versions.some(({ state }) => state === "ready" || state === "rated") ? this.#challenge(mine) : nothing}`;
  }

  #dropZone() {
    /** @type {(event: Event & {currentTarget: HTMLInputElement}) => void} */
    const picked = ({ currentTarget: input }) => {
      const files = [...input.files ?? []].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
      void this.#push(files).then(() => {
        input.value = "";
      });
    };
    return html`<div class="drop" data-over=${String(this.isOver)} @dragover=${(/** @type {DragEvent} */ event) => {
      event.preventDefault();
      this.#setOver(true);
    }} @dragleave=${() => this.#setOver(false)} @drop=${async (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      this.#setOver(false);
      if (event.dataTransfer) await this.#push(await droppedFiles(event.dataTransfer));
    }}>
      <p>${this.isPushing ? _("Sending…") : _("Drop a zip file, or the folder of your bot, here.")}</p>
      <div class="row"><label class="button main">${_("Pick files")}<input class="visually-hidden" type="file" multiple ?disabled=${this.isPushing} @change=${picked}></label>
        <label class="button">${_("Pick a folder")}<input class="visually-hidden" type="file" webkitdirectory ?disabled=${this.isPushing} @change=${picked}></label></div>
      <p class="hint">${_("A file {bot} is started with Python; a {config} can name another command.", { bot: html`<code>bot.py</code>`, config: html`<code>bot.toml</code>` })}</p></div>`;
  }

  /** @param {boolean} isOver */
  #setOver(isOver) {
    if (this.isOver === isOver) return;
    this.isOver = isOver;
    this.draw();
  }

  /** @param {Version} version */
  #version(version) {
    const { name, state, reason, pushed_at: at } = version;
    const log = this.logs.get(name);
    return html`<li class="box"><h3>${name} <code class="soft">${version.hash.slice(0, 6)}</code> <small class="soft"><time datetime=${new Date(at * 1000).toISOString()}>${formatDate(at * 1000)}</time></small></h3>
      ${state === "refused" || state === "replaced" ? html`<p><span class="state" data-state=${state}>${STATES[state]}</span>${reason ? `: ${reason}` : nothing}</p>` : steps(state)}
      <details ?open=${log !== undefined} @toggle=${(/** @type {Event & {currentTarget: HTMLDetailsElement}} */ { currentTarget }) => {
        if (currentTarget.open && !this.logs.has(name)) void this.#loadLog(name).then(this.draw);
        if (!currentTarget.open) this.logs.delete(name);
      }}><summary>${_("Log of {bot}", { bot: name })}</summary><pre tabindex="0" aria-label=${_("Log of {bot}", { bot: name })}>${log ?? _("Loading…")}</pre></details></li>`;
  }

  /** @param {Mine} mine */
  #challenge(mine) {
    const others = this.bots.filter((row) => row.author !== mine.name);
    const wanted = new URLSearchParams(location.search).get("opponent");
    const first = Math.max(0, others.findIndex((row) => row.bot === wanted));
    const asked = this.waiting.filter((match) => match.asked_by === mine.name);
    return html`<section aria-labelledby="challenge"><h2 id="challenge">${_("Challenge")}</h2>
      <form class="line" @submit=${async (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        const opponents = data.getAll("opponent").map(String);
        await this.#do(() => order("/challenge", { opponents, counts: data.has("counts") }, author.token), _("The match against {names} is queued.", { names: opponents.join(", ") }));
      }}>${Array.from({ length: this.players - 1 }, (each, index) => html`<label class="pair">${this.players > 2 ? _("Opponent {n}", { n: index + 1 }) : _("Opponent")}
        <select name="opponent">${others.map((row, place) => html`<option value=${row.bot} ?selected=${place === (first + index) % others.length}>${row.author}</option>`)}</select></label>`)}
        <label class="pair"><input type="checkbox" name="counts"> ${_("rated")}</label>
        <button class="main">${pgettext("an opponent", "Challenge")}</button></form>
      <p class="hint">${_("The match is played next. All its hands can be seen afterwards; it changes ratings only if it is rated.")}</p>
      ${asked.length ? html`<ul>${asked.map((match) => html`<li><a href="/ladder/matches/${match.number}">${titled(_("Match {n}", { n: match.number }), match.line_up.join(" – "))}</a> <small>${purposeText(match)}, ${match.state === "playing" ? _("being played") : _("waits")}</small></li>`)}</ul>` : nothing}
    </section>`;
  }

  /** @param {{path: string, file: File}[]} files */
  async #push(files) {
    this.isPushing = true;
    this.draw();
    await this.#do(async () => ask("/push", author.token, { method: "POST", body: await packFiles(files) }), "");
    this.isPushing = false;
    this.draw();
  }

  /**
   * Does something, tells what came of it, and looks again.
   * @param {() => Promise<unknown>} action
   * @param {string} done
   */
  async #do(action, done) {
    [this.notice, this.error] = ["", ""];
    try {
      const answer = /** @type {Version | undefined} */ (await action());
      this.notice = done || (answer?.name ? _("{bot} is received.", { bot: answer.name }) : "");
      await this.refresh();
    } catch (error) {
      this.error = error instanceof Refused || !(error instanceof Error) || error instanceof TypeError ? problemText(error) : _(error.message);
    }
    this.draw();
  }

  /** @param {string} name */
  async #loadLog(name) {
    this.logs.set(name, await askText(`/mine/${encodeURIComponent(name)}/log`, author.token).catch(problemText));
  }

  /** @param {string} name */
  #isMoving(name) {
    const state = this.mine?.versions.find((version) => version.name === name)?.state;
    return state === "received" || state === "checking" || state === "ready";
  }
}

/** @param {State} state */
function steps(state) {
  const at = STEPS.findIndex((step) => step === state);
  return html`<ol class="steps">${STEPS.map((step, index) => html`<li data-step=${index < at || state === "rated" ? "done" : index === at ? "now" : "later"}
    aria-current=${index === at ? "step" : nothing}>${{ received: _("received"), checking: _("checked"), ready: _("first matches"), rated: _("rated") }[step]}</li>`)}</ol>`;
}
