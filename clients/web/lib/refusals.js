// What the server refused, in plain words.

import { _ } from "./language.js";
import { amount, capitalize } from "./words.js";

/**
 * An error in plain words; "" for those that need none.
 * @param {string} code
 * @param {string} message the server's text
 * @param {string} [field] beside which it is shown: its name is left out
 * @param {number} [bigBlind]
 */
export function errorText(code, message, field = "", bigBlind = 0) {
  const words = /** @type {Record<string, string>} */ ({
    stale_turn: _("Too late: the table had already acted for you."),
    not_your_turn: _("It is not your turn yet."),
    already_seated: "",
    no_seat: _("That seat is taken."),
    unknown_table: _("This table does not exist any more."),
    too_many_tables: _("You sit at too many tables. Leave one first."),
    name_taken: _("Somebody here already has this name. Choose another one."),
    replaced: _("You are playing in a newer tab. This one has stopped."),
    unknown_tournament: _("This tournament is over."),
    too_fast: _("Too fast: wait a moment, then try again."),
    not_asked: "",
    bad_name: _("This name is not allowed: use visible letters of one alphabet."),
    bad_text: _("A chat message is one line of at most 200 characters."),
    busy: _("Too many people are asking the bot now. Try again in a moment."),
    not_over: _("You can show cards when the hand is over."),
    shutting_down: _("The server is shutting down."),
  });
  const told = field && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  // What the rules refuse is about chips.
  const shown = code === "illegal_action" ? (/** @type {string} */ chips) => amount(Number(chips), bigBlind) : String;
  /** @type {Record<string, string>} */
  const numbers = {};
  const text = told.replace(/\b\d+\b/g, (number) => {
    const at = Object.keys(numbers).length + 1;
    numbers[at] = shown(number);
    return `{${at}}`;
  });
  return words[code] ?? capitalize(_(text, numbers));
}
