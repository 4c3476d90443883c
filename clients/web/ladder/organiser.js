// The organiser's page of a ladder: freeze, roster and tokens, deadlines, grades.

import { ask, askText, order, organiser, problemText, Refused } from "./api.js";
import { STATES, botLink, figure, halfText, rankText } from "./data.js";
import { formatCount, formatDate } from "../competition/data.js";
import { scrollBox, table } from "../competition/tables.js";
import { copyToClipboard, saveFile } from "../lib/share.js";
import { _, fixedNumber, ngettext, pgettext } from "../lib/language.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { untrueTag } from "./plots.js";

/**
 * @import {GradeRow, Overview} from "./data.js"
 * @import {View} from "./view.js"
 */
/** @typedef {{name: string, group: string, token: string}} Token */

/** @implements {View} */
export class OrganiserView {
  /** @param {() => void} draw */
  constructor(draw) {
    this.title = _("Organiser");
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
    return html`<h1 tabindex="-1">${_("Organiser")}</h1>
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
      <div class="field"><label for="token">${_("Organiser's token")}</label>
        <input id="token" name="token" type="password" autocomplete="off" required aria-describedby="token-hint"></div>
      <p class="hint" id="token-hint">${_("{command} prints one. This tab forgets it when it is closed.", { command: html`<code>python -m pokerd ladder admin DIR</code>` })}</p>
      <button class="main">${_("Log in")}</button></form>`;
  }

  /** @param {Overview} overview */
  #content(overview) {
    return html`
      <section class="box season" aria-labelledby="season"><h2 id="season">${overview.name}, ${_("season {season}", { season: overview.season })}
          ${overview.frozen ? html`<span class="status" data-status="frozen">${_("frozen")}</span>` : nothing}</h2>
        <p>${overview.frozen ? _("No more versions are taken; matches go on.") : _("Versions are taken.")}${overview.blind ? ` ${_("Names are hidden from everybody but their authors and you until the final is played.")}` : nothing}</p>
        <p><button class=${overview.frozen ? "" : "danger"} @click=${() => this.#do(() => order(overview.frozen ? "/organiser/unfreeze" : "/organiser/freeze", {}, organiser.token),
          overview.frozen ? _("Versions are taken again.") : _("The ladder is frozen."))}>${overview.frozen ? _("Take versions again") : _("Freeze: take no more versions")}</button></p></section>
      ${this.tokens.length ? this.#tokenBox() : nothing}
      ${this.#gradeTable()}
      ${this.#roster(overview)}
      ${deadlineTable(overview)}`;
  }

  #tokenBox() {
    const csv = `name,group,token\n${this.tokens.map(({ name, group, token }) => [name, group, token].map(cell).join(",")).join("\n")}\n`;
    return html`<section class="box secret" role="status" aria-label=${_("New tokens")}><p><b>${ngettext("{n} new token", "{n} new tokens", this.tokens.length)}.</b> ${_("Save them now: only their hashes are kept, so they cannot be shown again.")}</p>
      ${scrollBox(_("Names and tokens"), html`<table><thead><tr><th scope="col" class="text">${_("Name")}</th><th scope="col" class="text">${_("Token")}</th></tr></thead>
        <tbody>${this.tokens.map(({ name, token }) => html`<tr><th scope="row">${name}</th><td class="text"><code>${token}</code></td></tr>`)}</tbody></table>`)}
      <div class="line"><button class="main" @click=${() => saveFile("tokens.csv", csv, "text/csv")}>${_("Save as CSV")}</button>
        <button @click=${async () => {
          this.notice = await copyToClipboard(csv, _("The tokens are copied."));
          this.draw();
        }}>${_("Copy")}</button>
        <button @click=${() => {
          this.tokens = [];
          this.draw();
        }}>${_("Hide")}</button></div></section>`;
  }

  #gradeTable() {
    const { grades } = this;
    if (!grades?.rows.length) return nothing;
    const hasDeadlines = grades.rows.some((row) => row.deadline);
    return html`<section aria-labelledby="grades"><h2 id="grades">${_("Grades")}</h2>
      ${table({
        caption: hasDeadlines ? _("The last version pushed before each deadline counts") : _("The version that plays counts"),
        columns: [
          { key: "author", title: _("Author"), head: true, cell: (/** @type {GradeRow} */ row) => html`<a href=${botLink(row.author)}>${row.author}</a>` },
          { key: "group", title: _("Group"), text: true, cell: (row) => row.group },
          ...(hasDeadlines ? [{ key: "deadline", title: _("Deadline"), text: true, cell: (/** @type {GradeRow} */ row) => row.deadline }] : []),
          { key: "version", title: _("Version"), text: true, cell: (row) => (row.version && row.state ? html`${row.version} <small class="state" data-state=${row.state}>${STATES[row.state]}</small>${untrueTag(row.declared)}` : html`<span class="nothing">${pgettext("version", "none")}</span>`) },
          ...(hasDeadlines ? [{ key: "late", title: _("Late"), text: true, cell: (/** @type {GradeRow} */ row) => (row.late.length ? html`<span class="late">${row.late.join(", ")}</span>` : "") }] : []),
          { key: "rating", title: _("mbb/hand"), cell: (row) => (row.rating === null ? "" : html`<b>${figure(row.rating)}</b> <span class="half">${halfText(row.half)}</span>`) },
          { key: "ranks", title: _("Rank"), cell: (row) => (row.ranks && row.half !== null ? rankText(row.ranks) : "") },
          ...grades.rules.map((rule, index) => ({ key: `rule ${rule}`, title: rule, text: true, cell: (/** @type {GradeRow} */ row) => passed(row.passed[index]) })),
          { key: "incidents", title: _("Errors"), cell: (row) => formatCount(row.incidents) },
          { key: "hours", title: _("Hours of play"), cell: (row) => fixedNumber(row.play_hours, 2) },
        ],
        rows: grades.rows,
      })}
      <p><button @click=${() => this.#do(async () => saveFile(`${this.overview?.name ?? "ladder"}-grades.csv`, await askText("/organiser/grades.csv", organiser.token), "text/csv"), "")}>${_("Save as CSV")}</button></p></section>`;
  }

  /** @param {Overview} overview */
  #roster({ roster, blind }) {
    return html`<section aria-labelledby="roster"><h2 id="roster">${ngettext("Roster: {n} author", "Roster: {n} authors", roster.length)}</h2>
      <form class="box paste" @submit=${async (/** @type {SubmitEvent & {currentTarget: HTMLFormElement}} */ event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const file = /** @type {File | null} */ (new FormData(form).get("file"));
        const text = file?.size ? await file.text() : String(new FormData(form).get("text"));
        if (await this.#do(() => order("/organiser/roster", { text }, organiser.token), _("The roster is stored."))) form.reset();
      }}>
        <div class="field"><label for="names">${_("Add authors: a name and, after a comma, a group on each line")}</label>
          <textarea id="names" name="text" rows="4" spellcheck="false" placeholder="ann, A"></textarea></div>
        <div class="line"><label class="pair">${_("or a CSV file")} <input type="file" name="file" accept=".csv,text/csv,text/plain"></label>
          <button class="main">${_("Add and make tokens")}</button></div></form>
      ${roster.length ? table({
        caption: _("Who may push"),
        columns: [
          { key: "name", title: _("Name"), head: true, cell: (row) => html`<a href=${botLink(row.name)}>${row.name}</a>` },
          { key: "group", title: _("Group"), text: true, cell: (row) => row.group },
          ...(blind ? [{ key: "pseudonym", title: _("Others see"), text: true, cell: (/** @type {Overview["roster"][0]} */ row) => row.pseudonym }] : []),
          { key: "versions", title: _("Versions"), cell: (row) => formatCount(row.versions) },
          { key: "token", title: html`<span class="visually-hidden">${_("Actions")}</span>`, text: true, cell: (row) => html`<button class="small" aria-label=${_("New token for {name}", { name: row.name })}
            @click=${() => this.#do(() => order("/organiser/token", { name: row.name }, organiser.token), _("{name} has a new token; the old one is no longer valid.", { name: row.name }))}>${_("New token")}</button>` },
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
  return value === true ? html`<span class="passed">✓ ${_("yes")}</span>` : value === false ? html`<span class="failed">✗ ${_("no")}</span>` : html`<span class="nothing">–</span>`;
}

/** @param {string} text */
function cell(text) {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {Overview} overview */
function deadlineTable({ deadlines }) {
  return html`<section aria-labelledby="deadlines"><h2 id="deadlines">${_("Deadlines")}</h2>
    ${deadlines.length ? table({
      caption: _("The last version that is pushed before a deadline counts"),
      columns: [
        { key: "name", title: _("Deadline"), head: true, cell: (row) => row.name },
        { key: "at", title: _("When"), text: true, cell: (row) => html`<time datetime=${new Date(row.at * 1000).toISOString()}>${formatDate(row.at * 1000)}</time>` },
        { key: "group", title: _("Group"), text: true, cell: (row) => row.group || _("everybody") },
      ],
      rows: deadlines,
    }) : nothing}
    <p class="hint">${_("They are written in {file}, as {table} with {name}, {at} and {group}; restart the ladder afterwards.", {
      file: html`<code>ladder.toml</code>`, table: html`<code>[[deadlines]]</code>`, name: html`<code>name</code>`, at: html`<code>at</code>`, group: html`<code>group</code>` })}</p></section>`;
}
