// Who is connected, who is banned, and whose names have tokens.

import { formatDate } from "../competition/data.js";
import { table } from "../competition/tables.js";
import { characterName, programOf } from "../look/characters.js";
import { tableName } from "../look/table_names.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _, ngettext, pgettext } from "../lib/language.js";
import { isolateName } from "../lib/words.js";

/**
 * @import {Ban, Connection, Token} from "./api.js"
 * @import {App} from "./app.js"
 */

/** So many rows are shown at most. */
const MOST_SHOWN = 200;
const KINDS = { "": _("not logged in"), guest: _("guest"), token: _("with a token"), house: _("house bot") };

/** What is looked for, and whether house bots are listed. */
let filter = "";
let isShowingHouseBots = false;

/** What a house bot is called at the tables. @param {string} name */
const calledHere = (name) => characterName(programOf(name) || name);

/** @param {App} app */
export function playersSection(app) {
  const { connections, tables } = app.overview;
  const titles = new Map(tables.map((it) => [it.table, tableName(it)]));
  const title = (/** @type {string} */ table) => titles.get(table) ?? table;
  const sought = filter.trim().toLowerCase();
  const all = connections.filter((it) => isShowingHouseBots || it.kind !== "house");
  const found = all.filter((it) => [it.name, it.kind === "house" ? calledHere(it.name) : "", it.address, ...it.tables, ...it.tables.map(title)].join("\n").toLowerCase().includes(sought));
  return html`<section aria-labelledby="players"><h2 id="players">${ngettext("{n} connection", "{n} connections", all.length)}</h2>
    <div class="filter" role="search" aria-label=${_("Players")}>
      <label>${_("Find")} <input type="search" placeholder=${_("name, address or table")} .value=${filter} @input=${(/** @type {InputEvent & {target: HTMLInputElement}} */ event) => {
        filter = event.target.value;
        app.draw();
      }}></label>
      <label><input type="checkbox" .checked=${isShowingHouseBots} @change=${(/** @type {Event & {target: HTMLInputElement}} */ event) => {
        isShowingHouseBots = event.target.checked;
        app.draw();
      }}> ${_("with house bots")}</label>
    </div>
    ${found.length ? table({
      caption: found.length > MOST_SHOWN ? _("The first {n} of {of}", { n: MOST_SHOWN, of: found.length }) : _("Who is connected"),
      columns: [
        { key: "name", title: _("Player"), head: true, cell: (it) => (it.name ? html`<a href="#statistics?${new URLSearchParams({ player: it.name })}" title=${it.name}><bdi>${it.kind === "house" ? calledHere(it.name) : it.name}</bdi></a>` : "—") },
        { key: "kind", title: _("Who"), text: true, cell: (it) => `${KINDS[it.kind]}${it.kind === "guest" || it.kind === "token" ? `, ${it.person ? _("person") : _("bot")}` : ""}` },
        { key: "address", title: _("Address"), text: true, cell: (it) => it.address },
        { key: "tables", title: pgettext("a table", "At"), text: true, cell: (it) => it.tables.map((name, index) => html`${index ? ", " : ""}<a href="/table/${encodeURIComponent(name)}">${title(name)}</a>`) },
        { key: "actions", title: html`<span class="visually-hidden">${_("Actions")}</span>`, text: true, cell: (it) => (it.kind === "house" ? nothing : connectionButtons(app, it)) },
      ],
      rows: found.slice(0, MOST_SHOWN),
    }) : html`<p>${all.length ? _("Nobody matches.") : _("Nobody is connected.")}</p>`}</section>`;
}

/**
 * @param {App} app
 * @param {Connection} it
 */
function connectionButtons(app, { connection, name, address }) {
  const who = name ? isolateName(name) : _("connection {n}", { n: connection });
  return html`<div class="buttons">
    <button class="small" aria-label=${_("Disconnect {name}", { name: who })} @click=${() => app.ask({
      title: _("Disconnect {name}?", { name: who }), text: _("The seats are kept for a while, and the player may connect again."),
      button: _("Disconnect"), action: "close", order: { connection }, done: _("Disconnected {name}.", { name: who }),
    })}>${_("Disconnect")}</button>
    ${name ? html`<button class="small danger" aria-label=${_("Ban {name}", { name: who })} @click=${() => app.ask({
      title: _("Ban {name}?", { name: who }), text: _("The player is disconnected, loses all seats, and cannot come back under this name until you lift the ban."),
      button: _("Ban"), action: "ban", order: { name }, done: _("Banned {name}.", { name: who }),
    })}>${_("Ban name")}</button>` : nothing}
    <button class="small danger" aria-label=${_("Ban the address {address} of {name}", { address, name: who })} @click=${() => app.ask({
      title: _("Ban {name}?", { name: address }), text: _("Everybody who connects from this address is disconnected, and cannot come back until you lift the ban."),
      button: _("Ban the address"), action: "ban", order: { address }, done: _("Banned {name}.", { name: address }),
    })}>${_("Ban address")}</button></div>`;
}

/** @param {App} app */
export function bansSection(app) {
  const { bans } = app.overview;
  return html`<section aria-labelledby="bans"><h2 id="bans">${ngettext("{n} ban", "{n} bans", bans.length)}</h2>
    <form class="line" @submit=${async (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
      event.preventDefault();
      const form = event.currentTarget;
      const data = new FormData(form);
      const value = String(data.get("value")).trim();
      if (await app.act("ban", { [String(data.get("kind"))]: value }, _("Banned {name}.", { name: isolateName(value) }))) form.reset();
    }}>
      <div class="pair"><label for="kind">${_("Ban")}</label><select id="kind" name="kind"><option value="name">${_("the name")}</option><option value="address">${_("the address or network")}</option></select></div>
      <div class="pair long"><input name="value" aria-label=${_("Name, address or network")} maxlength="64" required autocomplete="off"><button class="danger">${_("Ban")}</button></div>
    </form>
    <p class="hint">${_("A name is banned in all spellings that look alike. A network looks like 192.0.2.0/24 or 2001:db8::/64.")}</p>
    ${bans.length ? table({
      caption: _("Who may not play here"),
      columns: [
        { key: "value", title: _("Banned"), head: true, cell: (/** @type {Ban} */ it) => html`<bdi title=${it.value}>${it.value}</bdi>` },
        { key: "kind", title: _("Kind"), text: true, cell: (it) => (it.kind === "name" ? _("name") : _("address")) },
        { key: "by", title: _("By"), text: true, cell: (it) => it.by },
        { key: "at", title: _("Since"), text: true, cell: (it) => html`<time datetime=${it.at}>${formatDate(Date.parse(it.at))}</time>` },
        { key: "lift", title: html`<span class="visually-hidden">${_("Actions")}</span>`, text: true, cell: (it) => html`<button class="small" aria-label=${_("Lift the ban of {name}", { name: it.value })}
          @click=${() => app.act("unban", { [it.kind]: it.value }, _("Lifted the ban of {name}.", { name: isolateName(it.value) }))}>${_("Lift")}</button>` },
      ],
      rows: bans,
    }) : html`<p>${_("Nobody is banned.")}</p>`}</section>`;
}

/** @param {App} app */
export function tokensSection(app) {
  const { tokens } = app.overview;
  return html`<section aria-labelledby="tokens"><h2 id="tokens">${ngettext("{n} token", "{n} tokens", tokens.length)}</h2>
    <p class="hint">${_("A token lets its owner play under a name that nobody else may use. Only the command line makes and revokes admin tokens.")}</p>
    <form class="line" @submit=${async (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
      event.preventDefault();
      const form = event.currentTarget;
      const data = new FormData(form);
      const name = String(data.get("name")).trim();
      if (await app.act("issue", { name, quota: { connections: Number(data.get("connections")) } }, _("Made a token for {name}.", { name }))) form.reset();
    }}>
      <div class="pair long"><label for="name">${_("Name")}</label><input id="name" name="name" maxlength="64" required autocomplete="off" spellcheck="false"></div>
      <div class="pair"><label for="connections">${_("Connections")}</label><input id="connections" name="connections" type="number" min="1" max="1000" value="1" required></div>
      <button>${_("Make a token")}</button>
    </form>
    ${app.token ? html`<div class="box secret" role="status"><p>${_("The token of {name}. Copy it: it is not shown again.", { name: html`<b>${app.token.name}</b>` })}</p>
      <p><code>${app.token.text}</code></p><button class="small" @click=${() => app.showToken(null)}>${_("Hide")}</button></div>` : nothing}
    ${table({
      caption: _("Names with a token"),
      columns: [
        { key: "name", title: _("Name"), head: true, cell: (/** @type {Token} */ it) => html`<bdi title=${it.name}>${it.name}</bdi>` },
        { key: "for", title: _("For"), text: true, cell: (it) => (it.admin ? _("administration") : _("playing")) },
        { key: "issued", title: _("Since"), text: true, cell: (it) => html`<time datetime=${it.issued}>${formatDate(Date.parse(it.issued))}</time>` },
        { key: "connections", title: _("Connections"), cell: (it) => it.quota.connections },
        { key: "tables", title: _("Tables each"), cell: (it) => it.quota.tables },
        { key: "revoke", title: html`<span class="visually-hidden">${_("Actions")}</span>`, text: true, cell: (it) => (it.admin ? nothing : html`<button class="small danger" aria-label=${_("Revoke the token of {name}", { name: it.name })}
          @click=${() => app.ask({
            title: _("Revoke the token of {name}?", { name: it.name }), text: _("The player is disconnected and loses all seats. The token cannot be restored."),
            button: _("Revoke"), action: "revoke", order: { name: it.name }, done: _("Revoked the token of {name}.", { name: it.name }),
          })}>${_("Revoke")}</button>`) },
      ],
      rows: tokens,
    })}</section>`;
}
