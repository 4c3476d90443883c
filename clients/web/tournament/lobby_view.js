// The lobby of one tournament: its clock, its tables, its players, and my entry.

import { table } from "../competition/tables.js";
import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { shownNames } from "../look/characters.js";
import { _, fixedNumber, ngettext, ordinal } from "../lib/language.js";
import { amount } from "../lib/words.js";
import { blinds, clockText, finishText, pointsText, speedName, statusLine } from "./words.js";

/**
 * @import {ClientMessage} from "../lib/messages.d.ts"
 * @import {FormError} from "../lobby/form.js"
 * @import {Settings} from "../lib/settings.js"
 * @import {Entrant, Tournament} from "./words.js"
 */
/**
 * `age`: milliseconds since the server told it.
 * @typedef {{tournament: Tournament, age: number, now: number, settings: Settings, refusal: FormError, isAsking: boolean}} Shown
 * @typedef {{ask: (message: ClientMessage) => void, setName: (event: Event & {target: HTMLInputElement}) => void}} Handlers
 */

/** @param {Shown} it @param {Handlers} handlers */
export function lobbyView(it, handlers) {
  const { tournament, now } = it;
  const { summary } = tournament;
  const running = summary.status === "running";
  return html`<div class="head"><h1><bdi>${summary.name}</bdi></h1>
      <p><span class="status" data-status=${summary.status === "over" ? "finished" : summary.status}>${statusLine(summary, now)}</span></p>
      <p class="hint">${ngettext("{n} chip", "{n} chips", summary.stack)}, ${ngettext("{n} seat a table", "{n} seats a table", summary.seats)}, ${speedName(summary.speed)}.
        ${tournament.late_level ? ngettext("Late entry during the first level.", "Late entry during the first {n} levels.", tournament.late_level) : nothing}
        ${summary.house_bots ? ngettext("{n} bot fills it up.", "Up to {n} bots fill it up.", summary.house_bots) : nothing}
        ${tournament.owner ? _("Opened by {name}.", { name: html`<bdi>${tournament.owner}</bdi>` }) : nothing}</p></div>
    ${mine(it, handlers)}
    ${tournament.own && summary.status === "open" ? ownerBox(it, handlers) : nothing}
    ${running ? clock(it) : nothing}
    <div class="both">
      ${players(tournament)}
      <section aria-labelledby="tables">
        ${tournament.tables.length ? tables(tournament) : nothing}
        ${payouts(tournament)}
      </section>
    </div>`;
}

/** What who opened it can do before it starts. @param {Shown} it @param {Handlers} handlers */
function ownerBox({ tournament: { summary: { tournament } }, isAsking }, { ask }) {
  return html`<details class="box opened"><summary>${_("You opened this tournament")}</summary>
    <p>${_("If you cancel it, whoever has entered is told, and nobody can enter any more.")}</p>
    <button ?disabled=${isAsking} @click=${() => ask({ type: "cancel", tournament })}>${_("Cancel the tournament")}</button></details>`;
}

/** How I stand, and what I can do about it. @param {Shown} it @param {Handlers} handlers */
function mine({ tournament: { summary, players: all, tables: open }, settings, refusal, isAsking }, { ask, setName }) {
  const own = all.find((entrant) => entrant.own);
  const error = refusal.text ? html`<p class="error" role="alert">${refusal.text}</p>` : nothing;
  const { tournament, status } = summary;
  if (own?.place) {
    return html`<section class="box mine" aria-label=${_("You")}><p role="status">${finishText({ place: own.place, of: summary.entrants, points: own.points })}</p>
      <a class="button" href="/tournament">${_("Play again")}</a></section>`;
  }
  if (own?.table) {
    return html`<section class="box mine" aria-label=${_("You")}><p>${_("You have {chips} chips.", { chips: amount(own.chips) })}</p>
      <a class="button main" href="/table/${encodeURIComponent(own.table)}#sit">${_("Go to my table")}</a></section>`;
  }
  if (own && status === "open") {
    return html`<section class="box mine" aria-label=${_("You")}><p role="status">${_("You are registered. When it starts, this page takes you to your table.")}</p>
      <button ?disabled=${isAsking} @click=${() => ask({ type: "unregister", tournament })}>${_("Unregister")}</button>${error}</section>`;
  }
  if (own && status === "running") return html`<section class="box mine" aria-label=${_("You")}><p role="status">${_("You get your seat in a moment.")}</p></section>`;
  if (!summary.takes_entries) return open.length ? html`<p class="hint">${_("No more entries. You can watch at any table.")}</p>` : nothing;
  return html`<section class="box mine" aria-label=${_("You")}>
    <div class="field"><label for="my-name">${_("Your name at the tables")}</label><input id="my-name" maxlength="24" autocomplete="nickname" placeholder=${_("Guest")}
      .value=${settings.name} @change=${setName}></div>
    <button class="main" ?disabled=${isAsking} @click=${() => ask({ type: "register", tournament })}>${status === "running" ? _("Enter late") : _("Register")}</button>${error}</section>`;
}

/** @param {Shown} it */
function clock({ tournament: it, age }) {
  const { level_ms: left, level_hands: hands, rests_ms: rests, break_level: pause, level, next_level: next } = it;
  const stacks = it.players.filter(({ chips }) => chips > 0);
  const average = it.summary.stack * it.summary.entrants / Math.max(1, stacks.length);
  /** @type {(title: string, value: unknown) => unknown} */
  const fact = (title, value) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`;
  return html`<dl class="box clock">
    ${rests > age ? fact(_("Break"), _("{time} left", { time: clockText(rests - age) })) : nothing}
    ${fact(_("Level {n}", { n: level.number }), blinds(level))}
    ${fact(_("Next level"), left !== null ? _("{blinds} in {time}", { blinds: blinds(next), time: clockText(left - age) }) : ngettext("{blinds} in {n} hand", "{blinds} in {n} hands", hands ?? 0, { blinds: blinds(next) }))}
    ${pause ? fact(_("Next break"), _("before level {n}", { n: pause })) : nothing}
    ${fact(_("Average stack"), amount(Math.round(average)))}
    ${it.hand_for_hand ? fact(_("Hand for hand"), _("all tables wait for each other")) : nothing}</dl>`;
}

/** @param {Tournament} it */
function players({ players: all, summary }) {
  const shown = shownNames(all.map(({ name }) => name), all.map(({ kind }) => kind));
  /** @param {Entrant} row */
  const place = (row) => (row.place ? ordinal(row.place) : summary.status === "running" ? String(all.indexOf(row) + 1) : "–");
  return html`<section aria-labelledby="players"><h2 id="players">${summary.status === "open" ? ngettext("{n} player registered", "{n} players registered", summary.entrants) : _("Players")}</h2>
    ${all.length ? table({
      caption: summary.status === "running" ? _("By chips") : summary.status === "over" ? _("Result") : _("Registered"),
      columns: [
        { key: "place", title: _("Place"), cell: place },
        { key: "name", title: _("Name"), head: true, cell: (row) => html`<bdi>${shown[all.indexOf(row)] ?? row.name}</bdi>${row.own ? html` <span class="tag">${_("you")}</span>` : row.kind === "bot" ? html` <span class="tag">${_("bot")}</span>` : nothing}` },
        { key: "chips", title: _("Chips"), cell: (row) => (row.place > 1 ? "–" : amount(row.chips)) },
        // On a phone there is no room for what nobody has yet.
        ...(all.some(({ points }) => points) ? [{ key: "points", title: _("Points"), cell: (/** @type {Entrant} */ row) => (row.points ? fixedNumber(row.points) : "–") }] : []),
      ],
      rows: all,
      mark: (row) => (row.own ? "own" : ""),
    }) : html`<p class="hint">${_("Nobody yet.")}</p>`}</section>`;
}

/** @param {Tournament} it */
function tables({ tables: all, players: entrants }) {
  const kinds = new Map(entrants.map(({ name, kind }) => [name, kind]));
  return html`<h2 id="tables">${all.length === 1 ? _("Final table") : _("Tables")}</h2>
    <ul class="seats">${all.map(({ table: name, players: names, hands }) => {
      const number = name.split("-").at(-1) ?? "";
      return html`<li class="box"><h3>${_("Table {n}", { n: number })}
        <a class="button" href="/table/${encodeURIComponent(name)}" aria-label=${_("Watch table {n}", { n: number })}>${_("Watch")}</a></h3>
        <p>${shownNames(names, names.map((one) => kinds.get(one) ?? "")).map((one, at) => html`${at ? ", " : ""}<bdi>${one}</bdi>`)}</p>
        <p class="hint">${ngettext("{n} hand", "{n} hands", hands)}</p></li>`;
    })}</ul>`;
}

/** @param {Tournament} it */
function payouts({ points, summary }) {
  return table({
    caption: summary.status === "open" ? _("Points, with {n} players", { n: Math.max(2, summary.entrants) }) : _("Points by place"),
    columns: [
      { key: "place", title: _("Place"), head: true, cell: (row) => ordinal(row.place) },
      { key: "points", title: _("Points"), cell: (row) => pointsText(row.points) },
    ],
    rows: points.map((each, at) => ({ place: at + 1, points: each })),
  });
}
