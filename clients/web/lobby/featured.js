// A table at which only bots play, seen in small with all cards open: what is going on here, at a glance.

import { Connection } from "../lib/net.js";
import { MessagePlayback } from "../lib/playback.js";
import { tableName } from "../look/table_names.js";
import { initialState, reduce } from "../table/state.js";
import { tableView } from "../table/view.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";

/**
 * A table as `/api/tables` lists it.
 * @typedef {{table: string, name?: string, game: string, stakes: string, mode: string, seats: number, free: number,
 *   players: string[], kinds?: string[], hands: number}} Entry
 */

export class FeaturedTable {
  /**
   * @param {() => void} draw
   * @param {() => void} onWatch the visitor goes to the table
   */
  constructor(draw, onWatch) {
    this.draw = draw;
    this.onWatch = onWatch;
    /** Whether the server does not let this visitor look on. */
    this.isRefused = false;
    this.state = initialState("");
    /** @type {Entry | null} */
    this.entry = null;
    /** @type {Connection | null} */
    this.connection = null;
    /** @type {MessagePlayback | null} */
    this.playback = null;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#stop() : this.#start()));
  }

  /** The table to show is the first of these that nobody can join. @param {readonly Entry[]} tables */
  choose(tables) {
    const found = this.isRefused ? null : tables.find((it) => !it.free && it.mode === "cash" && it.kinds?.every((kind) => kind === "bot")) ?? null;
    if (found?.table === this.entry?.table) return;
    this.#stop();
    this.entry = found;
    this.#start();
  }

  #start() {
    const { entry } = this;
    if (!entry || this.connection || document.hidden) return;
    this.state = initialState(entry.table);
    const playback = new MessagePlayback((message) => {
      if (this.playback !== playback) return;
      this.state = reduce(this.state, message, performance.now());
      this.draw();
    }, () => ({ speed: 1, me: -1 }));
    this.playback = playback;
    // It must not end what the visitor plays in another tab.
    const connection = new Connection(`Visitor ${Math.floor(Math.random() * 1e6)}`, (messages, received) => {
      if (messages.some(({ type }) => type === "welcome")) connection.send({ type: "watch", table: entry.table });
      playback.push(messages, received);
    }, ({ kind }) => kind === "refused" && this.#hide(), true);
    this.connection = connection;
  }

  #stop() {
    this.connection?.close();
    this.connection = null;
    this.playback = null;
  }

  #hide() {
    this.isRefused = true;
    this.#stop();
    this.entry = null;
    this.draw();
  }

  /** Nothing without such a table. */
  template() {
    const { entry, state } = this;
    if (!entry) return nothing;
    const name = tableName(entry);
    return html`<section class="featured" aria-labelledby="featured">
      <div class="caption"><h2 id="featured">${_("Bots at {table}", { table: name })}</h2><a class="button" href="/table/${encodeURIComponent(entry.table)}" @click=${this.onWatch}>${_("Watch")}</a></div>
      <div class="mini" inert>${tableView(state, { unit: undefined, now: performance.now() })}</div>
    </section>`;
  }
}
