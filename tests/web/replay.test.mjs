import assert from "node:assert/strict";
import { test } from "node:test";

import { actionAt, choicesAt, isAskable, parseAddress, faceUp, neighbourPath, seatOf, potsOfStreets, stepFromHash, steps, streets, stepText } from "../../clients/web/replay/steps.js";
import { LONGEST, cleanComment, commentFromHash, hashFor } from "../../clients/web/replay/comment.js";
import { largestLoss } from "../../clients/web/replay/loss.js";
import { isHoldem } from "../../clients/web/table/equity.js";
import { GAME, NAMES, TABLE, acted, at, board, handStart, matchStart } from "./deal.mjs";

const CARDS = [["2s", "3s"], ["4s", "5s"], ["Ah", "Kd"]];

/** A hand as the API tells it to a stranger, unless `own` says whose eyes they are. */
const hand = (messages, more = {}) => ({
  id: "table-1.7.33", table: TABLE, hand: 33, at: 0, names: NAMES, own: -1, open: true, cards: CARDS, previous: "",
  next: "", messages: [matchStart({ seat: more.own ?? -1, resumed: false }), handStart({ hole: [], stacks: [100, 300, 500] }), ...messages],
  ...more,
});

const ALL_IN = [
  acted(2, "raise", 500, 500, { all_in: true }),
  acted(0, "call", 100, 95, { all_in: true }),
  acted(1, "call", 300, 290, { all_in: true }),
  at({ type: "shown", seq: 6, hands: [0, 1, 2].map((seat) => ({ seat, cards: CARDS[seat] })) }),
  board(1, "7c", "8c", "9c"),
  board(2, "Tc"),
  board(3, "Jc"),
  at({
    type: "hand_end", seq: 10, hand: 33, net: [200, -300, 100], stacks: [300, 0, 600], returned: [2, 200],
    pots: [{ amount: 300, seats: [0, 1, 2], wins: [[0, 300]] }, { amount: 400, seats: [1, 2], wins: [[2, 400]] }],
  }),
];

test("a page's path leads to the API and to its neighbours", () => {
  assert.deepEqual(parseAddress("/hand/table-1.7.33"), {
    path: "/hand/table-1.7.33", api: "/api/hands/table-1.7.33", prefix: "/hand/", name: "table-1.7.33", competition: "",
    home: "/table/table-1", facts: "/api/tables/table-1.7",
  });
  const found = parseAddress("/hand/spring/a%20b/m0000-l000-s0/4");
  assert.equal(found.api, "/api/competitions/spring/sessions/a%20b/m0000-l000-s0/hands/4");
  assert.equal(found.name, "a b/m0000-l000-s0/4");
  assert.equal(found.home, "/competition/spring");
  assert.equal(neighbourPath(found, "a b/m0000-l000-s0/5"), "/hand/spring/a%20b/m0000-l000-s0/5");
  assert.equal(neighbourPath(found, ""), "");
  for (const path of ["/hand", "/hand/", "/hand/a/b", "/hand/a/b/c", "/hand/a/b/c/", "/hand/a/b/c/1/2", "/table/x"]) {
    assert.equal(parseAddress(path), null, path);
  }
  assert.equal(parseAddress("/hand/%").name, "%");
});

test("every event is a step, the first shows the hand dealt", () => {
  const all = steps(hand(ALL_IN));
  assert.deepEqual(all.map((one) => one.message.type),
    ["hand_start", "acted", "acted", "acted", "shown", "board", "board", "board", "hand_end"]);
  assert.equal(stepText(all[1], "plain", false), "Me raises to 500, all in");
  assert.equal(stepText(all[5], "plain", false), "Flop: 7c 8c 9c");
  assert.equal(stepText(all[5], "spoken", false), "Flop: seven of clubs, eight of clubs, nine of clubs");
  assert.equal(stepText(undefined, "plain", false), "");
  assert.deepEqual(all.slice(1).map((one) => one.from), all.slice(0, -1).map((one) => one.to));
  assert.equal(all.at(-1).to, all.at(-1).state.lines.length);
});

test("house bots have their faces at open tables; in a competition such a name may be anybody's", () => {
  const names = ["fair-1", ...NAMES.slice(1)];
  const kinds = (/** @type {object} */ more) => steps(hand(ALL_IN, { names, ...more })).at(-1).state.info.seats.map((seat) => seat.kind);
  assert.deepEqual(kinds({}), ["bot", "", ""]);
  assert.deepEqual(kinds({ id: "duel/m0000-l000-s0/33" }), ["", "", ""]);
});

test("any other message belongs to the step before it", () => {
  const strength = at({ type: "strength", street: 0, label: "pair" });
  const all = steps(hand([strength, ...ALL_IN]));
  assert.equal(all.length, 9);
  assert.equal(all[0].state.hand.strength, "pair");
});

test("pots are there when a street begins; what nobody called is in none", () => {
  const all = steps(hand(ALL_IN));
  const last = all.at(-1).state.hand.results.map(({ amount, seats }) => ({ amount, seats }));
  for (const step of all.slice(5, 8)) assert.deepEqual(step.state.hand.pots, last);
  assert.deepEqual(all[4].state.hand.pots, []);
});

test("who folded has paid into pots that he cannot win", () => {
  const spent = [[0, 50, true], [1, 100, false], [2, 20, false], [3, 100, false]];
  const players = Object.fromEntries(spent.map(([seat, chips, folded]) => [seat, { seat, stack: 200 - chips, folded }]));
  assert.deepEqual(potsOfStreets({ seats: [0, 1, 2, 3], players }, [200, 200, 200, 200]), [
    { amount: 80, seats: [1, 2, 3] }, { amount: 190, seats: [1, 3] },
  ]);
});

test("streets that were not reached lead nowhere", () => {
  assert.deepEqual(streets(steps(hand(ALL_IN))), [
    { name: "Preflop", step: 0 }, { name: "Flop", step: 5 }, { name: "Turn", step: 6 }, { name: "River", step: 7 },
    { name: "Showdown", step: 7 },
  ]);
  assert.deepEqual(streets(steps(hand([acted(2, "fold"), acted(0, "fold")]))).map((one) => one.step), [0, -1, -1, -1, -1]);
  const kuhn = { ...GAME, rounds: 1, hole_cards: 1, board_cards: [0] };
  const other = hand([], { messages: [matchStart({ seat: -1, game: kuhn }), handStart({ hole: [] })] });
  assert.deepEqual(streets(steps(other)).map((one) => one.name), ["Round 1", "Showdown"]);
  assert.equal(isHoldem(kuhn), false);
  assert.equal(isHoldem(GAME), true);
});

test("cards are face up for those eyes alone", () => {
  const recorded = hand(ALL_IN);
  const [{ state }] = steps(recorded);
  const cards = (options) => Object.values(faceUp(state, recorded, options).hand.players).map((player) => player.cards.join(" "));
  assert.deepEqual(cards({ all: false, seat: undefined }), ["", "", ""]);
  assert.deepEqual(cards({ all: false, seat: 1 }), ["", "4s 5s", ""]);
  assert.deepEqual(cards({ all: true, seat: 1 }), ["2s 3s", "4s 5s", "Ah Kd"]);
  assert.equal(state.hand.players[0].cards.length, 0);
});

test("who is not dealt in is out", () => {
  const recorded = hand([], { names: [...NAMES, "Zoe", ""] });
  const [{ state }] = steps(recorded);
  assert.deepEqual(state.info.seats.map((seat) => [seat.name, seat.state]),
    [["Anna", "in"], ["Ben", "in"], ["Me", "in"], ["Zoe", "out"], ["", ""]]);
  assert.equal(seatOf(recorded, "Ben"), 1);
  assert.equal(seatOf(recorded, "Nobody"), undefined);
  assert.equal(seatOf(recorded, ""), undefined);
});

test("a link leads to a step that is there", () => {
  assert.deepEqual(["", "#3", "#99", "#-1", "#x", "#play"].map((hash) => stepFromHash(hash, 8)), [0, 3, 8, 0, 0, 0]);
});

test("a link carries a comment, as one line of bounded length", () => {
  const said = "Why not <b>fold</b>? 50 % : #7";
  assert.equal(commentFromHash(hashFor(12, said)), said);
  assert.equal(stepFromHash(hashFor(12, said), 20), 12);
  assert.equal(commentFromHash(hashFor(0, said)), said);
  assert.equal(stepFromHash(hashFor(0, said), 20), 0);
  assert.deepEqual([hashFor(0, ""), hashFor(3, "  "), hashFor(3, "a")], ["", "#3", "#3:a"]);
  assert.equal(cleanComment(" a\n\u202eb\u0000 c "), "a b c");
  assert.equal([...commentFromHash(`#3:${encodeURIComponent("\u{1F0A1}".repeat(LONGEST + 9))}`)].length, LONGEST);
  assert.deepEqual(["", "#3", "#play", "#3:%", "#x:a", "#1234567:a"].map(commentFromHash), ["", "", "", "", "", ""]);
});

test("the call or fold that lost most is found, by the cards of all who were in", () => {
  // Me raises; Anna re-raises to 400, Ben calls, me calls 300 more.
  const actions = [acted(2, "raise", 100, 100), acted(0, "raise", 400, 395), acted(1, "call", 400, 390), acted(2, "call", 400, 300)];
  const recorded = (share, more = {}) => hand(actions, {
    own: 2, odds: [[10, 15], [95, 105], [90, 200], [300, 600]], equities: [[], [], [], [0.5 - share / 2, 0.5 - share / 2, share], []], ...more,
  });
  const found = (it) => largestLoss(it, steps(it));
  assert.deepEqual(found(recorded(0.2)), { judged: 1, loss: { step: 4, kind: "call", call: 300, pot: 600, share: 0.2, needs: 1 / 3, chips: 120, isClear: true } });
  // The call was right; nobody knows; it is somebody else's hand.
  assert.deepEqual(found(recorded(0.5)), { judged: 1, loss: null });
  assert.deepEqual(found(recorded(0.2, { equities: [[], [], [], [], []] })), { judged: 0, loss: null });
  assert.deepEqual(found(recorded(0.2, { own: -1 })), { judged: 0, loss: null });
  // Ben is all in for less, and there are two pots with a share each; or he has still to call, and nobody knows what it wins.
  const shorter = recorded(0.2);
  shorter.messages = shorter.messages.map((one) => (one.type === "acted" && one.seat === 1 ? acted(1, "call", 300, 290, { all_in: true }) : one));
  assert.deepEqual(found(shorter), { judged: 0, loss: null });
  const behind = hand([acted(2, "call", 10, 10)], { own: 2, odds: [[10, 15]], equities: [[0.4, 0.4, 0.2]] });
  assert.deepEqual(found(behind), { judged: 0, loss: null });
  // Folding the better hand loses as well.
  const folded = recorded(0.6);
  folded.messages = [...folded.messages.slice(0, -1), acted(2, "fold")];
  assert.deepEqual([found(folded)].map(({ loss }) => [loss.kind, Math.round(loss.chips)]), [["fold", 240]]);
});

test("a strong bot is asked at a table, about cards that are seen", () => {
  const table = parseAddress("/hand/table-1.7.33");
  const asked = (more, at = table) => {
    const one = hand(ALL_IN, more);
    return steps(one).flatMap((step, index, all) => (isAskable(at, one, step) ? [actionAt(all, index)] : []));
  };
  assert.deepEqual(asked({}), [0, 1, 2]);
  assert.deepEqual(asked({ cards: [CARDS[0], [], ["Ah"]] }), [1]);
  assert.deepEqual(asked({}, parseAddress("/hand/spring/a/m0000-l000-s0/4")), []);
  // While others may play the deals of a challenge, about one's own.
  const messages = hand(ALL_IN).messages.map((one) => (one.type === "match_start" ? { ...one, mode: "challenge" } : one));
  assert.deepEqual(asked({ messages, open: false, own: 2 }), [0]);
  assert.deepEqual(asked({ messages }), [0, 1, 2]);
});

test("actions have the names of their step", () => {
  const all = steps(hand(ALL_IN));
  const kinds = (step) => choicesAt([["fold", 0, 0.1], ["check", 0, 0.6], ["raise", 60, 0.3]], all, step).map(({ kind }) => kind);
  assert.deepEqual(kinds(1), ["fold", "call", "raise"]);
  assert.deepEqual(kinds(4), []);
  assert.equal(actionAt(all, 4), -1);
});
