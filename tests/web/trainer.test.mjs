// Push or fold, without a page.

import assert from "node:assert/strict";
import test from "node:test";
import { combinations, handAt, placeOf } from "../../clients/web/lib/hand_grid.js";
import { STACKS, WORST, addDecision, deal, emptyScore, judge, lossOf, together, verified } from "../../clients/web/trainer/drill.js";
import { HANDS, WORST as WORST_SPOTS, addAnswer, costOf, handsToRead, makeDrill, spotsOf } from "../../clients/web/trainer/own_spots.js";
import { NAMES, TABLE, acted, board, handStart, matchStart } from "./deal.mjs";

const tables = (some) => ({
  stack: 10, jam: Array(169).fill(1), call: Array(169).fill(1), jam_gain: Array(169).fill(100), call_gain: Array(169).fill(100),
  jam_percent: 100, call_percent: 100, jam_range: "*", call_range: "*", ...some,
});
const ACES = { cards: ["As", "Ad"], stack: 10, seat: "small" };

test("hands have their place in the usual grid", () => {
  assert.deepEqual([["As", "Ad"], ["As", "Ks"], ["Kd", "As"], ["2s", "3s"], ["2c", "3s"], ["2c", "2s"]].map(placeOf), [0, 1, 13, 155, 167, 168]);
  assert.deepEqual([0, 1, 13, 155, 167, 168].map(handAt), ["AA", "AKs", "AKo", "32s", "32o", "22"]);
  const places = Array.from({ length: 169 }, (_, place) => place);
  assert.equal(new Set(places.map(handAt)).size, 169);
  assert.equal(places.reduce((sum, place) => sum + combinations(place), 0), 1326);
});

test("all hands, stacks and seats are dealt, two cards each", () => {
  const hands = new Set();
  for (let first = 0; first < 52; first += 1) {
    for (let second = 0; second < 51; second += 1) {
      const numbers = [(first + 0.5) / 52, (second + 0.5) / 51];
      const { cards } = deal({ stack: 10, seat: "small" }, () => numbers.shift());
      assert.equal(new Set(cards).size, 2);
      hands.add(cards.join(""));
    }
  }
  assert.equal(hands.size, 52 * 51);
  const spots = Array.from({ length: 2000 }, () => deal({ stack: null, seat: null }));
  assert.deepEqual([...new Set(spots.map(({ stack }) => stack))].sort((a, b) => a - b), STACKS);
  assert.deepEqual([...new Set(spots.map(({ seat }) => seat))].sort(), ["big", "small"]);
  assert.deepEqual([STACKS[0], STACKS.at(-1)], [2, 20]);
  assert.deepEqual([deal({ stack: 7.5, seat: "big" })].map(({ stack, seat }) => [stack, seat]), [[7.5, "big"]]);
});

test("the better choice costs nothing, the other what it loses", () => {
  assert.deepEqual(judge(tables({}), ACES, true), { plays: true, gain: 100, cost: 0, chance: 1, kind: "right" });
  assert.deepEqual([judge(tables({}), ACES, false)].map(({ cost, kind }) => [cost, kind]), [[100, "wrong"]]);
  const bad = tables({ jam_gain: Array(169).fill(-7), jam: Array(169).fill(0) });
  assert.deepEqual([true, false].map((plays) => judge(bad, ACES, plays)).map(({ cost, kind }) => [cost, kind]), [[7, "close"], [0, "right"]]);
  // The big blind is judged by its own table.
  assert.equal(judge(bad, { ...ACES, seat: "big" }, true).cost, 0);
});

test("where both are worth the same, both are right", () => {
  const even = tables({ call_gain: Array(169).fill(0), call: Array(169).fill(0.4) });
  for (const plays of [true, false]) {
    assert.deepEqual(judge(even, { ...ACES, seat: "big" }, plays), { plays, gain: 0, cost: 0, chance: 0.4, kind: "same" });
  }
});

test("the score adds up, by seat", () => {
  let score = emptyScore();
  for (const cost of [0, 30, 0.2]) score = addDecision(score, ACES, { plays: true, cost });
  score = addDecision(score, { ...ACES, seat: "big" }, { plays: false, cost: 50 });
  assert.deepEqual(score.small, { decisions: 3, right: 2, lost: 30.2, squares: 900 + 0.2 * 0.2 });
  assert.deepEqual(score.worst.map(({ cost, seat, plays }) => [cost, seat, plays]), [[50, "big", false], [30, "small", true]]);
  const all = together(score.small, score.big);
  assert.deepEqual([all.decisions, all.right, all.lost], [4, 2, 80.2]);
  assert.deepEqual(verified(JSON.parse(JSON.stringify(score))), score);
});

test("only the worst mistakes are kept", () => {
  let score = emptyScore();
  for (let cost = 1; cost <= WORST + 5; cost += 1) score = addDecision(score, ACES, { plays: true, cost });
  assert.deepEqual(score.worst.map(({ cost }) => cost), Array.from({ length: WORST }, (_, place) => WORST + 5 - place));
});

test("a mean has an interval from the tenth decision on", () => {
  const nine = { decisions: 9, right: 9, lost: 45, squares: 285 };
  assert.deepEqual(lossOf(nine), { mean: 5, half: null });
  assert.deepEqual(lossOf({ decisions: 0, right: 0, lost: 0, squares: 0 }), { mean: 0, half: null });
  // 0 to 9: deviation 3.02765, Student's t for nine degrees of freedom 2.26216.
  const ten = lossOf({ decisions: 10, right: 0, lost: 45, squares: 285 });
  assert.equal(ten.mean, 4.5);
  assert.ok(Math.abs(ten.half - 2.26216 * 3.02765 / Math.sqrt(10)) < 0.01, ten.half);
});

test("what is no score is none", () => {
  const score = addDecision(emptyScore(), ACES, { plays: true, cost: 3 });
  for (const junk of [null, 3, {}, { ...score, small: {} }, { ...score, worst: [{}] }, { ...score, worst: [{ ...score.worst[0], cards: ["<b>", "As"] }] },
    { ...score, worst: [{ ...score.worst[0], stack: 2.3 }] }]) {
    assert.deepEqual(verified(junk), emptyScore());
  }
});

// One's own spots.

test("the hands that most was won or lost in are read", () => {
  const rows = Array.from({ length: 60 }, (_, at) => `table-1.1.${at},${1000 - at},cash,game,D,${at % 2 ? at : -at},0.0`);
  const found = handsToRead(`hand,at,mode,game,position,won,adjusted\r\n${rows.join("\r\n")}\r\n`);
  assert.deepEqual(found, Array.from({ length: HANDS }, (_, at) => `table-1.1.${59 - at}`));
  // Of very many only the newest.
  const many = Array.from({ length: 1001 }, (_, at) => `table-1.1.${at},${at},cash,game,D,${at ? 1 : 99},0.0`);
  assert.equal(handsToRead(`hand,at,mode,game,position,won,adjusted\n${many.join("\n")}`).includes("table-1.1.0"), false);
  assert.deepEqual(handsToRead("hand,at,mode,game,position,won,adjusted\n"), []);
});

test("a decision is asked as it was seen, without what came after", () => {
  const cards = [["2s", "3s"], ["4s", "5s"], ["Ah", "Kd"]];
  const hand = {
    id: "table-1.7.33", table: TABLE, hand: 33, at: 0, names: NAMES, own: 2, open: false, cards, previous: "", next: "",
    messages: [matchStart({ seat: 2, resumed: false }), handStart({ stacks: [500, 500, 500] }), acted(2, "call", 10, 10), acted(0, "call", 10, 5),
      acted(1, "check", 10), board(1, "7c", "8c", "9c"), acted(0, "bet", 100, 100), acted(1, "fold"), acted(2, "call", 100, 100), board(2, "Tc")],
    odds: [[10, 15], [5, 20], [0, 20], [0, 30], [100, 130], [100, 130]],
    equities: [[], [], [], [], [], [], [0.8, 0, 0.2], [0.8, 0, 0.2], []],
  };
  const [spot, ...more] = spotsOf(hand);
  assert.equal(more.length, 0);
  assert.deepEqual([spot.cards, spot.board, spot.call, spot.pot, spot.then, spot.step], [["Ah", "Kd"], ["7c", "8c", "9c"], 100, 130, "call", 7]);
  assert.equal(Math.round(spot.chips), 54);
  assert.equal(spot.lines.some(({ text }) => text.includes("Tc") || text.includes("Me calls 100")), false);
  assert.deepEqual([costOf(spot, "call").toFixed(1), costOf(spot, "fold")], ["5.4", 0]);
});

test("a drill has the worst decisions and as many right ones", () => {
  const spots = Array.from({ length: 100 }, (_, at) => ({ id: String(at), bigBlind: 10, chips: at - 50, then: "call", call: at }));
  const drill = makeDrill(spots, () => 0.5);
  assert.equal(drill.length, 2 * WORST_SPOTS);
  assert.deepEqual(drill.map(({ chips }) => chips).sort((one, other) => one - other), [...Array.from({ length: 10 }, (_, at) => at - 10), ...Array.from({ length: 10 }, (_, at) => at + 40)]);
  const orders = [0, 0.9].map((first) => {
    const numbers = [first, ...Array(99).fill(0.5)];
    return makeDrill(spots, () => numbers.shift())[0];
  });
  assert.notEqual(orders[0], orders[1]);
  // One of a hand, its worst.
  assert.deepEqual(makeDrill(spots.map((spot) => ({ ...spot, id: "same" }))).map(({ chips }) => chips), [49]);
  assert.deepEqual(makeDrill(spots.filter(({ chips }) => chips < 0)), []);
  // The cost of the other answer is what the right one won.
  assert.deepEqual([costOf({ then: "fold", chips: -20, bigBlind: 10 }, "call"), costOf({ then: "fold", chips: 20, bigBlind: 10 }, "call")], [2, 0]);
  assert.deepEqual(addAnswer(addAnswer({ decisions: 0, right: 0, lost: 0 }, 0), 1.5), { decisions: 2, right: 1, lost: 1.5 });
});
