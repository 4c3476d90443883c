// Everything that is said in words: amounts, what happened, what went wrong.

import { cardName, list } from "./cards.js";

/**
 * @import {GameInfo, PotInfo, ServerMessage} from "./messages.d.ts"
 * @import {Deed, Hand, Line, LocalMessage, State} from "../table/state.js"
 */

const GROUPED = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const BLINDS = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 4 });
/** Stands before the two letters of a card; names and chat cannot contain it. */
export const CARD = "\u0001";
/** Names without a direction of their own, which a sentence can hold as they are. */
const PLAIN = /^[\p{Script=Latin}\p{M}\p{N}\p{P}\p{S}\p{Zs}]*$/u;

/**
 * "1,500", or with a big blind of 100 "15 BB".
 * @param {number} chips
 * @param {number} [bigBlind]
 */
export function amount(chips, bigBlind) {
  return bigBlind ? `${BLINDS.format(chips / bigBlind)} BB` : GROUPED.format(chips);
}

/**
 * An amount in little room: "999,999", "1.235M"; with a big blind of 100 "12,346 BB".
 * @param {number} chips
 * @param {number} [bigBlind]
 */
export function brief(chips, bigBlind) {
  const many = chips / (bigBlind || 1);
  if (many < (bigBlind ? 1000 : 1e6)) return amount(chips, bigBlind);
  return (many < 1e5 ? GROUPED.format(Math.round(many)) : SHORT.format(many)) + (bigBlind ? " BB" : "");
}

/**
 * "1 hand", "1,200 matches".
 * @param {number} many
 * @param {string} one
 */
export function counted(many, one) {
  return `${amount(many)} ${one}${many === 1 ? "" : one.endsWith("ch") ? "es" : "s"}`;
}

/**
 * "+1,500", "−20", "0".
 * @param {number} chips
 * @param {number} [bigBlind]
 */
export function signed(chips, bigBlind) {
  if (!chips) return amount(0, bigBlind);
  return (chips > 0 ? "+" : "\u2212") + amount(Math.abs(chips), bigBlind);
}

/**
 * A name within a sentence: whatever direction it is written in, the rest of the line keeps its own.
 * @param {string} name
 */
export function isolated(name) {
  if (PLAIN.test(name)) return name;
  return `\u2068${name.replace(/[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, "")}\u2069`;
}

/**
 * @param {State} state
 * @param {number} seat
 */
export function who(state, seat) {
  if (seat === state.me) return "You";
  return isolated(state.hand?.players[seat]?.name || state.names[seat] || `Seat ${seat + 1}`);
}

/**
 * "raises to 120, all in"; for me "raise to 120, all in".
 * @param {Deed} what
 * @param {boolean} mine
 * @param {number} [bigBlind]
 */
export function deed(what, mine, bigBlind) {
  const [verb, more] = deedParts(what, bigBlind);
  return (mine ? what.kind : verb) + more;
}

/**
 * "raises" and " to 120, all in".
 * @param {Deed} what
 * @param {number} [bigBlind]
 */
export function deedParts({ kind, to, paid, allIn, forced }, bigBlind) {
  const more = { fold: "", check: "", call: ` ${amount(paid, bigBlind)}`, bet: ` ${amount(to, bigBlind)}`,
    raise: ` to ${amount(to, bigBlind)}` }[kind];
  const why = { timeout: ", out of time", absent: ", sitting out" }[forced] ?? "";
  return [`${kind}s`, more + (allIn ? ", all in" : "") + why];
}

/**
 * @param {number} street
 * @param {GameInfo | undefined} game
 */
export function streetName(street, game) {
  const holdem = !game || game.board_cards.join() === "0,3,1,1";
  if (street === 0) return holdem ? "Before the flop" : "First round";
  return (holdem ? ["", "Flop", "Turn", "River"][street] : "") || `Round ${street + 1}`;
}

/**
 * "Hand 17". Matches of a fixed length count their hands from 0, all others from 1, and people always do.
 * @param {number} number
 * @param {{mode: string} | null} match
 */
export function handName(number, match) {
  return `Hand ${match?.mode === "fixed" ? number + 1 : number}`;
}

/**
 * "No-limit hold'em 50/100, ante 10".
 * @param {State} state
 */
export function gameWords(state) {
  const [kind, , blinds] = gameParts(state);
  return `${kind} ${blinds}`.trim();
}

/**
 * ["No-limit hold'em", "NL", "50/100, ante 10"]: the game, the same for little room, the blinds.
 * @param {State} state
 * @returns {[string, string, string]}
 */
export function gameParts(state) {
  const { match, level } = state;
  if (!match) return ["", "", ""];
  const { game } = match;
  const [kind, short] = game.betting === "limit" ? ["Limit", "FL"] : game.rules === "pushfold" ? ["Push/fold", "PF"] : ["No-limit", "NL"];
  const holdem = game.hole_cards === 2 && game.rounds === 4;
  const blinds = level ? [level.small_blind, level.big_blind] : game.blinds.filter(Boolean).sort((a, b) => a - b);
  const ante = level ? level.ante : game.ante ?? 0;
  return [
    `${kind} ${holdem ? "hold'em" : game.name}`, holdem ? short : `${short} ${game.name}`,
    `${blinds.map((chips) => amount(chips)).join("/")}${ante ? `, ante ${amount(ante)}` : ""}`,
  ];
}

/**
 * "Main pot" or "Side pot 2".
 * @param {number} index
 * @param {number} of
 */
export function potName(index, of) {
  if (of === 1) return "Pot";
  return index ? `Side pot${of > 2 ? ` ${index}` : ""}` : "Main pot";
}

/** @param {readonly string[]} cards */
const marked = (cards) => cards.map((card) => CARD + card).join(" ");

/**
 * A line as it is spoken: cards by name.
 * @param {string} text
 */
export function spoken(text) {
  return text.replace(/\u0001(..)(?= \u0001)/g, (_, card) => `${cardName(card)},`)
    .replace(/\u0001(..)/g, (_, card) => cardName(card));
}

/**
 * A line as it is copied: cards by their two letters.
 * @param {string} text
 */
export function plain(text) {
  return text.replaceAll(CARD, "");
}

/**
 * A line in parts: text, and cards to draw.
 * @param {string} text
 * @returns {(string | {card: string})[]}
 */
export function parts(text) {
  return text.split(/(\u0001..)/).filter(Boolean)
    .map((part) => (part.startsWith(CARD) ? { card: part.slice(1) } : part));
}

/**
 * A line of the log, with its amounts as they are wanted.
 * @param {Line} line
 * @param {boolean} inBlinds
 */
export function worded(line, inBlinds) {
  return inBlinds ? line.blinds : line.text;
}

/**
 * What a message adds to the log.
 * @param {State} before
 * @param {State} state the state after it
 * @param {ServerMessage | LocalMessage} message
 * @returns {Line[]}
 */
export function sentences(before, state, message) {
  const street = state.hand?.street ?? 0;
  const inBlinds = happened(before, state, message, state.bigBlind);
  return happened(before, state, message)
    .map(([kind, text], index) => ({ street, kind, text, blinds: inBlinds[index]?.[1] ?? text }));
}

/**
 * @param {State} before
 * @param {State} state
 * @param {ServerMessage | LocalMessage} message
 * @param {number} [bigBlind]
 * @returns {[Line["kind"], string][]}
 */
function happened(before, state, message, bigBlind) {
  const { hand } = state;
  /** @type {(kind: Line["kind"], text: string) => [Line["kind"], string]} */
  const line = (kind, text) => [kind, text];
  switch (message.type) {
    case "hand_start": return hand ? handStarted(state, hand, bigBlind).map((text) => line("deal", text)) : [];
    case "board":
      return [line("deal", `${streetName(message.street, state.match?.game)}: ${marked(message.cards)}`)];
    case "acted": {
      const what = hand?.players[message.seat]?.deed;
      return what ? [line("act", `${who(state, message.seat)} ${deed(what, message.seat === state.me, bigBlind)}`)] : [];
    }
    case "shown":
      return message.hands.map(({ seat, cards = [], label = "" }) => line("result", cards.length
        ? `${who(state, seat)} ${verb(state, seat, "show")} ${marked(cards)}${label ? `: ${label}` : ""}`
        : `${who(state, seat)} ${verb(state, seat, "muck")}`));
    case "showed":
      return [line("note", `${who(state, message.seat)} ${verb(state, message.seat, "show")} ${marked(message.cards)}`)];
    case "hand_end": return hand ? handEnded(state, hand, bigBlind).map((text) => line("result", text)) : [];
    case "seats": return comings(before, message.seats.map((seat) => seat.name ?? "")).map((text) => line("note", text));
    case "players": return comings(before, message.players).map((text) => line("note", text));
    case "refilled":
      return [line("note", `${who(state, message.seat)} ${verb(state, message.seat, "get")} ${amount(message.stack, bigBlind)} in new chips`)];
    case "eliminated":
      return [line("note", `${who(state, message.seat)} ${message.seat === state.me ? "are" : "is"} out, place ${message.place}`)];
    case "level":
      return [line("note", `Blinds are now ${amount(message.small_blind)}/${amount(message.big_blind)}`
        + (message.ante ? `, ante ${amount(message.ante)}` : ""))];
    case "match_end": return [line("note", ending(message.reason ?? "complete", message.hands))];
    default: return [];
  }
}

/**
 * "wins" for others, "win" for me.
 * @param {State} state
 * @param {number} seat
 * @param {string} word
 */
function verb(state, seat, word) {
  return seat === state.me ? word : `${word}s`;
}

/**
 * @param {State} state
 * @param {Hand} hand
 * @param {number} [bigBlind]
 */
function handStarted(state, hand, bigBlind) {
  const button = who(state, hand.button);
  const posts = [hand.small, hand.big].filter((seat) => seat >= 0).map((seat) =>
    `${seat === state.me ? "you" : who(state, seat)} ${verb(state, seat, "post")} ${amount(hand.players[seat]?.bet ?? 0, bigBlind)}`);
  const opening = `${handName(hand.hand, state.match)}: ${button} ${button === "You" ? "have" : "has"} the button`;
  const mine = hand.players[state.me]?.cards ?? [];
  return [[opening, ...posts].join(", "), ...(mine.length ? [`Your cards: ${marked(mine)}`] : [])];
}

/**
 * @param {State} state
 * @param {Hand} hand
 * @param {number} [bigBlind]
 */
function handEnded(state, hand, bigBlind) {
  const back = hand.returned
    ? [`${amount(hand.returned[1], bigBlind)} ${hand.returned[1] === 1 ? "goes" : "go"} back to ${object(state, hand.returned[0])}: nobody called`]
    : [];
  return [...back, ...hand.results.flatMap((pot, index) => won(state, hand, pot, index, bigBlind))];
}

/**
 * "Anna wins 40 from the side pot with two pair, aces and fours".
 * @param {State} state
 * @param {Hand} hand
 * @param {PotInfo} pot
 * @param {number} index
 * @param {number} [bigBlind]
 * @returns {string[]}
 */
export function won(state, hand, pot, index, bigBlind) {
  return wonParts(state, hand, pot, index, bigBlind).map((part) => part.join(""));
}

/**
 * The same in two parts: who won what, and " with two pair, aces and fours" or "".
 * @param {State} state
 * @param {Hand} hand
 * @param {PotInfo} pot
 * @param {number} index
 * @param {number} [bigBlind]
 * @returns {[string, string][]}
 */
export function wonParts(state, hand, pot, index, bigBlind) {
  const of = hand.results.length;
  const where = of > 1 ? ` from the ${potName(index, of).toLowerCase()}` : "";
  return pot.wins.map(([seat, chips]) => {
    const label = hand.players[seat]?.label;
    return [`${who(state, seat)} ${verb(state, seat, "win")} ${amount(chips, bigBlind)}${where}`, label ? ` with ${label}` : ""];
  });
}

/**
 * @param {State} state
 * @param {number} seat
 */
function object(state, seat) {
  return seat === state.me ? "you" : who(state, seat);
}

/**
 * What the hand did to me: "You won 40", "You lost 900".
 * @param {State} state
 * @param {number} [bigBlind]
 */
export function outcome({ hand, me }, bigBlind) {
  const net = hand?.over ? hand.players[me]?.net : null;
  if (net === null || net === undefined) return "";
  if (!net) return "You neither won nor lost.";
  return `You ${net > 0 ? "won" : "lost"} ${amount(Math.abs(net), bigBlind)}.`;
}

/**
 * Who came and who left.
 * @param {State} before
 * @param {readonly string[]} names
 */
function comings(before, names) {
  if (!before.info && !before.names.length) return [];
  const said = /** @type {string[]} */ ([]);
  names.forEach((name, seat) => {
    const old = before.names[seat] ?? "";
    if (old === name || seat === before.me) return;
    if (old) said.push(`${isolated(old)} leaves`);
    if (name) said.push(`${isolated(name)} sits down in seat ${seat + 1}`);
  });
  return said;
}

/**
 * @param {string} reason
 * @param {number} hands
 */
export function ending(reason, hands) {
  const words = /** @type {Record<string, string>} */ ({
    complete: `The match is over after ${counted(hands, "hand")}`,
    left: "You left the table",
    shutting_down: "The server is going down, and the table with it",
    closed: "The table was closed",
    internal: "The table stopped because of a fault of the server",
  });
  return words[reason] ?? "The match is over";
}

/**
 * A refusal in kind words; "" for those that need none.
 * @param {string} code
 * @param {string} message the server's own words
 * @param {string} [field] beside which it is shown: its name need not be said
 */
export function refusal(code, message, field = "") {
  const words = /** @type {Record<string, string>} */ ({
    stale_turn: "Too late: the table had already acted for you.",
    not_your_turn: "It is not your turn yet.",
    already_seated: "",
    no_seat: "That seat is taken.",
    unknown_table: "This table does not exist any more.",
    too_many_tables: "You sit at too many tables. Leave one first.",
    name_taken: "Somebody here has this name. Choose another one.",
    replaced: "You play in a newer tab. This one only shows where you were.",
    server_full: "The server is full at the moment. Try again later.",
    too_fast: "Not so fast: wait a moment, then try again.",
    not_asked: "",
    bad_name: "You cannot be called that: it takes letters that can be seen.",
    bad_text: "That cannot be said here: one line of at most 200 characters.",
    not_over: "Cards can be shown when the hand is over.",
    shutting_down: "The server is going down.",
  });
  const plainly = field && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  return words[code] ?? `${plainly[0]?.toUpperCase() ?? ""}${plainly.slice(1)}`;
}

/**
 * Those who can win a pot: "Anna, Ben and you", or "all 9 players".
 * @param {State} state
 * @param {readonly number[]} among
 */
export function names(state, among) {
  const still = Object.values(state.hand?.players ?? {}).filter((player) => !player.folded).length;
  if (among.length > 3 && among.length === still) return `all ${still} players`;
  return list(among.map((seat) => object(state, seat)));
}
