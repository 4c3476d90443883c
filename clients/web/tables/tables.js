// Several tables side by side. The keyboard goes where it is my turn; on a narrow screen that table is the one to be seen.

import { updateTab } from "../lib/attention.js";
import { _ } from "../lib/language.js";
import { applyLook } from "../look/look.js";
import { onSettingsChange, ensureName, loadSettings } from "../lib/settings.js";
import { MAX_TABLES, SharedConnection, besideAddress } from "../lib/shared_connection.js";
import { tableName } from "../look/table_names.js";
import { html, nothing, render } from "../vendor/lit-html/lit-html.js";

/** @import {Report, TablesWindow} from "../lib/shared_connection.js" */
/** A frame and what is in it. `since`: when my turn began. @typedef {Report & {frame: HTMLIFrameElement, since: number}} Pane */

/** Milliseconds in which a key that was meant for the table before does nothing at the next. */
const SETTLE = 300;
/** Where somebody is typing, or answering a question: there the keyboard stays. */
const BUSY = "dialog[open], input:not([type=range], [type=checkbox], [type=radio], #amount):focus, textarea:focus, select:focus";

const bar = /** @type {HTMLElement} */ (document.getElementById("bar"));
const area = /** @type {HTMLElement} */ (document.getElementById("panes"));
const connection = new SharedConnection(() => around.tables().length);
/** @type {Pane[]} */
const panes = [];
/** @type {Pane | undefined} */
let active;
let movedAt = -SETTLE;

/** @type {TablesWindow} */
const around = {
  connection,
  tables: () => panes.map(({ table }) => table).filter(Boolean),
  report(frame, report) {
    const pane = panes.find((it) => it.frame === frame);
    if (!pane) return;
    const wasTurn = pane.isTurn;
    Object.assign(pane, report);
    if (report.isTurn && !wasTurn) pane.since = performance.now();
    if (report.isTurn && !wasTurn && !active?.isTurn && !active?.frame.contentDocument?.querySelector(BUSY)) moveTo(pane);
    else if (wasTurn && !report.isTurn && pane === active) moveTo(waiting()[0]);
    draw();
  },
  showTable(table) {
    const found = panes.find((pane) => pane.table === table);
    moveTo(found);
    return found !== undefined;
  },
  nextTable() {
    const others = [...panes, ...panes].slice(panes.findIndex((pane) => pane === active) + 1);
    moveTo(waiting().find((pane) => pane !== active) ?? others[0]);
  },
  hasJustMoved: () => performance.now() - movedAt < SETTLE,
};
Object.assign(window, { tablesWindow: around });

/** Where it is my turn, the longest first. */
const waiting = () => panes.filter(({ isTurn }) => isTurn).sort((one, other) => one.since - other.since);

/** The table at an address, and its name until its page says more. @param {string} address */
function shownBy(address) {
  const table = decodeURIComponent(/^\/table\/([^#]+)/.exec(address)?.[1] ?? "");
  return { table, title: table && tableName({ table, name: "" }) };
}

/** @param {string} address */
function addPane(address) {
  const frame = document.createElement("iframe");
  const pane = { frame, isTurn: false, isSeated: false, since: 0, ...shownBy(address) };
  frame.addEventListener("load", () => {
    const { contentWindow: inside, contentDocument: text } = frame;
    const shown = shownBy(inside?.location.pathname ?? "");
    if (!shown.table) Object.assign(pane, shown, { title: text?.title.replace(/ · pokerd$/, "") });
    else if (!pane.table) Object.assign(pane, shown);
    // A page that is left says nothing more.
    inside?.addEventListener("pagehide", () => Object.assign(pane, { table: "", isTurn: false, isSeated: false }));
    inside?.addEventListener("focus", () => {
      active = pane;
      draw();
    });
    draw();
  });
  frame.src = address;
  panes.push(pane);
  area.append(frame);
  moveTo(pane);
}

/** @param {Pane} pane */
function removePane(pane) {
  panes.splice(panes.indexOf(pane), 1);
  pane.frame.remove();
  if (!panes.length) location.assign("/");
  else moveTo(waiting()[0] ?? panes[0]);
}

/** Gives the keyboard to a table. @param {Pane | undefined} pane */
function moveTo(pane) {
  if (!pane) return;
  if (pane !== active) movedAt = performance.now();
  active = pane;
  draw();
  pane.frame.contentWindow?.focus();
}

function draw() {
  area.dataset.count = String(panes.length);
  for (const { frame, title, isTurn } of panes) {
    frame.title = title;
    frame.toggleAttribute("data-turn", isTurn);
  }
  for (const { frame } of panes) frame.toggleAttribute("data-active", frame === active?.frame);
  render(html`<a class="home" href="/" title=${_("All tables")}>pokerd</a>
    <h1 class="visually-hidden">${_("Tables")}</h1>
    <nav aria-label=${_("Tables")}><ul>${panes.map((pane) => html`<li data-turn=${pane.isTurn || nothing}>
      <button class="switch" aria-current=${pane === active ? "true" : nothing} @click=${() => moveTo(pane)}>${pane.title || "…"}${pane.isTurn ? html`<b>${_("your turn")}</b>` : nothing}</button>
      ${pane.isSeated ? nothing : html`<button class="shut" aria-label=${_("Close {page}", { page: pane.title })} @click=${() => removePane(pane)}>✕</button>`}</li>`)}</ul></nav>
    ${panes.length < MAX_TABLES ? html`<button class="add" @click=${() => addPane("/")}>${_("Add a table")}</button>` : nothing}`, bar);
  const address = besideAddress(around.tables());
  if (address !== `${location.pathname}${location.search}`) history.replaceState(null, "", address);
  showTurn();
}

function showTurn() {
  const first = waiting()[0];
  updateTab(`${(first ?? active)?.title} · pokerd`, first !== undefined, false, performance.now());
}

const settings = loadSettings();
ensureName(settings);
applyLook(settings);
onSettingsChange(applyLook);
setInterval(showTurn, 1000);
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
addEventListener("keydown", () => document.activeElement === document.body && active?.frame.contentWindow?.focus());

const wishes = new URLSearchParams(location.search);
const addresses = [...new Set(wishes.getAll("at"))].slice(0, MAX_TABLES).map((table) => `/table/${encodeURIComponent(table)}${wishes.get("sit") === table ? "#sit" : ""}`);
for (const address of new Set(addresses)) addPane(address);
if (!addresses.length || (wishes.has("add") && panes.length < MAX_TABLES)) addPane("/");
