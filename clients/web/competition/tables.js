// Real tables, in boxes that scroll by themselves, and what stands around them.

import { formatCount, sortRows } from "./data.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { _ } from "../lib/language.js";

/**
 * A column: with a `value` it can be sorted by, with `first` the largest first. `head`: its cells name their rows.
 * `text`: not a number.
 * @template Row
 * @typedef {{key: string, title: unknown, cell: (row: Row) => unknown, value?: (row: Row) => number | string | null,
 *   text?: boolean, head?: boolean, first?: "largest"}} Column
 */

/**
 * @template Row
 * @param {{caption: string, columns: readonly Column<Row>[], rows: readonly Row[], sort?: string,
 *   onSort?: (sort: string) => void, mark?: (row: Row) => string, foot?: unknown}} it
 *   `mark` gives a row its `data-mark`, for styles
 */
export function table({ caption, columns, rows, sort = "", onSort, mark, foot }) {
  return scrollBox(caption, html`<table>
    <caption>${caption}</caption>
    <thead><tr>${columns.map((column) => heading(column, sort, onSort))}</tr></thead>
    <tbody>${sortRows(rows, columns, sort).map((row) => html`<tr data-mark=${mark?.(row) ?? ""}>${columns.map((column) =>
      column.head ? html`<th scope="row">${column.cell(row)}</th>`
        : html`<td class=${column.text ? "text" : "number"}>${column.cell(row)}</td>`)}</tr>`)}</tbody>
    ${foot ?? nothing}
  </table>`);
}

/**
 * A box that scrolls instead of the page, also by the keyboard.
 * @param {string} name
 * @param {unknown} content
 */
export function scrollBox(name, content) {
  return html`<div class="scroll" role="region" aria-label=${name} tabindex="0">${content}</div>`;
}

/**
 * @template Row
 * @param {Column<Row>} column
 * @param {string} sort
 * @param {((sort: string) => void) | undefined} onSort
 */
function heading(column, sort, onSort) {
  const style = column.text || column.head ? "text" : "number";
  if (!column.value || !onSort) return html`<th scope="col" class=${style}>${column.title}</th>`;
  const isAscending = sort === column.key;
  const isDescending = sort === `-${column.key}`;
  const next = isAscending ? `-${column.key}` : isDescending || column.first !== "largest" ? column.key : `-${column.key}`;
  return html`<th scope="col" class=${style} aria-sort=${isAscending ? "ascending" : isDescending ? "descending" : "none"}>
    <button class="sort" @click=${() => onSort(next)}>${column.title}<span class="arrow" aria-hidden="true">${isAscending ? "▲" : isDescending ? "▼" : "↕"}</span></button></th>`;
}

/**
 * Links to the same data for programs.
 * @param {string} json
 * @param {string} [csv]
 * @param {string} [places] how often each place was taken, as CSV
 */
export function downloads(json, csv, places) {
  return html`<p class="downloads">${csv ? html`<a href=${csv}>CSV</a> ` : nothing}${
    places ? html`<a href=${places}>${_("CSV of places")}</a> ` : nothing}<a href=${json}>JSON</a></p>`;
}

/**
 * Links to the pages before and after, where a list has more than one.
 * @param {{offset: number, limit: number, total: number, link: (offset: number) => string}} it
 */
export function pager({ offset, limit, total, link }) {
  if (total <= limit && !offset) return nothing;
  const last = Math.min(offset + limit, total);
  return html`<nav class="pager" aria-label=${_("Pages")}>
    ${offset ? html`<a class="button" href=${link(Math.max(0, offset - limit))}>${_("Previous")}</a>` : nothing}
    <span>${total > offset ? _("{first} to {last} of {total}", { first: formatCount(offset + 1), last: formatCount(last), total: formatCount(total) }) : _("none of {total}", { total: formatCount(total) })}</span>
    ${last < total ? html`<a class="button" href=${link(last)}>${_("Next")}</a>` : nothing}
  </nav>`;
}
