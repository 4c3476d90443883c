// All texts: amounts, log lines, errors.

import { cardName, joinWords } from "./cards.js";
import { programOf, shownNames } from "../look/characters.js";

/**
 * @import {GameInfo, PlayStyle, PotInfo, ServerMessage} from "./messages.d.ts"
 * @import {Action, Hand, Line, LocalMessage, State} from "./table_types.js"
 */

const GROUPED = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const BLINDS = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 4 });
const ORDINALS = new Intl.PluralRules("en-US", { type: "ordinal" });
/** Stands before the two letters of a card; names and chat cannot contain it. */
export const CARD = "\u0001";
/** Names in left-to-right script, which need no isolation. */
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
export function shortAmount(chips, bigBlind) {
  const many = chips / (bigBlind || 1);
  if (many < (bigBlind ? 1000 : 1e6)) return amount(chips, bigBlind);
  return (many < 1e5 ? GROUPED.format(Math.round(many)) : SHORT.format(many)) + (bigBlind ? " BB" : "");
}

/**
 * "1 hand", "1,200 matches".
 * @param {number} many
 * @param {string} one
 */
export function pluralize(many, one) {
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
 * "+1,234.5", "−0.3", "0".
 * @param {number} value
 * @param {number} [digits] after the point, at most
 */
export function signedNumber(value, digits = 1) {
  const text = Math.abs(value).toLocaleString("en-US", { maximumFractionDigits: digits });
  return text === "0" ? "0" : `${value < 0 ? "\u2212" : "+"}${text}`;
}

/**
 * A name within a sentence, isolated so that a right-to-left name does not turn the rest of the line around.
 * @param {string} name
 */
export function isolateName(name) {
  if (PLAIN.test(name)) return name;
  return `\u2068${name.replace(/[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, "")}\u2069`;
}

/**
 * @param {State} state
 * @param {number} seat
 */
export function playerName(state, seat) {
  if (seat === state.me) return "You";
  return isolateName(seatName(state, seat) || `Seat ${seat + 1}`);
}

/**
 * What whoever sits there, or sat there in this hand, is called; "" for nobody.
 * @param {Pick<State, "hand" | "names" | "info">} state
 * @param {number} seat
 */
export function seatName({ hand, names, info }, seat) {
  const name = hand?.players[seat]?.name || names[seat] || "";
  return name === names[seat] ? shownNames(names, kindsOf(info))[seat] ?? name : name;
}

/** Why the player of a seat is not there: a house bot is being started. @param {{name: string, kind: string}} seat */
export const goneText = ({ name, kind }) => (kind === "bot" && programOf(name) ? "on the way" : "connection lost");

/** @param {State["info"]} info */
const kindsOf = (info) => info?.seats.map((seat) => seat.kind ?? "") ?? [];

/** "Always calls" for "always calls". @param {string} text */
export const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** "1st", "2nd", "3rd", "11th". @param {number} place */
export function ordinal(place) {
  const end = { one: "st", two: "nd", few: "rd" }[/** @type {string} */ (ORDINALS.select(place))] ?? "th";
  return `${place}${end}`;
}

/**
 * "raises to 120, all in"; for me "raise to 120, all in".
 * @param {Action} what
 * @param {boolean} mine
 * @param {number} [bigBlind]
 */
export function actionText(what, mine, bigBlind) {
  const [verb, more] = actionParts(what, bigBlind);
  return (mine ? what.kind : verb) + more;
}

/**
 * "raises" and " to 120, all in".
 * @param {Action} what
 * @param {number} [bigBlind]
 */
export function actionParts({ kind, to, paid, allIn, forced }, bigBlind) {
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
 * "Hand 17": the recorded number, as in addresses, journals and the protocol. With fixed stacks the first hand is 0,
 * otherwise 1.
 * @param {number} number
 */
export function handName(number) {
  return `Hand ${number}`;
}

/**
 * "No-limit hold'em 50/100, ante 10".
 * @param {State} state
 */
export function gameText(state) {
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
const markCards = (cards) => cards.map((card) => CARD + card).join(" ");

/** A line as it is spoken: cards by name. @param {string} text */
export function toSpeech(text) {
  return text.replace(/\u0001(..)(?= \u0001)/g, (_, card) => `${cardName(card)},`)
    .replace(/\u0001(..)/g, (_, card) => cardName(card));
}

/** A line as it is copied: cards by their two letters. @param {string} text */
export function toPlainText(text) {
  return text.replaceAll(CARD, "");
}

/**
 * A line in parts: text, and cards to draw.
 * @param {string} text
 * @returns {(string | {card: string})[]}
 */
export function splitCards(text) {
  return text.split(/(\u0001..)/).filter(Boolean)
    .map((part) => (part.startsWith(CARD) ? { card: part.slice(1) } : part));
}

/**
 * A line of the log, with amounts in chips or in big blinds.
 * @param {Line} line
 * @param {boolean} inBlinds
 */
export function lineText(line, inBlinds) {
  return inBlinds ? line.textInBlinds : line.text;
}

/**
 * The lines that a message adds to the log.
 * @param {State} before
 * @param {State} state the state after it
 * @param {ServerMessage | LocalMessage} message
 * @returns {Line[]}
 */
export function logLines(before, state, message) {
  const street = state.hand?.street ?? 0;
  const inBlinds = describeMessage(before, state, message, state.bigBlind);
  return describeMessage(before, state, message)
    .map(([kind, text], index) => ({ street, kind, text, textInBlinds: inBlinds[index]?.[1] ?? text }));
}

/**
 * @param {State} before
 * @param {State} state
 * @param {ServerMessage | LocalMessage} message
 * @param {number} [bigBlind]
 * @returns {[Line["kind"], string][]}
 */
function describeMessage(before, state, message, bigBlind) {
  const { hand } = state;
  /** @type {(kind: Line["kind"], text: string) => [Line["kind"], string]} */
  const line = (kind, text) => [kind, text];
  switch (message.type) {
    case "hand_start": return hand ? handStartLines(state, hand, bigBlind).map((text) => line("deal", text)) : [];
    case "board":
      return [line("deal", `${streetName(message.street, state.match?.game)}: ${markCards(message.cards)}`)];
    case "acted": {
      const what = hand?.players[message.seat]?.lastAction;
      return what ? [line("act", `${playerName(state, message.seat)} ${actionText(what, message.seat === state.me, bigBlind)}`)] : [];
    }
    case "shown":
      return message.hands.map(({ seat, cards = [], label = "" }) => line("result", cards.length
        ? `${playerName(state, seat)} ${conjugate(state, seat, "show")} ${markCards(cards)}${label ? `: ${handPhrase(label)}` : ""}`
        : `${playerName(state, seat)} ${conjugate(state, seat, "muck")}`));
    case "showed":
      return [line("note", `${playerName(state, message.seat)} ${conjugate(state, message.seat, "show")} ${markCards(message.cards)}`)];
    case "peek": return hand ? [line("note", `The next cards would have been ${markCards(hand.undealt)}`)] : [];
    case "hand_end": return hand ? handEndLines(state, hand, bigBlind).map((text) => line("result", text)) : [];
    case "seats": return describeArrivals(before, state).map((text) => line("note", text));
    case "players": return describeArrivals(before, state).map((text) => line("note", text));
    case "refilled":
      return [line("note", `${playerName(state, message.seat)} ${conjugate(state, message.seat, "rebuy")} for ${amount(message.stack, bigBlind)}`)];
    case "eliminated":
      return [line("note", `${playerName(state, message.seat)} ${message.seat === state.me ? "finish" : "finishes"} ${ordinal(message.place)}`)];
    case "level":
      return [line("note", `Blinds are now ${amount(message.small_blind)}/${amount(message.big_blind)}`
        + (message.ante ? `, ante ${amount(message.ante)}` : ""))];
    case "said": return message.organiser ? [line("note", announcementText(message.text))] : [];
    case "match_end": return [line("note", matchEndText(message.reason ?? "complete", message.hands))];
    default: return [];
  }
}

/**
 * A hand at the showdown as people say it: "pair of aces", "ace high"; the others as they are.
 * @param {string} label the server's: "pair, aces", "high card, ace"
 */
export function handText(label) {
  return label.replace(/^pair, /, "pair of ").replace(/^high card, (\w+)/, "$1 high");
}

/** The same within a sentence: "a pair of aces". @param {string} label */
export function handPhrase(label) {
  return handText(label).replace(/^(?=pair|straight|flush|full|royal)/, "a ");
}

/**
 * "wins" for others, "win" for me.
 * @param {State} state
 * @param {number} seat
 * @param {string} word
 */
function conjugate(state, seat, word) {
  return seat === state.me ? word : `${word}s`;
}

/**
 * @param {State} state
 * @param {Hand} hand
 * @param {number} [bigBlind]
 */
function handStartLines(state, hand, bigBlind) {
  const button = playerName(state, hand.button);
  const posts = [hand.small, hand.big].filter((seat) => seat >= 0).map((seat) =>
    `${seat === state.me ? "you" : playerName(state, seat)} ${conjugate(state, seat, "post")} ${amount(hand.players[seat]?.bet ?? 0, bigBlind)}`);
  const start = `${handName(hand.hand)}: ${button} ${button === "You" ? "have" : "has"} the button`;
  const mine = hand.players[state.me]?.cards ?? [];
  return [[start, ...posts].join(", "), ...(mine.length ? [`Your cards: ${markCards(mine)}`] : [])];
}

/**
 * @param {State} state
 * @param {Hand} hand
 * @param {number} [bigBlind]
 */
function handEndLines(state, hand, bigBlind) {
  const back = hand.returned
    ? [`Uncalled bet of ${amount(hand.returned[1], bigBlind)} returned to ${nameAsObject(state, hand.returned[0])}`]
    : [];
  return [...back, ...hand.results.flatMap((pot, index) => winLines(state, hand, pot, index, bigBlind))];
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
export function winLines(state, hand, pot, index, bigBlind) {
  return winParts(state, hand, pot, index, bigBlind).map(([who, ...rest]) => `${who} ${rest.join("")}`);
}

/**
 * The same in four parts: "Anna wins", "40", " from the side pot" or "", " with two pair, aces and fours" or "".
 * @param {State} state
 * @param {Hand} hand
 * @param {PotInfo} pot
 * @param {number} index
 * @param {number} [bigBlind]
 * @returns {[string, string, string, string][]}
 */
export function winParts(state, hand, pot, index, bigBlind) {
  const of = hand.results.length;
  const where = of > 1 ? ` from the ${potName(index, of).toLowerCase()}` : "";
  return pot.wins.map(([seat, chips]) => {
    const label = hand.players[seat]?.label;
    return [`${playerName(state, seat)} ${conjugate(state, seat, "win")}`, amount(chips, bigBlind), where, label ? ` with ${handPhrase(label)}` : ""];
  });
}

/**
 * @param {State} state
 * @param {number} seat
 */
function nameAsObject(state, seat) {
  return seat === state.me ? "you" : playerName(state, seat);
}

/**
 * What the hand did to me: "You won 40", "You lost 900".
 * @param {State} state
 * @param {number} [bigBlind]
 */
export function outcomeText({ hand, me }, bigBlind) {
  const net = hand?.over ? hand.players[me]?.net : null;
  if (net === null || net === undefined) return "";
  if (!net) return "You broke even.";
  return `You ${net > 0 ? "won" : "lost"} ${amount(Math.abs(net), bigBlind)}.`;
}

/**
 * Who came and who left.
 * @param {State} before
 * @param {State} state
 */
function describeArrivals(before, state) {
  if (!before.info && !before.names.length) return [];
  const lines = /** @type {string[]} */ ([]);
  const [gone, come] = [before, state].map(({ names, info }) => shownNames(names, kindsOf(info)));
  state.names.forEach((name, seat) => {
    const old = before.names[seat] ?? "";
    if (old === name || seat === before.me) return;
    if (old) lines.push(`${isolateName(gone?.[seat] ?? old)} leaves`);
    if (name) lines.push(`${isolateName(come?.[seat] ?? name)} sits down in seat ${seat + 1}`);
  });
  return lines;
}

/** What an administrator tells everybody. @param {string} text */
export function announcementText(text) {
  return `The organiser says: ${isolateName(text)}`;
}

/**
 * @param {string} reason
 * @param {number} hands
 */
export function matchEndText(reason, hands) {
  const words = /** @type {Record<string, string>} */ ({
    complete: `The match is over after ${pluralize(hands, "hand")}`,
    left: "You left the table",
    removed: "An organiser removed you from the table",
    shutting_down: "The server is shutting down",
    closed: "The table was closed",
    internal: "The table stopped because of a server error",
  });
  return words[reason] ?? "The match is over";
}

/**
 * An error in plain words; "" for those that need none.
 * @param {string} code
 * @param {string} message the server's text
 * @param {string} [field] beside which it is shown: its name is left out
 */
export function errorText(code, message, field = "") {
  const words = /** @type {Record<string, string>} */ ({
    stale_turn: "Too late: the table had already acted for you.",
    not_your_turn: "It is not your turn yet.",
    already_seated: "",
    no_seat: "That seat is taken.",
    unknown_table: "This table does not exist any more.",
    too_many_tables: "You sit at too many tables. Leave one first.",
    name_taken: "Somebody here already has this name. Choose another one.",
    replaced: "You are playing in a newer tab. This one has stopped.",
    too_fast: "Too fast: wait a moment, then try again.",
    not_asked: "",
    bad_name: "This name is not allowed: use visible letters of one alphabet.",
    bad_text: "A chat message is one line of at most 200 characters.",
    not_over: "You can show cards when the hand is over.",
    shutting_down: "The server is shutting down.",
  });
  const plainly = field && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  return words[code] ?? `${plainly[0]?.toUpperCase() ?? ""}${plainly.slice(1)}`;
}

/**
 * Who can win a pot: "Anna, Ben and you", or "all 9 players".
 * @param {State} state
 * @param {readonly number[]} among
 */
export function playerNames(state, among) {
  const remaining = Object.values(state.hand?.players ?? {}).filter((player) => !player.folded).length;
  if (among.length > 3 && among.length === remaining) return `all ${remaining} players`;
  return joinWords(among.map((seat) => nameAsObject(state, seat)));
}

/** "12 %", "<1 %", ">99 %". @param {number} chance */
export function percent(chance) {
  if (0.99 < chance && chance < 1) return ">99 %";
  return 0 < chance && chance < 0.01 ? "<1 %" : `${Math.round(100 * chance)} %`;
}

/**
 * "VPIP 24 %, PFR 18 %, 3-bet 7 %, aggression 40 %, of 132 hands".
 * @param {PlayStyle} style
 */
export function styleText({ vpip, pfr, three_bet: threeBet, aggression, hands }) {
  const share = (/** @type {number | null} */ one) => (one === null ? "–" : percent(one));
  return `VPIP ${share(vpip)}, PFR ${share(pfr)}, 3-bet ${share(threeBet)}, aggression ${share(aggression)}, of ${hands} hands`;
}
