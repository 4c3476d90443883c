// How one speaks of tournaments over several tables.

import { _, dates, ngettext, ordinal } from "../lib/language.js";
import { amount } from "../lib/words.js";

/**
 * As in the API.
 * @typedef {{tournament: string, name: string, status: "open" | "running" | "over" | "cancelled", starts: number | null, entrants: number,
 *   most: number, house_bots: number, left: number, tables: number, seats: number, stack: number, speed: string, takes_entries: boolean}} Summary
 * @typedef {{number: number, small_blind: number, big_blind: number}} Level
 * @typedef {{name: string, kind: string, chips: number, table: string, place: number, points: number, own: boolean}} Entrant
 * @typedef {{table: string, players: string[], hands: number}} TableEntry
 * @typedef {{summary: Summary, owner: string, own: boolean, level: Level, next_level: Level, level_ms: number | null, level_hands: number | null,
 *   late_level: number, break_level: number, rests_ms: number, hand_for_hand: boolean, points: number[], tables: TableEntry[],
 *   players: Entrant[]}} Tournament
 */

/** "10/20". @param {Level} level */
export const blinds = ({ small_blind: small, big_blind: big }) => `${amount(small)}/${amount(big)}`;

/** "4:07", "1:02:30". @param {number} ms */
export function clockText(ms) {
  const all = Math.max(0, Math.ceil(ms / 1000));
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** What a speed is called. @param {string} speed */
export function speedName(speed) {
  return { slow: _("slow: 10 minutes a level"), normal: _("normal: 5 minutes a level"), turbo: _("turbo: 2 minutes a level"),
    hyper: _("hyper: 5 hands a level") }[speed] ?? speed;
}

/**
 * When it starts, or how far it has come.
 * @param {Summary} summary
 * @param {number} now
 */
export function statusLine({ status, starts, entrants, most, house_bots: bots, left }, now) {
  if (status === "over") return ngettext("Over: {n} player took part", "Over: {n} players took part", entrants);
  if (status === "cancelled") return _("Cancelled");
  if (status === "running") return _("Running: {left} of {of} players left", { left, of: entrants });
  if (starts === null) {
    const missing = most - bots - entrants;
    return ngettext("Starts when {n} more player has registered", "Starts when {n} more players have registered", missing);
  }
  const minutes = Math.ceil((starts - now) / 60000);
  if (minutes < 60) return _("Starts in {time}", { time: clockText(starts - now) });
  return _("Starts at {time}", { time: new Date(starts).toLocaleTimeString(dates, { hour: "2-digit", minute: "2-digit" }) });
}

/** "You finished 5th of 30: 12 points". @param {{place: number, of: number, points: number}} it */
export function finishText({ place, of, points }) {
  const finished = _("You finished {place} of {of}", { place: ordinal(place), of });
  return points ? _("{title}: {text}", { title: finished, text: pointsText(points) }) : finished;
}

/** @param {number} points */
export const pointsText = (points) => ngettext("{n} point", "{n} points", points);

/** Why somebody sits at another table now. @param {string} reason */
export function moveText(reason) {
  return {
    balance: _("You have been moved to this table, to keep the tables equally full."),
    broken: _("Your table was closed. You play on here."),
    final: _("This is the final table."),
  }[reason] ?? "";
}

/** The tournament that a table belongs to; "" for others. @param {string} table */
export const tournamentOf = (table) => /^(tournament-\d+)-\d+$/.exec(table)?.[1] ?? "";

/** Whether a table belongs to the tournament of an entry. @param {string} table @param {{tournament: string}} entry */
export const isOfTournament = (table, entry) => tournamentOf(table) === entry.tournament;
