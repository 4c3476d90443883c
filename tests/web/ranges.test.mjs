// What a strong bot would have done with every hand, without a page.

import assert from "node:assert/strict";
import test from "node:test";

// lit-html wants a document when it is loaded, and draws nothing here.
globalThis.document = { createTreeWalker: () => ({}), createComment: () => ({}), documentElement: { lang: "en" } };
const { handsOf, shares, strengths } = await import("../../clients/web/table/ranges.js");
const { hintHandlers } = await import("../../clients/web/table/hint.js");
const { combinations } = await import("../../clients/web/lib/hand_grid.js");

// Pairs raise, suited hands call, the others fold.
const chances = Array.from({ length: 169 }, (_, place) => {
  const [row, column] = [Math.floor(place / 13), place % 13];
  return row === column ? [0, 0, 1] : column > row ? [0, 1, 0] : [1, 0, 0];
});
const decision = { action: "call", to: 0, chances, weights: chances.map((_, place) => combinations(place) / 1326) };

test("shares count every hand as often as it is held", () => {
  assert.deepEqual(shares(decision).map((share) => Math.round(share * 1326)), [936, 312, 78]);
  assert.deepEqual([0, 1, 2].map((action) => handsOf(decision, action).length), [78, 78, 13]);
  assert.deepEqual(handsOf(decision, 2).slice(0, 3), ["AA", "KK", "QQ"]);
  assert.deepEqual(new Set(strengths(decision)), new Set([1]));
});

test("a bot that comes with aces alone has a range of aces", () => {
  const aces = { ...decision, weights: chances.map((_, place) => (place ? 0 : 1)) };
  assert.deepEqual(shares(aces), [0, 0, 1]);
  assert.deepEqual([0, 1, 2].map((action) => handsOf(aces, action)), [[], [], ["AA"]]);
  assert.deepEqual(strengths(aces).slice(0, 2), [1, 0]);
});

test("a bot that never comes is shown with all hands that the board allows", () => {
  const never = { ...decision, chances: chances.map((row, place) => (place ? row : [0, 0, 0])), weights: chances.map(() => 0) };
  assert.deepEqual(shares(never).map((share) => Math.round(share * 1320)), [936, 312, 72]);
  assert.equal(strengths(never)[0], 0);
});

test("ranges that I asked for are shown when they come, those of other hands are not", () => {
  const app = { state: { table: "table-1", hand: { hand: 7, over: true } } };
  const sent = [], changed = [];
  let isConnected = true;
  const { askRanges } = hintHandlers(app, (message) => isConnected && !!sent.push(message), (some) => changed.push(some));
  askRanges();
  isConnected = false;
  askRanges();
  app.state.hand.over = false;
  isConnected = true;
  askRanges();
  assert.deepEqual(sent, [{ type: "range", table: "table-1", hand: 7 }]);
  assert.deepEqual(changed, [{ rangesOf: 7 }]);
});
