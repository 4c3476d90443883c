// All texts: amounts, log lines, errors.

import { cardName, joinWords } from "./cards.js";
import { _, language, ngettext, ordinal, percent, titled } from "./language.js";
import { programOf, shownNames } from "../look/characters.js";

/**
 * @import {GameInfo, PotInfo, ServerMessage} from "./messages.d.ts"
 * @import {Action, Hand, Line, LocalMessage, State} from "./table_types.js"
 */

const GROUPED = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
const SHORT = new Intl.NumberFormat(language, { notation: "compact", maximumSignificantDigits: 4 });
/** Stands before the two letters of a card; names and chat cannot contain it. */
const CARD = "\u0001";
/** Names in left-to-right script, which need no isolation. */
const PLAIN = /^[\p{Script=Latin}\p{M}\p{N}\p{P}\p{S}\p{Zs}]*$/u;

/**
 * "1,500", or with a big blind of 100 "15 BB"; with two decimals at most.
 * @param {number} chips
 * @param {number} [bigBlind]
 */
export function amount(chips, bigBlind) {
  return bigBlind ? _("{n} BB", { n: GROUPED.format(chips / bigBlind) }) : GROUPED.format(chips);
}

/** For which stacks the strategy of a hint is. @param {number} depth */
export const depthText = (depth) => _("Strategy for {depth} big blinds", { depth });

/**
 * An amount in little room: "999,999", "1.235M"; with a big blind of 100 "12,346 BB".
 * @param {number} chips
 * @param {number} [bigBlind]
 */
export function shortAmount(chips, bigBlind) {
  const many = chips / (bigBlind || 1);
  if (many < (bigBlind ? 1000 : 1e6)) return amount(chips, bigBlind);
  const n = many < 1e5 ? GROUPED.format(Math.round(many)) : SHORT.format(many);
  return bigBlind ? _("{n} BB", { n }) : n;
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
  const text = Math.abs(value).toLocaleString(language, { maximumFractionDigits: digits });
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
  if (seat === state.me) return _("You");
  return isolateName(seatName(state, seat) || _("Seat {n}", { n: seat + 1 }));
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
export const goneText = ({ name, kind }) => (kind === "bot" && programOf(name) ? _("on the way") : _("connection lost"));

/** @param {State["info"]} info */
const kindsOf = (info) => info?.seats.map((seat) => seat.kind ?? "") ?? [];

/** A part of an address; as it stands there where a percent sign is somebody's own. @param {string} part */
export function tryDecode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** "Always calls" for "always calls". @param {string} text */
export const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** How a table is played: "cash". @param {string} mode */
export function modeText(mode) {
  return { cash: _("cash"), tournament: _("tournament"), challenge: _("challenge"), fixed: _("fixed number of hands") }[mode] ?? mode;
}

/** How fast a table goes. @param {string} speed */
export function speedText(speed) {
  return { slow: _("slow"), relaxed: _("relaxed"), normal: _("normal"), fast: _("fast"), instant: _("instant") }[speed] ?? speed;
}

/** Whether a competition is over. @param {string} status */
export function statusText(status) {
  return { running: _("running"), finished: _("finished"), unfinished: _("not finished") }[status] ?? status;
}

/** The server's text for what is played, as "no-limit hold'em 5/10, ante 1". */
const STAKES = /^(limit|no-limit|push\/fold) hold'em (\d+\/\d+)(?:, ante (\d+))?(?:, straddle (\d+))?(?:, ([\d-]+) big blinds)?$/;

/** That text in the visitor's language. @param {string} stakes */
export function stakesText(stakes) {
  const [, kind = "", posted = "", ante, straddle, depth] = STAKES.exec(stakes) ?? [];
  const blinds = posted.split("/").map((chips) => GROUPED.format(Number(chips))).join("/");
  const parts = [
    { limit: _("limit hold'em {blinds}", { blinds }), "no-limit": _("no-limit hold'em {blinds}", { blinds }), "push/fold": _("push/fold hold'em {blinds}", { blinds }) }[kind] ?? stakes,
    ante ? _("ante {chips}", { chips: ante }) : "", straddle ? _("straddle {chips}", { chips: straddle }) : "", depth ? _("{depth} big blinds", { depth }) : "",
  ];
  return parts.filter(Boolean).join(", ");
}

/**
 * What is posted in such a text; null where it does not say.
 * @param {string} stakes
 * @returns {State["level"]}
 */
export function levelOf(stakes) {
  const [, , blinds, ante] = STAKES.exec(stakes) ?? [];
  const [small = 0, big = 0] = blinds?.split("/").map(Number) ?? [];
  return big ? { small_blind: small, big_blind: big, ante: Number(ante ?? 0) } : null;
}

/**
 * "Anna raises to 120, all in"; for me, who has no name here, "You raise to 120, all in".
 * @param {Action} what
 * @param {string} name
 * @param {number} [bigBlind]
 */
function actionSentence(what, name, bigBlind) {
  const chips = amount(what.kind === "call" ? what.paid : what.to, bigBlind);
  const values = { name, chips };
  const mine = { fold: _("You fold"), check: _("You check"), call: _("You call {chips}", values), bet: _("You bet {chips}", values),
    raise: _("You raise to {chips}", values) };
  const others = { fold: _("{name} folds", values), check: _("{name} checks", values), call: _("{name} calls {chips}", values),
    bet: _("{name} bets {chips}", values), raise: _("{name} raises to {chips}", values) };
  return circumstances(what, (name ? others : mine)[what.kind]);
}

/** @param {Action} what @param {string} action */
function circumstances({ allIn, forced }, action) {
  const all = allIn ? _("{action}, all in", { action }) : action;
  return { timeout: _("{action}, out of time", { action: all }), absent: _("{action}, sitting out", { action: all }) }[forced] ?? all;
}

/** "raises to 120, all in". @param {Action} what @param {number} [bigBlind] */
export function actionText(what, bigBlind) {
  return actionParts(what, bigBlind).join("");
}

/**
 * "raises" and " to 120, all in".
 * @param {Action} what
 * @param {number} [bigBlind]
 */
export function actionParts(what, bigBlind) {
  const chips = amount(what.kind === "call" ? what.paid : what.to, bigBlind);
  const action = { fold: _("folds|"), check: _("checks|"), call: _("calls| {chips}", { chips }), bet: _("bets| {chips}", { chips }),
    raise: _("raises| to {chips}", { chips }) }[what.kind];
  const [verb = "", more = ""] = circumstances(what, action).split("|");
  return [verb, more];
}

/**
 * @param {number} street
 * @param {GameInfo | undefined} game
 */
export function streetName(street, game) {
  const holdem = !game || game.board_cards.join() === "0,3,1,1";
  if (street === 0) return holdem ? _("Before the flop") : _("First round");
  return (holdem ? ["", _("Flop"), _("Turn"), _("River")][street] : "") || _("Round {n}", { n: street + 1 });
}

/**
 * "Hand 17": the recorded number, as in addresses, journals and the protocol. With fixed stacks the first hand is 0,
 * otherwise 1.
 * @param {number} number
 */
export function handName(number) {
  return _("Hand {n}", { n: number });
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
  const name = game.hole_cards === 2 && game.rounds === 4 ? _("hold'em") : game.name;
  const [kind, short] = game.betting === "limit" ? [_("Limit {game}", { game: name }), "FL"]
    : game.rules === "pushfold" ? [_("Push/fold {game}", { game: name }), "PF"] : [_("No-limit {game}", { game: name }), "NL"];
  const blinds = level ? [level.small_blind, level.big_blind] : game.blinds.filter(Boolean).sort((a, b) => a - b);
  const ante = level ? level.ante : game.ante ?? 0;
  const text = [blinds.map((chips) => amount(chips)).join("/"), ante ? _("ante {chips}", { chips: amount(ante) }) : "",
    game.straddle ? _("straddle {chips}", { chips: amount(game.straddle) }) : ""].filter(Boolean).join(", ");
  return [capitalize(kind), name === _("hold'em") ? short : `${short} ${name}`, text];
}

/**
 * "Main pot" or "Side pot 2".
 * @param {number} index
 * @param {number} of
 */
export function potName(index, of) {
  if (of === 1) return _("Pot");
  return index ? (of > 2 ? _("Side pot {n}", { n: index }) : _("Side pot")) : _("Main pot");
}

/** Cards within a line. @param {readonly string[]} cards */
export const markCards = (cards) => cards.map((card) => CARD + card).join(" ");

/** A line as it is spoken: cards by name. @param {string} text */
export function toSpeech(text) {
  return text.replace(/\u0001(..)(?= \u0001)/g, (each, card) => `${cardName(card)},`)
    .replace(/\u0001(..)/g, (each, card) => cardName(card));
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
  const { hand = -1, street = 0 } = state.hand ?? {};
  const inBlinds = describeMessage(before, state, message, state.bigBlind);
  return describeMessage(before, state, message)
    .map(([kind, text], index) => ({ hand, street, kind, text, textInBlinds: inBlinds[index]?.[1] ?? text }));
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
      return [line("deal", titled(streetName(message.street, state.match?.game), markCards(message.cards)))];
    case "acted": {
      const what = hand?.players[message.seat]?.lastAction;
      return what ? [line("act", actionSentence(what, message.seat === state.me ? "" : playerName(state, message.seat), bigBlind))] : [];
    }
    case "shown":
      return message.hands.map(({ seat, cards = [], label = "" }) => line("result", cards.length
        ? label ? titled(showText(state, seat, cards), handPhrase(label)) : showText(state, seat, cards)
        : seat === state.me ? _("You muck") : _("{name} mucks", { name: playerName(state, seat) })));
    case "showed": return [line("note", showText(state, message.seat, message.cards))];
    case "peek": return hand ? [line("note", _("The next cards would have been {cards}", { cards: markCards(hand.undealt) }))] : [];
    case "hand_end": return hand ? handEndLines(state, hand, bigBlind).map((text) => line("result", text)) : [];
    case "seats": case "players": return describeArrivals(before, state).map((text) => line("note", text));
    case "refilled": {
      const values = { name: playerName(state, message.seat), chips: amount(message.stack, bigBlind) };
      return [line("note", message.seat === state.me ? _("You rebuy for {chips}", values) : _("{name} rebuys for {chips}", values))];
    }
    case "eliminated": {
      const values = { name: playerName(state, message.seat), place: ordinal(message.place) };
      return [line("note", message.seat === state.me ? _("You finish {place}", values) : _("{name} finishes {place}", values))];
    }
    case "level": {
      const blinds = { blinds: `${amount(message.small_blind)}/${amount(message.big_blind)}`, ante: amount(message.ante) };
      return [line("note", message.ante ? _("Blinds are now {blinds}, ante {ante}", blinds) : _("Blinds are now {blinds}", blinds))];
    }
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
  const [, whole = "", beside = ""] = /^(.*?)(?:, ([a-z ]+) kickers?)?$/.exec(label) ?? [];
  const [, kind, first = "", second = ""] = /^(two pair|full house), (\w+) (?:and|over) (\w+)$/.exec(whole) ?? [];
  const ranks = { high: _(first), low: _(second) };
  // The other hands are in the catalogues as a whole: "pair of aces" is one text, "pair of kings" another.
  const hand = kind === "two pair" ? _("two pair, {high} and {low}", ranks) : kind ? _("full house, {high} over {low}", ranks)
    : _(whole.replace(/^pair, /, "pair of ").replace(/^high card, (\w+)/, "$1 high"));
  const kickers = beside.split(" and ").map((rank) => _(rank));
  return beside ? ngettext("{hand}, {ranks} kicker", "{hand}, {ranks} kickers", kickers.length, { hand, ranks: joinWords(kickers) }) : hand;
}

/** The same within a sentence: "a pair of aces". @param {string} label */
export function handPhrase(label) {
  const hand = handText(label);
  return /^(pair|straight|flush|full|royal)/.test(label) ? _("a {hand}", { hand }) : hand;
}

/** @param {State} state @param {number} seat @param {readonly string[]} shown */
function showText(state, seat, shown) {
  const values = { name: playerName(state, seat), cards: markCards(shown) };
  return seat === state.me ? _("You show {cards}", values) : _("{name} shows {cards}", values);
}

/**
 * @param {State} state
 * @param {Hand} hand
 * @param {number} [bigBlind]
 */
function handStartLines(state, hand, bigBlind) {
  const posts = [hand.small, hand.big, hand.straddle].filter((seat) => seat >= 0).map((seat) => {
    const values = { name: playerName(state, seat), chips: amount(hand.players[seat]?.bet ?? 0, bigBlind) };
    if (seat === hand.straddle) return seat === state.me ? _("you straddle for {chips}", values) : _("{name} straddles for {chips}", values);
    return seat === state.me ? _("you post {chips}", values) : _("{name} posts {chips}", values);
  });
  const start = hand.button === state.me ? _("You have the button") : _("{name} has the button", { name: playerName(state, hand.button) });
  const mine = hand.players[state.me]?.cards ?? [];
  return [titled(handName(hand.hand), [start, ...posts].join(", ")), ...(mine.length ? [titled(_("Your cards"), markCards(mine))] : [])];
}

/**
 * @param {State} state
 * @param {Hand} hand
 * @param {number} [bigBlind]
 */
function handEndLines(state, hand, bigBlind) {
  const [seat, chips] = hand.returned ?? [-1, 0];
  const values = { name: playerName(state, seat), chips: amount(chips, bigBlind) };
  const back = seat === state.me ? _("Uncalled bet of {chips} returned to you", values) : _("Uncalled bet of {chips} returned to {name}", values);
  const way = hand.equity ? _("No more cards are dealt: the pots are divided by equity") : hand.second.length ? titled(_("Second board"), markCards(hand.second)) : "";
  return [...(way ? [way] : []), ...(hand.returned ? [back] : []), ...hand.results.flatMap((pot, index) => winLines(state, hand, pot, index, bigBlind))];
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
  const board = pot.board ?? 0;
  const [of, before] = [hand.results, hand.results.slice(0, index)].map((all) => all.filter((one) => (one.board ?? 0) === board).length);
  const from = of === 1 ? "" : !before ? _("from the main pot") : (of ?? 0) > 2 ? _("from the side pot {n}", { n: before }) : _("from the side pot");
  const where = [from, !hand.second.length ? "" : board ? _("on the second board") : _("on the first board")].filter(Boolean).join(" ");
  return pot.wins.map(([seat, chips]) => {
    const label = (board ? hand.players[seat]?.second : hand.players[seat])?.label;
    const who = seat === state.me ? _("You win") : _("{name} wins", { name: playerName(state, seat) });
    const how = hand.equity ? _("by equity, {share}", { share: percent(chips / pot.amount) }) : label ? _("with {hand}", { hand: handPhrase(label) }) : "";
    return [who, amount(chips, bigBlind), where && ` ${where}`, how && ` ${how}`];
  });
}

/**
 * What the hand did to me: "You won 40", "You lost 900".
 * @param {State} state
 * @param {number} [bigBlind]
 */
export function outcomeText({ hand, me }, bigBlind) {
  const net = hand?.over ? hand.players[me]?.net : null;
  if (net === null || net === undefined) return "";
  const chips = amount(Math.abs(net), bigBlind);
  return !net ? _("You broke even.") : net > 0 ? _("You won {chips}.", { chips }) : _("You lost {chips}.", { chips });
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
    if (old) lines.push(_("{name} leaves", { name: isolateName(gone?.[seat] ?? old) }));
    if (name) lines.push(_("{name} sits down in seat {seat}", { name: isolateName(come?.[seat] ?? name), seat: seat + 1 }));
  });
  return lines;
}

/** What an administrator tells everybody. @param {string} text */
export function announcementText(text) {
  return _("The organiser says: {text}", { text: isolateName(text) });
}

/**
 * @param {string} reason
 * @param {number} hands
 */
export function matchEndText(reason, hands) {
  const words = /** @type {Record<string, string>} */ ({
    complete: ngettext("The match is over after {n} hand", "The match is over after {n} hands", hands),
    left: _("You left the table"),
    moved: _("You were moved to another table"),
    removed: _("An organiser removed you from the table"),
    shutting_down: _("The server is shutting down"),
    closed: _("The table was closed"),
    internal: _("The table stopped because of a server error"),
  });
  return words[reason] ?? _("The match is over");
}

/**
 * Who can win a pot: "Anna, Ben and you", or "all 9 players".
 * @param {State} state
 * @param {readonly number[]} among
 */
export function playerNames(state, among) {
  const remaining = Object.values(state.hand?.players ?? {}).filter((player) => !player.folded).length;
  if (among.length > 3 && among.length === remaining) return ngettext("all {n} players", "all {n} players", remaining);
  return joinWords(among.map((seat) => (seat === state.me ? _("you") : playerName(state, seat))));
}
