// What a strong bot would have done with every hand, without a page.

import assert from "node:assert/strict";
import test from "node:test";

// lit-html wants a document when it is loaded, and draws nothing here.
globalThis.document = { createTreeWalker: () => ({}), createComment: () => ({}), documentElement: { lang: "en" } };
const { handsOf, shares } = await import("../../clients/web/table/ranges.js");

test("shares count every hand as often as it is dealt", () => {
  // Pairs raise, suited hands call, the others fold.
  const chances = Array.from({ length: 169 }, (_, place) => {
    const [row, column] = [Math.floor(place / 13), place % 13];
    return row === column ? [0, 0, 1] : column > row ? [0, 1, 0] : [1, 0, 0];
  });
  assert.deepEqual(shares(chances).map((share) => Math.round(share * 1326)), [936, 312, 78]);
  assert.deepEqual([0, 1, 2].map((action) => handsOf(chances, action).length), [78, 78, 13]);
  assert.deepEqual(handsOf(chances, 2).slice(0, 3), ["AA", "KK", "QQ"]);
});
