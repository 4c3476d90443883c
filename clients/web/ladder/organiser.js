// The organiser's page of a ladder: freeze, roster and tokens, deadlines, grades.

import { ask, askText, order, organiser, problemText, Refused } from "./api.js";
import { botLink, figure, halfText, rankText, stateText } from "./data.js";
import { formatCount, formatDate } from "../competition/data.js";
import { scrollBox, table } from "../competition/tables.js";
import { copyToClipboard, saveFile } from "../lib/share.js";
import { pluralize } from "../lib/words.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";

/**
 * @import {GradeRow, Overview} from "./data.js"
 * @import {View} from "./view.js"
 */
/** @typedef {{name: string, group: string, token: string}} Token */

/** @implements {View} */
export class OrganiserView {
  /** @param {() => void} draw */
  constructor(draw) {
    this.title = "Organiser";
    this.pause = 15_000;
    this.draw = draw;
    /** @type {Overview | null} */
    this.overview = null;
    /** @type {{rules: string[], rows: GradeRow[]} | null} */
    this.grades = null;
    /** Shown until they are hidden: nobody can be told them again. @type {Token[]} */
    this.tokens = [];
    this.notice = "";
    this.error = "";
  }

  async refresh() {
    if (!organiser.token) {
      this.overview = null;
      return;
    }
    try {
      [this.overview, this.grades] = await Promise.all([ask("/organiser", organiser.token), ask("/organiser/grades", organiser.token)]);
    } catch (error) {
      if (!(error instanceof Refused && error.status === 401)) throw error;
      organiser.keep("");
      this.overview = null;
      this.error = error.message;
    }
  }

  template() {
    return html`<h1 tabindex="-1">Organiser</h1>
      <p class="notice" role="status">${this.notice}</p>
      ${this.error ? html`<p class="error" role="alert">${this.error}</p>` : nothing}
      ${this.overview ? this.#content(this.overview) : this.#login()}`;
  }

  #login() {
    return html`<form class="box login" @submit=${(/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
      event.preventDefault();
      organiser.keep(String(new FormData(event.currentTarget).get("token")).trim());
      void this.#do(async () => undefined, "");
    }}>
      <div class="field"><label for="token">Organiser's token</label>
        <input id="token" name="token" type="password" autocomplete="off" required aria-describedby="token-hint"></div>
      <p class="hint" id="token-hint"><code>python -m pokerd ladder admin DIR</code> prints one. This tab forgets it when it is closed.</p>
      <button class="main">Log in</button></form>`;
  }

  /** @param {Overview} overview */
  #content(overview) {
    return html`
      <section class="box season" aria-labelledby="season"><h2 id="season">${overview.name}, season ${overview.season}
          ${overview.frozen ? html`<span class="status" data-status="frozen">frozen</span>` : nothing}</h2>
        <p>${overview.frozen ? "No more versions are taken; matches go on." : "Versions are taken."}${overview.blind ? " Names are hidden from everybody but their authors and you until the final is played." : nothing}</p>
        <p><button class=${overview.frozen ? "" : "danger"} @click=${() => this.#do(() => order(overview.frozen ? "/organiser/unfreeze" : "/organiser/freeze", {}, organiser.token),
          overview.frozen ? "Versions are taken again." : "The ladder is frozen.")}>${overview.frozen ? "Take versions again" : "Freeze: take no more versions"}</button></p></section>
      ${this.tokens.length ? this.#tokenBox() : nothing}
      ${this.#gradeTable()}
      ${this.#roster(overview)}
      ${deadlineTable(overview)}`;
  }

  #tokenBox() {
    const csv = `name,group,token\n${this.tokens.map(({ name, group, token }) => [name, group, token].map(cell).join(",")).join("\n")}\n`;
    return html`<section class="box secret" role="status" aria-label="New tokens"><p><b>${pluralize(this.tokens.length, "new token")}.</b> Save them now: only their hashes are kept, so they cannot be shown again.</p>
      ${scrollBox("Names and tokens", html`<table><thead><tr><th scope="col" class="text">Name</th><th scope="col" class="text">Token</th></tr></thead>
        <tbody>${this.tokens.map(({ name, token }) => html`<tr><th scope="row">${name}</th><td class="text"><code>${token}</code></td></tr>`)}</tbody></table>`)}
      <div class="line"><button class="main" @click=${() => saveFile("tokens.csv", csv, "text/csv")}>Save as CSV</button>
        <button @click=${async () => {
          this.notice = await copyToClipboard(csv, "The tokens are copied.");
          this.draw();
        }}>Copy</button>
        <button @click=${() => {
          this.tokens = [];
          this.draw();
        }}>Hide</button></div></section>`;
  }

  #gradeTable() {
    const { grades } = this;
    if (!grades?.rows.length) return nothing;
    const hasDeadlines = grades.rows.some((row) => row.deadline);
    return html`<section aria-labelledby="grades"><h2 id="grades">Grades</h2>
      ${table({
        caption: hasDeadlines ? "The last version pushed before each deadline counts" : "The version that plays counts",
        columns: [
          { key: "author", title: "Author", head: true, cell: (/** @type {GradeRow} */ row) => html`<a href=${botLink(row.author)}>${row.author}</a>` },
          { key: "group", title: "Group", text: true, cell: (row) => row.group },
          ...(hasDeadlines ? [{ key: "deadline", title: "Deadline", text: true, cell: (/** @type {GradeRow} */ row) => row.deadline }] : []),
          { key: "version", title: "Version", text: true, cell: (row) => (row.version && row.state ? html`${row.version} <small class="state" data-state=${row.state}>${stateText(row.state)}</small>` : html`<span class="nothing">none</span>`) },
          ...(hasDeadlines ? [{ key: "late", title: "Late", text: true, cell: (/** @type {GradeRow} */ row) => (row.late.length ? html`<span class="late">${row.late.join(", ")}</span>` : "") }] : []),
          { key: "rating", title: "mbb/hand", cell: (row) => (row.rating === null ? "" : html`<b>${figure(row.rating)}</b> <span class="half">${halfText(row.half)}</span>`) },
          { key: "ranks", title: "Rank", cell: (row) => (row.ranks && row.half !== null ? rankText(row.ranks) : "") },
          ...grades.rules.map((rule, index) => ({ key: `rule ${rule}`, title: rule, text: true, cell: (/** @type {GradeRow} */ row) => passed(row.passed[index]) })),
          { key: "incidents", title: "Errors", cell: (row) => formatCount(row.incidents) },
          { key: "hours", title: "CPU hours", cell: (row) => row.cpu_hours.toFixed(2) },
        ],
        rows: grades.rows,
      })}
      <p><button @click=${() => this.#do(async () => saveFile(`${this.overview?.name ?? "ladder"}-grades.csv`, await askText("/organiser/grades.csv", organiser.token), "text/csv"), "")}>Save as CSV</button></p></section>`;
  }

  /** @param {Overview} overview */
  #roster({ roster, blind }) {
    return html`<section aria-labelledby="roster"><h2 id="roster">Roster: ${pluralize(roster.length, "author")}</h2>
      <form class="box paste" @submit=${async (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const file = /** @type {File | null} */ (new FormData(form).get("file"));
        const text = file?.size ? await file.text() : String(new FormData(form).get("text"));
        if (await this.#do(() => order("/organiser/roster", { text }, organiser.token), "The roster is stored.")) form.reset();
      }}>
        <div class="field"><label for="names">Add authors: a name and, after a comma, a group on each line</label>
          <textarea id="names" name="text" rows="4" spellcheck="false" placeholder="ann, A"></textarea></div>
        <div class="line"><label class="pair">or a CSV file <input type="file" name="file" accept=".csv,text/csv,text/plain"></label>
          <button class="main">Add and make tokens</button></div></form>
      ${roster.length ? table({
        caption: "Who may push",
        columns: [
          { key: "name", title: "Name", head: true, cell: (row) => html`<a href=${botLink(row.name)}>${row.name}</a>` },
          { key: "group", title: "Group", text: true, cell: (row) => row.group },
          ...(blind ? [{ key: "pseudonym", title: "Others see", text: true, cell: (/** @type {Overview["roster"][0]} */ row) => row.pseudonym }] : []),
          { key: "versions", title: "Versions", cell: (row) => formatCount(row.versions) },
          { key: "token", title: html`<span class="visually-hidden">Actions</span>`, text: true, cell: (row) => html`<button class="small" aria-label="New token for ${row.name}"
            @click=${() => this.#do(() => order("/organiser/token", { name: row.name }, organiser.token), `${row.name} has a new token; the old one is no longer valid.`)}>New token</button>` },
        ],
        rows: roster,
      }) : nothing}</section>`;
  }

  /**
   * Does something, tells what came of it, and looks again; returns whether it was done.
   * @param {() => Promise<any>} action
   * @param {string} done
   */
  async #do(action, done) {
    [this.notice, this.error] = ["", ""];
    try {
      const answer = await action();
      if (answer?.tokens) this.tokens = answer.tokens;
      await this.refresh();
      if (!this.error) this.notice = done;
    } catch (error) {
      this.error = problemText(error);
    }
    this.draw();
    return !this.error;
  }
}

/** @param {boolean | null | undefined} value */
function passed(value) {
  return value === true ? html`<span class="passed">✓ yes</span>` : value === false ? html`<span class="failed">✗ no</span>` : html`<span class="nothing">–</span>`;
}

/** @param {string} text */
function cell(text) {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {Overview} overview */
function deadlineTable({ deadlines }) {
  return html`<section aria-labelledby="deadlines"><h2 id="deadlines">Deadlines</h2>
    ${deadlines.length ? table({
      caption: "The last version that is pushed before a deadline counts",
      columns: [
        { key: "name", title: "Deadline", head: true, cell: (row) => row.name },
        { key: "at", title: "When", text: true, cell: (row) => html`<time datetime=${new Date(row.at * 1000).toISOString()}>${formatDate(row.at * 1000)}</time>` },
        { key: "group", title: "Group", text: true, cell: (row) => row.group || "everybody" },
      ],
      rows: deadlines,
    }) : nothing}
    <p class="hint">They are written in <code>ladder.toml</code>, as <code>[[deadlines]]</code> with <code>name</code>, <code>at</code> and <code>group</code>; restart the ladder afterwards.</p></section>`;
}
