import assert from "node:assert/strict";
import { test } from "node:test";

import { chances, equities } from "../../clients/web/table/equity.js";
import { GAME, acted, at, board, dealt } from "./deal.mjs";

const cards = (text) => text.match(/../g) ?? [];
const shown = at({ type: "shown", seq: 6, hands: [{ seat: 1, cards: ["Qs", "Qd"] }, { seat: 2, cards: ["Ah", "Kd"] }] });
const ALL_IN = [acted(2, "raise", 1000, 1000), acted(0, "fold"), acted(1, "call", 1000, 990), shown];

test("from the flop on every board is counted", () => {
  const [set, flush] = equities([cards("9s9d"), cards("AhKh")], cards("9h3h2c7d"));
  // Of 44 cards nine are hearts, but the 2 and the 7 of hearts make the set a full house.
  assert.equal(Math.round(flush * 44), 7);
  assert.ok(Math.abs(set + flush - 1) < 1e-9);
});

test("before the flop it is near the known figures", () => {
  const [queens, big] = equities([cards("QsQd"), cards("AhKd")], []);
  assert.ok(Math.abs(queens - 0.5677) < 0.03 && Math.abs(queens + big - 1) < 1e-9, `${queens}`);
  const [same] = equities([cards("AsKs"), cards("AdKd")], []);
  assert.ok(Math.abs(same - 0.5) < 0.03);
});

test("chances stand at the seats that are still in, once all their cards are up, until the last card", () => {
  assert.deepEqual(chances(dealt().hand, GAME), {});
  const up = dealt(...ALL_IN).hand;
  assert.deepEqual(Object.keys(chances(up, GAME)), ["1", "2"]);
  assert.equal(chances(up, GAME), chances(up, GAME));
  const turned = dealt(...ALL_IN, board(1, "As", "2c", "7d"), board(2, "7s")).hand;
  assert.equal(Math.round(chances(turned, GAME)[1] * 44), 2);
  assert.deepEqual(chances(dealt(...ALL_IN, board(1, "As", "2c", "7d"), board(2, "7s"), board(3, "7h")).hand, GAME), {});
  assert.deepEqual(chances(up, { ...GAME, hole_cards: 1 }), {});
});
