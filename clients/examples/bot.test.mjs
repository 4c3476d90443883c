// Tests of the bot, without a server: node --test bot.test.mjs
import assert from "node:assert/strict";
import { test } from "node:test";

import { handlers } from "./bot.mjs";

/** What the bot answers to a bet of 200 when it holds these cards. */
function decide(...hole) {
  handlers.match_start({ table: "t", game: { blinds: [50, 100] } });
  handlers.hand_start({ table: "t", hole });
  return handlers.turn({ table: "t", turn: 3, fold: true, call: 200, raise_to: [500, 20000], pot: 300 });
}

test("it raises with aces", () => {
  assert.deepEqual(decide("Ah", "Ad"), { type: "act", table: "t", turn: 3, action: "raise", to: 500 });
});

test("it folds a weak hand", () => {
  assert.equal(decide("7h", "2d").action, "fold");
});
