// The open tables: who sits there, and what an organiser does with them.

import { BASIC_BOTS, describeBot, loadBots, readBot } from "../lib/bots.js";
import { readCreateForm } from "../lib/create_table.js";
import { keyed, parameterFields } from "../lobby/bot_parameters.js";
import { createTableForm } from "../lobby/create_table_form.js";
import { NO_ERROR, findInvalid, focusError, formControls, validate } from "../lobby/form.js";
import { characterName, shownNames } from "../look/characters.js";
import { tableName } from "../look/table_names.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ngettext } from "../lib/language.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { isolateName, modeText, stakesText } from "../lib/words.js";

/**
 * @import {Table} from "./api.js"
 * @import {App} from "./app.js"
 */

/** So many tables are shown at most, and seen at a glance; with more there is something to search with. */
const MOST_SHOWN = 60;
const SEARCH_ABOVE = 6;
const PHASES = /** @type {Record<string, string>} */ ({ gathering: _("waits for players"), playing: _("open"), result: _("shows the result") });

export class TablesView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.error = NO_ERROR;
    this.filter = "";
    /** @type {readonly string[]} */
    this.bots = BASIC_BOTS;
    /** @type {readonly string[]} */
    this.chosen = ["fair"];
    /** The bots that are chosen in the cards of tables. @type {Map<string, string>} */
    this.invited = new Map();
    this.inviteError = { ...NO_ERROR, table: "" };
    void loadBots((bots) => {
      this.bots = bots;
      app.draw();
    });
  }

  template() {
    const { tables } = this.app.overview;
    const sought = this.filter.trim().toLowerCase();
    const found = tables.filter((it) => [it.table, tableName(it), it.stakes, ...it.players, ...shownNames(it.players, it.kinds)].join("\n").toLowerCase().includes(sought));
    return html`
      <section aria-labelledby="open"><h2 id="open">${ngettext("{n} open table", "{n} open tables", tables.length)}</h2>
        ${tables.length > SEARCH_ABOVE ? html`<div class="filter" role="search" aria-label=${_("Tables")}><label>${_("Find")}
          <input type="search" placeholder=${_("table, game or player")} @input=${(/** @type {InputEvent & {target: HTMLInputElement}} */ event) => {
            this.filter = event.target.value;
            this.app.draw();
          }}></label><p class="hint" role="status">${found.length > MOST_SHOWN ? ngettext("the first {shown} of {n} table", "the first {shown} of {n} tables", found.length, { shown: MOST_SHOWN }) : ngettext("{n} table", "{n} tables", found.length)}</p></div>` : nothing}
        <ul class="cards">${repeat(found.slice(0, MOST_SHOWN), (it) => it.table, (it) => this.#card(it))}</ul>
        ${tables.length ? this.#sayForm() : nothing}</section>
      ${this.app.overview.closing ? nothing : createTableForm(this.error, (event) => this.#submit(event), ({ currentTarget: form }) => {
        const data = new FormData(form);
        this.chosen = this.bots.filter((bot) => Number(data.get(bot)) > 0);
        this.error = validate(form, readCreateForm(data, this.bots));
        this.app.draw();
      }, this.bots, this.chosen, false, _("Open a table"))}
      ${this.app.overview.closing ? nothing : html`<p><button class="danger" @click=${() => this.app.ask({
        title: _("Stop the server?"), text: _("It takes no new players, and stops when the hands in progress are over. Open tables go on at the next start."),
        button: _("Stop the server"), action: "drain", order: {}, done: _("The server stops after the hands in progress."),
      })}>${_("Stop the server")}</button></p>`}`;
  }

  /** @param {Table} it */
  #card(it) {
    const { app } = this;
    const title = tableName(it);
    const shown = shownNames(it.players, it.kinds);
    const taken = it.players.filter(Boolean).length;
    const free = it.players.length - taken;
    return html`<li class="box">
      <h3><a href="/table/${encodeURIComponent(it.table)}">${title}</a> <small>${it.table}</small></h3>
      <p>${stakesText(it.stakes)}, ${modeText(it.mode)}</p>
      <p><span class="status" data-status=${it.paused ? "unfinished" : "finished"}>${it.paused ? _("paused") : PHASES[it.phase] ?? it.phase}</span>
        ${_("{taken} of {seats} seats taken", { taken, seats: it.players.length })}, ${ngettext("{n} hand", "{n} hands", it.hands)}${it.spectators ? `, ${ngettext("{n} spectator", "{n} spectators", it.spectators)}` : ""}</p>
      ${taken ? html`<ul class="seats" aria-label=${_("Players at {table}", { table: title })}>${it.players.map((player, seat) => (player ? html`<li>
        <span><bdi>${shown[seat]}</bdi>${shown[seat] === player ? nothing : html` <small>${player}</small>`}${it.kinds[seat] === "bot" ? html` <span class="tag">${_("bot")}</span>` : nothing}</span>
        <button class="small" aria-label=${_("Remove {name} from {table}", { name: shown[seat] ?? player, table: title })} @click=${() => app.ask({
          title: _("Remove {name} from {table}?", { name: isolateName(shown[seat] ?? player), table: title }),
          text: _("The table finishes the hand for the player: it checks or folds. Whoever is removed may sit down again."),
          button: _("Remove"), action: "remove", order: { table: it.table, name: player }, done: _("Removed {name} from {table}.", { name: isolateName(shown[seat] ?? player), table: title }),
        })}>${_("Remove")}</button></li>` : nothing))}</ul>` : nothing}
      ${free ? this.#inviteForm(it.table, title) : nothing}
      <div class="row">
        ${app.overview.closing ? nothing : it.paused ? html`<button aria-label=${_("Resume {table}", { table: title })} @click=${() => app.act("resume", { table: it.table }, _("{table} goes on.", { table: title }))}>${_("Resume")}</button>`
          : html`<button aria-label=${_("Pause {table}", { table: title })} @click=${() => app.act("pause", { table: it.table }, _("{table} pauses after the hand in progress.", { table: title }))}>${_("Pause")}</button>`}
        <button class="danger" aria-label=${_("Close {table}", { table: title })} @click=${() => app.ask({
          title: _("Close {table}?", { table: title }), text: _("The hand in progress does not count. Everybody leaves, and the seed is published."),
          button: _("Close the table"), action: "end", order: { table: it.table }, done: _("Closed {table}.", { table: title }),
        })}>${_("Close")}</button>
      </div>
    </li>`;
  }

  /** @param {string} table @param {string} title */
  #inviteForm(table, title) {
    const bot = this.invited.get(table) ?? this.bots[0] ?? "";
    const controls = formControls(this.inviteError.table === table ? this.inviteError : NO_ERROR);
    return html`<form class="line" novalidate @submit=${(/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
      event.preventDefault();
      const form = event.currentTarget;
      this.inviteError = { ...findInvalid(form) ?? NO_ERROR, table };
      this.app.draw();
      if (this.inviteError.text) focusError();
      else void this.app.act("invite", { table, bot: readBot(new FormData(form), table, bot) }, _("Seated {bot} at {table}.", { bot: characterName(bot), table: title }));
    }}><select name="bot" aria-label=${_("Bot for {table}", { table: title })} @change=${(/** @type {Event & {target: HTMLSelectElement}} */ { target }) => {
        this.invited.set(table, target.value);
        this.inviteError = { ...NO_ERROR, table };
        this.app.draw();
      }}>${this.bots.map((one) => html`<option value=${one} .selected=${one === bot}>${describeBot(one)}</option>`)}</select>
      <button aria-label=${_("Seat the bot at {table}", { table: title })}>${_("Seat the bot")}</button>
      ${keyed([[bot, parameterFields(table, _("Parameters of {bot}", { bot: characterName(bot) }), bot, controls)]])}</form>`;
  }

  #sayForm() {
    const { app } = this;
    return html`<form class="line" @submit=${async (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
      event.preventDefault();
      const form = event.currentTarget;
      const [text, table] = ["text", "table"].map((name) => String(new FormData(form).get(name)));
      if (await app.act("say", { text, ...(table ? { table } : {}) }, _("Sent."))) form.reset();
    }}>
      <div class="pair long"><label for="text">${_("Message in the chat")}</label><input id="text" name="text" maxlength="200" required autocomplete="off"></div>
      <select name="table" aria-label=${_("At which table")}><option value="">${_("at all tables")}</option>
        ${app.overview.tables.map((it) => html`<option value=${it.table}>${_("at {table}", { table: tableName(it) })}</option>`)}</select>
      <button>${_("Send")}</button></form>`;
  }

  /** @param {Event & {currentTarget: HTMLFormElement}} event */
  async #submit(event) {
    event.preventDefault();
    const form = event.currentTarget;
    const create = readCreateForm(new FormData(form), this.bots);
    this.error = validate(form, create);
    this.app.draw();
    if (this.error.text) focusError();
    else if (await this.app.act("open", { create }, create.name ? _("Opened {table}.", { table: create.name }) : _("Opened a table."))) form.reset();
  }
}
