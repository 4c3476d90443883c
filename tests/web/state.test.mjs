import assert from "node:assert/strict";
import { test } from "node:test";

import { handsText, isAway, isOpenChallenge, initialState, amountToCall, reduce, seatsOf, timeLeft, winningCards } from "../../clients/web/table/state.js";
import { gameText, handName, toPlainText, toSpeech } from "../../clients/web/lib/words.js";
import { GAME, NAMES, TABLE, acted, at, board, dealt, handStart, matchStart, play, turn } from "./deal.mjs";

const END = at({
  type: "hand_end", seq: 9, hand: 1, pots: [{ amount: 60, seats: [0, 2], wins: [[2, 60]] }],
  net: [-20, -20, 40], stacks: [980, 980, 1040],
});
const log = (state) => state.lines.map((line) => toPlainText(line.text));

test("a match starts with a seat, names, and no hand", () => {
  const state = play(matchStart());
  assert.equal(state.me, 2);
  assert.equal(state.bigBlind, 10);
  assert.deepEqual(seatsOf(state).map((seat) => seat.name), NAMES);
  assert.equal(state.hand, null);
});

test("blinds and antes are in the pot, and before their seats", () => {
  const { hand } = play(matchStart(), handStart({ antes: [1, 1, 1] }));
  assert.equal(hand.pot, 18);
  assert.deepEqual([hand.small, hand.big, hand.button], [0, 1, 2]);
  assert.equal(hand.players[0].stack, 994);
  assert.equal(hand.players[1].bet, 10);
});

test("heads-up the button posts the small blind, unless the game says otherwise", () => {
  const two = { seats: [0, 2], stacks: [100, 100], antes: [0, 0], blinds: [10, 5] };
  const { hand } = play(matchStart(), handStart(two));
  assert.deepEqual([hand.small, hand.big], [2, 0]);
  const game = { ...matchStart().game, players: 2, blinds: [5, 10] };
  const other = play(matchStart({ game }), handStart({ ...two, blinds: [5, 10] })).hand;
  assert.deepEqual([other.small, other.big], [0, 2]);
});

test("once cards are up there is nothing more to choose", () => {
  const called = dealt(acted(2, "raise", 500, 500), acted(0, "raise", 400, 395, { all_in: true }));
  assert.equal(amountToCall(called), 0);
  assert.equal(amountToCall(reduce(called, at({ type: "shown", seq: 6, hands: [{ seat: 0, cards: ["Qs", "Qd"] }] }))), null);
});

test("only my cards are known, and nobody's when I look on", () => {
  assert.deepEqual(dealt().hand.players[2].cards, ["Ah", "Kd"]);
  assert.deepEqual(dealt().hand.players[0].cards, []);
  const watcher = play(matchStart({ seat: -1 }), handStart({ hole: [] }));
  assert.deepEqual(Object.values(watcher.hand.players).flatMap((player) => player.cards), []);
  assert.equal(amountToCall(watcher), null);
});

test("what is done costs chips and is called by its name", () => {
  const state = dealt(acted(2, "raise", 30, 30), acted(0, "fold"), acted(1, "call", 30, 20), board(1, "2c", "3d", "4h"),
    acted(1, "call"), acted(2, "raise", 970, 970, { all_in: true }));
  assert.equal(state.hand.pot, 1035);
  assert.equal(state.hand.players[2].allIn, true);
  assert.equal(state.hand.players[0].folded, true);
  assert.deepEqual(log(state).slice(2), [
    "You raise to 30", "Anna folds", "Ben calls 20", "Flop: 2c 3d 4h", "Ben checks", "You bet 970, all in",
  ]);
});

test("a street begins with no bets and no words, but who folded or is all in keeps them", () => {
  const state = dealt(acted(2, "raise", 1000, 1000, { all_in: true }), acted(0, "fold"), acted(1, "call", 1000, 990),
    board(1, "2c", "3d", "4h"));
  assert.deepEqual(Object.values(state.hand.players).map((player) => player.bet), [0, 0, 0]);
  // What was pushed into the pot, until they act again.
  assert.deepEqual(Object.values(state.hand.players).map((player) => player.pushed), [5, 1000, 1000]);
  assert.equal(state.hand.players[0].lastAction.kind, "fold");
  assert.equal(state.hand.players[1].lastAction, null);
  assert.equal(state.hand.players[2].lastAction.kind, "raise");
  assert.equal(state.hand.street, 1);
});

test("the price of a call is known before it is my turn", () => {
  assert.equal(amountToCall(dealt()), 10);
  assert.equal(amountToCall(dealt(acted(0, "raise", 400, 395))), 400);
  assert.equal(amountToCall(dealt(acted(0, "raise", 4000, 3995))), 1000, "never more than my stack");
  assert.equal(amountToCall(dealt(acted(2, "fold"))), null);
});

test("my turn is open until the table says that I acted", () => {
  const act = { type: "act", table: TABLE, turn: 1, action: "call" };
  const asked = dealt(turn());
  assert.equal(asked.turn.turn, 1);
  const sent = reduce(asked, { type: "sent", act });
  assert.equal(sent.sent, act);
  assert.equal(sent.turn.turn, 1);
  const done = reduce(sent, acted(2, "call", 10, 10));
  assert.equal(done.sent, null);
  assert.equal(done.turn, null);
});

test("a refused answer is no longer on its way, and the turn stays open", () => {
  const act = { type: "act", table: TABLE, turn: 1, action: "raise", to: 1 };
  const state = dealt(turn(), { type: "sent", act },
    at({ type: "error", code: "illegal_action", message: "no", turn: 1 }));
  assert.equal(state.sent, null);
  assert.equal(state.turn.turn, 1);
});

test("clocks start when the message comes", () => {
  const state = dealt({ ...turn(), now: 5000 });
  assert.deepEqual(state.clock, { seat: 2, turn: 1, from: 5000, base: 20000, bank: 60000, wholeBank: 60000 });
  const other = dealt({ ...at({ type: "waiting", seat: 0, turn: 2, time_ms: 1000, bank_ms: 0, pot: 15, pots: [], bets: [] }), now: 7 });
  assert.equal(other.clock.base, 1007);
  assert.equal(reduce(other, acted(0, "fold")).clock, null);
});

test("after a reconnect a clock goes on where it was", () => {
  const inTime = dealt({ ...turn({ time_ms: 3000 }), now: 5000 });
  assert.deepEqual(timeLeft(inTime.clock, 5000), { seconds: 3, share: 0.2, inBank: false });
  assert.equal(timeLeft(inTime.clock, 8000).share, 1, "nothing of the bank is used yet");
  const inBank = dealt({ ...turn({ time_ms: 0, bank_ms: 15000 }), now: 5000 });
  assert.deepEqual(timeLeft(inBank.clock, 5000), { seconds: 15, share: 0.25, inBank: true });
});

test("a choice made in advance is dropped when the price changes, and said so", () => {
  const call = { type: "choose", choice: { kind: "call", price: 10 } };
  assert.equal(dealt(call, acted(0, "call", 10, 5)).choice.kind, "call");
  const raised = dealt(call, acted(0, "raise", 40, 35));
  assert.equal(raised.choice, null);
  assert.match(raised.notice, /bet has changed/);
});

test("fold to any bet outlives raises and checks, and ends with the hand", () => {
  const any = { type: "choose", choice: { kind: "fold_any" } };
  const act = { type: "act", table: TABLE, turn: 1, action: "check" };
  const state = dealt(any, acted(0, "raise", 40, 35), turn(), { type: "sent", act });
  assert.equal(state.choice.kind, "fold_any");
  assert.equal(reduce(state, END).choice, null);
});

test("a raise that makes it much dearer is remembered with its time", () => {
  assert.equal(dealt({ ...acted(0, "raise", 40, 35), now: 77 }).raisedAt, 77);
  const small = dealt(acted(0, "call", 500, 495), { ...acted(1, "raise", 501, 491), now: 77 });
  assert.equal(small.raisedAt, 77);
  assert.equal(dealt(acted(2, "call", 500, 500), { ...acted(0, "raise", 510, 505), now: 77 }).raisedAt, 0);
});

test("a hand ends with who won what, and is kept when the next begins", () => {
  const shown = at({ type: "shown", seq: 8, hands: [
    { seat: 2, cards: ["Ah", "Kd"], label: "high card, ace", best: ["Ah", "Kd", "9c", "8c", "7d"] }, { seat: 0 },
  ] });
  const state = dealt(acted(2, "call", 10, 10), shown, END);
  assert.equal(state.hand.over, true);
  assert.equal(state.hand.players[2].won, 60);
  assert.equal(state.hand.players[2].net, 40);
  assert.equal(state.hand.players[0].mucked, true);
  assert.equal(state.hand.players[2].stack, 1040);
  assert.deepEqual(log(state).slice(-3), ["You show Ah Kd: ace high", "Anna mucks", "You win 60 with ace high"]);
  const next = reduce(state, handStart({ hand: 2 }));
  assert.equal(next.pastHands.length, 1);
  assert.equal(next.pastHands[0].hand, 1);
  assert.equal(next.pastHands[0].lines.at(-1).text, "You win 60 with ace high");
});

test("a bet that nobody called goes back", () => {
  const state = dealt({ ...END, returned: [2, 1] });
  assert.match(log(state).at(-2), /bet of 1 returned to you/);
  assert.match(log(dealt({ ...END, returned: [0, 30] })).at(-2), /bet of 30 returned to Anna/);
});

test("every line of the log has its amounts in big blinds, too", () => {
  const state = dealt(acted(2, "raise", 30, 30), { ...END, returned: [2, 20] },
    at({ type: "refilled", seq: 9, seat: 0, stack: 1000 }));
  assert.deepEqual(state.lines.map((line) => toPlainText(line.textInBlinds)).filter((text) => text.includes("BB")), [
    "Hand 1: You have the button, Anna posts 0.5 BB, Ben posts 1 BB", "You raise to 3 BB",
    "Uncalled bet of 2 BB returned to you", "You win 6 BB", "Anna rebuys for 100 BB",
  ]);
});

test("a straddle is no big blind", () => {
  const straddling = { seats: [0, 1, 2, 3], stacks: [1000, 1000, 1000, 1000], antes: [0, 0, 0, 0], blinds: [5, 10, 20, 0] };
  const state = play(matchStart({ game: { ...GAME, straddle: 20 } }), handStart(straddling));
  assert.equal(state.bigBlind, 10);
  assert.match(state.lines[0].textInBlinds, /Ben posts 1 BB, you straddle for 2 BB/);
});

test("side pots are named, main pot first", () => {
  const pots = [{ amount: 30, seats: [0, 1, 2], wins: [[0, 30]] }, { amount: 20, seats: [1, 2], wins: [[1, 10], [2, 10]] },
    { amount: 2, seats: [1, 2], wins: [[1, 2]] }];
  assert.deepEqual(log(dealt({ ...END, pots })).slice(-4), [
    "Anna wins 30 from the main pot", "Ben wins 10 from the side pot 1", "You win 10 from the side pot 1",
    "Ben wins 2 from the side pot 2",
  ]);
});

test("the cards that won are known by pot, once for all pots of the same winners", () => {
  const best = { 0: ["Ah", "Ad", "9c", "8c", "7d"], 1: ["Kh", "Ks", "9c", "8c", "7d"], 2: [] };
  const hands = [0, 1].map((seat) => ({ seat, cards: ["2c", "2d"], label: "pair", best: best[seat] }));
  const won = (...wins) => winningCards(dealt(at({ type: "shown", seq: 8, hands }),
    { ...END, pots: wins.map((seats) => ({ amount: 10, seats: [0, 1, 2], wins: seats.map((seat) => [seat, 10]) })) }).hand);
  assert.deepEqual(won([0], [1], [1]), { sets: [new Set(best[0]), new Set(best[1])], boards: [0, 0], setByPot: [0, 1, 1] });
  assert.deepEqual(won([1, 0], [0, 1]), { sets: [new Set([...best[0], ...best[1]])], boards: [0], setByPot: [0, 0] });
  assert.deepEqual(won([2], [0]), { sets: [new Set(best[0])], boards: [0], setByPot: [-1, 0] });
  assert.deepEqual(winningCards(dealt(END).hand), { sets: [], boards: [], setByPot: [-1] });
});

test("a hand that was run twice has two boards, and tells who won on which", () => {
  const best = ["Ah", "Ad", "9c", "8c", "7d"];
  const hands = [0, 1].map((seat) => ({ seat, cards: ["2c", "2d"], label: "pair, deuces", best }));
  const second = ["Kh", "Ks", "9c", "8c", "7d"];
  const pots = [{ amount: 30, seats: [0, 1], wins: [[0, 30]] }, { amount: 10, seats: [1], wins: [[1, 10]] },
    { amount: 30, seats: [0, 1], wins: [[1, 30]], board: 1 }];
  const state = dealt({ ...END, hands, second, second_hands: [{ seat: 1, cards: ["2c", "2d"], label: "straight, king high", best: second }], pots });
  assert.deepEqual(state.hand.second, second);
  const earlier = dealt({ type: "second_board", cards: second.slice(0, 3) });
  assert.deepEqual([earlier.hand.second, earlier.hand.over], [second.slice(0, 3), false]);
  assert.deepEqual(winningCards(state.hand), { sets: [new Set(best), new Set(best), new Set(second)], boards: [0, 0, 1], setByPot: [0, 1, 2] });
  assert.deepEqual(log(state).slice(-4).map((line) => line.replaceAll("\u0001", "")), [
    "Second board: Kh Ks 9c 8c 7d", "Anna wins 30 from the main pot on the first board with a pair of deuces",
    "Ben wins 10 from the side pot on the first board with a pair of deuces",
    "Ben wins 30 on the second board with a straight, king high",
  ]);
  assert.deepEqual([0, 1].map((seat) => handsText(state.hand.players[seat])), ["pair of deuces", "pair of deuces / straight, king high"]);
});

test("what was divided by equity is told with its share, and no cards won it", () => {
  const hands = [0, 1].map((seat) => ({ seat, cards: ["2c", "2d"], label: "pair, deuces", best: ["2c"] }));
  const state = dealt({ ...END, hands, equity: true, pots: [{ amount: 1000, seats: [0, 1], wins: [[0, 824], [1, 176]] }] });
  assert.deepEqual(winningCards(state.hand).sets, []);
  assert.deepEqual(log(state).slice(-3), [
    "No more cards are dealt: the pots are divided by equity", "Anna wins 824 by equity, 82\u00a0%", "Ben wins 176 by equity, 18\u00a0%",
  ]);
});

test("a snapshot after a broken connection tells the hand once, and drops what was chosen", () => {
  const before = dealt({ type: "choose", choice: { kind: "fold_any" } }, acted(0, "call", 10, 5));
  const dropped = reduce(before, { type: "disconnected" });
  assert.equal(dropped.choice, null);
  const again = [matchStart({ resumed: true }), handStart(), acted(0, "call", 10, 5), acted(1, "call", 10)]
    .reduce((state, message) => reduce(state, message), dropped);
  assert.deepEqual(log(again), [
    "Hand 1: You have the button, Anna posts 5, Ben posts 10", "Your cards: Ah Kd", "Anna calls 5", "Ben checks",
  ]);
});

test("missed turns make me absent, and my next turn brings me back", () => {
  const state = dealt(acted(2, "fold", 0, 0, { forced: "absent" }));
  assert.equal(isAway(state), true);
  assert.equal(isAway(reduce(state, turn())), false);
  assert.equal(isAway(dealt(seatsMessage({ 2: { state: "away" } }))), true);
  assert.equal(isAway(play(matchStart({ seat: -1 }))), false);
});

function seatsMessage(changes = {}, more = {}) {
  return at({
    type: "seats", watchers: 2, hand: 0, pause_ms: 0, name: "Table 1", mode: "cash", game: "", commitment: "", deck: "",
    seats: NAMES.map((name, seat) => ({ seat, name, kind: "person", stack: 1000, state: "in", ...changes[seat] })), ...more,
  });
}

test("who comes and goes is said once", () => {
  const state = dealt(seatsMessage(), seatsMessage({ 0: { name: "" } }), seatsMessage({ 0: { name: "Zoe" } }),
    at({ type: "players", players: ["Zoe", "", "Me"] }));
  assert.deepEqual(log(state).slice(2), ["Anna leaves", "Zoe sits down in seat 1", "Ben leaves"]);
});

test("chips, levels and places that change between hands", () => {
  const state = dealt(END, at({ type: "refilled", seq: 10, seat: 0, stack: 1000 }),
    at({ type: "level", seq: 11, small_blind: 50, big_blind: 100, ante: 10 }),
    at({ type: "eliminated", seq: 12, seat: 1, place: 3 }));
  assert.equal(state.hand.players[0].stack, 1000);
  assert.deepEqual([state.bigBlind, state.hand.bigBlind], [100, 10]);
  assert.deepEqual(log(state).slice(-3), ["Anna rebuys for 1,000", "Blinds are now 50/100, ante 10", "Ben finishes 3rd"]);
});

test("who comes in a later level sees its blinds", () => {
  const late = [matchStart(), seatsMessage({}, { game: "no-limit hold'em 50/100, ante 10" }), handStart()];
  for (const state of [play(...late), dealt(...late.with(0, matchStart({ resumed: true })))]) {
    assert.equal(state.bigBlind, 100);
    assert.equal(gameText(state), "No-limit hold'em 50/100, ante 10");
  }
  assert.equal(gameText(play(matchStart(), seatsMessage())), "No-limit hold'em 5/10");
});

test("what the organiser says is seen by whoever does not look at the chat", () => {
  const state = dealt(at({ type: "said", seat: -1, name: "root", text: "Break at nine.", at: 1, organiser: true }));
  assert.match(state.notice, /Break at nine\./);
  assert.match(log(state).at(-1), /Break at nine\./);
  const other = dealt(at({ type: "said", seat: -1, name: "root", text: "Break at nine.", at: 1 }));
  assert.equal(other.notice, "");
  assert.doesNotMatch(log(other).at(-1), /Break at nine\./);
});

test("who is removed from the table is told so", () => {
  assert.notEqual(dealt(at({ type: "match_end", hands: 1, net: [0, 0, 0], reason: "removed" })).notice, "");
  assert.notEqual(dealt(at({ type: "match_end", hands: 1, net: [0, 0, 0], reason: "closed" })).notice, "");
  assert.equal(dealt(at({ type: "match_end", hands: 1, net: [0, 0, 0], reason: "left" })).notice, "");
});

test("strength, cards shown by choice, chat, series and the end", () => {
  const showed = at({ type: "showed", hand: 1, seat: 0, cards: ["2c"] });
  const state = dealt(at({ type: "strength", street: 1, label: "pair, tens" }), END, showed,
    at({ type: "said", seat: 0, name: "Anna", text: "hi", at: 1 }),
    at({ type: "series", match: 1, of: 3, results: [] }), at({ type: "match_end", hands: 1, net: [0, 0, 0], reason: "left" }));
  assert.equal(state.hand.strength, "pair, tens");
  assert.deepEqual(state.hand.players[0].cards, ["2c"]);
  assert.equal(state.chat[0].text, "hi");
  assert.equal(state.series.of, 3);
  assert.equal(state.ended.reason, "left");
});

test("cards lie face up in the hand they belong to, and folding does not hide them", () => {
  const faceup = at({ type: "faceup", hand: 1, cards: [["2c", "2d"], ["3c", "3d"], ["4c", "4d"]] });
  const watching = play(matchStart({ seat: -1 }), handStart({ hole: [] }), faceup, acted(1, "fold"));
  assert.deepEqual([0, 1, 2].map((seat) => watching.hand.players[seat].cards.join(" ")), ["2c 2d", "3c 3d", "4c 4d"]);
  assert.equal(watching.hand.players[1].shown, false);
  const late = play(matchStart({ seat: -1 }), handStart({ hand: 2, hole: [] }), faceup);
  assert.deepEqual(late.hand.players[0].cards, []);
});

test("a hand is called by its recorded number", () => {
  assert.equal(handName(17), "Hand 17");
  assert.equal(handName(0), "Hand 0");
});

test("showing one of my cards does not hide the other from me", () => {
  const state = dealt(END, at({ type: "showed", hand: 1, seat: 2, cards: ["Ah"] }));
  assert.deepEqual(state.hand.players[2].cards, ["Ah", "Kd"]);
});

test("other tables, unknown messages and messages before any hand change nothing", () => {
  const state = dealt();
  assert.equal(reduce(state, { ...turn(), table: "elsewhere" }), state);
  assert.equal(reduce(state, { type: "from the future", table: TABLE }), state);
  const empty = initialState(TABLE);
  for (const message of [acted(0, "fold"), board(1, "2c"), at({ type: "shown", seq: 1, hands: [] })])
    assert.equal(reduce(empty, message).hand, null);
});

test("notices come and go", () => {
  assert.equal(dealt({ type: "notice", text: "hello" }).notice, "hello");
  assert.equal(dealt({ type: "notice", text: "hello" }, { type: "choose", choice: null }).notice, "");
});

test("cards are spoken by name", () => {
  assert.deepEqual(dealt().lines.map((line) => toSpeech(line.text)).at(1), "Your cards: ace of hearts, king of diamonds");
});

test("who watches and then sits down gets the hand again, and it is logged once", () => {
  const watching = play(matchStart({ seat: -1 }), handStart({ hole: [] }), acted(0, "call", 10, 5));
  const seated = [matchStart(), handStart({ seats: [0, 1], stacks: [1000, 1000], antes: [0, 0], blinds: [10, 5], hole: [] }),
    acted(0, "call", 10, 5)].reduce((state, message) => reduce(state, message), watching);
  assert.equal(seated.me, 2);
  assert.equal(log(seated).filter((line) => line.startsWith("Hand 1")).length, 1);
  assert.equal(amountToCall(seated), null);
});

test("hints are counted", () => {
  const hinted = (turn, hints, chances = [["call", 0, 1]]) => at({ type: "hinted", turn, bot: "hbb6", chances, hints });
  const state = dealt(turn(), hinted(1, 1), hinted(4, 2));
  assert.deepEqual([state.hints, state.hint.turn], [2, 4]);
});

test("a challenge is open from its first hand to its result, for who plays it", () => {
  const start = { mode: "challenge", hands: 50 };
  const left = at({ type: "match_end", hands: 1, net: [0, 0, 0], reason: "left" });
  assert.equal(isOpenChallenge(play(matchStart(start))), false);
  assert.equal(isOpenChallenge(play(matchStart(start), handStart())), true);
  assert.equal(isOpenChallenge(play(matchStart(start), handStart(), left)), true);
  assert.equal(isOpenChallenge(play(matchStart(start), handStart(), at({ type: "challenge", hands: [] }))), false);
  assert.equal(isOpenChallenge(play(matchStart({ ...start, seat: -1 }), handStart({ hole: [] }))), false);
  assert.equal(isOpenChallenge(dealt()), false);
});
