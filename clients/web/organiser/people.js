// Who is connected, who is banned, and whose names have tokens.

import { formatDate } from "../competition/data.js";
import { table } from "../competition/tables.js";
import { characterName, programOf } from "../look/characters.js";
import { tableName } from "../look/table_names.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { isolateName, pluralize } from "../lib/words.js";

/**
 * @import {Ban, Connection, Token} from "./api.js"
 * @import {App} from "./app.js"
 */

/** So many rows are shown at most. */
const MOST_SHOWN = 200;
const KINDS = { "": "not logged in", guest: "guest", token: "with a token", house: "house bot" };

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
  return html`<section aria-labelledby="players"><h2 id="players">${pluralize(all.length, "connection")}</h2>
    <div class="filter" role="search" aria-label="Players">
      <label>Find <input type="search" placeholder="name, address or table" .value=${filter} @input=${(/** @type {InputEvent & {target: HTMLInputElement}} */ event) => {
        filter = event.target.value;
        app.draw();
      }}></label>
      <label><input type="checkbox" .checked=${isShowingHouseBots} @change=${(/** @type {Event & {target: HTMLInputElement}} */ event) => {
        isShowingHouseBots = event.target.checked;
        app.draw();
      }}> with house bots</label>
    </div>
    ${found.length ? table({
      caption: found.length > MOST_SHOWN ? `The first ${MOST_SHOWN} of ${found.length}` : "Who is connected",
      columns: [
        { key: "name", title: "Player", head: true, cell: (it) => (it.name ? html`<a href="#statistics?${new URLSearchParams({ player: it.name })}" title=${it.name}><bdi>${it.kind === "house" ? calledHere(it.name) : it.name}</bdi></a>` : "—") },
        { key: "kind", title: "Who", text: true, cell: (it) => `${KINDS[it.kind]}${it.kind === "guest" || it.kind === "token" ? (it.person ? ", person" : ", bot") : ""}` },
        { key: "address", title: "Address", text: true, cell: (it) => it.address },
        { key: "tables", title: "At", text: true, cell: (it) => it.tables.map((name, index) => html`${index ? ", " : ""}<a href="/table/${encodeURIComponent(name)}">${title(name)}</a>`) },
        { key: "actions", title: html`<span class="visually-hidden">Actions</span>`, text: true, cell: (it) => (it.kind === "house" ? nothing : connectionButtons(app, it)) },
      ],
      rows: found.slice(0, MOST_SHOWN),
    }) : html`<p>${all.length ? "Nobody matches." : "Nobody is connected."}</p>`}</section>`;
}

/**
 * @param {App} app
 * @param {Connection} it
 */
function connectionButtons(app, { connection, name, address }) {
  const who = name ? isolateName(name) : `connection ${connection}`;
  return html`<div class="buttons">
    <button class="small" aria-label="Disconnect ${who}" @click=${() => app.ask({
      title: `Disconnect ${who}?`, text: "The seats are kept for a while, and the player may connect again.",
      button: "Disconnect", action: "close", order: { connection }, done: `Disconnected ${who}.`,
    })}>Disconnect</button>
    ${name ? html`<button class="small danger" aria-label="Ban ${who}" @click=${() => app.ask({
      title: `Ban ${who}?`, text: "The player is disconnected, loses all seats, and cannot come back under this name until you lift the ban.",
      button: "Ban", action: "ban", order: { name }, done: `Banned ${who}.`,
    })}>Ban name</button>` : nothing}
    <button class="small danger" aria-label="Ban the address ${address} of ${who}" @click=${() => app.ask({
      title: `Ban ${address}?`, text: "Everybody who connects from this address is disconnected, and cannot come back until you lift the ban.",
      button: "Ban the address", action: "ban", order: { address }, done: `Banned ${address}.`,
    })}>Ban address</button></div>`;
}

/** @param {App} app */
export function bansSection(app) {
  const { bans } = app.overview;
  return html`<section aria-labelledby="bans"><h2 id="bans">${pluralize(bans.length, "ban")}</h2>
    <form class="line" @submit=${async (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
      event.preventDefault();
      const form = event.currentTarget;
      const data = new FormData(form);
      const value = String(data.get("value")).trim();
      if (await app.act("ban", { [String(data.get("kind"))]: value }, `Banned ${isolateName(value)}.`)) form.reset();
    }}>
      <div class="pair"><label for="kind">Ban</label><select id="kind" name="kind"><option value="name">the name</option><option value="address">the address or network</option></select></div>
      <div class="pair long"><input name="value" aria-label="Name, address or network" maxlength="64" required autocomplete="off"><button class="danger">Ban</button></div>
    </form>
    <p class="hint">A name is banned in all spellings that look alike. A network looks like 192.0.2.0/24 or 2001:db8::/64.</p>
    ${bans.length ? table({
      caption: "Who may not play here",
      columns: [
        { key: "value", title: "Banned", head: true, cell: (/** @type {Ban} */ it) => html`<bdi title=${it.value}>${it.value}</bdi>` },
        { key: "kind", title: "Kind", text: true, cell: (it) => it.kind },
        { key: "by", title: "By", text: true, cell: (it) => it.by },
        { key: "at", title: "Since", text: true, cell: (it) => html`<time datetime=${it.at}>${formatDate(Date.parse(it.at))}</time>` },
        { key: "lift", title: html`<span class="visually-hidden">Actions</span>`, text: true, cell: (it) => html`<button class="small" aria-label="Lift the ban of ${it.value}"
          @click=${() => app.act("unban", { [it.kind]: it.value }, `Lifted the ban of ${isolateName(it.value)}.`)}>Lift</button>` },
      ],
      rows: bans,
    }) : html`<p>Nobody is banned.</p>`}</section>`;
}

/** @param {App} app */
export function tokensSection(app) {
  const { tokens } = app.overview;
  return html`<section aria-labelledby="tokens"><h2 id="tokens">${pluralize(tokens.length, "token")}</h2>
    <p class="hint">A token lets its owner play under a name that nobody else may use. Only the command line makes and revokes admin tokens.</p>
    <form class="line" @submit=${async (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
      event.preventDefault();
      const form = event.currentTarget;
      const data = new FormData(form);
      const name = String(data.get("name")).trim();
      if (await app.act("issue", { name, quota: { connections: Number(data.get("connections")) } }, `Made a token for ${name}.`)) form.reset();
    }}>
      <div class="pair long"><label for="name">Name</label><input id="name" name="name" maxlength="64" required autocomplete="off" spellcheck="false"></div>
      <div class="pair"><label for="connections">Connections</label><input id="connections" name="connections" type="number" min="1" max="1000" value="1" required></div>
      <button>Make a token</button>
    </form>
    ${app.token ? html`<div class="box secret" role="status"><p>The token of <b>${app.token.name}</b>. Copy it: it is not shown again.</p>
      <p><code>${app.token.text}</code></p><button class="small" @click=${() => app.showToken(null)}>Hide</button></div>` : nothing}
    ${table({
      caption: "Names with a token",
      columns: [
        { key: "name", title: "Name", head: true, cell: (/** @type {Token} */ it) => html`<bdi title=${it.name}>${it.name}</bdi>` },
        { key: "for", title: "For", text: true, cell: (it) => (it.admin ? "administration" : "playing") },
        { key: "issued", title: "Since", text: true, cell: (it) => html`<time datetime=${it.issued}>${formatDate(Date.parse(it.issued))}</time>` },
        { key: "connections", title: "Connections", cell: (it) => it.quota.connections },
        { key: "tables", title: "Tables each", cell: (it) => it.quota.tables },
        { key: "revoke", title: html`<span class="visually-hidden">Actions</span>`, text: true, cell: (it) => (it.admin ? nothing : html`<button class="small danger" aria-label="Revoke the token of ${it.name}"
          @click=${() => app.ask({
            title: `Revoke the token of ${it.name}?`, text: "The player is disconnected and loses all seats. The token cannot be restored.",
            button: "Revoke", action: "revoke", order: { name: it.name }, done: `Revoked the token of ${it.name}.`,
          })}>Revoke</button>`) },
      ],
      rows: tokens,
    })}</section>`;
}
